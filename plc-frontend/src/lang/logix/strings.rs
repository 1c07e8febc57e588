//! Instructions of texts: CONCAT, MID, DELETE and DTOS; `text_search` and `text_numbers` have the others.
//!
//! Soundness: a text whose LEN is outside of its DATA and a position outside of a text are gaps where they happen. So is a result
//! that its target does not hold. A source that may be the target by another name is a gap.

use super::calls::Scope;
use super::counters::member;
use super::operands::{Class, call_at};
use super::texts::{REST, byte_of, is_exact};
use super::types::integer;
use crate::ast::build::{binary, joined};
use crate::ast::{Expr, ExprKind, Ident, Literal, NameElem, Stmt, StmtKind};
use crate::hir::{BinOp, UnOp};
use crate::text::Span;

/// Words for lengths and positions that an instruction does not take.
const LIMITS: &str = "text whose length or position is out of its limits";

/// Text that an instruction reads.
pub(super) enum Text {
    Tag(Expr, i128),
    Fixed(Vec<u16>),
}

impl Text {
    pub(super) fn length(&self, span: Span) -> Expr {
        match self {
            Text::Tag(tag, _) => member(tag, "LEN", span),
            Text::Fixed(chars) => integer(chars.len() as i128, span),
        }
    }

    /// Returns whether its length is none of a text.
    pub(super) fn faults(&self, span: Span) -> Option<Expr> {
        let Text::Tag(tag, capacity) = self else { return None };
        let compared = |op, number| binary(op, member(tag, "LEN", span), integer(number, span), span);
        Some(binary(BinOp::Or, compared(BinOp::Lt, 0), compared(BinOp::Gt, *capacity), span))
    }
}

