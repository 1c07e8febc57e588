//! Statements of bit instructions: contacts, coils and one-shots.

use std::ops::Range;

use super::counters::STATUS;
use super::ladder::{OPERAND, Writer};
use crate::ast::build::{binary, not};
use crate::ast::{Expr, Stmt};
use crate::hir::BinOp;
use crate::text::Span;

impl Writer<'_> {
    /// Writes a contact: the rung goes on where the bit is TRUE, or FALSE for XIO.
    pub(super) fn contact(&mut self, bit: Expr, is_inverted: bool, state: Expr, span: Span) -> Expr {
        let bit = if is_inverted { not(bit) } else { bit };
        self.tested(state, bit, span)
    }

    /// Writes OTE: the bit follows the rung; the prescan clears it.
    pub(super) fn coil(&mut self, operand: &Range<usize>, state: &Expr, span: Span) -> Result<(), &'static str> {
        let bit = self.written_bit(operand)?;
        self.prescan(&bit, Expr::truth(false, span), span)?;
        self.ladder.stmts.push(Stmt::assign(bit, state.clone(), span));
        Ok(())
    }

    /// Writes ONS, OSR and OSF with the storage bit as their first operand.
    pub(super) fn one_shot(&mut self, name: &str, texts: &[Range<usize>], state: Expr, span: Span) -> Result<Expr, &'static str> {
        let n_operands = if name == "ONS" { 1 } else { 2 };
        if texts.len() != n_operands {
            return Err(OPERAND);
        }
        let storage = self.written_bit(&texts[0])?;
        let output = texts.get(1).map(|text| self.written_bit(text)).transpose()?;
        let falls = name == "OSF";
        self.prescan(&storage, Expr::truth(!falls, span), span)?;
        let (now, before) = if falls { (not(state.clone()), storage.clone()) } else { (state.clone(), not(storage.clone())) };
        let pulse = self.keep(binary(BinOp::And, now, before, span), span);
        self.ladder.stmts.push(Stmt::assign(storage, state.clone(), span));
        match output {
            None => Ok(pulse),
            Some(output) => {
                self.prescan(&output, Expr::truth(false, span), span)?;
                self.ladder.stmts.push(Stmt::assign(output, pulse, span));
                Ok(state)
            }
        }
    }

    /// Returns an operand that is a bit.
    pub(super) fn bit(&self, range: &Range<usize>) -> Result<Expr, &'static str> {
        let operand = self.operand(range)?;
        let is_bit = self.scope.shape(&operand).is_some_and(|ty| ty == "BOOL");
        if is_bit { Ok(operand) } else { Err(self.not_of_kind(range, &operand, "a BOOL or a bit of an integer")) }
    }

    /// Returns an operand that is a bit which instructions may write.
    pub(super) fn written_bit(&self, range: &Range<usize>) -> Result<Expr, &'static str> {
        self.bit(range).and_then(|bit| match bit {
            bit if self.scope.is_status(&bit) => Err(STATUS),
            bit if self.scope.position(&bit).is_some() => Err("write of a bit by its position"),
            bit => Ok(bit),
        })
    }
}
