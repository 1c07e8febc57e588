//! Block-abstraction memoization against automata of known answer, explicit search, and other engines.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::options::INFO;
use super::{Bam, BamOptions, Counts};
use crate::engine::{Engine, Resumable, Settings};
use kernel::cfa::Cfa;
use kernel::cfa::pass::{Encoding, Reduced, reduce};
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::ExprPool;
use kernel::smt::{BitBlaster, Interrupt, Solver};
use kernel::verdict::{Reason, Verdict};
use proptest::prelude::*;
use testgen::automata::execute::{proves, reachable, replays};
use testgen::automata::random::automaton;

mod agreement;
mod forms;
mod instances;
mod leaky;
mod tree;

fn solvers() -> MakeSolver {
    Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt)) as Box<dyn Solver>))
}

/// Returns the options with these values.
pub(super) fn options(given: &[(&str, &str)]) -> BamOptions {
    let given: BTreeMap<String, String> = given.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    super::options::options(&Settings::new(&INFO, &given).unwrap()).unwrap()
}

/// Returns the engine with these options.
fn engine(given: &[(&str, &str)]) -> Resumable<Bam> {
    Bam::new(options(given), solvers())
}

/// Returns the answer with the numbers of the run.
fn run(given: &[(&str, &str)], pool: &ExprPool, cfa: &Cfa) -> (Result<Verdict, Stop>, Counts, Resumable<Bam>) {
    let mut cx = Ctx::new(pool.clone(), Interrupt::default(), &|_| {});
    let mut engine = engine(given);
    let answer = engine.run(&mut cx, cfa);
    (answer, engine.counts(), engine)
}

/// Returns the automaton that the engine is given.
fn with_calls(pool: &ExprPool, cfa: &Cfa) -> Reduced {
    reduce(pool, cfa, Encoding::LbeWithCalls)
}

/// Configurations, each with whether it must decide every finite program.
const CONFIGURATIONS: [(&[(&str, &str)], bool); 12] = [
    (&[], true),
    (&[("cache", "off")], true),
    (&[("reduce", "identity"), ("blocks", "calls")], true),
    (&[("pred-split", "WHOLE")], true),
    (&[("domain", "EXPL")], true),
    (&[("domain", "EXPL"), ("maxenum", "1*")], false),
    (&[("domain", "PRED_CART")], false),
    (&[("domain", "PRED_SPLIT"), ("cache", "off")], true),
    (&[("domain", "EXPL_PRED_BOOL")], true),
    (&[("domain", "EXPL_PRED_CART"), ("maxenum", "5")], false),
    (&[("itp", "tree")], true),
    (&[("itp", "tree"), ("domain", "EXPL")], true),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_configuration_disagrees_with_explicit_search(bytes in prop::collection::vec(any::<u8>(), 0..160), first in 0..5_usize) {
        let (pool, cfa) = automaton(&bytes);
        let unsafe_ = reachable(&pool, &cfa).iter().any(|(loc, _)| *loc == cfa.error);
        for (given, decides) in CONFIGURATIONS.iter().skip(first).step_by(5) {
            match run(given, &pool, &cfa).0 {
                Ok(Verdict::Safe(proof)) => {
                    prop_assert!(!unsafe_, "{given:?} says safe");
                    if let Err(e) = proves(&pool, &cfa, &proof) {
                        return Err(TestCaseError::fail(format!("{given:?}: {e}")));
                    }
                }
                Ok(Verdict::Unsafe(trace)) => {
                    prop_assert!(unsafe_, "{given:?} says unsafe");
                    prop_assert!(replays(&pool, &cfa, &trace, false), "{given:?}: {trace:?}");
                }
                Ok(Verdict::Unknown(reason)) => prop_assert!(!decides && reason == Reason::NoProgress, "{given:?}: {reason:?}"),
                Err(stop) => return Err(TestCaseError::fail(format!("{given:?}: {stop:?}"))),
            }
        }
    }
}
