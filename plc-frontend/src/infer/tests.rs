//! Declarations that uses imply, and programs with them.

use crate::Loaded;
use crate::load_isolated;
use crate::resolve::LoadOptions;
use crate::text::{Origin, Parsed, Severity, SourceSet, Treatment};

pub(super) fn read(files: &[(&str, &str)]) -> Parsed<Loaded> {
    let mut sources = SourceSet::default();
    files.iter().for_each(|(name, text)| {
        sources.add(*name, *text);
    });
    load_isolated(&sources, &LoadOptions::default())
}

/// Returns the inferred declarations on one line each, without comments and attributes.
pub(super) fn declared(loaded: &Loaded) -> String {
    let files = loaded.sources.files.iter().filter(|file| file.origin == Origin::Inferred);
    let words = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with("//") && !line.starts_with('{'));
        lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
    };
    files.map(|file| words(&file.text)).collect::<Vec<_>>().join("\n")
}

pub(super) fn main_with(vars: &str, body: &str) -> String {
    format!(
        "PROGRAM Main\nVAR\n i, j : INT; d : DINT; b, c : BOOL; r : REAL; t : TIME; s : STRING[20]; {vars}\nEND_VAR\n{body}\nEND_PROGRAM\n"
    )
}

/// Asserts the declarations that the uses imply; all of the program is understood with them.
#[track_caller]
pub(super) fn check(vars: &str, body: &str, expected: &str) {
    let text = main_with(vars, body);
    let loaded = read(&[("main.st", &text)]);
    assert_eq!(declared(&loaded.value), expected, "{text}\n{:#?}", loaded.diagnostics);
    assert!(!loaded.has_errors() && loaded.value.left_out.is_empty(), "{text}\n{:#?}", loaded.diagnostics);
}

/// Asserts the declarations, and the number of parts that are left out all the same.
#[track_caller]
fn check_partly(text: &str, expected: &str, left_out: usize) {
    let loaded = read(&[("main.st", text)]);
    assert_eq!(declared(&loaded.value), expected, "{text}\n{:#?}", loaded.diagnostics);
    assert_eq!(loaded.value.left_out.len(), left_out, "{text}\n{:#?}", loaded.value.left_out);
}

#[test]
fn calls_imply_functions() {
    check("", "i := F(b, 3);", "FUNCTION F : INT VAR_INPUT in1 : BOOL; in2 : DINT; END_VAR END_FUNCTION");
    check(
        "",
        "F(x := i, y := t, q => b);",
        "FUNCTION F VAR_INPUT x : INT; y : TIME; END_VAR VAR_OUTPUT q : BOOL; END_VAR END_FUNCTION",
    );
    check("", "IF F(i) THEN j := 1; END_IF;", "FUNCTION F : BOOL VAR_INPUT in1 : INT; END_VAR END_FUNCTION");
    check("", "b := F(i) > d;", "FUNCTION F : DINT VAR_INPUT in1 : INT; END_VAR END_FUNCTION");
    check("", "i := F(i); d := F(d);", "FUNCTION F : INT VAR_INPUT in1 : DINT; END_VAR END_FUNCTION");
    check(
        "x : TON;",
        "x(IN := F(), PT := G(s));",
        "FUNCTION F : BOOL END_FUNCTION\nFUNCTION G : TIME VAR_INPUT in1 : STRING[20]; END_VAR END_FUNCTION",
    );
    check(
        "",
        "i := MIN(F(), 3) + j; b := NOT G(ADR(d));",
        "FUNCTION F : INT END_FUNCTION\nFUNCTION G : BOOL VAR_INPUT in1 : POINTER TO DINT; END_VAR END_FUNCTION",
    );
}

