//! Composition of operations into blocks: sequences by substitution, choices by merging where paths meet.
//!
//! Large-block encoding ([`super::pass`]) composes before the search, adjustable-block encoding during it. Both do it here.
//!
//! As a scan cycle is a function of state and inputs, a set of paths needs no disjunction: each variable's value is an if-then-else
//! over the condition of the branch. If the branches of a location do not exclude each other, a choice input selects one.
//!
//! Source: papers/large-block-encoding (Beyer, Cimatti, Griggio, Keremoglu, Sebastiani), §III-A: Rule 1 (sequence), Rule 2
//! (choice).

use std::collections::BTreeMap;

use super::automaton::{Cfa, EdgeId, LocId, Op};
use super::block::Block;
use crate::expr::{ExprId, ExprPool, VarId};

pub mod columns;
pub(in crate::cfa) mod exclusive;
mod inputs;
mod merge;
mod nest;

use columns::Columns;
use exclusive::exclusive;
use inputs::Inputs;
pub use inputs::Occurrence;
pub use nest::{LoopNest, Position};

/// Set of paths from one location to another: their conditions, and the values at their end.
#[derive(Clone, Debug)]
pub struct Paths {
    /// Conditions in order; paths that part later share a longer prefix.
    conditions: Vec<ExprId>,
    /// Expressions over the state at the start, by column of the variable.
    values: Columns,
}

/// Composes the operations of one automaton.
#[derive(Clone, Debug)]
pub struct Composer {
    vars: Vec<VarId>,
    column: BTreeMap<VarId, usize>,
    unchanged: Columns,
    inputs: Inputs,
}

