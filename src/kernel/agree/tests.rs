//! Equal programs are found equal, and a difference is found.

use std::time::Duration;

use plc_frontend::dialect::DialectId;
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use super::*;

fn answer(text: &str) -> Answer {
    answer_in(None, text)
}

fn answer_in(dialect: Option<DialectId>, text: &str) -> Answer {
    let mut sources = SourceSet::default();
    sources.add("main.st", text);
    let loaded = load(&sources, &LoadOptions { dialect, ..LoadOptions::default() });
    assert!(!loaded.has_errors(), "{:#?}\n{text}", loaded.diagnostics);
    compare(&loaded.value.project, &Options { cycles: 50, seed: 7, time: Duration::from_secs(60) })
}

/// Returns the end of a comparison as a text.
fn shown(answer: Answer) -> String {
    match answer {
        Answer::Equal(counts) => format!("equal {} {}", counts.cycles, counts.faults),
        Answer::EqualWithGaps(counts) => format!("gaps {} {}", counts.cycles, counts.faults),
        Answer::StopsAtGap(_, counts) => format!("stops {}", counts.cycles),
        Answer::Different(difference) => format!("different: {}", difference.what),
        Answer::NotLowered(problem) => problem.to_string(),
        Answer::OutOfTime(_) => "time".to_owned(),
    }
}

#[test]
fn functions_that_call_themselves_are_equal() {
    let check = |functions: &str, vars: &str, body: &str, expected: &str| {
        let text = format!(
            "{functions}\nPROGRAM Main\nVAR_INPUT\n a, b : INT;\nEND_VAR\nVAR\n n : INT; {vars}\nEND_VAR\nn := a MOD 8; {body}\nEND_PROGRAM\n"
        );
        assert_eq!(shown(answer_in(Some(DialectId::Codesys), &text)), expected, "{text}");
    };
    let sum = r"FUNCTION Sum : DINT VAR_INPUT n : INT; END_VAR VAR half : DINT; END_VAR
half := n * 2;
IF n > 0 THEN Sum := half + n * Sum(n - 1) - half; END_IF;
END_FUNCTION";
    check(sum, "x : DINT;", "x := Sum(n) - Sum(n - 3);", "equal 50 0");
    // Some runs go too deep.
    check(sum, "x : DINT;", "x := Sum(a MOD 40);", "equal 48 2");
    check(&sum.replace("n > 0", "TRUE"), "x : DINT;", "x := Sum(n);", "equal 0 50");
    // Outputs, references that change places, RETURN in the middle.
    let swap = r"FUNCTION Swap : BOOL VAR_INPUT n : INT; END_VAR VAR_IN_OUT p, q : INT; END_VAR VAR_OUTPUT deep : INT; END_VAR
VAR below : INT; END_VAR
p := p + n;
IF n <= 0 THEN RETURN; END_IF;
Swap := NOT Swap(n := n - 1, p := q, q := p, deep => below);
deep := below + 1;
q := q - n;
END_FUNCTION";
    check(swap, "x, y, d : INT; s : BOOL;", "s := Swap(n := n, p := x, q := y, deep => d);", "equal 50 0");
    // By way of another function; a call in the argument of the same function.
    let two = r"FUNCTION Even : BOOL VAR_INPUT n : INT; END_VAR IF n <= 0 THEN Even := n = 0; ELSE Even := Odd(n - 1); END_IF; END_FUNCTION
FUNCTION Odd : BOOL VAR_INPUT n : INT; END_VAR IF n <= 0 THEN Odd := FALSE; ELSE Odd := Even(n - 1); END_IF; END_FUNCTION
FUNCTION Down : INT VAR_INPUT n : INT; END_VAR IF n > 0 THEN Down := Down(n - 1) + 1; END_IF; END_FUNCTION";
    check(two, "e : BOOL; d : INT;", "e := Even(n) XOR Odd(n); d := Down(Down(n) - 1);", "equal 50 0");
    // Arrays by value and a loop around the call.
    let array = r"TYPE Row : ARRAY [1..3] OF INT; END_TYPE
FUNCTION Most : INT VAR_INPUT n : INT; r : Row; END_VAR VAR i : INT; END_VAR
Most := -100;
IF n > 0 THEN
  FOR i := 1 TO 3 DO r[i] := r[i] + i; END_FOR;
  Most := MAX(r[1], Most(n - 1, r) - i);
END_IF;
END_FUNCTION";
    check(array, "r : Row; m : INT;", "r[2] := a; r[1] := b; m := Most(n, r);", "equal 50 0");
    let method = r"FUNCTION_BLOCK B VAR count : INT; END_VAR
METHOD Walk : INT VAR_INPUT n : INT; END_VAR
count := count + n;
IF n > 0 THEN Walk := THIS^.Walk(n - 1) + count; END_IF;
END_METHOD
END_FUNCTION_BLOCK";
    check(method, "f, g : B; x : INT;", "x := f.Walk(n) - g.Walk(2);", "equal 50 0");
    let tree = "FUNCTION Fib : INT VAR_INPUT n : INT; END_VAR IF n > 1 THEN Fib := Fib(n - 1) + Fib(n - 2); END_IF; END_FUNCTION";
    check(
        tree,
        "x : INT;",
        "x := Fib(n);",
        "the program is too large: with every loop and call written out it has more than 300000 steps; most of them belong to `Fib`, of which 16685 calls are written out so far",
    );
}

