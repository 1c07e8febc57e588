//! Default environments, as tables.

use crate::hir::{Kind, Reason, Role};
use crate::text::SourceSet;
use crate::{LoadOptions, Loaded, load};

pub(super) fn loaded(text: &str, entry: Option<&str>) -> Loaded {
    let mut sources = SourceSet::default();
    sources.add("p.st", text);
    let parsed = load(&sources, &LoadOptions { entry: entry.map(str::to_owned), ..LoadOptions::default() });
    assert!(!parsed.has_errors(), "{:?}", parsed.diagnostics);
    parsed.value
}

/// Checks the names of the inputs and of the frozen leaves, each separated by spaces.
pub(super) fn check(text: &str, entry: Option<&str>, inputs: &str, frozen: &str) {
    let loaded = loaded(text, entry);
    let leaves = loaded.project.leaves();
    let is_input = |leaf: &&crate::hir::Leaf| leaf.role == Role::Input && !leaf.constant;
    let found: Vec<&str> = leaves.iter().filter(is_input).map(|leaf| leaf.name.as_str()).collect();
    assert_eq!(found.join(" "), inputs, "inputs of {text}");
    let kept = super::frozen(&loaded.project, &leaves, loaded.entry_is_chosen);
    let kept: Vec<&str> = kept.into_iter().map(|at| leaves[at].name.as_str()).collect();
    assert_eq!(kept.join(" "), frozen, "frozen leaves of {text}");
}

const VALVE: &str = "TYPE HMI : STRUCT OpenCmd, Busy : BOOL; Limit : INT := 7; END_STRUCT END_TYPE\n";

#[test]
fn in_outs_of_the_entry_are_inputs() {
    let block = "FUNCTION_BLOCK Valve VAR_INPUT Fb : BOOL; END_VAR VAR_IN_OUT Hmi : HMI; END_VAR VAR_OUTPUT Open : BOOL; END_VAR\n\
        Open := Hmi.OpenCmd; Hmi.Busy := Open;\nEND_FUNCTION_BLOCK";
    check(&format!("{VALVE}{block}"), None, "Valve.Fb Valve.Hmi.OpenCmd Valve.Hmi.Busy Valve.Hmi.Limit", "");
    // The caller's variable belongs to the program: only the fields that nothing writes come from outside.
    let program = "VAR_GLOBAL DB_Hmi : HMI; END_VAR\nPROGRAM Main VAR v : Valve; END_VAR v(Hmi := DB_Hmi); END_PROGRAM";
    check(&format!("{VALVE}{block}\n{program}"), None, "DB_Hmi.OpenCmd", "DB_Hmi.Limit Main.v.Fb");
}

#[test]
fn constants_are_no_inputs_and_in_outs_of_constants_are() {
    let block = "FUNCTION_BLOCK F VAR_IN_OUT CONSTANT p : INT; END_VAR VAR CONSTANT c : INT := 3; END_VAR VAR q : INT; END_VAR\n\
        q := p + c;\nEND_FUNCTION_BLOCK";
    check(block, None, "F.p", "");
}

