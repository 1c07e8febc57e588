//! Statements of timers, counters and RES, on the members of their structures.
//!
//! Timers are function blocks of the library; counters are structures.

use std::ops::Range;

use super::calls::Scope;
use super::key;
use super::ladder::{OPERAND, Writer};
use super::operands::{STEP, call_at};
use super::types::integer;
use crate::ast::build::{binary, not};
use crate::ast::{Arg, Expr, ExprKind, Ident, NameElem, Stmt, StmtKind};
use crate::hir::BinOp;
use crate::text::{Span, TIMING_BIT};

/// Words for writes of a timer's bits, which only its instruction and RES write exactly.
pub(super) const STATUS: &str = "write of a status bit of a timer";

/// Words for instructions of several kinds on one timer or block.
const SHARED: &str = "timer or block with instructions of several kinds";

/// Rule about a timer that is not scanned.
pub(super) const LONG: &str = "timer that runs and is not scanned for 69 minutes: its value is right here";

/// Rule about a timer of TOF.
pub(super) const OFF_DELAY: &str = TIMING_BIT;

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
        self.scope.shapes.claim(fields_of(&timer), name)?;
        self.scope.assume(LONG);
        if name == "TOF" {
            self.scope.assume(OFF_DELAY);
        }
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
    /// At the end of the range it goes on at the other end, with OV or UN (1756-RM003N, members of COUNTER). Answers name this.
    pub(super) fn count(&mut self, name: &str, operand: &Range<usize>, state: &Expr, span: Span) -> Result<(), &'static str> {
        let counter = self.structure(operand, &["COUNTER"])?;
        let member = |name: &str| member(&counter, name, span);
        let bool = |value| Expr::truth(value, span);
        let (before, beyond, last, by) = match name {
            "CTU" => ("CU", "OV", i32::MAX, 1),
            _ => ("CD", "UN", i32::MIN, -1),
        };
        self.scope.assume("counter beyond its last number: it goes on at the other end of its range");
        self.prescan(&member(before), bool(true), span)?;
        let is_last = binary(BinOp::Eq, member("ACC"), integer(i128::from(last), span), span);
        let sum = call_at(STEP, vec![member("ACC"), integer(by, span)], span);
        let first = integer(-1 - i128::from(last), span);
        let over = vec![Stmt::assign(member("ACC"), first, span), Stmt::assign(member(beyond), bool(true), span)];
        let step = StmtKind::If(vec![(is_last, over)], vec![Stmt::assign(member("ACC"), sum, span)]);
        let count = vec![Stmt::assign(member(before), bool(true), span), Stmt { kind: step, span }];
        let count = Stmt::when(not(member(before)), count, span);
        let is_done = binary(BinOp::Ge, member("ACC"), member("PRE"), span);
        let done = Stmt::assign(member("DN"), is_done, span);
        let rest = vec![Stmt::assign(member(before), bool(false), span)];
        self.ladder.stmts.push(Stmt { kind: StmtKind::If(vec![(state.clone(), vec![count, done])], rest), span });
        Ok(())
    }

    /// Writes RES of a counter, timer or control structure.
    pub(super) fn reset(&mut self, operand: &Range<usize>, state: &Expr, span: Span) -> Result<(), &'static str> {
        let target = self.structure(operand, &["COUNTER", "TIMER", "CONTROL"])?;
        let (number, bits): (&str, &[&str]) = match self.scope.shape(&target).as_deref() {
            Some("COUNTER") => ("ACC", &["CU", "CD", "DN", "OV", "UN"]),
            Some("TIMER") => ("ACC", &["EN", "TT", "DN"]),
            // Page 153 of the manual.
            _ => ("POS", &["EN", "EU", "DN", "EM", "ER", "UL", "IN", "FD"]),
        };
        let cleared = bits.iter().map(|bit| Stmt::assign(member(&target, bit, span), Expr::truth(false, span), span));
        let zero = Stmt::assign(member(&target, number, span), integer(0, span), span);
        self.when(state, std::iter::once(zero).chain(cleared).collect(), span);
        Ok(())
    }

    pub(super) fn structure(&self, range: &Range<usize>, types: &[&str]) -> Result<Expr, &'static str> {
        let operand = self.operand(range)?;
        let is_it = self.scope.shape(&operand).is_some_and(|ty| types.contains(&ty.as_str()));
        if is_it { Ok(operand) } else { Err(self.not_of_kind(range, &operand, &types.join(" or "))) }
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
    /// Returns the statements of a block of Structured Text: TONR, TOFR, RTOR, CTUD, OSRI and OSFI.
    ///
    /// Soundness: see [`Writer::time`] and [`Writer::count`].
    pub(super) fn block(&self, name: &'static str, block: &Expr, span: Span) -> Option<Vec<Stmt>> {
        let ty = match name {
            "CTUD" => "FBD_COUNTER",
            "OSRI" | "OSFI" => "FBD_ONESHOT",
            _ => "FBD_TIMER",
        };
        self.shape(block).filter(|found| found == ty)?;
        if self.is_reference(block) {
            return Some(vec![Stmt::unsupported("block of Structured Text that is an InOut parameter", span)]);
        }
        if let Err(words) = self.shapes.claim(fields_of(block), name) {
            return Some(vec![Stmt::unsupported(words, span)]);
        }
        let compared = |op, name: &str, number: i128| binary(op, member(block, name, span), integer(number, span), span);
        let faults = match ty {
            "FBD_COUNTER" => {
                let (last, first) = (i128::from(i32::MAX), i128::from(i32::MIN));
                Some((compared(BinOp::Eq, "ACC", last), compared(BinOp::Eq, "ACC", first), "counter at its last number"))
            }
            "FBD_TIMER" => {
                let words = "timer with a negative preset or value";
                Some((compared(BinOp::Lt, "PRE", 0), compared(BinOp::Lt, "ACC", 0), words))
            }
            _ => None,
        };
        let faults = faults.map(|(left, right, words)| {
            Stmt::when(binary(BinOp::Or, left, right, span), vec![Stmt::unsupported(words, span)], span)
        });
        let ExprKind::Name(method) = member(block, &format!("{name}__"), span).kind else { return None };
        let call = Stmt { kind: StmtKind::Call(method, Vec::new()), span };
        Some(faults.into_iter().chain([call]).collect())
    }
}

impl super::types::Shapes {
    /// Notes the instruction of a block, by its names without indices: elements of an array are one block here.
    fn claim(&self, fields: Vec<String>, instruction: &'static str) -> Result<(), &'static str> {
        let first = *self.blocks.borrow_mut().entry(fields).or_insert(instruction);
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
