//! Standard functions, exactly as [`plc_frontend::hir::Builtin`] lists them.

use plc_frontend::hir::{Builtin, Expr, FaultKind, TypeId};

use super::builder::Builder;
use super::effects::has_call;
use crate::cfa::model::ModelError;
use crate::expr::{BvBin, BvCmp, BvUn, ExprId, FpBin, FpCmp, FpUn, Rounding, Sort, Value};

impl Builder<'_, '_> {
    /// Returns the value of a standard function; all arguments are evaluated first.
    pub(super) fn builtin(&mut self, function: Builtin, args: &[Expr], expr: &Expr) -> Result<ExprId, ModelError> {
        let values = self.operands(args)?;
        let missing = || ModelError::unsupported(format!("{function:?} with {} arguments", args.len()), expr.span);
        match (function, values.as_slice()) {
            (Builtin::Abs, [x]) => {
                if self.cx.project.int_type(expr.ty).is_some_and(|int| int.signed) {
                    self.negated(expr, *x);
                }
                Ok(self.abs(expr.ty, *x))
            }
            (Builtin::Sqrt, [x]) => Ok(self.pool.fp_un(FpUn::Sqrt(Rounding::NearestEven), *x)),
            (Builtin::Min, [first, rest @ ..]) => Ok(rest.iter().fold(*first, |a, b| self.smaller(expr.ty, a, *b))),
            (Builtin::Max, [first, rest @ ..]) => Ok(rest.iter().fold(*first, |a, b| self.larger(expr.ty, a, *b))),
            (Builtin::Limit, [low, x, high]) => {
                let at_least = self.larger(expr.ty, *x, *low);
                Ok(self.smaller(expr.ty, at_least, *high))
            }
            (Builtin::Sel | Builtin::Mux, [selector, inputs @ ..]) if !inputs.is_empty() => {
                let columns: Vec<Vec<ExprId>> = inputs.iter().map(|input| vec![*input]).collect();
                Ok(self.choose(&args[0], *selector, &columns)[0])
            }
            (Builtin::Shl | Builtin::Shr, [x, n]) => Ok(self.shift(function, *x, *n)),
            (Builtin::Rol | Builtin::Ror, [x, n]) => Ok(self.rotate(function, *x, *n)),
            (Builtin::SwapBytes, [x]) => Ok(self.swapped(*x)),
            (Builtin::IsValid, [x]) => {
                // Infinity minus itself is NaN too.
                let zero = self.pool.constant(Value::zero(self.pool.sort(*x)));
                let difference = self.pool.fp(FpBin::Sub, *x, *x);
                Ok(self.pool.fp_cmp(FpCmp::Eq, difference, zero))
            }
            (Builtin::IsValidBcd, [x]) => Ok(self.is_bcd(*x)),
            (Builtin::FromBcd, [x]) => Ok(self.number_of_bcd(*x, expr.ty)),
            (Builtin::ToBcd, [x]) => Ok(self.bcd_of_number(*x, expr.ty)),
            (_, _) => Err(missing()),
        }
    }
    /// Returns the value of SEL or MUX of arrays, structures and instances.
    pub(super) fn select_whole(&mut self, function: Builtin, args: &[Expr]) -> Result<Vec<ExprId>, ModelError> {
        let [selector, inputs @ ..] = args else { unreachable!("{function:?} has a selector") };
        let last_call = args.iter().rposition(has_call).unwrap_or(0);
        let mut k = self.expr(selector)?;
        if last_call > 0 {
            k = self.hold(k);
        }
        let mut columns = Vec::with_capacity(inputs.len());
        for (i, input) in inputs.iter().enumerate() {
            let mut values = self.expr_all(input)?;
            if i + 1 < last_call {
                values = values.into_iter().map(|v| self.hold(v)).collect();
            }
            columns.push(values);
        }
        Ok(self.choose(selector, k, &columns))
    }
    /// Returns the column that the selector, an expression of BOOL or an integer type, names.
    fn choose(&mut self, written: &Expr, selector: ExprId, columns: &[Vec<ExprId>]) -> Vec<ExprId> {
        let rows = columns.iter().map(Vec::len).min().unwrap_or(0);
        if self.pool.sort(selector) == Sort::Bool {
            let (no, yes) = (&columns[0], &columns[columns.len() - 1]);
            return (0..rows).map(|row| self.pool.ite(selector, yes[row], no[row])).collect();
        }
        let int = self.int_of(written.ty);
        let last = columns.len() as i128 - 1;
        let constant = self.int_const(selector, int.signed);
        let bad = match constant {
            Some(k) => self.pool.bool(k < 0 || last < k),
            None => self.outside(selector, int, 0, last),
        };
        self.fault(FaultKind::IndexOutOfBounds, written.span, bad);
        let pick = |builder: &mut Self, row: usize| match constant {
            Some(k) => columns[k.clamp(0, last) as usize][row],
            None => {
                let values: Vec<ExprId> = columns.iter().map(|column| column[row]).collect();
                builder.mux(selector, &values)
            }
        };
        (0..rows).map(|row| pick(self, row)).collect()
    }

