//! Sentences about the basis of all results of a run.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::Loaded;
use plc_frontend::dialect::DialectId;
use plc_frontend::environment::usage;
use plc_frontend::hir::{Leaf, Project, Reason, Role, Root, Section, Start, Type};
use plc_frontend::isolation::CUT;

use super::environment::{SharedKind, SharedRow};
use super::names::Names;
use super::outcome::Import;
use super::subrange::range_of;
use kernel::property::check::Event;
use kernel::property::claim::Claim;
use kernel::property::requirements::ResolvedSpecification;
use kernel::property::spec::{Restarts, RunStart, Sampling, Specification};
use kernel::property::task_rates::rates;

/// Returns the limits of the model that matter for this program.
pub fn rests_on(
    loaded: &Loaded,
    spec: &Specification,
    stated: &ResolvedSpecification,
    import: &Import,
    environment: &[SharedRow],
) -> Vec<String> {
    let project = &loaded.project;
    let cycle = spec.cycle_time(loaded.interval_ns);
    let mut lines = vec![
        match spec.sampling {
            Some(Sampling::Asynchronous) => "Inputs may change at any time within a cycle: each read of a global input has any value \
                                             of its type. Other inputs change at the start of every cycle; everything else keeps its \
                                             value."
                .to_string(),
            Some(Sampling::Snapshot) | None => {
                "Inputs may take any value of their type at the start of every cycle; everything else keeps its value.".to_string()
            }
        },
        if cycle.min_ms == cycle.max_ms {
            format!("The time between two cycles is exactly {} ms.", cycle.min_ms)
        } else {
            format!("The time between two cycles is anything from {} to {} ms.", cycle.min_ms, cycle.max_ms)
        },
        match spec.start {
            Some(RunStart::Warm) => {
                "The run starts warm: RETAIN and PERSISTENT variables have any value of their types, the others \
                                     their declared initial values."
                    .to_string()
            }
            Some(RunStart::Cold) | None if project.tags_are_outputs => {
                format!("The run starts as after a download: every tag has its value of the export. {}", restarts(spec))
            }
            Some(RunStart::Cold) | None => "The run starts cold: every variable has its declared initial value.".to_string(),
        },
    ];
    lines.extend(shared(environment));
    lines.extend(aliases(project));
    lines.extend(written_here_only(loaded));
    lines.extend(before_the_first_cycle(project));
    if let (Some(ns), Some(asked)) = (loaded.interval_ns, spec.cycle)
        && [asked.min_ms, asked.max_ms].iter().any(|ms| i128::from(*ms) * 1_000_000 != ns)
    {
        let interval = ns as f64 / 1e6;
        lines.push(format!("The tasks' tick is {interval} ms, but the requirements say otherwise: tasks count cycles."));
    }
    lines.extend(rates(loaded).map(|rates| format!("A cycle is one tick of the tasks: {rates}.")));
    let types: Vec<&Type> = project.leaves().iter().map(|l| &project.types[l.ty].ty).collect();
    if types.iter().any(|t| matches!(t, Type::Int(_) | Type::Subrange { .. })) {
        lines.push("Integers wrap at their declared width.".to_string());
    }
    if project.leaves().iter().any(|leaf| range_of(project, leaf).is_some()) {
        lines.push("Inputs with a subrange may hold values outside of it, unless an assumption excludes that.".to_string());
    }
    let is_given_enum = |leaf: &Leaf| leaf.role == Role::Input && matches!(project.types[leaf.ty].ty, Type::Enum { .. });
    if project.leaves().iter().any(is_given_enum) {
        lines.push("Inputs of an enumeration may hold values without a name, unless an assumption excludes that.".to_string());
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
        let sign = if project.unsigned_time { "no sign" } else { "a sign" };
        lines.push(format!("TIME has 32 bits, {sign}, and a resolution of 1 ms."));
    }
    lines.extend(order_of_programs(loaded, import));
    let checks = stated.requirements.iter().filter(|c| matches!(c.claim, Claim::Never(Event::Fault(_)))).count();
    if 0 < checks {
        lines.push("Nothing is claimed about what a controller does after an automatic check has failed.".to_string());
    }
    for (assumed, written) in stated.assumptions.iter().zip(&spec.assumptions) {
        lines.push(if assumed.text == written.expr {
            format!("Assumption: {}", assumed.text)
        } else {
            format!("Assumption: {} `{}`", assumed.text, written.expr.trim())
        });
    }
    lines.extend(left_out(import));
    for gap in import.gaps.iter().take(TOLD_GAPS) {
        lines.push(format!("{} ({}): {}", gap.construct, gap.place.words(), gap.effect));
    }
    if TOLD_GAPS < import.gaps.len() {
        lines.push(format!("{} more constructs are not modelled exactly; the import lists them.", import.gaps.len() - TOLD_GAPS));
    }
    lines
}

