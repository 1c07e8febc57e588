//! Pauses of the groups of a run: while one certifies a proof, the others wait.
//!
//! A proof of an engine is nearly always right, so the work of the others would be lost.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kernel::smt::Interrupt;

/// Interval between two looks of a group that waits.
const LOOK: Duration = Duration::from_millis(1);

/// Interrupts of all groups of one run.
#[derive(Debug, Default)]
pub(super) struct GroupInterrupts {
    /// TRUE once no group is needed.
    is_closed: AtomicBool,
    /// Proofs that are being certified.
    n_certified: AtomicUsize,
    /// The flag of each group. It ends the turn of the group.
    flags: Mutex<Vec<Arc<AtomicBool>>>,
}

impl GroupInterrupts {
    /// Returns the interrupt of a further group.
    pub(super) fn further(&self, whole: &Interrupt) -> GroupInterrupt<'_> {
        let flag = Arc::new(AtomicBool::new(self.is_closed() || self.is_certifying()));
        self.flags().push(flag.clone());
        GroupInterrupt { all: self, interrupt: Interrupt { deadline: whole.deadline, cancel: flag } }
    }

    /// Returns whether no group is needed.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::SeqCst)
    }

    /// Ends all groups.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        self.flags().iter().for_each(|flag| flag.store(true, Ordering::SeqCst));
    }

    fn is_certifying(&self) -> bool {
        0 < self.n_certified.load(Ordering::SeqCst)
    }

    fn flags(&self) -> MutexGuard<'_, Vec<Arc<AtomicBool>>> {
        self.flags.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Interrupt of one group.
#[derive(Debug)]
pub(super) struct GroupInterrupt<'f> {
    all: &'f GroupInterrupts,
    /// Raised at the end of the run, and where the turn must end because another group certifies a proof.
    pub(super) interrupt: Interrupt,
}

impl GroupInterrupt<'_> {
    /// Returns whether the run has ended.
    pub(super) fn is_over(&self) -> bool {
        self.all.is_closed() || self.interrupt.deadline.is_some_and(|deadline| deadline <= Instant::now())
    }

    /// Ends the turns of the other groups, until the result is dropped.
    pub(super) fn pause_others(&self) -> Pause<'_> {
        self.all.n_certified.fetch_add(1, Ordering::SeqCst);
        let flags = self.all.flags();
        let others = flags.iter().filter(|flag| !Arc::ptr_eq(flag, &self.interrupt.cancel));
        others.for_each(|flag| flag.store(true, Ordering::SeqCst));
        Pause(self.all)
    }

    /// Waits until no other group certifies a proof, or the run has ended.
    pub(super) fn wait(&self) {
        while self.interrupt.cancel.load(Ordering::SeqCst) && !self.is_over() {
            if self.all.is_certifying() {
                std::thread::sleep(LOOK);
                continue;
            }
            self.interrupt.cancel.store(false, Ordering::SeqCst);
            // The run may have ended, or another proof may have come, before the flag was lowered.
            if self.all.is_closed() || self.all.is_certifying() {
                self.interrupt.cancel.store(true, Ordering::SeqCst);
            }
        }
    }
}

/// Pause of the other groups, while one certifies a proof; they go on when it is dropped.
pub(super) struct Pause<'f>(&'f GroupInterrupts);

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        self.0.n_certified.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_groups_wait_while_a_proof_is_certified() {
        let all = GroupInterrupts::default();
        let (a, b) = (all.further(&Interrupt::default()), all.further(&Interrupt::default()));
        let pause = a.pause_others();
        let late = all.further(&Interrupt::default());
        assert!(!a.interrupt.is_raised() && b.interrupt.is_raised() && late.interrupt.is_raised());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| b.wait());
            std::thread::sleep(20 * LOOK);
            assert!(!waiting.is_finished());
            drop(pause);
        });
        late.wait();
        assert!(!b.interrupt.is_raised() && !late.interrupt.is_raised());
        assert!(!b.is_over());
    }

    #[test]
    fn groups_that_wait_end_with_the_run() {
        let all = GroupInterrupts::default();
        let soon = Interrupt { deadline: Some(Instant::now() + 20 * LOOK), ..Interrupt::default() };
        let (a, b, c) = (all.further(&soon), all.further(&soon), all.further(&Interrupt::default()));
        let _pause = a.pause_others();
        // Its deadline comes while the other still certifies.
        b.wait();
        assert!(b.is_over() && !c.is_over());
        all.close();
        c.wait();
        assert!(c.is_over() && a.interrupt.is_raised() && c.interrupt.is_raised());
    }
}
