//! Blocks that the search composes are those of the passes, and no value is consumed twice.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use proptest::prelude::*;

use crate::arg::{Blk, Graph};
use kernel::cfa::pass::blocks;
use kernel::cfa::{Cfa, LocId, LocKind, Op};
use kernel::context::Ctx;
use kernel::expr::{ExprPool, Sort, Value, VarId};
use kernel::smt::Interrupt;
use testgen::automata::examples::{self, Builder};
use testgen::automata::execute::{State, assignments, eval};
use testgen::automata::random::automaton;
use testgen::automata::structured::cycle;

/// Data states before and after the steps between two locations, the latter over the variables that are read later.
type Relations = BTreeMap<(LocId, LocId), BTreeSet<(State, State)>>;

fn operations(n: u32) -> Blk {
    Blk::Operations(NonZeroU32::new(n).unwrap())
}

/// Returns the steps from all locations to which steps lead that some state allows; locations by their origin. `None` if some step
/// has too many inputs to try all of them.
fn relations(cx: &mut Ctx<'_>, graph: &mut Graph, vars: &[VarId], live: &BTreeMap<LocId, BTreeSet<VarId>>) -> Option<Relations> {
    let mut all = Relations::new();
    let (mut todo, mut seen) = (vec![graph.cfa.init], BTreeSet::from([graph.cfa.init]));
    while let Some(loc) = todo.pop() {
        for &(step, target) in graph.unfold(cx, loc).unwrap().iter() {
            let (from, to) = (graph.cfa.locs[loc].origin, graph.cfa.locs[target].origin);
            if !live.contains_key(&to) {
                continue;
            }
            let relation = all.entry((from, to)).or_default();
            let block = graph.step(step).block;
            let inputs: Vec<VarId> = block.inputs.iter().map(|input| input.var).collect();
            let bits = |var: &VarId| if cx.pool.var_decl(*var).sort == Sort::Bool { 1 } else { 3 };
            if 9 < inputs.iter().map(bits).sum::<u32>() {
                return None;
            }
            for before in assignments(&cx.pool, &State::new(), vars) {
                for all in assignments(&cx.pool, &before, &inputs) {
                    if eval(&cx.pool, block.guard, &all) == Value::Bool(true) {
                        let mut after = before.clone();
                        after.extend(block.updates.iter().map(|(var, e)| (*var, eval(&cx.pool, *e, &all))));
                        after.retain(|var, _| live[&to].contains(var));
                        relation.insert((before.clone(), after));
                        if seen.insert(target) {
                            todo.push(target);
                        }
                    }
                }
            }
        }
    }
    all.retain(|_, relation| !relation.is_empty());
    Some(all)
}

