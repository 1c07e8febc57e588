//! Canonical forms of calls as parts that pass their variables: each with values at entry of its own.
//!
//! All calls of a form are one part. Its variables are numbered, and a call gives them the values of the caller's variables.
//!
//! Source: papers/block-abstraction-memoization, §2.4.1, and §4.5.4 (variables of their own for values at entry).

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ids::{Id, IndexVec};

use super::super::form::{Action, BlockId, Exit, FormEdge, Numbered, Steps, Target};
use super::super::program::{BlockInfo, Program as Blocks};
use super::super::recursion::program::{Call, Move, Part, Program, assigned};
use super::super::regions::{self, Regions};
use crate::domain::StepId;
use kernel::cfa::{Block, Cfa, EdgeId, LocId, LocKind};
use kernel::expr::{ExprId, ExprPool, Sort, VarId};

/// An automaton as parts, and the way back to its own edges.
pub(super) struct Divided {
    pub(super) program: Program,
    /// Steps by the edges of parts; the step that sets the initial values is the last.
    pub(super) steps: IndexVec<StepId, Block>,
    /// Position of each step's edge among the edges of its form.
    pub(super) edges: Vec<usize>,
    /// For each part the numbers of the variables that it may write.
    pub(super) written: Vec<BTreeSet<usize>>,
}

