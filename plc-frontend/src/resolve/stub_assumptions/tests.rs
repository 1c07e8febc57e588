//! Assumptions about stubs, as tables.

use super::*;
use crate::hir::expr_in_pou_to_st;
use crate::interp::{Fault, FaultEnd, Limits, Machine, Silent};
use crate::resolve::testing::loaded;
use std::collections::BTreeMap;

const STUBS: &str = "{attribute 'stub'}
FUNCTION_BLOCK FB_V
VAR_INPUT Cmd : BOOL; END_VAR
VAR_OUTPUT Level : INT; Open, Closed : BOOL; END_VAR
METHOD Weigh : INT
VAR_INPUT Channel : INT; END_VAR
END_METHOD
END_FUNCTION_BLOCK
{attribute 'stub'}
FUNCTION F_S : INT
VAR_INPUT a : INT; END_VAR
VAR_OUTPUT q : BOOL; END_VAR
END_FUNCTION
{attribute 'stub'}
FUNCTION_BLOCK FB_IO
VAR_IN_OUT io : INT; END_VAR
END_FUNCTION_BLOCK
PROGRAM Main
VAR_INPUT x : BOOL; END_VAR
VAR v, w : FB_V; vs : ARRAY [1..2] OF FB_V; p : FB_IO; i, n, Cmd : INT; END_VAR
";

fn main_with(body: &str) -> Loaded {
    let text = format!("{STUBS}{body}\nEND_PROGRAM\n");
    let parsed = loaded(&text);
    assert!(!parsed.has_errors(), "{text}\n{:#?}", parsed.diagnostics);
    parsed.value
}

/// Returns the assumptions in bodies, each with its POU and its instance.
fn assumed(loaded: &Loaded) -> Vec<String> {
    let project = &loaded.project;
    let of = |(id, pou): (PouId, &crate::hir::Pou)| {
        let show = |stmt: &Stmt| {
            let StmtKind::Assume(assumed) = &stmt.kind else { return None };
            let condition = expr_in_pou_to_st(project, Some(id), &assumed.condition);
            let of = assumed.instance.as_ref().map_or(String::new(), |(_, meant)| {
                format!(" of {}", expr_in_pou_to_st(project, None, &Expr::read(meant.clone())))
            });
            Some(format!("{}{of}: {condition}", pou.name))
        };
        pou.body.iter().filter_map(show).collect::<Vec<_>>()
    };
    project.pous.iter_enumerated().flat_map(of).collect()
}

/// States an assumption as requirement files do; the error is a sentence.
fn state(loaded: &mut Loaded, text: &str) -> Result<bool, String> {
    if let Some(parsed) = loaded.assume_of_stub("assumption 1", text) {
        let message = parsed.diagnostics.first().map(|finding| finding.message.clone());
        return parsed.value.map(|_| true).ok_or(message.unwrap_or_default());
    }
    let parsed = crate::condition(loaded, "assumption 1", text);
    let condition = parsed.value.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics));
    loaded.assume_behind_calls(&condition).map_err(|(message, _)| message)
}

