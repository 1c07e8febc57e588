//! Check of an inductive proof: for each place, the next places and the edges to the error location.

use super::Rejected;
use super::automaton::Automaton;
use super::divided::{Checker, Row};
use super::obligations::Stated;
use super::questions::{Course, Questions};
use super::region::Region;
use super::solver::Asked;
use kernel::cfa::LocId;
use kernel::smt::Interrupt;

/// Names and texts of the obligations of an inductive proof.
pub(super) const INITIATION: (&str, &str) = ("initiation", "the invariant holds at the start");
pub(super) const CONSECUTION: (&str, &str) =
    ("consecution", "every step from a state that satisfies the invariant leads to one that does");
pub(super) const SAFETY: (&str, &str) = ("safety", "no step from a state that satisfies the invariant leads to a violation");

/// Checks an inductive proof.
///
/// Cost:      for each part of an invariant, the edges on its paths; one question for each group of parts that read the same.
/// Soundness: each step of a run is a path of some region to a next place or to an edge to the error location. Each part of the
///            invariant there, and each alternative of the edge's guard, is a way of one question. See [`super::slice`].
pub(super) fn check(
    automaton: &Automaton<'_>,
    stated: &Stated,
    asked: Asked<'_>,
    interrupt: &Interrupt,
) -> Result<Vec<Row>, Rejected> {
    ask(&Questions::new(automaton, stated), asked, interrupt)
}

/// Asks all questions of an inductive proof.
pub(super) fn ask(questions: &Questions<'_>, asked: Asked<'_>, interrupt: &Interrupt) -> Result<Vec<Row>, Rejected> {
    let automaton = questions.automaton;
    let mut checker = Checker::new(questions, asked, interrupt, true);
    let mut initiation = Row::new(INITIATION.0, INITIATION.1);
    let mut consecution = Row::new(CONSECUTION.0, CONSECUTION.1);
    let mut safety = Row::new(SAFETY.0, SAFETY.1);
    if automaton.starts_at_head() {
        checker.start(&mut initiation)?;
    }
    let (first, others): (Vec<LocId>, Vec<LocId>) = automaton.places.iter().partition(|place| **place == automaton.start);
    for place in first.iter().chain(&others) {
        let region = Region::of(automaton, *place);
        let from_start = *place == automaton.cfa.init;
        let row = if from_start { &mut initiation } else { &mut consecution };
        let course = Course { regions: vec![&region], from_start };
        region.next_places().into_iter().try_for_each(|next| checker.keeps(row, &course, next))?;
        checker.is_safe(&mut safety, &course)?;
    }
    Ok([initiation, consecution, safety].into())
}

#[cfg(test)]
mod tests;
