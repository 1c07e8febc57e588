//! Forms that published programs use: what they mean, and which of them are gaps.

use crate::dialect::DialectId;
use crate::resolve::LoadOptions;
use crate::resolve::testing::{check, check_run, loaded};
use crate::resolve::tests::show::{check_hir, check_hir_with};
use crate::text::SourceSet;

/// Asserts the gaps of a program without errors.
#[track_caller]
fn check_gaps(source: &str, expected: &[&str]) {
    let loaded = loaded(source);
    assert!(!loaded.has_errors(), "\n{source}\n{:#?}", loaded.diagnostics);
    let found: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
    assert_eq!(found, expected, "\n{source}");
}

const BASE: &str = "FUNCTION_BLOCK A
VAR_INPUT x, y : INT; END_VAR
VAR_OUTPUT q : INT; END_VAR
VAR_IN_OUT io : INT; END_VAR
VAR n : INT; END_VAR
q := 10 * x + y; io := io + 1; n := n + 1;
END_FUNCTION_BLOCK
";

#[test]
fn the_body_of_a_base_takes_arguments() {
    let run = |body: &str, expected: &[i128], gaps: &[&str]| {
        let heir = format!("FUNCTION_BLOCK B EXTENDS A\nVAR r : INT; END_VAR\n{body}\nEND_FUNCTION_BLOCK\n");
        let main =
            "PROGRAM Main\nVAR b : B; v, q, r : INT; END_VAR\nb(x := 1, y := 2, io := v, q => q);\nr := b.r;\nEND_PROGRAM\n";
        check_run(&format!("{BASE}{heir}{main}"), &["Main.q", "Main.v", "Main.b.r", "Main.b.n"], expected, gaps);
    };
    run("SUPER^();", &[12, 1, 0, 1], &[]);
    run("SUPER^(io := io);", &[12, 1, 0, 1], &[]);
    run("SUPER^(x := x, y := THIS^.y, io := io, q => r);", &[12, 1, 12, 1], &[]);
    run("SUPER^(x := x + 3, io := io);\nr := x;", &[42, 1, 4, 1], &[]);
    run("SUPER^(x := 5, y := 6, q => r);", &[56, 1, 56, 1], &[]);
    run("SUPER^(x := 5, y := 6);\nSUPER^(x := y, y := x);", &[0, 1, 0, 1], &["arguments of a call of an action or of SUPER^"]);
    run("SUPER^(io := r);", &[0, 0, 0, 0], &["arguments of a call of an action or of SUPER^"]);
    run("SUPER^(1, 2, io);", &[0, 0, 0, 0], &["arguments of a call of an action or of SUPER^"]);
    let wrong = format!("{BASE}FUNCTION_BLOCK B EXTENDS A\nSUPER^(z := 1);\nEND_FUNCTION_BLOCK\nPROGRAM Main\nEND_PROGRAM\n");
    check(&wrong, "P2004@9:8");
}

#[test]
fn a_method_of_the_heir_has_names_of_its_own() {
    // `x` is the method's variable here, and so is `io`.
    let text = |io: &str| {
        format!(
            "{BASE}FUNCTION_BLOCK B EXTENDS A\nMETHOD M : INT\nVAR_INPUT x : INT; END_VAR\nSUPER^(x := x{io});\nM := q;\nEND_METHOD\n\
             M(7);\nEND_FUNCTION_BLOCK\nPROGRAM Main\nVAR b : B; v : INT; END_VAR\nb(x := 1, y := 2, io := v);\nEND_PROGRAM\n"
        )
    };
    check_run(&text(""), &["Main.b.q", "Main.b.x"], &[72, 7], &[]);
    check_gaps(&text(", io := io"), &["arguments of a call of an action or of SUPER^"]);
}

