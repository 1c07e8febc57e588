//! The environment as people read it: one row for each variable that the program shares with the outside.

use std::collections::BTreeMap;

use plc_frontend::Loaded;
use plc_frontend::environment::frozen;
use plc_frontend::hir::{Kind, Leaf, LeafElem, Project, Reason, Role, Root, Section, Start, type_to_st};
use plc_frontend::lang::{SYSTEM_WRITES, is_system_address};
use plc_frontend::ledger::{Gap, Treatment};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::dependence::initial;
use super::names::Names;
use super::outcome::Place;
use super::place::place;
use kernel::property::environment::Range;

/// A variable that the program shares with the outside, or that keeps its initial value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SharedRow {
    /// Path, as a requirement file names it.
    pub variable: String,
    /// IEC type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its kind.
    pub kind: SharedKind,
    /// Starts with any value.
    pub any_start: bool,
    /// `lower..upper`, if its values are restricted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// Initial value of a frozen scalar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<String>,
    /// The reason for the kind.
    pub why: String,
    /// The user stated it.
    pub stated: bool,
    /// Declaration.
    pub place: Place,
}

/// Kind of a variable in the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SharedKind {
    /// Any value at the start of every cycle.
    Input,
    /// Any value at the start of the run, then constant.
    Parameter,
    /// The program's own.
    Memory,
    /// Keeps its initial value: no statement writes it.
    Frozen,
}

impl SharedKind {
    /// Returns the kind in one word.
    pub fn word(self) -> &'static str {
        match self {
            SharedKind::Input => "input",
            SharedKind::Parameter => "parameter",
            SharedKind::Memory => "memory",
            SharedKind::Frozen => "frozen",
        }
    }
}

impl SharedRow {
    /// Returns values that the variable may have, in a few words.
    pub fn values(&self) -> String {
        let any = match (self.kind, self.any_start) {
            (SharedKind::Input, _) => "any in every cycle",
            (SharedKind::Parameter, _) => "any at the start",
            (SharedKind::Memory, true) => "any at the start, then what the program writes",
            (SharedKind::Memory, false) => "what the program writes",
            (SharedKind::Frozen, _) => "its initial value",
        };
        match (&self.range, &self.initial) {
            (Some(range), _) => format!("{any}, {range}"),
            (None, Some(initial)) => format!("{any} {initial}"),
            (None, None) => any.to_owned(),
        }
    }
}

impl From<Kind> for SharedKind {
    fn from(kind: Kind) -> SharedKind {
        match kind {
            Kind::Input => SharedKind::Input,
            Kind::Parameter => SharedKind::Parameter,
            Kind::Memory => SharedKind::Memory,
            Kind::Frozen => SharedKind::Frozen,
        }
    }
}

/// Rows that are listed; more are counted.
pub const MOST_ROWS: usize = 2_000;

/// One leaf's part.
#[derive(Clone, PartialEq, Eq)]
struct Part {
    kind: SharedKind,
    any_start: bool,
    range: Option<String>,
    why: String,
    stated: bool,
}

/// Returns all rows, in the order of declarations.
pub fn environment(loaded: &Loaded, ranges: &[Range]) -> Vec<SharedRow> {
    let project = &loaded.project;
    let leaves = project.leaves();
    let mut ranged: BTreeMap<&str, String> = BTreeMap::new();
    for range in ranges {
        ranged.extend(range.leaves.iter().map(|leaf| (leaf.as_str(), format!("{}..{}", range.ends.0, range.ends.1))));
    }
    let mut kept = vec![false; leaves.len()];
    frozen(project, &leaves, loaded.entry_is_chosen).into_iter().for_each(|at| kept[at] = true);
    let mut parts: Vec<Option<Part>> = Vec::with_capacity(leaves.len());
    for (leaf, kept) in leaves.iter().zip(&kept) {
        parts.push(part(loaded, leaf, *kept).map(|part| Part { range: ranged.get(leaf.name.as_str()).cloned(), ..part }));
    }
    let names = Names::new(project);
    let mut rows = Vec::new();
    let mut at = 0;
    while at < leaves.len() {
        let variable = |leaf: &Leaf| (leaf.root, leaf.path.first().copied().filter(|_| matches!(leaf.root, Root::Instance(_))));
        let own = variable(&leaves[at]);
        let end = (at..leaves.len()).find(|i| variable(&leaves[*i]) != own).unwrap_or(leaves.len());
        let visible: Vec<usize> = (at..end).filter(|i| !leaves[*i].hidden && !leaves[*i].constant).collect();
        let same = visible.first().is_some_and(|first| visible.iter().all(|i| parts[*i] == parts[*first]));
        let is_row = |i: &usize| parts[*i].is_some();
        let row = |variable: String, ty: String, leaf: &Leaf, initial: Option<String>, part: &Part| SharedRow {
            variable,
            ty,
            kind: part.kind,
            any_start: part.any_start,
            range: part.range.clone(),
            initial: initial.filter(|_| part.kind == SharedKind::Frozen),
            why: part.why.clone(),
            stated: part.stated,
            place: place(&loaded.sources, leaf.span),
        };
        match (same, visible.as_slice()) {
            (true, [first, _, ..]) => {
                if let Some(part) = &parts[*first] {
                    let (name, ty) = whole(project, &leaves[*first]);
                    rows.push(row(names.show(&name), ty, &leaves[*first], None, part));
                }
            }
            (_, several) => {
                for i in several.iter().filter(|i| is_row(i)) {
                    let (leaf, Some(part)) = (&leaves[*i], &parts[*i]) else { continue };
                    let ty = type_to_st(project, leaf.ty);
                    rows.push(row(names.show(&leaf.name), ty, leaf, Some(initial(project, leaf)), part));
                }
            }
        }
        at = end;
    }
    rows
}

