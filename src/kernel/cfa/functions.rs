//! The standard functions and the arithmetic of dialects, row by row: the value of the standard or the dialect, in the
//! interpreter and in the automaton.

use std::collections::BTreeMap;

use plc_frontend::diagnostic::Severity;
use plc_frontend::dialect::DialectId;
use plc_frontend::hir::{Leaf, Project, Value as IecValue, value_to_st};
use plc_frontend::interp::{Fault, FaultEnd, Limits, Machine, Silent};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use super::lower::layout::value_of;
use super::simulate::{End, Simulator};
use super::{ModelOptions, build};
use crate::expr::Value;

/// Returns the variable `r` as text; a string with its characters.
fn shown(project: &Project, leaves: &[(Leaf, IecValue)]) -> String {
    let mut rows = leaves.iter().filter(|(leaf, _)| leaf.name == "Main.r" || leaf.name.starts_with("Main.r["));
    match leaves.iter().find(|(leaf, _)| leaf.name == "Main.r") {
        Some((leaf, value)) => value_to_st(project, leaf.ty, *value),
        None => {
            let chars = rows.by_ref().map(|(_, value)| value.as_int().unwrap_or(0) as u16);
            format!("'{}'", String::from_utf16_lossy(&chars.take_while(|c| *c != 0).collect::<Vec<_>>()))
        }
    }
}

/// Checks `r : ty` after one cycle of the body with these variables. If the model allows more values than the interpreter's, only
/// the interpreter counts.
#[track_caller]
fn check_in(dialect: DialectId, vars: &str, body: &str, ty: &str, expected: &str) {
    // The first cycle changes nothing, so that the values are no constants of the program.
    let text = format!(
        "PROGRAM Main\nVAR_INPUT\n go : BOOL;\nEND_VAR\nVAR\n r : {ty};\n{vars}\nEND_VAR\nIF go THEN\n{body}\nEND_IF;\nEND_PROGRAM"
    );
    let mut sources = SourceSet::default();
    sources.add("main.st", text.as_str());
    let parsed = load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    let project = parsed.value.project;
    let model = build(&project, &ModelOptions::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));

    let mut machine = Machine::new(&project, Limits::default());
    let inputs = BTreeMap::from([("Main.go".to_owned(), IecValue::Bool(true))]);
    machine.begin(&inputs, 100_000_000).unwrap();
    let ran = machine.run(&mut Silent);
    let leaves: Vec<(Leaf, IecValue)> =
        model.leaves.iter().map(|(leaf, _)| (leaf.clone(), machine.leaf(&leaf.name).unwrap())).collect();
    let found = match &ran {
        Ok(()) => shown(&project, &leaves),
        Err(Fault { kind: FaultEnd::Check(kind), .. }) => format!("{kind:?}"),
        Err(fault) => format!("{fault:?}"),
    };
    assert_eq!(found, expected, "interpreter\n{text}");

    let mut simulator = Simulator::new(&model.pool, &model.cfa);
    simulator.cycle(1, &mut |_| unreachable!("nothing is havocked before the head"));
    let mut free = false;
    let go = model.leaves.iter().find(|(leaf, _)| leaf.name == "Main.go").unwrap().1;
    let end = simulator.cycle(1_000_000, &mut |var| match var {
        var if var == go => Value::Bool(true),
        var if var == model.dt => Value::bv(32, 100),
        var => {
            free = true;
            Value::zero(model.pool.var_decl(var).sort)
        }
    });
    if free {
        return;
    }
    match ran {
        Ok(()) => assert_eq!(end, End::Head, "automaton\n{text}"),
        Err(_) => return assert!(matches!(end, End::Stuck(_)), "automaton {end:?}\n{text}"),
    }
    for ((leaf, var), (_, value)) in model.leaves.iter().zip(&leaves) {
        assert_eq!(simulator.variable(*var), value_of(&project, leaf.ty, *value), "automaton: {}\n{text}", leaf.name);
    }
}

/// Checks rows of `result type: body => expected`.
#[track_caller]
fn rows(dialect: DialectId, vars: &str, rows: &[(&str, &str, &str)]) {
    for (ty, body, expected) in rows {
        check_in(dialect, vars, &format!("r := {body};"), ty, expected);
    }
}

