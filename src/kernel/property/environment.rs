//! Environment of a program from its specification: paths are matched with leaves, kinds are set, ranges become assumptions.
//!
//! If two rows name one leaf, the longer path counts: `inputs: [Hmi.*]` with `frozen: [Hmi.Version]` leaves the version as it is.
//! The length is that of the full path, `Main.Level` for `Level`, without stars. Contradicting rows of equal length are an error.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::Loaded;
use plc_frontend::environment::usage;
use plc_frontend::hir::{GlobalId, Kind, Leaf, ProgramInstance, Project, Reason, Root, Setting, Start, View};

use super::requirements::SpecProblem;
use super::shared_variable::SharedVariable;
use super::spec::{Restarts, RunStart, Sampling, Specification};
pub use range::Range;
use range::below;
use spellings::{names_of, plain, spellings};
use starts::{no_prescan, retained, unknown_retention};

mod range;
mod spellings;
mod starts;

/// A row of the specification with the leaves that it names.
struct Row<'s> {
    pointer: String,
    kind: Kind,
    shared: &'s SharedVariable,
    /// Positions of leaves, each with the length of the path that names it.
    named: BTreeMap<usize, usize>,
}

/// Returns the rows of a specification, one line each, for certificates.
pub fn stated(spec: &Specification) -> Vec<String> {
    let lists = [("inputs", &spec.inputs), ("parameters", &spec.parameters), ("memory", &spec.memory), ("frozen", &spec.frozen)];
    let row = |key: &str, shared: &SharedVariable| {
        let range = shared.range.as_ref().map_or(String::new(), |(low, high)| format!(" in {low}..{high}"));
        let start = if shared.any_start { ", any start" } else { "" };
        format!("{key}: {}{range}{start}", shared.path)
    };
    let rows = lists.iter().flat_map(|(key, list)| list.iter().map(|shared| row(key, shared)));
    let warm = (spec.start == Some(RunStart::Warm)).then(|| "start: warm".to_owned());
    let sampling = (spec.sampling == Some(Sampling::Asynchronous)).then(|| "sampling: asynchronous".to_owned());
    let restarts = (spec.restarts == Some(Restarts::Any)).then(|| "restarts: any".to_owned());
    warm.into_iter().chain(sampling).chain(restarts).chain(rows).collect()
}

/// Sets the environment of a program. Returns the ranges, and the problems of rows; a row with a problem has no effect.
///
/// Soundness: no executed statement writes a leaf that is `frozen` or a parameter.
pub fn apply(spec: &Specification, loaded: &mut Loaded) -> (Vec<Range>, Vec<SpecProblem>) {
    let (leaves, names) = (loaded.project.leaves(), loaded.names_of_globals());
    let mut problems = Vec::new();
    let mut settings: BTreeMap<String, Setting> = BTreeMap::new();
    if spec.start == Some(RunStart::Warm) {
        let setting = Setting { kind: Kind::Memory, start: Start::Any, reason: Reason::Retained };
        settings.extend(retained(&leaves).map(|leaf| (leaf.name.clone(), setting.clone())));
        problems.extend(unknown_retention(loaded));
    }
    if spec.restarts == Some(Restarts::Any) {
        problems.extend(no_prescan(loaded));
    }
    let rows = rows(spec, &loaded.project, &leaves, &names, &mut problems);
    let decided = decide(&rows, &leaves, &mut problems);
    let uses = if decided.is_empty() { Vec::new() } else { usage(&loaded.project, &leaves, loaded.entry_is_chosen) };
    let mut ranges: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (at, row) in decided {
        let (leaf, Row { pointer, kind, shared, .. }) = (&leaves[at], &rows[row]);
        if matches!(leaf.root, Root::Global(global) if loaded.project.at_call.contains(&global)) {
            // A pattern means the variables around them.
            if shared.path.contains('*') {
                continue;
            }
            let message = format!("`{}` is what calls of a stub give, and stands in no row of the environment", shared.path);
            let name = leaf.name.trim_end_matches(" (at call)");
            let help = format!("State what you know of it under `assumptions`: `{name} >= 0 AND {name} <= 100`.");
            problems.push(SpecProblem::new(pointer.clone(), message, Some(help)));
            continue;
        }
        if matches!(kind, Kind::Frozen | Kind::Parameter) && uses[at].written {
            let name = &leaf.name;
            let message = format!("`{}`: the program writes `{name}`, so it keeps no value", shared.path);
            let help =
                format!("Name it under `memory` (`- {name}: any start` if it may begin with any value), or under `inputs`.");
            problems.push(SpecProblem::new(pointer.clone(), message, Some(help)));
            continue;
        }
        let start = match (kind, shared.any_start) {
            (Kind::Memory, true) | (Kind::Parameter, _) => Start::Any,
            // A start that is not known stays so.
            (Kind::Memory, false) => leaf.start,
            (Kind::Input | Kind::Frozen, _) => Start::Initial,
        };
        let reason = Reason::Stated(format!("{}: {}", key_of(*kind), shared.path));
        settings.insert(leaf.name.clone(), Setting { kind: *kind, start, reason });
        if shared.range.is_some() {
            ranges.entry(row).or_default().push(leaf.name.clone());
        }
    }
    for row in &rows {
        problems.extend(misplaced(row));
    }
    if problems.is_empty() {
        loaded.project.environment.extend(settings);
        loaded.note_stated_starts();
    }
    let mut reads = Vec::new();
    if problems.is_empty() && spec.sampling == Some(Sampling::Asynchronous) {
        reads = loaded.make_asynchronous(&ranges.values().flatten().cloned().collect());
    }
    // Reads of the input that says whether the controller restarts are no reads of the program.
    if problems.is_empty() && spec.restarts == Some(Restarts::Any) {
        loaded.make_restarting();
    }
    let shadowed = loaded.project.shadowed_names();
    let spelled = leaves.iter().map(|leaf| (leaf.name.clone(), loaded.project.spelled(leaf.root, &leaf.name, &shadowed)));
    let spelled: BTreeMap<String, String> = spelled.filter(|(name, spelled)| name != spelled).collect();
    let range = |(row, leaves): (usize, Vec<String>)| {
        let Row { pointer, shared, .. } = &rows[row];
        // A read has the range of its input, and its parts have those of the parts.
        let own =
            reads.iter().flat_map(|(of, read)| leaves.iter().filter_map(move |leaf| Some(format!("{read}{}", below(leaf, of)?))));
        let leaves = leaves.iter().cloned().chain(own).collect();
        let names = spelled.clone();
        Some(Range { pointer: pointer.clone(), path: shared.path.clone(), ends: shared.range.clone()?, leaves, names })
    };
    (ranges.into_iter().filter_map(range).collect(), problems)
}

