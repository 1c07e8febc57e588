//! Unsat cores of paths: guards and assignments that make a path infeasible.

use std::collections::BTreeSet;

use super::path::Path;
use kernel::expr::{ExprId, ExprPool, VarId};

/// One cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorePart {
    /// A conjunct of a step's guard.
    Guard {
        /// Position on the path.
        step: usize,
        /// The conjunct.
        conjunct: ExprId,
    },
    /// The update of a variable by a step.
    Update {
        /// Position on the path.
        step: usize,
        /// The variable.
        var: VarId,
    },
}

impl CorePart {
    /// Returns the position on the path.
    pub fn step(self) -> usize {
        match self {
            CorePart::Guard { step, .. } | CorePart::Update { step, .. } => step,
        }
    }
}

/// Causes that together make a path infeasible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Core {
    /// In the order of the path.
    pub parts: Vec<CorePart>,
}

impl Core {
    /// Returns the guard's conjuncts of a step that are among the causes.
    pub(super) fn guards(&self, step: usize) -> impl Iterator<Item = ExprId> {
        self.parts.iter().filter_map(move |part| match *part {
            CorePart::Guard { step: s, conjunct } if s == step => Some(conjunct),
            CorePart::Guard { .. } | CorePart::Update { .. } => None,
        })
    }
    /// Replaces the causes before `step` by `prefix`.
    pub(super) fn replace_prefix(&mut self, step: usize, prefix: Core) {
        let kept = self.parts.iter().copied().filter(|part| step <= part.step());
        self.parts = prefix.parts.iter().copied().chain(kept).collect();
    }
    /// Returns whether the update of `var` by a step is among the causes.
    pub(super) fn keeps(&self, step: usize, var: VarId) -> bool {
        self.parts.contains(&CorePart::Update { step, var })
    }
    /// Returns for each frame the variables through which earlier causes act on later ones.
    ///
    /// Tracking their values excludes the path. It is the coarse refinement for paths without an interpolant.
    pub fn variables(&self, pool: &ExprPool, path: &Path<'_>) -> Vec<BTreeSet<VarId>> {
        let mut frames = vec![BTreeSet::new()];
        for (i, step) in path.steps.iter().enumerate().rev() {
            let after: &BTreeSet<VarId> = &frames[frames.len() - 1];
            let mut read: Vec<ExprId> = self.guards(i).collect();
            let mut before = BTreeSet::new();
            for &var in after {
                match step.block.updates.binary_search_by_key(&var, |(v, _)| *v) {
                    Ok(at) if self.keeps(i, var) => read.push(step.block.updates[at].1),
                    // A value that does not matter.
                    Ok(_) => {}
                    Err(_) => {
                        before.insert(var);
                    }
                }
            }
            before.extend(pool.vars_of(&read));
            for input in &step.block.inputs {
                before.remove(&input.var);
            }
            frames.push(before);
        }
        frames.reverse();
        frames
    }
}
