//! The answers of a job as one page that needs nothing else: to send, to print, to keep.

use askama::Template;

use super::{Content, ReportFormat};
use crate::report::conditions::listed;
use crate::report::diagram::{self, Diagram, View};
use crate::report::filters;
use crate::report::headline::headline;
use crate::report::outcome::{Condition, Counterexample, Cycle, Outcome, Place, RequirementResult};
use crate::report::tally::Tally;
use crate::report::verdict_class::VerdictClass;
use crate::report::words::known;
use kernel::context::count as counted;

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: "html",
    title: "HTML",
    media_type: "text/html; charset=utf-8",
    content: Content::Run { ending: "html", render: |outcome| Page::new(outcome).render().map_err(|e| e.to_string()) },
};

/// Variables beside each other in a table: as many as fit on paper.
const WIDTH: usize = 7;
/// Drawings of the last cycle.
const MOST_DRAWINGS: usize = 40;
/// Statements of the last cycle that are listed.
const MOST_STATEMENTS: usize = 200;

#[derive(Template)]
#[template(path = "report/report.html")]
struct Page<'o> {
    style: &'static str,
    colour: &'static str,
    headline: String,
    outcome: &'o Outcome,
    conditions: Vec<(Condition, String)>,
    answers: Vec<Answer<'o>>,
}

struct Answer<'o> {
    colour: &'static str,
    result: &'o RequirementResult,
    known: Option<String>,
    run: Option<Run<'o>>,
}

/// A run, a row for each cycle.
struct Run<'o> {
    run: &'o Counterexample,
    is_violation: bool,
    tables: Vec<Table<'o>>,
    /// Statements of the last cycle, with the values that they read and wrote.
    statements: Vec<(&'o Place, String)>,
    n_left_out: usize,
    /// Captions and drawings of networks with a cause in the last cycle.
    drawings: Vec<(String, String)>,
}

/// Some of the variables that matter, in all cycles.
struct Table<'o> {
    names: Vec<&'o str>,
    rows: Vec<Row<'o>>,
}

struct Row<'o> {
    cycle: &'o Cycle,
    /// Values, and whether they have changed.
    cells: Vec<(String, bool)>,
}

impl<'o> Page<'o> {
    fn new(outcome: &'o Outcome) -> Page<'o> {
        let (colour, headline) = headline(&Tally::of_outcome(outcome), true);
        let answer = |(result, at): (&'o RequirementResult, usize)| Answer {
            colour: VerdictClass::of(result).colour().css(),
            result,
            known: known(result),
            run: result.run().map(|run| Run::new(run, outcome, (result.counterexample.is_some(), at * MOST_DRAWINGS))),
        };
        Page {
            style: include_str!("../../../static/style.css"),
            colour: colour.css(),
            headline,
            outcome,
            conditions: listed(outcome),
            answers: outcome.results.iter().zip(0..).map(answer).collect(),
        }
    }
}

impl<'o> Run<'o> {
    fn new(run: &'o Counterexample, outcome: &Outcome, (is_violation, first): (bool, usize)) -> Run<'o> {
        let relevant: Vec<&str> = run.relevant.iter().map(String::as_str).collect();
        let steps = run.cycles.last().map(|cycle| cycle.steps.as_slice()).unwrap_or_default();
        let n_left_out = steps.len().saturating_sub(MOST_STATEMENTS);
        let statements = steps[n_left_out..].iter().map(|step| {
            let told = step.values.iter().map(|value| {
                let sign = if value.written { ":=" } else { "=" };
                format!("{} {sign} {}", value.name, value.value)
            });
            (&step.place, told.collect::<Vec<_>>().join(", "))
        });
        Run {
            run,
            is_violation,
            tables: relevant.chunks(WIDTH).map(|names| Table::new(run, names)).collect(),
            statements: statements.collect(),
            n_left_out,
            drawings: drawings(run, outcome, first),
        }
    }
}

/// Returns the networks and rungs that a cause in the last cycle stands in, with their captions and values. `first`: number of the
/// first one on the page.
fn drawings(run: &Counterexample, outcome: &Outcome, first: usize) -> Vec<(String, String)> {
    let Some(last) = run.cycles.last() else { return Vec::new() };
    let causes: Vec<&Place> = last.steps.iter().filter(|step| step.cause).map(|step| &step.place).collect();
    let has_cause = |drawing: &Diagram| {
        let is_here =
            |place: &&Place| place.source == drawing.place.source && drawing.elements.iter().any(|e| e.line == place.line);
        causes.iter().any(is_here)
    };
    let drawn = last.networks.iter().filter_map(|network| {
        let drawing = outcome.import.diagrams.get(network.diagram).filter(|drawing| has_cause(drawing))?;
        let caption = drawing.title.clone().unwrap_or_else(|| format!("{}, {}", drawing.pou, drawing.place.line_words()));
        Some((caption, drawing, network))
    });
    let svg = |((caption, drawing, network), number)| {
        (caption, diagram::svg(drawing, &View { run: Some(network), broken: None, number }))
    };
    drawn.take(MOST_DRAWINGS).zip(first..).map(svg).collect()
}

impl<'o> Table<'o> {
    fn new(run: &'o Counterexample, names: &[&'o str]) -> Table<'o> {
        let row = |cycle: &'o Cycle| {
            let cell = |name: &&str| match cycle.values.iter().find(|value| value.name == **name) {
                Some(value) => (value.told(), value.changed),
                None => (String::new(), false),
            };
            Row { cycle, cells: names.iter().map(cell).collect() }
        };
        Table { names: names.to_vec(), rows: run.cycles.iter().map(row).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::booster;

    #[test]
    fn the_page_needs_nothing_from_elsewhere() {
        let mut outcome = booster();
        outcome.results[0].text = "<script>alert(1)</script>".into();
        let html = Page::new(&outcome).render().unwrap();
        for part in ["src=", "href=\"http", "url(", "<script", "@import"] {
            assert!(!html.contains(part), "{part}");
        }
        for part in
            ["! 1 of 8 requirements ended in an internal error", "9c1f9c1f", "Cycle time exactly 100 ms.", "PROGRAM Booster"]
        {
            assert!(html.contains(part), "{part}\n{html}");
        }
    }

    #[test]
    fn every_cycle_is_a_row() {
        let mut outcome = booster();
        let run = outcome.results[0].counterexample.as_mut().unwrap();
        run.relevant = run.cycles[0].values.iter().map(|value| value.name.to_string()).cycle().take(WIDTH + 1).collect();
        let last = run.cycles[1].clone();
        run.cycles.extend((3..=400).map(|number| Cycle { number, ..last.clone() }));
        let page = Page::new(&outcome);
        let run = page.answers[0].run.as_ref().unwrap();
        assert_eq!(run.tables.len(), 2);
        assert!(run.tables.iter().all(|table| table.rows.len() == 400));
        assert!(page.render().unwrap().contains("<th scope=\"row\">400</th>"));
    }
}
