//! Idle workers: they have ended a run, and wait for the next one of the same owner.
//!
//! A process takes as long to start as a short run takes. Only agents keep workers: a service certifies what they say in a process
//! of its own.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::limits::Limits;
use super::process::Conversation;
use super::protocol::Assignment;

/// Time after which a worker that waits is ended.
const MOST_IDLE: Duration = Duration::from_secs(10);

/// Workers that wait. Dropping them ends them.
pub struct IdleWorkers {
    workers: Mutex<Vec<IdleWorker>>,
    /// Most that wait.
    most: usize,
}

struct IdleWorker {
    worker: Conversation,
    limits: Limits,
    owner: String,
    /// It has the lower rank of helpers, for the rest of its life.
    helps: bool,
    since: Instant,
}

/// Workers that may do a run of an owner.
///
/// Soundness: a program that takes over its worker meets no program of another user there.
#[derive(Clone, Copy)]
pub struct OfOwner<'i> {
    all: &'i IdleWorkers,
    owner: &'i str,
    helps: bool,
}

impl std::fmt::Debug for IdleWorkers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "IdleWorkers({})", self.workers().len())
    }
}

impl std::fmt::Debug for OfOwner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OfOwner({})", self.owner)
    }
}

impl IdleWorkers {
    /// Returns a place for so many workers.
    pub fn new(most: usize) -> IdleWorkers {
        IdleWorkers { workers: Mutex::default(), most }
    }

    /// Returns those of an owner, for the first part of a run or for helpers.
    pub fn of<'i>(&'i self, owner: &'i str, helps: bool) -> OfOwner<'i> {
        OfOwner { all: self, owner, helps }
    }

    /// Returns the numbers of their processes.
    pub fn process_ids(&self) -> Vec<u32> {
        self.workers().iter().map(|idle| idle.worker.process.id()).collect()
    }

    /// Ends those that have waited for long.
    pub fn end_old(&self) {
        self.workers().retain(|idle| idle.since.elapsed() < MOST_IDLE);
    }

    fn workers(&self) -> MutexGuard<'_, Vec<IdleWorker>> {
        // The list is whole after every single step, whatever its holder did afterwards.
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OfOwner<'_> {
    /// Returns a worker that has been given the assignment.
    pub(super) fn take(&self, assignment: &Assignment) -> Option<Conversation> {
        let fits = |idle: &IdleWorker| {
            (&idle.limits, idle.owner.as_str(), idle.helps) == (&assignment.job.limits, self.owner, self.helps)
        };
        let mut found = {
            let mut workers = self.all.workers();
            let at = workers.iter().rposition(fits)?;
            workers.remove(at).worker
        };
        found.assign(assignment).ok()?;
        Some(found)
    }

    /// Keeps a worker that has said that it is done.
    pub(super) fn keep(&self, limits: &Limits, worker: Conversation) {
        let (owner, since) = (self.owner.to_owned(), Instant::now());
        let mut workers = self.all.workers();
        if self.all.most <= workers.len() {
            // The oldest: it is the least likely to be asked for.
            workers.remove(0);
        }
        workers.push(IdleWorker { worker, limits: *limits, owner, helps: self.helps, since });
    }
}