#[test]
fn an_assumption_stands_behind_the_calls_that_it_names() {
    let check = |text: &str, expected: &[&str]| {
        let mut loaded = main_with("v(); w(); vs[2](); i := F_S(a := 1) + v.Weigh(1); p(io := n);");
        assert_eq!(state(&mut loaded, text), Ok(!expected.is_empty()), "{text}");
        assert_eq!(assumed(&loaded), expected, "{text}");
    };
    check("FB_V.Level >= 0", &["FB_V: Level >= 0", "FB_V.Weigh: THIS.Level >= 0"]);
    check("fb_v.Level (at call) >= 0", &["FB_V: Level >= 0", "FB_V.Weigh: THIS.Level >= 0"]);
    check("NOT (FB_V.Open AND FB_V.Closed)", &["FB_V: NOT (Open AND Closed)", "FB_V.Weigh: NOT (THIS.Open AND THIS.Closed)"]);
    check("FB_V.Level <= 10 OR x", &["FB_V: Level <= 10 OR Main.x", "FB_V.Weigh: THIS.Level <= 10 OR Main.x"]);
    check("F_S <= 100", &["F_S: F_S <= 100"]);
    check("F_S.q AND F_S.a < F_S", &["F_S: q AND a < F_S"]);
    check("FB_V.Weigh > 0", &["FB_V.Weigh: Weigh > 0"]);
    check("FB_V.Weigh (at call) > 0", &["FB_V.Weigh: Weigh > 0"]);
    check("FB_V.Weigh.Level (at call) > 0", &["FB_V.Weigh: THIS.Level > 0"]);
    check("Main.v.Level >= 0", &["FB_V of Main.v: Main.v.Level >= 0", "FB_V.Weigh of Main.v: Main.v.Level >= 0"]);
    check("vs[2].Open", &["FB_V of Main.vs[2]: Main.vs[2].Open", "FB_V.Weigh of Main.vs[2]: Main.vs[2].Open"]);
    check(
        "v.Open <> w.Open",
        &[
            "FB_V of Main.v: Main.v.Open <> Main.w.Open",
            "FB_V of Main.w: Main.v.Open <> Main.w.Open",
            "FB_V.Weigh of Main.v: Main.v.Open <> Main.w.Open",
            "FB_V.Weigh of Main.w: Main.v.Open <> Main.w.Open",
        ],
    );
    check("x", &[]);
}

/// Each shape of an argument has a body of its own.
#[test]
fn an_assumption_about_a_function_stands_behind_calls_with_other_arrays() {
    let function = "{attribute 'stub'}\nFUNCTION F_A : INT\nVAR_IN_OUT a : ARRAY [*] OF INT; END_VAR\nEND_FUNCTION\n";
    let vars = "VAR a : ARRAY [1..2] OF INT; b : ARRAY [0..3] OF INT; i : INT; END_VAR\n";
    let parsed = loaded(&format!("{function}PROGRAM Main\n{vars}i := F_A(a) + F_A(b);\nEND_PROGRAM\n"));
    assert!(!parsed.has_errors(), "{:#?}", parsed.diagnostics);
    let mut loaded = parsed.value;
    assert_eq!(state(&mut loaded, "F_A >= 0"), Ok(true));
    let mut called = BTreeSet::new();
    loaded.project.pous.iter().for_each(|pou| walk::calls(&pou.body, |callee| _ = called.insert(callee)));
    let names = called.iter().map(|id| loaded.project.pous[*id].name.as_str());
    let expected: Vec<String> = names.map(|name| format!("{name}: F_A >= 0")).collect();
    let found = assumed(&loaded);
    assert!(expected.len() == 2 && expected.iter().all(|row| found.contains(row)), "{found:?} {expected:?}");
}

/// The stub's code gives the values of what a block inherits from it.
#[test]
fn an_assumption_stands_behind_what_heirs_inherit() {
    let heir = "FUNCTION_BLOCK Heir EXTENDS FB_V\nVAR_OUTPUT own : INT; END_VAR\nSUPER^();\nEND_FUNCTION_BLOCK\n";
    let text = format!("{heir}{STUBS}").replace("w : FB_V;", "w : FB_V; h : Heir;");
    let text = format!("{text}v(); h(); i := h.Weigh(1);\nEND_PROGRAM\n");
    let check = |assumption: &str, expected: &[&str]| {
        let parsed = loaded(&text);
        assert!(!parsed.has_errors(), "{text}\n{:#?}", parsed.diagnostics);
        let mut loaded = parsed.value;
        assert_eq!(state(&mut loaded, assumption), Ok(!expected.is_empty()), "{assumption}");
        let mut found = assumed(&loaded);
        found.sort_unstable();
        assert_eq!(found, expected, "{assumption}");
    };
    check(
        "FB_V.Level >= 0",
        &["FB_V.Weigh: THIS.Level >= 0", "FB_V: Level >= 0", "Heir.FB_V: THIS.Level >= 0", "Heir.Weigh: THIS.Level >= 0"],
    );
    check("h.Level >= 0", &["Heir.FB_V of Main.h: Main.h.Level >= 0", "Heir.Weigh of Main.h: Main.h.Level >= 0"]);
    check("h.own >= 0", &[]);
}

