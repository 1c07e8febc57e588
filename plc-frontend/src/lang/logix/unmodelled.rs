//! Instructions without a model whose operands are known: what they write has any value behind them.
//!
//! Soundness: such an instruction writes parts of the tags among its operands, while it executes and in the prescan. A write beyond an
//! array stays within its tag. So the whole tags have any values. That it does no more and has no fault is a condition of all answers.
//! Instructions that act later, change the order of rungs or write other tags are not in the table: nothing runs past them.

use std::ops::Range;

use super::calls::Scope;
use super::ladder::{Writer, start_of};
use super::operands::call_at;
use super::types::{STRING, Shape, integer};
use super::{Reader, flags, key};
use crate::ast::build::binary;
use crate::ast::{Assumed, Expr, ExprKind, Ident, Name, NameElem, Stmt};
use crate::hir::BinOp;
use crate::text::{NO_FAULT, Span};

/// Instructions, and the positions of the operands that they write.
const WRITES: &[(&[&str], &[usize])] = &[
    (&["EQU", "EQ", "NEQ", "NE", "LES", "LT", "GRT", "GT", "LEQ", "LE", "GEQ", "GE", "LIM", "LIMIT", "MEQ", "CMP"], &[]),
    (&["CLR", "CPT"], &[0]),
    (&["MOV", "MOVE", "NEG", "ABS", "NOT", "SQR", "SQRT", "TRN", "TRUNC", "DEG", "RAD", "FRD", "TOD"], &[1]),
    (&["SIN", "COS", "TAN", "ASN", "ACS", "ATN", "LN", "LOG"], &[1]),
    (&["DTOS", "STOD", "RTOS", "STOR", "UPPER", "LOWER"], &[1]),
    (
        &["ADD", "SUB", "MUL", "DIV", "MOD", "XPY", "EXPT", "AND", "OR", "XOR", "MVM", "BTD", "SWPB", "SIZE", "DTR", "CONCAT"],
        &[2],
    ),
    (&["MID", "DELETE", "INSERT", "FIND"], &[3]),
    (&["BSL", "BSR"], &[0, 1]),
    (&["FFL", "LFL"], &[1, 2]),
    (&["FFU", "LFU"], &[0, 1, 2]),
    (&["SQI"], &[3]),
    (&["SQO", "AVE", "STD"], &[2, 3]),
    (&["SQL", "SRT"], &[0, 2]),
    (&["FAL"], &[0, 4]),
    (&["FSC"], &[0]),
    (&["FBC", "DDT"], &[1, 2, 3, 6]),
];

/// Copies that go on behind an array with the members behind it: in an Add-On Instruction these are other tags.
const COPIES: &[&str] = &["COP", "CPS", "FLL"];

/// Instructions that make their rung FALSE or TRUE (1756-RM003N-EN-P, pages 438 and 508).
const TESTS: &[&str] = &["FSC", "SQI", "DTR"];

/// Instructions that write where the rung is FALSE and in the prescan, too (help of Studio 5000, "Data Transition (DTR)").
const ALWAYS: &[&str] = &["DTR"];

/// Instructions that execute where their rung becomes TRUE: they look at their indices where it is FALSE, too.
const TRANSITIONAL: &[&str] =
    &["BSL", "BSR", "FFL", "LFL", "FFU", "LFU", "SQO", "SQL", "AVE", "STD", "SRT", "FAL", "FSC", "FBC", "DDT", "DTR"];

/// Most parts of a tag that get any values.
const MOST: usize = 512;

/// Reason of the condition.
const REASON: &str = "it is not modelled: each tag among its operands has any value behind it";

impl Writer<'_> {
    /// Writes an instruction without a model and returns the state behind it; `None` where nothing may run past it.
    pub(super) fn unmodelled(
        &mut self,
        name: &str,
        texts: &[Range<usize>],
        state: &Expr,
        (words, span): (&str, Span),
    ) -> Option<Expr> {
        let writes = written_by(name, self.scope.is_instruction)?;
        let operands: Vec<Option<Expr>> = texts.iter().map(|text| self.operand(text).ok()).collect();
        // Its own divisors are not tested.
        self.scope.shapes.divisors.borrow_mut().clear();
        self.scope.shapes.before.borrow_mut().clear();
        let mut stmts = Vec::new();
        let mut controls = Vec::new();
        for at in writes {
            let operand = operands.get(*at)?.as_ref()?;
            let all = self.scope.any_values(&self.scope.whole_tag(operand)?, span)?;
            if ALWAYS.contains(&name) || self.scope.shape(operand).as_deref() == Some("CONTROL") {
                controls.extend(all.clone());
            }
            stmts.extend(all);
        }
        // The prescan of an Add-On Instruction has the parameters of its call.
        if !controls.is_empty() && operands.iter().flatten().any(|operand| self.scope.is_reference(operand)) {
            return None;
        }
        self.scope.note_unmodelled(words, span);
        if self.scope.shapes.uses_flags {
            self.ladder.stmts.extend(flags::unknown(start_of(span)));
        }
        // A control structure changes where the rung is FALSE, too.
        let is_always = !controls.is_empty();
        // Positions that the instruction itself moves are a part of its condition.
        let operands: Vec<Expr> = operands.into_iter().flatten().collect();
        let moved: Vec<Expr> = operands.iter().filter(|e| self.scope.shape(e).as_deref() == Some("CONTROL")).cloned().collect();
        let looks = self.scope.looks(&operands, &moved, span);
        if TRANSITIONAL.contains(&name) {
            self.ladder.stmts.extend(looks);
        } else if !looks.is_empty() {
            self.when(state, looks, span);
        }
        self.ladder.prescan.extend(controls);
        if is_always {
            self.ladder.stmts.extend(stmts);
        } else if !stmts.is_empty() {
            self.when(state, stmts, span);
        }
        if !writes.is_empty() && !TESTS.contains(&name) {
            return Some(state.clone());
        }
        let any = call_at("NOT_MODELLED__BOOL", Vec::new(), span);
        Some(self.keep(binary(BinOp::And, state.clone(), any, span), span))
    }
}

