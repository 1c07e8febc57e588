//! Groups of a run that work at one time: while a proof is certified, the others pause.
//!
//! A proof of an engine is nearly always right, so the work of the others would be lost.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kernel::smt::Interrupt;

/// Interval between two looks of a group that pauses.
const LOOK: Duration = Duration::from_millis(1);

/// State of one run.
#[derive(Debug, Default)]
pub(super) struct Floor {
    /// TRUE once no group is needed.
    is_closed: AtomicBool,
    /// Proofs that are being certified.
    n_certified: AtomicUsize,
    /// The flag of each group. It ends the turn of the group.
    flags: Mutex<Vec<Arc<AtomicBool>>>,
}

impl Floor {
    /// Returns the interrupt of a further group.
    pub(super) fn seat(&self, whole: &Interrupt) -> GroupInterrupt<'_> {
        let flag = Arc::new(AtomicBool::new(self.is_closed() || self.is_certifying()));
        self.flags().push(flag.clone());
        GroupInterrupt { floor: self, interrupt: Interrupt { deadline: whole.deadline, cancel: flag } }
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
    floor: &'f Floor,
    /// Raised at the end of the run, and where the turn must end because another group certifies a proof.
    pub(super) interrupt: Interrupt,
}

impl GroupInterrupt<'_> {
    /// Returns whether the run has ended.
    pub(super) fn is_over(&self) -> bool {
        self.floor.is_closed() || self.interrupt.deadline.is_some_and(|deadline| deadline <= Instant::now())
    }

    /// Ends the turns of the other groups, until the result is dropped.
    pub(super) fn certify(&self) -> Certifying<'_> {
        self.floor.n_certified.fetch_add(1, Ordering::SeqCst);
        let flags = self.floor.flags();
        let others = flags.iter().filter(|flag| !Arc::ptr_eq(flag, &self.interrupt.cancel));
        others.for_each(|flag| flag.store(true, Ordering::SeqCst));
        Certifying(self.floor)
    }

    /// Waits until no other group certifies a proof, or the run has ended.
    pub(super) fn pause(&self) {
        while self.interrupt.cancel.load(Ordering::SeqCst) && !self.is_over() {
            if self.floor.is_certifying() {
                std::thread::sleep(LOOK);
                continue;
            }
            self.interrupt.cancel.store(false, Ordering::SeqCst);
            // The run may have ended, or another proof may have come, before the flag was lowered.
            if self.floor.is_closed() || self.floor.is_certifying() {
                self.interrupt.cancel.store(true, Ordering::SeqCst);
            }
        }
    }
}

/// Certification of a proof; the other groups go on when it is dropped.
pub(super) struct Certifying<'f>(&'f Floor);

impl Drop for Certifying<'_> {
    fn drop(&mut self) {
        self.0.n_certified.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_groups_pause_while_a_proof_is_certified() {
        let floor = Floor::default();
        let (a, b) = (floor.seat(&Interrupt::default()), floor.seat(&Interrupt::default()));
        let certifying = a.certify();
        let late = floor.seat(&Interrupt::default());
        assert!(!a.interrupt.is_raised() && b.interrupt.is_raised() && late.interrupt.is_raised());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| b.pause());
            std::thread::sleep(20 * LOOK);
            assert!(!waiting.is_finished());
            drop(certifying);
        });
        late.pause();
        assert!(!b.interrupt.is_raised() && !late.interrupt.is_raised());
        assert!(!b.is_over());
    }

    #[test]
    fn who_pauses_ends_with_the_run() {
        let floor = Floor::default();
        let soon = Interrupt { deadline: Some(Instant::now() + 20 * LOOK), ..Interrupt::default() };
        let (a, b, c) = (floor.seat(&soon), floor.seat(&soon), floor.seat(&Interrupt::default()));
        let _certifying = a.certify();
        // Its deadline comes while the other still certifies.
        b.pause();
        assert!(b.is_over() && !c.is_over());
        floor.close();
        c.pause();
        assert!(c.is_over() && a.interrupt.is_raised() && c.interrupt.is_raised());
    }
}
