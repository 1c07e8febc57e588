//! Variables that share memory: a value written through one name is read through the others.

use super::{cycle, with_main};
use crate::dialect::DialectId;
use crate::hir::Value;
use crate::interp::{Limits, Machine};
use crate::text::{Severity, SourceSet, Treatment};
use crate::{LoadOptions, Loaded, load};

fn loaded(dialect: DialectId, text: &str) -> Loaded {
    let mut sources = SourceSet::default();
    sources.add("test.st", text);
    let parsed = load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    parsed.value
}

/// Checks `r : DINT` after one cycle.
#[track_caller]
fn check(dialect: DialectId, declarations: &str, body: &str, expected: i128) {
    let loaded = loaded(dialect, &with_main(&format!("{declarations} r : DINT;"), body));
    let mut machine = Machine::new(&loaded.project, Limits::default());
    let ran = cycle(&mut machine, &[]);
    assert_eq!(ran, Ok(()), "{declarations}\n{body}\n{:#?}", loaded.ledger.gaps);
    assert_eq!(machine.leaf("Main.r"), Some(Value::Int(expected)), "{dialect:?}\n{declarations}\n{body}");
}

use DialectId::{Codesys, Iec, Matiec, SiemensTia as S7, Twincat};

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
    // A BOOL without a bit address takes a byte.
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

/// Returns the gaps of a program: constructs that end a run, and assumptions.
fn gaps(dialect: DialectId, vars: &str, body: &str) -> Vec<String> {
    let loaded = loaded(dialect, &with_main(vars, body));
    loaded.ledger.gaps.iter().map(|gap| gap.construct.clone()).collect()
}

#[test]
fn inputs_that_may_overlap_concern_runs_only() {
    let check = |vars: &str, body: &str, expected: Treatment| {
        let loaded = loaded(Codesys, &with_main(vars, body));
        let found = loaded
            .ledger
            .gaps
            .iter()
            .find(|gap| gap.construct.ends_with("count words") || gap.construct.contains("count words, "));
        assert_eq!(found.map(|gap| gap.treatment), Some(expected), "{vars}\n{body}");
    };
    let inputs = "i0 AT %IW0 : WORD; i1 AT %IW1 : WORD; n : WORD;";
    check(inputs, "n := i0 + i1;", Treatment::AssumedByRuns);
    check(inputs, "n := i0; i1 := n;", Treatment::Assumed);
    check(&format!("{inputs} p : POINTER TO WORD;"), "p := ADR(i0); p^ := 1;", Treatment::Assumed);
    check("n : WORD;", "n := %IW0 + %IW1;", Treatment::AssumedByRuns);
    // Some controllers keep them apart, others not: then runs are missing.
    check("d AT %ID1 : DWORD; i0 AT %IW2 : WORD; i1 AT %IW3 : WORD; n : WORD;", "n := i0;", Treatment::Assumed);
    check(&format!("{inputs} m0 AT %MW0 : WORD; m1 AT %MW1 : WORD;"), "n := i0;", Treatment::Assumed);
    check(&format!("{inputs} q0 AT %QW0 : WORD; q1 AT %QW1 : WORD;"), "q0 := i0;", Treatment::Assumed);
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
    check(Iec, "w AT %MW0 : WORD; b AT %MX0.3 : BOOL;", "b := TRUE;", &["lowest byte of `w`"]);
    check(Iec, "v AT %MB0 : BYTE; b AT %MX0.3 : BOOL;", "b := TRUE;", &["%MB0 and %MX0.3 share memory"]);
    check(Iec, "v AT %MB0 : BYTE; b AT %MB0 : BYTE;", "b := 1;", &[]);
    check(Matiec, "v AT %MB0 : BYTE; b AT %MX0.3 : BOOL;", "b := TRUE;", &[]);
    check(Matiec, far, "b := TRUE;", &[]);
    let words = "w0 AT %MW0 : WORD; w1 AT %MW1 : WORD;";
    for dialect in [Codesys, Iec] {
        check(dialect, words, "w1 := 1;", &["addresses %MW0 (`w0`) and %MW1 (`w1`)"]);
        check(dialect, "n : INT;", "%MW0 := 1; %MW1 := 2;", &["addresses %MW0 and %MW1"]);
        check(dialect, "w0 AT %MW0 : WORD;", "%MW1 := w0;", &["addresses %MW0 (`w0`) and %MW1"]);
        let long = "d AT %MD0 : DWORD; w0 AT %MW0 : WORD; w1 AT %MW1 : WORD;";
        check(dialect, long, "d := 1;", &["lowest byte of `d`", "addresses %MD0 (`d`) and %MW1 (`w1`)"]);
        check(dialect, "a AT %MW0 : ARRAY [0..9] OF WORD; w AT %MW10 : WORD;", "w := 1;", &["addresses %MW0 (`a`)"]);
        check(dialect, "w0 AT %MW0 : WORD; w2 AT %MW2 : WORD; x AT %QX0.0 : BOOL; y AT %IX1.0 : BOOL;", "w0 := w2;", &[]);
    }
    check(Twincat, words, "w1 := 1;", &[]);
    check(S7, words, "w1 := 1;", &[]);
    let odd = "a AT %MB0 : STRUCT x : BYTE; y : WORD; END_STRUCT; d AT %MD0 : DWORD;";
    check(Twincat, odd, "d := 1;", &["`d` at %MD0, which shares memory with `a`"]);
    check(S7, odd, "d := 1;", &[]);
    check(Twincat, "s AT %MB0 : STRING; b AT %MB0 : BYTE;", "b := 1;", &["`b` at %MB0, which shares memory with `s`"]);
    check(Twincat, "a AT %MB0 : BYTE := 1; b AT %MB0 : SINT := 2;", "b := 1;", &["`b` at %MB0, which shares memory with `a`"]);
    check(Twincat, "a AT %MB0 : BYTE := 1; b AT %MB0 : SINT;", "b := 1;", &["shared memory starts"]);
}

