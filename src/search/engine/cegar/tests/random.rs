//! Random small automata: the answers of CEGAR against explicit reachability.

use kernel::verdict::{Reason, Verdict};
use proptest::prelude::*;
use testgen::automata::execute::{proves, reachable, replays};
use testgen::automata::random::automaton;

use super::{configurations, run};

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
}
