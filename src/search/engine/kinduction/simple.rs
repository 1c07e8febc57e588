//! Simple paths: no two states with the same future.
//!
//! Two states have the same future if they agree on the variables that decide whether a step is possible or bad. So a shortest
//! violation has no two such states. For each frame and such variable, another variable remembers the value; it is a definition,
//! which costs the bit-blaster nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::unroll::Unrolling;
use kernel::cfa::pass::System;
use kernel::context::Stop;
use kernel::expr::{ExprId, ExprPool, VarId};
use kernel::smt::Frame;

/// Assumptions that the states of an unrolling differ. They are no assertions, because a proof without them is simpler.
pub(super) struct Distinct {
    vars: Vec<VarId>,
    /// By frame: the variables that remember it in all later ones.
    memory: Vec<Vec<VarId>>,
    differ: Vec<(ExprId, Frame)>,
}

impl Distinct {
    pub(super) fn new(pool: &mut ExprPool, system: &System) -> Distinct {
        Distinct { vars: deciding(pool, system).into_iter().collect(), memory: Vec::new(), differ: Vec::new() }
    }
    /// Adds, after a step, that the state of the last frame differs from all before it.
    pub(super) fn extend(&mut self, pool: &mut ExprPool, unrolling: &mut Unrolling) -> Result<(), Stop> {
        let last = unrolling.last();
        for old in self.memory.iter().flatten() {
            unrolling.carry(pool, *old)?;
        }
        let mut now = Vec::with_capacity(self.vars.len());
        for var in &self.vars {
            let name = format!("#{}@{}", pool.var_decl(*var).name, last.saturating_sub(1));
            let copy = pool.new_var(name, pool.var_decl(*var).sort);
            unrolling.remember(pool, copy, *var)?;
            now.push(copy);
        }
        self.memory.push(now);
        for old in &self.memory {
            let mut differ = Vec::with_capacity(old.len());
            for (var, old) in self.vars.iter().zip(old) {
                let (x, old) = (pool.var(*var), pool.var(*old));
                differ.push(pool.ne(x, old));
            }
            self.differ.push((pool.or_all(differ), last));
        }
        Ok(())
    }
    pub(super) fn assumptions(&self) -> impl Iterator<Item = (ExprId, Frame)> {
        self.differ.iter().copied()
    }
}

/// Returns the variables that decide, now or later, whether a step is possible or bad.
pub(in crate::engine) fn deciding(pool: &ExprPool, system: &System) -> BTreeSet<VarId> {
    let next: BTreeMap<VarId, ExprId> = system.next.iter().copied().collect();
    let mut found = BTreeSet::new();
    let mut open: Vec<VarId> = pool.vars_of(&[system.guard, system.bad]).into_iter().collect();
    while let Some(var) = open.pop() {
        // Inputs have no next value and are no part of the state.
        if let Some(e) = next.get(&var)
            && found.insert(var)
        {
            open.extend(pool.vars_of(&[*e]));
        }
    }
    found
}
