//! The law "what small questions show, an explicit search accepts" fails for each fault that is not harmless.

use std::collections::BTreeMap;

use super::super::obligations::fitting;
use super::super::parts::Scope;
use super::super::questions::Questions;
use super::super::random_cases::{case, n_cases};
use super::super::stated::Stated;
use super::super::{Asked, inductive};
use super::Fault;
use kernel::cfa::{Cfa, Op};
use kernel::expr::{ExprPool, Value};
use kernel::smt::Interrupt;
use kernel::verdict::{Argument, Proof};
use testgen::automata::examples::Builder;
use testgen::automata::execute::proves;

/// Returns an automaton whose cycle adds to a counter, and then ends in one of many ways. The last of them sets another
/// variable to 9. With it comes the claim that one of the two is at most 5, which is wrong.
fn many_ends(is_counter: bool) -> (ExprPool, Cfa, Proof) {
    let mut b = Builder::new();
    let (n, last, way) = (b.var("n", Value::int(8, 0)), b.var("last", Value::int(8, 0)), b.var("way", Value::int(8, 0)));
    let (more, nine, head) = (b.plus(n, 1), b.n(8, 9), b.cfa.head);
    let any = b.then(head, Op::Havoc(way));
    let (same, zero) = (b.v(n), b.n(8, 0));
    let mut at = b.then(any, Op::Assign(n, more));
    for _ in 0..4 {
        at = b.then(at, Op::Assign(n, same));
    }
    let way_out = if is_counter { Op::Assign(n, same) } else { Op::Assign(last, zero) };
    for i in 1..8 {
        let here = b.less(way, i);
        let other = b.pool.not(here);
        let end = b.then(at, Op::Assume(here));
        b.edge(end, head, way_out.clone());
        at = b.then(at, Op::Assume(other));
    }
    b.edge(at, head, Op::Assign(last, nine));
    let claim = if is_counter { b.less(n, 6) } else { b.less(last, 6) };
    let bad = b.pool.not(claim);
    b.edge(head, b.cfa.error, Op::Assume(bad));
    let proof = Proof { pool: b.pool.clone(), argument: Argument::Inductive(BTreeMap::from([(head, claim)])) };
    (b.pool, b.cfa, proof)
}

#[test]
fn faults_of_pieces_let_a_wrong_proof_pass() {
    for (fault, is_counter) in [(Fault::ForgottenChange, true), (Fault::ForgottenPiece, false)] {
        let (pool, cfa, proof) = many_ends(is_counter);
        let stated = Stated::of(&pool, &cfa, &proof).unwrap();
        let automaton = fitting(&pool, &cfa, &stated).unwrap();
        let passes = |fault: Option<Fault>| {
            let questions = Questions { fault, ..Questions::new(&automaton, &stated) };
            inductive::ask(&questions, Scope::All, Asked::Cvc5, &Interrupt::default()).is_ok()
        };
        assert!(passes(Some(fault)) && !passes(None), "{fault:?}");
    }
}

/// Returns the numbers of wrong proofs that pass with a fault, and of right proofs that do not.
fn noticed(fault: Fault) -> (usize, usize) {
    let (mut n_passed, mut n_refused) = (0, 0);
    for seed in 0..n_cases() / 2 {
        let (pool, cfa, proof) = case(seed);
        let stated = Stated::of(&pool, &cfa, &proof).unwrap();
        let automaton = fitting(&pool, &cfa, &stated).unwrap();
        let questions = Questions { fault: Some(fault), ..Questions::new(&automaton, &stated) };
        let is_right = proves(&pool, &cfa, &proof).is_ok();
        let scope = if fault == Fault::ForgottenPart { Scope::Needed } else { Scope::All };
        match inductive::ask(&questions, scope, Asked::Cvc5, &Interrupt::default()) {
            Ok(divided) => n_passed += usize::from(proves(&pool, &cfa, &divided.needed.restrict(proof)).is_err()),
            Err(_) => n_refused += usize::from(is_right),
        }
    }
    (n_passed, n_refused)
}

#[test]
fn law_of_small_questions_notices_faults_of_the_slicer() {
    for fault in Fault::ALL {
        let (n_passed, n_refused) = noticed(fault);
        println!("{fault:?}: {n_passed} wrong proofs pass, {n_refused} right ones are refused");
        if fault.is_harmless() {
            assert!(n_passed == 0 && 0 < n_refused, "{fault:?}: {n_passed} pass, {n_refused} refused");
        } else {
            assert!(0 < n_passed, "{fault:?} is not noticed");
        }
    }
}
