//! Pieces of a path: for each disjunct of its last guard the guards and updates that concern its variables.
//!
//! A piece has fewer constraints than the path with that disjunct. So if a piece cannot be executed, neither can the path; and
//! interpolants of the piece are interpolants of the path, with equal formulas at the frames between two of its steps.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::Step;
use kernel::cfa::{Block, BlockInput};
use kernel::expr::{Expr, ExprId, ExprPool, FastMap, FastSet, VarId};

/// A path with an index of its writes and guards.
pub(crate) struct PathIndex<'a> {
    steps: &'a [Step<'a>],
    /// Steps that write each variable, ascending.
    writers: FastMap<VarId, Vec<usize>>,
    /// Conjuncts of the guard of each step.
    guards: Vec<Vec<ExprId>>,
    /// Conjuncts that read each variable, by step and position.
    readers: FastMap<VarId, Vec<(usize, usize)>>,
    /// Disjuncts of the last guard, each with whether it holds or its negation does.
    goals: Vec<(ExprId, bool)>,
}

/// A value on the path: of a variable from a write on, or from the start; or of an input of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Value {
    Written(VarId, Option<usize>),
    Input(VarId, usize),
}

/// Parts of a step that are kept.
#[derive(Default)]
struct StepPart {
    guards: BTreeSet<usize>,
    updates: BTreeSet<VarId>,
    inputs: BTreeSet<VarId>,
}

impl<'a> PathIndex<'a> {
    /// Returns a path with its index.
    ///
    /// Cost: the size of all its steps.
    pub(crate) fn new(pool: &ExprPool, steps: &'a [Step<'a>]) -> PathIndex<'a> {
        let mut index = PathIndex {
            steps,
            writers: FastMap::default(),
            guards: Vec::with_capacity(steps.len()),
            readers: FastMap::default(),
            goals: Vec::new(),
        };
        for (at, step) in steps.iter().enumerate() {
            for (var, _) in &step.block.updates {
                index.writers.entry(*var).or_default().push(at);
            }
            let mut conjuncts = pool.conjuncts(step.block.guard);
            if at + 1 == steps.len() {
                index.goals = divide(pool, step.block.guard, &mut conjuncts);
            }
            for (i, conjunct) in conjuncts.iter().enumerate() {
                for var in pool.vars_of(&[*conjunct]) {
                    index.readers.entry(var).or_default().push((at, i));
                }
            }
            index.guards.push(conjuncts);
        }
        index
    }
    /// Returns the disjuncts of the last guard: one of them holds at the end of each execution.
    pub(crate) fn goals(&self, pool: &mut ExprPool) -> Vec<ExprId> {
        self.goals.iter().map(|&(e, holds)| if holds { e } else { pool.not(e) }).collect()
    }
    /// Returns the piece for a goal: the parts of steps that its values are computed from, and guards about these values.
    ///
    /// Shape: steps in the order of the path, without those that do not matter; the last has the goal in its guard.
    /// Cost:  the size of the piece.
    pub(crate) fn piece(&self, pool: &mut ExprPool, goal: ExprId) -> Vec<Block> {
        let Some(last) = self.steps.len().checked_sub(1) else { return Vec::new() };
        let mut kept: BTreeMap<usize, StepPart> = BTreeMap::from([(last, StepPart::default())]);
        let mut seen: FastSet<Value> = FastSet::default();
        let mut todo: Vec<Value> = Vec::new();
        self.read(pool, last, goal, &mut todo);
        while let Some(value) = todo.pop() {
            if !seen.insert(value) {
                continue;
            }
            let (var, alive) = match value {
                Value::Input(var, at) => {
                    kept.entry(at).or_default().inputs.insert(var);
                    (var, at..at + 1)
                }
                Value::Written(var, writer) => {
                    let next = self.next_writer(var, writer);
                    if let Some(at) = writer
                        && let Ok(update) = self.steps[at].block.updates.binary_search_by_key(&var, |(v, _)| *v)
                    {
                        kept.entry(at).or_default().updates.insert(var);
                        self.read(pool, at, self.steps[at].block.updates[update].1, &mut todo);
                    }
                    (var, writer.map_or(0, |at| at + 1)..next + 1)
                }
            };
            let readers = self.readers.get(&var).map_or(&[] as &[_], Vec::as_slice);
            let from = readers.partition_point(|(at, _)| *at < alive.start);
            for &(at, conjunct) in readers[from..].iter().take_while(|(at, _)| alive.contains(at)) {
                if kept.entry(at).or_default().guards.insert(conjunct) {
                    self.read(pool, at, self.guards[at][conjunct], &mut todo);
                }
            }
        }
        kept.into_iter().map(|(at, kept)| self.block(pool, at, &kept, (at == last).then_some(goal))).collect()
    }
    /// Returns the step that overwrites a value, or the last step.
    fn next_writer(&self, var: VarId, writer: Option<usize>) -> usize {
        let writers = self.writers.get(&var).map_or(&[] as &[_], Vec::as_slice);
        let next = writers.partition_point(|at| writer.is_some_and(|writer| *at <= writer));
        writers.get(next).copied().unwrap_or(self.steps.len() - 1)
    }
    /// Adds the values that a step reads for an expression.
    fn read(&self, pool: &ExprPool, at: usize, e: ExprId, todo: &mut Vec<Value>) {
        for var in pool.vars_of(&[e]) {
            let writers = self.writers.get(&var).map_or(&[] as &[_], Vec::as_slice);
            let before = writers.partition_point(|writer| *writer < at);
            let is_input = self.steps[at].block.inputs.iter().any(|input| input.var == var);
            let written = Value::Written(var, before.checked_sub(1).map(|i| writers[i]));
            todo.push(if is_input { Value::Input(var, at) } else { written });
        }
    }
    /// Returns the kept part of a step.
    fn block(&self, pool: &mut ExprPool, at: usize, kept: &StepPart, goal: Option<ExprId>) -> Block {
        let whole = self.steps[at].block;
        let guard = pool.and_all(kept.guards.iter().map(|i| self.guards[at][*i]).chain(goal));
        let update = |var: &VarId| {
            let found = whole.updates.binary_search_by_key(var, |(v, _)| *v).ok();
            found.map(|i| whole.updates[i])
        };
        let updates = kept.updates.iter().filter_map(update).collect();
        let inputs = kept.inputs.iter().map(|&var| BlockInput { var, origin: None }).collect();
        Block { guard, updates, inputs }
    }
}

