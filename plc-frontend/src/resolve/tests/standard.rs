//! Standard functions: overloads, formal arguments, conversions.

use super::show::{check_hir, check_hir_with};
use crate::resolve::testing::{check_body, check_run};

const VARS: &str = "VAR
 b : BOOL; si : SINT; i, j : INT; di : DINT; li : LINT; ui : UINT; uli : ULINT; usi : USINT; udi : UDINT;
 bt : BYTE; w : WORD; dw : DWORD; lw : LWORD; r : REAL; lr : LREAL; t : TIME; lt : LTIME; e : (Red, Green);
END_VAR";

#[test]
fn functions_become_operators_and_builtins() {
    let check = |body: &str, expected: &str| check_hir(VARS, body, expected);
    check("i := ADD(i, j, 1); i := SUB(i, 1);", "i := ((i + j) + 1:INT); i := (i - 1:INT)");
    check("di := MUL(i, di); i := DIV(i, j); i := MOD(i, 2);", "di := (widen[DINT](i) * di); i := (i / j); i := (i MOD 2:INT)");
    check(
        "t := MULTIME(t, i); t := DIVTIME(t, 2); t := ADD_TIME(t, t);",
        "t := (t * widen[TIME](i)); t := (t / widen[TIME](2:INT)); t := (t + t)",
    );
    check("b := AND(b, b, b); w := XOR(w, bt); b := NOT(b);", "b := ((b AND b) AND b); w := (w XOR widen[WORD](bt)); b := NOT b");
    check("b := GT(i, 5); b := NE(i, j);", "b := (i > 5:INT); b := (i <> j)");
    check("b := LT(1, i, di);", "b := ((1:DINT < widen[DINT](i)) AND (widen[DINT](i) < di))");
    check("i := MOVE(j); i := ABS(-5); r := ABS(r);", "i := j; i := Abs(-5:INT); r := Abs(r)");
    check("r := SQRT(r); r := SQRT(2); lr := SQRT(di);", "r := Sqrt(r); r := Sqrt(2.0:REAL); lr := Sqrt(widen[LREAL](di))");
    check("i := MIN(i, j, 3); t := MAX(t, T#1s);", "i := Min(i, j, 3:INT); t := Max(t, 1000:TIME)");
    check(
        "i := LIMIT(0, i, 100); i := LIMIT(MX := 100, MN := 0, IN := i);",
        "i := Limit(0:INT, i, 100:INT); i := Limit(0:INT, i, 100:INT)",
    );
    check("i := SEL(b, 0, j); e := SEL(G := b, IN0 := Red, IN1 := e);", "i := Sel(b, 0:INT, j); e := Sel(b, 0:_, e)");
    check(
        "di := MUX(si, i, di); i := MUX(K := 1, IN0 := 1, IN1 := i);",
        "di := Mux(si, widen[DINT](i), di); i := Mux(1:INT, 1:INT, i)",
    );
    check(
        "w := SHL(w, 2); bt := ROR(IN := bt, N := ui); w := SHL(1, i);",
        "w := Shl(w, 2:INT); bt := Ror(bt, ui); w := Shl(1:WORD, i)",
    );
    check("r := SIN(r); lr := EXP(i);", "r := any[Sin(r)]; lr := widen[LREAL](any[Exp(widen[REAL](i))])");
    check(
        "r := EXPT(r, i); r := r ** 2; lr := EXPT(2, lr);",
        "r := any[Expt(r, widen[REAL](i))]; r := any[Expt(r, 2.0:REAL)]; lr := any[Expt(2.0:LREAL, lr)]",
    );
}

#[test]
fn conversions_convert() {
    let check = |body: &str, expected: &str| check_hir(VARS, body, expected);
    for (from, var) in [
        ("BOOL", "b"),
        ("SINT", "si"),
        ("INT", "i"),
        ("DINT", "di"),
        ("LINT", "li"),
        ("USINT", "usi"),
        ("UINT", "ui"),
        ("UDINT", "udi"),
        ("ULINT", "uli"),
        ("BYTE", "bt"),
        ("WORD", "w"),
        ("DWORD", "dw"),
        ("LWORD", "lw"),
        ("REAL", "r"),
        ("LREAL", "lr"),
        ("TIME", "t"),
        ("LTIME", "lt"),
    ] {
        check(&format!("i := {from}_TO_INT({var});"), &format!("i := convert[INT]({var})"));
        check(&format!("{var} := INT_TO_{from}(i);"), &format!("{var} := convert[{from}](i)"));
        check(&format!("{var} := TO_{from}(r);"), &format!("{var} := convert[{from}](r)"));
    }
    check("di := INT_TO_DINT(si);", "di := convert[DINT](widen[INT](si))");
    check(
        "dw := REAL_TO_DWORD(1.5); r := dword_to_real(16#7FC00000);",
        "dw := convert[DWORD](1.5:REAL); r := convert[REAL](2143289344:DWORD)",
    );
    check(
        "i := TRUNC(r); di := TRUNC(lr); di := REAL_TRUNC_DINT(r); i := TRUNC_INT(r);",
        "i := truncate[INT](r); di := truncate[DINT](lr); di := truncate[DINT](r); i := truncate[INT](r)",
    );
    check("i := TO_INT(e); i := TO_INT(40000);", "i := convert[INT](e); i := convert[INT](40000:DINT)");
}

