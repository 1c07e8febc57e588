//! Controller-dependent behaviours: the ledger names each one if the program depends on it, and only then.

use crate::dialect::DialectId::{self, Codesys, Iec, Matiec, SiemensTia};
use crate::text::Treatment;
use crate::text::source::SourceSet;
use crate::{LoadOptions, load};

#[track_caller]
fn check(dialect: DialectId, vars: &str, body: &str, expected: &[&str]) {
    let text = format!("PROGRAM Main VAR {vars} END_VAR {body} END_PROGRAM");
    let mut sources = SourceSet::default();
    sources.add("a.st", text.clone());
    let loaded = load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
    assert!(
        loaded.diagnostics.iter().all(|d| d.severity != crate::text::diagnostic::Severity::Error),
        "{text}: {:#?}",
        loaded.diagnostics
    );
    let found: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
    assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
    for words in expected {
        assert!(found.iter().any(|construct| construct.contains(words)), "{text}: {found:?}");
    }
}

#[test]
fn calls_that_may_be_skipped() {
    let functions = "VAR_GLOBAL g : INT; END_VAR FUNCTION Pure : BOOL VAR_INPUT k : INT; END_VAR Pure := k > g; END_FUNCTION \
         FUNCTION Next : BOOL VAR_INPUT k : INT; END_VAR g := g + 1; Next := g > k; END_FUNCTION ";
    let check = |dialect: DialectId, body: &str, expected: bool| {
        let mut sources = SourceSet::default();
        let text = format!("{functions} PROGRAM Main VAR b : BOOL; x : INT; w : WORD; END_VAR {body} END_PROGRAM");
        sources.add("p.st", text);
        let loaded = crate::load(&sources, &crate::LoadOptions { dialect: Some(dialect), ..Default::default() });
        assert!(!loaded.has_errors(), "{body}: {:?}", loaded.diagnostics);
        let found = loaded.value.ledger.gaps.iter().any(|gap| gap.construct.contains("AND or OR"));
        assert_eq!(found, expected, "{body}");
    };
    check(Iec, "b := b AND Next(1);", true);
    check(Codesys, "b := b AND Next(1);", false);
    check(Iec, "b := Next(1) OR b;", false);
    check(Iec, "b := b AND Pure(1); w := w AND w;", false);
    check(Iec, "b := b OR (x > 1 AND NOT Next(x));", true);
}

#[test]
fn blocks() {
    check(Iec, "f : F_TRIG; g : F_TRIG;", "f(CLK := TRUE);", &["edge of `f` at its first", "edge of `g` at its first"]);
    check(Codesys, "f : ARRAY [1..2] OF F_TRIG;", "f[1](CLK := TRUE);", &["no falling edge of `f` at its first call"]);
    check(Iec, "c : CTU;", "c(CU := TRUE, PV := 3);", &[]);
    check(Codesys, "c : CTU;", "c(CU := TRUE, PV := 3);", &["`c` counts beyond PV"]);
    check(SiemensTia, "c : CTU;", "c(CU := TRUE, PV := 3);", &[]);
    check(Matiec, "c : CTU; r : RTC;", "c(CU := TRUE, PV := 3);", &["clock of `r`"]);
}

#[test]
fn values_of_functions_without_a_result() {
    let functions = "FUNCTION F VAR_OUTPUT o : INT; END_VAR o := 1; END_FUNCTION \
                     INTERFACE I METHOD M VAR_OUTPUT o : INT; END_VAR END_METHOD END_INTERFACE \
                     FUNCTION_BLOCK B IMPLEMENTS I METHOD M VAR_OUTPUT o : INT; END_VAR o := 2; END_METHOD END_FUNCTION_BLOCK ";
    let check = |body: &str, expected: &[&str]| {
        let mut sources = SourceSet::default();
        sources.add("p.st", format!("{functions} PROGRAM Main VAR x : INT; b : B; i : I; END_VAR {body} END_PROGRAM"));
        let loaded = load(&sources, &LoadOptions { dialect: Some(DialectId::Twincat), ..LoadOptions::default() });
        assert!(!loaded.has_errors(), "{body}: {:?}", loaded.diagnostics);
        let found: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
        assert_eq!(found, expected, "{body}");
    };
    check("x := F();", &["the value of `F` is its first output"]);
    check("F(o => x);", &[]);
    check("x := b.M();", &["the value of `B.M` is its first output"]);
    check("i := b; x := i.M();", &["the value of `I.M` is its first output"]);
    check("i := b; i.M(o => x);", &[]);
}

