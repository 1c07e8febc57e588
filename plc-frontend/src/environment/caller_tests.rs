//! Calls and writes by the caller of an entry, as tables of inputs.

use super::tests::{check, loaded};
use crate::dialect::DialectId;
use crate::hir::{Reason, Role};
use crate::text::SourceSet;
use crate::{LoadOptions, load};

const SUB: &str = "FUNCTION_BLOCK Sub\nVAR_INPUT e : BOOL; END_VAR\nVAR n, k, m : INT; END_VAR\n\
    METHOD PUBLIC Reset : BOOL\nn := 0;\nEND_METHOD\nMETHOD PRIVATE Hide : BOOL\nm := 0;\nEND_METHOD\n\
    PROPERTY Level : INT\nGET\nLevel := n;\nEND_GET\nSET\nk := Level;\nEND_SET\nEND_PROPERTY\n\
    n := n + 1; IF e THEN Hide(); END_IF;\nEND_FUNCTION_BLOCK\n";

#[test]
fn the_caller_may_call_what_the_body_calls() {
    let block = |access: &str| {
        format!(
            "FUNCTION_BLOCK X\nVAR n, k : INT; END_VAR\nVAR_OUTPUT q : BOOL; END_VAR\n\
            METHOD {access} Step : BOOL\nn := n + 1; Inner();\nEND_METHOD\nMETHOD PRIVATE Inner : BOOL\nk := 0;\nEND_METHOD\n\
            Step(); q := n > k;\nEND_FUNCTION_BLOCK\n"
        )
    };
    check(&block(""), Some("X"), "X.n X.k", "");
    check(&block("PUBLIC"), Some("X"), "X.n X.k", "");
    check(&block("INTERNAL"), Some("X"), "X.n X.k", "");
    check(&block("PRIVATE"), Some("X"), "", "");
    check(&block("PROTECTED"), Some("X"), "", "");
    let action =
        "FUNCTION_BLOCK X\nVAR n, k : INT; END_VAR\nACTION Step: n := n + 1; END_ACTION\nStep(); k := n;\nEND_FUNCTION_BLOCK\n";
    check(action, Some("X"), "X.n", "");
    let property = "FUNCTION_BLOCK X\nVAR n, k : INT; END_VAR\nPROPERTY P : INT\nSET\nn := P;\nEND_SET\nEND_PROPERTY\nP := 3; k := n;\n\
        END_FUNCTION_BLOCK\n";
    check(property, Some("X"), "X.n", "");
    // Globals change between cycles, too.
    let global = "VAR_GLOBAL g : INT; END_VAR\nFUNCTION_BLOCK X\nVAR k : INT; END_VAR\nMETHOD Step : BOOL\ng := g + 1;\nEND_METHOD\n\
        Step(); k := g;\nEND_FUNCTION_BLOCK\n";
    check(global, Some("X"), "g", "");
    let project = loaded(&block(""), Some("X")).project;
    let Reason::CalledFromOutside(pou) = project.environment["X.n"].reason else { panic!("{:?}", project.environment) };
    assert_eq!(project.pous[pou].name, "X.Step");
}

#[test]
fn the_caller_may_use_instances_that_the_entry_shows() {
    let block = |section: &str, ty: &str, call: &str| {
        format!(
            "{SUB}FUNCTION_BLOCK X\n{section} s : {ty}; END_VAR\nVAR k : INT; END_VAR\n{call} k := k + 1;\nEND_FUNCTION_BLOCK\n"
        )
    };
    check(&block("VAR_OUTPUT", "Sub", "s();"), Some("X"), "X.s.e X.s.n X.s.k X.s.m", "");
    check(&block("VAR_OUTPUT", "ARRAY [0..0] OF Sub", "s[0]();"), Some("X"), "X.s[0].e X.s[0].n X.s[0].k X.s[0].m", "");
    check(&block("VAR_INPUT", "Sub", "s();"), Some("X"), "X.s", "");
    check(&block("VAR", "Sub", "s();"), Some("X"), "", "X.s.e X.s.k");
    // Inherited members, and instances inside of instances.
    let heir = block("VAR_OUTPUT", "Heir", "s.t(); s();").replace("FUNCTION_BLOCK X", "FUNCTION_BLOCK Heir EXTENDS Sub\nVAR_OUTPUT t : Sub; END_VAR\nVAR i : INT; END_VAR\ni := i + 1;\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK X");
    check(&heir, Some("X"), "X.s.e X.s.n X.s.k X.s.t.e X.s.t.n X.s.t.k X.s.t.m X.s.i", "X.s.m");
}

