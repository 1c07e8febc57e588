//! PDR on automata of known answer and on programs; what it says is certified elsewhere.

use std::sync::Arc;

use super::super::examples::{Answer, all, by_name, saturating, wrapping};
use super::super::exchange::Board;
use super::*;
use crate::cfa::pass::{Encoding, reduce};
use crate::expr::Sort;
use crate::expr::{BvCmp, Value};
use crate::smt::Interrupt;
use crate::verdict::Argument;
use crate::verdict::inductive::check_proof;
use crate::verdict::lift::lift_proof;

fn engine() -> Pdr {
    Pdr::new(Effort { blocked: 3, depth: 1 })
}

#[test]
fn examples_get_the_answer_that_is_known() {
    let more = [saturating(30_000, 30_001), wrapping(1_000, 1_001), saturating(40, 40)];
    for example in all().into_iter().chain(more) {
        let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
        let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &|_| {});
        match (engine().run(&mut cx, &reduced.cfa), example.answer) {
            (Ok(Verdict::Safe(proof)), Answer::Safe) => {
                let proof = lift_proof(&reduced.lift, proof);
                let checked = check_proof(&example.pool, &example.cfa, &proof, &Interrupt::default());
                assert!(checked.is_ok(), "{}: {checked:?}", example.name);
            }
            (Ok(Verdict::Unsafe(trace)), Answer::Unsafe(n)) => assert!(n <= trace.cycles.len(), "{}", example.name),
            (other, expected) => unreachable!("{}: {other:?} instead of {expected:?}", example.name),
        }
    }
}

#[test]
fn stopped_by_its_deadline_it_goes_on_where_it_was() {
    let example = by_name("wrapping", true);
    let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
    let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &|_| {});
    let mut pdr = engine();
    for _ in 0..3 {
        cx.interrupt.deadline = Some(std::time::Instant::now());
        assert!(matches!(pdr.run(&mut cx, &reduced.cfa), Err(Stop::Reason(_))));
    }
    cx.interrupt.deadline = None;
    assert!(matches!(pdr.run(&mut cx, &reduced.cfa), Ok(Verdict::Safe(_))));
}

#[test]
fn facts_of_others_are_used_and_stand_in_the_proof() {
    let example = wrapping(4, 7);
    let head = example.cfa.head;
    let reduced = reduce(&example.pool, &example.cfa, Encoding::Lbe);
    let mut cx = Ctx::new(reduced.pool, Interrupt::default(), &|_| {});
    cx.board = Arc::new(Board::new(&cx.pool));
    let (c, four) = (cx.pool.var(example.cfa.vars[0]), cx.pool.constant(Value::int(16, 4)));
    let fact = cx.pool.bv_cmp(BvCmp::Ule, c, four);
    assert!(cx.board.publish(&cx.pool, "test", &BTreeMap::from([(head, vec![fact])])));
    let mut state = State::new(&mut cx, &reduced.cfa).unwrap();
    state.listen(&mut cx).unwrap();
    let Ok(Verdict::Safe(proof)) = engine().search(&mut cx, &reduced.cfa, &mut state) else { unreachable!() };
    let Argument::Inductive(map) = &proof.argument else { unreachable!() };
    assert_eq!(map[&head], fact, "{}", proof.pool.show(map[&head]));
    assert!(check_proof(&example.pool, &example.cfa, &proof, &Interrupt::default()).is_ok());
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
        let cube: Cube = bits.map(|bit| bitblast::StateLit::new(bit, value >> bit & 1 == 1)).collect();
        let outside = words::outside(&mut pool, &circuit, &cube);
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
