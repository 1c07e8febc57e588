//! Check of obligations in small questions: one for each group of ways in which a course can refute the proof. A question that
//! the slices leave open is asked about all paths. Questions that are the same but for names are asked once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::groups::{Group, groups};
use super::part_set::PartSet;
use super::parts::{Parts, Scope};
use super::questions::{Course, Question, Questions, Way};
use super::region::Region;
use super::script::Sorts;
use super::slice::{Extent, Sink};
use super::solver::{Asked, SolverAnswer};
use super::{Obligation, Rejected};
use kernel::cfa::LocId;
use kernel::smt::Interrupt;

/// Longest time for a question about a slice that is not all paths; and its share of the time that is left.
const SMALL: Duration = Duration::from_secs(10);
const SHARE: u32 = 8;
/// Time that is never shared. A turn may be shorter.
const LEAST: Duration = Duration::from_secs(1);
/// Questions about slices that may come to no answer in their time; after them only whole questions are asked.
const MOST_LATE: usize = 3;

/// Bytes of a question that the solver reads and simplifies in a second; often it is slower.
const BYTES_PER_SECOND: f64 = 1e6;

/// Obligation in the making.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    text: String,
    /// Ways that were excluded.
    pub(super) n_parts: usize,
    /// Questions, each once: the script, and the text with the names of variables.
    scripts: BTreeMap<String, String>,
    pub(crate) sorts: Sorts,
    duration: Duration,
}

impl Row {
    pub(super) fn new(name: &'static str, text: impl Into<String>) -> Row {
        let (scripts, sorts) = Default::default();
        Row { name, text: text.into(), n_parts: 0, scripts, sorts, duration: Duration::ZERO }
    }
    /// Returns its meaning, with the number of questions.
    pub(crate) fn meaning(&self) -> String {
        match (self.n_parts, self.scripts.len()) {
            (_, 0 | 1) => self.text.clone(),
            (n_parts, n) if n == n_parts => format!("{} ({n} parts)", self.text),
            (n_parts, n) => format!("{} ({n_parts} parts, {n} different questions)", self.text),
        }
    }
    /// Returns the texts of its questions, with the names of variables.
    pub(crate) fn questions(&self) -> impl ExactSizeIterator<Item = &str> {
        self.scripts.values().map(String::as_str)
    }
    pub(super) fn obligation(self) -> Obligation {
        let (text, duration_ms) = (self.meaning(), self.duration.as_millis() as u64);
        let script = self.scripts.into_keys().collect::<Vec<_>>().join("(reset)\n");
        Obligation { name: self.name, text, script, duration_ms }
    }
    fn add(&mut self, script: String, question: &Question) {
        self.sorts = self.sorts.and(question.sorts);
        self.scripts.entry(script).or_insert_with(|| question.named.clone());
    }
}

/// A proof that small questions have shown.
pub(crate) struct Divided {
    pub(crate) rows: Vec<Row>,
    /// Parts of its invariants that are a proof by themselves.
    pub(crate) needed: Parts,
}

/// Ways of a group that begin at one sink.
type SinkWays<'g, 'q> = Vec<&'g (Sink, Way<'q>)>;

/// Checker of one proof.
pub(super) struct Checker<'c> {
    pub(super) questions: &'c Questions<'c>,
    asked: Asked<'c>,
    pub(super) interrupt: &'c Interrupt,
    /// TRUE if a question that slices leave open is asked about all paths; otherwise it stays open.
    is_complete: bool,
    /// Parts of invariants that have to be shown.
    needed: Parts,
    /// Parts of these that [`Self::open`] has not returned yet.
    open: Parts,
    /// Answers by text: TRUE where nothing satisfies it.
    answers: BTreeMap<String, bool>,
    /// Questions about slices that came to no answer.
    n_late: usize,
}

