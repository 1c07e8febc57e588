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

/// Tracked things in groups: those of different groups have no variable in common.
pub(super) struct Groups<P> {
    groups: Vec<Group<P>>,
    of_var: BTreeMap<VarId, usize>,
}

/// Things that share variables, directly or through others.
struct Group<P> {
    vars: BTreeSet<VarId>,
    items: Vec<(BTreeSet<VarId>, P)>,
}

impl<P: SharedPrecision> Groups<P> {
    /// Divides a precision.
    pub(super) fn new(pool: &ExprPool, prec: &P) -> Groups<P> {
        let mut groups: Vec<Group<P>> = Vec::new();
        let mut of_var: BTreeMap<VarId, usize> = BTreeMap::new();
        for (vars, item) in prec.items(pool) {
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