#[test]
fn strings() {
    let vars = "s : STRING[10] := 'ABCDEF'; e : STRING[10]; t : STRING[5] := 'CD'; u : STRING[3] := 'xyz'; n : INT := 2; m : SINT := -1; big : DINT := 100000; w : WSTRING[4] := \"ab\"; c : CHAR := CHAR#'q';";
    rows(
        DialectId::Iec,
        vars,
        &[
            ("INT", "LEN(s)", "6"),
            ("INT", "LEN(e)", "0"),
            ("INT", "LEN(u)", "3"),
            ("INT", "LEN(w)", "2"),
            ("STRING[10]", "s", "'ABCDEF'"),
            ("STRING[3]", "s", "'ABC'"),
            ("STRING[10]", "'a$'b$$'", "'a'b$'"),
            ("STRING[10]", "LEFT(s, n)", "'AB'"),
            ("STRING[10]", "LEFT(s, m)", "''"),
            ("STRING[10]", "LEFT(s, big)", "'ABCDEF'"),
            ("STRING[10]", "LEFT(IN := s, L := 0)", "''"),
            ("STRING[10]", "RIGHT(s, n)", "'EF'"),
            ("STRING[10]", "RIGHT(s, big)", "'ABCDEF'"),
            ("STRING[10]", "RIGHT(s, 0)", "''"),
            ("STRING[10]", "MID(s, n, 3)", "'CD'"),
            ("STRING[10]", "MID(s, big, 5)", "'EF'"),
            ("STRING[10]", "MID(s, n, 0)", "'AB'"),
            ("STRING[10]", "MID(s, n, 7)", "''"),
            ("STRING[10]", "MID(IN := s, L := 2, P := n)", "'BC'"),
            ("STRING[10]", "CONCAT(s, t)", "'ABCDEFCD'"),
            ("STRING[10]", "CONCAT(e, u, t)", "'xyzCD'"),
            ("STRING[10]", "CONCAT(s, s)", "'ABCDEFABCD'"),
            ("STRING[10]", "CONCAT('<', t, '>')", "'<CD>'"),
            ("STRING[10]", "INSERT(s, u, n)", "'ABxyzCDEF'"),
            ("STRING[10]", "INSERT(s, u, 0)", "'xyzABCDEF'"),
            ("STRING[10]", "INSERT(s, u, 99)", "'ABCDEFxyz'"),
            ("STRING[10]", "DELETE(s, n, 3)", "'ABEF'"),
            ("STRING[10]", "DELETE(s, 99, n)", "'A'"),
            ("STRING[10]", "DELETE(s, 0, n)", "'ABCDEF'"),
            ("STRING[10]", "REPLACE(s, u, n, 3)", "'ABxyzEF'"),
            ("STRING[10]", "REPLACE(s, e, 1, 1)", "'BCDEF'"),
            ("STRING[10]", "REPLACE(s, t, 99, 6)", "'ABCDECD'"),
            ("INT", "FIND(s, t)", "3"),
            ("INT", "FIND(s, 'FG')", "0"),
            ("INT", "FIND(s, e)", "0"),
            ("INT", "FIND(e, s)", "0"),
            ("INT", "FIND('AABAAB', 'AB')", "2"),
            ("INT", "FIND(t, s)", "0"),
            ("BOOL", "s = 'ABCDEF'", "TRUE"),
            ("BOOL", "s = t", "FALSE"),
            ("BOOL", "s <> 'ABCDE'", "TRUE"),
            ("BOOL", "s < 'ABD'", "TRUE"),
            ("BOOL", "s < 'ABC'", "FALSE"),
            ("BOOL", "s >= 'ABCDEF'", "TRUE"),
            ("BOOL", "e <= e", "TRUE"),
            ("BOOL", "s > e AND e < s AND NOT (e > s)", "TRUE"),
            ("BOOL", "EQ(s, 'ABCDEF', s)", "TRUE"),
            ("BOOL", "w = \"ab\"", "TRUE"),
            ("STRING[4]", "SEL(n = 2, s, t)", "'CD'"),
            ("STRING[9]", "MUX(n, 'one', t, s)", "'ABCDEF'"),
            ("STRING[3]", "MUX(n, 'one', t)", "IndexOutOfBounds"),
            ("CHAR", "s[n]", "CHAR#'B'"),
            ("CHAR", "s[11]", "IndexOutOfBounds"),
            ("CHAR", "s[n + big]", "IndexOutOfBounds"),
            ("STRING[2]", "c", "'q'"),
            ("BOOL", "s[1] = c OR s[1] = CHAR#'A'", "TRUE"),
            ("STRING[10]", "CONCAT(c, s)", "'qABCDEF'"),
            ("CHAR", "STRING_TO_CHAR(u)", "CHAR#'x'"),
            ("STRING[10]", "CHAR_TO_STRING(c)", "'q'"),
        ],
    );
    check_in(DialectId::Iec, vars, "s[2] := CHAR#'-'; s[n + 1] := c; r := s;", "STRING[10]", "'A-qDEF'");
    // Characters behind the end are not visible until the end moves.
    check_in(DialectId::Iec, vars, "s[3] := TO_CHAR(BYTE#0); r := CONCAT(s, t);", "STRING[10]", "'ABCD'");
    check_in(
        DialectId::Codesys,
        vars,
        "s[0] := 16#41 + 1; r := s; IF s[n] = 16#43 THEN r := 'yes'; END_IF;",
        "STRING[10]",
        "'yes'",
    );
}

