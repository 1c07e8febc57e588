//! Statements of `docs/dialects.md`: interpreter and model agree on them.

use plc_frontend::dialect::DialectId;

use super::agree_in;

#[test]
fn what_dialects_do_each_in_its_own_way() {
    let check = |dialect: DialectId, vars: &str, body: &str| {
        let text =
            format!("PROGRAM Main\nVAR_INPUT\n n, m : INT; b : BYTE;\nEND_VAR\nVAR\n {vars}\nEND_VAR\n{body}\nEND_PROGRAM\n");
        assert!(agree_in("main.st", &text, Some(dialect)), "{dialect:?}: {text}");
    };
    for dialect in [DialectId::Iec, DialectId::Codesys] {
        check(dialect, "x : INT; y : DINT; r : REAL;", "r := n; x := REAL_TO_INT(r / 4.0); y := LREAL_TO_DINT(n / LREAL#2.0);");
        check(dialect, "s, t : STRING[8];", "s := 'abcd'; t := MID(s, 2, n); s := INSERT(s, t, m); s := DELETE(s, 1, n);");
        check(dialect, "s : STRING[8];", "s := REPLACE('abcd', 'xy', 2, n);");
        check(
            dialect,
            "x : LTIME; y : TIME;",
            "x := LTIME#1s - LTIME#300ms; IF n > 0 THEN x := x - LTIME#2s + LTIME#3s; END_IF; y := LTIME_TO_TIME(x);",
        );
        check(dialect, "f : F_TRIG; k : INT;", "f(CLK := n > 0); IF f.Q THEN k := k + 1; END_IF;");
        let rounds = "last := m MOD 5; stride := 1; k := 0;
FOR i := 1 TO last BY stride DO
k := k + i; IF n > 3 THEN last := 2; CONTINUE; ELSIF n < -3 THEN EXIT; END_IF; stride := 2;
END_FOR;";
        check(dialect, "i, last, stride, k : INT;", rounds);
    }
    for (variable, target, read) in [("p : POINTER TO INT", "p := ADR(k)", "p^"), ("r : REFERENCE TO INT", "r REF= k", "r")] {
        let body = format!(
            "{target}; k := n MOD 9;
FOR i := 1 TO {read} DO k := k - m MOD 3; x := x + 1; IF x > 30 THEN EXIT; END_IF; END_FOR;"
        );
        check(DialectId::Codesys, &format!("i, k, x : INT; {variable};"), &body);
    }
    check(
        DialectId::Codesys,
        "x, y : WORD; z : SINT; d : DWORD;",
        "x := SHL(b, n); y := SHR(x, m); z := SHR(z, 2) - 7; d := ROL(d, n) + b;",
    );
    check(
        DialectId::Codesys,
        "q : INT; u : UDINT; d : DINT;",
        "u := u - 1; d := n; IF u > d THEN q := q + 1; END_IF; IF u < n THEN q := q - 1; END_IF;",
    );
    for dialect in [DialectId::Codesys, DialectId::SiemensTia] {
        let load = if dialect == DialectId::Codesys { "LOAD" } else { "LD" };
        let body = format!(
            "u(CU := n > 0, R := n = 7, PV := 2); d(CD := m > 0, {load} := n > 5, PV := 3); c(CU := n > 0, CD := m > 0, R := n = 7, {load} := m = 7, PV := 2);"
        );
        check(dialect, "u : CTU; d : CTD; c : CTUD;", &body);
        let body = "p := T#300ms; IF m > 0 THEN p := T#100ms; END_IF; a(IN := n > 0, PT := p); c(IN := n > 0, PT := p); d(IN := n > 0, PT := p);";
        check(dialect, "p : TIME; a : TON; c : TOF; d : TP;", body);
    }
}

#[test]
fn programs_that_dialects_read_differently() {
    for difference in testgen::programs::differences() {
        for (dialect, _) in difference.runs() {
            assert!(agree_in("main.st", &difference.text(), Some(dialect)), "{}: {dialect:?}", difference.id);
        }
    }
}

#[test]
fn blocks_and_charts_of_matiec() {
    let check = |vars: &str, body: &str| {
        let text =
            format!("PROGRAM Main\nVAR_INPUT\n n, m : INT; a : BOOL;\nEND_VAR\nVAR\n {vars}\nEND_VAR\n{body}\nEND_PROGRAM\n");
        assert!(agree_in("main.st", &text, Some(DialectId::Matiec)), "{text}");
    };
    check(
        "p : TIME; t : TON; u : TOF; v : TP; s : SEMA;",
        "p := T#200ms; IF m > 0 THEN p := T#0s; END_IF; t(EN := a, IN := n > 0, PT := p); u(IN := n > 0, PT := p); \
         v(IN := n > 0, PT := p); s(CLAIM := a, RELEASE := n > 0, EN := m > 0);",
    );
    check(
        "u : CTU; d : CTD; c : CTUD; q : BOOL;",
        "u(CU := n > 0, R := n = 7, PV := m); d(CD := m > 0, LD := n > 5, PV := 3, ENO => q); \
         c(EN := q, CU := n > 0, CD := m > 0, R := n = 7, LD := m = 7, PV := n);",
    );
    check(
        "x, y : BOOL; k : INT;",
        "INITIAL_STEP S0: Work(P1); x(L, T#200ms); END_STEP
STEP S1: Work(N); x(SD, T#100ms); y(D, T#100ms); END_STEP
STEP S2: x(R); y(DS, T#200ms); Rest(SL, T#200ms); END_STEP
TRANSITION FROM S0 TO S1 := n > 0; END_TRANSITION
TRANSITION FROM S0 TO S2 := m > 0; END_TRANSITION
TRANSITION (PRIORITY := 1) FROM S1 TO S0 := S1.T > T#100ms; END_TRANSITION
TRANSITION FROM (S1, S2) TO S0 := a; END_TRANSITION
TRANSITION FROM S2 TO S1 := a; END_TRANSITION
ACTION Rest: k := k - 1; END_ACTION
ACTION Work: k := k + 2; END_ACTION",
    );
    check("t : TIME; k : INT;", "t := INT_TO_TIME(n MOD 100) + T#300ms; k := TIME_TO_INT(t) - TIME_TO_INT(t - T#700ms);");
}