#[test]
fn globals_that_nothing_writes_are_inputs_unless_they_have_a_value() {
    let program = |globals: &str, body: &str| {
        format!("VAR_GLOBAL {globals} END_VAR\nPROGRAM P VAR_OUTPUT q : BOOL; n : INT; END_VAR {body} END_PROGRAM")
    };
    check(&program("a : BOOL;", "q := a; n := 1;"), None, "a", "");
    check(&program("a : BOOL := FALSE;", "q := a;"), None, "", "a P.n");
    check(&program("a : BOOL;", "a := NOT a; q := a; n := 1;"), None, "", "");
    check(&program("a, unread : BOOL;", "q := a; n := 1;"), None, "a", "unread");
    check("VAR_GLOBAL CONSTANT c : INT := 3; END_VAR\nPROGRAM P VAR_OUTPUT n : INT; END_VAR n := c; END_PROGRAM", None, "", "");
    let table = "t : ARRAY [1..3] OF INT;";
    check(&program(table, "t[2] := 4; n := t[n]; q := TRUE;"), None, "t[1] t[3]", "");
    check(&program(table, "t[n] := 4; n := t[n]; q := TRUE;"), None, "", "");
    // All memory of a word is an input, also the byte without a name of its own.
    let shared = "w AT %MW0 : WORD; b AT %MB0 : BYTE;";
    check(&program(shared, "n := WORD_TO_INT(w) + BYTE_TO_INT(b); q := TRUE;"), None, "b __M1_0_8_2", "");
    let valued = "w AT %MW0 : WORD := 515; b AT %MB0 : BYTE;";
    check(&program(valued, "n := WORD_TO_INT(w) + BYTE_TO_INT(b); q := TRUE;"), None, "", "b __M1_0_8_2");
    // A write to shared memory changes it under both names.
    check(&program("w AT %MW0 : WORD; b AT %MB0 : BYTE;", "b := 1; n := WORD_TO_INT(w); q := TRUE;"), None, "__M1_0_8_2", "");
}

#[test]
fn calls_write_what_their_arguments_name() {
    let set = "FUNCTION Set VAR_IN_OUT x : INT; END_VAR VAR_OUTPUT y : INT; END_VAR x := 1; y := 2; END_FUNCTION\n";
    let get = "FUNCTION Get : INT VAR_IN_OUT x : INT; END_VAR Get := x; END_FUNCTION\n";
    let both = "FUNCTION Both : INT VAR_IN_OUT x : INT; END_VAR Both := Get(x); Set(x := x); END_FUNCTION\n";
    let program = |body: &str| {
        format!(
            "{set}{get}{both}VAR_GLOBAL a, b : INT; END_VAR\nPROGRAM P VAR_OUTPUT n : INT; END_VAR n := a + b; {body} END_PROGRAM"
        )
    };
    check(&program(""), None, "a b", "");
    check(&program("Set(x := a);"), None, "b", "");
    check(&program("Set(x := a, y => b);"), None, "", "");
    check(&program("n := Get(a);"), None, "a b", "");
    check(&program("n := Both(a);"), None, "b", "");
}

#[test]
fn instances_references_and_methods_write() {
    let counter = "FUNCTION_BLOCK Counter VAR_INPUT step : INT := 1; END_VAR VAR_OUTPUT n : INT; END_VAR n := n + step; END_FUNCTION_BLOCK\n";
    let program = format!(
        r"{counter}VAR_GLOBAL g : Counter; END_VAR
PROGRAM P VAR c, d : Counter; END_VAR VAR_OUTPUT n : INT; END_VAR
c(); d(step := 2); g(); n := c.n + d.n + g.n;
END_PROGRAM"
    );
    check(&program, None, "", "g.step P.c.step");
    let pointed = r"VAR_GLOBAL a, b : INT; END_VAR
PROGRAM P VAR p : POINTER TO INT; END_VAR VAR_OUTPUT n : INT; END_VAR
p := ADR(a); p^ := 3; n := a + b;
END_PROGRAM";
    check(pointed, None, "b", "");
    let method = r"FUNCTION_BLOCK B VAR n, m : INT; END_VAR
METHOD Up : INT
n := n + 1; Up := n + m;
END_METHOD
END_FUNCTION_BLOCK
VAR_GLOBAL x : B; END_VAR
PROGRAM P VAR_OUTPUT k : INT; END_VAR k := x.Up(); END_PROGRAM";
    check(method, None, "x.m", "");
}

#[test]
fn standard_blocks_keep_their_defaults() {
    let text = "PROGRAM P VAR_INPUT a : BOOL; END_VAR VAR t : TON; c : CTU; END_VAR VAR_OUTPUT q : BOOL; END_VAR\n\
        t(IN := a, PT := T#1s); c(CU := t.Q, PV := 3); q := c.Q;\nEND_PROGRAM";
    check(text, None, "P.a", "");
}