#[test]
fn calls_imply_blocks() {
    check(
        "f : FB_X;",
        "f(a := b, n := 3, q => c); i := f.Count;",
        "FUNCTION_BLOCK FB_X VAR_INPUT a : BOOL; n : DINT; END_VAR VAR_OUTPUT q : BOOL; Count : INT; END_VAR END_FUNCTION_BLOCK",
    );
    check(
        "f : ARRAY [1..2] OF X;",
        "f[1](); f[2].Cmd := TRUE; b := f[i].Done;",
        "FUNCTION_BLOCK X VAR_INPUT Cmd : BOOL; END_VAR VAR_OUTPUT Done : BOOL; END_VAR END_FUNCTION_BLOCK",
    );
    check("f : X;", "f(i, 2.5);", "FUNCTION_BLOCK X VAR_INPUT in1 : INT; in2 : LREAL; END_VAR END_FUNCTION_BLOCK");
    check(
        "f : X;",
        "f.Reset(); b := f.Start(Speed := r);",
        "FUNCTION_BLOCK X METHOD Reset END_METHOD METHOD Start : BOOL VAR_INPUT Speed : REAL; END_VAR END_METHOD END_FUNCTION_BLOCK",
    );
    check(
        "f : X;",
        "f.Reset(); f.Level := i; b := f.Ready;",
        "FUNCTION_BLOCK X METHOD Reset END_METHOD PROPERTY Level : INT GET END_GET SET END_SET END_PROPERTY PROPERTY Ready : BOOL GET END_GET END_PROPERTY END_FUNCTION_BLOCK",
    );
}

/// A block may read, copy or write the instance that it gets.
#[test]
fn instances_among_arguments_imply_parameters_by_reference() {
    let device = "FUNCTION_BLOCK FB_Device VAR_OUTPUT Ready : BOOL; END_VAR END_FUNCTION_BLOCK";
    let with = |sections: &str| format!("{device}\nFUNCTION_BLOCK FB_Pump {sections} END_FUNCTION_BLOCK");
    check(
        "d1, d2 : FB_Device; p, q : FB_Pump;",
        "d1(); d2(); p(Device := d1, n := i); q(Device := d2, n := i); b := d1.Ready AND p.Done;",
        &with("VAR_IN_OUT Device : FB_Device; END_VAR VAR_INPUT n : INT; END_VAR VAR_OUTPUT Done : BOOL; END_VAR"),
    );
    // A VAR_IN_OUT has a variable in each call, and no name outside of calls.
    let input = with("VAR_INPUT n : INT; Device : FB_Device; END_VAR");
    check("d1 : FB_Device; p : FB_Pump;", "d1(); p(n := i); IF d1.Ready THEN p(Device := d1, n := i); END_IF;", &input);
    let own = "FUNCTION_BLOCK Own\nVAR_OUTPUT n : INT; END_VAR\nn := n + 1;\nEND_FUNCTION_BLOCK\n";
    let text = format!("{own}{}", main_with("o : Own; p : FB_Pump;", "o(); p(Device := o);"));
    let loaded = read(&[("main.st", &text)]);
    assert_eq!(declared(&loaded.value), "FUNCTION_BLOCK FB_Pump VAR_INPUT Device : Own; END_VAR END_FUNCTION_BLOCK");
}

/// Behind the call, the instance has any value.
#[test]
fn a_call_may_write_the_instance_that_it_gets() {
    let text = main_with("d1 : FB_Device; p : FB_Pump;", "d1(); p(Device := d1); b := d1.Ready;");
    let loaded = read(&[("main.st", &text)]);
    let project = &loaded.value.project;
    let mut written: Vec<&str> = project.at_call.iter().map(|id| project.globals[*id].name.as_str()).collect();
    written.sort_unstable();
    assert_eq!(written, ["FB_Device.Ready (at call)", "FB_Pump.Device.Ready (at call)"], "{:#?}", loaded.diagnostics);
    let gaps = loaded.value.ledger.gaps.iter().filter(|gap| gap.treatment == Treatment::Unsupported);
    assert_eq!(gaps.count(), 0, "{:#?}", loaded.value.ledger.gaps);
}

#[test]
fn fields_imply_structures_and_values_other_types() {
    check(
        "x : ST_X;",
        "x.a := i; b := x.b; x.t := T#1s;",
        "TYPE ST_X : STRUCT a : INT; b : BOOL; t : TIME; END_STRUCT; END_TYPE",
    );
    check("x, y : Speed;", "x := r; y := x;", "TYPE Speed : REAL; END_TYPE");
    check(
        "x : ST_X; f : FB_Y;",
        "x.a := i; f(x := x);",
        "FUNCTION_BLOCK FB_Y VAR_INPUT x : ST_X; END_VAR END_FUNCTION_BLOCK\nTYPE ST_X : STRUCT a : INT; END_STRUCT; END_TYPE",
    );
}

