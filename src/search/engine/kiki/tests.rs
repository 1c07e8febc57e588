//! kIkI, its domains and guards on automata of known answer.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::*;
use crate::engine::Engine;
use crate::engine::{ENGINES, configure};
use answer::certify::check_proof;
use kernel::cfa::Op;
use kernel::cfa::pass::{Encoding, reduce};
use kernel::context::default_solvers;
use kernel::expr::{Sort, Value};
use kernel::smt::{BitBlaster, Interrupt, Solver};
use kernel::verdict::lift_proof;
use testgen::automata::examples::{Answer as Known, Builder, Example, all, wrapping};

mod matrix;
mod numbers;
mod strategies;
mod theorem;
mod worked;

fn solvers() -> MakeSolver {
    std::sync::Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt)) as Box<dyn Solver>))
}

/// Answer of an engine, with the length of the counterexample or the k of the proof (0 for an inductive invariant).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Safe(u32),
    Unsafe(usize),
    Unknown,
}

/// Runs kIkI; a proof must be certified.
#[track_caller]
fn say(example: &Example, given: &[(&str, &str)]) -> Said {
    tell(example, "kiki", given)
}

/// Runs an engine; a proof must be certified.
#[track_caller]
fn tell(example: &Example, engine: &str, given: &[(&str, &str)]) -> Said {
    let options: BTreeMap<String, String> = given.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
    let solvers = default_solvers()(&reduced.pool, &reduced.cfa);
    let mut engine = configure(ENGINES, engine, &options, &solvers).unwrap();
    let within = Interrupt { deadline: Some(Instant::now() + Duration::from_secs(60)), ..Interrupt::default() };
    let mut cx = Ctx::new(reduced.pool, within.clone(), &|_| {});
    match engine.run(&mut cx, &reduced.cfa) {
        Ok(Verdict::Safe(proof)) => {
            let proof = lift_proof(&reduced.lift, proof);
            let checked = check_proof(&example.pool, &example.cfa, &proof, &within);
            assert!(checked.is_ok(), "{} {given:?}: {checked:?}", example.name);
            Said::Safe(match proof.argument {
                Argument::Inductive(_) => 0,
                Argument::KInductive { k, .. } | Argument::Exhaustive { k, .. } => k,
            })
        }
        Ok(Verdict::Unsafe(trace)) => Said::Unsafe(trace.cycles.len()),
        Ok(Verdict::Unknown(_)) => Said::Unknown,
        Err(stop) => unreachable!("{} {given:?}: {stop:?}", example.name),
    }
}

const K: (&str, &str) = ("k", "12");
const NAMES: [&str; 5] = ["intervals", "zones", "octagons", "equalities", "all"];

/// Returns an example in which `w` and `x` count together while an input allows it; the property needs that relation and does not
/// contain it.
fn together() -> Example {
    let mut b = Builder::new();
    let (go, w, x) = (b.var("go", Value::Bool(false)), b.var("w", Value::int(16, 0)), b.var("x", Value::int(16, 0)));
    let l = b.then(b.cfa.head, Op::Havoc(go));
    let (go_e, low, more_w, more_x) = (b.v(go), b.less(w, 1_000), b.plus(w, 1), b.plus(x, 1));
    let both = b.pool.and(go_e, low);
    let l = b.when(l, both, Op::Assign(x, more_x));
    let l = b.when(l, both, Op::Assign(w, more_w));
    let (low_w, low_x) = (b.less(w, 500), b.less(x, 400));
    let high_w = b.pool.not(low_w);
    let bad = b.pool.and(high_w, low_x);
    b.close(l, bad);
    Example { name: "together", pool: b.pool, cfa: b.cfa, answer: Known::Safe }
}

/// Returns an example with two counters, of which one runs while the other is reset. Only their sum is bounded.
fn seesaw() -> Example {
    let mut b = Builder::new();
    let (go, x, y) = (b.var("go", Value::Bool(false)), b.var("x", Value::int(16, 0)), b.var("y", Value::int(16, 10)));
    let l = b.then(b.cfa.head, Op::Havoc(go));
    let (go_e, positive, more_x, less_y) = (b.v(go), b.less(y, 1), b.plus(x, 1), b.plus(y, -1));
    let positive = b.pool.not(positive);
    let both = b.pool.and(go_e, positive);
    let l = b.when(l, both, Op::Assign(x, more_x));
    let l = b.when(l, both, Op::Assign(y, less_y));
    let below = b.less(x, 13);
    let bad = b.pool.not(below);
    b.close(l, bad);
    Example { name: "seesaw", pool: b.pool, cfa: b.cfa, answer: Known::Safe }
}

