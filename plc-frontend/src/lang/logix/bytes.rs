//! Bytes of numbers: the bits of one number as those of another, for copies between types.

use super::layout::Kind;
use super::operands::call_at;
use crate::ast::build::{binary, joined};
use crate::ast::{Expr, ExprKind, Ident, Literal};
use crate::hir::BinOp;
use crate::text::Span;

/// Number or bit that a copy reads, and its first byte.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) value: Expr,
    pub(super) at: u64,
    pub(super) kind: Kind,
}

/// Returns the value of a kind whose first byte is at a place of the sources; `None` for zero bits that no source has.
///
/// `is_padded` is set where bits are read that no source has: they are zero.
pub(super) fn value(kind: Kind, at: u64, sources: &[Source], is_padded: &mut bool, span: Span) -> Expr {
    match kind {
        Kind::Bit(number) => bit(at, number, sources, is_padded, span),
        Kind::Number(name, size) => {
            let same = |source: &&Source| source.at == at && matches!(source.kind, Kind::Number(_, other) if other == size);
            if let Some(source) = sources.iter().find(same) {
                if source.kind == kind {
                    return source.value.clone();
                }
                return number(name, half(source, 0, span), half(source, 1, span), span);
            }
            let mut word = |first: u64| {
                let bytes = (first..(first + 4).min(size)).map(|byte| {
                    let bits = byte_at(at + byte, sources, is_padded, span);
                    shifted("SHL", bits, 8 * (byte - first), span)
                });
                joined(BinOp::Or, bytes.collect(), |_| span).unwrap_or_else(|| dword(0, span))
            };
            let low = word(0);
            let high = if size == 8 { word(4) } else { dword(0, span) };
            number(name, low, high, span)
        }
    }
}

/// Returns a byte as DWORD.
fn byte_at(at: u64, sources: &[Source], is_padded: &mut bool, span: Span) -> Expr {
    let inside = |source: &&Source| matches!(source.kind, Kind::Number(_, size) if (source.at..source.at + size).contains(&at));
    if let Some(source) = sources.iter().find(inside) {
        let byte = at - source.at;
        let bits = shifted("SHR", half(source, byte / 4, span), 8 * (byte % 4), span);
        return binary(BinOp::And, bits, dword(0xFF, span), span);
    }
    let bits: Vec<_> = sources.iter().filter(|source| source.at == at && matches!(source.kind, Kind::Bit(_))).collect();
    *is_padded |= bits.len() < 8;
    let one = |source: &Source| {
        let Kind::Bit(number) = source.kind else { return dword(0, span) };
        call_at("SEL", vec![source.value.clone(), dword(0, span), dword(1 << number, span)], span)
    };
    joined(BinOp::Or, bits.into_iter().map(one).collect(), |_| span).unwrap_or_else(|| dword(0, span))
}

fn bit(at: u64, number: u64, sources: &[Source], is_padded: &mut bool, span: Span) -> Expr {
    if let Some(source) = sources.iter().find(|source| source.at == at && source.kind == Kind::Bit(number)) {
        return source.value.clone();
    }
    let masked = binary(BinOp::And, byte_at(at, sources, is_padded, span), dword(1 << number, span), span);
    binary(BinOp::Ne, masked, dword(0, span), span)
}

/// Returns the lower or upper 32 bits of a number, as DWORD.
fn half(source: &Source, at: u64, span: Span) -> Expr {
    let Kind::Number(name, size) = source.kind else { return dword(0, span) };
    let function = match (name, at) {
        ("LINT", 0) => "LOW__LINT",
        ("LINT", _) => "HIGH__LINT",
        ("ULINT", 0) => "LOW__ULINT",
        ("ULINT", _) => "HIGH__ULINT",
        _ if size <= 4 && at != 0 => return dword(0, span),
        ("REAL", _) => "REAL_TO_DWORD",
        ("USINT" | "UINT" | "UDINT", _) => "UDINT_TO_DWORD",
        _ => "DINT_TO_DWORD",
    };
    call_at(function, vec![source.value.clone()], span)
}

/// Returns the number that has these bits, of which only its own width counts.
fn number(name: &str, low: Expr, high: Expr, span: Span) -> Expr {
    match name {
        "LINT" | "ULINT" => call_at(&format!("{name}__BITS"), vec![low, high], span),
        "SINT" | "USINT" | "INT" | "UINT" => call_at(&format!("{name}__BITS"), vec![low], span),
        "REAL" => call_at("DWORD_TO_REAL", vec![low], span),
        "UDINT" => call_at("DWORD_TO_UDINT", vec![low], span),
        _ => call_at("DWORD_TO_DINT", vec![low], span),
    }
}

fn shifted(function: &str, bits: Expr, count: u64, span: Span) -> Expr {
    if count == 0 { bits } else { call_at(function, vec![bits, super::types::integer(i128::from(count), span)], span) }
}

fn dword(bits: u64, span: Span) -> Expr {
    Expr { kind: ExprKind::Literal(Some(Box::new(Ident::new("DWORD", span))), Literal::Int(i128::from(bits))), span }
}
