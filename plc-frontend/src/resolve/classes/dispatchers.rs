//! Calls through references: a function for each method and type of reference.
//!
//! It looks at the reference's number and calls the method of that instance's block.

use crate::ast;
use crate::hir::{
    CallArgs, CaseArm, Elem, Expr, Place, Pou, PouId, PouKind, Project, Root, Section, Stmt, StmtKind, Type, TypeId, Var, VarId,
};
use crate::ids::IndexVec;
use crate::resolve::calls::copy_table::Types;
use crate::resolve::classes::dispatcher_table::Dispatcher;
use crate::resolve::classes::member_table::{FoundMember, MemberDecl, MemberSignature, Part};
use crate::resolve::declare::declarations;
use crate::resolve::declare::declarations::{Declarations, VarSite};
use crate::resolve::findings::Res;
use crate::resolve::names::tables::{Member, Names, VarRef, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::Scope;
use crate::resolve::types::elementary;
use crate::text::{Span, codes};
use std::collections::BTreeMap;

impl<'a> Resolver<'a> {
    /// Returns the function that calls `name` of the instance behind a reference of type `reference`.
    pub(crate) fn dispatcher(&mut self, reference: TypeId, name: &str, part: Part) -> Option<PouId> {
        let site = (reference, key(name), part);
        if let Some(&id) = self.dispatchers.ids.get(&site) {
            return Some(id);
        }
        let prototype = self.decls.prototype(&self.names, &self.project, reference, name, part)?;
        let result = prototype.result.map(|_| VarId(1));
        let id = self.project.pous.push(Pou::hidden(
            format!("{}.{}", self.project.type_name(reference), prototype.name.text),
            PouKind::Function(result),
            IndexVec::new(),
            prototype.span,
        ));
        self.names.locals.push(BTreeMap::new());
        self.names.dispatchers.insert(id);
        self.dispatchers.ids.insert(site, id);
        let target = ast::Ident::new(Pou::TARGET, prototype.name.span);
        self.project.pous[id].vars.push(Var { ty: reference, ..declarations::placeholder(&target, Section::Input) });
        let sites = [(prototype.result, Section::Result), (prototype.value, Section::Input)];
        for (ty, section) in sites.into_iter().filter_map(|(ty, section)| Some((ty?, section))) {
            let var = declarations::placeholder(prototype.name, section);
            self.collect_var(Some(id), var, VarSite { ty, init: None, owner: Some(id) });
        }
        let is_parameter = |block: &&ast::VarBlock| {
            part == Part::Method && matches!(block.section, ast::Section::Input | ast::Section::Output | ast::Section::InOut)
        };
        prototype.vars.iter().filter(is_parameter).for_each(|block| self.collect_block(Some(id), block));
        if self.decls.members.settled {
            self.settle(id);
        }
        self.dispatchers.rows.push(Dispatcher { pou: id, reference, name: name.to_owned(), part });
        Some(id)
    }

    /// Returns the member that an interface or a referred block declares under a name.
    pub(crate) fn declared_part(&self, reference: TypeId, name: &str) -> Option<Part> {
        let parts = [Part::Method, Part::Get, Part::Set, Part::Action];
        parts.into_iter().find(|part| self.decls.prototype(&self.names, &self.project, reference, name, *part).is_some())
    }

    /// Makes the members that calls through references need; they may bring new targets with them.
    pub(crate) fn reach_targets(&mut self) {
        self.finish_references();
        for row in 0..self.dispatchers.rows.len() {
            let row = self.dispatchers.rows[row].clone();
            if self.is_open(row.pou) {
                continue;
            }
            for block in self.project.blocks_behind(row.reference).into_keys() {
                if let Some(found) = self.decls.find_member(&self.names, block, &row.name)
                    && let Some(pou) = self.member_pou(block, found, row.part)
                {
                    self.suited(row.pou, pou);
                }
            }
        }
    }

    /// Returns the copy of a member that has parameters of a dispatcher's types.
    fn suited(&mut self, dispatcher: PouId, pou: PouId) -> PouId {
        let given: Vec<(Section, String, TypeId)> =
            self.project.pous[dispatcher].vars.iter().skip(1).map(|v| (v.section, key(&v.name), v.ty)).collect();
        let mut types = Types::new();
        for (section, name, ty) in given {
            let mut vars = self.project.pous[pou].vars.iter_enumerated();
            let found = vars.find(|(_, v)| v.section == section && key(&v.name) == name && v.ty != ty).map(|(id, _)| id);
            drop(vars);
            match found {
                Some(id) if self.can_take(pou, id, ty) => drop(types.insert(id, ty)),
                Some(_) | None => {}
            }
        }
        self.with_types(pou, types)
    }

    /// Writes the bodies of all dispatchers: `CASE TARGET OF numbers of a block's instances: TARGET^.m(…); … END_CASE`.
    pub(crate) fn fill_dispatchers(&mut self) {
        for row in std::mem::take(&mut self.dispatchers.rows) {
            if self.is_open(row.pou) {
                continue;
            }
            let span = self.project.pous[row.pou].span;
            let target = Place::of(Root::Var(Member::THIS), row.reference, span);
            let is_guess = self.is_guessed_interface(row.reference);
            let mut arms = Vec::new();
            for (block, numbers) in self.project.blocks_behind(row.reference) {
                let view = self.types.block(&mut self.project, block);
                let this = Place { path: vec![Elem::Deref(view)], ty: view, ..target.clone() };
                let found = self.decls.find_member(&self.names, block, &row.name);
                let mark = self.findings.mark();
                let body = match found.and_then(|found| self.arm(&row, block, found, this, span).ok()) {
                    Some(stmt) => vec![stmt],
                    None if is_guess => {
                        self.findings.forget_since(mark);
                        vec![self.unknown_target(&row, span)]
                    }
                    None => continue,
                };
                arms.push(CaseArm { labels: numbers.into_iter().map(|n| (n, n)).collect(), body, span });
            }
            // Other numbers refer to nothing: following the reference reports it.
            let first = arms.first().and_then(|arm| arm.labels.first()).map(|label| label.0);
            let targets = self.project.references.get(&row.reference);
            let view = targets.and_then(|all| all.iter().find(|t| Some(t.number) == first)).map(|t| t.place.ty);
            // Without any instance, the reference is read as a type that nothing has: every number is a null reference.
            let seen = view.unwrap_or(elementary::BOOL);
            let whole = Place { path: vec![Elem::Deref(seen)], ty: seen, ..target.clone() };
            let follow = StmtKind::Eval(Expr::read(whole));
            match (is_guess, view) {
                // Any block may implement it.
                (true, None) => {
                    self.dispatchers.unknown.insert(row.pou);
                    continue;
                }
                (true, Some(_)) => {
                    let otherwise = vec![self.unknown_target(&row, span)];
                    let kind = StmtKind::Case { selector: Expr::read(target), arms, otherwise };
                    self.project.pous[row.pou].body = vec![Stmt { kind, span }];
                    continue;
                }
                (false, _) => {}
            }
            let kind = if view.is_none() {
                follow
            } else {
                StmtKind::Case { selector: Expr::read(target), arms, otherwise: vec![Stmt { kind: follow, span }] }
            };
            self.project.pous[row.pou].body = vec![Stmt { kind, span }];
        }
    }

    /// Returns whether a reference is one to an interface whose declaration is a guess.
    fn is_guessed_interface(&self, reference: TypeId) -> bool {
        let interface = self.names.references.get(&reference).and_then(|reference| reference.interface);
        let interface = interface.and_then(|interface| self.decls.interfaces.get(interface));
        interface.is_some_and(|interface| self.names.guesses.has(&interface.name.text))
    }

    /// Returns the gap of a call whose target may be a block that no file declares.
    fn unknown_target(&mut self, row: &Dispatcher, span: Span) -> Stmt {
        let construct = format!("call of `{}` of a block that no file declares", self.project.pous[row.pou].name);
        let effect = "which code runs is not known: nothing after the call in the cycle is verified";
        let gap = self.findings.record_unsupported(span, construct, effect);
        Stmt { kind: StmtKind::Gap(gap), span }
    }

    fn arm(&mut self, row: &Dispatcher, block: PouId, found: FoundMember<'a>, this: Place, span: Span) -> Res<Stmt> {
        let refused = |r: &mut Self| {
            let (name, of) = (r.project.pous[row.pou].name.clone(), r.project.pous[block].name.clone());
            let message = format!("`{of}.{}` does not suit `{name}`, through which it is called", row.name);
            r.findings.error(codes::OVERRIDE, span, message, "other parameters or another result")
        };
        let Some(pou) = self.member_pou(block, found, row.part) else { return Err(refused(self)) };
        let pou = self.suited(row.pou, pou);
        let place = |r: &Self, id: VarId| {
            let ty = r.project.pous[row.pou].vars[id].ty;
            Place::of(Root::Var(id), ty, span)
        };
        let lent: Vec<VarId> = self.names.members.get(&pou).map_or(Vec::new(), |m| m.lent.keys().copied().collect());
        for var in lent {
            let (section, name) = (self.project.pous[block].vars[var].section, self.project.pous[block].vars[var].name.clone());
            if section == Section::InOut && self.decls.mentions(&self.names, pou, block, &name) {
                let construct = format!("use of the VAR_IN_OUT `{name}` outside of a call of its block");
                let effect = "what it refers to is not known, so nothing after this in the cycle is verified".to_owned();
                let gap = self.findings.record_unsupported(span, construct, effect);
                return Ok(Stmt { kind: StmtKind::Gap(gap), span });
            }
        }
        let mut args = CallArgs { in_outs: vec![(Member::THIS, this)], ..CallArgs::default() };
        let own: Vec<(VarId, Section, String)> =
            (self.project.pous[row.pou].vars.iter_enumerated().skip(1)).map(|(id, v)| (id, v.section, key(&v.name))).collect();
        let mut result = None;
        for (id, section, name) in own {
            if section == Section::Result {
                result = Some(id);
                continue;
            }
            let vars = self.project.pous[pou].vars.iter_enumerated();
            let wanted = vars.filter(|(_, v)| v.section == section).find(|(_, v)| key(&v.name) == name).map(|(id, v)| (id, v.ty));
            let from = place(self, id);
            match (wanted, section) {
                (Some((to, ty)), _) if ty == from.ty => match section {
                    Section::Input => args.inputs.push((to, Expr::read(from))),
                    Section::InOut => args.in_outs.push((to, from)),
                    Section::Output => args.outputs.push((to, from)),
                    Section::Local | Section::Temp | Section::Result | Section::Global => {}
                },
                (_, Section::Local | Section::Temp | Section::Global) => {}
                (_, Section::Input | Section::InOut | Section::Output | Section::Result) => return Err(refused(self)),
            }
        }
        let ty = match (self.project.pous[pou].kind, result) {
            (PouKind::Function(Some(var)), Some(_)) => self.var_type(VarRef::Local(pou, var))?,
            (PouKind::Function(None), Some(_)) => return Err(refused(self)),
            (_, _) => elementary::BOOL,
        };
        let call = Expr::call(pou, args, ty, span);
        match result {
            Some(result) if place(self, result).ty != ty => Err(refused(self)),
            Some(result) => Ok(Stmt::assign(place(self, result), call, span)),
            None => Ok(Stmt { kind: StmtKind::Eval(call), span }),
        }
    }
}

impl Names {
    /// Returns whether the callee of a call on this place depends on the target of a reference.
    pub(crate) fn is_dynamic(&self, project: &Project, place: &Place) -> bool {
        let Type::FunctionBlock(block) = project.types[place.ty].ty else { return false };
        let behind = matches!(place.path.last(), Some(Elem::Deref(_)));
        behind && self.classes.iter().enumerate().any(|(i, c)| i != block.0 as usize && c.chain.contains(&block))
    }

    /// Returns the reference behind which a call looks for its target.
    pub(crate) fn as_target(&self, project: &Project, scope: Scope, place: &Place) -> Option<Expr> {
        let mut reference = place.clone();
        if !self.is_interface(place.ty) {
            let Some(Elem::Deref(_)) = reference.path.pop() else { return None };
            reference.ty = project.type_of(scope, &reference)?;
        }
        Some(Expr::read(reference))
    }
}

impl<'a> Declarations<'a> {
    /// Returns the signature that an interface or a referred block declares for a member.
    fn prototype(
        &self,
        names: &Names,
        project: &Project,
        reference: TypeId,
        name: &str,
        part: Part,
    ) -> Option<MemberSignature<'a>> {
        let info = names.references.get(&reference)?;
        let Some(interface) = info.interface else {
            let Type::FunctionBlock(block) = project.types[info.pointee?].ty else { return None };
            let found = self.find_member(names, block, name)?;
            return self.with_half(names, found, part).decl.signature(part);
        };
        let is = |ident: &ast::Ident| key(&ident.text) == key(name);
        self.interfaces_of(names, interface).into_iter().find_map(|index| {
            let interface = *self.interfaces.get(index)?;
            let method = interface.methods.iter().find(|m| is(&m.name)).map(MemberDecl::Method);
            let property = interface.properties.iter().find(|p| is(&p.name)).map(MemberDecl::Property);
            [method, property].into_iter().flatten().find_map(|decl| decl.signature(part))
        })
    }
}

impl Project {
    /// Returns the blocks whose instances a reference can refer to, with the numbers of these.
    fn blocks_behind(&self, reference: TypeId) -> BTreeMap<PouId, Vec<i128>> {
        let mut found: BTreeMap<PouId, Vec<i128>> = BTreeMap::new();
        for target in self.references.get(&reference).into_iter().flatten() {
            if let Type::FunctionBlock(block) = self.types[target.place.ty].ty {
                found.entry(block).or_default().push(target.number);
            }
        }
        found
    }
}