#[test]
fn other_programs_write_between_cycles() {
    let text = "VAR_GLOBAL mode : INT := 2; own : INT; END_VAR\nPROGRAM A VAR_OUTPUT n : INT; END_VAR n := mode; own := own + 1; END_PROGRAM\n\
        PROGRAM B mode := 3; own := 0; END_PROGRAM";
    check(text, None, "", "");
    check(text, Some("A"), "mode own", "");
    let project = loaded(text, Some("A")).project;
    let setting = &project.environment["mode"];
    assert_eq!(setting.kind, Kind::Input);
    let Reason::WrittenElsewhere(pou) = setting.reason else { panic!("{:?}", setting.reason) };
    assert_eq!(project.pous[pou].name, "B");
}

/// A block without a call keeps its values, although another instance of its type is called.
#[test]
fn uses_are_those_of_each_instance() {
    let sub = "FUNCTION_BLOCK Sub VAR_INPUT e : BOOL; END_VAR VAR_OUTPUT w : BOOL; END_VAR w := e; END_FUNCTION_BLOCK\n\
        FUNCTION_BLOCK Two VAR_INPUT e : BOOL; END_VAR VAR a, b : Sub; END_VAR a(e := e); END_FUNCTION_BLOCK\n";
    let main = |body: &str| {
        format!(
            "{sub}PROGRAM M VAR_INPUT i : BOOL; n : INT; END_VAR VAR f, g : Sub; l : ARRAY [1..2] OF Sub; t : Two; END_VAR {body} END_PROGRAM"
        )
    };
    let nobody = "M.l[1].e M.l[1].w M.l[2].e M.l[2].w M.t.e M.t.a.e M.t.a.w M.t.b.e M.t.b.w";
    check(&main("g(e := i OR f.w);"), None, "M.i M.n", &format!("M.f.e M.f.w {nobody}"));
    check(&main("f(e := i); g(e := i); l[n](e := i); t(e := i);"), None, "M.i M.n", "M.t.b.e M.t.b.w");
    let rest = "M.t.e M.t.a.e M.t.a.w M.t.b.e M.t.b.w";
    check(&main("f(e := i); g(e := i); l[1](e := i);"), None, "M.i M.n", &format!("M.l[2].e M.l[2].w {rest}"));
}

#[test]
fn standard_blocks_that_nobody_calls_are_frozen() {
    let text = "PROGRAM M VAR_INPUT i : BOOL; END_VAR VAR t, u : TON; q : BOOL; END_VAR t(IN := i); q := t.Q OR u.Q; END_PROGRAM";
    check(text, None, "M.i", "M.u.IN M.u.PT M.u.Q M.u.ET");
}

/// Calls through VAR_IN_OUT, SUPER^ and references are calls of the instance.
#[test]
fn instances_are_called_in_every_way() {
    let text = r"FUNCTION_BLOCK P VAR_INPUT v : BOOL; END_VAR VAR l : BOOL; END_VAR l := v; END_FUNCTION_BLOCK
FUNCTION_BLOCK C EXTENDS P VAR_OUTPUT q : BOOL; END_VAR SUPER^(); q := l; END_FUNCTION_BLOCK
FUNCTION G : BOOL VAR_INPUT a : BOOL; END_VAR VAR_IN_OUT f : C; END_VAR f(v := a); G := f.q; END_FUNCTION
PROGRAM M VAR_INPUT a : BOOL; END_VAR VAR x, y, u, z : C; o : BOOL; r : REFERENCE TO C; END_VAR
x(v := a); o := G(a, y); r REF= u; r(v := a); END_PROGRAM";
    check(text, None, "M.a", "M.z.v M.z.l M.z.q");
}