/// Asserts the declarations, and that the program has gaps and no errors.
#[track_caller]
fn check_gaps(vars: &str, body: &str, expected: &str, n_gaps: usize) {
    let text = main_with(vars, body);
    let loaded = read(&[("main.st", &text)]);
    assert_eq!(declared(&loaded.value), expected, "{text}\n{:#?}", loaded.diagnostics);
    assert!(!loaded.has_errors() && loaded.value.left_out.is_empty(), "{text}\n{:#?}", loaded.diagnostics);
    let is_gap = |stmt: &&crate::hir::Stmt| matches!(stmt.kind, crate::hir::StmtKind::Gap(_));
    let pous = &loaded.value.project.pous;
    let main = pous.iter().find(|pou| pou.name == "Main").map_or(0, |pou| pou.body.iter().filter(is_gap).count());
    assert_eq!(main, n_gaps, "{text}\n{:#?}", loaded.value.ledger.gaps);
}

#[test]
fn uses_that_do_not_agree_are_gaps() {
    check_gaps(
        "f : X;",
        "f(a := b, n := i);\nf(a := i, n := i);",
        "FUNCTION_BLOCK X VAR_INPUT a : ANY; n : INT; END_VAR END_FUNCTION_BLOCK",
        2,
    );
    check_gaps("f : X;", "i := 1;", "TYPE X : ANY; END_TYPE", 0);
    check_gaps("f : X;", "i := f; j := 1;", "TYPE X : INT; END_TYPE", 0);
    // Nothing but a read could show what is written; a pointer or an index may lead to other variables.
    check_gaps("f, g : X;", "f := g; j := 1;", "TYPE X : ANY; END_TYPE", 0);
    check_gaps("f, g : X;", "f := ADR(i); f := i; b := f = g;", "TYPE X : ANY; END_TYPE", 3);
    check_gaps("f : X; k AT %MW0 : X;", "f := k; k := f;", "TYPE X : ANY; END_TYPE", 2);
    let block =
        "TYPE E_X : ANY; END_TYPE\nFUNCTION_BLOCK FB_X VAR_INPUT m : E_X; END_VAR VAR_OUTPUT e : E_X; END_VAR END_FUNCTION_BLOCK";
    check_gaps("f : FB_X; h : E_X;", "f(m := h, e => h); f(e => h);", block, 1);
    let list = "VAR_GLOBAL CONSTANT QoS : STRUCT A : ANY; END_STRUCT; END_VAR";
    let block = format!("FUNCTION_BLOCK FB_X VAR_INPUT m : ANY; END_VAR END_FUNCTION_BLOCK\n{list}");
    check_gaps("f : FB_X;", "f(m := QoS.A);", &block, 0);
    check_gaps("", "i := F(1, 2); i := F(x := 2); ", "FUNCTION F : INT VAR_INPUT x : DINT; END_VAR END_FUNCTION", 1);
    check_gaps("x : U_Word;", "x.low := i;", "TYPE U_Word : ANY; END_TYPE", 1);
}

#[test]
fn calls_without_arguments_and_results_imply_functions() {
    check("", "i := 1;\nReset();", "FUNCTION Reset END_FUNCTION");
}

#[test]
fn references_that_are_compared_imply_interfaces() {
    check("p : X;", "IF p <> 0 THEN p.Run(); END_IF;", "INTERFACE X METHOD Run END_METHOD END_INTERFACE");
    check(
        "p : I_Valve;",
        "p.Open(Speed := i); b := p.IsOpen; p.Level := i;",
        "INTERFACE I_Valve METHOD Open VAR_INPUT Speed : INT; END_VAR END_METHOD \
         PROPERTY IsOpen : BOOL GET END_GET END_PROPERTY PROPERTY Level : INT GET END_GET SET END_SET END_PROPERTY END_INTERFACE",
    );
    let own = "FUNCTION_BLOCK Own IMPLEMENTS I_Other\nMETHOD M : BOOL\nM := TRUE;\nEND_METHOD\nEND_FUNCTION_BLOCK\n";
    let text = format!("{}{own}", main_with("o : Own; p : I_Other;", "p := o; b := p.M(); p.N();"));
    let loaded = read(&[("main.st", &text)]);
    assert_eq!(
        declared(&loaded.value),
        "INTERFACE I_Other METHOD M : BOOL END_METHOD METHOD N END_METHOD END_INTERFACE",
        "{:#?}",
        loaded.diagnostics
    );
    assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
}