#[test]
fn timers() {
    check(Codesys, "t : TON;", "t(IN := TRUE, PT := T#3s);", &[]);
    check(
        Codesys,
        "Green : TON; p : TIME;",
        "Green(IN := TRUE, PT := p);",
        &["the preset of timer `Green` takes effect at once"],
    );
    check(SiemensTia, "t : TON; p : TIME;", "t(IN := TRUE, PT := p);", &[]);
    check(Matiec, "t : TON; p : TIME;", "t(IN := TRUE, PT := p);", &[]);
    check(Codesys, "t : TIME; p : TIME;", "t := p;", &[]);
    // In the standard's dialect a zero preset is controller-dependent; a longer constant preset is not.
    check(Iec, "t : TON; p : TIME;", "t(IN := TRUE, PT := p);", &["takes effect at once", "zero preset of timer `t`"]);
    check(Iec, "t : TOF;", "t(IN := TRUE, PT := T#0s);", &["zero preset of timer `t`"]);
    check(Iec, "t : TP;", "t(IN := TRUE, PT := T#1ms);", &[]);
    check(Iec, "t : TP; END_VAR VAR CONSTANT c : TIME := T#2s;", "t(IN := TRUE, PT := c);", &[]);
    // Each timer is judged by its own calls.
    let both = "t(IN := TRUE, PT := p); u(IN := TRUE, PT := T#0s); v(IN := TRUE, PT := T#1s);";
    check(Iec, "t, u, v : TON; p : TIME;", both, &["preset of timer `t` takes", "zero preset of timer `t`", "timer `u`"]);
}

#[test]
fn calls_with_en() {
    let vars = "t : TON; b, q : BOOL; i : INT;";
    check(Iec, vars, "t(EN := b, IN := q, PT := T#1s);", &["inputs of `t` keep their values while EN is FALSE"]);
    check(Iec, vars, "t(EN := TRUE, IN := q, PT := T#1s);", &[]);
    check(Iec, vars, "t(IN := q, PT := T#1s, ENO => b);", &[]);
    check(Iec, vars, "i := ADD(EN := b, i, 1);", &["the target of `ADD` keeps its value while EN is FALSE"]);
    check(Codesys, vars, "t(EN := b, IN := q, PT := T#1s);", &[]);
    check(Matiec, vars, "t(EN := b, IN := q, PT := T#1s); i := ADD(EN := b, i, 1);", &[]);
}

#[test]
fn c_code_of_matiec() {
    let vars = "a : DINT; i, j : INT; b : BYTE; w : WORD; q : BOOL; t : TIME; n : USINT; s : STRING; c : CTU;";
    for (body, open) in [
        ("i := i + j;", &[][..]),
        ("q := i + j > 7;", &["wraps at 16 bits"]),
        ("q := i > 7;", &[]),
        ("q := n + n > 7;", &["wraps at 8 bits"]),
        ("q := NOT b = 16#FF;", &["wraps at 8 bits"]),
        ("b := NOT b;", &[]),
        ("a := i * j;", &["wraps at 16 bits"]),
        ("w := SHL(w, 3);", &[]),
        ("w := SHL(w, i);", &["shift by less than 32"]),
        ("t := t * 3;", &["product of a TIME"]),
        ("s := MID(s, 2, 1);", &["MID as in the standard"]),
        ("i := LIMIT(1, j, 3);", &[]),
        ("i := LIMIT(j, i, 3);", &["LIMIT with MN up to MX"]),
        ("c(CU := q, PV := i); c(CU := c.Q, PV := j);", &[]),
        ("c(CU := q, PV := c.PV + 1);", &["inputs of a call"]),
        ("c(PV := c.PV + 1);", &[]),
        ("FOR i := 1 TO 3 DO j := j + i; END_FOR;", &[]),
        ("FOR i := 1 TO 1 DO j := j + i; END_FOR;", &["single round"]),
        ("FOR i := 1 TO n DO j := j + i; END_FOR;", &["single round"]),
        ("FOR i := 1 TO 4 BY 2 DO j := j + i; END_FOR;", &[]),
        ("FOR i := 1 TO 3 DO j := j + i; END_FOR; i := i;", &["one step beyond"]),
    ] {
        check(Matiec, vars, body, open);
    }
}

#[test]
fn arithmetic_that_a_wider_register_would_change() {
    let vars = "a, b : DINT; i, j : INT; u : UDINT; l : LINT; q : BOOL; w : WORD; t1, t2 : TIME; x : ARRAY [0..9] OF INT;";
    for (body, open) in [
        ("a := a + b;", false),
        ("a := -(a * b - 1);", false),
        ("q := i + j > 7;", false),
        ("q := i * j > 7;", false),
        ("q := a + b > 7;", true),
        ("q := a + 1 > 7;", true),
        ("l := a * b;", true),
        ("l := i * j;", false),
        ("a := a * b / 2;", true),
        ("q := DINT_TO_INT(a + b) > 7;", false),
        ("q := t1 - t2 > T#1s;", true),
        ("t1 := t1 - t2;", false),
        ("i := x[a + b];", true),
        ("i := x[i + 1];", false),
        ("u := (u + 1) AND 16#FF;", false),
        ("q := ((u + 1) AND 16#FF) = 3;", false),
    ] {
        check(Codesys, vars, body, if open { &["wraps at 32 bits"] } else { &[] });
        let of_iec = body.contains("l := ") || body.contains("x[");
        if !of_iec && !body.contains("16#FF") && !body.contains("DINT_TO_INT") {
            check(Iec, vars, body, &[]);
        }
    }
}

