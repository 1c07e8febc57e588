//! Proofs about paths without repetition: right ones are certified or left, wrong ones are reported.

use std::collections::BTreeMap;

use super::super::mistakes::{Closed, Mistakes};
use super::super::tests::decide_with;
use crate::VerdictWord;
use kernel::cfa::{Cfa, LocKind, Op};
use kernel::expr::{ExprPool, Value};
use kernel::smt::Interrupt;
use kernel::verdict::{Argument, Paths, Proof, Support};
use testgen::automata::examples::Builder;

/// Program whose counter stays below 5; it may stay at 10 for any number of cycles. The rest does not touch it.
const BESIDE: &str = "PROGRAM P
    VAR_INPUT go, other : BOOL; speed : INT; END_VAR
    VAR c, n, last : INT; slow : BOOL; END_VAR
    IF other THEN n := n + 1; ELSE last := speed; END_IF;
    IF n > 7 AND last < 3 THEN slow := TRUE; n := 0; END_IF;
    IF c < 4 THEN IF go THEN c := c + 1; END_IF;
    ELSIF c = 4 THEN c := 0;
    ELSIF c = 10 AND go THEN c := 11; END_IF;
    END_PROGRAM";

#[test]
fn proofs_without_repetition_are_certified_beside_unrelated_state() {
    let yaml = "requirements:\n  - id: one\n    never: c = 11\n";
    let row = |engine: &str, options: &[(&str, &str)]| {
        let options = options.iter().map(|(name, word)| ((*name).to_owned(), (*word).to_owned())).collect();
        let decision = decide_with(BESIDE, yaml, Some(engine), &options);
        assert_eq!((decision.word, decision.reason), (VerdictWord::Holds, None), "{engine} {options:?}");
    };
    row("k-induction", &[("paths", "simple"), ("auxiliary", "off")]);
    row("bmc", &[("forward", "simple")]);
}

/// Returns an automaton that is wrong from a variable that never gets TRUE, and for a counter that wraps after `top`.
fn never(top: i128, bad: i128) -> (ExprPool, Cfa) {
    let mut b = Builder::new();
    let (never, counter) = (b.var("never", Value::Bool(false)), b.var("c", Value::int(16, 0)));
    let (at_top, next) = (b.is(counter, top), b.plus(counter, 1));
    let (not_at_top, zero) = (b.pool.not(at_top), b.n(16, 0));
    let high = b.then(b.cfa.head, Op::Assume(at_top));
    let low = b.then(b.cfa.head, Op::Assume(not_at_top));
    let end = b.loc(LocKind::Inner);
    b.edge(high, end, Op::Assign(counter, zero));
    b.edge(low, end, Op::Assign(counter, next));
    let (is_bad, never) = (b.is(counter, bad), b.v(never));
    let bad = b.pool.or(is_bad, never);
    b.close(end, bad);
    (b.pool, b.cfa)
}

/// Returns whether a proof by `k` cycles without repetition is reported as a mistake.
fn is_reported((pool, cfa): &(ExprPool, Cfa), k: u32) -> bool {
    let mut of_proof = pool.clone();
    let invariants = BTreeMap::from([(cfa.head, of_proof.bool(true))]);
    let argument = Argument::KInductive { k, invariants, support: Support::Alone, paths: Paths::Simple };
    let mistakes = Mistakes::default();
    mistakes.proof("engine", (pool, cfa), Proof { pool: of_proof, argument }, &Interrupt::default());
    matches!(mistakes.close(None), Closed::Contradiction(_))
}

#[test]
fn refused_step_is_a_mistake_unless_it_is_right_of_the_reduced_automaton() {
    // The state before 7 is 6, before it 5; nothing comes to 5 but 4, and 4 is followed by 0.
    let safe = never(4, 7);
    assert!(!is_reported(&safe, 3), "a proof that is too weak for the unreduced automaton");
    assert!(is_reported(&safe, 1), "a wrong step");
    // 7 is reached after seven cycles.
    let wrong = never(9, 7);
    assert!(is_reported(&wrong, 3), "a wrong step of a wrong claim");
    assert!(is_reported(&wrong, 8), "a wrong base");
}
