//! Check of an inductive proof, in small questions: for each place, each next place and each part of its invariant one question
//! about a slice. A question that the slice leaves open is asked about all paths. Questions that are the same but for names are
//! asked once.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::automaton::Automaton;
use super::obligations::Stated;
use super::questions::{Question, Questions, Way};
use super::region::Region;
use super::slice::{Extent, Sink, Vars};
use super::solver::{Asked, SolverAnswer};
use super::{Obligation, Rejected};
use kernel::cfa::LocId;
use kernel::smt::Interrupt;

/// Texts of the obligations of an inductive proof.
pub(super) const INITIATION: (&str, &str) = ("initiation", "the invariant holds at the start");
pub(super) const CONSECUTION: (&str, &str) =
    ("consecution", "every step from a state that satisfies the invariant leads to one that does");
pub(super) const SAFETY: (&str, &str) = ("safety", "no step from a state that satisfies the invariant leads to a violation");

/// Longest time for a question about a slice that is not all paths; and its share of the time that is left.
const SMALL: Duration = Duration::from_secs(10);
const SHARE: u32 = 8;
/// Questions about slices that may come to no answer in their time; after them only whole questions are asked.
const MOST_LATE: usize = 3;

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
) -> Result<Vec<Obligation>, Rejected> {
    let questions = Questions::new(automaton, stated);
    let mut checker = Checker { questions: &questions, asked, interrupt, answers: BTreeMap::new(), n_late: 0 };
    let rows = [INITIATION, CONSECUTION, SAFETY];
    let mut rows = rows.map(|(name, text)| Row { name, text, n_parts: 0, scripts: BTreeSet::new(), duration: Duration::ZERO });
    let [initiation, consecution, safety] = &mut rows;
    if automaton.starts_at_head() {
        checker.start(initiation)?;
    }
    let (first, others): (Vec<LocId>, Vec<LocId>) = automaton.places.iter().partition(|place| **place == automaton.start);
    for place in first.iter().chain(&others) {
        let region = Region::of(automaton, *place);
        let row = if *place == automaton.cfa.init { &mut *initiation } else { &mut *consecution };
        for next in region.next_places() {
            let ways: Vec<Way<'_>> = questions.parts(next).iter().map(Way::Breaks).collect();
            checker.sink(row, &region, Sink::Place(next), ways)?;
        }
        let mut errors: BTreeMap<usize, Vec<Way<'_>>> = BTreeMap::new();
        for (source, edge) in region.errors() {
            let alternatives = questions.effects[edge].alternatives(automaton.pool);
            errors.entry(source).or_default().extend(alternatives.into_iter().map(|parts| Way::Takes(edge, parts)));
        }
        for (source, ways) in errors {
            checker.sink(safety, &region, Sink::Inner(source), ways)?;
        }
    }
    Ok(rows.into_iter().map(Row::obligation).collect())
}

/// Obligation in the making.
struct Row {
    name: &'static str,
    text: &'static str,
    /// Ways that were excluded.
    n_parts: usize,
    /// Questions, each once.
    scripts: BTreeSet<String>,
    duration: Duration,
}

impl Row {
    fn obligation(self) -> Obligation {
        let text = match (self.n_parts, self.scripts.len()) {
            (_, 0 | 1) => self.text.to_owned(),
            (n_parts, n) if n == n_parts => format!("{} ({n} parts)", self.text),
            (n_parts, n) => format!("{} ({n_parts} parts, {n} different questions)", self.text),
        };
        let script = self.scripts.into_iter().collect::<Vec<_>>().join("(reset)\n");
        Obligation { name: self.name, text, script, duration_ms: self.duration.as_millis() as u64 }
    }
}

/// Ways with the variables that their question reads.
struct Group<'q> {
    reads: Vars,
    ways: Vec<Way<'q>>,
}

struct Checker<'c> {
    questions: &'c Questions<'c>,
    asked: Asked<'c>,
    interrupt: &'c Interrupt,
    /// Answers by text: TRUE where nothing satisfies it.
    answers: BTreeMap<String, bool>,
    /// Questions about slices that came to no answer.
    n_late: usize,
}

