//! Charts against the rules of evolution and the figure of ACTION_CONTROL: cycle by cycle on the interpreter.

mod actions;
mod evolution;

use std::collections::BTreeMap;

use crate::ast::{ActionBlock, ActionBody, Body, Chart, ChartStep, ChartTransition, Expr, Ident, Item, Qualifier, Stmt, Unit};
use crate::dialect::DialectId;
use crate::hir::Value;
use crate::interp::{Limits, Machine, Silent};
use crate::resolve::{Given, load_units};
use crate::text::{Diagnostic, FileId, Parsed, Severity, SourceSet, Span};
use crate::{LoadOptions, Loaded};

const DT: i64 = 100_000_000;

fn ident(text: &str) -> Ident {
    Ident { text: text.trim().to_owned(), span: Span::none() }
}

fn idents(text: &str) -> Vec<Ident> {
    text.split_whitespace().map(ident).collect()
}

fn expression(text: &str) -> Expr {
    let parsed = crate::lang::parse_expression(FileId(0), text);
    parsed.value.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics))
}

fn unit(text: &str) -> Unit {
    let mut sources = SourceSet::default();
    let id = sources.add("chart.st", text);
    let parsed = crate::lang::parse(id, &sources.files[id]);
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    parsed.value
}

fn statements(text: &str) -> Vec<Stmt> {
    match unit(&format!("PROGRAM P\n{text}\nEND_PROGRAM")).items.as_slice() {
        [Item::Pou(pou)] => pou.body.stmts().to_vec(),
        other => panic!("{other:?}"),
    }
}

/// Returns the action block of a text: `N Lamp`, `L T#5s Lamp`, `N {Count := Count + 1;}`
fn action(text: &str) -> ActionBlock {
    let (qualifier, rest) = text.trim().split_once(' ').unwrap();
    let own = [("entry", Qualifier::Entry), ("main", Qualifier::Main), ("exit", Qualifier::Exit)];
    let own = own.iter().find(|(word, _)| *word == qualifier).map(|(_, qualifier)| *qualifier);
    let qualifier = own.or(Qualifier::of_word(qualifier)).unwrap();
    let (duration, rest) = match rest.strip_prefix("T#").and_then(|rest| rest.split_once(' ')) {
        Some((time, rest)) => (Some(expression(&format!("T#{time}"))), rest),
        None => (None, rest),
    };
    let body = match rest.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        Some(stmts) => ActionBody::Inline(statements(stmts)),
        None => ActionBody::Named(ident(rest)),
    };
    ActionBlock { qualifier, is_bare: false, duration, action: body, span: Span::none() }
}

/// Returns the chart of a text with lines such as `init S0: N Lamp, S Motor`, `step S1`, `S0 -> S1 S2: condition`, `2 S0 -> S1:
/// condition` with a priority.
fn chart(text: &str) -> Chart {
    let mut chart = Chart { steps: Vec::new(), transitions: Vec::new(), span: Span::none() };
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some((ends, condition)) = line.split_once("->") {
            let (to, condition) = condition.split_once(':').unwrap();
            let (priority, from) = match ends.trim().split_once(' ') {
                Some((number, rest)) if number.parse::<i128>().is_ok() => (number.parse().ok(), rest),
                Some(_) | None => (None, ends),
            };
            let (from, to) = (idents(from), idents(to));
            let (condition, prelude) = (expression(condition), Vec::new());
            chart.transitions.push(ChartTransition { name: None, priority, from, to, prelude, condition, span: Span::none() });
            continue;
        }
        let (head, actions) = line.split_once(':').unwrap_or((line, ""));
        let (word, name) = head.trim().split_once(' ').unwrap();
        let actions = actions.split(',').filter(|a| !a.trim().is_empty()).map(action).collect();
        chart.steps.push(ChartStep { name: ident(name), initial: word == "init", actions, span: Span::none() });
    }
    chart
}

fn load(declarations: &str, text: &str) -> Parsed<Loaded> {
    load_as(declarations, text, None)
}

fn load_as(declarations: &str, text: &str, dialect: Option<DialectId>) -> Parsed<Loaded> {
    let mut unit = unit(&format!("PROGRAM Main\n{declarations}\nEND_PROGRAM"));
    match unit.items.as_mut_slice() {
        [Item::Pou(pou)] => pou.body = Body::Chart(chart(text)),
        other => panic!("{other:?}"),
    }
    let mut sources = SourceSet::default();
    sources.add("chart.st", "");
    load_units(sources, vec![unit], Vec::new(), &LoadOptions { dialect, ..LoadOptions::default() }, Given::default())
}

