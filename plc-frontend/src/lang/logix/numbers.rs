//! Statements of instructions with numbers: moves, arithmetic, logic and comparisons.

use std::ops::Range;

use super::expressions::{is_nonzero, may_wrap};
use super::ladder::{OPERAND, Writer};
use super::operands::{Class, DIVIDE, QUOTIENT, REMAINDER, call_at};
use super::types::integer;
use crate::ast::build::{binary, not};
use crate::ast::{Expr, ExprKind, Ident, Literal};
use crate::hir::{BinOp, UnOp};
use crate::text::Span;

/// Words for instructions whose destination alone is a REAL.
const IN_REAL: &str = "arithmetic of integers with a REAL destination: it is done in REAL";

/// Words for roots of integers.
///
/// Sources: theautomization.com on SQR says that the fraction is truncated, the help of FactoryTalk Design Studio that it is rounded.
const ROOT: &str = "SQR of an integer: its result is the root without its fraction or the rounded root";

impl Writer<'_> {
    /// Writes an instruction that stores a number where its rung is TRUE; `Ok(false)` for other instructions.
    pub(super) fn computed(
        &mut self,
        name: &str,
        texts: &[Range<usize>],
        state: &Expr,
        span: Span,
    ) -> Result<bool, &'static str> {
        let (target, value) = match (name, texts) {
            ("MOV" | "MOVE", [source, target]) => (target, self.number(source)?),
            ("CLR", [target]) => (target, integer(0, span)),
            ("NEG", [source, target]) => (target, negated(self.number(source)?, span)),
            ("ABS", [source, target]) => (target, call_at("ABS", vec![self.number(source)?], span)),
            ("NOT", [source, target]) => (target, complement(self.bits_of(source)?)),
            ("ADD" | "SUB" | "MUL" | "DIV" | "MOD", [left, right, target]) => {
                let operands = self.as_target((self.number(left)?, self.number(right)?), target)?;
                (target, self.arithmetic(name, operands, span)?)
            }
            ("AND" | "OR" | "XOR", [left, right, target]) => {
                let op = match name {
                    "AND" => BinOp::And,
                    "OR" => BinOp::Or,
                    _ => BinOp::Xor,
                };
                (target, bits(op, self.bits_of(left)?, self.bits_of(right)?, span))
            }
            ("MVM", [source, mask, target]) => {
                let (source, mask, old) = (self.bits_of(source)?, self.bits_of(mask)?, self.bits_of(target)?);
                let taken = bits(BinOp::And, source, mask.clone(), span);
                let kept = bits(BinOp::And, old, complement(mask), span);
                (target, bits(BinOp::Or, taken, kept, span))
            }
            ("BTD", [source, from, target, to, length]) => (target, self.field([source, from, target, to, length], span)?),
            ("SWPB", [source, order, target]) => {
                let (source, order, to) = (self.integer(source)?, self.text(order), self.target(target)?);
                let swapped = self.scope.swapped(&source, &order, &to);
                (
                    target,
                    swapped.ok_or_else(|| self.because(format!("operands other than INT and DINT, or the order `{order}`")))?,
                )
            }
            ("SQR" | "SQRT", [source, target]) => {
                let (number, to) = (self.number(source)?, self.target(target)?);
                let is_real = |e: &Expr| self.scope.class(e) == Some(Class::Real);
                let value = match (is_real(&number), is_real(&to)) {
                    (true, _) => root(number),
                    (false, true) => {
                        self.scope.assume(IN_REAL);
                        root(self.scope.as_type("REAL", number))
                    }
                    (false, false) => {
                        self.scope.assume(ROOT);
                        call_at("ROOT__DINT", vec![number, call_at("SYSTEM__BOOL", Vec::new(), span)], span)
                    }
                };
                (target, value)
            }
            ("TRN" | "TRUNC", [source, target]) => {
                let (number, to) = (self.number(source)?, self.target(target)?);
                if self.scope.class(&to) != Some(Class::Integer) {
                    return Err("instruction TRN into a REAL");
                }
                (target, self.scope.whole(number).ok_or(OPERAND)?)
            }
            ("XPY" | "EXPT", [base, exponent, target]) => {
                (target, self.scope.power(self.number(base)?, self.number(exponent)?).ok_or(OPERAND)?)
            }
            ("CPT", [target, expression]) => {
                let value = self.expression(expression, &[Class::Integer, Class::Real])?;
                self.scope.note_fraction(&self.target(target)?, &value);
                (target, value)
            }
            _ => return Ok(false),
        };
        let target = self.target(target)?;
        let value = self.scope.converted(&target, value);
        let sources = texts.split_last().map_or(&[][..], |(_, sources)| sources);
        let operands: Vec<Expr> = sources.iter().filter_map(|source| self.operand(source).ok()).collect();
        let stmts = self.scope.stored(name, &operands, (target, value), span);
        self.when(state, stmts, span);
        Ok(true)
    }

    /// Returns the condition of a comparison; `None` for other instructions.
    pub(super) fn compared(&self, name: &str, texts: &[Range<usize>], span: Span) -> Result<Option<Expr>, &'static str> {
        Ok(Some(match (name, texts) {
            ("LIM" | "LIMIT", [low, test, high]) => {
                let (low, test, high) = (self.number(low)?, self.number(test)?, self.number(high)?);
                let (low, high) = (self.common(low, &test), self.common(high, &test));
                let test = self.common(self.common(test, &low), &high);
                let is_above = binary(BinOp::Ge, test.clone(), low.clone(), span);
                let is_below = binary(BinOp::Le, test, high.clone(), span);
                let inside = binary(BinOp::And, is_above.clone(), is_below.clone(), span);
                let outside = binary(BinOp::Or, is_above, is_below, span);
                // Of a low limit above the high one, the numbers outside of both are meant.
                let is_plain = binary(BinOp::Le, low, high, span);
                let plain = binary(BinOp::And, is_plain.clone(), inside, span);
                binary(BinOp::Or, plain, binary(BinOp::And, not(is_plain), outside, span), span)
            }
            ("MEQ", [source, mask, compare]) => {
                let (source, mask, compare) = (self.bits_of(source)?, self.bits_of(mask)?, self.bits_of(compare)?);
                let source = bits(BinOp::And, source, mask.clone(), span);
                binary(BinOp::Eq, source, bits(BinOp::And, compare, mask, span), span)
            }
            ("CMP", [expression]) => self.expression(expression, &[Class::Bit])?,
            (_, [left, right]) => {
                let Some(op) = comparison(name) else { return Ok(None) };
                let (left, right) = (self.number(left)?, self.number(right)?);
                let left = self.common(left, &right);
                let right = self.common(right, &left);
                binary(op, left, right, span)
            }
            _ => return Ok(None),
        }))
    }

    fn arithmetic(&self, name: &str, (left, right): (Expr, Expr), span: Span) -> Result<Expr, &'static str> {
        let left = self.common(left, &right);
        let right = self.common(right, &left);
        let is_real = self.scope.class(&left) == Some(Class::Real);
        let op = match (name, is_real) {
            ("ADD", _) => BinOp::Add,
            ("SUB", _) => BinOp::Sub,
            ("MUL", _) => BinOp::Mul,
            ("DIV", true) => BinOp::Div,
            ("DIV", false) => return Ok(self.divided(DIVIDE, vec![left, right], span)),
            (_, false) => return Ok(self.divided(REMAINDER, vec![left, right], span)),
            (_, true) => return Err("instruction MOD"),
        };
        Ok(binary(op, left, right, span))
    }

    /// Returns two integers as REAL where the target is a REAL.
    fn as_target(&self, (left, right): (Expr, Expr), target: &Range<usize>) -> Result<(Expr, Expr), &'static str> {
        let is_integer = |e: &Expr| self.scope.class(e) == Some(Class::Integer);
        if self.scope.class(&self.target(target)?) != Some(Class::Real) || !is_integer(&left) || !is_integer(&right) {
            return Ok((left, right));
        }
        self.scope.assume(IN_REAL);
        Ok((self.scope.as_type("REAL", left), self.scope.as_type("REAL", right)))
    }

    fn divided(&self, function: &str, operands: Vec<Expr>, span: Span) -> Expr {
        if let Some(divisor) = operands.last().filter(|divisor| !is_nonzero(divisor)) {
            self.scope.shapes.divisors.borrow_mut().push(divisor.clone());
        }
        if function == DIVIDE && matches!(operands.as_slice(), [dividend, divisor] if may_wrap(dividend, divisor)) {
            self.scope.assume(QUOTIENT);
        }
        call_at(function, operands, span)
    }

    /// Returns the first number as REAL where the second one is: instructions compute with one type.
    fn common(&self, number: Expr, other: &Expr) -> Expr {
        if self.scope.class(other) == Some(Class::Real) { self.scope.as_type("REAL", number) } else { number }
    }

    /// Returns an operand that is a number.
    pub(super) fn number(&self, range: &Range<usize>) -> Result<Expr, &'static str> {
        let operand = self.operand(range)?;
        let is_simple = matches!(operand.kind, ExprKind::Name(_) | ExprKind::Literal(..)) || is_negative(&operand);
        let is_number = matches!(self.scope.class(&operand), Some(Class::Integer | Class::Real));
        if is_simple && is_number {
            return Ok(operand);
        }
        Err(self.not_of_kind(range, &operand, "a number (SINT, INT, DINT or REAL)"))
    }

    /// Returns an operand that is an integer.
    pub(super) fn integer(&self, range: &Range<usize>) -> Result<Expr, &'static str> {
        self.number(range).and_then(|e| match self.scope.class(&e) {
            Some(Class::Integer) => Ok(e),
            _ => Err(self.refuse(range, "is a REAL, and an integer is needed")),
        })
    }

    /// Returns an operand of a logical instruction.
    pub(super) fn bits_of(&self, range: &Range<usize>) -> Result<Expr, &'static str> {
        self.integer(range).map(|e| self.scope.filled(e))
    }

    /// Returns an operand that is a tag of a number.
    pub(super) fn target(&self, range: &Range<usize>) -> Result<Expr, &'static str> {
        let number = self.number(range)?;
        if matches!(number.kind, ExprKind::Name(_)) {
            return Ok(number);
        }
        Err(self.refuse(range, "is a constant, and a tag is needed"))
    }

    /// Returns the expression of CPT or CMP.
    fn expression(&self, range: &Range<usize>, classes: &[Class]) -> Result<Expr, &'static str> {
        let mut e = self.operand(range)?;
        self.scope.exact(&mut e);
        let is_class = self.scope.class(&e).is_some_and(|class| classes.contains(&class));
        if is_class && !self.scope.is_mixed(&e) {
            Ok(e)
        } else {
            Err(self.because("an expression with bits and numbers, or numbers of unknown types".to_owned()))
        }
    }
}

