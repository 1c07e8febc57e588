//! Reads and writes of every leaf, through calls, VAR_IN_OUT and references.
//!
//! The [summaries](super::summary) of all POUs that run are matched with the leaves. An access of a block's own variable counts
//! for the instances of the block that are called.
//!
//! Soundness: a leaf that some run writes counts as written. The converse need not hold: a branch may never be taken, or a
//! reference never refer to the leaf.

use std::collections::{BTreeMap, BTreeSet};

use super::summary::{Base, Mode, Step, Summaries};
use crate::hir::{GlobalId, InstanceId, Leaf, LeafElem, Pou, PouId, Project, Root, Section, Type, TypeId, VarId, part_type};
use crate::text::Origin;

/// Uses of one leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// A statement that runs reads it.
    pub read: bool,
    /// A statement that runs may write it.
    pub written: bool,
    /// A POU that writes it and does not run.
    pub written_elsewhere: Option<PouId>,
    /// It lies in an instance that no statement calls: steps of its path to the outermost one.
    pub dormant: Option<usize>,
}

/// Returns the uses of all leaves of the project, in their order. With `entry_is_chosen`, the user's POUs that the entry does
/// not call run on the controller too, at unknown moments.
///
/// Cost: linear in statements, times the depth of calls with VAR_IN_OUT; one look-up for each leaf and block around it.
pub fn usage(project: &Project, leaves: &[Leaf], entry_is_chosen: bool) -> Vec<Use> {
    let summaries = Summaries::new(project);
    let mut runs: BTreeSet<PouId> = BTreeSet::new();
    for instance in &project.task.runs {
        summaries.reach(project.instances[*instance].pou, &mut runs);
    }
    let mut uses = vec![Use::default(); leaves.len()];
    let all = Accesses::of(&summaries, runs.iter().copied());
    for (leaf, used) in leaves.iter().zip(&mut uses) {
        used.read = all.has(project, leaf, Mode::Read);
        used.written = all.has(project, leaf, Mode::Write);
        let around = blocks(project, leaf);
        let running = all.running(leaf, &around);
        let sleeps = |block: &&Frame| !running.iter().any(|other| other.at == block.at);
        used.dormant = around.iter().find(sleeps).map(|block| block.at);
    }
    if entry_is_chosen {
        let others = project.pous.iter_enumerated().filter(|(id, pou)| pou.origin == Origin::User && !runs.contains(id));
        let others: Vec<PouId> = others.map(|(id, _)| id).collect();
        let together = Accesses::of(&summaries, others.iter().copied());
        let touched = |leaf: &Leaf| together.has(project, leaf, Mode::Write);
        let touched: Vec<usize> = (0..leaves.len()).filter(|at| touched(&leaves[*at])).collect();
        let each: Vec<(PouId, Accesses)> = others.into_iter().map(|id| (id, Accesses::of(&summaries, [id]))).collect();
        for at in touched {
            let writes = |(_, own): &&(PouId, Accesses)| own.has(project, &leaves[at], Mode::Write);
            uses[at].written_elsewhere = each.iter().find(writes).map(|(id, _)| *id);
        }
    }
    share(leaves, &mut uses);
    uses
}

