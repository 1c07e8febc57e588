//! The lines between parent and child. A line counts only if its checksum fits: half a line from a worker that was
//! killed is never an answer.

use answer::certificate::sha256;
use serde::{Deserialize, Serialize};

use super::event::Event;
use super::job::Job;
use crate::report::advice::Advice;
use crate::report::effort::LineEncoding;
use crate::report::outcome::{Outcome, RequirementResult};
use crate::report::sensitivity::Sensitivity;

/// A line longer than this is not ours.
pub const MAX_LINE_BYTES: u64 = 256 << 20;

/// Message of the parent to the worker, as one line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Assignment {
    /// The job.
    pub job: Job,
    /// Ids of requirements that are decided already (or that ended an earlier worker): leave them out.
    pub skip: Vec<String>,
    /// The only requirement that is wanted, if not all of them are.
    #[serde(default)]
    pub only: Option<String>,
    /// Part of a run that several machines do: the order in which it goes through requirements and engines.
    #[serde(default)]
    pub part: u32,
    /// Seconds of processor time, if they are limited.
    #[serde(default)]
    pub cpu_s: Option<u32>,
    /// Milliseconds that are left of the job's wall-clock time.
    pub remaining_ms: u64,
    /// The worker only reads the program now. The next line is its assignment, about the same program.
    #[serde(default)]
    pub reads_ahead: bool,
    /// The worker waits for another assignment behind its end, with the same limits and the same rank.
    #[serde(default)]
    pub stays: bool,
}

/// Message of the worker, one per line.
#[derive(Clone, Debug, Serialize, Deserialize)]
// Without a tag inside: serde would keep a copy of each message.
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The sources are read: the outcome without results, and the requirements to come.
    Understood {
        /// With empty `results`.
        outcome: Box<Outcome>,
        /// Every requirement in order, with the verdict `unknown`, for the case that no answer follows.
        pending: Vec<RequirementResult>,
    },
    /// The worker turns to a requirement.
    Started {
        /// Its id.
        requirement: String,
    },
    /// Progress.
    Event {
        /// The event.
        event: Event,
    },
    /// A requirement is done.
    Result {
        /// Its result.
        result: Box<RequirementResult>,
    },
    /// There is no answer in this requirement's share of the time; it is tried again when the others are done.
    Postponed {
        /// The result so far.
        result: Box<RequirementResult>,
    },
    /// The evidence of a claim does not show it; the requirement is decided anew.
    Refuted {
        /// Its id.
        requirement: String,
    },
    /// Difficulties of the requirement that the worker is at.
    Difficulty {
        /// Its id.
        requirement: String,
        /// Steps to take.
        advice: Vec<Advice>,
        /// Lines with the largest encodings.
        encodings: Vec<LineEncoding>,
    },
    /// Changes of the program that an answered requirement notices.
    Sensitivity {
        /// Its id.
        requirement: String,
        /// The result.
        sensitivity: Box<Sensitivity>,
    },
    /// The model that was asked for.
    Model {
        /// Its text, or one sentence why there is none.
        written: Result<String, String>,
    },
    /// Everything is done; nothing follows.
    Done,
}

/// Returns `checksum json`, without the newline.
pub fn encode<T: Serialize>(message: &T) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string(message)?;
    Ok(format!("{} {json}", checksum(&json)))
}

/// Returns the message of a line, if it is complete and unharmed.
pub fn decode<T: for<'d> Deserialize<'d>>(line: &str) -> Option<T> {
    let (sum, json) = line.trim_end().split_once(' ')?;
    if sum != checksum(json) {
        return None;
    }
    serde_json::from_str(json).ok()
}

fn checksum(json: &str) -> String {
    sha256(json)[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_or_changed_is_no_message() {
        let line = encode(&Line::Started { requirement: "R1".into() }).unwrap();
        assert!(matches!(decode::<Line>(&line), Some(Line::Started { requirement }) if requirement == "R1"));
        for end in 0..line.len() {
            assert!(decode::<Line>(&line[..end]).is_none(), "cut at {end}");
        }
        assert!(decode::<Line>(&line.replace("R1", "R2")).is_none());
        assert!(decode::<Line>("panicked at somewhere").is_none());
    }
}
