//! Horn clauses by cvc5's own parser: with the state before, the inputs and the state after fixed, a rule is valid iff the
//! automaton takes this step.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{case, operators};
use crate::export::{Question, format};
use answer::certify::smtlib::constant;
use kernel::cfa::pass::blocks;
use kernel::cfa::{Block, Cfa, LocId};
use kernel::expr::random::Flavour;
use kernel::expr::{Evaluator, ExprPool, Sort, Value, VarId};
use kernel::smt::{Mode, Sat, run_script};
use testgen::readings::Numbers;

/// Returns the binders and the body of a rule.
fn parts(rule: &str) -> (Vec<(String, String)>, String) {
    let body = rule.strip_prefix("(assert ").unwrap().strip_suffix(')').unwrap();
    let Some(rest) = body.strip_prefix("(forall (") else { return (Vec::new(), body.to_owned()) };
    let mut open = 1;
    let end = rest.char_indices().find(|(_, c)| {
        open += i32::from(*c == '(') - i32::from(*c == ')');
        open == 0
    });
    let end = end.unwrap().0;
    let binders = rest[..end]
        .split("(v_")
        .flat_map(|part| part.split("(in_").enumerate().map(|(i, b)| (if i == 0 { "v_" } else { "in_" }, b)));
    let binders = binders.filter(|(_, binder)| !binder.trim().is_empty()).map(|(prefix, binder)| {
        let (name, sort) = binder.trim_end().strip_suffix(')').unwrap().split_once(' ').unwrap();
        (format!("{prefix}{name}"), sort.to_owned())
    });
    (binders.collect(), rest[end + 2..].strip_suffix(')').unwrap().to_owned())
}

/// Returns whether the rule is valid for these values; predicates hold in the given states only.
fn valid(rule: &str, values: &BTreeMap<String, Value>, holds: &[(LocId, Vec<Value>)], sorts: &[Sort]) -> bool {
    let (binders, body) = parts(rule);
    let mut script = String::from("(set-logic QF_BVFP)\n");
    let mut locs: BTreeMap<LocId, Vec<&Vec<Value>>> = BTreeMap::new();
    holds.iter().for_each(|(loc, state)| locs.entry(*loc).or_default().push(state));
    let mentioned = body.split(['(', ')', ' ']).filter_map(|word| word.strip_prefix('l')?.parse::<u32>().ok().map(LocId));
    for loc in mentioned.collect::<std::collections::BTreeSet<_>>() {
        let parameters: Vec<String> = sorts.iter().enumerate().map(|(i, sort)| format!("(a{i} {sort})")).collect();
        let states = locs.get(&loc).into_iter().flatten().map(|state| {
            let equal = state.iter().enumerate().map(|(i, value)| format!(" (= a{i} {})", constant(*value)));
            format!(" (and true{})", equal.collect::<String>())
        });
        let _ = writeln!(script, "(define-fun {loc} ({}) Bool (or false{}))", parameters.join(" "), states.collect::<String>());
    }
    for (name, sort) in binders {
        let _ = writeln!(script, "(define-fun {name} () {sort} {})", constant(values[&name]));
    }
    let _ = writeln!(script, "(assert (not {body}))\n(check-sat)");
    match run_script(&script, Mode::Lazy, 20_000) {
        Ok(Sat::Unsat) => true,
        Ok(Sat::Sat) => false,
        other => panic!("{other:?}\n{script}"),
    }
}

/// Returns the large blocks as the writer makes them.
fn large(question: &Question) -> (ExprPool, Cfa, Vec<(LocId, LocId, Block)>) {
    let mut pool = question.pool.clone();
    let cfa = blocks(&mut pool, &question.cfa);
    let rules = cfa.edges.iter().map(|edge| (edge.source, edge.target, edge.op.to_block(&mut pool))).collect();
    (pool, cfa, rules)
}

