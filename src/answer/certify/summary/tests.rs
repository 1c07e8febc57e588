//! Summaries made by hand: right ones prove tree recursion, wrong ones and hidden effects are refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::proof::{Rejected, check_proof};
use super::case::{ALWAYS_91, Case, MC_CARTHY, mc_carthy};
use kernel::cfa::{LocKind, Op, Recursion};
use kernel::expr::BvCmp;
use kernel::smt::Interrupt;
use kernel::verdict::{Argument, Paths, Proof, Support};

#[test]
fn a_summary_proves_tree_recursion_of_any_depth() {
    let case = Case::new(MC_CARTHY, ALWAYS_91);
    let mut pool = case.pool.clone();
    let yes = pool.bool(true);
    let exit = mc_carthy(&case, &mut pool, 100, 91);
    case.check(pool.clone(), yes, exit).unwrap();
    // A relation that does not prove the requirement, and relations that the body breaks.
    for (limit, result) in [(100, 90), (102, 91), (99, 91)] {
        let exit = mc_carthy(&case, &mut pool, limit, result);
        let answer = case.check(pool.clone(), yes, exit);
        assert!(matches!(answer, Err(Rejected::Refuted(_))), "{limit} {result}: {answer:?}");
    }
    for (entry, exit) in [(yes, yes), (yes, pool.bool(false)), (pool.bool(false), pool.bool(false))] {
        let answer = case.check(pool.clone(), entry, exit);
        assert!(matches!(answer, Err(Rejected::Refuted(_))), "{entry:?} {exit:?}: {answer:?}");
    }
}

#[test]
fn a_precondition_has_to_hold_at_every_call() {
    let case = Case::new(MC_CARTHY, ALWAYS_91);
    let mut pool = case.pool.clone();
    let n = case.state("M#n passed").0;
    let n = pool.var(n);
    let exit = mc_carthy(&case, &mut pool, 100, 91);
    // The greatest argument of a call: 100 + 11.
    for (most, holds) in [(111, true), (110, false), (100, false)] {
        let most = pool.constant(kernel::expr::Value::bv(32, most));
        let entry = pool.bv_cmp(BvCmp::Sle, n, most);
        assert_eq!(case.check(pool.clone(), entry, exit).is_ok(), holds);
    }
}

#[test]
fn summaries_name_only_variables_that_callers_share() {
    let case = Case::new(MC_CARTHY, ALWAYS_91);
    let mut pool = case.pool.clone();
    let yes = pool.bool(true);
    let foreign = case.cfa.vars.iter().copied().find(|var| case.pool.var_decl(*var).name.ends_with(".y")).unwrap();
    let (foreign, y) = (pool.var(foreign), pool.constant(kernel::expr::Value::bv(32, 91)));
    let about_main = pool.eq(foreign, y);
    let (_, old) = case.state("M#n passed");
    let old = pool.var(old);
    let about_entry = pool.eq(old, y);
    for (entry, exit) in [(about_main, yes), (yes, about_main), (about_entry, yes)] {
        let answer = case.check(pool.clone(), entry, exit);
        assert!(matches!(answer, Err(Rejected::Malformed(_))), "{answer:?}");
    }
    let argument = Argument::KInductive { k: 1, invariants: BTreeMap::new(), support: Support::Alone, paths: Paths::Any };
    let answer = check_proof(&case.pool, &case.cfa, &Proof { pool, argument }, &Interrupt::default());
    assert!(matches!(answer, Err(Rejected::Malformed(_))), "{answer:?}");
}

/// Returns the text of all questions about McCarthy's function, called `n` times or less in a cycle.
fn questions_about(n: usize) -> usize {
    let each = |text: &str| (1..=n).map(|i| text.replace("{i}", &i.to_string())).collect::<Vec<_>>();
    let (function, _) = MC_CARTHY.split_once("PROGRAM").unwrap();
    let program = format!(
        "{function} PROGRAM Main VAR_INPUT {} END_VAR VAR_OUTPUT {} END_VAR {} END_PROGRAM",
        each("x{i} : INT;").concat(),
        each("y{i} : DINT := 91;").concat(),
        each("IF x{i} <= 100 THEN y{i} := M(x{i}); END_IF;").concat()
    );
    let case =
        Case::new(&program, &format!("{{dialect: codesys, requirements: [{{ always: {} }}]}}", each("y{i} = 91").join(" AND ")));
    let mut pool = case.pool.clone();
    let exit = mc_carthy(&case, &mut pool, 100, 91);
    let is = |pool: &mut kernel::expr::ExprPool, var, n| {
        let (var, n) = (pool.var(var), pool.constant(kernel::expr::Value::bv(32, n)));
        pool.eq(var, n)
    };
    // No call begins with the result of the one before.
    let entry = is(&mut pool, case.state("M#M passed").0, 0);
    let outputs: Vec<_> = case.cfa.initial.keys().copied().filter(|var| pool.var_decl(*var).name.starts_with("Main.y")).collect();
    assert_eq!(outputs.len(), n);
    let all: Vec<_> = outputs.into_iter().map(|var| is(&mut pool, var, 91)).collect();
    let at_head = pool.and_all(all);
    let Proof { pool, argument: Argument::Inductive(mut invariants) } = case.proof(pool, entry, exit) else { unreachable!() };
    invariants.insert(case.cfa.head, at_head);
    let proof = Proof { pool, argument: Argument::Inductive(invariants) };
    let obligations = check_proof(&case.pool, &case.cfa, &proof, &Interrupt::default()).unwrap();
    obligations.iter().map(|obligation| obligation.script.len()).sum()
}

