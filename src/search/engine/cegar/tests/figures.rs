//! The examples of the paper: each strategy does as its figures show.
//!
//! Source: Hajdu, Micskei, JAR 2020, Figs. 1 and 3 to 7. Fig. 8 is tested in `refine/refiner/tests.rs`.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use super::{Cegar, CegarOptions, DOMAINS, InitPrec, Tracked, named, solvers, up_to};
use crate::arg::{Arg, Graph, Search};
use crate::domain::{Domain, Expl, ExplPrec, MaxEnum, Pred, PredKind, PredPrec, Split};
use crate::engine::Engine;
use crate::engine::cegar::Iteration;
use crate::engine::cegar::abstractor::{Cpa, FixedStates, StopAt, explore};
use crate::refine::{Granularity, LocPrec, Refinement};
use kernel::cfa::{Cfa, LocId, LocKind, Op};
use kernel::context::Ctx;
use kernel::expr::{BvCmp, ExprId, ExprPool, Value};
use kernel::smt::Interrupt;
use kernel::verdict::{Reason, Verdict};
use testgen::automata::examples::{Answer, Builder, Example};

fn run(options: CegarOptions, example: &Example) -> (Verdict, Vec<Iteration>) {
    let mut cx = Ctx::new(example.pool.clone(), Interrupt::default(), &|_| {});
    let mut engine = Cegar::new(options, solvers());
    let verdict = engine.run(&mut cx, &example.cfa).unwrap();
    (verdict, engine.timeline().to_vec())
}

fn example(name: &'static str, b: Builder, answer: Answer) -> Example {
    Example { name, pool: b.pool, cfa: b.cfa, answer }
}

/// Returns Fig. 4: an arbitrary `x`, one assumption, and `x = 0` is an error.
fn fig4(left: bool) -> Example {
    let mut b = Builder::new();
    let x = b.var("x", Value::int(16, 0));
    let l = b.then(b.cfa.head, Op::Havoc(x));
    let zero = b.is(x, 0);
    let nonzero = b.pool.not(zero);
    let (above, below) = (b.less(x, 1), b.less(x, 5));
    let above = b.pool.not(above);
    let between = b.pool.and(above, below);
    let l = b.then(l, Op::Assume(if left { between } else { nonzero }));
    b.close(l, zero);
    example("fig. 4", b, Answer::Safe)
}

#[test]
fn enumeration_decides_fig_4_if_and_only_if_the_limit_allows_all_values() {
    for (left, max_enum, decided) in [
        (true, MaxEnum::NoSolver, false),
        (true, up_to(1), false),
        (true, up_to(3), false),
        (true, up_to(4), true),
        (true, up_to(5), true),
        (true, MaxEnum::Unlimited, true),
        (false, MaxEnum::NoSolver, false),
        (false, up_to(5), false),
        (false, up_to(50), false),
        (true, MaxEnum::Auto, true),
        (false, MaxEnum::Auto, false),
    ] {
        let options = CegarOptions { max_enum, ..CegarOptions::default() };
        match run(options, &fig4(left)).0 {
            Verdict::Safe(_) => assert!(decided, "{left} {max_enum:?}"),
            Verdict::Unknown(Reason::NoProgress) => assert!(!decided, "{left} {max_enum:?}"),
            other @ (Verdict::Unsafe(_) | Verdict::Unknown(_)) => unreachable!("{left} {max_enum:?}: {other:?}"),
        }
    }
    // Predicates need no values, and help them in a product.
    for left in [true, false] {
        for domain in DOMAINS.iter().filter(|domain| domain.tracks(Tracked::Predicates)) {
            let options = CegarOptions { domain, max_enum: MaxEnum::NoSolver, ..CegarOptions::default() };
            let (verdict, _) = run(options, &fig4(left));
            assert!(matches!(verdict, Verdict::Safe(_)), "{domain:?}: {verdict:?}");
        }
    }
}

