//! One row of a guarded template: `guard ⇒ expression ≤ parameter`.
//!
//! Every row has one normal form: its *height* is a natural number, 0 for the smallest value of the row's expression, ⊤ for "no
//! bound" ([`super::height`]). Bounds of all kinds, differences, sums and Boolean facts differ only in their height and in the
//! formula of a bound.
//!
//! Source: Brain, Joshi, Kroening, Schrammel, "Safety verification and refutation by k-invariants and k-induction",
//! SAS 2015, doi:10.1007/978-3-662-48288-9_9 (§3.3).

use super::height::{Kind, Order};
use kernel::expr::{BvBin, BvCmp, BvUn, ExprId, ExprPool, FpCmp, FpUn, IntCmp, Sort, Value};

/// The value of a row's parameter: `None` is ⊥ (the guard never holds), the largest height is ⊤.
pub(super) type Bound = Option<u128>;

/// Heights have at most this many bits: sums of some of them must fit into 128.
pub(super) const MAX_WIDTH: u16 = 100;

/// Reading of a term as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sign {
    /// Two's complement of a bit vector; integers and floats have their own sign.
    Signed,
    /// Natural numbers.
    Unsigned,
}

/// Term that the parameter bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `e ≤ parameter`.
    Upper(ExprId, Sign),
    /// `-e ≤ parameter`.
    Lower(ExprId, Sign),
    /// The fact holds (0) or is given up (1).
    Fact(ExprId),
}

/// A row. Its expression cannot wrap: it is widened first. Sums of floats are rounded towards the bound.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Condition under which it applies; `None`: always.
    pub(super) guard: Option<ExprId>,
    pub(super) shape: Shape,
    /// The expression in its normal form.
    term: ExprId,
    /// Kind of the term.
    pub(super) kind: Kind,
    /// First stage in which it is inferred: cheap rows come first, and again together with the others.
    pub(super) stage: Stage,
}

/// Part of the template that is inferred together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Rows about one variable, without a mode.
    Plain,
    /// Everything.
    Whole,
}

