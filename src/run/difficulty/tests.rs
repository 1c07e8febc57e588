//! One program for each kind of advice, and programs like it without that difficulty.

use super::*;
use crate::run::job::{Job, SourceText, Task};
use crate::run::limits::Limits;
use crate::run::subject::Subject;
use crate::run::understand::understand;
use kernel::property::spec::Specification;

/// Returns the difficulties of the first requirement of a program.
fn of(text: &str, requirements: &str) -> Difficulty {
    let sources = vec![SourceText { name: "main.st".into(), text: text.into() }];
    let job = Job::new(sources, Specification::from_yaml(requirements).unwrap(), Task::Verify, Limits::default());
    let understood = understand(&job);
    assert!(understood.outcome.problems.is_empty(), "{:?}", understood.outcome.problems);
    let Some(Subject::Program(program)) = understood.subject else {
        panic!("{text}: {:?}", understood.outcome.import.diagnostics)
    };
    let assumptions = program.assumptions();
    let claim = &program.stated.requirements[0].claim;
    let depends = answer::decide::cone(&program.loaded, &program.model, claim, &assumptions).unwrap();
    difficulty(&program, &depends, &assumptions)
}

/// Checks the advice: text, step and line of each, in order.
#[track_caller]
fn check(text: &str, requirements: &str, expected: &[(&str, &str, Option<u32>)]) {
    let found = of(text, requirements).advice;
    let rows: Vec<(&str, &str, Option<u32>)> =
        found.iter().map(|a| (a.text.as_str(), a.step.as_str(), a.place.as_ref().map(|at| at.line))).collect();
    assert_eq!(rows.len(), expected.len(), "{text}: {rows:#?}");
    for (row, (text, step, line)) in rows.iter().zip(expected) {
        assert!(row.0 == *text && row.1.contains(step) && row.2 == *line, "{row:?} instead of {:?}", (text, step, line));
    }
}

const PRODUCT: &str = "PROGRAM Main
VAR_INPUT Width, Height : INT; Idle : BOOL; END_VAR
VAR Area : INT; Twice : INT; Unread : INT; END_VAR
Area := Width * Height;
Twice := Width * 2;
Unread := Unread * Width;
END_PROGRAM
";

#[test]
fn products_of_variables_are_hard_and_products_with_constants_are_not() {
    let product = ("the product or quotient of two variables on line 4", "range of its operands", Some(4));
    let width = ("the input Width, which may have any value of its type", "`inputs: [Width: 0..100]`", None);
    let height = ("the input Height, which may have any value of its type", "`inputs: [Height: 0..100]`", None);
    check(PRODUCT, "requirements: [{ never: Area = 77 }]", &[product, width, height]);
    check(PRODUCT, "requirements: [{ never: Twice = 77 }]", &[width]);
    check(PRODUCT, "requirements: [{ never: Idle AND Idle }]", &[]);
    let quotient = PRODUCT.replace("Width * Height", "Width / (Height OR 1)").replace("INT; Idle", "WORD; Idle");
    let quotient = quotient.replace("Width, Height : WORD", "Width, Height : INT").replace("(Height OR 1)", "Height");
    check(&quotient, "requirements: [{ never: Area = 77 }]", &[product, width, height]);
}

#[test]
fn inputs_without_a_range_are_named_and_inputs_with_one_are_not() {
    let height = ("the input Height, which may have any value of its type", "`inputs: [Height: 0..100]`", None);
    let product = ("the product or quotient of two variables on line 4", "range of its operands", Some(4));
    check(PRODUCT, "inputs: [Width: 0..9]\nrequirements: [{ never: Area = 77 }]", &[product, height]);
    let assumed = "assumptions: [{ expr: Width < 10 AND Width > 0 }]\nrequirements: [{ never: Area = 77 }]";
    check(PRODUCT, assumed, &[product, height]);
    let parameters = "parameters: [Width, Height]\nrequirements: [{ never: Area = 77 }]";
    check(PRODUCT, parameters, &[product]);
    check(&PRODUCT.replace("INT", "SINT"), "requirements: [{ never: Area = 77 }]", &[product]);
}

#[test]
fn long_strings_are_hard_and_short_ones_are_not() {
    let program = "PROGRAM Main
VAR_INPUT Start : BOOL; END_VAR
VAR Name, Title, Unread : STRING; n : INT; END_VAR
Name := 'pump';
Title := CONCAT(Name, ' 1');
n := LEN(Title);
Unread := 'abc';
END_PROGRAM
";
    let about = |program: &str, requirement: &str| {
        let rows = of(program, requirement).advice;
        let row = rows.into_iter().find(|row| row.step.contains("for instance `STRING[20]`"));
        row.map(|row| row.text)
    };
    let (length, other) = ("requirements: [{ never: n = 77 }]", "requirements: [{ never: Start AND NOT Start }]");
    assert_eq!(about(program, length).as_deref(), Some("2 strings of up to 254 characters, for instance Title"));
    assert_eq!(about(program, other), None);
    let one = program.replace("Title, Unread : STRING", "Unread : STRING; Title : STRING[20]");
    assert_eq!(about(&one, length).as_deref(), Some("the string Name of 254 characters"));
    assert_eq!(about(&program.replace("STRING", "STRING[20]"), length), None);
}

const REAL: &str = "PROGRAM Main
VAR_INPUT Level : REAL; Full : BOOL; END_VAR
VAR Mean : REAL; Stop : BOOL; END_VAR
Mean := Mean * 0.9 + Level * 0.1;
Stop := Level > 95.0;
END_PROGRAM
";