impl Composer {
    /// Returns the composer for an automaton with these variables of the state.
    pub fn new(pool: &mut ExprPool, vars: &[VarId]) -> Composer {
        let unchanged: Vec<u32> = vars.iter().map(|var| pool.var(*var).0).collect();
        let filler = pool.bool(false).0;
        Composer {
            vars: vars.to_vec(),
            column: vars.iter().enumerate().map(|(i, var)| (*var, i)).collect(),
            unchanged: Columns::new(&unchanged, filler),
            inputs: Inputs::default(),
        }
    }
    /// Returns the path without operations.
    pub fn start(&self) -> Paths {
        Paths { conditions: Vec::new(), values: self.unchanged.clone() }
    }
    /// Continues `paths`, which end at `loc`, over each of the edges that leave it. Edges that are evidently infeasible are left
    /// out. `occurrence` is how often the paths have passed the loops around `loc`.
    ///
    /// Soundness: the results stand for exactly the executions of these paths, each continued by one of the edges. No path may
    ///            pass `loc` twice with the same occurrence: both passings would take the same arbitrary values.
    pub fn leave(
        &mut self,
        pool: &mut ExprPool,
        cfa: &Cfa,
        (loc, edges): (LocId, &[EdgeId]),
        paths: Paths,
        occurrence: &Occurrence,
    ) -> Vec<(EdgeId, Paths)> {
        let guards: Vec<ExprId> = edges
            .iter()
            .map(|id| match &cfa.edges[*id].op {
                Op::Assume(e) => *e,
                Op::Block(block) => block.guard,
                Op::Skip | Op::Assign(..) | Op::Havoc(_) => pool.bool(true),
            })
            .collect();
        let choices = if edges.len() < 2 || exclusive(pool, &guards) {
            Vec::new()
        } else {
            self.inputs.choices(pool, loc, edges.len(), occurrence)
        };
        let mut rest = Some(paths);
        let mut continued = Vec::with_capacity(edges.len());
        for (i, id) in edges.iter().enumerate() {
            let taken = if i + 1 == edges.len() { rest.take() } else { rest.clone() };
            let Some(mut paths) = taken else { continue };
            // The first choice input that is TRUE selects its edge. The last edge has no choice input.
            for (j, choice) in choices.iter().enumerate().take(i + 1) {
                let value = pool.var(*choice);
                paths.conditions.push(if i == j { value } else { pool.not(value) });
            }
            if let Some(paths) = self.follow(pool, *id, &cfa.edges[*id].op, paths, occurrence) {
                continued.push((*id, paths));
            }
        }
        continued
    }
    /// Adds the operation of an edge; `None` if its condition becomes FALSE.
    fn follow(&mut self, pool: &mut ExprPool, edge: EdgeId, op: &Op, mut paths: Paths, occurrence: &Occurrence) -> Option<Paths> {
        let no_names = BTreeMap::new();
        match op {
            Op::Skip => {}
            Op::Assume(e) => {
                let condition = paths.now(pool, &self.column, &no_names, *e);
                if pool.is_false(condition) {
                    return None;
                }
                if !pool.is_true(condition) {
                    paths.conditions.push(condition);
                }
            }
            Op::Assign(var, e) => {
                let value = paths.now(pool, &self.column, &no_names, *e);
                paths.set(&self.column, *var, value);
            }
            Op::Havoc(var) => {
                let input = self.inputs.havoc(pool, edge, *var, occurrence);
                let value = pool.var(input);
                paths.set(&self.column, *var, value);
            }
            Op::Block(block) => {
                let names = block.inputs.iter().map(|input| (input.var, self.inputs.of_block(pool, edge, *input, occurrence)));
                let names: BTreeMap<VarId, VarId> = names.filter(|(old, new)| old != new).collect();
                let condition = paths.now(pool, &self.column, &names, block.guard);
                paths.conditions.push(condition);
                let new = block.updates.iter().map(|(var, e)| (*var, paths.now(pool, &self.column, &names, *e)));
                let new: Vec<(VarId, ExprId)> = new.collect();
                new.into_iter().for_each(|(var, value)| paths.set(&self.column, var, value));
            }
        }
        Some(paths)
    }
    /// Returns the paths as a block of which only the `kept` updates matter later, without its inputs; `None` if its guard is
    /// FALSE.
    pub fn block(&self, pool: &mut ExprPool, paths: &Paths, kept: impl Fn(VarId) -> bool) -> Option<Block> {
        let guard = pool.and_all(paths.conditions.iter().copied());
        if pool.is_false(guard) {
            return None;
        }
        let after = self.vars.iter().zip(paths.values.iter()).zip(self.unchanged.iter());
        let updates = after.filter(|((var, value), before)| value != before && kept(**var));
        Some(Block { guard, updates: updates.map(|((var, value), _)| (*var, ExprId(value))).collect(), inputs: Vec::new() })
    }
    /// Sets the inputs of a block of this composer to those that its formulas mention.
    pub fn find_inputs(&self, pool: &ExprPool, block: &mut Block) {
        let mut roots: Vec<ExprId> = block.updates.iter().map(|(_, e)| *e).collect();
        roots.push(block.guard);
        block.inputs = self.inputs.among(&pool.vars_of(&roots));
    }
    /// Returns the number of cycles that began within its block before an input is consumed.
    pub fn cycle_of(&self, input: VarId) -> u32 {
        self.inputs.cycle_of(input)
    }
}

impl Paths {
    /// Rewrites an expression over the present state, and inputs with other names, to one over the state at the start.
    fn now(&self, pool: &mut ExprPool, column: &BTreeMap<VarId, usize>, names: &BTreeMap<VarId, VarId>, e: ExprId) -> ExprId {
        let vars = pool.vars_of(&[e]);
        let by = vars.iter().filter_map(|var| match column.get(var) {
            Some(column) => Some((*var, ExprId(self.values.get(*column)?))),
            None => names.get(var).map(|name| (*var, pool.var(*name))),
        });
        let by = by.collect();
        pool.subst(e, &by)
    }
    fn set(&mut self, column: &BTreeMap<VarId, usize>, var: VarId, value: ExprId) {
        if let Some(column) = column.get(&var) {
            self.values.set(*column, value.0);
        }
    }
}
