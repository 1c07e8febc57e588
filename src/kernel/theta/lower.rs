//! Expressions of a model as ours. Types are checked here: if operators and operands do not fit, a finding gives the reason.

use plc_frontend::diagnostic::Diagnostic;
use plc_frontend::source::Span;

use super::ast::{Binary, BvOperator, BvRelation, Expr, NodeKind, Process, Unary};
use crate::expr::{
    ArrayRef, BvBin, BvCmp, BvUn, ExprId, ExprPool, FpBin, FpCmp, FpTest, FpUn, IntBin, IntCmp, Sort, Value, VarId,
};

/// State of lowering.
pub(super) struct Lowering<'a> {
    pub(super) pool: &'a mut ExprPool,
    pub(super) process: &'a Process,
    /// The variable of each variable of the process.
    pub(super) vars: &'a [VarId],
    pub(super) findings: &'a mut Vec<Diagnostic>,
}

/// Returns a type as the model writes it.
pub(super) fn type_name(sort: Sort) -> String {
    match sort {
        Sort::Bool => "bool".to_owned(),
        Sort::Int => "int".to_owned(),
        Sort::BitVec(width) => format!("bv[{width}]"),
        Sort::Float(float) => {
            let (exponent, significand) = float.bits();
            format!("fp[{exponent}:{significand}]")
        }
        Sort::Array(index, element) => format!("[{}] -> {}", type_name(index.into()), type_name(element.into())),
    }
}

/// `None`: a finding gives the reason.
type Lowered = Option<ExprId>;