/// Returns the problem of a start or range without a meaning.
fn misplaced(row: &Row<'_>) -> Option<SpecProblem> {
    let (path, key) = (&row.shared.path, key_of(row.kind));
    let (message, help) = match (row.kind, row.shared.any_start, &row.shared.range) {
        (Kind::Input | Kind::Frozen | Kind::Parameter, true, _) => (
            format!("`{path}`: only `memory` may begin with any start"),
            format!("Take `any start` away, or move it from `{key}` to `memory`."),
        ),
        (Kind::Frozen, false, Some(_)) => (
            format!("`{path}`: a frozen variable keeps its initial value and has no range"),
            "Move it to `parameters` if it may have any value of the range.".to_owned(),
        ),
        (Kind::Memory, false, Some(_)) => (
            format!("`{path}`: the program writes its memory, so a range says something about its start only"),
            format!("Write `{{ path: {path}, range: …, start: any }}`, or state a requirement `always: …`."),
        ),
        (Kind::Input | Kind::Parameter | Kind::Memory, _, Some((low, high))) if is_empty(low, high) => {
            (format!("`{path}`: no value is from {low} to {high}"), format!("Write the lower end first: `{high}..{low}`."))
        }
        (Kind::Input | Kind::Parameter | Kind::Memory | Kind::Frozen, _, _) => return None,
    };
    Some(SpecProblem::new(row.pointer.clone(), message, Some(help)))
}

/// Returns whether a range of two plain numbers holds none.
fn is_empty(low: &str, high: &str) -> bool {
    let number = |text: &str| text.trim().replace('_', "").parse::<f64>().ok();
    matches!((number(low), number(high)), (Some(low), Some(high)) if high < low)
}

/// Returns the key of the requirement file.
pub fn key_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Input => "inputs",
        Kind::Parameter => "parameters",
        Kind::Memory => "memory",
        Kind::Frozen => "frozen",
    }
}

