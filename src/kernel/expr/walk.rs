//! Walks over expressions as graphs: substitution, variables, size. No recursion: engines build
//! graphs 100,000 deep.

use std::collections::{BTreeMap, BTreeSet};

use super::hash::{FastMap, FastSet};
use super::node::Expr;
use super::pool::{ExprId, ExprPool, VarId};

/// Returns the result for `root`. `make` computes that of each node below it, operands first; those in `done` stay.
///
/// Cost: each node once. No recursion.
pub fn bottom_up<C: ?Sized, T: Copy>(
    cx: &mut C,
    root: ExprId,
    done: &mut FastMap<ExprId, T>,
    expr: impl Fn(&C, ExprId) -> Expr,
    mut make: impl FnMut(&mut C, ExprId, Expr, &FastMap<ExprId, T>) -> T,
) -> T {
    let mut stack = vec![root];
    while let Some(&e) = stack.last() {
        if done.contains_key(&e) {
            stack.pop();
            continue;
        }
        let node = expr(cx, e);
        let before = stack.len();
        stack.extend(node.children().filter(|c| !done.contains_key(c)));
        if before == stack.len() {
            stack.pop();
            let result = make(cx, e, node, done);
            done.insert(e, result);
        }
    }
    done[&root]
}

/// A simultaneous substitution of variables that shares its work between many expressions.
#[derive(Clone, Debug)]
pub struct Subst {
    by: BTreeMap<VarId, ExprId>,
    done: FastMap<ExprId, ExprId>,
}

impl Subst {
    /// Returns a substitution that replaces each key by its expression, all at once; other variables stay.
    pub fn new(by: BTreeMap<VarId, ExprId>) -> Subst {
        Subst { by, done: FastMap::default() }
    }
    /// Returns the replacements.
    pub fn map(&self) -> &BTreeMap<VarId, ExprId> {
        &self.by
    }
    /// Returns `e` with the variables replaced. The sorts must agree. Always with the same pool, which may have grown.
    pub fn apply(&mut self, pool: &mut ExprPool, e: ExprId) -> ExprId {
        if self.by.is_empty() {
            return e;
        }
        let by = &self.by;
        bottom_up(
            pool,
            e,
            &mut self.done,
            |pool, e| pool.expr(e),
            |pool, e, expr, done| {
                let Expr::Var(var) = expr else {
                    let mapped = expr.map_children(|c| done[&c]);
                    return if mapped == expr { e } else { pool.rebuild(mapped) };
                };
                let replaced = by.get(&var).copied().unwrap_or(e);
                assert_eq!(pool.sort(replaced), pool.sort(e), "substitution for {var} of another sort");
                replaced
            },
        )
    }
}

/// Makes expressions of one pool in another one, where variables have the same ids.
#[derive(Clone, Debug, Default)]
pub struct Import {
    done: FastMap<ExprId, ExprId>,
}

impl Import {
    /// Returns `e` of `from`, in `to`. Always with the same two pools. `to` must have the variables of `e`.
    ///
    /// Cost: each node once. No recursion.
    pub fn apply(&mut self, from: &ExprPool, to: &mut ExprPool, e: ExprId) -> ExprId {
        bottom_up(
            to,
            e,
            &mut self.done,
            |_, e| from.expr(e),
            |to, _, expr, done| {
                if let Expr::Var(var) = expr {
                    to.var(var)
                } else if let Expr::Const(value) = expr {
                    to.constant(value)
                } else {
                    to.rebuild(expr.map_children(|c| done[&c]))
                }
            },
        )
    }
}

impl ExprPool {
    /// Returns `e` with each key replaced by its expression, all at once. For many expressions use a [`Subst`].
    pub fn subst(&mut self, e: ExprId, by: &BTreeMap<VarId, ExprId>) -> ExprId {
        Subst::new(by.clone()).apply(self, e)
    }
    /// Returns all variables in `roots`.
    pub fn vars_of(&self, roots: &[ExprId]) -> BTreeSet<VarId> {
        let mut vars = BTreeSet::new();
        self.visit(roots, |e| {
            if let Expr::Var(var) = self.expr(e) {
                vars.insert(var);
            }
            true
        });
        vars
    }
    /// Returns the parts of a conjunction in their order, each once; one part for any other expression.
    pub fn conjuncts(&self, e: ExprId) -> Vec<ExprId> {
        self.conjuncts_up_to(e, usize::MAX)
    }
    /// Returns the parts of a conjunction as [`Self::conjuncts`] does, but divides it into at most `most` parts.
    pub fn conjuncts_up_to(&self, e: ExprId, most: usize) -> Vec<ExprId> {
        let (mut parts, mut pending, mut seen) = (Vec::new(), vec![e], FastSet::default());
        while let Some(e) = pending.pop() {
            if !seen.insert(e) {
                continue;
            }
            if let Expr::And(a, b) = self.expr(e)
                && pending.len() + parts.len() < most
            {
                pending.extend([b, a]);
            } else {
                parts.push(e);
            }
        }
        parts
    }
    /// Returns the disjuncts of a formula in their order, each once: `(e, true)` stands for `e`, `(e, false)` for its negation.
    pub fn disjuncts(&self, e: ExprId) -> Vec<(ExprId, bool)> {
        let (mut parts, mut pending, mut seen) = (Vec::new(), vec![(e, true)], FastSet::default());
        while let Some((e, holds)) = pending.pop() {
            if !seen.insert((e, holds)) {
                continue;
            }
            match (self.expr(e), holds) {
                (Expr::Or(a, b), true) | (Expr::And(a, b), false) => pending.extend([(b, holds), (a, holds)]),
                (Expr::Not(a), _) => pending.push((a, !holds)),
                _ => parts.push((e, holds)),
            }
        }
        parts
    }
    /// Returns the distinct nodes in `root` with the number of their uses, operands first: ids of operands are lower.
    pub fn uses(&self, root: ExprId) -> BTreeMap<ExprId, usize> {
        self.uses_up_to(root, usize::MAX)
    }
    /// Returns nodes and uses as [`Self::uses`] does, but only those in the first `most` nodes of a walk.
    pub(crate) fn uses_up_to(&self, root: ExprId, most: usize) -> BTreeMap<ExprId, usize> {
        let (mut uses, mut n_visited) = (BTreeMap::from([(root, 1)]), 0);
        self.visit(&[root], |e| {
            n_visited += 1;
            if most < n_visited {
                return false;
            }
            for child in self.expr(e).children() {
                *uses.entry(child).or_default() += 1;
            }
            true
        });
        uses
    }
    /// Returns the number of distinct nodes in `roots`; stops counting at `cap`.
    pub fn size(&self, roots: &[ExprId], cap: usize) -> usize {
        let mut nodes = 0;
        self.visit(roots, |_| {
            nodes += 1;
            nodes < cap
        });
        nodes.min(cap)
    }
    /// Visits each node in `roots` once, and goes on to its operands where `each` returns true. Parents come before their
    /// operands where there is one path only.
    pub fn visit(&self, roots: &[ExprId], mut each: impl FnMut(ExprId) -> bool) {
        let mut seen: FastSet<ExprId> = FastSet::default();
        let mut stack: Vec<ExprId> = roots.iter().rev().copied().collect();
        while let Some(e) = stack.pop() {
            if seen.insert(e) && each(e) {
                stack.extend(self.expr(e).children().rev());
            }
        }
    }
}
