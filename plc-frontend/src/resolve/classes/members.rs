//! Calls of methods and actions: the member that a name means, and its instance.

use crate::ast::{self, Arg, NameElem};
use crate::hir::{CallArgs, Expr, Place, PouId, PouKind, Project, Root, Section, Stmt, Type, TypeId, VarId};
use crate::resolve::calls::copy_table::Types;
use crate::resolve::classes::member_table::{FoundMember, MemberDecl, Part};
use crate::resolve::declare::declarations::Declarations;
use crate::resolve::findings::{Bad, Findings, Res, unsupported};
use crate::resolve::names::tables::{Member, Names, VarRef, key};
use crate::resolve::places::paths::Link;
use crate::resolve::prepare::uses;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses};
use crate::resolve::types::elementary;
use crate::text::{Span, codes};

/// A member of a certain instance.
pub(crate) struct Callee<'a> {
    /// The instance.
    pub(crate) this: Place,
    /// Block whose members are meant; its instance is `this`.
    pub(crate) block: PouId,
    /// The instance is the one whose code is being resolved.
    pub(crate) inside: bool,
    pub(crate) target: CallTarget<'a>,
}

impl Callee<'_> {
    /// Returns the member of the instance behind a reference; its block is known at run time only.
    pub(crate) fn of_reference(target: Expr, name: &str) -> Self {
        let this = Place::of(Root::Var(Member::THIS), target.ty, target.span);
        let target = CallTarget::Dynamic(target, name.to_owned());
        Callee { this, block: PouId(u32::MAX), inside: false, target }
    }
}

/// Target of a call.
pub(crate) enum CallTarget<'a> {
    Member(FoundMember<'a>),
    /// The body of an ancestor.
    Body(PouId),
    /// Member, by its name, of the instance behind a reference.
    Dynamic(Expr, String),
}

impl<'a> Resolver<'a> {
    /// Returns the instance whose code is being resolved.
    pub(crate) fn this_place(&mut self, scope: Scope, span: Span) -> Option<(Place, PouId)> {
        let owner = scope.owner.filter(|_| scope.uses == Uses::Code)?;
        if let Some(member) = self.names.members.get(&owner) {
            let ty = self.project.pous[owner].vars[Member::THIS].ty;
            return Some((Place::of(Root::Var(Member::THIS), ty, span), member.block));
        }
        match self.project.pous[owner].kind {
            PouKind::FunctionBlock | PouKind::Program => {
                let ty = self.types.block(&mut self.project, owner);
                Some((Place::of(Root::This(ty), ty, span), owner))
            }
            PouKind::Function(_) => None,
        }
    }