impl Scope<'_> {
    /// Returns the statements of an instruction of texts; `None` for operands that are not modelled.
    pub(super) fn text_instruction(&self, name: &str, operands: &[Expr], span: Span) -> Option<Vec<Stmt>> {
        let stmts = match (name, operands) {
            ("CONCAT", [left, right, target]) => self.concatenated(left, right, target, span)?,
            ("MID", [source, count, start, target]) => self.middle(source, (count, start), target, span)?,
            ("DELETE", [source, count, start, target]) => self.without_part(source, (count, start), target, span)?,
            ("DTOS", [number, target]) => self.digits(number, target, span)?,
            ("INSERT", [text, more, start, target]) => self.inserted((text, more), start, target, span)?,
            ("FIND", [text, wanted, start, target]) => self.found((text, wanted), start, target, span)?,
            ("UPPER" | "LOWER", [source, target]) => self.in_case(source, target, name == "UPPER", span)?,
            ("STOD", [source, target]) => return self.first_number(source, target, span),
            _ => return None,
        };
        self.shapes.assumed.add_everywhere(REST);
        Some(stmts)
    }

    fn concatenated(&self, left: &Expr, right: &Expr, target: &Expr, span: Span) -> Option<Vec<Stmt>> {
        let capacity = self.room(target)?;
        let (first, second) = (self.read_text(left)?, self.read_text(right)?);
        let is_same = same(left, target);
        if !(is_same || self.is_apart(left, target)) || !self.is_apart(right, target) {
            return None;
        }
        let [end, length] = [hidden("_text__end", span), hidden("_text__length", span)];
        let mut stmts = vec![keep(&end, first.length(span), span)];
        stmts.push(keep(&length, binary(BinOp::Add, end.clone(), second.length(span), span), span));
        let is_long = binary(BinOp::Gt, length.clone(), integer(capacity, span), span);
        let faults: Vec<_> = [first.faults(span), second.faults(span), Some(is_long)].into_iter().flatten().collect();
        stmts.push(unless(faults, span)?);
        if !is_same {
            stmts.extend(copy(&first, integer(0, span), target, integer(0, span), &end, span)?);
        }
        stmts.extend(copy(&second, integer(0, span), target, end, &second.length(span), span)?);
        stmts.push(Stmt::assign(member(target, "LEN", span), length, span));
        Some(stmts)
    }

    /// Returns the statements of MID: characters from a start, which counts from 1.
    fn middle(&self, source: &Expr, (count, start): (&Expr, &Expr), target: &Expr, span: Span) -> Option<Vec<Stmt>> {
        let capacity = self.room(target)?;
        let text = self.read_text(source)?;
        if !self.is_apart(source, target) {
            return None;
        }
        let (from, length, mut stmts) = self.part(&text, (count, start), span)?;
        let is_long = binary(BinOp::Gt, length.clone(), integer(capacity, span), span);
        stmts.push(unless(vec![is_long], span)?);
        stmts.extend(copy(&text, from, target, integer(0, span), &length, span)?);
        stmts.push(Stmt::assign(member(target, "LEN", span), length, span));
        Some(stmts)
    }

    /// Returns the statements of DELETE: characters before and behind a part.
    fn without_part(&self, source: &Expr, (count, start): (&Expr, &Expr), target: &Expr, span: Span) -> Option<Vec<Stmt>> {
        let capacity = self.room(target)?;
        let text = self.read_text(source)?;
        let is_same = same(source, target);
        if !is_same && !self.is_apart(source, target) {
            return None;
        }
        let (from, length, mut stmts) = self.part(&text, (count, start), span)?;
        let [rest, total] = [hidden("_text__rest", span), hidden("_text__total", span)];
        let behind = binary(BinOp::Add, from.clone(), length.clone(), span);
        stmts.push(keep(&rest, binary(BinOp::Sub, text.length(span), behind.clone(), span), span));
        stmts.push(keep(&total, binary(BinOp::Add, from.clone(), rest.clone(), span), span));
        let is_long = binary(BinOp::Gt, total.clone(), integer(capacity, span), span);
        stmts.push(unless(vec![is_long], span)?);
        if !is_same {
            stmts.extend(copy(&text, integer(0, span), target, integer(0, span), &from, span)?);
        }
        // Characters move down, so that none is overwritten before it is read.
        stmts.extend(copy(&text, behind, target, from, &rest, span)?);
        stmts.push(Stmt::assign(member(target, "LEN", span), total, span));
        Some(stmts)
    }

    /// Returns the first position and the length of a part of a text, and statements that compute them.
    fn part(&self, text: &Text, (count, start): (&Expr, &Expr), span: Span) -> Option<(Expr, Expr, Vec<Stmt>)> {
        if self.class(count) != Some(Class::Integer) || self.class(start) != Some(Class::Integer) {
            return None;
        }
        let [from, length] = [hidden("_text__from", span), hidden("_text__count", span)];
        let mut stmts = vec![keep(&length, count.clone(), span)];
        stmts.push(keep(&from, binary(BinOp::Sub, start.clone(), integer(1, span), span), span));
        let compared = |op, e: &Expr, right: Expr| binary(op, e.clone(), right, span);
        let end = compared(BinOp::Sub, &text.length(span), from.clone());
        let mut faults = vec![
            compared(BinOp::Lt, &from, integer(0, span)),
            compared(BinOp::Lt, &length, integer(0, span)),
            compared(BinOp::Ge, &from, text.length(span)),
            compared(BinOp::Gt, &length, end),
        ];
        faults.extend(text.faults(span));
        stmts.push(unless(faults, span)?);
        Some((from, length, stmts))
    }

    /// Returns the statements of DTOS: a sign and digits without zeros before them.
    fn digits(&self, number: &Expr, target: &Expr, span: Span) -> Option<Vec<Stmt>> {
        /// Most characters of a number.
        const MOST: i128 = 11;
        if self.class(number) != Some(Class::Integer) || self.room(target)? < MOST {
            return None;
        }
        let [value, at, count] = ["_text__value", "_text__at", "_text__count"].map(|name| hidden(name, span));
        let compared = |op, e: &Expr, number| binary(op, e.clone(), integer(number, span), span);
        let is_negative = compared(BinOp::Lt, &value, 0);
        let mut stmts = vec![keep(&value, binary(BinOp::Add, number.clone(), dint(0, span), span), span)];
        stmts.push(keep(&at, dint(0, span), span));
        let sign = Stmt::assign(byte(target, integer(0, span))?, integer(i128::from(b'-'), span), span);
        stmts.push(Stmt::when(is_negative, vec![sign, keep(&at, dint(1, span), span)], span));
        stmts.push(keep(&count, dint(1, span), span));
        let power = |digits: u32| integer(10_i128.pow(digits), span);
        let divided = |digits| binary(BinOp::Div, value.clone(), power(digits), span);
        for digits in 1..10 {
            let has_more = binary(BinOp::Ne, divided(digits), integer(0, span), span);
            stmts.push(Stmt::when(has_more, vec![keep(&count, dint(i128::from(digits) + 1, span), span)], span));
        }
        for digit in 0..10 {
            let remainder = binary(BinOp::Mod, divided(digit), integer(10, span), span);
            let negated = Expr { kind: ExprKind::Unary(UnOp::Neg, Box::new(remainder.clone())), span };
            let place = binary(BinOp::Sub, count.clone(), integer(i128::from(digit) + 1, span), span);
            let place = byte(target, binary(BinOp::Add, at.clone(), place, span))?;
            let of = |digit: Expr| {
                let code = binary(BinOp::Add, digit, integer(i128::from(b'0'), span), span);
                let code = call_at("DINT_TO_SINT", vec![code], span);
                vec![Stmt::assign(place.clone(), code, span)]
            };
            let either = StmtKind::If(vec![(compared(BinOp::Lt, &value, 0), of(negated))], of(remainder));
            let is_there = compared(BinOp::Gt, &count, i128::from(digit));
            stmts.push(Stmt::when(is_there, vec![Stmt { kind: either, span }], span));
        }
        stmts.push(Stmt::assign(member(target, "LEN", span), binary(BinOp::Add, at, count, span), span));
        Some(stmts)
    }

    pub(super) fn read_text(&self, e: &Expr) -> Option<Text> {
        if let ExprKind::Literal(None, Literal::String { chars, wide: false }) = &e.kind {
            return is_exact(chars).then(|| Text::Fixed(chars.clone()));
        }
        Some(Text::Tag(e.clone(), self.room(e)?))
    }

    /// Returns the most characters of a tag that is a text.
    pub(super) fn room(&self, e: &Expr) -> Option<i128> {
        self.shapes.capacity(&self.shape(e)?).map(i128::from)
    }

    /// Returns whether two operands are certain to be different tags.
    pub(super) fn is_apart(&self, e: &Expr, target: &Expr) -> bool {
        let root = |e: &Expr| if let ExprKind::Name(name) = &e.kind { Some(super::key(&name.root.text)) } else { None };
        root(e) != root(target) && !(self.is_reference(e) && self.is_reference(target))
    }
}

