//! Types of operands, and the conversions that Logix makes where types differ.

use super::calls::Scope;
use super::key;
use super::types::integer;
use crate::ast::{Arg, Expr, ExprKind, Ident, Literal, Name};
use crate::hir::{BinOp, UnOp};
use crate::text::Span;

/// Type of an operand, as far as instructions tell types apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Bit,
    /// SINT, INT and DINT: arithmetic has 32 bits.
    Integer,
    Real,
}

impl Scope<'_> {
    /// Returns the class of an expression; `None` for types that no instruction with a model has.
    pub(super) fn class(&self, e: &Expr) -> Option<Class> {
        match &e.kind {
            ExprKind::Literal(None, Literal::Int(_)) => Some(Class::Integer),
            ExprKind::Literal(None, Literal::Real(_)) => Some(Class::Real),
            ExprKind::Literal(None, Literal::Bool(_)) => Some(Class::Bit),
            // A comparison of texts.
            ExprKind::Name(name) if name.path.is_empty() && name.root.text.starts_with("_text__equal") => Some(Class::Bit),
            ExprKind::Name(_) => class_of(&self.shape(e)?),
            ExprKind::Unary(UnOp::Neg | UnOp::Not, operand) => self.class(operand),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.class(left)?, self.class(right)?);
                match op {
                    BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod => match (left, right) {
                        (Class::Bit, _) | (_, Class::Bit) => None,
                        (Class::Integer, Class::Integer) => Some(Class::Integer),
                        (Class::Real, _) | (_, Class::Real) => Some(Class::Real),
                    },
                    BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => Some(Class::Bit),
                    BinOp::And | BinOp::Or | BinOp::Xor | BinOp::AndThen | BinOp::OrElse => (left == right).then_some(left),
                }
            }
            ExprKind::Call(name, args) => self.class_of_call(name, args),
            ExprKind::Literal(..) | ExprKind::Address(_) | ExprKind::Error => None,
        }
    }

    fn class_of_call(&self, name: &Name, args: &[Arg]) -> Option<Class> {
        match (key(&name.root.text).as_str(), args) {
            ("ABS" | "SQRT", [Arg::Positional(e)]) => self.class(e),
            (
                DIVIDE | REMAINDER | STEP | TRUNCATE | ROUND | "DINT_TO_SINT" | "DINT_TO_INT" | "TRUNC" | "DWORD_TO_DINT"
                | "ROOT__DINT",
                _,
            ) => Some(Class::Integer),
            ("DINT_TO_REAL" | "EXPT" | POWER, _) => Some(Class::Real),
            ("BIT__SINT" | "BIT__INT" | "BIT__DINT", _) => Some(Class::Bit),
            _ => None,
        }
    }

    /// Returns a value in the type of its target: REAL is rounded to integers.
    pub(super) fn converted(&self, target: &Expr, value: Expr) -> Expr {
        let Some(ty) = self.shape(target) else { return value };
        self.as_type(&ty, value)
    }

    /// Returns a value in a type.
    pub(super) fn as_type(&self, ty: &str, value: Expr) -> Expr {
        match (class_of(ty), self.class(&value)) {
            (Some(Class::Integer), Some(Class::Real)) => rounded(ty, value),
            (Some(Class::Integer), Some(Class::Integer)) => cut(ty, value),
            (Some(Class::Real), Some(Class::Integer)) => {
                let span = value.span;
                call_at("DINT_TO_REAL", vec![value], span)
            }
            _ => value,
        }
    }
}

impl Scope<'_> {
    /// Returns an integer as an operand of a logical instruction: the bits that SINT and INT lack are 0.
    ///
    /// Source: MOTION-RM002H, page 670; all other instructions extend by the sign.
    pub(super) fn filled(&self, e: Expr) -> Expr {
        let span = e.span;
        let call = |function: &str, e: Expr| call_at(function, vec![e], span);
        match self.shape(&e).as_deref() {
            Some("SINT") => call("DWORD_TO_DINT", call("BYTE_TO_DWORD", call("SINT_TO_BYTE", e))),
            Some("INT") => call("DWORD_TO_DINT", call("WORD_TO_DWORD", call("INT_TO_WORD", e))),
            _ => e,
        }
    }

    /// Names the assumption about integers that are divided for a REAL.
    pub(super) fn note_fraction(&self, target: &Expr, value: &Expr) {
        if self.class(target) == Some(Class::Real) && self.divides_integers(value) {
            self.assume("quotient of integers in an expression that a REAL gets: it has no fraction");
        }
    }

    fn divides_integers(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Call(name, args) => {
                let inner = args.iter().any(|arg| matches!(arg, Arg::Positional(e) if self.divides_integers(e)));
                key(&name.root.text) == DIVIDE || inner
            }
            ExprKind::Unary(_, operand) => self.divides_integers(operand),
            ExprKind::Binary(op, left, right) => {
                let is_integer = |e: &Expr| self.class(e) == Some(Class::Integer);
                let is_quotient = *op == BinOp::Div && is_integer(left) && is_integer(right);
                is_quotient || self.divides_integers(left) || self.divides_integers(right)
            }
            ExprKind::Literal(..) | ExprKind::Name(_) | ExprKind::Address(_) | ExprKind::Error => false,
        }
    }
}