#[test]
fn actions_take_variables_of_their_block() {
    let run = |body: &str, expected: &[i128], gaps: &[&str]| {
        let block = "FUNCTION_BLOCK F\nVAR_INPUT x, y : INT; END_VAR\nVAR_OUTPUT q : INT; END_VAR\nVAR n : INT; END_VAR\n\
                     ACTION Add:\nq := 10 * x + y; n := n + 1;\nEND_ACTION\nEND_FUNCTION_BLOCK\n";
        let main = format!(
            "PROGRAM Main\nVAR f : F; a : ARRAY[0..1] OF F; r : INT; s : STRUCT f : F; END_STRUCT; END_VAR\n{body}\nEND_PROGRAM\n"
        );
        check_run(&format!("{block}{main}"), &["Main.r", "Main.f.n", "Main.s.f.q"], expected, gaps);
    };
    run("f.Add();\nr := f.q;", &[0, 1, 0], &[]);
    run("f.Add(x := 3, y := 4, q => r);", &[34, 1, 0], &[]);
    run("s.f.Add(x := r + 2);\nr := s.f.x;", &[2, 0, 20], &[]);
    run("f.Add(x := 3, y := f.x);", &[0, 0, 0], &["arguments of a call of an action or of SUPER^"]);
    run("f.Add(q => r, x := r + 3);", &[30, 1, 0], &[]);
    run("a[r].Add(x := 3);", &[0, 0, 0], &["arguments of a call of an action or of SUPER^"]);
}

#[test]
fn a_base_calls_its_protected_method_that_an_heir_replaces() {
    let text = "FUNCTION_BLOCK A
METHOD PROTECTED P : INT
P := 1;
END_METHOD
METHOD PUBLIC M : INT
M := P() * 10 + THIS^.P();
END_METHOD
END_FUNCTION_BLOCK
FUNCTION_BLOCK B EXTENDS A
METHOD PROTECTED P : INT
P := 2;
END_METHOD
END_FUNCTION_BLOCK
PROGRAM Main
VAR a : A; b : B; v, w : INT; END_VAR
v := a.M();
w := b.M();
END_PROGRAM
";
    check_run(text, &["Main.v", "Main.w"], &[11, 22], &[]);
    check(&text.replace("w := b.M();", "w := b.P();"), "P2030@17:8");
}

#[test]
fn constants_of_blocks_are_named_by_the_type() {
    let block = "FUNCTION_BLOCK F\nVAR CONSTANT c : INT := 2 * d; d : INT := 3; END_VAR\nVAR_INPUT x : INT := 4; END_VAR\nEND_FUNCTION_BLOCK
FUNCTION_BLOCK G EXTENDS F\nEND_FUNCTION_BLOCK";
    check_hir_with(
        block,
        "VAR\n v : INT; a : ARRAY[0..F.c] OF INT;\nEND_VAR",
        "v := F.c + G.d; a[F.c] := 1;",
        "v := (6:INT + 3:INT); a[6:INT] := 1:INT",
    );
    // A variable has no value without an instance, and a variable of the same name hides the block.
    check(&format!("PROGRAM Main\nVAR v : INT; END_VAR\nv := F.x;\nEND_PROGRAM\n{block}"), "P2009@3:6");
    check_hir_with(block, "VAR\n v : INT; F : STRUCT c : INT; END_STRUCT;\nEND_VAR", "v := F.c;", "v := F.c");
}

#[test]
fn choices_among_literals_take_the_type_of_their_place() {
    let vars = "VAR\n s, x : SINT; i : INT; r : REAL; b : BOOL;\nEND_VAR";
    check_hir(vars, "s := SEL(b, MAX(x, 4), SEL(b, 2, 0));", "s := Sel(b, Max(x, 4:SINT), Sel(b, 2:SINT, 0:SINT))");
    check_hir(vars, "s := MAX(LIMIT(0, 1, 2), x);", "s := Max(Limit(0:SINT, 1:SINT, 2:SINT), x)");
    check_hir(vars, "i := MAX(x, MIN(1000, 2000));", "i := Max(widen[INT](x), Min(1000:INT, 2000:INT))");
    check_hir(vars, "r := MAX(r, SEL(b, 1, 2.5));", "r := Max(r, Sel(b, 1.0:REAL, 2.5:REAL))");
}

#[test]
fn enumerations_without_a_type_are_as_wide_as_their_values() {
    let text = "TYPE E : (A := 0, B := 100000, C := -3, D); END_TYPE\nPROGRAM Main\nVAR e : E; i : DINT; END_VAR\ne := B;\ni := TO_DINT(e) + TO_DINT(D);\nEND_PROGRAM";
    check_run(text, &["Main.i"], &[99998], &[]);
    let is_refused = |dialect: DialectId, text: &str| {
        let mut sources = SourceSet::default();
        sources.add("a.st", text);
        let options = LoadOptions { dialect: Some(dialect), ..LoadOptions::default() };
        crate::load(&sources, &options).has_errors()
    };
    // 40000 may be meant as a number of 16 bits where bit strings are numbers: answers name it.
    let small = text.replace("100000", "40000");
    for dialect in [DialectId::Iec, DialectId::Codesys, DialectId::Twincat] {
        assert!(!is_refused(dialect, text) && !is_refused(dialect, &small), "{dialect:?}");
    }
}

