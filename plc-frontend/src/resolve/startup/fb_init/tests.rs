//! State at cold start after FB_init, and what is not known of it.

use crate::hir::{Leaf, Start, value_to_st};
use crate::text::{SourceSet, Treatment};
use crate::{LoadOptions, load, load_isolated};

/// Checks the state at cold start after FB_init, and the assumptions of all answers.
#[track_caller]
fn check(text: &str, expected: &[&str], assumed: &[&str]) {
    let mut sources = SourceSet::default();
    sources.add("a.st", text);
    let parsed = load(&sources, &LoadOptions::default());
    assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
    let project = &parsed.value.project;
    let leaves = project.leaves().into_iter().filter(|leaf| project.cold_start.contains_key(&leaf.name));
    let found: Vec<String> =
        leaves.map(|leaf| format!("{}={}", leaf.name, value_to_st(project, leaf.ty, leaf.init.unwrap()))).collect();
    assert_eq!(found, expected, "{text}");
    let gaps = parsed.value.ledger.gaps.iter().filter(|gap| gap.treatment != Treatment::AssumedByRuns);
    let gaps: Vec<&str> = gaps.map(|gap| gap.construct.as_str()).collect();
    assert_eq!(gaps.len(), assumed.len(), "{gaps:#?}\n{text}");
    for (gap, words) in gaps.iter().zip(assumed) {
        assert!(gap.contains(words), "{gap}\n{text}");
    }
}

const BASE: &str = r"VAR_GLOBAL
 g : INT;
END_VAR
FUNCTION_BLOCK B
VAR
 n : INT := 1; m : INT;
END_VAR
METHOD FB_Init : BOOL
VAR_INPUT
 bInitRetains, bInCopyCode : BOOL; start : INT;
END_VAR
IF bInitRetains AND NOT bInCopyCode THEN n := n + start; END_IF;
END_METHOD
m := n;
END_FUNCTION_BLOCK
";

#[test]
fn fb_init_sets_the_state_at_cold_start() {
    let main = |vars: &str| format!("{BASE}PROGRAM P\nVAR\n{vars}\nEND_VAR\nEND_PROGRAM\n");
    check(&main("b : B(start := 4); c : B(start := 2 * 5);"), &["P.b.n=5", "P.c.n=11"], &[]);
    check(&main("b : B;"), &[], &["without all of its arguments"]);
    check(&main("x : INT := 6; b : B(start := x + 1);"), &["P.b.n=8"], &["order in which"]);
    check(&main("b : B(other := 1);"), &[], &["does not take"]);
    check(&main("t : TON(PT := T#1s);"), &[], &["has no FB_init"]);
    // One without statements takes the arguments, too; each element of an array has its call.
    let empty = main("b : B(start := 4);").replace("IF bInitRetains AND NOT bInCopyCode THEN n := n + start; END_IF;", "");
    check(&empty, &[], &["FB_init without statements"]);
}

