//! Reads and writes of every leaf, through calls, VAR_IN_OUT and references.
//!
//! The [summaries](super::summary) of all POUs that run are matched with the leaves. An access of a block's own
//! variable counts for every instance of the block.
//!
//! Soundness: a leaf that some run writes counts as written. One that counts as written may stay as it is, where a
//! branch is never taken or a reference never refers to it.

use std::collections::{BTreeMap, BTreeSet};

use super::summary::{Base, Mode, Step, Summaries};
use crate::hir::{GlobalId, InstanceId, Leaf, LeafElem, PouId, Project, Root, Type, VarId};
use crate::source::Origin;

/// Uses of one leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// A statement that runs reads it.
    pub read: bool,
    /// A statement that runs may write it.
    pub written: bool,
    /// A POU that writes it and does not run.
    pub written_elsewhere: Option<PouId>,
}

/// Uses of all leaves, which are the project's, in their order. `entry_is_chosen`: user's POUs beside the entry's run
/// on the controller too, at moments that are not known here.
///
/// Cost: linear in statements, times the depth of calls with VAR_IN_OUT; one look-up for each leaf and block around it.
pub fn usage(project: &Project, leaves: &[Leaf], entry_is_chosen: bool) -> Vec<Use> {
    let mut summaries = Summaries::new(project);
    let mut runs: BTreeSet<PouId> = BTreeSet::new();
    for instance in &project.task.runs {
        summaries.reach(project.instances[*instance].pou, &mut runs);
    }
    let mut uses = vec![Use::default(); leaves.len()];
    let all = Accesses::of(&mut summaries, runs.iter().copied());
    for (leaf, used) in leaves.iter().zip(&mut uses) {
        used.read = all.has(project, leaf, Mode::Read);
        used.written = all.has(project, leaf, Mode::Write);
    }
    if entry_is_chosen {
        let others = project.pous.iter_enumerated().filter(|(id, pou)| pou.origin == Origin::User && !runs.contains(id));
        let others: Vec<PouId> = others.map(|(id, _)| id).collect();
        let together = Accesses::of(&mut summaries, others.iter().copied());
        let is_global = |leaf: &Leaf| matches!(leaf.root, Root::Global(_));
        let touched = |leaf: &Leaf| is_global(leaf) && together.has(project, leaf, Mode::Write);
        let touched: Vec<usize> = (0..leaves.len()).filter(|at| touched(&leaves[*at])).collect();
        let each: Vec<(PouId, Accesses)> = others.into_iter().map(|id| (id, Accesses::of(&mut summaries, [id]))).collect();
        for at in touched {
            let writes = |(_, own): &&(PouId, Accesses)| own.has(project, &leaves[at], Mode::Write);
            uses[at].written_elsewhere = each.iter().find(writes).map(|(id, _)| *id);
        }
    }
    share(leaves, &mut uses);
    uses
}

/// Variables at one place are read and written together.
fn share(leaves: &[Leaf], uses: &mut [Use]) {
    let join = |a: Use, b: Use| Use {
        read: a.read || b.read,
        written: a.written || b.written,
        written_elsewhere: a.written_elsewhere.or(b.written_elsewhere),
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

/// Accesses of a block's own variables.
type OwnAccesses = BTreeSet<(Option<VarId>, Vec<Step>, Mode)>;

/// Accesses of some POUs, by where they start.
#[derive(Default)]
struct Accesses {
    own: BTreeMap<PouId, OwnAccesses>,
    globals: BTreeMap<GlobalId, BTreeSet<(Vec<Step>, Mode)>>,
    instances: BTreeMap<InstanceId, BTreeSet<(Vec<Step>, Mode)>>,
}

impl Accesses {
    fn of(summaries: &mut Summaries<'_>, pous: impl IntoIterator<Item = PouId>) -> Accesses {
        let mut all = Accesses::default();
        for pou in pous {
            for (base, path, mode) in summaries.of(pou) {
                match base {
                    Base::Own(var) => all.own.entry(pou).or_default().insert((*var, path.clone(), *mode)),
                    Base::Global(global) => all.globals.entry(*global).or_default().insert((path.clone(), *mode)),
                    Base::Instance(instance) => all.instances.entry(*instance).or_default().insert((path.clone(), *mode)),
                };
            }
        }
        all
    }

    /// Returns whether an access of this mode reaches the leaf.
    fn has(&self, project: &Project, leaf: &Leaf, mode: Mode) -> bool {
        let rest = leaf.path.as_slice();
        let covers = |path: &[Step], rest: &[LeafElem]| {
            path.len() <= rest.len() && path.iter().zip(rest).all(|(step, elem)| step.covers(*elem))
        };
        let direct = |set: Option<&BTreeSet<(Vec<Step>, Mode)>>| {
            set.is_some_and(|set| set.iter().any(|(path, m)| *m == mode && covers(path, rest)))
        };
        let (mut pou, mut ty) = match leaf.root {
            Root::Global(global) if direct(self.globals.get(&global)) => return true,
            Root::Instance(instance) if direct(self.instances.get(&instance)) => return true,
            Root::Global(global) => (None, Some(project.globals[global].ty)),
            Root::Instance(instance) => (Some(project.instances[instance].pou), None),
            Root::Var(_) | Root::This(_) => return false,
        };
        for (at, step) in rest.iter().enumerate() {
            if let (None, Some(Type::FunctionBlock(block))) = (pou, ty.map(|ty| &project.types[ty].ty)) {
                pou = Some(*block);
            }
            ty = match (step, pou, ty.map(|ty| &project.types[ty].ty)) {
                (LeafElem::Member(var), Some(block), _) => {
                    let mut own = self.own.get(&block).into_iter().flatten();
                    let reaches = |(base, path, m): &(Option<VarId>, Vec<Step>, Mode)| {
                        let is_there = base.is_none_or(|base| base == *var);
                        // Of the whole instance the path is empty.
                        *m == mode && is_there && (base.is_none() || covers(path, &rest[at + 1..]))
                    };
                    if own.any(reaches) {
                        return true;
                    }
                    Some(project.pous[block].vars[*var].ty)
                }
                (LeafElem::Field(field), None, Some(Type::Struct { fields })) => Some(fields[*field as usize].ty),
                (LeafElem::Index(_), None, Some(Type::Array { elem, .. })) => Some(*elem),
                (LeafElem::Member(_) | LeafElem::Field(_) | LeafElem::Index(_), _, _) => return false,
            };
            pou = None;
        }
        false
    }
}
