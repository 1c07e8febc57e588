//! Parts of numbers: BTD copies bits, SWPB orders bytes.

use std::ops::Range;

use super::calls::{Scope, number_in};
use super::ladder::Writer;
use super::numbers::word;
use super::operands::call_at;
use super::types::integer;
use crate::ast::build::binary;
use crate::ast::{Expr, ExprKind, Ident, Literal};
use crate::hir::BinOp;
use crate::text::Span;

impl Writer<'_> {
    /// Returns the number behind BTD: bits of the source at constant places within the target.
    ///
    /// Soundness: manuals disagree about the bits of a source that is shorter than 32 bits, so none of these are taken.
    pub(super) fn field(&self, [source, from, target, to, length]: [&Range<usize>; 5], span: Span) -> Result<Expr, &'static str> {
        let (source, target) = (self.integer(source)?, self.target(target)?);
        let constant = |range: &Range<usize>| {
            let number = number_in(&self.operand(range)?).and_then(|number| u32::try_from(number).ok());
            number.ok_or_else(|| self.refuse(range, "is no constant position or length"))
        };
        let (from, to, length) = (constant(from)?, constant(to)?, constant(length)?);
        let width = match self.scope.shape(&source).as_deref() {
            Some("SINT") => 8,
            Some("INT") => 16,
            _ => 32,
        };
        let ends = from.checked_add(length).filter(|end| *end <= width && to < 32 && length != 0);
        if self.scope.shape(&target).as_deref() != Some("DINT") {
            return Err(self.because("the destination is no DINT".to_owned()));
        }
        if ends.is_none() {
            return Err(self.because("its bits are not all within the source".to_owned()));
        }
        let all = (1u64 << length) - 1;
        let mask = (all << to) & u64::from(u32::MAX);
        let distance = |count: u32| integer(i128::from(count), span);
        let moved = if from <= to {
            call_at("SHL", vec![word(source), distance(to - from)], span)
        } else {
            call_at("SHR", vec![word(source), distance(from - to)], span)
        };
        let taken = binary(BinOp::And, moved, dword(mask, span), span);
        let kept = binary(BinOp::And, word(target), dword(!mask & u64::from(u32::MAX), span), span);
        Ok(call_at("DWORD_TO_DINT", vec![binary(BinOp::Or, taken, kept, span)], span))
    }
}

impl Scope<'_> {
    /// Returns the bytes of a number in another order, as a number; `None` for operands that SWPB does not take.
    pub(super) fn swapped(&self, source: &Expr, order: &str, target: &Expr) -> Option<Expr> {
        let order = match order.to_ascii_uppercase().as_str() {
            "0" | "REVERSE" => "REVERSE__DINT",
            "1" | "WORD" => "SWAP_WORDS__DINT",
            "2" | "HIGHLOW" | "HIGH/LOW" => "SWAP_BYTES__DINT",
            _ => return None,
        };
        let function = match (self.shape(source)?.as_str(), self.shape(target)?.as_str()) {
            ("INT", "INT" | "DINT") => "SWAP_BYTES__INT",
            ("DINT", "DINT") => order,
            _ => return None,
        };
        Some(call_at(function, vec![source.clone()], source.span))
    }
}

fn dword(bits: u64, span: Span) -> Expr {
    Expr { kind: ExprKind::Literal(Some(Box::new(Ident::new("DWORD", span))), Literal::Int(i128::from(bits))), span }
}
