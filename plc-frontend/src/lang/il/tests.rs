//! Lists of instructions with the statements they become, and mistakes in lists.

use super::looks_like_il;
use crate::hir::Value;
use crate::interp::{Limits, Machine, Silent};
use crate::text::{Diagnostic, Parsed, Severity, SourceSet};
use crate::{LoadOptions, Loaded};

const VARS: &str = "VAR a, b, c, q, r : BOOL; i, j, k : INT; s : SINT; n : DINT; arr : ARRAY [1..3] OF INT; \
    t : TON; cnt : CTU; ff : SR; END_VAR";

fn load(vars: &str, body: &str) -> (Parsed<Loaded>, u32) {
    let head = format!("PROGRAM Main\n{vars}\n");
    let first = head.lines().count() as u32 + 1;
    let mut sources = SourceSet::default();
    sources.add("main.il", format!("{head}{body}\nEND_PROGRAM"));
    (crate::load(&sources, &LoadOptions::default()), first)
}

/// Checks the printed statements of a list.
fn check(body: &str, expected: &str) {
    let (loaded, _) = load(VARS, body);
    let errors: Vec<&Diagnostic> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{body}\n{errors:#?}");
    let modelled = loaded.value.ledger.gaps.iter().all(|gap| gap.treatment == crate::text::Treatment::Assumed);
    assert!(modelled, "{body}\n{:?}", loaded.value.ledger.gaps);
    let printed = loaded.value.project.to_st();
    let main = printed.split_once("PROGRAM Main").map_or("", |(_, rest)| rest).split("END_PROGRAM").next().unwrap_or("");
    let stmts = main.rsplit("END_VAR\n").next().unwrap_or("");
    assert_eq!(stmts.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{body}\n{printed}");
}

/// Checks the codes and places of the findings; lines of the list count from 1.
fn check_findings(body: &str, expected: &str) {
    let (loaded, first) = load(VARS, body);
    let found = crate::resolve::testing::summary(&loaded.value.sources, &loaded.diagnostics, first);
    assert_eq!(found, expected, "{body}\n{:#?}", loaded.diagnostics);
}

#[test]
fn results_are_expressions_until_they_are_stored() {
    check("LD a\nAND b\nST q", "q := a AND b;");
    check("LDN a\nORN b\nXOR c\nSTN q", "q := NOT ((NOT a OR NOT b) XOR c);");
    check("LD a\n& b\nNOT\nST q", "q := NOT (a AND b);");
    check("ld i\nadd 5\nmul j\nst k", "k := (i + 5) * j;");
    check("LD i\nSUB 1\nDIV 2\nMOD 3\nGT j\nST q", "q := (i - 1) / 2 MOD 3 > j;");
    check("LD i\nGE 1\nST q\nLD i\nLT j\nST r", "q := i >= 1; r := i < j;");
    // A literal takes the type of the other operand.
    check("LD 5\nADD s\nST s", "s := 5 + s;");
    check("LD TRUE; ST q; LD 1; ST s;", "q := TRUE; s := 1;");
}

#[test]
fn a_result_that_is_used_again_is_computed_once() {
    check("LD a\nAND b\nST q\nST r", "__il0 := a AND b; q := __il0; r := __il0;");
    // The variable changes in between, but the result does not.
    check("LD a\nST b\nSTN a\nST c", "__il0 := a; b := __il0; a := NOT __il0; c := __il0;");
    check("LD 5\nST s\nST i", "s := 5; i := 5;");
    check("LD i\nST j\nADD 1\nST k", "__il0 := i; j := __il0; k := __il0 + 1;");
    // An unused result may still fail.
    check("LD i\nDIV j\nLD a\nST q", "__il0 := i / j; q := a;");
    check("LD arr[i]\nLD a\nST q", "__il0 := arr[i]; q := a;");
    check("LD a\nS q\nR r", "__il0 := a; IF __il0 THEN q := TRUE; END_IF; IF __il0 THEN r := FALSE; END_IF;");
    check("LD a\nS q", "IF a THEN q := TRUE; END_IF;");
}

#[test]
fn parentheses_wait() {
    check("LD a\nAND(\nLD b\nOR c\n)\nST q", "q := a AND (b OR c);");
    check("LD a\nAND( b\nOR c\n)\nST q", "q := a AND (b OR c);");
    check("LD a\nANDN( b\nOR( c\nAND q\n)\n)\nST r", "r := a AND NOT (b OR c AND q);");
    check("LD i\nMUL( j\nADD 1\n)\nST k", "k := i * (j + 1);");
    // The waiting operand is computed before the statements in the parentheses.
    check("LD i\nADD( j\nST i\nMUL 2\n)\nST k", "__il0 := i; __il1 := j; i := __il1; k := __il0 + __il1 * 2;");
    check_findings("LD a\nAND( b\nST q", "P1012@2:1");
    check_findings("LD a\n)\nST q", "P1012@2:1");
    check_findings("LD a\nOR( b\nJMP x\n)\nx:", "P1012@3:1 P1012@4:1");
}

#[test]
fn jumps() {
    check("LD a\nJMPC skip\nLD 1\nST i\nskip:\nLD 2\nST j", "IF a THEN GOTO label_0; END_IF; i := 1; label_0: j := 2;");
    check("LD a\nJMPCN skip\nLD 1\nST i\nskip: LD 2\nST j", "IF NOT a THEN GOTO label_0; END_IF; i := 1; label_0: j := 2;");
    check("LD i\nGT 0\nRETC\nLD a\nRETCN\nRET", "IF i > 0 THEN RETURN; END_IF; IF NOT a THEN RETURN; END_IF; RETURN;");
    // The result is still known after the jump.
    check("LD a\nJMPC x\nST q\nx:\nLD b\nST r", "__il0 := a; IF __il0 THEN GOTO label_0; END_IF; q := __il0; label_0: r := b;");
    // A label without a jump changes nothing.
    check("LD a\nx:\nST q", "__il0 := a; label_0: q := __il0;");
    // The result at a label depends on the jump.
    for list in ["LD a\nJMPC x\nLD b\nx:\nST q", "x:\nST q\nJMP x"] {
        let (loaded, _) = load(VARS, list);
        let gaps: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
        assert!(!loaded.has_errors() && gaps == ["current result behind a label, which depends on the jump"], "{list}\n{gaps:?}");
    }
    check_findings("LD a\nJMP x\nST q\nx:", "P1212@3:1");
    check_findings("LD a\nJMPC nowhere", "P4020@2:6");
}

#[test]
fn calls() {
    check("CAL t(IN := a, PT := T#1s)\nLD t.Q\nST q", "t(IN := a, PT := T#1s); q := t.Q;");
    check("CAL cnt (\n  CU := a,\n  R := b,\n  PV := 3,\n  Q => q\n)", "cnt(CU := a, R := b, PV := 3, Q => q);");
    check("CAL t", "t();");
    check(
        "LD a\nCALC t(IN := TRUE)\nCALCN cnt(CU := b)\nST q",
        "__il0 := a; IF __il0 THEN t(IN := TRUE); END_IF; IF NOT __il0 THEN cnt(CU := b); END_IF; q := __il0;",
    );
    // CAL leaves the result as it was before the call.
    check("LD a\nCAL t(IN := b)\nST q", "__il0 := a; t(IN := b); q := __il0;");
    check("LD T#2s\nPT t\nLD a\nIN t\nLD t.Q\nST q", "t(PT := T#2s); t(IN := a); q := t.Q;");
    check("LD 3\nPV cnt\nLD a\nCU cnt\nLD b\nS1 ff\nLD ff.Q1\nST q", "cnt(PV := 3); cnt(CU := a); ff(S1 := b); q := ff.Q1;");
    check("LD i\nMAX j\nST k", "k := MAX(i, j);");
    check("LD i\nMUX j, k\nST k", "k := MUX(i, j, k);");
    check("LD a\nST b\nLIMIT(\n  MN := 0,\n  IN := i,\n  MX := 10\n)\nST k", "b := a; k := LIMIT(INT#0, i, INT#10);");
    check_findings("LD i\nMAX(j)\nST k", "P1211@2:1");
    check_findings("LD i\nBIGGEST j\nST k", "P2003@2:1");
    check_findings("CAL 5", "P1211@1:5");
    check_findings("LD a\nIN 5", "P1211@2:4");
    check_findings("CAL t(IN := a", "P1012@1:6 P1012@1:14");
}

#[test]
fn wrong_instructions() {
    check_findings("ST q", "P1212@1:1");
    check_findings("AND b\nST q\nST r", "P1212@1:1");
    check_findings("LD\nST q", "P1211@1:1");
    check_findings("LD a, b\nST q", "P1211@1:7");
    check_findings("LD a\nNOT b\nST q", "P1211@2:5");
    check_findings(":= 5", "P1210@1:1");
    check_findings("LD a b\nST q", "P1010@1:6");
    check_findings("LD i\nAND q\nST r", "P3004@1:4");
    check_findings("LD nothing\nST q", "P2001@1:4");
}

#[test]
fn assertions_of_lists_are_checked() {
    check(
        "//#ASSERT a : first\nLD a\nST q\n//#ASSERT q --> a : second\nLD b\nST r",
        "//#ASSERT a : first q := a; //#ASSERT NOT q OR a : second r := b;",
    );
}

#[test]
fn lists_are_recognised_by_their_first_instruction() {
    for text in ["LD a\nST b", "(* x *) ldn %IX0.0", "start: LD a", "LD TRUE", "CAL t(IN := a)", "LD 5", "LD -5", "\n\n  LD\ta"] {
        assert!(looks_like_il(text), "{text}");
    }
    for text in
        ["LD := 5;", "LD(IN := a);", "LD.x := 5;", "x := a;", "", "LD", "LD\na", "IF a THEN", "S x", "JMP x;", "LD[3] := 2;"]
    {
        assert!(!looks_like_il(text), "{text}");
    }
    // In a file of ST a POU may be a list; its actions and the other POUs need not be lists.
    let text = r"FUNCTION_BLOCK F VAR_INPUT x : INT; END_VAR VAR_OUTPUT y : INT; END_VAR
LD x
ADD 1
ST y
END_FUNCTION_BLOCK
FUNCTION G : INT VAR_INPUT x : INT; END_VAR
LD x
MUL 2
ST G
END_FUNCTION
PROGRAM Main VAR f : F; i : INT; END_VAR f(x := G(20)); i := f.y; END_PROGRAM";
    let mut sources = SourceSet::default();
    sources.add("main.st", text);
    let loaded = crate::load(&sources, &LoadOptions::default());
    assert!(loaded.diagnostics.is_empty(), "{:#?}", loaded.diagnostics);
    let mut machine = Machine::new(&loaded.value.project, Limits::default());
    machine.begin(&Default::default(), 1_000_000).unwrap();
    machine.run(&mut Silent).unwrap();
    assert_eq!(machine.leaf("Main.i"), Some(Value::Int(41)));
}

#[test]
fn long_and_odd_lists_survive() {
    let chain = format!("LD i\n{}ST j", "ADD 1\n".repeat(5000));
    let (loaded, _) = load(VARS, &chain);
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics.first());
    let deep = format!("LD a\n{}{}ST q", "AND( b\n".repeat(5000), ")\n".repeat(5000));
    let (loaded, _) = load(VARS, &deep);
    assert!(loaded.diagnostics.iter().any(|d| d.code == "P1020"), "{:?}", loaded.diagnostics.first());
    for odd in
        ["(((((", ")))))", "LD (", "AND(", "CAL", "CAL (", "x: y: z:", ", , ,", "LD a,,b", "S1", "\u{7f}", "LD a\nAND((b)", "'"]
    {
        load(VARS, odd);
        load(VARS, &odd.repeat(50));
        load(VARS, &format!("LD a\n{odd}\nST q"));
    }
}
