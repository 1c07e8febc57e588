//! Published models in the outcome: the import, a run told edge by edge, a proof in the model's own words.

use plc_frontend::diagnostic::Diagnostic;
use plc_frontend::source::{SourceSet, Span};

use super::import::finding;
use super::outcome::{
    Counterexample, Cycle, IgnoredSummary, Import, NamedValue, PouSummary, ProofSummary, Step, StepValue, VariableRole,
    VariableSummary,
};
use super::place::place;
use answer::certify::Obligation;
use kernel::context::count;
use kernel::expr::Value;
use kernel::theta::replay::Run;
use kernel::theta::{Model, Read, type_name};
use kernel::verdict::Proof;

/// Edges of a run that are shown; of a longer one the first and the last.
const MOST_EDGES: usize = 400;
/// Variables named in a sentence.
const MAX_SPOKEN: usize = 6;
/// Longer conjuncts of an invariant are nothing to read.
const MAX_TEXT: usize = 2_000;

/// Returns the import of a model.
pub fn import(sources: &SourceSet, read: &Read, findings: &[Diagnostic]) -> Import {
    let ignored = read.others.iter().map(|(name, span)| IgnoredSummary {
        what: format!("process {name}"),
        why: "only the main process runs".to_owned(),
        place: place(sources, *span),
    });
    let mut import = Import {
        ignored: ignored.collect(),
        diagnostics: findings.iter().map(|d| finding(sources, d)).collect(),
        ..Import::default()
    };
    if let Some(Model { process, .. }) = &read.model {
        let span = process.locs.first().map_or(Span::none(), |loc| loc.span);
        import.pous.push(PouSummary {
            kind: "process".to_owned(),
            name: process.name.clone(),
            place: place(sources, span),
            n_statements: process.edges.iter().map(|edge| edge.stmts.len()).sum(),
        });
        import.runs.push(process.name.clone());
        let variable = |name: &str, ty: String| VariableSummary {
            name: name.to_owned(),
            ty,
            role: VariableRole::Memory,
            values: Vec::new(),
        };
        import.variables = process.vars.iter().map(|var| variable(&var.name, type_name(var.sort))).collect();
        import.modelled.insert("locations".to_owned(), process.locs.len());
        import.modelled.insert("edges".to_owned(), process.edges.len());
    }
    import
}

/// Returns the requirement in words.
pub fn requirement(model: &Model) -> String {
    format!("the error location {} is never reached", model.process.locs[model.process.error].name)
}

/// Returns a run, edge by edge: each one takes the place of a cycle.
pub fn tell(model: &Model, sources: &SourceSet, run: &Run) -> Counterexample {
    let process = &model.process;
    let mut state = run.start.clone();
    let skipped = run.steps.len().saturating_sub(MOST_EDGES);
    let (first, last) = (MOST_EDGES / 2, MOST_EDGES / 2 + skipped);
    let mut cycles = Vec::new();
    let mut relevant = std::collections::BTreeSet::from([LOCATION.to_owned()]);
    for (i, step) in run.steps.iter().enumerate() {
        let edge = &process.edges[step.edge];
        let before = state.clone();
        let mut steps = Vec::new();
        for (stmt, var, value) in &step.writes {
            state[*var] = *value;
            let name = process.vars[*var].name.clone();
            relevant.insert(name.clone());
            let written = StepValue { name, value: value.to_string(), written: true, from_cycle: None };
            steps.push(Step { place: place(sources, edge.stmts[*stmt].span), values: vec![written], cause: false });
        }
        if steps.is_empty() {
            steps.push(Step { place: place(sources, edge.span), values: Vec::new(), cause: false });
        }
        if 0 < skipped && first <= i && i < last {
            continue;
        }
        let location = NamedValue {
            name: LOCATION.into(),
            value: process.locs[edge.target].name.as_str().into(),
            changed: edge.source != edge.target,
            given: None,
        };
        let values = process.vars.iter().zip(state.iter().zip(&before)).map(|(var, (now, before))| NamedValue {
            name: var.name.as_str().into(),
            value: now.to_string().into(),
            changed: now != before,
            given: None,
        });
        let values = std::iter::once(location).chain(values).collect();
        cycles.push(Cycle { number: i as u32 + 1, dt_ms: 0.0, values, steps, networks: Vec::new() });
    }
    let error = &process.locs[process.error];
    let n = count(run.steps.len(), "edge");
    let mut explanation = vec![format!(
        "The error location {} is reached after {n}. What is counted as a cycle is one edge of the model.",
        error.name
    )];
    let start: Vec<String> = process
        .vars
        .iter()
        .zip(&run.start)
        .take(MAX_SPOKEN)
        .map(|(var, value): (_, &Value)| format!("{} = {value}", var.name))
        .collect();
    let more = if MAX_SPOKEN < process.vars.len() { ", …" } else { "" };
    let begin = &process.locs[process.init].name;
    explanation.push(if start.is_empty() {
        format!("It starts in {begin}.")
    } else {
        format!("It starts in {begin} with {}{more}.", start.join(", "))
    });
    if 0 < skipped {
        explanation.push(format!("The first {first} and the last {first} edges are shown."));
    }
    let at = run.steps.last().map(|step| place(sources, process.edges[step.edge].span));
    Counterexample { explanation, cycles, relevant: relevant.into_iter().collect(), place: at, ..Counterexample::default() }
}

/// The name of the row that says where a run is.
const LOCATION: &str = "(location)";

/// Returns the proof that the error location is never reached.
pub fn proof(model: &Model, proof: &Proof, obligations: &[Obligation]) -> ProofSummary {
    let name = |loc| model.places.get(&loc).map_or("the start", |place| model.process.locs[*place].name.as_str());
    let mut lines = Vec::new();
    for (loc, e) in proof.argument.invariants() {
        for part in proof.pool.conjuncts(*e).into_iter().filter(|part| !proof.pool.is_true(*part)) {
            let text = proof.pool.show(part);
            let text = if text.len() < MAX_TEXT { text } else { "(too long to be shown)".to_owned() };
            lines.push(format!("at {}: {text}", name(*loc)));
        }
    }
    ProofSummary { invariant: lines, ..ProofSummary::new(&proof.argument, obligations) }
}