/// Checks which leaves start with any value because code before the first cycle is not computed.
#[track_caller]
fn check_free(text: &str, expected: &[&str]) {
    let mut sources = SourceSet::default();
    sources.add("a.st", text);
    let parsed = load_isolated(&sources, &LoadOptions::default());
    assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
    let free = |leaf: &Leaf| leaf.start == Start::Any;
    let found: Vec<String> = parsed.value.project.leaves().into_iter().filter(free).map(|leaf| leaf.name).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn what_a_call_that_is_not_computed_may_write_starts_with_any_value() {
    let main = |vars: &str| format!("{BASE}PROGRAM P\nVAR\n{vars}\nEND_VAR\nEND_PROGRAM\n");
    check_free(&main("b : B(start := 4);"), &[]);
    check_free(&main("x : INT; b : B(start := x);"), &[]);
    check_free(&main("b : B; c : B(start := 4);"), &["P.b.n", "P.b.m"]);
    check_free(&main("b : B(other := 1);"), &["P.b.n", "P.b.m"]);
    // An input has no value yet; and so has all that is computed with it.
    let inputs = format!("{BASE}PROGRAM P\nVAR_INPUT\n x : INT;\nEND_VAR\nVAR\n b : B(start := x);\nEND_VAR\nEND_PROGRAM\n");
    check_free(&inputs, &["P.b.n", "P.b.m"]);
    let chain = main("b : B; k : INT; c : B(start := k + 1);").replace("k : INT", "k AT %IW2 : INT");
    check_free(&chain, &["P.b.n", "P.b.m", "P.c.n", "P.c.m"]);
    check_free(&main("b : B(start := MAX_N);"), &["P.b.n", "P.b.m"]);
    // Global variables that the body names, and those of blocks that it calls.
    let global = main("b : B;").replace("n := n + start;", "g := start;");
    check_free(&global, &["g", "P.b.n", "P.b.m"]);
}

#[test]
fn a_variable_whose_initial_value_no_file_tells_starts_with_any_value() {
    let main = |vars: &str| format!("{BASE}PROGRAM P\nVAR\n{vars}\nEND_VAR\nb();\nEND_PROGRAM\n");
    check_free(&main("s : E_State := E_State.Idle; t : INT := 4; b : B(start := 4);"), &["E_State.Idle", "P.s"]);
    check_free(&main("s : E_State := Idle; b : B(start := 4);"), &["Idle", "P.s"]);
    // FB_init that reads it is not computed.
    check_free(&main("s : INT := MAX_N; b : B(start := s);"), &["MAX_N", "P.s", "P.b.n", "P.b.m"]);
    // Each instance has its own variable; an heir inherits it.
    let blocks = "FUNCTION_BLOCK S\nVAR\n s : INT := MAX_N;\nEND_VAR\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK H EXTENDS S\nEND_FUNCTION_BLOCK\n";
    check_free(&(blocks.to_owned() + &main("x : S; y : H; b : B(start := 4);")), &["MAX_N", "P.x.s", "P.y.s"]);
}

#[test]
fn a_later_call_that_reads_what_is_not_computed_is_not_computed_either() {
    let text = BASE.replace("m := n;", "")
        + r"FUNCTION_BLOCK C
VAR
 k : INT;
END_VAR
METHOD FB_init : BOOL
k := g;
END_METHOD
END_FUNCTION_BLOCK
PROGRAM P
VAR
 b : B; c : C;
END_VAR
END_PROGRAM
";
    check_free(&text, &["P.b.n", "P.b.m"]);
    check_free(&text.replace("n := n + start;", "g := start;"), &["g", "P.b.n", "P.b.m", "P.c.k"]);
}

#[test]
fn arguments_are_those_of_the_instance_around_the_declaration() {
    let text = BASE.to_owned()
        + r"FUNCTION_BLOCK H
VAR
 x : INT := 3; b : B(start := x * 2);
END_VAR
END_FUNCTION_BLOCK
PROGRAM P
VAR
 one : H; two : H := (x := 10); more : ARRAY [1..2] OF H;
END_VAR
END_PROGRAM
";
    let expected = ["P.one.b.n=7", "P.two.b.n=7", "P.more[1].b.n=7", "P.more[2].b.n=7"];
    check(&text.replace("two : H := (x := 10);", "two : H;"), &expected, &["order in which"]);
    // The value of `two.x` is assigned behind the FB_init of `two.b`, or before it.
    check_free(&text, &["P.two.b.n", "P.two.b.m"]);
}

#[test]
fn heirs_and_parts_are_started_in_their_order() {
    let text = r"FUNCTION_BLOCK B
VAR
 n : INT;
END_VAR
METHOD FB_init : BOOL
n := n * 10 + 1;
END_METHOD
END_FUNCTION_BLOCK
FUNCTION_BLOCK D EXTENDS B
METHOD FB_init : BOOL
n := n * 10 + 2;
END_METHOD
END_FUNCTION_BLOCK
FUNCTION_BLOCK H
VAR
 a : ARRAY [1..2] OF D; sum : INT;
END_VAR
METHOD FB_init : BOOL
sum := a[1].n + a[2].n;
END_METHOD
END_FUNCTION_BLOCK
PROGRAM P
VAR
 h : H;
END_VAR
END_PROGRAM
";
    // `a[1].n` is read from outside: it must be an output.
    let text = text.replace("VAR\n n : INT;", "VAR_OUTPUT\n n : INT;");
    check(&text, &["P.h.a[1].n=12", "P.h.a[2].n=12", "P.h.sum=24"], &[]);
}

#[test]
fn arguments_may_be_strings() {
    let text = r"FUNCTION_BLOCK B
VAR
 s : STRING[3]; n : INT;
END_VAR
METHOD FB_init : BOOL
VAR_INPUT
 t : STRING; w : TIME;
END_VAR
s := t; n := LEN(t) + TIME_TO_INT(w);
END_METHOD
END_FUNCTION_BLOCK
PROGRAM P
VAR
 b : B(t := 'ab', w := T#40ms);
END_VAR
END_PROGRAM
";
    check(text, &["P.b.s[1]=CHAR#'a'", "P.b.s[2]=CHAR#'b'", "P.b.n=42"], &[]);
}

#[test]
fn a_function_block_that_runs_is_started() {
    let text = r"FUNCTION_BLOCK B
VAR_INPUT
 i : INT;
END_VAR
VAR
 n : INT;
END_VAR
METHOD FB_init : BOOL
n := 7;
END_METHOD
n := n + i;
END_FUNCTION_BLOCK
";
    // The caller may call it again.
    check(text, &["B.n=7"], &["of the entry after the first cycle"]);
}

#[test]
fn what_is_not_known_is_taken_for_granted_by_name() {
    let block = |body: &str, vars: &str| {
        format!(
            r"VAR_GLOBAL
 g : INT;
END_VAR
FUNCTION_BLOCK B
VAR
 n : INT;
END_VAR
METHOD FB_init : BOOL
{body}
END_METHOD
END_FUNCTION_BLOCK
PROGRAM P
VAR
{vars}
END_VAR
END_PROGRAM
"
        )
    };
    check(&block("g := g + 1; n := g;", "b : B;"), &["g=1", "P.b.n=1"], &["order in which"]);
    check(&block("n := 1 / n;", "b : B;"), &[], &["cannot be computed"]);
    check(&block("WHILE n = 0 DO ; END_WHILE;", "b : B;"), &[], &["cannot be computed"]);
    check(&block("n := 0;", "b : ARRAY [1..9000] OF B;"), &[], &["more instances"]);
}

/// The declaration's values come behind FB_init, which sees those of the block.
#[test]
fn a_declaration_assigns_its_values_behind_fb_init() {
    let block = "FUNCTION_BLOCK F\nVAR\n v : INT := 7; w : INT; a : ARRAY [0..1] OF INT := [2(3)];\nEND_VAR\nMETHOD FB_init : BOOL\nVAR_INPUT\n\
                 bInitRetains, bInCopyCode : BOOL;\nEND_VAR\nw := v + a[1]; v := 1; a[0] := 5;\nEND_METHOD\nEND_FUNCTION_BLOCK\n";
    let main = |declared: &str| format!("{block}PROGRAM P\nVAR\n f : F{declared};\nEND_VAR\nEND_PROGRAM\n");
    check(&main(""), &["P.f.v=1", "P.f.w=10", "P.f.a[0]=5"], &[]);
    check(&main(" := (v := 9)"), &["P.f.w=10", "P.f.a[0]=5"], &[]);
    check(&main(" := (a := [8, 8], v := 9)"), &["P.f.w=10"], &[]);
}

/// A field of a structure is a declaration, too.
#[test]
fn a_field_has_its_values_behind_fb_init() {
    let block = "FUNCTION_BLOCK F\nVAR\n v : INT := 7; w : INT;\nEND_VAR\nMETHOD FB_init : BOOL\nVAR_INPUT\n bInitRetains, bInCopyCode : BOOL;\n\
                 END_VAR\nw := v; v := 1;\nEND_METHOD\nEND_FUNCTION_BLOCK\nTYPE S : STRUCT\n x : INT := 2; f : F := (v := 9);\nEND_STRUCT END_TYPE\n\
                 TYPE N : STRUCT\n s : S; g : F;\nEND_STRUCT END_TYPE\n";
    let main = |declared: &str| format!("{block}PROGRAM P\nVAR\n {declared}\nEND_VAR\nEND_PROGRAM\n");
    check(&main("s : S;"), &["P.s.f.w=7"], &[]);
    check(&main("s : ARRAY [0..1] OF S;"), &["P.s[0].f.w=7", "P.s[1].f.w=7"], &[]);
    check(&main("n : N;"), &["P.n.s.f.w=7", "P.n.g.v=1", "P.n.g.w=7"], &[]);
    // Values that the variable gives to the structure are not followed into it.
    check_free(&main("s : S := (f := (v := 8));"), &["P.s.f.v", "P.s.f.w"]);
    check_free(&main("s : S := (x := 8);"), &["P.s.f.v", "P.s.f.w"]);
}

#[test]
fn methods_behind_the_initialisation() {
    let block = |mark: &str, inside: &str| {
        format!(
            r"{mark}
FUNCTION_BLOCK B
VAR
 n : INT := 1; m : INT;
END_VAR
METHOD FB_Init : BOOL
VAR_INPUT
 bInitRetains, bInCopyCode : BOOL;
END_VAR
n := n + 1;
END_METHOD
{inside}
m := n;
END_FUNCTION_BLOCK
"
        )
    };
    let mark = "{attribute 'call_after_init'}";
    let after = format!("{mark}\n{{attribute 'hide'}} METHOD After : BOOL\nn := n * 10;\nEND_METHOD");
    let main = "PROGRAM Main\nVAR\n b : B := (n := 4); c : ARRAY [0..1] OF B;\nEND_VAR\nb();\nEND_PROGRAM\n";
    let expected = ["Main.b.n=40", "Main.c[0].n=20", "Main.c[1].n=20"];
    check(&format!("{}{main}", block(mark, &after)), &expected, &[]);
    // A method that only partly meets the conditions is named as an assumption.
    let init = ["Main.c[0].n=2", "Main.c[1].n=2"];
    check(&format!("{}{main}", block("", &after)), &init, &["call_after_init"]);
    check(&format!("{}{main}", block(mark, "")), &init, &["call_after_init"]);
    let heir = format!("FUNCTION_BLOCK D EXTENDS B\nEND_FUNCTION_BLOCK\n{main}");
    check(&format!("{}{heir}", block(mark, &after)), &init, &["call_after_init"]);
    let with_input = after.replace("BOOL\n", "BOOL\nVAR_INPUT\n i : INT;\nEND_VAR\n");
    check(&format!("{}{main}", block(mark, &with_input)), &init, &["call_after_init"]);
    // The order makes a difference.
    let counts = after.replace("n := n * 10;", "g := g + 1; n := g;");
    let text = format!("VAR_GLOBAL\n g : INT;\nEND_VAR\n{}{main}", block(mark, &counts));
    check(&text, &["g=3", "Main.b.n=1", "Main.c[0].n=2", "Main.c[1].n=3"], &["order in which methods of several instances"]);
}

/// Returns the gaps of a program by treatment.
fn gaps(text: &str) -> Vec<(Treatment, String)> {
    let mut sources = SourceSet::default();
    sources.add("a.st", text);
    let parsed = load_isolated(&sources, &LoadOptions::default());
    parsed.value.ledger.gaps.into_iter().map(|gap| (gap.treatment, gap.construct)).collect()
}

#[test]
fn writes_through_references_are_a_condition() {
    let text = |body: &str, vars: &str| {
        format!(
            "FUNCTION_BLOCK A\nVAR _ref : REFERENCE TO INT; n : INT; END_VAR\nMETHOD FB_init : BOOL\nVAR_INPUT bInitRetains, bInCopyCode : BOOL; \
             r : REFERENCE TO INT; END_VAR\n{body}\nEND_METHOD\nMETHOD Set : BOOL\n_ref := 7;\nEND_METHOD\nEND_FUNCTION_BLOCK\n\
             PROGRAM MAIN\nVAR {vars} o : INT; END_VAR\no := x;\na.Set();\nEND_PROGRAM\n"
        )
    };
    let found = gaps(&text("r := 5;", "x : INT := 1; a : A(r := x);"));
    let is_condition = |(treatment, words): &(Treatment, String)| *treatment == Treatment::Assumed && words.contains("FB_init");
    assert!(found.iter().any(is_condition), "{found:#?}");
    // The reference is known.
    assert_eq!(gaps(&text("_ref REF= r;", "x : INT := 1; a : A(r := x);")), []);
}

#[test]
fn calls_of_instances_that_are_not_modelled_free_what_they_may_write() {
    let text = |vars: &str, more: &str| {
        format!(
            "VAR_GLOBAL g : INT := 1; END_VAR\nFUNCTION_BLOCK A\nVAR v : INT; END_VAR\nMETHOD FB_init : BOOL\n\
             VAR_INPUT bInitRetains, bInCopyCode : BOOL; n : INT; END_VAR\ng := n;\nEND_METHOD\nEND_FUNCTION_BLOCK\n{more}\
             PROGRAM MAIN\nVAR o : INT; {vars} END_VAR\no := g;\ng := 1;\nEND_PROGRAM\n"
        )
    };
    check_free(&text("arr : ARRAY [1..2] OF A[(n := 8), (n := 9)];", ""), &["g"]);
    let block = "FUNCTION_BLOCK W\nVAR_STAT s : A(n := 9); END_VAR\nEND_FUNCTION_BLOCK\n";
    check_free(&text("w : W;", block), &["g"]);
    check_free(&text("", ""), &[]);
}

#[test]
fn calls_in_the_cycle_that_write_outside_are_a_condition_of_all_answers() {
    let text = |body: &str, vars: &str| {
        format!(
            "VAR_GLOBAL g : INT := 1; END_VAR\nFUNCTION_BLOCK A\nVAR v : INT; END_VAR\nMETHOD FB_init : BOOL\n\
             VAR_INPUT bInitRetains, bInCopyCode : BOOL; n : INT; END_VAR\n{body}\nEND_METHOD\nEND_FUNCTION_BLOCK\n\
             FUNCTION F : INT\nVAR {vars} END_VAR\nF := 0;\nEND_FUNCTION\n\
             PROGRAM MAIN\nVAR o : INT; END_VAR\ng := 1; o := F(); o := g;\nEND_PROGRAM\n"
        )
    };
    for (body, vars, expected) in [("g := n;", "a : A(n := 9);", 1), ("v := n;", "a : A(n := 9);", 0), ("g := n;", "a : INT;", 0)]
    {
        for mark in ["", "{attribute 'x'}\n"] {
            let mut sources = SourceSet::default();
            sources.add("a.st", format!("{mark}{}", text(body, vars)));
            let parsed = load_isolated(&sources, &LoadOptions::default());
            let project = &parsed.value.project;
            assert_eq!(project.unclear_starts.len(), expected, "{mark}{body} {vars}\n{:#?}", parsed.value.ledger.gaps);
        }
    }
}
