//! Reads and writes of every leaf, through calls, VAR_IN_OUT and references.
//!
//! The [summaries](super::summary) of all POUs that run are matched with the leaves. An access of a block's own variable counts
//! for the instances of the block that are called.
//!
//! Soundness: a leaf that some run writes counts as written. The converse need not hold: a branch may never be taken, or a
//! reference never refer to the leaf.

use std::collections::BTreeSet;

use super::accesses::Accesses;
use super::others::Others;
use super::summary::{Mode, Summaries};
use crate::hir::{Leaf, LeafElem, PouId, Project, Root, Type, TypeId, part_type};
use crate::text::Origin;

/// Uses of one leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// A statement that runs reads it.
    pub read: bool,
    /// A statement that runs may write it.
    pub written: bool,
    /// Code outside of the run that writes it.
    pub written_elsewhere: Option<Elsewhere>,
    /// It lies in an instance that no statement calls: steps of its path to the outermost one.
    pub dormant: Option<usize>,
}

impl Use {
    /// Returns the POU outside of the run that writes the leaf.
    pub(super) fn writer(&self) -> Option<PouId> {
        self.written_elsewhere.map(|writer| match writer {
            Elsewhere::Pou(pou) | Elsewhere::Caller(pou) => pou,
        })
    }
}

/// Code outside of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elsewhere {
    /// A POU that does not run here.
    Pou(PouId),
    /// The caller of the entry, with a member of the entry or of an instance inside; the block of an entry or of such an instance.
    Caller(PouId),
}

/// Returns the uses of all leaves of the project, in their order. With `entry_is_chosen`, the user's POUs that the entry does
/// not call run on the controller too, at unknown moments.
///
/// Cost: linear in statements, times the depth of calls with VAR_IN_OUT; a few look-ups for each leaf and block around it.
pub fn usage(project: &Project, leaves: &[Leaf], entry_is_chosen: bool) -> Vec<Use> {
    usage_beside(project, leaves, entry_is_chosen, &BTreeSet::new())
}

/// Returns the same where text that is left out may call some POUs at unknown moments, too.
pub(super) fn usage_beside(project: &Project, leaves: &[Leaf], entry_is_chosen: bool, called: &BTreeSet<PouId>) -> Vec<Use> {
    let summaries = Summaries::new(project);
    let mut runs: BTreeSet<PouId> = BTreeSet::new();
    for instance in &project.task.runs {
        summaries.reach(project.instances[*instance].pou, &mut runs);
    }
    project.start_up.iter().for_each(|start| summaries.reach(start.pou, &mut runs));
    let mut uses = vec![Use::default(); leaves.len()];
    let all = Accesses::of(&summaries, runs.iter().copied());
    let mut surroundings = Surroundings::new(project);
    let mut running: Vec<Frame> = Vec::new();
    for (leaf, used) in leaves.iter().zip(&mut uses) {
        let (around, is_same) = surroundings.of(leaf);
        if !is_same {
            running = all.running(leaf, around);
        }
        used.read = all.has(leaf, &running, Mode::Read);
        used.written = all.has(leaf, &running, Mode::Write);
        let sleeps = |block: &&Frame| !running.iter().any(|other| other.at == block.at);
        used.dormant = around.iter().find(sleeps).map(|block| block.at);
    }
    if entry_is_chosen || !called.is_empty() {
        let runs_elsewhere = |id: &PouId| project.pous[*id].origin == Origin::User && !project.idle.contains(id);
        let is_other = |id: &PouId| entry_is_chosen && runs_elsewhere(id) && !runs.contains(id);
        let others = project.pous.ids().filter(|id| called.contains(id) || is_other(id));
        let others = Others::new(&Summaries::beside(project), others.collect());
        let mut surroundings = Surroundings::new(project);
        for (leaf, used) in leaves.iter().zip(&mut uses) {
            // No other code can name it, nor call the program of B&R that it belongs to.
            if !is_first_cycle_flag(project, leaf) {
                used.written_elsewhere = others.writer(project, leaf, surroundings.of(leaf).0);
            }
        }
    }
    share(leaves, &mut uses, |a, b| Use {
        read: a.read || b.read,
        written: a.written || b.written,
        written_elsewhere: a.written_elsewhere.or(b.written_elsewhere),
        dormant: a.dormant.filter(|_| b.dormant.is_some()),
    });
    uses
}

