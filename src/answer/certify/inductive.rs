//! Check of an inductive proof: for each place, the next places and the edges to the error location.

use std::collections::BTreeMap;

use super::Rejected;
use super::automaton::Automaton;
use super::divided::{Checker, Divided, Row};
use super::parts::Scope;
use super::questions::{Course, Questions};
use super::region::Region;
use super::solver::Asked;
use super::stated::Stated;
use kernel::cfa::LocId;
use kernel::smt::Interrupt;

/// Names and texts of the obligations of an inductive proof.
pub(super) const INITIATION: (&str, &str) = ("initiation", "the invariant holds at the start");
pub(super) const CONSECUTION: (&str, &str) =
    ("consecution", "every step from a state that satisfies the invariant leads to one that does");
pub(super) const SAFETY: (&str, &str) = ("safety", "no step from a state that satisfies the invariant leads to a violation");

/// Checks an inductive proof: its safety first, then the parts of invariants in the scope.
///
/// Cost:      for each part of an invariant, the edges on its paths; one question for each group of parts that read the same.
/// Soundness: every question is about a needed part or the safety, and uses needed parts only ([`super::parts`]). each step of a run is a path of some region to a next place or to an edge to the error location. Each part of the
///            invariant there, and each alternative of the edge's guard, is a way of one question. See [`super::slice`].
pub(super) fn check(
    automaton: &Automaton<'_>,
    stated: &Stated,
    scope: Scope,
    asked: Asked<'_>,
    interrupt: &Interrupt,
) -> Result<Divided, Rejected> {
    ask(&Questions::new(automaton, stated), scope, asked, interrupt)
}

/// Asks all questions of an inductive proof.
pub(super) fn ask(questions: &Questions<'_>, scope: Scope, asked: Asked<'_>, interrupt: &Interrupt) -> Result<Divided, Rejected> {
    let automaton = questions.automaton;
    let mut checker = Checker::new(questions, asked, interrupt, true, scope);
    let mut rows = [Row::new(INITIATION.0, INITIATION.1), Row::new(CONSECUTION.0, CONSECUTION.1)];
    let mut safety = Row::new(SAFETY.0, SAFETY.1);
    let (first, others): (Vec<LocId>, Vec<LocId>) = automaton.places.iter().partition(|place| **place == automaton.start);
    let regions: Vec<Region> = first.into_iter().chain(others).map(|place| Region::of(automaton, place)).collect();
    keeps(&mut checker, &mut rows, &regions)?;
    for region in &regions {
        checker.is_safe(&mut safety, &course(automaton, region))?;
    }
    keeps(&mut checker, &mut rows, &regions)?;
    let [initiation, consecution] = rows;
    Ok(Divided { rows: [initiation, consecution, safety].into(), needed: checker.into_needed() })
}

fn course<'r>(automaton: &Automaton<'_>, region: &'r Region) -> Course<'r> {
    Course { regions: vec![region], from_start: region.place == automaton.cfa.init }
}

/// Checks the parts that are needed so far, and those that these need.
fn keeps(checker: &mut Checker<'_>, [initiation, consecution]: &mut [Row; 2], regions: &[Region]) -> Result<(), Rejected> {
    let automaton = checker.questions.automaton;
    let mut into: BTreeMap<LocId, Vec<&Region>> = BTreeMap::new();
    for region in regions {
        region.next_places().iter().for_each(|next| into.entry(*next).or_default().push(region));
    }
    while let Some(open) = checker.open() {
        if automaton.starts_at_head() {
            checker.start(initiation, &open)?;
        }
        // Many rounds are about few places.
        for next in open.places() {
            for region in into.get(&next).into_iter().flatten() {
                let course = course(automaton, region);
                let row = if course.from_start { &mut *initiation } else { &mut *consecution };
                checker.keeps(row, &course, next, &open)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
