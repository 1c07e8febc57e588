//! `a ?= b`: `a` refers to the target of `b` if its type allows that, else to nothing.
//!
//! The value is a call of a function for each pair of types. Its body is written after all targets of references are known: `CASE
//! VALUE OF suitable numbers: RESULT := VALUE; END_CASE`.

use crate::ast;
use crate::hir::{
    CallArgs, CaseArm, Conversion, Expr, Place, Pou, PouId, PouKind, Project, Root, Section, Stmt, StmtKind, Type, TypeId, Var,
    VarId,
};
use crate::ids::IndexVec;
use crate::resolve::declare::declarations::placeholder;
use crate::resolve::findings::Res;
use crate::resolve::names::tables::Names;
use crate::resolve::places::paths::Link;
use crate::resolve::places::reference_table::References;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Want};
use crate::text::Span;
use std::collections::BTreeMap;

const VALUE: VarId = VarId(0);
const RESULT: VarId = VarId(1);

impl Resolver<'_> {
    /// Returns the value of `target ?= value` for a target of type `ty`.
    pub(crate) fn attempted(&mut self, scope: Scope, value: &ast::Expr, ty: TypeId) -> Res<Expr> {
        let span = value.span;
        if self.names.is_null(&self.project, scope, value) {
            return Ok(Expr::int(0, ty, span));
        }
        let given = if let ast::ExprKind::Name(name) = &value.kind {
            match self.walk(scope, name, None)? {
                Link::Place(place) if self.names.is_reference(place.ty) => Expr::read(place),
                Link::Place(_) => {
                    return match self.reference_value(scope, value, ty) {
                        Some(value) => value,
                        None => self.expr_as(scope, value, ty, "the reference"),
                    };
                }
                link @ (Link::Value(_) | Link::Behind(_)) => self.link_value(scope, link, Want::Ty(ty))?,
            }
        } else {
            self.expr(scope, value, Want::Ty(ty))?
        };
        if self.always_refers(given.ty, ty)
            || !self.names.refers_to_instances(&self.project, given.ty)
            || !self.names.refers_to_instances(&self.project, ty)
        {
            return self.as_reference(given, ty);
        }
        let function = self.references.attempt_function(&mut self.names, &mut self.project, given.ty, ty, span);
        let args = CallArgs { inputs: vec![(VALUE, given)], ..CallArgs::default() };
        Ok(Expr::call(function, args, ty, span))
    }
}

impl Names {
    /// Returns whether the numbers of this type stand for instances: all instances are numbered together.
    fn refers_to_instances(&self, project: &Project, ty: TypeId) -> bool {
        self.references.get(&ty).is_some_and(|reference| match reference.pointee {
            Some(pointee) => matches!(project.types[pointee].ty, Type::FunctionBlock(_)),
            None => reference.interface.is_some(),
        })
    }
}

impl References {
    fn attempt_function(&mut self, names: &mut Names, project: &mut Project, from: TypeId, to: TypeId, span: Span) -> PouId {
        if let Some(&id) = self.attempts.get(&(from, to)) {
            return id;
        }
        let mut vars = IndexVec::new();
        for (name, ty, section) in [("VALUE", from, Section::Input), ("RESULT", to, Section::Result)] {
            let ident = ast::Ident::new(name, span);
            vars.push(Var { ty, ..placeholder(&ident, section) });
        }
        let id = project.pous.push(Pou::hidden(
            format!("{} ?= {}", project.type_name(to), project.type_name(from)),
            PouKind::Function(Some(RESULT)),
            vars,
            span,
        ));
        names.locals.push(BTreeMap::new());
        self.attempts.insert((from, to), id);
        id
    }

    /// Writes the bodies, when the targets of each type are known.
    pub(crate) fn fill_attempts(&mut self, project: &mut Project) {
        for ((from, to), id) in std::mem::take(&mut self.attempts) {
            let span = project.pous[id].span;
            let suits = project.references.get(&to).into_iter().flatten().map(|target| (target.number, target.number));
            let labels: Vec<(i128, i128)> = suits.collect();
            if labels.is_empty() {
                continue;
            }
            let place = |var, ty| Place::of(Root::Var(var), ty, span);
            let value = Expr::read(place(VALUE, from));
            let assign = Stmt::assign(place(RESULT, to), value.clone().converted(Conversion::Convert, to), span);
            let arm = CaseArm { labels, body: vec![assign], span };
            let case = StmtKind::Case { selector: value, arms: vec![arm], otherwise: Vec::new() };
            project.pous[id].body = vec![Stmt { kind: case, span }];
        }
    }
}
