//! Meaning of each operator on concrete values: the single definition for the evaluator and constant folding. Three-valued: an
//! operand may be unknown (`None`), and the result is known only if every completion of the unknown operands has it. A result
//! without a `Value` is unknown too: an integer of more than 128 bits or divided by zero, or an array of too many entries.

use std::cmp::Ordering;

use super::node::{BvBin, BvCmp, BvUn, Expr, FpBin, FpCmp, FpTest, FpUn, IntBin, IntCmp, Rounding};
use super::sort::{Value, mask, sign_extend};

/// Returns the value of one node, given those of its operands in order.
///
/// A variable is unknown here. Operands of a wrong sort give an unknown result.
pub(super) fn apply(expr: Expr, [x, y, z]: [Option<Value>; 3]) -> Option<Value> {
    match expr {
        Expr::Const(value) => Some(value),
        Expr::Var(_) => None,
        Expr::Not(_) => Some(Value::Bool(!x?.as_bool()?)),
        Expr::And(..) => connective(false, x, y),
        Expr::Or(..) => connective(true, x, y),
        Expr::Eq(a, b) if a == b => Some(Value::Bool(true)),
        Expr::Eq(..) => Some(Value::Bool(x? == y?)),
        Expr::Ite(..) => match x {
            Some(condition) => {
                if condition.as_bool()? {
                    y
                } else {
                    z
                }
            }
            None if y == z => y,
            None => None,
        },
        Expr::BvUn(op, _) => bv_un(op, x?),
        Expr::BvBin(op, ..) => match (x, y) {
            (Some(x), Some(y)) => bv_bin(op, x, y),
            (Some(known), None) | (None, Some(known)) => absorbing(op, known),
            (None, None) => None,
        },
        Expr::BvCmp(op, ..) => bv_cmp(op, x?, y?),
        Expr::Extract { high, low, .. } => Some(Value::bv(high - low + 1, x?.as_unsigned()? >> low)),
        Expr::Concat(..) => {
            let (high_width, high) = bits(x?)?;
            let (low_width, low) = bits(y?)?;
            // Widths are at least 1 and at most 128 together, so the shift is less than 128.
            Some(Value::bv(high_width + low_width, (high << low_width) | low))
        }
        Expr::ZeroExtend(width, _) => Some(Value::bv(width, x?.as_unsigned()?)),
        Expr::SignExtend(width, _) => Some(Value::int(width, x?.as_signed()?)),
        Expr::FpUn(op, _) => fp_un(op, x?),
        Expr::FpBin(op, rounding, ..) => fp_bin(op, rounding, x?, y?),
        Expr::FpCmp(op, ..) => fp_cmp(op, x?, y?),
        Expr::FpTest(op, _) => {
            let (sort, v) = x?.as_float()?;
            Some(Value::Bool(match op {
                FpTest::IsNan => sort.is_nan(v),
                FpTest::IsInfinite => sort.is_infinite(v),
            }))
        }
        Expr::FpToFp(to, rounding, _) => {
            let (from, v) = x?.as_float()?;
            Some(Value::float(to, from.convert(rounding, v, to)))
        }
        Expr::BvToFp { signed, sort, rounding, .. } => {
            let (negative, magnitude) = if signed {
                let v = x?.as_signed()?;
                (v < 0, v.unsigned_abs())
            } else {
                (false, x?.as_unsigned()?)
            };
            Some(Value::float(sort, sort.of_integer(rounding, negative, magnitude)))
        }
        Expr::FpToBv { signed, width, rounding, .. } => {
            let (sort, v) = x?.as_float()?;
            Some(fp_to_bv(signed, width, sort.to_integer(rounding, v)))
        }
        Expr::BitsToFp(sort, _) => Some(Value::float(sort, x?.as_unsigned()?)),
        Expr::IntNeg(_) => Some(Value::Int(x?.as_int()?.checked_neg()?)),
        // Zero times anything, however large, is zero.
        Expr::IntBin(IntBin::Mul, ..) if x == Some(Value::Int(0)) || y == Some(Value::Int(0)) => Some(Value::Int(0)),
        Expr::IntBin(op, ..) => int_bin(op, x?.as_int()?, y?.as_int()?).map(Value::Int),
        Expr::IntCmp(op, a, b) if a == b => Some(Value::Bool(op == IntCmp::Le)),
        Expr::IntCmp(op, ..) => {
            let (a, b) = (x?.as_int()?, y?.as_int()?);
            Some(Value::Bool(match op {
                IntCmp::Lt => a < b,
                IntCmp::Le => a <= b,
            }))
        }
        Expr::Select(..) => x?.as_array()?.select(y?),
        Expr::Store(..) => x?.as_array()?.store(y?, z?).map(Value::Array),
    }
}