#[test]
fn names_of_values_imply_constants_and_lists() {
    check(
        "",
        "r := Math_Const.PI; IF i > MAX_N THEN j := 1; END_IF;",
        "VAR_GLOBAL CONSTANT Math_Const : STRUCT PI : REAL; END_STRUCT; END_VAR\nVAR_GLOBAL CONSTANT MAX_N : INT; END_VAR",
    );
    check("", "b := Io.Start; Io.Lamp := c;", "VAR_GLOBAL Io : STRUCT Lamp : BOOL; Start : BOOL; END_STRUCT; END_VAR");
    check("", "b := Level > 3;", "VAR_GLOBAL Level : DINT; END_VAR");
    check(
        "m : E_Mode;",
        "CASE m OF\nE_Mode.Off: i := 1;\nE_Mode.On: m := E_Mode.Off;\nELSE j := 1;\nEND_CASE;",
        "TYPE E_Mode : INT; END_TYPE\nVAR_GLOBAL CONSTANT E_Mode : STRUCT Off : INT; On : INT; END_STRUCT; END_VAR",
    );
    // Nothing but the labels tells the type.
    let list = "VAR_GLOBAL CONSTANT E_Mode : STRUCT Off : DINT; END_STRUCT; END_VAR";
    let block = "FUNCTION_BLOCK FB_X VAR_OUTPUT State : DINT; END_VAR END_FUNCTION_BLOCK";
    check("f : FB_X;", "f(); CASE f.State OF\nE_Mode.Off: i := 1;\nEND_CASE;", &format!("{block}\n{list}"));
    check("f : FB_X;", "f(); CASE f.State OF\n1..3, 7: i := 1;\nEND_CASE;", block);
    // Names of values without the enumeration in front.
    let body = "CASE m OF\nAuto: m := Hand;\nHand: i := 1;\nEND_CASE; b := m = Auto;";
    check(
        "m : T_Mode := Hand;",
        body,
        "VAR_GLOBAL CONSTANT Auto : T_Mode; END_VAR\nVAR_GLOBAL CONSTANT Hand : T_Mode; END_VAR\nTYPE T_Mode : INT; END_TYPE",
    );
    check("m, k : T_Mode;", "b := m = k;", "TYPE T_Mode : ANY; END_TYPE");
    // A name that is near to a known one is misspelled, and so is one that is written.
    check_partly(&main_with("Start : BOOL;", "b := Strat;"), "", 1);
    check_partly(&main_with("", "b := x;"), "", 1);
}

#[test]
fn external_variables_imply_global_ones() {
    let text = "PROGRAM Main\nVAR_EXTERNAL n : INT; END_VAR\nVAR_EXTERNAL CONSTANT k : INT; END_VAR\nn := n + k;\nEND_PROGRAM\n";
    let loaded = read(&[("main.st", text)]);
    assert!(!loaded.has_errors() && loaded.value.left_out.is_empty(), "{:#?}", loaded.diagnostics);
    assert_eq!(declared(&loaded.value), "VAR_GLOBAL CONSTANT k : INT; END_VAR\nVAR_GLOBAL n : INT; END_VAR");
    let kinds = loaded.value.project.environment.iter().map(|(name, setting)| (name.as_str(), setting.kind));
    assert_eq!(kinds.collect::<Vec<_>>(), [("k", crate::hir::Kind::Parameter), ("n", crate::hir::Kind::Input)]);
}

/// Initial values and bounds that no file tells.
#[test]
fn declarations_with_unknown_values_are_opaque() {
    // The variable starts with any value.
    check_gaps("k : INT := MAX_N;", "j := 1; i := k;", "VAR_GLOBAL CONSTANT MAX_N : INT; END_VAR", 0);
    let constant = "VAR CONSTANT k : INT := MAX_N; END_VAR";
    check_gaps(&format!("END_VAR {constant} VAR"), "j := 1; i := k;", "VAR_GLOBAL CONSTANT MAX_N : INT; END_VAR", 1);
    let function = "FUNCTION F : INT VAR_INPUT in1 : DINT; END_VAR END_FUNCTION\nVAR_GLOBAL CONSTANT MAX_N : INT; END_VAR";
    check_gaps("k : INT := MAX_N + F(3);", "j := 1; i := k;", function, 0);
    check_gaps("a : ARRAY [0..MAX_N] OF INT;", "j := 1; i := a[0];", "VAR_GLOBAL CONSTANT MAX_N : DINT; END_VAR", 1);
}

