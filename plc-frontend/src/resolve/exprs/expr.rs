//! Expressions: one function for each form, with the type that their place asks for.

use crate::ast;
use crate::hir::{BinOp, Expr, ExprKind, Place, PouId, PouKind, Project, Root, Type, TypeId};
use crate::resolve::exprs::untyped::untyped;
use crate::resolve::findings::{Bad, Res, unsupported};
use crate::resolve::names::tables::{Local, Names, VarRef, VariantHome, key};
use crate::resolve::places::paths::Link;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses, Want};
use crate::resolve::types::families::{Family, family};
use crate::text::{Span, codes};

impl Resolver<'_> {
    /// Resolves `e` to a value of `ty`; `wanted` names its user in the message ("the condition").
    pub(crate) fn expr_as(&mut self, scope: Scope, e: &ast::Expr, ty: TypeId, wanted: &str) -> Res<Expr> {
        let e = self.expr(scope, e, Want::Ty(ty))?;
        self.coerce(e, ty, wanted)
    }

    /// Resolves `e` with its own type; an expression without one takes the wanted type.
    pub(crate) fn expr(&mut self, scope: Scope, e: &ast::Expr, want: Want) -> Res<Expr> {
        self.deeper(e.span, |r| {
            if let Want::Ty(ty) = want
                && r.names.references.contains_key(&ty)
                && let Some(value) = r.reference_value(scope, e, ty)
            {
                return value;
            }
            if let Some(test) = r.null_test(scope, e) {
                return test;
            }
            if let Some(kind) = untyped(e) {
                let want = r.names.unnamed_want(&r.project, want);
                return r.untyped_expr(e, kind, want);
            }
            match &e.kind {
                ast::ExprKind::Literal(prefix, literal) => r.literal(prefix.as_deref(), literal, e.span, want),
                ast::ExprKind::Name(name) => r.name_expr(scope, name, want),
                ast::ExprKind::Address(text) => {
                    let place = r.address_place(scope, text, e.span)?;
                    r.read(scope, place)
                }
                ast::ExprKind::Call(name, args) => {
                    let value = r.call_expr(scope, name, args, e.span, want)?;
                    r.link_value(scope, Link::Value(value), want)
                }
                ast::ExprKind::Unary(op, operand) => match r.dialect.signed_power(*op, operand, e.span) {
                    Some(meant) => r.expr(scope, &meant, want),
                    None => r.unary(scope, *op, operand, e.span, want),
                },
                ast::ExprKind::Binary(..) => r.binary_chain(scope, e, want),
                ast::ExprKind::Error => Err(Bad::Reported),
            }
        })
    }

    /// Returns whether a name means a member of the block around the code, which hides the values of enumerations.
    fn is_own_member(&self, scope: Scope, ident: &ast::Ident) -> bool {
        let Some(owner) = scope.owner.filter(|_| scope.uses == Uses::Code) else { return false };
        self.decls.find_member(&self.names, self.names.block_of(owner), &ident.text).is_some()
    }

    fn name_expr(&mut self, scope: Scope, name: &ast::Name, want: Want) -> Res<Expr> {
        let name = &*self.names.qualified(scope, name);
        if !self.names.is_variable(&self.project, scope, &name.root) {
            match name.path.as_slice() {
                [] if self.names.variants.contains_key(&self.names.meant_value(&name.root))
                    && !self.is_own_member(scope, &name.root) =>
                {
                    return self.bare_variant(scope, &name.root, want);
                }
                [ast::NameElem::Field(variant)] => {
                    if let Some(ty) = self.enumeration_named(&name.root)? {
                        self.touch_parts(ty);
                        return self.project.variant_of(&mut self.findings, ty, variant, name.span);
                    }
                    if let Some(value) = self.constant_of_block(&name.root, variant, name.span)? {
                        return Ok(value);
                    }
                }
                _ => {}
            }
        }
        if let Some(byte) = self.read_byte(scope, name) {
            return byte;
        }
        if let Some(variable) = self.bodies.bit_pointer_target(&self.names, scope, name) {
            return self.read_bits(scope, name, variable);
        }
        let link = self.walk(scope, name, None)?;
        self.link_value(scope, link, want)
    }

    /// Resolves a place to its value.
    pub(crate) fn read(&mut self, scope: Scope, place: Place) -> Res<Expr> {
        if self.project.holds_opaque(place.ty) {
            return Err(self.project.opaque_value(place.ty, place.span));
        }
        let (ty, span) = (place.ty, place.span);
        let scalar = family(&self.project, ty) != Family::Compound;
        match (scope.uses, scalar) {
            (Uses::Constant, _) if self.project.text(ty).is_some() => {
                let kind = ExprKind::Text(self.constant_text(scope.owner, &place)?);
                Ok(Expr { kind, ty, span })
            }
            (Uses::Constant, true) => {
                let mark = self.findings.mark();
                match self.constant_value(scope.owner, &place) {
                    Ok(value) => Ok(Expr::literal(value, ty, span)),
                    // Folding refuses it, once the rest of the initial value is known too.
                    Err(why) if self.is_read_at_start(&why, mark) => {
                        self.findings.forget_since(mark);
                        Ok(Expr::new(ExprKind::Read(place), ty, span))
                    }
                    Err(why) => Err(why),
                }
            }
            (Uses::Constant, false) | (Uses::Code | Uses::Condition, _) => Ok(Expr::new(ExprKind::Read(place), ty, span)),
        }
    }

    fn enumeration_named(&mut self, ident: &ast::Ident) -> Res<Option<TypeId>> {
        let Some(&index) = self.names.types.get(&self.names.meant(ident)) else { return Ok(None) };
        Ok(Some(self.declared_type(index, ident.span)?.ty))
    }

    /// Resolves `Block.Constant`: a CONSTANT of a function block that is named by its type. It has one value in all instances.
    fn constant_of_block(&mut self, block: &ast::Ident, constant: &ast::Ident, span: Span) -> Res<Option<Expr>> {
        let Some(&pou) = self.names.pous.get(&self.names.meant(block)) else { return Ok(None) };
        let Some(&Local::Var(id)) = self.names.locals[pou.0 as usize].get(&key(&constant.text)) else { return Ok(None) };
        if self.project.pous[pou].kind != PouKind::FunctionBlock || !self.project.pous[pou].vars[id].constant {
            return Ok(None);
        }
        let ty = self.usable(VarRef::Local(pou, id), span)?;
        if family(&self.project, ty) == Family::Compound {
            return Ok(None);
        }
        let place = Place::of(Root::Var(id), ty, span);
        Ok(Some(Expr::literal(self.constant_value(Some(pou), &place)?, ty, span)))
    }

    /// Resolves an enumeration value without its type's name: a value of the wanted enumeration, or else the only one of this
    /// name.
    fn bare_variant(&mut self, scope: Scope, ident: &ast::Ident, want: Want) -> Res<Expr> {
        // Of several libraries, the one that the code sees is meant, whatever type is wanted.
        let is_contested = self.names.meanings.contested.contains(&key(&ident.text));
        if let Want::Ty(ty) = want
            && !is_contested
            && self.project.has_variant(ty, &ident.text)
        {
            return self.project.variant_of(&mut self.findings, ty, ident, ident.span);
        }
        let homes = self.names.variants.get(&self.names.meant_value(ident)).cloned().unwrap_or_default();
        let mut found: Vec<TypeId> = Vec::new();
        for home in homes {
            let Some(ty) = self.home_type(scope.owner, home, ident)? else { continue };
            if let Some(ty) = self.project.enumeration_inside(ty, &ident.text)
                && !found.contains(&ty)
            {
                found.push(ty);
            }
        }
        if let Want::Ty(ty) = want
            && found.contains(&ty)
        {
            return self.project.variant_of(&mut self.findings, ty, ident, ident.span);
        }
        match (found.as_slice(), want) {
            ([ty], _) => self.project.variant_of(&mut self.findings, *ty, ident, ident.span),
            (_, Want::Unknown) => Err(Bad::Reported),
            ([], Want::Any | Want::Ty(_)) => Err(self.unknown_name(scope, ident)),
            (several, Want::Any | Want::Ty(_)) => {
                let names: Vec<String> =
                    several.iter().map(|ty| format!("{}#{}", self.project.type_name(*ty), ident.text)).collect();
                let message = format!("`{}` is a value of several enumerations", ident.text);
                let help = Some(format!("write one of {}", names.join(", ")));
                Err(self.findings.error_with_help(codes::AMBIGUOUS_NAME, ident.span, message, "which one?", help))
            }
        }
    }

    fn home_type(&mut self, owner: Option<PouId>, home: VariantHome, ident: &ast::Ident) -> Res<Option<TypeId>> {
        match home {
            VariantHome::Type(index) => Ok(Some(self.declared_type(index, ident.span)?.ty)),
            VariantHome::Var(var @ VarRef::Global(_)) => Ok(Some(self.var_type(var)?)),
            VariantHome::Var(var @ VarRef::Local(pou, _)) => match owner {
                Some(owner) if owner != pou && self.names.block_of(owner) != pou => Ok(None),
                Some(_) | None => Ok(Some(self.var_type(var)?)),
            },
        }
    }
}

