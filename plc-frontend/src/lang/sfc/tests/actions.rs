//! Actions: qualifiers, times, last scans, their order.

use super::*;

#[test]
fn stored_actions() {
    let text = "init S0\n step S1: S L0\n step S2: N L1\n step S3: R L0\n S0 -> S1: a\n S1 -> S2: a\n S2 -> S3: a\n S3 -> S0: a";
    check(AB, text, "a | L0 L1", &["0 | 0 0", "1 | 1 0", "1 | 1 1", "1 | 0 0", "1 | 0 0", "1 | 1 0"]);
    // Reset dominates set and everything else.
    let text = "init S0\n step P: S L0\n step Q: R L0\n S0 -> P Q: a\n Q -> S0: b";
    check(AB, text, "a b | L0", &["0 0 | 0", "1 0 | 0", "0 0 | 0", "0 1 | 1"]);
}

#[test]
fn a_variable_that_the_chart_only_resets_keeps_its_value_otherwise() {
    let vars = "VAR_INPUT a : BOOL; END_VAR VAR_OUTPUT L0 : BOOL := TRUE; END_VAR";
    check(vars, "init S0\n step S1: R L0\n S0 -> S1: a", "a | L0", &["0 | 1", "0 | 1", "1 | 0", "0 | 0"]);
}

#[test]
fn timed_actions() {
    let run = |qualifier: &str, rows: &[&str]| {
        let text = format!(
            "init S0\n step S1: {qualifier} T#200ms L0\n step S2: R L0\n S0 -> S1: a\n S1 -> S0: b\n S0 -> S2: c\n S2 -> S0: TRUE"
        );
        check(AB, &text, "a b c | S1.X L0", rows);
    };
    // L: at most for the time, and not longer than the step.
    run("L", &["0 0 0 | 0 0", "1 0 0 | 1 1", "0 0 0 | 1 1", "0 0 0 | 1 0", "0 1 0 | 0 0", "1 0 0 | 1 1", "0 1 0 | 0 0"]);
    // D: after the time, as long as the step is active.
    run(
        "D",
        &["0 0 0 | 0 0", "1 0 0 | 1 0", "0 0 0 | 1 0", "0 0 0 | 1 1", "0 0 0 | 1 1", "0 1 0 | 0 0", "1 0 0 | 1 0", "0 1 0 | 0 0"],
    );
    // SD: the time goes on without the step; it stays until reset.
    run(
        "SD",
        &["0 0 0 | 0 0", "1 0 0 | 1 0", "0 1 0 | 0 0", "0 0 0 | 0 1", "0 0 0 | 0 1", "0 0 1 | 0 0", "0 0 0 | 0 0", "0 0 0 | 0 0"],
    );
    // DS: the step must last for the time.
    run(
        "DS",
        &[
            "0 0 0 | 0 0",
            "1 0 0 | 1 0",
            "0 1 0 | 0 0",
            "0 0 0 | 0 0",
            "1 0 0 | 1 0",
            "0 0 0 | 1 0",
            "0 0 0 | 1 1",
            "0 1 0 | 0 1",
            "0 0 1 | 0 0",
        ],
    );
    // SL: the time goes on without the step; it starts again only after a reset.
    run(
        "SL",
        &[
            "0 0 0 | 0 0",
            "1 0 0 | 1 1",
            "0 1 0 | 0 1",
            "0 0 0 | 0 0",
            "1 0 0 | 1 0",
            "0 1 0 | 0 0",
            "0 0 1 | 0 0",
            "0 0 0 | 0 0",
            "1 0 0 | 1 1",
        ],
    );
}

#[test]
fn pulses() {
    // The initial step's activation is an edge too.
    check(
        AB,
        "init S0: P L0\n step S1: P0 L1\n S0 -> S1: a\n S1 -> S0: b",
        "a b | L0 L1",
        &["0 0 | 1 0", "0 0 | 0 0", "1 0 | 0 0", "0 0 | 0 0", "0 1 | 1 1", "0 0 | 0 0"],
    );
    // Two successive steps pulse one variable: each gives a pulse.
    check(AB, "init S0: P1 L0\n step S1: P1 L0\n S0 -> S1: a", "a | L0", &["0 | 1", "0 | 0", "1 | 1", "0 | 0"]);
    check(AB, "init S0: P L0\n step S1: P L0\n S0 -> S1: a", "a | L0", &["1 | 1", "1 | 1", "1 | 0"]);
}

