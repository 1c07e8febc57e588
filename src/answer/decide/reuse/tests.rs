//! Changes between two versions, and the answers after them: never a stale one.

use std::time::{Duration, Instant};

use crate::VerdictWord::{self, Holds, Violated};
use crate::certificate::StoredEvidence;
use crate::decide::{Decision, Request, Search, decide};
use kernel::cfa::model::{ModelOptions, build};
use kernel::context::default_solvers;
use kernel::smt::Interrupt;
use testgen::stated::Stated;

/// Decides the first claim of a requirement file, for a cycle time in milliseconds.
fn ask(program: &str, yaml: &str, cycle_ms: (u32, u32), earlier: Option<&StoredEvidence>) -> Decision {
    let stated = Stated::new(program, yaml);
    let options = ModelOptions { dt_min_ms: cycle_ms.0, dt_max_ms: cycle_ms.1, ..ModelOptions::default() };
    let model = build(&stated.loaded.project, &options).unwrap();
    let interrupt = Interrupt { deadline: Some(Instant::now() + Duration::from_secs(60)), ..Interrupt::default() };
    let solvers = default_solvers();
    let request = Request {
        loaded: &stated.loaded,
        model: &model,
        claim: &stated.claims[0],
        assumptions: &stated.assumptions,
        search: Search::new(&interrupt, &solvers),
        earlier,
        shared: None,
    };
    decide(&request).unwrap()
}

const CYCLE: (u32, u32) = (100, 100);

/// Returns the evidence of the first version, through the form in which it is stored.
fn evidence(program: &str, yaml: &str, word: VerdictWord) -> StoredEvidence {
    let decision = ask(program, yaml, CYCLE, None);
    assert_eq!((decision.word, decision.reused), (word, false), "{:?}", decision.reason);
    let json = serde_json::to_string(&decision.stored.unwrap()).unwrap();
    serde_json::from_str(&json).unwrap()
}

#[derive(Debug, PartialEq)]
enum How {
    Reused,
    Anew,
}

fn check(earlier: &StoredEvidence, program: &str, yaml: &str, cycle_ms: (u32, u32), expected: (VerdictWord, How)) {
    let decision = ask(program, yaml, cycle_ms, Some(earlier));
    let how = if decision.reused { How::Reused } else { How::Anew };
    assert_eq!((decision.word, how), expected, "{program}\n{yaml}: {:?}", decision.reason);
    assert!(decision.certified.is_some() && decision.stored.is_some());
}

const COUNTER: &str = "PROGRAM P
    VAR_INPUT up : BOOL; END_VAR
    VAR_OUTPUT n : INT; END_VAR
    IF up AND n < 10 THEN n := n + 1; END_IF;
    END_PROGRAM";
const BOUNDED: &str = "requirements: [{ always: n <= 10 }]";

/// Returns a proof that needs its invariant; the proof of an engine may not need one.
fn below_ten() -> StoredEvidence {
    about_n("; proof: inductive", "invariant", "(bvsle |P.n@| (_ bv10 16))")
}

/// Returns a proof with one invariant over `n`.
fn about_n(kind: &str, name: &str, term: &str) -> StoredEvidence {
    StoredEvidence::Proof(format!("{kind}\n(define-fun {name} ((|P.n@| (_ BitVec 16))) Bool {term})\n"))
}

