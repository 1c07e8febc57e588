//! Right proofs are certified, wrong ones refused.

use std::collections::BTreeMap;

use super::*;
use kernel::cfa::{LocId, LocKind, Op};
use kernel::expr::{BvCmp, ExprId, Sort, Value};
use kernel::verdict::{Argument, Paths, Support};
use testgen::automata::examples::{Answer, Builder, Example, all, by_name, saturating, wrapping};

fn invariant(example: &Example, make: impl Fn(&mut ExprPool, &[ExprId]) -> ExprId) -> Proof {
    let mut pool = example.pool.clone();
    let vars: Vec<ExprId> = example.cfa.vars.iter().map(|v| pool.var(*v)).collect();
    let invariant = make(&mut pool, &vars);
    Proof { pool, argument: Argument::Inductive(BTreeMap::from([(example.cfa.head, invariant)])) }
}

fn k_induction(example: &Example, k: u32, make: impl Fn(&mut ExprPool, &[ExprId]) -> ExprId) -> Proof {
    let Proof { pool, argument } = invariant(example, make);
    let Argument::Inductive(map) = argument else { unreachable!() };
    Proof { pool, argument: Argument::KInductive { k, invariants: map, support: Support::Alone, paths: Paths::Any } }
}

/// Returns the names of the obligations, or of the one that fails.
fn check(example: &Example, proof: &Proof) -> Result<Vec<&'static str>, &'static str> {
    match check_proof(&example.pool, &example.cfa, proof, &Interrupt::default()) {
        Ok(obligations) => Ok(obligations.iter().map(|o| o.name).collect()),
        Err(Rejected::Refuted(obligation)) => Err(obligation.name),
        Err(Rejected::Malformed(_)) => Err("malformed"),
        Err(other) => unreachable!("{other:?}"),
    }
}

fn less(p: &mut ExprPool, x: ExprId, value: i128) -> ExprId {
    let c = p.constant(Value::int(16, value));
    p.bv_cmp(BvCmp::Slt, x, c)
}

const INDUCTIVE: Result<[&str; 3], &str> = Ok(["initiation", "consecution", "safety"]);
const K_INDUCTIVE: Result<[&str; 4], &str> = Ok(["initiation", "consecution", "base", "step"]);