impl Row {
    /// Returns a row; `None` if its expression is too wide, or no number where it needs one.
    pub(super) fn new(pool: &mut ExprPool, guard: Option<ExprId>, shape: Shape) -> Option<Row> {
        let term = match shape {
            Shape::Upper(e, sign) | Shape::Lower(e, sign) => {
                let upper = matches!(shape, Shape::Upper(..));
                match Kind::of(pool.sort(e))? {
                    Kind::Bits(width) => {
                        let natural = match sign {
                            Sign::Unsigned => e,
                            Sign::Signed => {
                                let flip = pool.constant(Value::bv(width, sign_bit(width)));
                                pool.bv(BvBin::Xor, e, flip)
                            }
                        };
                        if upper { natural } else { pool.bv_un(BvUn::Not, natural) }
                    }
                    Kind::Integer if upper => e,
                    Kind::Integer => pool.int_neg(e),
                    Kind::Float(_) if upper => e,
                    Kind::Float(_) => pool.fp_un(FpUn::Neg, e),
                }
            }
            Shape::Fact(fact) => {
                let (holds, not) = (pool.constant(Value::bv(1, 0)), pool.constant(Value::bv(1, 1)));
                pool.ite(fact, holds, not)
            }
        };
        let kind = Kind::of(pool.sort(term))?;
        Some(Row { guard, shape, term, kind, stage: Stage::Plain })
    }
    /// Returns the row for the later stage.
    pub(super) fn later(self) -> Row {
        Row { stage: Stage::Whole, ..self }
    }
    /// Returns the bound ⊤.
    pub(super) fn top(&self) -> u128 {
        self.kind.top()
    }
    /// Returns the height of a state; ⊤ if it cannot be computed.
    pub(super) fn height(&self, value: impl FnOnce(ExprId) -> Option<Value>) -> u128 {
        value(self.term).map_or(self.top(), |value| self.kind.height(value))
    }
    /// Returns the number that a linear row bounds: its expression, the reading, the factor 1 or -1, and the height of the number
    /// 0. `None` for facts and floats.
    pub(super) fn linear(&self) -> Option<(ExprId, Sign, i128, i128)> {
        let (e, sign, factor) = match self.shape {
            Shape::Upper(e, sign) => (e, sign, 1),
            Shape::Lower(e, sign) => (e, sign, -1),
            Shape::Fact(_) => return None,
        };
        let offset = match self.kind {
            Kind::Bits(width) => match (factor, sign) {
                (1, Sign::Signed) => 1 << (width - 1),
                (1, Sign::Unsigned) => 0,
                (_, Sign::Signed) => (1 << (width - 1)) - 1,
                (_, Sign::Unsigned) => (1 << width) - 1,
            },
            Kind::Integer => i128::try_from(self.kind.height(Value::Int(0))).ok()?,
            Kind::Float(_) => return None,
        };
        Some((e, sign, factor, offset))
    }
    /// Returns the formula of a row that is one.
    pub(super) fn fact(&self) -> Option<ExprId> {
        if let Shape::Fact(fact) = self.shape { Some(fact) } else { None }
    }
    /// Returns whether its expression satisfies `f`.
    pub(super) fn says_about(&self, f: impl FnOnce(ExprId) -> bool) -> bool {
        let (Shape::Upper(e, _) | Shape::Lower(e, _) | Shape::Fact(e)) = self.shape;
        f(e)
    }
    /// Returns whether it bounds a mathematical integer.
    pub(super) fn is_integer(&self) -> bool {
        self.kind == Kind::Integer
    }
    /// Returns the condition that the height and a parameter are in this order.
    pub(super) fn compare(&self, pool: &mut ExprPool, order: Order, parameter: ExprId) -> ExprId {
        self.kind.compare(pool, order, self.term, parameter)
    }
    /// Returns the formula of the row with this bound.
    pub(super) fn says(&self, pool: &mut ExprPool, bound: Bound) -> ExprId {
        let body = match bound {
            None => pool.bool(false),
            Some(bound) if self.top() <= bound => return pool.bool(true),
            Some(bound) => match self.shape {
                Shape::Fact(fact) => fact,
                Shape::Upper(e, sign) => {
                    let limit = self.limit(pool, sign, bound);
                    less_or_equal(pool, sign, e, limit)
                }
                Shape::Lower(e, sign) => {
                    let limit = self.limit(pool, sign, bound);
                    less_or_equal(pool, sign, limit, e)
                }
            },
        };
        match self.guard {
            Some(guard) => pool.implies(guard, body),
            None => body,
        }
    }
    /// Returns the constant beside the expression itself.
    fn limit(&self, pool: &mut ExprPool, sign: Sign, bound: u128) -> ExprId {
        let upper = matches!(self.shape, Shape::Upper(..));
        match self.kind {
            Kind::Bits(width) => {
                let natural = if upper { bound } else { self.top() - bound };
                let bits = match sign {
                    Sign::Unsigned => natural,
                    Sign::Signed => natural ^ sign_bit(width),
                };
                pool.constant(Value::bv(width, bits))
            }
            Kind::Integer => {
                let limit = pool.constant(self.kind.value(bound));
                if upper { limit } else { pool.int_neg(limit) }
            }
            Kind::Float(_) => {
                let limit = pool.constant(self.kind.value(bound));
                if upper { limit } else { pool.fp_un(FpUn::Neg, limit) }
            }
        }
    }
}

fn less_or_equal(pool: &mut ExprPool, sign: Sign, a: ExprId, b: ExprId) -> ExprId {
    match (pool.sort(a), sign) {
        (Sort::Int, _) => pool.int_cmp(IntCmp::Le, a, b),
        (Sort::Float(_), _) => pool.fp_cmp(FpCmp::Le, a, b),
        (Sort::BitVec(_) | Sort::Bool | Sort::Array(..), Sign::Signed) => pool.bv_cmp(BvCmp::Sle, a, b),
        (Sort::BitVec(_) | Sort::Bool | Sort::Array(..), Sign::Unsigned) => pool.bv_cmp(BvCmp::Ule, a, b),
    }
}

