//! Rules of dialects for types beyond the standard: bit strings, truth values, enumerations and characters are numbers too,
//! arithmetic has at least 32 bits, and an assignment cuts its value to fit.
//!
//! In computations such a number is an integer of its own width, unsigned for bit strings. Operands of different signs are
//! computed with a sign, at the wider width and 32 bits at least: UDINT and DINT as DINT, for every value.

use crate::dialect::{Arithmetic, BitStrings, Conversions, Dialect};
use crate::hir::{BinOp, Conversion, Expr, ExprKind, IntType, Project, RealType, Type, TypeId, UnOp, Value};
use crate::resolve::controller::behaviour::Behaviour;
use crate::resolve::findings::Findings;
use crate::resolve::types::families::{Family, base, common, family};
use crate::resolve::types::{elementary, families};
use crate::text::Span;

/// Least number of bits of arithmetic.
const LEAST: u8 = 32;

impl Dialect {
    /// Returns whether bit strings, integers, BOOL and enumerations are numbers that mix.
    pub(crate) fn mixes(&self) -> bool {
        self.bit_strings == BitStrings::Numbers
    }

    /// Returns whether an assignment cuts a wider value.
    pub(crate) fn narrows(&self) -> bool {
        self.conversions == Conversions::Narrowing
    }

    /// Returns the characters of a STRING without a length.
    pub(crate) fn default_length(&self) -> usize {
        self.string_length as usize
    }

    /// Returns whether a value of this type is a number in arithmetic.
    pub(crate) fn counts(&self, project: &Project, ty: TypeId) -> bool {
        self.mixes() && project.number(ty).is_some()
    }

    /// Returns the type of a computation with operands of these types.
    pub(crate) fn common_type(&self, project: &Project, a: TypeId, b: TypeId) -> Option<TypeId> {
        if !self.mixes() {
            return common(project, a, b);
        }
        let (a, b) = (base(project, a), base(project, b));
        if a == b {
            return Some(a);
        }
        let real = |ty: TypeId| if let Type::Real(real) = project.types[ty].ty { Some(real) } else { None };
        match (real(a), real(b)) {
            (Some(RealType::LReal), _) if real(b).is_some() || project.number(b).is_some() => return Some(elementary::LREAL),
            (_, Some(RealType::LReal)) if project.number(a).is_some() => return Some(elementary::LREAL),
            (Some(RealType::Real), None) if project.number(b).is_some() => return Some(elementary::REAL),
            (None, Some(RealType::Real)) if project.number(a).is_some() => return Some(elementary::REAL),
            (_, _) => {}
        }
        let both_bits = |ty: TypeId| matches!(family(project, ty), Family::Bits | Family::Bool);
        if both_bits(a) && both_bits(b) {
            return common(project, a, b);
        }
        let (Some(x), Some(y)) = (project.number(a), project.number(b)) else { return common(project, a, b) };
        let bits = x.bits.max(y.bits);
        Some(match (x.signed, y.signed) {
            (true, true) => elementary::signed(bits),
            (false, false) => elementary::unsigned(bits),
            // The result has a sign and the wider width: a large unsigned operand becomes negative.
            (true, false) | (false, true) => elementary::signed(bits.max(LEAST)),
        })
    }

    /// Returns the type of arithmetic on `ty`.
    pub(crate) fn computed(&self, project: &Project, ty: TypeId) -> TypeId {
        if self.arithmetic == Arithmetic::OfOperands {
            return ty;
        }
        match project.number(ty) {
            Some(int) if int.bits < LEAST => elementary::signed(LEAST),
            Some(int) if int.signed => elementary::signed(int.bits),
            Some(int) if family(project, ty) == Family::Int => elementary::unsigned(int.bits),
            Some(_) | None => ty,
        }
    }

    /// Returns whether an assignment converts values of `from` to `to` implicitly, cutting them if necessary.
    pub(crate) fn cuts(&self, project: &Project, from: TypeId, to: TypeId) -> bool {
        let (from, to) = (base(project, from), base(project, to));
        let families = (family(project, from), family(project, to));
        if !self.narrows() {
            let is_real = families.1 == Family::Real;
            let is_wide = matches!(project.types[from].ty, Type::Int(int) if int.bits == 32);
            return self.conversions == Conversions::Reals && is_real && (families.0 == Family::Real || is_wide);
        }
        match families {
            (Family::Real, Family::Real) => true,
            // There is no conversion between truth values and numbers.
            (_, Family::Bool) | (Family::Bool, _) => false,
            (_, Family::Real) => project.number(from).is_some(),
            (_, _) => project.number(from).is_some() && project.number(to).is_some(),
        }
    }