#[test]
fn strings_of_values_and_values_of_strings() {
    let vars = "i : INT := -5; b : BYTE := 16#FF; x : REAL := 1.5; q : BOOL := TRUE; t : TIME := T#1s500ms; d : DATE := D#2024-02-29; s : STRING[20] := '-12'; f : STRING := '2.5';";
    rows(
        DialectId::Iec,
        vars,
        &[
            ("STRING[20]", "INT_TO_STRING(i)", "'-5'"),
            ("STRING[20]", "INT_TO_STRING(i - 32763)", "'-32768'"),
            ("STRING[20]", "CONCAT(INT_TO_STRING(i * i), UDINT_TO_STRING(16#FFFF_FFFF))", "'254294967295'"),
            ("STRING[2]", "INT_TO_STRING(i * 20)", "'-1'"),
            ("WSTRING[20]", "SINT_TO_WSTRING(-128)", "'-128'"),
            ("STRING[20]", "BYTE_TO_STRING(b)", "'255'"),
            ("STRING[20]", "REAL_TO_STRING(x)", "'1.5'"),
            ("STRING[20]", "TO_STRING(q)", "'TRUE'"),
            ("STRING[20]", "TIME_TO_STRING(t)", "'T#1s500ms'"),
            ("STRING[20]", "DATE_TO_STRING(d)", "'D#2024-02-29'"),
            ("INT", "STRING_TO_INT(s)", "-12"),
            ("REAL", "STRING_TO_REAL(f)", "2.5"),
            ("TIME", "STRING_TO_TIME('T#1m')", "T#1m"),
            ("BOOL", "STRING_TO_BOOL('TRUE')", "TRUE"),
        ],
    );
}

