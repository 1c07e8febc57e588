//! Helpers of table tests: a source and its findings.

use crate::interp::{Limits, Machine, Silent};
use crate::text::{Diagnostic, LineCol, Parsed, Severity, SourceSet};
use std::collections::BTreeMap;

use super::{LoadOptions, Loaded};
use crate::load;

/// Reads one file.
pub(crate) fn loaded(source: &str) -> Parsed<Loaded> {
    let mut sources = SourceSet::default();
    sources.add("main.st", source);
    load(&sources, &LoadOptions::default())
}

/// Returns all findings of one file.
pub(crate) fn findings(source: &str) -> Vec<Diagnostic> {
    loaded(source).diagnostics
}

/// Returns findings as `P3001@3:5`, warnings with ` warning` behind it.
pub(crate) fn summary(sources: &SourceSet, diagnostics: &[Diagnostic], first_line: u32) -> String {
    let row = |d: &Diagnostic| {
        let LineCol { line, column } = sources.line_col(d.span());
        let line = i64::from(line) - i64::from(first_line) + 1;
        let warning = if d.severity == Severity::Warning { " warning" } else { "" };
        format!("{}@{line}:{column}{warning}", d.code)
    };
    diagnostics.iter().map(row).collect::<Vec<_>>().join(" ")
}

/// Asserts the findings of one file.
#[track_caller]
pub(crate) fn check(source: &str, expected: &str) {
    let loaded = loaded(source);
    let found = summary(&loaded.value.sources, &loaded.diagnostics, 1);
    assert_eq!(found, expected, "\n{source}\n{:#?}", loaded.diagnostics);
}

/// Asserts the findings of a program's body; places count from its first line.
#[track_caller]
pub(crate) fn check_body(vars: &str, body: &str, expected: &str) {
    let head = format!("PROGRAM Main\n{vars}\n");
    let first_line = head.lines().count() as u32 + 1;
    let loaded = loaded(&format!("{head}{body}\nEND_PROGRAM"));
    let found = summary(&loaded.value.sources, &loaded.diagnostics, first_line);
    assert_eq!(found, expected, "\n{vars}\n{body}\n{:#?}", loaded.diagnostics);
}

/// Asserts the values of integers after one cycle of a program, and the gaps.
#[track_caller]
pub(crate) fn check_run(source: &str, names: &[&str], expected: &[i128], gaps: &[&str]) {
    let loaded = loaded(source);
    assert!(!loaded.has_errors(), "{:#?}\n{source}", loaded.diagnostics);
    let found: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
    assert_eq!(found, gaps, "{source}");
    let mut machine = Machine::new(&loaded.value.project, Limits::default());
    machine.begin(&BTreeMap::new(), 0).unwrap();
    let fault = machine.run(&mut Silent);
    let values: Vec<i128> = names.iter().filter_map(|name| machine.leaf(name).and_then(|value| value.as_int())).collect();
    assert_eq!(values, expected, "{fault:?}\n{source}");
}