#[test]
fn real_arithmetic_is_hard_and_a_comparison_of_real_is_not() {
    let level = ("the input Level, which may have any value of its type", "`inputs: [Level: 0.0..100.0]`", None);
    let real = ("REAL arithmetic on line 4", "scaled integers", Some(4));
    check(REAL, "requirements: [{ never: Mean > 100.0 }]", &[real, level]);
    check(REAL, "requirements: [{ never: Stop AND Full }]", &[level]);
    let two = REAL.replace("Stop :=", "Mean := Mean + 1.0; Stop :=").replace("Mean := Mean * 0.9", "\nMean := Mean * 0.9");
    let real = ("REAL arithmetic on 2 lines, first on line 5", "scaled integers", Some(5));
    check(&two, "requirements: [{ never: Mean > 100.0 }]", &[real, level]);
}

const WAIT: &str = "PROGRAM Main
VAR_INPUT Go, Reset : BOOL; END_VAR
VAR Delay : TON; Pulse : TP; Total : CTU; END_VAR
Delay(IN := Go, PT := T#10s);
Pulse(IN := Go, PT := T#300ms);
Total(CU := Go, R := Reset, PV := 500);
END_PROGRAM
";

#[test]
fn long_waits_are_hard_and_short_ones_are_not() {
    let timer = ("the timer Delay, whose 10000 ms are 100 cycles", "T#500ms", Some(4));
    check(WAIT, "requirements: [{ never: Delay.Q }]", &[timer]);
    check(WAIT, "cycle: 1s\nrequirements: [{ never: Delay.Q }]", &[]);
    check(WAIT, "requirements: [{ never: Pulse.Q }]", &[]);
    let counter = ("the counter Total, which counts to 500", "smaller PV", Some(6));
    check(WAIT, "requirements: [{ never: Total.Q }]", &[counter]);
    check(&WAIT.replace("500", "5"), "requirements: [{ never: Total.Q }]", &[]);
    // Declared presets have no line of their own.
    let declared = WAIT.replace("Delay : TON", "Delay : TON := (PT := T#10s)").replace("IN := Go, PT := T#10s", "IN := Go");
    let timer = ("the timer Delay, whose 10000 ms are 100 cycles", "T#500ms", None);
    check(&declared, "requirements: [{ never: Delay.Q }]", &[timer]);
}

const TABLE: &str = "PROGRAM Main
VAR_INPUT Nr : SINT(0..63); Few : SINT(0..7); Go : BOOL; END_VAR
VAR Long : ARRAY[0..63] OF SINT; Short : ARRAY[0..7] OF SINT; a, b, c, i : SINT; END_VAR
Long[3] := Long[3] + 1; Short[3] := Short[3] + 1;
a := Long[Nr];
b := Short[Few];
c := Long[7];
END_PROGRAM
";

#[test]
fn variable_indices_of_long_arrays_are_hard_and_constant_ones_are_not() {
    let index = ("the variable index on line 5, a choice between many elements", "shorter array", Some(5));
    check(TABLE, "requirements: [{ never: a = 77 }]", &[index]);
    check(TABLE, "requirements: [{ never: b = 77 }]", &[]);
    check(TABLE, "requirements: [{ never: c = 77 }]", &[]);
    let written = TABLE.replace("b := Short[Few];", "Long[Nr] := Few;");
    let write = ("the variable index on line 6, a choice between many elements", "shorter array", Some(6));
    check(&written, "requirements: [{ never: a = 77 }]", &[write, index]);
    // One element is all that matters here.
    check(&written, "requirements: [{ never: c = 77 }]", &[]);
}

const LOOP: &str = "PROGRAM Main
VAR_INPUT n : SINT; Go : BOOL; END_VAR
VAR a, b, c, i : SINT; END_VAR
FOR i := 1 TO 100 DO a := a + 1; END_FOR
FOR i := 1 TO 3 DO b := b + 1; END_FOR
WHILE c < n DO c := c + 1; END_WHILE
END_PROGRAM
";

#[test]
fn loops_of_many_rounds_are_hard_and_short_ones_are_not() {
    let rounds = ("the loop on line 4, with 100 rounds in each cycle", "fewer rounds", Some(4));
    let open = ("the loop on line 6, with as many rounds as its condition allows in each cycle", "fewer rounds", Some(6));
    // Without the loop on line 6, which may not end: it is in every cone behind it.
    let ends = LOOP.replace("WHILE c < n DO c := c + 1; END_WHILE", "");
    check(&ends, "requirements: [{ never: a = 77 }]", &[rounds]);
    check(&ends, "requirements: [{ never: b = 77 }]", &[]);
    let only = LOOP.replace("FOR i := 1 TO 100 DO a := a + 1; END_FOR", "");
    check(&only, "requirements: [{ never: c = 77 }]", &[open]);
}

#[test]
fn the_largest_formula_is_that_of_the_product() {
    let found = of(PRODUCT, "requirements: [{ never: Area = 77 }]").encodings;
    assert_eq!(found[0].place.as_ref().map(|at| at.line), Some(4), "{found:?}");
    assert!(90 < found[0].percent && found[0].code == "Area := Width * Height;", "{found:?}");
    // Formulas outside of the cone of influence do not count.
    let found = of(PRODUCT, "requirements: [{ never: Twice = 77 }]").encodings;
    assert!(found.iter().all(|row| row.place.as_ref().is_none_or(|at| at.line == 5)), "{found:?}");
    // Floats are no gates.
    assert!(of(REAL, "requirements: [{ never: Mean > 100.0 }]").encodings.is_empty());
}
