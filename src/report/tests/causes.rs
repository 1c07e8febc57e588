//! Causes through blocks with memory, charts, and branches that were not taken.

use std::collections::BTreeSet;

use plc_frontend::hir::Value;

use super::{told, told_about};
use crate::report::outcome::Counterexample;

/// Tells the run of a program with BOOL inputs: for each input its values, cycle by cycle, as `0` and `1`.
fn run(program: &str, goal: &[&str], inputs: &[(&str, &str)]) -> Counterexample {
    let n = inputs.first().map_or(0, |(_, values)| values.len());
    let given = |cycle: usize| inputs.iter().map(move |(name, of)| (*name, Value::Bool(of.as_bytes()[cycle] == b'1')));
    let cycles: Vec<Vec<(&str, Value)>> = (0..n).map(|cycle| given(cycle).collect()).collect();
    let cycles: Vec<&[(&str, Value)]> = cycles.iter().map(Vec::as_slice).collect();
    told(program, goal, &cycles)
}

/// Returns causes as `1:a,b 3:c`.
fn causes(cex: &Counterexample) -> String {
    cex.causes.iter().map(|c| format!("{}:{}", c.cycle, c.inputs.join(","))).collect::<Vec<_>>().join(" ")
}

fn said(cex: &Counterexample, sentence: &str) {
    assert!(cex.explanation.iter().any(|s| s == sentence), "{sentence}: {:#?}", cex.explanation);
}

#[test]
fn causes_go_through_steps_and_transitions() {
    const PROGRAM: &str = "PROGRAM P
VAR_INPUT Request, noise : BOOL; END_VAR
VAR Trip, other : BOOL; END_VAR
INITIAL_STEP North:
END_STEP
TRANSITION FROM North TO East := North.T >= T#200ms AND Request;
END_TRANSITION
STEP East:
  Trip(N);
END_STEP
TRANSITION FROM East TO North := noise; END_TRANSITION
END_PROGRAM
";
    let cex = run(PROGRAM, &["Trip"], &[("Request", "001"), ("noise", "110")]);
    assert_eq!(causes(&cex), "3:Request", "{:#?}", cex.explanation);
    said(&cex, "In cycle 3 Request rises.");
    said(&cex, "In cycle 3 step North has been active for 200 ms, since cycle 1.");
    assert!(!cex.relevant.iter().any(|name| name == "noise" || name.contains("__")), "{:?}", cex.relevant);
    // A step that stays active depends on what would have ended it.
    let cex = run(PROGRAM, &["Trip"], &[("Request", "00111"), ("noise", "00000")]);
    assert_eq!(causes(&cex), "3:Request 4:noise 5:noise");
}

#[test]
fn a_value_that_is_kept_depends_on_the_branch_not_taken() {
    let program = "PROGRAM P\nVAR_INPUT set, reset, noise : BOOL; END_VAR\nVAR Trip, other : BOOL; END_VAR\n\
        IF set THEN\n  Trip := TRUE;\nEND_IF;\nIF reset THEN\n  Trip := FALSE;\nEND_IF;\nIF noise THEN other := TRUE; END_IF;\nEND_PROGRAM\n";
    let cex = run(program, &["Trip"], &[("set", "1"), ("reset", "0"), ("noise", "1")]);
    assert_eq!(causes(&cex), "1:reset,set");
    said(&cex, "In cycle 1 the IF on line 7 was not taken, since reset is FALSE: no write of Trip there.");
    // A branch before the last write is no cause.
    let program =
        program.replace("IF set THEN\n  Trip := TRUE;\nEND_IF;\n", "").replace("END_PROGRAM", "Trip := set;\nEND_PROGRAM");
    let cex = run(&program, &["Trip"], &[("set", "1"), ("reset", "0"), ("noise", "1")]);
    assert_eq!(causes(&cex), "1:set");
    assert!(!cex.explanation.iter().any(|s| s.contains("kept")), "{:?}", cex.explanation);
}

#[test]
fn what_is_kept_over_cycles_depends_on_each_of_them() {
    let program = "PROGRAM P\nVAR_INPUT set, reset, go : BOOL; END_VAR\nVAR latch, Trip : BOOL; END_VAR\n\
        IF set THEN latch := TRUE; ELSIF reset THEN latch := FALSE; END_IF;\nTrip := latch AND go;\nEND_PROGRAM\n";
    let cex = run(program, &["Trip"], &[("set", "0100"), ("reset", "1000"), ("go", "0001")]);
    // A branch that would have written the same value is no cause: `set` in cycles 3 and 4 says nothing.
    assert_eq!(causes(&cex), "2:set 3:reset 4:go,reset");
    said(&cex, "In cycles 3 to 4 the IF on line 4 was not taken, since reset is FALSE: no write of latch there.");
}