/// Other POUs write variables of the entry, too: by path, and as methods that only they call.
#[test]
fn variables_of_the_entry_that_others_write_are_inputs() {
    let text = "PROGRAM A VAR x, y : BOOL; o : BOOL; END_VAR o := x AND y; END_PROGRAM\n\
        PROGRAM B VAR z : BOOL; END_VAR z := NOT z; A.x := z; END_PROGRAM";
    check(text, Some("A"), "A.x", "A.y");
    let text = "FUNCTION_BLOCK X VAR l, k : BOOL; END_VAR VAR_OUTPUT q : BOOL; END_VAR\n\
        METHOD Set : BOOL l := TRUE; Set := l; END_METHOD\nq := l AND k; END_FUNCTION_BLOCK";
    check(text, Some("X"), "X.l", "X.k");
    // A block without a name can be a part of something larger.
    check(text, None, "X.l", "X.k");
}

/// A block that is the entry is an instance of its own: others call their own instances.
#[test]
fn calls_of_other_instances_do_not_write_the_entry() {
    let block = "FUNCTION_BLOCK X VAR_INPUT e : BOOL; END_VAR VAR n, k : INT; s : Sub; END_VAR VAR_OUTPUT q : BOOL; END_VAR\n\
        METHOD PRIVATE Step : BOOL n := n + 1; Step := TRUE; END_METHOD\nMETHOD PROTECTED Reset : BOOL k := 0; Reset := TRUE; END_METHOD\n\
        s(e := e); IF e THEN Step(); k := k + 1; END_IF; IF k > 9 THEN Reset(); END_IF; q := n > 5; END_FUNCTION_BLOCK\n\
        FUNCTION_BLOCK Sub VAR_INPUT e : BOOL; END_VAR VAR c : INT; END_VAR c := c + 1; END_FUNCTION_BLOCK\n";
    let program = |vars: &str, body: &str| format!("{block}PROGRAM MAIN VAR f : X; o : Sub; {vars} END_VAR {body} END_PROGRAM\n");
    check(&program("", "f(e := TRUE); o();"), Some("X"), "X.e", "");
    // Its caller may call the methods that callers call.
    check(&program("", "f(e := TRUE); f.Reset();").replace("PROTECTED", "PUBLIC"), Some("X"), "X.e X.k", "");
    // A reference may refer to the entry only if its own code gives it away.
    check(&program("p : REFERENCE TO X;", "p REF= f; p(e := FALSE);"), Some("X"), "X.e", "");
    let given = program("", "gp^ := 5; f();").replace("s(e := e);", "gp := ADR(n); s(e := e);");
    let given = format!("VAR_GLOBAL gp : POINTER TO INT; END_VAR\n{given}");
    // The bodies of all instances write the pointer itself.
    check(&given, Some("X"), "gp X.e X.n", "");
}

/// Bodies of instances run where POUs that do not run here call them.
#[test]
fn instances_that_others_call_change_between_cycles() {
    let block = "FUNCTION_BLOCK Sub VAR_INPUT e : BOOL; END_VAR VAR_OUTPUT w : BOOL; END_VAR VAR k : BOOL; END_VAR\n\
        w := e; k := w; END_FUNCTION_BLOCK\n";
    let program = |a: &str, b: &str| {
        format!(
            "{block}VAR_GLOBAL g, h : Sub; END_VAR\nPROGRAM A VAR o : BOOL; END_VAR {a} END_PROGRAM\nPROGRAM B {b} END_PROGRAM\n"
        )
    };
    check(&program("o := g.w AND h.w;", "g(e := TRUE);"), Some("A"), "g.e g.w g.k h.w", "h.e h.k");
    // The block runs here, too.
    check(&program("h(); o := g.w;", "g(e := TRUE);"), Some("A"), "g.e g.w g.k h.e", "");
    check(&program("g(e := o);", "g();"), Some("A"), "g.w g.k", "h.e h.w h.k A.o");
    // Through a function.
    let lead = "FUNCTION F VAR_IN_OUT s : Sub; END_VAR s(e := TRUE); END_FUNCTION\n";
    check(&(program("o := g.w;", "F(s := g);") + lead), Some("A"), "g.e g.w g.k", "h.e h.w h.k");
    // Two instances of the entry's kind: others call their own.
    let own = format!(
        "{block}PROGRAM A VAR s : Sub; o : BOOL; END_VAR s(e := o); END_PROGRAM\nPROGRAM B VAR s : Sub; END_VAR s(e := TRUE); END_PROGRAM\n"
    );
    check(&own, Some("A"), "", "A.o");
}

