//! Charts of MATIEC, call by call, and the same charts in the standard's dialect.

use crate::dialect::DialectId::{Iec, Matiec};
use crate::lang::sfc::tests::check_as as check_in;

const AB: &str = "VAR_INPUT a, b, c : BOOL; END_VAR VAR_OUTPUT L0, L1, L2 : BOOL; END_VAR";

#[track_caller]
fn check(vars: &str, text: &str, header: &str, rows: &[&str]) {
    check_in(Some(Matiec), vars, text, header, rows);
}

#[test]
fn the_first_call_evaluates_transitions() {
    let sequence = "init S0: N L0\n step S1: N L1\n S0 -> S1: a";
    check(AB, sequence, "a | S0.X S1.X L0 L1", &["1 | 0 1 0 1", "0 | 0 1 0 1"]);
    check_in(Some(Iec), AB, sequence, "a | S0.X S1.X L0 L1", &["1 | 1 0 1 0", "0 | 1 0 1 0"]);
}

#[test]
fn several_transitions_without_priority_leave_one_step() {
    let fork = "init S0\n step S1: N L1\n step S2: N L2\n S0 -> S1: a\n S0 -> S2: b";
    check(AB, fork, "a b | S0.X L1 L2", &["0 0 | 1 0 0", "1 1 | 0 1 1"]);
    check_in(Some(Iec), AB, fork, "a b | S0.X L1 L2", &["0 0 | 1 0 0", "1 1 | 0 1 0"]);
    let ranked = "init S0\n step S1: N L1\n step S2: N L2\n 2 S0 -> S1: a\n 1 S0 -> S2: b";
    check(AB, ranked, "a b | S0.X L1 L2", &["0 0 | 1 0 0", "1 1 | 0 0 1"]);
    // Transitions without a priority count as 0 for those that come later, and keep their place.
    let mixed = "init S0\n step S1: N L1\n step S2: N L2\n 2 S0 -> S1: a\n S0 -> S2: b";
    check(AB, mixed, "a b | S0.X L1 L2", &["1 1 | 0 1 0"]);
    let mixed = "init S0\n step S1: N L1\n step S2: N L2\n S0 -> S1: a\n 1 S0 -> S2: b";
    check(AB, mixed, "a b | S0.X L1 L2", &["1 1 | 0 1 1"]);
}

#[test]
fn a_later_step_resets_what_an_earlier_one_has_set() {
    // S1 stands behind S0 and ends: the lamp that S0 has just taken over goes out for one call.
    let back = "init S0: N L0\n step S1: N L0\n S0 -> S1: a\n S1 -> S0: b";
    check(AB, back, "a b | S0.X L0", &["0 0 | 1 1", "1 0 | 0 1", "0 1 | 1 0", "0 0 | 1 1"]);
    check_in(Some(Iec), AB, back, "a b | S0.X L0", &["0 0 | 1 1", "1 0 | 0 1", "0 1 | 1 1", "0 0 | 1 1"]);
}

#[test]
fn the_initial_step_has_no_edge() {
    let vars = "VAR_INPUT a, b : BOOL; END_VAR VAR n : INT; END_VAR";
    let text = "init S0: P {n := n + 1;}\n step S1\n S0 -> S1: a\n S1 -> S0: b";
    check(vars, text, "a b | n", &["0 0 | 0", "1 0 | 0", "0 1 | 1", "0 0 | 1"]);
    check_in(Some(Iec), vars, text, "a b | n", &["0 0 | 1", "1 0 | 2", "0 1 | 3", "0 0 | 4"]);
}

#[test]
fn actions_have_no_last_time() {
    let vars = "VAR_INPUT a, b : BOOL; END_VAR VAR n : INT; END_VAR";
    let text = "init S0\n step S1: N {n := n + 1;}\n S0 -> S1: a\n S1 -> S0: b";
    check(vars, text, "a b | n", &["0 0 | 0", "1 0 | 1", "0 0 | 2", "0 1 | 2"]);
    check_in(Some(Iec), vars, text, "a b | n", &["0 0 | 0", "1 0 | 1", "0 0 | 2", "0 1 | 3"]);
}

#[test]
fn actions_run_in_the_order_of_their_declarations() {
    let vars = "VAR n : INT; END_VAR\nACTION Second: n := n * 10 + 2; END_ACTION\nACTION First: n := n * 10 + 1; END_ACTION";
    let text = "init S0: N First, N Second";
    check(vars, text, "| n", &["| 21"]);
    check_in(Some(Iec), vars, text, "| n", &["| 12"]);
}

