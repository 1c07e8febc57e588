//! Initial precisions: the option `initprec`.

use std::collections::BTreeSet;

use super::InitPrec;
use crate::arg::Graph;
use crate::domain::{ExplPrec, PredPrec, atoms};
use kernel::context::Ctx;
use kernel::expr::{ExprId, Sort, VarId};

/// Returns the variables whose values are tracked from the start.
pub(super) fn values(cx: &Ctx<'_>, graph: &Graph, init_prec: InitPrec) -> ExplPrec {
    let state: BTreeSet<VarId> = graph.cfa.vars.iter().copied().collect();
    let vars = match init_prec {
        InitPrec::Empty => BTreeSet::new(),
        InitPrec::AllVars => state,
        InitPrec::AllAssumes => {
            let guards: Vec<ExprId> = graph.guards().collect();
            cx.pool.vars_of(&guards).intersection(&state).copied().collect()
        }
    };
    ExplPrec { vars }
}

/// Returns the predicates that are tracked from the start.
pub(super) fn predicates(cx: &mut Ctx<'_>, graph: &Graph, init_prec: InitPrec) -> PredPrec {
    let preds = match init_prec {
        InitPrec::Empty => BTreeSet::new(),
        InitPrec::AllVars => {
            let is_flag = |var: &&VarId| cx.pool.var_decl(**var).sort == Sort::Bool;
            let flags: Vec<VarId> = graph.cfa.vars.iter().filter(is_flag).copied().collect();
            flags.into_iter().map(|var| cx.pool.var(var)).collect()
        }
        InitPrec::AllAssumes => guard_atoms(cx, graph),
    };
    PredPrec { preds }
}

/// Returns the atoms of guards that contain variables of the state only.
fn guard_atoms(cx: &mut Ctx<'_>, graph: &Graph) -> BTreeSet<ExprId> {
    let state: BTreeSet<VarId> = graph.cfa.vars.iter().copied().collect();
    let guards: BTreeSet<ExprId> = graph.guards().collect();
    let mut found: BTreeSet<ExprId> = guards.into_iter().flat_map(|guard| atoms(&mut cx.pool, guard)).collect();
    found.retain(|atom| cx.pool.vars_of(&[*atom]).is_subset(&state));
    found
}
