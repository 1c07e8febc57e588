//! Large blocks of any automaton, also of those that no structured program has, reach the error location iff it does.

use kernel::cfa::pass::blocks;
use kernel::cfa::{Cfa, LocKind, Op};
use kernel::expr::{ExprPool, Sort, Value};
use proptest::prelude::*;
use testgen::automata::examples::Builder;
use testgen::automata::execute::reachable;
use testgen::automata::random::automaton;

fn reaches_error(pool: &ExprPool, cfa: &Cfa) -> bool {
    reachable(pool, cfa).iter().any(|(loc, _)| *loc == cfa.error)
}

/// A loop whose first way leads through a marked head, and whose second way leads around it.
#[test]
fn a_loop_with_a_way_around_its_marked_location_has_a_cut_point() {
    let mut b = Builder::new();
    let x = b.var("x", Value::int(3, 0));
    let (around, marked, end) = (b.loc(LocKind::Inner), b.loc(LocKind::LoopHead), b.loc(LocKind::Inner));
    b.edge(b.cfa.head, around, Op::Skip);
    let (low, more) = (b.less(x, 1), b.plus(x, 1));
    let other = b.pool.not(low);
    b.edge(around, marked, Op::Assume(low));
    b.edge(marked, end, Op::Assign(x, more));
    let beside = b.then(around, Op::Assume(other));
    b.edge(beside, end, Op::Assign(x, more));
    b.edge(end, around, Op::Skip);
    let bad = b.is(x, 5);
    b.edge(end, b.cfa.error, Op::Assume(bad));
    assert!(reaches_error(&b.pool, &b.cfa));
    let large = blocks(&mut b.pool, &b.cfa);
    assert!(reaches_error(&b.pool, &large));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn large_blocks_of_random_automata_reach_the_same_errors(bytes in prop::collection::vec(any::<u8>(), 0..160)) {
        let (mut pool, cfa) = automaton(&bytes);
        let large = blocks(&mut pool, &cfa);
        // Explicit search tries all inputs of a block; merged choices may have too many.
        let bits = |sort| match sort {
            Sort::Bool => 1,
            Sort::BitVec(width) => u32::from(width),
            Sort::Float(_) | Sort::Int | Sort::Array(..) => 64,
        };
        let n_bits = |op: &Op| match op {
            Op::Block(block) => block.inputs.iter().map(|input| bits(pool.var_decl(input.var).sort)).sum(),
            Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(_) => 0,
        };
        prop_assume!(large.edges.iter().all(|edge| n_bits(&edge.op) <= 12));
        prop_assert_eq!(reaches_error(&pool, &cfa), reaches_error(&pool, &large));
    }
}