    /// Returns the method, action or property that a name means; `None` for a variable.
    pub(crate) fn callee(&mut self, scope: Scope, name: &ast::Name, before: Option<&mut Vec<Stmt>>) -> Res<Option<Callee<'a>>> {
        let name = &*self.names.qualified(scope, name);
        if scope.uses != Uses::Code {
            return Ok(None);
        }
        if let Some((is_super, path)) = self.names.self_reference(&self.project, scope, name) {
            let Some((this, block)) = self.this_place(scope, name.root.span) else {
                return Err(self.findings.no_instance(&name.root));
            };
            let from = if is_super { self.decls.base_here(&self.names, &mut self.findings, scope, &name.root)? } else { block };
            return match path {
                [] if is_super => Ok(Some(Callee { this, block, inside: true, target: CallTarget::Body(from) })),
                [NameElem::Field(ident)] => {
                    let found = self.visible_member(scope, from, ident);
                    found.iter().try_for_each(|found| self.check_overloads(found, ident))?;
                    Ok(found.map(|found| Callee { this, block, inside: true, target: CallTarget::Member(found) }))
                }
                _ => self.outer_callee(scope, name, before),
            };
        }
        if !name.path.is_empty() {
            return self.outer_callee(scope, name, before);
        }
        if self.names.local(scope.owner, &key(&name.root.text)).is_some() {
            return Ok(None);
        }
        let Some(owner) = scope.owner else { return Ok(None) };
        let Some(found) = self.visible_member(scope, self.names.block_of(owner), &name.root) else { return Ok(None) };
        self.check_overloads(&found, &name.root)?;
        let Some((this, block)) = self.this_place(scope, name.root.span) else { return Ok(None) };
        Ok(Some(Callee { this, block, inside: true, target: CallTarget::Member(found) }))
    }

    /// Returns the member of a block that a name in this code means. A member without access is reported, and returned all the
    /// same.
    pub(crate) fn visible_member(&mut self, scope: Scope, from: PouId, ident: &ast::Ident) -> Option<FoundMember<'a>> {
        let here = scope.owner.map(|owner| self.names.members.get(&owner).map_or(owner, |member| member.definer));
        let is_of_instance = here.is_some_and(|here| self.names.chain(from).contains(&here));
        let own = here.filter(|_| is_of_instance).and_then(|here| self.decls.find_member(&self.names, here, &ident.text));
        // A PRIVATE member of the block that declares this code is always meant: no heir can replace it.
        if let Some(own) = own
            && Some(own.definer) == here
            && access(&own) == ast::Access::Private
        {
            return Some(own);
        }
        let found = self.decls.find_member(&self.names, from, &ident.text)?;
        // A base sees its own member, also where the instance is of an heir that replaces it.
        let seen = own.unwrap_or(found);
        let (word, visible) = match access(&seen) {
            ast::Access::Private => ("PRIVATE", here == Some(seen.definer)),
            ast::Access::Protected => ("PROTECTED", here.is_some_and(|here| self.names.chain(here).contains(&seen.definer))),
            // INTERNAL members are visible in their library; the extent of libraries is not known here.
            ast::Access::Unspecified | ast::Access::Public | ast::Access::Internal => ("", true),
        };
        if !visible {
            let block = self.project.pous[seen.definer].name.clone();
            let message = format!("`{}` is {word} in `{block}`", ident.text);
            let help = Some("call it from the block itself, or declare it PUBLIC".to_owned());
            self.findings.error_with_help(codes::NOT_PUBLIC, ident.span, message, "not visible from here", help);
        }
        Some(found)
    }

    /// Returns a member of another instance, the last part of a path.
    fn outer_callee(&mut self, scope: Scope, name: &ast::Name, before: Option<&mut Vec<Stmt>>) -> Res<Option<Callee<'a>>> {
        let Some((NameElem::Field(ident), path)) = name.path.split_last() else { return Ok(None) };
        let calls = path.iter().any(|elem| matches!(elem, NameElem::Call(..)));
        let is_member = self.decls.members.names.contains(&key(&name.root.text));
        let reachable = calls
            || is_member
            || self.names.is_variable(&self.project, scope, &name.root)
            || self.names.self_reference(&self.project, scope, name).is_some();
        if !reachable || !self.decls.members.names.contains(&key(&ident.text)) {
            return Ok(None);
        }
        let instance = ast::Name { root: name.root.clone(), path: path.to_vec(), span: name.span };
        let link = self.walk(scope, &instance, before)?;
        let found = self.callee_at(scope, &link, ident)?;
        if let (None, Link::Value(value) | Link::Behind(value)) = (&found, &link) {
            // A reference is not followed again: nested calls would be resolved twice at each level.
            if self.is_part_behind(value.ty, &ident.text) {
                return Err(self.result_as_variable(name.span));
            }
            let message =
                format!("a value of type {} has no method or property `{}`", self.project.type_name(value.ty), ident.text);
            return Err(self.findings.error(codes::UNKNOWN_PART, ident.span, message, "not one of its members"));
        }
        Ok(found)
    }

    /// Returns whether the variable behind a reference of a type has a field or variable of this name.
    fn is_part_behind(&self, reference: TypeId, part: &str) -> bool {
        let Some(pointee) = self.names.references.get(&reference).and_then(|reference| reference.pointee) else { return false };
        if let Type::Struct { fields } = &self.project.types[pointee].ty {
            fields.iter().any(|field| key(&field.name) == key(part))
        } else if let Type::FunctionBlock(block) = self.project.types[pointee].ty {
            self.names.locals[block.0 as usize].contains_key(&key(part))
        } else {
            false
        }
    }

    /// Returns a member of an instance, or of the target of a reference.
    pub(crate) fn member_of_place(&mut self, scope: Scope, mut this: Place, ident: &ast::Ident) -> Res<Option<Callee<'a>>> {
        self.names.follow(&mut this);
        if (self.names.is_interface(this.ty) || self.names.is_dynamic(&self.project, &this))
            && let Some(target) = self.names.as_target(&self.project, scope, &this)
            && self.declared_part(target.ty, &ident.text).is_some()
        {
            return Ok(Some(Callee::of_reference(target, &ident.text)));
        }
        let Type::FunctionBlock(block) = self.project.types[this.ty].ty else { return Ok(None) };
        if self.names.locals[block.0 as usize].contains_key(&key(&ident.text)) {
            return Ok(None);
        }
        let found = self.visible_member(scope, block, ident);
        found.iter().try_for_each(|found| self.check_overloads(found, ident))?;
        Ok(found.map(|found| Callee { this, block, inside: false, target: CallTarget::Member(found) }))
    }

    /// Resolves a call of a method or action.
    pub(crate) fn call_member(
        &mut self,
        scope: Scope,
        callee: Callee<'a>,
        args: &[Arg],
        span: Span,
        as_value: bool,
    ) -> Res<Expr> {
        let is_property = |r: &mut Self, name: &str| {
            let message = format!("`{name}` is a property: it is read and assigned, not called");
            r.findings.error(codes::NOT_CALLABLE, span, message, "a property")
        };
        let (pou, lent) = match &callee.target {
            CallTarget::Dynamic(target, name) => match self.declared_part(target.ty, name) {
                Some(part @ (Part::Method | Part::Action)) => (self.dispatcher(target.ty, name, part), Types::new()),
                Some(Part::Get | Part::Set | Part::Body) | None => return Err(is_property(self, name)),
            },
            CallTarget::Body(ancestor) => {
                let pou = self.body_pou(callee.block, *ancestor);
                self.lent_to(scope, &callee, Some(pou))
            }
            CallTarget::Member(found) => {
                let part = match found.decl {
                    MemberDecl::Method(_) => Part::Method,
                    MemberDecl::Action(_) => Part::Action,
                    MemberDecl::Property(property) => return Err(is_property(self, &property.name.text)),
                };
                let pou = self.member_pou(callee.block, *found, part);
                self.lent_to(scope, &callee, pou)
            }
        };
        let Some(pou) = pou else { return Err(Bad::Reported) };
        let pou = self.copy_for(scope, pou, args, lent, span)?;
        let ty = match self.project.pous[pou].kind {
            PouKind::Function(Some(result)) => {
                if as_value {
                    let name = self.project.pous[pou].name.clone();
                    self.note_first_output(pou, &name, span);
                }
                self.var_type(VarRef::Local(pou, result))?
            }
            PouKind::Function(None) | PouKind::FunctionBlock | PouKind::Program if as_value => {
                let name = if let CallTarget::Dynamic(_, name) = &callee.target { name } else { &self.project.pous[pou].name };
                let message = format!("`{name}` returns no value");
                return Err(self.findings.error(codes::NOT_A_VALUE, span, message, "has no value"));
            }
            PouKind::Function(None) | PouKind::FunctionBlock | PouKind::Program => elementary::BOOL,
        };
        let mut args = self.bind_plain(scope, pou, args, span)?;
        if self.project.holds_opaque(ty) {
            return Err(self.project.opaque_value(ty, span));
        }
        self.hand_over(scope, callee, pou, &mut args, span)?;
        self.findings.ledger.count("method call");
        Ok(Expr::call(pou, args, ty, span))
    }

    /// Returns a member's POU, and the types of the variables that it is lent.
    fn lent_to(&self, scope: Scope, callee: &Callee<'_>, pou: Option<PouId>) -> (Option<PouId>, Types) {
        let lent = pou.map_or(Types::new(), |pou| self.names.lent_types(&self.project, scope, callee, pou));
        (pou, lent)
    }

    /// Gives a call the instance, and the variables that exist in the call of the block's body.
    pub(crate) fn hand_over(&mut self, scope: Scope, callee: Callee<'_>, pou: PouId, args: &mut CallArgs, span: Span) -> Res<()> {
        if let CallTarget::Dynamic(target, _) = callee.target {
            args.inputs.insert(0, (Member::THIS, target));
            return Ok(());
        }
        let lent = self.names.members.get(&pou).map(|member| member.lent.clone()).unwrap_or_default();
        args.in_outs.insert(0, (Member::THIS, callee.this.clone()));
        for (var, own) in lent {
            let row = &self.project.pous[callee.block].vars[var];
            let (section, name) = (row.section, row.name.clone());
            match self.names.lent_here(scope, &callee, var) {
                Some((owner, here)) => {
                    let ty = self.usable(VarRef::Local(owner, here), span)?;
                    args.in_outs.push((own, Place::of(Root::Var(here), ty, span)));
                }
                // A call from outside: VAR_TEMP is fresh, VAR_IN_OUT refers to nothing.
                None if section == Section::InOut && self.decls.mentions(&self.names, pou, callee.block, &name) => {
                    let construct = format!("use of the VAR_IN_OUT `{name}` outside of a call of its block");
                    let effect = "what it refers to is not known, so nothing after this statement in the cycle is verified";
                    return Err(unsupported(span, construct, effect));
                }
                None => {}
            }
        }
        Ok(())
    }
}

