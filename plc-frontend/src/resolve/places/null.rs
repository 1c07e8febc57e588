//! References to nothing: NULL, 0, and comparisons with them.

use crate::ast::{self, Arg};
use crate::hir::{BinOp, Expr, ExprKind, Project, Value};
use crate::resolve::findings::Res;
use crate::resolve::names::tables::Names;
use crate::resolve::places::paths::Link;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::Scope;
use crate::resolve::types::elementary;

impl Resolver<'_> {
    /// Resolves `reference = NULL`, `reference <> 0` and `__ISVALIDREF(reference)`; `None` for other expressions.
    pub(crate) fn null_test(&mut self, scope: Scope, e: &ast::Expr) -> Option<Res<Expr>> {
        if self.names.references.is_empty() {
            return None;
        }
        if let Some(test) = self.compare_addresses(scope, e) {
            return Some(test);
        }
        let (op, side) = if let ast::ExprKind::Binary(op @ (BinOp::Eq | BinOp::Ne), left, right) = &e.kind {
            match (self.names.is_null(&self.project, scope, left), self.names.is_null(&self.project, scope, right)) {
                (false, true) => (*op, left.as_ref()),
                (true, false) => (*op, right.as_ref()),
                (true, true) | (false, false) => return None,
            }
        } else if let ast::ExprKind::Call(name, args) = &e.kind
            && name.root.text.eq_ignore_ascii_case("__ISVALIDREF")
        {
            match args.as_slice() {
                [Arg::Positional(side)] => (BinOp::Ne, side),
                _ => return None,
            }
        } else {
            return None;
        };
        let is_call = matches!(e.kind, ast::ExprKind::Call(..));
        let ast::ExprKind::Name(name) = &side.kind else { return None };
        let is_ours = self.names.self_reference(&self.project, scope, name).is_some()
            || self.names.is_variable(&self.project, scope, &self.names.qualified(scope, name).root);
        if !is_call && !is_ours {
            return None;
        }
        // An expression with calls is not resolved twice: the time for nested calls would double at each level.
        if !is_call && name.path.iter().any(|elem| matches!(elem, ast::NameElem::Call(args, _) if !args.is_empty())) {
            return None;
        }
        let place = match self.walk(scope, name, None) {
            Ok(Link::Place(place)) => place,
            Ok(Link::Value(value)) if self.names.is_reference(value.ty) => {
                let (ty, span) = (value.ty, e.span);
                return Some(Ok(Expr::binary(op, value, Expr::int(0, ty, span), elementary::BOOL, span)));
            }
            Ok(Link::Value(_) | Link::Behind(_)) => return is_call.then(|| Err(self.result_as_variable(e.span))),
            Err(why) => return is_call.then_some(Err(why)),
        };
        let (ty, span) = (place.ty, e.span);
        if !self.names.references.contains_key(&ty) {
            // A VAR_IN_OUT always has a target.
            let valid = Expr::literal(Value::Bool(true), elementary::BOOL, span);
            return is_call.then_some(Ok(valid));
        }
        let read = Expr::new(ExprKind::Read(place), ty, side.span);
        Some(Ok(Expr::binary(op, read, Expr::int(0, ty, span), elementary::BOOL, span)))
    }
}

impl Names {
    pub(crate) fn is_null(&self, project: &Project, scope: Scope, e: &ast::Expr) -> bool {
        if let ast::ExprKind::Literal(None, ast::Literal::Int(0)) = &e.kind {
            true
        } else if let ast::ExprKind::Name(name) = &e.kind {
            name.path.is_empty() && name.root.text.eq_ignore_ascii_case("NULL") && !self.is_variable(project, scope, &name.root)
        } else {
            false
        }
    }
}
