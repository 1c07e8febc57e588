//! Stubs: the variables that a call gives any value, and calls whose effect cannot be listed.

use crate::hir::{Reason, Start};
use crate::interp::{Limits, Machine, Silent};
use crate::resolve::testing::loaded;
use crate::text::{Severity, SourceSet, Treatment};
use crate::{LoadOptions, Loaded, load};
use std::collections::BTreeMap;

const STUB: &str = "{attribute 'stub'}\n";

/// Returns a program without errors.
#[track_caller]
fn program(source: &str) -> Loaded {
    let loaded = loaded(source);
    assert!(!loaded.has_errors(), "\n{source}\n{:#?}", loaded.diagnostics);
    loaded.value
}

/// Asserts the variables that calls of stubs give any value, and the constructs that end a cycle.
#[track_caller]
fn check(source: &str, written: &[&str], unsupported: &[&str]) {
    let loaded = program(source);
    let globals = loaded.project.globals.iter_enumerated();
    let at_call = globals.filter(|(id, _)| loaded.project.at_call.contains(id));
    let found: Vec<&str> = at_call.filter_map(|(_, var)| var.name.strip_suffix(" (at call)")).collect();
    assert_eq!(found, written, "\n{source}");
    let gaps = loaded.ledger.gaps.iter().filter(|gap| gap.treatment == Treatment::Unsupported);
    let found: Vec<&str> = gaps.map(|gap| gap.construct.as_str()).collect();
    assert_eq!(found.len(), unsupported.len(), "{found:#?}\n{source}");
    for (construct, words) in found.iter().zip(unsupported) {
        assert!(construct.contains(words), "{construct}\n{source}");
    }
}

fn block(inside: &str) -> String {
    format!("{STUB}FUNCTION_BLOCK FB_X\n{inside}\nEND_FUNCTION_BLOCK\n")
}

fn main_with(vars: &str, body: &str) -> String {
    format!("PROGRAM Main\nVAR\n{vars}\nEND_VAR\n{body}\nEND_PROGRAM\n")
}

const INTERFACE: &str = "VAR_INPUT\n a : BOOL;\nEND_VAR\nVAR_OUTPUT\n q : INT; s : STRUCT x, y : REAL; END_STRUCT;\nEND_VAR";

#[test]
fn a_call_gives_the_variables_of_the_instance_any_value() {
    let check = |body: &str, written: &[&str]| {
        check(&format!("{}{}", main_with("f, g : FB_X; i : INT;", body), block(INTERFACE)), written, &[]);
    };
    check("f(a := TRUE, q => i);", &["FB_X.a", "FB_X.q", "FB_X.s"]);
    check("f(); g(); f();", &["FB_X.a", "FB_X.q", "FB_X.s"]);
    check("i := f.q;", &[]);
}

#[test]
fn a_function_gives_its_result_and_outputs_any_value() {
    let function = format!(
        "{STUB}FUNCTION F_X : INT\nVAR_INPUT\n a : INT;\nEND_VAR\nVAR_OUTPUT\n q : BOOL;\nEND_VAR\nVAR_IN_OUT\n io : ARRAY [1..2] OF INT;\nEND_VAR\nEND_FUNCTION\n"
    );
    let main = main_with("i : INT; b : BOOL; r : ARRAY [1..2] OF INT;", "i := F_X(a := i, q => b, io := r);");
    check(&format!("{main}{function}"), &["F_X", "F_X.q", "F_X.io"], &[]);
}

#[test]
fn methods_give_the_variables_of_their_instance_any_value() {
    let inside = format!(
        "{INTERFACE}\nMETHOD M : BOOL\nVAR_INPUT\n n : INT;\nEND_VAR\nEND_METHOD\nPROPERTY P : INT\nGET\nEND_GET\nEND_PROPERTY"
    );
    let main = main_with("f : FB_X; i : INT; b : BOOL;", "b := f.M(n := 1);\ni := f.P;");
    let of_method = ["FB_X.M.a", "FB_X.M.q", "FB_X.M.s", "FB_X.M"];
    let of_property = ["FB_X.P.a", "FB_X.P.q", "FB_X.P.s", "FB_X.P"];
    let all: Vec<&str> = of_method.into_iter().chain(of_property).collect();
    check(&format!("{main}{}", block(&inside)), &all, &[]);
    // Only the method is a stub.
    let method = format!(
        "FUNCTION_BLOCK FB_X\nVAR_OUTPUT\n q : INT;\nEND_VAR\n{STUB}METHOD M : BOOL\nEND_METHOD\nq := 1;\nEND_FUNCTION_BLOCK\n"
    );
    let main = main_with("f : FB_X; b : BOOL;", "f();\nb := f.M();");
    check(&format!("{main}{method}"), &["FB_X.M.q", "FB_X.M"], &[]);
}

