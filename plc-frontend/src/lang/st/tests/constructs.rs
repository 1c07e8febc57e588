//! Tables for each construct: a text and its AST.

use super::print;
use super::spans::Check;
use crate::ast::Item;
use crate::lang::st::{parse_expression, unit};
use crate::text::{Diagnostic, FileId, Span};

fn codes(diagnostics: &[Diagnostic]) -> Vec<&'static str> {
    diagnostics.iter().map(|d| d.code).collect()
}

#[track_caller]
fn check_expr(text: &str, expected: &str) {
    let parsed = parse_expression(FileId(0), text);
    assert_eq!(codes(&parsed.diagnostics), [""; 0], "{text}");
    let expr = parsed.value.unwrap();
    Check { text, errors: 0 }.expr(&expr, Span::new(FileId(0), 0, text.len()));
    assert_eq!(print::expr(&expr), expected, "{text}");
}

#[track_caller]
fn check_unit(text: &str, expected: &str) {
    let parsed = unit(FileId(0), text);
    assert!(parsed.diagnostics.is_empty(), "{text}: {:#?}", parsed.diagnostics);
    Check { text, errors: 0 }.unit(&parsed.value);
    assert_eq!(print::unit(&parsed.value), expected, "{text}");
}

#[track_caller]
fn check_body(text: &str, expected: &str) {
    let text = format!("PROGRAM Main {text}\nEND_PROGRAM");
    let parsed = unit(FileId(0), &text);
    assert!(parsed.diagnostics.is_empty(), "{text}: {:#?}", parsed.diagnostics);
    Check { text: &text, errors: 0 }.unit(&parsed.value);
    let Some(Item::Pou(pou)) = parsed.value.items.first() else { panic!("no POU in {text}") };
    assert_eq!(print::stmts(pou.body.stmts()), format!("[{expected}]"), "{text}");
}

#[track_caller]
fn check_var(text: &str, expected: &str) {
    check_unit(&format!("PROGRAM Main VAR {text} END_VAR END_PROGRAM"), &format!("(program Main (var {expected}) [])"));
}

#[test]
fn precedence() {
    check_expr("a OR b XOR c AND d", "(or a (xor b (and c d)))");
    check_expr("a AND b & c AND_THEN d", "(and_then (and (and a b) c) d)");
    check_expr("a OR_ELSE b OR c", "(or (or_else a b) c)");
    check_expr("a = b AND c <> d", "(and (= a b) (<> c d))");
    check_expr("a < b = c > d", "(= (< a b) (> c d))");
    check_expr("a <= b <> c >= d", "(<> (<= a b) (>= c d))");
    check_expr("a + b * c - d / e MOD f", "(- (+ a (* b c)) (mod (/ d e) f))");
    check_expr("NOT a AND b", "(and (not a) b)");
    check_expr("NOT a = b", "(= (not a) b)");
    check_expr("-a + b", "(+ (neg a) b)");
    check_expr("- - a", "(neg (neg a))");
    check_expr("a - -1", "(- a (neg 1))");
    check_expr("+a", "a");
    check_expr("a ** b ** c", "EXPT(EXPT(a, b), c)");
    check_expr("a ** -b * c", "(* EXPT(a, (neg b)) c)");
    check_expr("-(a ** b)", "(neg EXPT(a, b))");
    check_expr("(-a) ** b", "EXPT((neg a), b)");
    check_expr("2 * a ** 3", "(* 2 EXPT(a, 3))");
    check_expr("(a OR b) AND c", "(and (or a b) c)");
    check_expr("a --> b --> c", "(or (not a) (or (not b) c))");
    check_expr("a OR b --> c AND d", "(or (not (or a b)) (and c d))");
    check_expr("(a --> b) --> c", "(or (not (or (not a) b)) c)");
    check_expr("a-->b", "(or (not a) b)");
}

