//! `x := Ready AND Next()`: controllers differ in calling Next while Ready is FALSE. No rule, since both are right.

use super::pure_assertions::{first_effect, impure};
use crate::hir::{BinOp, ExprKind, Project, Type, walk};
use crate::text::{Origin, Span};

/// Returns each AND and OR of BOOL in the user's bodies with a call on its right that changes variables.
pub(crate) fn skippable(project: &Project) -> Vec<Span> {
    let impure = impure(project);
    let mut found = Vec::new();
    for pou in project.pous.iter().filter(|pou| pou.origin == Origin::User) {
        walk::exprs(&pou.body, |e| {
            if let ExprKind::Binary(BinOp::And | BinOp::Or, _, right) = &e.kind
                && project.types[e.ty].ty == Type::Bool
                && first_effect(project, &impure, right).is_some()
            {
                found.push(e.span);
            }
        });
    }
    found
}
