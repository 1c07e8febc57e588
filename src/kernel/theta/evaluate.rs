//! Meaning of expressions of the written model: values in, a value out. Shares with the lowering only the arithmetic of single
//! values, and knows no types: a value has its own.
//!
//! Results that Theta leaves open have no value: an integer divided by zero, a float that no bit vector holds. A run that
//! needs one shows nothing.

use super::ast::{Binary, BvOperator, BvRelation, Expr, NodeKind, Process, Unary};
use crate::expr::{ArrayRef, BvUn, ExprPool, FpBin, FpCmp, FpTest, FpUn, Rounding, Sort, Value};

/// A pool that only folds constants.
pub struct Evaluator<'a> {
    process: &'a Process,
    pool: ExprPool,
}

/// Constants that are kept before the pool is made anew.
const MOST_CONSTANTS: usize = 100_000;

impl<'a> Evaluator<'a> {
    /// Returns the evaluator of this process's expressions.
    pub fn new(process: &'a Process) -> Evaluator<'a> {
        Evaluator { process, pool: ExprPool::new() }
    }
    /// Returns the value of `e` with these values of variables.
    pub fn value(&mut self, e: Expr, state: &[Value]) -> Option<Value> {
        if MOST_CONSTANTS < self.pool.len() {
            self.pool = ExprPool::new();
        }
        let mut made: Vec<Option<Value>> = Vec::with_capacity(e.root + 1 - e.first);
        for i in e.first..=e.root {
            let value = self.node(i, state, |operand: usize| made.get(operand.checked_sub(e.first)?).copied().flatten());
            made.push(value);
        }
        made.pop().flatten()
    }
    fn node(&mut self, i: usize, state: &[Value], made: impl Fn(usize) -> Option<Value>) -> Option<Value> {
        let process = self.process;
        match &process.nodes.get(i)?.kind {
            NodeKind::Bool(b) => Some(Value::Bool(*b)),
            NodeKind::Int(v) => Some(Value::Int(*v)),
            NodeKind::Bits(width, bits) => Some(Value::bv(*width, *bits)),
            NodeKind::Float(sort, bits) => Some(Value::float(*sort, *bits)),
            NodeKind::Var(_, var) => state.get((*var)?).copied(),
            NodeKind::Unary(op, a) => self.unary(*op, made(*a)?),
            NodeKind::Binary(op, a, b) => match (op, made(*a), made(*b)) {
                (Binary::And, Some(Value::Bool(false)), _) | (Binary::And, _, Some(Value::Bool(false))) => {
                    Some(Value::Bool(false))
                }
                (Binary::Or, Some(Value::Bool(true)), _) | (Binary::Or, _, Some(Value::Bool(true))) => Some(Value::Bool(true)),
                (Binary::Imply, Some(Value::Bool(false)), _) | (Binary::Imply, _, Some(Value::Bool(true))) => {
                    Some(Value::Bool(true))
                }
                (_, a, b) => self.binary(*op, a?, b?),
            },
            NodeKind::Ite(c, a, b) => {
                if made(*c)?.as_bool()? {
                    made(*a)
                } else {
                    made(*b)
                }
            }
            NodeKind::Read(a, i) => made(*a)?.as_array()?.select(made(*i)?),
            NodeKind::Write(a, i, v) => made(*a)?.as_array()?.store(made(*i)?, made(*v)?).map(Value::Array),
            NodeKind::Array { entries, index, default } => {
                let index = match entries.first() {
                    Some((first, _)) => made(*first)?.sort(),
                    None => (*index)?,
                };
                let mut array = ArrayRef::constant(index.scalar()?, made(*default)?);
                for (at, element) in entries {
                    array = array.store(made(*at)?, made(*element)?)?;
                }
                Some(Value::Array(array))
            }
            NodeKind::Slice { of, until, from } => {
                Some(Value::bv(until.checked_sub(*from)?, made(*of)?.as_unsigned()?.checked_shr((*from).into())?))
            }
            NodeKind::Refused => None,
        }
    }
    /// Computes one operator on values.
    fn fold(&mut self, make: impl FnOnce(&mut ExprPool) -> crate::expr::ExprId) -> Option<Value> {
        let e = make(&mut self.pool);
        self.pool.as_const(e)
    }
    fn unary(&mut self, op: Unary, a: Value) -> Option<Value> {
        let is_float = a.as_float().is_some();
        let k = self.pool.constant(a);
        match op {
            Unary::Plus => Some(a),
            Unary::Minus if is_float => self.fold(|p| p.fp_un(FpUn::Neg, k)),
            Unary::Minus => Some(Value::Int(a.as_int()?.checked_neg()?)),
            Unary::Not => Some(Value::Bool(!a.as_bool()?)),
            Unary::BvNeg => {
                a.as_unsigned()?;
                self.fold(|p| p.bv_un(BvUn::Neg, k))
            }
            Unary::BvNot => {
                a.as_unsigned()?;
                self.fold(|p| p.bv_un(BvUn::Not, k))
            }
            Unary::Extend { signed: true, width } => Some(Value::int(width, a.as_signed()?)),
            Unary::Extend { signed: false, width } => Some(Value::bv(width, a.as_unsigned()?)),
            Unary::FpFromBv { sort, signed, rounding } => {
                a.as_unsigned()?;
                self.fold(|p| p.bv_to_fp_rounded(signed, sort, rounding, k))
            }
            _ if !is_float => None,
            Unary::FpNeg => self.fold(|p| p.fp_un(FpUn::Neg, k)),
            Unary::FpAbs => self.fold(|p| p.fp_un(FpUn::Abs, k)),
            Unary::FpIsNan => self.fold(|p| p.fp_test(FpTest::IsNan, k)),
            Unary::FpSqrt(rounding) => self.fold(|p| p.fp_un(FpUn::Sqrt(rounding), k)),
            Unary::FpRound(rounding) => self.fold(|p| p.fp_un(FpUn::Integral(rounding), k)),
            Unary::FpToFp(to, rounding) => self.fold(|p| p.fp_to_fp_rounded(to, rounding, k)),
            Unary::FpToBv { width, signed, rounding } => {
                let (sort, bits) = a.as_float()?;
                let (negative, magnitude) = sort.to_integer(rounding, bits)?;
                let limit = match (signed, negative) {
                    (true, true) => 1 << (width - 1),
                    (true, false) => (1 << (width - 1)) - 1,
                    (false, true) => 0,
                    (false, false) => Value::bv(width, u128::MAX).as_unsigned()?,
                };
                let bits = if negative { magnitude.wrapping_neg() } else { magnitude };
                (magnitude <= limit).then(|| Value::bv(width, bits))
            }
        }
    }
    fn binary(&mut self, op: Binary, a: Value, b: Value) -> Option<Value> {
        if op == Binary::Concat {
            let (Sort::BitVec(high), Sort::BitVec(low)) = (a.sort(), b.sort()) else { return None };
            return Some(Value::bv(high + low, a.as_unsigned()? << low | b.as_unsigned()?));
        }
        if a.sort() != b.sort() {
            return None;
        }
        let nearest = Rounding::NearestEven;
        match (op, a, b) {
            (Binary::And, Value::Bool(a), Value::Bool(b)) => Some(Value::Bool(a && b)),
            (Binary::Or, Value::Bool(a), Value::Bool(b)) => Some(Value::Bool(a || b)),
            (Binary::Xor, Value::Bool(a), Value::Bool(b)) => Some(Value::Bool(a != b)),
            (Binary::Iff, Value::Bool(a), Value::Bool(b)) => Some(Value::Bool(a == b)),
            (Binary::Imply, Value::Bool(a), Value::Bool(b)) => Some(Value::Bool(!a || b)),
            (_, Value::Int(a), Value::Int(b)) => integers(op, a, b),
            (Binary::Bv(relation), ..) => {
                let signed = || Some((a.as_signed()?, b.as_signed()?));
                let unsigned = || Some((a.as_unsigned()?, b.as_unsigned()?));
                Some(Value::Bool(match relation {
                    BvRelation::Ult => unsigned()?.0 < unsigned()?.1,
                    BvRelation::Ule => unsigned()?.0 <= unsigned()?.1,
                    BvRelation::Ugt => unsigned()?.1 < unsigned()?.0,
                    BvRelation::Uge => unsigned()?.1 <= unsigned()?.0,
                    BvRelation::Slt => signed()?.0 < signed()?.1,
                    BvRelation::Sle => signed()?.0 <= signed()?.1,
                    BvRelation::Sgt => signed()?.1 < signed()?.0,
                    BvRelation::Sge => signed()?.1 <= signed()?.0,
                }))
            }
            (Binary::BvOp(op), Value::BitVec { width, bits: x }, Value::BitVec { bits: y, .. }) => self.bits(op, width, x, y),
            (Binary::Eq, ..) if a.as_float().is_none() => Some(Value::Bool(a == b)),
            (Binary::Neq, ..) if a.as_float().is_none() => Some(Value::Bool(a != b)),
            (Binary::Eq, ..) => self.compare(FpCmp::Eq, a, b),
            (Binary::Neq, ..) => Some(Value::Bool(!self.compare(FpCmp::Eq, a, b)?.as_bool()?)),
            (Binary::Lt, ..) => self.compare(FpCmp::Lt, a, b),
            (Binary::Leq, ..) => self.compare(FpCmp::Le, a, b),
            (Binary::Gt, ..) => self.compare(FpCmp::Lt, b, a),
            (Binary::Geq, ..) => self.compare(FpCmp::Le, b, a),
            (Binary::Add, ..) => self.floats(FpBin::Add, nearest, a, b),
            (Binary::Sub, ..) => self.floats(FpBin::Sub, nearest, a, b),
            (Binary::Mul, ..) => self.floats(FpBin::Mul, nearest, a, b),
            (Binary::Div, ..) => self.floats(FpBin::Div, nearest, a, b),
            (Binary::FpAdd(rounding), ..) => self.floats(FpBin::Add, rounding, a, b),
            (Binary::FpSub(rounding), ..) => self.floats(FpBin::Sub, rounding, a, b),
            (Binary::FpMul(rounding), ..) => self.floats(FpBin::Mul, rounding, a, b),
            (Binary::FpDiv(rounding), ..) => self.floats(FpBin::Div, rounding, a, b),
            (_, _, _) => None,
        }
    }
    fn compare(&mut self, op: FpCmp, a: Value, b: Value) -> Option<Value> {
        a.as_float().and(b.as_float())?;
        let (a, b) = (self.pool.constant(a), self.pool.constant(b));
        self.fold(|p| p.fp_cmp(op, a, b))
    }
    fn floats(&mut self, op: FpBin, rounding: Rounding, a: Value, b: Value) -> Option<Value> {
        a.as_float().and(b.as_float())?;
        let (a, b) = (self.pool.constant(a), self.pool.constant(b));
        self.fold(|p| p.fp_rounded(op, rounding, a, b))
    }
    fn bits(&mut self, op: BvOperator, width: u16, x: u128, y: u128) -> Option<Value> {
        let (a, b) = (self.pool.constant(Value::bv(width, x)), self.pool.constant(Value::bv(width, y)));
        let turned = (y % u128::from(width)) as u32;
        let rotated = |left: u32| {
            let right = u32::from(width) - left;
            let low = if left == 0 { 0 } else { x >> right };
            Value::bv(width, x << left | low)
        };
        let op = match op {
            BvOperator::Plain(op) => op,
            BvOperator::Rol => return Some(rotated(turned)),
            BvOperator::Ror => return Some(rotated(if turned == 0 { 0 } else { u32::from(width) - turned })),
            BvOperator::Smod => {
                let (Some(dividend), Some(divisor)) = (Value::bv(width, x).as_signed(), Value::bv(width, y).as_signed()) else {
                    return None;
                };
                // The remainder has the divisor's sign; after a division by zero it is the dividend.
                let rest = dividend.checked_rem(divisor).unwrap_or(if divisor == 0 { dividend } else { 0 });
                let moved = rest != 0 && divisor != 0 && (rest < 0) != (divisor < 0);
                return Some(Value::int(width, if moved { rest.wrapping_add(divisor) } else { rest }));
            }
        };
        self.fold(|p| p.bv(op, a, b))
    }
}

/// Computes an operator on mathematical integers. Results of more than 128 bits, and those of a division by zero, are unknown.
fn integers(op: Binary, a: i128, b: i128) -> Option<Value> {
    let number = |v: Option<i128>| v.map(Value::Int);
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other operator has integers as operands")]
    match op {
        Binary::Eq => Some(Value::Bool(a == b)),
        Binary::Neq => Some(Value::Bool(a != b)),
        Binary::Lt => Some(Value::Bool(a < b)),
        Binary::Leq => Some(Value::Bool(a <= b)),
        Binary::Gt => Some(Value::Bool(a > b)),
        Binary::Geq => Some(Value::Bool(a >= b)),
        Binary::Add => number(a.checked_add(b)),
        Binary::Sub => number(a.checked_sub(b)),
        Binary::Mul => number(a.checked_mul(b)),
        // The remainder is never negative.
        Binary::Div => number(a.checked_div_euclid(b)),
        Binary::Mod => number(a.checked_rem_euclid(b)),
        Binary::Rem => {
            let rest = a.checked_rem_euclid(b)?;
            number(Some(if b < 0 { -rest } else { rest }))
        }
        _ => None,
    }
}
