//! Pieces of a path: for each disjunct of its last guard the guards and updates that concern its variables.
//!
//! A piece has fewer constraints than the path with that disjunct. So if a piece cannot be executed, neither can the path; and
//! interpolants of the piece are interpolants of the path, with equal formulas at the frames between two of its steps.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::domain::Step;
use kernel::cfa::{Block, BlockInput};
use kernel::expr::{ExprId, ExprPool, FastMap, FastSet, VarId};

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
    spans: &'a [Span],
}

/// Steps of which a piece has all or none: those of a completed call.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) steps: Range<usize>,
    /// Variables that the call may write, on this way through it or on another one.
    pub(crate) written: BTreeSet<VarId>,
}

/// Contents of a piece so far.
struct PieceParts {
    steps: BTreeMap<usize, StepPart>,
    /// Values that its steps read.
    todo: Vec<Value>,
    /// Spans that it has.
    spans: FastSet<usize>,
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
    /// Returns a path with its index. `spans` are in the order of the path, without common steps and without the last step.
    ///
    /// Cost: the size of all its steps.
    pub(crate) fn new(pool: &ExprPool, steps: &'a [Step<'a>], spans: &'a [Span]) -> PathIndex<'a> {
        let mut index = PathIndex {
            steps,
            writers: FastMap::default(),
            guards: Vec::with_capacity(steps.len()),
            readers: FastMap::default(),
            goals: Vec::new(),
            spans,
        };
        for (at, step) in steps.iter().enumerate() {
            for (var, _) in &step.block.updates {
                index.writers.entry(*var).or_default().push(at);
            }
            for var in index.span(at).filter(|i| spans[*i].steps.end == at + 1).map(|i| &spans[i].written).into_iter().flatten() {
                let writers = index.writers.entry(*var).or_default();
                if writers.last() != Some(&at) {
                    writers.push(at);
                }
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
    /// Shape: steps in the order of the path with their positions, without those that do not matter; the last has the goal in its
    ///        guard. The steps of `kept` are in it, at least as steps without an effect, and spans wholly or not at all.
    /// Cost:  the size of the piece.
    pub(crate) fn piece(&self, pool: &mut ExprPool, goal: ExprId, kept: &[usize]) -> Vec<(usize, Block)> {
        let Some(last) = self.steps.len().checked_sub(1) else { return Vec::new() };
        let steps = kept.iter().copied().chain([last]).map(|at| (at, StepPart::default())).collect();
        let mut kept = PieceParts { steps, todo: Vec::new(), spans: FastSet::default() };
        let mut seen: FastSet<Value> = FastSet::default();
        self.read(pool, last, goal, &mut kept.todo);
        while let Some(value) = kept.todo.pop() {
            if !seen.insert(value) {
                continue;
            }
            let (var, alive) = match value {
                Value::Input(var, at) => {
                    self.keep(pool, &mut kept, at).inputs.insert(var);
                    (var, at..at + 1)
                }
                Value::Written(var, writer) => {
                    let next = self.next_writer(var, writer);
                    if let Some(at) = writer {
                        let step = self.keep(pool, &mut kept, at);
                        if let Ok(update) = self.steps[at].block.updates.binary_search_by_key(&var, |(v, _)| *v) {
                            step.updates.insert(var);
                            self.read(pool, at, self.steps[at].block.updates[update].1, &mut kept.todo);
                        }
                    }
                    (var, writer.map_or(0, |at| at + 1)..next + 1)
                }
            };
            let readers = self.readers.get(&var).map_or(&[] as &[_], Vec::as_slice);
            let from = readers.partition_point(|(at, _)| *at < alive.start);
            for &(at, conjunct) in readers[from..].iter().take_while(|(at, _)| alive.contains(at)) {
                if self.keep(pool, &mut kept, at).guards.insert(conjunct) {
                    self.read(pool, at, self.guards[at][conjunct], &mut kept.todo);
                }
            }
        }
        let block = |(at, part): (usize, &StepPart)| (at, self.block(pool, at, part, (at == last).then_some(goal)));
        kept.steps.iter().map(|(at, part)| (*at, part)).map(block).collect()
    }
    /// Returns the span of a step.
    fn span(&self, at: usize) -> Option<usize> {
        let i = self.spans.partition_point(|span| span.steps.end <= at);
        self.spans.get(i).is_some_and(|span| span.steps.contains(&at)).then_some(i)
    }
    /// Returns the kept part of a step. The first step of a span brings all of them.
    fn keep<'k>(&self, pool: &ExprPool, kept: &'k mut PieceParts, at: usize) -> &'k mut StepPart {
        if let Some(i) = self.span(at)
            && kept.spans.insert(i)
        {
            let Span { steps, written } = &self.spans[i];
            for at in steps.clone() {
                let Block { updates, inputs, .. } = self.steps[at].block;
                let values = updates.iter().map(|(_, value)| value);
                values.chain(&self.guards[at]).for_each(|e| self.read(pool, at, *e, &mut kept.todo));
                let step = kept.steps.entry(at).or_default();
                step.guards.extend(0..self.guards[at].len());
                step.updates.extend(updates.iter().map(|(var, _)| *var));
                step.inputs.extend(inputs.iter().map(|input| input.var));
            }
            // A variable that another way through the call writes has the value from before the call.
            for &var in written {
                let writers = self.writers.get(&var).map_or(&[] as &[_], Vec::as_slice);
                let before = writers.partition_point(|writer| *writer < steps.start);
                kept.todo.push(Value::Written(var, before.checked_sub(1).map(|i| writers[i])));
            }
        }
        kept.steps.entry(at).or_default()
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
    let most = (0..conjuncts.len()).map(|i| (pool.disjuncts(conjuncts[i]), i)).max_by_key(|(parts, _)| parts.len());
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

#[cfg(test)]
mod tests;
