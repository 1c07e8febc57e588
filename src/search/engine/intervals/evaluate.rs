//! Ranges of expressions in a state.

use std::collections::BTreeMap;

use kernel::expr::{BvCmp, Expr, ExprId, ExprPool, VarId};

use super::arithmetic;
use super::range::{Range, Reading, Words};
use super::state::{State, Table};

/// Conditions of larger choices do not narrow their branches.
const SMALL: usize = 60;

/// Evaluation in one state. Each expression is visited once, but for the branches of small choices.
struct Evaluation<'e> {
    pool: &'e ExprPool,
    table: &'e mut Table,
    state: &'e State,
    known: BTreeMap<ExprId, Option<Range>>,
}

/// Returns the range of an expression in a state; `None` if it may have any value.
///
/// Soundness: contains the value of the expression in each concrete state of `state`.
pub(super) fn evaluate(pool: &ExprPool, table: &mut Table, state: &State, e: ExprId) -> Option<Range> {
    Evaluation { pool, table, state, known: BTreeMap::new() }.range(e)
}

/// Returns the words of an expression in a state; `None` for other sorts than words of at most 63 bits.
pub(super) fn words(pool: &ExprPool, table: &mut Table, state: &State, e: ExprId) -> Option<Words> {
    Evaluation { pool, table, state, known: BTreeMap::new() }.words(e)
}

/// Returns the reading of a comparison, and whether equal numbers are not enough.
pub(super) fn reading(op: BvCmp) -> (Reading, bool) {
    match op {
        BvCmp::Ult => (Reading::Unsigned, true),
        BvCmp::Ule => (Reading::Unsigned, false),
        BvCmp::Slt => (Reading::Signed, true),
        BvCmp::Sle => (Reading::Signed, false),
    }
}

/// Returns the variable that an expression is.
pub(super) fn variable(pool: &ExprPool, e: ExprId) -> Option<VarId> {
    if let Expr::Var(var) = pool.expr(e) { Some(var) } else { None }
}

/// Comparison that a condition is: the lower side, the upper side, the reading, and whether equal numbers are not enough.
pub(super) type Comparison = (ExprId, ExprId, Reading, bool);

/// Returns the comparison that a condition with this truth value is.
pub(super) fn comparison(pool: &ExprPool, condition: ExprId, truth: bool) -> Option<Comparison> {
    match (pool.expr(condition), truth) {
        (Expr::Not(a), _) => comparison(pool, a, !truth),
        (Expr::BvCmp(op, a, b), true) => {
            let (reading, is_strict) = reading(op);
            Some((a, b, reading, is_strict))
        }
        (Expr::BvCmp(op, a, b), false) => {
            let (reading, is_strict) = reading(op);
            Some((b, a, reading, !is_strict))
        }
        (_, _) => None,
    }
}

/// Returns whether an expression is small.
pub(super) fn is_small(pool: &ExprPool, e: ExprId) -> bool {
    pool.size(&[e], SMALL) < SMALL
}