/// An output of a call depends on what the block did, not on all arguments of the call.
#[test]
fn outputs_of_calls_have_causes_of_their_own() {
    let program = "FUNCTION_BLOCK F\nVAR_INPUT a, b : BOOL; END_VAR\nVAR_OUTPUT q, r : BOOL; END_VAR\nq := a; r := b;\nEND_FUNCTION_BLOCK\n\
        PROGRAM P\nVAR_INPUT x, noise : BOOL; END_VAR\nVAR f : F; Trip, other : BOOL; END_VAR\n\
        f(a := x, b := noise, q => Trip, r => other);\nEND_PROGRAM\n";
    let cex = run(program, &["Trip"], &[("x", "01"), ("noise", "10")]);
    assert_eq!(causes(&cex), "2:x");
    let cex = run(program, &["other"], &[("x", "01"), ("noise", "01")]);
    assert_eq!(causes(&cex), "2:noise");
}

#[test]
fn blocks_with_memory_have_causes_in_earlier_cycles() {
    let program = "PROGRAM P\nVAR_INPUT cu, noise : BOOL; END_VAR\nVAR c : CTU; Trip : BOOL; END_VAR\n\
        c(CU := cu, PV := 2);\nTrip := c.Q;\nEND_PROGRAM\n";
    let cex = run(program, &["Trip"], &[("cu", "0101"), ("noise", "0110")]);
    assert_eq!(causes(&cex), "1:cu 2:cu 3:cu 4:cu", "{:#?}", cex.explanation);
    let program = "PROGRAM P\nVAR_INPUT a, noise : BOOL; END_VAR\nVAR e : R_TRIG; Trip : BOOL; END_VAR\n\
        e(CLK := a);\nTrip := e.Q;\nEND_PROGRAM\n";
    assert_eq!(causes(&run(program, &["Trip"], &[("a", "101"), ("noise", "011")])), "2:a 3:a");
}

#[test]
fn one_operand_that_decides_is_enough() {
    let program = "PROGRAM P\nVAR_INPUT a, b, c : BOOL; END_VAR\nVAR Trip : BOOL; END_VAR\n\
        Trip := (a OR b) AND NOT (b AND c);\nEND_PROGRAM\n";
    assert_eq!(causes(&run(program, &["Trip"], &[("a", "1"), ("b", "0"), ("c", "0")])), "1:a,b");
    assert_eq!(causes(&run(program, &["Trip"], &[("a", "1"), ("b", "1"), ("c", "0")])), "1:a,c");
}

#[test]
fn a_return_that_is_not_taken_is_a_cause_of_what_follows() {
    let program = "PROGRAM P\nVAR_INPUT stop, a, noise : BOOL; END_VAR\nVAR Trip : BOOL; END_VAR\n\
        IF stop THEN\n  RETURN;\nEND_IF;\nTrip := a;\nEND_PROGRAM\n";
    assert_eq!(causes(&run(program, &["Trip"], &[("stop", "0"), ("a", "1"), ("noise", "1")])), "1:a,stop");
    // One that is taken keeps what follows from being written.
    let program = &program.replace("Trip := a", "Trip := NOT a");
    assert_eq!(causes(&run(program, &["Trip"], &[("stop", "01"), ("a", "01"), ("noise", "11")])), "1:a,stop 2:stop");
}

#[test]
fn variables_behind_references_are_kept_too() {
    let program = "FUNCTION_BLOCK Valve\nVAR_IN_OUT state : BOOL; END_VAR\nVAR_INPUT open, close : BOOL; END_VAR\n\
        IF open THEN state := TRUE; END_IF;\nIF close THEN state := FALSE; END_IF;\nEND_FUNCTION_BLOCK\n\
        PROGRAM P\nVAR_INPUT a, b, noise : BOOL; END_VAR\nVAR v, w : Valve; Trip, other : BOOL; END_VAR\n\
        v(state := Trip, open := a, close := b);\nw(state := other, open := a, close := noise);\nEND_PROGRAM\n";
    assert_eq!(causes(&run(program, &["Trip"], &[("a", "10"), ("b", "00"), ("noise", "01")])), "1:a,b 2:b");
}

#[test]
fn a_variable_that_the_branch_taken_writes_is_not_said_to_be_kept() {
    let program = "PROGRAM P\nVAR_INPUT reset, noise : BOOL; END_VAR\nVAR n : INT; Trip : BOOL; END_VAR\n\
        IF reset THEN\n  n := 0;\nELSIF n < 3 THEN\n  n := n + 1;\nEND_IF;\nTrip := n = 3;\nEND_PROGRAM\n";
    let cex = run(program, &["Trip"], &[("reset", "000"), ("noise", "010")]);
    assert_eq!(causes(&cex), "1:reset 2:reset 3:reset");
    assert!(!cex.explanation.iter().any(|s| s.contains("kept")), "{:?}", cex.explanation);
}

