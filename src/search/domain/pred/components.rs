//! Components of predicates that can influence each other in a step: they share variables, directly or through others.
//!
//! Soundness and strength: conditions of different components contain different variables. So together they allow exactly the
//! combinations of what each allows by itself.

use std::collections::{BTreeMap, BTreeSet};

use biodivine_lib_bdd::BddVariable;

use super::image::Target;
use super::{Factor, Pred};
use crate::domain::Step;
use kernel::context::Ctx;
use kernel::expr::{Expr, ExprId, ExprPool, FastMap, VarId, bottom_up};

/// The predicates of a question that has nothing to do with the others.
pub(super) struct Component {
    /// Predicates of the source state over the same variables.
    pub(super) source: BTreeSet<BddVariable>,
    /// Factors of the source state over these.
    pub(super) factors: Vec<Factor>,
    /// Predicates after the step.
    pub(super) targets: Vec<Target>,
    /// No condition of the step contains its variables.
    pub(super) is_free: bool,
}

pub(super) struct Components {
    pub(super) parts: Vec<Component>,
}

impl Components {
    /// Returns those of the targets that `step` leaves from a state; each has at least one target.
    pub(super) fn new(
        cx: &mut Ctx<'_>,
        pred: &Pred,
        source: &[Factor],
        step: Step<'_>,
        targets: &[Target],
        under: ExprId,
    ) -> Components {
        let supports: Vec<BTreeSet<BddVariable>> = source.iter().map(|factor| Pred::support(factor)).collect();
        let vars_of = |var: &BddVariable| &pred.pred_vars[var.to_index()];
        let mut groups = Groups::default();
        let mut conditions: Vec<VarId> = Vec::new();
        for condition in [step.block.guard, under].into_iter().flat_map(|e| BTreeSet::from_iter(cx.pool.conjuncts(e))) {
            conditions.extend(groups.unite_in(&cx.pool, condition));
        }
        // A factor may relate predicates that share no variable.
        for support in &supports {
            groups.unite(&support.iter().flat_map(|var| vars_of(var).iter().copied()).collect());
        }
        let of_targets: Vec<Option<VarId>> = targets.iter().map(|target| groups.unite_in(&cx.pool, target.before)).collect();
        let touched: BTreeSet<VarId> = conditions.into_iter().map(|var| groups.root(var)).collect();
        let mut parts: BTreeMap<Option<VarId>, Component> = BTreeMap::new();
        for (target, var) in targets.iter().zip(of_targets) {
            let root = var.map(|var| groups.root(var));
            let is_free = root.is_none_or(|root| !touched.contains(&root));
            let empty = || Component { source: BTreeSet::new(), factors: Vec::new(), targets: Vec::new(), is_free };
            parts.entry(root).or_insert_with(empty).targets.push(*target);
        }
        for (factor, support) in source.iter().zip(supports) {
            let root = support.iter().find_map(|var| vars_of(var).first().copied()).map(|var| groups.root(var));
            if let Some(part) = parts.get_mut(&root) {
                part.source.extend(support);
                part.factors.push(factor.clone());
            }
        }
        Components { parts: parts.into_values().collect() }
    }
}

/// Sets of variables that grow together.
#[derive(Default)]
pub(super) struct Groups {
    parents: BTreeMap<VarId, VarId>,
    /// A variable of each expression; those of one expression are united.
    known: FastMap<ExprId, Option<VarId>>,
}

impl Groups {
    pub(super) fn root(&mut self, var: VarId) -> VarId {
        let mut top = var;
        while let Some(&parent) = self.parents.get(&top) {
            top = parent;
        }
        let mut at = var;
        while at != top {
            at = self.parents.insert(at, top).unwrap_or(top);
        }
        top
    }
    /// Unites the variables of an expression. Returns one of them, if it has any.
    ///
    /// Cost: each node once for all expressions.
    pub(super) fn unite_in(&mut self, pool: &ExprPool, e: ExprId) -> Option<VarId> {
        let mut known = std::mem::take(&mut self.known);
        let unite = |groups: &mut Groups, _, node: Expr, known: &FastMap<ExprId, Option<VarId>>| {
            if let Expr::Var(var) = node {
                return Some(var);
            }
            let mut vars = node.children().filter_map(|child| known[&child]);
            let first = vars.next()?;
            vars.for_each(|var| groups.join(first, var));
            Some(first)
        };
        let var = bottom_up(self, e, &mut known, |_, e| pool.expr(e), unite);
        self.known = known;
        var
    }
    fn join(&mut self, first: VarId, other: VarId) {
        let (a, b) = (self.root(first), self.root(other));
        if a != b {
            self.parents.insert(b, a);
        }
    }
    pub(super) fn unite(&mut self, vars: &BTreeSet<VarId>) {
        let mut vars = vars.iter();
        let Some(&first) = vars.next() else { return };
        vars.for_each(|var| self.join(first, *var));
    }
}
