//! Programs with pointers to bytes: results, faults and gaps.

use std::collections::BTreeMap;

use crate::interp::{Limits, Machine, Silent};
use crate::resolve::testing::loaded;
use crate::text::Treatment;

/// Checks `Main.r` after one cycle, the fault that ends it, or the first construct that is not modelled.
#[track_caller]
fn check(vars: &str, body: &str, expected: &str) {
    let source = format!(
        r"FUNCTION F : STRING[6]
VAR_INPUT
 s : STRING[4]; n : INT; io : BOOL;
END_VAR
VAR
 {vars}
END_VAR
{body}
END_FUNCTION
PROGRAM Main
VAR
 r : STRING[6]; p : POINTER TO INT;
END_VAR
r := F(s := 'abc', n := 1);
END_PROGRAM
"
    );
    check_program(&source, expected);
}

#[track_caller]
fn check_program(source: &str, expected: &str) {
    let loaded = loaded(source);
    assert!(!loaded.has_errors(), "{source}\n{:#?}", loaded.diagnostics);
    let mut gaps = loaded.value.ledger.gaps.iter().filter(|gap| gap.treatment == Treatment::Unsupported);
    if let Some(gap) = gaps.next() {
        assert_eq!(gap.construct, expected, "{source}");
        return;
    }
    let mut machine = Machine::new(&loaded.value.project, Limits::default());
    machine.begin(&BTreeMap::new(), 1_000_000).unwrap();
    if let Err(fault) = machine.run(&mut Silent) {
        assert_eq!(format!("{:?}", fault.kind), expected, "{source}");
        return;
    }
    let bytes = machine.leaves().into_iter().filter(|(name, _)| name.starts_with("Main.r["));
    let codes = bytes.filter_map(|(_, value)| value.as_int()).take_while(|code| *code != 0);
    let found: String = codes.filter_map(|code| char::from_u32(code as u32)).collect();
    assert_eq!(found, expected, "{source}");
}

const ONE: &str = "pt : POINTER TO BYTE; i : INT;";

#[test]
fn bytes_are_read_and_written() {
    check(ONE, "pt := ADR(F); pt^ := 65; pt := pt + 1; pt^ := 66; pt := pt + 1; pt^ := 0;", "AB");
    check(ONE, "F := s; PT := adr(f); pt := pt + 1; pt^ := 0;", "a");
    check(ONE, "F := s; pt := ADR(F) + LEN(s) - 1; pt^ := pt^ + 1; pt := pt - n; pt^ := 120;", "axd");
    check(ONE, "pt := ADR(F); F := s; FOR i := 0 TO 2 DO pt[i] := pt[i] - 32; END_FOR; pt[3] := 33;", "ABC!");
    check(
        "pi : POINTER TO ARRAY [1..255] OF BYTE; po : POINTER TO USINT; i : INT;",
        "pi := ADR(s); po := ADR(F); FOR i := LEN(s) TO 1 BY -1 DO po^ := pi^[i]; po := po + 1; END_FOR; po^ := 0;",
        "cba",
    );
    check(
        "p : POINTER TO BYTE; q : POINTER TO BYTE; b : ARRAY [-1..1] OF BYTE;",
        "p := ADR(b); p^ := 88; p := p + 1; p^ := 89; q := p + 1; q^ := 90; p := ADR(F); p[0] := b[-1]; p[1] := b[0]; p[2] := b[1]; p[3] := 0;",
        "XYZ",
    );
}

#[test]
fn bytes_outside_of_the_target_are_faults() {
    let index = "Check(IndexOutOfBounds)";
    // The byte behind the declared length is 0, and stays so.
    check(ONE, "pt := ADR(F) + 6; F := s; pt^ := 0; pt[-6] := 65 + pt^;", "Abc");
    check(ONE, "pt := ADR(F) + 6; pt^ := 1;", index);
    check(ONE, "pt := ADR(F) + 7; pt^ := 0;", index);
    check(ONE, "pt := ADR(F) - n; pt^ := 0;", index);
    check(ONE, "pt := ADR(s) + 5; F := s; IF pt^ = 0 THEN F := 'no'; END_IF;", index);
    check(ONE, "F := s; pt := ADR(s) + 4; IF pt^ = 0 THEN F := 'end'; END_IF;", "end");
    check("pi : POINTER TO ARRAY [1..3] OF BYTE;", "pi := ADR(F); pi^[n + 3] := 0;", index);
    check("pi : POINTER TO ARRAY [1..3] OF BYTE;", "pi := ADR(F); pi^[n - 1] := 0;", index);
    check(ONE, "IF io THEN pt := ADR(F); END_IF; pt^ := 0;", "Check(NullReference)");
    check(ONE, "pt := ADR(F); pt := 0; IF pt^ = 0 THEN F := s; END_IF;", "Check(NullReference)");
}

