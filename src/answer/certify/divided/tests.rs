//! Questions are few, and no longer than their paths need.

use std::collections::BTreeMap;

use super::super::check_proof;
use kernel::cfa::{LocId, Op};
use kernel::expr::{Sort, Value, VarId};
use kernel::smt::Interrupt;
use kernel::verdict::{Argument, Proof};
use testgen::automata::examples::Builder;

/// Leads to the error location where the variable is 6 or more, by an edge without a guard.
fn check(b: &mut Builder, at: LocId, var: VarId) -> LocId {
    let good = b.less(var, 6);
    let bad = b.pool.not(good);
    let wrong = b.then(at, Op::Assume(bad));
    b.edge(wrong, b.cfa.error, Op::Skip);
    b.then(at, Op::Assume(good))
}

/// Returns the scripts that show the safety of a cycle with this many branches, which do not matter, and then checks.
fn safety(n_branches: usize, n_checks: usize) -> String {
    let mut b = Builder::new();
    let x = b.var("x", Value::int(8, 5));
    let mut at = b.cfa.head;
    for i in 0..n_branches {
        let (input, output) = (b.input(&format!("input {i}"), Sort::Bool), b.var(&format!("output {i}"), Value::int(8, 0)));
        let (condition, one) = (b.v(input), b.n(8, 1));
        at = b.when(at, condition, Op::Assign(output, one));
    }
    for _ in 0..n_checks {
        at = check(&mut b, at, x);
    }
    b.edge(at, b.cfa.head, Op::Skip);
    let below = b.less(x, 6);
    let proof = Proof { pool: b.pool.clone(), argument: Argument::Inductive(BTreeMap::from([(b.cfa.head, below)])) };
    let mut obligations = check_proof(&b.pool, &b.cfa, &proof, &Interrupt::default()).unwrap();
    obligations.retain(|obligation| obligation.name == "safety");
    obligations.remove(0).script
}

#[test]
fn checks_on_one_way_are_one_question() {
    let questions = |script: &str| script.matches("(check-sat)").count();
    assert_eq!((questions(&safety(0, 1)), questions(&safety(0, 20))), (1, 1));
    // Linear in the number of checks, not quadratic.
    let length = |n: usize| safety(0, n).len();
    assert!(2 * (length(40) - length(20)) < 5 * (length(20) - length(10)));
}

#[test]
fn branches_before_an_edge_without_a_guard_are_left_out() {
    assert_eq!(safety(0, 3).len(), safety(30, 3).len());
}

#[test]
fn every_check_of_a_question_counts() {
    let mut b = Builder::new();
    let (x, y) = (b.var("x", Value::int(8, 5)), b.var("y", Value::int(8, 5)));
    let head = b.cfa.head;
    let first = check(&mut b, head, x);
    let (sum, both) = (b.plus(x, 1), b.less(x, 6));
    let more = b.then(first, Op::Assign(y, sum));
    let last = check(&mut b, more, y);
    let end = check(&mut b, last, x);
    b.edge(end, b.cfa.head, Op::Skip);
    // The second check fails: y is 6.
    let proof = Proof { pool: b.pool.clone(), argument: Argument::Inductive(BTreeMap::from([(b.cfa.head, both)])) };
    assert!(check_proof(&b.pool, &b.cfa, &proof, &Interrupt::default()).is_err());
}

#[test]
fn many_facts_about_a_short_cycle_are_one_question() {
    let mut b = Builder::new();
    let x = b.var("x", Value::int(8, 0));
    let (few, next) = (b.less(x, 5), b.plus(x, 1));
    let end = b.when(b.cfa.head, few, Op::Assign(x, next));
    let end = check(&mut b, end, x);
    b.edge(end, b.cfa.head, Op::Skip);
    let facts: Vec<_> = (6..30).map(|n| b.less(x, n)).collect();
    let invariant = b.pool.and_all(facts);
    let proof = Proof { pool: b.pool.clone(), argument: Argument::Inductive(BTreeMap::from([(b.cfa.head, invariant)])) };
    let obligations = check_proof(&b.pool, &b.cfa, &proof, &Interrupt::default()).unwrap();
    let consecution = obligations.iter().find(|obligation| obligation.name == "consecution").unwrap();
    assert_eq!(consecution.script.matches("(check-sat)").count(), 1, "{}", consecution.text);
}
