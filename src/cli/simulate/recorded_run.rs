//! Recorded runs, as a table for people and as CSV.

use std::fmt::Write as _;

use plc_frontend::hir::{Leaf, Project, Shown, Value};

use crate::cli::text::columns;
use crate::report::names::Names;

/// Suffix of the name of a column with the values given at the start of the cycle.
pub(super) const GIVEN: &str = " (given)";

/// Recorded run.
pub(super) struct Run<'p> {
    pub(super) project: &'p Project,
    pub(super) names: Names,
    /// The variables that are shown.
    pub(super) leaves: Vec<Leaf>,
    /// Their values: before the first cycle, then at the end of each.
    pub(super) rows: Vec<Vec<Option<Value>>>,
    /// Their values at the start of each cycle, after the inputs were given.
    pub(super) begun: Vec<Vec<Option<Value>>>,
    /// Start of each row's cycle, in nanoseconds since cold start.
    pub(super) times_ns: Vec<i64>,
}

impl Run<'_> {
    fn text(&self, shown: &Shown, row: &[Option<Value>]) -> String {
        self.project.shown_value(shown, &self.leaves, row).unwrap_or_default()
    }

    /// Returns whether the given values of a variable differ from those at cycle ends, or come before the first cycle only.
    fn is_given_apart(&self, shown: &Shown) -> bool {
        let leaves = &self.leaves[shown.leaves.clone()];
        if !leaves.iter().any(|leaf| leaf.is_given(0)) {
            return false;
        }
        let differs =
            |(begun, end): (&Vec<Option<Value>>, &Vec<Option<Value>>)| begun[shown.leaves.clone()] != end[shown.leaves.clone()];
        leaves.iter().any(|leaf| !leaf.is_given(1)) || self.begun.iter().zip(&self.rows[1..]).any(differs)
    }

    /// Returns the rows of the table, which are the columns of CSV: given values, then values at the end of the cycle.
    fn columns(&self) -> Vec<(String, Shown, bool)> {
        let mut columns = Vec::new();
        for shown in self.project.shown(&self.leaves) {
            let name = self.names.show(&shown.name);
            if self.is_given_apart(&shown) {
                columns.push((format!("{name}{GIVEN}"), shown.clone(), true));
            }
            columns.push((name, shown, false));
        }
        columns
    }

    /// Returns the cell of a column in a cycle, from 1.
    fn cell(&self, (_, shown, given): &(String, Shown, bool), cycle: usize) -> String {
        let is_given = self.leaves[shown.leaves.clone()].iter().any(|leaf| leaf.is_given(cycle - 1));
        match given {
            true if is_given => self.text(shown, &self.begun[cycle - 1]),
            true => String::new(),
            false => self.text(shown, &self.rows[cycle]),
        }
    }

    /// Returns whether cycles differ in length.
    fn has_times(&self) -> bool {
        let steps: Vec<i64> = self.times_ns.windows(2).map(|pair| pair[1] - pair[0]).collect();
        steps.windows(2).any(|pair| pair[0] != pair[1])
    }

    /// Returns one row per cycle. `--stimuli` reads it again.
    pub(super) fn csv(&self) -> String {
        let mut text = String::new();
        let columns = self.columns();
        let fixed = if self.has_times() { vec!["cycle".to_owned(), "time".to_owned()] } else { vec!["cycle".to_owned()] };
        let heads = fixed.into_iter().chain(columns.iter().map(|(name, ..)| quoted(name)));
        let _ = writeln!(text, "{}", heads.collect::<Vec<_>>().join(","));
        for cycle in 1..self.rows.len() {
            let time = self.has_times().then(|| (self.times_ns[cycle] as f64 / 1e6).to_string());
            let cells = columns.iter().map(|column| quoted(&self.cell(column, cycle)));
            let cells = std::iter::once(cycle.to_string()).chain(time).chain(cells);
            let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join(","));
        }
        text
    }

    /// Returns one row per variable, one column per cycle, as many columns as fit on a line.
    pub(super) fn table(&self) -> String {
        const PER_BLOCK: usize = 10;
        let mut text = String::new();
        let n = self.rows.len() - 1;
        let all = self.columns();
        for first in (1..=n).step_by(PER_BLOCK) {
            let cycles: Vec<usize> = (first..=n.min(first + PER_BLOCK - 1)).collect();
            let mut lines: Vec<Vec<String>> =
                vec![std::iter::once("cycle".to_string()).chain(cycles.iter().map(|c| c.to_string())).collect()];
            for column in &all {
                let cells = cycles.iter().map(|&c| self.cell(column, c));
                lines.push(std::iter::once(column.0.clone()).chain(cells).collect());
            }
            text.extend(columns(&lines).into_iter().map(|line| line + "\n"));
            text.push('\n');
        }
        text
    }
}

/// Returns a cell of CSV.
fn quoted(cell: &str) -> String {
    if cell.contains([',', ';', '"', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}