#[test]
fn the_caller_may_use_what_references_lead_to() {
    let block = |members: &str, body: &str| {
        format!(
            "{SUB}FUNCTION_BLOCK X\nVAR s : Sub; n, k : INT; END_VAR\n{members}\n{body} s(); n := n + k; k := k + 1;\nEND_FUNCTION_BLOCK\n"
        )
    };
    let all = "X.s.e X.s.n X.s.k X.s.m";
    check(&block("", ""), Some("X"), "", "X.s.e X.s.k");
    check(&block("PROPERTY T : REFERENCE TO Sub\nGET\nT REF= s;\nEND_GET\nEND_PROPERTY\n", ""), Some("X"), all, "");
    check(&block("METHOD T : POINTER TO Sub\nT := ADR(s);\nEND_METHOD\n", ""), Some("X"), all, "");
    check(
        &block("PROPERTY PRIVATE T : REFERENCE TO Sub\nGET\nT REF= s;\nEND_GET\nEND_PROPERTY\n", ""),
        Some("X"),
        "",
        "X.s.e X.s.k",
    );
    check(&block("VAR_OUTPUT p : POINTER TO INT; END_VAR\n", "p := ADR(n);"), Some("X"), "X.n", "X.s.e X.s.k");
    check(&block("VAR p : POINTER TO INT; END_VAR\n", "p := ADR(n);"), Some("X"), "", "X.s.e X.s.k");
    check(
        &block("VAR_INPUT p : POINTER TO INT; END_VAR\nVAR r : POINTER TO INT; END_VAR\n", "r := ADR(n);"),
        Some("X"),
        "X.p",
        "X.s.e X.s.k",
    );
    let interface =
        block("PROPERTY T : ISub\nGET\nT := s;\nEND_GET\nEND_PROPERTY\n", "").replace("BLOCK Sub", "BLOCK Sub IMPLEMENTS ISub");
    check(&format!("INTERFACE ISub\nMETHOD Reset : BOOL\nEND_METHOD\nEND_INTERFACE\n{interface}"), Some("X"), all, "");
}

#[test]
fn other_code_calls_members_of_an_entry_that_is_a_program() {
    let program = |other: &str| {
        format!(
            "PROGRAM A\nVAR n, k : INT; END_VAR\nACTION Step: n := n + 1; END_ACTION\nMETHOD Reset : BOOL\nk := 0;\nEND_METHOD\n\
            Step(); Reset(); k := k + n;\nEND_PROGRAM\nPROGRAM B\nVAR b : BOOL; END_VAR\n{other}\nEND_PROGRAM\n"
        )
    };
    check(&program("b := TRUE;"), Some("A"), "", "");
    check(&program("A.Step();"), Some("A"), "A.n", "");
    check(&program("A.Reset();"), Some("A"), "A.k", "");
    // Both run here: their order is known.
    check(&program("b := TRUE; A.Step();"), None, "", "");
}

#[test]
fn members_whose_bodies_are_not_read_may_write_everything() {
    let open = "FUNCTION_BLOCK X\nVAR n, k : INT; END_VAR\nMETHOD Fill : BOOL\nVAR_IN_OUT a : ARRAY [*] OF INT; END_VAR\nHide();\nEND_METHOD\n\
        METHOD PRIVATE Hide : BOOL\nn := 7;\nEND_METHOD\nk := k + 1; n := 0;\nEND_FUNCTION_BLOCK\n";
    check(open, Some("X"), "X.n X.k", "");
}

/// A listener of the caller may keep its arguments, and call them in later cycles.
#[test]
fn the_caller_may_use_what_methods_of_its_interfaces_get() {
    let interfaces = "INTERFACE ISub\nMETHOD Reset : BOOL\nEND_METHOD\nEND_INTERFACE\n\
        INTERFACE IListener\nMETHOD Notify : BOOL\nVAR_INPUT s : ISub; END_VAR\nEND_METHOD\nEND_INTERFACE\n";
    let sub = SUB.replace("BLOCK Sub", "BLOCK Sub IMPLEMENTS ISub");
    let text = format!(
        "{interfaces}{sub}FUNCTION_BLOCK X\nVAR_INPUT l : IListener; END_VAR\nVAR s : Sub; END_VAR\ns(); l.Notify(s);\nEND_FUNCTION_BLOCK\n"
    );
    check(&text, Some("X"), "X.l X.s.e X.s.n X.s.k X.s.m", "");
}

/// TIA Portal lets all code read and write static variables of instance data blocks.
#[test]
fn other_code_does_to_the_entry_what_it_does_to_its_instances() {
    let text = "FUNCTION_BLOCK \"X\"\nVAR\n n : Int;\n k : Int;\nEND_VAR\nBEGIN\n #n := #n + 1;\n #k := #n;\nEND_FUNCTION_BLOCK\n\
        DATA_BLOCK \"DB_X\"\n\"X\"\nBEGIN\nEND_DATA_BLOCK\n\
        ORGANIZATION_BLOCK \"Main\"\nBEGIN\n \"DB_X\"();\n IF \"DB_X\".n > 3 THEN\n \"DB_X\".n := 0;\n END_IF;\nEND_ORGANIZATION_BLOCK\n";
    let inputs = |entry: &str| {
        let mut sources = SourceSet::default();
        sources.add("p.scl", text);
        let options =
            LoadOptions { entry: Some(entry.to_owned()), dialect: Some(DialectId::SiemensTia), ..LoadOptions::default() };
        let parsed = load(&sources, &options);
        assert!(!parsed.has_errors(), "{:#?}", parsed.diagnostics);
        let leaves = parsed.value.project.leaves().into_iter().filter(|leaf| leaf.role == Role::Input);
        leaves.map(|leaf| leaf.name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(inputs("Main"), "");
    assert_eq!(inputs("X"), "DB_X.n DB_X.k X.n");
}