#[test]
fn programs_are_equal_as_far_as_they_are_modelled() {
    let check = |vars: &str, body: &str, expected: &str| {
        let text = format!(
            "PROGRAM Main\nVAR_INPUT\n a : INT; r : REAL; w : DWORD;\nEND_VAR\nVAR\n{vars}\nEND_VAR\n{body}\nEND_PROGRAM\n"
        );
        assert_eq!(shown(answer(&text)), expected, "{text}");
    };
    check("x : INT;", "x := x + a;", "equal 50 0");
    check("x : REAL;", "x := SIN(r) + x * COS(r);", "gaps 50 0");
    check("x : REAL;", "IF a > 0 THEN x := SIN(LN(r)); ELSE x := EXP(SIN(x)); END_IF; x := x + LN(r);", "gaps 50 0");
    check("x : DWORD; y : REAL;", "x := REAL_TO_DWORD(r); y := DWORD_TO_REAL(w XOR x); x := REAL_TO_DWORD(y + r);", "gaps 50 0");
    // A pointer shows that the program is CODESYS's, where the number is converted.
    check("x : DWORD; y : REAL; p : POINTER TO INT;", "y := DWORD_TO_REAL(w); x := REAL_TO_DWORD(y / 2.0);", "equal 50 0");
    check("s : STRING; x : REAL;", "s := REAL_TO_STRING(r); x := SIN(r); s := CONCAT(s, REAL_TO_STRING(x));", "gaps 50 0");
    check("x : INT;", "x := 1 / 0;", "equal 0 50");
    check("x : INT; d : DATE_AND_TIME;", "x := 3; WHILE TRUE DO x := x + 1; END_WHILE;", "equal 0 50");
}

#[test]
fn a_difference_is_seen() {
    let mut sources = SourceSet::default();
    sources.add(
        "main.st",
        "PROGRAM Main\nVAR_INPUT\n a : INT;\nEND_VAR\nVAR\n x : INT; y : REAL;\nEND_VAR\nx := a; y := SIN(y);\nEND_PROGRAM\n",
    );
    let loaded = load(&sources, &LoadOptions::default());
    let project = loaded.value.project;
    let model = build(&project, &ModelOptions::default()).unwrap();
    let mut numbers = Numbers(1);
    let mut run = |model: &crate::cfa::Model| {
        let given = inputs_of(&project, model, 0, &mut numbers);
        Pair::new(&project, model).cycle(&given)
    };
    assert_eq!(run(&model), Ok(End::Complete));
    // The automaton does not take the value of SIN.
    let mut lacking = model.clone();
    let (_, any) = lacking.arbitrary[0];
    lacking.cfa.edges.iter_mut().for_each(|e| {
        if e.op == crate::cfa::Op::Havoc(any) {
            e.op = crate::cfa::Op::Skip;
        }
    });
    assert!(run(&lacking).is_err());
    // An assignment is lost.
    let mut lacking = model.clone();
    let (_, x) = lacking.leaves.iter().find(|(leaf, _)| leaf.name == "Main.x").unwrap().clone();
    lacking.cfa.edges.iter_mut().for_each(|e| {
        if matches!(e.op, crate::cfa::Op::Assign(var, _) if var == x) {
            e.op = crate::cfa::Op::Skip;
        }
    });
    let found = run(&lacking);
    assert!(found.as_ref().is_err_and(|d| d.what.contains("Main.x")), "{found:?}");
    // The automaton misses an end.
    let mut lacking = model;
    let (eoc, error) = (lacking.points.eoc, lacking.cfa.error);
    lacking.cfa.edges.iter_mut().filter(|e| e.source == eoc).for_each(|e| e.target = error);
    assert!(run(&lacking).is_err());
}