#[test]
fn statements_of_a_stub_have_no_effect() {
    let text = format!("{STUB}FUNCTION F_X : INT\nF_X := 1;\nEND_FUNCTION\n{}", main_with("i : INT;", "i := F_X();"));
    check(&text, &["F_X"], &[]);
}

#[test]
fn variables_behind_pointers_get_any_value() {
    let inputs = |ty: &str| block(&format!("VAR_INPUT\n p : {ty};\nEND_VAR"));
    let main = |vars: &str, body: &str| main_with(&format!("f : FB_X; x : INT; r : ARRAY [1..2] OF INT; {vars}"), body);
    let check = |ty: &str, body: &str, written: &[&str], unsupported: &[&str]| {
        check(&format!("{}{}", main("", body), inputs(ty)), written, unsupported);
    };
    check("POINTER TO INT", "f(p := ADR(x));", &["FB_X.p^"], &[]);
    check("REFERENCE TO INT", "f.p REF= x;\nf();", &["FB_X.p^"], &[]);
    check("POINTER TO INT", "f(p := ADR(r[1]));", &[], &["address of a part"]);
    // The statement is a gap, so nothing calls the stub.
    check("POINTER TO BYTE", "f(p := ADR(x));", &[], &["POINTER TO BYTE to a variable of type INT"]);
    check("STRUCT p : POINTER TO INT; END_STRUCT", "f();", &[], &["inside of another value"]);
}

/// The interface names what exists outside of an instance: a stub may write it.
#[test]
fn a_call_gives_static_and_external_variables_any_value() {
    let globals = "VAR_GLOBAL\n g : INT; h : INT;\nEND_VAR\nVAR_GLOBAL CONSTANT\n k : INT := 3;\nEND_VAR\n";
    let external = "VAR_EXTERNAL\n g : INT;\nEND_VAR\nVAR_EXTERNAL CONSTANT\n k : INT;\nEND_VAR\n";
    let inside = format!("VAR_STAT\n s : INT;\nEND_VAR\n{external}METHOD M\nEND_METHOD");
    let text = |body: &str| format!("{globals}{}{}", main_with("f : FB_X;", body), block(&inside));
    check(&text("f();"), &["g", "FB_X.s"], &[]);
    check(&text("f.M();"), &["g", "FB_X.s"], &[]);
    let function = format!("{STUB}FUNCTION F_X : INT\nVAR_STAT\n s : INT;\nEND_VAR\nEND_FUNCTION\n");
    check(&format!("{}{function}", main_with("i : INT;", "i := F_X();")), &["F_X", "F_X.s"], &[]);
}

