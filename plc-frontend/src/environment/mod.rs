//! Default environment of a program: leaves that are inputs without a section that says so.
//!
//! | leaf | kind |
//! |---|---|
//! | VAR_INPUT, VAR_IN_OUT of the entry, located at %I | input |
//! | global, read, never written, without an initial value | input |
//! | global or variable of the entry, written by a POU that does not run here | input |
//! | the same, written by calls that the caller of an entry may do: it is a block | input |
//! | the same, written by a POU that such a part or statement may call | input |
//! | the same, at an address that may overlap one of a POU that does not run here | input |
//! | the same, named in a part that is left out, or in a statement that is not modelled and does not run here | input |
//! | global that no file declares | input; parameter if it is taken for a constant |
//! | variable of an instance of a stub | memory with any value at the start |
//! | variable whose value before the first cycle cannot be computed (FB_init, an initial value that is no constant) | the same |
//! | everything else that no statement writes | its initial value, named by each answer that depends on it |
//!
//! Knows the HIR; no requirement, no automaton. The table can be changed by a user's requirement file.

mod access_tree;
mod accesses;
mod asynchronous;
mod beside;
mod beside_files;
mod beside_settings;
#[cfg(test)]
mod beside_tests;
mod bodies;
mod called_names;
mod caller;
#[cfg(test)]
mod caller_tests;
mod idle;
mod index_writes;
mod initial_writes;
mod located;
mod mentions;
mod others;
mod outside_writes;
#[cfg(test)]
mod outside_writes_tests;
mod restarts;
mod shared_addresses;
mod summary;
#[cfg(test)]
mod task_tests;
#[cfg(test)]
mod tests;
mod text_names;
mod unread;
mod usage;
mod value_ranges;
#[cfg(test)]
mod virtual_tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::hir::{Interface, Kind, Leaf, LeafElem, Pou, PouId, PouKind, Project, Reason, Role, Root, Setting, Start};
pub(crate) use asynchronous::{asynchronous, is_loop, repeated};
pub(crate) use beside::{Runs as RunsBeside, beside_array, note as note_beside};
pub(crate) use beside_files::note as note_beside_files;
pub(crate) use bodies::{bodies, reached};
pub(crate) use called_names::{is_whole_c, without_asides};
pub(crate) use caller::CallerAccess;
pub(crate) use idle::{idle, note_idle};
pub(crate) use index_writes::{FixedNames, index_write};
pub use initial_writes::initial_writes;
pub(crate) use mentions::{Home, Mentions, NotRead};
pub(crate) use outside_writes::outside_writes;
pub(crate) use restarts::restarts;
pub(crate) use usage::writes_of;
pub use usage::{Elsewhere, Use, usage};
use usage::{Frame, Surroundings, blocks, usage_beside};

/// Returns the name nearest to `path`, if it is near enough for a typing error; `known` are canonical names.
pub fn nearest<'k>(path: &str, known: &BTreeSet<&'k str>) -> Option<&'k str> {
    let inside = |name: &&'k str| name.split_once('.').map(|(_, rest)| rest).filter(|_| !path.contains('.'));
    let short: BTreeMap<&str, &'k str> = known.iter().filter_map(|name| Some((inside(name)?, *name))).collect();
    let candidates = known.iter().copied().chain(short.keys().copied());
    let found = crate::text::suggest::nearest(path, candidates)?;
    known.get(found).copied().or_else(|| short.get(found).copied())
}

/// Returns the settings of the leaves that are inputs by default, without those that their section makes inputs.
///
/// Soundness: a leaf that is no input is written by the program, or keeps its initial value; [`frozen`] lists the latter.
pub(crate) fn defaults(project: &Project, entry_is_chosen: bool, mentions: &Mentions) -> BTreeMap<String, Setting> {
    let leaves = project.leaves();
    let called = mentions.called(project);
    let uses = usage_beside(project, &leaves, entry_is_chosen, &called);
    let mut settings = stub_starts(project, &leaves);
    settings.append(&mut not_computed(project, &leaves));
    let named = named(&leaves);
    let mentioned = mentions.written(project, &leaves);
    let at_address = shared_addresses::shared(project, &leaves, &mentions.memory);
    for (at, (leaf, used)) in leaves.iter().zip(&uses).enumerate() {
        if let Some(setting) = unknown(project, leaf) {
            settings.insert(leaf.name.clone(), setting);
            continue;
        }
        if !can_be_shared(project, leaf) {
            continue;
        }
        let is_unknown =
            named[at] && matches!(leaf.root, Root::Global(_)) && leaf.role == Role::Memory && !in_program(project, leaf);
        let is_unknown = is_unknown && !leaf.stopwatch && !project.references.contains_key(&leaf.ty);
        let reason = match used.written_elsewhere {
            Some(Elsewhere::Pou(pou)) if mentioned[at] && called.contains(&pou) => Reason::Mentioned,
            Some(Elsewhere::Pou(pou)) => Reason::WrittenElsewhere(pou),
            Some(Elsewhere::Caller(pou)) => Reason::CalledFromOutside(pou),
            None if mentioned[at] => Reason::Mentioned,
            None if at_address[at] => Reason::SharesAddress,
            None if is_unknown && !used.written && used.read && !leaf.explicit => Reason::NeverWritten,
            None => continue,
        };
        settings.insert(leaf.name.clone(), Setting { kind: Kind::Input, start: Start::Initial, reason });
    }
    settings
}