#[test]
fn loops() {
    let vars = "i, n, s : INT; a : ARRAY [1..5] OF INT;";
    check(Iec, vars, "FOR i := 1 TO n DO s := s + i; END_FOR; i := 0;", &["control variable"]);
    check(Iec, vars, "FOR i := 1 TO n DO s := s + i; END_FOR;", &[]);
    check(Iec, vars, "FOR i := 1 TO n DO n := n - 1; END_FOR;", &["last value"]);
    check(Codesys, vars, "FOR i := 1 TO n DO n := n - 1; END_FOR;", &["last value"]);
    check(Codesys, vars, "FOR i := 1 TO n DO s := s + i; END_FOR; s := i;", &[]);
    check(Iec, vars, "FOR i := 1 TO a[n] DO a[i] := 2; END_FOR;", &["last value"]);
    check(Iec, vars, "FOR i := 1 TO 5 DO a[i] := 2; END_FOR; s := i;", &["control variable"]);
    check(Iec, vars, "FOR i := 1 TO 5 DO a[i] := 2; END_FOR; FOR i := 1 TO 3 DO s := s + i; END_FOR;", &[]);
    // Others may read an output, a requirement among them.
    let output = "s : INT; END_VAR VAR_OUTPUT i : INT;";
    check(Iec, output, "FOR i := 1 TO 9 DO s := s + 1; END_FOR;", &["control variable"]);
}