#[test]
fn many_calls_have_the_questions_of_few() {
    assert_eq!(questions_about(6), questions_about(24));
}

/// Calls that change a variable of the program on the way.
const COUNTED: &str = "
    VAR_GLOBAL Calls : DINT; END_VAR
    FUNCTION Down : DINT
    VAR_INPUT n : DINT; END_VAR
    VAR_EXTERNAL Calls : DINT; END_VAR
    Calls := 1;
    IF n > 0 THEN Down := Down(n - 1); END_IF;
    END_FUNCTION
    PROGRAM Main
    VAR_INPUT x : DINT; END_VAR
    VAR_OUTPUT y : DINT; END_VAR
    VAR_EXTERNAL Calls : DINT; END_VAR
    Calls := 0;
    y := Down(x);
    END_PROGRAM";

#[test]
fn an_automaton_whose_calls_hide_an_effect_is_refused() {
    let case = Case::new(COUNTED, "{dialect: codesys, requirements: [{ always: Calls = 1 }]}");
    let mut pool = case.pool.clone();
    let yes = pool.bool(true);
    let calls = pool.var(case.state("Calls").0);
    let one = pool.constant(kernel::expr::Value::bv(32, 1));
    let exit = pool.eq(calls, one);
    case.check(pool.clone(), yes, exit).unwrap();
    // The same proof of automata whose calls keep the variable, or do not pass it.
    let mut kept = Recursion::clone(case.recursion());
    let at = kept.procedures[0].state.iter().position(|var| case.pool.var_decl(*var).name == "Calls").unwrap();
    let var = kept.procedures[0].state[at];
    for call in &mut kept.calls {
        call.results[at] = call.arguments[at];
    }
    let mut cfa = case.cfa.clone();
    for edge in cfa.edges.iter_mut().filter(|edge| kept.calls.iter().any(|call| call.entry == edge.source)) {
        let Op::Block(block) = &mut edge.op else { panic!("{edge:?}") };
        block.updates.retain(|(written, _)| *written != var);
    }
    cfa.recursion = Some(Arc::new(kept.clone()));
    let answer = Case { pool: case.pool.clone(), cfa: cfa.clone() }.check(pool.clone(), yes, exit);
    assert!(matches!(answer, Err(Rejected::Malformed(_))), "{answer:?}");
    let procedure = &mut kept.procedures[0];
    let old = procedure.old.remove(at);
    procedure.state.remove(at);
    procedure.starts.remove(at);
    for call in &mut kept.calls {
        call.arguments.remove(at);
        call.results.remove(at);
    }
    for edge in cfa.edges.iter_mut().filter(|edge| edge.target == kept.procedures[0].entry) {
        let Op::Block(block) = &mut edge.op else { panic!("{edge:?}") };
        block.updates.retain(|(written, _)| ![var, old].contains(written));
    }
    cfa.recursion = Some(Arc::new(kept));
    let answer = Case { pool: case.pool.clone(), cfa }.check(pool, yes, yes);
    assert!(matches!(answer, Err(Rejected::Malformed(_))), "{answer:?}");
}

#[test]
fn an_open_automaton_without_summaries_proves_nothing_about_results() {
    let case = Case::new(MC_CARTHY, ALWAYS_91);
    let argument = Argument::Inductive(BTreeMap::new());
    let proof = Proof { pool: case.pool.clone(), argument };
    let answer = check_proof(&case.pool, &case.cfa, &proof, &Interrupt::default());
    assert!(matches!(answer, Err(Rejected::Refuted(_))), "{answer:?}");
    assert_eq!(case.cfa.locs.iter().filter(|loc| loc.kind == LocKind::Error).count(), 1);
}
