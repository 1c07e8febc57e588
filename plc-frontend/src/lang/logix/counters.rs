//! Statements of timers, counters and RES, on the members of their structures.
//!
//! Timers are function blocks of the library; counters are structures.

use std::ops::Range;

use super::calls::Scope;
use super::key;
use super::ladder::{OPERAND, Writer};
use super::types::integer;
use crate::ast::build::{binary, not};
use crate::ast::{Arg, Expr, ExprKind, Ident, NameElem, Stmt, StmtKind};
use crate::hir::BinOp;
use crate::text::Span;

/// Words for writes of a timer's bits, which only its instruction and RES write exactly.
pub(super) const STATUS: &str = "write of a status bit of a timer";

/// Words for instructions of several kinds on one timer.
const SHARED: &str = "timer with instructions of several kinds";

impl Writer<'_> {
    /// Writes TON, TOF and RTO.
    ///
    /// Soundness: a negative preset or value is a major fault, and a gap here. So is a timer with two kinds of instructions:
    /// the library forgets the time of the last scan where its own kind does not need it.
    pub(super) fn time(
        &mut self,
        name: &'static str,
        operand: &Range<usize>,
        state: &Expr,
        span: Span,
    ) -> Result<(), &'static str> {
        let timer = self.structure(operand, &["TIMER"])?;
        if self.scope.is_reference(&timer) {
            return Err("timer that is an InOut parameter");
        }
        self.scope.shapes.claim_timer(fields_of(&timer), name)?;
        let member = |name: &str| member(&timer, name, span);
        let first = if name == "TOF" { Some(member("PRE")) } else { (name == "TON").then(|| integer(0, span)) };
        for bit in ["EN", "TT", "DN"] {
            self.prescan(&member(bit), Expr::truth(false, span), span)?;
        }
        if let Some(first) = first {
            self.prescan(&member("ACC"), first, span)?;
        }
        let is_negative = |name: &str| binary(BinOp::Lt, member(name), integer(0, span), span);
        let faults = binary(BinOp::Or, is_negative("PRE"), is_negative("ACC"), span);
        let beyond = Stmt::unsupported("timer with a negative preset or value, a major fault", span);
        self.when(&faults, vec![beyond], span);
        let ExprKind::Name(mut method) = timer.kind else { return Err(OPERAND) };
        method.path.push(NameElem::Field(Ident::new(format!("{name}__"), span)));
        let rung = Arg::Input(Ident::new("Rung", span), state.clone());
        self.ladder.stmts.push(Stmt { kind: StmtKind::Call(method, vec![rung]), span });
        Ok(())
    }

    /// Writes CTU and CTD: the accumulated value changes where the rung becomes TRUE.
    ///
    /// Soundness: at the ends of the range the rules of OV and UN are not known, so that is a gap.
    pub(super) fn count(&mut self, name: &str, operand: &Range<usize>, state: &Expr, span: Span) -> Result<(), &'static str> {
        let counter = self.structure(operand, &["COUNTER"])?;
        let member = |name: &str| member(&counter, name, span);
        let bool = |value| Expr::truth(value, span);
        let (before, last, op) = match name {
            "CTU" => ("CU", i32::MAX, BinOp::Add),
            _ => ("CD", i32::MIN, BinOp::Sub),
        };
        self.prescan(&member(before), bool(true), span)?;
        let is_last = binary(BinOp::Eq, member("ACC"), integer(i128::from(last), span), span);
        let sum = binary(op, member("ACC"), integer(1, span), span);
        let beyond = Stmt::unsupported("counter beyond its last number", span);
        let step = StmtKind::If(vec![(is_last, vec![beyond])], vec![Stmt::assign(member("ACC"), sum, span)]);
        let count = vec![Stmt::assign(member(before), bool(true), span), Stmt { kind: step, span }];
        let count = Stmt::when(not(member(before)), count, span);
        let is_done = binary(BinOp::Ge, member("ACC"), member("PRE"), span);
        let done = Stmt::assign(member("DN"), is_done, span);
        let rest = vec![Stmt::assign(member(before), bool(false), span)];
        self.ladder.stmts.push(Stmt { kind: StmtKind::If(vec![(state.clone(), vec![count, done])], rest), span });
        Ok(())
    }

    /// Writes RES of a counter or timer.
    pub(super) fn reset(&mut self, operand: &Range<usize>, state: &Expr, span: Span) -> Result<(), &'static str> {
        let target = self.structure(operand, &["COUNTER", "TIMER"])?;
        let is_counter = self.scope.shape(&target).is_some_and(|ty| ty == "COUNTER");
        let bits: &[&str] = if is_counter { &["CU", "CD", "DN", "OV", "UN"] } else { &["EN", "TT", "DN"] };
        let cleared = bits.iter().map(|bit| Stmt::assign(member(&target, bit, span), Expr::truth(false, span), span));
        let zero = Stmt::assign(member(&target, "ACC", span), integer(0, span), span);
        self.when(state, std::iter::once(zero).chain(cleared).collect(), span);
        Ok(())
    }

    fn structure(&self, operand: &Range<usize>, types: &[&str]) -> Result<Expr, &'static str> {
        let operand = self.operand(operand)?;
        let is_it = self.scope.shape(&operand).is_some_and(|ty| types.contains(&ty.as_str()));
        if is_it { Ok(operand) } else { Err(OPERAND) }
    }
}

