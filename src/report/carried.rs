//! Tags of Studio 5000 whose last write by the program decides an answer: nothing else may write them between two scans.
//!
//! Operators write tags from their panels, and messages of other controllers do. A scan that reads a tag before it writes the tag sees
//! such a write. A tag without external access for writing has no condition.
//!
//! Soundness: the value of another tag is written in each scan before a statement or the requirement reads it.

use std::collections::BTreeSet;

use plc_frontend::Loaded;
use plc_frontend::dialect::DialectId;
use plc_frontend::environment::usage;
use plc_frontend::hir::{Leaf, LeafElem, Role, Root, Type};
use plc_frontend::source::Span;

use super::dependence::{declarations, known, variable_of};
use super::names::Names;
use super::outcome::Condition;
use super::place::place;
use kernel::cfa::Model;
use kernel::expr::VarId;

/// Step that settles the condition.
const WAY_OUT: &str = "A panel or a message may write them, too. Name those under `inputs` that the outside may write, and the others \
                       under `memory`.";

/// Begin and end of the condition.
const BEGIN: &str = "only this program writes ";
const END: &str = " between two scans";

/// Tags that are named; of more the number is.
const NAMED: usize = 8;

/// Returns the leaves that the program writes and that others may write too, with their variables.
pub(super) fn written(loaded: &Loaded, model: &Model, leaves: &[Leaf], is_told: impl Fn(&Leaf) -> bool) -> Vec<(Leaf, VarId)> {
    if loaded.dialect != DialectId::Logix {
        return Vec::new();
    }
    let uses = usage(&loaded.project, leaves, loaded.entry_is_chosen);
    let names = Names::new(&loaded.project);
    let is_own = |leaf: &Leaf| matches!(leaf.role, Role::Memory | Role::Output) && !leaf.constant && !leaf.stopwatch;
    // The import adds variables with names that no tag has.
    let is_tag =
        |leaf: &Leaf| !is_of_chart(loaded, leaf) && !leaf.hidden && !names.is_added(&leaf.name) && !leaf.name.contains("__");
    let written: BTreeSet<&str> =
        leaves.iter().zip(&uses).filter(|(_, used)| used.written).map(|(leaf, _)| leaf.name.as_str()).collect();
    let rows = model.leaves.iter().filter(|(leaf, _)| written.contains(leaf.name.as_str()) && is_own(leaf));
    let rows = rows.map(|(leaf, var)| (known(leaves, leaf), *var)).filter(|(leaf, _)| is_tag(leaf) && !is_told(leaf));
    rows.filter(|(leaf, _)| others_may_write(loaded, leaf)).map(|(leaf, var)| (leaf.clone(), var)).collect()
}

/// Returns whether a leaf is part of a step or an action of a chart, whose bits nothing but the chart sets.
fn is_of_chart(loaded: &Loaded, leaf: &Leaf) -> bool {
    let project = &loaded.project;
    let ty = match (leaf.root, leaf.path.first()) {
        (Root::Instance(instance), Some(LeafElem::Member(var))) => project.pous[project.instances[instance].pou].vars[*var].ty,
        (Root::Global(global), _) => project.globals[global].ty,
        (Root::Instance(_) | Root::Var(_) | Root::This(_), _) => return false,
    };
    matches!(&project.types[ty].ty, Type::FunctionBlock(block) if project.pous[*block].name.starts_with("__SFC"))
}

/// Returns the condition about some of these leaves.
pub(super) fn condition(loaded: &Loaded, leaves: &[&Leaf]) -> Option<Condition> {
    let names = Names::new(&loaded.project);
    let mut tags: Vec<String> = Vec::new();
    for leaf in leaves {
        let tag = format!("`{}`", names.show(variable_of(&leaf.name, leaf.root)));
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    let more = match tags.len().saturating_sub(NAMED) {
        0 => None,
        1 => Some("1 more tag".to_owned()),
        n => Some(format!("{n} more tags")),
    };
    tags.truncate(NAMED);
    tags.extend(more);
    let last = tags.pop()?;
    let tags = if tags.is_empty() { last } else { format!("{} and {last}", tags.join(", ")) };
    let at = leaves.first().map(|leaf| declarations(&loaded.project, leaf).first().map_or(leaf.span, |(span, _)| *span));
    let text = format!("{BEGIN}{tags}{END}");
    Some(Condition { text, detail: Some(WAY_OUT.to_owned()), place: at.map(|span| place(&loaded.sources, span)) })
}

/// Returns whether one condition of this kind names all tags of another one.
pub(super) fn covers(all: &Condition, part: &Condition) -> bool {
    let tags = |condition: &Condition| {
        let tags = condition.text.strip_prefix(BEGIN)?.strip_suffix(END)?;
        let named: BTreeSet<String> = tags.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        let is_whole = !tags.ends_with(" more tag") && !tags.ends_with(" more tags");
        Some((named, is_whole))
    };
    let (Some((all, _)), Some((part, true))) = (tags(all), tags(part)) else { return false };
    part.is_subset(&all)
}

/// Returns whether panels and other controllers may write a leaf, by the external access of the tag and of its parts.
fn others_may_write(loaded: &Loaded, leaf: &Leaf) -> bool {
    !declarations(&loaded.project, leaf).into_iter().any(|(span, _)| is_closed(loaded, span))
}

/// Returns whether a declaration allows no writes from the outside.
fn is_closed(loaded: &Loaded, span: Span) -> bool {
    let Some(file) = loaded.sources.files.get(span.file) else { return false };
    let before = file.text.get(..span.end as usize).unwrap_or_default();
    if file.text.trim_start().starts_with('<') {
        let tag = before.rfind('<').and_then(|start| file.text.get(start..)?.split('>').next()).unwrap_or_default();
        return ["Read Only", "None"].iter().any(|access| tag.contains(&format!("ExternalAccess=\"{access}\"")));
    }
    // Texts in quotes may hold semicolons.
    let rest = file.text.get(span.start as usize..).unwrap_or_default();
    let plain: String = rest.split('"').step_by(2).take(64).collect();
    let row: String = plain.split(';').next().unwrap_or_default().split_whitespace().collect();
    ["ReadOnly", "None"].iter().any(|access| row.contains(&format!("ExternalAccess:={access}")))
}