/// Returns the nodes that the first exploration made under all values of all variables.
fn explored(search: Search, example: &Example) -> usize {
    let options = CegarOptions { search, init_prec: InitPrec::AllVars, ..CegarOptions::default() };
    let (verdict, iterations) = run(options, example);
    assert!(matches!(verdict, Verdict::Unsafe(_)), "{search:?}: {verdict:?}");
    iterations[0].n_nodes
}

/// Returns Fig. 5a: diamonds one after another, all feasible and all different, then the error.
fn fig5a(n: u32) -> Example {
    let mut b = Builder::new();
    let x = b.var("x", Value::int(16, 0));
    let mut l = b.cfa.head;
    for i in 0..n {
        let (join, more) = (b.loc(LocKind::Inner), b.plus(x, 1 << i));
        let (left, right) = (b.then(l, Op::Assign(x, more)), b.then(l, Op::Skip));
        b.edge(left, join, Op::Skip);
        b.edge(right, join, Op::Skip);
        l = join;
    }
    let reads_it = b.less(x, 30_000);
    b.edge(l, b.cfa.error, Op::Assume(reads_it));
    example("fig. 5a", b, Answer::Unsafe(1))
}

#[test]
fn fig_5a_explodes_breadth_first_and_only_there() {
    let nodes = |search, n| explored(search, &fig5a(n));
    for search in [Search::DFS, Search::ERR, Search::DFS_ERR] {
        assert!(nodes(search, 10) <= 3 + 3 * 10 + 1, "{search:?}: {}", nodes(search, 10));
    }
    assert!(1 << 8 < nodes(Search::BFS, 8));
    assert!(1 << 10 < nodes(Search::BFS, 10));
}

/// Returns Fig. 5b: a loop `l1 → l2 → l1` that can be unfolded often. From l1 an infeasible shortcut leads to the error location,
/// from the start a longer way.
fn fig5b() -> Example {
    let mut b = Builder::new();
    let x = b.var("x", Value::int(10, 0));
    let never = b.is(x, -1);
    let more = b.plus(x, 1);
    // Below -1, so that the shortcut stays closed: the counter stops before it.
    let low = b.less(x, 500);
    let l1 = b.loc(LocKind::LoopHead);
    let mut way = b.cfa.head;
    for _ in 0..6 {
        way = b.then(way, Op::Skip);
    }
    b.edge(way, b.cfa.error, Op::Skip);
    b.edge(b.cfa.head, l1, Op::Skip);
    let l2 = b.then(l1, Op::Assume(low));
    b.edge(l2, l1, Op::Assign(x, more));
    let l6 = b.then(l1, Op::Assume(never));
    b.edge(l6, b.cfa.error, Op::Skip);
    example("fig. 5b", b, Answer::Unsafe(1))
}

#[test]
fn fig_5b_traps_depth_and_distance_alone_and_not_their_sum() {
    let nodes = |search| explored(search, &fig5b());
    for search in [Search::DFS, Search::ERR] {
        assert!(500 < nodes(search), "{search:?}: {}", nodes(search));
    }
    for search in [Search::BFS, Search::ERR_DFS, Search::DFS_ERR] {
        assert!(nodes(search) < 50, "{search:?}: {}", nodes(search));
    }
}

/// Returns Fig. 6: the assignment of the first step contradicts only the guard of the fourth.
fn fig6() -> Example {
    let mut b = Builder::new();
    let x = b.var("x", Value::int(8, 9));
    let zero = b.n(8, 0);
    let mut l = b.then(b.cfa.head, Op::Assign(x, zero));
    for _ in 0..2 {
        l = b.then(l, Op::Skip);
    }
    let fine = b.less(x, 6);
    let bad: ExprId = b.pool.not(fine);
    b.edge(l, b.cfa.error, Op::Assume(bad));
    example("fig. 6", b, Answer::Safe)
}