/// Memory that no user can name changes with the instance.
#[test]
fn timers_that_others_call_have_no_memory_here() {
    let text = "VAR_GLOBAL t : TON; END_VAR\nPROGRAM A VAR_INPUT i : BOOL; END_VAR VAR_OUTPUT o : BOOL; END_VAR\n\
        t(IN := i, PT := T#1s); o := t.Q; END_PROGRAM\nPROGRAM B t(IN := FALSE); END_PROGRAM\n";
    let loaded = loaded(text, Some("A"));
    let kept = loaded.project.leaves().into_iter().filter(|leaf| leaf.name.starts_with("t.") && leaf.role != Role::Input);
    let kept: Vec<String> = kept.map(|leaf| leaf.name).collect();
    assert_eq!(kept.join(" "), "t.PT");
}

/// Outputs, references and variables of programs that this one calls belong to others, too.
#[test]
fn outputs_references_and_called_programs_change_between_cycles() {
    let text = "VAR_GLOBAL q AT %QX0.0 : BOOL; END_VAR\nPROGRAM A VAR o : BOOL; END_VAR o := q; END_PROGRAM\n\
        PROGRAM B q := TRUE; END_PROGRAM\n";
    check(text, Some("A"), "q", "");
    let text = "VAR_GLOBAL q AT %QX0.0 : BOOL; END_VAR\nPROGRAM A VAR o : BOOL; END_VAR o := q; END_PROGRAM\n\
        PROGRAM B %QX0.0 := TRUE; END_PROGRAM\n";
    check(text, Some("A"), "q", "");
    let text = "VAR_GLOBAL x, y : BOOL; p : POINTER TO BOOL := ADR(x); END_VAR\n\
        PROGRAM A VAR o : BOOL; END_VAR p := ADR(x); o := p^; END_PROGRAM\nPROGRAM B p := ADR(y); END_PROGRAM\n";
    check(text, Some("A"), "x y p", "");
    let text = "PROGRAM A VAR o : BOOL; END_VAR Inner(); o := Inner.k; END_PROGRAM\n\
        PROGRAM Inner VAR k, l : BOOL; END_VAR l := k; END_PROGRAM\nPROGRAM B Inner.k := TRUE; END_PROGRAM\n";
    check(text, Some("A"), "Inner.k", "");
}

#[test]
fn others_write_instances_addresses_and_what_declarations_pass_on() {
    let entry = "PROGRAM E VAR o : INT; END_VAR o := x; x := 0; END_PROGRAM";
    let instance = "FUNCTION_BLOCK B VAR_OUTPUT n : INT; END_VAR METHOD Set VAR_INPUT v : INT; END_VAR n := v; END_METHOD n := 7; END_FUNCTION_BLOCK\n\
        PROGRAM M VAR g : B; END_VAR g(); END_PROGRAM\nPROGRAM E VAR o : INT; END_VAR o := M.g.n; M.g.Set(0); END_PROGRAM";
    check(instance, Some("E"), "M.g.n", "");
    let address =
        format!("VAR_GLOBAL x AT %MW0 : INT; END_VAR\nPROGRAM M VAR k AT %MW0 : INT; END_VAR k := 7; END_PROGRAM\n{entry}");
    check(&address, Some("E"), "x", "");
    let passed = format!(
        "VAR_GLOBAL x : INT; END_VAR\nFUNCTION_BLOCK B VAR p : REFERENCE TO INT; END_VAR METHOD FB_init : BOOL VAR_INPUT bInitRetains, \
         bInCopyCode : BOOL; q : REFERENCE TO INT; END_VAR p REF= q; END_METHOD p := 7; END_FUNCTION_BLOCK\n\
         PROGRAM M VAR b : B(q := x); END_VAR b(); END_PROGRAM\n{entry}"
    );
    check(&passed, Some("E"), "x", "");
}