#[test]
fn points_in_time() {
    let vars = "d : DATE := D#2024-02-29; d0 : DATE := D#2024-01-01; o : TOD := TOD#13:30:15.250; x : DT := DT#2024-02-29-13:30:15; t : TIME := T#1h30s; lx : LDT := LDT#2024-02-29-13:30:15.000000001; lt : LTIME := LTIME#1us; ld : LDATE := LDATE#2024-03-01; lo : LTOD := LTOD#00:00:01;";
    rows(
        DialectId::Iec,
        vars,
        &[
            ("TIME", "D#2024-01-03 - d0", "T#2d"),
            ("TIME", "SUB_DATE_DATE(d0, D#2024-01-02)", "T#-1d"),
            ("TIME", "o - TOD#13:00:00", "T#30m15s250ms"),
            ("TOD", "o + t", "TOD#14:30:45.25"),
            ("TOD", "SUB_TOD_TIME(o, T#250ms)", "TOD#13:30:15"),
            ("DT", "x + t", "DT#2024-02-29-14:30:45"),
            ("DT", "x - T#14h", "DT#2024-02-28-23:30:15"),
            ("TIME", "x - DT#2024-02-29-00:00:00", "T#13h30m15s"),
            ("LDT", "lx + lt", "LDT#2024-02-29-13:30:15.000001001"),
            ("LTIME", "lx - LDT#2024-02-29-13:30:15", "LT#1ns"),
            ("LTIME", "ld - LDATE#2024-02-29", "LT#1d"),
            ("BOOL", "d > d0 AND x >= x AND o < TOD#23:59:59", "TRUE"),
            ("DATE", "DT_TO_DATE(x)", "D#2024-02-29"),
            ("DATE", "DATE_AND_TIME_TO_DATE(x)", "D#2024-02-29"),
            ("TOD", "DT_TO_TOD(x)", "TOD#13:30:15"),
            ("LTOD", "LDT_TO_LTOD(lx)", "LTOD#13:30:15.000000001"),
            ("LDATE", "LDT_TO_LDATE(lx)", "LDATE#2024-02-29"),
            ("DT", "DATE_TO_DT(d)", "DT#2024-02-29-00:00:00"),
            ("LDT", "DT_TO_LDT(x)", "LDT#2024-02-29-13:30:15"),
            ("DT", "LDT_TO_DT(lx)", "DT#2024-02-29-13:30:15"),
            ("LTOD", "o", "LTOD#13:30:15.25"),
            ("DT", "CONCAT_DATE_TOD(d, TOD#01:02:03)", "DT#2024-02-29-01:02:03"),
            ("INT", "DAY_OF_WEEK(d)", "4"),
            ("INT", "DAY_OF_WEEK(d0)", "1"),
            ("INT", "DAY_OF_WEEK(D#1970-01-04)", "0"),
            ("UDINT", "DATE_TO_UDINT(D#1970-01-02)", "86400"),
            ("UDINT", "TOD_TO_UDINT(TOD#00:00:01)", "1000"),
            ("DATE", "DWORD_TO_DATE(DWORD#86400)", "D#1970-01-02"),
            ("DT", "MAX(x, DT#2000-01-01-00:00:00)", "DT#2024-02-29-13:30:15"),
            ("DATE", "SEL(TRUE, d0, d)", "D#2024-02-29"),
        ]
        .map(|(ty, body, expected)| (ty, body, if expected == "LDATE#2024-02-29" { "LD#2024-02-29" } else { expected })),
    );
}

#[test]
fn decimal_digits_and_bytes() {
    let vars = "w : WORD := 16#1234; bad : BYTE := 16#1A; b : BYTE := 16#99; u : UINT := 1234; big : UINT := 54321; si : SINT := 42; dw : DWORD := 16#12345678; lw : LWORD := 16#0123456789ABCDEF; i : INT := 16#0102;";
    rows(
        DialectId::Iec,
        vars,
        &[
            ("UINT", "WORD_BCD_TO_UINT(w)", "1234"),
            ("USINT", "BYTE_BCD_TO_USINT(b)", "99"),
            ("USINT", "BYTE_BCD_TO_USINT(bad)", "20"),
            ("INT", "BCD_TO_INT(w)", "1234"),
            ("WORD", "UINT_TO_BCD_WORD(u)", "16#1234"),
            ("WORD", "UINT_TO_BCD_WORD(big)", "16#4321"),
            ("DWORD", "UINT_TO_BCD_DWORD(big)", "16#00054321"),
            ("BYTE", "SINT_TO_BCD_BYTE(si)", "16#42"),
            ("BOOL", "IS_VALID_BCD(w)", "TRUE"),
            ("BOOL", "IS_VALID_BCD(bad)", "FALSE"),
            ("WORD", "SWAP(w)", "16#3412"),
            ("DWORD", "TO_BIG_ENDIAN(dw)", "16#78563412"),
            ("DWORD", "TO_LITTLE_ENDIAN(dw)", "16#12345678"),
            ("LWORD", "FROM_BIG_ENDIAN(lw)", "16#EFCDAB8967452301"),
            ("INT", "TO_BIG_ENDIAN(i)", "513"),
            ("BYTE", "TO_BIG_ENDIAN(b)", "16#99"),
        ],
    );
    rows(DialectId::SiemensTia, vars, &[("DWORD", "TO_BIG_ENDIAN(dw)", "16#12345678"), ("WORD", "SWAP(w)", "16#3412")]);
}

