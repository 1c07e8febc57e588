//! Recursive programs of the thesis and others: proofs that hold at any depth, certified, and violations.

mod many;

use std::time::{Duration, Instant};

use answer::certify::check_proof;
use kernel::cfa::pass::{Encoding, reduce};
use kernel::cfa::{ModelOptions, RecursiveCalls, build};
use kernel::context::{Ctx, Stop, default_solvers};
use kernel::property::instrument::instrument;
use kernel::smt::Interrupt;
use kernel::verdict::{Verdict, lift_proof};
use testgen::programs::recursive_values;
use testgen::stated::Stated;

use crate::engine::{ENGINES, configure};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Safe,
    Unsafe,
}

/// Decides the first claim about a program with an engine. A proof is certified on the unreduced automaton.
///
/// Returns `None` if it has no answer in this many seconds.
fn decide(
    stated: &Stated,
    recursive_calls: RecursiveCalls,
    engine: &str,
    settings: &[(&str, &str)],
    seconds: u64,
) -> Option<Expected> {
    let model = build(&stated.loaded.project, &ModelOptions { recursive_calls, ..ModelOptions::default() }).unwrap();
    let question = instrument(&stated.loaded.project, &model, &stated.claims[0], &stated.assumptions).unwrap();
    let cfa = question.strict_cfa();
    let encoding = if engine == "bam" { Encoding::LbeWithCalls } else { Encoding::Lbe };
    let reduced = reduce(&question.pool, &cfa, encoding);
    let interrupt = Interrupt { deadline: Some(Instant::now() + Duration::from_secs(seconds)), ..Interrupt::default() };
    let solvers = default_solvers()(&reduced.pool, &reduced.cfa);
    let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let mut engine = configure(ENGINES, engine, &settings, &solvers).unwrap();
    let answer = engine.run(&mut Ctx::new(reduced.pool.clone(), interrupt, &|_| {}), &reduced.cfa);
    if let Err(Stop::Reason(_)) = answer {
        return None;
    }
    match answer.unwrap() {
        Verdict::Safe(proof) => {
            let lifted = lift_proof(&reduced.lift, proof);
            let checked = check_proof(&question.pool, &cfa, &lifted, &Interrupt::default());
            assert!(checked.is_ok(), "{settings:?}: {checked:?}");
            Some(Expected::Safe)
        }
        Verdict::Unsafe(_) => Some(Expected::Unsafe),
        Verdict::Unknown(_) => None,
    }
}

/// Decides the first claim about a program with kept calls.
fn answered(stated: &Stated, domain: &str) -> Expected {
    decide(stated, RecursiveCalls::Kept, "bam", &[("domain", domain)], 60).unwrap_or_else(|| panic!("{domain}"))
}

fn expect(program: &str, requirement: &str, domain: &str, expected: Expected) {
    let stated = Stated::new(program, &format!("{{dialect: codesys, requirements: [{requirement}]}}"));
    assert_eq!(answered(&stated, domain), expected, "{requirement} {domain}\n{program}");
}

/// Returns a program with functions and a body with one input.
fn program(functions: &str, body: &str) -> String {
    format!("{functions} PROGRAM Main VAR_INPUT a : DINT; END_VAR VAR_OUTPUT b : DINT; c : DINT; END_VAR {body} END_PROGRAM")
}

/// Figs. 1.2, 3.1 and 4.4 of the thesis have this function.
const COUNT: &str = "FUNCTION f : DINT VAR_INPUT x : DINT; END_VAR VAR tmp : DINT; END_VAR
    IF x <= 0 THEN f := 0; ELSE tmp := f(x - 1); f := tmp + 1; END_IF; END_FUNCTION";

#[test]
fn fig_3_1_reaches_its_error_in_the_second_call() {
    for domain in ["PRED_BOOL", "EXPL"] {
        expect(&program(COUNT, "b := f(LIMIT(-1, a, 3));"), "{ never: b = 1 }", domain, Expected::Unsafe);
    }
}

#[test]
fn fig_4_4_is_safe_by_values_and_by_predicates() {
    for domain in ["EXPL", "PRED_BOOL", "PRED_CART", "EXPL_PRED_BOOL"] {
        expect(&program(COUNT, "b := f(2);"), "{ always: b = 2 }", domain, Expected::Safe);
    }
}

#[test]
fn mc_carthys_function_is_proved_for_all_arguments() {
    let functions = "FUNCTION M : DINT VAR_INPUT n : DINT; END_VAR
        IF n > 100 THEN M := n - 10; ELSE M := M(M(n + 11)); END_IF; END_FUNCTION";
    let text = program(functions, "b := 91; IF a <= 100 AND a > -1000 THEN b := M(a); END_IF;");
    expect(&text, "{ always: b = 91 }", "PRED_BOOL", Expected::Safe);
    expect(&text, "{ never: b = 91 }", "PRED_BOOL", Expected::Unsafe);
}

#[test]
fn two_calls_on_one_way_need_no_copies() {
    let functions = "FUNCTION Fib : DINT VAR_INPUT n : DINT; END_VAR VAR one : DINT; two : DINT; END_VAR
        IF n < 2 THEN Fib := 1; ELSE one := Fib(n - 1); two := Fib(n - 2); Fib := MIN(one + two, 1000); END_IF; END_FUNCTION";
    let text = program(functions, "b := Fib(a);");
    expect(&text, "{ always: b >= 1 AND b <= 1000 }", "PRED_BOOL", Expected::Safe);
    expect(&text, "{ never: b = 3 }", "PRED_BOOL", Expected::Unsafe);
}

