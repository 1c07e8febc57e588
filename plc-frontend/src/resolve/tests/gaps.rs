//! Gaps: constructs that are read and not modelled have entries in the ledger, and no errors.

use super::show::check_hir;
use crate::resolve::testing::loaded;
use crate::text::Treatment;

/// Asserts the gaps of a program, `line construct` each, and that there is no error.
#[track_caller]
fn check(source: &str, expected: &[&str]) {
    let loaded = loaded(source);
    assert!(!loaded.has_errors(), "\n{source}\n{:#?}", loaded.diagnostics);
    let row = |g: &crate::text::Gap| {
        let sign = if g.treatment == Treatment::OverApproximated { "~" } else { "" };
        format!("{} {sign}{}", loaded.value.sources.line_col(g.span).line, g.construct)
    };
    let found: Vec<String> = loaded.value.ledger.gaps.iter().map(row).collect();
    assert_eq!(found, expected, "\n{source}");
}

fn main_with(vars: &str, body: &str) -> String {
    format!("PROGRAM Main\nVAR\n{vars}\nEND_VAR\n{body}\nEND_PROGRAM")
}

#[test]
fn statements_that_touch_what_is_not_modelled_are_gaps() {
    let check = |vars: &str, body: &str, expected: &[&str]| check(&main_with(vars, body), expected);
    check(
        "c : ANY_NUM; x : INT;",
        "c := c;\nx := MEMCMP(x, x, 1);\nx := 1;",
        &["3 variable `c` of type ANY_NUM", "5 value of type ANY_NUM", "6 MEMCMP"],
    );
    check(
        "p : POINTER TO INT; x : INT;",
        "p := ADR(x);\np := p + 4;\np := x;\nx := p^;",
        &["6 arithmetic on a pointer", "7 arithmetic on a pointer"],
    );
    check(
        "p : POINTER TO INT; x : INT;",
        "p := ADR(x);\nx := p[1];\nx := SIZEOF(DINT);",
        &["6 index of a pointer, which is arithmetic on it"],
    );
    check("r : REAL;", "r := SIN(r) + COS(1.0);", &["5 ~SIN", "5 ~COS"]);
    check("i : INT; b : BOOL;", "i := 1 + ABS(EN := b, i);", &["5 EN/ENO"]);
    check("t : TIME;", "t := TIME();", &["5 ~TIME"]);
    check("i : INT; s : STRING;", "s := INT_TO_STRING(i);\ni := STRING_TO_INT(s);", &["6 ~STRING_TO_INT"]);
    check("c : ANY_NUM;", "c(IN := TRUE);", &["3 variable `c` of type ANY_NUM", "5 value of type ANY_NUM"]);
    check(
        "a, b : STRUCT s : ANY_NUM; x : INT; END_STRUCT;",
        "a.x := b.x;\na := b;",
        &["3 variable `a` of type STRUCT", "3 variable `b` of type STRUCT", "6 value of type STRUCT"],
    );
}

#[test]
fn a_condition_that_is_not_modelled_keeps_its_body() {
    check_hir(
        "VAR\n s : ANY_NUM; x : INT;\nEND_VAR",
        "IF s = s THEN //#ASSERT x > 0\n x := 1; END_IF; x := 2;",
        "gap1; IF any {ASSERT assert-1: (x > 0:INT); x := 1:INT} ELSE {}; x := 2:INT",
    );
    check_hir(
        "VAR\n s : ANY_NUM; x : INT;\nEND_VAR",
        "CASE s OF 1: x := 1; END_CASE;",
        "gap1; CASE any OF : {x := 1:INT} ELSE {}",
    );
    check_hir("VAR\n s : ANY_NUM; x : INT;\nEND_VAR", "//#ASSERT s = s : n\nx := 1;", "ASSERT n: any; x := 1:INT");
}

#[test]
fn located_variables_that_perhaps_share_memory_are_gaps() {
    check(
        &main_with("a AT %QX1.0 : BOOL; w AT %QW0 : WORD; c AT %QX9.0 : BOOL;", "a := TRUE;\nc := a;\nc := TRUE;"),
        &[
            "3 `a` at %QX1.0, which shares memory with `w`",
            "3 `w` at %QW0, which shares memory with `a`",
            "5 `a` at %QX1.0, which shares memory with `w`",
            "6 `a` at %QX1.0, which shares memory with `w`",
        ],
    );
    let sure = main_with("a AT %QX0.0 : BOOL; w AT %QW0 : WORD;", "a := TRUE;\nw := w;");
    check(
        &sure,
        &["3 %QW0 and %QX0.0 share memory", "3 %QW0 and %QX0.0 share memory", "3 the lowest byte of `w` comes first in memory"],
    );
    check(
        r"FUNCTION_BLOCK B
VAR
 a AT %QX0.0 : BOOL; b AT %Q* : BOOL;
END_VAR
a := b;
END_FUNCTION_BLOCK
PROGRAM Main
VAR
 b : B;
END_VAR
b();
END_PROGRAM",
        &["3 address %QX0.0 inside a function block or function", "5 address %QX0.0 inside a function block or function"],
    );
    check(
        "PROGRAM A\nVAR\n x AT %QX0.0 : BOOL;\nEND_VAR\nEND_PROGRAM\nPROGRAM B\n%QX0.0 := TRUE;\nEND_PROGRAM",
        &["7 address %QX0.0 of another program's variable"],
    );
}