/// Returns the variables that are read after each location from which edges lead to the error location.
fn live(pool: &mut ExprPool, cfa: &Cfa) -> BTreeMap<LocId, BTreeSet<VarId>> {
    let graph = Graph::new(pool, cfa);
    let leads_on = cfa.locs.iter_enumerated().filter(|(id, _)| graph.distance(*id).is_some());
    leads_on.map(|(id, loc)| (loc.origin, graph.live(pool, id).clone())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn blocks_that_end_at_cut_points_are_those_of_large_block_encoding(bytes in prop::collection::vec(any::<u8>(), 0..160), has_structure in any::<bool>()) {
        let (mut pool, cfa) = if has_structure { cycle(&bytes) } else { automaton(&bytes) };
        let large = blocks(&mut pool, &cfa);
        let mut live = live(&mut pool, &cfa);
        // A variable that composed formulas no longer mention is none of large blocks.
        live.values_mut().for_each(|vars| vars.retain(|var| large.vars.contains(var)));
        let mut cx = Ctx::new(pool, Interrupt::default(), &|_| {});
        let mut graph = Graph::new(&mut cx.pool, &large);
        let before = relations(&mut cx, &mut graph, &cfa.vars, &live);
        let mut graph = Graph::unfolding(&mut cx.pool, &cfa, Blk::CutPoints);
        let during = relations(&mut cx, &mut graph, &cfa.vars, &live);
        if let (Some(before), Some(during)) = (before, during) {
            prop_assert!(before == during);
        }
    }

    #[test]
    fn blocks_of_one_operation_are_the_edges(bytes in prop::collection::vec(any::<u8>(), 0..160), has_structure in any::<bool>()) {
        let (mut pool, cfa) = if has_structure { cycle(&bytes) } else { automaton(&bytes) };
        let live = live(&mut pool, &cfa);
        let mut edges = Graph::new(&mut pool, &cfa);
        let mut graph = Graph::unfolding(&mut pool, &cfa, operations(1));
        let mut cx = Ctx::new(pool, Interrupt::default(), &|_| {});
        let before = relations(&mut cx, &mut edges, &cfa.vars, &live);
        let during = relations(&mut cx, &mut graph, &cfa.vars, &live);
        if let (Some(before), Some(during)) = (before, during) {
            prop_assert!(before == during);
        }
    }
}

/// Returns the locations where blocks begin.
fn n_begins(cx: &mut Ctx<'_>, cfa: &Cfa, blk: Blk) -> usize {
    let mut graph = Graph::unfolding(&mut cx.pool, cfa, blk);
    let (mut todo, mut seen) = (vec![cfa.init], BTreeSet::from([cfa.init]));
    while let Some(loc) = todo.pop() {
        todo.extend(graph.unfold(cx, loc).unwrap().iter().map(|(_, target)| *target).filter(|target| seen.insert(*target)));
    }
    seen.len()
}

#[test]
fn blocks_are_as_long_as_they_may_be() {
    let example = examples::by_name("timer", true);
    let mut cx = Ctx::new(example.pool, Interrupt::default(), &|_| {});
    let mut n = |blk| n_begins(&mut cx, &example.cfa, blk);
    let (all, cut_points) = (n(operations(1)), n(Blk::CutPoints));
    assert_eq!(all, example.cfa.locs.len());
    assert_eq!(n(operations(1000)), cut_points);
    assert!(cut_points < n(operations(4)) && n(operations(4)) < n(operations(2)) && n(operations(2)) < all);
}

/// Two ways of one and of three operations meet. After two more operations the longer one has five.
#[test]
fn the_number_of_operations_belongs_to_a_state_and_not_to_a_location() {
    let mut b = Builder::new();
    let (x, y) = (b.var("x", Value::int(8, 0)), b.input("y", Sort::BitVec(8)));
    let (low, one, two, three) = (b.less(y, 5), b.n(8, 1), b.n(8, 2), b.n(8, 3));
    let high = b.pool.not(low);
    let meet = b.loc(LocKind::Inner);
    b.edge(b.cfa.head, meet, Op::Assume(low));
    let long = b.then(b.cfa.head, Op::Assume(high));
    let long = b.then(long, Op::Assign(x, one));
    b.edge(long, meet, Op::Assign(x, two));
    let next = b.then(meet, Op::Assign(x, three));
    let bad = b.is(x, 7);
    b.close(next, bad);
    let cfa = b.cfa;
    let mut cx = Ctx::new(b.pool, Interrupt::default(), &|_| {});
    let mut targets = |n| {
        let mut graph = Graph::unfolding(&mut cx.pool, &cfa, operations(n));
        graph.unfold(&mut cx, cfa.head).unwrap().iter().map(|(_, target)| *target).collect::<BTreeSet<_>>()
    };
    // With three operations the long way ends where both meet. The short one goes on, and ends two operations later.
    let of_three = targets(3);
    assert!(of_three.contains(&meet) && 1 < of_three.len(), "{of_three:?}");
    // With four operations the ways are merged before they are expanded; the longer one counts.
    assert!(!targets(4).contains(&meet) && targets(4).contains(&next), "{:?}", targets(4));
}

/// Returns a loop in which `x` is havocked in each round. It notes which of two ways was taken; taking both is an error.
pub(crate) fn both_ways(kind: LocKind) -> Builder {
    let mut b = Builder::new();
    let (x, s, t) = (b.var("x", Value::int(2, 0)), b.var("first", Value::Bool(false)), b.var("second", Value::Bool(false)));
    let head = if kind == LocKind::Head { b.cfa.head } else { b.loc(kind) };
    if kind != LocKind::Head {
        b.edge(b.cfa.head, head, Op::Skip);
    }
    let choice = b.then(head, Op::Havoc(x));
    let (is_one, yes) = (b.is(x, 1), b.pool.bool(true));
    let other = b.pool.not(is_one);
    let meet = b.loc(LocKind::Inner);
    let (one, two) = (b.then(choice, Op::Assume(is_one)), b.then(choice, Op::Assume(other)));
    b.edge(one, meet, Op::Assign(s, yes));
    b.edge(two, meet, Op::Assign(t, yes));
    let (s, t) = (b.v(s), b.v(t));
    let both = b.pool.and(s, t);
    let not_both = b.pool.not(both);
    b.edge(meet, b.cfa.error, Op::Assume(both));
    b.edge(meet, head, Op::Assume(not_both));
    b
}

#[test]
fn each_round_of_a_loop_takes_a_value_of_its_own() {
    for kind in [LocKind::Head, LocKind::LoopHead] {
        let Builder { pool, cfa, .. } = both_ways(kind);
        let mut cx = Ctx::new(pool, Interrupt::default(), &|_| {});
        for (rounds, n_inputs) in [(1, Some(1)), (2, Some(2)), (3, Some(3))] {
            let mut graph = Graph::unfolding(&mut cx.pool, &cfa, Blk::Never(NonZeroU32::new(rounds).unwrap()));
            let steps = graph.unfold(&mut cx, cfa.init).unwrap();
            let longest = steps.last().map(|(step, _)| graph.step(*step).block.inputs.len());
            assert_eq!(longest, n_inputs, "{kind:?} {rounds}");
        }
    }
}
