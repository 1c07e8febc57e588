//! PDR on automata of known answer and on programs; other tests certify its answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::engine::Engine;
use answer::certify::check_proof;
use kernel::cfa::Op;
use kernel::cfa::pass::{Encoding, reduce};
use kernel::context::default_solvers;
use kernel::context::exchange::Board;
use kernel::expr::{BvBin, BvCmp, ExprPool, FloatSort, FpBin, FpCmp, IntBin, IntCmp, Sort, Value};
use kernel::smt::Interrupt;
use kernel::smt::bitblast::{self, Circuit, Parts};
use kernel::verdict::Argument;
use kernel::verdict::lift_proof;
use testgen::automata::examples::{Answer, Builder, Example, all, by_name, saturating, wrapping};

const BOTH: [Level; 2] = [Level::Bits, Level::Words];

fn engine(level: Level, example: &Example) -> Resumable<Pdr> {
    let solvers = default_solvers()(&example.pool, &example.cfa);
    Resumable::new(Pdr { level, effort: Effort { blocked: 3, depth: 1 }, solvers })
}

/// Checks that the answer is the known one, and that its proof is certified.
fn check(level: Level, example: &Example) {
    let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
    let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &|_| {});
    match (engine(level, example).run(&mut cx, &reduced.cfa), example.answer) {
        (Ok(Verdict::Safe(proof)), Answer::Safe) => {
            let proof = lift_proof(&reduced.lift, proof);
            let checked = check_proof(&example.pool, &example.cfa, &proof, &Interrupt::default());
            assert!(checked.is_ok(), "{level:?} {}: {checked:?}", example.name);
        }
        (Ok(Verdict::Unsafe(trace)), Answer::Unsafe(n)) => assert!(n <= trace.cycles.len(), "{}", example.name),
        (other, expected) => unreachable!("{level:?} {}: {other:?} instead of {expected:?}", example.name),
    }
}

#[test]
fn examples_get_the_answer_that_is_known() {
    let more = [saturating(30_000, 30_001), wrapping(1_000, 1_001), saturating(40, 40)];
    for example in all().into_iter().chain(more) {
        for level in BOTH {
            check(level, &example);
        }
    }
}

#[test]
fn stopped_by_its_deadline_it_goes_on_where_it_was() {
    let example = by_name("wrapping", true);
    let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
    for level in BOTH {
        let mut cx = Ctx::new(reduced.pool.clone(), Interrupt::default(), &|_| {});
        let mut pdr = engine(level, &example);
        for _ in 0..3 {
            cx.interrupt.deadline = Some(std::time::Instant::now());
            assert!(matches!(pdr.run(&mut cx, &reduced.cfa), Err(Stop::Reason(_))));
        }
        cx.interrupt.deadline = None;
        assert!(matches!(pdr.run(&mut cx, &reduced.cfa), Ok(Verdict::Safe(_))));
    }
}

#[test]
fn facts_of_others_are_used_and_stand_in_the_proof() {
    let example = wrapping(4, 7);
    let head = example.cfa.head;
    let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
    for level in BOTH {
        let mut cx = Ctx::new(reduced.pool.clone(), Interrupt::default(), &|_| {});
        cx.board = Arc::new(Board::new(&cx.pool));
        let (c, four) = (cx.pool.var(example.cfa.vars[0]), cx.pool.constant(Value::int(16, 4)));
        let fact = cx.pool.bv_cmp(BvCmp::Ule, c, four);
        assert!(cx.board.publish(&cx.pool, "test", &BTreeMap::from([(head, vec![fact])])));
        let Ok(Verdict::Safe(proof)) = engine(level, &example).run(&mut cx, &reduced.cfa) else { unreachable!() };
        let Argument::Inductive(map) = &proof.argument else { unreachable!() };
        assert_eq!(map[&head], fact, "{}", proof.pool.show(map[&head]));
        assert!(check_proof(&example.pool, &example.cfa, &proof, &Interrupt::default()).is_ok());
    }
}

/// Returns `IF x < top THEN x := x + 1`, `x < bad` always, of mathematical integers.
fn whole(top: i128, bad: i128) -> Example {
    let mut b = Builder::new();
    let x = b.var("x", Value::Int(0));
    let (e, one, top_e, bad_e) = (b.v(x), b.pool.int_const(1), b.pool.int_const(top), b.pool.int_const(bad));
    let (low, next) = (b.pool.int_cmp(IntCmp::Lt, e, top_e), b.pool.int(IntBin::Add, e, one));
    let end = b.when(b.cfa.head, low, Op::Assign(x, next));
    let is_bad = b.pool.int_cmp(IntCmp::Le, bad_e, e);
    b.close(end, is_bad);
    Example {
        name: "whole",
        pool: b.pool,
        cfa: b.cfa,
        answer: if top < bad { Answer::Safe } else { Answer::Unsafe(bad as usize) },
    }
}

