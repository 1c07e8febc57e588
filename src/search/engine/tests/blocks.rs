//! Adjustable blocks in CEGAR and Impact: every `blk` gives the answer of explicit search; without block ends nothing is proved.

use proptest::prelude::*;

use super::*;
use crate::arg::both_ways;
use kernel::cfa::{Edge, LocKind};
use testgen::automata::execute::{proves, reachable, replays};
use testgen::automata::random::automaton;
use testgen::automata::structured::cycle;

/// Runs an engine with some options on an automaton of single operations.
fn run(name: &str, given: &[(&str, &str)], pool: &ExprPool, cfa: &Cfa) -> Result<Verdict, Stop> {
    let given = options(&[&[("encoding", "ABE")], given].concat());
    let mut engine = configure(ENGINES, name, &given, &solvers()).unwrap();
    let mut cx = Ctx::new(pool.clone(), Interrupt::default(), &|_| {});
    engine.run(&mut cx, cfa)
}

const ENGINES_OF_BLOCKS: [(&str, &[(&str, &str)]); 4] = [
    ("cegar", &[("domain", "PRED_BOOL"), ("prec-granularity", "LOCAL")]),
    ("cegar", &[("domain", "PRED_SPLIT")]),
    ("cegar", &[("domain", "EXPL"), ("maxenum", "0")]),
    ("impact", &[]),
];

/// With one input for all rounds, `x` would have one value, and the error would be missed.
#[test]
fn a_value_that_differs_from_round_to_round_is_found_within_one_block() {
    for kind in [LocKind::Head, LocKind::LoopHead] {
        let both = both_ways(kind);
        for (name, options) in ENGINES_OF_BLOCKS {
            for (bound, is_found) in [("1", false), ("2", true), ("5", true)] {
                let options = [options, &[("blk", "never"), ("loop-bound", bound)]].concat();
                match run(name, &options, &both.pool, &both.cfa) {
                    Ok(Verdict::Unsafe(trace)) => {
                        assert!(is_found, "{kind:?} {options:?}");
                        let n_cycles = if kind == LocKind::Head { 2 } else { 1 };
                        // Impact examines the newest error state first.
                        let is_shortest = trace.cycles.len() == n_cycles;
                        assert!(is_shortest || (name == "impact" && kind == LocKind::Head), "{kind:?} {options:?}: {trace:?}");
                        // A trace has one value for each variable and cycle, not for each round of a loop within a cycle.
                        assert!(replays(&both.pool, &both.cfa, &trace, kind == LocKind::Head), "{kind:?} {options:?}: {trace:?}");
                    }
                    Ok(Verdict::Unknown(Reason::Bound)) => assert!(!is_found, "{kind:?} {options:?}"),
                    other => unreachable!("{kind:?} {options:?}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn blocks_without_ends_prove_nothing() {
    for example in all().into_iter().filter(|example| example.answer == Answer::Safe) {
        for (name, options) in ENGINES_OF_BLOCKS {
            let options = [options, &[("blk", "never"), ("loop-bound", "2")]].concat();
            let verdict = run(name, &options, &example.pool, &example.cfa);
            assert!(matches!(verdict, Ok(Verdict::Unknown(Reason::Bound))), "{}: {verdict:?}", example.name);
        }
    }
}

/// Longest paths to the error location that are looked for.
const FEW: usize = 5;

/// Returns the number of edges of a shortest path to the error location, if it is at most [`FEW`].
fn shortest(pool: &ExprPool, cfa: &Cfa) -> Option<usize> {
    // A copy of each location for each number of edges.
    let copy = |loc: LocId, i: usize| LocId((loc.0 as usize + i * cfa.locs.len()) as u32);
    let locs = (0..=FEW).flat_map(|_| cfa.locs.iter().cloned()).collect();
    let step = |i, edge: &Edge| Edge { source: copy(edge.source, i), target: copy(edge.target, i + 1), ..edge.clone() };
    let edges = (0..FEW).flat_map(|i| cfa.edges.iter().map(move |edge| step(i, edge))).collect();
    let runs = reachable(pool, &Cfa { locs, edges, ..cfa.clone() });
    (0..=FEW).find(|&n| runs.iter().any(|(loc, _)| *loc == copy(cfa.error, n)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_end_of_blocks_gives_the_answer_of_explicit_search(bytes in prop::collection::vec(any::<u8>(), 0..160), has_structure in any::<bool>(), pick in 0usize..4, blk in prop::sample::select(vec!["l", "1", "2", "3", "5"])) {
        let (pool, cfa) = if has_structure { cycle(&bytes) } else { automaton(&bytes) };
        let unsafe_ = reachable(&pool, &cfa).iter().any(|(loc, _)| *loc == cfa.error);
        let (name, options) = ENGINES_OF_BLOCKS[pick];
        let options = [options, &[("blk", blk)]].concat();
        match run(name, &options, &pool, &cfa) {
            Ok(Verdict::Safe(proof)) => {
                prop_assert!(!unsafe_, "{name} {options:?} says safe");
                if let Err(e) = proves(&pool, &cfa, &proof) {
                    return Err(TestCaseError::fail(format!("{name} {options:?}: {e}")));
                }
            }
            Ok(Verdict::Unsafe(trace)) => {
                prop_assert!(unsafe_, "{name} {options:?} says unsafe");
                prop_assert!(replays(&pool, &cfa, &trace, false), "{name} {options:?}: {trace:?}");
            }
            other => prop_assert!(matches!(other, Ok(Verdict::Unknown(Reason::NoProgress))), "{name} {options:?}: {other:?}"),
        }
    }

    #[test]
    fn blocks_without_ends_find_what_is_within_the_bound(bytes in prop::collection::vec(any::<u8>(), 0..160), has_structure in any::<bool>(), pick in 0usize..4) {
        let (pool, cfa) = if has_structure { cycle(&bytes) } else { automaton(&bytes) };
        let shortest = shortest(&pool, &cfa);
        // No loop has more rounds than the path has edges.
        let bound = shortest.unwrap_or(3);
        let (name, options) = ENGINES_OF_BLOCKS[pick];
        let bound_word = bound.to_string();
        let options = [options, &[("blk", "never"), ("loop-bound", bound_word.as_str())]].concat();
        match run(name, &options, &pool, &cfa) {
            Ok(Verdict::Unsafe(trace)) => prop_assert!(replays(&pool, &cfa, &trace, false), "{name} {options:?}: {trace:?}"),
            Ok(Verdict::Unknown(Reason::Bound)) => {
                prop_assert!(shortest.is_none(), "{name} {options:?} misses a violation after {shortest:?} edges");
            }
            other => prop_assert!(false, "{name} {options:?}: {other:?}"),
        }
    }
}
