//! What the C code of MATIEC computes in another order or more than once. No rule, but questions that are asked of the same
//! places.

use std::collections::BTreeSet;

use super::pure_assertions::{first_effect, impure};
use super::walk::{self, Visit};
use crate::hir::{BinOp, Elem, Expr, ExprKind, Place, PouId, Project, Stmt, StmtKind, Type, VarId};
use crate::text::source::{Origin, Span};

/// A place whose C code differs from what is modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum COrder {
    /// An operand with a call that changes variables is computed twice.
    Twice(Span),
    /// Inputs of an instance are assigned one by one in the order of their declarations, and one reads another.
    Inputs(Span),
}

/// All such places of the user's bodies.
pub(crate) fn c_order(project: &Project) -> Vec<COrder> {
    let mut search = Search { project, impure: &impure(project), found: Vec::new() };
    project.pous.iter().filter(|pou| pou.origin == Origin::User).for_each(|pou| walk::stmts(&pou.body, &mut search));
    search.found
}

struct Search<'p> {
    project: &'p Project,
    impure: &'p BTreeSet<PouId>,
    found: Vec<COrder>,
}

impl Visit for Search<'_> {
    fn enter(&mut self, stmt: &Stmt) {
        let StmtKind::CallInstance { instance, args, .. } = &stmt.kind else { return };
        let assigned: BTreeSet<VarId> = args.inputs.iter().map(|(var, _)| *var).collect();
        if 1 < assigned.len() {
            let mut reads = Reads { instance, assigned: &assigned, found: false };
            args.inputs.iter().for_each(|(_, e)| walk::expr(e, &mut reads));
            if reads.found {
                self.found.push(COrder::Inputs(stmt.span));
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        let changes = |e: &Expr| first_effect(self.project, self.impure, e).is_some();
        let twice = match &e.kind {
            ExprKind::Binary(BinOp::Xor, left, _) => self.project.types[e.ty].ty == Type::Bool && changes(left),
            ExprKind::Binary(BinOp::Mod, _, right) => changes(right),
            ExprKind::Binary(..)
            | ExprKind::Literal(_)
            | ExprKind::Text(_)
            | ExprKind::Read(_)
            | ExprKind::Unary(..)
            | ExprKind::Convert(..)
            | ExprKind::Builtin(..)
            | ExprKind::Call(..)
            | ExprKind::Arbitrary { .. } => false,
        };
        if twice {
            self.found.push(COrder::Twice(e.span));
        }
    }
}

/// Looks for inputs of an instance that a call assigns.
struct Reads<'p> {
    instance: &'p Place,
    assigned: &'p BTreeSet<VarId>,
    found: bool,
}

impl Visit for Reads<'_> {
    fn expr(&mut self, e: &Expr) {
        if let ExprKind::Read(place) = &e.kind {
            let is_assigned = |elem: &Elem| matches!(elem, Elem::Member(var) if self.assigned.contains(var));
            self.found |= place.root == self.instance.root && place.path.iter().any(is_assigned);
        }
    }
}
