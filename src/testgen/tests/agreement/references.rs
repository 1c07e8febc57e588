//! References and interfaces.

use super::agree;

/// Two blocks behind one interface, and a function that writes through a reference.
const LIBRARY: &str = "INTERFACE I
METHOD Add : INT
VAR_INPUT
 d : INT;
END_VAR
END_METHOD
PROPERTY Level : INT
GET
END_GET
SET
END_SET
END_PROPERTY
END_INTERFACE
FUNCTION_BLOCK A IMPLEMENTS I
VAR_OUTPUT
 n : INT;
END_VAR
METHOD Add : INT
VAR_INPUT
 d : INT;
END_VAR
n := n + d;
Add := n;
END_METHOD
PROPERTY Level : INT
GET
Level := n;
END_GET
SET
n := Level;
END_SET
END_PROPERTY
END_FUNCTION_BLOCK
FUNCTION_BLOCK B EXTENDS A
VAR
 k : INT;
END_VAR
METHOD Add : INT
VAR_INPUT
 d : INT;
END_VAR
k := k + 1;
Add := SUPER^.Add(d * k);
END_METHOD
END_FUNCTION_BLOCK
FUNCTION Bump : INT
VAR_INPUT
 inc : INT; into : REFERENCE TO INT;
END_VAR
into := into + inc;
Bump := into;
END_FUNCTION
";

#[test]
fn references_and_interfaces() {
    let check = |vars: &str, body: &str, ends: bool| {
        let text = format!(
            "{LIBRARY}PROGRAM Main
VAR_INPUT
 c : UINT; v : INT;
END_VAR
VAR
 x, y, z : INT; a : A; b : B; l : ARRAY [0..2] OF INT; s1, s2 : STRUCT u : INT; w : BOOL; END_STRUCT;
 {vars}
END_VAR
{body}
END_PROGRAM
"
        );
        assert_eq!(agree(&text), ends, "{text}");
    };
    let choose = "CASE c MOD 3 OF 0: p := ADR(x); 1: p := ADR(l[1]); ELSE p := ADR(y); END_CASE;";
    check("p : POINTER TO INT;", &format!("{choose} p^ := p^ + v; z := p^ + x;"), true);
    check("p : POINTER TO INT; i : INT;", &format!("{choose} FOR i := 0 TO 2 DO l[i] := p^; p^ := i; END_FOR;"), true);
    check("p : POINTER TO INT; i : INT;", "p := ADR(i); FOR i := 0 TO 5 DO x := x + p^; p^ := p^ + 1; END_FOR;", true);
    check("p : POINTER TO INT;", "IF v > 0 THEN p := ADR(x); ELSE p := NULL; END_IF; p^ := v;", false);
    let attempt = "IF c MOD 3 = 0 THEN i := a; ELSIF c MOD 3 = 1 THEN i := b; END_IF; r := ADR(b); r ?= i;";
    check(
        "i : I; r : REF_TO B;",
        &format!("{attempt} IF r <> NULL THEN x := r^.Add(v); ELSIF i <> 0 THEN y := i.Add(1); END_IF;"),
        true,
    );
    check("p : POINTER TO INT;", "IF p <> NULL THEN p^ := v; END_IF; IF v > 5 THEN p := ADR(y); END_IF;", true);
    check(
        "f, g : REFERENCE TO INT;",
        "f REF= x; IF v > 0 THEN f REF= y; END_IF; g REF= f; g := g + Bump(v, f) + Bump(1, g);",
        true,
    );
    check(
        "f : REFERENCE TO INT;",
        &format!("{} x := Bump(v, l[c MOD 3]); f := x;", "IF c > 3 THEN f REF= l[0]; ELSE f REF= l[2]; END_IF;"),
        true,
    );
    check("i : I;", "IF v > 0 THEN i := a; ELSE i := b; END_IF; x := i.Add(v) + i.Level; i.Level := y; y := a.n - b.n;", true);
    check(
        "i : I; p : POINTER TO A;",
        "IF v > 0 THEN i := a; p := ADR(b); ELSE i := b; p := ADR(a); END_IF; x := p^.Add(1) + i.Add(2); y := p^.n;",
        true,
    );
    check("p : ARRAY [0..1] OF POINTER TO INT;", "p[0] := ADR(x); p[1] := ADR(y); p[c MOD 2]^ := v; z := p[1 - c MOD 2]^;", true);
    check("i : I;", "IF v > 6 THEN i := a; END_IF; x := i.Add(v);", false);
    check("p : REF_TO INT;", "x := 1; y := p^ + x;", false);
}
