//! Random small automata: the answers of CEGAR against explicit reachability.

use std::time::{Duration, Instant};

use kernel::context::{Ctx, Stop};
use kernel::smt::Interrupt;
use kernel::verdict::{Reason, Verdict};
use proptest::prelude::*;
use testgen::automata::execute::{proves, reachable, replays};
use testgen::automata::random::automaton;

use super::{Cegar, configurations, run, solvers};
use crate::engine::Engine;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn no_configuration_disagrees_with_explicit_search(bytes in prop::collection::vec(any::<u8>(), 0..160), pick in any::<prop::sample::Index>()) {
        let (pool, cfa) = automaton(&bytes);
        let unsafe_ = reachable(&pool, &cfa).iter().any(|(loc, _)| *loc == cfa.error);
        let all = configurations();
        let n = all.len();
        let first = pick.index(n);
        // A few configurations for each automaton; over all cases, each configuration has its turn.
        for (i, (name, (options, decides))) in all.into_iter().enumerate() {
            if !((i + n - first) % n).is_multiple_of(29) {
                continue;
            }
            match run(options, &pool, &cfa) {
                Ok(Verdict::Safe(proof)) => {
                    prop_assert!(!unsafe_, "{name} says safe");
                    if let Err(e) = proves(&pool, &cfa, &proof) {
                        return Err(TestCaseError::fail(format!("{name}: {e}")));
                    }
                }
                Ok(Verdict::Unsafe(trace)) => {
                    prop_assert!(unsafe_, "{name} says unsafe");
                    prop_assert!(replays(&pool, &cfa, &trace, false), "{name}: {trace:?}");
                }
                Ok(Verdict::Unknown(reason)) => prop_assert!(!decides && reason == Reason::NoProgress, "{name}: {reason:?}"),
                Err(stop) => return Err(TestCaseError::fail(format!("{name}: {stop:?}"))),
            }
        }
    }

    #[test]
    fn a_run_that_is_stopped_anywhere_goes_on_to_the_same_answer(bytes in prop::collection::vec(any::<u8>(), 0..160), pick in any::<prop::sample::Index>()) {
        let (pool, cfa) = automaton(&bytes);
        let unsafe_ = reachable(&pool, &cfa).iter().any(|(loc, _)| *loc == cfa.error);
        let all = configurations();
        let (name, (options, _)) = all.iter().nth(pick.index(all.len())).unwrap();
        let mut cx = Ctx::new(pool.clone(), Interrupt::default(), &|_| {});
        let mut engine = Cegar::new(*options, solvers());
        let mut slice = Duration::from_micros(5);
        let verdict = loop {
            // The slice grows by a third, so that the run is stopped in many places and ends at last.
            cx.interrupt.deadline = Some(Instant::now() + slice);
            slice = slice * 4 / 3;
            match engine.run(&mut cx, &cfa) {
                Err(Stop::Reason(Reason::Cancelled)) => {}
                answer => break answer.unwrap(),
            }
        };
        match verdict {
            Verdict::Safe(proof) => {
                prop_assert!(!unsafe_, "{name} says safe");
                prop_assert!(proves(&pool, &cfa, &proof).is_ok(), "{name}");
            }
            Verdict::Unsafe(trace) => prop_assert!(replays(&pool, &cfa, &trace, false), "{name}: {trace:?}"),
            Verdict::Unknown(reason) => prop_assert_eq!(reason, Reason::NoProgress, "{}", name),
        }
    }
}