impl Scope<'_> {
    /// Returns the statements of an instruction of Structured Text without a model.
    pub(super) fn unmodelled_call(&self, name: &str, operands: &[Expr], words: &str, span: Span) -> Option<Vec<Stmt>> {
        let writes = written_by(name, self.is_instruction).filter(|writes| !writes.is_empty())?;
        let mut stmts = self.looks(operands, &[], span);
        for at in writes {
            let operand = operands.get(*at)?;
            // Its prescan is not known.
            if self.shape(operand).as_deref() == Some("CONTROL") {
                return None;
            }
            stmts.extend(self.any_values(&self.whole_tag(operand)?, span)?);
        }
        self.note_unmodelled(words, span);
        Some(stmts)
    }

    fn note_unmodelled(&self, words: &str, span: Span) {
        let condition = format!("{words}: it writes only the tags among its operands {NO_FAULT}");
        let assumed = Assumed { is_cut: false, about: Vec::new(), condition, reason: REASON, span };
        self.shapes.unmodelled.borrow_mut().push(assumed);
    }

    /// Returns the tag that an operand is a part of.
    fn whole_tag(&self, operand: &Expr) -> Option<Expr> {
        let ExprKind::Name(name) = &operand.kind else { return None };
        let whole = Name { path: Vec::new(), ..name.clone() };
        Some(Expr { kind: ExprKind::Name(whole), span: operand.span })
    }

    /// Returns statements that give all parts of a tag any values; `None` for tags with other parts than numbers and bits.
    pub(super) fn any_values(&self, tag: &Expr, span: Span) -> Option<Vec<Stmt>> {
        let ExprKind::Name(name) = &tag.kind else { return None };
        let shape = self.shapes.of(&self.variables, name)?;
        // An argument may have more elements.
        if self.is_reference(tag) && !shape.dimensions.is_empty() {
            return None;
        }
        let mut stmts = Vec::new();
        self.any_parts(name, &shape, span, &mut stmts)?;
        Some(stmts)
    }

    fn any_parts(&self, path: &Name, shape: &Shape, span: Span, stmts: &mut Vec<Stmt>) -> Option<()> {
        match shape.dimensions.as_slice() {
            [] => {}
            [length] if *length <= MOST as u64 => {
                let element = Shape { ty: shape.ty.clone(), dimensions: Vec::new() };
                for at in 0..*length {
                    let mut path = path.clone();
                    path.path.push(NameElem::Index(vec![integer(i128::from(at), span)], span));
                    self.any_parts(&path, &element, span, stmts)?;
                }
                return Some(());
            }
            _ => return None,
        }
        let ty = key(&shape.ty);
        if matches!(ty.as_str(), "BOOL" | "SINT" | "INT" | "DINT" | "REAL" | "LINT" | "USINT" | "UINT" | "UDINT" | "ULINT") {
            let target = Expr { kind: ExprKind::Name(path.clone()), span };
            stmts.push(Stmt::assign(target, call_at(&format!("NOT_MODELLED__{ty}"), Vec::new(), span), span));
            return (stmts.len() <= MOST).then_some(());
        }
        if !matches!(ty.as_str(), "COUNTER" | "CONTROL" | "PID" | STRING) && !self.shapes.structures.contains(&ty) {
            return None;
        }
        for (member, shape) in self.shapes.members(&ty)? {
            if self.shapes.is_bit_member(&ty, member) {
                continue;
            }
            let mut path = path.clone();
            path.path.push(NameElem::Field(Ident::new(member.clone(), span)));
            self.any_parts(&path, shape, span, stmts)?;
        }
        Some(())
    }
}

impl Reader {
    /// Adds the conditions of instructions without a model.
    pub(super) fn unmodelled_conditions(&mut self) {
        let mut assumed = std::mem::take(&mut *self.shapes.unmodelled.borrow_mut());
        // Routines may be read twice.
        assumed.sort_by_key(|assumed| assumed.span);
        assumed.dedup_by_key(|assumed| assumed.span);
        self.unit.assumed.extend(assumed);
    }
}

/// Returns the positions of the operands that an instruction writes; `None` for instructions that are not in the table.
fn written_by(name: &str, is_inside: bool) -> Option<&'static [usize]> {
    if COPIES.contains(&name) {
        return (!is_inside).then_some(&[1]);
    }
    WRITES.iter().find(|(names, _)| names.contains(&name)).map(|(_, positions)| *positions)
}