/// Returns the disjuncts of the conjunct that has most of them, and removes it; of the whole guard if no conjunct has several.
fn divide(pool: &ExprPool, guard: ExprId, conjuncts: &mut Vec<ExprId>) -> Vec<(ExprId, bool)> {
    let most = (0..conjuncts.len()).map(|i| (disjuncts(pool, conjuncts[i]), i)).max_by_key(|(parts, _)| parts.len());
    match most {
        Some((parts, i)) if 1 < parts.len() => {
            conjuncts.swap_remove(i);
            parts
        }
        Some(_) | None => {
            conjuncts.clear();
            vec![(guard, true)]
        }
    }
}

/// Returns the disjuncts of a formula, each with whether it holds or its negation does.
fn disjuncts(pool: &ExprPool, e: ExprId) -> Vec<(ExprId, bool)> {
    let (mut parts, mut todo, mut seen) = (Vec::new(), vec![(e, true)], FastSet::default());
    while let Some((e, holds)) = todo.pop() {
        if !seen.insert((e, holds)) {
            continue;
        }
        match (pool.expr(e), holds) {
            (Expr::Or(a, b), true) | (Expr::And(a, b), false) => todo.extend([(b, holds), (a, holds)]),
            (Expr::Not(a), _) => todo.push((a, !holds)),
            _ => parts.push((e, holds)),
        }
    }
    parts
}

#[cfg(test)]
mod tests;
