//! Kept calls: size of the automaton, the state that calls pass, and calls that are not kept.

use std::collections::BTreeSet;

use plc_frontend::dialect::DialectId;
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use crate::cfa::{Model, ModelError, ModelOptions, RecursiveCalls, SiteKind, build};
use plc_frontend::hir::FaultKind;

/// Fibonacci numbers: two calls on one way, so 2^24 copies if they were written out.
const FIBONACCI: &str = "
    FUNCTION Fib : DINT
    VAR_INPUT n : DINT; END_VAR
    VAR one, two : DINT; END_VAR
    IF n < 2 THEN Fib := n; ELSE one := Fib(n - 1); two := Fib(n - 2); Fib := Half(one) + two; END_IF;
    END_FUNCTION
    FUNCTION Half : DINT
    VAR_INPUT m : DINT; END_VAR
    Half := m / 2;
    END_FUNCTION
    PROGRAM Main VAR_INPUT x : DINT; END_VAR VAR_OUTPUT y : DINT; END_VAR
    y := Fib(x) + Half(x);
    END_PROGRAM";

const MUTUAL: &str = "
    FUNCTION Even : BOOL VAR_INPUT n : DINT; END_VAR
    IF n = 0 THEN Even := TRUE; ELSE Even := Odd(n - 1); END_IF; END_FUNCTION
    FUNCTION Odd : BOOL VAR_INPUT n : DINT; END_VAR VAR_EXTERNAL Asked : DINT; END_VAR
    Asked := Asked + 1;
    IF n = 0 THEN Odd := FALSE; ELSE Odd := Even(n - 1); END_IF; END_FUNCTION
    VAR_GLOBAL Asked : DINT; END_VAR
    PROGRAM Main VAR_INPUT x : DINT; END_VAR VAR_OUTPUT y : BOOL; END_VAR
    y := Even(x);
    END_PROGRAM";

fn model(text: &str, recursive_calls: RecursiveCalls) -> Result<Model, ModelError> {
    let mut sources = SourceSet::default();
    sources.add("main.st", text);
    let parsed = load(&sources, &LoadOptions { dialect: Some(DialectId::Codesys), ..LoadOptions::default() });
    assert!(!parsed.has_errors(), "{:#?}", parsed.diagnostics);
    build(&parsed.value.project, &ModelOptions { recursive_calls, ..ModelOptions::default() })
}

fn names(model: &Model, vars: &[crate::expr::VarId]) -> Vec<String> {
    vars.iter().map(|var| model.pool.var_decl(*var).name.clone()).collect()
}

#[test]
fn two_calls_on_one_way_are_too_large_written_out_and_small_kept() {
    assert!(matches!(model(FIBONACCI, RecursiveCalls::WrittenOut), Err(ModelError::TooLarge(_))));
    let kept = model(FIBONACCI, RecursiveCalls::Kept).unwrap();
    assert!(kept.cfa.edges.len() < 200, "{}", kept.cfa.edges.len());
    let recursion = kept.cfa.recursion.as_deref().unwrap();
    assert_eq!((recursion.procedures.len(), recursion.calls.len()), (1, 3));
    // The locals of an activation are its own.
    let state = names(&kept, &recursion.procedures[0].state);
    assert!(state.contains(&"Fib#n passed".to_owned()) && !state.contains(&"Fib#one".to_owned()), "{state:?}");
    let is_depth = |kind: &SiteKind| *kind == SiteKind::Fault(FaultKind::CallDepth);
    assert!(!kept.sites.iter().any(|site| is_depth(&site.kind)));
    // Inputs of blocks are no variables of the state.
    let vars: BTreeSet<_> = kept.cfa.vars.iter().collect();
    assert!(recursion.calls.iter().flat_map(|call| call.arguments.iter().chain(&call.results)).all(|var| !vars.contains(var)));
    assert!(recursion.procedures[0].old.iter().all(|var| vars.contains(var)));
}

#[test]
fn each_of_two_functions_passes_what_the_other_one_writes() {
    let kept = model(MUTUAL, RecursiveCalls::Kept).unwrap();
    let recursion = kept.cfa.recursion.as_deref().unwrap();
    assert_eq!(recursion.procedures.len(), 2);
    for procedure in &recursion.procedures {
        let state = names(&kept, &procedure.state);
        assert!(["Asked", "Even#n passed", "Odd#n passed"].iter().all(|name| state.contains(&(*name).to_owned())), "{state:?}");
    }
    for call in &recursion.calls {
        let procedure = &recursion.procedures[call.procedure];
        let at = names(&kept, &procedure.state).iter().position(|name| name == "Asked").unwrap();
        assert_ne!(call.results[at], call.arguments[at], "a call may write it");
    }
}

#[test]
fn a_program_without_recursion_is_the_same_either_way() {
    let text = "FUNCTION F : DINT VAR_INPUT n : DINT; END_VAR F := n; END_FUNCTION
        PROGRAM Main VAR_INPUT x : DINT; END_VAR VAR_OUTPUT y : DINT; END_VAR y := F(x); END_PROGRAM";
    let [a, b] = [RecursiveCalls::Kept, RecursiveCalls::WrittenOut].map(|calls| model(text, calls).unwrap());
    assert!(a.cfa.recursion.is_none());
    assert_eq!((a.cfa.edges, a.cfa.vars), (b.cfa.edges, b.cfa.vars));
}

#[test]
fn references_and_instances_are_not_kept() {
    let text = "FUNCTION F : DINT VAR_INPUT n : DINT; END_VAR VAR_IN_OUT r : DINT; END_VAR
        r := r + 1; IF n > 0 THEN F := F(n - 1, r); END_IF; END_FUNCTION
        PROGRAM Main VAR_INPUT x : DINT; END_VAR VAR_OUTPUT y : DINT; END_VAR y := F(x, y); END_PROGRAM";
    assert!(matches!(model(text, RecursiveCalls::Kept), Err(ModelError::Unsupported { .. })));
    assert!(model(text, RecursiveCalls::WrittenOut).is_ok());
}