    /// Returns the type of a computation with mixed numbers; `None` if the dialect or the operands do not allow it.
    pub(crate) fn mixed(&self, project: &Project, op: BinOp, left: TypeId, right: TypeId) -> Option<TypeId> {
        if !self.mixes() {
            return None;
        }
        let real = |ty: TypeId| family(project, ty) == Family::Real;
        if !(self.counts(project, left) || real(left)) || !(self.counts(project, right) || real(right)) {
            return None;
        }
        let (left, right) = (base(project, left), base(project, right));
        let truth = |ty: TypeId| family(project, ty) == Family::Bool;
        let ty = self.common_type(project, left, right)?;
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div if truth(left) && truth(right) => None,
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div => Some(self.computed(project, ty)),
            BinOp::Mod if real(left) || real(right) || (truth(left) && truth(right)) => None,
            BinOp::Mod => Some(self.computed(project, ty)),
            BinOp::And | BinOp::Or | BinOp::Xor if real(left) || real(right) => None,
            BinOp::And | BinOp::Or | BinOp::Xor => Some(ty),
            BinOp::AndThen | BinOp::OrElse => None,
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => Some(ty),
        }
    }

    /// Notes signed and unsigned operands together. Up to 16 bits both fit the 32 bits of the computation; a wider unsigned one
    /// takes the other's sign. Manuals do not say it, so a proof names it as an assumption.
    pub(crate) fn note_signs(&self, project: &Project, findings: &mut Findings, a: TypeId, b: TypeId, span: Span) {
        match project.signs_differ(a, b) {
            Some(true) => findings.note_behaviour(self, Behaviour::Signs, span),
            Some(false) => findings.ledger.count("signed and unsigned operand, computed without a change of sign"),
            None => {}
        }
    }
}

impl Project {
    /// Returns the integer type of a value in mixed computations.
    fn number(&self, ty: TypeId) -> Option<IntType> {
        match family(self, ty) {
            Family::Int | Family::Bits | Family::Enum | Family::Char => self.int_type(ty),
            Family::Bool => Some(IntType { bits: 8, signed: false }),
            Family::Real | Family::Time | Family::Date | Family::Text | Family::Compound | Family::Opaque => None,
        }
    }

    /// Returns whether a value may change its sign in the computation; `None` unless one of the operands has a sign and the other
    /// has none.
    fn signs_differ(&self, a: TypeId, b: TypeId) -> Option<bool> {
        match (self.number(a), self.number(b)) {
            (Some(a), Some(b)) if a.signed != b.signed => {
                let (signed, unsigned) = if a.signed { (a.bits, b.bits) } else { (b.bits, a.bits) };
                Some(LEAST <= unsigned && signed <= unsigned)
            }
            (_, _) => None,
        }
    }

    /// Returns `e` as a value of `ty`, between numbers of any kind: the value if it fits, else its lowest bits.
    pub(crate) fn as_number(&self, e: Expr, ty: TypeId) -> Expr {
        if e.ty == ty {
            return e;
        }
        // The lowest bits of a sum are the sum of the lowest bits: operands need not be widened for it.
        if let Some(narrow) = self.recomputed(&e, base(self, ty)) {
            return families::widened(narrow, ty);
        }
        let how = if families::widens(self, e.ty, ty) { Conversion::Widen } else { Conversion::Convert };
        // The bits of a REAL are not transferred here.
        let e = match (self.number(e.ty), family(self, ty), family(self, e.ty)) {
            (Some(int), Family::Real, Family::Bits) => e.converted(Conversion::Convert, elementary::unsigned(int.bits)),
            (_, _, _) => e,
        };
        e.converted(how, ty)
    }

    /// Returns a sum, difference or product of two values of `ty` in `ty`, although it is in a wider type.
    ///
    /// Only one operation: of several, the first may leave the range of `ty` and the last one return to it, without a loss.
    fn recomputed(&self, e: &Expr, ty: TypeId) -> Option<Expr> {
        let (int, of) = (self.int_type(ty)?, family(self, ty));
        let fits = |e: &Expr| self.int_type(e.ty).is_some_and(|wide| int.bits <= wide.bits);
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
            let is_small = matches!(e.kind, ExprKind::Literal(Value::Int(i)) if fits(e) && int.holds(i));
            (is_small || e.ty == ty).then(|| Box::new(Expr { ty, ..e.clone() }))
        };
        let kind = if let ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) = &e.kind {
            ExprKind::Binary(*op, narrow(a)?, narrow(b)?)
        } else if let ExprKind::Unary(UnOp::Neg, a) = &e.kind {
            ExprKind::Unary(UnOp::Neg, narrow(a)?)
        } else {
            return None;
        };
        Some(Expr { kind, ty, span: e.span })
    }
}
