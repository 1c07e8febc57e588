//! The law "what small questions show, an explicit search accepts" fails for each fault that is not harmless.

use super::super::obligations::fitting;
use super::super::parts::Scope;
use super::super::questions::Questions;
use super::super::random_cases::{case, n_cases};
use super::super::stated::Stated;
use super::super::{Asked, inductive};
use super::Fault;
use kernel::smt::Interrupt;
use testgen::automata::execute::proves;

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
