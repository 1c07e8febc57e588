//! The counterexample: the user's code as it would be seen online in one scan cycle, the values per cycle, and why it happens.

use askama::Template;
use axum::response::Response;

use super::{filters, page};
use crate::report::class::VerdictClass;
use crate::report::diagram::{self, Live};
use crate::report::listing::{self, Listing, Mark, Row};
use crate::report::outcome::{Counterexample, Cycle, RequirementResult, VariableRole, VerdictWord};
use crate::report::timing::{View, timing};
use crate::web::error::WebError;
use crate::web::result::{Around, ResultQuery};

#[derive(Template)]
#[template(path = "pages/counterexample.html")]
struct CounterexamplePage<'a> {
    around: &'a Around,
    result: &'a RequirementResult,
    cex: &'a Counterexample,
    class: &'static str,
    cycle: &'a Cycle,
    n_cycles: u32,
    previous: Option<String>,
    next: Option<String>,
    first: String,
    last: String,
    listing: Listing,
    /// The networks of drawn POUs as they were in this cycle. Our own SVG, as below.
    drawings: Vec<String>,
    table: Table<'a>,
    /// Our own SVG: every text in it is escaped by its template.
    timing: String,
    all: bool,
    /// Few cycles: code and values fit side by side.
    side_by_side: bool,
    n_variables: usize,
    toggle: String,
    /// The run shows what was asked for.
    is_goal: bool,
}

struct Table<'a> {
    columns: Vec<(u32, String)>,
    rows: Vec<TableRow<'a>>,
    /// Cycles before and after the window.
    before: u32,
    after: u32,
}

struct TableRow<'a> {
    name: &'a str,
    role: &'static str,
    /// The requirement speaks of it.
    goal: bool,
    cells: Vec<Cell<'a>>,
}

struct Cell<'a> {
    value: &'a str,
    changed: bool,
    current: bool,
    /// A value of the requirement in the cycle that breaks it.
    broken: bool,
}

/// Columns of the table and the diagram at once.
const WINDOW: usize = 16;
/// With more cycles values stand below the code, over the whole width.
const SIDE_BY_SIDE: usize = 4;
/// Networks on one page.
const MAX_DRAWINGS: usize = 40;
/// Rows of the diagram.
const MAX_WAVES: usize = 24;

/// The page of a violated requirement.
pub(crate) fn show(around: &Around, cex: &Counterexample, query: ResultQuery) -> Result<Response, WebError> {
    let last = cex.cycles.last().ok_or_else(|| WebError::Internal("a counterexample without cycles".into()))?;
    let wanted = query.cycle.unwrap_or(last.number);
    let at = cex.cycles.iter().position(|c| c.number == wanted);
    let at = at.ok_or_else(|| WebError::NotFound(format!("cycle {wanted} in this counterexample")))?;
    let all = query.all == Some(1);
    let base = format!("/runs/{}/requirements/{}", around.job.id, around.number);
    let link = |cycle: u32, all: bool| format!("{base}?cycle={cycle}{}", if all { "&all=1" } else { "" });
    let to = |i: Option<usize>| i.and_then(|i| cex.cycles.get(i)).map(|c| link(c.number, all));
    let cycle = &cex.cycles[at];
    let start = at.saturating_sub(WINDOW / 2).min(cex.cycles.len().saturating_sub(WINDOW));
    let window = &cex.cycles[start..(start + WINDOW).min(cex.cycles.len())];
    let mut all = all;
    let mut shown = names(around, cex, all);
    if shown.is_empty() {
        // Nothing is known to matter more than the rest.
        all = true;
        shown = names(around, cex, all);
    }
    let names = shown;
    let waves = names.iter().take(MAX_WAVES).map(|(name, _)| *name).collect();
    let table = table(around.result(), &names, window, cycle.number, last.number, |n| link(n, all));
    let n_variables = last.values.len();
    page(&CounterexamplePage {
        around,
        result: around.result(),
        cex,
        class: VerdictClass::of(around.result()).colour().css(),
        cycle,
        n_cycles: last.number,
        previous: to(at.checked_sub(1)),
        next: to(Some(at + 1)),
        first: link(cex.cycles[0].number, all),
        last: link(last.number, all),
        listing: listing::listing(&around.outcome, cex, cycle),
        drawings: drawings(around, cycle),
        table: Table { before: start as u32, after: (cex.cycles.len() - start - window.len()) as u32, ..table },
        timing: timing(
            cex,
            &View {
                names: waves,
                cycles: window,
                current: cycle.number,
                width: if window.len() <= SIDE_BY_SIDE { 560 } else { 1080 },
            },
        ),
        all,
        side_by_side: window.len() <= SIDE_BY_SIDE,
        n_variables,
        toggle: link(cycle.number, !all),
        is_goal: around.result().verdict == VerdictWord::Holds,
    })
}