/// Computes an operation on integers; `None` where the result is open (division by zero) or too large.
fn int_bin(op: IntBin, a: i128, b: i128) -> Option<i128> {
    match op {
        IntBin::Add => a.checked_add(b),
        IntBin::Sub => a.checked_sub(b),
        IntBin::Mul => a.checked_mul(b),
        IntBin::Div => a.checked_div_euclid(b),
        // i128::MIN mod -1 is 0, but the division overflows.
        IntBin::Mod if b == -1 => Some(0),
        IntBin::Mod => a.checked_rem_euclid(b),
    }
}

/// Returns a conjunction (`dominant` = FALSE) or disjunction (`dominant` = TRUE): one dominant operand decides.
fn connective(dominant: bool, x: Option<Value>, y: Option<Value>) -> Option<Value> {
    let decided = Some(Value::Bool(dominant));
    if x == decided || y == decided { decided } else { Some(Value::Bool(x?.as_bool()? & y?.as_bool()?)) }
}

/// Returns the result that one known operand forces, on either side.
fn absorbing(op: BvBin, known: Value) -> Option<Value> {
    let (width, v) = bits(known)?;
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other operator has an absorbing operand")]
    match op {
        BvBin::Mul | BvBin::And => (v == 0).then_some(known),
        BvBin::Or => (v == mask(width)).then_some(known),
        _ => None,
    }
}

fn bits(v: Value) -> Option<(u16, u128)> {
    if let Value::BitVec { width, bits } = v { Some((width, bits)) } else { None }
}

fn bv_un(op: BvUn, x: Value) -> Option<Value> {
    let (width, v) = bits(x)?;
    Some(Value::bv(
        width,
        match op {
            BvUn::Neg => v.wrapping_neg(),
            BvUn::Not => !v,
        },
    ))
}

fn bv_bin(op: BvBin, x: Value, y: Value) -> Option<Value> {
    let (width, a) = bits(x)?;
    let (_, b) = bits(y)?;
    let (signed_a, signed_b) = (sign_extend(width, a), sign_extend(width, b));
    let beyond = b >= u128::from(width);
    Some(match op {
        BvBin::Add => Value::bv(width, a.wrapping_add(b)),
        BvBin::Sub => Value::bv(width, a.wrapping_sub(b)),
        BvBin::Mul => Value::bv(width, a.wrapping_mul(b)),
        BvBin::Udiv => Value::bv(width, a.checked_div(b).unwrap_or(u128::MAX)),
        BvBin::Urem => Value::bv(width, a.checked_rem(b).unwrap_or(a)),
        BvBin::Sdiv if b == 0 => Value::int(width, if signed_a < 0 { 1 } else { -1 }),
        BvBin::Sdiv => Value::int(width, signed_a.wrapping_div(signed_b)),
        BvBin::Srem if b == 0 => x,
        BvBin::Srem => Value::int(width, signed_a.wrapping_rem(signed_b)),
        BvBin::And => Value::bv(width, a & b),
        BvBin::Or => Value::bv(width, a | b),
        BvBin::Xor => Value::bv(width, a ^ b),
        BvBin::Shl => Value::bv(width, if beyond { 0 } else { a << b }),
        BvBin::Lshr => Value::bv(width, if beyond { 0 } else { a >> b }),
        BvBin::Ashr => Value::int(width, signed_a >> if beyond { 127 } else { b }),
    })
}