#[test]
fn literals() {
    check_expr("INT#-5", "INT#-5");
    // Blanks may stand in front of the name of a value.
    check_expr("Mode# Idle", "Mode#Idle");
    check_expr("x = Mode#\n Idle", "(= x Mode#Idle)");
    check_expr("16#FF", "255");
    check_expr("2#1010_1010", "170");
    check_expr("WORD#16#FF", "WORD#255");
    check_expr("REAL#1.5", "REAL#1.5r");
    check_expr("1.5E-3", "1.5E-3r");
    check_expr("16#1E-5", "(- 30 5)");
    check_expr("1_000", "1000");
    check_expr("T#1h2m3.5s", "3723500000000ns");
    check_expr("TIME#-5s", "-5000000000ns");
    check_expr("t#100ms + LT#1us", "(+ 100000000ns 1000lns)");
    check_expr("BOOL#1 AND TRUE AND false", "(and (and BOOL#true true) false)");
    check_expr("Color#Red", "Color#Red");
    check_expr("'i$'s' = \"w$\"\"", "(= string[105, 39, 115] wstring[119, 34])");
    check_expr("STRING#'a'", "STRING#string[97]");
    check_expr("DT#1970-01-01-12:30:00.5 - D#1970-01-02", "(- DateAndTime:45000500000000 Date:86400000000000)");
    check_expr("TOD#00:00:01 + LTOD#00:00:02", "(+ TimeOfDay:1000000000 LTimeOfDay:2000000000)");
    check_expr("S5T#10ms", "10000000ns");
}

#[test]
fn paths_and_calls() {
    check_expr("a.b.c", "a.b.c");
    check_expr("a[1, i + 1].b[2][3]", "a[1,(+ i 1)].b[2][3]");
    check_expr("w.3", "w.3");
    check_expr("w.%X3 OR w.%B1.5", "(or w.3 w.1x8.5)");
    check_expr("w.%W1 + w.%D0", "(+ w.1x16 w.0x32)");
    check_expr("p^.x", "p^.x");
    check_expr("fb.Step.End.IF", "fb.Step.End.IF");
    check_expr("%IX0.3 AND %MW4 > 0", "(and %IX0.3 (> %MW4 0))");
    check_expr("f()", "f()");
    check_expr("LIMIT(0, x, MX := 10)", "LIMIT(0, x, MX:=10)");
    check_expr("f(a, out => b, NOT q => c.d, r =>)", "f(a, out=>b, !q=>c.d, r=>)");
    check_expr("f(NOT a)", "f((not a))");
    check_expr("THIS^.m(1).n[2].o(a := 3) + SUPER^.m()", "(+ THIS^.m(1).n[2].o(a:=3) SUPER^.m())");
    check_expr("THIS.x AND p^[i]^.y", "(and THIS.x p^[i]^.y)");
    check_expr("a[1].3 OR a[2].%X3", "(or a[1].3 a[2].3)");
    check_expr("AND(a, b) OR MOD(c, d) = 1", "(or AND(a, b) (= MOD(c, d) 1))");
    check_expr("größe + ñ_1", "(+ größe ñ_1)");
}

#[test]
fn simple_statements() {
    check_body("x := y;", "(:= x y)");
    check_body("a[i, j].b.3 := TRUE;", "(:= a[i,j].b.3 true)");
    check_body("%QX0.0 := x; ;", "(:= %QX0.0 x) ;");
    check_body("EXIT; continue; Return;", "exit continue return");
    check_body("timer(IN := start, PT := T#5s, Q => done);", "timer(IN:=start, PT:=5000000000ns, Q=>done)");
    check_body("a.b[1](x, NOT q => y); f();", "a.b[1](x, !q=>y) f()");
    check_body("fb(IN := , PT := p);", "fb(PT:=p)");
}

#[test]
fn control_statements() {
    check_body("IF a THEN x := 1; END_IF;", "(if a [(:= x 1)] [])");
    check_body("IF a THEN ELSIF b THEN ; ELSE y := 2; END_IF", "(if a [] b [;] [(:= y 2)])");
    check_body("IF a THEN x := 1; ELSE IF b THEN x := 2; END_IF; END_IF;", "(if a [(:= x 1)] [(if b [(:= x 2)] [])])");
    check_body("FOR i := 1 TO 10 BY 2 DO EXIT; END_FOR;", "(for i 1 10 2 [exit])");
    check_body("FOR i := n - 1 TO 0 BY -1 DO END_FOR;", "(for i (- n 1) 0 (neg 1) [])");
    check_body("FOR a.i := 0 TO 3 DO END_FOR;", "(for a.i 0 3 - [])");
    check_body("WHILE a < 3 DO a := a + 1; END_WHILE;", "(while (< a 3) [(:= a (+ a 1))])");
    check_body("REPEAT a := 1; UNTIL a = 1 END_REPEAT;", "(repeat [(:= a 1)] (= a 1))");
    check_body("REPEAT UNTIL a; END_REPEAT;", "(repeat [] a)");
}

