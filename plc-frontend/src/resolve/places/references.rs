//! References: POINTER TO, REF_TO, REFERENCE TO and variables of interface type hold the number of a variable. The program's own
//! assignments decide which variables get numbers, so the targets of each reference are known before it runs.
//!
//! Only variables that exist once can be targets: globals, those of program instances, and parts of these. All other uses are
//! gaps: arithmetic on pointers, references to variables of a call or of a block with several instances.

use crate::ast::{self, Arg};
use crate::hir::{Conversion, Elem, Expr, Place, PouId, Project, Stmt, StmtKind, Target, Type, TypeId, Value};
use crate::resolve::findings::{Bad, Res, unsupported};
use crate::resolve::names::tables::{Names, RefKind, RefType};
use crate::resolve::places::paths::Link;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Want};
use crate::resolve::types::elementary;
use crate::resolve::types::table::TypeTable;
use crate::text::{Span, codes};

/// Most targets of one kind of reference.
const MAX_TARGETS: usize = 10_000;

impl Resolver<'_> {
    /// Returns the type of references of some kind to `pointee`.
    pub(crate) fn reference_spec(
        &mut self,
        owner: Option<PouId>,
        kind: RefKind,
        spec: &ast::TypeSpec,
        words: String,
    ) -> Res<TypeId> {
        if let ast::TypeSpecKind::Name(ident) = &spec.kind
            && self.names.is_being_declared(ident)
        {
            return Ok(self.types.anonymous(&mut self.project, Type::Opaque(words), spec.span));
        }
        let pointee = self.type_spec(owner, spec, None)?.ty;
        if self.project.holds_opaque(pointee) || self.names.references.get(&pointee).is_some_and(|r| r.kind == RefKind::Reference)
        {
            return Ok(self.types.anonymous(&mut self.project, Type::Opaque(words), spec.span));
        }
        let name = match kind {
            RefKind::Pointer => format!("POINTER TO {}", self.project.type_name(pointee)),
            RefKind::Reference => format!("REFERENCE TO {}", self.project.type_name(pointee)),
            RefKind::Interface => words,
        };
        let reference = RefType { kind, pointee: Some(pointee), interface: None };
        let name = ast::Ident::new(name, spec.span);
        Ok(self.references.reference_row(&mut self.names, &mut self.project, reference, name))
    }

    /// Follows `p^`.
    pub(crate) fn dereference(&mut self, place: &mut Place, span: Span) -> Res<()> {
        match self.names.references.get(&place.ty) {
            Some(RefType { kind: RefKind::Pointer, pointee: Some(pointee), .. }) => {
                place.enter(Elem::Deref(*pointee), *pointee, span);
                Ok(())
            }
            Some(_) | None if matches!(self.project.types[place.ty].ty, Type::Opaque(_)) => Err(unsupported(
                span,
                "pointer access",
                "where the pointer points to is not modelled, so nothing after this statement in the cycle is verified",
            )),
            Some(_) | None => {
                let message = format!("a value of type {} is no pointer", self.project.type_name(place.ty));
                Err(self.findings.error(codes::UNKNOWN_PART, span, message, "not a pointer"))
            }
        }
    }

    /// Resolves a value for a reference: NULL, a variable as target, another reference. `None` for other expressions.
    pub(crate) fn reference_value(&mut self, scope: Scope, e: &ast::Expr, ty: TypeId) -> Option<Res<Expr>> {
        let wanted = *self.names.references.get(&ty)?;
        if self.names.is_null(&self.project, scope, e) {
            return Some(Ok(Expr::int(0, ty, e.span)));
        }
        if let ast::ExprKind::Call(name, args) = &e.kind {
            let [Arg::Positional(argument)] = args.as_slice() else { return None };
            let is_address = ["ADR", "REF"].iter().any(|f| name.path.is_empty() && name.root.text.eq_ignore_ascii_case(f));
            let is_ours = self.names.pous.contains_key(&self.names.meant(&name.root));
            (is_address && !is_ours).then(|| {
                let place = self.target(scope, argument)?;
                self.referent(scope, place, ty)
            })
        } else if let ast::ExprKind::Name(name) = &e.kind {
            let place = match self.walk(scope, name, None) {
                Ok(Link::Place(place)) => Ok(place),
                Ok(Link::Value(value)) if self.names.is_reference(value.ty) => return Some(self.as_reference(value, ty)),
                Ok(link) => return Some(self.link_value(scope, link, Want::Ty(ty))),
                Err(why) => Err(why),
            };
            Some(place.and_then(|mut place| {
                if self.names.references.contains_key(&place.ty) {
                    let value = Expr::read(place);
                    return self.as_reference(value, ty);
                }
                match wanted.kind {
                    RefKind::Reference | RefKind::Interface => {
                        self.names.follow(&mut place);
                        self.referent(scope, place, ty)
                    }
                    RefKind::Pointer if self.project.holds_opaque(place.ty) => {
                        Err(self.project.opaque_value(place.ty, place.span))
                    }
                    RefKind::Pointer => Err(self.no_arithmetic(e.span)),
                }
            }))
        } else {
            None
        }
    }

    /// Returns the gap of arithmetic on references.
    pub(crate) fn no_arithmetic(&self, span: Span) -> Bad {
        let effect = "where the pointer then points to is not modelled, so nothing after this statement in the cycle is verified";
        unsupported(span, "arithmetic on a pointer", effect)
    }

    /// Returns a reference as a value of another reference type: the same number, if the types share their numbers.
    pub(crate) fn as_reference(&mut self, value: Expr, ty: TypeId) -> Res<Expr> {
        let from = value.ty;
        if from == ty {
            return Ok(value);
        }
        if !self.always_refers(from, ty) {
            let (from, to) = (self.project.type_name(from), self.project.type_name(ty));
            let effect = "where it then refers to is not modelled, so nothing after this statement in the cycle is verified";
            return Err(unsupported(value.span, format!("{from} as {to}"), effect));
        }
        Ok(value.converted(Conversion::Convert, ty))
    }

    /// Returns whether every target of one type of reference is a target of the other.
    pub(crate) fn always_refers(&self, from: TypeId, ty: TypeId) -> bool {
        match (self.names.references.get(&from), self.names.references.get(&ty)) {
            (Some(a), Some(b)) => match (a.pointee, b.pointee, a.interface, b.interface) {
                (Some(a), Some(b), _, _) => a == b || self.names.is_seen_as(&self.project, a, b),
                (Some(a), None, _, Some(interface)) => self.type_implements(a, interface),
                (None, None, Some(a), Some(b)) => self.decls.interface_extends(&self.names, a, b),
                (_, _, _, _) => false,
            },
            (_, _) => false,
        }
    }

    /// Returns the number that stands for a variable.
    fn referent(&mut self, scope: Scope, place: Place, ty: TypeId) -> Res<Expr> {
        let span = place.span;
        if let Some((Elem::Deref(_), before)) = place.path.split_last() {
            let mut inner = Place { path: before.to_vec(), ..place.clone() };
            inner.ty = self.project.type_of(scope, &inner).ok_or(Bad::Reported)?;
            return self.as_reference(Expr::read(inner), ty);
        }
        self.can_refer(&place, ty)?;
        let place = self.references.fixed(&self.names, &self.project, scope, &place)?;
        Ok(Expr::int(self.number_of(place)?, ty, span))
    }

    /// Returns the number of a fixed place, which is a target from now on.
    pub(crate) fn number_of(&mut self, place: Place) -> Res<i128> {
        let span = place.span;
        let family = self.project.family_of(place.ty);
        let targets = self.references.targets.entry(family).or_default();
        let known = targets.iter().position(|t| t.root == place.root && t.path == place.path);
        let index = match known {
            Some(index) => index,
            None if MAX_TARGETS <= targets.len() => {
                let effect = "nothing after this statement in the cycle is verified";
                return Err(unsupported(span, "more targets of references than can be modelled", effect));
            }
            None => {
                targets.push(place);
                targets.len() - 1
            }
        };
        Ok(index as i128 + 1)
    }

    /// Reports a variable to which references of a type cannot refer.
    pub(crate) fn can_refer(&mut self, place: &Place, ty: TypeId) -> Res<()> {
        let span = place.span;
        let fits = match self.names.references.get(&ty).copied() {
            Some(RefType { pointee: Some(pointee), .. }) => {
                place.ty == pointee || self.names.is_seen_as(&self.project, place.ty, pointee)
            }
            Some(RefType { interface: Some(interface), .. }) => self.type_implements(place.ty, interface),
            Some(RefType { .. }) | None => false,
        };
        if !fits {
            let (from, to) = (self.project.type_name(place.ty), self.project.type_name(ty));
            return match self.names.references.get(&ty).map(|r| r.kind) {
                Some(RefKind::Reference) if self.extends_target(place.ty, ty) => {
                    let effect = "what it then reads and writes is not modelled: nothing after this statement is verified";
                    Err(unsupported(span, format!("{to} to a variable of type {from}, which extends its type"), effect))
                }
                Some(RefKind::Pointer) => {
                    let effect = "what it then reads and writes is not modelled: nothing after this statement is verified";
                    Err(unsupported(span, format!("{to} to a variable of type {from}"), effect))
                }
                Some(RefKind::Reference | RefKind::Interface) | None => {
                    let message = format!("a {to} cannot refer to a variable of type {from}");
                    Err(self.findings.error(codes::TYPE_MISMATCH, span, message, format!("of type {from}")))
                }
            };
        }
        Ok(())
    }

    fn type_implements(&self, ty: TypeId, interface: usize) -> bool {
        if let Type::FunctionBlock(block) = self.project.types[ty].ty {
            self.decls.implements(&self.names, block, interface)
        } else {
            false
        }
    }

    /// Resolves `REF=`, `S=`, `R=` and `?=`.
    pub(crate) fn ref_assign(
        &mut self,
        scope: Scope,
        how: ast::RefAssign,
        target: &ast::Expr,
        value: &ast::Expr,
        span: Span,
    ) -> Res<StmtKind> {
        match how {
            ast::RefAssign::Set | ast::RefAssign::Reset => {
                let place = self.target(scope, target)?;
                let condition = self.expr_as(scope, value, elementary::BOOL, "the condition")?;
                let to = Expr::literal(Value::Bool(how == ast::RefAssign::Set), elementary::BOOL, span);
                let to = self.coerce(to, place.ty, "the variable")?;
                let assign = Stmt::assign(place, to, span);
                Ok(StmtKind::If { branches: vec![(condition, vec![assign])], otherwise: Vec::new() })
            }
            ast::RefAssign::Reference | ast::RefAssign::Attempt => {
                let ast::ExprKind::Name(name) = &target.kind else {
                    let message = "a reference is needed here";
                    return Err(self.findings.error(codes::NOT_A_PLACE, target.span, message, "not a reference"));
                };
                let place = self.raw_place(scope, name)?;
                if how == ast::RefAssign::Attempt && self.names.is_reference(place.ty) {
                    let value = self.attempted(scope, value, place.ty)?;
                    return Ok(StmtKind::Assign { target: place, value });
                }
                if !self.names.is_reference(place.ty) {
                    let effect = "the statement is not modelled: nothing after it in the cycle is verified";
                    return Err(unsupported(span, "reference assignment", effect));
                }
                let value = match self.reference_value(scope, value, place.ty) {
                    Some(value) => value?,
                    None => self.expr_as(scope, value, place.ty, "the reference")?,
                };
                Ok(StmtKind::Assign { target: place, value })
            }
        }
    }

    /// Writes the targets of each reference into the project.
    pub(crate) fn finish_references(&mut self) {
        let rows: Vec<(TypeId, RefType)> = self.names.references.iter().map(|(ty, r)| (*ty, *r)).collect();
        for (ty, reference) in rows {
            let family = reference.pointee.and_then(|pointee| self.project.family_of(pointee));
            let places = self.references.targets.get(&family).cloned().unwrap_or_default();
            let mut targets = Vec::new();
            let mut variants = vec![("NULL".to_owned(), 0)];
            for (index, place) in places.into_iter().enumerate() {
                let fits = match (reference.pointee, reference.interface) {
                    (Some(pointee), _) => place.ty == pointee || self.names.is_seen_as(&self.project, place.ty, pointee),
                    (None, Some(interface)) => self.type_implements(place.ty, interface),
                    (None, None) => false,
                };
                if fits {
                    let number = index as i128 + 1;
                    let views = self.types.views_of(&self.names, &mut self.project, place.ty);
                    variants.push((self.project.canonical_name(&place), number));
                    targets.push(Target { number, place, views });
                }
            }
            self.project.types[ty].ty = Type::Enum { base: elementary::UINT, variants };
            self.project.references.insert(ty, targets);
        }
    }
}