#[test]
fn declarations_that_are_not_modelled_are_gaps() {
    check("CONFIGURATION C\nEND_CONFIGURATION\nINTERFACE I\nEND_INTERFACE\nPROGRAM Main\nEND_PROGRAM", &[]);
}

#[test]
fn what_is_modelled_is_counted() {
    let loaded = loaded(
        r"TYPE T : INT; END_TYPE
PROGRAM Main
VAR
 x : T; t : TON;
END_VAR
t(PT := T#1s);
x := F();
END_PROGRAM
FUNCTION F : INT
F := 1;
END_FUNCTION",
    );
    let ledger = &loaded.value.ledger;
    let counts: Vec<(&str, usize)> =
        ["type", "function block call", "function call"].iter().map(|k| (*k, ledger.modelled[k])).collect();
    assert_eq!(counts, [("type", 1), ("function block call", 1), ("function call", 1)]);
    assert!(ledger.gaps.is_empty());
}

#[test]
fn initial_values_in_lists_that_call_functions_are_gaps() {
    let twice = "FUNCTION Twice : INT\nVAR_INPUT\n x : INT;\nEND_VAR\nTwice := x * 2;\nEND_FUNCTION\n";
    let vars = "n : INT := Twice(4);\na : ARRAY [0..1] OF INT := [1, Twice(2)];\nm : INT;";
    let source = format!("{twice}{}", main_with(vars, "m := 1;\nm := n;\nm := a[0];"));
    check(&source, &["10 initial value that calls a function", "15 initial value that calls a function"]);
}

/// The call decides which block's members a function calls, and a reference may refer to an heir.
#[test]
fn what_a_reference_refers_to_is_no_var_in_out_of_a_block_with_heirs() {
    let blocks = "FUNCTION_BLOCK A
METHOD Put : INT
Put := 1;
END_METHOD
END_FUNCTION_BLOCK
FUNCTION_BLOCK B EXTENDS A
METHOD Put : INT
Put := 2;
END_METHOD
END_FUNCTION_BLOCK
FUNCTION Serve : INT
VAR_IN_OUT
 b : A;
END_VAR
Serve := b.Put();
END_FUNCTION
FUNCTION_BLOCK Server
VAR_IN_OUT
 b : A;
END_VAR
METHOD Serve : INT
VAR_INPUT
 r : REFERENCE TO A;
END_VAR
Serve := r.Put();
END_METHOD
END_FUNCTION_BLOCK
";
    let check = |body: &str, expected: &[&str]| {
        let vars =
            "a : A; b : B; l : ARRAY [0..1] OF B; p : POINTER TO A; q : POINTER TO B; r : REFERENCE TO A; s : Server; x : INT;";
        check(&format!("{blocks}{}", main_with(vars, &format!("p := ADR(b);\nq := ADR(b);\nr REF= b;\n{body}"))), expected);
    };
    let gap = |line: &str| format!("{line} what a reference refers to as the VAR_IN_OUT `b` of a block that others extend");
    check("x := Serve(a) + Serve(b) + Serve(l[x]) + Serve(q^);", &[]);
    check("x := Serve(p^);\nx := Serve(b := r);", &[&gap("35"), &gap("36")]);
    check("s(b := a);\ns(b := p^);", &[&gap("36")]);
    check("x := s.Serve(a);\nx := s.Serve(r);", &[&gap("36").replace("`b`", "`r`")]);
}

#[test]
fn references_of_the_instance_are_compared_with_null() {
    let block = r"FUNCTION_BLOCK A
VAR
 p : POINTER TO INT;
END_VAR
METHOD Has : BOOL
Has := THIS^.p <> NULL AND THIS^.p <> 0;
END_METHOD
END_FUNCTION_BLOCK
";
    check(&format!("{block}{}", main_with("a : A; x : BOOL;", "x := a.Has();")), &[]);
}