#[test]
fn case_statements() {
    check_body(
        "CASE x OF 1: a := 1; 2, 3..5: b := 2; c := 3; ELSE d := 4; END_CASE;",
        "(case x {1: [(:= a 1)] 2,3..5: [(:= b 2) (:= c 3)]} [(:= d 4)])",
    );
    check_body("CASE x OF 1: 2: END_CASE;", "(case x {1: [] 2: []} [])");
    check_body("CASE x OF -5..-1: f(x); 16#10: g(); END_CASE;", "(case x {(neg 5)..(neg 1): [f(x)] 16: [g()]} [])");
    check_body(
        "CASE x OF Red: a := b; Green, Blue: c.d := 1; f(); END_CASE;",
        "(case x {Red: [(:= a b)] Green,Blue: [(:= c.d 1) f()]} [])",
    );
    check_body(
        "CASE x OF Color#Red: ; Color.Green: ; A + 1: ; (B): ; END_CASE;",
        "(case x {Color#Red: [;] Color.Green: [;] (+ A 1): [;] B: [;]} [])",
    );
    check_body(
        "CASE x OF 1: IF a THEN b := 1; END_IF; 2: CASE y OF 1: ; END_CASE; 3: ; END_CASE;",
        "(case x {1: [(if a [(:= b 1)] [])] 2: [(case y {1: [;]} [])] 3: [;]} [])",
    );
    check_body("CASE x OF 1..5: ; INT#7: ; END_CASE;", "(case x {1..5: [;] INT#7: [;]} [])");
}

#[test]
fn assertions() {
    check_body("x := 1;\n//#ASSERT x = 1 : P1_one\ny := 2;", "(:= x 1) (assert (= x 1) P1_one) (:= y 2)");
    check_body("//#ASSERT a --> b\n", "(assert (or (not a) b) -)");
    check_body("// #assert a : REQ-12.3 // why\n", "(assert a REQ-12.3)");
    check_body(
        "IF a THEN //#ASSERT a : in\nELSE\n//#ASSERT NOT a\nEND_IF; //#ASSERT b;\n",
        "(if a [(assert a in)] [(assert (not a) -)]) (assert b -)",
    );
    check_body(
        "CASE x OF 1: //#ASSERT a\n y := 1; //#ASSERT b\n 2: ; END_CASE;",
        "(case x {1: [(assert a -) (:= y 1) (assert b -)] 2: [;]} [])",
    );
    check_body("//# ASSERT a : spaced\n(*#ASSERT a : block*)(* # assert b *)", "(assert a spaced) (assert a block) (assert b -)");
    check_body("x := 1; (*#ASSERT x = 1\n AND a : lines\n*) y := 2;", "(:= x 1) (assert (and (= x 1) a) lines) (:= y 2)");
    check_body("// # note\n//##\n//#\n(*#*) //#REGION a\n//#ASSET_7\n// not #ASSERT x\n(* //#ASSERT x *)", "");
}

#[test]
fn what_is_nearly_an_assertion_is_warned_of() {
    for word in ["ASERT", "asser", "ASSSERT", "ASSRET", "Assertion", "ASSERTS", "ASSERD"] {
        for comment in [format!("//#{word} a : n\n"), format!("(*# {word} a *)")] {
            let parsed = unit(FileId(0), &format!("PROGRAM P {comment} END_PROGRAM"));
            let found: Vec<&str> = parsed.diagnostics.iter().map(|d| d.code).collect();
            assert_eq!(found, ["P1038"], "{comment}");
            assert!(!parsed.has_errors(), "{comment}");
        }
    }
}

#[test]
fn comments_and_pragmas() {
    check_body("(* a (* b *) c *) x (**) := /* d */ 1; // e\n{region} y := 2; {attribute 'x'}", "(:= x 1) (:= y 2)");
    check_unit("{attribute 'qualified_only'} [x] PROGRAM P END_PROGRAM", "(program P [])");
    check_unit("\u{feff}PROGRAM P\u{a0}END_PROGRAM", "(program P [])");
}

