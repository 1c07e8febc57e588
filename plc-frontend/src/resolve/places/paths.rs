//! Paths that go on behind a call or a property: `a.b().c`, `f(x).field`, `THIS^.part.n`, `machine.Motor(2).Run(7)`.
//!
//! A path is followed from the left. It is a place until the first call; from there on it is a value. Methods and properties of a
//! reference's target are called as through a variable. Any other part of a value is the result of a hidden function of the value
//! and the indices: so each call happens once, at its place.

use crate::ast::{self, Arg, Ident, NameElem};
use crate::hir::{Elem, Expr, ExprKind, Place, Pou, PouKind, Project, Root, Section, Stmt, Type, TypeId, Var, VarId};
use crate::ids::IndexVec;
use crate::resolve::classes::member_table::{MemberDecl, Part};
use crate::resolve::classes::members::{CallTarget, Callee};
use crate::resolve::declare::declarations::placeholder;
use crate::resolve::findings::{Bad, Res, unsupported};
use crate::resolve::names::tables::{Local, Names, RefKind, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses, Want};
use crate::text::Span;

/// A path as far as it was followed.
pub(crate) enum Link {
    Place(Place),
    Value(Expr),
    /// Target of this value, which is a reference: `^` stands behind it.
    Behind(Expr),
}

/// Variables of the hidden function: its result, and the value whose part that is.
const RESULT: VarId = VarId(0);
const OF: VarId = VarId(1);

impl<'a> Resolver<'a> {
    /// Follows a path. `before` takes statements in front of the one that begins with this path. With it, references on the way
    /// are stored in hidden variables, so that their targets are places.
    pub(crate) fn walk(&mut self, scope: Scope, name: &ast::Name, mut before: Option<&mut Vec<Stmt>>) -> Res<Link> {
        let name = &*self.names.qualified(scope, name);
        if self.bodies.bit_pointer_target(&self.names, scope, name).is_some() {
            let effect = "what is done with it there is not modelled: nothing after this statement in the cycle is verified";
            return Err(unsupported(name.span, "pointer to a variable of another type", effect));
        }
        let (mut link, mut at) = self.first_link(scope, name)?;
        while let Some(elem) = name.path.get(at) {
            if let NameElem::Field(ident) = elem
                && let Some(callee) = self.callee_at(scope, &link, ident)?
            {
                let args = arguments(&name.path, at + 1);
                at += 1 + usize::from(args.is_some());
                link = Link::Value(self.called_link(scope, callee, &ident.text, name.root.span.to(ident.span), args)?);
                continue;
            }
            link = match (link, before.as_deref_mut()) {
                (Link::Place(mut place), _) => {
                    self.step(scope, &mut place, elem)?;
                    at += 1;
                    Link::Place(place)
                }
                (Link::Value(value), Some(before)) if self.names.is_reference(value.ty) => {
                    Link::Place(self.keep_reference(scope, value, before)?)
                }
                (Link::Behind(value), Some(before)) => {
                    let mut place = self.keep_reference(scope, value, before)?;
                    self.dereference(&mut place, name.span)?;
                    Link::Place(place)
                }
                (Link::Value(value), _) if matches!(elem, NameElem::Deref(_)) && self.names.is_reference(value.ty) => {
                    at += 1;
                    if self.names.is_pointer(value.ty) { Link::Behind(value) } else { Link::Value(value) }
                }
                (Link::Value(value), _) => {
                    let (part, n) = self.part_of_value(scope, value, false, &name.path[at..])?;
                    at += n;
                    Link::Value(part)
                }
                (Link::Behind(value), _) => {
                    let (part, n) = self.part_of_value(scope, value, true, &name.path[at..])?;
                    at += n;
                    Link::Value(part)
                }
            };
        }
        Ok(link)
    }