#[test]
fn two_names_of_one_memory() {
    let global = "VAR_GLOBAL g : INT; t : TON; w AT %MW0 : WORD; v AT %MB0 : BYTE; END_VAR";
    let main = |vars: &str, body: &str| format!("PROGRAM Main VAR i, x : INT; {vars} END_VAR {body} END_PROGRAM");
    let block = |vars: &str, body: &str| {
        let main = main("f : F;", "f(g, t);");
        format!("FUNCTION_BLOCK F VAR_IN_OUT io : INT; u : TON; END_VAR VAR {vars} END_VAR {body} END_FUNCTION_BLOCK {main}")
    };
    let bound = |read: &str, written: &str| format!("FOR i := 1 TO {read} DO {written} := {written} - 1; END_FOR;");
    for (dialect, text, construct, expected) in [
        (Iec, block("i : INT;", &bound("io", "g")), "last value", true),
        (Iec, block("i : INT;", &bound("g", "io")), "last value", true),
        (Iec, block("i, x : INT;", &bound("x", "g")), "last value", false),
        (Iec, block("END_VAR VAR_TEMP i : INT;", "FOR i := 1 TO io DO ; END_FOR;"), "last value", false),
        (Iec, block("i : INT;", "FOR i := 1 TO 3 DO ; END_FOR; g := io;"), "control variable", true),
        (Iec, main("r : REF_TO INT;", &format!("r := REF(x); {}", bound("r^", "x"))), "last value", true),
        (Iec, main("r : REF_TO INT;", &format!("r := REF(x); {}", bound("x", "r^"))), "last value", true),
        (Iec, main("", &bound("WORD_TO_INT(w)", "x")), "last value", false),
        (Iec, main("", "FOR i := 1 TO WORD_TO_INT(w) DO v := INT_TO_BYTE(i); END_FOR;"), "last value", true),
        (Matiec, block("q : BOOL;", "t(IN := q, PT := u.PT);"), "inputs of a call", true),
        (Matiec, block("q : BOOL; own : TON;", "own(IN := q, PT := u.PT);"), "inputs of a call", false),
    ] {
        let mut sources = SourceSet::default();
        sources.add("p.st", format!("{global} {text}"));
        let loaded = load(&sources, &LoadOptions { dialect: Some(dialect), ..Default::default() });
        assert!(!loaded.has_errors(), "{text}: {:?}", loaded.diagnostics);
        let found = loaded.value.ledger.gaps.iter().any(|gap| gap.construct.contains(construct));
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn shifts_and_signs() {
    let vars = "b : BYTE; w : WORD; d : DWORD; u : UDINT; i : DINT; l : LINT; n : INT; q : BOOL;";
    check(Codesys, vars, "b := SHL(b, 3); w := SHR(w, 15); d := SHL(d, 31);", &[]);
    check(Codesys, vars, "w := SHL(b, 3);", &["shift at 32"]);
    check(Codesys, vars, "b := SHR(b, n);", &["shift at 32"]);
    check(Codesys, vars, "q := u > i;", &["signed computation"]);
    check(Codesys, vars, "q := u > n;", &["signed computation"]);
    check(Codesys, vars, "q := l > u;", &[]);
    check(Codesys, vars, "q := i > w;", &[]);
}

#[test]
fn subranges_and_repeated_calls_of_matiec() {
    check(Matiec, "i : INT (0..10); j : ARRAY [1..2] OF INT (0..10); k : INT;", "i := k;", &["values of `i`", "values of `j`"]);
    check(Iec, "i : INT (0..10); k : INT;", "i := k;", &[]);
    let functions = "FUNCTION Next : BOOL VAR_IN_OUT k : INT; END_VAR k := k + 1; Next := k > 3; END_FUNCTION \
         FUNCTION Step : INT VAR_IN_OUT k : INT; END_VAR k := k + 1; Step := k; END_FUNCTION ";
    for (body, expected) in [
        ("b := Next(k := x) XOR b;", true),
        ("b := b XOR Next(k := x);", false),
        ("x := y MOD Step(k := y);", true),
        ("x := Step(k := y) MOD y;", false),
        ("x := y MOD 3;", false),
    ] {
        let mut sources = SourceSet::default();
        sources.add("p.st", format!("{functions} PROGRAM Main VAR b : BOOL; x, y : INT; END_VAR {body} END_PROGRAM"));
        let loaded = load(&sources, &LoadOptions { dialect: Some(Matiec), ..Default::default() });
        assert!(!loaded.has_errors(), "{body}: {:?}", loaded.diagnostics);
        let found = loaded.value.ledger.gaps.iter().any(|gap| gap.construct.contains("XOR or MOD"));
        assert_eq!(found, expected, "{body}");
    }
}

#[test]
fn indices_into_strings() {
    let body = "c := s[i]; s[1] := c; IF s = 'a' AND a[i] = c THEN i := LEN(s); END_IF";
    let vars = "s : STRING; a : ARRAY [0..9] OF CHAR; c : CHAR; i : INT;";
    let words = "bytes behind the text of a string are 0";
    check(Iec, vars, body, &[words, words]);
    check(SiemensTia, "s : STRING; c : CHAR; i : INT;", "c := s[i];", &["inside of the text of its string"]);
    check(Codesys, "s : STRING; b : BYTE; i : INT;", "b := s[i];", &[words]);
    check(Iec, "s : STRING; i : INT;", "i := LEN(s); s := LEFT(s, i);", &[]);
}

#[test]
fn ends_of_files() {
    let gaps = |text: &str| {
        let mut sources = SourceSet::default();
        sources.add("a.st", text);
        let loaded = load(&sources, &LoadOptions { dialect: Some(Codesys), ..LoadOptions::default() });
        assert!(!loaded.has_errors(), "{text}: {:#?}", loaded.diagnostics);
        let gaps = loaded.value.ledger.gaps;
        gaps.into_iter().map(|gap| (gap.treatment, gap.construct)).collect::<Vec<_>>()
    };
    let text = "PROGRAM Main VAR x : INT; END_VAR x := 1;";
    assert_eq!(gaps(&format!("{text} END_PROGRAM")), []);
    assert_eq!(gaps(text), [(Treatment::Assumed, "the text of `Main` is complete".to_owned())]);
}

#[test]
fn scaling_and_short_reals_of_tia_portal() {
    let vars = "i, lo, hi : INT; x, y : REAL; l : LREAL;";
    check(SiemensTia, vars, "x := NORM_X(MIN := 0, VALUE := i, MAX := 27648);", &["NORM_X computes"]);
    check(SiemensTia, vars, "i := SCALE_X(MIN := 0, VALUE := x, MAX := 100);", &["SCALE_X computes"]);
    // The result is any value.
    check(SiemensTia, vars, "x := NORM_X(MIN := lo, VALUE := i, MAX := hi);", &["NORM_X"]);
    check(SiemensTia, vars, "x := NORM_X(MIN := 5, VALUE := i, MAX := 5);", &["NORM_X"]);
    check(SiemensTia, vars, "x := l;", &["an LREAL becomes the nearest REAL"]);
    check(SiemensTia, vars, "l := x;", &[]);
    let vars = "d : DINT; u : UDINT; i : INT; x : REAL; l : LREAL;";
    check(SiemensTia, vars, "x := d;", &["an integer of 32 bits becomes the nearest REAL"]);
    check(SiemensTia, vars, "x := u;", &["an integer of 32 bits becomes the nearest REAL"]);
    check(SiemensTia, vars, "x := i; l := d;", &[]);
}
