//! States that agree on the deciding variables have the same way to the error location; state beside it does not decide.

use std::collections::{BTreeMap, BTreeSet};

use super::super::random_cases::{case, n_cases};
use super::*;
use kernel::cfa::{LocKind, Op};
use kernel::expr::Value;
use testgen::automata::examples::Builder;
use testgen::automata::execute::distances;

#[test]
fn states_that_agree_on_deciding_variables_are_as_far_from_the_error() {
    // Pairs of a place and a variable of the state: those that decide, and all.
    let (mut n_deciding, mut n_all) = (0, 0);
    for seed in (0..n_cases()).map(|seed| seed + (3 << 32)) {
        let (pool, cfa, _) = case(seed);
        let is_place = |kind: LocKind| matches!(kind, LocKind::Head | LocKind::LoopHead);
        let places: BTreeSet<LocId> =
            cfa.locs.iter_enumerated().filter(|(_, loc)| is_place(loc.kind)).map(|(id, _)| id).collect();
        let automaton = Automaton::new(&pool, &cfa, &places).unwrap();
        let deciding = deciding(&automaton);
        let distances = distances(&pool, &cfa, &places);
        for place in &places {
            let vars = deciding.get(place).cloned().unwrap_or_default();
            let mut classes: BTreeMap<Vec<Value>, BTreeSet<usize>> = BTreeMap::new();
            let mut n_near: BTreeMap<Vec<Value>, usize> = BTreeMap::new();
            for ((_, state), distance) in distances.iter().filter(|((loc, _), _)| loc == place) {
                let class: Vec<Value> = vars.iter().map(|var| state[var]).collect();
                classes.entry(class.clone()).or_default().insert(*distance);
                *n_near.entry(class).or_default() += 1;
            }
            let n_states = |var: &VarId| if pool.var_decl(*var).sort == kernel::expr::Sort::Bool { 2 } else { 8 };
            let size: usize = cfa.vars.iter().filter(|var| !vars.contains(var)).map(n_states).product();
            for (class, found) in &classes {
                assert!(
                    found.len() == 1 && n_near[class] == size,
                    "seed {seed}, {place}, {vars:?}: {class:?} {found:?}\n{cfa:?}"
                );
            }
            n_deciding += vars.len();
            n_all += cfa.vars.len();
        }
    }
    println!("{n_deciding} of {n_all} variables decide");
    assert!(n_all / 10 < n_deciding && n_deciding < n_all * 9 / 10, "{n_deciding} of {n_all}");
}

#[test]
fn branches_that_meet_again_decide_nothing_unless_a_run_may_end_there() {
    for ends in [false, true] {
        let mut b = Builder::new();
        let [counter, beside, other] = ["counter", "beside", "other"].map(|name| b.var(name, Value::int(16, 0)));
        let (low, more) = (b.less(beside, 9), b.plus(other, 1));
        let high = b.pool.not(low);
        let branch = b.then(b.cfa.head, Op::Assume(low));
        let after = b.then(branch, Op::Assign(other, more));
        if !ends {
            b.edge(b.cfa.head, after, Op::Assume(high));
        }
        let count = b.plus(counter, 1);
        let end = b.then(after, Op::Assign(counter, count));
        let bad = b.is(counter, 7);
        b.close(end, bad);
        let automaton = Automaton::new(&b.pool, &b.cfa, &BTreeSet::from([b.cfa.head])).unwrap();
        let expected = if ends { vec![counter, beside] } else { vec![counter] };
        assert_eq!(deciding(&automaton).remove(&b.cfa.head).map(Vec::from_iter), Some(expected), "{ends}");
    }
}
