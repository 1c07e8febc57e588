//! The proof of a requirement: its meaning, its method, its invariant, and its basis.

use askama::Template;
use axum::response::Response;

use super::{duration, filters, page};
use crate::report::outcome::{Counterexample, ProofSummary, RequirementResult};
use crate::web::error::WebError;
use crate::web::result::RequirementContext;
use answer::VerdictWord;

#[derive(Template)]
#[template(path = "pages/proof.html")]
struct ProofPage<'a> {
    context: &'a RequirementContext,
    result: &'a RequirementResult,
    proof: &'a ProofSummary,
    /// The invariant's parts, each once, short ones first.
    invariant: Vec<&'a str>,
    took: String,
    checked_ms: u64,
    /// The run that puts it to the test, where there is one.
    test: Option<Test<'a>>,
    colour: &'static str,
}

/// A run as a small table.
struct Test<'a> {
    /// Sentences about the run.
    sentences: &'a [String],
    /// Numbers of the cycles that are shown: the last ones.
    cycles: Vec<u32>,
    /// Names with a value in each, and whether it changed.
    rows: Vec<(&'a str, Vec<(&'a str, bool)>)>,
}

/// Cycles of the run that are shown.
const CYCLES: usize = 9;

impl Test<'_> {
    fn new(run: &Counterexample) -> Test<'_> {
        let shown = &run.cycles[run.cycles.len().saturating_sub(CYCLES)..];
        let row = |name: &'_ String| {
            let values = shown.iter().filter_map(|c| c.values.iter().find(|v| v.name == *name));
            values.map(|v| (v.value.as_str(), v.changed)).collect::<Vec<_>>()
        };
        let rows = run.relevant.iter().map(|name| (name.as_str(), row(name)));
        Test {
            sentences: &run.explanation,
            cycles: shown.iter().map(|c| c.number).collect(),
            rows: rows.filter(|(_, values)| values.len() == shown.len()).collect(),
        }
    }
}

/// Parts of an invariant that are shown at once.
const SHOWN: usize = 8;

/// Returns the page of a requirement that holds.
pub(crate) fn show(context: &RequirementContext, proof: &ProofSummary) -> Result<Response, WebError> {
    let checked_ms = proof.obligations.iter().map(|o| o.duration_ms).sum();
    let mut invariant: Vec<&str> = Vec::new();
    for part in &proof.invariant {
        if !invariant.contains(&part.as_str()) {
            invariant.push(part);
        }
    }
    invariant.sort_by_key(|part| part.chars().count());
    page(&ProofPage {
        context,
        result: context.result(),
        proof,
        invariant,
        took: duration(context.result().duration_ms),
        checked_ms,
        test: context.result().example.as_ref().map(Test::new),
        colour: context.css(),
    })
}