#[test]
fn only_true_invariants_pass() {
    let row = |example: &Example,
               expected: Result<[&'static str; 3], &'static str>,
               make: &dyn Fn(&mut ExprPool, &[ExprId]) -> ExprId| {
        assert_eq!(check(example, &invariant(example, make)), expected.map(|o| o.to_vec()), "{}", example.name);
    };
    let safe = saturating(5, 6);
    row(&safe, INDUCTIVE, &|p, x| less(p, x[0], 6));
    row(&safe, Err("safety"), &|p, _| p.bool(true));
    row(&safe, Err("safety"), &|p, x| less(p, x[0], 100));
    row(&safe, Err("consecution"), &|p, x| less(p, x[0], 5));
    row(&safe, Err("initiation"), &|p, x| less(p, x[0], 0));
    row(&safe, Err("initiation"), &|p, _| p.bool(false));
    row(&safe, Err("malformed"), &|p, _| {
        let y = p.new_var("y", Sort::Bool);
        p.var(y)
    });
    row(&saturating(5, 5), Err("safety"), &|p, x| less(p, x[0], 6));
    row(&saturating(5, 5), Err("safety"), &|p, x| less(p, x[0], 5));
    row(&wrapping(4, 7), INDUCTIVE, &|p, x| less(p, x[0], 5));
    row(&wrapping(4, 7), Err("safety"), &|p, x| less(p, x[0], 7));
    row(&by_name("interlock", true), INDUCTIVE, &|p, _| p.bool(true));
    row(&by_name("interlock", false), Err("safety"), &|p, _| p.bool(true));
    row(&by_name("never ends", true), INDUCTIVE, &|p, _| p.bool(true));
    row(&by_name("at once", false), Err("safety"), &|p, _| p.bool(true));
    // Both unguarded edges count.
    row(&by_name("choice", false), Err("consecution"), &|p, x| {
        let one = p.constant(Value::int(8, 1));
        p.ne(x[0], one)
    });
    row(&by_name("choice", false), Err("consecution"), &|p, x| {
        let three = p.constant(Value::int(8, 3));
        p.ne(x[0], three)
    });
}

#[test]
fn only_true_k_passes() {
    let row = |example: &Example, k: u32, bound: i128, expected: Result<[&'static str; 4], &'static str>| {
        let proof = k_induction(example, k, |p, x| if bound == i128::MAX { p.bool(true) } else { less(p, x[0], bound) });
        assert_eq!(check(example, &proof), expected.map(|o| o.to_vec()), "{} k={k}", example.name);
    };
    let any = i128::MAX;
    row(&wrapping(4, 7), 0, any, Err("malformed"));
    row(&wrapping(4, 7), 1, any, Err("step"));
    row(&wrapping(4, 7), 2, any, K_INDUCTIVE);
    row(&wrapping(4, 7), 1, 5, K_INDUCTIVE);
    row(&wrapping(4, 7), 1, 4, Err("consecution"));
    row(&wrapping(4, 7), 1, 0, Err("initiation"));
    row(&wrapping(4, 3), 2, any, Err("step"));
    row(&wrapping(4, 3), 3, any, Err("base"));
    row(&wrapping(4, 3), 40, any, Err("base"));
    let never = by_name("never ends", true);
    assert!(check(&never, &k_induction(&never, 3, |p, _| p.bool(true))).is_ok());
}

#[test]
fn k_induction_passes_a_loop_that_no_run_comes_to() {
    let dead = by_name("dead loop", true);
    let with = |k: u32, paths: Paths, is_known: bool| {
        let Proof { pool, argument } = k_induction(&dead, k, |p, x| if is_known { p.not(x[0]) } else { p.bool(true) });
        let Argument::KInductive { invariants, support, .. } = argument else { unreachable!() };
        check(&dead, &Proof { pool, argument: Argument::KInductive { k, invariants, support, paths } })
    };
    for paths in [Paths::Any, Paths::Simple] {
        assert_eq!(with(2, paths, true), K_INDUCTIVE.map(|o| o.to_vec()));
        // The loop leaves the counter alone, whether a run comes to it or not.
        assert_eq!(with(2, paths, false), K_INDUCTIVE.map(|o| o.to_vec()));
        assert_eq!(with(1, paths, true), Err("step"));
    }
}

#[test]
fn k_inductive_invariants_need_their_k() {
    // c wraps at 4; 6 is reached from 5 only, and 5 is never reached. "Not 6" needs two cycles, "not 7" follows.
    let example = wrapping(4, 7);
    let row = |k: u32, support: Support, expected: Result<Vec<&'static str>, &'static str>| {
        let Proof { pool, argument } = k_induction(&example, k, |p, x| {
            let six = p.constant(Value::int(16, 6));
            p.ne(x[0], six)
        });
        let Argument::KInductive { invariants, paths, .. } = argument else { unreachable!() };
        let proof = Proof { pool, argument: Argument::KInductive { k, invariants, support, paths } };
        assert_eq!(check(&example, &proof), expected, "{k} {support:?}");
    };
    row(1, Support::Alone, Err("consecution"));
    row(2, Support::Alone, Err("consecution"));
    row(1, Support::Steps, Err("step"));
    row(2, Support::Steps, Ok(vec!["base", "step"]));
    // Sameness of states is about the error alone: the invariant may distinguish them.
    let Proof { pool, argument } = k_induction(&example, 2, |p, x| {
        let six = p.constant(Value::int(16, 6));
        p.ne(x[0], six)
    });
    let Argument::KInductive { k, invariants, .. } = argument else { unreachable!() };
    let argument = Argument::KInductive { k, invariants, support: Support::Steps, paths: Paths::Simple };
    let refused = check_proof(&example.pool, &example.cfa, &Proof { pool, argument }, &Interrupt::default());
    assert!(matches!(refused, Err(Rejected::Malformed(_))), "{refused:?}");
    // A formula that is false at the start is no invariant.
    let wrong = |k: u32, make: &dyn Fn(&mut ExprPool, &[ExprId]) -> ExprId| {
        let Proof { pool, argument } = k_induction(&example, k, make);
        let Argument::KInductive { invariants, paths, .. } = argument else { unreachable!() };
        let argument = Argument::KInductive { k, invariants, support: Support::Steps, paths };
        check(&example, &Proof { pool, argument })
    };
    assert_eq!(wrong(1, &|p, _| p.bool(false)), Err("base"));
    assert_eq!(wrong(3, &|p, _| p.bool(false)), Err("base"));
    // The third state of a run is 2.
    let not_two = |p: &mut ExprPool, x: &[ExprId]| {
        let two = p.constant(Value::int(16, 2));
        p.ne(x[0], two)
    };
    assert_eq!(wrong(3, &not_two), Err("base"));
    assert_eq!(wrong(2, &not_two), Err("step"));
    assert_eq!(wrong(1, &|p, x| less(p, x[0], 5)), Ok(vec!["base", "step"]));
    assert_eq!(wrong(3, &|p, x| less(p, x[0], 5)), Ok(vec!["base", "step"]));
}

/// Returns an automaton whose every cycle goes through a loop that has nothing to do with the counter: it wraps at 4.
fn beside_a_loop() -> Example {
    let mut example = by_name("dead loop", true);
    example.cfa.initial.insert(example.cfa.vars[0], Value::Bool(true));
    example
}

#[test]
fn loops_without_a_place_are_passed() {
    let example = beside_a_loop();
    // Variables: `never`, `i`, `c`.
    let below = |n: i128| move |p: &mut ExprPool, x: &[ExprId]| less(p, x[2], n);
    assert_eq!(check(&example, &invariant(&example, below(5))), INDUCTIVE.map(|o| o.to_vec()));
    assert_eq!(check(&example, &invariant(&example, below(4))), Err("consecution"));
    assert_eq!(check(&example, &k_induction(&example, 2, |p, _| p.bool(true))), K_INDUCTIVE.map(|o| o.to_vec()));
    assert_eq!(check(&example, &k_induction(&example, 1, |p, _| p.bool(true))), Err("step"));
    // The loop may change `i` in any way: its last value is not known after it.
    let i_low = |p: &mut ExprPool, x: &[ExprId]| {
        let (c, four) = (less(p, x[2], 5), p.constant(Value::int(8, 4)));
        let low = p.bv_cmp(BvCmp::Slt, x[1], four);
        p.and(c, low)
    };
    assert_eq!(check(&example, &invariant(&example, i_low)), Err("consecution"));
}

#[test]
fn steps_end_at_places_of_loops() {
    let row = |bad: i128, k: u32, support: Support, paths: Paths, expected: Result<&[&str], &str>| {
        let example = all().into_iter().filter(|e| e.name == "inner loop").nth((bad - 3) as usize).unwrap();
        let mut pool = example.pool.clone();
        let yes = pool.bool(true);
        let invariants = [example.cfa.head, loop_head(&example)].into_iter().map(|place| (place, yes)).collect();
        let proof = Proof { pool, argument: Argument::KInductive { k, invariants, support, paths } };
        assert_eq!(check(&example, &proof).as_deref().map_err(|e| *e), expected, "{bad} {k}");
    };
    let shown = ["initiation", "consecution", "base", "step"];
    // A round begins below 3, so the loop is left at 3 at the most: one step before suffices.
    row(4, 1, Support::Alone, Paths::Any, Ok(&shown));
    row(4, 3, Support::Alone, Paths::Simple, Ok(&shown));
    row(4, 2, Support::Steps, Paths::Any, Ok(&["base", "step"]));
    // The violation comes in the fifth step: into the loop, three rounds, out of it.
    row(3, 4, Support::Alone, Paths::Any, Err("step"));
    row(3, 5, Support::Alone, Paths::Any, Err("base"));
    row(3, 9, Support::Alone, Paths::Simple, Err("base"));
}

#[test]
fn exhaustion_needs_the_last_step() {
    let row = |example: &Example, k: u32, at_loop: bool, paths: Paths, expected: Result<&[&str], &str>| {
        let places = [example.cfa.head].into_iter().chain(at_loop.then(|| loop_head(example))).collect();
        let proof = Proof { pool: example.pool.clone(), argument: Argument::Exhaustive { k, places, paths } };
        assert_eq!(check(example, &proof).as_deref().map_err(|e| *e), expected, "{} {k} {paths:?}", example.name);
    };
    let shown: Result<&[&str], &str> = Ok(&["base", "end"]);
    let inner = by_name("inner loop", true);
    // Into the loop, three rounds, and back to the head, where everything begins again.
    row(&inner, 5, true, Paths::Simple, shown);
    row(&inner, 4, true, Paths::Simple, Err("end"));
    row(&inner, 9, true, Paths::Any, Err("end"));
    // Without a place, the loop may end with any value.
    row(&inner, 5, false, Paths::Simple, Err("base"));
    row(&by_name("inner loop", false), 5, true, Paths::Simple, Err("base"));
    row(&by_name("inner loop", false), 4, true, Paths::Simple, Err("end"));
    let wrapping = wrapping(4, 7);
    row(&wrapping, 5, false, Paths::Simple, shown);
    row(&wrapping, 4, false, Paths::Simple, Err("end"));
    row(&wrapping, 0, false, Paths::Simple, Err("malformed"));
    let never = by_name("never ends", true);
    for paths in [Paths::Any, Paths::Simple] {
        row(&never, 1, false, paths, shown);
    }
    row(&by_name("at once", false), 2, false, Paths::Simple, Err("base"));
}

/// Returns the head of the only loop inside of the cycle.
fn loop_head(example: &Example) -> LocId {
    example.cfa.locs.iter_enumerated().find(|(_, l)| l.kind == LocKind::LoopHead).unwrap().0
}

#[test]
fn runs_start_at_the_head_whatever_its_number_is() {
    // The head has a greater number than the loop inside of the cycle.
    let mut b = Builder::new();
    let x = b.var("x", Value::int(16, 1));
    let (low, more) = (b.less(x, 9), b.plus(x, 1));
    let over = b.pool.not(low);
    let (inner, head) = (b.loc(LocKind::LoopHead), b.loc(LocKind::Head));
    let first = b.cfa.edges.iter_enumerated().map(|(id, _)| id).next().unwrap();
    b.cfa.edges[first].target = head;
    b.cfa.locs[b.cfa.head].kind = LocKind::Inner;
    b.cfa.head = head;
    b.edge(head, inner, Op::Skip);
    b.edge(inner, inner, Op::Assign(x, more));
    b.edge(inner, head, Op::Assume(over));
    let is_one = b.is(x, 1);
    b.edge(inner, b.cfa.error, Op::Assume(is_one));
    let example = Example { name: "late head", pool: b.pool, cfa: b.cfa, answer: Answer::Unsafe(1) };
    // TRUE at the loop's start state only: no run starts there.
    let mut pool = example.pool.clone();
    let (no, e) = (pool.bool(false), pool.var(x));
    let one = pool.constant(Value::int(16, 1));
    let not_one = pool.ne(e, one);
    let proof = Proof { pool, argument: Argument::Inductive(BTreeMap::from([(head, no), (inner, not_one)])) };
    assert_eq!(check(&example, &proof), Err("initiation"));
}

#[test]
fn loop_inside_a_cycle_needs_its_own_invariant() {
    let example = by_name("inner loop", true);
    assert_eq!(check(&example, &invariant(&example, |p, _| p.bool(true))), Err("safety"));
    // Without a place the loop may end with any value.
    assert_eq!(check(&example, &k_induction(&example, 2, |p, _| p.bool(true))), Err("base"));
    let loop_head = loop_head(&example);
    let with = |bound: i128| {
        let mut pool = example.pool.clone();
        let (i, four) = (pool.var(example.cfa.vars[0]), pool.constant(Value::int(8, bound)));
        let invariant = pool.bv_cmp(BvCmp::Slt, i, four);
        check(&example, &Proof { pool, argument: Argument::Inductive(BTreeMap::from([(loop_head, invariant)])) })
    };
    assert_eq!(with(4), Ok(vec!["initiation", "consecution", "safety"]));
    assert_eq!(with(3), Err("consecution"));
    assert_eq!(with(5), Err("safety"));
}

#[test]
fn obligation_is_undecided_when_time_is_over() {
    let example = saturating(5, 6);
    let proof = invariant(&example, |p, x| less(p, x[0], 6));
    let over = Interrupt { deadline: Some(Instant::now()), ..Interrupt::default() };
    let result = check_proof(&example.pool, &example.cfa, &proof, &over);
    assert!(matches!(result, Err(Rejected::Stopped("initiation"))), "{result:?}");
}
