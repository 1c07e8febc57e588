//! STOD: the first integer of a text.
//!
//! After page 623 of 1756-RM003N and the help: the target is cleared, characters before the first digit are skipped except a minus
//! directly before it, and the digits that follow are converted. Soundness: an empty text is a gap where it happens, because sources
//! disagree about it. So is a number outside of 32 bits, which is a fault.

use super::calls::Scope;
use super::strings::{Text, byte, dint, hidden, keep, unless};
use super::types::integer;
use crate::ast::build::binary;
use crate::ast::{Expr, ExprKind, Stmt, StmtKind};
use crate::hir::{BinOp, UnOp};
use crate::text::Span;

impl Scope<'_> {
    /// Returns the statements of STOD; `None` for other operands than a tag of a text and a DINT.
    pub(super) fn first_number(&self, source: &Expr, target: &Expr, span: Span) -> Option<Vec<Stmt>> {
        let text = self.read_text(source)?;
        let (Text::Tag(tag, _), Some("DINT")) = (&text, self.shape(target).as_deref()) else { return None };
        // The target may be a part of the text.
        if !self.is_apart(source, target) {
            return None;
        }
        let [at, value, sign] = ["_text__at", "_text__value", "_text__sign"].map(|name| hidden(name, span));
        let compared = |op, e: &Expr, number| binary(op, e.clone(), integer(number, span), span);
        let is_empty = compared(BinOp::Lt, &text.length(span), 1);
        let mut stmts = vec![unless([Some(is_empty), text.faults(span)].into_iter().flatten().collect(), span)?];
        stmts.extend([keep(&at, dint(0, span), span), keep(&value, dint(0, span), span), keep(&sign, dint(0, span), span)]);
        let character = byte(tag, at.clone())?;
        let is_digit = |character: &Expr| {
            let low = compared(BinOp::Ge, character, i128::from(b'0'));
            binary(BinOp::And, low, compared(BinOp::Le, character, i128::from(b'9')), span)
        };
        let is_inside = binary(BinOp::Lt, at.clone(), text.length(span), span);
        let next = || keep(&at, binary(BinOp::Add, at.clone(), integer(1, span), span), span);
        let is_minus = compared(BinOp::Eq, &character, i128::from(b'-'));
        let mark = StmtKind::If(vec![(is_minus, vec![keep(&sign, dint(1, span), span)])], vec![keep(&sign, dint(0, span), span)]);
        let skips = binary(BinOp::AndThen, is_inside.clone(), crate::ast::build::not(is_digit(&character)), span);
        stmts.push(Stmt { kind: StmtKind::While(skips, vec![Stmt { kind: mark, span }, next()]), span });
        // Digits are subtracted: there is one more negative number.
        let digit = hidden("_text__digit", span);
        let code = super::operands::call_at("SINT_TO_DINT", vec![character.clone()], span);
        let is_least = compared(BinOp::Eq, &value, -214_748_364);
        let is_large = binary(BinOp::And, is_least, compared(BinOp::Gt, &digit, 8), span);
        let tens = binary(BinOp::Mul, value.clone(), integer(10, span), span);
        let body = vec![
            keep(&digit, binary(BinOp::Sub, code, integer(i128::from(b'0'), span), span), span),
            unless(vec![compared(BinOp::Lt, &value, -214_748_364), is_large], span)?,
            keep(&value, binary(BinOp::Sub, tens, digit, span), span),
            next(),
        ];
        let goes_on = binary(BinOp::AndThen, is_inside, is_digit(&character), span);
        stmts.push(Stmt { kind: StmtKind::While(goes_on, body), span });
        let is_positive = compared(BinOp::Eq, &sign, 0);
        let is_lowest = compared(BinOp::Lt, &value, -i128::from(i32::MAX));
        let negated = Expr { kind: ExprKind::Unary(UnOp::Neg, Box::new(value.clone())), span };
        let positive = vec![unless(vec![is_lowest], span)?, Stmt::assign(target.clone(), negated, span)];
        let negative = vec![Stmt::assign(target.clone(), value, span)];
        stmts.push(Stmt { kind: StmtKind::If(vec![(is_positive, positive)], negative), span });
        Some(stmts)
    }
}
