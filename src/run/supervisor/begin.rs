//! Begin of a worker: its assignment, and the process that gets it.

use std::io;
use std::path::Path;
use std::time::Instant;

use super::Run;
use crate::run::part::Part;
use crate::run::process::Conversation;
use crate::run::protocol::Assignment;

impl Run<'_> {
    /// Gives the rest of the run to a worker: to one that has read the program, to one that waits, or to a new one.
    pub(super) fn begin(&mut self, program: &Path) -> io::Result<Conversation> {
        let mut job = self.job.without(self.without_evidence, &self.refuted);
        self.part.iter().filter(|_| !self.without_evidence).for_each(|part| part.inform(&mut job));
        let assignment = Assignment {
            job,
            skip: self.results.iter().map(|r| r.id.clone()).chain(self.part.iter().flat_map(Part::answered)).collect(),
            part: self.part.as_ref().map_or(0, |part| part.number),
            only: self.wanted.only.map(str::to_owned),
            cpu_s: self.wanted.cpu_s,
            remaining_ms: self.deadline.saturating_duration_since(Instant::now()).as_millis() as u64,
            reads_ahead: false,
            stays: self.idle.is_some(),
        };
        let waiting = self.idle.and_then(|idle| idle.take(&assignment));
        self.has_waited = self.standby.is_some() || waiting.is_some();
        match (self.standby.take().filter(|standby| standby.fits(&assignment)), waiting) {
            (Some(standby), _) => standby.assigned(&assignment),
            (None, Some(worker)) => Ok(worker),
            (None, None) => Conversation::start(program, &assignment),
        }
    }
}
