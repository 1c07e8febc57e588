//! Variables that share memory: what is written through one name is read through the others.

use super::{cycle, with_main};
use crate::diagnostic::Severity;
use crate::dialect::DialectId;
use crate::hir::Value;
use crate::interp::{Limits, Machine};
use crate::source::SourceSet;
use crate::{LoadOptions, Loaded, load};

fn loaded(dialect: DialectId, text: &str) -> Loaded {
    let mut sources = SourceSet::default();
    sources.add("test.st", text);
    let parsed = load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    parsed.value
}

/// `r : DINT` after one cycle.
#[track_caller]
fn check(dialect: DialectId, declarations: &str, body: &str, expected: i128) {
    let loaded = loaded(dialect, &with_main(&format!("{declarations} r : DINT;"), body));
    let mut machine = Machine::new(&loaded.project, Limits::default());
    let ran = cycle(&mut machine, &[]);
    assert_eq!(ran, Ok(()), "{declarations}\n{body}\n{:#?}", loaded.ledger.gaps);
    assert_eq!(machine.leaf("Main.r"), Some(Value::Int(expected)), "{dialect:?}\n{declarations}\n{body}");
}

use DialectId::{Codesys, Iec, SiemensTia as S7, Twincat};

#[test]
fn words_and_their_bytes_and_bits() {
    let vars = "w AT %MW0 : WORD; b AT %MX0.1 : BOOL; first AT %MB0 : BYTE; second AT %MB1 : BYTE;";
    let both = |body: &str, low_first: i128, high_first: i128| {
        check(Twincat, vars, body, low_first);
        check(S7, vars, body, high_first);
    };
    both("w := 16#1234; r := BYTE_TO_DINT(first);", 0x34, 0x12);
    both("w := 16#1234; r := BYTE_TO_DINT(second);", 0x12, 0x34);
    both("w := 16#0002; r := BOOL_TO_DINT(b);", 1, 0);
    both("w := 16#0200; r := BOOL_TO_DINT(b);", 0, 1);
    both("b := TRUE; r := WORD_TO_DINT(w);", 2, 0x200);
    both("second := 16#AB; b := TRUE; r := WORD_TO_DINT(w);", 0xAB02, 0x02AB);
    both("w := 16#FFFF; b := FALSE; first.0 := FALSE; r := WORD_TO_DINT(w);", 0xFFFC, 0xFCFF);
    both("w := 16#FFFF; w := SHL(w, 1); r := WORD_TO_DINT(w);", 0xFFFE, 0xFFFE);
    both("%MW0 := 16#0100; w.0 := TRUE; r := BYTE_TO_DINT(second);", 1, 1);
}

#[test]
fn numbers_with_a_sign_and_reals_are_their_bits() {
    let int = "i AT %MW2 : INT; w AT %MW2 : WORD; high AT %MB3 : SINT;";
    check(Twincat, int, "i := -2; r := WORD_TO_DINT(w);", 0xFFFE);
    check(Twincat, int, "w := 16#8001; r := i;", -32767);
    check(Twincat, int, "i := -2; r := high;", -1);
    check(Twincat, int, "high := -128; r := i;", -32768);
    check(S7, int, "i := 16#00FE; r := high;", -2);
    let real = "x AT %MD0 : REAL; d AT %MD0 : DWORD; w AT %MW2 : WORD; sign AT %MX3.7 : BOOL;";
    check(Twincat, real, "x := 1.5; r := DWORD_TO_DINT(d);", 0x3FC0_0000);
    check(Twincat, real, "x := 1.5; r := WORD_TO_DINT(w);", 0x3FC0);
    check(Twincat, real, "x := 1.5; sign := TRUE; r := REAL_TO_DINT(x * 2.0);", -3);
    check(Twincat, real, "d := 16#7FC12345; x := x; r := DWORD_TO_DINT(d);", 0x7FC1_2345);
    check(S7, real, "x := 1.5; r := WORD_TO_DINT(w);", 0);
    check(S7, "x AT %MD0 : REAL; w AT %MW0 : WORD;", "x := 1.5; r := WORD_TO_DINT(w);", 0x3FC0);
    check(S7, "t AT %MD4 : TIME; d AT %MD4 : DINT;", "t := T#1s; r := d;", 1000);
}