#[test]
fn a_proof_counts_again_where_it_still_is_one() {
    let earlier = evidence(COUNTER, BOUNDED, Holds);
    let with = |old: &str, new: &str| COUNTER.replace(old, new);
    let row = |program: &str, expected| check(&earlier, program, BOUNDED, CYCLE, expected);
    row(COUNTER, (Holds, How::Reused));
    row(&with("IF up", "(* only when asked *) IF up"), (Holds, How::Reused));
    row(
        &with("END_PROGRAM", "END_PROGRAM FUNCTION_BLOCK Other VAR x : INT; END_VAR x := x + 1; END_FUNCTION_BLOCK"),
        (Holds, How::Reused),
    );
    row(&with("n : INT;", "n : INT; other : INT;").replace("END_IF;", "END_IF; other := other + 1;"), (Holds, How::Reused));
    // The cone differs, and the old proof is still a proof.
    let by_name = below_ten();
    check(&by_name, COUNTER, BOUNDED, CYCLE, (Holds, How::Reused));
    check(&by_name, &with("n < 10", "n < 10 AND n <> 5"), BOUNDED, CYCLE, (Holds, How::Reused));
    // Another initial value, bound or statement: the old proof fails.
    row(&with("n : INT;", "n : INT := 20;"), (Violated, How::Anew));
    row(&with("n < 10", "n < 20"), (Violated, How::Anew));
    row(&with("n + 1", "n + 7"), (Violated, How::Anew));
    // It is about an INT of this name.
    check(&by_name, &with("n : INT;", "n : DINT;"), BOUNDED, CYCLE, (Holds, How::Anew));
    let renamed = with("n : INT", "m : INT").replace("n < 10", "m < 10").replace("n := n + 1", "m := m + 1");
    check(&by_name, &renamed, "requirements: [{ always: m <= 10 }]", CYCLE, (Holds, How::Anew));
    // Evidence for another requirement.
    check(&earlier, COUNTER, "requirements: [{ id: other, always: n <= 10 }]", CYCLE, (Holds, How::Reused));
    check(&earlier, COUNTER, "requirements: [{ always: n <= 9 }]", CYCLE, (Violated, How::Anew));
}

#[test]
fn a_proof_rests_on_the_assumptions_of_today() {
    let given = "assumptions: [{ expr: NOT up }]\nrequirements: [{ always: n = 0 }]";
    let earlier = evidence(COUNTER, given, Holds);
    check(&earlier, COUNTER, given, CYCLE, (Holds, How::Reused));
    check(&earlier, COUNTER, "requirements: [{ always: n = 0 }]", CYCLE, (Violated, How::Anew));
    check(&earlier, COUNTER, "assumptions: [{ expr: up }]\nrequirements: [{ always: n = 0 }]", CYCLE, (Violated, How::Anew));
}

