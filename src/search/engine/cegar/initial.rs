//! Initial precisions other than the empty one.

use std::collections::BTreeSet;

use crate::arg::Graph;
use crate::refine::atoms;
use kernel::context::Ctx;
use kernel::expr::{ExprId, Sort, VarId};

/// Returns the variables of the state in guards.
pub(super) fn assumed_vars(cx: &Ctx<'_>, graph: &Graph) -> BTreeSet<VarId> {
    let state: BTreeSet<VarId> = graph.cfa.vars.iter().copied().collect();
    let guards: Vec<ExprId> = graph.steps().map(|step| step.block.guard).collect();
    cx.pool.vars_of(&guards).intersection(&state).copied().collect()
}

/// Returns the atoms of guards that speak of the state alone.
pub(super) fn assumed_atoms(cx: &mut Ctx<'_>, graph: &Graph) -> BTreeSet<ExprId> {
    let state: BTreeSet<VarId> = graph.cfa.vars.iter().copied().collect();
    let guards: BTreeSet<ExprId> = graph.steps().map(|step| step.block.guard).collect();
    let mut found = BTreeSet::new();
    for guard in guards {
        for atom in atoms(&mut cx.pool, guard) {
            if cx.pool.vars_of(&[atom]).is_subset(&state) {
                found.insert(atom);
            }
        }
    }
    found
}

/// Returns the Bool variables.
pub(super) fn flags(cx: &mut Ctx<'_>, graph: &Graph) -> BTreeSet<ExprId> {
    let is_flag = |var: &&VarId| cx.pool.var_decl(**var).sort == Sort::Bool;
    let flags: Vec<VarId> = graph.cfa.vars.iter().filter(is_flag).copied().collect();
    flags.into_iter().map(|var| cx.pool.var(var)).collect()
}