/// A member or a function may keep an address, too. So may FB_init, which also writes the first values.
#[test]
fn addresses_that_stubs_keep_are_a_condition() {
    let conditions = |text: &str| -> Vec<String> {
        let rows = program(text).ledger.gaps;
        let rows = rows.into_iter().filter(|gap| gap.treatment == Treatment::Assumed);
        rows.filter(|gap| gap.construct.ends_with(crate::text::KEPT_ADDRESS)).map(|gap| gap.construct).collect()
    };
    let kept = ["`FB_X` writes through no address that an earlier call gave to it".to_owned()];
    let method = "METHOD Reg\nVAR_INPUT\n p : POINTER TO INT;\nEND_VAR\nEND_METHOD\nMETHOD Run\nEND_METHOD";
    let text = format!("{}{}", main_with("f : FB_X; z : INT;", "f.Reg(p := ADR(z)); f.Run();"), block(method));
    assert_eq!(conditions(&text), kept);
    let reference = "METHOD Reg\nVAR_INPUT\n p : REFERENCE TO INT;\nEND_VAR\nEND_METHOD\nMETHOD Run\nEND_METHOD";
    let text = format!("{}{}", main_with("f : FB_X; z : INT;", "f.Reg(z); f.Run();"), block(reference));
    assert_eq!(conditions(&text), kept);
    let function = format!("{STUB}FUNCTION F_X : BOOL\nVAR_INPUT\n p : POINTER TO INT;\nEND_VAR\nEND_FUNCTION\n");
    let text = format!("{}{function}", main_with("z : INT; b : BOOL;", "b := F_X(p := ADR(z));"));
    assert_eq!(conditions(&text), ["`F_X` writes through no address that an earlier call gave to it"]);
    let init = "VAR_OUTPUT\n q : INT := 5;\nEND_VAR\nMETHOD FB_init : BOOL\nVAR_INPUT\n bInitRetains, bInCopyCode : BOOL; p : REFERENCE TO INT;\nEND_VAR\nEND_METHOD";
    let loaded = program(&format!("{}{}", main_with("z : INT; f : FB_X(z); i : INT;", "f(); i := f.q;"), block(init)));
    let all: Vec<&str> = loaded
        .project
        .beside
        .iter()
        .filter(|(_, extent)| **extent == crate::hir::Extent::All)
        .filter_map(|(span, _)| loaded.ledger.gaps.iter().find(|gap| gap.span == *span).map(|gap| gap.construct.as_str()))
        .collect();
    assert_eq!(all, ["arguments of a declaration, for an FB_init without statements"]);
}

/// Code of the stub knows the variables that the block inherits, and no others.
#[test]
fn a_block_that_extends_a_stub_runs() {
    let text = |members: &str, body: &str| {
        let heir =
            format!("FUNCTION_BLOCK Heir EXTENDS FB_X\nVAR_OUTPUT\n m : INT;\nEND_VAR\n{members}\n{body}\nEND_FUNCTION_BLOCK\n");
        format!("{}{}{heir}", main_with("h : Heir;", "h();"), block(INTERFACE))
    };
    check(&text("", "m := 1;"), &[], &[]);
    check(&text("", "m := 1;\nSUPER^();"), &["Heir.FB_X.a", "Heir.FB_X.q", "Heir.FB_X.s"], &[]);
    let conditions = |members: &str| -> Vec<String> {
        let loaded = program(&text(members, "SUPER^();"));
        let any: Vec<&str> =
            loaded.project.environment.iter().filter(|(_, row)| row.start == Start::Any).map(|(name, _)| name.as_str()).collect();
        assert_eq!(any, ["Main.h.a", "Main.h.q", "Main.h.s.x", "Main.h.s.y"]);
        let rows = loaded.ledger.gaps.iter().filter(|gap| gap.treatment == Treatment::Assumed);
        rows.map(|gap| gap.construct.clone()).collect()
    };
    assert_eq!(conditions(""), Vec::<String>::new());
    let members = "METHOD Work : BOOL\nm := 2;\nEND_METHOD";
    assert_eq!(conditions(members), ["`FB_X` calls no member of `Heir`, which extends it"]);
    assert_eq!(
        conditions("METHOD PRIVATE FB_Init : BOOL\nVAR_INPUT\n bInitRetains, bInCopyCode : BOOL;\nEND_VAR\nEND_METHOD"),
        Vec::<String>::new()
    );
}

