//! The figures of the paper about refinement: the minimal set of paths, and where a path is pruned.
//!
//! Source: Hajdu, Micskei, JAR 2020, Figs. 7 and 8.

use std::sync::Arc;

use super::{Explained, Prune, Refiner, Refuted, minimal};
use crate::arg::{Arg, Graph, NodeId};
use crate::domain::{PredPrec, Refutation, StepId};
use crate::refine::{ItpSource, Refinement};
use kernel::cfa::{LocId, Op};
use kernel::context::{Ctx, MakeSolver};
use kernel::expr::Value;
use kernel::smt::{BitBlaster, Interrupt, Solver};
use testgen::automata::examples::Builder;

/// Returns the last node of a chain below `at`, of `n` nodes.
fn chain(arg: &mut Arg<()>, mut at: NodeId, n: usize) -> NodeId {
    for _ in 0..n {
        let step = StepId(arg.n_nodes() as u32);
        at = arg.add_child(at, LocId(0), step, (), 0);
    }
    at
}

/// Returns a refuted path to `end` whose first refined node is `first`.
fn refuted(arg: &Arg<()>, end: NodeId, first: Option<NodeId>) -> Refuted<PredPrec> {
    let refutation = Refutation { itps: None, vars: Vec::new() };
    Refuted { nodes: arg.path(end), locs: Vec::new(), refutation, precs: Vec::new(), first }
}

/// Returns the ends of the paths that are refined.
fn refined(arg: &Arg<()>, paths: &[(NodeId, Option<NodeId>)]) -> Vec<NodeId> {
    let all = paths.iter().map(|&(end, first)| refuted(arg, end, first)).collect();
    minimal(arg, all).iter().filter_map(|path| path.nodes.last().copied()).collect()
}

#[test]
fn fig_7_the_minimal_set_is_the_second_and_the_third_path() {
    let mut arg = Arg::default();
    let root = arg.add_root(LocId(0), StepId(99), (), 0);
    let (r2, r3) = (chain(&mut arg, root, 1), chain(&mut arg, root, 2));
    let (s2, s3) = (chain(&mut arg, r2, 2), chain(&mut arg, r3, 1));
    let (r1, r4) = (chain(&mut arg, r2, 1), chain(&mut arg, r3, 2));
    let (s1, s4) = (chain(&mut arg, r1, 1), chain(&mut arg, r4, 1));
    let all = [(s1, Some(r1)), (s2, Some(r2)), (s3, Some(r3)), (s4, Some(r4))];
    assert_eq!(refined(&arg, &all), [s2, s3]);
    // A node is no proper ancestor of itself.
    assert_eq!(refined(&arg, &[(s1, Some(r2)), (s2, Some(r2))]), [s1, s2]);
    // Without the two above them, both are refined.
    assert_eq!(refined(&arg, &[(s1, Some(r1)), (s4, Some(r4))]), [s1, s4]);
}

#[test]
fn a_path_without_a_refined_node_counts_only_where_no_path_has_one() {
    let mut arg = Arg::default();
    let root = arg.add_root(LocId(0), StepId(99), (), 0);
    let (a, b) = (chain(&mut arg, root, 2), chain(&mut arg, root, 2));
    assert_eq!(refined(&arg, &[(a, None), (b, Some(b))]), [b]);
    assert_eq!(refined(&arg, &[(a, None), (b, None)]), [a, b]);
}

/// Counterexamples of Fig. 8: states s1 … s5, four operations between them.
#[derive(Clone, Copy, Debug)]
enum Fig8 {
    /// The first operation contradicts only the last one.
    A,
    /// The first operation contradicts the second one, the third the fourth.
    B,
}

/// Returns the number of the state at which a refinement has its interpolant: s2 is 2.
fn pruned_at(figure: Fig8, refinement: Refinement) -> usize {
    let mut b = Builder::new();
    let (p, q) = (b.var("p", Value::int(8, 9)), b.var("q", Value::int(8, 9)));
    let zero = b.n(8, 0);
    let (p_bad, q_bad) = (b.is(p, 7), b.is(q, 7));
    let operations = match figure {
        Fig8::A => [Op::Assign(p, zero), Op::Skip, Op::Skip, Op::Assume(p_bad)],
        Fig8::B => [Op::Assign(p, zero), Op::Assume(p_bad), Op::Assign(q, zero), Op::Assume(q_bad)],
    };
    let mut at = b.cfa.head;
    for op in operations {
        at = b.then(at, op);
    }
    let mut cx = Ctx::new(b.pool, Interrupt::default(), &|_| {});
    let graph = Graph::new(&mut cx.pool, &b.cfa);
    let steps = [graph.initial()].into_iter().chain((0..=4).map(|edge| graph.step(StepId(edge)))).collect();
    let solvers: MakeSolver = Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt)) as Box<dyn Solver>));
    let mut refiner = Refiner::new(refinement, ItpSource::Wp, Prune::Lazy, solvers);
    let Explained::Infeasible(Refutation { itps: Some(itps), .. }) = refiner.explain(&mut cx, steps).unwrap() else {
        unreachable!("{figure:?} is infeasible")
    };
    let at: Vec<usize> = (0..itps.len()).filter(|&i| cx.pool.as_const(itps[i]).is_none()).collect();
    assert_eq!(at.len(), 1, "{figure:?} {refinement:?}: {itps:?}");
    // Frames 0 and 1 come before the initial values and before the head.
    at[0] - 1
}

#[test]
fn fig_8_prunes_at_the_same_states_whichever_way_finds_them() {
    for (figure, refinement, state) in [
        (Fig8::A, Refinement::FwBinItp, 4),
        (Fig8::A, Refinement::BwBinItp, 2),
        (Fig8::B, Refinement::FwBinItp, 2),
        (Fig8::B, Refinement::BwBinItp, 4),
        (Fig8::A, Refinement::MinPrune, 2),
        (Fig8::B, Refinement::MinPrune, 2),
        (Fig8::A, Refinement::MaxPrune, 4),
        (Fig8::B, Refinement::MaxPrune, 4),
    ] {
        assert_eq!(pruned_at(figure, refinement), state, "{figure:?} {refinement:?}");
    }
}
