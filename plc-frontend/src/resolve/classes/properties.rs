//! Properties: their values, and assignments to them.

use crate::ast;
use crate::hir::{CallArgs, Expr, Stmt, StmtKind, VarId};
use crate::resolve::classes::inheritance;
use crate::resolve::classes::inheritance::{MemberDecl, Part};
use crate::resolve::classes::members::{Callee, What};
use crate::resolve::findings::Res;
use crate::resolve::names::tables::{Member, VarRef};
use crate::resolve::resolver::{Resolver, Scope, Want};
use crate::resolve::types::elementary;
use crate::text::codes;
use crate::text::source::Span;

impl<'a> Resolver<'a> {
    /// The value of a property.
    pub(crate) fn value_of_property(&mut self, scope: Scope, callee: Callee<'a>, words: &str, span: Span) -> Res<Expr> {
        let found = match callee.what {
            What::Member(found) => found,
            What::Body(_) => {
                let message = format!("`{words}` is a body and has no value");
                return Err(self.findings.error(codes::NOT_A_VALUE, span, message, "has no value"));
            }
            What::Dynamic(target, member) => {
                let Some(pou) = self.dispatcher(target.ty, &member, Part::Get) else {
                    let message = format!("`{member}` is called with parentheses, or cannot be read");
                    return Err(self.findings.error(codes::NOT_A_VALUE, span, message, "not a property with GET"));
                };
                let ty = self.var_type(VarRef::Local(pou, VarId(1)))?;
                let args = CallArgs { inputs: vec![(Member::THIS, target)], ..CallArgs::default() };
                return Ok(Expr::call(pou, args, ty, span));
            }
        };
        let MemberDecl::Property(property) = found.decl else {
            let message = format!("`{}` is called with parentheses", words);
            return Err(self.findings.error(codes::NOT_A_VALUE, span, message, "a method or an action"));
        };
        let Some(pou) = self.member_pou(callee.block, found, Part::Get) else {
            let message = format!("the property `{}` has no GET: it cannot be read", property.name.text);
            return Err(self.findings.error(codes::NOT_A_VALUE, span, message, "cannot be read"));
        };
        let lent = self.names.lent_types(&self.project, scope, &callee, pou);
        let pou = self.shape(scope, pou, &[], lent, span)?;
        let ty = self.var_type(VarRef::Local(pou, VarId(1)))?;
        if self.project.holds_opaque(ty) {
            return Err(self.project.opaque_value(ty, span));
        }
        let mut args = CallArgs::default();
        self.hand_over(scope, &callee, pou, &mut args, span)?;
        self.findings.ledger.count("property");
        Ok(Expr::call(pou, args, ty, span))
    }

    /// `property := value;`, if the target is a property.
    pub(crate) fn assign_property(
        &mut self,
        scope: Scope,
        target: &ast::Expr,
        value: &ast::Expr,
        before: &mut Vec<Stmt>,
    ) -> Res<Option<StmtKind>> {
        let ast::ExprKind::Name(name) = &target.kind else { return Ok(None) };
        let Some(callee) = self.callee(scope, name, Some(before))? else { return Ok(None) };
        let found = match callee.what {
            What::Member(found) => found,
            What::Body(_) => return Ok(None),
            What::Dynamic(reference, member) => {
                let Some(pou) = self.dispatcher(reference.ty, &member, Part::Set) else { return Ok(None) };
                let ty = self.var_type(VarRef::Local(pou, VarId(1)))?;
                let value = self.expr(scope, value, Want::Ty(ty))?;
                let value = self.coerce(value, ty, &format!("`{member}`"))?;
                let args = CallArgs { inputs: vec![(Member::THIS, reference), (VarId(1), value)], ..CallArgs::default() };
                return Ok(Some(StmtKind::Eval(Expr::call(pou, args, elementary::BOOL, target.span))));
            }
        };
        let MemberDecl::Property(property) = found.decl else { return Ok(None) };
        let Some(pou) = self.member_pou(callee.block, found, Part::Set) else {
            let message = format!("the property `{}` has no SET: it cannot be assigned", property.name.text);
            return Err(self.findings.error(codes::NOT_A_PLACE, name.span, message, "cannot be assigned"));
        };
        let lent = self.names.lent_types(&self.project, scope, &callee, pou);
        let pou = self.shape(scope, pou, &[], lent, name.span)?;
        let ty = self.var_type(VarRef::Local(pou, VarId(1)))?;
        if self.project.holds_opaque(ty) {
            return Err(self.project.opaque_value(ty, name.span));
        }
        let value = self.expr(scope, value, Want::Ty(ty))?;
        let value = self.coerce(value, ty, &format!("`{}`", last(name)))?;
        let span = target.span;
        let mut args = CallArgs { inputs: vec![(VarId(1), value)], ..CallArgs::default() };
        self.hand_over(scope, &callee, pou, &mut args, span)?;
        self.findings.ledger.count("property");
        Ok(Some(StmtKind::Eval(Expr::call(pou, args, elementary::BOOL, span))))
    }
}

fn last(name: &ast::Name) -> &str {
    &inheritance::last_name(name).text
}