/// With other variables, an assumption may leave a call no value.
#[test]
fn an_assumption_with_other_variables_is_a_condition() {
    let check = |text: &str, expected: &[&str]| {
        let mut loaded = main_with("v(); w(); i := F_S(a := 1);");
        assert_eq!(state(&mut loaded, text), Ok(true), "{text}");
        let rows = loaded.ledger.gaps.iter().filter(|gap| gap.construct.starts_with("whatever else"));
        assert_eq!(rows.map(|gap| gap.construct.as_str()).collect::<Vec<_>>(), expected, "{text}");
    };
    check("FB_V.Level >= 0 AND NOT FB_V.Open", &[]);
    check("v.Level >= 0 AND NOT v.Open", &[]);
    check("F_S <= 100 OR F_S.q", &[]);
    check("FB_V.Level > Main.n", &["whatever else it names, `FB_V.Level > Main.n` leaves each call of `FB_V` a value"]);
    check("FB_V.Open OR FB_V.Cmd", &["whatever else it names, `FB_V.Open OR FB_V.Cmd` leaves each call of `FB_V` a value"]);
    check("v.Level > i", &["whatever else it names, `v.Level > i` leaves each call of `FB_V` a value"]);
    check("F_S <= F_S.a", &["whatever else it names, `F_S <= F_S.a` leaves each call of `F_S` a value"]);
}

#[test]
fn an_assumption_that_names_no_call_is_refused() {
    let check = |text: &str, words: &str| {
        let mut loaded = main_with("v(); i := F_S(a := 1) + v.Weigh(1); p(io := n);");
        let found = state(&mut loaded, text);
        assert!(found.as_ref().is_err_and(|message| message.contains(words)), "{text}: {found:?}");
        assert_eq!(assumed(&loaded), Vec::<String>::new(), "{text}");
    };
    check("FB_V.Levle > 0", "the stub `FB_V` has no variable of this name");
    check("FB_V.Level > F_S", "several stubs");
    check("FB_V.Level > FB_V.Weigh", "several members");
    check("FB_V.Level > 0 OR Cmd > 1", "may be a variable of the stub");
    check("F_S(1) > 0", "cannot call the stub `F_S`");
    check("FB_IO.io > 0", "VAR_IN_OUT");
    check("vs[i].Level > 0", "variable index");
    check("FB_V.Level > ABS(F_S)", "several stubs");
}

#[test]
fn a_run_with_other_values_ends_behind_the_call() {
    let run = |body: &str, text: &str, level: i128| {
        let mut loaded = main_with(body);
        assert_eq!(state(&mut loaded, text), Ok(true));
        let mut machine = Machine::new(&loaded.project, Limits::default());
        let leaves = loaded.project.leaves().into_iter().filter(|leaf| leaf.name.ends_with("Level (at call)"));
        let given: BTreeMap<String, Value> = leaves.map(|leaf| (leaf.name, Value::Int(level))).collect();
        machine.begin(&given, 0).unwrap();
        machine.run(&mut Silent).map_err(|Fault { kind, .. }| kind)
    };
    for text in ["FB_V.Level >= 0", "v.Level >= 0"] {
        assert_eq!(run("v();", text, 3), Ok(()), "{text}");
        assert_eq!(run("v();", text, -3), Err(FaultEnd::Excluded), "{text}");
        assert_eq!(run("i := v.Weigh(1) * 0;", text, -3), Err(FaultEnd::Excluded), "{text}");
    }
    // Another instance is not meant.
    assert_eq!(run("w();", "v.Level >= 0", -3), Ok(()));
    assert_eq!(run("vs[1]();", "vs[2].Level >= 0", -3), Ok(()));
    assert_eq!(run("vs[i + 2]();", "vs[2].Level >= 0", -3), Err(FaultEnd::Excluded));
}
