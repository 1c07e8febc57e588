//! Attempts at the requirements of a subject: each has a share of the time. Unused time is for those without an answer.

use std::time::{Duration, Instant};

use super::claim::ClaimContent;
use super::difficulty::Difficulty;
use super::event::Event;
use super::job::{Earlier, Job};
use super::part::Todo;
use super::protocol::Line;
use super::subject::Subject;
use super::worker::{say, say_result};
use crate::report::effort;
use crate::report::outcome::RequirementResult;
use answer::VerdictWord;
use answer::certificate::StoredEvidence;
use answer::decide::shared::Attempt;
use kernel::context::Progress;
use kernel::smt::Interrupt;

/// Time before the supervisor's kill at which the worker stops by itself, so that its last line gets out.
pub(super) const MARGIN: Duration = Duration::from_millis(300);

/// Decides the requirements of these numbers. Returns the numbers of those that hold.
///
/// Time that one does not use is for those after it. In the end it is for another attempt at those that ran out of time.
pub(super) fn rounds(
    subject: &Subject,
    job: &Job,
    todo: Vec<Todo>,
    started: Instant,
    deadline: Instant,
) -> std::io::Result<Vec<usize>> {
    let (statements, mut hold) = (subject.statements(), Vec::new());
    let mut todo: Vec<(Todo, Option<Before>)> = todo.into_iter().map(|one| (one, None)).collect();
    while !todo.is_empty() {
        let n = todo.len();
        let mut again = Vec::new();
        for (nth, ((i, part), before)) in todo.into_iter().enumerate() {
            let pending = statements[i].pending();
            let begun = Instant::now();
            let mut share = deadline.saturating_duration_since(begun) / (n - nth) as u32;
            if before.is_none() && subject.knows_lemmas() {
                share /= FIRST_OF;
            }
            if let Some(before) = before.as_ref().filter(|before| share < before.worth_it()) {
                say_result(&before.result)?;
                continue;
            }
            say(&Line::Started { requirement: pending.id.clone() })?;
            let attempt = if before.is_none() { Attempt::First } else { Attempt::Again };
            let interrupt = Interrupt { deadline: Some(begun + share), ..Interrupt::default() };
            let time = Share { interrupt, share, attempt, part };
            // The first attempt has shown that the earlier evidence, or that of a claim, does not count.
            let basis = if before.is_none() { Basis::of(job, &pending) } else { Basis::Nothing };
            // A parent that is gone ends the worker at the next result line.
            let progress = |progress: Progress| {
                let _ = say(&Line::Event { event: Event::progress(&pending.id, started, progress) });
            };
            let difficulty = |Difficulty { advice, encodings }| {
                let _ = say(&Line::Difficulty { requirement: pending.id.clone(), advice, encodings });
            };
            let told = Told { progress: &progress, difficulty: &difficulty };
            let mut result = super::decide::result(statements[i], (job, basis), &time, &told);
            if basis.is_refuted_by(&result) {
                say(&Line::Refuted { requirement: pending.id.clone() })?;
            }
            result.reused &= basis.is_of_this_machine(job);
            let took = begun.elapsed();
            let late = result.verdict == VerdictWord::Unknown && share <= took + MARGIN;
            result.duration_ms = took.as_millis() as u64;
            if let Some(Before { result: before, .. }) = &before {
                result.duration_ms += before.duration_ms;
                result.safe_cycles = result.safe_cycles.max(before.safe_cycles.filter(|_| late));
                effort::add(&mut result.spent, if late { &before.spent } else { &[] });
            }
            if result.verdict == VerdictWord::Holds {
                hold.push(i);
            }
            if late {
                say(&Line::Postponed { result: Box::new(result.clone()) })?;
                again.push(((i, part), Some(Before { result, took })));
            } else {
                say_result(&result)?;
            }
        }
        todo = again;
    }
    Ok(hold)
}

/// Basis of an attempt.
#[derive(Clone, Copy)]
pub(super) enum Basis<'j> {
    /// A search.
    Nothing,
    /// Evidence for an earlier version of the program, then a search.
    Earlier(&'j Earlier),
    /// Evidence of another machine, then a search.
    Claimed(&'j StoredEvidence, Option<&'j str>),
    /// Another machine found no answer: there is no search.
    Open(&'j str),
}

impl<'j> Basis<'j> {
    fn of(job: &'j Job, pending: &RequirementResult) -> Basis<'j> {
        match job.claim(&pending.id).map(|claim| &claim.content) {
            Some(ClaimContent::Shown { evidence, engine, .. }) => Basis::Claimed(evidence, engine.as_deref()),
            Some(ClaimContent::Open { reason }) => Basis::Open(reason),
            None => job.earlier(&pending.pattern, &pending.text).map_or(Basis::Nothing, Basis::Earlier),
        }
    }

    /// Returns the evidence, with the name of the engine that found it.
    pub(super) fn evidence(&self) -> Option<(&'j StoredEvidence, Option<&'j str>)> {
        match self {
            Basis::Earlier(earlier) => Some((&earlier.evidence, earlier.engine.as_deref())),
            Basis::Claimed(evidence, engine) => Some((evidence, *engine)),
            Basis::Nothing | Basis::Open(_) => None,
        }
    }

    /// Returns whether a claim was not shown by its evidence.
    fn is_refuted_by(&self, result: &RequirementResult) -> bool {
        matches!(self, Basis::Claimed(..)) && !result.reused && result.verdict != VerdictWord::Vacuous
    }

    /// Returns whether the evidence was found here, for an earlier version of the program.
    fn is_of_this_machine(&self, job: &Job) -> bool {
        match self {
            Basis::Claimed(evidence, _) => job.earlier.iter().any(|earlier| earlier.evidence == **evidence),
            Basis::Nothing | Basis::Earlier(_) | Basis::Open(_) => true,
        }
    }
}

/// Divisor of the first share if other proofs have left lemmas: the retry starts with them.
const FIRST_OF: u32 = 3;

/// Attempt that ran out of its share.
struct Before {
    /// Result of all attempts so far.
    result: RequirementResult,
    /// Time of the last one.
    took: Duration,
}

impl Before {
    /// Returns the time from which on another attempt is worth it: half as much again as the last one had.
    fn worth_it(&self) -> Duration {
        (self.took / 2 * 3).max(Duration::from_secs(1))
    }
}

/// Listeners while a requirement is decided.
pub(super) struct Told<'a> {
    /// Signs of life.
    pub(super) progress: &'a (dyn Fn(Progress) + Sync),
    /// Difficulties of a search that takes long.
    pub(super) difficulty: &'a (dyn Fn(Difficulty) + Sync),
}

/// The time of one requirement.
pub(super) struct Share {
    /// Its end.
    pub(super) interrupt: Interrupt,
    /// Its length at the beginning.
    pub(super) share: Duration,
    /// First attempt or a later one.
    pub(super) attempt: Attempt,
    /// Part of the run whose order the engines have.
    pub(super) part: u32,
}