impl Scope<'_> {
    /// Returns whether an expression is a bit of a timer that its instruction writes.
    pub(super) fn is_status(&self, e: &Expr) -> bool {
        let ExprKind::Name(name) = &e.kind else { return false };
        let mut timer = name.clone();
        let Some(NameElem::Field(bit)) = timer.path.pop() else { return false };
        let is_bit = matches!(key(&bit.text).as_str(), "EN" | "TT" | "DN" | "STATUS" | "INSTRUCTFAULT" | "PRESETINV");
        let shape = self.shapes.of(&self.variables, &timer);
        is_bit && shape.is_some_and(|shape| matches!(key(&shape.ty).as_str(), "TIMER" | "FBD_TIMER"))
    }
}

impl Scope<'_> {
    /// Returns the statements of TONR and RTOR in Structured Text.
    ///
    /// Soundness: see [`Writer::time`].
    pub(super) fn time(&self, name: &'static str, timer: &Expr, span: Span) -> Option<Vec<Stmt>> {
        self.shape(timer).filter(|ty| ty == "FBD_TIMER")?;
        if self.is_reference(timer) {
            return Some(vec![Stmt::unsupported("timer that is an InOut parameter", span)]);
        }
        if let Err(words) = self.shapes.claim_timer(fields_of(timer), name) {
            return Some(vec![Stmt::unsupported(words, span)]);
        }
        let is_negative = |name: &str| binary(BinOp::Lt, member(timer, name, span), integer(0, span), span);
        let faults = binary(BinOp::Or, is_negative("PRE"), is_negative("ACC"), span);
        let beyond = Stmt::unsupported("timer with a negative preset or value", span);
        let ExprKind::Name(method) = member(timer, &format!("{name}__"), span).kind else { return None };
        let call = Stmt { kind: StmtKind::Call(method, Vec::new()), span };
        Some(vec![Stmt::when(faults, vec![beyond], span), call])
    }
}

impl super::types::Shapes {
    /// Notes the instruction of a timer, by its names without indices: elements of an array are one timer here.
    fn claim_timer(&self, fields: Vec<String>, instruction: &'static str) -> Result<(), &'static str> {
        let first = *self.timers.borrow_mut().entry(fields).or_insert(instruction);
        if first == instruction { Ok(()) } else { Err(SHARED) }
    }
}

fn fields_of(e: &Expr) -> Vec<String> {
    if let ExprKind::Name(name) = &e.kind { name.idents().map(|ident| key(&ident.text)).collect() } else { Vec::new() }
}

/// Returns `structure.name`.
pub(super) fn member(structure: &Expr, name: &str, span: Span) -> Expr {
    let mut e = structure.clone();
    if let ExprKind::Name(path) = &mut e.kind {
        path.path.push(NameElem::Field(Ident::new(name, span)));
    }
    e
}
