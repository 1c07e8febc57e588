//! More instructions of texts: INSERT, FIND, UPPER and LOWER, and comparisons of two texts.
//!
//! Soundness: as for `strings`. What no page states is a gap where it happens: a start behind the last character, and an empty text
//! that is searched for.

use std::ops::Range;

use super::calls::Scope;
use super::ladder::Writer;
use super::operands::{Class, call_at};
use super::strings::{Text, byte, copy, dint, hidden, keep, same, unless};
use super::texts::byte_of;
use super::types::integer;
use crate::ast::build::{binary, joined, not};
use crate::ast::{Expr, Stmt, StmtKind};
use crate::hir::BinOp;
use crate::text::Span;

/// Letters of the two cases, and the distance between their codes.
const UPPER: (i128, i128, i128) = (b'a' as i128, b'z' as i128, -32);
const LOWER: (i128, i128, i128) = (b'A' as i128, b'Z' as i128, 32);

impl Scope<'_> {
    /// Returns the statements of INSERT: characters before a start, the second text, and the rest of the first.
    pub(super) fn inserted(&self, texts: (&Expr, &Expr), start: &Expr, target: &Expr, span: Span) -> Option<Vec<Stmt>> {
        let capacity = self.room(target)?;
        let (text, more) = (self.read_text(texts.0)?, self.read_text(texts.1)?);
        if !self.is_apart(texts.0, target) || !self.is_apart(texts.1, target) {
            return None;
        }
        let (from, mut stmts) = self.start(&text, start, span)?;
        let [end, rest, total] = ["_text__end", "_text__rest", "_text__total"].map(|name| hidden(name, span));
        let sum = |left: &Expr, right: Expr| binary(BinOp::Add, left.clone(), right, span);
        stmts.push(keep(&end, sum(&from, more.length(span)), span));
        stmts.push(keep(&rest, binary(BinOp::Sub, text.length(span), from.clone(), span), span));
        stmts.push(keep(&total, sum(&end, rest.clone()), span));
        let is_long = binary(BinOp::Gt, total.clone(), integer(capacity, span), span);
        stmts.push(unless([Some(is_long), more.faults(span)].into_iter().flatten().collect(), span)?);
        let zero = || integer(0, span);
        stmts.extend(copy(&text, zero(), target, zero(), &from, span)?);
        stmts.extend(copy(&more, zero(), target, from.clone(), &more.length(span), span)?);
        stmts.extend(copy(&text, from, target, end, &rest, span)?);
        stmts.push(Stmt::assign(super::counters::member(target, "LEN", span), total, span));
        Some(stmts)
    }

    /// Returns the statements of FIND: the first position from a start on at which the second text stands, or 0.
    pub(super) fn found(&self, texts: (&Expr, &Expr), start: &Expr, target: &Expr, span: Span) -> Option<Vec<Stmt>> {
        let (text, wanted) = (self.read_text(texts.0)?, self.read_text(texts.1)?);
        let (Text::Tag(source, _), Some("DINT")) = (&text, self.shape(target).as_deref()) else { return None };
        let (from, mut stmts) = self.start(&text, start, span)?;
        let [at, place, alike] = ["_text__at", "_text__found", "_text__alike"].map(|name| hidden(name, span));
        let is_empty = binary(BinOp::Lt, wanted.length(span), integer(1, span), span);
        stmts.push(unless([Some(is_empty), wanted.faults(span)].into_iter().flatten().collect(), span)?);
        // A hidden variable of a loop has one type.
        stmts.push(keep(&at, binary(BinOp::Add, from, dint(0, span), span), span));
        stmts.push(keep(&place, dint(0, span), span));
        let plus = |left: &Expr, right: &Expr| binary(BinOp::Add, left.clone(), right.clone(), span);
        let one = integer(1, span);
        let take = Stmt::when(
            binary(BinOp::Eq, alike.clone(), wanted.length(span), span),
            vec![keep(&place, plus(&at, &one), span)],
            span,
        );
        let mut body = vec![keep(&alike, dint(0, span), span)];
        match &wanted {
            Text::Tag(tag, _) => {
                let is_inside = binary(BinOp::Lt, alike.clone(), wanted.length(span), span);
                let is_alike = binary(BinOp::Eq, byte(source, plus(&at, &alike))?, byte(tag, alike.clone())?, span);
                // Behind the end there is no character to compare.
                let goes_on = binary(BinOp::AndThen, is_inside, is_alike, span);
                let next = keep(&alike, plus(&alike, &one), span);
                body.push(Stmt { kind: StmtKind::While(goes_on, vec![next]), span });
            }
            Text::Fixed(chars) => {
                let places = (0..).zip(chars);
                let is_alike = |(n, c): (i128, &u16)| {
                    Some(binary(BinOp::Eq, byte(source, plus(&at, &integer(n, span)))?, byte_of(*c, span)?, span))
                };
                let all = places.map(is_alike).collect::<Option<Vec<_>>>()?;
                let is_alike = joined(BinOp::And, all, |_| span)?;
                body.push(Stmt::when(is_alike, vec![keep(&alike, dint(chars.len() as i128, span), span)], span));
            }
        }
        body.extend([take, keep(&at, plus(&at, &one), span)]);
        let fits = binary(BinOp::Le, plus(&at, &wanted.length(span)), text.length(span), span);
        let is_open = binary(BinOp::Eq, place.clone(), integer(0, span), span);
        stmts.push(Stmt { kind: StmtKind::While(binary(BinOp::And, is_open, fits, span), body), span });
        stmts.push(Stmt::assign(target.clone(), place, span));
        Some(stmts)
    }

    /// Returns the statements of UPPER and LOWER: letters of ASCII change, all other characters do not.
    pub(super) fn in_case(&self, source: &Expr, target: &Expr, is_upper: bool, span: Span) -> Option<Vec<Stmt>> {
        let capacity = self.room(target)?;
        let text = self.read_text(source)?;
        let Text::Tag(tag, _) = &text else { return None };
        if !same(source, target) && !self.is_apart(source, target) {
            return None;
        }
        let (first, last, distance) = if is_upper { UPPER } else { LOWER };
        let at = hidden("_text__at", span);
        let is_long = binary(BinOp::Gt, text.length(span), integer(capacity, span), span);
        let faults: Vec<_> = [text.faults(span), Some(is_long)].into_iter().flatten().collect();
        let read = || byte(tag, at.clone());
        let letter = binary(
            BinOp::And,
            binary(BinOp::Ge, read()?, integer(first, span), span),
            binary(BinOp::Le, read()?, integer(last, span), span),
            span,
        );
        let changed = call_at("DINT_TO_SINT", vec![binary(BinOp::Add, read()?, integer(distance, span), span)], span);
        let write = |value: Expr| Some(vec![Stmt::assign(byte(target, at.clone())?, value, span)]);
        let either = Stmt { kind: StmtKind::If(vec![(letter, write(changed)?)], write(read()?)?), span };
        let next = keep(&at, binary(BinOp::Add, at.clone(), integer(1, span), span), span);
        let is_inside = binary(BinOp::Lt, at.clone(), text.length(span), span);
        let length = Stmt::assign(super::counters::member(target, "LEN", span), text.length(span), span);
        let all = Stmt { kind: StmtKind::While(is_inside, vec![either, next]), span };
        Some(vec![unless(faults, span)?, keep(&at, dint(0, span), span), all, length])
    }

    /// Returns statements that compare two tags of texts, and the variable that is TRUE behind them if both are equal.
    ///
    /// Source: 1756-RM003N, page 225: texts are equal if their characters match, upper and lower case apart.
    pub(super) fn equal_texts(&self, left: &Expr, right: &Expr, span: Span) -> Option<(Vec<Stmt>, Expr)> {
        let (first, second) = (self.read_text(left)?, self.read_text(right)?);
        let (one, other) = match (&first, &second) {
            (Text::Tag(one, _), Text::Tag(other, _)) => (one, other),
            (Text::Tag(tag, room), Text::Fixed(chars)) | (Text::Fixed(chars), Text::Tag(tag, room)) => {
                let faults = [first.faults(span), second.faults(span)].into_iter().flatten().collect();
                return self.equals_fixed((tag, *room), chars, unless(faults, span)?, span);
            }
            (Text::Fixed(_), Text::Fixed(_)) => return None,
        };
        let [at, equal] = ["_text__at", "_text__equal"].map(|name| hidden(name, span));
        let compared = |op, text: &Text| binary(op, at.clone(), text.length(span), span);
        let are_inside = binary(BinOp::And, compared(BinOp::Lt, &first), compared(BinOp::Lt, &second), span);
        let is_alike = binary(BinOp::Eq, byte(one, at.clone())?, byte(other, at.clone())?, span);
        let next = keep(&at, binary(BinOp::Add, at.clone(), integer(1, span), span), span);
        // Behind the end there is no character to compare.
        let goes_on = binary(BinOp::AndThen, are_inside, is_alike, span);
        let are_read = binary(BinOp::And, compared(BinOp::Eq, &first), compared(BinOp::Eq, &second), span);
        let stmts = vec![
            unless([first.faults(span), second.faults(span)].into_iter().flatten().collect(), span)?,
            keep(&at, dint(0, span), span),
            Stmt { kind: StmtKind::While(goes_on, vec![next]), span },
            keep(&equal, are_read, span),
        ];
        Some((stmts, equal))
    }

    /// Returns statements that compare a tag with a text that is written out, as [`Scope::equal_texts`] does.
    fn equals_fixed(&self, (tag, room): (&Expr, i128), chars: &[u16], faults: Stmt, span: Span) -> Option<(Vec<Stmt>, Expr)> {
        let equal = hidden("_text__equal", span);
        let length = super::counters::member(tag, "LEN", span);
        let n_chars = i128::try_from(chars.len()).ok()?;
        let mut parts = vec![binary(BinOp::Eq, length, integer(n_chars, span), span)];
        if room < n_chars {
            parts = vec![Expr::truth(false, span)];
        } else {
            for (at, character) in (0..).zip(chars) {
                parts.push(binary(BinOp::Eq, byte(tag, integer(at, span))?, byte_of(*character, span)?, span));
            }
        }
        let all = joined(BinOp::And, parts, |_| span)?;
        Some((vec![faults, keep(&equal, all, span)], equal))
    }

    /// Returns a start, counted from 0, and statements that compute it.
    fn start(&self, text: &Text, start: &Expr, span: Span) -> Option<(Expr, Vec<Stmt>)> {
        if self.class(start) != Some(Class::Integer) {
            return None;
        }
        let from = hidden("_text__from", span);
        let before = binary(BinOp::Sub, start.clone(), integer(1, span), span);
        let mut faults = vec![
            binary(BinOp::Lt, from.clone(), integer(0, span), span),
            binary(BinOp::Ge, from.clone(), text.length(span), span),
        ];
        faults.extend(text.faults(span));
        Some((from.clone(), vec![keep(&from, before, span), unless(faults, span)?]))
    }
}

impl Writer<'_> {
    /// Writes EQU or NEQ of two texts; `None` for other instructions and for numbers.
    pub(super) fn compared_texts(
        &mut self,
        name: &str,
        texts: &[Range<usize>],
        state: &Expr,
        span: Span,
    ) -> Result<Option<Expr>, &'static str> {
        let ("EQU" | "EQ" | "NEQ" | "NE", [left, right]) = (name, texts) else { return Ok(None) };
        let (left, right) = (self.operand(left)?, self.operand(right)?);
        if self.scope.read_text(&left).is_none() && self.scope.read_text(&right).is_none() {
            return Ok(None);
        }
        let (stmts, equal) = self.scope.equal_texts(&left, &right, span).ok_or("comparison of texts")?;
        self.ladder.stmts.push(keep(&equal, Expr::truth(false, span), span));
        self.when(state, stmts, span);
        let condition = if name.starts_with('E') { equal } else { not(equal) };
        Ok(Some(self.keep(binary(BinOp::And, state.clone(), condition, span), span)))
    }
}