/// Function of the library that divides integers.
pub(super) const DIVIDE: &str = "DIVIDE__DINT";

/// Function of the library for the remainder of integers.
pub(super) const REMAINDER: &str = "REMAINDER__DINT";

/// Words for the only quotient that no DINT holds.
pub(super) const QUOTIENT: &str = "quotient of -2147483648 and -1: it wraps at 32 bits";

/// Function of the library for steps that stay within 32 bits.
pub(super) const STEP: &str = "STEP__DINT";

/// Function of the library that gives the whole part of a REAL.
pub(super) const TRUNCATE: &str = "TRUNCATE__DINT";

/// Function of the library that rounds a REAL.
const ROUND: &str = "ROUND__DINT";

/// Function of the library for the result of a conversion that no manual states.
pub(super) const OUT_OF_RANGE: &str = "OUT_OF_RANGE__DINT";

/// Function of the library for powers of REAL.
pub(super) const POWER: &str = "POWER__REAL";

/// Returns a REAL as an integer of a type: it is rounded, and the type keeps its low bits.
///
/// Source: MOTION-RM002H, pages 668 and 672. No page states the bits of a number beyond 32 bits, so these are any.
pub(super) fn rounded(ty: &str, value: Expr) -> Expr {
    let span = value.span;
    let number = call_at(ROUND, vec![value, call_at(OUT_OF_RANGE, Vec::new(), span)], span);
    match key(ty).as_str() {
        "DINT" => number,
        ty => call_at(&format!("DINT_TO_{ty}"), vec![number], span),
    }
}

/// Returns a constant with the low bits that a short type keeps of it, and any other value as it is: its assignment cuts it.
fn cut(ty: &str, value: Expr) -> Expr {
    let constant = |e: &Expr| if let ExprKind::Literal(None, Literal::Int(number)) = e.kind { Some(number) } else { None };
    let negative = if let ExprKind::Unary(UnOp::Neg, operand) = &value.kind { constant(operand).map(|n| -n) } else { None };
    let Some(number) = constant(&value).or(negative) else { return value };
    let kept = match key(ty).as_str() {
        "SINT" => i128::from(number as i8),
        "INT" => i128::from(number as i16),
        _ => number,
    };
    if kept == number { value } else { integer(kept, value.span) }
}

/// Returns the REAL that [`rounded`] made an integer of.
pub(super) fn real_in(value: &Expr) -> Option<&Expr> {
    let ExprKind::Call(name, args) = &value.kind else { return None };
    match (key(&name.root.text).as_str(), args.as_slice()) {
        (ROUND, [Arg::Positional(real), _]) => Some(real),
        ("DINT_TO_SINT" | "DINT_TO_INT", [Arg::Positional(number)]) => real_in(number),
        _ => None,
    }
}

/// Returns the REAL that an expression makes an integer of, and the type of the integer.
pub(super) fn converted_real(e: &Expr) -> Option<(&Expr, &'static str)> {
    let ExprKind::Call(name, args) = &e.kind else { return None };
    let first = args.first().and_then(|arg| if let Arg::Positional(e) = arg { Some(e) } else { None })?;
    match key(&name.root.text).as_str() {
        ROUND | TRUNCATE => Some((first, "DINT")),
        "DINT_TO_SINT" => converted_real(first).map(|(real, _)| (real, "SINT")),
        "DINT_TO_INT" => converted_real(first).map(|(real, _)| (real, "INT")),
        _ => None,
    }
}

/// Returns the class of a type.
pub(super) fn class_of(ty: &str) -> Option<Class> {
    match key(ty).as_str() {
        "BOOL" => Some(Class::Bit),
        "SINT" | "INT" | "DINT" => Some(Class::Integer),
        "REAL" => Some(Class::Real),
        _ => None,
    }
}

/// Returns the call of a function at a place.
pub(super) fn call_at(function: &str, args: Vec<Expr>, span: Span) -> Expr {
    let name = Name::plain(Ident::new(function, span));
    Expr { kind: ExprKind::Call(Box::new(name), args.into_iter().map(Arg::Positional).collect()), span }
}