/// Joins the uses of variables at one place: they are read and written together.
fn share(leaves: &[Leaf], uses: &mut [Use]) {
    let join = |a: Use, b: Use| Use {
        read: a.read || b.read,
        written: a.written || b.written,
        written_elsewhere: a.written_elsewhere.or(b.written_elsewhere),
        dormant: a.dormant.filter(|_| b.dormant.is_some()),
    };
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

/// Accesses by their steps below a start.
type Paths = BTreeSet<(Vec<Step>, Mode)>;

/// Accesses of some POUs, by their start.
#[derive(Default)]
struct Accesses {
    /// Of a block's own variables; `None` for the whole instance.
    own: BTreeMap<(PouId, Option<VarId>), Paths>,
    globals: BTreeMap<GlobalId, Paths>,
    instances: BTreeMap<InstanceId, Paths>,
}

impl Accesses {
    fn of(summaries: &Summaries<'_>, pous: impl IntoIterator<Item = PouId>) -> Accesses {
        let mut all = Accesses::default();
        for pou in pous {
            let block = block_of(summaries.project, pou);
            for (base, path, mode) in summaries.of(pou) {
                match base {
                    Base::Own(var) => {
                        all.own.entry((pou, *var)).or_default().insert((path.clone(), *mode));
                        if let (Some(Pou::THIS), Some(block), Some((Step::Member(member), rest))) =
                            (*var, block, path.split_first())
                        {
                            all.own.entry((block, Some(*member))).or_default().insert((rest.to_vec(), *mode));
                        }
                        true
                    }
                    Base::Global(global) => all.globals.entry(*global).or_default().insert((path.clone(), *mode)),
                    Base::Instance(instance) => all.instances.entry(*instance).or_default().insert((path.clone(), *mode)),
                };
            }
        }
        all
    }

    /// Returns whether an access of this mode reaches the leaf.
    fn has(&self, project: &Project, leaf: &Leaf, mode: Mode) -> bool {
        let path = leaf.path.as_slice();
        self.absolute(leaf.root).iter().any(|(steps, m)| *m == mode && covers(steps, path))
            || self.running(leaf, &blocks(project, leaf)).iter().any(|block| self.reaches(*block, path, mode, false))
    }

    /// Returns the blocks around a leaf that run: an entry, and the instances that are called.
    fn running(&self, leaf: &Leaf, blocks: &[Frame]) -> Vec<Frame> {
        let direct = self.absolute(leaf.root);
        let mut frames: Vec<Frame> = Vec::new();
        for block in blocks {
            let is_entry = block.at == 0 && matches!(leaf.root, Root::Instance(_));
            let before = leaf.path.get(..block.at).unwrap_or_default();
            let is_here = |steps: &[Step]| steps.len() == before.len() && covers(steps, before);
            let runs = is_entry
                || direct.iter().any(|(steps, m)| *m == Mode::Run && is_here(steps))
                || frames.iter().any(|frame| self.reaches(*frame, before, Mode::Run, true));
            if runs {
                frames.push(*block);
            }
        }
        frames
    }

    /// Returns the accesses of a variable of the project.
    fn absolute(&self, root: Root) -> Vec<(&[Step], Mode)> {
        let found = match root {
            Root::Global(global) => self.globals.get(&global),
            Root::Instance(instance) => self.instances.get(&instance),
            Root::Var(_) | Root::This(_) => None,
        };
        found.into_iter().flatten().map(|(steps, mode)| (steps.as_slice(), *mode)).collect()
    }

    /// Returns whether the body of a block around a path has an access that covers it. With `exactly`, the access must also end
    /// where the path ends.
    fn reaches(&self, block: Frame, path: &[LeafElem], mode: Mode, exactly: bool) -> bool {
        let Some((LeafElem::Member(var), rest)) = path.get(block.at..).and_then(<[LeafElem]>::split_first) else { return false };
        let own = |start: Option<VarId>| self.own.get(&(block.pou, start)).into_iter().flatten().filter(|(_, m)| *m == mode);
        let is_whole = !exactly && own(None).next().is_some();
        is_whole || own(Some(*var)).any(|(steps, _)| covers(steps, rest) && (!exactly || steps.len() == rest.len()))
    }
}

/// Returns the block whose instance a method refers to.
fn block_of(project: &Project, method: PouId) -> Option<PouId> {
    let this = project.pous[method].vars.get(Pou::THIS).filter(|var| var.section == Section::InOut)?;
    if let Type::FunctionBlock(block) = project.types[this.ty].ty { Some(block) } else { None }
}

/// A block or program that a leaf lies in: `at` steps of the leaf's path lead to the instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) pou: PouId,
    pub(super) at: usize,
}

/// Returns the blocks around a leaf, outer ones first.
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

/// Returns whether the steps lead to the path or to a part around it.
fn covers(steps: &[Step], path: &[LeafElem]) -> bool {
    steps.len() <= path.len() && steps.iter().zip(path).all(|(step, elem)| step.covers(*elem))
}