/// Returns whether a leaf is the flag of a program of B&R that its first part has run.
pub(super) fn is_first_cycle_flag(project: &Project, leaf: &Leaf) -> bool {
    let (Root::Instance(instance), [LeafElem::Member(var)]) = (leaf.root, leaf.path.as_slice()) else { return false };
    project.pous[project.instances[instance].pou].vars[*var].name == crate::lang::br::DONE
}

/// Returns for each leaf whether the program, or what it calls, may write it.
pub(crate) fn writes_of(project: &Project, leaves: &[Leaf], program: PouId) -> Vec<bool> {
    let summaries = Summaries::new(project);
    let mut runs = BTreeSet::new();
    summaries.reach(program, &mut runs);
    let all = Accesses { programs: BTreeSet::from([program]), ..Accesses::of(&summaries, runs) };
    let writes = |leaf: &Leaf| all.has(leaf, &all.running(leaf, &blocks(project, leaf)), Mode::Write);
    let mut written: Vec<bool> = leaves.iter().map(writes).collect();
    share(leaves, &mut written, |a, b| a || b);
    written
}

/// Joins the rows of variables at one place: they are read and written together.
pub(super) fn share<T: Copy>(leaves: &[Leaf], uses: &mut [T], join: impl Fn(T, T) -> T) {
    let views: Vec<(usize, Vec<usize>)> = leaves
        .iter()
        .enumerate()
        .filter_map(|(at, leaf)| Some((at, leaf.view.as_ref()?.parts.iter().map(|part| part.of).collect())))
        .collect();
    for (view, cells) in &views {
        for cell in cells {
            uses[*cell] = join(uses[*cell], uses[*view]);
        }
    }
    for (view, cells) in &views {
        for cell in cells {
            uses[*view] = join(uses[*view], uses[*cell]);
        }
    }
}

/// A block or program that a leaf lies in: `at` steps of the leaf's path lead to the instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) pou: PouId,
    pub(super) at: usize,
}

/// Blocks around leaves, kept from leaf to leaf: all parts of a variable have the same.
pub(super) struct Surroundings<'p> {
    project: &'p Project,
    root: Option<Root>,
    /// Path of the last leaf up to its innermost variable.
    path: Vec<LeafElem>,
    blocks: Vec<Frame>,
}

impl<'p> Surroundings<'p> {
    pub(super) fn new(project: &'p Project) -> Surroundings<'p> {
        Surroundings { project, root: None, path: Vec::new(), blocks: Vec::new() }
    }

    /// Returns the blocks around a leaf, and whether they are those around the leaf before: then it is in the same variable.
    pub(super) fn of(&mut self, leaf: &Leaf) -> (&[Frame], bool) {
        let is_member = |step: &LeafElem| matches!(step, LeafElem::Member(_));
        let end = leaf.path.iter().rposition(is_member).map_or(0, |last| last + 1);
        let is_same = self.root == Some(leaf.root) && leaf.path[..end] == self.path;
        if !is_same {
            self.root = Some(leaf.root);
            self.path.clear();
            self.path.extend_from_slice(&leaf.path[..end]);
            self.blocks = blocks(self.project, leaf);
        }
        (&self.blocks, is_same)
    }
}

/// Returns the blocks around a leaf, outer ones first.
///
/// They depend on its root, and on its path up to the last variable of an instance.
pub(super) fn blocks(project: &Project, leaf: &Leaf) -> Vec<Frame> {
    let mut found = Vec::new();
    let mut ty: Option<TypeId> = match leaf.root {
        Root::Global(global) => Some(project.globals[global].ty),
        Root::Instance(instance) => {
            found.push(Frame { pou: project.instances[instance].pou, at: 0 });
            None
        }
        Root::Var(_) | Root::This(_) => return found,
    };
    for (at, step) in leaf.path.iter().enumerate() {
        if let Some(Type::FunctionBlock(pou)) = ty.map(|ty| &project.types[ty].ty) {
            found.push(Frame { pou: *pou, at });
        }
        let frame = found.last().filter(|frame| frame.at == at).map(|frame| frame.pou);
        ty = match (step, frame, ty) {
            (LeafElem::Member(var), Some(pou), _) => Some(project.pous[pou].vars[*var].ty),
            (step, None, Some(ty)) => part_type(project, ty, *step),
            (_, _, _) => None,
        };
    }
    found
}