#[test]
fn inputs_that_overlap_are_one_input() {
    let text = r"PROGRAM Main
VAR
w AT %IW0 : WORD; b AT %IX0.1 : BOOL; n : INT;
END_VAR
IF b THEN n := WORD_TO_INT(w); END_IF;
END_PROGRAM";
    let loaded = loaded(Twincat, text);
    let mut machine = Machine::new(&loaded.project, Limits::default());
    cycle(&mut machine, &[("w", Value::Int(6))]).unwrap();
    assert_eq!(machine.leaf("Main.b"), Some(Value::Bool(true)));
    cycle(&mut machine, &[("b", Value::Bool(false))]).unwrap();
    assert_eq!((machine.leaf("Main.w"), machine.leaf("Main.n")), (Some(Value::Int(4)), Some(Value::Int(6))));
    let visible: Vec<String> = loaded.project.leaves().into_iter().filter(|l| !l.hidden).map(|l| l.name).collect();
    assert_eq!(visible, ["Main.w", "Main.b", "Main.n"]);
}

const SCL: &str = "FUNCTION \"Split\" : DINT
{ S7_Optimized_Access := 'FALSE' }
VAR_INPUT
 d : DWORD; b AT d : ARRAY [0..3] OF BYTE; f AT d : ARRAY [0..31] OF BOOL;
END_VAR
VAR_OUTPUT
 o : WORD; low AT o : STRUCT hi, lo : BYTE; END_STRUCT;
END_VAR
BEGIN
o := 0; low.hi := b[0]; low.lo := b[3]; \"Split\" := BOOL_TO_DINT(f[24]) + 2 * BOOL_TO_DINT(f[0]);
END_FUNCTION
";

/// Checks `r : DINT` after one cycle of an SCL block with these variables and temporary variables.
#[track_caller]
fn check_scl(vars: &str, temps: &str, body: &str, expected: i128) {
    let text = format!(
        r#"{SCL}FUNCTION_BLOCK "Main"
{{ S7_Optimized_Access := 'FALSE' }}
VAR
 r : DINT;
{vars}
END_VAR
VAR_TEMP
{temps}
END_VAR
BEGIN
{body}
END_FUNCTION_BLOCK"#
    );
    let mut sources = SourceSet::default();
    sources.add("test.scl", text.as_str());
    let parsed = load(&sources, &LoadOptions { entry: Some("Main".to_owned()), ..LoadOptions::default() });
    assert!(!parsed.has_errors(), "{text}\n{:#?}", parsed.diagnostics);
    assert!(parsed.value.ledger.gaps.is_empty(), "{body}\n{:#?}", parsed.value.ledger.gaps);
    let mut machine = Machine::new(&parsed.value.project, Limits::default());
    assert_eq!(cycle(&mut machine, &[]), Ok(()), "{body}");
    assert_eq!(machine.leaf("Main.r"), Some(Value::Int(expected)), "{vars}\n{temps}\n{body}");
}

