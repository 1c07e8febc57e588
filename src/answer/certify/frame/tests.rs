//! Every way to write a variable counts.

use std::collections::BTreeMap;

use super::super::effects::effects;
use super::super::fault::Fault;
use super::super::obligations::fitting;
use super::super::parts::Scope;
use super::super::proof::Rejected;
use super::super::questions::Questions;
use super::super::stated::Stated;
use super::super::summary::case::Case;
use super::super::{Asked, inductive};
use super::*;
use kernel::cfa::{Block, BlockInput, LocId, LocKind, Op};
use kernel::expr::{ExprId, Scalar, Sort, Value};
use kernel::smt::Interrupt;
use kernel::verdict::{Argument, Proof};
use testgen::automata::examples::Builder;

/// An automaton whose cycle does something to `x`, and never anything to `y`; both begin with 0.
struct Cycle {
    b: Builder,
    x: VarId,
    y: VarId,
}

impl Cycle {
    /// `write`: adds the cycle's steps behind the head, and returns the location after them.
    fn new(write: impl FnOnce(&mut Builder, LocId, VarId) -> LocId) -> Cycle {
        let mut b = Builder::new();
        let (x, y) = (b.var("x", Value::int(8, 0)), b.var("y", Value::int(8, 0)));
        let head = b.cfa.head;
        let end = write(&mut b, head, x);
        b.edge(end, head, Op::Skip);
        Cycle { b, x, y }
    }
    fn proof(&mut self) -> Proof {
        let (x, y) = (self.b.is(self.x, 0), self.b.is(self.y, 0));
        let both = self.b.pool.and(x, y);
        Proof { pool: self.b.pool.clone(), argument: Argument::Inductive(BTreeMap::from([(self.b.cfa.head, both)])) }
    }
    /// Returns the obligation that fails for "both stay 0".
    fn refuted(&mut self, fault: Option<Fault>) -> Option<&'static str> {
        let proof = self.proof();
        let stated = Stated::of(&self.b.pool, &self.b.cfa, &proof).unwrap();
        let automaton = fitting(&self.b.pool, &self.b.cfa, &stated).unwrap();
        let questions = Questions { fault, ..Questions::new(&automaton, &stated) };
        match inductive::ask(&questions, Scope::All, Asked::Cvc5, &Interrupt::default()) {
            Ok(divided) => {
                // The part about `y` is no question.
                let scripts: usize = divided.rows.iter().map(|row| row.questions().len()).sum();
                assert!(scripts <= 2, "{scripts}");
                None
            }
            Err(Rejected::Refuted(obligation)) => Some(obligation.name),
            Err(other) => unreachable!("{other:?}"),
        }
    }
}

fn block(b: &mut Builder, updates: impl FnOnce(ExprId) -> Vec<(VarId, ExprId)>) -> Op {
    let input = b.pool.new_var("result", Sort::BitVec(8));
    let value = b.pool.var(input);
    let guard = b.pool.bool(true);
    Op::Block(Box::new(Block { guard, updates: updates(value), inputs: vec![BlockInput { var: input, origin: None }] }))
}

/// Writes `x` in one way.
type Write = fn(&mut Builder, LocId, VarId) -> LocId;

const WRITES: [(Write, Fault); 6] = [
    (
        |b, at, x| {
            let more = b.plus(x, 1);
            b.then(at, Op::Assign(x, more))
        },
        Fault::ForgottenWrite,
    ),
    (|b, at, x| b.then(at, Op::Havoc(x)), Fault::ForgottenHavoc),
    // The result of a call.
    (
        |b, at, x| {
            let op = block(b, |result| vec![(x, result)]);
            b.then(at, op)
        },
        Fault::ForgottenWrite,
    ),
    // A byte of a word that is viewed as two.
    (
        |b, at, x| {
            let (old, byte) = (b.v(x), b.n(4, 7));
            let high = b.pool.extract(7, 4, old);
            let view = b.pool.concat(high, byte);
            b.then(at, Op::Assign(x, view))
        },
        Fault::ForgottenWrite,
    ),
    // On one of two ways.
    (
        |b, at, x| {
            let choice = b.input("choice", Sort::Bool);
            let (condition, more) = (b.v(choice), b.plus(x, 1));
            let at = b.then(at, Op::Havoc(choice));
            b.when(at, condition, Op::Assign(x, more))
        },
        Fault::ForgottenWrite,
    ),
    // In a loop without a place.
    (
        |b, at, x| {
            let (head, more) = (b.loc(LocKind::LoopHead), b.plus(x, 1));
            b.edge(at, head, Op::Skip);
            b.edge(head, head, Op::Assign(x, more));
            b.then(head, Op::Skip)
        },
        Fault::ForgottenLoop,
    ),
];

#[test]
fn every_write_counts() {
    for (n, (write, fault)) in WRITES.into_iter().enumerate() {
        assert_eq!(Cycle::new(write).refuted(None), Some("consecution"), "write {n}");
        assert_eq!(Cycle::new(write).refuted(Some(fault)), None, "write {n}: {fault:?} is not noticed");
    }
    assert_eq!(Cycle::new(|b, at, _| b.then(at, Op::Skip)).refuted(None), None);
}