/// The drawn networks and charts with what is alive in a cycle.
fn drawings(around: &Around, cycle: &Cycle) -> Vec<String> {
    let import = &around.outcome.import;
    let shown = import.diagrams.iter().take(MAX_DRAWINGS).enumerate();
    shown.map(|(i, d)| diagram::svg(d, Some(&Live::new(&d.pou, &import.runs, cycle)), i)).collect()
}

/// The variables to show with their roles: inputs, memory, outputs; only those that matter unless `all`.
fn names<'a>(around: &'a Around, cex: &'a Counterexample, all: bool) -> Vec<(&'a str, VariableRole)> {
    let variables = &around.outcome.import.variables;
    let role = |name: &str| variables.iter().find(|v| v.name == name).map_or(VariableRole::Memory, |v| v.role);
    let shown = cex.cycles.iter().take(1).flat_map(|c| &c.values).map(|v| v.name.as_str());
    let shown = shown.filter(|name| all || cex.relevant.iter().any(|r| r == name));
    let mut names: Vec<(&str, VariableRole)> = shown.map(|name| (name, role(name))).collect();
    // Cause before effect.
    names.sort_by_key(|(_, role)| match role {
        VariableRole::Input | VariableRole::Parameter => 0,
        VariableRole::Memory => 1,
        VariableRole::Output => 2,
    });
    names
}

fn table<'a>(
    result: &RequirementResult,
    names: &[(&'a str, VariableRole)],
    window: &'a [Cycle],
    current: u32,
    last: u32,
    link: impl Fn(u32) -> String,
) -> Table<'a> {
    let rows = names.iter().map(|&(name, role)| {
        let goal = speaks_of(&result.meaning, name) || speaks_of(&result.text, name);
        let cells = window.iter().map(|c| {
            let value = c.values.iter().find(|v| v.name == name);
            Cell {
                value: value.map_or("", |v| &v.value),
                changed: value.is_some_and(|v| v.changed),
                current: c.number == current,
                broken: goal && c.number == last && result.verdict == VerdictWord::Violated,
            }
        });
        let role = match role {
            VariableRole::Input => "input",
            VariableRole::Parameter => "parameter",
            VariableRole::Output => "output",
            VariableRole::Memory => "memory",
        };
        TableRow { name, role, goal, cells: cells.collect() }
    });
    Table { columns: window.iter().map(|c| (c.number, link(c.number))).collect(), rows: rows.collect(), before: 0, after: 0 }
}

/// Whether `name` stands in a sentence as a word of its own.
fn speaks_of(sentence: &str, name: &str) -> bool {
    let part_of_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.');
    sentence.match_indices(name).any(|(at, _)| {
        let after = sentence[at + name.len()..].trim_end_matches('.');
        !part_of_word(sentence[..at].chars().next_back()) && !part_of_word(after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_words() {
        let check = |sentence: &str, name: &str, expected| assert_eq!(speaks_of(sentence, name), expected, "{sentence} {name}");
        check("NOT (PumpA AND NOT ValveFB)", "PumpA", true);
        check("NOT (PumpAB)", "PumpA", false);
        check("Line.PumpA", "PumpA", false);
        check("runs PumpA.", "PumpA", true);
        check("PumpA.Q and PumpA", "PumpA", true);
        check("", "PumpA", false);
    }
}