/// Checks a chart. A row is inputs as a word of 0 and 1, a bar, then the watched values: BOOL as 0 and 1, numbers and times as
/// such.
fn check(declarations: &str, text: &str, header: &str, rows: &[&str]) {
    check_as(None, declarations, text, header, rows);
}

/// Returns whether everything is modelled; first calls of charts are named in dialects that do not evaluate transitions in them.
fn only_first_calls(loaded: &Loaded) -> bool {
    loaded.ledger.gaps.iter().all(|gap| gap.construct.starts_with("the first call of chart"))
}

pub(super) fn check_as(dialect: Option<DialectId>, declarations: &str, text: &str, header: &str, rows: &[&str]) {
    let loaded = load_as(declarations, text, dialect);
    let errors: Vec<&Diagnostic> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    assert!(only_first_calls(&loaded.value), "{:#?}", loaded.value.ledger.gaps);
    let mut machine = Machine::new(&loaded.value.project, Limits::default());
    let (inputs, watched) = header.split_once('|').unwrap();
    for (n, row) in rows.iter().enumerate() {
        let (given, expected) = row.split_once('|').unwrap();
        let given: BTreeMap<String, Value> = (inputs.split_whitespace().zip(given.split_whitespace()))
            .map(|(name, v)| (format!("Main.{name}"), Value::Bool(v == "1")))
            .collect();
        machine.begin(&given, DT).unwrap();
        machine.run(&mut Silent).unwrap();
        let found: Vec<String> = (watched.split_whitespace())
            .map(|name| match machine.leaf(&format!("Main.{name}")) {
                Some(Value::Bool(b)) => i32::from(b).to_string(),
                Some(Value::Int(i)) => i.to_string(),
                other => panic!("{name}: {other:?}"),
            })
            .collect();
        assert_eq!(
            found.join(" "),
            expected.split_whitespace().collect::<Vec<_>>().join(" "),
            "row {n}: {header}: {row}\n{text}"
        );
    }
}

fn check_findings(declarations: &str, text: &str, expected: &str) {
    let loaded = load(declarations, text);
    let codes: Vec<String> = (loaded.diagnostics.iter())
        .map(|d| if d.severity == Severity::Warning { format!("{}w", d.code) } else { d.code.to_owned() })
        .collect();
    assert_eq!(codes.join(" "), expected, "{text}\n{:#?}", loaded.diagnostics);
}

const AB: &str = "VAR_INPUT a, b, c : BOOL; END_VAR VAR_OUTPUT L0, L1, L2 : BOOL; END_VAR";

#[test]
fn what_is_wrong_with_a_chart() {
    check_findings("", "step S0\n step S1\n S0 -> S1: TRUE", "P4060");
    check_findings("", "init S0\n init S1\n S0 -> S1: TRUE", "P4060");
    check_findings("", "init S0\n step S1\n step s1\n S0 -> S1: TRUE", "P4002");
    check_findings("", "init S0\n S0 -> S7: TRUE", "P4061");
    check_findings("", "init S0\n step S1\n S0 -> : TRUE\n S0 -> S1: TRUE", "P4062");
    check_findings("", "init S0\n step S1\n -> S0: TRUE\n S0 -> S1: TRUE", "P4062");
    check_findings("", "init S0\n step S1\n S0 -> S1 S1: TRUE", "P4062");
    check_findings("", "init S0\n step S1\n step S2\n S0 -> S1: TRUE", "P4063w");
    // A convergence whose other branch never starts.
    check_findings("", "init S0\n step S1\n step S2\n S0 S1 -> S2: TRUE", "P4063w P4063w");
    check_findings("VAR x : BOOL; END_VAR", "init S0: L x", "P4064");
    check_findings("VAR x : BOOL; END_VAR", "init S0: N T#1s x", "P4064w");
    check_findings("", "init S0: N Lamp", "P2001");
    check_findings("VAR S0 : INT; END_VAR", "init S0", "P4002");
    check_findings("VAR n : INT; END_VAR", "init S0\n step S1\n S0 -> S1: n", "P3001");
    // A call of this action would mean the step, and no action would run.
    check_findings("VAR n : INT; END_VAR\nACTION S0: n := 1; END_ACTION", "init S0: N S0", "P4002");
}