#[test]
fn element_of_an_array_is_a_write_of_the_array() {
    let mut array = None;
    let cycle = Cycle::new(|b, at, x| {
        let a = b.input("a", Sort::Array(Scalar::BitVec(8), Scalar::BitVec(8)));
        let (old, index, value) = (b.v(a), b.v(x), b.n(8, 1));
        let new = b.pool.store(old, index, value);
        array = Some(a);
        b.then(at, Op::Assign(a, new))
    });
    let Cycle { b, x, .. } = cycle;
    let places = BTreeSet::from([b.cfa.head]);
    let automaton = super::super::automaton::Automaton::new(&b.pool, &b.cfa, &places).unwrap();
    let region = Region::of(&automaton, b.cfa.head);
    let of_var = BTreeMap::from([(x, vec![0, 2]), (array.unwrap(), vec![1, 2])]);
    assert_eq!(touched(&region, &effects(&automaton), &of_var, None), [1, 2].into_iter().collect());
}

#[test]
fn part_that_holds_at_one_end_only_is_no_frame() {
    // `x` is 1 at the loop, and 0 at the head. Nothing between them writes `y`.
    let mut b = Builder::new();
    let (x, y) = (b.var("x", Value::int(8, 0)), b.input("y", Sort::BitVec(8)));
    let (head, place, one, zero) = (b.cfa.head, b.loc(LocKind::LoopHead), b.n(8, 1), b.n(8, 0));
    b.edge(head, place, Op::Assign(x, one));
    b.edge(place, head, Op::Assign(x, zero));
    let (is_one, is_zero, of_y) = (b.is(x, 1), b.is(x, 0), b.is(y, 0));
    let check = |at_head: Vec<ExprId>, at_place: Vec<ExprId>| {
        let mut pool = b.pool.clone();
        let (at_head, at_place) = (pool.and_all(at_head), pool.and_all(at_place));
        let proof = Proof { pool, argument: Argument::Inductive(BTreeMap::from([(head, at_head), (place, at_place)])) };
        match super::super::check_proof(&b.pool, &b.cfa, &proof, &Interrupt::default()) {
            Ok(_) => "holds",
            Err(Rejected::Refuted(obligation)) => obligation.name,
            Err(other) => unreachable!("{other:?}"),
        }
    };
    assert_eq!(check(vec![is_zero], vec![is_one]), "holds");
    assert_eq!(check(vec![is_zero], vec![is_one, is_zero]), "consecution");
    assert_eq!(check(vec![is_zero], vec![is_one, of_y]), "consecution");
    // Frames alone prove nothing: the part has to hold at the start.
    assert_eq!(check(vec![is_zero, of_y], vec![is_one, of_y]), "initiation");
}

#[test]
fn kept_call_writes_what_its_function_writes() {
    // `Calls` is 1 from the second cycle on, and nothing in the cycle assigns it but the call.
    let case = Case::new(
        "VAR_GLOBAL Calls : DINT; END_VAR
        FUNCTION Down : DINT
        VAR_INPUT n : DINT; END_VAR
        VAR_EXTERNAL Calls : DINT; END_VAR
        Calls := 1;
        IF n > 0 THEN Down := Down(n - 1); END_IF;
        END_FUNCTION
        PROGRAM Main
        VAR_INPUT x : DINT; END_VAR
        VAR_OUTPUT y : DINT; Seen : DINT; END_VAR
        VAR_EXTERNAL Calls : DINT; END_VAR
        Seen := Calls;
        y := Down(x);
        END_PROGRAM",
        "{dialect: codesys, requirements: [{ always: Seen = 0 }]}",
    );
    let mut pool = case.pool.clone();
    let (yes, calls) = (pool.bool(true), pool.var(case.state("Calls").0));
    let zero = pool.constant(Value::bv(32, 0));
    let never = pool.eq(calls, zero);
    let Proof { pool, argument: Argument::Inductive(mut invariants) } = case.proof(pool, yes, yes) else { unreachable!() };
    invariants.insert(case.cfa.head, never);
    let proof = Proof { pool, argument: Argument::Inductive(invariants) };
    let (cfa, proof) = super::super::summary::closed(&case.pool, &case.cfa, &proof).unwrap().unwrap();
    let stated = Stated::of(&proof.pool, &cfa, &proof).unwrap();
    let automaton = fitting(&proof.pool, &cfa, &stated).unwrap();
    let refuted = |fault| {
        let questions = Questions { fault, ..Questions::new(&automaton, &stated) };
        match inductive::ask(&questions, Scope::All, Asked::Cvc5, &Interrupt::default()) {
            Ok(_) => None,
            Err(Rejected::Refuted(obligation)) => Some(obligation.name),
            Err(other) => unreachable!("{other:?}"),
        }
    };
    assert_eq!(refuted(None), Some("consecution"));
    // A frame rule that forgets the results of calls lets the wrong proof pass.
    assert_eq!(refuted(Some(Fault::ForgottenWrite)), None);
}