#[test]
fn addresses_are_compared() {
    let two = "p, q : POINTER TO BYTE; d : STRING[3];";
    check(
        two,
        "p := ADR(s); q := p + 2; WHILE p <= q AND p^ > 0 DO p := p + 1; END_WHILE; IF p = ADR(s) + 3 THEN F := 'end'; END_IF;",
        "end",
    );
    check(two, "IF p = 0 THEN F := 'null'; END_IF; p := ADR(s) - 1; IF p < ADR(s) THEN F := CONCAT(F, '-'); END_IF;", "null-");
    // Variables do not overlap, and their order is not known.
    check(two, "p := ADR(s) + 1; q := ADR(d); IF p <> q AND NOT (p = q) THEN F := 'apart'; END_IF;", "apart");
    check(two, "p := ADR(s) + 1; q := ADR(d); IF p < q THEN F := 'below'; END_IF;", "Unsupported(gap0)");
    check(two, "p := ADR(s) + 5; q := ADR(d); IF p = q THEN F := 'next'; END_IF;", "Unsupported(gap0)");
}

#[test]
fn other_uses_are_gaps() {
    let gap = "pointer to bytes outside of assignments, `^` and comparisons";
    for body in [
        "pt := ADR(F); F := DWORD_TO_STRING(pt - ADR(s));",
        "pt := ADR(F); i := SIZEOF(pt);",
        "pt := ADR(F); IF pt^.0 THEN F := s; END_IF;",
        "pt := ADR(F); pt := pt + G(i);",
    ] {
        let source = "FUNCTION G : INT VAR_INPUT i : INT; END_VAR G := i; END_FUNCTION\n";
        let text = format!(
            "{source}FUNCTION F : STRING[6] VAR_INPUT s : STRING[4]; END_VAR VAR {ONE} END_VAR {body} END_FUNCTION\n\
             PROGRAM Main VAR r : STRING[6]; p : POINTER TO INT; END_VAR r := F(s := 'abc'); END_PROGRAM"
        );
        check_program(&text, gap);
    }
}

#[test]
fn pointers_are_kept_over_cycles() {
    let block = |vars: &str, main: &str| {
        format!(
            "FUNCTION_BLOCK B\nVAR_OUTPUT\n s : STRING[4] := 'abcd';\nEND_VAR\nVAR\n pt : POINTER TO BYTE; {vars}\nEND_VAR\n\
             IF pt = 0 THEN pt := ADR(s); END_IF; pt^ := pt^ - 32; pt := pt + 1;\nEND_FUNCTION_BLOCK\n\
             PROGRAM Main\nVAR\n b, c : B; r : STRING[6];\nEND_VAR\n{main}\nEND_PROGRAM\n"
        )
    };
    check_program(&block("", "b(); b(); r := b.s;"), "ABcd");
    check_program(&block("", "b(); c(); c(); r := CONCAT(b.s, c.s);"), "AbcdAB");
    // The copied pointer would lead to the variable of the other instance.
    check_program(&block("", "b(); c := b; c(); r := c.s;"), "copy of an instance with pointers to its bytes");
}

#[test]
fn strings_of_the_caller_are_reached_through_in_outs() {
    let program = |body: &str, call: &str| {
        format!(
            "FUNCTION F : BOOL\nVAR_IN_OUT\n a, b : STRING[6];\nEND_VAR\nVAR\n p, q : POINTER TO BYTE;\nEND_VAR\n\
             {body}\nEND_FUNCTION\nPROGRAM Main\nVAR\n r : STRING[6] := 'abc'; o : STRING[6]; n : POINTER TO INT;\nEND_VAR\n\
             {call};\nEND_PROGRAM\n"
        )
    };
    check_program(&program("p := ADR(a) + 1; p^ := 33; p[1] := 0;", "F(a := r, b := o)"), "a!");
    check_program(&program("p := ADR(a); q := ADR(b); p[3] := q^; p^ := 65;", "F(a := r, b := r)"), "Abca");
    check_program(
        &program("p := ADR(a); q := ADR(b); IF p = q THEN p^ := 65; END_IF;", "F(a := r, b := r)"),
        "Unsupported(gap0)",
    );
    // A block keeps its pointer, and may have another argument in the next call.
    let block = "FUNCTION_BLOCK B\nVAR_IN_OUT\n a : STRING[6];\nEND_VAR\nVAR\n p : POINTER TO BYTE;\nEND_VAR\np := ADR(a); p^ := 65;\n\
                 END_FUNCTION_BLOCK\nPROGRAM Main\nVAR\n r : STRING[6]; b : B;\nEND_VAR\nb(a := r);\nEND_PROGRAM\n";
    check_program(block, "POINTER TO BYTE to a variable of type STRING[6]");
}