#[test]
fn stored_actions() {
    let vars = "VAR_INPUT a : BOOL; END_VAR VAR n : INT; END_VAR\nACTION Work: n := n + 1; END_ACTION";
    let text = "init S0: S Work\n step S1: R Work\n S0 -> S1: a\n S1 -> S0: a";
    check(vars, text, "a | n", &["0 | 1", "0 | 2", "1 | 2", "0 | 2", "1 | 3", "0 | 4"]);
    // N is not reset by R.
    let text = "init S0: N Work, R Work";
    check(vars, text, "a | n", &["0 | 1", "0 | 2"]);
    check_in(Some(Iec), vars, text, "a | n", &["0 | 0", "0 | 0"]);
    // A variable is written in the calls of S and R only: the program may write it in between.
    let vars = "VAR_INPUT a, b : BOOL; END_VAR VAR x : BOOL; END_VAR\nACTION Clear: x := FALSE; END_ACTION";
    let text = "init S0: S x\n step S1: N Clear\n S0 -> S1: a";
    check(vars, text, "a | x", &["0 | 1", "1 | 0", "0 | 0"]);
}

#[test]
fn times_of_actions() {
    let limited = "init S0\n step S1: L T#200ms L1\n S0 -> S1: a\n S1 -> S0: b";
    check(AB, limited, "a b | L1 S1.T", &["0 0 | 0 0", "1 0 | 1 0", "0 0 | 1 100", "0 0 | 0 200", "0 1 | 0 300"]);
    let delayed = "init S0\n step S1: D T#200ms L1\n S0 -> S1: a\n S1 -> S0: b";
    check(AB, delayed, "a b | L1", &["0 0 | 0", "1 0 | 0", "0 0 | 0", "0 0 | 1", "0 1 | 0"]);
    let stored = "init S0\n step S1: SD T#200ms L1\n step S2: R L1\n S0 -> S1: a\n S1 -> S2: b";
    check(AB, stored, "a b | L1", &["1 0 | 0", "0 0 | 0", "0 0 | 1", "0 0 | 1", "0 1 | 0", "0 0 | 0"]);
    // DS forgets when its step ends before the time is over, SD does not.
    let text = "init S0\n step S1: SD T#300ms L1, DS T#300ms L2\n S0 -> S1: a\n S1 -> S0: b";
    check(AB, text, "a b | L1 L2", &["1 0 | 0 0", "0 1 | 0 0", "0 0 | 0 0", "0 0 | 1 0", "0 0 | 1 0"]);
    let text = "init S0\n step S1: SL T#200ms L1\n S0 -> S1: a\n S1 -> S0: b";
    check(AB, text, "a b | L1", &["1 0 | 1", "0 1 | 1", "0 0 | 0"]);
    // A time of 0 never ends.
    let text = "init S0\n step S1: SD T#0s L1\n S0 -> S1: a";
    check(AB, text, "a | L1", &["1 | 0", "0 | 0", "0 | 0"]);
    check_in(Some(Iec), AB, text, "a | L1", &["1 | 0", "1 | 1", "0 | 1"]);
}

#[test]
fn an_action_without_a_qualifier_does_not_write_a_variable() {
    let text = "PROGRAM Main VAR lamp : BOOL; n : INT; END_VAR\nINITIAL_STEP S0: lamp(); Work(); END_STEP\n\
        ACTION Work: n := n + 1; END_ACTION\nEND_PROGRAM";
    for (dialect, lamp) in [(Matiec, "FALSE"), (Iec, "TRUE")] {
        let mut sources = crate::text::SourceSet::default();
        sources.add("a.st", text);
        let loaded = crate::load(&sources, &crate::LoadOptions { dialect: Some(dialect), ..Default::default() });
        assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
        let project = &loaded.value.project;
        let mut machine = crate::interp::Machine::new(project, crate::interp::Limits::default());
        machine.begin(&std::collections::BTreeMap::new(), 100_000_000).unwrap();
        machine.run(&mut crate::interp::Silent).unwrap();
        let shown = |name: &str| format!("{:?}", machine.leaf(name).unwrap()).to_uppercase();
        assert!(shown("Main.lamp").contains(lamp) && shown("Main.n").contains('1'), "{dialect:?}: {}", shown("Main.lamp"));
    }
}
