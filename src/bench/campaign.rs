//! Measurements: cases, configurations, and one cell for each run of a case.

use std::fmt;
use std::time::Duration;

use super::configs::Config;
use crate::run::process::Usage;
use answer::VerdictWord;

/// One question: a program with one of its requirements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The program, as it was found: `motor/interlock.st`.
    pub program: String,
    /// The id of the requirement.
    pub requirement: String,
    /// The group of cases that it is compared with.
    pub category: String,
    /// The right answer, if it is known: the requirement holds.
    pub expected: Option<bool>,
}

/// One run of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Position of the case.
    pub case: usize,
    /// Position of the configuration.
    pub config: usize,
    /// From 1.
    pub repetition: u32,
    /// Its end.
    pub status: Status,
    /// Processor time and memory.
    pub usage: Usage,
    /// Time that passed.
    pub wall: Duration,
    /// Reason for no answer.
    pub reason: Option<String>,
    /// Last progress message of the engine: numbers of abstract states and steps.
    pub progress: Option<String>,
    /// Name of the machine, or of the agent that measured it there; empty where nothing ran.
    pub host: String,
    /// Most other runs of the tool on that machine at the same time.
    pub beside: u32,
}

/// End of a run, in the words of BenchExec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// The requirement holds; proved and certified.
    True,
    /// It can be broken; replayed.
    False,
    /// No answer.
    Unknown,
    /// No answer within the time.
    Timeout,
    /// No answer within the memory.
    OutOfMemory,
    /// The case cannot be read, or something is wrong with the tool.
    Error,
}

/// Rating of a status; BenchExec calls it the category of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// The answer that was expected.
    Correct,
    /// The opposite.
    Wrong,
    /// An answer where the right one is not known.
    Missing,
    /// No answer.
    Unknown,
    /// No answer, because of a limit or a mistake.
    Error,
}

/// Everything of one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Campaign {
    /// Title for people: the suite and the sets of configurations.
    pub title: String,
    /// Limits of each run.
    pub limits: Limits,
    /// The cases, in order.
    pub cases: Vec<Case>,
    /// The configurations, in order.
    pub configs: Vec<Config>,
    /// Measurements so far, in any order.
    pub cells: Vec<Cell>,
    /// Agents of a fleet measure; their answers are certified by the machine that makes the tables.
    pub at_agents: bool,
}

/// When a run is ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Time that passes.
    pub wall: Duration,
    /// Processor time, if it is limited.
    pub cpu: Option<Duration>,
    /// Memory that a run may use.
    pub memory_bytes: u64,
    /// Repetitions of each case with each configuration.
    pub repetitions: u32,
}

impl Limits {
    /// Returns the longest time in pictures.
    pub fn longest(&self) -> Duration {
        self.cpu.unwrap_or(self.wall)
    }
}

impl Status {
    /// Returns the status of a result. A limit is known by the words of the reason, which are those of [`crate::run`].
    pub fn of(word: VerdictWord, reason: Option<&str>) -> Status {
        let says = |words: &str| reason.is_some_and(|reason| reason.contains(words));
        match word {
            // A requirement that is never put to the test holds.
            VerdictWord::Holds | VerdictWord::Vacuous => Status::True,
            VerdictWord::Violated => Status::False,
            VerdictWord::Error => Status::Error,
            VerdictWord::Unknown | VerdictWord::HoldsBounded | VerdictWord::NotChecked | VerdictWord::Cancelled => {
                match (says("memory limit"), says("time limit")) {
                    (true, _) => Status::OutOfMemory,
                    (false, true) => Status::Timeout,
                    (false, false) => Status::Unknown,
                }
            }
        }
    }
    /// Returns the answer, if it is one.
    pub fn answer(self) -> Option<bool> {
        match self {
            Status::True => Some(true),
            Status::False => Some(false),
            Status::Unknown | Status::Timeout | Status::OutOfMemory | Status::Error => None,
        }
    }
    /// Returns the rating.
    pub fn standing(self, expected: Option<bool>) -> Standing {
        match (self, self.answer(), expected) {
            (Status::Timeout | Status::OutOfMemory | Status::Error, _, _) => Standing::Error,
            (_, None, _) => Standing::Unknown,
            (_, Some(_), None) => Standing::Missing,
            (_, Some(answer), Some(expected)) if answer == expected => Standing::Correct,
            (_, Some(_), Some(_)) => Standing::Wrong,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::True => "true",
            Status::False => "false",
            Status::Unknown => "unknown",
            Status::Timeout => "TIMEOUT",
            Status::OutOfMemory => "OUT OF MEMORY",
            Status::Error => "ERROR",
        })
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Standing::Correct => "correct",
            Standing::Wrong => "wrong",
            Standing::Missing => "missing",
            Standing::Unknown => "unknown",
            Standing::Error => "error",
        })
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.program, self.requirement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_told_from_other_ends_without_an_answer() {
        use VerdictWord::{Error, Holds, HoldsBounded, NotChecked, Unknown, Vacuous, Violated};
        let check = |word, reason: &str, status| {
            let reason = Some(reason).filter(|reason| !reason.is_empty());
            assert_eq!(Status::of(word, reason), status, "{word:?} {reason:?}");
        };
        check(Holds, "", Status::True);
        check(Vacuous, "`a` can never be true at the end of a cycle", Status::True);
        check(Violated, "", Status::False);
        check(HoldsBounded, "the bound was reached without an answer", Status::Unknown);
        check(NotChecked, "MEMCMP on line 3 is not supported", Status::Unknown);
        check(Unknown, "no engine found an answer that could be certified", Status::Unknown);
        // As the worker says it, and as the supervisor does.
        check(Unknown, "the time limit of 10 s was reached", Status::Timeout);
        check(Unknown, "its share of the time limit was reached: 1.0 s of 2 s", Status::Timeout);
        check(Unknown, "time limit of 10 s for the whole run", Status::Timeout);
        check(Unknown, "processor time limit", Status::Timeout);
        check(Unknown, "memory limit of 1024 MB", Status::OutOfMemory);
        check(Unknown, "the memory limit was reached", Status::OutOfMemory);
        check(Error, "bmc and cegar contradict each other", Status::Error);
    }

    #[test]
    fn a_wrong_answer_is_wrong_and_no_answer_never_is() {
        let check = |status: Status, expected, standing| assert_eq!(status.standing(expected), standing, "{status} {expected:?}");
        check(Status::True, Some(true), Standing::Correct);
        check(Status::False, Some(false), Standing::Correct);
        check(Status::True, Some(false), Standing::Wrong);
        check(Status::False, Some(true), Standing::Wrong);
        check(Status::True, None, Standing::Missing);
        check(Status::Unknown, Some(true), Standing::Unknown);
        check(Status::Timeout, Some(false), Standing::Error);
        check(Status::OutOfMemory, None, Standing::Error);
        check(Status::Error, Some(true), Standing::Error);
    }
}