/// Returns the sentence about restarts of a controller of Rockwell.
fn restarts(spec: &Specification) -> &'static str {
    match spec.restarts {
        Some(Restarts::Any) => {
            "The controller may restart at the start of any cycle (power, change to Run), but not within one: tags keep their \
             values, and the prescan comes again before the scan. All tasks run in that cycle."
        }
        Some(Restarts::Never) | None => {
            "A restart that keeps values (power, change to Run) is not looked at: state `restarts: any`, or name the tags that it \
             keeps under `memory`, with `start: any`."
        }
    }
}

/// Returns the line about the order of several programs.
fn order_of_programs(loaded: &Loaded, import: &Import) -> Option<String> {
    let [_, _, ..] = import.runs.as_slice() else { return None };
    let runs = import.runs.join(", ");
    let runs = plc_frontend::shown(&runs);
    Some(if loaded.dialect == DialectId::Logix {
        format!("The programs run in this order, each in the cycles of its task: {runs}.")
    } else {
        format!("One task runs {runs} in this order in every cycle.")
    })
}

/// Returns the line about parts of the project that are left out because of errors.
fn left_out(import: &Import) -> Option<String> {
    let parts = match import.left_out.len() {
        0 => return None,
        1 => "1 part of the project is".to_owned(),
        n => format!("{n} parts of the project are"),
    };
    let writes = if import.left_out.iter().any(|part| CUT.contains(&part.code.as_str())) {
        "Text is missing there: its code may write any variable between two cycles."
    } else {
        "Code there may write, between two cycles, the variables that its text names or that references lead to; it writes no \
         others."
    };
    Some(format!("{parts} left out because of errors. {writes}"))
}

/// Returns lines about code that has run before the first cycle.
fn before_the_first_cycle(project: &Project) -> Vec<String> {
    let mut lines = Vec::new();
    if !project.cold_start.is_empty() && project.leaves().iter().any(|leaf| starts_otherwise(project, leaf)) {
        lines.push("What runs before the first cycle (FB_init) has seen the declared initial values.".to_string());
    }
    if let Some(block) = project.start_up {
        let name = &project.pous[block.pou].name;
        lines.push(format!(
            "`{name}` has run once before the first cycle, on declared initial values and with inputs of the process image at zero."
        ));
    }
    lines
}

/// Returns whether a leaf may start with another value than the one that FB_init has seen.
fn starts_otherwise(project: &Project, leaf: &Leaf) -> bool {
    let reason = project.environment.get(&leaf.name).map(|setting| &setting.reason);
    leaf.start == Start::Any && !matches!(reason, Some(Reason::Stub(_) | Reason::NotComputed))
}

/// Constructs that are not modelled exactly and are told one by one.
const TOLD_GAPS: usize = 40;

/// Most groups of variables that are told.
const TOLD: usize = 12;

/// Most variables of a group that are named.
const NAMED: usize = 4;