impl Names {
    /// Returns whether a name starts with SUPER, and the path behind the dereference; `None` if it starts with neither THIS nor
    /// SUPER.
    pub(crate) fn self_reference<'n>(
        &self,
        project: &Project,
        scope: Scope,
        name: &'n ast::Name,
    ) -> Option<(bool, &'n [NameElem])> {
        let is_super = name.root.text.eq_ignore_ascii_case("SUPER");
        if !is_super && !name.root.text.eq_ignore_ascii_case("THIS") || self.is_variable(project, scope, &name.root) {
            return None;
        }
        let path = match name.path.split_first() {
            Some((NameElem::Deref(_), rest)) => rest,
            Some(_) | None => name.path.as_slice(),
        };
        Some((is_super, path))
    }

    /// Returns a variable that exists in the call of a block's body, if this code is a part of that call.
    fn lent_here(&self, scope: Scope, callee: &Callee<'_>, var: VarId) -> Option<(PouId, VarId)> {
        let owner = scope.owner.filter(|_| callee.inside)?;
        match self.members.get(&owner) {
            Some(member) => member.lent.get(&var).map(|own| (owner, *own)),
            None => Some((owner, var)),
        }
    }

    /// Returns the types of the variables that a member gets from the call of its block, if they differ from the declared ones.
    pub(crate) fn lent_types(&self, project: &Project, scope: Scope, callee: &Callee<'_>, pou: PouId) -> Types {
        let Some(member) = self.members.get(&pou) else { return Types::new() };
        let types = member.lent.iter().filter_map(|(var, own)| {
            let (owner, here) = self.lent_here(scope, callee, *var)?;
            let ty = project.pous[owner].vars[here].ty;
            (ty != project.pous[pou].vars[*own].ty).then_some((*own, ty))
        });
        types.collect()
    }
}

