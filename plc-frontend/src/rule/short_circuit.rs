//! `x := Ready AND Next()`: whether Next is called when Ready is FALSE. No rule, but a question that is asked of the same places.

use std::collections::BTreeSet;

use super::pure_assertions::{first_effect, impure};
use super::walk::{self, Visit};
use crate::hir::{BinOp, Expr, ExprKind, PouId, Project, Type};
use crate::text::source::{Origin, Span};

/// AND and OR of BOOL in the user's bodies with a call on their right that changes variables.
pub(crate) fn skippable(project: &Project) -> Vec<Span> {
    let mut search = Search { project, impure: &impure(project), found: Vec::new() };
    project.pous.iter().filter(|pou| pou.origin == Origin::User).for_each(|pou| walk::stmts(&pou.body, &mut search));
    search.found
}

struct Search<'p> {
    project: &'p Project,
    impure: &'p BTreeSet<PouId>,
    found: Vec<Span>,
}

impl Visit for Search<'_> {
    fn expr(&mut self, e: &Expr) {
        if let ExprKind::Binary(BinOp::And | BinOp::Or, _, right) = &e.kind
            && self.project.types[e.ty].ty == Type::Bool
            && first_effect(self.project, self.impure, right).is_some()
        {
            self.found.push(e.span);
        }
    }
}