/// Returns a latch that is repeated with one, two and three cycles of delay.
fn relay() -> Example {
    let mut b = Builder::new();
    let f = Value::Bool(false);
    let (set, latch, one, two, three) = (b.var("set", f), b.var("latch", f), b.var("one", f), b.var("two", f), b.var("three", f));
    let l = b.then(b.cfa.head, Op::Havoc(set));
    let (set_e, latch_e, one_e, two_e, yes) = (b.v(set), b.v(latch), b.v(one), b.v(two), b.pool.bool(true));
    let l = b.then(l, Op::Assign(three, two_e));
    let l = b.then(l, Op::Assign(two, one_e));
    let l = b.then(l, Op::Assign(one, latch_e));
    let l = b.when(l, set_e, Op::Assign(latch, yes));
    let (latch_e, three_e) = (b.v(latch), b.v(three));
    let off = b.pool.not(latch_e);
    let bad = b.pool.and(three_e, off);
    b.close(l, bad);
    Example { name: "relay", pool: b.pool, cfa: b.cfa, answer: Known::Safe }
}

/// Returns a counter that an input resets, up to 30 000.
fn far() -> Example {
    let mut b = Builder::new();
    let (reset, c) = (b.var("reset", Value::Bool(false)), b.var("c", Value::int(16, 0)));
    let l = b.then(b.cfa.head, Op::Havoc(reset));
    let (reset_e, low, more, zero) = (b.v(reset), b.less(c, 30_000), b.plus(c, 1), b.n(16, 0));
    let l = b.when(l, low, Op::Assign(c, more));
    let l = b.when(l, reset_e, Op::Assign(c, zero));
    let bad = b.is(c, 30_001);
    b.close(l, bad);
    Example { name: "far", pool: b.pool, cfa: b.cfa, answer: Known::Safe }
}

/// Returns a level that grows in one mode only: no interval holds in all modes together.
fn modes() -> Example {
    let mut b = Builder::new();
    let (go, mode, level) = (b.var("go", Value::Bool(false)), b.var("mode", Value::bv(8, 0)), b.var("level", Value::int(16, 0)));
    let l = b.then(b.cfa.head, Op::Havoc(go));
    let (go_e, at_0, at_1, low) = (b.v(go), b.is(mode, 0), b.is(mode, 1), b.less(level, 80));
    let (one, zero, more, nothing) = (b.n(8, 1), b.n(8, 0), b.plus(level, 1), b.n(16, 0));
    let grow = b.pool.and(at_1, low);
    let l = b.when(l, grow, Op::Assign(level, more));
    let start = b.pool.and(at_0, go_e);
    let l = b.when(l, start, Op::Assign(mode, one));
    let stop = b.pool.not(go_e);
    let l = b.when(l, stop, Op::Assign(mode, zero));
    let idle = b.is(mode, 0);
    let l = b.when(l, idle, Op::Assign(level, nothing));
    let (idle, some) = (b.is(mode, 0), b.is(level, 0));
    let some = b.pool.not(some);
    let bad = b.pool.and(idle, some);
    let over = b.less(level, 81);
    let over = b.pool.not(over);
    let bad = b.pool.or(bad, over);
    b.close(l, bad);
    Example { name: "modes", pool: b.pool, cfa: b.cfa, answer: Known::Safe }
}

fn examples() -> Vec<Example> {
    all().into_iter().chain([together(), seesaw(), relay(), far(), modes()]).collect()
}