#[test]
fn fig_6_takes_one_backward_interpolant_and_one_forward_interpolant_for_each_step() {
    let domain = named("PRED_SPLIT");
    let refinements = |refinement, prec_granularity| {
        let options = CegarOptions { domain, refinement, prec_granularity, ..CegarOptions::default() };
        let (verdict, iterations) = run(options, &fig6());
        assert!(matches!(verdict, Verdict::Safe(_)), "{refinement:?}: {verdict:?}");
        iterations.len() - 1
    };
    assert_eq!(refinements(Refinement::BwBinItp, Granularity::Global), 1);
    assert_eq!(refinements(Refinement::SeqItp, Granularity::Global), 1);
    assert_eq!(refinements(Refinement::FwBinItp, Granularity::Global), 3);
    // The forward one prunes nearest to the error, the backward one nearest to the start.
    assert_eq!(refinements(Refinement::MaxPrune, Granularity::Global), 3);
    assert_eq!(refinements(Refinement::MinPrune, Granularity::Global), 1);
    assert_eq!(refinements(Refinement::SeqItp, Granularity::Local), 1);
}

/// Returns Fig. 7: counterexamples with common prefixes and different inputs; each needs a predicate of its own.
fn fig7() -> Example {
    let mut b = Builder::new();
    let (p, q) = (b.var("p", Value::int(8, 0)), b.var("q", Value::int(8, 0)));
    let (p_bad, q_bad) = (b.is(p, 7), b.is(q, 7));
    let (left, right) = (b.then(b.cfa.head, Op::Skip), b.then(b.cfa.head, Op::Skip));
    for (side, first, second) in [(left, p_bad, q_bad), (right, q_bad, p_bad)] {
        for bad in [first, second] {
            let end: LocId = b.then(side, Op::Skip);
            b.edge(end, b.cfa.error, Op::Assume(bad));
        }
    }
    example("fig. 7", b, Answer::Safe)
}

#[test]
fn fig_7_is_refined_at_once_for_all_counterexamples() {
    let run_with = |refinement| {
        let options = CegarOptions { domain: named("PRED_BOOL"), refinement, ..CegarOptions::default() };
        let (verdict, iterations) = run(options, &fig7());
        assert!(matches!(verdict, Verdict::Safe(_)), "{refinement:?}: {verdict:?}");
        iterations
    };
    let many = run_with(Refinement::MultiSeq);
    assert_eq!(many[0].n_counterexamples, 4);
    assert_eq!(many.len(), 2);
    let one = run_with(Refinement::SeqItp);
    assert_eq!(one[0].n_counterexamples, 1);
    assert!(many.len() < one.len());
}

/// Returns Fig. 7 with two pairs of counterexamples: the first refined state of one is an ancestor of the other's.
fn fig7_in_pairs() -> Example {
    let mut b = Builder::new();
    let zero = b.n(8, 0);
    for side in ["left", "right"] {
        let (first, second) = (b.var(&format!("{side} 1"), Value::int(8, 9)), b.var(&format!("{side} 2"), Value::int(8, 9)));
        let (first_bad, second_bad) = (b.is(first, 7), b.is(second, 7));
        let above = b.then(b.cfa.head, Op::Assign(first, zero));
        let below = b.then(above, Op::Assign(second, zero));
        b.edge(above, b.cfa.error, Op::Assume(first_bad));
        b.edge(below, b.cfa.error, Op::Assume(second_bad));
    }
    example("fig. 7 in pairs", b, Answer::Safe)
}

