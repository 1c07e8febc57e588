//! Places of names with their paths.

use crate::ast::{self, NameElem};
use crate::dialect::{Dialect, Visibility};
use crate::hir::{Elem, InstanceId, Place, PouId, PouKind, Project, Root, Section, TypeId, VarId};
use crate::resolve::findings::{Bad, Findings, Res, unsupported};
use crate::resolve::names::tables::{Local, Member, Names, Unusable, VarRef, key};
use crate::resolve::places::paths::Link;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses};
use crate::resolve::types::elementary;
use crate::text::{INHERITED, Span, codes, suggestion};

impl Resolver<'_> {
    /// Resolves a name to its place. A REFERENCE gives the place of its target.
    pub(crate) fn place(&mut self, scope: Scope, name: &ast::Name) -> Res<Place> {
        let mut place = self.raw_place(scope, name)?;
        self.names.follow(&mut place);
        Ok(place)
    }

    /// Resolves a name to its place. A REFERENCE gives its own place.
    pub(crate) fn raw_place(&mut self, scope: Scope, name: &ast::Name) -> Res<Place> {
        match self.walk(scope, name, None)? {
            Link::Place(place) => Ok(place),
            Link::Value(_) | Link::Behind(_) => Err(self.result_as_variable(name.span)),
        }
    }

    /// Resolves the variable at the start of a path, and returns the number of path elements that name it.
    pub(crate) fn root_place(&mut self, scope: Scope, name: &ast::Name) -> Res<(Place, usize)> {
        if let Some(place) = self.static_of_pou(scope, name) {
            return Ok((place, 1));
        }
        let place = self.root(scope, &name.root)?;
        let (Root::Instance(id), true, Uses::Condition) = (place.root, place.path.is_empty(), scope.uses) else {
            return Ok((place, 0));
        };
        if self.names.means_own_variable(&self.project, id, &name.root, name.path.first()) {
            return Ok((self.instance_member(id, &name.root)?, 0));
        }
        match name.path.first() {
            Some(NameElem::Field(field)) => Ok((self.instance_member(id, field)?, 1)),
            Some(NameElem::Index(..) | NameElem::Bits { .. } | NameElem::Deref(_) | NameElem::Call(..)) | None => {
                let message = format!("`{}` is a program and has no value of its own", name.root.text);
                let help = Some(format!("name one of its variables: {}.…", name.root.text));
                Err(self.findings.error_with_help(codes::NOT_A_VALUE, name.root.span, message, "a program", help))
            }
        }
    }

    /// Returns the VAR_STAT that a condition names by its block, method or function: it exists once, for all instances.
    fn static_of_pou(&self, scope: Scope, name: &ast::Name) -> Option<Place> {
        let (Uses::Condition, Some(NameElem::Field(field))) = (scope.uses, name.path.first()) else { return None };
        let pou = self.names.pous.get(&key(&name.root.text))?;
        let is_block = self.project.pous[*pou].kind != PouKind::Program;
        let id = self.names.globals.get(&key(&format!("{}.{}", self.project.pous[*pou].name, field.text)))?;
        is_block.then(|| Place::of(Root::Global(*id), self.project.globals[*id].ty, name.root.span.to(field.span)))
    }

    fn root(&mut self, scope: Scope, ident: &ast::Ident) -> Res<Place> {
        let name = key(&ident.text);
        let (root, var) = match (self.names.local(scope.owner, &name), scope.owner) {
            (Some(Local::Var(id)), Some(owner)) => (Root::Var(id), VarRef::Local(owner, id)),
            (Some(Local::Inherent(block, id)), _) => {
                let ty = self.usable(VarRef::Local(block, id), ident.span)?;
                return Ok(Place { root: Root::Var(Member::THIS), path: vec![Elem::Member(id)], ty, span: ident.span });
            }
            (Some(Local::External(id)), _) => (Root::Global(id), VarRef::Global(id)),
            (Some(Local::Broken), _) => return Err(Bad::Reported),
            (Some(Local::Var(_)) | None, _) => match self.names.globals.get(&self.names.meant_value(ident)) {
                Some(_) if self.names.ambiguous.contains_key(&self.names.meant_value(ident)) => {
                    return Err(self.names.ambiguous_global(&mut self.findings, ident));
                }
                Some(&id) => (Root::Global(id), VarRef::Global(id)),
                None if scope.uses == Uses::Condition => return self.condition_root(scope, ident),
                None if scope.uses == Uses::Code && self.names.instances.contains_key(&self.names.meant_value(ident)) => {
                    let Some(&id) = self.names.instances.get(&self.names.meant_value(ident)) else {
                        return Err(Bad::Reported);
                    };
                    let pou = self.project.instances[id].pou;
                    let ty = self.types.block(&mut self.project, pou);
                    return Ok(Place::of(Root::Instance(id), ty, ident.span));
                }
                None => return Err(self.unknown_name(scope, ident)),
            },
        };
        let ty = self.usable(var, ident.span)?;
        Ok(Place::of(root, ty, ident.span))
    }

    /// Resolves `THIS^.x`: a variable of the block, even if the method has one of this name.
    pub(crate) fn own_variable(&mut self, scope: Scope, block: PouId, ident: &ast::Ident) -> Res<Place> {
        let id = match self.names.locals[block.0 as usize].get(&key(&ident.text)) {
            Some(&Local::Var(id)) => id,
            Some(&Local::External(id)) if self.decls.hidden_globals.contains(&id) => {
                let ty = self.usable(VarRef::Global(id), ident.span)?;
                return Ok(Place::of(Root::Global(id), ty, ident.span));
            }
            Some(Local::External(_) | Local::Inherent(..) | Local::Broken) | None => {
                return Err(self.unknown_member(block, ident));
            }
        };
        let id = self.names.seen(block, id);
        let member = scope.owner.and_then(|owner| Some((owner, self.names.members.get(&owner)?)));
        let (root, path, var) = match member.map(|(owner, member)| (owner, member.lent.get(&id))) {
            None => (Root::Var(id), Vec::new(), VarRef::Local(block, id)),
            Some((owner, Some(&lent))) => (Root::Var(lent), Vec::new(), VarRef::Local(owner, lent)),
            Some((_, None)) => (Root::Var(Member::THIS), vec![Elem::Member(id)], VarRef::Local(block, id)),
        };
        let ty = self.usable(var, ident.span)?;
        Ok(Place { root, path, ty, span: ident.span })
    }

    /// Resolves the first name of a condition: a program instance, or a variable that only one program instance has.
    fn condition_root(&mut self, scope: Scope, ident: &ast::Ident) -> Res<Place> {
        let name = key(&ident.text);
        if let Some(&id) = self.names.instances.get(&name) {
            return Ok(Place::of(Root::Instance(id), elementary::BOOL, ident.span));
        }
        let owners: Vec<InstanceId> = (self.project.instances.iter_enumerated())
            .filter(|(_, i)| self.names.locals[i.pou.0 as usize].contains_key(&name))
            .map(|(id, _)| id)
            .collect();
        match owners.as_slice() {
            [id] => self.instance_member(*id, ident),
            [] => Err(self.unknown_name(scope, ident)),
            several => {
                let names: Vec<String> =
                    several.iter().map(|id| format!("{}.{}", self.project.instances[*id].name, ident.text)).collect();
                let message = format!("several programs have a variable `{}`", ident.text);
                let help = Some(format!("write one of {}", names.join(", ")));
                Err(self.findings.error_with_help(codes::AMBIGUOUS_NAME, ident.span, message, "which one?", help))
            }
        }
    }

    fn instance_member(&mut self, instance: InstanceId, ident: &ast::Ident) -> Res<Place> {
        let pou = self.project.instances[instance].pou;
        match self.names.locals[pou.0 as usize].get(&key(&ident.text)) {
            Some(&Local::Var(id)) => {
                let ty = self.usable(VarRef::Local(pou, id), ident.span)?;
                self.project.persists(&mut self.findings, pou, id, ident)?;
                Ok(Place { root: Root::Instance(instance), path: vec![Elem::Member(id)], ty, span: ident.span })
            }
            Some(&Local::External(id)) => {
                let ty = self.usable(VarRef::Global(id), ident.span)?;
                Ok(Place::of(Root::Global(id), ty, ident.span))
            }
            Some(Local::Broken) => Err(Bad::Reported),
            Some(Local::Inherent(..)) | None => Err(self.unknown_member(pou, ident)),
        }
    }

    /// Returns the type of a variable; an error if the variable cannot be used.
    pub(crate) fn usable(&mut self, var: VarRef, span: Span) -> Res<TypeId> {
        self.touch_type(var);
        if let VarRef::Local(owner, id) = var
            && self.bodies.byte_pointers.holds(owner, id)
        {
            return Err(self.pointer_gap(span));
        }
        let ty = self.var_type(var)?;
        match self.names.unusable.get(&var) {
            None => Ok(ty),
            Some(Unusable::Broken) => Err(Bad::Reported),
            Some(Unusable::Gap { construct, effect }) => Err(unsupported(span, construct.clone(), effect.clone())),
        }
    }

    /// Notes the use of a POU whose declaration may be wrong.
    pub(crate) fn touch(&mut self, pou: PouId) {
        if let Some(guess) = self.names.guess_of(&self.project, pou) {
            self.findings.touch_guess(&self.project.pous[guess].name);
        }
    }

    /// Notes the use of a type whose declaration may lack values or fields.
    pub(crate) fn touch_parts(&mut self, ty: TypeId) {
        if let Some(name) = self.project.types[ty].name.as_deref().filter(|name| self.names.guesses.may_lack_parts(name)) {
            self.findings.touch_guess(name);
        }
    }

    /// Notes the use of a variable whose type or value is a guess.
    fn touch_type(&mut self, var: VarRef) {
        let Some(site) = self.decls.vars.get(&var) else { return };
        if let Some(name) = self.names.guesses.in_type(site.ty) {
            self.findings.touch_guess(name);
        } else if let VarRef::Global(id) = var
            && self.names.guesses.is_global(id)
        {
            self.findings.touch_guess(&self.project.globals[id].name);
        }
    }

    /// Returns the gap of a name that a block may inherit from one whose declaration is a guess.
    pub(crate) fn inherited_guess(&self, scope: Scope, ident: &ast::Ident) -> Option<Bad> {
        let base = self.names.guessed_base(&self.project, scope.owner?)?;
        let construct = format!("`{}`{INHERITED}`{}`", ident.text, self.project.pous[base].name);
        Some(unsupported(ident.span, construct, "the statement is not modelled, so nothing after it in the cycle is verified"))
    }

    /// Reports an unknown name, once in each POU.
    pub(crate) fn unknown_name(&mut self, scope: Scope, ident: &ast::Ident) -> Bad {
        if ident.text.eq_ignore_ascii_case("NULL") {
            let effect = "pointers are not modelled: nothing after this statement in the cycle is verified";
            return unsupported(ident.span, "NULL", effect);
        }
        let block = scope.owner.map(|owner| self.names.block_of(owner));
        if block.is_some_and(|block| self.decls.is_orphan(&self.names, block)) {
            return Bad::Reported;
        }
        // Each use is a gap: nothing else tells of the second one.
        if let Some(gap) = self.inherited_guess(scope, ident) {
            return gap;
        }
        if !self.findings.first_unknown(scope.owner, &ident.text) {
            return Bad::Reported;
        }
        if let Some(&pou) = self.names.pous.get(&self.names.meant(ident)) {
            let is_idle = self.project.instances.iter().all(|instance| instance.pou != pou);
            let kind = match self.project.pous[pou].kind {
                crate::hir::PouKind::Program if is_idle && scope.uses == Uses::Condition => {
                    let message = format!("the program `{}` does not run, so its variables have no values", ident.text);
                    return self.findings.error(
                        codes::NOT_A_VALUE,
                        ident.span,
                        message,
                        "no task runs it, or another entry is chosen",
                    );
                }
                crate::hir::PouKind::Program => "a PROGRAM",
                crate::hir::PouKind::FunctionBlock => "a FUNCTION_BLOCK and not one of its instances",
                crate::hir::PouKind::Function(_) => "a FUNCTION and needs parentheses",
            };
            let message = format!("`{}` is {kind}", ident.text);
            return self.findings.error(codes::NOT_A_VALUE, ident.span, message, "not a variable");
        }
        if let Some(all) = self.names.several(ident) {
            return self.findings.ambiguous_in_libraries(ident, self.names.libraries.way_out(all));
        }
        if self.names.lists.contains_key(&key(&ident.text)) {
            let message = format!("the list `{}` has no variable of the name behind the point", ident.text);
            return self.findings.error(codes::UNKNOWN_NAME, ident.span, message, "a list of global variables");
        }
        let help = self.names.suggest_variable(&self.project, scope, &ident.text);
        let message = format!("there is no variable `{}` here", ident.text);
        self.findings.error_with_help(codes::UNKNOWN_NAME, ident.span, message, "not declared", help)
    }

    pub(crate) fn unknown_member(&mut self, pou: PouId, ident: &ast::Ident) -> Bad {
        self.touch(pou);
        if self.decls.is_orphan(&self.names, pou) {
            return Bad::Reported;
        }
        let base = self.names.guessed_base(&self.project, pou);
        if let Some(base) = base {
            self.touch(base);
        }
        if self.decls.find_member(&self.names, pou, &ident.text).is_some() {
            let construct = format!("use of `{}` of `{}` as a variable", ident.text, self.project.pous[pou].name);
            let effect = "the statement is not modelled: nothing after it in the cycle is verified";
            return unsupported(ident.span, construct, effect);
        }
        let known = self.project.pous[pou].vars.iter().map(|v| v.name.as_str());
        let help = suggestion(&ident.text, known);
        let message = format!("`{}` has no variable `{}`", self.project.pous[pou].name, ident.text);
        self.findings.error_with_help(codes::UNKNOWN_PART, ident.span, message, "not one of its variables", help)
    }

    /// Resolves an expression that is the target of a write to its place.
    pub(crate) fn target(&mut self, scope: Scope, e: &ast::Expr) -> Res<Place> {
        match &e.kind {
            ast::ExprKind::Name(name) => self.place(scope, name),
            ast::ExprKind::Address(text) => self.address_place(scope, text, e.span),
            ast::ExprKind::Error => Err(Bad::Reported),
            ast::ExprKind::Literal(_, ast::Literal::Opaque(words)) => {
                let effect = "it is not modelled: nothing after this statement in the cycle is verified";
                Err(unsupported(e.span, *words, effect))
            }
            ast::ExprKind::Literal(..) | ast::ExprKind::Call(..) | ast::ExprKind::Unary(..) | ast::ExprKind::Binary(..) => {
                Err(self.findings.error(codes::NOT_A_PLACE, e.span, "a variable is needed here", "a value, not a variable"))
            }
        }
    }
}

