//! Writes certificates of proofs: first the proof in a few lines for the result; on request the whole file, with the questions
//! that the checker asks. Each is about a slice of the steps, so a file is no longer than the proof needs.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::check::read_proof;
use super::end::ended;
use super::header::{FORMAT, Identity, comments, kind_lines, one_line};
use super::summaries::closed;
use super::{Flaw, invariants};
use crate::certify::obligations::obligations;
use crate::certify::script::Sorts;
use crate::certify::stated::Stated;
use crate::certify::{Asked, Rejected, Scope, check_divided};
use kernel::cfa::{Cfa, LocId};
use kernel::expr::ExprPool;
use kernel::smt::Interrupt;
use kernel::verdict::Proof;

/// Longest time for the questions of a file. A proof that takes longer is written undivided.
const LIMIT: Duration = Duration::from_secs(20);

/// Writes a proof about an unreduced automaton: the kind of proof, and one `define-fun` for each invariant; parts of many invariants once.
pub fn stated(pool: &ExprPool, cfa: &Cfa, proof: &Proof) -> Result<String, Flaw> {
    let stated = Stated::of(pool, cfa, proof)?;
    Ok(comments(&kind_lines(stated.kind)) + &invariants::written(pool, cfa, &stated).0)
}

/// Writes the whole certificate of a proof that was [`stated`] about this automaton.
///
/// `about`: sentences for people.
pub fn whole(identity: &Identity, pool: &ExprPool, cfa: &Cfa, stated: &str, about: &[String]) -> Result<String, Flaw> {
    let stated = read_proof(pool, cfa, stated)?;
    let Script { sorts, n, text: obligations } = match divided(pool, cfa, &stated) {
        Some(script) => script,
        None => undivided(pool, cfa, &stated)?,
    };
    let mut lines = vec![("certificate-format", FORMAT.to_owned())];
    lines.extend(identity.about());
    lines.push(("answer", identity.answer(identity.conditions.len())));
    lines.extend(kind_lines(stated.kind));
    let mut text = String::from("; Scanproof certificate: a proof that any SMT solver can check.\n");
    text.push_str(&comments(&lines));
    for sentence in about {
        let _ = writeln!(text, "; note: {}", one_line(sentence));
    }
    let options: String = sorts.options().map(|option| format!(" --{option}")).collect();
    let _ = writeln!(
        text,
        ";\n; `cvc5{options} THIS` or `z3 THIS` prints `unsat` {n} times, once for each question. That shows something about the steps below;\n\
         ; `scanproof check-certificate THIS --program FILE…` makes them again from the program and shows it about that."
    );
    text.push_str(&obligations);
    Ok(ended(text))
}

/// Obligations as a file has them.
pub(super) struct Script {
    sorts: Sorts,
    /// Number of questions.
    n: usize,
    pub(super) text: String,
}

/// Writes the questions that show a proof: those that the checker asks. `None` if it does not divide the proof, or finds no
/// answer soon.
///
/// Cost: that of a check of the proof.
fn divided(pool: &ExprPool, cfa: &Cfa, stated: &Stated) -> Option<Script> {
    let interrupt = Interrupt { deadline: Some(Instant::now() + LIMIT), ..Interrupt::default() };
    let closed = closed(pool, cfa, stated).ok()?;
    let divided = check_divided(&closed.pool, &closed.cfa, &closed.stated, Scope::All, Asked::Cvc5, &interrupt)?;
    let rows = divided.ok()?.rows;
    let (mut text, mut sorts) = invariants::written(pool, cfa, stated);
    for row in &rows {
        sorts = sorts.and(row.sorts);
        let _ = writeln!(text, "\n; {}: {}", row.name, row.meaning());
        for question in row.questions() {
            let _ = writeln!(text, "(push 1)\n{question}(set-info :status unsat)\n(check-sat)\n(pop 1)");
        }
    }
    let n = rows.iter().map(|row| row.questions().len()).sum();
    Some(Script { sorts, n, text: sorts.logic().to_owned() + &text })
}

/// Writes one question for each obligation.
pub(super) fn undivided(pool: &ExprPool, cfa: &Cfa, stated: &Stated) -> Result<Script, Flaw> {
    let closed = closed(pool, cfa, stated)?;
    let made = obligations(&closed.pool, &closed.cfa, &closed.stated, &Interrupt::default());
    let mut obligations = made.map_err(|rejected| match rejected {
        Rejected::Malformed(why) | Rejected::Undecided(_, why) => Flaw(why),
        Rejected::Refuted(obligation) => Flaw(obligation.text),
        Rejected::Stopped(name) => Flaw(format!("{name}: the time was over")),
    })?;
    if let Some(recursion) = &cfa.recursion {
        // Steps have summaries in them; their definitions are for the reader.
        let is_summary = |loc: &LocId| recursion.places().any(|place| place == *loc);
        let mut summaries = stated.clone();
        summaries.places.retain(|loc, _| is_summary(loc));
        let (definitions, sorts) = invariants::written(pool, cfa, &summaries);
        obligations.define_first(&definitions, sorts);
    }
    Ok(Script { sorts: obligations.sorts, n: obligations.drafts.len(), text: obligations.whole() })
}
