//! Tables of programs with their results: statements, arithmetic, standard function blocks.

mod arithmetic;
mod at_calls;
mod blocks;
mod dialects;
mod limits;
mod memory;
mod objects;
mod references;
mod statements;
mod tasks;
mod vendor_blocks;

use std::collections::BTreeMap;

use crate::hir::{FaultKind, Project, Value};
use crate::interp::{Fault, FaultEnd, Limits, Machine, Silent};
use crate::text::{Severity, SourceSet};
use crate::{LoadOptions, load};

const DT: i64 = 100_000_000;

/// Returns the program in `text`, which has no errors.
fn project(text: &str) -> Project {
    let mut sources = SourceSet::default();
    sources.add("test.st", text);
    let parsed = load(&sources, &LoadOptions::default());
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    parsed.value.project
}

/// Runs one cycle of 100 ms.
fn cycle(machine: &mut Machine<'_>, inputs: &[(&str, Value)]) -> Result<(), Fault> {
    let inputs: BTreeMap<String, Value> = inputs.iter().map(|(name, value)| (format!("Main.{name}"), *value)).collect();
    machine.begin(&inputs, DT).unwrap();
    machine.run(&mut Silent)
}

/// Returns `r` after one cycle of a program with these declarations and statements, or how the cycle ended.
fn result(declarations: &str, body: &str) -> Result<Value, FaultEnd> {
    let project = project(&with_main(declarations, body));
    let mut machine = Machine::new(&project, Limits::default());
    cycle(&mut machine, &[]).map_err(|fault| fault.kind)?;
    Ok(machine.leaf("Main.r").unwrap())
}

/// Loads a program; `before` may hold other POUs, up to a line `---`.
fn with_main(declarations: &str, body: &str) -> String {
    let (before, vars) = declarations.split_once("---").unwrap_or(("", declarations));
    format!("{before}\nPROGRAM Main\nVAR\n{vars}\nEND_VAR\n{body}\nEND_PROGRAM\n")
}

fn check(declarations: &str, body: &str, expected: i128) {
    let found = match result(declarations, body) {
        Ok(Value::Bool(b)) => i128::from(b),
        Ok(Value::Int(i)) => i,
        other => panic!("{body}: {other:?}"),
    };
    assert_eq!(found, expected, "{declarations}\n{body}");
}

fn check_fault(declarations: &str, body: &str, expected: FaultKind) {
    assert_eq!(result(declarations, body), Err(FaultEnd::Check(expected)), "{declarations}\n{body}");
}
