//! Networks and charts of a counterexample: one sheet for each drawn POU, with the values of one of its instances.

use std::collections::BTreeSet;

use super::percent;
use crate::report::diagram::{self, Diagram, Element, Shape, View};
use crate::report::outcome::{Counterexample, Cycle};
use crate::web::result::RequirementContext;

/// The drawings of a POU, for one of its instances.
pub(super) struct Sheet {
    pub(super) pou: String,
    /// The instance that is shown; empty for a function.
    pub(super) instance: String,
    /// The other instances, with the address of the page that shows them.
    pub(super) others: Vec<(String, String)>,
    /// Instances that have no link.
    pub(super) n_more: usize,
    pub(super) figures: Vec<Figure>,
}

/// A drawing.
pub(super) struct Figure {
    /// `line 12: executed 3 times in this cycle, the last time is shown`
    pub(super) caption: String,
    /// Our own SVG: every text in it is escaped by its template.
    pub(super) svg: String,
    pub(super) broken: bool,
}

/// Networks on one page.
const MAX_DRAWINGS: usize = 40;
/// Links to instances of one POU.
const MAX_INSTANCES: usize = 30;

/// Returns the part of an address that chooses an instance.
pub(super) fn instance_query(instance: &str) -> String {
    format!("&instance={}", percent(instance))
}

/// Returns the sheets of a cycle. The network that breaks the requirement stands first.
pub(super) fn sheets(
    context: &RequirementContext,
    cex: &Counterexample,
    cycle: &Cycle,
    wanted: Option<&str>,
    page: &str,
) -> Vec<Sheet> {
    let diagrams = &context.outcome.import.diagrams;
    let breaks = breaking(diagrams, cex);
    let mut pous: Vec<&str> = Vec::new();
    for diagram in diagrams {
        if !pous.contains(&diagram.pou.as_str()) {
            pous.push(&diagram.pou);
        }
    }
    let broken_pou = breaks.as_ref().and_then(|b| diagrams.get(b.diagram)).map(|d| d.pou.as_str());
    pous.sort_by_key(|pou| Some(*pou) != broken_pou);
    let is_charted = cex.cycles.iter().any(|c| !c.networks.is_empty());
    let mut left = MAX_DRAWINGS;
    let mut sheets = Vec::new();
    for pou in pous {
        let own: Vec<(usize, &Diagram)> = diagrams.iter().enumerate().filter(|(_, d)| d.pou == pou).collect();
        let instances: &[String] = own.first().map_or(&[], |(_, d)| &d.instances);
        let instance = wanted.filter(|w| instances.iter().any(|i| i == w)).map(str::to_owned);
        let breaking = breaks.as_ref().filter(|_| Some(pou) == broken_pou).map(|b| b.instance.clone());
        let instance = instance.or(breaking).or_else(|| instances.first().cloned()).unwrap_or_default();
        let mut figures: Vec<Figure> = Vec::new();
        for (number, drawing) in own.into_iter().take(left) {
            let run = cycle.networks.iter().find(|run| run.diagram == number && run.instance == instance);
            let broken = breaks.as_ref().filter(|b| b.diagram == number && b.instance == instance).map(|b| b.element);
            let is_last = cex.cycles.last().is_some_and(|last| last.number == cycle.number);
            let broken = broken.filter(|_| is_last);
            let home = drawing.home.as_ref().map_or(String::new(), |home| format!("{home}, "));
            let times = match run.map(|run| run.times) {
                Some(0 | 1) => String::new(),
                Some(n) => format!(": executed {n} times in this cycle, the last execution is shown"),
                None if !is_charted => ": values were not recorded".to_owned(),
                None => ": not executed in this cycle".to_owned(),
            };
            let caption = match &drawing.title {
                Some(title) if drawing.place.is_named() => format!("{title}{times}"),
                Some(title) => format!("{title} (line {}){times}", drawing.place.line),
                None => format!("{home}line {}{times}", drawing.place.line),
            };
            let svg = diagram::svg(drawing, &View { run, broken, number });
            figures.push(Figure { caption, svg, broken: broken.is_some() });
        }
        left -= figures.len();
        figures.sort_by_key(|figure| !figure.broken);
        let others = instances.iter().filter(|i| **i != instance).take(MAX_INSTANCES);
        let others = others.map(|i| (i.clone(), format!("{page}{}#code", instance_query(i))));
        let (others, pou): (Vec<(String, String)>, String) = (others.collect(), pou.to_owned());
        let n_more = instances.len().saturating_sub(1 + others.len());
        sheets.push(Sheet { pou, instance, others, n_more, figures });
    }
    sheets.retain(|sheet| !sheet.figures.is_empty());
    sheets
}

/// The element with the last write to a variable of the requirement.
struct Breaking {
    diagram: usize,
    instance: String,
    element: usize,
}

fn breaking(diagrams: &[Diagram], cex: &Counterexample) -> Option<Breaking> {
    let goal: BTreeSet<&str> = cex.goal.iter().map(String::as_str).collect();
    let last = cex.cycles.last()?;
    let steps = last.steps.iter().rev();
    let mut lines = steps.filter(|s| s.values.iter().any(|v| v.written && goal.contains(v.name.as_str())));
    lines.find_map(|step| {
        let name = step.values.iter().find(|v| v.written && goal.contains(v.name.as_str())).map(|v| v.name.as_str())?;
        last.networks.iter().rev().find_map(|run| {
            let diagram = diagrams.get(run.diagram)?;
            // Of several instances the one whose variable it is.
            if 1 < diagram.instances.len() && !name.starts_with(&format!("{}.", run.instance)) {
                return None;
            }
            let writes = |shape: Shape| matches!(shape, Shape::Coil | Shape::Variable | Shape::Block);
            let is_file = diagram.place.source == step.place.source;
            let here = |e: &Element| is_file && writes(e.shape) && e.line == step.place.line;
            // Instructions of one rung share a line.
            let exact = diagram.elements.iter().position(|e| here(e) && e.column == step.place.column);
            let element = exact.or_else(|| diagram.elements.iter().position(here))?;
            Some(Breaking { diagram: run.diagram, instance: run.instance.clone(), element })
        })
    })
}