#[test]
fn ackermanns_function_is_computed_by_values() {
    let functions = "FUNCTION A : DINT VAR_INPUT m : DINT; n : DINT; END_VAR
        IF m <= 0 THEN A := n + 1;
        ELSIF n <= 0 THEN A := A(m - 1, 1);
        ELSE A := A(m - 1, A(m, n - 1)); END_IF; END_FUNCTION";
    expect(&program(functions, "b := A(2, 2);"), "{ always: b = 7 }", "EXPL", Expected::Safe);
}

#[test]
fn functions_that_call_each_other_share_globals() {
    let functions = "VAR_GLOBAL Odds : DINT; END_VAR
        FUNCTION Even : BOOL VAR_INPUT n : DINT; END_VAR
        IF n <= 0 THEN Even := TRUE; ELSE Even := Odd(n - 1); END_IF; END_FUNCTION
        FUNCTION Odd : BOOL VAR_INPUT n : DINT; END_VAR VAR_EXTERNAL Odds : DINT; END_VAR
        Odds := 1;
        IF n <= 0 THEN Odd := FALSE; ELSE Odd := Even(n - 1); END_IF; END_FUNCTION
        PROGRAM Main VAR_INPUT a : DINT; END_VAR VAR_OUTPUT b : BOOL; c : DINT; END_VAR VAR_EXTERNAL Odds : DINT; END_VAR
        Odds := 0; b := Even(a); c := Odds; END_PROGRAM";
    for domain in ["PRED_BOOL", "EXPL_PRED_BOOL"] {
        expect(functions, "{ if: a > 0, then: c = 1 }", domain, Expected::Safe);
        expect(functions, "{ if: a <= 0, then: c = 0 }", domain, Expected::Safe);
        expect(functions, "{ if: a > 2, then: b }", domain, Expected::Unsafe);
    }
}

#[test]
fn a_function_that_never_returns_reaches_nothing_after_it() {
    let functions = "FUNCTION f : DINT VAR_INPUT x : DINT; END_VAR f := f(x + 1); END_FUNCTION";
    let text = program(functions, "b := 0; IF a > 3 THEN b := f(a); b := 1; END_IF;");
    for domain in ["PRED_BOOL", "EXPL"] {
        expect(&text, "{ always: b = 0 }", domain, Expected::Safe);
    }
}

#[test]
fn a_fault_inside_of_a_call_is_found_and_excluded() {
    let divide = |least: &str| {
        let functions = format!(
            "FUNCTION f : DINT VAR_INPUT x : DINT; END_VAR VAR tmp : DINT; END_VAR
            tmp := 100 / x; IF x > {least} THEN tmp := f(x - 1); END_IF; f := tmp; END_FUNCTION"
        );
        program(&functions, "IF a > 5 THEN b := f(a); END_IF;")
    };
    let check = "checks: [division_by_zero]";
    let ask = |text: &str, expected| {
        let stated = Stated::new(text, &format!("{{dialect: codesys, {check}}}"));
        assert_eq!(stated.claims.len(), 1);
        let found = answered(&stated, "PRED_BOOL");
        assert_eq!(found, expected, "{text}");
    };
    ask(&divide("1"), Expected::Safe);
    ask(&divide("0"), Expected::Unsafe);
}

#[test]
fn loops_inside_of_recursive_functions_have_invariants() {
    let functions = "FUNCTION f : DINT VAR_INPUT x : DINT; END_VAR VAR i : DINT; sum : DINT; END_VAR
        i := x;
        WHILE i > 0 DO i := i - 1; sum := MIN(sum + 2, 10); END_WHILE;
        IF x > 0 THEN sum := MIN(sum + f(x - 3), 10); END_IF;
        f := sum; END_FUNCTION";
    expect(&program(functions, "b := f(a);"), "{ always: b >= 0 AND b <= 10 }", "PRED_BOOL", Expected::Safe);
    // After the loop a run still depends on what calls pass: x is never -1.
    let functions = "FUNCTION f : DINT VAR_INPUT x : DINT; END_VAR VAR i : DINT; END_VAR
        i := x;
        WHILE i > 0 DO i := i - 1; END_WHILE;
        f := 100 / (x + 1);
        IF x > 0 THEN f := f(x - 1); END_IF; END_FUNCTION";
    let text = program(functions, "IF a > 0 AND a < 4 THEN b := f(a); END_IF;");
    let stated = Stated::new(&text, "{dialect: codesys, checks: [division_by_zero]}");
    for domain in ["PRED_BOOL", "EXPL"] {
        assert_eq!(answered(&stated, domain), Expected::Safe, "{domain}");
    }
}

/// Kept calls and calls written out, where no call is deeper than the limit.
#[test]
fn kept_calls_never_get_another_answer_than_written_out_ones() {
    let n_programs: u64 = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(12);
    let (mut decided, mut asked) = (0, 0);
    for seed in 0..n_programs {
        let text = recursive_values(seed);
        for value in [0, 2] {
            let stated = Stated::new(&text, &format!("{{dialect: codesys, requirements: [{{ never: x = {value} }}]}}"));
            let known = decide(&stated, RecursiveCalls::WrittenOut, "bmc", &[("k", "2")], 60);
            let known = if known == Some(Expected::Unsafe) { Expected::Unsafe } else { Expected::Safe };
            for domain in ["PRED_BOOL", "EXPL"] {
                asked += 1;
                if let Some(found) = decide(&stated, RecursiveCalls::Kept, "bam", &[("domain", domain)], 3) {
                    assert_eq!(found, known, "seed {seed}, never x = {value}, {domain}\n{text}");
                    decided += 1;
                }
            }
        }
    }
    assert!(asked <= 2 * decided, "{decided} of {asked}");
}