#[test]
fn types_that_are_seen_as_others_are_gaps() {
    check_gaps(
        "TYPE E : (a, b) INT; END_TYPE\nFUNCTION_BLOCK F\nVAR_IN_OUT s : INT; END_VAR\ns := 7;\nEND_FUNCTION_BLOCK
PROGRAM Main\nVAR f : F; v : E; END_VAR\nf(s := v);\nEND_PROGRAM",
        &["enumeration E as the VAR_IN_OUT `s` of type INT"],
    );
    let types = "TYPE B : STRUCT x : INT; END_STRUCT END_TYPE\nTYPE ABSTRACT D EXTENDS B : STRUCT y : INT; END_STRUCT END_TYPE
TYPE O : STRUCT y : INT; END_STRUCT END_TYPE\n";
    let text = |of: &str| format!("{types}PROGRAM Main\nVAR r : REFERENCE TO B; d : {of}; END_VAR\nr REF= d;\nEND_PROGRAM");
    check_gaps(&text("D"), &["REFERENCE TO B to a variable of type D, which extends its type"]);
    check(&text("O"), "P3001@6:8");
}

#[test]
fn descriptions_of_variables_and_instances_are_gaps() {
    check_gaps(
        "PROGRAM Main\nVAR v : INT; i : __SYSTEM.VAR_INFO; e : __SYSTEM.ExceptionCode; END_VAR\ni := __VARINFO(v);\n__TRY\nv := 1;\n__CATCH(e)\n__ENDTRY\nEND_PROGRAM",
        &[
            "variable `i` of type VAR_INFO",
            "variable `e` of type ExceptionCode",
            "value of type VAR_INFO",
            "exception handling (__TRY)",
        ],
    );
    check_gaps("PROGRAM Main\nVAR b : BOOL; t : TON; END_VAR\nt(IN := b, PT := T#1s);\nb := t.ENO;\nEND_PROGRAM", &["EN/ENO"]);
}

#[test]
fn code_in_c_is_a_gap_between_statements_and_an_error_elsewhere() {
    check_gaps("PROGRAM Main\nVAR x : INT; END_VAR\nx := 1;\n{{ x = 2; }}\nx := 3;\nEND_PROGRAM", &["code in C ({{ … }})"]);
    check_gaps("PROGRAM Main\nVAR x : INT; END_VAR\n{{ if (x) { x = 2; } }}\nEND_PROGRAM", &["code in C ({{ … }})"]);
    check("PROGRAM Main\nVAR x : INT; {{ int y; }} END_VAR\nx := 1;\nEND_PROGRAM", "P1010@2:14");
    check("PROGRAM Main\nVAR x : INT; END_VAR\nx := {{ 2 }} 1;\nEND_PROGRAM", "P1010@3:6");
    check("PROGRAM Main\nVAR x : INT; END_VAR\nLD x\n{{ x = 2; }}\nST x\nEND_PROGRAM", "P1010@4:1");
}

#[test]
fn zero_is_an_initial_value_of_structures() {
    let types = "TYPE E : (a, b); S : STRUCT x : INT; e : E; r : REAL; s : STRING[3]; END_STRUCT; END_TYPE
TYPE T : STRUCT s : S; k : ARRAY[0..2] OF S; END_STRUCT; F : STRUCT x : INT := 3; END_STRUCT; G : (one := 1, two); END_TYPE\n";
    let text = |vars: &str| format!("{types}PROGRAM Main\nVAR {vars} i : INT; END_VAR\ni := 1;\nEND_PROGRAM");
    check_gaps(&text("v : T := (0); w : ARRAY[0..1] OF S := [2((0))];"), &[]);
    check(&text("v : F := (1);"), "P3001@4:14");
    let gap = "initial value 0 of a structure with other initial values";
    for vars in ["v : F := (0);", "v : STRUCT g : G; END_STRUCT := (0);"] {
        let loaded = loaded(&text(vars));
        assert!(!loaded.has_errors(), "{vars} {:#?}", loaded.diagnostics);
        assert!(loaded.value.ledger.gaps.iter().any(|row| row.construct.contains(gap)), "{vars} {:#?}", loaded.value.ledger.gaps);
    }
}