#[test]
fn numbers() {
    let vars = "x : REAL := 2.5; y : REAL := -2.5; z : REAL := 1.0e30; zero : REAL; i : INT := 7; j : INT := -7; a : ARRAY [1..3] OF INT; st : STRUCT p : DINT; q : BOOL; END_STRUCT;";
    rows(
        DialectId::Iec,
        vars,
        &[
            ("DINT", "ROUND(x)", "2"),
            ("DINT", "ROUND(REAL#3.5)", "4"),
            ("DINT", "TRUNC(y)", "-2"),
            ("DINT", "CEIL(x)", "3"),
            ("DINT", "CEIL(y)", "-2"),
            ("DINT", "FLOOR(x)", "2"),
            ("DINT", "FLOOR(y)", "-3"),
            ("DINT", "FLOOR(z)", "ConversionRange"),
            ("REAL", "FRAC(y)", "-0.5"),
            ("BOOL", "IS_VALID(x)", "TRUE"),
            ("BOOL", "IS_VALID(z * z)", "FALSE"),
            ("BOOL", "IS_VALID(zero / zero)", "FALSE"),
            ("REAL", "SQRT(REAL#9.0)", "3.0"),
            ("REAL", "ATAN2(zero, x)", "0.0"),
            ("REAL", "EXPT(x, 2)", "6.25"),
            ("REAL", "ABS(y)", "2.5"),
            ("INT", "MIN(i, j, 3)", "-7"),
            ("INT", "LIMIT(0, j, 5)", "0"),
            ("BOOL", "GT(i, 3, j)", "TRUE"),
            ("UDINT", "SIZEOF(a)", "6"),
            ("UDINT", "SIZEOF(st.p)", "4"),
            ("TIME", "TIME()", "T#100ms"),
            ("LTIME", "LTIME()", "LT#100ms"),
        ],
    );
}

#[test]
fn vendors_compute_with_everything_that_counts() {
    let vars = "b : BYTE := 250; w : WORD := 65535; dw : DWORD := 16#FFFFFFFF; i : INT := 32767; j : INT := -1; si : SINT := -128; di : DINT := -1; ud : UDINT := 4294967295; e : (Red, Green, Blue); t : TIME := T#2s; x : REAL := 0.5; lx : LREAL := 2.0; q : BOOL := TRUE;";
    rows(
        DialectId::Codesys,
        vars,
        &[
            // At 32 bits or more, then cut to the target.
            ("DINT", "b + 10", "260"),
            ("BYTE", "b + 10", "16#04"),
            ("DINT", "i + 1", "32768"),
            ("INT", "i + 1", "-32768"),
            ("INT", "i * 2", "-2"),
            ("DINT", "i * i", "1073676289"),
            ("INT", "(i + i) / 2", "32767"),
            ("DWORD", "dw + 1", "16#00000000"),
            ("LINT", "dw + 1", "0"),
            ("DINT", "b - w", "-65285"),
            ("BOOL", "b - w < 0", "TRUE"),
            ("BOOL", "di < ud", "FALSE"),
            ("BOOL", "j < w", "TRUE"),
            ("BOOL", "j = w", "FALSE"),
            ("INT", "w", "-1"),
            ("SINT", "b", "-6"),
            ("UINT", "j", "65535"),
            ("DINT", "-b", "-250"),
            ("BYTE", "NOT b", "16#05"),
            ("INT", "i AND 16#FF", "255"),
            ("INT", "NOT j", "0"),
            ("WORD", "w XOR b", "16#FF05"),
            ("INT", "e", "0"),
            ("DINT", "e + 5", "5"),
            ("TIME", "t + 500", "T#2s500ms"),
            ("TIME", "t / b", "T#8ms"),
            ("DINT", "t / T#300ms", "6"),
            ("REAL", "x * b", "125.0"),
            ("REAL", "dw", "4294967300.0"),
            ("REAL", "lx * x", "1.0"),
            ("INT", "16#FFFF", "-1"),
            ("INT", "SHR(j, 1)", "-1"),
            ("INT", "SHR(i, 3)", "4095"),
            ("BYTE", "SHL(b, 1)", "16#F4"),
            ("DINT", "b MOD 7", "5"),
            ("DINT", "ABS(si)", "128"),
            ("INT", "SEL(q, b, j)", "-1"),
            ("DINT", "MAX(b, j)", "250"),
        ],
    );
    check_in(DialectId::Twincat, vars, "e := 2; IF e = Blue THEN r := 1; END_IF;", "INT", "1");
}
