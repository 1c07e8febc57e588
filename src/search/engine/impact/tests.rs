//! Impact against automata of known answer and against explicit search.

use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::cover::Unwound;
use super::{Impact, ImpactOptions, Unwinding};
use crate::arg::{Mark, NodeId, Search};
use crate::domain::Domain;
use crate::engine::Engine;
use crate::engine::configurations::ForcedCovering;
use crate::refine::ItpSource;
use answer::certify::check_proof;
use kernel::cfa::pass::{Encoding, reduce};
use kernel::cfa::{Cfa, LocKind, Op};
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprPool, Value};
use kernel::smt::{BitBlaster, Interrupt, Solver};
use kernel::verdict::lift_proof;
use kernel::verdict::{Reason, Verdict};
use testgen::automata::examples::{self, Answer, Builder};
use testgen::automata::execute::{proves, reachable, replays};
use testgen::automata::random::automaton;

fn configurations() -> Vec<ImpactOptions> {
    let mut all = Vec::new();
    for (i, search) in [Search::BFS, Search::DFS, Search::ERR, Search::DFS_ERR].into_iter().enumerate() {
        for (j, forced_covering) in [ForcedCovering::On, ForcedCovering::Off].into_iter().enumerate() {
            all.push(ImpactOptions {
                blk: None,
                search,
                forced_covering,
                itp_source: [ItpSource::Wp, ItpSource::Sp][(i + j) % 2],
            });
        }
    }
    all
}

fn solvers() -> MakeSolver {
    Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt)) as Box<dyn Solver>))
}

/// Runs in slices of time, as the portfolio does. `None` if it did not end soon.
fn run(options: ImpactOptions, pool: &ExprPool, cfa: &Cfa) -> Option<Verdict> {
    let mut engine = Impact::new(options, solvers());
    let mut cx = Ctx::new(pool.clone(), Interrupt::default(), &|_| {});
    let begin = Instant::now();
    let mut slice = Duration::from_millis(20);
    while begin.elapsed() < Duration::from_secs(20) {
        cx.interrupt.deadline = Some(Instant::now() + slice);
        slice *= 2;
        match engine.run(&mut cx, cfa) {
            Ok(verdict) => return Some(verdict),
            Err(Stop::Reason(Reason::Cancelled)) => {}
            Err(stop) => unreachable!("{stop:?}"),
        }
    }
    None
}

#[test]
fn examples_get_their_known_answer() {
    for (i, example) in examples::all().into_iter().enumerate() {
        for (j, options) in configurations().into_iter().enumerate() {
            let encoding = [Encoding::Lbe, Encoding::LbeWithCalls, Encoding::Sbe][(i + j) % 3];
            let case = format!("{} {:?} {options:?} {encoding:?}", example.name, example.answer);
            let reduced = reduce(&example.pool, &example.cfa, encoding);
            match (run(options, &reduced.pool, &reduced.cfa), example.answer) {
                (Some(Verdict::Safe(proof)), Answer::Safe) => {
                    let proof = lift_proof(&reduced.lift, proof);
                    if let Err(e) = check_proof(&example.pool, &example.cfa, &proof, &Interrupt::default()) {
                        unreachable!("{case}: {e:?}");
                    }
                }
                (Some(Verdict::Unsafe(trace)), Answer::Unsafe(shortest)) => {
                    assert!(shortest <= trace.cycles.len(), "{case}: {trace:?}");
                    assert!(replays(&reduced.pool, &reduced.cfa, &trace, true), "{case}: {trace:?}");
                }
                // Depth first may follow a loop for long.
                (None, _) if options.search.depth < 0 => {}
                (verdict, _) => unreachable!("{case}: {verdict:?}"),
            }
        }
    }
}

#[test]
fn forced_covering_tries_every_older_node() {
    const WAYS: i128 = 12;
    // Each way to one location gives x another value; the last way gives it the value of the first.
    let mut b = Builder::new();
    let (x, y) = (b.var("x", Value::int(8, 0)), b.var("y", Value::int(8, 0)));
    let join = b.loc(LocKind::Inner);
    for value in (1..=WAYS).chain([1]) {
        let (value, zero) = (b.n(8, value), b.n(8, 0));
        let way = b.then(b.cfa.head, Op::Assign(y, zero));
        b.edge(way, join, Op::Assign(x, value));
    }
    let bad = b.is(x, 100);
    b.edge(join, b.cfa.error, Op::Assume(bad));
    let values: Vec<_> = (1..=WAYS).map(|value| b.is(x, value)).collect();
    let options =
        ImpactOptions { blk: None, search: Search::BFS, forced_covering: ForcedCovering::On, itp_source: ItpSource::Wp };
    let mut cx = Ctx::new(b.pool, Interrupt::default(), &|_| {});
    let mut unwinding = Unwinding::new(&mut cx, &b.cfa, options, &solvers());
    let (init, initial, top) = (b.cfa.init, unwinding.graph.initial().id, unwinding.domain.top());
    let mut level = vec![unwinding.arg.add_root(init, initial, top.clone(), 0)];
    for _ in 0..3 {
        let Unwinding { graph, arg, .. } = &mut unwinding;
        for &id in &level {
            for &(step, target) in graph.unfold(&mut cx, arg.node(id).loc).unwrap().iter() {
                arg.add_child(id, target, step, top.clone(), 0);
            }
            arg.expand(id);
        }
        level = level.iter().flat_map(|&id| arg.children(id)).copied().collect();
    }
    let Unwinding { graph, domain, arg, labels, .. } = &mut unwinding;
    for (i, (&node, &value)) in level.iter().zip(&values).enumerate() {
        let older: Vec<NodeId> = level[..i].iter().rev().copied().collect();
        let is_closed = labels.force(&mut cx, &mut Unwound { graph, domain, arg }, node, &older).unwrap();
        assert!(!is_closed, "no older node has this value");
        labels.strengthen(&mut cx, domain, arg, &[node], &[value]);
    }
    let (&last, older) = level.split_last().unwrap();
    let older: Vec<NodeId> = older.iter().rev().copied().collect();
    assert!(labels.force(&mut cx, &mut Unwound { graph, domain, arg }, last, &older).unwrap());
    assert_eq!(arg.node(last).mark, Mark::Covered(level[0]));
    // The label of the covered node was TRUE and now says why.
    assert_ne!(arg.node(last).state, top);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_automata_get_the_answer_of_explicit_search(bytes in prop::collection::vec(any::<u8>(), 0..160), pick in 0usize..8) {
        let (pool, cfa) = automaton(&bytes);
        let unsafe_ = reachable(&pool, &cfa).iter().any(|(loc, _)| *loc == cfa.error);
        let options = configurations()[pick];
        match run(options, &pool, &cfa) {
            Some(Verdict::Safe(proof)) => {
                prop_assert!(!unsafe_, "{options:?} says safe");
                if let Err(e) = proves(&pool, &cfa, &proof) {
                    return Err(TestCaseError::fail(format!("{options:?}: {e}")));
                }
            }
            Some(Verdict::Unsafe(trace)) => {
                prop_assert!(unsafe_, "{options:?} says unsafe");
                prop_assert!(replays(&pool, &cfa, &trace, false), "{options:?}: {trace:?}");
            }
            Some(Verdict::Unknown(reason)) => prop_assert!(reason == Reason::NoProgress, "{options:?}: {reason:?}"),
            None => {}
        }
    }
}