#[test]
fn variables() {
    check_var("x : INT;", "x: INT");
    check_var("a, b : BOOL := TRUE;", "a: BOOL := true; b: BOOL := true");
    check_var("x AT %IX0.3 : BOOL; y AT %Q* : BOOL; z AT %MW4 : WORD;", "x@IX0.3: BOOL; y@QX: BOOL; z@MW4: WORD");
    check_var("x : INT (0..100) := 5;", "x: INT(0..100) := 5");
    check_var("x : ARRAY [0..9, -1..N] OF ARRAY [1..2] OF REAL;", "x: [0..9,(neg 1)..N][1..2]REAL");
    check_var("x : ARRAY [0..9] OF INT := [1, 2, 3(0), 2([4, 5])];", "x: [0..9]INT := [1,2,3x0,2x[4,5]]");
    check_var(
        "x : ARRAY [0..2] OF INT := 1, 2, -3; y : ARRAY [0..2] OF INT := 3(7);",
        "x: [0..2]INT := [1,2,(neg 3)]; y: [0..2]INT := [3x7]",
    );
    check_var("x : T := (a := 1, b := (c := [2]));", "x: T := (a=1,b=(c=[2]))");
    check_var("x : (Red, Green := 5) INT := Red; y : INT (A, B := 2);", "x: enum(Red,Green=5)INT := Red; y: enum(A,B=2)INT");
    check_var("s : STRUCT a : INT; b : BOOL; END_STRUCT;", "s: struct{a: INT; b: BOOL}");
    check_var("t : TON := (PT := T#1s); t2 : TON(x := 1);", "t: TON := (PT=1000000000ns); t2: TON(x:=1)");
    check_var(
        "s : STRING[80] := 'a'; u : STRING(N); w : WSTRING; d : DATE;",
        "s: string[80] := string[97]; u: string[N]; w: wstring; d: DATE",
    );
    check_var(
        "p : POINTER TO INT; r : REFERENCE TO T; q : REF_TO ARRAY [0..1] OF INT;",
        "p: pointer(INT); r: reference(T); q: ref_to([0..1]INT)",
    );
    check_var("e : BOOL R_EDGE; l : Lib.Type; v : ARRAY [*] OF INT;", "e: BOOL r_edge; l: Lib.Type; v: [*1]INT");
    check_var(
        "a : FB_x(1, N); b : FB_y(); c : Alias (0..5); d : ARRAY [*, *] OF REAL;",
        "a: FB_x(1, N); b: FB_y; c: Alias(0..5); d: [*2]REAL",
    );
    check_var(
        "r : REFERENCE TO INT REF= x; a : ARRAY [0..1] OF FB[(p := 1), (p := 2)];",
        "r: reference(INT) := x; a: <instances with arguments of their own>",
    );
    check_var("u : UNION a : INT; b : WORD; END_UNION", "u: union{a: INT; b: WORD}");
    check_var("{stopwatch} t : TIME; u : TIME;", "stopwatch t: TIME; u: TIME");
    check_var("step : INT; action : INT; Private : BOOL;", "step: INT; action: INT; Private: BOOL");
}

#[test]
fn sections() {
    let text = "FUNCTION_BLOCK F VAR_INPUT a : BOOL; END_VAR VAR_OUTPUT RETAIN b : BOOL; END_VAR VAR_IN_OUT c : INT; END_VAR \
                VAR_TEMP d : INT; END_VAR; VAR CONSTANT e : INT := 1; END_VAR VAR RETAIN PERSISTENT f : INT; END_VAR VAR NON_RETAIN END_VAR \
                VAR_EXTERNAL CONSTANT g : INT; END_VAR VAR PRIVATE h : INT; END_VAR END_FUNCTION_BLOCK";
    check_unit(
        text,
        "(fb F (input a: BOOL) (output retain b: BOOL) (inout c: INT) (temp d: INT) (var constant e: INT := 1) \
         (var retain f: INT) (var non_retain ) (external constant g: INT) (private var h: INT) [])",
    );
    check_unit("VAR_GLOBAL CONSTANT N : INT := 5; END_VAR", "(global constant N: INT := 5)");
}

