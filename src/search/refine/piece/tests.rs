//! Pieces against whole paths: no piece is refuted whose path can be executed.

use std::sync::Arc;

use proptest::prelude::*;

use super::{PathIndex, Span};
use crate::arg::Graph;
use crate::domain::{Step, StepId};
use crate::refine::verify::verify;
use crate::refine::{Explained, ItpSource, Path, Prune, Refinement, Refiner};
use kernel::cfa::{Block, BlockInput, Cfa, LocId};
use kernel::context::{Ctx, MakeSolver};
use kernel::expr::{ExprId, ExprPool, Sort, Value, VarId};
use kernel::smt::{BitBlaster, Interrupt, Solver};
use testgen::automata::random::automaton;

fn solvers() -> MakeSolver {
    Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt)) as Box<dyn Solver>))
}

/// Returns a walk from the start: the edges that the bytes choose.
fn walk(cfa: &Cfa, choices: &[u8]) -> Vec<StepId> {
    let successors = cfa.successors();
    let (mut at, mut steps): (LocId, Vec<StepId>) = (cfa.init, Vec::new());
    for &choice in choices {
        let leaving = &successors[at];
        let Some(&edge) = leaving.get(usize::from(choice) % leaving.len().max(1)) else { break };
        steps.push(StepId(edge.0));
        at = cfa.edges[edge].target;
    }
    steps
}

fn without_places(piece: Vec<(usize, Block)>) -> Vec<Block> {
    piece.into_iter().map(|(_, block)| block).collect()
}

