//! The counterexample: the user's code as it would be seen online in one scan cycle, the values per cycle, and why it happens.

use std::collections::BTreeSet;

use askama::Template;
use axum::response::Response;

use super::drawings::{self, Sheet};
use super::{filters, page};
use crate::report::cycle_columns::{self, Column, columns};
use crate::report::outcome::{Counterexample, Cycle, RequirementResult, VariableRole};
use crate::report::source_listing::{self, Listing, ListingRow, Mark};
use crate::report::timing::{View, timing};
use crate::web::error::WebError;
use crate::web::result::{RequirementContext, ResultQuery};
use answer::VerdictWord;
use plc_frontend::hir::is_at_call;

#[derive(Template)]
#[template(path = "pages/counterexample.html")]
struct CounterexamplePage<'a> {
    context: &'a RequirementContext,
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
    /// Every line that ran is shown, not only causes and the lines around them.
    whole: bool,
    /// Address of the page with the other choice.
    code_toggle: String,
    /// The networks of drawn POUs as they were in this cycle.
    sheets: Vec<Sheet>,
    table: Table<'a>,
    /// Our own SVG: every text in it is escaped by its template.
    timing: String,
    /// Every cycle as a row, for printing.
    every: Option<Every<'a>>,
    /// Address of the page with every cycle.
    every_href: String,
    all: bool,
    /// Few cycles: code and values fit side by side.
    side_by_side: bool,
    n_variables: usize,
    /// Values at calls of stubs that do not matter and are left out of all variables.
    n_stub_values: usize,
    /// Address of the page with these.
    with_stubs: String,
    toggle: String,
    /// The run reaches the goal of the requirement.
    is_goal: bool,
}

struct Table<'a> {
    columns: Vec<Head>,
    rows: Vec<TableRow<'a>>,
    /// Folded stretches, with the changes in them.
    folded: Vec<(String, Vec<String>)>,
    /// Stretches out of view.
    skipped: Vec<String>,
}

/// Table with a row for each cycle.
struct Every<'a> {
    names: Vec<&'a str>,
    rows: Vec<CycleRow>,
    /// It is wanted on the screen, too.
    on_screen: bool,
}

struct CycleRow {
    number: u32,
    dt_ms: f64,
    /// Values, and whether each changed.
    values: Vec<(String, bool)>,
}

impl<'a> Every<'a> {
    fn new(cex: &'a Counterexample, names: Vec<&'a str>, on_screen: bool) -> Every<'a> {
        let value = |cycle: &Cycle, name: &str| {
            let found = cycle.values.iter().find(|value| value.name == name);
            found.map_or_else(|| (String::new(), false), |value| (value.told(), value.changed))
        };
        let row = |cycle: &Cycle| CycleRow {
            number: cycle.number,
            dt_ms: cycle.dt_ms,
            values: names.iter().map(|name| value(cycle, name)).collect(),
        };
        let rows = cex.cycles.iter().map(row).collect();
        Every { names, rows, on_screen }
    }
}

struct Head {
    label: String,
    /// `None` for cycles out of view.
    href: Option<String>,
    is_one: bool,
    current: bool,
}

struct TableRow<'a> {
    name: &'a str,
    role: &'static str,
    /// The requirement speaks of it.
    goal: bool,
    cells: Vec<Cell>,
}

struct Cell {
    value: String,
    changed: bool,
    current: bool,
    /// An input that is a cause.
    cause: bool,
    /// A value of the requirement in the cycle that breaks it.
    broken: bool,
}

/// Columns of the table and the diagram at once.
const WINDOW: usize = 16;
/// With more cycles the table of every cycle is made only for `?print=1`.
const PRINTED: usize = 200;
/// With more cycles values stand below the code, over the whole width.
const SIDE_BY_SIDE: usize = 4;
/// Rows of the diagram.
const MAX_WAVES: usize = 24;