fn bv_cmp(op: BvCmp, x: Value, y: Value) -> Option<Value> {
    Some(Value::Bool(match op {
        BvCmp::Ult => x.as_unsigned()? < y.as_unsigned()?,
        BvCmp::Ule => x.as_unsigned()? <= y.as_unsigned()?,
        BvCmp::Slt => x.as_signed()? < y.as_signed()?,
        BvCmp::Sle => x.as_signed()? <= y.as_signed()?,
    }))
}

fn fp_un(op: FpUn, x: Value) -> Option<Value> {
    let (sort, bits) = x.as_float()?;
    Some(match (op, x) {
        // In this format and mode the machine computes exactly as IEEE 754 demands.
        (FpUn::Sqrt(Rounding::NearestEven), Value::F32(v)) => Value::f32(f32::from_bits(v).sqrt()),
        (FpUn::Sqrt(Rounding::NearestEven), Value::F64(v)) => Value::f64(f64::from_bits(v).sqrt()),
        (FpUn::Neg, _) => Value::float(sort, sort.negate(bits)),
        (FpUn::Abs, _) => Value::float(sort, sort.absolute(bits)),
        (FpUn::Sqrt(rounding), _) => Value::float(sort, sort.sqrt(rounding, bits)?),
        (FpUn::Integral(rounding), _) => Value::float(sort, sort.integral(rounding, bits)?),
    })
}

fn fp_bin(op: FpBin, rounding: Rounding, x: Value, y: Value) -> Option<Value> {
    match (x, y, rounding) {
        // Each format computes in itself: a wider one would round twice.
        (Value::F32(a), Value::F32(b), Rounding::NearestEven) => {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            Some(Value::f32(match op {
                FpBin::Add => a + b,
                FpBin::Sub => a - b,
                FpBin::Mul => a * b,
                FpBin::Div => a / b,
            }))
        }
        (Value::F64(a), Value::F64(b), Rounding::NearestEven) => {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            Some(Value::f64(match op {
                FpBin::Add => a + b,
                FpBin::Sub => a - b,
                FpBin::Mul => a * b,
                FpBin::Div => a / b,
            }))
        }
        _ => {
            let ((sort, a), (other, b)) = (x.as_float()?, y.as_float()?);
            if sort != other {
                return None;
            }
            Some(Value::float(sort, sort.arithmetic(op, rounding, a, b)?))
        }
    }
}

fn fp_cmp(op: FpCmp, x: Value, y: Value) -> Option<Value> {
    let ((sort, a), (other, b)) = (x.as_float()?, y.as_float()?);
    if sort != other {
        return None;
    }
    let order = sort.compare(a, b);
    Some(Value::Bool(match op {
        FpCmp::Eq => order == Some(Ordering::Equal),
        FpCmp::Lt => order == Some(Ordering::Less),
        FpCmp::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
    }))
}

/// Converts a rounded float to an integer; 0 outside of the range and for NaN.
fn fp_to_bv(signed: bool, width: u16, integer: Option<(bool, u128)>) -> Value {
    let zero = Value::bv(width, 0);
    let Some((negative, magnitude)) = integer else { return zero };
    let greatest = match (signed, negative) {
        (true, true) => 1 << (width - 1),
        (true, false) => mask(width - 1),
        (false, true) => 0,
        (false, false) => mask(width),
    };
    if greatest < magnitude {
        zero
    } else if negative {
        Value::bv(width, magnitude.wrapping_neg())
    } else {
        Value::bv(width, magnitude)
    }
}
