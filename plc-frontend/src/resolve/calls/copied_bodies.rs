//! Calls of instances whose arguments decide the types of the body.
//!
//! The body runs like a method of the block, between the assignments of inputs and those of outputs.

use crate::ast::{self, Arg};
use crate::hir::{CallArgs, Elem, Expr, ExprKind, Place, PouId, Project, Root, Section, Stmt, StmtKind, VarId};
use crate::resolve::calls::copy_table::Types;
use crate::resolve::findings::{Bad, Res, unsupported};
use crate::resolve::names::tables::Member;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::Scope;
use crate::resolve::types::elementary;
use crate::text::Span;

impl Resolver<'_> {
    /// Resolves `instance(a := array, x := 1, y => z);`; `types` are those of VAR_IN_OUT that differ from the declared ones.
    pub(crate) fn call_copy(
        &mut self,
        scope: Scope,
        instance: Place,
        block: PouId,
        types: Types,
        args: &[Arg],
        span: Span,
    ) -> Res<Vec<Stmt>> {
        let bound = self.bind(scope, block, args, &types, span)?;
        if self.decls.overlays.contains_key(&block) {
            let effect = "the statement is not modelled: nothing after it in the cycle is verified";
            return Err(unsupported(span, "call with ARRAY [*] of a block whose variables share memory", effect));
        }
        let generic = self.body_pou(block, block);
        let lent = self.names.members.get(&generic).map(|member| member.lent.clone()).unwrap_or_default();
        let own: Types = types.iter().filter_map(|(var, ty)| Some((*lent.get(var)?, *ty))).collect();
        let body = self.with_types(generic, own);
        if body == generic || self.is_open(body) {
            return Err(self.no_copy(span));
        }
        self.decls.copies.bodies.insert(body, block);

        let mut stmts = Vec::new();
        let is_alone = bound.args.inputs.is_empty() && bound.args.outputs.is_empty() && bound.after.is_empty();
        let instance = if is_alone { instance } else { self.with_stored_indices(scope, instance, &mut stmts)? };
        for (var, value) in bound.args.inputs {
            let target = self.project.part_of(&instance, block, var, value.span);
            let span = value.span;
            stmts.push(Stmt::assign(target, value, span));
        }
        let mut given = CallArgs { in_outs: vec![(Member::THIS, instance.clone())], ..CallArgs::default() };
        for (var, place) in bound.args.in_outs {
            let Some(&own) = lent.get(&var) else { return Err(Bad::Reported) };
            given.in_outs.push((own, place));
        }
        let call = Expr::call(body, given, elementary::BOOL, span);
        stmts.push(Stmt { kind: StmtKind::Eval(call), span });
        for (var, target) in bound.args.outputs {
            let span = target.span;
            let output = self.project.part_of(&instance, block, var, span);
            stmts.push(Stmt::assign(target, Expr::read(output), span));
        }
        for forward in bound.after {
            stmts.push(self.project.forward(&instance, block, forward));
        }
        Ok(stmts)
    }

    /// Returns the instance with its variable indices and references stored, so that later assignments cannot change it.
    fn with_stored_indices(&mut self, scope: Scope, instance: Place, before: &mut Vec<Stmt>) -> Res<Place> {
        let Some(owner) = scope.owner else { return Err(Bad::Reported) };
        let span = instance.span;
        let name = ast::Ident::new("_instance", span);
        let mut held = Place { path: Vec::new(), ..instance.clone() };
        let mut keep = |r: &mut Self, value: Expr| {
            let ty = value.ty;
            let var = r.names.new_hidden(&mut r.project, owner, &name, ty, Section::Temp);
            let place = Place::of(Root::Var(var), ty, span);
            before.push(Stmt::assign(place.clone(), value, span));
            place
        };
        for elem in instance.path {
            match elem {
                Elem::Index(indices) => {
                    let mut kept = Vec::with_capacity(indices.len());
                    for index in indices {
                        let (ty, span) = (index.ty, index.span);
                        let is_fixed = matches!(index.kind, ExprKind::Literal(_));
                        kept.push(if is_fixed { index } else { Expr::new(ExprKind::Read(keep(self, index)), ty, span) });
                    }
                    held.path.push(Elem::Index(kept));
                }
                Elem::Deref(view) => {
                    held.ty = self.project.type_of(scope, &held).ok_or(Bad::Reported)?;
                    let ty = held.ty;
                    let kept = keep(self, Expr::new(ExprKind::Read(held), ty, span));
                    held = Place { path: vec![Elem::Deref(view)], ..kept };
                }
                Elem::Field(_) | Elem::Member(_) | Elem::Bits { .. } => held.path.push(elem),
            }
        }
        held.ty = instance.ty;
        Ok(held)
    }
}

impl Project {
    /// Returns a variable of an instance.
    pub(crate) fn part_of(&self, instance: &Place, block: PouId, var: VarId, span: Span) -> Place {
        Place { span, ..instance.part(Elem::Member(var), self.pous[block].vars[var].ty) }
    }
}
