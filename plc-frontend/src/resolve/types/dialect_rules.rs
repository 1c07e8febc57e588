//! What the dialect lets types do beyond the standard: bit strings, truth values, enumerations and characters are numbers
//! too, arithmetic has at least 32 bits, and an assignment cuts its value to the target's width.
//!
//! Where such a number is computed with, it is an integer of its own width, unsigned for bit strings. Operands of different
//! signs are computed with a sign, at the wider width and 32 bits at least: UDINT and DINT as DINT, whatever the value.

use crate::dialect::{Arithmetic, BitStrings, Conversions};
use crate::hir::{BinOp, Conversion, Expr, ExprKind, IntType, RealType, Type, TypeId, UnOp, Value};
use crate::resolve::controller::behaviour::Behaviour;
use crate::resolve::resolver::Resolver;
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, base, common, family};
use crate::text::source::Span;

/// Bits of arithmetic at least.
const LEAST: u8 = 32;

impl Resolver<'_> {
    /// Whether bit strings, integers, BOOL and enumerations are numbers that mix.
    pub(crate) fn mixes(&self) -> bool {
        self.dialect.bit_strings == BitStrings::Numbers
    }

    /// Whether an assignment cuts what is too wide.
    pub(crate) fn narrows(&self) -> bool {
        self.dialect.conversions == Conversions::Narrowing
    }

    /// The characters of a STRING without a length.
    pub(crate) fn default_length(&self) -> usize {
        self.dialect.string_length as usize
    }

    /// The integer that a value of this type counts as where everything is a number.
    fn number(&self, ty: TypeId) -> Option<IntType> {
        match family(&self.project, ty) {
            Family::Int | Family::Bits | Family::Enum | Family::Char => self.project.int_type(ty),
            Family::Bool => Some(IntType { bits: 8, signed: false }),
            Family::Real | Family::Time | Family::Date | Family::Text | Family::Compound | Family::Opaque => None,
        }
    }

    /// Whether a value of this type takes part in arithmetic.
    pub(crate) fn counts(&self, ty: TypeId) -> bool {
        self.mixes() && self.number(ty).is_some()
    }

    /// The type that operands of these types are computed in.
    pub(crate) fn common_type(&self, a: TypeId, b: TypeId) -> Option<TypeId> {
        if !self.mixes() {
            return common(&self.project, a, b);
        }
        let (a, b) = (base(&self.project, a), base(&self.project, b));
        if a == b {
            return Some(a);
        }
        let real = |ty: TypeId| if let Type::Real(real) = self.project.types[ty].ty { Some(real) } else { None };
        match (real(a), real(b)) {
            (Some(RealType::LReal), _) if real(b).is_some() || self.number(b).is_some() => return Some(elementary::LREAL),
            (_, Some(RealType::LReal)) if self.number(a).is_some() => return Some(elementary::LREAL),
            (Some(RealType::Real), None) if self.number(b).is_some() => return Some(elementary::REAL),
            (None, Some(RealType::Real)) if self.number(a).is_some() => return Some(elementary::REAL),
            (_, _) => {}
        }
        let both_bits = |ty: TypeId| matches!(family(&self.project, ty), Family::Bits | Family::Bool);
        if both_bits(a) && both_bits(b) {
            return common(&self.project, a, b);
        }
        let (Some(x), Some(y)) = (self.number(a), self.number(b)) else { return common(&self.project, a, b) };
        let bits = x.bits.max(y.bits);
        Some(match (x.signed, y.signed) {
            (true, true) => elementary::signed(bits),
            (false, false) => elementary::unsigned(bits),
            // With a sign, at the wider width: the unsigned operand becomes negative where that is not enough for it.
            (true, false) | (false, true) => elementary::signed(bits.max(LEAST)),
        })
    }

    /// For one operand with a sign and one without: whether a value may change its sign on the way.
    fn signs_differ(&self, a: TypeId, b: TypeId) -> Option<bool> {
        match (self.number(a), self.number(b)) {
            (Some(a), Some(b)) if a.signed != b.signed => {
                let (signed, unsigned) = if a.signed { (a.bits, b.bits) } else { (b.bits, a.bits) };
                Some(LEAST <= unsigned && signed <= unsigned)
            }
            (_, _) => None,
        }
    }

    /// The type that arithmetic on `ty` is done in.
    pub(crate) fn computed(&self, ty: TypeId) -> TypeId {
        if self.dialect.arithmetic == Arithmetic::OfOperands {
            return ty;
        }
        match self.number(ty) {
            Some(int) if int.bits < LEAST => elementary::signed(LEAST),
            Some(int) if family(&self.project, ty) == Family::Int => {
                if int.signed {
                    elementary::signed(int.bits)
                } else {
                    elementary::unsigned(int.bits)
                }
            }
            Some(int) if int.signed => elementary::signed(int.bits),
            Some(_) | None => ty,
        }
    }

    /// Whether an assignment turns values of `from` into values of `to` by itself, cutting them if need be.
    pub(crate) fn cuts(&self, from: TypeId, to: TypeId) -> bool {
        let (from, to) = (base(&self.project, from), base(&self.project, to));
        if !self.narrows() {
            return false;
        }
        match (family(&self.project, from), family(&self.project, to)) {
            (Family::Real, Family::Real) => true,
            // A truth value is not made of a number, nor a number of it.
            (_, Family::Bool) | (Family::Bool, _) => false,
            (_, Family::Real) => self.number(from).is_some(),
            (_, _) => self.number(from).is_some() && self.number(to).is_some(),
        }
    }

    /// `e` as a value of `ty`, between numbers of any kind: the value if it fits, else its lowest bits.
    pub(crate) fn as_number(&self, e: Expr, ty: TypeId) -> Expr {
        if e.ty == ty {
            return e;
        }
        // The lowest bits of a sum are the sum of the lowest bits: what was widened for nothing is computed as it is.
        if let Some(narrow) = self.recomputed(&e, base(&self.project, ty)) {
            return crate::resolve::types::families::widened(narrow, ty);
        }
        let how = match crate::resolve::types::families::widens(&self.project, e.ty, ty) {
            true => Conversion::Widen,
            false => Conversion::Convert,
        };
        // Bits of a REAL are not what is meant here.
        let e = match (self.number(e.ty), family(&self.project, ty), family(&self.project, e.ty)) {
            (Some(int), Family::Real, Family::Bits) => {
                let span = e.span;
                Expr { kind: ExprKind::Convert(Conversion::Convert, Box::new(e)), ty: elementary::unsigned(int.bits), span }
            }
            (_, _, _) => e,
        };
        let span = e.span;
        Expr { kind: ExprKind::Convert(how, Box::new(e)), ty, span }
    }

    /// A sum, difference or product of two values of `ty`, computed in `ty` although it stands there in a wider type.
    ///
    /// One operation only: of several the first may leave the range of `ty` and the last come back, and nothing is lost.
    fn recomputed(&self, e: &Expr, ty: TypeId) -> Option<Expr> {
        let (int, of) = (self.project.int_type(ty)?, family(&self.project, ty));
        let fits = |e: &Expr| self.project.int_type(e.ty).is_some_and(|wide| int.bits <= wide.bits);
        if of != Family::Int || !fits(e) {
            return None;
        }
        let narrow = |e: &Expr| {
            if let ExprKind::Convert(_, inner) = &e.kind
                && fits(e)
                && inner.ty == ty
            {
                return Some(inner.clone());
            }
            let is_small = matches!(e.kind, ExprKind::Literal(Value::Int(i)) if fits(e) && int.min() <= i && i <= int.max());
            (is_small || e.ty == ty).then(|| Box::new(Expr { ty, ..e.clone() }))
        };
        let kind = match &e.kind {
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => ExprKind::Binary(*op, narrow(a)?, narrow(b)?),
            ExprKind::Unary(UnOp::Neg, a) => ExprKind::Unary(UnOp::Neg, narrow(a)?),
            ExprKind::Literal(_)
            | ExprKind::Text(_)
            | ExprKind::Read(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Convert(..)
            | ExprKind::Builtin(..)
            | ExprKind::Call(..)
            | ExprKind::Arbitrary { .. } => return None,
        };
        Some(Expr { kind, ty, span: e.span })
    }

    /// The operands of arithmetic, comparison or logic where everything is a number; `None` if they are none.
    pub(crate) fn mixed(&self, op: BinOp, left: TypeId, right: TypeId) -> Option<TypeId> {
        if !self.mixes() {
            return None;
        }
        let real = |ty: TypeId| family(&self.project, ty) == Family::Real;
        if !(self.counts(left) || real(left)) || !(self.counts(right) || real(right)) {
            return None;
        }
        let (left, right) = (base(&self.project, left), base(&self.project, right));
        let truth = |ty: TypeId| family(&self.project, ty) == Family::Bool;
        let ty = self.common_type(left, right)?;
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div if truth(left) && truth(right) => None,
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div => Some(self.computed(ty)),
            BinOp::Mod if real(left) || real(right) || (truth(left) && truth(right)) => None,
            BinOp::Mod => Some(self.computed(ty)),
            BinOp::And | BinOp::Or | BinOp::Xor if real(left) || real(right) => None,
            BinOp::And | BinOp::Or | BinOp::Xor => Some(ty),
            BinOp::AndThen | BinOp::OrElse => None,
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => Some(ty),
        }
    }
}

impl Resolver<'_> {
    /// Signed and unsigned operands together. Up to 16 bits both fit the 32 that everything is computed at; a wider unsigned
    /// one takes the other's sign. Manuals do not say it, so a proof must say that it stands on it.
    pub(crate) fn note_signs(&mut self, a: TypeId, b: TypeId, span: Span) {
        match self.signs_differ(a, b) {
            Some(true) => self.findings.note_behaviour(self.dialect, Behaviour::Signs, span),
            Some(false) => self.findings.ledger.count("signed and unsigned operand, computed without a change of sign"),
            None => {}
        }
    }
}