#[test]
fn a_loop_whose_bound_is_computed_every_round_gets_no_sentence() {
    let program = "{attribute 'qualified_only'}\nVAR_GLOBAL g : INT; END_VAR\nPROGRAM P\nVAR_INPUT Slot : INT; END_VAR\n\
        VAR i : INT; Trip : BOOL; END_VAR\nFOR i := 2 TO Slot - i + 2 DO\n  Trip := TRUE; i := i + 1;\nEND_FOR;\nEND_PROGRAM\n";
    let cex = told(program, &["Trip"], &[&[("Slot", Value::Int(4))], &[("Slot", Value::Int(1))]]);
    assert!(!cex.explanation.iter().any(|sentence| sentence.contains("did not run")), "{:#?}", cex.explanation);
}

/// EXIT skips the rest of its loop, not what stands before it.
#[test]
fn a_jump_out_of_a_loop_is_no_cause_of_what_stands_before_the_loop() {
    let program = "PROGRAM P\nVAR_INPUT a, noise : BOOL; END_VAR\nVAR n : INT; Trip : BOOL; END_VAR\n\
        Trip := a;\nn := 0;\nWHILE n < 10 DO\n  n := n + 1;\n  IF n = 5 THEN\n    EXIT;\n  END_IF;\nEND_WHILE;\nEND_PROGRAM\n";
    let cex = run(program, &["Trip"], &[("a", "1"), ("noise", "1")]);
    assert_eq!(causes(&cex), "1:a");
    assert!(!cex.relevant.iter().any(|name| name == "n"), "{:?}", cex.relevant);
    assert!(!cex.explanation.iter().any(|s| s.contains("no write of")), "{:#?}", cex.explanation);
    // What the loop writes depends on it, with CONTINUE too.
    let program = "PROGRAM P\nVAR_INPUT a, b, noise : BOOL; END_VAR\nVAR n : INT; Trip : BOOL; END_VAR\n\
        Trip := a;\nFOR n := 1 TO 2 DO\n  IF b THEN\n    CONTINUE;\n  END_IF;\n  Trip := FALSE;\nEND_FOR;\nEND_PROGRAM\n";
    let cex = run(program, &["Trip"], &[("a", "1"), ("b", "1"), ("noise", "1")]);
    assert_eq!(causes(&cex), "1:a,b");
    said(&cex, "In cycle 1 the IF on line 6 skipped what follows, since b is TRUE: no write of Trip there.");
}

/// RETURN in a branch that was not taken skips nothing.
#[test]
fn only_the_branch_that_jumps_skips() {
    let program = "PROGRAM P\nVAR_INPUT a, b, stop : BOOL; END_VAR\nVAR other, Trip : BOOL; END_VAR\n\
        Trip := a;\nIF b THEN\n  other := TRUE;\nELSIF stop THEN\n  RETURN;\nEND_IF;\nother := FALSE;\nEND_PROGRAM\n";
    assert_eq!(causes(&run(program, &["Trip"], &[("a", "1"), ("b", "1"), ("stop", "0")])), "1:a");
}

/// The counter of a task says in which cycles its programs did not run; its own update is no branch of theirs.
#[test]
fn cycles_without_a_task_are_told_as_such() {
    let program = "PROGRAM Slow\nVAR_EXTERNAL m : INT; END_VAR\nm := m + 1;\nEND_PROGRAM\n\
        PROGRAM Fast\nVAR k : INT; END_VAR\nk := 1;\nEND_PROGRAM\n\
        CONFIGURATION Cfg\nVAR_GLOBAL m : INT; END_VAR\nRESOURCE Res ON PLC\nTASK TF(INTERVAL := T#10ms, PRIORITY := 1);\n\
        TASK TS(INTERVAL := T#20ms, PRIORITY := 2);\nPROGRAM pf WITH TF : Fast;\nPROGRAM ps WITH TS : Slow;\nEND_RESOURCE\n\
        END_CONFIGURATION\n";
    let said_of = |m: usize, n_cycles: usize| {
        let (yaml, goal) = (format!("requirements: [{{ never: m = {m} }}]"), BTreeSet::from(["m".to_owned()]));
        let cex = told_about(program, &yaml, goal, &vec![&[][..]; n_cycles]);
        cex.explanation.into_iter().filter(|s| s.contains("no write of")).collect::<Vec<_>>()
    };
    assert_eq!(said_of(1, 1), Vec::<String>::new());
    assert_eq!(said_of(2, 3), ["In cycle 2 the task TS did not run: no write of m there."]);
}