impl Lowering<'_> {
    /// Returns the expression, which must have this type.
    pub(super) fn of_sort(&mut self, e: Expr, sort: Sort) -> Lowered {
        let lowered = self.expr(e)?;
        let found = self.pool.sort(lowered);
        if found == sort {
            return Some(lowered);
        }
        let message = format!("`{}` is expected, and this is `{}`", type_name(sort), type_name(found));
        self.error(self.process.nodes[e.root].span, message, None)
    }
    fn expr(&mut self, e: Expr) -> Lowered {
        let mut made: Vec<Lowered> = Vec::with_capacity(e.root + 1 - e.first);
        for i in e.first..=e.root {
            let lowered = self.node(i, |operand: usize| made.get(operand.checked_sub(e.first)?).copied().flatten());
            made.push(lowered);
        }
        made.pop().flatten()
    }
    fn error(&mut self, span: Span, message: impl Into<String>, help: Option<&str>) -> Lowered {
        let finding = Diagnostic::error("P6004", span, message, "here");
        self.findings.push(match help {
            Some(help) => finding.help(help),
            None => finding,
        });
        None
    }
    fn node(&mut self, i: usize, made: impl Fn(usize) -> Lowered) -> Lowered {
        let process = self.process;
        let span = process.nodes[i].span;
        match &process.nodes[i].kind {
            NodeKind::Bool(b) => Some(self.pool.bool(*b)),
            NodeKind::Int(v) => Some(self.pool.int_const(*v)),
            NodeKind::Bits(width, bits) => Some(self.pool.constant(Value::bv(*width, *bits))),
            NodeKind::Float(sort, bits) => Some(self.pool.constant(Value::float(*sort, *bits))),
            NodeKind::Var(_, var) => {
                let var = *self.vars.get((*var)?)?;
                Some(self.pool.var(var))
            }
            NodeKind::Unary(op, a) => self.unary(*op, made(*a)?, span),
            NodeKind::Binary(op, a, b) => self.binary(*op, made(*a)?, made(*b)?, span),
            NodeKind::Ite(c, a, b) => {
                let (c, a, b) = (made(*c)?, made(*a)?, made(*b)?);
                if self.pool.sort(c) != Sort::Bool {
                    return self.error(span, "the condition after `if` must be `bool`", None);
                }
                self.alike(a, b, span)?;
                Some(self.pool.ite(c, a, b))
            }
            NodeKind::Read(a, i) => {
                let (array, index) = (made(*a)?, made(*i)?);
                self.index(array, index, span)?;
                Some(self.pool.select(array, index))
            }
            NodeKind::Write(a, i, v) => {
                let (array, index, element) = (made(*a)?, made(*i)?, made(*v)?);
                let of = self.index(array, index, span)?;
                if self.pool.sort(element) != of {
                    let message = format!("the elements of the array are `{}`", type_name(of));
                    return self.error(span, message, None);
                }
                Some(self.pool.store(array, index, element))
            }
            NodeKind::Array { entries, index, default } => {
                let default = made(*default)?;
                let mut lowered = Vec::with_capacity(entries.len());
                for (at, element) in entries {
                    lowered.push((made(*at)?, made(*element)?));
                }
                self.array(&lowered, *index, default, span)
            }
            NodeKind::Slice { of, until, from } => {
                let of = made(*of)?;
                match self.pool.sort(of) {
                    Sort::BitVec(width) if from < until && *until <= width => Some(self.pool.extract(until - 1, *from, of)),
                    Sort::BitVec(width) => {
                        let message = format!("there are no bits from {from} up to {until} in {width} bits");
                        self.error(
                            span,
                            message,
                            Some("`x[5:3]` has the bits 3 and 4: the first number is one above the highest bit"),
                        )
                    }
                    Sort::Bool | Sort::Float(_) | Sort::Int | Sort::Array(..) => {
                        self.error(span, "only bit vectors have bits", None)
                    }
                }
            }
            NodeKind::Refused => None,
        }
    }
    /// Brings both operands to one type; returns it.
    fn alike(&mut self, a: ExprId, b: ExprId, span: Span) -> Option<Sort> {
        let (left, right) = (self.pool.sort(a), self.pool.sort(b));
        if left == right {
            return Some(left);
        }
        let message = format!("`{}` and `{}` do not go together", type_name(left), type_name(right));
        self.error(span, message, None)?;
        None
    }
    /// Returns the type of an array's elements, if the index fits.
    fn index(&mut self, array: ExprId, index: ExprId, span: Span) -> Option<Sort> {
        let found = self.pool.sort(index);
        match self.pool.sort(array) {
            Sort::Array(of, element) if Sort::from(of) == found => Some(element.into()),
            Sort::Array(of, _) => {
                let message =
                    format!("the indices of the array are `{}`, and this is `{}`", type_name(of.into()), type_name(found));
                self.error(span, message, None)?;
                None
            }
            Sort::Bool | Sort::BitVec(_) | Sort::Float(_) | Sort::Int => {
                self.error(span, "only arrays have elements", None)?;
                None
            }
        }
    }
    fn array(&mut self, entries: &[(ExprId, ExprId)], index: Option<Sort>, default: ExprId, span: Span) -> Lowered {
        let index = match (index, entries.first()) {
            (Some(index), _) => index,
            (None, Some((first, _))) => self.pool.sort(*first),
            (None, None) => return None,
        };
        let element = self.pool.sort(default);
        let (Some(of), Some(_)) = (index.scalar(), element.scalar()) else {
            let finding = Diagnostic::error("P6005", span, "an array of arrays cannot be verified yet", "this");
            self.findings.push(finding.help("use an array for each row, or one with wider indices"));
            return None;
        };
        let Some(default) = self.pool.as_const(default) else {
            let finding =
                Diagnostic::error("P6005", span, "a default element that is not a constant cannot be verified yet", "this");
            self.findings.push(finding.help("write a constant after `default <-`"));
            return None;
        };
        let mut array = self.pool.constant(Value::Array(ArrayRef::constant(of, default)));
        for &(at, value) in entries {
            if (self.pool.sort(at), self.pool.sort(value)) != (index, element) {
                let message = format!("all entries must be `{}` <- `{}`", type_name(index), type_name(element));
                return self.error(span, message, None);
            }
            array = self.pool.store(array, at, value);
        }
        Some(array)
    }
    fn unary(&mut self, op: Unary, a: ExprId, span: Span) -> Lowered {
        let sort = self.pool.sort(a);
        let wrong = |this: &mut Self, needs: &str| {
            this.error(span, format!("{needs} is expected, and this is `{}`", type_name(sort)), None)
        };
        match (op, sort) {
            (Unary::Plus, Sort::Int | Sort::Float(_) | Sort::BitVec(_)) => Some(a),
            (Unary::Minus, Sort::Int) => Some(self.pool.int_neg(a)),
            (Unary::Minus | Unary::FpNeg, Sort::Float(_)) => Some(self.pool.fp_un(FpUn::Neg, a)),
            (Unary::Minus, Sort::BitVec(_)) => self.error(span, "`-` does not apply to bit vectors", Some("write `bvneg`")),
            (Unary::Plus | Unary::Minus, _) => wrong(self, "a number"),
            (Unary::Not, Sort::Bool) => Some(self.pool.not(a)),
            (Unary::Not, _) => wrong(self, "`bool`"),
            (Unary::BvNeg, Sort::BitVec(_)) => Some(self.pool.bv_un(BvUn::Neg, a)),
            (Unary::BvNot, Sort::BitVec(_)) => Some(self.pool.bv_un(BvUn::Not, a)),
            (Unary::Extend { signed, width }, Sort::BitVec(from)) if from <= width => {
                Some(if signed { self.pool.sign_extend(width, a) } else { self.pool.zero_extend(width, a) })
            }
            (Unary::Extend { width, .. }, Sort::BitVec(from)) => {
                self.error(span, format!("{from} bits cannot be extended to {width}"), None)
            }
            (Unary::BvNeg | Unary::BvNot | Unary::Extend { .. } | Unary::FpFromBv { .. }, _)
                if !matches!(sort, Sort::BitVec(_)) =>
            {
                wrong(self, "a bit vector")
            }
            (Unary::FpFromBv { sort, signed, rounding }, _) => Some(self.pool.bv_to_fp_rounded(signed, sort, rounding, a)),
            (Unary::FpAbs, Sort::Float(_)) => Some(self.pool.fp_un(FpUn::Abs, a)),
            (Unary::FpIsNan, Sort::Float(_)) => Some(self.pool.fp_test(FpTest::IsNan, a)),
            (Unary::FpSqrt(rounding), Sort::Float(_)) => Some(self.pool.fp_un(FpUn::Sqrt(rounding), a)),
            (Unary::FpRound(rounding), Sort::Float(_)) => Some(self.pool.fp_un(FpUn::Integral(rounding), a)),
            (Unary::FpToFp(to, rounding), Sort::Float(_)) => Some(self.pool.fp_to_fp_rounded(to, rounding, a)),
            (Unary::FpToBv { width, signed, rounding }, Sort::Float(_)) => Some(self.pool.fp_to_bv(signed, width, rounding, a)),
            (_, _) => wrong(self, "a float"),
        }
    }
    fn binary(&mut self, op: Binary, a: ExprId, b: ExprId, span: Span) -> Lowered {
        if op == Binary::Concat {
            return match (self.pool.sort(a), self.pool.sort(b)) {
                (Sort::BitVec(high), Sort::BitVec(low)) if high + low <= 128 => Some(self.pool.concat(a, b)),
                (Sort::BitVec(_), Sort::BitVec(_)) => self.error(span, "together these are more than 128 bits", None),
                (_, _) => self.error(span, "`++` puts bit vectors together", None),
            };
        }
        let sort = self.alike(a, b, span)?;
        let pool = &mut *self.pool;
        match (op, sort) {
            (Binary::And, Sort::Bool) => Some(pool.and(a, b)),
            (Binary::Or, Sort::Bool) => Some(pool.or(a, b)),
            (Binary::Xor, Sort::Bool) => Some(pool.ne(a, b)),
            (Binary::Iff, Sort::Bool) => Some(pool.eq(a, b)),
            (Binary::Imply, Sort::Bool) => Some(pool.implies(a, b)),
            // For floats `=` is the IEEE comparison: NaN equals nothing, and the zeros equal each other.
            (Binary::Eq, Sort::Float(_)) => Some(pool.fp_cmp(FpCmp::Eq, a, b)),
            (Binary::Neq, Sort::Float(_)) => {
                let equal = pool.fp_cmp(FpCmp::Eq, a, b);
                Some(pool.not(equal))
            }
            (Binary::Eq, _) => Some(pool.eq(a, b)),
            (Binary::Neq, _) => Some(pool.ne(a, b)),
            (Binary::Lt, Sort::Int) => Some(pool.int_cmp(IntCmp::Lt, a, b)),
            (Binary::Leq, Sort::Int) => Some(pool.int_cmp(IntCmp::Le, a, b)),
            (Binary::Gt, Sort::Int) => Some(pool.int_cmp(IntCmp::Lt, b, a)),
            (Binary::Geq, Sort::Int) => Some(pool.int_cmp(IntCmp::Le, b, a)),
            (Binary::Lt, Sort::Float(_)) => Some(pool.fp_cmp(FpCmp::Lt, a, b)),
            (Binary::Leq, Sort::Float(_)) => Some(pool.fp_cmp(FpCmp::Le, a, b)),
            (Binary::Gt, Sort::Float(_)) => Some(pool.fp_cmp(FpCmp::Lt, b, a)),
            (Binary::Geq, Sort::Float(_)) => Some(pool.fp_cmp(FpCmp::Le, b, a)),
            (Binary::Bv(relation), Sort::BitVec(_)) => {
                let (op, turned) = match relation {
                    BvRelation::Ult => (BvCmp::Ult, false),
                    BvRelation::Ule => (BvCmp::Ule, false),
                    BvRelation::Ugt => (BvCmp::Ult, true),
                    BvRelation::Uge => (BvCmp::Ule, true),
                    BvRelation::Slt => (BvCmp::Slt, false),
                    BvRelation::Sle => (BvCmp::Sle, false),
                    BvRelation::Sgt => (BvCmp::Slt, true),
                    BvRelation::Sge => (BvCmp::Sle, true),
                };
                Some(if turned { pool.bv_cmp(op, b, a) } else { pool.bv_cmp(op, a, b) })
            }
            (Binary::BvOp(op), Sort::BitVec(width)) => Some(bv_operator(pool, op, width, a, b)),
            (Binary::Add, Sort::Int) => Some(pool.int(IntBin::Add, a, b)),
            (Binary::Sub, Sort::Int) => Some(pool.int(IntBin::Sub, a, b)),
            (Binary::Mul, Sort::Int) => Some(pool.int(IntBin::Mul, a, b)),
            (Binary::Div, Sort::Int) => Some(pool.int(IntBin::Div, a, b)),
            (Binary::Mod, Sort::Int) => Some(pool.int(IntBin::Mod, a, b)),
            // `mod` is never negative; `rem` is with a negative divisor.
            (Binary::Rem, Sort::Int) => {
                let rest = pool.int(IntBin::Mod, a, b);
                let minus = pool.int_neg(rest);
                let zero = pool.int_const(0);
                let up = pool.int_cmp(IntCmp::Le, zero, b);
                Some(pool.ite(up, rest, minus))
            }
            (Binary::Add, Sort::Float(_)) => Some(pool.fp(FpBin::Add, a, b)),
            (Binary::Sub, Sort::Float(_)) => Some(pool.fp(FpBin::Sub, a, b)),
            (Binary::Mul, Sort::Float(_)) => Some(pool.fp(FpBin::Mul, a, b)),
            (Binary::Div, Sort::Float(_)) => Some(pool.fp(FpBin::Div, a, b)),
            (Binary::FpAdd(rounding), Sort::Float(_)) => Some(pool.fp_rounded(FpBin::Add, rounding, a, b)),
            (Binary::FpSub(rounding), Sort::Float(_)) => Some(pool.fp_rounded(FpBin::Sub, rounding, a, b)),
            (Binary::FpMul(rounding), Sort::Float(_)) => Some(pool.fp_rounded(FpBin::Mul, rounding, a, b)),
            (Binary::FpDiv(rounding), Sort::Float(_)) => Some(pool.fp_rounded(FpBin::Div, rounding, a, b)),
            (_, _) => {
                let help = if matches!(sort, Sort::BitVec(_)) {
                    Some("bit vectors have operators of their own: `bvadd`, `bvult` …")
                } else {
                    None
                };
                self.error(span, format!("this operator does not apply to `{}`", type_name(sort)), help)
            }
        }
    }
}

