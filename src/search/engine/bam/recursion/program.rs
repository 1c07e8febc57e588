//! Parts of an open automaton: the cycle, and each recursive procedure.
//!
//! Source: papers/block-abstraction-memoization, §3.2: a block around everything, and a block for each function.

use std::collections::{BTreeMap, BTreeSet};

use kernel::cfa::{Block, BlockInput, Cfa, EdgeId, LocId, Recursion};
use kernel::context::{Stop, unsupported};
use kernel::expr::{Expr, ExprId, ExprPool, VarId};

/// An open automaton, divided. The first part is the cycle.
pub(in crate::engine::bam) struct Program {
    pub(in crate::engine::bam) parts: Vec<Part>,
    pub(in crate::engine::bam) calls: Vec<Call>,
}

/// The cycle, or a recursive procedure.
pub(in crate::engine::bam) struct Part {
    /// Name of its procedure.
    pub(in crate::engine::bam) name: String,
    /// Position in [`Recursion::procedures`]; `None` for the cycle and for the block of a call.
    pub(in crate::engine::bam) procedure: Option<usize>,
    /// First location. `None` if the procedure neither returns nor reaches an error.
    pub(in crate::engine::bam) entry: Option<LocId>,
    /// Last location, and the step from it to the return.
    pub(in crate::engine::bam) exit: Option<(LocId, Block)>,
    /// Variables shared with callers, each with the variable of its value at entry.
    pub(in crate::engine::bam) state: Vec<(VarId, VarId)>,
    /// Edges of the part by their source.
    pub(in crate::engine::bam) moves: BTreeMap<LocId, Vec<Move>>,
    /// Variables that each activation has for itself.
    pub(in crate::engine::bam) own: BTreeSet<VarId>,
}

/// Edge of a part.
#[derive(Clone, Copy)]
pub(in crate::engine::bam) struct Move {
    pub(in crate::engine::bam) edge: EdgeId,
    pub(in crate::engine::bam) target: LocId,
    /// Position in [`Program::calls`], if the edge is a call.
    pub(in crate::engine::bam) call: Option<usize>,
}

/// Call of a recursive procedure.
pub(in crate::engine::bam) struct Call {
    /// Position of the procedure's part.
    pub(in crate::engine::bam) callee: usize,
    /// Step into the callee: its state, and its values at entry.
    pub(in crate::engine::bam) enter: Block,
    /// Value of each variable of the state before the call, in the order of [`Part::state`].
    pub(in crate::engine::bam) arguments: Vec<ExprId>,
    /// Input for the value of each variable after the call; `None` where it is the argument.
    pub(in crate::engine::bam) results: Vec<Option<VarId>>,
    /// Variable of the caller that gets this value.
    pub(in crate::engine::bam) targets: Vec<VarId>,
}