impl Names {
    /// Returns whether the name means a variable or an instance here.
    pub(crate) fn is_variable(&self, project: &Project, scope: Scope, ident: &ast::Ident) -> bool {
        let name = key(&ident.text);
        let local = self.local(scope.owner, &name).is_some();
        let in_instances = || {
            scope.uses != Uses::Constant && self.instances.contains_key(&self.meant_value(ident))
                || scope.uses == Uses::Condition
                    && (project.instances.iter().any(|i| self.locals[i.pou.0 as usize].contains_key(&name)))
        };
        local || self.globals.contains_key(&self.meant_value(ident)) || in_instances()
    }

    /// Returns whether the variables of instances of a block are visible in this code.
    pub(crate) fn sees_inside(&self, dialect: &Dialect, project: &Project, scope: Scope, pou: PouId) -> bool {
        let own = scope.owner.map(|owner| self.block_of(owner));
        let is_own = own.is_some_and(|own| self.chain(own).contains(&pou));
        let is_visible = dialect.visibility == Visibility::Everywhere;
        is_own || is_visible || project.pous[pou].kind == crate::hir::PouKind::Program
    }

    fn ambiguous_global(&self, findings: &mut Findings, ident: &ast::Ident) -> Bad {
        let names = self.ambiguous.get(&self.meant_value(ident)).cloned().unwrap_or_default();
        let message = format!("several lists of global variables have a variable `{}`", ident.text);
        let help = Some(format!("write it with its list, for example {}", names.last().map_or("", String::as_str)));
        findings.error_with_help(codes::AMBIGUOUS_NAME, ident.span, message, "which one?", help)
    }

    /// Returns whether the name of a program means its variable of the same name, because the path fits only that variable.
    fn means_own_variable(&self, project: &Project, instance: InstanceId, name: &ast::Ident, next: Option<&NameElem>) -> bool {
        let locals = &self.locals[project.instances[instance].pou.0 as usize];
        let is_member = matches!(next, Some(NameElem::Field(field)) if locals.contains_key(&key(&field.text)));
        locals.contains_key(&key(&name.text)) && !is_member
    }
}

impl Project {
    /// Checks that a variable has a value between two cycles.
    pub(crate) fn persists(&self, findings: &mut Findings, pou: PouId, id: VarId, ident: &ast::Ident) -> Res<()> {
        match self.pous[pou].vars[id].section {
            Section::Input | Section::Output | Section::Local | Section::InOut | Section::Global => Ok(()),
            Section::Temp | Section::Result => {
                let message = format!("`{}` is temporary: it has no value between two cycles", ident.text);
                Err(findings.error(codes::NOT_ACCESSIBLE, ident.span, message, "a VAR_TEMP variable"))
            }
        }
    }
}
