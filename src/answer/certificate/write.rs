//! Writes certificates of proofs: first the proof in a few lines for the result; on request the whole file, with the states and
//! steps of the model.

use std::fmt::Write as _;

use super::Flaw;
use super::check::read_proof;
use super::end::ended;
use super::header::{FORMAT, Identity, comments, kind_lines, one_line};
use crate::certify::Rejected;
use crate::certify::obligations::{Stated, name_of, obligations};
use crate::certify::predicate::Symbols;
use crate::certify::script::Sorts;
use kernel::cfa::Cfa;
use kernel::expr::ExprPool;
use kernel::smt::Interrupt;
use kernel::verdict::Proof;

/// Writes a proof about an unreduced automaton: the kind of proof, and one `define-fun` for each invariant.
pub fn stated(pool: &ExprPool, cfa: &Cfa, proof: &Proof) -> Result<String, Flaw> {
    let stated = Stated::of(pool, cfa, proof)?;
    let symbols = Symbols::new(pool, &cfa.vars);
    let mut text = comments(&kind_lines(stated.kind));
    for (loc, invariant) in &stated.invariants {
        let _ = writeln!(text, "{}", invariant.definition(&name_of(cfa, *loc), &symbols, &mut Sorts::default()));
    }
    Ok(text)
}

/// Writes the whole certificate of a proof that was [`stated`] about this automaton.
///
/// `about`: sentences for people.
pub fn whole(identity: &Identity, pool: &ExprPool, cfa: &Cfa, stated: &str, about: &[String]) -> Result<String, Flaw> {
    let stated = read_proof(pool, cfa, stated)?;
    let obligations = obligations(pool, cfa, &stated, &Interrupt::default()).map_err(|rejected| match rejected {
        Rejected::Malformed(why) | Rejected::Undecided(_, why) => Flaw(why),
        Rejected::Refuted(obligation) => Flaw(obligation.text),
    })?;
    let mut lines = vec![("certificate-format", FORMAT.to_owned())];
    lines.extend(identity.about());
    lines.push(("answer", identity.answer(identity.conditions.len())));
    lines.extend(kind_lines(stated.kind));
    let mut text = String::from("; Scanproof certificate: a proof that any SMT solver can check.\n");
    text.push_str(&comments(&lines));
    for sentence in about {
        let _ = writeln!(text, "; note: {}", one_line(sentence));
    }
    let n = obligations.drafts.len();
    let options: String = obligations.sorts.options().map(|option| format!(" --{option}")).collect();
    let _ = writeln!(
        text,
        ";\n; `cvc5{options} THIS` or `z3 THIS` prints `unsat` {n} times, once for each obligation. That shows something about the steps below;\n\
         ; `scanproof check-certificate THIS --program FILE…` makes them again from the program and shows it about that."
    );
    text.push_str(&obligations.whole());
    Ok(ended(text))
}