/// Returns a level that an input changes by a tenth of it, kept between 0 and 100. NaN passes every limit.
fn level_of_float(guarded: bool) -> Example {
    let mut b = Builder::new();
    let f = |v: f32| Value::f32(v);
    let (level, flow) = (b.var("level", f(50.0)), b.var("flow", f(0.0)));
    let l = b.then(b.cfa.head, Op::Havoc(flow));
    let (x, in_e) = (b.v(level), b.v(flow));
    let [zero, tenth, full] = [0.0, 0.1, 100.0].map(|v| b.pool.constant(f(v)));
    let in_e = b.pool.fp(FpBin::Mul, in_e, tenth);
    let sum = b.pool.fp(FpBin::Add, x, in_e);
    let l = b.then(l, Op::Assign(level, sum));
    let low = b.pool.fp_cmp(FpCmp::Le, zero, x);
    let low = b.pool.not(low);
    let l = if guarded {
        b.when(l, low, Op::Assign(level, zero))
    } else {
        let low = b.pool.fp_cmp(FpCmp::Lt, x, zero);
        b.when(l, low, Op::Assign(level, zero))
    };
    let high = b.pool.fp_cmp(FpCmp::Lt, full, x);
    let l = b.when(l, high, Op::Assign(level, full));
    let good = b.pool.fp_cmp(FpCmp::Le, x, full);
    let bad = b.pool.not(good);
    b.close(l, bad);
    assert_eq!(b.pool.float(x), FloatSort::F32);
    Example { name: "level", pool: b.pool, cfa: b.cfa, answer: if guarded { Answer::Safe } else { Answer::Unsafe(1) } }
}

/// Returns an example in which `x` of 32 bits is squared while it is small: `IF x < 50 THEN x := x * x + 2`; never 7.
fn squares(bad: i128) -> Example {
    let mut b = Builder::new();
    let x = b.var("x", Value::int(32, 2));
    let (e, two) = (b.v(x), b.n(32, 2));
    let square = b.pool.bv(BvBin::Mul, e, e);
    let next = b.pool.bv(BvBin::Add, square, two);
    let low = b.less(x, 50);
    let end = b.when(b.cfa.head, low, Op::Assign(x, next));
    let is_bad = b.is(x, bad);
    b.close(end, is_bad);
    let answer = if bad == 38 { Answer::Unsafe(2) } else { Answer::Safe };
    Example { name: "squares", pool: b.pool, cfa: b.cfa, answer }
}

#[test]
fn words_decide_integers_and_floats_too() {
    for example in [whole(5, 6), whole(5, 5), whole(1 << 100, (1 << 100) + 1), level_of_float(true), level_of_float(false)] {
        check(Level::Words, &example);
        check(Level::Auto, &example);
        let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
        let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &|_| {});
        let refused = engine(Level::Bits, &example).run(&mut cx, &reduced.cfa);
        assert!(matches!(refused, Err(Stop::Reason(kernel::verdict::Reason::Unsupported(_)))), "{refused:?}");
    }
    for example in [squares(7), squares(38)] {
        check(Level::Words, &example);
    }
}

#[test]
fn cubes_of_bits_become_ranges_of_words() {
    let check = |mask: u128, value: u128| {
        let mut pool = ExprPool::new();
        let x = pool.new_var("x", Sort::BitVec(8));
        let e = pool.var(x);
        let yes = pool.bool(true);
        let parts = Parts {
            next: &[(x, e)],
            initial: &BTreeMap::new(),
            inputs: &[],
            guard: yes,
            bad: {
                let c = pool.constant(Value::bv(8, 3));
                pool.eq(e, c)
            },
        };
        let circuit = Circuit::new(&mut pool, &parts).unwrap();
        let bits = (0..8).filter(|bit| mask >> bit & 1 == 1);
        let cube: Vec<_> = bits.map(|bit| bitblast::StateLit::new(bit, value >> bit & 1 == 1)).collect();
        let outside = bits::ranges::outside(&mut pool, &circuit, &cube);
        for v in 0..256u128 {
            let inside = v & mask == value;
            assert_eq!(pool.eval(outside, &|_| Some(Value::bv(8, v))), Some(Value::Bool(!inside)), "{mask:b} {value:b} {v}");
        }
    };
    check(0xff, 7);
    check(0xf8, 0x40);
    check(0x80, 0x80);
    check(0x80, 0);
    check(0xc0, 0x80);
    check(0x0f, 5);
    check(0x11, 0x10);
}
