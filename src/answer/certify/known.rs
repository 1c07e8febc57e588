//! Answers of the solver that are kept while the certification of an answer goes on in turns.
//!
//! A turn that is too short does not begin again: only its last question does.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::script::Sorts;
use super::solver::{Asked, SolverAnswer};
use kernel::smt::Interrupt;

/// Factor between two attempts at one question.
const LONGER: u32 = 4;

/// Answers of cvc5 by the hash of the script.
///
/// Soundness: a script is the whole question, and each was decided by a solver of its own.
#[derive(Debug, Default)]
pub struct KnownAnswers(Mutex<BTreeMap<[u8; 32], KnownAnswer>>);

#[derive(Clone, Copy, Debug)]
enum KnownAnswer {
    Holds,
    Fails,
    /// No answer in this time.
    Late(Duration),
}

impl KnownAnswers {
    /// Decides a script, as [`Asked::decide`] does.
    pub(super) fn decide(&self, script: &str, sorts: Sorts, interrupt: &Interrupt) -> SolverAnswer {
        let key = key(script);
        match self.answers().get(&key) {
            Some(KnownAnswer::Holds) => return SolverAnswer::Holds,
            Some(KnownAnswer::Fails) => return SolverAnswer::Fails,
            Some(KnownAnswer::Late(_)) | None => {}
        }
        let begin = Instant::now();
        let answer = Asked::Cvc5.decide(script, sorts, interrupt);
        let known = match answer {
            SolverAnswer::Holds => KnownAnswer::Holds,
            SolverAnswer::Fails => KnownAnswer::Fails,
            SolverAnswer::Undecided(_) => KnownAnswer::Late(begin.elapsed()),
        };
        self.answers().insert(key, known);
        answer
    }

    /// Returns whether the answer is known.
    pub(super) fn is_known(&self, script: &str) -> bool {
        matches!(self.answers().get(&key(script)), Some(KnownAnswer::Holds | KnownAnswer::Fails))
    }

    /// Returns whether an attempt in this time is not worth it: one that was not much shorter came to no answer.
    pub(super) fn is_late(&self, script: &str, time: Duration) -> bool {
        matches!(self.answers().get(&key(script)), Some(KnownAnswer::Late(before)) if time < before.saturating_mul(LONGER))
    }

    fn answers(&self) -> MutexGuard<'_, BTreeMap<[u8; 32], KnownAnswer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(script: &str) -> [u8; 32] {
    Sha256::digest(script.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: &str = "(set-logic QF_BV)\n(declare-const x (_ BitVec 8))\n(assert (bvult x x))\n(check-sat)\n";
    const ZERO: &str = "(set-logic QF_BV)\n(declare-const x (_ BitVec 8))\n(assert (= x #x00))\n(check-sat)\n";

    #[test]
    fn what_was_answered_is_not_asked_again() {
        let (known, sorts) = (KnownAnswers::default(), Sorts::default());
        let over = Interrupt::default().within(Duration::ZERO);
        assert!(matches!(known.decide(NOTHING, sorts, &over), SolverAnswer::Undecided(_)));
        assert!(matches!(known.decide(NOTHING, sorts, &Interrupt::default()), SolverAnswer::Holds));
        assert!(matches!(known.decide(ZERO, sorts, &Interrupt::default()), SolverAnswer::Fails));
        // The solver has no time now.
        assert!(matches!(known.decide(NOTHING, sorts, &over), SolverAnswer::Holds));
        assert!(matches!(known.decide(ZERO, sorts, &over), SolverAnswer::Fails));
    }

    #[test]
    fn questions_that_came_to_no_answer_wait_for_more_time() {
        let known = KnownAnswers::default();
        let ms = Duration::from_millis;
        assert!(!known.is_late(ZERO, ms(1)));
        known.answers().insert(key(ZERO), KnownAnswer::Late(ms(100)));
        assert!(known.is_late(ZERO, ms(399)) && !known.is_late(ZERO, ms(400)) && !known.is_late(NOTHING, ms(1)));
    }
}