impl Program {
    /// Divides an automaton with recursive calls. `blocks` are those of its edges.
    ///
    /// Stops: a call whose arguments the reductions have made unreadable.
    pub(in crate::engine::bam) fn new(
        pool: &mut ExprPool,
        cfa: &Cfa,
        recursion: &Recursion,
        blocks: &[Block],
    ) -> Result<Program, Stop> {
        let at: BTreeMap<LocId, LocId> = cfa.locs.iter_enumerated().map(|(id, loc)| (loc.origin, id)).collect();
        let (successors, mut parts, mut calls) = (cfa.successors(), Vec::new(), Vec::new());
        let mut by_edge: BTreeMap<EdgeId, usize> = BTreeMap::new();
        for call in &recursion.calls {
            let Some(entry) = at.get(&call.entry) else { continue };
            for &edge in successors[*entry].iter().filter(|edge| cfa.edges[**edge].target != cfa.error) {
                let procedure = &recursion.procedures[call.procedure];
                let values = named(pool, &blocks[edge.0 as usize], &call.arguments)?;
                let results = call.results.iter().zip(&call.arguments).map(|(new, old)| (new != old).then_some(*new));
                let state = procedure.state.iter().zip(&values);
                let enter = assigned(pool, state.chain(procedure.old.iter().zip(&values)));
                by_edge.insert(edge, calls.len());
                let targets = procedure.state.clone();
                calls.push(Call { callee: call.procedure + 1, enter, results: results.collect(), arguments: values, targets });
            }
        }
        let entries: BTreeSet<LocId> = recursion.procedures.iter().filter_map(|p| at.get(&p.entry)).copied().collect();
        let exits = recursion.procedures.iter().map(|procedure| procedure.exit);
        let ends = recursion.calls.iter().map(|call| call.entry).chain(exits);
        let ends: BTreeSet<LocId> = ends.filter_map(|loc| at.get(&loc)).copied().collect();
        let add = |entry: Option<LocId>| {
            let mut moves: BTreeMap<LocId, Vec<Move>> = BTreeMap::new();
            let mut todo: Vec<LocId> = entry.into_iter().collect();
            while let Some(loc) = todo.pop() {
                if moves.contains_key(&loc) || loc == cfa.error {
                    continue;
                }
                let leaving = successors[loc].iter().copied().map(|edge| {
                    let (target, call) = (cfa.edges[edge].target, by_edge.get(&edge).copied());
                    Move { edge, target, call }
                });
                let begins = |step: &Move| loc == cfa.init && entries.contains(&step.target);
                // Calls reach errors through the callee, and exits are the end of the part.
                let stays = |step: &Move| step.target != cfa.error || !ends.contains(&loc);
                let leaving: Vec<Move> = leaving.filter(|step| stays(step) && !begins(step)).collect();
                todo.extend(leaving.iter().map(|step| step.target));
                moves.insert(loc, leaving);
            }
            moves
        };
        let cycle = add(Some(cfa.init));
        let (own, state) = (BTreeSet::new(), Vec::new());
        let name = "cycle".to_owned();
        parts.push(Part { name, procedure: None, entry: Some(cfa.init), exit: None, state, moves: cycle, own });
        for (i, procedure) in recursion.procedures.iter().enumerate() {
            let (entry, exit) = (at.get(&procedure.entry).copied(), at.get(&procedure.exit).copied());
            let moves = add(entry);
            let mut vars: BTreeSet<VarId> = procedure.old.iter().copied().collect();
            for step in moves.values().flatten() {
                vars.extend(mentioned(pool, &blocks[step.edge.0 as usize]));
            }
            let exit = match exit.and_then(|exit| Some((exit, *successors[exit].first()?))) {
                Some((exit, edge)) => {
                    let values = named(pool, &blocks[edge.0 as usize], &procedure.after)?;
                    values.iter().for_each(|value| vars.extend(pool.vars_of(&[*value])));
                    Some((exit, assigned(pool, procedure.state.iter().zip(&values))))
                }
                None => None,
            };
            vars.retain(|var| !procedure.state.contains(var));
            let state = procedure.state.iter().copied().zip(procedure.old.iter().copied()).collect();
            parts.push(Part { name: procedure.name.clone(), procedure: Some(i), entry, exit, state, moves, own: vars });
        }
        Ok(Program { parts, calls })
    }
    /// Returns the call as a step in its caller (rebuild), for results that satisfy `exit`.
    ///
    /// `exit` is a formula over the callee's state and its values at entry.
    ///
    /// Source: papers/block-abstraction-memoization, §3.3.3 and §4.5.5.
    pub(in crate::engine::bam) fn summary(&self, pool: &mut ExprPool, call: usize, exit: ExprId) -> Block {
        let Call { callee, arguments, results, targets, .. } = &self.calls[call];
        let (mut by, mut updates, mut inputs) = (BTreeMap::new(), Vec::new(), Vec::new());
        let passed = self.parts[*callee].state.iter().zip(arguments);
        for (((var, old), argument), (result, target)) in passed.zip(results.iter().zip(targets)) {
            by.insert(*old, *argument);
            match result {
                Some(result) => {
                    by.insert(*var, pool.var(*result));
                    updates.push((*target, pool.var(*result)));
                    inputs.push(BlockInput { var: *result, origin: None });
                }
                None => drop(by.insert(*var, *argument)),
            }
        }
        updates.sort_unstable_by_key(|(var, _)| *var);
        Block { guard: pool.subst(exit, &by), updates, inputs }
    }
    /// Returns the variables that a call may write.
    pub(in crate::engine::bam) fn written(&self, call: usize) -> BTreeSet<VarId> {
        let Call { callee, results, .. } = &self.calls[call];
        let pairs = self.parts[*callee].state.iter().zip(results);
        pairs.filter(|(_, result)| result.is_some()).map(|((var, _), _)| *var).collect()
    }
}

impl Part {
    /// Returns the variables that summaries of the procedure are about.
    pub(in crate::engine::bam) fn interface(&self) -> BTreeSet<VarId> {
        self.state.iter().flat_map(|(var, old)| [*var, *old]).collect()
    }
}

/// Returns the values that the guard of a block gives to inputs.
fn named(pool: &mut ExprPool, block: &Block, inputs: &[VarId]) -> Result<Vec<ExprId>, Stop> {
    let wanted: BTreeSet<VarId> = inputs.iter().copied().collect();
    let mut values: BTreeMap<VarId, ExprId> = BTreeMap::new();
    let input = |pool: &ExprPool, e: ExprId| {
        let Expr::Var(var) = pool.expr(e) else { return None };
        wanted.contains(&var).then_some(var)
    };
    for part in pool.conjuncts(block.guard) {
        let expr = pool.expr(part);
        if let Some(var) = input(pool, part) {
            values.insert(var, pool.bool(true));
        } else if let Expr::Not(inner) = expr
            && let Some(var) = input(pool, inner)
        {
            values.insert(var, pool.bool(false));
        } else if let Expr::Eq(a, b) = expr {
            for (name, value) in [(a, b), (b, a)] {
                if let Some(var) = input(pool, name) {
                    values.insert(var, value);
                }
            }
        }
    }
    let values = inputs.iter().map(|var| values.get(var).copied()).collect::<Option<Vec<ExprId>>>();
    values.ok_or_else(|| unsupported("a recursive call whose arguments are not named"))
}

/// Returns the step that gives variables these values.
pub(in crate::engine::bam) fn assigned<'v>(pool: &mut ExprPool, values: impl Iterator<Item = (&'v VarId, &'v ExprId)>) -> Block {
    let changes = |(var, value): &(VarId, ExprId)| pool.expr(*value) != Expr::Var(*var);
    let mut updates: Vec<(VarId, ExprId)> = values.map(|(var, value)| (*var, *value)).filter(changes).collect();
    updates.sort_unstable_by_key(|(var, _)| *var);
    Block { guard: pool.bool(true), updates, inputs: Vec::new() }
}

/// Returns the variables of the state that a block mentions.
pub(super) fn mentioned(pool: &ExprPool, block: &Block) -> BTreeSet<VarId> {
    let roots: Vec<ExprId> = block.updates.iter().map(|(_, e)| *e).chain([block.guard]).collect();
    let inputs: BTreeSet<VarId> = block.inputs.iter().map(|input| input.var).collect();
    let read = pool.vars_of(&roots);
    read.difference(&inputs).copied().chain(block.updates.iter().map(|(var, _)| *var)).collect()
}