impl Evaluation<'_> {
    fn range(&mut self, e: ExprId) -> Option<Range> {
        if let Expr::Const(value) = self.pool.expr(e) {
            return Range::of(value);
        }
        if let Some(known) = self.known.get(&e) {
            return *known;
        }
        let found = self.compute(e);
        self.known.insert(e, found);
        found
    }

    fn words(&mut self, e: ExprId) -> Option<Words> {
        match self.range(e) {
            Some(range) => range.words(),
            None => Words::of_sort(self.pool.sort(e)),
        }
    }

    fn truth(&mut self, e: ExprId) -> Option<bool> {
        if let Some(Range::Truth(truth)) = self.range(e) { Some(truth) } else { None }
    }

    fn compute(&mut self, e: ExprId) -> Option<Range> {
        match self.pool.expr(e) {
            Expr::Const(value) => Range::of(value),
            Expr::Var(var) => self.table.get(self.state, var),
            Expr::Not(a) => self.truth(a).map(|a| Range::Truth(!a)),
            Expr::And(a, b) => self.both(a, b, false),
            Expr::Or(a, b) => self.both(a, b, true),
            Expr::Eq(a, b) => self.equal(a, b),
            Expr::Ite(c, a, b) => self.choice(c, a, b),
            Expr::BvUn(op, a) => arithmetic::unary(op, self.words(a)?).known(),
            Expr::BvBin(op, a, b) => arithmetic::binary(op, self.words(a)?, self.words(b)?).known(),
            Expr::BvCmp(op, a, b) => self.compared(op, a, b),
            Expr::Extract { high, low, of } => arithmetic::extract(high, low, self.words(of)?).known(),
            Expr::Concat(a, b) => arithmetic::concat(self.words(a)?, self.words(b)?)?.known(),
            Expr::ZeroExtend(width, a) => arithmetic::extended(width, Reading::Unsigned, self.words(a)?)?.known(),
            Expr::SignExtend(width, a) => arithmetic::extended(width, Reading::Signed, self.words(a)?)?.known(),
            Expr::FpUn(..)
            | Expr::FpBin(..)
            | Expr::FpCmp(..)
            | Expr::FpTest(..)
            | Expr::FpToFp(..)
            | Expr::BvToFp { .. }
            | Expr::FpToBv { .. }
            | Expr::BitsToFp(..)
            | Expr::IntNeg(_)
            | Expr::IntBin(..)
            | Expr::IntCmp(..)
            | Expr::Select(..)
            | Expr::Store(..) => None,
        }
    }

    /// Returns a conjunction, or with `decides` a disjunction: one operand that is `decides` is enough.
    fn both(&mut self, a: ExprId, b: ExprId, decides: bool) -> Option<Range> {
        match (self.truth(a), self.truth(b)) {
            (Some(a), _) | (_, Some(a)) if a == decides => Some(Range::Truth(decides)),
            (Some(_), Some(_)) => Some(Range::Truth(!decides)),
            (_, _) => None,
        }
    }

    fn equal(&mut self, a: ExprId, b: ExprId) -> Option<Range> {
        match (self.range(a), self.range(b)) {
            (Some(Range::Truth(a)), Some(Range::Truth(b))) => Some(Range::Truth(a == b)),
            (Some(Range::Words(a)), Some(Range::Words(b))) => match a.meet(b) {
                None => Some(Range::Truth(false)),
                Some(_) => {
                    let is_one = Range::Words(a).value().is_some() && a == b;
                    is_one.then_some(Range::Truth(true))
                }
            },
            (_, _) => None,
        }
    }

    fn compared(&mut self, op: BvCmp, a: ExprId, b: ExprId) -> Option<Range> {
        let (reading, is_strict) = reading(op);
        if let (Some(a), Some(b)) = (variable(self.pool, a), variable(self.pool, b)) {
            // `a < b` is false if `b <= a`; `a <= b` is true if that is known.
            let (low, high) = if is_strict { (b, a) } else { (a, b) };
            if self.state.orders.knows(reading, low, high) {
                return Some(Range::Truth(!is_strict));
            }
        }
        let (a, b) = (self.words(a)?.of(reading), self.words(b)?.of(reading));
        let strict = i128::from(is_strict);
        if a.1 + strict <= b.0 {
            Some(Range::Truth(true))
        } else if b.1 < a.0 + strict {
            Some(Range::Truth(false))
        } else {
            None
        }
    }

    fn choice(&mut self, c: ExprId, a: ExprId, b: ExprId) -> Option<Range> {
        match self.truth(c) {
            Some(true) => return self.range(a),
            Some(false) => return self.range(b),
            None => {}
        }
        let (pool, state) = (self.pool, self.state);
        if is_small(pool, c) && is_small(pool, a) && is_small(pool, b) {
            let apart = self.table.nested(|table| {
                let mut branch = |truth: bool, e: ExprId| -> Option<Option<Range>> {
                    let state = super::assume::assume(pool, table, state, c, truth)?;
                    let range = evaluate(pool, table, &state, e);
                    let side = side(e, comparison(pool, c, truth));
                    limited(pool, (e, range), side.map(|side| (side, words(pool, table, &state, side.other))))
                };
                let (a, b) = (branch(true, a), branch(false, b));
                joined(a, b)
            });
            if let Some(found) = apart {
                return found;
            }
        }
        let mut branch = |truth: bool, e: ExprId| {
            let range = self.range(e);
            let side = side(e, comparison(pool, c, truth));
            limited(pool, (e, range), side.map(|side| (side, self.words(side.other))))
        };
        let (a, b) = (branch(true, a), branch(false, b));
        joined(a, b)
    }
}

/// The side of a comparison that an expression is.
#[derive(Clone, Copy)]
struct Side {
    is_low: bool,
    other: ExprId,
    reading: Reading,
    strict: i128,
}

/// Returns the side of a comparison that `e` is.
fn side(e: ExprId, comparison: Option<Comparison>) -> Option<Side> {
    let (low, high, reading, is_strict) = comparison.filter(|(low, high, ..)| [*low, *high].contains(&e))?;
    let is_low = e == low;
    Some(Side { is_low, other: if is_low { high } else { low }, reading, strict: i128::from(is_strict) })
}

/// Returns the range of a branch that is itself a side of the comparison that leads to it, as in MAX; `None` if it has no value.
fn limited(pool: &ExprPool, (e, range): (ExprId, Option<Range>), side: Option<(Side, Option<Words>)>) -> Option<Option<Range>> {
    let Some((Side { is_low, reading, strict, .. }, Some(other))) = side else { return Some(range) };
    let own = match range {
        Some(range) => range.words(),
        None => Words::of_sort(pool.sort(e)),
    };
    let Some(own) = own else { return Some(range) };
    let ((least, most), (from, to)) = (own.of(reading), other.of(reading));
    let interval = if is_low { (least, most.min(to - strict)) } else { (least.max(from + strict), most) };
    Some(own.limited(reading, interval)?.known())
}

/// Returns the range of a choice; a branch without values is `None`.
fn joined(a: Option<Option<Range>>, b: Option<Option<Range>>) -> Option<Range> {
    match (a, b) {
        (Some(a), Some(b)) => a?.join(b?),
        (Some(one), None) | (None, Some(one)) => one,
        // The state has no values at all.
        (None, None) => None,
    }
}
