//! Writes by code that does not run here: other POUs, and calls of the entry's members and instances by its caller.

use std::collections::{BTreeMap, BTreeSet};

use super::accesses::{Accesses, block_of};
use super::caller::{CallerAccess, is_fb_init};
use super::summary::{Access, Base, Mode, Step, Summaries};
use super::usage::{Elsewhere, Frame};
use crate::hir::{Leaf, PouId, PouKind, Project, Root, TypeId};

/// POUs that do not run here and what they call, with their accesses.
pub(super) struct Others {
    /// Of all of them, and of those that callers of entries may call.
    together: Accesses,
    /// Of each by itself.
    pous: Vec<(PouId, Accesses)>,
    /// Of each that callers of entries may call and that runs here.
    callable: Vec<(PouId, Accesses)>,
    /// Positions of those that have an access of the variable, in order.
    by_root: BTreeMap<Root, Vec<usize>>,
    /// Positions of those that have an access of the variables of a block.
    by_block: BTreeMap<PouId, Vec<usize>>,
    /// Blocks that are entries, with the accesses that count for the entry.
    entries: BTreeMap<PouId, Accesses>,
}

impl Others {
    /// Reads the accesses of POUs that do not run here; `ids` are the user's.
    ///
    /// Soundness: an instance that one of them calls runs the body of its block, which may run here, too.
    pub(super) fn new(summaries: &Summaries<'_>, ids: Vec<PouId>) -> Others {
        let project = summaries.project;
        let mut reached = BTreeSet::new();
        ids.iter().for_each(|id| summaries.reach(*id, &mut reached));
        let is_program = |id: &PouId| project.pous[*id].kind == PouKind::Program;
        let programs = ids.iter().copied().filter(is_program).collect();
        let (mut entries, mut called) = (BTreeMap::new(), BTreeSet::new());
        for caller in CallerAccess::of_entries(project) {
            entries.insert(caller.entry, beside_entry(summaries, &reached, &caller));
            called.extend(caller.calls);
        }
        let callable: Vec<PouId> = called.iter().copied().filter(|pou| !ids.contains(pou)).collect();
        called.iter().for_each(|pou| summaries.reach(*pou, &mut reached));
        let each = |ids: Vec<PouId>| ids.into_iter().map(|id| (id, Accesses::of(summaries, [id]))).collect();
        let together = Accesses { programs, ..Accesses::of(summaries, reached) };
        let (pous, callable): (Vec<(PouId, Accesses)>, _) = (each(ids), each(callable));
        let (mut by_root, mut by_block): (BTreeMap<Root, Vec<usize>>, BTreeMap<PouId, Vec<usize>>) = Default::default();
        for (at, (_, accesses)) in pous.iter().enumerate() {
            accesses.roots.keys().for_each(|root| by_root.entry(*root).or_default().push(at));
            let whole = accesses.whole.iter().map(|(pou, _)| *pou);
            let blocks: BTreeSet<PouId> = accesses.own.keys().map(|(pou, _)| *pou).chain(whole).collect();
            blocks.into_iter().for_each(|pou| by_block.entry(pou).or_default().push(at));
        }
        Others { together, pous, callable, by_root, by_block, entries }
    }

    /// Returns the origin of a write of the leaf, if there may be one: the first POU that writes it by itself, else the first that
    /// leads to it, else the caller of the entry.
    ///
    /// `around` are the blocks around the leaf.
    pub(super) fn writer(&self, project: &Project, leaf: &Leaf, around: &[Frame]) -> Option<Elsewhere> {
        let entry = match leaf.root {
            Root::Instance(instance) => Some(project.instances[instance].pou),
            Root::Global(_) | Root::Var(_) | Root::This(_) => None,
        };
        let all = entry.and_then(|pou| self.entries.get(&pou)).unwrap_or(&self.together);
        if !all.has(leaf, &all.running(leaf, around), Mode::Write) {
            return None;
        }
        let of_root = self.by_root.get(&leaf.root);
        let of_block = entry.and_then(|pou| self.by_block.get(&pou));
        let asked: BTreeSet<usize> = of_root.into_iter().chain(of_block).flatten().copied().collect();
        let writes = |(_, own): &&(PouId, Accesses)| own.has(leaf, &own.running(leaf, around), Mode::Write);
        let by_itself = || asked.iter().filter_map(|at| self.pous.get(*at)).find(writes).map(|(id, _)| Elsewhere::Pou(*id));
        // The caller reaches all blocks around the leaf.
        let by_caller = || self.callable.iter().find(|(_, own)| own.has(leaf, around, Mode::Write));
        let by_caller = || by_caller().map(|(id, _)| Elsewhere::Caller(*id));
        let leads = || asked.first().and_then(|at| self.pous.get(*at)).map(|(id, _)| Elsewhere::Pou(*id));
        let entry = || entry.filter(|pou| self.entries.contains_key(pou)).map(Elsewhere::Caller);
        let any = || self.pous.iter().map(|(id, _)| Elsewhere::Pou(*id)).next();
        by_itself().or_else(by_caller).or_else(leads).or_else(entry).or_else(any)
    }
}

