//! C by the compiler of the system, where there is one: without warnings, and run beside the automaton.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Case, bits, case, operators};
use crate::export::c::choices;
use crate::export::{Question, format};
use kernel::cfa::Op;
use kernel::expr::random::Flavour;
use kernel::expr::{Evaluator, Sort, Value, VarId};

/// Reads the next value from standard input; ends with 3 when there is none.
const HARNESS: &str = r#"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned long long next(void) { unsigned long long v; if (scanf("%llu", &v) != 1) exit(3); return v; }
bool __VERIFIER_nondet_bool(void) { return next() != 0; }
unsigned char __VERIFIER_nondet_uchar(void) { return (unsigned char)next(); }
unsigned short __VERIFIER_nondet_ushort(void) { return (unsigned short)next(); }
unsigned int __VERIFIER_nondet_uint(void) { return (unsigned int)next(); }
unsigned long long __VERIFIER_nondet_ulonglong(void) { return next(); }
float __VERIFIER_nondet_float(void) { uint32_t b = (uint32_t)next(); float f; memcpy(&f, &b, 4); return f; }
double __VERIFIER_nondet_double(void) { uint64_t b = next(); double f; memcpy(&f, &b, 8); return f; }
"#;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    Error,
    Stuck,
    InputsOver,
    /// An invariant that was put into the file does not hold.
    Broken,
}