impl Project {
    /// Returns the gap of a value that is not modelled.
    pub(crate) fn opaque_value(&self, ty: TypeId, span: Span) -> Bad {
        let construct = format!("value of type {}", self.type_name(ty));
        unsupported(span, construct, "the statement is not modelled, so nothing after it in the cycle is verified")
    }

    fn has_variant(&self, ty: TypeId, name: &str) -> bool {
        if let Type::Enum { variants, .. } = &self.types[ty].ty { variants.iter().any(|v| key(&v.0) == key(name)) } else { false }
    }

    /// Returns the enumeration with this value: `ty` itself, or one declared inside of it.
    fn enumeration_inside(&self, ty: TypeId, name: &str) -> Option<TypeId> {
        self.types_inside(ty).find(|ty| self.has_variant(*ty, name))
    }
}

impl Names {
    /// Returns whether `e` is an enumeration value without its type's name.
    pub(crate) fn is_bare_variant(&self, project: &Project, scope: Scope, e: &ast::Expr) -> bool {
        if let ast::ExprKind::Name(name) = &e.kind {
            name.path.is_empty()
                && !self.is_variable(project, scope, &name.root)
                && self.variants.contains_key(&self.meant_value(&name.root))
        } else {
            false
        }
    }
}

/// Returns whether evaluating an expression twice is the same as once.
pub(crate) fn repeatable(e: &Expr) -> bool {
    let is_single =
        matches!(e.kind, ExprKind::Call(..) | ExprKind::Arbitrary { .. } | ExprKind::Binary(BinOp::AndThen | BinOp::OrElse, ..));
    !is_single && e.operands().into_iter().all(repeatable)
}
