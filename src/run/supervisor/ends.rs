//! Ends of a run and of its workers.

use crate::report::outcome::Outcome;

/// End of a run. An outcome is complete: requirements without an answer are in it, with the reason.
#[derive(Debug)]
pub enum Ended {
    /// The tool finished, whatever the verdicts.
    Succeeded(Box<Outcome>),
    /// No outcome could be made, or a worker died before the sources were understood.
    Failed {
        /// One sentence.
        reason: String,
        /// A limit of the run was the cause, no defect of the tool.
        at_limit: bool,
    },
    /// Stopped by the user; the results so far.
    Cancelled(Option<Box<Outcome>>),
    /// The wall-clock limit was reached; the results so far.
    TimedOut(Option<Box<Outcome>>),
}

/// End of a run before its outcome is put together.
pub(super) enum RunEnd {
    Done,
    Cancelled,
    Deadline,
    Failed(String),
}

/// End of one worker.
pub(super) enum WorkerEnd {
    Done,
    /// Its requirement was answered elsewhere.
    Answered,
    Cancelled,
    Deadline,
    Died {
        during: Option<String>,
        why: String,
    },
}
