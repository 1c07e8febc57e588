//! Check of a k-inductive proof in small questions, where each step is a whole cycle and the invariants are inductive by
//! themselves. Each course is a sequence of cycles.

use super::Rejected;
use super::automaton::Automaton;
use super::divided::{Checker, Divided, Row};
use super::needed::Scope;
use super::obligations::Stated;
use super::questions::{Course, Questions};
use super::region::Region;
use super::solver::Asked;
use kernel::smt::Interrupt;
use kernel::verdict::Paths;

/// Edges that slices may visit. With more, one question about all paths is cheaper than the division.
const MOST_VISITS: usize = 20_000_000;

/// Returns whether the division is cheap: the base case has `k` courses, each one cycle longer than the one before.
pub(super) fn is_cheap(automaton: &Automaton<'_>, k: u32) -> bool {
    let cfa = automaton.cfa;
    let n_violations = cfa.edges.iter().filter(|edge| edge.target == cfa.error).count();
    let n_cycles = (k as usize).saturating_mul(k as usize + 3) / 2 + 1;
    n_violations.saturating_mul(n_cycles).saturating_mul(cfa.edges.len()) <= MOST_VISITS
}

/// Checks a proof by `k` cycles.
///
/// For paths without repetition, questions about all paths come first: what holds for all paths holds for those.
/// `Undecided` where that is not enough.
///
/// Cost:      that of [`super::inductive::check`] for the invariants, and k + 1 times the edges on the paths for each violation.
/// Soundness: a first violation in cycle n + 1 of a run is a course of n complete cycles and an edge to the error location. For
///            n < k it begins at the start (base). Otherwise its last k + 1 cycles begin in states of the invariants (step).
pub(super) fn check(
    automaton: &Automaton<'_>,
    stated: &Stated,
    (k, paths): (u32, Paths),
    scope: Scope,
    asked: Asked<'_>,
    interrupt: &Interrupt,
) -> Result<Divided, Rejected> {
    let questions = Questions::new(automaton, stated);
    let mut checker = Checker::new(&questions, asked, interrupt, paths == Paths::Any, scope);
    let head = automaton.cfa.head;
    let cycle = Region::of(automaton, head);
    let start = (!automaton.starts_at_head()).then(|| Region::of(automaton, automaton.cfa.init));
    let mut initiation = Row::new("initiation", "the invariant holds at the start of the first cycle");
    let mut consecution = Row::new("consecution", "every cycle keeps the invariant");
    let (mut base, mut step) = texts(k);
    let before: Vec<&Region> = start.iter().collect();
    let mut from_start = Course { regions: before.clone(), from_start: true };
    let mut keeps = |checker: &mut Checker<'_>| {
        let one = Course { regions: vec![&cycle], from_start: false };
        while let Some(open) = checker.open() {
            if before.is_empty() {
                checker.start(&mut initiation, &open)?;
            } else {
                checker.keeps(&mut initiation, &Course { regions: before.clone(), from_start: true }, head, &open)?;
            }
            checker.keeps(&mut consecution, &one, head, &open)?;
        }
        Ok::<(), Rejected>(())
    };
    keeps(&mut checker)?;
    if start.is_some() {
        checker.is_safe(&mut base, &from_start)?;
    }
    for _ in 0..k {
        from_start.regions.push(&cycle);
        checker.is_safe(&mut base, &from_start)?;
    }
    checker.is_safe(&mut step, &Course { regions: vec![&cycle; k as usize + 1], from_start: false })?;
    keeps(&mut checker)?;
    Ok(Divided { rows: [initiation, consecution, base, step].into(), needed: checker.into_needed() })
}

/// Returns base and step for `k` cycles.
fn texts(k: u32) -> (Row, Row) {
    let (base, step) = match k {
        1 => ("the first cycle reaches no violation".to_owned(), "after a cycle from a state that satisfies".to_owned()),
        k => (format!("the first {k} cycles reach no violation"), format!("after {k} cycles through states that satisfy")),
    };
    (Row::new("base", base), Row::new("step", format!("{step} the invariant the next cycle has no violation")))
}

#[cfg(test)]
mod tests;