/// Returns the accesses besides the task's that count for an entry, which is an instance of a block; `reached` are POUs that do not
/// run here and what they call.
///
/// Soundness: the entry is an instance of its own, so a call of another instance does not run it. Its caller may do to it what it
/// may do to any instance, and what code here does to others: call methods, write variables, call instances inside. References
/// lead to the entry itself. The system calls FB_init before the first cycle; answers name the assumption that nothing else calls it.
fn beside_entry(summaries: &Summaries<'_>, reached: &BTreeSet<PouId>, caller: &CallerAccess) -> Accesses {
    let (project, block) = (summaries.project, caller.entry);
    let is_method = |pou: &PouId| block_of(project, *pou) == Some(block);
    let is_part = |pou: &PouId| *pou == block || is_method(pou);
    let outside: BTreeSet<PouId> = reached.iter().copied().filter(|pou| !is_part(pou)).collect();
    let called = outside.iter().flat_map(|pou| summaries.calls(*pou)).filter(|pou| is_method(pou));
    let methods: BTreeSet<PouId> = called.filter(|pou| !is_fb_init(project, **pou)).chain(&caller.calls).copied().collect();
    let mut counted = outside.clone();
    methods.into_iter().for_each(|method| summaries.reach(method, &mut counted));
    let mut accesses = Accesses::of(summaries, counted);
    caller.uses.iter().for_each(|(pou, access)| accesses.add(project, *pou, access));
    for pou in outside {
        for access in summaries.of(pou) {
            inside_of(project, pou, block, access).into_iter().for_each(|access| accesses.add(project, block, &access));
        }
    }
    accesses
}

/// Returns the access of a block's own variables that an access of a POU is, if it leads through an instance of the block.
fn inside_of(project: &Project, pou: PouId, block: PouId, (base, path, mode): &Access) -> Option<Access> {
    if *mode == Mode::Read {
        return None;
    }
    let mut ty: Option<TypeId> = match base {
        Base::Own(Some(var)) => Some(project.pous[pou].vars[*var].ty),
        Base::Global(global) => Some(project.globals[*global].ty),
        Base::Own(None) | Base::Instance(_) => None,
    };
    let first = match base {
        Base::Own(None) => Some(pou),
        Base::Instance(instance) => Some(project.instances[*instance].pou),
        Base::Own(Some(_)) | Base::Global(_) => None,
    };
    for (at, step) in path.iter().enumerate() {
        let here = ty.and_then(|ty| project.block_of(ty));
        if let (true, Step::Member(var)) = (here == Some(block), step) {
            return Some((Base::Own(Some(*var)), path.get(at + 1..).unwrap_or_default().to_vec(), *mode));
        }
        ty = match (first.filter(|_| at == 0), step) {
            (Some(pou), Step::Member(var)) => project.pous[pou].vars.get(*var).map(|var| var.ty),
            (_, step) => Some(step.below(project, ty?)?),
        };
    }
    let holds_block = |ty| project.types_inside(ty).any(|ty| project.block_of(ty) == Some(block));
    let is_whole = *mode == Mode::Write && ty.is_some_and(holds_block);
    is_whole.then(|| (Base::Own(None), Vec::new(), Mode::Write))
}
