//! Results for people on a terminal.

use std::io::{IsTerminal, Write};

use crate::report::outcome::{Counterexample, Outcome, RequirementResult, VerdictWord};
use crate::report::verification::ProgramReport;
use crate::report::words::symbol;

/// How many cycles of a counterexample fit on a terminal; of longer ones the first and the last are shown.
const MAX_CYCLES: usize = 8;

/// Writes to standard output; a closed pipe (`| head`) is not an error.
pub(super) fn out(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// Writes to standard error.
pub(super) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// The published schema of `verify --json`.
pub(super) fn schema() -> u8 {
    match serde_json::to_string_pretty(&crate::report::schema::verification()) {
        Ok(text) => {
            out(&text);
            0
        }
        Err(e) => {
            complain(&format!("internal error: {e}"));
            super::INTERNAL
        }
    }
}

/// One program: name, findings, verdicts, counterexamples.
pub(super) fn program(report: &ProgramReport) {
    let paint = Paint { on: std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() };
    out(&paint.bold(&report.name));
    if let Some(outcome) = &report.outcome {
        findings(outcome);
        for gap in &outcome.import.gaps {
            out(&format!("  ⚠ {}:{}: {}: {}", gap.place.file, gap.place.line, gap.construct, gap.effect));
        }
        for part in &outcome.import.ignored {
            out(&format!("  · {}:{}: {}: {}", part.place.file, part.place.line, part.what, part.why));
        }
        for result in &outcome.results {
            requirement(result, &paint);
        }
        if outcome.results.is_empty()
            && outcome.problems.is_empty()
            && outcome.import.diagnostics.iter().all(|f| f.severity != "error")
        {
            out("  nothing to check: no requirement, no assertion, and no statement that an automatic check applies to");
        }
    }
    if let Some(failure) = &report.failure {
        out(&format!("  ! {failure}"));
    }
    for surprise in report.surprises.iter().flatten() {
        out(&format!("  not as expected: {surprise}"));
    }
    out("");
}

fn findings(outcome: &Outcome) {
    for finding in &outcome.import.diagnostics {
        out(&indent(&finding.rendered));
    }
    for problem in &outcome.problems {
        out(&format!("  ! in the requirements, {}: {}", problem.pointer, problem.message));
        if !problem.rendered.is_empty() {
            out(&indent(&problem.rendered));
        }
        if let Some(help) = &problem.help {
            out(&format!("    {help}"));
        }
    }
}

fn requirement(result: &RequirementResult, paint: &Paint) {
    let how = match &result.engine {
        Some(engine) => format!("{engine}, {:.1} s", result.duration_ms as f64 / 1000.0),
        None => format!("{:.1} s", result.duration_ms as f64 / 1000.0),
    };
    out(&format!("  {}  {}", paint.verdict(result.verdict, &result.headline), paint.dim(&format!("({how})"))));
    out(&format!("    {}: {}", result.id, result.text));
    if let Some(reason) = &result.reason
        && !result.headline.contains(reason.as_str())
    {
        out(&format!("    {reason}"));
    }
    if let (Some(n), VerdictWord::Unknown | VerdictWord::Cancelled) = (result.safe_cycles, result.verdict) {
        out(&format!("    What is known: no violation in the first {n} cycles."));
    }
    if let Some(cex) = &result.counterexample {
        for sentence in &cex.explanation {
            out(&format!("    {sentence}"));
        }
        table(cex);
    }
    if let Some(proof) = &result.proof
        && !proof.invariant.is_empty()
    {
        out(&format!("    because always: {}", proof.invariant.join("  and  ")));
    }
}

/// The variables that matter, one row each, one column per cycle.
fn table(cex: &Counterexample) {
    let n = cex.cycles.len();
    let shown: Vec<usize> = if n <= MAX_CYCLES { (0..n).collect() } else { (0..2).chain(n - (MAX_CYCLES - 2)..n).collect() };
    let mut rows: Vec<Vec<String>> =
        vec![std::iter::once(String::new()).chain(shown.iter().map(|i| format!("cycle {}", i + 1))).collect()];
    for name in &cex.relevant {
        let value = |i: usize| cex.cycles[i].values.iter().find(|v| v.name == *name);
        if shown.iter().all(|&i| value(i).is_none()) {
            continue;
        }
        let cells = shown.iter().map(|&i| match value(i) {
            Some(v) => format!("{}{}", if v.changed { "*" } else { " " }, v.value),
            None => String::new(),
        });
        rows.push(std::iter::once(name.clone()).chain(cells).collect());
    }
    let widths: Vec<usize> = (0..rows[0].len()).map(|c| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0)).collect();
    for row in &rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell.chars().count()))).collect();
        out(&format!("      {}", cells.join("  ").trim_end()));
    }
    if shown.len() < n {
        out(&format!("      (cycles 3 to {} are left out; --json has them all)", n - (MAX_CYCLES - 2)));
    }
}

fn indent(text: &str) -> String {
    text.trim_end().lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Colours, if the terminal wants them; words and symbols say the same without.
struct Paint {
    on: bool,
}

impl Paint {
    fn with(&self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
    fn bold(&self, text: &str) -> String {
        self.with("1", text)
    }
    fn dim(&self, text: &str) -> String {
        self.with("2", text)
    }
    fn verdict(&self, word: VerdictWord, headline: &str) -> String {
        debug_assert!(headline.starts_with(symbol(word)) || matches!(word, VerdictWord::Cancelled | VerdictWord::Error));
        match word {
            VerdictWord::Holds => self.with("32", headline),
            VerdictWord::Violated | VerdictWord::Error => self.with("1;31", headline),
            VerdictWord::HoldsBounded
            | VerdictWord::Vacuous
            | VerdictWord::Unknown
            | VerdictWord::NotChecked
            | VerdictWord::Cancelled => self.with("33", headline),
        }
    }
}