/// Returns the names of the leaves that code beside a chosen entry writes; `None` if the run uses one of them.
///
/// Soundness: a variable that no file declares may be written by all code. Code that writes without a name has conditions of its own.
/// A value that changes in the middle of a cycle decides more than that at its beginning: `a <> a`.
pub(crate) fn written_beside(project: &Project, mentions: &Mentions) -> Option<BTreeSet<String>> {
    let leaves = project.leaves();
    let uses = usage_beside(project, &leaves, true, &mentions.called(project));
    let mentioned = mentions.written(project, &leaves);
    let at_address = shared_addresses::shared(project, &leaves, &mentions.memory);
    let is_written = |at: &usize| {
        let is_unknown = matches!(leaves[*at].root, Root::Global(global) if project.unknown_globals.contains_key(&global));
        uses[*at].written_elsewhere.is_some() || mentioned[*at] || at_address[*at] || is_unknown
    };
    let written: Vec<usize> = (0..leaves.len()).filter(is_written).collect();
    let is_used = written.iter().any(|at| uses[*at].read || uses[*at].written);
    (!is_used).then(|| written.into_iter().map(|at| leaves[at].name.clone()).collect())
}

/// Returns the setting of a part of a global variable whose value no file tells.
///
/// Soundness: the outside may write it, also if the program does.
fn unknown(project: &Project, leaf: &Leaf) -> Option<Setting> {
    let Root::Global(global) = leaf.root else { return None };
    let keeps_value = project.unknown_globals.get(&global)?;
    let is_plain = !leaf.constant && leaf.view.is_none() && leaf.init.is_some() && !project.references.contains_key(&leaf.ty);
    let kind = if *keeps_value { Kind::Parameter } else { Kind::Input };
    is_plain.then_some(Setting { kind, start: Start::Initial, reason: Reason::Undeclared })
}

/// Returns the stub that a leaf is inside of, or that a block around it extends.
pub fn stub_around(project: &Project, leaf: &Leaf) -> Option<PouId> {
    let pou = outermost_stub(project, &blocks(project, leaf)).filter(|frame| is_of_stub(project, *frame, leaf))?.pou;
    Some(project.stub_heirs.get(&pou).map_or(pou, |heir| heir.base))
}

/// Returns the outermost of some blocks that is a stub or extends one.
fn outermost_stub(project: &Project, blocks: &[Frame]) -> Option<Frame> {
    let is_stub = |frame: &&Frame| project.stubs.contains_key(&frame.pou) || project.stub_heirs.contains_key(&frame.pou);
    blocks.iter().find(is_stub).copied()
}

/// Returns whether a leaf belongs to what a stub knows of a block around it.
fn is_of_stub(project: &Project, frame: Frame, leaf: &Leaf) -> bool {
    let Some(LeafElem::Member(var)) = leaf.path.get(frame.at) else { return true };
    project.is_of_stub(frame.pou, &project.pous[frame.pou].vars[*var])
}

/// Returns the settings of the variables of stubs: their values before the first call are not known.
///
/// Soundness: a declared stub has the initial values that are written in its declaration or in that of the instance.
pub(crate) fn stub_starts(project: &Project, leaves: &[Leaf]) -> BTreeMap<String, Setting> {
    let mut settings = BTreeMap::new();
    if project.stubs.is_empty() {
        return settings;
    }
    let mut surroundings = Surroundings::new(project);
    let is_init = |pou: &&Pou| pou.name.rsplit('.').next().is_some_and(|name| name.eq_ignore_ascii_case("FB_init"));
    let with_init: BTreeSet<PouId> = project.pous.iter().filter(is_init).filter_map(|pou| pou.member_of).collect();
    let mut pou = None;
    for leaf in leaves {
        let (blocks, is_same) = surroundings.of(leaf);
        if !is_same {
            pou = outermost_stub(project, blocks).filter(|frame| is_of_stub(project, *frame, leaf)).map(|frame| frame.pou);
        }
        let Some(pou) = pou else { continue };
        let stub = project.stub_heirs.get(&pou).map_or(pou, |heir| heir.base);
        let is_declared = project.stubs.get(&stub).is_some_and(|stub| stub.interface != Interface::Inferred);
        // What the FB_init of a stub writes is not known. That of a block that extends it is code, which runs.
        let is_known = leaf.explicit && is_declared && !with_init.contains(&stub);
        let is_plain = !leaf.constant && !leaf.stopwatch && leaf.view.is_none() && leaf.init.is_some();
        let is_own = matches!(leaf.role, Role::Memory | Role::Output) && !project.references.contains_key(&leaf.ty);
        if is_plain && is_own && !is_known {
            let setting = Setting { kind: Kind::Memory, start: Start::Any, reason: Reason::Stub(pou) };
            settings.insert(leaf.name.clone(), setting);
        }
    }
    settings
}