/// Returns whether a path can be executed; its interpolants are checked.
fn is_feasible(cx: &mut Ctx<'_>, blocks: &[Block]) -> bool {
    let steps: Vec<Step<'_>> = blocks.iter().enumerate().map(|(i, block)| Step { id: StepId(i as u32), block }).collect();
    let mut refiner = Refiner::new(Refinement::SeqItp, ItpSource::Wp, Prune::Lazy, solvers());
    match refiner.explain(cx, steps.clone()).unwrap() {
        Explained::Feasible(_) => true,
        Explained::Infeasible(refutation) => {
            if let Some(itps) = &refutation.itps {
                let path = Path::new(&cx.pool, steps);
                verify(cx, &solvers(), &path, itps).unwrap();
            }
            false
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]
    #[test]
    fn a_refuted_piece_means_a_refuted_path(
        bytes in prop::collection::vec(any::<u8>(), 0..160),
        choices in prop::collection::vec(any::<u8>(), 1..9),
    ) {
        let (pool, cfa) = automaton(&bytes);
        let mut cx = Ctx::new(pool, Interrupt::default(), &|_| {});
        let graph = Graph::new(&mut cx.pool, &cfa);
        let ids: Vec<StepId> = [graph.initial().id].into_iter().chain(walk(&graph.cfa, &choices)).collect();
        let steps: Vec<Step<'_>> = ids.iter().map(|&id| graph.step(id)).collect();
        let index = PathIndex::new(&cx.pool, &steps, &[]);
        let mut some = false;
        for goal in index.goals(&mut cx.pool) {
            let piece = without_places(index.piece(&mut cx.pool, goal, &[]));
            let mut whole: Vec<Block> = steps.iter().map(|step| step.block.clone()).collect();
            if let Some(last) = whole.last_mut() {
                last.guard = cx.pool.and(last.guard, goal);
            }
            let feasible = is_feasible(&mut cx, &whole);
            some |= feasible;
            prop_assert!(!feasible || is_feasible(&mut cx, &piece), "{piece:?} of {whole:?}");
        }
        let whole: Vec<Block> = steps.iter().map(|step| step.block.clone()).collect();
        prop_assert_eq!(some, is_feasible(&mut cx, &whole), "the goals are the last guard");
    }
}

/// Returns a block of a guard and assignments.
fn block(pool: &mut ExprPool, guard: Option<ExprId>, updates: &[(VarId, ExprId)], inputs: &[VarId]) -> Block {
    let guard = guard.unwrap_or_else(|| pool.bool(true));
    let mut updates = updates.to_vec();
    updates.sort_unstable();
    Block { guard, updates, inputs: inputs.iter().map(|&var| BlockInput { var, origin: None }).collect() }
}

#[test]
fn a_piece_has_the_parts_that_concern_its_goal_alone() {
    let mut pool = ExprPool::new();
    let [a, b, c, new] = ["a", "b", "c", "new"].map(|name| pool.new_var(name, Sort::BitVec(8)));
    let [a_, b_, c_, new_] = [a, b, c, new].map(|var| pool.var(var));
    let [zero, seven] = [0, 7].map(|n| pool.constant(Value::int(8, n)));
    let (a_bad, b_bad) = (pool.eq(a_, seven), pool.eq(b_, seven));
    let either = pool.or(a_bad, b_bad);
    let c_small = pool.ne(c_, zero);
    let new_small = pool.ne(new_, seven);
    let blocks = [
        block(&mut pool, None, &[(a, zero), (b, zero), (c, zero)], &[]),
        // The guard is about the value that `a` gets.
        block(&mut pool, Some(new_small), &[(a, new_), (c, b_)], &[new]),
        block(&mut pool, Some(c_small), &[(b, c_)], &[]),
        block(&mut pool, Some(either), &[], &[]),
    ];
    let steps: Vec<Step<'_>> = blocks.iter().enumerate().map(|(i, block)| Step { id: StepId(i as u32), block }).collect();
    let index = PathIndex::new(&pool, &steps, &[]);
    let goals = index.goals(&mut pool);
    assert_eq!(goals.len(), 2);
    let of_a = without_places(index.piece(&mut pool, a_bad, &[]));
    let expected = [block(&mut pool, Some(new_small), &[(a, new_)], &[new]), block(&mut pool, Some(a_bad), &[], &[])];
    assert_eq!(of_a, expected);
    // The value of `b` comes from `c`, which has the first value of `b`.
    let of_b = without_places(index.piece(&mut pool, b_bad, &[]));
    let expected = [
        block(&mut pool, None, &[(b, zero)], &[]),
        block(&mut pool, None, &[(c, b_)], &[]),
        block(&mut pool, Some(c_small), &[(b, c_)], &[]),
        block(&mut pool, Some(b_bad), &[], &[]),
    ];
    assert_eq!(of_b, expected);
}

/// A call of which a value is needed comes whole, with what it reads from before; another one not at all.
#[test]
fn a_call_is_wholly_in_a_piece_or_not() {
    let mut pool = ExprPool::new();
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| pool.new_var(name, Sort::BitVec(8)));
    let [va, vb, vc] = [a, b, c].map(|var| pool.var(var));
    let (yes, one) = (pool.bool(true), pool.constant(Value::bv(8, 1)));
    let step = |updates: Vec<(VarId, ExprId)>, guard| Block { guard, updates, inputs: Vec::new() };
    let a_is_one = pool.eq(va, one);
    // b := 1 | call: c := a; d := 1 | call: a := b | a = 1?
    let path = [
        step(vec![(b, one)], yes),
        step(vec![(c, va)], yes),
        step(vec![(d, one)], yes),
        step(vec![(a, vb)], yes),
        step(vec![], a_is_one),
    ];
    let steps: Vec<Step<'_>> = path.iter().enumerate().map(|(i, block)| Step { id: StepId(i as u32), block }).collect();
    let spans = [Span { steps: 1..3, written: [c, d].into() }, Span { steps: 3..4, written: [a].into() }];
    let index = PathIndex::new(&pool, &steps, &spans);
    let at = |piece: Vec<(usize, Block)>| piece.into_iter().map(|(at, _)| at).collect::<Vec<_>>();
    assert_eq!(at(index.piece(&mut pool, a_is_one, &[])), [0, 3, 4]);
    assert_eq!(at(index.piece(&mut pool, a_is_one, &[2])), [0, 2, 3, 4]);
    let c_is_one = pool.eq(vc, one);
    let about_c = index.piece(&mut pool, c_is_one, &[]);
    assert_eq!(about_c[1].1.updates, [(d, one)]);
    assert_eq!(at(about_c), [1, 2, 4]);
    // A call that may write b on another way is needed for b.
    let spans = [Span { steps: 1..3, written: [b, c, d].into() }];
    let index = PathIndex::new(&pool, &steps, &spans);
    assert_eq!(at(index.piece(&mut pool, a_is_one, &[])), [0, 1, 2, 3, 4]);
}
