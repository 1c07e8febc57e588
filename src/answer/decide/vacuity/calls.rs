//! Calls of stubs whose values the assumptions about them exclude.

use std::collections::BTreeSet;

use plc_frontend::hir::Project;

use super::assumptions::{CYCLES, within_cycles};
use crate::decide::Request;
use kernel::cfa::model::build;
use kernel::cfa::{Edge, LocId, Model, Op};
use kernel::property::claim::Claim;
use kernel::property::instrument::instrument;
use kernel::smt::Interrupt;

/// Returns a stub whose calls return in no run, though some do where nothing is assumed of their values.
///
/// Cost: [`CYCLES`] cycles of bounded model checking, for each stub with an assumption.
pub(super) fn excluded(request: &Request<'_>, interrupt: &Interrupt) -> Option<String> {
    let project = &request.loaded.project;
    let assumed: BTreeSet<&str> = project.assumed_stubs().map(|pou| pou.name.as_str()).collect();
    if assumed.is_empty() {
        return None;
    }
    let free = project.without_assumptions();
    let free_model = build(&free, &request.model.options).ok()?;
    let is_excluded = |name: &&str| {
        returns((project, request.model), request, name, interrupt) == Some(false)
            && returns((&free, &free_model), request, name, interrupt) == Some(true)
    };
    assumed.into_iter().find(is_excluded).map(str::to_owned)
}

/// Decides whether some call of a POU returns within [`CYCLES`] cycles.
fn returns((project, model): (&Project, &Model), request: &Request<'_>, name: &str, interrupt: &Interrupt) -> Option<bool> {
    // Without a claim, no violation ends a run.
    let question = instrument(project, model, &Claim::Unreached(Vec::new()), request.assumptions).ok()?;
    // The first locations of the question are the model's. A call without a way to its end has no region.
    let exits: BTreeSet<LocId> = model.cfa.calls.iter().filter(|call| call.name == name).map(|call| call.exit).collect();
    if exits.is_empty() {
        return Some(false);
    }
    let mut cfa = question.cfa;
    let error = cfa.error;
    let goes_on = |edge: &&Edge| edge.target != error && !exits.contains(&edge.source);
    cfa.edges = cfa.edges.iter().filter(goes_on).cloned().collect();
    for exit in exits {
        cfa.edges.push(Edge { source: exit, target: error, op: Op::Skip, span: None });
    }
    within_cycles(request, &question.pool, &cfa, CYCLES, interrupt)
}
