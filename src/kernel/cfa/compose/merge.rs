//! Merge of sets of paths that meet: each value is an if-then-else over the condition of the branch.

use super::Paths;
use crate::expr::{Expr, ExprId, ExprPool};

impl Paths {
    /// Merges sets of paths into one; `None` if there are none. The sets that share the longest prefix of conditions are merged
    /// first. So an inner IF is merged before the enclosing IF, and its own condition distinguishes its branches.
    ///
    /// Soundness: no state and inputs may follow paths of two sets. Sets that [`super::Composer::leave`] made are such.
    pub fn merged(pool: &mut ExprPool, all: Vec<Paths>) -> Option<Paths> {
        let mut stack: Vec<(Paths, usize)> = Vec::new();
        for paths in all {
            let shared = stack.last().map_or(0, |(top, _)| common(top, &paths));
            while let [.., _, (_, with_previous)] = stack.as_slice()
                && *with_previous >= shared
                && join_top(pool, &mut stack)
            {}
            let shared = stack.last().map_or(0, |(top, _)| common(top, &paths));
            stack.push((paths, shared));
        }
        while 1 < stack.len() {
            join_top(pool, &mut stack);
        }
        stack.pop().map(|(paths, _)| paths)
    }
}

/// Returns the length of the common prefix of the conditions.
fn common(a: &Paths, b: &Paths) -> usize {
    a.conditions.iter().zip(&b.conditions).take_while(|(a, b)| a == b).count()
}

/// Joins the two topmost sets of paths.
fn join_top(pool: &mut ExprPool, stack: &mut Vec<(Paths, usize)>) -> bool {
    let Some((second, shared)) = stack.pop() else { return false };
    let Some((first, below)) = stack.pop() else {
        stack.push((second, shared));
        return false;
    };
    stack.push((join(pool, first, second, shared), below));
    true
}

/// Merges two sets of paths that share their first `shared` conditions. Their other conditions exclude each other.
fn join(pool: &mut ExprPool, first: Paths, second: Paths, shared: usize) -> Paths {
    let this = pool.and_all(first.conditions[shared..].iter().copied());
    let that = pool.and_all(second.conditions[shared..].iter().copied());
    let mut conditions = first.conditions;
    conditions.truncate(shared);
    let either = pool.or(this, that);
    if !pool.is_true(either) {
        conditions.push(either);
    }
    // Both conditions distinguish the sets; the simpler one is used.
    let (test, yes, no) = match (is_single_test(pool, this), is_single_test(pool, that)) {
        (false, true) => (that, second.values, first.values),
        (true | false, true | false) => (this, first.values, second.values),
    };
    let merged = yes.merged(&no, |a, b| pool.ite(test, ExprId(a), ExprId(b)).0);
    let values = merged.unwrap_or(yes);
    Paths { conditions, values }
}

/// Returns whether a condition is one test rather than a conjunction of several.
fn is_single_test(pool: &ExprPool, e: ExprId) -> bool {
    !matches!(pool.expr(e), Expr::And(..))
}
