//! Check of proofs by `k` steps in small questions. A step leads from one place to the next; it is a cycle where the head is the
//! only place. Each course is a sequence of steps.

use std::collections::BTreeMap;

use super::Rejected;
use super::automaton::Automaton;
use super::divided::{Checker, Divided, Row};
use super::parts::Scope;
use super::questions::{Course, Questions};
use super::region::Region;
use super::solver::Asked;
use super::stated::{Kind, Stated};
use kernel::cfa::LocId;
use kernel::smt::Interrupt;
use kernel::verdict::{Paths, Support};

/// Edges that slices may visit. With more, one question about all paths is cheaper than the division.
const MOST_VISITS: usize = 20_000_000;

/// Steps of an automaton.
struct Steps {
    head: LocId,
    /// From the start of runs to the first place; `None` where runs start at the head. It is not counted.
    start: Option<Region>,
    /// By place.
    regions: BTreeMap<LocId, Region>,
}

impl Steps {
    fn of(automaton: &Automaton<'_>) -> Steps {
        let head = automaton.cfa.head;
        let start = (!automaton.starts_at_head()).then(|| Region::of(automaton, automaton.cfa.init));
        let regions = automaton.later_places().into_iter().map(|place| (place, Region::of(automaton, place)));
        Steps { head, start, regions: regions.collect() }
    }
    fn places(&self) -> Vec<LocId> {
        self.regions.keys().copied().collect()
    }
    /// Returns the places where runs come first.
    fn first_places(&self) -> Vec<LocId> {
        self.start.as_ref().map_or_else(|| vec![self.head], |start| start.next_places().iter().copied().collect())
    }

    /// Returns the number of sequences of `n` steps from these places.
    fn count(&self, first: &[LocId], n: u32) -> usize {
        let mut at: BTreeMap<LocId, usize> = first.iter().map(|place| (*place, 1)).collect();
        for _ in 1..n {
            let mut next: BTreeMap<LocId, usize> = BTreeMap::new();
            for (place, count) in &at {
                for to in self.regions[place].next_places() {
                    let sum = next.entry(*to).or_default();
                    *sum = sum.saturating_add(*count);
                }
            }
            at = next;
        }
        at.values().fold(0, |sum, count| sum.saturating_add(*count))
    }
    /// Returns whether the division of a proof by `k` steps is cheap.
    fn are_cheap(&self, automaton: &Automaton<'_>, k: u32) -> bool {
        let cfa = automaton.cfa;
        let n_violations = cfa.edges.iter().filter(|edge| edge.target == cfa.error).count();
        let mut n_steps: usize = 0;
        for n in 1..=k + 1 {
            let n_courses = if n <= k { self.count(&self.first_places(), n) } else { self.count(&self.places(), n) };
            n_steps = n_steps.saturating_add(n_courses.saturating_mul(n as usize));
        }
        n_violations.max(1).saturating_mul(n_steps).saturating_mul(cfa.edges.len()) <= MOST_VISITS
    }

    /// Returns the sequences of `n` steps after these.
    fn after<'s>(&'s self, before: Vec<&'s Region>, first: &[LocId], n: u32) -> Vec<Vec<&'s Region>> {
        let mut all: Vec<Vec<&Region>> = if n == 0 { vec![before] } else { self.extended(&before, first) };
        for _ in 1..n {
            let next = |regions: &Vec<&'s Region>| {
                let places: Vec<LocId> = regions.last().into_iter().flat_map(|region| region.next_places()).copied().collect();
                self.extended(regions, &places)
            };
            all = all.iter().flat_map(next).collect();
        }
        all
    }
    fn extended<'s>(&'s self, regions: &[&'s Region], places: &[LocId]) -> Vec<Vec<&'s Region>> {
        places.iter().map(|place| regions.iter().copied().chain([&self.regions[place]]).collect()).collect()
    }
    /// Returns the courses of `n` steps from the start of runs; none of 0 steps where runs start at the head.
    fn runs(&self, n: u32) -> Vec<Course<'_>> {
        let all = self.after(self.start.iter().collect(), &self.first_places(), n);
        let all = all.into_iter().filter(|regions| !regions.is_empty());
        all.map(|regions| Course { regions, from_start: true }).collect()
    }
    /// Returns the courses of `n` steps from any place.
    fn sequences(&self, n: u32) -> Vec<Course<'_>> {
        let all = self.after(Vec::new(), &self.places(), n);
        all.into_iter().map(|regions| Course { regions, from_start: false }).collect()
    }
}

