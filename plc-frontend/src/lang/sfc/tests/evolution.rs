//! Evolution: steps and transitions, call by call.

use super::*;

#[test]
fn one_evolution_each_call_then_the_actions() {
    let sequence = "init S0: N L0\n step S1: N L1\n step S2: N L2\n S0 -> S1: a\n S1 -> S2: a\n S2 -> S0: a";
    // The first call acts and does not evolve, though the condition is TRUE. Then one step each call.
    check(AB, sequence, "a | S0.X L0 L1 L2", &["1 | 1 1 0 0", "1 | 0 0 1 0", "1 | 0 0 0 1", "1 | 1 1 0 0", "0 | 1 1 0 0"]);
    check(AB, sequence, "a | L0 L1 L2", &["0 | 1 0 0", "0 | 1 0 0", "1 | 0 1 0", "0 | 0 1 0"]);
}

#[test]
fn transitions_see_the_steps_of_the_start_of_the_evolution() {
    // S1 -> S2 is written before S0 -> S1: neither order may let one token run through both.
    for order in ["S1 -> S2: a\n S0 -> S1: a", "S0 -> S1: a\n S1 -> S2: a"] {
        let text = format!("init S0\n step S1\n step S2\n {order}");
        check(AB, &text, "a | S0.X S1.X S2.X", &["1 | 1 0 0", "1 | 0 1 0", "1 | 0 0 1", "1 | 0 0 1"]);
    }
    // A condition sees the X of another step as it was before the evolution.
    let text = "init S0\n step P\n step Q\n step P1\n step Q1\n S0 -> P Q: TRUE\n P -> P1: Q.X\n Q -> Q1: P.X";
    check(AB, text, "a | P.X Q.X P1.X Q1.X", &["0 | 0 0 0 0", "0 | 1 1 0 0", "0 | 0 0 1 1"]);
}

#[test]
fn of_several_transitions_from_one_step_the_first_fires() {
    let text = "init S0\n step S1\n step S2\n S0 -> S1: a\n S0 -> S2: b\n S1 -> S0: TRUE\n S2 -> S0: TRUE";
    check(AB, text, "a b | S0.X S1.X S2.X", &["0 0 | 1 0 0", "1 1 | 0 1 0", "0 0 | 1 0 0", "0 1 | 0 0 1", "1 1 | 1 0 0"]);
    let text = "init S0\n step S1\n step S2\n 2 S0 -> S1: a\n 1 S0 -> S2: b\n S1 -> S0: TRUE\n S2 -> S0: TRUE";
    check(AB, text, "a b | S0.X S1.X S2.X", &["0 0 | 1 0 0", "1 1 | 0 0 1", "0 0 | 1 0 0", "1 0 | 0 1 0"]);
    // A transition without a priority is tested after those that have one.
    let text = "init S0\n step S1\n step S2\n S0 -> S1: a\n 7 S0 -> S2: b";
    check(AB, text, "a b | S1.X S2.X", &["0 0 | 0 0", "1 1 | 0 1"]);
}

#[test]
fn simultaneous_sequences_start_and_end_together() {
    let text = "init S0\n step A1\n step A2\n step B1\n step E\n S0 -> A1 B1: TRUE\n A1 -> A2: a\n A2 B1 -> E: b\n E -> S0: c";
    let rows = [
        "0 1 0 | 1 0 0 0 0",
        "0 1 0 | 0 1 0 1 0",
        "0 1 0 | 0 1 0 1 0",
        "1 1 0 | 0 0 1 1 0",
        "0 1 0 | 0 0 0 0 1",
        "0 0 1 | 1 0 0 0 0",
    ];
    check(AB, text, "a b c | S0.X A1.X A2.X B1.X E.X", &rows);
    // A convergence and a single transition compete for A2: the earlier one takes it.
    let text = "init S0\n step P\n step Q\n step E\n step F\n S0 -> P Q: TRUE\n P -> F: a\n P Q -> E: b";
    check(AB, text, "a b | P.X Q.X E.X F.X", &["0 0 | 0 0 0 0", "0 0 | 1 1 0 0", "1 1 | 0 1 0 1", "1 1 | 0 1 0 1"]);
}

#[test]
fn conditions_of_inactive_steps_are_not_evaluated() {
    // 1 / 0 would end the run.
    let vars = "VAR n, r : INT; END_VAR";
    check(vars, "init S0\n step S1\n S0 -> S1: FALSE\n S1 -> S0: 1 / n = 1", "| S0.X", &["| 1", "| 1", "| 1"]);
}

#[test]
fn step_times() {
    let text = "init S0\n step S1\n S0 -> S1: S0.T >= T#200ms\n S1 -> S0: a";
    check(
        AB,
        text,
        "a | S0.X S0.T S1.X S1.T",
        &[
            "0 | 1 0 0 0",
            "0 | 1 100 0 0",
            "0 | 0 200 1 0",
            "0 | 0 200 1 100",
            "1 | 1 0 0 200",
            "1 | 1 100 0 200",
            "1 | 0 200 1 0",
        ],
    );
    // A step that is left and entered at once stays active, and its time starts at zero.
    check(AB, "init S0: P L0\n S0 -> S0: a", "a | S0.X S0.T L0", &["0 | 1 0 1", "0 | 1 100 0", "1 | 1 0 0", "0 | 1 100 0"]);
}