#[test]
fn fig_7_skips_a_path_below_one_that_is_refined() {
    let options = CegarOptions { domain: named("PRED_BOOL"), refinement: Refinement::MultiSeq, ..CegarOptions::default() };
    let (verdict, iterations) = run(options, &fig7_in_pairs());
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    let counts: Vec<_> = iterations.iter().map(|i| (i.n_counterexamples, i.n_tracked)).collect();
    // Of four counterexamples two are skipped; they come back, since their predicates are still missing.
    assert_eq!(counts, [(4, 0), (2, 2), (0, 4)]);
    // After three error states exploration stops, and one pair is not complete.
    let (_, iterations) = run(CegarOptions { counterexamples: NonZeroU32::new(3), ..options }, &fig7_in_pairs());
    assert_eq!(iterations[0].n_counterexamples, 3);
}

/// Returns Fig. 1: `x` is 1 and never changes while `i` counts to 100.
fn fig1() -> Example {
    let mut b = Builder::new();
    let (x, i) = (b.var("x", Value::int(16, 0)), b.var("i", Value::int(16, 0)));
    let (zero, one) = (b.n(16, 0), b.n(16, 1));
    let l = b.then(b.cfa.head, Op::Assign(x, one));
    let head = b.loc(LocKind::LoopHead);
    b.edge(l, head, Op::Assign(i, zero));
    let (low, more) = (b.less(i, 100), b.plus(i, 1));
    let over = b.pool.not(low);
    let body = b.then(head, Op::Assume(low));
    b.edge(body, head, Op::Assign(i, more));
    let end = b.then(head, Op::Assume(over));
    let fine = b.less(x, 2);
    let bad = b.pool.not(fine);
    b.close(end, bad);
    example("fig. 1", b, Answer::Safe)
}

/// Returns the nodes of an exploration of Fig. 1 with one precision for all locations, and whether an error node is among them.
fn explored_with<D: Domain>(domain: impl FnOnce() -> D, prec: impl FnOnce(&mut ExprPool, &Cfa) -> D::Prec) -> (usize, bool) {
    let example = fig1();
    let mut cx = Ctx::new(example.pool, Interrupt::default(), &|_| {});
    let prec = LocPrec::new(Granularity::Global, prec(&mut cx.pool, &example.cfa));
    let mut graph = Graph::new(&mut cx.pool, &example.cfa);
    let mut arg = Arg::default();
    let errors = {
        let cpa = Cpa { graph: &mut graph, domain: &mut domain(), prec: &prec, operators: &mut FixedStates };
        explore(&mut cx, cpa, Search::BFS, StopAt::FirstError, &mut arg).unwrap()
    };
    (arg.n_nodes(), !errors.is_empty())
}

#[test]
fn fig_3_x_proves_fig_1_and_the_counter_does_not() {
    // The variables are x and i, in this order.
    let below = |limit: i128, var: usize| {
        move |pool: &mut ExprPool, cfa: &Cfa| {
            let (var, limit) = (pool.var(cfa.vars[var]), pool.constant(Value::int(16, limit)));
            PredPrec { preds: BTreeSet::from([pool.bv_cmp(BvCmp::Slt, var, limit)]) }
        }
    };
    let value_of = |var: usize| move |_: &mut ExprPool, cfa: &Cfa| ExplPrec { vars: BTreeSet::from([cfa.vars[var]]) };
    let predicates = || Pred::new(PredKind::Bool, Split::Atoms, solvers());
    let values = || Expl::new(MaxEnum::NoSolver, solvers());
    // Fig. 3a: i < 100 leaves the error reachable; x <= 1 does not. Fig. 3b: the value of x suffices.
    assert!(explored_with(predicates, below(100, 1)).1);
    let (n_with_predicate, is_reached) = explored_with(predicates, below(2, 0));
    assert!(!is_reached && n_with_predicate < 12, "{n_with_predicate}");
    let (n_with_value, is_reached) = explored_with(values, value_of(0));
    assert!(!is_reached && n_with_value < 12, "{n_with_value}");
    // The value of i unfolds a hundred rounds, and the error is still there.
    let (n_rounds, is_reached) = explored_with(values, value_of(1));
    assert!(is_reached && 200 < n_rounds, "{n_rounds}");
}
