//! One row of a guarded template: `guard ⇒ expression ≤ parameter`.
//!
//! Every row has one normal form: its *height* is an unsigned bit vector, 0 for the smallest value of the row's expression, all
//! ones for the largest. Bounds of all kinds, differences, sums and Boolean facts differ only in their height and in the formula
//! of a bound.
//!
//! Source: Brain, Joshi, Kroening, Schrammel, "Safety verification and refutation by k-invariants and k-induction",
//! SAS 2015, doi:10.1007/978-3-662-48288-9_9 (§3.3).

use kernel::expr::{BvBin, BvCmp, BvUn, ExprId, ExprPool, Sort, Value};

/// The value of a row's parameter: `None` is ⊥ (the guard never holds), the largest height is ⊤.
pub(super) type Bound = Option<u128>;

/// Heights have at most this many bits: sums of some of them must fit into 128.
pub(super) const MAX_WIDTH: u16 = 100;

/// Reading of a bit vector as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sign {
    /// Two's complement.
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

/// A row. Its expression cannot wrap: it is widened first.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Condition under which it applies; `None`: always.
    pub(super) guard: Option<ExprId>,
    pub(super) shape: Shape,
    /// The expression in its normal form.
    pub(super) height: ExprId,
    /// Bits of the height.
    pub(super) width: u16,
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
    /// Returns a row; `None` if its expression is too wide, or has no bits where it needs them.
    pub(super) fn new(pool: &mut ExprPool, guard: Option<ExprId>, shape: Shape) -> Option<Row> {
        let height = match shape {
            Shape::Upper(e, sign) | Shape::Lower(e, sign) => {
                let Sort::BitVec(width) = pool.sort(e) else { return None };
                if MAX_WIDTH < width {
                    return None;
                }
                let natural = match sign {
                    Sign::Unsigned => e,
                    Sign::Signed => {
                        let flip = pool.constant(Value::bv(width, sign_bit(width)));
                        pool.bv(BvBin::Xor, e, flip)
                    }
                };
                if matches!(shape, Shape::Upper(..)) { natural } else { pool.bv_un(BvUn::Not, natural) }
            }
            Shape::Fact(fact) => {
                let (holds, not) = (pool.constant(Value::bv(1, 0)), pool.constant(Value::bv(1, 1)));
                pool.ite(fact, holds, not)
            }
        };
        let width = pool.width(height);
        Some(Row { guard, shape, height, width, stage: Stage::Plain })
    }
    /// Returns the row for the later stage.
    pub(super) fn later(self) -> Row {
        Row { stage: Stage::Whole, ..self }
    }
    /// Returns the bound ⊤.
    pub(super) fn top(&self) -> u128 {
        top(self.width)
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
                    pool.bv_cmp(le(sign), e, limit)
                }
                Shape::Lower(e, sign) => {
                    let limit = self.limit(pool, sign, self.top() - bound);
                    pool.bv_cmp(le(sign), limit, e)
                }
            },
        };
        match self.guard {
            Some(guard) => pool.implies(guard, body),
            None => body,
        }
    }
    fn limit(&self, pool: &mut ExprPool, sign: Sign, natural: u128) -> ExprId {
        let bits = match sign {
            Sign::Unsigned => natural,
            Sign::Signed => natural ^ sign_bit(self.width),
        };
        pool.constant(Value::bv(self.width, bits))
    }
}

fn le(sign: Sign) -> BvCmp {
    match sign {
        Sign::Signed => BvCmp::Sle,
        Sign::Unsigned => BvCmp::Ule,
    }
}

fn sign_bit(width: u16) -> u128 {
    1 << (width.clamp(1, 128) - 1)
}

/// Returns `width` ones.
pub(super) fn top(width: u16) -> u128 {
    if 128 <= width { u128::MAX } else { (1 << width) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::expr::{Sort, VarId};

    /// Checks that `says(bound)` holds in exactly the states with at most this height.
    fn check(sort: Sort, guarded: bool, shape: impl Fn(&mut ExprPool, ExprId, ExprId) -> Shape) {
        let mut pool = ExprPool::new();
        let (x, y, g) = (pool.new_var("x", sort), pool.new_var("y", sort), pool.new_var("g", Sort::Bool));
        let (x_e, y_e, g_e) = (pool.var(x), pool.var(y), pool.var(g));
        let shape = shape(&mut pool, x_e, y_e);
        let row = Row::new(&mut pool, guarded.then_some(g_e), shape).unwrap();
        let values: Vec<Value> = if let Sort::BitVec(width) = sort {
            (0..1 << width).map(|bits| Value::bv(width, bits)).collect()
        } else {
            vec![Value::Bool(false), Value::Bool(true)]
        };
        let bounds: Vec<Bound> = std::iter::once(None).chain((0..=row.top()).map(Some)).collect();
        for bound in bounds {
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
                let height = pool.eval(row.height, &env).and_then(|v| v.as_unsigned()).unwrap();
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
    }

    #[test]
    fn rows_that_are_too_wide_are_not_made() {
        let mut pool = ExprPool::new();
        let x = pool.new_var("x", Sort::BitVec(128));
        let x = pool.var(x);
        assert!(Row::new(&mut pool, None, Shape::Upper(x, Sign::Signed)).is_none());
    }
}