/// Variables for values at entry and for results, by number and sort.
#[derive(Default)]
struct Copies(BTreeMap<(&'static str, usize, Sort), VarId>);

impl Copies {
    fn of(&mut self, pool: &mut ExprPool, what: &'static str, number: usize, sort: Sort) -> VarId {
        *self.0.entry((what, number, sort)).or_insert_with(|| pool.new_var(format!("#{number} {what}"), sort))
    }
}

/// Returns an automaton without the calls that keep loops: a proof has an invariant at each head of a loop, over the variables of
/// the whole automaton.
pub(super) fn without_loops_in_calls(cfa: &Cfa) -> (Cfa, Regions) {
    let mut cfa = cfa.clone();
    loop {
        let regions = Regions::new(&cfa, regions::Blocks::Calls);
        let mut with_loops: BTreeSet<usize> = BTreeSet::new();
        for (head, _) in cfa.locs.iter_enumerated().filter(|(_, loc)| loc.kind == LocKind::LoopHead) {
            let mut at = regions.innermost[head];
            while let Some(region) = at {
                with_loops.extend(regions.all[region].call);
                at = regions.all[region].parent;
            }
        }
        if with_loops.is_empty() {
            return (cfa, regions);
        }
        let mut number = 0..;
        cfa.calls.retain(|_| number.next().is_some_and(|call| !with_loops.contains(&call)));
    }
}

/// Returns the part of a block: 0 for the outermost one, which is the last.
pub(super) fn part_of(blocks: &Blocks, block: BlockId) -> usize {
    if block == blocks.main.block { 0 } else { block.index() + 1 }
}

/// Divides blocks into parts.
///
/// Cost: linear in the forms.
pub(super) fn divided(pool: &mut ExprPool, (blocks, steps): (&Blocks, &Steps), numbered: &mut Numbered) -> Divided {
    let mut all = Divided {
        program: Program { parts: Vec::new(), calls: Vec::new() },
        steps: IndexVec::new(),
        edges: Vec::new(),
        written: vec![BTreeSet::new(); blocks.blocks.len()],
    };
    let mut copies = Copies::default();
    let main = blocks.main.block;
    // Inner blocks come before outer ones.
    for (id, info) in blocks.blocks.iter_enumerated() {
        let at = part_of(blocks, id);
        let writes: Vec<usize> =
            info.form.edges.iter().flat_map(|edge| written((blocks, steps), numbered, &all.written, edge)).collect();
        all.written[at].extend(writes);
    }
    let order = std::iter::once(main).chain(blocks.blocks.ids().filter(|id| *id != main));
    for id in order {
        let part = part(pool, (blocks, steps), numbered, &mut copies, &mut all, id);
        all.program.parts.push(part);
    }
    all.steps.push(steps.all[blocks.initial].clone());
    all
}

/// Returns the numbers of the variables that an edge of a form may write.
fn written((blocks, steps): (&Blocks, &Steps), numbered: &Numbered, of_parts: &[BTreeSet<usize>], edge: &FormEdge) -> Vec<usize> {
    let outer = |inner: usize| edge.binding[inner] as usize;
    match edge.action {
        Action::Step(step) => {
            let vars = steps.all[step].updates.iter().filter_map(|(var, _)| numbered.number(*var));
            vars.map(|number| outer(number as usize)).collect()
        }
        Action::Call(block) => of_parts[part_of(blocks, block)].iter().map(|number| outer(*number)).collect(),
    }
}

fn part(
    pool: &mut ExprPool,
    (blocks, steps): (&Blocks, &Steps),
    numbered: &mut Numbered,
    copies: &mut Copies,
    all: &mut Divided,
    id: BlockId,
) -> Part {
    let info = &blocks.blocks[id];
    let mut moves: BTreeMap<LocId, Vec<Move>> = (0..info.form.n_locs).map(|loc| (LocId(loc), Vec::new())).collect();
    for (at, edge) in info.form.edges.iter().enumerate() {
        let outer: Vec<VarId> = edge.binding.iter().map(|number| info.vars[*number as usize]).collect();
        let (block, call) = match edge.action {
            Action::Step(step) => (renamed(pool, numbered, &steps.all[step], &outer), None),
            Action::Call(block) => {
                let callee = part_of(blocks, block);
                let call = call(pool, copies, callee, &blocks.blocks[block], outer, &all.written[callee]);
                all.program.calls.push(call);
                (assigned(pool, std::iter::empty()), Some(all.program.calls.len() - 1))
            }
        };
        let target = match edge.target {
            Target::Loc(loc) => LocId(loc),
            Target::Error => LocId(info.form.n_locs),
        };
        let step = all.steps.push(block);
        all.edges.push(at);
        moves.entry(LocId(edge.source)).or_default().push(Move { edge: EdgeId::new(step.index()), target, call });
    }
    let is_main = id == blocks.main.block;
    let exit = match info.form.exit {
        Exit::After(loc) => Some((LocId(loc), assigned(pool, std::iter::empty()))),
        Exit::Never | Exit::Entry => None,
    };
    let state = if is_main { Vec::new() } else { state(pool, copies, info) };
    Part { name: info.name.clone(), procedure: None, entry: Some(LocId(0)), exit, state, moves, own: BTreeSet::new() }
}

/// Returns the variables of a block, each with that of its value at entry.
fn state(pool: &mut ExprPool, copies: &mut Copies, info: &BlockInfo) -> Vec<(VarId, VarId)> {
    let copy = |(number, var): (usize, &VarId)| {
        let sort = pool.var_decl(*var).sort;
        (*var, copies.of(pool, "at entry", number, sort))
    };
    info.vars.iter().enumerate().map(copy).collect()
}

/// Returns the call of a block for these variables of the caller.
fn call(
    pool: &mut ExprPool,
    copies: &mut Copies,
    callee: usize,
    info: &BlockInfo,
    targets: Vec<VarId>,
    written: &BTreeSet<usize>,
) -> Call {
    let arguments: Vec<ExprId> = targets.iter().map(|var| pool.var(*var)).collect();
    let state = state(pool, copies, info);
    let values = state.iter().map(|(var, _)| var).zip(&arguments).chain(state.iter().map(|(_, old)| old).zip(&arguments));
    let values: Vec<(&VarId, &ExprId)> = values.collect();
    let enter = assigned(pool, values.into_iter());
    let mut result = |(number, var): (usize, &VarId)| {
        let sort = pool.var_decl(*var).sort;
        written.contains(&number).then(|| copies.of(pool, "as result", number, sort))
    };
    let results = info.vars.iter().enumerate().map(&mut result).collect();
    Call { callee, enter, arguments, results, targets }
}

/// Returns a step with these variables in place of the numbered ones.
fn renamed(pool: &mut ExprPool, numbered: &mut Numbered, block: &Block, outer: &[VarId]) -> Block {
    let mut names: BTreeMap<VarId, VarId> = BTreeMap::new();
    for (number, var) in outer.iter().enumerate() {
        let sort = pool.var_decl(*var).sort;
        names.insert(numbered.var(pool, number as u32, sort), *var);
    }
    let by: BTreeMap<VarId, ExprId> = names.iter().map(|(from, to)| (*from, pool.var(*to))).collect();
    let mut updates: Vec<(VarId, ExprId)> =
        block.updates.iter().map(|(var, e)| (names.get(var).copied().unwrap_or(*var), pool.subst(*e, &by))).collect();
    updates.sort_unstable_by_key(|(var, _)| *var);
    Block { guard: pool.subst(block.guard, &by), updates, inputs: block.inputs.clone() }
}