/// Returns the name and type of the variable that a leaf is a part of.
fn whole(project: &Project, leaf: &Leaf) -> (String, String) {
    match (leaf.root, leaf.path.first()) {
        (Root::Instance(instance), Some(LeafElem::Member(var))) => {
            let instance = &project.instances[instance];
            let var = &project.pous[instance.pou].vars[*var];
            (format!("{}.{}", instance.name, var.name), type_to_st(project, var.ty))
        }
        (Root::Global(global), _) => {
            let var = &project.globals[global];
            (var.name.clone(), type_to_st(project, var.ty))
        }
        (_, _) => (leaf.name.clone(), type_to_st(project, leaf.ty)),
    }
}

/// Returns a clause about a variable that no statement of the model writes. Statements that are not modelled may.
pub(super) fn unwritten(loaded: &Loaded) -> String {
    let line = |gap: &Gap| loaded.sources.line_col(gap.span).line;
    match loaded.ledger.gaps.iter().find(|gap| gap.treatment == Treatment::Unsupported) {
        None => "no statement writes it".to_owned(),
        Some(gap) => format!("no statement that is modelled writes it; line {} is not modelled", line(gap)),
    }
}

/// Returns the leaf's part in the environment; `None` for memory of the program alone.
fn part(loaded: &Loaded, leaf: &Leaf, kept: bool) -> Option<Part> {
    let project = &loaded.project;
    let setting = project.environment.get(&leaf.name);
    let kind = match (setting, leaf.role) {
        (Some(setting), _) => setting.kind.into(),
        (None, Role::Input) => SharedKind::Input,
        (None, _) if kept => SharedKind::Frozen,
        (None, _) => return None,
    };
    if leaf.constant {
        return None;
    }
    let why = match setting.map(|setting| &setting.reason) {
        Some(Reason::EntryInOut) => in_out(),
        Some(Reason::NeverWritten) => format!("global variable without an initial value; {}", unwritten(loaded)),
        Some(Reason::WrittenElsewhere(pou)) => format!("`{}` writes it and does not run here", project.pous[*pou].name),
        Some(Reason::CalledFromOutside(pou)) => {
            format!("code that calls the entry may use `{}`, which writes it", project.pous[*pou].name)
        }
        Some(Reason::Mentioned) => "named in a part of the project that is not understood".to_owned(),
        Some(Reason::SharesAddress) => "a program that does not run here has a variable at its address".to_owned(),
        Some(Reason::Retained) => "RETAIN at a warm start".to_owned(),
        Some(Reason::Stub(pou)) => format!("inside of the stub `{}`", project.pous[*pou].name),
        Some(Reason::NotComputed) => "its value before the first cycle cannot be computed".to_owned(),
        Some(Reason::Undeclared) => "declared in no file".to_owned(),
        Some(Reason::Stated(text)) => format!("stated: `{text}`"),
        None if kind == SharedKind::Frozen => unwritten(loaded),
        None if is_at_call(project, leaf) => "not known before the call".to_owned(),
        None => match section(project, leaf) {
            Some(Section::InOut) => in_out(),
            Some(Section::Input) => "VAR_INPUT of the entry".to_owned(),
            Some(_) | None if is_of_system(loaded, leaf) => "system or clock memory, which the system writes".to_owned(),
            Some(Section::Output | Section::Local | Section::Temp | Section::Result | Section::Global) | None => {
                "located at an input (%I)".to_owned()
            }
        },
    };
    let stated = matches!(setting.map(|setting| &setting.reason), Some(Reason::Stated(_)));
    let any_start = leaf.start == Start::Any;
    Some(Part { kind, any_start, range: None, why, stated })
}

/// Returns whether the leaf is a tag of the system memory or the clock memory of TIA Portal.
fn is_of_system(loaded: &Loaded, leaf: &Leaf) -> bool {
    let Root::Global(global) = leaf.root else { return false };
    let var = &loaded.project.globals[global];
    let mut rows = loaded.ledger.ignored.iter().filter(|row| row.why == SYSTEM_WRITES);
    var.address.as_ref().is_some_and(is_system_address) && rows.any(|row| row.span.file == var.span.file)
}

/// Returns whether the leaf gives values to a variable that has any value at a call.
fn is_at_call(project: &Project, leaf: &Leaf) -> bool {
    matches!(leaf.root, Root::Global(global) if project.at_call.contains(&global))
}

fn in_out() -> String {
    "VAR_IN_OUT of the entry; its caller or a panel may write it".to_owned()
}

fn section(project: &Project, leaf: &Leaf) -> Option<Section> {
    match (leaf.root, leaf.path.first()) {
        (Root::Instance(instance), Some(LeafElem::Member(var))) => {
            Some(project.pous[project.instances[instance].pou].vars[*var].section)
        }
        (_, _) => None,
    }
}