#[test]
fn calls_that_may_run_the_users_code_are_gaps() {
    let own = "FUNCTION_BLOCK Own\nVAR_OUTPUT\n n : INT;\nEND_VAR\nn := n + 1;\nEND_FUNCTION_BLOCK\n";
    let with = |inside: &str, vars: &str, body: &str| format!("{}{}{own}", main_with(vars, body), block(inside));
    let gets = |section: &str| format!("{section}\n o : Own;\nEND_VAR");
    check(&with(&gets("VAR_IN_OUT"), "f : FB_X; o : Own;", "f(o := o);"), &[], &["whose code it may run"]);
    // An instance of another stub is data.
    let other = format!("{STUB}FUNCTION_BLOCK FB_Y\nVAR_OUTPUT\n n : INT;\nEND_VAR\nEND_FUNCTION_BLOCK\n");
    let inside = "VAR_IN_OUT\n o : FB_Y;\nEND_VAR";
    let text = format!("{}{}{other}", main_with("f : FB_X; o : FB_Y;", "f(o := o);"), block(inside));
    check(&text, &["FB_X.o.n"], &[]);
    let interface = "INTERFACE I_X\nMETHOD M : BOOL\nEND_METHOD\nEND_INTERFACE\n";
    let text = format!("{}{}{interface}", main_with("f : FB_X;", "f();"), block("VAR_INPUT\n i : I_X;\nEND_VAR"));
    check(&text, &[], &["reference to an interface"]);
    let methods = "VAR_IN_OUT\n io : INT;\nEND_VAR\nMETHOD M : BOOL\nEND_METHOD";
    let text = format!("{}{}", main_with("f : FB_X; b : BOOL; x : INT;", "f(io := x);\nb := f.M();"), block(methods));
    check(&text, &["FB_X.io"], &["a method of a block with VAR_IN_OUT"]);
}