#[test]
fn values_reach_constants_by_reference() {
    let function =
        "FUNCTION Length : INT\nVAR_IN_OUT CONSTANT s : STRING[10]; n : INT; END_VAR\nLength := LEN(s) + n;\nEND_FUNCTION\n";
    let main = |call: &str| format!("{function}PROGRAM Main\nVAR x, y : INT; END_VAR\nx := {call};\nEND_PROGRAM");
    check_run(&main("Length('abc', 4)"), &["Main.x"], &[7], &[]);
    check_gaps(&main("Length('abc', y + 1)"), &["expression for the VAR_IN_OUT CONSTANT `n`"]);
}

#[test]
fn a_return_may_have_a_condition() {
    let function = "FUNCTION_BLOCK F\nVAR_INPUT a : INT; END_VAR\nVAR_OUTPUT b : BOOL; q : INT; END_VAR\n\
        q := 1;\nRETURN(b := a > 3);\nq := 2;\nEND_FUNCTION_BLOCK\n";
    let text = format!("{function}PROGRAM Main\nVAR f, g : F; END_VAR\nf(a := 4);\ng(a := 3);\nEND_PROGRAM");
    check_run(&text, &["Main.f.q", "Main.g.q"], &[1, 2], &[]);
}

#[test]
fn values_that_no_manual_explains_are_gaps() {
    check_gaps(
        "PROGRAM Main\nVAR d : DT; END_VAR\nd := DT#2013-05-09-13:29:20.500;\nEND_PROGRAM",
        &["literal of DT with a fraction of a second"],
    );
    check_gaps(
        "PROGRAM Main\nVAR a : BOOL; b : BOOL; END_VAR\nIF (a := b) THEN b := TRUE; END_IF\nEND_PROGRAM",
        &["assignment inside of an expression"],
    );
    check_gaps("PROGRAM Main\nVAR a : INT; END_VAR\n{__SET_VAR(data__->,a,2)}\nEND_PROGRAM", &["code in C ({{ … }})"]);
}

#[test]
fn trunc_keeps_small_integers() {
    let gaps = |ty: &str| {
        let mut sources = SourceSet::default();
        sources.add("a.st", format!("PROGRAM Main\nVAR a : {ty}; x : DINT; END_VAR\nx := TRUNC(a);\nEND_PROGRAM"));
        let options = LoadOptions { dialect: Some(DialectId::Twincat), ..LoadOptions::default() };
        let loaded = crate::load(&sources, &options);
        assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
        loaded.value.ledger.gaps.iter().filter(|gap| gap.construct.starts_with("TRUNC")).count()
    };
    assert_eq!((gaps("INT"), gaps("DINT"), gaps("REAL")), (0, 1, 0));
}

#[test]
fn loops_of_an_unsigned_variable_do_not_count_down_silently() {
    let text =
        "PROGRAM Main\nVAR i : UINT; a : ARRAY [1..3] OF INT; END_VAR\nFOR i := 3 TO 1 BY -1 DO a[i] := 5; END_FOR\nEND_PROGRAM";
    for dialect in [DialectId::Codesys, DialectId::Twincat] {
        let mut sources = SourceSet::default();
        sources.add("main.st", text);
        let options = LoadOptions { dialect: Some(dialect), ..LoadOptions::default() };
        let loaded = crate::load(&sources, &options);
        let gaps: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
        assert_eq!(gaps, ["FOR of an unsigned variable with a negative step"], "{:?}", loaded.diagnostics);
    }
}

