//! Literals take the type of their place, and their ranges are checked there.

use super::show::check_hir;
use crate::resolve::testing::{check_body, findings};

const VARS: &str = "VAR
 b : BOOL; si : SINT; i : INT; di : DINT; li : LINT; usi : USINT; ui : UINT; udi : UDINT; uli : ULINT;
 bt : BYTE; w : WORD; dw : DWORD; lw : LWORD; r : REAL; lr : LREAL; t : TIME; lt : LTIME; p : INT (0..100);
 e : (Red, Green);
END_VAR";

#[test]
fn untyped_literals_adapt() {
    let check = |body: &str, expected: &str| check_hir(VARS, body, expected);
    check("b := 1; b := 0; b := TRUE;", "b := TRUE; b := FALSE; b := TRUE");
    check("si := -128; usi := 255; i := -32768;", "si := -128:SINT; usi := 255:USINT; i := -32768:INT");
    check("uli := 18446744073709551615;", "uli := 18446744073709551615:ULINT");
    check("li := -9223372036854775808;", "li := -9223372036854775808:LINT");
    check("bt := 16#FF; w := 2#1; dw := 5;", "bt := 255:BYTE; w := 1:WORD; dw := 5:DWORD");
    check("r := 5; lr := 0.1; r := 0.1; r := -1.5;", "r := 5.0:REAL; lr := 0.1:LREAL; r := 0.1:REAL; r := -1.5:REAL");
    check("p := 100;", "p := 100:_");
    check("t := T#1s500ms; lt := T#1ms; lt := LTIME#1us;", "t := 1500:TIME; lt := 1000000:LTIME; lt := 1000:LTIME");
    check("e := Green; e := Red;", "e := 1:_; e := 0:_");
}

#[test]
fn typed_literals_keep_their_type() {
    let check = |body: &str, expected: &str| check_hir(VARS, body, expected);
    check(
        "di := INT#5; dw := BYTE#16#F; lr := REAL#1.5;",
        "di := widen[DINT](5:INT); dw := widen[DWORD](15:BYTE); lr := widen[LREAL](1.5:REAL)",
    );
    check("b := BOOL#1; r := REAL#5; i := INT#-5;", "b := TRUE; r := 5.0:REAL; i := -5:INT");
}

#[test]
fn literals_beside_operands_take_their_type() {
    let check = |body: &str, expected: &str| check_hir(VARS, body, expected);
    check("b := di > 5;", "b := (di > 5:DINT)");
    check("b := 5 < usi;", "b := (5:USINT < usi)");
    check("i := i + 1;", "i := (i + 1:INT)");
    check("i := 2 * 3 + i;", "i := ((2:INT * 3:INT) + i)");
    check("w := w AND 16#FF00;", "w := (w AND 65280:WORD)");
    check("r := 2 * r + 0.5;", "r := ((2.0:REAL * r) + 0.5:REAL)");
    check("r := i * 0.5;", "r := (widen[REAL](i) * 0.5:REAL)");
    check("lr := di * 0.5;", "lr := (widen[LREAL](di) * 0.5:LREAL)");
    // A literal that does not fit the operand takes the wider type of the whole expression.
    check("di := i * 40000;", "di := (widen[DINT](i) * 40000:DINT)");
    check("b := e = Green;", "b := (e = 1:_)");
    check("b := Green = e;", "b := (1:_ = e)");
}

#[test]
fn literals_among_themselves_have_the_smallest_type() {
    let check = |body: &str, expected: &str| check_hir(VARS, body, expected);
    check("b := 1 < 2;", "b := (1:INT < 2:INT)");
    check("b := 1 < 40000;", "b := (1:DINT < 40000:DINT)");
    check("b := 20000 + 20000 > 1;", "b := ((20000:DINT + 20000:DINT) > 1:DINT)");
    check("b := 0.1 < 1;", "b := (0.1:LREAL < 1.0:LREAL)");
    check("di := 20000 + 20000;", "di := (20000:DINT + 20000:DINT)");
    check("r := 1 / 2;", "r := widen[REAL]((1:INT / 2:INT))");
    check("r := 40000 / 7;", "r := convert[REAL]((40000:DINT / 7:DINT))");
    check("r := 1.0 / 2;", "r := (1.0:REAL / 2.0:REAL)");
    check("b := (16#F0 AND 16#3C) = w;", "b := ((240:WORD AND 60:WORD) = w)");
}

#[test]
fn literals_out_of_range_are_errors_at_their_place() {
    let check = |body: &str, expected: &str| check_body(VARS, body, expected);
    check("i := 32768;", "P3003@1:6");
    check("i := -32769;", "P3003@1:6");
    check("i := i + 40000;", "P3003@1:10");
    check("usi := -1;", "P3003@1:8");
    check("b := usi < 256;", "P3003@1:12");
    check("b := 2;", "P3001@1:6");
    check("bt := 256;", "P3003@1:7");
    check("p := 101;", "P3003@1:6");
    check("uli := 18446744073709551616;", "P3003@1:8");
    check("i := INT#32768;", "P3003@1:6");
    check("t := T#1us;", "P3003@1:6");
    check("t := T#25d;", "P3003@1:6");
    check("lt := T#30d;", "");
    check("r := 1.0E39;", "P3003@1:6");
    check("t := 5;", "P3005@1:6");
    check("t := 0;", "");
    check("e := 1;", "P3005@1:6");
    check("i := 1.5;", "P3001@1:6");
    check("i := BOOL#5;", "P3003@1:6");
    check("i := TIME#5;", "P1005@1:6");
    check("i := REAL#TRUE;", "P3005@1:6");
}

#[test]
fn the_message_says_the_range_and_the_way_out() {
    let found = findings("PROGRAM Main\nVAR\n i : INT;\nEND_VAR\ni := 32768;\nEND_PROGRAM");
    assert_eq!(found[0].message, "32768 is outside of the range -32768..32767 of INT");
    assert_eq!(
        found[0].help.as_deref(),
        Some("use a type that holds it, for example DINT: declare the variable so, or write DINT#32768")
    );
}