#[test]
fn units_and_types() {
    check_unit(
        "FUNCTION f : INT VAR_INPUT x : INT; END_VAR f := x; END_FUNCTION",
        "(function f -> INT (input x: INT) [(:= f x)])",
    );
    check_unit("function F end_function PROGRAM p; END_PROGRAM;", "(function F []) (program p [])");
    check_unit(
        "TYPE Color : (Red, Green := 5, Blue) BYTE := Green; Level : INT (0..100); Row : ARRAY [0..3] OF Level; Alias : Row := [4(1)]; END_TYPE",
        "(type Color enum(Red,Green=5,Blue)BYTE := Green) (type Level INT(0..100)) (type Row [0..3]Level) (type Alias Row := [4x1])",
    );
    check_unit("TYPE P : STRUCT x, y : REAL := 1.5; END_STRUCT END_TYPE", "(type P struct{x: REAL := 1.5r; y: REAL := 1.5r})");
    check_unit("TYPE A : STRUCT x : INT; END_STRUCT; B : INT := 3; END_TYPE", "(type A struct{x: INT}) (type B INT := 3)");
}

#[test]
fn forms_that_are_read_but_not_modelled() {
    check_body("x S= a; x R= b; r REF= c; p ?= q;", "(S= x a) (R= x b) (REF= r c) (?= p q)");
    check_body("a := b[1] := c.d := 0;", "(:= c.d 0) (:= b[1] c.d) (:= a b[1])");
    check_body(
        "p := __NEW(T); __DELETE(p); __TRY x := 1 / y; __CATCH(e) x := 0; __ENDTRY x := 2;",
        "(:= p <dynamic memory (__NEW)>) <dynamic memory (__DELETE)> <exception handling (__TRY)> (:= x 2)",
    );
    check_body("again: x := 1; JMP again; goto again;", "again: (:= x 1) (goto again) (goto again)");
    check_body("f(x).y := 1; f(x).g(); z := 1;", "(:= f(x).y 1) f(x).g() (:= z 1)");
    check_unit("TYPE U : UNION a : INT; b : WORD; END_UNION END_TYPE", "(type U union{a: INT; b: WORD})");
    check_unit("TYPE S EXTENDS T : STRUCT a : INT; END_STRUCT END_TYPE", "(type S extends T struct{a: INT})");
    check_unit("TYPE ABSTRACT S : STRUCT a : INT; END_STRUCT END_TYPE", "(type S struct{a: INT})");
    check_unit("TYPE ABSTRACT : STRUCT a : INT; END_STRUCT END_TYPE", "(type ABSTRACT struct{a: INT})");
    check_body("x := 1; {{ x = 2; }} y := 2;", "(:= x 1) <code in C ({{ … }})> (:= y 2)");
    check_unit("PROGRAM P VAR_STAT a : INT; END_VAR END_PROGRAM", "(program P (stat a: INT) [])");
}

#[test]
fn methods_properties_and_actions() {
    check_unit(
        "FUNCTION_BLOCK PUBLIC F EXTENDS a.B IMPLEMENTS I, b.J VAR x : INT; END_VAR \
         METHOD PUBLIC m : INT VAR_INPUT a : INT; END_VAR m := a; END_METHOD \
         x := 1; PROPERTY p : INT GET p := x; END_GET SET VAR t : INT; END_VAR x := p; END_SET END_PROPERTY \
         ACTION a: x := 2; END_ACTION METHOD PROTECTED ABSTRACT n END_METHOD END_FUNCTION_BLOCK",
        "(fb public F extends a.B implements I,b.J (var x: INT) [(:= x 1)] \
         (method public m -> INT (input a: INT) [(:= m a)]) (method protected abstract n []) \
         (property p: INT (get [(:= p x)]) (set (var t: INT) [(:= x p)])) (action a [(:= x 2)]))",
    );
    check_unit(
        "FUNCTION_BLOCK ABSTRACT F METHOD FINAL OVERRIDE m : BOOL IF m THEN RETURN; END_IF END_METHOD; END_FUNCTION_BLOCK",
        "(fb abstract F [] (method final override m -> BOOL [(if m [return] [])]))",
    );
    check_unit("PROGRAM p END_PROGRAM ACTION a: x := 1; END_ACTION", "(program p [] (action a [(:= x 1)]))");
    check_unit(
        "CLASS FINAL C VAR PRIVATE x : INT; END_VAR METHOD m VAR_INST n : INT; END_VAR END_METHOD END_CLASS",
        "(fb final C (private var x: INT) [] (method m (inst n: INT) []))",
    );
    check_unit("FUNCTION_BLOCK F METHOD Final : BOOL END_METHOD END_FUNCTION_BLOCK", "(fb F [] (method Final -> BOOL []))");
}