#[test]
fn variables_of_stubs_start_with_any_value() {
    let started = |source: &str| {
        let loaded = program(source);
        let rows = loaded.project.environment.iter();
        let rows = rows.filter(|(_, row)| row.start == Start::Any && matches!(row.reason, Reason::Stub(_)));
        rows.map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    let inside = "VAR_OUTPUT\n q : INT; known : INT := 3;\nEND_VAR";
    let main = main_with("f : FB_X; i : INT;", "i := f.q + f.known;");
    assert_eq!(started(&format!("{main}{}", block(inside))), ["Main.f.q"]);
    let inferred = block(inside).replace("'stub'", "'stub' := 'inferred'");
    assert_eq!(started(&format!("{main}{inferred}")), ["Main.f.known", "Main.f.q"]);
    // FB_init of a block that extends a stub is code; that of a stub is not known.
    let init = "METHOD FB_init : BOOL\nVAR_INPUT\n bInitRetains, bInCopyCode : BOOL;\nEND_VAR\nEND_METHOD";
    let heir = format!("FUNCTION_BLOCK Heir EXTENDS FB_X\n{init}\nEND_FUNCTION_BLOCK\n");
    let main = main_with("h : Heir; i : INT;", "i := h.q + h.known;");
    assert_eq!(started(&format!("{main}{heir}{}", block(inside))), ["Main.h.q"]);
    let with_init = block(&format!("{inside}\n{init}"));
    assert_eq!(
        started(&format!("{main}FUNCTION_BLOCK Heir EXTENDS FB_X\nEND_FUNCTION_BLOCK\n{with_init}")),
        ["Main.h.known", "Main.h.q"]
    );
    // An instance in a method begins each call with any value.
    let own = "FUNCTION_BLOCK Own\nMETHOD M : INT\nVAR\n x : FB_X;\nEND_VAR\nM := x.q;\nEND_METHOD\nEND_FUNCTION_BLOCK\n";
    let text = format!("{}{own}{}", main_with("o : Own; i : INT;", "i := o.M();"), block("VAR_OUTPUT\n q : INT;\nEND_VAR"));
    check(&text, &["Own.M.x.q"], &[]);
}

#[test]
fn an_inferred_stub_is_a_condition_of_answers() {
    let text = format!("{}{}", main_with("f : FB_X;", "f();"), block(INTERFACE).replace("'stub'", "'stub' := 'inferred'"));
    let loaded = program(&text);
    let rows: Vec<(Treatment, &str)> = loaded.ledger.gaps.iter().map(|gap| (gap.treatment, gap.construct.as_str())).collect();
    let condition = "`FB_X` is declared in no file: its interface is taken from its uses; it writes no global variable, none of a program, and nothing that an earlier call gave to it";
    let of_runs = "`FB_X` can give the values of the run";
    let expected = [
        (Treatment::Assumed, condition),
        (Treatment::AssumedByRuns, of_runs),
        (Treatment::OverApproximated, "`FB_X`, which no file declares"),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_run_takes_the_value_of_a_stub_from_an_input() {
    let text = format!("{}{}", main_with("f : FB_X; i : INT;", "f(q => i);"), block(INTERFACE));
    let loaded = program(&text);
    let mut machine = Machine::new(&loaded.project, Limits::default());
    let given = BTreeMap::from([("FB_X.q (at call)".to_owned(), crate::hir::Value::Int(7))]);
    machine.begin(&given, 0).unwrap();
    machine.run(&mut Silent).unwrap();
    assert_eq!(machine.leaf("Main.i"), Some(crate::hir::Value::Int(7)));
}

#[test]
fn the_state_after_fb_init_that_calls_a_stub_is_not_known() {
    let own = "FUNCTION_BLOCK Own\nVAR\n f : FB_X; n : INT;\nEND_VAR\nMETHOD FB_Init : BOOL\nVAR_INPUT\n bInitRetains, bInCopyCode : BOOL;\nEND_VAR\nBODY\nEND_METHOD\nEND_FUNCTION_BLOCK\n";
    let check = |body: &str| {
        let text = format!("{}{}{}", main_with("o : Own;", "o();"), own.replace("BODY", body), block(INTERFACE));
        let loaded = program(&text);
        let constructs: Vec<&str> = loaded.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
        assert!(constructs.iter().any(|construct| construct.contains("cannot be computed")), "{constructs:?}\n{text}");
    };
    check("f(q => n);");
    check("n := f.q;");
}

#[test]
fn the_attribute_of_something_else_is_an_assumption() {
    let check = |text: &str, expected: usize| {
        let loaded = program(text);
        let assumed = loaded.ledger.gaps.iter().filter(|gap| gap.construct.contains("in front of no block"));
        assert_eq!(assumed.count(), expected, "{text}");
    };
    check(&format!("{STUB}{}", main_with("x : INT;", "x := 1;")), 1);
    check(&format!("{STUB}TYPE T : INT; END_TYPE\n{}", main_with("x : T;", "x := 1;")), 1);
    check(&format!("{}{}", main_with("f : FB_X;", "f();"), block(INTERFACE)), 0);
}

#[test]
fn blocks_of_twincat_are_stubs_too() {
    let text = "<?xml version=\"1.0\"?><TcPlcObject><POU Name=\"F\"><Declaration>{attribute &apos;stub&apos;}\nFUNCTION_BLOCK F\nVAR_OUTPUT q : INT; END_VAR\n</Declaration>\
        <Implementation><ST><![CDATA[]]></ST></Implementation></POU></TcPlcObject>";
    let mut sources = SourceSet::default();
    sources.add("F.TcPOU", text);
    sources.add("Main.st", main_with("f : F; i : INT;", "f(q => i);"));
    let loaded = load(&sources, &LoadOptions::default());
    assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
    assert_eq!(loaded.value.project.stubs.len(), 1);
}

/// C functions of B&R: nothing assigns the result by its name, so an input may have it.
#[test]
fn an_input_of_an_interface_may_have_the_name_of_its_function() {
    let function = |body: &str| format!("FUNCTION ident : INT\nVAR_INPUT a, ident : INT; END_VAR\n{body}END_FUNCTION\n");
    let codes = |file: &str, body: &str| {
        let mut sources = SourceSet::default();
        sources.add(file, function(body));
        sources.add("Main.st", main_with("i : INT;", "i := ident(ident := 3, a := i); i := ident(1, 2);"));
        let loaded = load(&sources, &LoadOptions::default());
        loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(codes("a.fun", ""), "");
    assert_eq!(codes("a.st", ""), "P4002");
    assert_eq!(codes("a.fun", "ident := 1;\n"), "P4002");
}

/// A file of interfaces (B&R) has no bodies: they are written in C, or stand in other files.
#[test]
fn blocks_in_files_of_interfaces_are_stubs() {
    let interface = "FUNCTION_BLOCK F\nVAR_OUTPUT q : INT; END_VAR\nEND_FUNCTION_BLOCK\nFUNCTION G : INT\nVAR_INPUT a : INT; END_VAR\nEND_FUNCTION\n";
    let stubs = |file: &str| {
        let mut sources = SourceSet::default();
        sources.add(file, interface);
        sources.add("Main.st", main_with("f : F; i : INT;", "f(q => i); i := G(a := i);"));
        let loaded = load(&sources, &LoadOptions::default());
        assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
        loaded.value.project.stubs.len()
    };
    assert_eq!((stubs("Library.fun"), stubs("Library.st")), (2, 0));
}

#[test]
fn blocks_that_get_addresses_are_assumed_to_forget_them() {
    let check = |interface: &str, expected: bool| {
        let loaded = program(&format!("{}{}", main_with("f : FB_X;", "f();"), block(interface)));
        let assumed: Vec<&str> = loaded
            .ledger
            .gaps
            .iter()
            .filter(|gap| gap.treatment == Treatment::Assumed)
            .map(|gap| gap.construct.as_str())
            .collect();
        let condition = "`FB_X` writes through no address that an earlier call gave to it";
        assert_eq!(assumed.contains(&condition), expected, "{interface} {assumed:?}");
    };
    check("VAR_INPUT\n p : POINTER TO INT;\nEND_VAR", true);
    check("VAR_INPUT\n p : INT;\nEND_VAR\nVAR\n own : POINTER TO INT;\nEND_VAR", false);
}

#[test]
fn references_that_only_a_stub_follows_are_kept() {
    let inside = "VAR_OUTPUT\n q : INT; to_n : POINTER TO INT;\nEND_VAR\nVAR\n inner : STRUCT n : INT; p : POINTER TO INT; END_STRUCT;\nEND_VAR";
    let check = |body: &str, written: &[&str], unsupported: &[&str]| {
        let main = main_with("f, g : FB_X; p : POINTER TO INT; i : INT;", body);
        check(&format!("{main}{}", block(inside)), written, unsupported);
    };
    check("f(q => i);", &["FB_X.q", "FB_X.inner.n"], &[]);
    check("f(); g := f; g();", &["FB_X.q", "FB_X.inner.n"], &[]);
    check("f(); p := f.to_n;", &["FB_X.q"], &["call of the stub `FB_X`, which gives a reference a target"]);
    check("f(to_n => p);", &["FB_X.q"], &["call of the stub `FB_X`, which gives a reference a target"]);
    // A condition would follow the reference of the model.
    let main = main_with("f : FB_X;", "f();");
    let mut loaded = program(&format!("{main}{}", block(inside)));
    for condition in ["Main.f.to_n^ > 3", "Main.f.inner.p <> NULL"] {
        let parsed = crate::condition(&mut loaded, "c", condition);
        assert!(parsed.value.is_none(), "{condition}");
        assert!(parsed.diagnostics[0].message.contains("reference that a stub sets"), "{:#?}", parsed.diagnostics);
    }
    assert!(crate::condition(&mut loaded, "c", "Main.f.inner.n > 3").value.is_some());
}

#[test]
fn references_that_code_never_names_are_kept_in_what_a_stub_is_given() {
    let types = "TYPE T_Axis : STRUCT n : INT; p : POINTER TO INT; END_STRUCT; END_TYPE\n";
    let inside = "VAR_INPUT\n axis : REFERENCE TO T_Axis;\nEND_VAR\nVAR_IN_OUT\n other : T_Axis;\nEND_VAR";
    let check = |vars: &str, body: &str, written: &[&str], unsupported: &[&str]| {
        let main = main_with(&format!("f : FB_X; a, b : T_Axis; i : INT; {vars}"), body);
        check(&format!("{types}{main}{}", block(inside)), written, unsupported);
    };
    let call = "f(axis := a, other := b);";
    check("", &format!("{call} i := a.n; a := b;"), &["FB_X.axis^.n", "FB_X.other.n"], &[]);
    let gap = "call of the stub `FB_X`, which gives a reference a target";
    check("", &format!("{call} i := b.p^;"), &["FB_X.axis^.n"], &[gap]);
    check("q : POINTER TO INT;", &format!("{call} q := ADR(i);"), &["FB_X.axis^.n"], &[gap]);
    let mut loaded = program(&format!("{types}{}{}", main_with("f : FB_X; a, b : T_Axis;", call), block(inside)));
    assert!(crate::condition(&mut loaded, "c", "Main.b.p^ = 3").value.is_none());
    assert!(crate::condition(&mut loaded, "c", "Main.b.n = 3").value.is_some());
}