impl Checker<'_> {
    /// Checks that start states satisfy the invariant of the head.
    fn start(&mut self, row: &mut Row) -> Result<(), Rejected> {
        let ways: Vec<Way<'_>> = self.questions.parts(self.questions.automaton.cfa.head).iter().map(Way::Breaks).collect();
        // Values at the start do not depend on each other.
        for way in &ways {
            let question = self.questions.at_start(&[way])?;
            self.whole(row, &question, 1)?;
        }
        Ok(())
    }

    /// Checks that no path of a region ends at a sink in one of these ways.
    fn sink(&mut self, row: &mut Row, region: &Region, sink: Sink, ways: Vec<Way<'_>>) -> Result<(), Rejected> {
        let n_ways = ways.len();
        let groups = self.groups(region, sink, ways);
        // A way that no path comes to is excluded without a question.
        row.n_parts += n_ways - groups.iter().map(|group| group.ways.len()).sum::<usize>();
        let mut open: Vec<Way<'_>> = Vec::new();
        for Group { ways, .. } in groups {
            if self.slices(row, region, sink, &ways)? {
                row.n_parts += ways.len();
            } else {
                open.extend(ways);
            }
        }
        if open.is_empty() {
            return Ok(());
        }
        let all: Vec<&Way<'_>> = open.iter().collect();
        match self.questions.question(region, sink, &all, Extent::Whole)? {
            Some(question) => self.whole(row, &question, open.len()),
            None => Ok(()),
        }
    }

    /// Groups ways whose questions read the same variables, or some of them.
    fn groups<'q>(&self, region: &Region, sink: Sink, ways: Vec<Way<'q>>) -> Vec<Group<'q>> {
        let mut known: BTreeMap<BTreeSet<_>, Option<Vars>> = BTreeMap::new();
        let mut with_reads: Vec<(Vars, Way<'q>)> = Vec::new();
        for way in ways {
            let goal = way.reads();
            let reads =
                known.entry(goal).or_insert_with_key(|goal| self.questions.reads(region, sink, goal.clone(), Extent::Narrow));
            with_reads.extend(reads.clone().map(|reads| (reads, way)));
        }
        // The order is stable: ways that read as much stay in their order.
        with_reads.sort_by_key(|(reads, _)| std::cmp::Reverse(reads.len()));
        let mut groups: Vec<Group<'q>> = Vec::new();
        for (reads, way) in with_reads {
            match groups.iter_mut().find(|group| reads.is_subset(&group.reads)) {
                Some(group) => group.ways.push(way),
                None => groups.push(Group { reads, ways: vec![way] }),
            }
        }
        groups
    }

    /// Returns whether a slice excludes these ways.
    fn slices(&mut self, row: &mut Row, region: &Region, sink: Sink, ways: &[Way<'_>]) -> Result<bool, Rejected> {
        let ways: Vec<&Way<'_>> = ways.iter().collect();
        for extent in [Extent::Narrow, Extent::Wide] {
            if MOST_LATE <= self.n_late {
                return Ok(false);
            }
            let Some(question) = self.questions.question(region, sink, &ways, extent)? else { return Ok(true) };
            let time = match self.interrupt.deadline {
                Some(deadline) => (deadline.saturating_duration_since(Instant::now()) / SHARE).min(SMALL),
                None => SMALL,
            };
            match self.ask(row, &question, &self.interrupt.within(time)) {
                SolverAnswer::Holds => return Ok(true),
                SolverAnswer::Fails => {}
                SolverAnswer::Undecided(_) => self.n_late += 1,
            }
        }
        Ok(false)
    }

    /// Checks a question about all paths.
    fn whole(&mut self, row: &mut Row, question: &Question, n_parts: usize) -> Result<(), Rejected> {
        match self.ask(row, question, self.interrupt) {
            SolverAnswer::Holds => row.n_parts += n_parts,
            SolverAnswer::Fails => {
                let script = script(question, &question.named, self.asked);
                let duration_ms = row.duration.as_millis() as u64;
                return Err(Rejected::Refuted(Obligation { name: row.name, text: row.text.to_owned(), script, duration_ms }));
            }
            SolverAnswer::Undecided(why) => return Err(Rejected::Undecided(row.name, why)),
        }
        Ok(())
    }

    /// Asks a question that was not asked before.
    fn ask(&mut self, row: &mut Row, question: &Question, interrupt: &Interrupt) -> SolverAnswer {
        let script = script(question, &question.text, self.asked);
        if let Some(holds) = self.answers.get(&script) {
            if *holds {
                row.scripts.insert(script);
                return SolverAnswer::Holds;
            }
            return SolverAnswer::Fails;
        }
        let begin = Instant::now();
        let answer = self.asked.decide(&script, question.sorts, interrupt);
        row.duration += begin.elapsed();
        match answer {
            SolverAnswer::Holds => {
                row.scripts.insert(script.clone());
                self.answers.insert(script, true);
            }
            SolverAnswer::Fails => {
                self.answers.insert(script, false);
            }
            SolverAnswer::Undecided(_) => {}
        }
        answer
    }
}

fn script(question: &Question, text: &str, asked: Asked<'_>) -> String {
    format!("{}{}{text}(check-sat)\n", asked.options(question.sorts), question.sorts.logic())
}

#[cfg(test)]
mod tests;