fn is_negative(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Unary(UnOp::Neg, operand) if matches!(operand.kind, ExprKind::Literal(..)))
}

fn negated(operand: Expr, span: Span) -> Expr {
    Expr { kind: ExprKind::Unary(UnOp::Neg, Box::new(operand)), span }
}

/// Returns a number as bits; one with fewer bits is extended by its sign.
pub(super) fn word(e: Expr) -> Expr {
    let span = e.span;
    if let ExprKind::Literal(None, Literal::Int(number)) = e.kind {
        let bits = Literal::Int(number.rem_euclid(1 << 32));
        return Expr { kind: ExprKind::Literal(Some(Box::new(Ident::new("DWORD", span))), bits), span };
    }
    call_at("DINT_TO_DWORD", vec![e], span)
}

/// Returns an operation on the bits of two numbers, as a number.
pub(super) fn bits(op: BinOp, left: Expr, right: Expr, span: Span) -> Expr {
    call_at("DWORD_TO_DINT", vec![binary(op, word(left), word(right), span)], span)
}

/// Returns the square root of a number without its sign.
///
/// Soundness: Logix takes the root of the number without its sign.
pub(super) fn root(e: Expr) -> Expr {
    let span = e.span;
    call_at("SQRT", vec![call_at("ABS", vec![e], span)], span)
}

/// Returns a number with all bits inverted.
pub(super) fn complement(e: Expr) -> Expr {
    let span = e.span;
    // In two's complement this is `-1 - e`, which does not overflow.
    binary(BinOp::Sub, integer(-1, span), e, span)
}

fn comparison(name: &str) -> Option<BinOp> {
    Some(match name {
        "EQU" | "EQ" => BinOp::Eq,
        "NEQ" | "NE" => BinOp::Ne,
        "LES" | "LT" => BinOp::Lt,
        "GRT" | "GT" => BinOp::Gt,
        "LEQ" | "LE" => BinOp::Le,
        "GEQ" | "GE" => BinOp::Ge,
        _ => return None,
    })
}
