//! Results for people on a terminal.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Failure;
use super::programs::RequirementFile;
use super::text::{Paint, columns, count, indent, wrap};
use crate::report::conditions::listed;
use crate::report::outcome::{Counterexample, NamedValue, Outcome, Problem, ProofSummary, RequirementResult, VariableRole};
use crate::report::verification::ProgramReport;
use crate::report::words::{known, reused};
use answer::VerdictWord;

/// Maximum number of cycles shown of a counterexample. Of a longer one, only the first and the last cycles are shown.
const MAX_CYCLES: usize = 9;
/// Number of first cycles shown of a longer counterexample.
const FIRST_CYCLES: usize = 2;
/// Maximum number of lines of an invariant.
const MAX_CONJUNCTS: usize = 6;
/// Maximum length of a line of an invariant, in characters. Longer lines are only counted.
const MAX_LINE: usize = 110;
/// Maximum number of changes shown, unless `-v` asks for all.
const MAX_CHANGES: usize = 10;
/// Maximum number of rows of a table if no variable is known to matter.
const MAX_ROWS: usize = 24;
/// Maximum length of a line of running text, in characters.
const WIDTH: usize = 120;

/// Level of detail for each program and requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// The answer and why.
    Brief,
    /// Also all changes, the environment, and the run that puts a proved requirement to the test (`-v`).
    Full,
}

/// TRUE once some output was lost because standard output could not be written.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes to standard output; a closed pipe (`| head`) is not an error.
pub(super) fn out(text: &str) {
    note(writeln!(std::io::stdout().lock(), "{text}"));
}

fn note(written: std::io::Result<()>) {
    if written.is_err_and(|e| e.kind() != std::io::ErrorKind::BrokenPipe) {
        LOST.store(true, Ordering::Relaxed);
    }
}

/// Returns the exit code of a command; if some of its output was lost, that of an internal error.
pub(super) fn told(code: u8) -> u8 {
    note(std::io::stdout().lock().flush());
    match LOST.load(Ordering::Relaxed) {
        false => code,
        true => {
            complain("error: standard output cannot be written");
            super::INTERNAL
        }
    }
}

/// Writes to standard error.
pub(super) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Writes a value to standard output as JSON.
pub(super) fn json(value: &impl serde::Serialize) -> Result<(), Failure> {
    out(&serde_json::to_string_pretty(value).map_err(Failure::internal)?);
    Ok(())
}

/// Prints one program: name, findings, verdicts, counterexamples.
pub(super) fn program(report: &ProgramReport, stated_in: Option<&RequirementFile>, detail: Detail) {
    let paint = Paint::new();
    out(&paint.bold(&report.name));
    if let Some(outcome) = &report.outcome {
        // Where there are answers, they come first.
        if outcome.results.is_empty() {
            super::obstacles::print(outcome, stated_in, detail);
        }
        let variables = outcome.import.variables.iter().filter(|v| v.role == VariableRole::Input);
        let inputs: Vec<&str> = variables.map(|v| v.name.as_str()).collect();
        for result in &outcome.results {
            requirement(result, &inputs, &paint);
            for problem in &result.problems {
                mistake(problem, stated_in, "    ").iter().for_each(|line| out(line));
            }
            sensitivity(result, &paint, detail);
            match detail {
                Detail::Brief => {}
                Detail::Full => example(result, &inputs),
            }
        }
        if !outcome.nothing_to_check.is_empty() && !outcome.results.is_empty() {
            out(&paint.dim(&format!("  Nothing to check: {}.", outcome.nothing_to_check.join(", "))));
        }
        if outcome.results.is_empty() && outcome.problems.is_empty() && outcome.import.is_understood() {
            out("  nothing to check: no requirement, no assertion, and no statement that an automatic check applies to");
            out(
                "    State what must hold in a requirement file (`requirements: [{ never: … }]`), or as `//#ASSERT condition : name`.",
            );
        }
        let is_check = |result: &RequirementResult| kernel::property::check::by_name(&result.pattern).is_some();
        if stated_in.is_none() && !outcome.results.is_empty() && outcome.results.iter().all(is_check) {
            out(
                "  No requirement is stated: these are automatic checks. Requirements stand in a file of the same name, with the ending .yaml.",
            );
        }
        if !outcome.results.is_empty() {
            conditions(outcome);
            rests_on(outcome, &paint);
            environment(outcome, &paint, detail);
            super::obstacles::print(outcome, stated_in, detail);
        }
    }
    if let Some(failure) = &report.failure {
        if failure.starts_with(&report.name) {
            complain(&format!("error: {failure}"))
        } else {
            complain(&format!("error: {}: {failure}", report.name))
        }
    }
    for surprise in report.surprises.iter().flatten() {
        out(&format!("  not as expected: {surprise}"));
    }
    out("");
}