/// Returns whether two operands are the same tag, by the same names and constant indices.
pub(super) fn same(left: &Expr, right: &Expr) -> bool {
    let (ExprKind::Name(left), ExprKind::Name(right)) = (&left.kind, &right.kind) else { return false };
    let fields = |elements: &[NameElem]| elements.iter().all(|element| matches!(element, NameElem::Field(_)));
    let names = |name: &crate::ast::Name| name.idents().map(|ident| super::key(&ident.text)).collect::<Vec<_>>();
    fields(&left.path) && fields(&right.path) && names(left) == names(right)
}

/// Returns the statements that copy characters one by one.
pub(super) fn copy(text: &Text, from: Expr, target: &Expr, to: Expr, count: &Expr, span: Span) -> Option<Vec<Stmt>> {
    let add = |left: &Expr, right: &Expr| binary(BinOp::Add, left.clone(), right.clone(), span);
    match text {
        Text::Fixed(chars) => (0..)
            .zip(chars)
            .map(|(at, c)| Some(Stmt::assign(byte(target, add(&to, &integer(at, span)))?, byte_of(*c, span)?, span)))
            .collect(),
        Text::Tag(tag, _) => {
            let at = hidden("_text__copied", span);
            let read = byte(tag, add(&from, &at))?;
            let write = Stmt::assign(byte(target, add(&to, &at))?, read, span);
            let next = keep(&at, binary(BinOp::Add, at.clone(), integer(1, span), span), span);
            let is_inside = binary(BinOp::Lt, at.clone(), count.clone(), span);
            let copies = Stmt { kind: StmtKind::While(is_inside, vec![write, next]), span };
            Some(vec![keep(&at, dint(0, span), span), copies])
        }
    }
}

/// Returns a character of a text.
pub(super) fn byte(text: &Expr, at: Expr) -> Option<Expr> {
    let span = at.span;
    let mut data = member(text, "DATA", span);
    let ExprKind::Name(name) = &mut data.kind else { return None };
    name.path.push(NameElem::Index(vec![at], span));
    Some(data)
}

pub(super) fn hidden(name: &str, span: Span) -> Expr {
    Expr::variable(Ident::new(name, span))
}

/// Returns the assignment of a hidden variable.
pub(super) fn keep(variable: &Expr, value: Expr, span: Span) -> Stmt {
    let ExprKind::Name(name) = &variable.kind else { return Stmt::unsupported(LIMITS, span) };
    Stmt { kind: StmtKind::Let(name.root.clone(), value), span }
}

/// Returns a number of 32 bits.
pub(super) fn dint(number: i128, span: Span) -> Expr {
    Expr { kind: ExprKind::Literal(Some(Box::new(Ident::new("DINT", span))), Literal::Int(number)), span }
}

/// Returns the gap where one of these conditions holds.
pub(super) fn unless(faults: Vec<Expr>, span: Span) -> Option<Stmt> {
    let fault = joined(BinOp::Or, faults, |_| span)?;
    Some(Stmt::when(fault, vec![Stmt::unsupported(LIMITS, span)], span))
}