const TIMER: &str = "PROGRAM P
    VAR_INPUT on : BOOL; END_VAR
    VAR_OUTPUT q : BOOL; END_VAR
    VAR t : TON; n : INT; END_VAR
    t(IN := on, PT := T#300ms);
    q := t.Q;
    IF on THEN IF n < 100 THEN n := n + 1; END_IF; ELSE n := 0; END_IF;
    END_PROGRAM";

#[test]
fn a_proof_depends_on_the_cycle_time() {
    let late = "requirements: [{ if: q, then: n > 3 }]";
    let earlier = evidence(TIMER, late, Holds);
    check(&earlier, TIMER, late, CYCLE, (Holds, How::Reused));
    check(&earlier, TIMER, late, (200, 200), (Violated, How::Anew));
    check(&earlier, TIMER, late, (100, 200), (Violated, How::Anew));
}

#[test]
fn a_run_counts_again_where_it_still_breaks_the_requirement() {
    let never = "requirements: [{ never: q }]";
    let earlier = evidence(TIMER, never, Violated);
    let row = |program: &str, cycle_ms, expected| check(&earlier, program, never, cycle_ms, expected);
    row(TIMER, CYCLE, (Violated, How::Reused));
    row(TIMER, (50, 150), (Violated, How::Reused));
    row(&TIMER.replace("q := t.Q;", "q := t.Q; // ready"), CYCLE, (Violated, How::Reused));
    // 100 ms never pass in one cycle.
    row(TIMER, (200, 200), (Violated, How::Anew));
    row(&TIMER.replace("T#300ms", "T#700ms"), CYCLE, (Violated, How::Anew));
    row(
        &TIMER.replace("on : BOOL", "start : BOOL").replace("IN := on", "IN := start").replace("IF on", "IF start"),
        CYCLE,
        (Violated, How::Anew),
    );
    row(&TIMER.replace("q := t.Q", "q := t.Q AND NOT on"), CYCLE, (Holds, How::Anew));
    check(&earlier, TIMER, "assumptions: [{ expr: NOT on }]\nrequirements: [{ never: q }]", CYCLE, (Holds, How::Anew));
    check(&earlier, TIMER, "requirements: [{ possible: q }]", CYCLE, (Holds, How::Reused));
    check(&earlier, TIMER, "requirements: [{ always: n >= 0 }]", CYCLE, (Holds, How::Anew));
}

#[test]
fn evidence_that_was_tampered_with_is_none() {
    let honest = evidence(COUNTER, BOUNDED, Holds);
    const INDUCTIVE: &str = "; proof: inductive";
    const BY_ONE_STEP: &str = "; proof: k-inductive\n; k: 1\n; invariant-holds: by k steps\n; paths: all";
    let below_ten = "(bvsle |P.n@| (_ bv10 16))";
    let without = |kind: &str| StoredEvidence::Proof(kind.to_owned());
    for forged in [
        about_n(INDUCTIVE, "invariant", "true"),
        about_n(INDUCTIVE, "invariant", "false"),
        about_n(INDUCTIVE, "invariant", "(bvsle |P.n@| (_ bv9 16))"),
        about_n(INDUCTIVE, "invariant", "(bvsle |P.n@| (_ bv10 17))"),
        about_n(INDUCTIVE, "invariant", "|P.n@|"),
        about_n(INDUCTIVE, "invariant", "(bvsle |P.n@| (_ bv10 16)"),
        about_n(INDUCTIVE, "invariant", "x"),
        about_n(INDUCTIVE, "invariant", "(let ((|P.n@| (_ bv0 16))) (bvsle |P.n@| (_ bv10 16)))"),
        about_n(INDUCTIVE, "|invariant loop 1|", below_ten),
        about_n(INDUCTIVE, "|invariant loop 0|", below_ten),
        about_n(INDUCTIVE, "nowhere", "true"),
        about_n("", "invariant", below_ten),
        without(INDUCTIVE),
        without(BY_ONE_STEP),
        about_n(&BY_ONE_STEP.replace("k: 1", "k: 0"), "invariant", "true"),
        about_n(&BY_ONE_STEP.replace("k: 1", "k: 4294967295"), "invariant", "true"),
        about_n(&BY_ONE_STEP.replace("all", "without repetition"), "invariant", "true"),
    ] {
        check(&forged, COUNTER, BOUNDED, CYCLE, (Holds, How::Anew));
        // No evidence proves a program that breaks the requirement.
        let broken = COUNTER.replace("n < 10", "n < 11");
        check(&honest, &broken, BOUNDED, CYCLE, (Violated, How::Anew));
    }
    // The requirement is 1-inductive: so this is a proof of any origin.
    check(&about_n(BY_ONE_STEP, "invariant", "true"), COUNTER, BOUNDED, CYCLE, (Holds, How::Reused));
}

#[test]
fn floats_loops_and_k_survive_being_written_down() {
    let search = "PROGRAM S
        VAR_INPUT key : INT; END_VAR
        VAR data : ARRAY[1..5] OF INT := [3, 1, 4, 1, 5]; i, found : INT; END_VAR
        i := 1; found := 0;
        WHILE i <= 5 AND found = 0 DO IF data[i] = key THEN found := i; END_IF; i := i + 1; END_WHILE;
        END_PROGRAM";
    let level = "PROGRAM L
        VAR_INPUT in : REAL; END_VAR
        VAR_OUTPUT out : REAL := 1.0; END_VAR
        IF in > 0.5 AND in < 20.0 THEN out := in; END_IF;
        END_PROGRAM";
    for (program, yaml) in [
        (search, "requirements: [{ always: found <= 5 }]"),
        (level, "requirements: [{ always: out < 20.0 }]"),
        (TIMER, "requirements: [{ if: q, then: n > 3 }]"),
    ] {
        let earlier = evidence(program, yaml, Holds);
        check(&earlier, program, yaml, CYCLE, (Holds, How::Reused));
    }
}