fn bv_operator(pool: &mut ExprPool, op: BvOperator, width: u16, a: ExprId, b: ExprId) -> ExprId {
    let plain = match op {
        BvOperator::Plain(op) => op,
        BvOperator::Rol | BvOperator::Ror => {
            // A shift by the whole width gives 0, so a rotation by 0 needs no case of its own.
            let whole = pool.constant(Value::bv(width, width.into()));
            let turn = pool.bv(BvBin::Urem, b, whole);
            let back = pool.bv(BvBin::Sub, whole, turn);
            let (left, right) = if op == BvOperator::Rol { (turn, back) } else { (back, turn) };
            let (high, low) = (pool.bv(BvBin::Shl, a, left), pool.bv(BvBin::Lshr, a, right));
            return pool.bv(BvBin::Or, high, low);
        }
        BvOperator::Smod => {
            // The remainder has the divisor's sign: one with the other sign is moved by the divisor.
            let zero = pool.constant(Value::bv(width, 0));
            let rest = pool.bv(BvBin::Srem, a, b);
            let (exact, moved) = (pool.eq(rest, zero), pool.bv(BvBin::Add, rest, b));
            let (rest_negative, divisor_negative) = (pool.bv_cmp(BvCmp::Slt, rest, zero), pool.bv_cmp(BvCmp::Slt, b, zero));
            let same_sign = pool.eq(rest_negative, divisor_negative);
            let stays = pool.or(exact, same_sign);
            return pool.ite(stays, rest, moved);
        }
    };
    pool.bv(plain, a, b)
}
