//! Heights: natural numbers that stand for the values of a row's term, in their order.
//!
//! | term | height | ⊤ |
//! |---|---|---|
//! | bit vector | the natural number of its bits | all ones: every value |
//! | mathematical integer | value + 2⁶², ends cut | 2⁶³: no bound |
//! | float | number of floats below it; both zeros are one | one above +∞: NaN too |
//!
//! A float bound below ⊤ excludes NaN, since no comparison with NaN is true. So "at most +∞" says "not NaN". An integer beyond
//! ±2⁶² has no bound: a search for it ends there, and nothing overflows.
//!
//! Source: Brain, Joshi, Kroening, Schrammel, SAS 2015, doi:10.1007/978-3-662-48288-9_9 (§3.3: ⊤ is the largest value of the
//! promoted type).

use kernel::expr::{BvBin, BvCmp, ExprId, ExprPool, FloatSort, FpCmp, IntBin, IntCmp, Sort, Value};

/// Height of the integer 0.
const MIDDLE: i128 = 1 << 62;

/// Kind of the values of a row's term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Natural numbers of this many bits.
    Bits(u16),
    /// Mathematical integers.
    Integer,
    /// Floats.
    Float(FloatSort),
}

/// Order of a term and a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The height of the term is at most the parameter.
    AtMost,
    /// It is less.
    Below,
    /// It is the parameter or more.
    Reaches,
}

impl Kind {
    /// Returns the kind of a term; `None` for terms without heights.
    pub(super) fn of(sort: Sort) -> Option<Kind> {
        match sort {
            Sort::BitVec(width) => (width <= super::row::MAX_WIDTH).then_some(Kind::Bits(width)),
            Sort::Int => Some(Kind::Integer),
            Sort::Float(float) => (float.width() <= super::row::MAX_WIDTH).then_some(Kind::Float(float)),
            Sort::Bool | Sort::Array(..) => None,
        }
    }
    /// Returns ⊤.
    pub(super) fn top(self) -> u128 {
        match self {
            Kind::Bits(width) => ones(width),
            Kind::Integer => 2 * MIDDLE as u128,
            Kind::Float(float) => 2 * float.infinity(false) + 1,
        }
    }
    /// Returns the largest height that a search may ask for.
    pub(super) fn most(self) -> u128 {
        match self {
            Kind::Bits(_) | Kind::Integer => self.top(),
            Kind::Float(_) => self.top() - 1,
        }
    }
    /// Returns the sort of parameters.
    pub(super) fn parameter(self) -> Sort {
        match self {
            Kind::Bits(width) => Sort::BitVec(width),
            Kind::Integer => Sort::Int,
            Kind::Float(float) => Sort::BitVec(float.width()),
        }
    }
    /// Returns the height of a value; ⊤ if it has none.
    pub(super) fn height(self, value: Value) -> u128 {
        match self {
            Kind::Bits(_) => value.as_unsigned().unwrap_or(self.top()),
            Kind::Integer => value.as_int().map_or(self.top(), |v| v.clamp(-MIDDLE, MIDDLE).abs_diff(-MIDDLE)),
            Kind::Float(float) => match value.as_float() {
                Some((_, bits)) if !float.is_nan(bits) => {
                    let (end, sign) = (float.infinity(false), sign(float));
                    if bits & sign == 0 { end + bits } else { end - (bits ^ sign) }
                }
                Some(_) | None => self.top(),
            },
        }
    }
    /// Returns the value at a height below ⊤; of several the highest.
    pub(super) fn value(self, height: u128) -> Value {
        match self {
            Kind::Bits(width) => Value::bv(width, height),
            Kind::Integer => Value::Int(i128::try_from(height).map_or(MIDDLE, |h| h - MIDDLE)),
            Kind::Float(float) => {
                let end = float.infinity(false);
                Value::float(float, if end <= height { height - end } else { (end - height) | sign(float) })
            }
        }
    }
    /// Returns a constant of the parameters' sort.
    pub(super) fn constant(self, pool: &mut ExprPool, height: u128) -> ExprId {
        let value = match self.parameter() {
            Sort::BitVec(width) => Value::bv(width, height),
            Sort::Int | Sort::Bool | Sort::Float(_) | Sort::Array(..) => Value::Int(i128::try_from(height).unwrap_or(i128::MAX)),
        };
        pool.constant(value)
    }
    /// Returns the condition that a term and a parameter are in this order. Parameters of floats are at most [`Kind::most`].
    pub(super) fn compare(self, pool: &mut ExprPool, order: Order, term: ExprId, parameter: ExprId) -> ExprId {
        match self {
            Kind::Bits(_) => match order {
                Order::AtMost => pool.bv_cmp(BvCmp::Ule, term, parameter),
                Order::Below => pool.bv_cmp(BvCmp::Ult, term, parameter),
                Order::Reaches => pool.bv_cmp(BvCmp::Ule, parameter, term),
            },
            Kind::Integer => {
                let middle = pool.int_const(MIDDLE);
                let height = pool.int(IntBin::Add, term, middle);
                match order {
                    Order::AtMost => pool.int_cmp(IntCmp::Le, height, parameter),
                    Order::Below => pool.int_cmp(IntCmp::Lt, height, parameter),
                    Order::Reaches => pool.int_cmp(IntCmp::Le, parameter, height),
                }
            }
            Kind::Float(float) => {
                let limit = limit(pool, float, parameter);
                match order {
                    Order::AtMost => pool.fp_cmp(FpCmp::Le, term, limit),
                    Order::Below => pool.fp_cmp(FpCmp::Lt, term, limit),
                    Order::Reaches => pool.fp_cmp(FpCmp::Le, limit, term),
                }
            }
        }
    }
}