#[test]
fn views_of_scl_are_the_memory_of_their_variable() {
    let temps = "w : WORD; b AT w : ARRAY [0..15] OF BOOL; y AT w : ARRAY [0..1] OF BYTE; i AT w : INT; k : INT;";
    check_scl("", temps, "w := 16#1234; r := BYTE_TO_DINT(y[0]);", 0x12);
    check_scl("", temps, "w := 16#0001; FOR k := 0 TO 15 DO IF b[k] THEN r := r + k; END_IF; END_FOR;", 8);
    check_scl("", temps, "w := 0; b[0] := TRUE; y[1] := 16#80; r := WORD_TO_DINT(w);", 0x180);
    check_scl("", temps, "w := 0; i := -2; r := BYTE_TO_DINT(y[0]) + 1000 * BYTE_TO_DINT(y[1]);", 255 + 254_000);
    let vars = "x : REAL; d AT x : DWORD; sign AT x : ARRAY [0..31] OF BOOL;";
    check_scl(vars, "", "x := 1.5; r := DWORD_TO_DINT(d);", 0x3FC0_0000);
    check_scl(vars, "", "x := 1.5; sign[7] := TRUE; r := REAL_TO_DINT(x * 2.0);", -3);
    let parts = "s : STRUCT f, g : BOOL; b : BYTE; n : INT; END_STRUCT; v AT s : DWORD; n : WORD;";
    check_scl(parts, "", "s.g := TRUE; s.b := 3; s.n := -1; r := DWORD_TO_DINT(SHR(v, 16)) + s.n;", 0x0203 - 1);
    check_scl("w : WORD;", "", "r := \"Split\"(d := DW#16#01020300, o => w) + 10 * WORD_TO_DINT(w);", 2 + 10 * 0x0100);
}

#[test]
fn members_of_unions_are_one_memory() {
    let union = r"TYPE U : UNION w : WORD; b : ARRAY [0..1] OF BYTE; i : INT; END_UNION END_TYPE
TYPE F : UNION x : REAL; d : DWORD; t : BOOL; END_UNION END_TYPE
FUNCTION High : BYTE
VAR_INPUT
 u : U;
END_VAR
VAR
 v : U;
END_VAR
v := u; v.b[0] := 0; High := v.b[1];
END_FUNCTION
FUNCTION Raise : BOOL
VAR_IN_OUT
 u : U; b : BYTE;
END_VAR
u.w := u.w + 1; b := b + 1; Raise := TRUE;
END_FUNCTION
---
";
    let check = |vars: &str, body: &str, expected: i128| check(Codesys, &format!("{union}{vars}"), body, expected);
    check("u : U;", "u.w := 16#1234; r := u.b[1];", 0x12);
    check("u : U;", "u.b[0] := 254; u.b[1] := 255; r := u.i;", -2);
    check("u, v : U;", "u.i := -2; v := u; u.w := 0; r := v.w + u.b[0];", 0xFFFE);
    check("a : ARRAY [0..2] OF U; k : INT := 1;", "a[k].b[k] := 7; a[2] := a[1]; r := a[2].w + a[0].w;", 0x700);
    check("u : U;", "u.w := 16#0BFF; r := High(u);", 0x0B);
    check("u : U; v : U; d : BOOL;", "u.w := 16#00FF; d := Raise(u := u, b := u.b[1]); r := u.w;", 0x0200);
    check("f : F;", "f.x := -2.0; r := DWORD_TO_DINT(f.d AND 16#7FFF_FFFF);", 0x4000_0000);
    check("f : F;", "f.d := 16#102; r := BOOL_TO_DINT(f.t); f.t := TRUE; r := r + DWORD_TO_DINT(f.d);", 0x102);
    check(
        "u : UNION a : DINT; b : ARRAY [0..1] OF STRUCT l : USINT; h : SINT; END_STRUCT; END_UNION;",
        "u.b[1].h := -1; r := u.a;",
        -16_777_216,
    );
}

#[test]
fn unions_that_have_no_certain_memory_are_gaps() {
    let check = |vars: &str, body: &str, expected: &str| {
        let found = gaps(Codesys, vars, body);
        assert!(found.iter().any(|f| f.contains(expected)), "{vars}: {found:#?}");
    };
    check("u : UNION a : WORD; s : STRING; END_UNION;", "u.a := 1;", "a STRING is in it");
    check("u : UNION a : STRUCT b : BYTE; w : WORD; END_STRUCT; d : DWORD; END_UNION;", "u.d := 1;", "depends on the alignment");
    check("u : UNION x : REAL; b : ARRAY [0..3] OF BOOL; END_UNION;", "u.x := 1.0;", "keeps all the bits");
    check("u : UNION a : WORD := 3; b : INT; END_UNION;", "u.a := 1;", "has an initial value");
    check("u : UNION a : WORD; b : INT; END_UNION := (a := 3);", "u.a := 1;", "initial value of a UNION");
    check("u : UNION a : WORD; t : TON; END_UNION;", "u.a := 1;", "an instance of a function block is in it");
}