#[test]
fn arrays_share_memory_element_by_element() {
    let vars = "a AT %MB0 : ARRAY [0..3] OF BYTE; d AT %MD0 : DINT; k : INT := 2;";
    check(Codesys, vars, "d := 16#04030201; r := a[k];", 3);
    check(Codesys, vars, "a[k] := 16#7F; a[0] := 1; r := d;", 0x7F_0001);
    check(S7, vars, "a[k] := 16#7F; a[0] := 1; r := d;", 0x0100_7F00);
    // A copy reads everything before it writes.
    let shifted = "a AT %MB0 : ARRAY [0..3] OF BYTE; c AT %MB1 : ARRAY [0..3] OF BYTE;";
    check(
        Twincat,
        shifted,
        "a[0] := 1; a[1] := 2; a[2] := 3; a[3] := 4; c := a; r := a[0] + 10 * a[1] + 100 * a[2] + 1000 * a[3];",
        3211,
    );
    // A BOOL that is no bit takes a byte.
    check(Twincat, "f AT %MB0 : BOOL; b AT %MB0 : BYTE;", "b := 4; r := BOOL_TO_DINT(f);", 1);
    check(Twincat, "f AT %MB0 : BOOL; b AT %MB0 : BYTE;", "b := 4; f := TRUE; r := b;", 1);
}

#[test]
fn initial_values_are_shared_too() {
    let vars = "w AT %MW0 : WORD := 16#0102; b AT %MX0.1 : BOOL; i AT %MB1 : BYTE;";
    check(Twincat, vars, "r := BOOL_TO_DINT(b) + 10 * i;", 11);
    check(S7, vars, "r := BOOL_TO_DINT(b) + 10 * BYTE_TO_DINT(i);", 20);
    let flag = "b AT %MX0.1 : BOOL := TRUE; w AT %MW0 : INT;";
    check(Twincat, flag, "r := w;", 2);
    check(S7, flag, "r := w;", 0x200);
}

/// What stops the run of a program, and the assumptions that answers name.
fn gaps(dialect: DialectId, vars: &str, body: &str) -> Vec<String> {
    let loaded = loaded(dialect, &with_main(vars, body));
    loaded.ledger.gaps.iter().map(|gap| gap.construct.clone()).collect()
}

#[test]
fn what_is_not_known_is_said() {
    let check = |dialect: DialectId, vars: &str, body: &str, expected: &[&str]| {
        let found = gaps(dialect, vars, body);
        let is_said = expected.iter().all(|e| found.iter().any(|f| f.contains(e)));
        assert!(is_said && found.is_empty() == expected.is_empty(), "{vars}: {found:#?}");
    };
    let far = "w AT %MW0 : WORD; b AT %MX1.3 : BOOL;";
    check(Codesys, far, "b := TRUE;", &["`b` at %MX1.3, which shares memory with `w`"]);
    check(Twincat, far, "b := TRUE;", &[]);
    check(S7, far, "b := TRUE;", &[]);
    check(Iec, "w AT %MW0 : WORD; b AT %MX0.3 : BOOL;", "b := TRUE;", &["order of bytes of `w`"]);
    check(Iec, "v AT %MB0 : BYTE; b AT %MX0.3 : BOOL;", "b := TRUE;", &[]);
    let odd = "a AT %MB0 : STRUCT x : BYTE; y : WORD; END_STRUCT; d AT %MD0 : DWORD;";
    check(Twincat, odd, "d := 1;", &["`d` at %MD0, which shares memory with `a`"]);
    check(S7, odd, "d := 1;", &[]);
    check(Twincat, "s AT %MB0 : STRING; b AT %MB0 : BYTE;", "b := 1;", &["`b` at %MB0, which shares memory with `s`"]);
    check(Twincat, "a AT %MB0 : BYTE := 1; b AT %MB0 : SINT := 2;", "b := 1;", &["`b` at %MB0, which shares memory with `a`"]);
    check(Twincat, "a AT %MB0 : BYTE := 1; b AT %MB0 : SINT;", "b := 1;", &["initial value of memory that is shared"]);
}

#[test]
fn inputs_that_overlap_are_one_input() {
    let text = "PROGRAM Main\nVAR\nw AT %IW0 : WORD; b AT %IX0.1 : BOOL; n : INT;\nEND_VAR\nIF b THEN n := WORD_TO_INT(w); END_IF;\nEND_PROGRAM";
    let loaded = loaded(Twincat, text);
    let mut machine = Machine::new(&loaded.project, Limits::default());
    cycle(&mut machine, &[("w", Value::Int(6))]).unwrap();
    assert_eq!(machine.leaf("Main.b"), Some(Value::Bool(true)));
    cycle(&mut machine, &[("b", Value::Bool(false))]).unwrap();
    assert_eq!((machine.leaf("Main.w"), machine.leaf("Main.n")), (Some(Value::Int(4)), Some(Value::Int(6))));
    let visible: Vec<String> = loaded.project.leaves().into_iter().filter(|l| !l.hidden).map(|l| l.name).collect();
    assert_eq!(visible, ["Main.w", "Main.b", "Main.n"]);
}
