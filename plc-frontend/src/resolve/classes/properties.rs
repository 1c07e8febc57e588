//! Properties: their values, and assignments to them.

use crate::ast;
use crate::hir::{CallArgs, Expr, PouId, Stmt, StmtKind, VarId};
use crate::resolve::calls::copy_table::Types;
use crate::resolve::classes::inheritance::last_name;
use crate::resolve::classes::member_table::{MemberDecl, Part};
use crate::resolve::classes::members::{CallTarget, Callee};
use crate::resolve::findings::Res;
use crate::resolve::names::tables::VarRef;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::Scope;
use crate::resolve::types::elementary;
use crate::text::{Span, codes};

/// Variable after the instance in the POU of a property: the result of GET, or the value for SET.
const VALUE: VarId = VarId(1);

impl<'a> Resolver<'a> {
    /// Resolves a property to its value.
    pub(crate) fn value_of_property(&mut self, scope: Scope, callee: Callee<'a>, words: &str, span: Span) -> Res<Expr> {
        let no_value = |r: &mut Self, message: String, here: &str| Err(r.findings.error(codes::NOT_A_VALUE, span, message, here));
        let (pou, lent) = match &callee.target {
            CallTarget::Body(_) => return no_value(self, format!("`{words}` is a body and has no value"), "has no value"),
            CallTarget::Dynamic(target, member) => match self.dispatcher(target.ty, member, Part::Get) {
                Some(pou) => (pou, Types::new()),
                None => {
                    let message = format!("`{member}` is called with parentheses, or cannot be read");
                    return no_value(self, message, "not a property with GET");
                }
            },
            CallTarget::Member(found) => {
                let MemberDecl::Property(property) = found.decl else {
                    return no_value(self, format!("`{words}` is called with parentheses"), "a method or an action");
                };
                let Some(pou) = self.member_pou(callee.block, *found, Part::Get) else {
                    let message = format!("the property `{}` has no GET: it cannot be read", property.name.text);
                    return no_value(self, message, "cannot be read");
                };
                (pou, self.names.lent_types(&self.project, scope, &callee, pou))
            }
        };
        let (pou, ty) = self.property_type(scope, pou, lent, span)?;
        let mut args = CallArgs::default();
        let is_direct = matches!(callee.target, CallTarget::Member(_));
        self.hand_over(scope, callee, pou, &mut args, span)?;
        if is_direct {
            self.findings.ledger.count("property");
        }
        Ok(Expr::call(pou, args, ty, span))
    }

    /// Resolves `property := value;`, if the target is a property.
    pub(crate) fn assign_property(
        &mut self,
        scope: Scope,
        target: &ast::Expr,
        value: &ast::Expr,
        before: &mut Vec<Stmt>,
    ) -> Res<Option<StmtKind>> {
        let ast::ExprKind::Name(name) = &target.kind else { return Ok(None) };
        let Some(callee) = self.callee(scope, name, Some(before))? else { return Ok(None) };
        let (pou, lent) = match &callee.target {
            CallTarget::Body(_) => return Ok(None),
            CallTarget::Dynamic(reference, member) => match self.dispatcher(reference.ty, member, Part::Set) {
                Some(pou) => (pou, Types::new()),
                None => return Ok(None),
            },
            CallTarget::Member(found) => {
                let MemberDecl::Property(property) = found.decl else { return Ok(None) };
                let Some(pou) = self.member_pou(callee.block, *found, Part::Set) else {
                    if let ast::TypeSpecKind::Reference(_) = property.ty.kind {
                        // GET returns the variable that is assigned.
                        return Err(self.result_as_variable(name.span));
                    }
                    let message = format!("the property `{}` has no SET: it cannot be assigned", property.name.text);
                    return Err(self.findings.error(codes::NOT_A_PLACE, name.span, message, "cannot be assigned"));
                };
                (pou, self.names.lent_types(&self.project, scope, &callee, pou))
            }
        };
        let (pou, ty) = self.property_type(scope, pou, lent, name.span)?;
        let value = self.expr_as(scope, value, ty, &format!("`{}`", last_name(name).text))?;
        let mut args = CallArgs { inputs: vec![(VALUE, value)], ..CallArgs::default() };
        let is_direct = matches!(callee.target, CallTarget::Member(_));
        self.hand_over(scope, callee, pou, &mut args, target.span)?;
        if is_direct {
            self.findings.ledger.count("property");
        }
        Ok(Some(StmtKind::Eval(Expr::call(pou, args, elementary::BOOL, target.span))))
    }

    /// Returns the copy of a property's POU for the types of lent variables, and the type of the property.
    fn property_type(&mut self, scope: Scope, pou: PouId, lent: Types, span: Span) -> Res<(PouId, crate::hir::TypeId)> {
        let pou = self.copy_for(scope, pou, &[], lent, span)?;
        let ty = self.var_type(VarRef::Local(pou, VALUE))?;
        if self.project.holds_opaque(ty) { Err(self.project.opaque_value(ty, span)) } else { Ok((pou, ty)) }
    }
}
