//! Statements that the C code of MATIEC computes in another order, or more than once. No rule: such places are only noted.

use std::collections::BTreeSet;

use super::pure_assertions::{first_effect, impure};
use crate::hir::aliases::{Touched, is_reached_from_outside, may_share};
use crate::hir::{BinOp, CallArgs, Elem, Expr, ExprKind, Place, Pou, PouId, Project, Stmt, StmtKind, Type, VarId, Visit, walk};
use crate::text::{Origin, Span};

/// A place whose C code differs from what is modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum COrder {
    /// An operand with a call that changes variables is computed twice.
    Twice(Span),
    /// Inputs of an instance are assigned one by one in the order of their declarations, and one reads another.
    Inputs(Span),
}

/// Returns all such places of the user's bodies.
pub(crate) fn c_order(project: &Project) -> Vec<COrder> {
    let impure = impure(project);
    let users = project.pous.iter_enumerated().filter(|(_, pou)| pou.origin == Origin::User);
    let found_in = |(id, pou): (PouId, &Pou)| {
        let mut search = Search { project, pou: id, impure: &impure, found: Vec::new() };
        search.body(&pou.body);
        search.found
    };
    users.flat_map(found_in).collect()
}

struct Search<'p> {
    project: &'p Project,
    /// The POU whose body is searched.
    pou: PouId,
    impure: &'p BTreeSet<PouId>,
    found: Vec<COrder>,
}

impl<'h> Visit<'h> for Search<'_> {
    fn stmt(&mut self, stmt: &'h Stmt) {
        if let StmtKind::CallInstance { instance, args, .. } = &stmt.kind
            && self.reads_assigned_input(instance, args)
        {
            self.found.push(COrder::Inputs(stmt.span));
        }
        self.stmt_parts(stmt);
    }

    fn expr(&mut self, e: &'h Expr) {
        if let ExprKind::Binary(op, left, right) = &e.kind {
            let changes = |e: &Expr| first_effect(self.project, self.impure, e).is_some();
            let is_bool = self.project.types[e.ty].ty == Type::Bool;
            if (*op == BinOp::Xor && is_bool && changes(left)) || (*op == BinOp::Mod && changes(right)) {
                self.found.push(COrder::Twice(e.span));
            }
        }
        self.expr_parts(e);
    }
}

impl Search<'_> {
    /// Returns whether an argument of the call reads an input of the instance that the same call assigns.
    fn reads_assigned_input(&self, instance: &Place, args: &CallArgs) -> bool {
        let assigned: BTreeSet<VarId> = args.inputs.iter().map(|(var, _)| *var).collect();
        let is_assigned = |elem: &Elem| matches!(elem, Elem::Member(var) if assigned.contains(var));
        let called = Touched::new(self.project, instance);
        let is_open = is_reached_from_outside(self.project, self.pou, called);
        let mut found = false;
        for (_, value) in args.inputs.iter().filter(|_| 1 < assigned.len()) {
            walk::exprs_of(value, |e| {
                if let ExprKind::Read(place) = &e.kind {
                    let touched = Touched::new(self.project, place);
                    found |= if place.root == instance.root {
                        place.path.iter().any(is_assigned)
                    } else {
                        is_open && may_share(self.project, self.pou, touched, called)
                    };
                }
            });
        }
        found
    }
}