/// Compiles; `None` where the system has no compiler.
pub(super) fn compile(folder: &Path, text: &str, more: &[&str]) -> Option<std::path::PathBuf> {
    if Command::new("gcc").arg("--version").stdout(Stdio::null()).status().is_err() {
        return None;
    }
    std::fs::write(folder.join("model.c"), text).unwrap();
    std::fs::write(folder.join("harness.c"), HARNESS).unwrap();
    let program = folder.join("model");
    let made = Command::new("gcc")
        .args(["-std=c11", "-ffp-contract=off", "-Wall", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover", "-o"])
        .arg(&program)
        .args(more)
        .args(["model.c", "harness.c", "-lm"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}\n{text}", String::from_utf8_lossy(&made.stderr));
    Some(program)
}

pub(super) fn execute(program: &Path, values: &[u128]) -> End {
    use std::os::unix::process::ExitStatusExt;
    let mut child = Command::new(program).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let text: String = values.iter().map(|v| format!("{v}\n")).collect();
    // A run that ends early does not read everything.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    let output = child.wait_with_output().unwrap();
    match (output.status.signal(), output.status.code()) {
        (Some(6), _) => End::Error,
        (_, Some(0)) => End::Stuck,
        (_, Some(3)) => End::InputsOver,
        (_, Some(9)) => End::Broken,
        other => panic!("{other:?}: {}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// Walks the automaton as the C program does: the values it asks for, and how the walk ends.
fn walk_c(question: &mut Question, inputs: &super::Inputs, seed: u64) -> (Vec<u128>, End) {
    walk_with(question, inputs, seed, &mut |_| {})
}

/// Returns the same; `each` hears every arbitrary value.
fn walk_with(question: &mut Question, inputs: &super::Inputs, seed: u64, each: &mut dyn FnMut(Value)) -> (Vec<u128>, End) {
    let choices = choices(question);
    let (pool, cfa) = (&question.pool, &question.cfa);
    let zero = |var: VarId| Value::zero(pool.var_decl(var).sort);
    let mut numbers = super::Numbers(seed);
    let mut asked = Vec::new();
    let mut state = cfa.initial.clone();
    for var in cfa.vars.iter().filter(|var| !cfa.initial.contains_key(var)) {
        asked.push(bits(zero(*var)));
        each(zero(*var));
        state.insert(*var, zero(*var));
    }
    let (successors, mut at, mut cycle) = (cfa.successors(), cfa.init, 0);
    for _ in 0..200_000 {
        if at == cfa.error {
            return (asked, End::Error);
        }
        if at == cfa.head {
            if cycle == inputs.cycles.len() {
                return (asked, End::InputsOver);
            }
            cycle += 1;
        }
        let feasible = |op: &Op| match op {
            Op::Assume(e) => Evaluator::new().eval(pool, *e, &|var| state.get(&var).copied()) == Some(Value::Bool(true)),
            Op::Skip | Op::Assign(..) | Op::Havoc(_) | Op::Block(_) => true,
        };
        let edges = &successors[at];
        let edge = if choices.contains(&at) {
            let chosen = numbers.below(edges.len() as u64) as usize;
            asked.push(chosen as u128);
            Some(edges[chosen]).filter(|edge| feasible(&cfa.edges[*edge].op))
        } else {
            edges.iter().copied().find(|edge| feasible(&cfa.edges[*edge].op))
        };
        let Some(edge) = edge else { return (asked, End::Stuck) };
        match &cfa.edges[edge].op {
            Op::Skip | Op::Assume(_) => {}
            Op::Assign(var, e) => {
                let value = Evaluator::new().eval(pool, *e, &|var| state.get(&var).copied()).unwrap();
                state.insert(*var, value);
            }
            Op::Havoc(var) => {
                let of_cycle = cycle.checked_sub(1).and_then(|c| inputs.cycles.get(c).map(|c| &c.by_var));
                let value = of_cycle.and_then(|given| given.get(var).copied()).unwrap_or_else(|| zero(*var));
                assert!(!matches!(value.sort(), Sort::BitVec(65..)), "the order of its halves is not told");
                asked.push(bits(value));
                each(value);
                state.insert(*var, value);
            }
            Op::Block(_) => panic!("single operations only"),
        }
        at = cfa.edges[edge].target;
    }
    panic!("the walk does not end");
}

/// Returns the values of all havocs of such a walk, and whether it ends in an error. Without choices only.
pub(super) fn walk(question: &mut Question, inputs: &super::Inputs, seed: u64) -> (Vec<Value>, bool) {
    let n_start = question.cfa.vars.iter().filter(|var| !question.cfa.initial.contains_key(var)).count();
    let mut havocs = Vec::new();
    let (_, end) = walk_with(question, inputs, seed, &mut |value| havocs.push(value));
    (havocs.split_off(n_start), end == End::Error)
}

#[test]
fn programs_run_alike_in_c() {
    for seed in 40..46 {
        let Case { mut question, inputs, expected, text } = case(seed, seed % 2 == 0);
        let written = format("c").unwrap().write(&mut question.clone()).unwrap();
        let (asked, end) = walk_c(&mut question, &inputs, seed);
        assert!(expected.is_none() || end == End::Error || !choices(&mut question).is_empty(), "{text}");
        let folder = tempfile::tempdir().unwrap();
        let Some(program) = compile(folder.path(), &written, &[]) else { return };
        assert_eq!(execute(&program, &asked), end, "seed {seed}\n{text}\n{written}");
    }
}

#[test]
fn the_error_is_an_assertion_an_end_and_a_call() {
    let written = format("c").unwrap().write(&mut operators(1, Flavour::Bits, 2, true)).unwrap();
    let body = written.split_once("void reach_error(void) {").unwrap().1.split_once('}').unwrap().0;
    assert!(body.contains("assert(!") && body.contains("abort();"), "{body}");
    for command in ["cbmc --unwind", "esbmc --k-induction", "cpachecker ", "cc -std=c11"] {
        assert!(written.contains(command), "{command}");
    }
    let folder = tempfile::tempdir().unwrap();
    for define in ["-UNDEBUG", "-DNDEBUG"] {
        let Some(program) = compile(folder.path(), &written, &[define, "-Wno-tautological-compare"]) else { return };
        assert_eq!(execute(&program, &[1, 0, 1]), End::Error, "{define}");
    }
}

#[test]
fn operators_mean_the_same_in_c() {
    for (seed, flavour) in [(1, Flavour::Bits), (2, Flavour::Floats), (3, Flavour::Floats)] {
        for wrong in [false, true] {
            let mut question = operators(seed, flavour, 150, wrong);
            let written = format("c").unwrap().write(&mut question).unwrap();
            let folder = tempfile::tempdir().unwrap();
            // Random expressions compare things with themselves; those of programs are simplified before.
            let Some(program) = compile(folder.path(), &written, &["-Wno-tautological-compare"]) else { return };
            // Each round asks for one input.
            let expected = if wrong { End::Error } else { End::InputsOver };
            assert_eq!(execute(&program, &[1, 0, 1]), expected, "seed {seed}");
        }
    }
}
