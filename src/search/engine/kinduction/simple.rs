//! Simple paths: no two states with the same future.
//!
//! Two states have the same future if they are at the same cut point and agree on its deciding variables. These decide, from there
//! on, whether a step is possible or bad. So a shortest violation has no two such states. For each frame and such variable, another
//! variable remembers the value; it is a definition, which costs the bit-blaster nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::unroll::Unrolling;
use kernel::cfa::pass::System;
use kernel::context::Stop;
use kernel::expr::{ExprId, ExprPool, Value, VarId};
use kernel::smt::Frame;

/// Assumptions that the states of an unrolling differ. They are no assertions, because a proof without them is simpler.
pub(in crate::engine) struct Distinct {
    /// Variables to remember, `pc` among them.
    vars: Vec<VarId>,
    pc: Option<VarId>,
    /// Deciding variables by cut point; the only cut point has no value of `pc`.
    deciding: Vec<(Option<Value>, BTreeSet<VarId>)>,
    /// By frame: the variables that remember it in all later ones.
    memory: Vec<Vec<VarId>>,
    differ: Vec<(ExprId, Frame)>,
}

impl Distinct {
    pub(in crate::engine) fn new(pool: &mut ExprPool, system: &System) -> Distinct {
        let deciding = deciding_by_cut(pool, system);
        let vars: BTreeSet<VarId> = deciding.iter().flat_map(|(_, vars)| vars).copied().chain(system.pc).collect();
        Distinct { vars: vars.into_iter().collect(), pc: system.pc, deciding, memory: Vec::new(), differ: Vec::new() }
    }
    /// Adds, after a step, that the state of the last frame differs from all before it.
    pub(in crate::engine) fn extend(&mut self, pool: &mut ExprPool, unrolling: &mut Unrolling) -> Result<(), Stop> {
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
            let differ = self.differs(pool, old);
            self.differ.push((differ, last));
        }
        Ok(())
    }
    /// Returns the condition that a state differs from a remembered one.
    fn differs(&self, pool: &mut ExprPool, old: &[VarId]) -> ExprId {
        let mut differ: BTreeMap<VarId, ExprId> = BTreeMap::new();
        for (var, old) in self.vars.iter().zip(old) {
            let (x, old) = (pool.var(*var), pool.var(*old));
            differ.insert(*var, pool.ne(x, old));
        }
        let mut all: Vec<ExprId> = self.pc.iter().filter_map(|pc| differ.get(pc)).copied().collect();
        for (at, vars) in &self.deciding {
            let there = pool.or_all(vars.iter().filter_map(|var| differ.get(var)).copied());
            let here = match self.pc.zip(*at) {
                Some((pc, at)) => {
                    let (pc, at) = (pool.var(pc), pool.constant(at));
                    pool.eq(pc, at)
                }
                None => pool.bool(true),
            };
            all.push(pool.and(here, there));
        }
        pool.or_all(all)
    }
    pub(in crate::engine) fn assumptions(&self) -> impl Iterator<Item = (ExprId, Frame)> {
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

/// Returns for each cut point the variables that decide it from there on, without `pc`.
fn deciding_by_cut(pool: &mut ExprPool, system: &System) -> Vec<(Option<Value>, BTreeSet<VarId>)> {
    let Some(pc) = system.pc else { return vec![(None, deciding(pool, system))] };
    // Variables that a step from a cut point reads, for each new value and for its guards.
    let mut reads: BTreeMap<(Value, VarId), BTreeSet<VarId>> = BTreeMap::new();
    let mut todo: Vec<(Value, VarId)> = Vec::new();
    for (_, at) in &system.cuts {
        let here = BTreeMap::from([(pc, pool.constant(*at))]);
        let conditions = [system.guard, system.bad].map(|e| pool.subst(e, &here));
        todo.extend(pool.vars_of(&conditions).into_iter().map(|var| (*at, var)));
        for (var, e) in &system.next {
            let e = pool.subst(*e, &here);
            reads.insert((*at, *var), pool.vars_of(&[e]));
        }
    }
    let mut found: BTreeMap<Value, BTreeSet<VarId>> = system.cuts.iter().map(|(_, at)| (*at, BTreeSet::new())).collect();
    while let Some((at, var)) = todo.pop() {
        let is_state = var != pc && system.vars.binary_search(&var).is_ok();
        if is_state && found.get_mut(&at).is_some_and(|vars| vars.insert(var)) {
            for (from, _) in system.ways.iter().filter(|(_, to)| *to == at) {
                todo.extend(reads.get(&(*from, var)).into_iter().flatten().map(|var| (*from, *var)));
            }
        }
    }
    found.into_iter().map(|(at, vars)| (Some(at), vars)).collect()
}