fn sign_bit(width: u16) -> u128 {
    1 << (width.clamp(1, 128) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::expr::{FloatSort, VarId};

    fn values(sort: Sort) -> Vec<Value> {
        match sort {
            Sort::BitVec(width) => (0..1 << width).map(|bits| Value::bv(width, bits)).collect(),
            Sort::Int => (-4..5).map(Value::Int).collect(),
            Sort::Float(float) => (0..1 << float.width()).map(|bits| Value::float(float, bits)).collect(),
            Sort::Bool | Sort::Array(..) => vec![Value::Bool(false), Value::Bool(true)],
        }
    }

    /// Checks that `says(bound)` holds in exactly the states with at most this height.
    fn check(sort: Sort, guarded: bool, shape: impl Fn(&mut ExprPool, ExprId, ExprId) -> Shape) {
        let mut pool = ExprPool::new();
        let (x, y, g) = (pool.new_var("x", sort), pool.new_var("y", sort), pool.new_var("g", Sort::Bool));
        let (x_e, y_e, g_e) = (pool.var(x), pool.var(y), pool.var(g));
        let shape = shape(&mut pool, x_e, y_e);
        let row = Row::new(&mut pool, guarded.then_some(g_e), shape).unwrap();
        let values = values(sort);
        let heights: Vec<u128> = if let Kind::Integer = row.kind {
            (-10..10).map(|v| row.kind.height(Value::Int(v))).chain([0, row.top()]).collect()
        } else {
            (0..=row.top()).collect()
        };
        for bound in std::iter::once(None).chain(heights.into_iter().map(Some)) {
            let says = row.says(&mut pool, bound);
            for (a, b, on) in
                values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b))).flat_map(|(a, b)| [(a, b, false), (a, b, true)])
            {
                let env = |v: VarId| {
                    Some(if v == x {
                        a
                    } else if v == y {
                        b
                    } else {
                        Value::Bool(on)
                    })
                };
                let height = row.height(|e| pool.eval(e, &env));
                let expected = (guarded && !on) || bound.is_some_and(|bound| height <= bound);
                assert_eq!(pool.eval(says, &env), Some(Value::Bool(expected)), "{:?} {bound:?} of {a:?} {b:?}", row.shape);
            }
        }
    }

    #[test]
    fn what_a_row_says_is_what_its_height_means() {
        let bits = Sort::BitVec(3);
        for sign in [Sign::Signed, Sign::Unsigned] {
            check(bits, false, |_, x, _| Shape::Upper(x, sign));
            check(bits, true, |_, x, _| Shape::Lower(x, sign));
            check(bits, true, |pool, x, y| {
                let (x, y) = (pool.sign_extend(4, x), pool.sign_extend(4, y));
                Shape::Upper(pool.bv(BvBin::Sub, x, y), sign)
            });
        }
        check(Sort::Bool, false, |pool, x, y| Shape::Fact(pool.or(x, y)));
        check(Sort::Bool, true, |_, x, _| Shape::Fact(x));
        let float = Sort::Float(FloatSort::new(2, 3).unwrap());
        for sort in [Sort::Int, float] {
            check(sort, false, |_, x, _| Shape::Upper(x, Sign::Signed));
            check(sort, true, |_, x, _| Shape::Lower(x, Sign::Signed));
        }
    }

    #[test]
    fn rows_that_are_too_wide_are_not_made() {
        let mut pool = ExprPool::new();
        let x = pool.new_var("x", Sort::BitVec(128));
        let x = pool.var(x);
        assert!(Row::new(&mut pool, None, Shape::Upper(x, Sign::Signed)).is_none());
    }
}
