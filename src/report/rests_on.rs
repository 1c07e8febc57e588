//! What every result of a run rests on, in sentences.

use plc_frontend::Loaded;
use plc_frontend::hir::{Leaf, Role, Type};

use super::outcome::Import;
use super::subrange::range_of;
use crate::cfa::Op;
use crate::cfa::model::Model;
use crate::property::requirements::Stated;
use crate::property::spec::Specification;

/// The limits of the model that matter for this program.
pub fn rests_on(loaded: &Loaded, model: &Model, spec: &Specification, stated: &Stated, import: &Import) -> Vec<String> {
    let project = &loaded.project;
    let cycle = spec.cycle_time(loaded.interval_ns);
    let mut lines = vec![
        "Inputs may take any value of their type at the start of every cycle; everything else keeps its value.".to_string(),
        match cycle.min_ms == cycle.max_ms {
            true => format!("The time between two cycles is exactly {} ms.", cycle.min_ms),
            false => format!("The time between two cycles is anything from {} to {} ms.", cycle.min_ms, cycle.max_ms),
        },
        "The run starts cold: every variable has its declared initial value.".to_string(),
    ];
    if let (Some(ns), Some(asked)) = (loaded.interval_ns, spec.cycle)
        && i128::from(asked.min_ms) * 1_000_000 != ns
    {
        let interval = ns as f64 / 1e6;
        lines.push(format!("The tasks' tick is {interval} ms, but the requirements say otherwise: tasks count cycles."));
    }
    let types: Vec<&Type> = project.leaves().iter().map(|l| &project.types[l.ty].ty).collect();
    if types.iter().any(|t| matches!(t, Type::Int(_) | Type::Subrange { .. })) {
        lines.push("Integers wrap at their declared width.".to_string());
    }
    if project.leaves().iter().any(|leaf| range_of(project, leaf).is_some()) {
        lines.push("Inputs with a subrange may hold values outside of it, unless an assumption excludes that.".to_string());
    }
    if types.iter().any(|t| matches!(t, Type::Real(_))) {
        lines.push("REAL and LREAL are IEEE 754, bit by bit, rounded to nearest even.".to_string());
        let real_input =
            project.leaves().iter().any(|l| l.role == Role::Input && matches!(project.types[l.ty].ty, Type::Real(_)));
        if real_input {
            lines.push("Inputs of type REAL may be infinite or not a number, unless an assumption excludes it.".to_string());
        }
    }
    if types.iter().any(|t| matches!(t, Type::Time)) {
        lines.push("TIME has 32 bits and a resolution of 1 ms.".to_string());
    }
    if 1 < import.runs.len() {
        lines.push(format!("One task runs {} in this order in every cycle.", import.runs.join(", ")));
    }
    lines.extend(never_written(model));
    let checks = stated.checked.iter().filter(|c| matches!(c.claim, crate::property::claim::Claim::NoFault(_))).count();
    if 0 < checks {
        lines.push("Nothing is claimed about what a controller does after an automatic check has failed.".to_string());
    }
    for (assumed, written) in stated.assumed.iter().zip(&spec.assumptions) {
        lines.push(match assumed.text == written.expr {
            true => format!("Assumption: {}", assumed.text),
            false => format!("Assumption: {} `{}`", assumed.text, written.expr.trim()),
        });
    }
    for gap in &import.gaps {
        lines.push(format!("{} ({}, line {}): {}", gap.construct, gap.place.file, gap.place.line, gap.effect));
    }
    lines
}

/// Memory that no statement writes keeps its initial value in every run: a person may have meant it as an input.
fn never_written(model: &Model) -> Option<String> {
    /// So many are named.
    const NAMED: usize = 8;
    let mut written = std::collections::BTreeSet::new();
    for edge in model.cfa.edges.iter() {
        match &edge.op {
            Op::Assign(var, _) | Op::Havoc(var) => {
                written.insert(*var);
            }
            Op::Block(block) => written.extend(block.updates.iter().map(|(var, _)| *var)),
            Op::Skip | Op::Assume(_) => {}
        }
    }
    let kept = |leaf: &Leaf| leaf.role == Role::Memory && !leaf.constant && !leaf.hidden && !leaf.stopwatch;
    let names: Vec<&str> = (model.leaves.iter().filter(|(leaf, var)| kept(leaf) && !written.contains(var)))
        .map(|(leaf, _)| leaf.name.as_str())
        .collect();
    let (shown, more) = names.split_at(names.len().min(NAMED));
    let rest = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    match names.len() {
        0 => None,
        1 => Some(format!("No statement writes {}: it keeps its initial value in every run.", shown.join(", "))),
        _ => Some(format!("No statement writes {}{rest}: they keep their initial values in every run.", shown.join(", "))),
    }
}