/// Returns the settings of the variables that code may write before the first cycle in a way that is not computed.
///
/// A reference may start with a number that is no target: then following it is a fault.
fn not_computed(project: &Project, leaves: &[Leaf]) -> BTreeMap<String, Setting> {
    let is_written = |leaf: &&Leaf| {
        let is_plain = !leaf.constant && !leaf.stopwatch && leaf.view.is_none() && leaf.init.is_some();
        is_plain && matches!(leaf.role, Role::Memory | Role::Output) && project.not_computed.contains(&leaf.name)
    };
    let setting = Setting { kind: Kind::Memory, start: Start::Any, reason: Reason::NotComputed };
    leaves.iter().filter(is_written).map(|leaf| (leaf.name.clone(), setting.clone())).collect()
}

/// Returns the positions of the leaves that keep their initial values although neither CONSTANT nor the user says so.
///
/// Own variables of standard blocks that are called, and variables that the user cannot name, are left out.
pub fn frozen(project: &Project, leaves: &[Leaf], entry_is_chosen: bool) -> Vec<usize> {
    let uses = usage(project, leaves, entry_is_chosen);
    let named = named(leaves);
    let is_frozen = |at: usize, (leaf, used): (&Leaf, &Use)| {
        let is_variable = !leaf.constant
            && named[at]
            && leaf.view.is_none()
            && !leaf.stopwatch
            && leaf.init.is_some()
            && leaf.start == Start::Initial;
        let is_connected = used.dormant.is_some() || !in_standard_block(project, leaf);
        let is_own = matches!(leaf.role, Role::Memory | Role::Output) && is_connected;
        is_variable && is_own && !used.written && !is_stated(project, leaf)
    };
    let rows = leaves.iter().zip(&uses).enumerate();
    rows.filter(|(at, row)| is_frozen(*at, (row.0, row.1))).map(|(at, _)| at).collect()
}

/// Returns for each leaf whether a user can name it: by its own name, or as a part of a variable that shares its memory.
fn named(leaves: &[Leaf]) -> Vec<bool> {
    let mut named: Vec<bool> = leaves.iter().map(|leaf| !leaf.hidden).collect();
    for view in leaves.iter().filter(|leaf| !leaf.hidden).filter_map(|leaf| leaf.view.as_ref()) {
        view.parts.iter().for_each(|part| named[part.of] = true);
    }
    named
}

/// Returns whether the user states the kind of the leaf.
fn is_stated(project: &Project, leaf: &Leaf) -> bool {
    project.environment.get(&leaf.name).is_some_and(|setting| matches!(setting.reason, Reason::Stated(_)))
}

/// Returns whether others can write the leaf: parts of global variables and of data blocks, and variables of the entry.
///
/// Soundness: memory that no user can name changes with the instance that it belongs to. A reference may refer to anything then; one
/// without a target that is known ends the run with a fault.
fn can_be_shared(project: &Project, leaf: &Leaf) -> bool {
    let is_plain = !leaf.constant && leaf.view.is_none() && leaf.init.is_some();
    let is_reachable = match leaf.root {
        Root::Global(global) => !project.at_call.contains(&global),
        Root::Instance(_) => true,
        Root::Var(_) | Root::This(_) => false,
    };
    is_plain && is_reachable && matches!(leaf.role, Role::Memory | Role::Output)
}

/// Returns whether the leaf belongs to an instance of a standard block. Its inputs count: an input that is not connected
/// keeps its default by the block's definition.
fn in_standard_block(project: &Project, leaf: &Leaf) -> bool {
    owners(project, leaf).any(|pou| project.pous[pou].origin.is_ours())
}

/// Returns whether the leaf belongs to a PROGRAM that another program calls.
fn in_program(project: &Project, leaf: &Leaf) -> bool {
    owners(project, leaf).any(|pou| project.pous[pou].kind == PouKind::Program)
}

/// Returns the blocks and programs around a leaf, without the instance of the task.
fn owners(project: &Project, leaf: &Leaf) -> impl Iterator<Item = PouId> {
    let is_entry = |frame: &Frame| frame.at == 0 && matches!(leaf.root, Root::Instance(_));
    let frames: Vec<Frame> = blocks(project, leaf).into_iter().filter(|frame| !is_entry(frame)).collect();
    frames.into_iter().map(|frame| frame.pou)
}
