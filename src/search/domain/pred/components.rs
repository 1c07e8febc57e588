//! Components of predicates that can influence each other in a step: they share variables, directly or through others.
//!
//! Soundness and strength: conditions of different components contain different variables. So together they allow exactly the
//! combinations of what each allows by itself.

use std::collections::{BTreeMap, BTreeSet};

use biodivine_lib_bdd::{Bdd, BddVariable};

use super::Pred;
use super::image::Target;
use crate::domain::Step;
use kernel::context::Ctx;
use kernel::expr::{ExprId, ExprPool, VarId};

/// The predicates of a question that has nothing to do with the others.
pub(super) struct Component {
    /// Predicates of the source state over the same variables.
    pub(super) source: BTreeSet<BddVariable>,
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
        source: &Bdd,
        step: Step<'_>,
        targets: &[Target],
        under: ExprId,
    ) -> Components {
        let support = Pred::support(source);
        let vars_of = |pool: &ExprPool, var: &BddVariable| pool.vars_of(&[pred.preds[var.to_index()]]);
        let mut groups = Groups::default();
        let mut conditions: BTreeSet<VarId> = BTreeSet::new();
        for condition in [step.block.guard, under].into_iter().flat_map(|e| BTreeSet::from_iter(cx.pool.conjuncts(e))) {
            let vars = cx.pool.vars_of(&[condition]);
            groups.unite(&vars);
            conditions.extend(vars);
        }
        for var in &support {
            groups.unite(&vars_of(&cx.pool, var));
        }
        // A state may relate predicates that share no variable: then it is not the conjunction of its parts.
        if !is_product(source, &support, &mut groups, |var| vars_of(&cx.pool, var)) {
            groups.unite(&support.iter().flat_map(|var| vars_of(&cx.pool, var)).collect());
        }
        for target in targets {
            groups.unite(&cx.pool.vars_of(&[target.before]));
        }
        let touched: BTreeSet<VarId> = conditions.into_iter().map(|var| groups.root(var)).collect();
        let mut parts: BTreeMap<Option<VarId>, Component> = BTreeMap::new();
        for target in targets {
            let root = cx.pool.vars_of(&[target.before]).first().map(|&var| groups.root(var));
            let is_free = root.is_none_or(|root| !touched.contains(&root));
            let empty = || Component { source: BTreeSet::new(), targets: Vec::new(), is_free };
            parts.entry(root).or_insert_with(empty).targets.push(*target);
        }
        for var in support {
            let root = vars_of(&cx.pool, &var).first().map(|&var| groups.root(var));
            if let Some(part) = parts.get_mut(&root) {
                part.source.insert(var);
            }
        }
        Components { parts: parts.into_values().collect() }
    }
}

/// Returns whether a diagram is the conjunction of its projections to the groups of its predicates.
fn is_product(
    source: &Bdd,
    support: &BTreeSet<BddVariable>,
    groups: &mut Groups,
    vars_of: impl Fn(&BddVariable) -> BTreeSet<VarId>,
) -> bool {
    let mut by_group: BTreeMap<Option<VarId>, BTreeSet<BddVariable>> = BTreeMap::new();
    for var in support {
        let root = vars_of(var).first().map(|&var| groups.root(var));
        by_group.entry(root).or_default().insert(*var);
    }
    if by_group.len() < 2 {
        return true;
    }
    let mut product: Option<Bdd> = None;
    for group in by_group.values() {
        let others: Vec<BddVariable> = support.difference(group).copied().collect();
        let part = source.exists(&others);
        product = Some(match product {
            Some(product) => product.and(&part),
            None => part,
        });
    }
    product.is_some_and(|product| product == *source)
}

/// Sets of variables that grow together.
#[derive(Default)]
struct Groups(BTreeMap<VarId, VarId>);

impl Groups {
    fn root(&mut self, var: VarId) -> VarId {
        let mut top = var;
        while let Some(&parent) = self.0.get(&top) {
            top = parent;
        }
        let mut at = var;
        while at != top {
            at = self.0.insert(at, top).unwrap_or(top);
        }
        top
    }
    fn unite(&mut self, vars: &BTreeSet<VarId>) {
        let mut vars = vars.iter();
        let Some(&first) = vars.next() else { return };
        for &var in vars {
            let (a, b) = (self.root(first), self.root(var));
            if a != b {
                self.0.insert(b, a);
            }
        }
    }
}