/// Returns the float at the height that a parameter has.
fn limit(pool: &mut ExprPool, float: FloatSort, parameter: ExprId) -> ExprId {
    let width = float.width();
    let (end, sign) = (pool.constant(Value::bv(width, float.infinity(false))), pool.constant(Value::bv(width, sign(float))));
    let not_negative = pool.bv_cmp(BvCmp::Ule, end, parameter);
    let positive = pool.bv(BvBin::Sub, parameter, end);
    let magnitude = pool.bv(BvBin::Sub, end, parameter);
    let negative = pool.bv(BvBin::Or, magnitude, sign);
    let bits = pool.ite(not_negative, positive, negative);
    pool.bits_to_fp(float, bits)
}

fn sign(float: FloatSort) -> u128 {
    float.infinity(true) ^ float.infinity(false)
}

/// Returns `width` ones.
fn ones(width: u16) -> u128 {
    if 128 <= width { u128::MAX } else { (1 << width) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks on all pairs of values that heights have the order of the values, and that formulas say the same.
    #[track_caller]
    fn check(kind: Kind, values: &[Value], at_most: impl Fn(Value, Value) -> bool) {
        let mut pool = ExprPool::new();
        let sort = values[0].sort();
        let (x, d) = (pool.new_var("x", sort), pool.new_var("d", kind.parameter()));
        let (term, parameter) = (pool.var(x), pool.var(d));
        let orders = [Order::AtMost, Order::Below, Order::Reaches].map(|order| kind.compare(&mut pool, order, term, parameter));
        for a in values {
            for b in values {
                let (low, high) = (kind.height(*a), kind.height(*b));
                assert_eq!(low <= high || high == kind.top(), at_most(*a, *b) || high == kind.top(), "{a:?} {b:?}");
                if high == kind.top() {
                    continue;
                }
                assert_eq!(kind.height(kind.value(high)), high);
                let bound = kind.constant(&mut pool, high);
                let bound = pool.as_const(bound).unwrap();
                let said = orders.map(|e| pool.eval(e, &|var| Some(if var == x { *a } else { bound })).unwrap());
                // The top of floats is NaN, which is in no order.
                let ordered = !matches!(kind, Kind::Float(_)) || low != kind.top();
                let expected = [low <= high, low < high, high <= low && ordered].map(Value::Bool);
                assert_eq!(said, expected, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn heights_have_the_order_of_values() {
        let bits: Vec<Value> = (0..8).map(|v| Value::bv(3, v)).collect();
        check(Kind::Bits(3), &bits, |a, b| a.as_unsigned() <= b.as_unsigned());
        let integers: Vec<Value> = [-MIDDLE, -3, -1, 0, 1, 2, 1000, MIDDLE - 1].map(Value::Int).to_vec();
        check(Kind::Integer, &integers, |a, b| a.as_int() <= b.as_int());
        let small = FloatSort::new(2, 3).unwrap();
        let floats: Vec<Value> = (0..32).map(|bits| Value::float(small, bits)).collect();
        let number = |v: Value| small_number(small, v);
        check(Kind::Float(small), &floats, |a, b| number(a) <= number(b));
        let f = [f32::NEG_INFINITY, -1e30, -1.5, -f32::MIN_POSITIVE, -0.0, 0.0, 1e-45, 2.0, f32::MAX, f32::INFINITY, f32::NAN];
        check(Kind::Float(FloatSort::F32), &f.map(Value::f32), |a, b| {
            let [a, b] = [a, b].map(|v| f32::from_bits(v.as_float().unwrap().1 as u32));
            a <= b
        });
    }

    /// Returns the number that a float of two exponent bits and two bits of fraction stands for.
    fn small_number(sort: FloatSort, v: Value) -> f64 {
        let bits = v.as_float().unwrap().1;
        let (negative, exponent, fraction) = (bits >> 4 == 1, bits >> 2 & 3, (bits & 3) as f64);
        let magnitude = match exponent {
            _ if sort.is_nan(bits) => f64::NAN,
            3 => f64::INFINITY,
            0 => fraction / 4.0,
            e => (1.0 + fraction / 4.0) * f64::powi(2.0, e as i32 - 1),
        };
        if negative { -magnitude } else { magnitude }
    }

    #[test]
    fn what_has_no_bound_is_at_the_top() {
        for beyond in [MIDDLE, MIDDLE + 1, i128::MAX] {
            assert_eq!(Kind::Integer.height(Value::Int(beyond)), Kind::Integer.top());
        }
        assert_eq!(Kind::Integer.height(Value::Int(i128::MIN)), 0);
        for float in [FloatSort::F32, FloatSort::F64] {
            let kind = Kind::Float(float);
            assert_eq!(kind.height(Value::float(float, float.nan())), kind.top());
            assert_eq!(kind.height(Value::float(float, float.infinity(false))), kind.most());
            assert_eq!(kind.height(Value::float(float, float.infinity(true))), 0);
        }
        assert_eq!(Kind::of(Sort::Bool), None);
    }
}
