//! Prescan of Add-On Instructions: a method that the start of a controller calls for every instance.

use std::collections::BTreeSet;

use super::{expressions, key};
use crate::ast::{Body, Expr, ExprKind, Ident, Method, Modifiers, Pou, Section, Stmt, StmtKind, TypeSpec, VarBlock, VarDecl};
use crate::text::Span;

/// Returns whether statements of a prescan routine use local tags and outputs only, without calls.
///
/// Soundness: the manuals do not say which values parameters have in the prescan.
pub(super) fn is_closed(stmts: &[Stmt], pou: &Pou) -> bool {
    let given = pou.vars.iter().filter(|block| matches!(block.section, Section::Input | Section::InOut));
    let given: BTreeSet<String> = given.flat_map(|block| &block.vars).map(|var| key(&var.name.text)).collect();
    let mut stmts = stmts.to_vec();
    let mut open: Vec<&mut Vec<Stmt>> = vec![&mut stmts];
    while let Some(list) = open.pop() {
        for stmt in list {
            let mut is_free = !matches!(stmt.kind, StmtKind::Call(..) | StmtKind::Unsupported(_) | StmtKind::Return);
            expressions::of_statement(stmt, &mut |e| {
                is_free &= match &e.kind {
                    ExprKind::Name(name) => !given.contains(&key(&name.root.text)),
                    ExprKind::Call(..) | ExprKind::Address(_) | ExprKind::Error => false,
                    ExprKind::Literal(..) | ExprKind::Unary(..) | ExprKind::Binary(..) => true,
                };
            });
            if !is_free {
                return false;
            }
            open.extend(stmt.lists_mut());
        }
    }
    true
}

/// Returns whether statements end their routine early.
pub(super) fn returns(stmts: &mut [Stmt]) -> bool {
    stmts.iter_mut().any(|stmt| matches!(stmt.kind, StmtKind::Return) || stmt.lists_mut().into_iter().any(|list| returns(list)))
}

/// Returns the method that the start of a controller calls.
pub(super) fn method(mut stmts: Vec<Stmt>, span: Span) -> Method {
    stmts.push(Stmt::assign(Expr::variable(Ident::new("FB_Init", span)), Expr::truth(true, span), span));
    let named = |name: &str| VarDecl::new(Ident::new(name, span), TypeSpec::named("BOOL", span), span);
    let inputs = VarBlock::new(Section::Input, vec![named("bInitRetains"), named("bInCopyCode")], span);
    Method {
        name: Ident::new("FB_Init", span),
        modifiers: Modifiers::default(),
        result: Some(TypeSpec::named("BOOL", span)),
        vars: vec![inputs],
        body: Some(Body::Statements(stmts)),
        span,
    }
}
