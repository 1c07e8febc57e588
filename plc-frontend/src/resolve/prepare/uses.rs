//! Names and addresses in bodies, by their syntax alone.

use crate::ast::walk::{self, Node};
use crate::ast::{self, Expr, ExprKind, Stmt};
use crate::resolve::names::tables::{Key, key};
use crate::resolve::prepare::declaration_order;
use crate::text::Span;
use std::collections::BTreeSet;

/// Returns the direct addresses in the bodies of `units`, in source order.
pub(crate) fn addresses(units: &[ast::Unit]) -> Vec<(&str, Span)> {
    let mut found = Vec::new();
    for body in declaration_order::pous(units).flat_map(bodies) {
        walk::stmts(body.stmts(), &mut |node| {
            if let Node::Expr(Expr { kind: ExprKind::Address(text), span }) = node {
                found.push((text.as_str(), *span));
            }
        });
    }
    found
}

/// Returns the bodies of a POU and of its members.
pub(crate) fn bodies(pou: &ast::Pou) -> impl Iterator<Item = &ast::Body> {
    let halves = pou.properties.iter().flat_map(|p| p.getter.iter().chain(&p.setter));
    let methods = pou.methods.iter().chain(halves).filter_map(|m| m.body.as_ref());
    std::iter::once(&pou.body).chain(methods).chain(pou.actions.iter().map(|a| &a.body))
}

/// Returns the identifiers in statements: the first of each name and those behind dots.
pub(crate) fn mentions(body: &[Stmt]) -> BTreeSet<Key> {
    let mut found = BTreeSet::new();
    walk::stmts(body, &mut |node| {
        if let Node::Name(name) = node {
            found.extend(name.idents().map(|ident| key(&ident.text)));
        }
    });
    found
}