/// Prints each condition once, behind all answers. Its consequence stands below, with the gaps.
fn conditions(outcome: &Outcome) {
    for (i, (condition, ids)) in listed(outcome).iter().enumerate() {
        if i == 0 {
            out("  Conditions that are not proved:");
        }
        let place = condition.place.as_ref().map(|p| format!(" ({})", p.words())).unwrap_or_default();
        out(&format!("    {}{place}: for {ids}", condition.text));
    }
}

/// Returns the lines about a mistake in a statement: its place in the requirement file, the mistake, the step to take.
pub(super) fn mistake(problem: &Problem, stated_in: Option<&RequirementFile>, margin: &str) -> Vec<String> {
    let place = match stated_in.map(|file| (&file.name, file.lines.find(&problem.pointer))) {
        _ if problem.pointer.is_empty() => String::new(),
        Some((name, Some(line))) => format!("{name}, line {line}: "),
        Some((name, None)) => format!("{name}: "),
        None => format!("in the requirements, {}: ", problem.pointer),
    };
    let mut lines = vec![format!("{margin}! {place}{}", problem.message)];
    if !problem.rendered.is_empty() {
        lines.push(indent(&problem.rendered));
    }
    if let Some(help) = &problem.help
        && !problem.rendered.contains(help.as_str())
    {
        lines.push(format!("{margin}  {help}"));
    }
    lines
}

fn requirement(result: &RequirementResult, inputs: &[&str], paint: &Paint) {
    let how = match &result.engine {
        Some(engine) => format!("{engine}, {:.1} s", result.duration_ms as f64 / 1000.0),
        None => format!("{:.1} s", result.duration_ms as f64 / 1000.0),
    };
    out(&format!("  {}  {}", paint.headline(result), paint.dim(&format!("({how})"))));
    out(&format!("    {}: {}", result.id, result.text));
    if let Some(reason) = &result.reason
        && !result.headline.contains(reason.as_str())
    {
        out(&format!("    {reason}"));
    }
    if let Some(sentence) = reused(result) {
        out(&format!("    {sentence}"));
    }
    if result.verdict != VerdictWord::HoldsBounded
        && let Some(known) = known(result)
    {
        out(&format!("    Known so far: {known}"));
    }
    super::undecided::print(result);
    if let Some(cex) = &result.counterexample {
        for sentence in &cex.explanation {
            out(&format!("    {sentence}"));
        }
        table(cex, inputs);
    }
    if let Some(proof) = &result.proof {
        because(proof);
    }
}

/// Prints the changes of the program that a requirement would not notice; all changes with `-v`.
fn sensitivity(result: &RequirementResult, paint: &Paint, detail: Detail) {
    let Some(sensitivity) = &result.sensitivity else { return };
    // A short search that the user did not ask for is shown only with `-v`, or if it ends with a warning.
    if detail == Detail::Brief && !sensitivity.searched && !sensitivity.warning {
        return;
    }
    if sensitivity.warning {
        out(&format!("    {}", paint.with("33", &format!("⚠ {}", sensitivity.summary))))
    } else {
        out(&format!("    {}", sensitivity.summary))
    }
    let shown: Vec<_> = match detail {
        Detail::Brief if !sensitivity.searched => Vec::new(),
        Detail::Brief => sensitivity.survivors().collect(),
        Detail::Full => sensitivity.changes.iter().collect(),
    };
    let most = if detail == Detail::Full { shown.len() } else { MAX_CHANGES };
    for change in shown.iter().take(most) {
        let (file, line, column) = (&change.place.file, change.place.line, change.place.column);
        out(&format!("      {file}:{line}:{column}: {}: {}", change.what, change.words()));
    }
    if most < shown.len() {
        out(&format!("      … {} more; -v has them all", shown.len() - most));
    }
}

/// Prints the run that puts a proved requirement to the test.
fn example(result: &RequirementResult, inputs: &[&str]) {
    let Some(example) = &result.example else { return };
    match example.cycles.last() {
        Some(last) => out(&format!("    put to the test in cycle {} of a run:", last.number)),
        None => out("    put to the test in a run:"),
    }
    for sentence in &example.explanation {
        out(&format!("    {sentence}"));
    }
    table(example, inputs);
}