/// Returns sentences about rows of the environment that a reader of the declarations may not expect: one for all rows with the same
/// part and the same reason.
fn shared(rows: &[SharedRow]) -> Vec<String> {
    let is_plain = |row: &&SharedRow| row.kind == SharedKind::Input && row.range.is_none() && row.why.starts_with("VAR_INPUT");
    let part = |row: &SharedRow| (row.kind, row.any_start, row.range.clone(), row.why.clone());
    let mut groups: Vec<Vec<&SharedRow>> = Vec::new();
    let mut places = BTreeMap::new();
    for row in rows.iter().filter(|row| !is_plain(row) && (row.kind != SharedKind::Frozen || row.stated)) {
        let at = *places.entry(part(row)).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    let mut lines: Vec<String> = groups.iter().take(TOLD).map(|group| sentence(group)).collect();
    match groups.iter().skip(TOLD).map(Vec::len).sum() {
        0 => {}
        1 => lines.push("1 more variable is shared with the outside; see the environment.".to_owned()),
        n => lines.push(format!("{n} more variables are shared with the outside; see the environment.")),
    }
    lines
}

/// Returns the sentence about variables with the same part in the environment.
fn sentence(group: &[&SharedRow]) -> String {
    let Some(row) = group.first() else { return String::new() };
    let is_one = group.len() == 1;
    let kind = match (row.kind, row.any_start) {
        (SharedKind::Input, _) => {
            if is_one {
                "an input"
            } else {
                "inputs"
            }
        }
        (SharedKind::Parameter, _) => {
            if is_one {
                "a parameter"
            } else {
                "parameters"
            }
        }
        (SharedKind::Memory, true) => "memory with any value at the start",
        (SharedKind::Memory, false) => "memory of the program",
        (SharedKind::Frozen, _) => {
            if is_one {
                "frozen at its initial value"
            } else {
                "frozen at their initial values"
            }
        }
    };
    let range = row.range.as_ref().map_or(String::new(), |range| format!(" in {range}"));
    let mut names: Vec<String> = group.iter().take(NAMED).map(|row| format!("`{}`", row.variable)).collect();
    match group.len().saturating_sub(NAMED) {
        0 => {}
        1 => names.push("1 more variable".to_owned()),
        n => names.push(format!("{n} more variables")),
    }
    let last = names.pop().unwrap_or_default();
    let names = if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) };
    format!("{names} {} {kind}{range} ({}).", if is_one { "is" } else { "are" }, row.why)
}

/// Returns a sentence about global variables that the program reads and writes, and that others might write too.
fn written_here_only(loaded: &Loaded) -> Option<String> {
    let leaves = loaded.project.leaves();
    let shown = Names::new(&loaded.project);
    // Nothing but the controller writes its bits.
    let is_bit_of_system = |leaf: &Leaf| loaded.project.tags_are_outputs && leaf.name.contains("__");
    let is_candidate = |leaf: &Leaf| {
        matches!(leaf.root, Root::Global(_)) && leaf.role == Role::Memory && !leaf.hidden && !is_bit_of_system(leaf)
    };
    if !leaves.iter().any(is_candidate) {
        return None;
    }
    let uses = usage(&loaded.project, &leaves, loaded.entry_is_chosen);
    let is_own = |leaf: &Leaf| !loaded.project.environment.contains_key(&leaf.name) && leaf.view.is_none();
    let both = leaves.iter().zip(&uses).filter(|(leaf, used)| is_candidate(leaf) && is_own(leaf) && used.read && used.written);
    let variable = |leaf: &Leaf| shown.show(leaf.name.split('[').next().unwrap_or(&leaf.name));
    let names: BTreeSet<String> = both.map(|(leaf, _)| format!("`{}`", variable(leaf))).collect();
    let few: Vec<&str> = names.iter().take(TOLD).map(String::as_str).collect();
    let more = match names.len().saturating_sub(TOLD) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    (!names.is_empty())
        .then(|| format!("Only this program writes {}{more}: if others do, name them under `inputs`.", few.join(", ")))
}

/// References to the caller's variables that may be one variable.
fn aliases(project: &Project) -> Option<String> {
    let in_outs = project.instances.iter().flat_map(|i| project.pous[i.pou].vars.iter()).filter(|v| v.section == Section::InOut);
    let names: Vec<String> = in_outs.map(|var| format!("`{}`", var.name)).collect();
    match names.as_slice() {
        [] => None,
        [one] => Some(format!("{one} is a variable of its own: no other variable shares its memory.")),
        [.., _] => Some(format!("{} are different variables: none shares memory with another.", names.join(", "))),
    }
}
