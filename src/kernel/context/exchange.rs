//! Exchange between engines that run side by side: lemmas, and the number of cycles without a violation.
//!
//! Each engine has a pool of its own, so a fact is passed as an expression of the board's pool; variables have the same ids in
//! all pools. No fact is believed without a check: an engine that uses one adds it to its proof, and certification checks the
//! whole.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::cfa::LocId;
use crate::expr::{Expr, ExprId, ExprPool, Import};

/// The board. **Invariant:** facts are only added, and earlier batches are inductive without later ones. So the first n batches
/// are inductive together, for every n.
#[derive(Debug, Default)]
pub struct Board {
    known: Mutex<Lemmas>,
    safe_cycles: AtomicU32,
}

#[derive(Debug, Default)]
struct Lemmas {
    pool: ExprPool,
    facts: Vec<Fact>,
}

/// A Bool expression that holds whenever a run comes to a cut point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The engine that proved it.
    pub by: &'static str,
    /// The cut point, as in the unreduced CFA.
    pub at: LocId,
    /// The fact; in the reader's pool.
    pub e: ExprId,
}

/// Position of a reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor(usize);

impl Board {
    /// Returns an empty board for engines whose pools grew out of `pool`.
    pub fn new(pool: &ExprPool) -> Board {
        Board { known: Mutex::new(Lemmas { pool: pool.clone(), facts: Vec::new() }), safe_cycles: AtomicU32::new(0) }
    }
    /// Publishes facts of `pool` that are inductive together with what their engine has read here before.
    ///
    /// Facts over variables of this engine only (locations as numbers, choices) would make the others unprovable. Then nothing is
    /// published, and the answer is `false`.
    pub fn publish(&self, pool: &ExprPool, by: &'static str, facts: &BTreeMap<LocId, Vec<ExprId>>) -> bool {
        let Ok(mut known) = self.known.lock() else { return false };
        let all: Vec<ExprId> = facts.values().flatten().copied().collect();
        let n_vars = known.pool.n_vars();
        if pool.vars_of(&all).last().is_some_and(|var| n_vars <= var.0 as usize) {
            return false;
        }
        let Lemmas { pool: own, facts: list } = &mut *known;
        let mut import = Import::default();
        for (at, facts) in facts {
            for e in facts {
                let fact = Fact { by, at: *at, e: import.apply(pool, own, *e) };
                let known = matches!(own.expr(fact.e), Expr::Const(_)) || list.iter().any(|f| (f.at, f.e) == (fact.at, fact.e));
                if !known {
                    list.push(fact);
                }
            }
        }
        true
    }
    /// Returns the facts published since `read`, as expressions of `pool`. All facts up to here are inductive together.
    pub fn news(&self, pool: &mut ExprPool, read: &mut Cursor) -> Vec<Fact> {
        let Ok(known) = self.known.lock() else { return Vec::new() };
        let mut import = Import::default();
        let new = known.facts.get(read.0..).unwrap_or_default();
        let news = new.iter().map(|fact| Fact { e: import.apply(&known.pool, pool, fact.e), ..*fact }).collect();
        read.0 = known.facts.len();
        news
    }
    /// Returns whether there are unread facts.
    pub fn has_news(&self, read: Cursor) -> bool {
        self.known.lock().is_ok_and(|known| read.0 < known.facts.len())
    }
    /// Notes that the first `n` cycles have no violation.
    pub fn safe(&self, n: u32) {
        self.safe_cycles.fetch_max(n, Ordering::Relaxed);
    }
    /// Returns the number of first cycles that engines have shown to be without a violation.
    pub fn safe_cycles(&self) -> u32 {
        self.safe_cycles.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Sort;

    #[test]
    fn facts_travel_between_pools_once_and_in_order() {
        let mut pool = ExprPool::new();
        let (a, b) = (pool.new_var("a", Sort::Bool), pool.new_var("b", Sort::Bool));
        let board = Board::new(&pool);
        let (mut left, mut right) = (pool.clone(), pool);
        // Their own expressions differ from here on.
        let private = left.new_var("#pc", Sort::Bool);
        let (la, lb) = (left.var(a), left.var(b));
        let (both, either) = (left.and(la, lb), left.or(la, lb));
        let at = |facts: &[ExprId]| BTreeMap::from([(LocId(1), facts.to_vec())]);
        assert!(board.publish(&left, "x", &at(&[either, both, either])));
        let (of_private, yes) = (left.var(private), left.bool(true));
        assert!(!board.publish(&left, "x", &at(&[of_private])));
        assert!(board.publish(&left, "x", &at(&[yes])));

        let mut read = Cursor::default();
        assert!(board.has_news(read));
        let news = board.news(&mut right, &mut read);
        let (ra, rb) = (right.var(a), right.var(b));
        let (r_either, r_both) = (right.or(ra, rb), right.and(ra, rb));
        assert_eq!(news.iter().map(|f| f.e).collect::<Vec<_>>(), [r_either, r_both]);
        assert!(!board.has_news(read) && board.news(&mut right, &mut read).is_empty());
        board.safe(3);
        board.safe(2);
        assert_eq!(board.safe_cycles(), 3);
        // A board without variables refuses facts instead of confusing variables.
        assert!(!Board::default().publish(&left, "x", &at(&[both])));
    }
}