#[test]
fn each_domain_is_good_for_something() {
    let proves = |example: &Example, domain: &str, guards: &str| {
        let said = say(example, &[("mode", "ai"), ("domain", domain), ("guards", guards), K]);
        matches!(said, Said::Safe(_))
    };
    let row = |example: Example, guards: &str, expected: [bool; 5]| {
        let found = NAMES.map(|domain| proves(&example, domain, guards));
        assert_eq!(found, expected, "{}: {NAMES:?}", example.name);
    };
    //                          intervals zones octagons equalities all
    // After one good cycle the limit is kept: no template is needed.
    row(far(), "places", [true; 5]);
    row(wrapping(4, 7), "places", [true, true, true, false, true]);
    row(together(), "places", [false, true, true, true, true]);
    row(seesaw(), "places", [false, false, true, false, true]);
    row(relay(), "places", [false, false, false, true, true]);
}

#[test]
fn guards_of_modes_tell_modes_apart() {
    let with = |guards| say(&modes(), &[("mode", "ai"), ("domain", "intervals"), ("guards", guards), K]);
    assert!(matches!(with("modes"), Said::Safe(_)));
}

#[test]
fn kiki_proves_what_none_of_its_parts_does() {
    // c goes 0 … 4 and d follows it one cycle later; the violation needs d = 6 after a cycle with c = 5.
    let mut b = Builder::new();
    let (go, c, d, e) = (
        b.var("go", Value::Bool(false)),
        b.var("c", Value::int(16, 0)),
        b.var("d", Value::int(16, 0)),
        b.var("e", Value::int(16, 0)),
    );
    let l = b.then(b.cfa.head, Op::Havoc(go));
    let (c_e, d_e) = (b.v(c), b.v(d));
    let l = b.then(l, Op::Assign(e, d_e));
    let l = b.then(l, Op::Assign(d, c_e));
    let (at_top, zero, more) = (b.is(c, 4), b.n(16, 0), b.plus(c, 1));
    let below = b.pool.not(at_top);
    let (yes, no) = (b.then(l, Op::Assume(at_top)), b.then(l, Op::Assume(below)));
    let end = b.then(yes, Op::Assign(c, zero));
    b.edge(no, end, Op::Assign(c, more));
    let is_bad = b.is(e, 9);
    b.close(end, is_bad);
    let example = Example { name: "chain", pool: b.pool, cfa: b.cfa, answer: Known::Safe };
    assert!(matches!(say(&example, &[K]), Said::Safe(_)));
    assert_eq!(say(&example, &[("mode", "ibmc"), K]), Said::Unknown);
}

#[test]
fn a_variable_of_any_start_is_bounded_by_what_it_starts_with() {
    // x starts anywhere and never grows; y is the last x: y cannot pass x's first value, and x <= 127 always.
    let mut b = Builder::new();
    let (x, y) = (b.input("x", Sort::BitVec(8)), b.var("y", Value::int(8, 0)));
    let x_e = b.v(x);
    let l = b.then(b.cfa.head, Op::Assign(y, x_e));
    let (x_e, y_e) = (b.v(x), b.v(y));
    let bad = b.pool.ne(x_e, y_e);
    b.close(l, bad);
    let example = Example { name: "any start", pool: b.pool, cfa: b.cfa, answer: Known::Safe };
    for mode in ["kiki", "ai", "kinduction"] {
        assert!(matches!(say(&example, &[("mode", mode), K]), Said::Safe(_)), "{mode}");
    }
}

#[test]
fn goes_on_where_it_was_stopped() {
    let example = wrapping(4, 7);
    let options = KikiOptions {
        mode: Mode::Kiki,
        domain: Domain::All,
        template: Matrix::default(),
        guards: Guards::Modes,
        inference: Solving::Binary,
        bound: None,
    };
    let mut engine = Kiki::new(options, solvers());
    let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
    let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &|_| {});
    let mut known = None;
    for _ in 0..3 {
        cx.interrupt = Interrupt { deadline: Some(Instant::now()), ..cx.interrupt };
        assert!(matches!(engine.run(&mut cx, &reduced.cfa), Err(Stop::Reason(Reason::Cancelled))));
        assert!(known.is_none_or(|known| known == engine.is_stopped()));
        known = Some(engine.is_stopped());
    }
    cx.interrupt.deadline = None;
    assert!(matches!(engine.run(&mut cx, &reduced.cfa), Ok(Verdict::Safe(_))));
}