/// Checks a proof by steps; `None` for one that is not divided.
///
/// For paths without repetition, questions about all paths come first: what holds for all paths holds for those.
///
/// Cost:      that of [`super::inductive::check`] for the invariants, and k + 1 times the edges on the paths for each violation.
/// Soundness: the steps of a run are a course. A first violation in step n + 1 of a run comes after n complete ones. For n < k
///            it begins at the start (base). Otherwise its last k + 1 steps begin in states of the invariants (step), or the run
///            has k complete steps (end).
pub(super) fn check(
    automaton: &Automaton<'_>,
    stated: &Stated,
    scope: Scope,
    asked: Asked<'_>,
    interrupt: &Interrupt,
) -> Option<Result<Divided, Rejected>> {
    let (k, paths) = match stated.kind {
        Kind::KInductive { support: Support::Steps, paths: Paths::Simple, .. } | Kind::Inductive => return None,
        Kind::KInductive { k, paths, .. } | Kind::Exhaustive { k, paths } => (k, paths),
    };
    let steps = Steps::of(automaton);
    if k == 0 || !steps.are_cheap(automaton, k) {
        return None;
    }
    let questions = Questions::new(automaton, stated);
    let checker = Checker::new(&questions, asked, interrupt, paths == Paths::Any, scope);
    let check = Check { checker, steps: &steps, k };
    let answer = match stated.kind {
        Kind::KInductive { support: Support::Steps, .. } => check.by_steps(),
        Kind::Exhaustive { .. } => check.exhaustive(),
        Kind::KInductive { .. } | Kind::Inductive => check.k_inductive(),
    };
    match (answer, stated.kind) {
        (Err(stopped @ Rejected::Stopped(_)), _) => Some(Err(stopped)),
        (Err(Rejected::Undecided(..)), _) if paths == Paths::Simple => None,
        // An invariant has to hold only in runs that go on for k steps.
        (Err(_), Kind::KInductive { support: Support::Steps, .. }) => None,
        (answer, _) => Some(answer),
    }
}

/// Check of one proof.
struct Check<'c> {
    checker: Checker<'c>,
    steps: &'c Steps,
    k: u32,
}

impl Check<'_> {
    /// Checks a proof whose invariants are inductive by themselves.
    fn k_inductive(mut self) -> Result<Divided, Rejected> {
        let mut initiation = Row::new("initiation", "the invariant holds at the start of the first cycle");
        let mut consecution = Row::new("consecution", format!("every {} keeps the invariant", self.unit()));
        let (mut base, mut step) = (self.base(), self.step(" the next"));
        self.keeps(&mut initiation, &mut consecution, 1)?;
        self.is_safe(&mut base)?;
        self.goes_on(&mut step)?;
        self.keeps(&mut initiation, &mut consecution, 1)?;
        Ok(Divided { rows: [initiation, consecution, base, step].into(), needed: self.checker.into_needed() })
    }
    /// Checks a proof whose invariants need `k` steps themselves.
    fn by_steps(mut self) -> Result<Divided, Rejected> {
        let (mut base, mut step) = (self.base(), self.step(" it holds again, and the next"));
        self.keeps(&mut base, &mut step, self.k)?;
        self.is_safe(&mut base)?;
        self.goes_on(&mut step)?;
        self.keeps(&mut base, &mut step, self.k)?;
        Ok(Divided { rows: [base, step].into(), needed: self.checker.into_needed() })
    }
    /// Checks that no run has `k` complete steps, and no violation in the first `k`.
    fn exhaustive(mut self) -> Result<Divided, Rejected> {
        let mut base = self.base();
        let mut end = Row::new("end", format!("no run has {}", self.counted()));
        self.is_safe(&mut base)?;
        for course in self.steps.runs(self.k) {
            self.checker.ends(&mut end, &course)?;
        }
        Ok(Divided { rows: [base, end].into(), needed: self.checker.into_needed() })
    }

    /// Checks that needed parts hold in the first `n` places of runs, and after `n` steps in which they hold.
    fn keeps(&mut self, first: &mut Row, next: &mut Row, n: u32) -> Result<(), Rejected> {
        while let Some(open) = self.checker.open() {
            if self.steps.start.is_none() {
                self.checker.start(first, &open)?;
            }
            let begins = (0..n).flat_map(|n| self.steps.runs(n));
            let all = begins.map(|course| (true, course)).chain(self.steps.sequences(n).into_iter().map(|c| (false, c)));
            for (is_first, course) in all.collect::<Vec<_>>() {
                let row = if is_first { &mut *first } else { &mut *next };
                let places = course.regions.last().into_iter().flat_map(|region| region.next_places());
                places.into_iter().try_for_each(|place| self.checker.keeps(row, &course, *place, &open))?;
            }
        }
        Ok(())
    }
    /// Checks that the first `k` steps have no violation.
    fn is_safe(&mut self, base: &mut Row) -> Result<(), Rejected> {
        let courses = (0..=self.k).flat_map(|n| self.steps.runs(n));
        courses.collect::<Vec<_>>().iter().try_for_each(|course| self.checker.is_safe(base, course))
    }
    /// Checks that no violation comes after `k` steps through states of the invariants.
    fn goes_on(&mut self, step: &mut Row) -> Result<(), Rejected> {
        self.steps.sequences(self.k + 1).iter().try_for_each(|course| self.checker.is_safe(step, course))
    }

    fn unit(&self) -> &'static str {
        if 1 < self.steps.regions.len() { "step" } else { "cycle" }
    }
    fn counted(&self) -> String {
        if self.k == 1 { format!("1 {}", self.unit()) } else { format!("{} {}s", self.k, self.unit()) }
    }
    fn base(&self) -> Row {
        let text = match self.k {
            1 => format!("the first {} reaches no violation", self.unit()),
            _ => format!("the first {} reach no violation", self.counted()),
        };
        Row::new("base", text)
    }
    fn step(&self, then: &str) -> Row {
        let (unit, states) =
            (self.unit(), if self.k == 1 { "from a state that satisfies" } else { "through states that satisfy" });
        let steps = if self.k == 1 { format!("a {unit}") } else { self.counted() };
        Row::new("step", format!("after {steps} {states} the invariant{then} {unit} has no violation"))
    }
}

#[cfg(test)]
mod tests;