#[test]
fn texts_behind_an_error_may_write_what_they_name() {
    let entry = "PROGRAM E VAR o : INT; END_VAR o := x; x := 0; END_PROGRAM";
    for text in [
        "FUNCTION_BLOCK B VAR_INPUT r : REFERENCE TO INT; END_VAR r := 7; END_FUNCTION_BLOCK\nPROGRAM M VAR b : B; END_VAR b(r REF= x); END_PROGRAM",
        "PROGRAM M VAR i : INT; END_VAR i := 1; END_PROGRAM\nACTION M.Act:\nx := 7;\nEND_ACTION",
    ] {
        let mut sources = SourceSet::default();
        sources.add("p.st", format!("VAR_GLOBAL x : INT; END_VAR\n{text}\n{entry}"));
        let parsed = crate::load_isolated(&sources, &LoadOptions { entry: Some("E".to_owned()), ..LoadOptions::default() });
        assert!(parsed.value.project.environment.contains_key("x"), "{text}\n{:#?}", parsed.value.left_out);
    }
}

/// Text that is left out writes a local variable of the entry from inside, or behind a point.
#[test]
fn local_variables_are_not_written_by_their_names_alone() {
    let entry = "PROGRAM E VAR n, o : INT; END_VAR o := n; n := 1; END_PROGRAM";
    let block = "FUNCTION_BLOCK E VAR n : INT; END_VAR VAR_OUTPUT o : INT; END_VAR o := n; n := 1; END_FUNCTION_BLOCK";
    let check = |entry: &str, own: &str, other: &str, expected: bool| {
        let mut sources = SourceSet::default();
        sources.add("e.st", format!("{entry}\n{own}"));
        sources.add("f.st", other);
        let parsed = crate::load_isolated(&sources, &LoadOptions { entry: Some("E".to_owned()), ..LoadOptions::default() });
        assert!(!parsed.value.left_out.is_empty());
        assert_eq!(parsed.value.project.environment.contains_key("E.n"), expected, "{entry}\n{own}\n{other}");
    };
    let broken = |text: &str| format!("PROGRAM M VAR i : INT; END_VAR i := := 2; {text} END_PROGRAM\n");
    check(entry, "", &broken("n := 7;"), false);
    // The call writes what the entry writes.
    check(entry, "", &broken("n := 7; E();"), true);
    check(entry, "", &broken("E . n := 7;"), true);
    check(entry, &broken("n := 7; E();"), "", true);
    check(entry, "", &broken("E();\nACTION A: n := 7; END_ACTION"), true);
    check(entry, "", &broken("E. // its counter\n n := 7;"), true);
    check(entry, "", &broken("E.(* its counter *)n := 7;"), true);
    check(block, "", &broken("n := 7; e();"), false);
    check(block, "", &broken("e.n := 7;"), true);
    check(block, "", &broken("n := 7;\nACTION A: n := 7; END_ACTION"), true);
    check(block, &broken("n := 7;"), "", true);
}

/// A call of a program assigns its inputs, by their names without a point.
#[test]
fn calls_that_are_left_out_assign_inputs_of_programs() {
    let mut sources = SourceSet::default();
    sources.add(
        "e.st",
        "PROGRAM Q VAR_INPUT n : INT; END_VAR END_PROGRAM PROGRAM E VAR o : INT; END_VAR Q(); o := Q.n; END_PROGRAM",
    );
    sources.add("f.st", "PROGRAM M VAR i : INT; END_VAR i := := 2; Q(n := 7); END_PROGRAM");
    let parsed = crate::load_isolated(&sources, &LoadOptions { entry: Some("E".to_owned()), ..LoadOptions::default() });
    assert!(parsed.value.project.environment.contains_key("Q.n"), "{:?}", parsed.value.project.environment);
}

