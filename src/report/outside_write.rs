//! Writes from outside that a run needs, other than those to VAR_INPUT and %I: a reader may not expect them.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{Leaf, LeafElem, Project, Reason, Role, Root, Section};
use plc_frontend::interp::{Limits, Machine, Silent};

use super::names::Names;
use answer::replay::CycleInputs;

/// Maximum number of variables that are named one by one.
const TOLD: usize = 3;

/// Returns one sentence about the variables that the environment changes in the run; `None` if there are none. The sentence gives
/// the row of the requirement file that excludes such writes. Variables that the user named as inputs are left out.
///
/// Cost: one interpreted run.
pub(crate) fn outside_writes(project: &Project, cycles: &[CycleInputs], limits: Limits) -> Option<String> {
    let leaves = project.leaves();
    let shared: BTreeMap<&str, &Leaf> =
        leaves.iter().filter(|leaf| is_unexpected(project, leaf)).map(|leaf| (leaf.name.as_str(), leaf)).collect();
    if shared.is_empty() {
        return None;
    }
    let mut machine = Machine::new(project, limits);
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, cycle) in cycles.iter().enumerate() {
        for (name, value) in &cycle.inputs {
            if let Some((name, _)) = shared.get_key_value(name.as_str())
                && machine.leaf(name) != Some(*value)
            {
                first.entry(name).or_insert(number + 1);
            }
        }
        if machine.begin(&cycle.inputs, cycle.dt_ns).is_err() || machine.run(&mut Silent).is_err() {
            break;
        }
    }
    let names = Names::new(project);
    let seen = |name: &str| names.show(covering(&leaves, name).unwrap_or(name));
    let mut told: Vec<(usize, String)> = first.iter().map(|(name, cycle)| (*cycle, seen(name))).collect();
    told.sort();
    told.dedup_by(|later, earlier| later.1 == earlier.1);
    let rows: BTreeSet<String> = told.iter().map(|(_, name)| name.clone()).collect();
    let places: Vec<String> = told.iter().take(TOLD).map(|(cycle, name)| format!("`{name}` before cycle {cycle}")).collect();
    let more = match told.len().saturating_sub(TOLD) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let path = match rows.iter().collect::<Vec<_>>().as_slice() {
        [] => return None,
        [one] => (*one).clone(),
        [first, ..] => common(first, &rows),
    };
    Some(format!(
        "The run needs writes from outside the program: {}{more}. If only the program writes there, state `memory: [{path}]`.",
        places.join(", ")
    ))
}

/// Returns the named variable whose view covers `name`, if `name` is memory that no variable names.
fn covering<'l>(leaves: &'l [Leaf], name: &str) -> Option<&'l str> {
    let at = leaves.iter().position(|leaf| leaf.hidden && leaf.name == name)?;
    let shows = |leaf: &&Leaf| !leaf.hidden && leaf.view.as_ref().is_some_and(|view| view.parts.iter().any(|part| part.of == at));
    leaves.iter().find(shows).map(|leaf| leaf.name.as_str())
}

/// Returns the variable that all names are parts of; if there is none, all names, separated by commas.
fn common(first: &str, names: &BTreeSet<String>) -> String {
    let variable = first.split(['.', '[']).next().unwrap_or(first);
    let is_part = |name: &String| name.strip_prefix(variable).is_some_and(|rest| rest.starts_with(['.', '[']));
    if names.iter().all(is_part) { variable.to_owned() } else { names.iter().cloned().collect::<Vec<_>>().join(", ") }
}

fn is_unexpected(project: &Project, leaf: &Leaf) -> bool {
    if leaf.role != Role::Input || leaf.constant {
        return false;
    }
    match project.environment.get(&leaf.name).map(|setting| &setting.reason) {
        Some(Reason::Stated(_)) => false,
        Some(
            Reason::EntryInOut
            | Reason::NeverWritten
            | Reason::WrittenElsewhere(_)
            | Reason::CalledFromOutside(_)
            | Reason::Mentioned
            | Reason::SharesAddress
            | Reason::Retained
            | Reason::Stub(_)
            | Reason::NotComputed
            | Reason::Undeclared,
        ) => true,
        None => match (leaf.root, leaf.path.first()) {
            (Root::Instance(instance), Some(LeafElem::Member(var))) => {
                project.pous[project.instances[instance].pou].vars[*var].section == Section::InOut
            }
            (_, _) => false,
        },
    }
}