#[test]
fn results_that_are_instances_are_gaps() {
    let text = "FUNCTION_BLOCK B\nVAR n : INT; END_VAR\nMETHOD Get : INT\nGet := n;\nEND_METHOD\nEND_FUNCTION_BLOCK\n\
        FUNCTION_BLOCK F\nVAR bs : ARRAY [1..3] OF B; x : INT; c : B; END_VAR\nMETHOD Find : B\nVAR_INPUT i : INT; END_VAR\n\
        Find := bs[i];\nEND_METHOD\nx := Find(2).Get();\nc := Find(1);\nEND_FUNCTION_BLOCK\nPROGRAM Main\nVAR f : F; END_VAR\nf();\nEND_PROGRAM";
    let loaded = crate::resolve::testing::loaded(text);
    assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
    let block = loaded.value.project.pous.iter().find(|pou| pou.name == "F").unwrap();
    assert!(block.body.iter().all(|stmt| matches!(stmt.kind, crate::hir::StmtKind::Gap(_))), "{:#?}", block.body);
}

#[test]
fn initial_values_refer_to_variables_of_the_same_pou() {
    let run = |text: &str, names: &[&str], expected: &[i128], gaps: &[&str]| {
        check_run(text, names, expected, gaps);
    };
    let main = "PROGRAM Main VAR x : INT := 3; p : POINTER TO INT := ADR(x); y : INT; END_VAR p^ := p^ + 1; y := x; END_PROGRAM";
    run(main, &["Main.y"], &[4], &[]);
    let block = "FUNCTION_BLOCK B VAR n : INT; p : POINTER TO INT := ADR(n); END_VAR p^ := p^ + 1; END_FUNCTION_BLOCK ";
    run(
        &format!("{block} PROGRAM Main VAR b : B; q : POINTER TO INT := ADR(b.n); y : INT; END_VAR b(); y := q^; END_PROGRAM"),
        &["Main.y", "Main.b.n"],
        &[1, 1],
        &[],
    );
    let several = "reference to a variable of a block with several instances, or none";
    let two = format!("{block} PROGRAM Main VAR b : B; c : B; END_VAR b(); c(); END_PROGRAM");
    let loaded = loaded(&two);
    assert!(loaded.value.ledger.gaps.iter().all(|gap| gap.construct == several), "{:?}", loaded.value.ledger.gaps);
    assert!(!loaded.value.ledger.gaps.is_empty());
}

#[test]
fn a_point_in_front_of_a_name_means_the_global_variable() {
    let text = "VAR_GLOBAL\n n : INT := 5; F : INT := 2; a : ARRAY [1..2] OF INT := [3, 4];\nEND_VAR\nPROGRAM P\nVAR\n n : INT := 1; x, y, z : INT;\nEND_VAR\n\
         x := .n + n; y := 10*.a[2]; .n := 7; z := .N;\nIF .n > 6 THEN n := 9; END_IF;\nEND_PROGRAM\n";
    check_run(text, &["P.x", "P.y", "P.z", "P.n", "n"], &[6, 40, 7, 9, 7], &[]);
    // A function is called past a local variable of its name.
    let text = "FUNCTION F : INT\nVAR_INPUT i : INT; END_VAR\nF := i + 1;\nEND_FUNCTION\nPROGRAM P\nVAR\n F, x : INT;\nEND_VAR\nx := .F(4);\nEND_PROGRAM\n";
    check_run(text, &["P.x"], &[5], &[]);
    check("PROGRAM P\nVAR n : INT; END_VAR\nn := .m;\nEND_PROGRAM\n", "P2001@3:7");
    check("PROGRAM P\nVAR n : INT; END_VAR\nn := .n;\nEND_PROGRAM\n", "P2001@3:7");
}

#[test]
fn a_constant_names_a_bit() {
    let text = "VAR_GLOBAL CONSTANT\n cBit : INT := 3;\nEND_VAR\nPROGRAM P\nVAR CONSTANT\n cLow : USINT := 0;\nEND_VAR\n\
         VAR\n w : WORD := 8; v : INT; x, y : BOOL; n : INT;\nEND_VAR\nx := w.cBit; y := w.cLow; w.cBit := FALSE; v.cLow := TRUE; n := WORD_TO_INT(w);\nEND_PROGRAM\n";
    check_run(text, &["P.v", "P.n"], &[1, 0], &[]);
    let text = |bit: &str| {
        format!(
            "PROGRAM P\nVAR CONSTANT\n c : INT := 16; d : INT := -1; END_VAR\nVAR w : WORD; n : INT; x : BOOL; END_VAR\nx := w.{bit};\nEND_PROGRAM\n"
        )
    };
    check(&text("c"), "P3010@5:8");
    check(&text("d"), "P2004@5:8");
    check(&text("n"), "P2004@5:8");
}