    fn abs(&mut self, ty: TypeId, x: ExprId) -> ExprId {
        match self.pool.sort(x) {
            Sort::Float(_) => self.pool.fp_un(FpUn::Abs, x),
            sort @ (Sort::BitVec(_) | Sort::Bool) => {
                if !self.int_of(ty).signed {
                    return x;
                }
                let zero = self.pool.constant(Value::zero(sort));
                let negative = self.pool.bv_cmp(BvCmp::Slt, x, zero);
                let minus = self.pool.bv_un(BvUn::Neg, x);
                self.pool.ite(negative, minus, x)
            }
            sort @ (Sort::Int | Sort::Array(..)) => unreachable!("no program has a {sort}"),
        }
    }
    /// Returns `IF b < a THEN b ELSE a`
    fn smaller(&mut self, ty: TypeId, a: ExprId, b: ExprId) -> ExprId {
        let less = self.less(ty, b, a);
        self.pool.ite(less, b, a)
    }
    /// Returns `IF b > a THEN b ELSE a`
    fn larger(&mut self, ty: TypeId, a: ExprId, b: ExprId) -> ExprId {
        let less = self.less(ty, a, b);
        self.pool.ite(less, b, a)
    }

    fn width(&self, e: ExprId) -> u16 {
        match self.pool.sort(e) {
            Sort::BitVec(width) => width,
            sort @ (Sort::Bool | Sort::Float(_) | Sort::Int | Sort::Array(..)) => {
                unreachable!("a bit string is expected, not {sort}")
            }
        }
    }
    /// Returns the value of SHL or SHR. At the larger of the two widths, every count that is too large shifts all bits out.
    fn shift(&mut self, function: Builtin, x: ExprId, n: ExprId) -> ExprId {
        let width = self.width(x);
        let wide = width.max(self.width(n));
        let (value, count) = (self.pool.zero_extend(wide, x), self.pool.zero_extend(wide, n));
        let op = if function == Builtin::Shl { BvBin::Shl } else { BvBin::Lshr };
        let shifted = self.pool.bv(op, value, count);
        if wide == width { shifted } else { self.pool.extract(width - 1, 0, shifted) }
    }
    /// Returns the value of ROL or ROR. Widths are powers of two, so the lowest bits of the count are its Euclidean remainder,
    /// whatever its sign.
    fn rotate(&mut self, function: Builtin, x: ExprId, n: ExprId) -> ExprId {
        let width = self.width(x);
        let bits = width.trailing_zeros() as u16;
        let low = self.pool.extract(bits - 1, 0, n);
        let count = self.pool.zero_extend(width, low);
        let whole = self.pool.constant(Value::bv(width, u128::from(width)));
        let back = self.pool.bv(BvBin::Sub, whole, count);
        let (forth, rest) = if function == Builtin::Rol { (BvBin::Shl, BvBin::Lshr) } else { (BvBin::Lshr, BvBin::Shl) };
        let (high, low) = (self.pool.bv(forth, x, count), self.pool.bv(rest, x, back));
        self.pool.bv(BvBin::Or, high, low)
    }

    /// Returns the bytes in reverse order.
    fn swapped(&mut self, x: ExprId) -> ExprId {
        let n_bytes = self.width(x) / 8;
        let mut all = self.pool.extract(7, 0, x);
        for byte in 1..n_bytes {
            let next = self.pool.extract(8 * byte + 7, 8 * byte, x);
            all = self.pool.concat(all, next);
        }
        all
    }
    fn is_bcd(&mut self, x: ExprId) -> ExprId {
        let mut valid = self.pool.bool(true);
        for digit in 0..self.width(x) / 4 {
            let group = self.pool.extract(4 * digit + 3, 4 * digit, x);
            let nine = self.pool.constant(Value::bv(4, 9));
            let fits = self.pool.bv_cmp(BvCmp::Ule, group, nine);
            valid = self.pool.and(valid, fits);
        }
        valid
    }
    fn number_of_bcd(&mut self, x: ExprId, to: TypeId) -> ExprId {
        let width = u16::from(self.int_of(to).bits);
        let ten = self.pool.constant(Value::int(width, 10));
        let mut sum = self.pool.constant(Value::bv(width, 0));
        for digit in (0..self.width(x) / 4).rev() {
            let group = self.pool.extract(4 * digit + 3, 4 * digit, x);
            let group = self.pool.zero_extend(width, group);
            sum = self.pool.bv(BvBin::Mul, sum, ten);
            sum = self.pool.bv(BvBin::Add, sum, group);
        }
        sum
    }
    fn bcd_of_number(&mut self, x: ExprId, to: TypeId) -> ExprId {
        let width = u16::from(self.int_of(to).bits);
        let mut rest = x;
        let ten = self.pool.constant(Value::int(self.width(x), 10));
        let mut all: Option<ExprId> = None;
        for _ in 0..width / 4 {
            let digit = self.pool.bv(BvBin::Urem, rest, ten);
            let group = self.pool.extract(3, 0, digit);
            all = Some(match all {
                Some(lower) => self.pool.concat(group, lower),
                None => group,
            });
            rest = self.pool.bv(BvBin::Udiv, rest, ten);
        }
        match all {
            Some(all) => all,
            None => unreachable!("bit strings have digits"),
        }
    }
}