    /// Resolves the instance or variable that a statement begins with.
    pub(crate) fn place_before(&mut self, scope: Scope, name: &ast::Name, before: &mut Vec<Stmt>) -> Res<Place> {
        let mut place = match self.walk(scope, name, Some(before))? {
            Link::Place(place) => place,
            Link::Value(value) if self.names.is_reference(value.ty) && !self.names.is_pointer(value.ty) => {
                self.keep_reference(scope, value, before)?
            }
            Link::Behind(value) => {
                let mut place = self.keep_reference(scope, value, before)?;
                self.dereference(&mut place, name.span)?;
                place
            }
            Link::Value(_) => return Err(self.result_as_variable(name.span)),
        };
        self.names.follow(&mut place);
        Ok(place)
    }

    /// Returns a path as a value; a REFERENCE as its target, unless a reference is wanted.
    pub(crate) fn link_value(&mut self, scope: Scope, link: Link, want: Want) -> Res<Expr> {
        let is_wanted = if let Want::Ty(ty) = want { self.names.is_reference(ty) } else { false };
        match link {
            Link::Place(mut place) => {
                self.names.follow(&mut place);
                self.read(scope, place)
            }
            Link::Behind(value) => Ok(self.part_of_value(scope, value, true, &[])?.0),
            Link::Value(value) if is_wanted || self.names.reference_kind(value.ty) != Some(RefKind::Reference) => Ok(value),
            Link::Value(value) => Ok(self.part_of_value(scope, value, true, &[])?.0),
        }
    }

    /// Returns the gap of a call's result at a place of a variable.
    pub(crate) fn result_as_variable(&self, span: Span) -> Bad {
        let effect = "the statement is not modelled: nothing after it in the cycle is verified";
        unsupported(span, "use of a call's result as a variable", effect)
    }

    /// Follows the beginning of a path; returns the number of its elements, too.
    fn first_link(&mut self, scope: Scope, name: &ast::Name) -> Res<(Link, usize)> {
        if let Some((is_super, rest)) = self.names.self_reference(&self.project, scope, name) {
            let Some((this, block)) = self.this_place(scope, name.root.span) else {
                return Err(self.findings.no_instance(&name.root));
            };
            let skipped = name.path.len() - rest.len();
            let Some(NameElem::Field(ident)) = rest.first() else { return Ok((Link::Place(this), skipped)) };
            let is_variable = matches!(self.names.locals[block.0 as usize].get(&key(&ident.text)), Some(Local::Var(_)));
            if !is_variable && self.decls.members.names.contains(&key(&ident.text)) {
                let from =
                    if is_super { self.decls.base_here(&self.names, &mut self.findings, scope, &name.root)? } else { block };
                if let Some(found) = self.visible_member(scope, from, ident) {
                    let callee = Callee { this, block, inside: true, target: CallTarget::Member(found) };
                    let args = arguments(&name.path, skipped + 1);
                    let n = skipped + 1 + usize::from(args.is_some());
                    let span = name.root.span.to(ident.span);
                    return Ok((Link::Value(self.called_link(scope, callee, &ident.text, span, args)?), n));
                }
            }
            return Ok((Link::Place(self.own_variable(scope, block, ident)?), skipped + 1));
        }
        let args = arguments(&name.path, 0);
        if scope.uses == Uses::Code && (args.is_some() || self.decls.members.names.contains(&key(&name.root.text))) {
            let first = ast::Name::plain(name.root.clone());
            if let Some(callee) = self.callee(scope, &first, None)? {
                let value = self.called_link(scope, callee, &name.root.text, name.root.span, args)?;
                return Ok((Link::Value(value), usize::from(args.is_some())));
            }
            if let Some((args, span)) = args {
                let span = name.root.span.to(span);
                return Ok((Link::Value(self.call_expr(scope, &first, args, span, Want::Any)?), 1));
            }
        }
        let (place, n) = self.root_place(scope, name)?;
        Ok((Link::Place(place), n))
    }

