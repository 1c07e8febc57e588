//! Accesses of some POUs, and the blocks around a leaf that they run.

use std::collections::{BTreeMap, BTreeSet};

use super::access_tree::AccessTree;
use super::summary::{Access, Base, Mode, Step, Summaries};
use super::usage::Frame;
use crate::hir::{Leaf, LeafElem, Pou, PouId, Project, Root, Section, Type, VarId};

/// Accesses of some POUs, by their start.
#[derive(Default)]
pub(super) struct Accesses {
    /// Of a block's own variables.
    pub(super) own: BTreeMap<(PouId, VarId), AccessTree>,
    /// Blocks with an access of a whole instance by its own body.
    pub(super) whole: BTreeSet<(PouId, Mode)>,
    /// Of variables of the project and instances of the task.
    pub(super) roots: BTreeMap<Root, AccessTree>,
    /// Programs that run by themselves; a variable holds the instance of one that others name.
    pub(super) programs: BTreeSet<PouId>,
}

impl Accesses {
    pub(super) fn of(summaries: &Summaries<'_>, pous: impl IntoIterator<Item = PouId>) -> Accesses {
        let mut all = Accesses::default();
        for pou in pous {
            summaries.of(pou).iter().for_each(|access| all.add(summaries.project, pou, access));
        }
        all
    }

    /// Adds an access of a POU.
    pub(super) fn add(&mut self, project: &Project, pou: PouId, (base, path, mode): &Access) {
        match base {
            Base::Own(None) => {
                self.whole.insert((pou, *mode));
            }
            Base::Own(Some(var)) => {
                self.own.entry((pou, *var)).or_default().insert(path, *mode);
                if let (Pou::THIS, Some(block), Some((Step::Member(member), rest))) =
                    (*var, block_of(project, pou), path.split_first())
                {
                    self.own.entry((block, *member)).or_default().insert(rest, *mode);
                }
            }
            Base::Global(global) => self.roots.entry(Root::Global(*global)).or_default().insert(path, *mode),
            Base::Instance(instance) => self.roots.entry(Root::Instance(*instance)).or_default().insert(path, *mode),
        }
    }

    /// Returns whether an access of this mode reaches the leaf; `running` are the blocks around it that run.
    pub(super) fn has(&self, leaf: &Leaf, running: &[Frame], mode: Mode) -> bool {
        let path = leaf.path.as_slice();
        self.roots.get(&leaf.root).is_some_and(|tree| tree.covers(path, mode))
            || running.iter().any(|block| self.reaches(*block, path, mode))
    }

    /// Returns the blocks around a leaf that run: an entry, and the instances that are called.
    pub(super) fn running(&self, leaf: &Leaf, blocks: &[Frame]) -> Vec<Frame> {
        let direct = self.roots.get(&leaf.root);
        let mut frames: Vec<Frame> = Vec::new();
        for block in blocks {
            let is_entry = block.at == 0 && (matches!(leaf.root, Root::Instance(_)) || self.programs.contains(&block.pou));
            let before = leaf.path.get(..block.at).unwrap_or_default();
            let runs = is_entry
                || direct.is_some_and(|tree| tree.ends_at(before, Mode::Run))
                || frames.iter().any(|frame| self.calls(*frame, before));
            if runs {
                frames.push(*block);
            }
        }
        frames
    }

    /// Returns whether the body of a block around a path has an access that covers it.
    pub(super) fn reaches(&self, block: Frame, path: &[LeafElem], mode: Mode) -> bool {
        let Some((var, rest)) = member_of(block, path) else { return false };
        let is_whole = || self.whole.contains(&(block.pou, mode));
        self.own.get(&(block.pou, var)).is_some_and(|tree| tree.covers(rest, mode)) || is_whole()
    }

    /// Returns whether the body of a block around a path calls the instance at the path.
    fn calls(&self, block: Frame, path: &[LeafElem]) -> bool {
        let Some((var, rest)) = member_of(block, path) else { return false };
        self.own.get(&(block.pou, var)).is_some_and(|tree| tree.ends_at(rest, Mode::Run))
    }
}

/// Returns the variable of a block that a path leads through, and the rest of the path.
pub(super) fn member_of(block: Frame, path: &[LeafElem]) -> Option<(VarId, &[LeafElem])> {
    let (first, rest) = path.get(block.at..)?.split_first()?;
    if let LeafElem::Member(var) = first { Some((*var, rest)) } else { None }
}

/// Returns the block whose instance a method refers to.
pub(super) fn block_of(project: &Project, method: PouId) -> Option<PouId> {
    let this = project.pous[method].vars.get(Pou::THIS).filter(|var| var.section == Section::InOut)?;
    if let Type::FunctionBlock(block) = project.types[this.ty].ty { Some(block) } else { None }
}