#[test]
fn first_calls_that_evaluate_no_transition_are_named() {
    let check = |dialect: DialectId, text: &str, expected: &[&str]| {
        let mut sources = SourceSet::default();
        sources.add("a.st", format!("PROGRAM Main VAR a : BOOL; END_VAR\n{text}\nEND_PROGRAM"));
        let loaded = crate::load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
        assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
        let found: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
        assert_eq!(found, expected, "{dialect:?} {text}");
    };
    let chart = "INITIAL_STEP S: END_STEP STEP U: END_STEP TRANSITION FROM S TO U := a; END_TRANSITION";
    let words = ["the first call of chart `Main` evaluates no transition"];
    check(DialectId::Iec, chart, &words);
    check(DialectId::SiemensTia, chart, &words);
    check(DialectId::Codesys, chart, &[]);
    check(DialectId::Matiec, chart, &[]);
    check(DialectId::Iec, "INITIAL_STEP S: END_STEP", &[]);
}

#[test]
fn flags_that_steer_charts_elsewhere_are_gaps() {
    let loaded = load("VAR SFCReset : BOOL; END_VAR", "init S0");
    assert_eq!(loaded.value.ledger.gaps.len(), 1, "{:?}", loaded.value.ledger.gaps);
}

#[test]
fn charts_written_as_text() {
    let text = "FUNCTION_BLOCK Blink VAR_INPUT go : BOOL; END_VAR VAR_OUTPUT lamp : BOOL; n : INT; END_VAR
INITIAL_STEP Off: END_STEP
TRANSITION FROM Off TO On := go; END_TRANSITION
STEP On: lamp(N); Count(P1); END_STEP
TRANSITION FROM On TO Off := On.T >= T#200ms; END_TRANSITION
ACTION Count: n := n + 1; END_ACTION
END_FUNCTION_BLOCK
PROGRAM Main VAR_INPUT go : BOOL; END_VAR VAR b : Blink; END_VAR b(go := go); END_PROGRAM";
    let mut sources = SourceSet::default();
    sources.add("blink.st", text);
    let loaded = crate::load(&sources, &LoadOptions::default());
    assert!(loaded.diagnostics.is_empty(), "{:#?}", loaded.diagnostics);
    assert!(only_first_calls(&loaded.value), "{:#?}", loaded.value.ledger.gaps);
    let mut machine = Machine::new(&loaded.value.project, Limits::default());
    let mut run = Vec::new();
    for _ in 0..7 {
        machine.begin(&BTreeMap::from([("Main.go".to_owned(), Value::Bool(true))]), DT).unwrap();
        machine.run(&mut Silent).unwrap();
        run.push((machine.leaf("Main.b.lamp").unwrap() == Value::Bool(true), machine.leaf("Main.b.n").unwrap()));
    }
    let expected = [(false, 0), (true, 1), (true, 1), (false, 1), (true, 2), (true, 2), (false, 2)];
    assert_eq!(run, expected.map(|(lamp, n)| (lamp, Value::Int(n))));
    // Hidden variables are no part of what users see.
    let shown: Vec<String> = (loaded.value.project.leaves().into_iter()).filter(|l| !l.hidden).map(|l| l.name).collect();
    assert!(shown.iter().all(|name| !name.contains("__")), "{shown:?}");
    assert!(shown.contains(&"Main.b.On.T".to_owned()), "{shown:?}");
}

#[test]
fn large_charts_are_read_in_time() {
    const STEPS: usize = 1500;
    let steps: String = (1..STEPS).map(|n| format!("step S{n}: N L0\n")).collect();
    // All steps one after the other; all at once and together again; many ways out of one step.
    let chain: String = (1..STEPS).map(|n| format!("S{} -> S{n}: a\n", n - 1)).collect();
    let all: String = (1..STEPS).map(|n| format!("S{n} ")).collect();
    let fan: String = (1..STEPS).map(|n| format!("S0 -> S{n}: a\n")).collect();
    for transitions in [chain, format!("S0 -> {all}: a\n{all} -> S0: a"), fan] {
        let started = std::time::Instant::now();
        let loaded = load(AB, &format!("init S0\n{steps}{transitions}"));
        assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics.first());
        let mut machine = Machine::new(&loaded.value.project, Limits::default());
        for _ in 0..3 {
            machine.begin(&BTreeMap::from([("Main.a".to_owned(), Value::Bool(true))]), DT).unwrap();
            machine.run(&mut Silent).unwrap();
        }
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }
}

#[test]
fn a_transition_without_a_name_may_have_a_priority() {
    unit(
        "PROGRAM P\nINITIAL_STEP a: END_STEP\nSTEP b: END_STEP\n\
        TRANSITION (PRIORITY := 2) FROM a TO b := TRUE; END_TRANSITION\nEND_PROGRAM",
    );
}