/// Inferred declarations are files that can be read again: they mean the same.
#[test]
fn inferred_declarations_can_be_given_as_files() {
    let vars = "m : E_Mode; p : I_Valve; f : FB_X; x : ST_X; t2 : X;";
    let body = "CASE m OF E_Mode.Off: i := 1; END_CASE; p.Open(); f(a := b); x.a := i; r := Math_Const.PI; Reset(); i := Count(1) + G_X.n;";
    let main = main_with(vars, body);
    let first = read(&[("main.st", &main)]);
    assert!(!first.has_errors() && first.value.left_out.is_empty(), "{:#?}", first.diagnostics);
    let rows: Vec<(String, String)> =
        first.value.inferred.iter().map(|row| (format!("stubs/{}.st", row.name), row.text.clone())).collect();
    let mut files = vec![("main.st", main.as_str())];
    files.extend(rows.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    let again = read(&files);
    assert!(again.diagnostics.is_empty() && again.value.inferred.is_empty(), "{:#?}", again.diagnostics);
    let (first, again) = (&first.value, &again.value);
    let gaps = |loaded: &Loaded| {
        loaded
            .ledger
            .gaps
            .iter()
            .map(|gap| format!("{gap:?}").replace(char::is_numeric, ""))
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(gaps(first), gaps(again));
    assert_eq!(first.project.environment.len(), again.project.environment.len());
}

#[test]
fn names_that_unreadable_text_declares_are_not_missing() {
    let main = main_with("f : FB_X;", "f(a := b);");
    let text = |text: &str| declared(&read(&[("main.st", &main), ("other.st", text)]).value);
    assert_ne!(text("FUNCTION_BLOCK Other\nEND_FUNCTION_BLOCK\n"), "");
    assert_eq!(text("x := ; FUNCTION_BLOCK FB_X\nEND_FUNCTION_BLOCK\n"), "");
}

#[test]
fn missing_names_stay_warnings() {
    let loaded = read(&[("main.st", &main_with("f : X;", "f(a := b); i := G(1);"))]);
    let found: Vec<(&str, Severity)> = loaded.diagnostics.iter().map(|d| (d.code, d.severity)).collect();
    assert_eq!(found, [("P2002", Severity::Warning), ("P2003", Severity::Warning)], "{:#?}", loaded.diagnostics);
}

#[test]
fn variables_of_an_instance_have_the_name_of_its_block() {
    let text = "FUNCTION_BLOCK B\nVAR n : INT; f : FB_X; END_VAR\nMETHOD M : BOOL\nf(a := n);\nEND_METHOD\nM();\nEND_FUNCTION_BLOCK\n\
                PROGRAM Main\nVAR b : B; END_VAR\nb();\nEND_PROGRAM\n";
    let loaded = read(&[("main.st", text)]);
    let globals = &loaded.value.project.globals;
    assert!(globals.iter().any(|var| var.name == "B.n (at call)"), "{globals:#?}");
}

#[test]
fn lengths_and_bounds_may_be_constants() {
    let check = |ty: &str, expected: &str| {
        let globals = "VAR_GLOBAL CONSTANT n : INT := m; m : INT := 12; END_VAR\nVAR_GLOBAL CONSTANT k : INT := n + 1; END_VAR\n";
        let text = format!("{globals}PROGRAM Main\nVAR x : {ty}; i : INT; END_VAR\ni := F(x := x);\nEND_PROGRAM\n");
        assert_eq!(declared(&read(&[("main.st", &text)]).value), expected, "{text}");
    };
    check("STRING[n]", "FUNCTION F : INT VAR_INPUT x : STRING[12]; END_VAR END_FUNCTION");
    check("ARRAY [0..n] OF BOOL", "FUNCTION F : INT VAR_INPUT x : ARRAY [0..12] OF BOOL; END_VAR END_FUNCTION");
    check("STRING[k]", "FUNCTION F : INT VAR_INPUT x : ANY; END_VAR END_FUNCTION");
}

/// Asserts the variables that calls give any value, without those of the stub itself.
#[track_caller]
fn check_written(vars: &str, body: &str, expected: &[&str], gaps: &[&str]) {
    let text = main_with(vars, body);
    let loaded = read(&[("main.st", &text)]);
    assert!(!loaded.has_errors(), "{text}\n{:#?}", loaded.diagnostics);
    let project = &loaded.value.project;
    let rows = project.globals.iter_enumerated().filter(|(id, _)| project.at_call.contains(id));
    let names: Vec<&str> = rows.filter_map(|(_, var)| var.name.strip_suffix(" (at call)")).collect();
    let of_arguments = names.into_iter().filter(|name| name.starts_with("Main.") || name.contains("VAR_IN_OUT"));
    assert_eq!(of_arguments.collect::<Vec<_>>(), expected, "{text}");
    let found = loaded.value.ledger.gaps.iter().filter(|gap| gap.treatment == Treatment::Unsupported);
    let found: Vec<&str> = found.map(|gap| gap.construct.as_str()).collect();
    assert_eq!(found.len(), gaps.len(), "{found:?}\n{text}");
    found.iter().zip(gaps).for_each(|(found, expected)| assert!(found.contains(expected), "{found}\n{text}"));
}

#[test]
fn variables_among_arguments_get_any_value() {
    check_written("f : FB_X;", "f(a := i, n := 3, q => c);", &["Main.i"], &[]);
    check_written("f : FB_X;", "f(a := i + 1);", &[], &[]);
    check_written("f : FB_X; a : ARRAY [1..3] OF INT;", "f(a := a[i]); f(a := a[2]);", &["Main.a", "Main.a[2]"], &[]);
    check_written("f : FB_X; w : WORD;", "f(a := w.3);", &["Main.w"], &[]);
    check_written("f : FB_X; x : TON;", "x(); f(a := x.Q);", &[], &[]);
    check_written("", "i := F(d);", &["F (in1: DINT).in1 as VAR_IN_OUT"], &[]);
    check_written(
        "u : STRING[40];",
        "i := F(s) + F(u);",
        &["F (in1: STRING[20]).in1 as VAR_IN_OUT", "F (in1: STRING[40]).in1 as VAR_IN_OUT"],
        &[],
    );
    check_written("", "i := F(d) + F(7);", &["F (in1: DINT).in1 as VAR_IN_OUT"], &[]);
    check_written("f : FB_X;", "f.M(a := i);", &["FB_X.M (a: INT).a as VAR_IN_OUT"], &[]);
    check_written("p : I_Lib;", "p.Run(); p.M(a := i);", &["I_Lib.M (a: INT).a as VAR_IN_OUT"], &[]);
    check_written("f : FB_X;", "FOR i := 1 TO 3 DO f(a := i); END_FOR;", &[], &[]);
    check_written("f : FB_X; p : POINTER TO INT;", "p := ADR(i); f(a := p);", &[], &["gives a reference a target"]);
}

#[test]
fn addresses_among_arguments_lead_to_variables() {
    let text = main_with("f : FB_X;", "f(p := ADR(i));");
    let loaded = read(&[("main.st", &text)]);
    let project = &loaded.value.project;
    let names: Vec<&str> = project.at_call.iter().map(|id| project.globals[*id].name.as_str()).collect();
    assert_eq!(names, ["FB_X.p^ (at call)"], "{:#?}", loaded.diagnostics);
}

#[test]
fn names_in_quotes_are_inferred() {
    let main = "ORGANIZATION_BLOCK \"Main\"\nVAR_TEMP b : Bool; END_VAR\nBEGIN\n#b := \"Ventil_Prüfung\"(Raw := 3) > 4;\n\"X_DB\"();\nEND_ORGANIZATION_BLOCK\n";
    let block = "FUNCTION_BLOCK \"X\"\nVAR s : \"FB_Missing\"; o : Bool; END_VAR\nBEGIN\n#s(Raw := 3);\n#o := #s.Ready;\nEND_FUNCTION_BLOCK\n";
    let data = "DATA_BLOCK \"X_DB\"\n\"X\"\nBEGIN\nEND_DATA_BLOCK\n";
    let loaded = read(&[("Main.scl", main), ("X.scl", block), ("X_DB.db", data)]);
    assert_eq!(
        declared(&loaded.value),
        "FUNCTION_BLOCK FB_Missing VAR_INPUT Raw : DINT; END_VAR VAR_OUTPUT Ready : BOOL; END_VAR END_FUNCTION_BLOCK\n\
         FUNCTION Ventil_Prüfung : DINT VAR_INPUT Raw : DINT; END_VAR END_FUNCTION",
        "{:#?}",
        loaded.diagnostics
    );
    assert!(loaded.value.left_out.is_empty(), "{:#?}", loaded.value.left_out);
}
