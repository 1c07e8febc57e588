//! Certificates of proofs, written: first what the proof is, in a few lines that a result can keep; when the file is asked for,
//! the states and steps of the model around it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Flaw;
use super::check::read_proof;
use super::end::ended;
use super::header::{FORMAT, Identity, comments, kind_lines, one_line};
use super::obligations::{Kind, Stated, name_of, obligations};
use super::terms::{Predicate, Symbols};
use super::text::Sorts;
use kernel::cfa::Cfa;
use kernel::expr::ExprPool;
use kernel::verdict::{Argument, Proof};

/// A proof about an unreduced automaton as text: the kind of proof, and one `define-fun` for each invariant.
pub fn stated(pool: &ExprPool, cfa: &Cfa, proof: &Proof) -> Result<String, Flaw> {
    let (kind, invariants) = match &proof.argument {
        Argument::Inductive(invariants) => (Kind::Inductive, invariants.clone()),
        Argument::KInductive { k, invariant, support, paths } => {
            let kind = Kind::KInductive { k: *k, support: *support, paths: *paths };
            (kind, BTreeMap::from([(cfa.head, *invariant)]))
        }
    };
    let symbols = Symbols::new(pool, &cfa.vars);
    let mut text = comments(&kind_lines(kind));
    for (loc, invariant) in invariants {
        let invariant = Predicate::of_expr(&proof.pool, invariant, &symbols)?;
        let _ = writeln!(text, "{}", invariant.definition(&name_of(cfa, loc), &symbols, &mut Sorts::default()));
    }
    Ok(text)
}

/// The whole certificate of a proof that was [`stated`] about this automaton.
///
/// `about`: sentences for people.
pub fn whole(identity: &Identity, pool: &ExprPool, cfa: &Cfa, stated: &str, about: &[String]) -> Result<String, Flaw> {
    let stated: Stated = read_proof(pool, cfa, stated)?;
    let obligations = obligations(pool, cfa, &stated)?;
    let mut lines = vec![("certificate-format", FORMAT.to_owned())];
    lines.extend(identity.about());
    lines.push(("answer", identity.answer(identity.conditions.len())));
    lines.extend(kind_lines(stated.kind));
    let mut text = String::from("; Scanproof certificate: a proof that any SMT solver can check.\n");
    text.push_str(&comments(&lines));
    for sentence in about {
        let _ = writeln!(text, "; note: {}", one_line(sentence));
    }
    let n = obligations.all.len();
    let options: String = obligations.sorts.options().map(|option| format!(" --{option}")).collect();
    let _ = writeln!(
        text,
        ";\n; `cvc5{options} THIS` or `z3 THIS` prints `unsat` {n} times, once for each obligation. That shows something about the steps below;\n\
         ; `scanproof check-certificate THIS --program FILE…` makes them again from the program and shows it about that."
    );
    text.push_str(&obligations.whole());
    Ok(ended(text))
}