/// Checks each rule of a question in random states.
fn check(question: &Question, seed: u64, states: usize) {
    let written = format("chc").unwrap().write(&mut question.clone()).unwrap();
    let asserts: Vec<&str> = written.lines().filter(|line| line.starts_with("(assert ")).collect();
    let (pool, cfa, rules) = large(question);
    assert_eq!(asserts.len(), rules.len() + 1);
    let sorts: Vec<Sort> = cfa.vars.iter().map(|var| pool.var_decl(*var).sort).collect();
    let mut names = crate::export::names::Names::default();
    cfa.vars.iter().for_each(|var| names.add(&pool, *var, "v"));
    rules.iter().flat_map(|(_, _, block)| &block.inputs).for_each(|input| names.add(&pool, input.var, "in"));
    let mut numbers = Numbers(seed);
    for ((source, target, block), rule) in rules.iter().zip(&asserts[1..]) {
        for _ in 0..states {
            let inputs = block.inputs.iter().map(|input| input.var);
            let env: BTreeMap<VarId, Value> = cfa
                .vars
                .iter()
                .copied()
                .chain(inputs)
                .map(|var| {
                    (
                        var,
                        match cfa.initial.get(&var) {
                            Some(value) if numbers.below(3) == 0 => *value,
                            Some(_) | None => random(&mut numbers, pool.var_decl(var).sort),
                        },
                    )
                })
                .collect();
            let mut evaluator = Evaluator::new();
            let mut value = |e| evaluator.eval(&pool, e, &|var| env.get(&var).copied()).unwrap();
            let possible = value(block.guard) == Value::Bool(true);
            let updates: BTreeMap<VarId, Value> = block.updates.iter().map(|(var, e)| (*var, value(*e))).collect();
            let before: Vec<Value> = cfa.vars.iter().map(|var| env[var]).collect();
            let after: Vec<Value> = cfa.vars.iter().map(|var| updates.get(var).copied().unwrap_or(env[var])).collect();
            let by_name: BTreeMap<String, Value> = env.iter().map(|(var, value)| (names.of(*var).to_owned(), *value)).collect();
            let from = (*source, before.clone());
            if *target == cfa.error {
                assert_eq!(valid(rule, &by_name, &[from], &sorts), !possible, "{rule}");
                continue;
            }
            assert!(valid(rule, &by_name, &[from.clone(), (*target, after.clone())], &sorts), "{rule}");
            if source != target || before != after {
                assert_eq!(valid(rule, &by_name, &[from], &sorts), !possible, "{rule}");
            }
        }
    }
}

fn random(numbers: &mut Numbers, sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(numbers.below(2) == 1),
        Sort::BitVec(width) => Value::bv(width, u128::from(numbers.below(u64::MAX)) >> numbers.below(60)),
        Sort::Float(kernel::expr::FloatSort::F32) => Value::f32(numbers.below(1000) as f32 / 8.0 - 50.0),
        Sort::Float(_) => Value::f64(numbers.below(1000) as f64 / 8.0 - 50.0),
        Sort::Int | Sort::Array(..) => unreachable!("{sort}"),
    }
}

#[test]
fn rules_are_the_steps_of_the_automaton() {
    for seed in 20..26 {
        check(&case(seed, false).question, seed, 3);
    }
}

#[test]
fn operators_mean_the_same_in_clauses() {
    for (seed, flavour) in [(1, Flavour::Bits), (2, Flavour::Bits), (3, Flavour::Bits)] {
        for wrong in [false, true] {
            let question = operators(seed, flavour, 20, wrong);
            let written = format("chc").unwrap().write(&mut question.clone()).unwrap();
            let (pool, cfa, rules) = large(&question);
            let sorts: Vec<Sort> = cfa.vars.iter().map(|var| pool.var_decl(*var).sort).collect();
            let state: Vec<Value> = cfa.vars.iter().map(|var| cfa.initial[var]).collect();
            let mut names = crate::export::names::Names::default();
            cfa.vars.iter().for_each(|var| names.add(&pool, *var, "v"));
            let values = cfa.vars.iter().map(|var| (names.of(*var).to_owned(), cfa.initial[var])).collect();
            let to_error = rules.iter().position(|(source, target, _)| *source == cfa.head && *target == cfa.error).unwrap();
            let rule = written.lines().filter(|line| line.starts_with("(assert ")).nth(to_error + 1).unwrap();
            assert_eq!(valid(rule, &values, &[(cfa.head, state)], &sorts), !wrong, "seed {seed}\n{written}");
        }
    }
}