/// Returns all rows with the leaves that they name.
fn rows<'s>(
    spec: &'s Specification,
    project: &Project,
    leaves: &[Leaf],
    names: &BTreeMap<GlobalId, BTreeSet<String>>,
    problems: &mut Vec<SpecProblem>,
) -> Vec<Row<'s>> {
    let lists = [
        (Kind::Input, &spec.inputs),
        (Kind::Parameter, &spec.parameters),
        (Kind::Memory, &spec.memory),
        (Kind::Frozen, &spec.frozen),
    ];
    if lists.iter().all(|(_, list)| list.is_empty()) {
        return Vec::new();
    }
    let spellings: Vec<Vec<String>> = leaves.iter().map(|leaf| spellings(project, leaf, names)).collect();
    let mut rows = Vec::new();
    for (kind, list) in lists {
        for (i, shared) in list.iter().enumerate() {
            let pointer = format!("/{}/{i}", key_of(kind));
            match named(shared, project, leaves, &spellings) {
                Ok(named) => rows.push(Row { pointer, kind, shared, named }),
                Err((message, help)) => problems.push(SpecProblem::new(pointer, message, help)),
            }
        }
    }
    rows
}

/// Returns the deciding row of each named leaf.
fn decide(rows: &[Row<'_>], leaves: &[Leaf], problems: &mut Vec<SpecProblem>) -> BTreeMap<usize, usize> {
    let mut decided: BTreeMap<usize, usize> = BTreeMap::new();
    let mut told = BTreeSet::new();
    for (at, row) in rows.iter().enumerate() {
        for (leaf, length) in &row.named {
            let Some(&other) = decided.get(leaf) else {
                decided.insert(*leaf, at);
                continue;
            };
            let before = &rows[other];
            let length_before = before.named.get(leaf).copied().unwrap_or_default();
            if length_before < *length {
                decided.insert(*leaf, at);
            } else if length_before == *length
                && (before.kind, &before.shared.range) != (row.kind, &row.shared.range)
                && told.insert((other, at))
            {
                let (name, one, two) = (&leaves[*leaf].name, key_of(before.kind), key_of(row.kind));
                let message = format!("`{name}` stands under `{one}` and under `{two}`");
                problems.push(SpecProblem::new(row.pointer.clone(), message, Some("Keep one of them.".to_owned())));
            }
        }
    }
    decided
}

/// Returns the leaves that a path names, with the length of the path in full. The error is a sentence with a way out.
fn named(
    shared: &SharedVariable,
    project: &Project,
    leaves: &[Leaf],
    spellings: &[Vec<String>],
) -> Result<BTreeMap<usize, usize>, (String, Option<String>)> {
    let path = &shared.path;
    let mut wanted = plain(path);
    let mut scope = None;
    if project.tags_are_outputs {
        // Tags of modules, of programs and of the controller, as Studio 5000 and requirements write them.
        scope = wanted.strip_prefix('\\').map(|name| name.split(['.', '[']).next().unwrap_or(name).to_owned());
        wanted = wanted.trim_start_matches('\\').replace(':', "_");
    }
    let has_star = wanted.contains('*');
    // A path names all leaves below it.
    let patterns = [wanted.clone(), format!("{wanted}.*"), format!("{wanted}[*")];
    let fits = |name: &String| {
        if has_star {
            patterns.iter().any(|pattern| matches(pattern.as_bytes(), name.as_bytes()))
        } else {
            name.strip_prefix(&wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        }
    };
    let mut found: Vec<usize> = (0..leaves.len()).filter(|at| spellings[*at].iter().any(fits)).collect();
    if let Some(scope) = scope {
        let is_program = |instance: &ProgramInstance| names_of(project, instance).contains(&scope);
        let is_program = project.instances.iter().any(is_program);
        let is_local = |at: &usize| matches!(leaves[*at].root, Root::Instance(_));
        found.retain(|at| has_star || is_local(at) == is_program);
    }
    let of_program = |at: &&usize| matches!(leaves[**at].root, Root::Instance(_)) && !fits(&plain(&leaves[**at].name));
    let of_global = |at: &usize| matches!(leaves[*at].root, Root::Global(_));
    if let Some(own) = found.iter().find(of_program).filter(|_| !has_star && found.iter().any(of_global)) {
        let own = &leaves[*own].name;
        let own = own.split('.').next().unwrap_or(own);
        let other = if project.tags_are_outputs {
            format!("`\\{path}` for that of the controller")
        } else {
            "the list of the global one with it".to_owned()
        };
        let help = format!("Write `{own}.{path}` for that of the program, or {other}.");
        return Err((format!("`{path}` is a global variable, and `{own}` has a variable of this name"), Some(help)));
    }
    // The name of a program means its variable of that name, if there is one.
    if project.instances.iter().any(|instance| plain(&instance.name) == wanted) {
        let of_variable = |at: &usize| spellings[*at].iter().any(|name| *name != plain(&leaves[*at].name) && fits(name));
        let own: Vec<usize> = found.iter().copied().filter(of_variable).collect();
        found = if own.is_empty() { found } else { own };
    }
    if found.is_empty() || wanted.is_empty() {
        return Err(unknown(path, leaves));
    }
    let instances: BTreeSet<Root> =
        found.iter().map(|at| leaves[*at].root).filter(|root| matches!(root, Root::Instance(_))).collect();
    let full = |at: &usize| plain(&leaves[*at].name);
    if !has_star && 1 < instances.len() && !found.iter().any(|at| fits(&full(at))) {
        let names: Vec<String> = project.instances.iter().map(|instance| format!("`{}.{path}`", instance.name)).collect();
        return Err((format!("several programs have a variable `{path}`"), Some(format!("Write one of {}.", names.join(", ")))));
    }
    let is_variable = |at: &usize| !leaves[*at].constant && leaves[*at].init.is_some();
    // A pattern covers visible leaves, and hidden ones that others write; a name covers all.
    let is_shared = |at: &usize| project.environment.contains_key(&leaves[*at].name);
    let is_seen = |at: &usize| !has_star || (!leaves[*at].hidden && !leaves[*at].stopwatch) || is_shared(at);
    // `Hmi` and `Hmi.*` are one path.
    let own_length = wanted.trim_end_matches(['*', '.', '[']).chars().filter(|c| *c != '*').count();
    let length = |at: usize| {
        let spelled = spellings[at].iter().filter(|name| fits(name)).map(|name| name.chars().count()).max().unwrap_or_default();
        (own_length + leaves[at].name.chars().count()).saturating_sub(spelled)
    };
    let mut kept: BTreeMap<usize, usize> = BTreeMap::new();
    for at in found.iter().copied().filter(|at| is_variable(at) && is_seen(at)) {
        match &leaves[at].view {
            None => {
                kept.insert(at, length(at));
            }
            // A pattern names the cells too, if one of them has a name.
            Some(_) if has_star => {}
            Some(view) => match shared.range {
                None => {
                    let cells = whole_cells(project, leaves, view).map_err(|cell| part_of_memory(path, cell))?;
                    kept.extend(cells.into_iter().map(|cell| (cell, length(at))));
                }
                Some(_) => {
                    let help = "State the range as an assumption about it.".to_owned();
                    return Err((format!("`{path}` shares the memory of other variables and takes no range here"), Some(help)));
                }
            },
        }
    }
    if kept.is_empty() {
        let is_constant = found.iter().all(|at| leaves[*at].constant);
        let why = if is_constant { "it is CONSTANT" } else { "values of its type are not modelled" };
        return Err((format!("`{path}` cannot be shared: {why}"), None));
    }
    Ok(kept)
}

/// Returns the error about a path that no variable fits.
fn unknown(path: &str, leaves: &[Leaf]) -> (String, Option<String>) {
    let known: BTreeSet<&str> = leaves.iter().filter(|leaf| !leaf.hidden).map(|leaf| leaf.name.as_str()).collect();
    let near = plc_frontend::environment::nearest(path, &known);
    let help = near.map_or("Paths are as in requirements: `Main.Level`, `Hmi.OpenCmd`, `Hmi.*`.".to_owned(), |near| {
        format!("Did you mean `{near}`?")
    });
    (format!("no variable fits the path `{path}`"), Some(help))
}

/// Returns the cells of a view that consists of whole cells. The error names a cell of which it has only a part.
fn whole_cells<'l>(project: &Project, leaves: &'l [Leaf], view: &View<usize>) -> Result<Vec<usize>, &'l str> {
    let mut widths: BTreeMap<usize, u32> = BTreeMap::new();
    for part in &view.parts {
        *widths.entry(part.of).or_default() += u32::from(part.width);
    }
    let whole = |cell: usize| project.int_type(leaves[cell].ty).map_or(1, |int| u32::from(int.bits));
    match widths.iter().find(|(cell, width)| **width < whole(**cell)) {
        Some((cell, _)) => Err(&leaves[*cell].name),
        None => Ok(widths.into_keys().collect()),
    }
}

fn part_of_memory(path: &str, cell: &str) -> (String, Option<String>) {
    (format!("`{path}` is a part of the memory of `{cell}`"), Some(format!("Name `{cell}` instead.")))
}

/// Returns whether a pattern with `*` fits a whole name. Cost: the product of the lengths.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let mut ends = vec![false; name.len() + 1];
    ends[0] = true;
    for c in pattern {
        let mut next = vec![false; name.len() + 1];
        if *c == b'*' {
            let mut seen = false;
            for (at, end) in ends.iter().enumerate() {
                seen |= end;
                next[at] = seen;
            }
        } else {
            for at in 0..name.len() {
                next[at + 1] = ends[at] && name[at] == *c;
            }
        }
        ends = next;
    }
    ends[name.len()]
}

#[cfg(test)]
mod tests;
