//! Names of variables on both sides of an edge: in the block around it, and in the action that it stands for.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::cache::PrecId;
use super::form::Numbered;
use crate::domain::SharedPrecision;
use kernel::expr::{ExprId, ExprPool, Subst, VarId};

/// Reduction and expansion at an edge, for one precision of the block around it.
pub(super) struct EdgeContext {
    /// Variables of the block that go in: those of the action, and those that tracked things relate to them.
    pub(super) inside: BTreeSet<VarId>,
    /// Precision of the action, in its own names.
    pub(super) prec: PrecId,
    /// Renamings between both sides.
    pub(super) names: RefCell<Names>,
}

/// A renaming and its inverse.
pub(super) struct Names {
    pub(super) into: Subst,
    pub(super) back: Subst,
}

impl Names {
    /// Returns the renaming of `vars` to their numbers.
    pub(super) fn new(pool: &mut ExprPool, numbered: &mut Numbered, vars: &[VarId]) -> Names {
        let (mut into, mut back): (BTreeMap<VarId, ExprId>, BTreeMap<VarId, ExprId>) = (BTreeMap::new(), BTreeMap::new());
        for (number, &var) in vars.iter().enumerate() {
            let sort = pool.var_decl(var).sort;
            let name = numbered.var(pool, number as u32, sort);
            into.insert(var, pool.var(name));
            back.insert(name, pool.var(var));
        }
        Names { into: Subst::new(into), back: Subst::new(back) }
    }
}

/// Things in groups: those of different groups have no variable in common.
pub(super) struct Groups<T> {
    groups: Vec<Group<T>>,
    of_var: BTreeMap<VarId, usize>,
}

/// Things that share variables, directly or through others.
struct Group<T> {
    vars: BTreeSet<VarId>,
    items: Vec<(BTreeSet<VarId>, T)>,
}

impl<T> Groups<T> {
    /// Divides things, given with their variables.
    pub(super) fn of(items: impl IntoIterator<Item = (BTreeSet<VarId>, T)>) -> Groups<T> {
        let mut groups: Vec<Group<T>> = Vec::new();
        let mut of_var: BTreeMap<VarId, usize> = BTreeMap::new();
        for (vars, item) in items {
            let touched: BTreeSet<usize> = vars.iter().filter_map(|var| of_var.get(var).copied()).collect();
            let at = touched.first().copied().unwrap_or(groups.len());
            if at == groups.len() {
                groups.push(Group { vars: BTreeSet::new(), items: Vec::new() });
            }
            let mut moved = vars.clone();
            for other in touched.into_iter().skip(1) {
                let Group { vars, items } =
                    std::mem::replace(&mut groups[other], Group { vars: BTreeSet::new(), items: Vec::new() });
                moved.extend(vars);
                groups[at].items.extend(items);
            }
            of_var.extend(moved.iter().map(|var| (*var, at)));
            groups[at].vars.extend(moved);
            groups[at].items.push((vars, item));
        }
        Groups { groups, of_var }
    }
    /// Returns the variables of each group with its things.
    pub(super) fn into_all(self) -> impl Iterator<Item = (BTreeSet<VarId>, Vec<T>)> {
        let all = self.groups.into_iter().filter(|group| !group.items.is_empty());
        all.map(|group| (group.vars, group.items.into_iter().map(|(_, item)| item).collect()))
    }
}

impl<P: SharedPrecision> Groups<P> {
    /// Divides a precision.
    pub(super) fn new(pool: &ExprPool, prec: &P) -> Groups<P> {
        Groups::of(prec.items(pool))
    }
    /// Returns `vars` with all variables that tracked things relate to them, and these things. Of the things only those count of
    /// which some variable is kept.
    pub(super) fn around(&self, vars: &BTreeSet<VarId>, is_kept: &dyn Fn(VarId) -> bool) -> (BTreeSet<VarId>, P) {
        let touched: BTreeSet<usize> = vars.iter().filter_map(|var| self.of_var.get(var).copied()).collect();
        let (mut inside, mut prec) = (vars.clone(), P::default());
        for group in touched {
            inside.extend(&self.groups[group].vars);
            for (vars, item) in &self.groups[group].items {
                if vars.iter().any(|&var| is_kept(var)) {
                    prec.join(item);
                }
            }
        }
        (inside, prec)
    }
    /// Returns the variables of all tracked things.
    pub(super) fn vars(&self) -> impl Iterator<Item = VarId> {
        self.of_var.keys().copied()
    }
}
