//! What `docs/dialects.md` says of dialects: the model does it as the interpreter does.

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