/// Returns the page of a violated requirement.
pub(crate) fn show(context: &RequirementContext, cex: &Counterexample, query: ResultQuery) -> Result<Response, WebError> {
    let last = cex.cycles.last().ok_or_else(|| WebError::Internal("a counterexample without cycles".into()))?;
    let wanted = query.cycle.unwrap_or(last.number);
    let at = cex.cycles.iter().position(|c| c.number == wanted);
    let at = at.ok_or_else(|| WebError::NotFound(format!("cycle {wanted} in this counterexample")))?;
    // 2: values at calls of stubs, too.
    let (all, stubs) = (query.all.is_some_and(|all| 0 < all), query.all == Some(2));
    let base = format!("/runs/{}/requirements/{}", context.job.id, context.number);
    let of_instance = query.instance.as_deref().map_or(String::new(), drawings::instance_query);
    let whole = query.code == Some(1);
    let of_code = if whole { "&code=1" } else { "" };
    let link = |cycle: u32, all: bool| format!("{base}?cycle={cycle}{}{of_code}{of_instance}", if all { "&all=1" } else { "" });
    let to = |i: Option<usize>| i.and_then(|i| cex.cycles.get(i)).map(|c| link(c.number, all));
    let cycle = &cex.cycles[at];
    let mut all = all;
    let mut shown = names(context, cex, all, stubs);
    if shown.is_empty() {
        // Nothing is known to matter more than the rest.
        all = true;
        shown = names(context, cex, all, stubs);
    }
    let names = shown;
    let waves = names.iter().take(MAX_WAVES).map(|(name, _)| *name).collect();
    let plain: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    let columns = columns(cex, &plain, at, WINDOW);
    let side_by_side = columns.len() <= SIDE_BY_SIDE;
    let table = table(context.result(), &names, cex, &columns, at, |n| link(n, all));
    let n_variables = last.values.len();
    let on_screen = query.print == Some(1);
    let every = (on_screen || cex.cycles.len() <= PRINTED).then(|| Every::new(cex, plain.clone(), on_screen));
    let width = if side_by_side { 560 } else { 1080 };
    let is_goal = context.result().verdict == VerdictWord::Holds;
    let every_href = format!("{}&print=1#every", link(cycle.number, all));
    page(&CounterexamplePage {
        context,
        result: context.result(),
        cex,
        class: context.css(),
        cycle,
        n_cycles: last.number,
        previous: to(at.checked_sub(1)),
        next: to(Some(at + 1)),
        first: link(cex.cycles[0].number, all),
        last: link(last.number, all),
        listing: source_listing::listing(&context.outcome, cex, cycle, whole),
        code_toggle: format!(
            "{base}?cycle={}{}{}{of_instance}",
            cycle.number,
            if all { "&all=1" } else { "" },
            if whole { "" } else { "&code=1" }
        ),
        whole,
        sheets: drawings::sheets(
            context,
            cex,
            cycle,
            query.instance.as_deref(),
            &format!("{base}?cycle={}{}{of_code}", cycle.number, if all { "&all=1" } else { "" }),
        ),
        table,
        timing: timing(cex, &View { names: waves, columns: &columns, current: at, width, is_goal }),
        every,
        every_href,
        all,
        side_by_side,
        n_variables,
        n_stub_values: if all { n_variables.saturating_sub(names.len()) } else { 0 },
        with_stubs: format!("{base}?cycle={}&all=2{of_code}{of_instance}", cycle.number),
        toggle: link(cycle.number, !all),
        is_goal,
    })
}

/// Returns the variables to show with their roles: inputs, memory, outputs; only those that matter unless `all`.
fn names<'a>(context: &'a RequirementContext, cex: &'a Counterexample, all: bool, stubs: bool) -> Vec<(&'a str, VariableRole)> {
    let variables = &context.outcome.import.variables;
    let role = |name: &str| variables.iter().find(|v| v.name == name).map_or(VariableRole::Memory, |v| v.role);
    let shown = cex.cycles.iter().take(1).flat_map(|c| &c.values).map(|v| v.name.as_str());
    let relevant: BTreeSet<&str> = cex.relevant.iter().map(String::as_str).collect();
    let shown = shown.filter(|name| relevant.contains(name) || (all && (stubs || !is_at_call(name))));
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
    cex: &Counterexample,
    columns: &[Column],
    current: usize,
    link: impl Fn(u32) -> String,
) -> Table<'a> {
    let cycles = &cex.cycles;
    let number = |at: usize| cycles.get(at).map_or(0, |c| c.number);
    let is_cause = |at: usize, name: &str| {
        let found = cex.causes.binary_search_by_key(&number(at), |c| c.cycle).ok();
        found.is_some_and(|i| cex.causes[i].inputs.iter().any(|input| input == name))
    };
    let rows = names.iter().map(|&(name, role)| {
        let goal = if cex.goal.is_empty() {
            speaks_of(&result.meaning, name) || speaks_of(&result.text, name)
        } else {
            cex.goal.iter().any(|g| g == name)
        };
        let cells = columns.iter().map(|column| {
            let one = if let Column::One(at) = column { Some(*at) } else { None };
            let (from, to) = column.ends();
            let in_view = !matches!(column, Column::Skipped { .. });
            Cell {
                value: column.told(cycles, name).unwrap_or_default(),
                changed: one.is_some_and(|at| cycles[at].values.iter().any(|v| v.name == name && v.changed)),
                current: one == Some(current),
                cause: in_view && (from..=to).any(|at| is_cause(at, name)),
                broken: goal && one == cycles.len().checked_sub(1) && result.verdict == VerdictWord::Violated,
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
    let head = |column: &Column| Head {
        label: column.label(cycles),
        href: (!matches!(column, Column::Skipped { .. })).then(|| link(number(column.ends().0))),
        is_one: matches!(column, Column::One(_)),
        current: *column == Column::One(current),
    };
    let skipped = columns.iter().filter(|c| matches!(c, Column::Skipped { .. })).map(|c| c.ends());
    Table {
        rows: rows.collect(),
        columns: columns.iter().map(head).collect(),
        folded: cycle_columns::sentences(columns, cycles),
        skipped: skipped.map(|(from, to)| format!("{}–{}", number(from), number(to))).collect(),
    }
}

/// Returns whether `name` stands in a sentence as a word of its own.
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
