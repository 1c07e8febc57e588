//! Indices of operands: where a controller looks at them.
//!
//! Source: 1756-PM004D, page 54. Every instruction has a major fault where an index is outside of its array; transitional instructions
//! have it where their rung is FALSE, too. An input instruction is evaluated where its rung is TRUE (help of Studio 5000, "Ladder
//! Diagram Rung Condition").

use super::calls::{Scope, name_in};
use super::counters::member;
use super::key;
use super::ladder::Writer;
use super::{expressions, operands::Class};
use crate::ast::build::binary;
use crate::ast::{Expr, ExprKind, Ident, NameElem, Stmt, StmtKind};
use crate::hir::BinOp;
use crate::text::Span;

impl Writer<'_> {
    /// Returns the state behind an input instruction, which is evaluated where its rung is TRUE.
    pub(super) fn tested(&mut self, state: Expr, condition: Expr, span: Span) -> Expr {
        let op = if may_fault(&condition) { BinOp::AndThen } else { BinOp::And };
        self.keep(binary(op, state, condition, span), span)
    }

    /// Adds statements that look at the indices of operands, whatever the state of the rung is.
    pub(super) fn look_at(&mut self, operands: &[Expr], span: Span) {
        let looks = self.scope.looks(operands, &[], span);
        self.ladder.stmts.extend(looks);
    }

    /// Adds statements that look at the indices of operands without those that the instruction itself moves.
    pub(super) fn look_apart(&mut self, operands: &[Expr], control: &Expr, span: Span) {
        let looks = self.scope.looks(operands, std::slice::from_ref(control), span);
        self.ladder.stmts.extend(looks);
    }
}

impl Scope<'_> {
    /// Returns statements that look at the indices of operands and of the tags in their expressions. An index with one of the tags
    /// `apart` is left out.
    pub(super) fn looks(&self, operands: &[Expr], apart: &[Expr], span: Span) -> Vec<Stmt> {
        let roots: Vec<String> = apart.iter().filter_map(|e| Some(key(&name_in(e)?.root.text))).collect();
        let mut indexed = Vec::new();
        for operand in operands {
            expressions::inside(&mut operand.clone(), &mut |e| {
                if has_variable_index(e) && !names_in_indices(e).iter().any(|name| roots.contains(name)) {
                    indexed.push(e.clone());
                }
            });
        }
        indexed.into_iter().filter_map(|e| self.look(&e, span)).collect()
    }

    /// Returns a statement that reads a number or bit of an operand.
    fn look(&self, operand: &Expr, span: Span) -> Option<Stmt> {
        let part = match self.shape(operand).as_deref() {
            Some("CONTROL") => member(operand, "POS", span),
            Some("COUNTER" | "TIMER") => member(operand, "ACC", span),
            _ => operand.clone(),
        };
        let mut part = Some(part).filter(|part| matches!(self.class(part), Some(Class::Bit | Class::Integer | Class::Real)))?;
        self.exact(&mut part);
        let number = self.shapes.n_states.get() + 1;
        self.shapes.n_states.set(number);
        Some(Stmt { kind: StmtKind::Let(Ident::new(format!("_index__{number}"), span), part), span })
    }
}

/// Returns whether an operand has an index that is no number.
fn has_variable_index(e: &Expr) -> bool {
    let is_variable = |element: &NameElem| matches!(element, NameElem::Index(indices, _) if indices.iter().any(|e| !matches!(e.kind, ExprKind::Literal(..))));
    name_in(e).is_some_and(|name| name.path.iter().any(is_variable))
}

/// Returns the tags in the indices of an operand.
fn names_in_indices(e: &Expr) -> Vec<String> {
    let mut names = Vec::new();
    if let ExprKind::Name(name) = &mut e.clone().kind {
        expressions::of_path(name, &mut |e| names.extend(name_in(e).map(|name| key(&name.root.text))));
    }
    names
}

/// Returns whether an expression has an index, a call or an operation with a result that may not fit.
fn may_fault(e: &Expr) -> bool {
    let mut found = false;
    expressions::inside(&mut e.clone(), &mut |e| {
        found |= has_variable_index(e)
            || matches!(e.kind, ExprKind::Call(..))
            || matches!(e.kind, ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod, ..));
    });
    found
}