impl Findings {
    /// Reports THIS or SUPER without an instance, or without a block that is extended.
    pub(crate) fn no_instance(&mut self, ident: &ast::Ident) -> Bad {
        let message = format!("there is no `{}` here", ident.text.to_uppercase());
        let help = Some("THIS is the instance of a FUNCTION_BLOCK; SUPER needs EXTENDS".to_owned());
        self.error_with_help(codes::NO_INSTANCE, ident.span, message, "no instance", help)
    }
}

impl Declarations<'_> {
    /// Returns the block extended by the block that declares this code.
    pub(crate) fn base_here(&self, names: &Names, findings: &mut Findings, scope: Scope, ident: &ast::Ident) -> Res<PouId> {
        let owner = scope.owner;
        let definer = owner.map(|owner| names.members.get(&owner).map_or(owner, |member| member.definer));
        let base = definer.and_then(|definer| names.chain(definer).get(1).copied());
        base.ok_or_else(|| {
            if definer.is_some_and(|definer| self.is_orphan(names, definer)) {
                Bad::Reported
            } else {
                findings.no_instance(ident)
            }
        })
    }

    /// Returns whether a member, or another one that it may call, names a variable.
    pub(crate) fn mentions(&self, names: &Names, pou: PouId, block: PouId, name: &str) -> bool {
        let wanted = key(name);
        let Some(&first) = self.members.bodies.get(&pou) else { return false };
        let mut waiting: Vec<&ast::Body> = vec![first];
        let mut seen = std::collections::BTreeSet::new();
        while let Some(body) = waiting.pop() {
            let ast::Body::Statements(stmts) = body else { return true };
            for mentioned in uses::mentions(stmts) {
                if mentioned == wanted || mentioned == "super" {
                    return true;
                }
                if let Some(found) = self.find_member(names, block, &mentioned)
                    && seen.insert(mentioned)
                {
                    match found.decl {
                        MemberDecl::Method(m) => waiting.extend(&m.body),
                        MemberDecl::Action(a) => waiting.push(&a.body),
                        MemberDecl::Property(p) => {
                            waiting.extend(p.getter.iter().chain(&p.setter).filter_map(|half| half.body.as_ref()));
                        }
                    }
                }
            }
        }
        false
    }
}

/// Methods that the system calls at an online change, also without access.
const OF_SYSTEM: &[&str] = &["FB_reinit", "FB_exit"];

/// Returns whether code outside of the block may call a member, or the system does in later cycles. INTERNAL members have callers in
/// their library, whose extent is not known here.
pub(crate) fn is_public(found: &FoundMember<'_>) -> bool {
    let is_of_system = |method: &ast::Method| OF_SYSTEM.iter().any(|name| name.eq_ignore_ascii_case(&method.name.text));
    match (access(found), found.decl) {
        (_, MemberDecl::Method(method)) if is_of_system(method) => true,
        (access, _) => !matches!(access, ast::Access::Private | ast::Access::Protected),
    }
}

/// Returns the access to a member.
fn access(found: &FoundMember<'_>) -> ast::Access {
    match found.decl {
        MemberDecl::Method(method) => method.modifiers.access,
        MemberDecl::Property(property) => property.modifiers.access,
        MemberDecl::Action(_) => ast::Access::Unspecified,
    }
}