    /// Returns the member `ident` of the instance that a path leads to.
    pub(crate) fn callee_at(&mut self, scope: Scope, link: &Link, ident: &Ident) -> Res<Option<Callee<'a>>> {
        if scope.uses != Uses::Code || !self.decls.members.names.contains(&key(&ident.text)) {
            return Ok(None);
        }
        match link {
            Link::Place(place) => self.member_of_place(scope, place.clone(), ident),
            Link::Value(value) if self.names.is_reference(value.ty) && self.names.is_pointer(value.ty) => Ok(None),
            Link::Value(value) | Link::Behind(value) => self.member_of_value(scope, value, ident),
        }
    }

    fn member_of_value(&mut self, scope: Scope, value: &Expr, ident: &Ident) -> Res<Option<Callee<'a>>> {
        if !self.names.is_reference(value.ty) || self.declared_part(value.ty, &ident.text).is_none() {
            return Ok(None);
        }
        if let Some(pointee) = self.names.references.get(&value.ty).and_then(|reference| reference.pointee)
            && let Type::FunctionBlock(block) = self.project.types[pointee].ty
        {
            if self.names.locals[block.0 as usize].contains_key(&key(&ident.text)) {
                return Ok(None);
            }
            // Checks the access; the callee depends on the instance.
            let _found = self.visible_member(scope, block, ident);
        }
        Ok(Some(Callee::of_reference(value.clone(), &ident.text)))
    }

    /// Resolves a call of a method, or the value of a property, with its name and place.
    fn called_link(
        &mut self,
        scope: Scope,
        callee: Callee<'a>,
        words: &str,
        span: Span,
        args: Option<(&[Arg], Span)>,
    ) -> Res<Expr> {
        match args {
            Some((args, end)) => self.call_member(scope, callee, args, span.to(end), true),
            None => self.value_of_property(scope, callee, words, span),
        }
    }

    /// Keeps a reference in a hidden variable, in a statement before.
    fn keep_reference(&mut self, scope: Scope, value: Expr, before: &mut Vec<Stmt>) -> Res<Place> {
        let (ty, span) = (value.ty, value.span);
        let Some(owner) = scope.owner else { return Err(self.result_as_variable(span)) };
        let name = Ident::new("_link", span);
        let var = self.names.new_hidden(&mut self.project, owner, &name, ty, Section::Temp);
        let place = Place::of(Root::Var(var), ty, span);
        before.push(Stmt::assign(place.clone(), value, span));
        Ok(place)
    }

    /// Returns a part of a value: the part that the first elements of `rest` select, up to the first member. Also returns the
    /// number of these elements.
    fn part_of_value(&mut self, scope: Scope, value: Expr, behind: bool, rest: &[NameElem]) -> Res<(Expr, usize)> {
        let span = value.span;
        let mut place = Place::of(Root::Var(OF), value.ty, span);
        if behind && self.names.is_pointer(value.ty) {
            self.dereference(&mut place, span)?;
        } else if behind {
            self.names.follow(&mut place);
        }
        let mut n = 0;
        for elem in rest {
            if let (NameElem::Field(ident), true) = (elem, 0 < n)
                && self.is_member_of(&place, ident)
            {
                break;
            }
            self.step(scope, &mut place, elem)?;
            n += 1;
        }
        if self.project.holds_opaque(place.ty) {
            return Err(self.project.opaque_value(place.ty, place.span));
        }
        if self.project.holds_instance(place.ty) {
            let effect = "the statement is not modelled: nothing after it in the cycle is verified";
            return Err(unsupported(span, "use of an instance that stands behind a call's result", effect));
        }
        Ok((self.names.selected(&mut self.project, place, value), n))
    }

    /// Returns whether a path goes on with a method or property here.
    fn is_member_of(&self, place: &Place, ident: &Ident) -> bool {
        let mut place = place.clone();
        self.names.follow(&mut place);
        if let Type::FunctionBlock(block) = self.project.types[place.ty].ty {
            let is_variable = self.names.locals[block.0 as usize].contains_key(&key(&ident.text));
            !is_variable && self.decls.find_member(&self.names, block, &ident.text).is_some()
        } else if let Type::Enum { .. } = self.project.types[place.ty].ty {
            self.names.is_interface(place.ty) && self.declared_part(place.ty, &ident.text).is_some()
        } else {
            false
        }
    }

    /// Returns whether a call of a property means its value, which refers to an instance.
    pub(crate) fn refers_to_instance(&mut self, callee: &Callee<'a>) -> bool {
        let ty = match &callee.target {
            CallTarget::Member(found) => match found.decl {
                MemberDecl::Property(property) => {
                    let block = callee.block;
                    self.attempt(|r| r.type_spec(Some(block), &property.ty, None)).map(|typed| typed.ty)
                }
                MemberDecl::Method(_) | MemberDecl::Action(_) => None,
            },
            CallTarget::Dynamic(target, name) => match self.declared_part(target.ty, name) {
                Some(Part::Get) => {
                    self.dispatcher(target.ty, name, Part::Get).map(|pou| self.project.pous[pou].vars[VarId(1)].ty)
                }
                Some(Part::Method | Part::Set | Part::Action | Part::Body) | None => None,
            },
            CallTarget::Body(_) => None,
        };
        let pointee = ty.and_then(|ty| self.names.references.get(&ty)).and_then(|reference| reference.pointee);
        pointee.is_some_and(|pointee| matches!(self.project.types[pointee].ty, Type::FunctionBlock(_)))
    }
}