/// Prints the short parts of the invariant, and the number of the others.
fn because(proof: &ProofSummary) {
    let short = proof.invariant.iter().filter(|line| line.chars().count() <= MAX_LINE);
    let shown: Vec<&String> = short.take(MAX_CONJUNCTS).collect();
    for (i, line) in shown.iter().enumerate() {
        out(&format!(
            "    {} {line}",
            if i == 0 { "because at the end of each cycle" } else { "                             and" }
        ));
    }
    let more = proof.invariant.len() - shown.len();
    match (shown.len(), more, proof.internal.len()) {
        (_, 0, 0) => {}
        (0, 0, n) => {
            out(&format!("    because of {} about the inner state of its blocks and loops; --json has it all", count(n, "part")))
        }
        (0, more, n) => {
            out(&format!("    because of {} of an invariant too long to read; --json has it all", count(more + n, "part")))
        }
        (_, 0, n) => out(&format!("           … {n} more about the inner state of blocks and loops; --json has it all")),
        (_, more, n) => out(&format!("           … {} more; --json has it all", more + n)),
    }
}

/// Prints the assumptions and conventions behind all results, as running text. Gaps are left out: they stand at the top already.
fn rests_on(outcome: &Outcome, paint: &Paint) {
    let at_the_top =
        |line: &&String| !outcome.import.gaps.iter().any(|g| !g.construct.is_empty() && line.starts_with(&g.construct));
    let sentences = outcome.rests_on.iter().filter(at_the_top);
    let text = sentences.map(|s| if s.ends_with('.') { s.clone() } else { format!("{s}.") }).collect::<Vec<_>>().join(" ");
    for (i, line) in wrap(&text, WIDTH).iter().enumerate() {
        out(&paint.dim(&format!("  {}{line}", if i == 0 { "Rests on: " } else { "          " })));
    }
}

/// Prints the variables that the environment may write one by one, or says how to list them.
fn environment(outcome: &Outcome, paint: &Paint, detail: Detail) {
    /// Number of variables that the sentences above can name.
    const TOLD: usize = 12;
    let n = outcome.environment.len();
    match detail {
        Detail::Full if 0 < n => {
            out(&paint.dim("  Environment:"));
            for row in &outcome.environment {
                out(&paint.dim(&format!(
                    "    {} ({}): {}, {}; {}",
                    row.variable,
                    row.ty,
                    row.kind.word(),
                    row.values(),
                    row.why
                )));
            }
        }
        Detail::Brief if TOLD < n => {
            out(&paint.dim(&format!("  Environment: {n} variables; `-v` lists them, and so does `--json`.")))
        }
        Detail::Brief | Detail::Full => {}
    }
}

/// Prints the variables that matter, one row each, with one column per cycle. If none is known to matter, prints the inputs
/// and the variables that change.
fn table(cex: &Counterexample, inputs: &[&str]) {
    let n = cex.cycles.len();
    let shown: Vec<usize> =
        if n <= MAX_CYCLES { (0..n).collect() } else { (0..FIRST_CYCLES).chain(n - (MAX_CYCLES - FIRST_CYCLES)..n).collect() };
    let mut rows: Vec<Vec<String>> =
        vec![std::iter::once(String::new()).chain(shown.iter().map(|i| format!("cycle {}", cex.cycles[*i].number))).collect()];
    let mut by_name: BTreeMap<&str, Vec<Option<&NamedValue>>> = BTreeMap::new();
    for (column, &i) in shown.iter().enumerate() {
        for value in &cex.cycles[i].values {
            by_name.entry(&value.name).or_insert_with(|| vec![None; shown.len()])[column] = Some(value);
        }
    }
    let changes = |name: &&str| inputs.contains(name) || by_name[name].iter().flatten().any(|v| v.changed);
    let mut names: Vec<&str> = cex.relevant.iter().map(String::as_str).filter(|name| by_name.contains_key(name)).collect();
    if names.is_empty() {
        names = by_name.keys().copied().filter(changes).take(MAX_ROWS).collect();
    }
    for name in names {
        let cells = by_name[name].iter().map(|value| match value {
            Some(v) => format!("{}{}", if v.changed { "*" } else { " " }, v.told()),
            None => String::new(),
        });
        rows.push(std::iter::once(name.to_string()).chain(cells).collect());
    }
    if rows.len() == 1 {
        return;
    }
    for line in columns(&rows) {
        out(&format!("      {line}"));
    }
    if shown.len() < n {
        let number = |i: usize| cex.cycles[i].number;
        let (from, to) = (number(FIRST_CYCLES), number(n - (MAX_CYCLES - FIRST_CYCLES) - 1));
        out(&format!("      (cycles {from} to {to} are left out; --json has them all)"));
    }
}