#[test]
fn interfaces_and_namespaces() {
    check_unit("FUNCTION_BLOCK F USING a.b; VAR x : T; END_VAR END_FUNCTION_BLOCK", "(fb F (var x: T) []) (using a.b)");
    check_unit(
        "INTERFACE I EXTENDS J, K METHOD m : BOOL VAR_INPUT a : INT; END_VAR END_METHOD METHOD n END_METHOD \
         PROPERTY p : INT GET SET END_PROPERTY PROPERTY q : BOOL GET END_GET END_PROPERTY END_INTERFACE",
        "(interface I extends J,K (method m -> BOOL (input a: INT)) (method n) (property p: INT (get) (set)) (property q: BOOL (get)))",
    );
    check_unit(
        "USING x, y.z; NAMESPACE a.b USING c; NAMESPACE INTERNAL d FUNCTION f END_FUNCTION END_NAMESPACE VAR_GLOBAL g : INT; END_VAR END_NAMESPACE",
        "(using x) (using y.z) (namespace a.b (using c) (namespace d (function f [])) (global g: INT))",
    );
}

#[test]
fn charts() {
    check_unit(
        "PROGRAM P INITIAL_STEP a: END_STEP TRANSITION FROM a TO b := x; END_TRANSITION \
         STEP b: c(N); d; e(D, T#5s); f(SL, t); g(); END_STEP \
         TRANSITION t1 (PRIORITY := 2) FROM (a, b) TO (c, d) := y AND z; END_TRANSITION ACTION c: y := 1; END_ACTION END_PROGRAM",
        "(program P (chart (initial a) (step b c(NonStored) d(NonStored) e(Delayed,5000000000ns) f(StoredLimited,t) g(NonStored)) \
         (transition a->b x) (transition t1 #2 a+b->c+d (and y z))) (action c [(:= y 1)]))",
    );
    check_unit(
        "PROGRAM P INITIAL_STEP a END_STEP TRANSITION FROM a TO a : LD x AND y END_TRANSITION STEP s: b(P1, i); END_STEP END_PROGRAM",
        "(program P (chart (initial a) (step s b(PulseRising)) (transition a->a <condition of a transition in another language>))) \
         <indicator variable of an action>",
    );
    check_unit(
        "FUNCTION_BLOCK F x := 1; ACTION a: INITIAL_STEP s: END_STEP END_ACTION END_FUNCTION_BLOCK",
        "(fb F [(:= x 1)] (action a (chart (initial s))))",
    );
}

#[test]
fn configurations() {
    check_unit(
        "CONFIGURATION c VAR_GLOBAL g : INT; END_VAR RESOURCE r ON PLC VAR_GLOBAL h : INT; END_VAR \
         TASK t(INTERVAL := T#1ms, PRIORITY := 1); TASK u(SINGLE := g, PRIORITY := 2); \
         PROGRAM m WITH t : Main (a := g, b => h); PROGRAM RETAIN n : lib.Other; END_RESOURCE \
         VAR_CONFIG r.m.f.x AT %IX0.0 : BOOL := TRUE; END_VAR VAR_ACCESS v : r.m.a[1] : INT READ_WRITE; END_VAR \
         END_CONFIGURATION PROGRAM p END_PROGRAM",
        "(configuration c (global g: INT) (config r.m.f.x@IX0.0: BOOL := true) (access v: INT := r.m.a[1]) \
         (resource r (global h: INT) (task t INTERVAL:=1000000ns, PRIORITY:=1) (task u SINGLE:=g, PRIORITY:=2) \
         (run m with t: Main(a:=g, b=>h)) (run n: lib.Other()))) (program p [])",
    );
    check_unit(
        "CONFIGURATION c TASK t(INTERVAL := T#1ms); PROGRAM m WITH t : Main; END_CONFIGURATION",
        "(configuration c (resource - (task t INTERVAL:=1000000ns) (run m with t: Main())))",
    );
    check_unit(
        "RESOURCE r ON PLC PROGRAM m : Main(f WITH t, x := 1); END_RESOURCE",
        "(configuration r (resource r (run m: Main(x:=1)))) <task of a function block instance>",
    );
}
