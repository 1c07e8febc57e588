//! Reads and writes of every leaf, through calls, VAR_IN_OUT and references.
//!
//! The [summaries](super::summary) of all POUs that run are matched with the leaves. An access of a block's own variable counts
//! for the instances of the block that are called.
//!
//! Soundness: a leaf that some run writes counts as written. The converse need not hold: a branch may never be taken, or a
//! reference never refer to the leaf.

use std::collections::{BTreeMap, BTreeSet};

use super::access_tree::AccessTree;
use super::summary::{Base, Mode, Step, Summaries};
use crate::hir::{Leaf, LeafElem, Pou, PouId, PouKind, Project, Root, Section, Type, TypeId, VarId, part_type};
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
/// Cost: linear in statements, times the depth of calls with VAR_IN_OUT; a few look-ups for each leaf and block around it.
pub fn usage(project: &Project, leaves: &[Leaf], entry_is_chosen: bool) -> Vec<Use> {
    let summaries = Summaries::new(project);
    let mut runs: BTreeSet<PouId> = BTreeSet::new();
    for instance in &project.task.runs {
        summaries.reach(project.instances[*instance].pou, &mut runs);
    }
    project.start_up.iter().for_each(|start| summaries.reach(start.pou, &mut runs));
    let mut uses = vec![Use::default(); leaves.len()];
    let all = Accesses::of(&summaries, runs.iter().copied());
    for (leaf, used) in leaves.iter().zip(&mut uses) {
        let around = blocks(project, leaf);
        let running = all.running(leaf, &around);
        used.read = all.has(leaf, &running, Mode::Read);
        used.written = all.has(leaf, &running, Mode::Write);
        let sleeps = |block: &&Frame| !running.iter().any(|other| other.at == block.at);
        used.dormant = around.iter().find(sleeps).map(|block| block.at);
    }
    if entry_is_chosen {
        let others = project.pous.iter_enumerated().filter(|(id, pou)| pou.origin == Origin::User && !runs.contains(id));
        let others = Others::new(&summaries, others.map(|(id, _)| id).collect());
        for (leaf, used) in leaves.iter().zip(&mut uses) {
            used.written_elsewhere = others.writer(project, leaf);
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

/// POUs that do not run here and what they call, with their accesses.
struct Others {
    /// Of all of them.
    together: Accesses,
    /// Of each by itself.
    pous: Vec<(PouId, Accesses)>,
    /// Positions of those that have an access of the variable, in order.
    by_root: BTreeMap<Root, Vec<usize>>,
    /// Positions of those that have an access of the variables of a block.
    by_block: BTreeMap<PouId, Vec<usize>>,
    /// Blocks that are entries, with the accesses that count for the entry.
    entries: BTreeMap<PouId, Accesses>,
}

impl Others {
    /// Reads the accesses of POUs that do not run here.
    ///
    /// Soundness: an instance that one of them calls runs the body of its block, which may run here, too.
    fn new(summaries: &Summaries<'_>, ids: Vec<PouId>) -> Others {
        let mut reached = BTreeSet::new();
        ids.iter().for_each(|id| summaries.reach(*id, &mut reached));
        let is_program = |id: &PouId| summaries.project.pous[*id].kind == PouKind::Program;
        let programs = ids.iter().copied().filter(is_program).collect();
        let project = summaries.project;
        let blocks = project.instances.iter().map(|instance| instance.pou);
        let blocks = blocks.filter(|pou| project.pous[*pou].kind == PouKind::FunctionBlock);
        let entries =
            blocks.map(|block| (block, Accesses::of(summaries, beside_entry(summaries, &ids, &reached, block)))).collect();
        let together = Accesses { programs, ..Accesses::of(summaries, reached) };
        let pous: Vec<(PouId, Accesses)> = ids.into_iter().map(|id| (id, Accesses::of(summaries, [id]))).collect();
        let (mut by_root, mut by_block): (BTreeMap<Root, Vec<usize>>, BTreeMap<PouId, Vec<usize>>) = Default::default();
        for (at, (_, accesses)) in pous.iter().enumerate() {
            accesses.roots.keys().for_each(|root| by_root.entry(*root).or_default().push(at));
            let whole = accesses.whole.iter().map(|(pou, _)| *pou);
            let blocks: BTreeSet<PouId> = accesses.own.keys().map(|(pou, _)| *pou).chain(whole).collect();
            blocks.into_iter().for_each(|pou| by_block.entry(pou).or_default().push(at));
        }
        Others { together, pous, by_root, by_block, entries }
    }

    /// Returns one of them if they may write the leaf: the first that writes it by itself, else the first that leads to it.
    fn writer(&self, project: &Project, leaf: &Leaf) -> Option<PouId> {
        let around = blocks(project, leaf);
        let entry = match leaf.root {
            Root::Instance(instance) => Some(project.instances[instance].pou),
            Root::Global(_) | Root::Var(_) | Root::This(_) => None,
        };
        let all = entry.and_then(|pou| self.entries.get(&pou)).unwrap_or(&self.together);
        if !all.has(leaf, &all.running(leaf, &around), Mode::Write) {
            return None;
        }
        let of_root = self.by_root.get(&leaf.root);
        let of_block = entry.and_then(|pou| self.by_block.get(&pou));
        let asked: BTreeSet<usize> = of_root.into_iter().chain(of_block).flatten().copied().collect();
        let writes = |(_, own): &&(PouId, Accesses)| own.has(leaf, &own.running(leaf, &around), Mode::Write);
        let by_itself = asked.iter().filter_map(|at| self.pous.get(*at)).find(writes);
        let leads = || self.pous.get(asked.first().copied().unwrap_or(0));
        by_itself.or_else(leads).map(|(id, _)| *id)
    }
}

/// Returns the POUs besides the task's whose accesses of a block's own variables count for the entry, which is an instance of the
/// block; `ids` do not run here, `reached` are they and what they call.
///
/// Soundness: the entry is an instance of its own, so a call of another instance does not run it. Its caller may call its methods:
/// those that nothing here calls, and those that POUs outside of the block call. References lead to the entry itself. The system
/// calls FB_init before the first cycle; answers name the assumption that nothing else calls it.
fn beside_entry(summaries: &Summaries<'_>, ids: &[PouId], reached: &BTreeSet<PouId>, block: PouId) -> BTreeSet<PouId> {
    let is_method = |pou: &PouId| block_of(summaries.project, *pou) == Some(block);
    let is_part = |pou: &PouId| *pou == block || is_method(pou);
    let outside = reached.iter().filter(|pou| !is_part(pou));
    let called = outside.flat_map(|pou| summaries.calls(*pou)).filter(|pou| is_method(pou));
    let by_caller = |pou: &&PouId| is_method(pou) && !is_fb_init(&summaries.project.pous[**pou].name);
    let methods: BTreeSet<PouId> = ids.iter().filter(by_caller).chain(called).copied().collect();
    let mut counted: BTreeSet<PouId> = reached.iter().filter(|pou| !is_part(pou)).copied().collect();
    let mut own = BTreeSet::new();
    methods.into_iter().for_each(|method| summaries.reach(method, &mut own));
    counted.append(&mut own);
    counted
}

/// Returns whether a method is the one that the system calls before the first cycle.
fn is_fb_init(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|last| last.eq_ignore_ascii_case("FB_init"))
}

/// Accesses of some POUs, by their start.
#[derive(Default)]
struct Accesses {
    /// Of a block's own variables.
    own: BTreeMap<(PouId, VarId), AccessTree>,
    /// Blocks with an access of a whole instance by its own body.
    whole: BTreeSet<(PouId, Mode)>,
    /// Of variables of the project and instances of the task.
    roots: BTreeMap<Root, AccessTree>,
    /// Programs that run by themselves; a variable holds the instance of one that others name.
    programs: BTreeSet<PouId>,
}

impl Accesses {
    fn of(summaries: &Summaries<'_>, pous: impl IntoIterator<Item = PouId>) -> Accesses {
        let mut all = Accesses::default();
        for pou in pous {
            let block = block_of(summaries.project, pou);
            for (base, path, mode) in summaries.of(pou) {
                match base {
                    Base::Own(None) => {
                        all.whole.insert((pou, *mode));
                    }
                    Base::Own(Some(var)) => {
                        all.own.entry((pou, *var)).or_default().insert(path, *mode);
                        if let (Pou::THIS, Some(block), Some((Step::Member(member), rest))) = (*var, block, path.split_first()) {
                            all.own.entry((block, *member)).or_default().insert(rest, *mode);
                        }
                    }
                    Base::Global(global) => all.roots.entry(Root::Global(*global)).or_default().insert(path, *mode),
                    Base::Instance(instance) => all.roots.entry(Root::Instance(*instance)).or_default().insert(path, *mode),
                }
            }
        }
        all
    }

    /// Returns whether an access of this mode reaches the leaf; `running` are the blocks around it that run.
    fn has(&self, leaf: &Leaf, running: &[Frame], mode: Mode) -> bool {
        let path = leaf.path.as_slice();
        self.roots.get(&leaf.root).is_some_and(|tree| tree.covers(path, mode))
            || running.iter().any(|block| self.reaches(*block, path, mode))
    }

    /// Returns the blocks around a leaf that run: an entry, and the instances that are called.
    fn running(&self, leaf: &Leaf, blocks: &[Frame]) -> Vec<Frame> {
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
    fn reaches(&self, block: Frame, path: &[LeafElem], mode: Mode) -> bool {
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