impl Names {
    /// Follows a REFERENCE TO: it means its target in every use.
    pub(crate) fn follow(&self, place: &mut Place) {
        if let Some(RefType { kind: RefKind::Reference, pointee: Some(pointee), .. }) = self.references.get(&place.ty) {
            place.path.push(Elem::Deref(*pointee));
            place.ty = *pointee;
        }
    }

    /// Returns whether a type is a reference.
    pub(crate) fn is_reference(&self, ty: TypeId) -> bool {
        self.references.contains_key(&ty)
    }

    /// Returns whether values of type `ty` are instances of an heir of `view`'s block.
    fn is_seen_as(&self, project: &Project, ty: TypeId, view: TypeId) -> bool {
        match (&project.types[ty].ty, &project.types[view].ty) {
            (Type::FunctionBlock(block), Type::FunctionBlock(base)) => self.chain(*block).contains(base),
            (_, _) => false,
        }
    }
}

impl Resolver<'_> {
    /// Returns whether a structure begins with the fields of the structure that a reference refers to.
    fn extends_target(&self, ty: TypeId, reference: TypeId) -> bool {
        let Some(RefType { pointee: Some(base), .. }) = self.names.references.get(&reference).copied() else { return false };
        let types = &self.project.types;
        let (Type::Struct { fields }, Type::Struct { fields: base }) = (&types[ty].ty, &types[base].ty) else { return false };
        base.len() <= fields.len() && base.iter().zip(fields).all(|(a, b)| a.name == b.name && a.ty == b.ty)
    }
}

impl Project {
    pub(crate) fn family_of(&self, ty: TypeId) -> Option<TypeId> {
        if let Type::FunctionBlock(_) = self.types[ty].ty { None } else { Some(ty) }
    }
}

impl TypeTable {
    fn views_of(&mut self, names: &Names, project: &mut Project, ty: TypeId) -> Vec<TypeId> {
        let Type::FunctionBlock(block) = project.types[ty].ty else { return vec![ty] };
        let chain = names.classes.get(block.0 as usize).map_or(vec![block], |class| class.chain.clone());
        chain.into_iter().map(|pou| self.block(project, pou)).collect()
    }
}