#[test]
fn statements_of_actions_run_once_more() {
    let vars = "VAR_INPUT a, b : BOOL; END_VAR VAR n, m : INT; END_VAR";
    let text = "init S0\n step S1: N {n := n + 1;}\n S0 -> S1: a\n S1 -> S0: b";
    let rows = ["0 0 | 0", "1 0 | 1", "0 0 | 2", "0 1 | 3", "0 0 | 3"];
    check(vars, text, "a b | n", &rows);
    // Without the last time.
    check_as(Some(DialectId::SiemensTia), vars, text, "a b | n", &["0 0 | 0", "1 0 | 1", "0 0 | 2", "0 1 | 2", "0 0 | 2"]);
    // A pulse has a last time, P1 and P0 have none.
    check(
        vars,
        "init S0\n step S1: P {n := n + 1;}\n S0 -> S1: a\n S1 -> S0: b",
        "a b | n",
        &["0 0 | 0", "1 0 | 1", "0 0 | 2", "0 0 | 2", "0 1 | 2"],
    );
    let text = "init S0\n step S1: P1 {n := n + 1;}, P0 {m := m + 1;}\n S0 -> S1: a\n S1 -> S0: b";
    check(vars, text, "a b | n m", &["0 0 | 0 0", "1 0 | 1 0", "0 0 | 1 0", "0 1 | 1 1", "0 0 | 1 1"]);
    // The last time of one action comes before the active one: the active action wins.
    let text = "init S0: N {n := 1;}\n step S1: N {n := 2;}\n S0 -> S1: a\n S1 -> S0: b";
    check(vars, text, "a b | n", &["0 0 | 1", "1 0 | 2", "0 1 | 1"]);
    // RETURN ends the action only.
    let text = "init S0: N {n := n + 1; RETURN; n := 100;}, N {m := m + 1;}";
    check(vars, text, "| n m", &["| 1 1", "| 2 2"]);
}

#[test]
fn actions_of_the_pou_and_of_steps() {
    let vars = "VAR_INPUT a : BOOL; END_VAR VAR n, m : INT; END_VAR\nACTION Work: n := n + 1; END_ACTION\nACTION Leave: m := m + 10; END_ACTION";
    // One action of two successive steps runs once each call and has no last time in between.
    let text = "init S0: N Work\n step S1: N work\n step S2\n S0 -> S1: a\n S1 -> S2: a";
    check(vars, text, "a | n", &["0 | 1", "1 | 2", "0 | 3", "1 | 4", "0 | 4"]);
    let text = "init S0: entry {m := m + 1;}, main Work, exit Leave\n step S1\n S0 -> S1: a\n S1 -> S0: a";
    check(vars, text, "a | n m", &["0 | 1 1", "0 | 2 1", "1 | 2 11", "0 | 2 11", "1 | 3 12"]);
    // A stored action keeps running.
    let text = "init S0: S Work\n step S1: R Work\n S0 -> S1: a\n S1 -> S0: a";
    check(vars, text, "a | n", &["0 | 1", "0 | 2", "1 | 3", "0 | 3", "1 | 4"]);
}

#[test]
fn codesys_acts_first() {
    let codesys = Some(DialectId::Codesys);
    let sequence = "init S0: N L0\n step S1: N L1\n step S2: N L2\n S0 -> S1: a\n S1 -> S2: a\n S2 -> S0: a";
    // A step that has become active acts in the next call; also the first call evolves.
    let rows = ["1 | 0 1 1 0 0", "1 | 0 0 0 1 0", "0 | 0 0 0 0 1", "0 | 0 0 0 0 1", "1 | 1 0 0 0 1", "0 | 1 0 1 0 0"];
    check_as(codesys, AB, sequence, "a | S0.X S1.X L0 L1 L2", &rows);
    // Entry and exit come in the call after the evolution, and so does a last time.
    let vars = "VAR_INPUT a : BOOL; END_VAR VAR n, m, k : INT; END_VAR";
    let text = "init S0: entry {n := n + 1;}, exit {m := m + 1;}, N {k := k + 1;}\n step S1\n S0 -> S1: a\n S1 -> S0: a";
    check_as(codesys, vars, text, "a | n m k", &["0 | 1 0 1", "1 | 1 0 2", "0 | 1 1 3", "0 | 1 1 3", "1 | 1 1 3", "0 | 2 1 4"]);
    check_as(
        codesys,
        AB,
        "init S0: P L0\n step S1\n S0 -> S1: S0.T >= T#200ms",
        "| S0.X S0.T L0",
        &["| 1 0 1", "| 1 100 0", "| 0 200 0", "| 0 200 0"],
    );
    // A condition sees the effect of the actions of the same call.
    let text = "init S0: N {k := 7;}\n step S1\n S0 -> S1: k = 7";
    check_as(codesys, vars, text, "a | S1.X", &["0 | 1"]);
    check(vars, text, "a | S1.X", &["0 | 0", "0 | 1"]);
}