impl Names {
    /// Returns a part of a value, by a call of a function. `place` is that part, with the variable [`OF`] as its root.
    fn selected(&mut self, project: &mut Project, mut place: Place, value: Expr) -> Expr {
        let (ty, span) = (place.ty, place.span);
        let variable = |text: &str, ty: TypeId, section: Section| Var { ty, ..placeholder(&Ident::new(text, span), section) };
        let mut vars: IndexVec<VarId, Var> = IndexVec::new();
        let result = vars.push(variable("_part", ty, Section::Result));
        vars.push(variable("_of", value.ty, Section::Input));
        let mut inputs = vec![(OF, value)];
        for elem in &mut place.path {
            let Elem::Index(indices) = elem else { continue };
            for index in indices.iter_mut().filter(|index| !matches!(index.kind, ExprKind::Literal(_))) {
                let (ty, span) = (index.ty, index.span);
                let var = vars.push(variable(&format!("_index_{}", vars.len()), ty, Section::Input));
                inputs.push((var, std::mem::replace(index, Expr::read(Place::of(Root::Var(var), ty, span)))));
            }
        }
        let body = vec![Stmt::assign(Place::of(Root::Var(RESULT), ty, span), Expr::read(place), span)];
        let name = format!("_part_{}", project.pous.len());
        let pou = project.pous.push(Pou { body, ..Pou::hidden(name, PouKind::Function(Some(result)), vars, span) });
        self.locals.push(std::collections::BTreeMap::new());
        let args = crate::hir::CallArgs { inputs, ..crate::hir::CallArgs::default() };
        Expr::call(pou, args, ty, span)
    }

    fn reference_kind(&self, ty: TypeId) -> Option<RefKind> {
        self.references.get(&ty).map(|reference| reference.kind)
    }

    pub(crate) fn is_pointer(&self, ty: TypeId) -> bool {
        self.reference_kind(ty) == Some(RefKind::Pointer)
    }
}

/// Returns the arguments at a place of a path, if the path has a call there.
fn arguments(path: &[NameElem], at: usize) -> Option<(&[Arg], Span)> {
    match path.get(at)? {
        NameElem::Call(args, span) => Some((args.as_slice(), *span)),
        NameElem::Field(_) | NameElem::Index(..) | NameElem::Bits { .. } | NameElem::Deref(_) => None,
    }
}
