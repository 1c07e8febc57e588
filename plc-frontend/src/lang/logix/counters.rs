//! Statements of CTU and RES, on the members of their structures.

use std::ops::Range;

use super::ladder::{OPERAND, Writer};
use super::types::integer;
use crate::ast::build::{binary, not};
use crate::ast::{Expr, ExprKind, Ident, NameElem, Stmt, StmtKind};
use crate::hir::BinOp;
use crate::text::Span;

impl Writer<'_> {
    /// Writes CTU: the accumulated value grows where the rung becomes TRUE.
    ///
    /// Soundness: behind the largest number the rules of OV and UN are not known, so that is a gap.
    pub(super) fn count_up(&mut self, operand: &Range<usize>, state: &Expr, span: Span) -> Result<(), &'static str> {
        let counter = self.structure(operand, &["COUNTER"])?;
        let member = |name: &str| member(&counter, name, span);
        let bool = |value| Expr::truth(value, span);
        self.ladder.prescan.push(Stmt::assign(member("CU"), bool(true), span));
        let is_last = binary(BinOp::Eq, member("ACC"), integer(i128::from(i32::MAX), span), span);
        let sum = binary(BinOp::Add, member("ACC"), integer(1, span), span);
        let beyond = Stmt::unsupported("counter beyond its largest number", span);
        let step = StmtKind::If(vec![(is_last, vec![beyond])], vec![Stmt::assign(member("ACC"), sum, span)]);
        let count = vec![Stmt::assign(member("CU"), bool(true), span), Stmt { kind: step, span }];
        let count = Stmt::when(not(member("CU")), count, span);
        let rest = vec![Stmt::assign(member("CU"), bool(false), span)];
        self.ladder.stmts.push(Stmt { kind: StmtKind::If(vec![(state.clone(), vec![count])], rest), span });
        let is_done = binary(BinOp::Ge, member("ACC"), member("PRE"), span);
        self.ladder.stmts.push(Stmt::assign(member("DN"), is_done, span));
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

/// Returns `structure.name`.
pub(super) fn member(structure: &Expr, name: &str, span: Span) -> Expr {
    let mut e = structure.clone();
    if let ExprKind::Name(path) = &mut e.kind {
        path.path.push(NameElem::Field(Ident::new(name, span)));
    }
    e
}
