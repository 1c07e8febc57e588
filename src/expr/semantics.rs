//! What each operator computes on concrete values: the single definition that the evaluator and
//! constant folding share. Three-valued: an operand may be unknown (`None`), and the result is
//! known only if every completion of the unknown operands gives it.

use super::node::{BvBin, BvCmp, BvUn, Expr, FpBin, FpCmp, FpTest, FpUn, Rounding};
use super::sort::{FloatSort, Value, mask, sign_extend};

/// The value of one node, given those of its operands in order.
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
            // Widths are 1 or more and 128 together, so the shift is less than 128.
            Some(Value::bv(high_width + low_width, (high << low_width) | low))
        }
        Expr::ZeroExtend(width, _) => Some(Value::bv(width, x?.as_unsigned()?)),
        Expr::SignExtend(width, _) => Some(Value::int(width, x?.as_signed()?)),
        Expr::FpUn(op, _) => fp_un(op, x?),
        Expr::FpBin(op, ..) => fp_bin(op, x?, y?),
        Expr::FpCmp(op, ..) => fp_cmp(op, x?, y?),
        Expr::FpTest(op, _) => {
            let v = wide(x?)?;
            Some(Value::Bool(match op {
                FpTest::IsNan => v.is_nan(),
                FpTest::IsInfinite => v.is_infinite(),
            }))
        }
        Expr::FpToFp(sort, _) => match (sort, x?) {
            (FloatSort::F32, Value::F64(v)) => Some(Value::f32(f64::from_bits(v) as f32)),
            (FloatSort::F64, Value::F32(v)) => Some(Value::f64(f64::from(f32::from_bits(v)))),
            (FloatSort::F32, v @ Value::F32(_)) | (FloatSort::F64, v @ Value::F64(_)) => Some(v),
            (FloatSort::F32 | FloatSort::F64, Value::Bool(_) | Value::BitVec { .. }) => None,
        },
        Expr::BvToFp { signed, sort, .. } => {
            let v = x?;
            Some(match (sort, signed) {
                (FloatSort::F32, true) => Value::f32(v.as_signed()? as f32),
                (FloatSort::F32, false) => Value::f32(v.as_unsigned()? as f32),
                (FloatSort::F64, true) => Value::f64(v.as_signed()? as f64),
                (FloatSort::F64, false) => Value::f64(v.as_unsigned()? as f64),
            })
        }
        Expr::FpToBv { signed, width, rounding, .. } => Some(fp_to_bv(signed, width, rounding, wide(x?)?)),
        Expr::BitsToFp(sort, _) => {
            let v = x?.as_unsigned()?;
            Some(match sort {
                FloatSort::F32 => Value::f32(f32::from_bits(v as u32)),
                FloatSort::F64 => Value::f64(f64::from_bits(v as u64)),
            })
        }
    }
}

/// A conjunction (`dominant` = FALSE) or disjunction (`dominant` = TRUE): one dominant operand decides.
fn connective(dominant: bool, x: Option<Value>, y: Option<Value>) -> Option<Value> {
    let decided = Some(Value::Bool(dominant));
    if x == decided || y == decided { decided } else { Some(Value::Bool(x?.as_bool()? & y?.as_bool()?)) }
}

/// The result that one known operand forces, whichever side it is on.
fn absorbing(op: BvBin, known: Value) -> Option<Value> {
    let (width, v) = bits(known)?;
    match op {
        BvBin::Mul | BvBin::And => (v == 0).then_some(known),
        BvBin::Or => (v == mask(width)).then_some(known),
        BvBin::Add
        | BvBin::Sub
        | BvBin::Udiv
        | BvBin::Urem
        | BvBin::Sdiv
        | BvBin::Srem
        | BvBin::Xor
        | BvBin::Shl
        | BvBin::Lshr
        | BvBin::Ashr => None,
    }
}

fn bits(v: Value) -> Option<(u16, u128)> {
    match v {
        Value::BitVec { width, bits } => Some((width, bits)),
        Value::Bool(_) | Value::F32(_) | Value::F64(_) => None,
    }
}

/// Any float, without loss, as a binary64.
fn wide(v: Value) -> Option<f64> {
    match v {
        Value::F32(v) => Some(f64::from(f32::from_bits(v))),
        Value::F64(v) => Some(f64::from_bits(v)),
        Value::Bool(_) | Value::BitVec { .. } => None,
    }
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
    match x {
        Value::F32(v) => {
            let v = f32::from_bits(v);
            Some(Value::f32(match op {
                FpUn::Neg => -v,
                FpUn::Abs => v.abs(),
                FpUn::Sqrt => v.sqrt(),
            }))
        }
        Value::F64(v) => {
            let v = f64::from_bits(v);
            Some(Value::f64(match op {
                FpUn::Neg => -v,
                FpUn::Abs => v.abs(),
                FpUn::Sqrt => v.sqrt(),
            }))
        }
        Value::Bool(_) | Value::BitVec { .. } => None,
    }
}

fn fp_bin(op: FpBin, x: Value, y: Value) -> Option<Value> {
    // Each format computes in itself: going through a wider one would round twice.
    if let (Value::F32(a), Value::F32(b)) = (x, y) {
        let (a, b) = (f32::from_bits(a), f32::from_bits(b));
        return Some(Value::f32(match op {
            FpBin::Add => a + b,
            FpBin::Sub => a - b,
            FpBin::Mul => a * b,
            FpBin::Div => a / b,
        }));
    }
    if let (Value::F64(a), Value::F64(b)) = (x, y) {
        let (a, b) = (f64::from_bits(a), f64::from_bits(b));
        return Some(Value::f64(match op {
            FpBin::Add => a + b,
            FpBin::Sub => a - b,
            FpBin::Mul => a * b,
            FpBin::Div => a / b,
        }));
    }
    None
}

fn fp_cmp(op: FpCmp, x: Value, y: Value) -> Option<Value> {
    let (a, b) = (wide(x)?, wide(y)?);
    Some(Value::Bool(match op {
        FpCmp::Eq => a == b,
        FpCmp::Lt => a < b,
        FpCmp::Le => a <= b,
    }))
}

fn fp_to_bv(signed: bool, width: u16, rounding: Rounding, v: f64) -> Value {
    let rounded = match rounding {
        Rounding::NearestEven => v.round_ties_even(),
        Rounding::TowardZero => v.trunc(),
    };
    // Powers of two are exact in binary64, so the range is exact too; NaN is in no range.
    let power = |exponent: u16| f64::from_bits((1023 + u64::from(exponent)) << 52);
    let (low, beyond) = if signed { (-power(width - 1), power(width - 1)) } else { (0.0, power(width)) };
    if !(low <= rounded && rounded < beyond) {
        Value::bv(width, 0)
    } else if signed {
        Value::int(width, rounded as i128)
    } else {
        Value::bv(width, rounded as u128)
    }
}
