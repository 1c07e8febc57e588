//! Operators: implicit widening and no other conversion; refused operands.

use super::show::{check_hir, check_hir_with};
use crate::resolve::testing::{check, check_body, findings};

const VARS: &str = "VAR
 b : BOOL; si : SINT; i, j : INT; di : DINT; li : LINT; usi : USINT; ui : UINT; udi : UDINT; uli : ULINT;
 bt : BYTE; w : WORD; dw : DWORD; lw : LWORD; r : REAL; lr : LREAL; t : TIME; lt : LTIME; p : INT (0..100);
 e : (Red, Green); f : (Up, Down); a : ARRAY [1..3] OF INT; k : TON;
END_VAR";

#[test]
fn operands_widen_to_their_common_type() {
    let check = |body: &str, expected: &str| check_hir(VARS, body, expected);
    check("di := i + si;", "di := widen[DINT]((i + widen[INT](si)))");
    check("di := di + i;", "di := (di + widen[DINT](i))");
    check("di := i + ui;", "di := (widen[DINT](i) + widen[DINT](ui))");
    check("li := di - udi;", "li := (widen[LINT](di) - widen[LINT](udi))");
    check("r := r * i;", "r := (r * widen[REAL](i))");
    check("lr := r + di;", "lr := (widen[LREAL](r) + widen[LREAL](di))");
    check("w := bt OR w;", "w := (widen[WORD](bt) OR w)");
    check("w := b XOR w;", "w := (widen[WORD](b) XOR w)");
    check("b := i >= di;", "b := (widen[DINT](i) >= di)");
    check("i := p + 1;", "i := (widen[INT](p) + 1:INT)");
    check("p := i;", "p := widen[_](i)");
    check("i := i MOD 3;", "i := (i MOD 3:INT)");
    check("b := NOT b AND (i = 1) OR b;", "b := ((NOT b AND (i = 1:INT)) OR b)");
    check("b := b AND_THEN b OR_ELSE b;", "b := ((b AND_THEN b) OR_ELSE b)");
    check("w := NOT w; i := -i; r := -r; t := -t;", "w := NOT w; i := -i; r := -r; t := -t");
    check("b := t > T#1s AND lt = t;", "b := ((t > 1000:TIME) AND (lt = widen[LTIME](t)))");
    check("b := b = (i > 1);", "b := (b = (i > 1:INT))");
    check("b := w > bt;", "b := (w > widen[WORD](bt))");
}

#[test]
fn durations_add_and_scale() {
    let check = |body: &str, expected: &str| check_hir(VARS, body, expected);
    check("t := t + T#1s; t := t - t;", "t := (t + 1000:TIME); t := (t - t)");
    check("lt := lt + t;", "lt := (lt + widen[LTIME](t))");
    check("t := t * 2; t := 3 * t;", "t := (t * widen[TIME](2:INT)); t := (widen[TIME](3:INT) * t)");
    check("t := t * i; t := t / ui;", "t := (t * widen[TIME](i)); t := (t / widen[TIME](ui))");
    check("t := t / li;", "t := convert[TIME]((convert[LINT](t) / li))");
    check("lt := lt / udi;", "lt := (lt / widen[LTIME](udi))");
}

#[test]
fn other_operands_are_refused() {
    let check = |body: &str, expected: &str| check_body(VARS, body, expected);
    for (body, expected) in [
        ("b := i;", "P3001@1:6"),
        ("i := b;", "P3001@1:6"),
        ("i := di;", "P3001@1:6"),
        ("si := i;", "P3001@1:7"),
        ("usi := si;", "P3001@1:8"),
        ("i := ui;", "P3001@1:6"),
        ("r := di;", "P3001@1:6"),
        ("lr := li;", "P3001@1:7"),
        ("r := lr;", "P3001@1:6"),
        ("i := r;", "P3001@1:6"),
        ("i := w;", "P3001@1:6"),
        ("w := i;", "P3001@1:6"),
        ("bt := w;", "P3001@1:7"),
        ("t := i;", "P3001@1:6"),
        ("t := lt;", "P3001@1:6"),
        ("i := e;", "P3001@1:6"),
        ("e := i;", "P3001@1:6"),
        ("e := f;", "P3001@1:6"),
        ("e := Up;", "P3001@1:6"),
        ("a := i;", "P3001@1:6"),
        ("i := a;", "P3001@1:6"),
        ("i := k;", "P3001@1:6"),
        ("b := i + 1;", "P3001@1:6"),
        ("b := b + b;", "P3004@1:6"),
        ("w := w + 1;", "P3004@1:6"),
        ("i := i AND 1;", "P3004@1:6"),
        ("i := NOT i;", "P3004@1:10"),
        ("r := r MOD r;", "P3004@1:6"),
        ("b := i AND_THEN b;", "P3004@1:6"),
        ("b := -b;", "P3004@1:7"),
        ("b := li > uli;", "P3002@1:6"),
        ("b := i = b;", "P3002@1:6"),
        ("b := e = f;", "P3002@1:6"),
        ("b := a = a;", "P3004@1:6"),
        ("t := t * t;", "P3004@1:6"),
        ("t := t / t;", "P3004@1:6"),
        ("t := t + i;", "P3004@1:6"),
        ("t := t + 5;", "P3005@1:10"),
        ("t := t * r;", "P3004@1:6"),
        ("t := t / uli;", "P3004@1:10"),
        ("t := i / t;", "P3004@1:6"),
    ] {
        check(body, expected);
    }
}

#[test]
fn an_error_has_no_followers() {
    let check = |body: &str, expected: &str| check_body(VARS, body, expected);
    check("b := (nix + 1 > 2) AND b;", "P2001@1:7");
    check("nix := nix2 + 1;", "P2001@1:1 P2001@1:8");
    check("nix := 1;\nnix := 2;", "P2001@1:1");
    check("i := (b + b) * 40000 + 1;", "P3004@1:7");
    check("IF nix THEN i := b; END_IF;", "P2001@1:4 P3001@1:18");
    check("a[nix] := 32768;", "P2001@1:3");
}

#[test]
fn both_types_and_the_conversion_are_named() {
    let found = findings("PROGRAM Main\nVAR\n b : BOOL; i : INT;\nEND_VAR\nb := i;\nEND_PROGRAM");
    assert_eq!(found[0].message, "`b` is of type BOOL, but this is of type INT");
    assert!(found[0].help.as_deref().unwrap().contains("INT_TO_BOOL"), "{found:?}");
}

#[test]
fn enumeration_values_are_found_by_what_is_wanted() {
    let types = "TYPE Color : (Red, Green); Light : (Red := 4, Off); END_TYPE";
    let vars = "VAR\n c : Color; l : Light; b : BOOL;\nEND_VAR";
    let hir = |body: &str, expected: &str| check_hir_with(types, vars, body, expected);
    hir("c := Red; l := Red;", "c := 0:Color; l := 4:Light");
    hir("c := Color#Green; l := Light.Off;", "c := 1:Color; l := 5:Light");
    hir("b := l = Red; b := Off = l;", "b := (l = 4:Light); b := (5:Light = l)");
    hir("CASE l OF Red: ; Light#Off: ; END_CASE;", "CASE l OF 4..4: {} 5..5: {} ELSE {}");
    let source = |body: &str| format!("{types}\nPROGRAM Main\n{vars}\n{body}\nEND_PROGRAM");
    check(&source("b := Red = Red;"), "P2008@6:6");
    check(&source("c := Color#Blue;"), "P2004@6:12");
    check(&source("c := Off;"), "P3001@6:6");
    check(&source("c := Colour#Red;"), "P2002@6:6");
}