impl<'c> Checker<'c> {
    pub(super) fn new(
        questions: &'c Questions<'c>,
        asked: Asked<'c>,
        interrupt: &'c Interrupt,
        is_complete: bool,
        scope: Scope,
    ) -> Checker<'c> {
        let needed = match scope {
            Scope::All => Parts::new(questions.places.clone()),
            Scope::Needed => Parts::default(),
        };
        let open = needed.clone();
        Checker { questions, asked, interrupt, is_complete, needed, open, answers: BTreeMap::new(), n_late: 0 }
    }

    /// Returns the needed parts that it has not returned before; `None` if there are none.
    ///
    /// Soundness: the caller shows each of them at the start and at the end of each step that leads to its place.
    pub(super) fn open(&mut self) -> Option<Parts> {
        let open = std::mem::take(&mut self.open);
        (!open.is_empty()).then_some(open)
    }
    /// Returns the parts that the questions used so far.
    pub(super) fn into_needed(self) -> Parts {
        self.needed
    }

    /// Returns the ways to break these parts. There is none for the word TRUE.
    fn breaks(&self, parts: &PartSet) -> impl Iterator<Item = Way<'c>> {
        let questions = self.questions;
        parts.iter().map(|part| questions.part(part)).filter(|part| !part.is_true()).map(Way::Breaks)
    }

    /// Checks that start states satisfy these parts of the invariant of the head.
    pub(super) fn start(&mut self, row: &mut Row, parts: &Parts) -> Result<(), Rejected> {
        let Some(parts) = parts.at(self.questions.automaton.cfa.head) else { return Ok(()) };
        let ways: Vec<Way<'_>> = self.breaks(parts).collect();
        // Values at the start do not depend on each other.
        for way in &ways {
            let question = self.questions.at_start(&[way])?;
            self.whole(row, &question, 1)?;
        }
        Ok(())
    }

    /// Checks that no path of a course breaks one of these parts of the invariant of the place where it ends.
    pub(super) fn keeps(&mut self, row: &mut Row, course: &Course<'_>, next: LocId, parts: &Parts) -> Result<(), Rejected> {
        let Some(parts) = parts.at(next) else { return Ok(()) };
        let mut asked = Cow::Borrowed(parts);
        if let Some((place, framed)) = self.questions.framed(course, parts) {
            row.n_parts += framed.len();
            self.needed.extend_at(place, &framed, &mut self.open);
            asked = Cow::Owned(parts.without(&framed));
        }
        let ways = self.breaks(&asked).map(|way| (Sink::Place(next), way)).collect();
        self.exclude(row, course, ways)
    }

    /// Checks that no path of a course ends at the error location.
    pub(super) fn is_safe(&mut self, row: &mut Row, course: &Course<'_>) -> Result<(), Rejected> {
        let questions = self.questions;
        let mut ways = Vec::new();
        for (source, edge) in course.regions.last().copied().into_iter().flat_map(Region::errors) {
            let alternatives = questions.effects[edge].alternatives(questions.automaton.pool);
            ways.extend(alternatives.into_iter().map(|parts| (Sink::Inner(source), Way::Takes(edge, parts))));
        }
        self.exclude(row, course, ways)
    }

    /// Checks that no path of a course comes to its end.
    pub(super) fn ends(&mut self, row: &mut Row, course: &Course<'_>) -> Result<(), Rejected> {
        let places = course.regions.last().into_iter().flat_map(|region| region.next_places());
        places.into_iter().try_for_each(|place| self.exclude(row, course, vec![(Sink::Place(*place), Way::Arrives)]))
    }

    /// Checks that no path of a course ends in one of these ways.
    fn exclude(&mut self, row: &mut Row, course: &Course<'_>, ways: Vec<(Sink, Way<'_>)>) -> Result<(), Rejected> {
        let ways = self.not_alone(row, course, ways)?;
        let n_ways = ways.len();
        let groups = groups(self.questions, course, ways, || self.go_on(row))?;
        // A way that no path comes to is excluded without a question.
        row.n_parts += n_ways - groups.iter().map(|group| group.ways.len()).sum::<usize>();
        let mut open: BTreeMap<Sink, SinkWays<'_, '_>> = BTreeMap::new();
        for Group { ways, .. } in &groups {
            let mut sinks: BTreeMap<Sink, SinkWays<'_, '_>> = BTreeMap::new();
            ways.iter().for_each(|way| sinks.entry(way.0).or_default().push(way));
            let sinks: Vec<_> = sinks.into_values().collect();
            let asked_at_once = if self.are_apart(course, &sinks) { 1 } else { sinks.len() };
            for sinks in sinks.chunks(asked_at_once.max(1)) {
                let still_open = self.open_sinks(row, course, sinks)?;
                still_open.into_iter().flatten().for_each(|way| open.entry(way.0).or_default().push(way));
            }
        }
        for ways in open.into_values() {
            if !self.is_complete {
                return Err(Rejected::Undecided(row.name, "slices leave it open".to_owned()));
            }
            if let Some(question) = self.questions.question(course, &ways, Extent::Whole)? {
                self.whole(row, &question, ways.len())?;
            }
        }
        Ok(())
    }

    /// Returns the reason to stop, once the interrupt is raised. Slices of thousands of ways take longer than their questions.
    pub(super) fn go_on(&self, row: &Row) -> Result<(), Rejected> {
        if self.interrupt.is_raised() {
            return Err(Rejected::Stopped(row.name));
        }
        Ok(())
    }

    /// Returns whether the paths to these sinks have little in common: one question for each is about as short as one for all.
    /// Such questions are often the same but for names.
    ///
    /// A few sinks are one question in any case.
    ///
    /// Cost: a slice for all sinks, and for each sink as long as they are short.
    fn are_apart(&self, course: &Course<'_>, sinks: &[SinkWays<'_, '_>]) -> bool {
        const FEW: usize = 3;
        if sinks.len() <= FEW {
            return false;
        }
        let size = |sinks: &[SinkWays<'_, '_>]| {
            let ways: Vec<&(Sink, Way<'_>)> = sinks.iter().flatten().copied().collect();
            self.questions.n_edges(course, &ways)
        };
        let mut left = size(sinks).saturating_mul(3) / 2;
        let fits = |sink| {
            let rest = left.checked_sub(size(std::slice::from_ref(sink)));
            left = rest.unwrap_or_default();
            rest.is_some()
        };
        sinks.iter().all(fits)
    }

    /// Returns the sinks whose ways no slice excludes. Sinks that are open together are divided.
    fn open_sinks<'g, 'q>(
        &mut self,
        row: &mut Row,
        course: &Course<'_>,
        sinks: &[SinkWays<'g, 'q>],
    ) -> Result<Vec<SinkWays<'g, 'q>>, Rejected> {
        self.go_on(row)?;
        let ways: Vec<&(Sink, Way<'_>)> = sinks.iter().flatten().copied().collect();
        if sinks.len() == 1 && self.pieces(row, course, &ways)? {
            row.n_parts += ways.len();
            return Ok(Vec::new());
        }
        if (sinks.len() <= 1 || self.n_late == 0) && self.slices(row, course, &ways)? {
            row.n_parts += ways.len();
            return Ok(Vec::new());
        }
        if sinks.len() <= 1 {
            return Ok(sinks.to_vec());
        }
        let (first, second) = sinks.split_at(sinks.len() / 2);
        let mut open = self.open_sinks(row, course, first)?;
        open.extend(self.open_sinks(row, course, second)?);
        Ok(open)
    }

    /// Returns whether questions about pieces of the last region exclude these ways.
    pub(super) fn pieces(&mut self, row: &mut Row, course: &Course<'_>, ways: &[&(Sink, Way<'_>)]) -> Result<bool, Rejected> {
        let questions = self.questions.of_pieces(course, ways)?;
        for question in &questions {
            self.go_on(row)?;
            match self.ask(row, question, &self.interrupt.within(self.share()))? {
                SolverAnswer::Holds => {}
                SolverAnswer::Fails | SolverAnswer::Undecided(_) => return Ok(false),
            }
        }
        Ok(!questions.is_empty())
    }

    /// Returns the longest time for a question about a slice that is not all paths.
    fn share(&self) -> Duration {
        match self.interrupt.deadline {
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                (left / SHARE).max(LEAST).min(left).min(SMALL)
            }
            None => SMALL,
        }
    }

    /// Returns whether a slice excludes these ways.
    fn slices(&mut self, row: &mut Row, course: &Course<'_>, ways: &[&(Sink, Way<'_>)]) -> Result<bool, Rejected> {
        let mut before = None;
        for extent in [Extent::Narrow, Extent::Wide, Extent::Lone] {
            self.go_on(row)?;
            if MOST_LATE <= self.n_late {
                return Ok(false);
            }
            let Some(question) = self.questions.question(course, ways, extent)? else { return Ok(true) };
            if before.replace(question.text.clone()).is_some_and(|before| before == question.text) {
                continue;
            }
            let time = self.share();
            if self.asked.is_late(&script(&question, &question.text, self.asked), time) {
                self.n_late += 1;
                continue;
            }
            match self.ask(row, &question, &self.interrupt.within(time))? {
                SolverAnswer::Holds => return Ok(true),
                SolverAnswer::Fails => {}
                SolverAnswer::Undecided(_) => self.n_late += 1,
            }
        }
        Ok(false)
    }

    /// Checks a question about all paths.
    fn whole(&mut self, row: &mut Row, question: &Question, n_parts: usize) -> Result<(), Rejected> {
        match self.ask(row, question, self.interrupt)? {
            SolverAnswer::Holds => row.n_parts += n_parts,
            SolverAnswer::Fails => {
                let script = script(question, &question.named, self.asked);
                let duration_ms = row.duration.as_millis() as u64;
                return Err(Rejected::Refuted(Obligation { name: row.name, text: row.text.clone(), script, duration_ms }));
            }
            SolverAnswer::Undecided(why) => return Err(Rejected::Undecided(row.name, why)),
        }
        Ok(())
    }

    /// Asks a question that was not asked before.
    ///
    /// Stops: where the time of the checker is too short for the solver to read it.
    pub(super) fn ask(&mut self, row: &mut Row, question: &Question, interrupt: &Interrupt) -> Result<SolverAnswer, Rejected> {
        let script = script(question, &question.text, self.asked);
        if let Some(holds) = self.answers.get(&script) {
            if *holds {
                self.needed.extend(&question.uses, &mut self.open);
                row.add(script, question);
                return Ok(SolverAnswer::Holds);
            }
            return Ok(SolverAnswer::Fails);
        }
        // The solver cannot be interrupted while it reads. A turn that is too short for that would be lost.
        let reading = Duration::from_secs_f64(script.len() as f64 / BYTES_PER_SECOND);
        let is_known = self.asked.is_known(&script);
        if !is_known && self.interrupt.deadline.is_some_and(|deadline| deadline < Instant::now() + reading) {
            return Err(Rejected::Stopped(row.name));
        }
        let begin = Instant::now();
        let answer = self.asked.decide(&script, question.sorts, interrupt);
        row.duration += begin.elapsed();
        match answer {
            SolverAnswer::Holds => {
                self.needed.extend(&question.uses, &mut self.open);
                row.add(script.clone(), question);
                self.answers.insert(script, true);
            }
            SolverAnswer::Fails => {
                self.answers.insert(script, false);
            }
            SolverAnswer::Undecided(_) => {}
        }
        Ok(answer)
    }
}

fn script(question: &Question, text: &str, asked: Asked<'_>) -> String {
    format!("{}{}{text}(check-sat)\n", asked.options(question.sorts), question.sorts.logic())
}

#[cfg(test)]
mod tests;
