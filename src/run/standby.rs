//! Standby: a worker that reads a program before it has something to certify.
//!
//! An agent works meanwhile, so its claims do not wait for a process and a model.

use std::io;
use std::path::Path;

use super::job::{Job, Task};
use super::process::Conversation;
use super::protocol::Assignment;

/// Worker that reads a program, or has read it and waits. Dropping it ends it.
///
/// Soundness: it is a worker like others, and gets no assignment that is not about the program it has read.
pub struct Standby {
    worker: Conversation,
    job: Job,
}

impl std::fmt::Debug for Standby {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Standby")
    }
}

impl Standby {
    /// Starts a worker that reads the program of a job; `None` if it cannot be started.
    pub fn start(program: &Path, job: &Job) -> Option<Standby> {
        let job = Job { task: Task::Certify(Vec::new()), ..job.clone() };
        let (remaining_ms, (reads_ahead, stays)) = (u64::from(job.limits.wall_s) * 1000, (true, false));
        let assignment = Assignment { job, skip: Vec::new(), only: None, part: 0, cpu_s: None, remaining_ms, reads_ahead, stays };
        let worker = Conversation::start(program, &assignment).ok()?;
        Some(Standby { worker, job: assignment.job })
    }

    /// Returns whether an assignment is about the program that it reads.
    pub(super) fn fits(&self, assignment: &Assignment) -> bool {
        assignment.job.is_understood_like(&self.job)
    }

    /// Gives it an assignment, and returns it as an ordinary worker.
    pub(super) fn assigned(mut self, assignment: &Assignment) -> io::Result<Conversation> {
        self.worker.assign(assignment)?;
        Ok(self.worker)
    }
}