#[test]
fn the_caller_of_an_entry_may_call_what_the_block_inherits() {
    let block = |members: &str, heir: &str| {
        format!(
            "FUNCTION_BLOCK Base\nVAR n, m : INT; END_VAR\n{members}\nEND_FUNCTION_BLOCK\n\
            FUNCTION_BLOCK X EXTENDS Base\nVAR_OUTPUT bad : BOOL; END_VAR\n{heir}\nbad := n = 5;\nIF n = 7 THEN n := 0; END_IF;\nm := 1;\nEND_FUNCTION_BLOCK\n"
        )
    };
    let set = |access: &str, body: &str| format!("METHOD {access} Set : BOOL\nVAR_INPUT v : INT; END_VAR\n{body}\nEND_METHOD\n");
    check(&block("", ""), Some("X"), "", "");
    check(&block(&set("PUBLIC", "n := v;"), ""), Some("X"), "X.n", "");
    check(&block(&set("PROTECTED", "n := v;"), ""), Some("X"), "", "");
    check(&block(&set("PRIVATE", "n := v;"), ""), Some("X"), "", "");
    check(&block("ACTION Clear: n := 0; END_ACTION\n", ""), Some("X"), "X.n", "");
    let property = "PROPERTY PUBLIC Level : INT\nSET\nn := Level;\nEND_SET\nEND_PROPERTY\n";
    check(&block(property, ""), Some("X"), "X.n", "");
    // The heir replaces the method.
    check(&block(&set("PUBLIC", "n := v;"), &set("PUBLIC", "m := v;")), Some("X"), "X.m", "");
    // A private method is called by a public one.
    let both = format!("{}METHOD PUBLIC Go : BOOL\nSet(3);\nEND_METHOD\n", set("PRIVATE", "n := v;"));
    check(&block(&both, ""), Some("X"), "X.n", "");
    // A block further up.
    let text = block(&set("PUBLIC", "n := v;"), "").replace("BLOCK X EXTENDS Base", "BLOCK Y EXTENDS Base");
    let text = format!("{text}FUNCTION_BLOCK X EXTENDS Y\nSUPER^();\nEND_FUNCTION_BLOCK\n");
    check(&text, Some("X"), "X.n", "");
    // FB_init runs before the first cycle, and not again.
    let init = "METHOD FB_init : BOOL\nVAR_INPUT bInitRetains, bInCopyCode : BOOL; END_VAR\nn := 5;\nEND_METHOD\n";
    check(&block("", init), Some("X"), "", "");
    check(&block(init, ""), Some("X"), "", "");
    // An online change calls the others.
    check(&block("", &init.replace("FB_init", "FB_reinit")), Some("X"), "X.n", "");
}

/// A function that is not modelled gets the address of all of an instance or of a program.
#[test]
fn texts_that_take_an_address_may_write_the_whole() {
    let block = "FUNCTION_BLOCK X VAR l : BOOL; END_VAR VAR_OUTPUT q : BOOL; END_VAR q := l; END_FUNCTION_BLOCK\n";
    let other = |body: &str| format!("{block}PROGRAM B VAR f : X; g : BOOL; END_VAR {body} END_PROGRAM");
    check(&other("MEMSET(ADR(f), 1, SIZEOF(f));"), Some("X"), "X.l X.q", "");
    check(&other("MEMSET(ADR(g), 1, SIZEOF(g));"), Some("X"), "", "X.l");
    let program = "PROGRAM A VAR x, y : BOOL; END_VAR x := y; END_PROGRAM\n";
    check(&format!("{program}PROGRAM B MEMSET(ADR(A), 1, SIZEOF(A)); END_PROGRAM"), Some("A"), "A.x A.y", "");
}