#[test]
fn wrong_arguments_are_refused() {
    let check = |body: &str, expected: &str| check_body(VARS, body, expected);
    for (body, expected) in [
        ("i := ABS();", "P3011@1:6"),
        ("i := ABS(i, j);", "P3011@1:6"),
        ("i := ADD(i);", "P3011@1:6"),
        ("i := SUB(i, j, 1);", "P3011@1:6"),
        ("i := MAX(i, IN := j);", "P2005@1:13"),
        ("i := MAX(IN1 := i, IN1 := j);", "P3011@1:20"),
        ("i := SEL(i, 1, 2);", "P3001@1:10"),
        ("i := MUX(r, 1, 2);", "P3004@1:10"),
        ("i := SHL(i, 1);", "P3004@1:10"),
        ("w := SHL(w, w);", "P3004@1:13"),
        ("b := SHL(1, 2) = 4;", "P3005@1:10"),
        ("i := MAX(i, b);", "P3004@1:13"),
        ("i := MAX(i, di);", "P3001@1:6"),
        ("r := SQRT(li);", "P3004@1:11"),
        ("r := SQRT(b);", "P3004@1:11"),
        ("i := INT_TO_DINT(di);", "P3001@1:18"),
        ("i := DINT_TO_INT(32768);", ""),
        ("i := TRUNC(i);", "P3004@1:12"),
        ("i := MAXX(i, j);", "P2003@1:6"),
        ("i := TON(i);", "P2003@1:6"),
        ("b := LT(1, 2, SEL(b, 1, 2), 3);", ""),
    ] {
        check(body, expected);
    }
}

#[test]
fn conversions_between_dword_and_real_are_those_of_the_dialect() {
    const VARS: &str = "VAR\n r : REAL; d : DWORD; w : WORD; l : LREAL; m : LWORD;\nEND_VAR";
    let check = |mark: &str, body: &str, expected: &str| check_hir_with(mark, VARS, body, expected);
    check("", "d := REAL_TO_DWORD(r);", "d := convert[DWORD](r)");
    check("", "r := DWORD_TO_REAL(d);", "r := convert[REAL](d)");
    let codesys = "{attribute 'x'}";
    check(codesys, "d := REAL_TO_DWORD(r);", "d := convert[DWORD](round[UDINT](r))");
    check(codesys, "d := TO_DWORD(r);", "d := convert[DWORD](round[UDINT](r))");
    check(codesys, "r := DWORD_TO_REAL(d);", "r := convert[REAL](convert[UDINT](d))");
    check(codesys, "m := LREAL_TO_LWORD(l);", "m := convert[LWORD](round[ULINT](l))");
    check(codesys, "l := LWORD_TO_LREAL(m);", "l := convert[LREAL](convert[ULINT](m))");
    check(codesys, "w := REAL_TO_WORD(r); l := DWORD_TO_LREAL(d);", "w := round[WORD](r); l := convert[LREAL](d)");
}

/// TIA Portal: the formulas of the manual, also outside of the range.
#[test]
fn ranges_are_scaled() {
    let check = |body: &str, expected: i128, conditions: &[&str]| {
        let vars = "i, k : INT := 13824; d : DINT := 200; x : REAL; l : LREAL; r : INT;";
        check_run(&format!("PROGRAM Main VAR {vars} END_VAR {body} END_PROGRAM"), &["Main.r"], &[expected], conditions);
    };
    let norm = "NORM_X computes with the precision of its arguments and rounds to the nearest number";
    let scale = "SCALE_X computes with the precision of its arguments and rounds to the nearest number";
    check("x := NORM_X(MIN := 0, VALUE := i, MAX := 27648); IF x = 0.5 THEN r := 1; END_IF;", 1, &[norm]);
    check("l := NORM_X(MIN := 100, VALUE := d, MAX := 150); IF l = 2.0 THEN r := 1; END_IF;", 1, &[norm]);
    check("r := SCALE_X(MIN := -100, VALUE := 0.75, MAX := 100);", 50, &[scale]);
    check("x := 1.5; r := SCALE_X(MIN := 10, VALUE := x, MAX := 20);", 25, &[scale]);
    check("l := SCALE_X(MIN := 0.0, VALUE := 0.25, MAX := 10.0); IF l = 2.5 THEN r := 1; END_IF;", 1, &[scale]);
    check_body(VARS, "r := NORM_X(MIN := 0, VALUE := b, MAX := 10);", "P3004@1:20");
    check_body(VARS, "i := SCALE_X(MIN := 0, VALUE := w, MAX := 10);", "P3004@1:33");
}
