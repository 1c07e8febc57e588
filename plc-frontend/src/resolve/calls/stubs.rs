//! Bodies of stubs: each call gives everything that the callee may write any value.
//!
//! A stub writes its variables, its result and outputs, and the variables that the call gives to it: by VAR_IN_OUT, or by a
//! reference. It writes nothing else: the ledger says so, and each report lists it. Where the written variables cannot be listed, the
//! call is a gap. The values come from inputs of their own ([`Project::at_call`]), so violations are replayed.

use crate::ast;
use crate::hir::walk::{self, Access, Visit};
use crate::hir::{
    CallArgs, Interface, Parts, Place, Pou, PouId, PouKind, Project, Root, Section, Stmt, StmtKind, Stub, StubHeir, TypeId, Var,
    VarId,
};
use crate::ids::Id;
use crate::resolve::calls::stub_writes::{Named, Writes};
use crate::resolve::resolver::Resolver;
use crate::stub::{INTERFACES, Marks};
use crate::text::{FileId, GapId, Origin, SourceSet, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Most bytes between the beginning of a TYPE block and its first declaration.
const FIRST_TYPE: u32 = 16;

impl<'a> Resolver<'a> {
    /// Gives the stubs among the POUs their bodies, and their instances that do not persist their initial values.
    ///
    /// Soundness: take a body that returns, and writes only its own variables and those that the call gives to it. A call of the stub
    /// reaches every state that this body can reach.
    pub(crate) fn fill_stubs(&mut self, sources: &SourceSet, marks: &Marks) {
        let bodiless = self.bodiless(sources);
        if marks.is_empty() && bodiless.is_empty() {
            return;
        }
        let mut asked = BTreeMap::new();
        self.project.stubs = self.find_stubs(marks, bodiless, &mut asked);
        self.give_system_values(&asked, sources);
        let named = self.project.named_by_code();
        self.write_arguments(&named);
        self.project.stub_heirs = self.heirs_of_stubs();
        self.note_heirs_of_stubs();
        let called = self.called();
        let stubs: Vec<(PouId, Stub)> = self.project.stubs.iter().map(|(id, stub)| (*id, *stub)).collect();
        for (id, stub) in stubs {
            // Requirements may call functions that no body calls.
            let pou = &self.project.pous[id];
            let is_function = matches!(pou.kind, PouKind::Function(_)) && pou.member_of.is_none();
            let runs = called.contains(&id) || is_function;
            self.project.pous[id].body = if runs { self.stub_body(id, stub, &named) } else { Vec::new() };
        }
        self.start_instances(&named);
    }

    /// Finds the POUs of stubs: declarations with the attribute, their members and copies. `asked` gets the functions that give
    /// values of the controller: these are no stubs.
    fn find_stubs(
        &mut self,
        marks: &Marks,
        bodiless: BTreeMap<Span, Interface>,
        asked: &mut BTreeMap<PouId, Interface>,
    ) -> BTreeMap<PouId, Stub> {
        let mut marked = self.marked(marks);
        marked.extend(bodiless);
        let mut stubs = BTreeMap::new();
        for id in self.project.pous.ids() {
            let pou = &self.project.pous[id];
            let definer = self.names.members.get(&id).map(|member| member.definer);
            let block = definer.and_then(|definer| Some((definer, *marked.get(&self.project.pous[definer].span)?)));
            let (declared, interface) = match (block, marked.get(&pou.span)) {
                (Some(block), _) => block,
                (None, Some(interface)) => (id, *interface),
                (None, None) => continue,
            };
            if matches!(interface, Interface::System | Interface::Undefined) && self.can_be_asked(id) {
                asked.insert(id, interface);
            } else if self.can_be_stub(id) {
                let gap = {
                    let decl = self.decls.pous.get(declared.index());
                    self.findings.record_stub(&self.project, declared, interface, decl.is_some_and(|decl| gets_reference(decl)))
                };
                stubs.insert(id, Stub { interface, gap });
            }
        }
        for id in std::mem::take(&mut self.dispatchers.unknown) {
            let gap = self.findings.record_stub(&self.project, id, Interface::Inferred, false);
            stubs.insert(id, Stub { interface: Interface::Inferred, gap });
        }
        stubs
    }

    /// Returns the places of POUs without statements that are know-how-protected, or in files that hold interfaces only: their bodies are
    /// elsewhere, often in C.
    fn bodiless(&self, sources: &SourceSet) -> BTreeMap<Span, Interface> {
        let is_interface = |span: Span| {
            let file = sources.files.get(span.file);
            file.is_some_and(|file| file.origin == Origin::User && crate::lang::has_ending(&file.name, INTERFACES))
        };
        let pous = self.project.pous.iter_enumerated().filter(|(_, pou)| pou.body.is_empty());
        let interface = |(id, pou): (PouId, &Pou)| {
            let is_protected = self.decls.pous.get(id.index()).is_some_and(|decl| decl.is_protected);
            let interface = if is_protected { Interface::Protected } else { Interface::Declared };
            (is_protected || is_interface(pou.span)).then_some((pou.span, interface))
        };
        pous.filter_map(interface).collect()
    }

    fn can_be_stub(&self, id: PouId) -> bool {
        self.project.pous[id].kind != PouKind::Program && !self.names.dispatchers.contains(&id)
    }

    /// Returns the places of the declarations of stubs. In XML a declaration begins before its text.
    ///
    /// Soundness: an attribute that belongs to no block, function or method is an assumption.
    fn marked(&mut self, marks: &Marks) -> BTreeMap<Span, Interface> {
        let pous = self.project.pous.iter_enumerated().filter(|(id, _)| self.can_be_stub(*id));
        let spans: BTreeSet<Span> = pous.map(|(_, pou)| pou.span).collect();
        let mut marked = BTreeMap::new();
        for (file, at, interface) in marks.all() {
            let around = spans.iter().filter(|span| span.file == file && span.start <= at && at < span.end);
            match around.min_by_key(|span| span.end - span.start) {
                Some(span) => {
                    marked.insert(*span, interface);
                }
                None if self.is_unknown_section(file, at) => {}
                None => match (interface, self.declared_type_at(file, at), self.interface_at(file, at)) {
                    (Interface::Inferred, Some(decl), _) => self.findings.record_inferred_type(decl),
                    (Interface::Inferred, None, Some(decl)) => self.findings.record_inferred_interface(decl),
                    (
                        Interface::Inferred
                        | Interface::Declared
                        | Interface::Protected
                        | Interface::System
                        | Interface::Undefined,
                        _,
                        _,
                    ) => {
                        let place = Span { file, start: at, end: at };
                        self.findings.assume(place, "attribute 'stub' in front of no block, function or method");
                    }
                },
            }
        }
        marked
    }

    /// Returns the type whose declaration begins at a place, or is the first one of the TYPE block there.
    fn declared_type_at(&self, file: FileId, at: u32) -> Option<&'a ast::TypeDecl> {
        let behind = self.decls.types.iter().copied().filter(|decl| decl.span.file == file && at <= decl.span.start);
        // Only the word TYPE and blanks stand between both.
        behind.min_by_key(|decl| decl.span.start).filter(|decl| decl.span.start - at <= FIRST_TYPE)
    }

    fn interface_at(&self, file: FileId, at: u32) -> Option<&'a ast::Interface> {
        self.decls.interfaces.iter().copied().find(|decl| decl.span.file == file && decl.span.start <= at && at < decl.span.end)
    }

    /// Enters the global variables whose values are not known; returns whether one of their sections begins at a place.
    fn is_unknown_section(&mut self, file: FileId, at: u32) -> bool {
        let guesses = &self.names.guesses;
        let is_there = |span: &Span| span.file == file && span.start <= at && at < span.end;
        let Some(section) = guesses.sections().find(is_there) else { return false };
        let rows = guesses.globals().iter().map(|(id, keeps)| (*id, *keeps));
        let inside = rows.filter(|(id, _)| section.file == file && is_inside(section, self.project.globals[*id].span));
        for (id, keeps_value) in inside.collect::<Vec<_>>() {
            self.findings.record_unknown_global(&self.project.globals[id], keeps_value);
            self.project.unknown_globals.insert(id, keeps_value);
        }
        true
    }

    /// Returns the POUs that some body calls, and the entries.
    fn called(&self) -> BTreeSet<PouId> {
        let mut called: BTreeSet<PouId> = self.project.instances.iter().map(|instance| instance.pou).collect();
        for (_, pou) in self.project.pous.iter_enumerated().filter(|(id, _)| !self.project.stubs.contains_key(id)) {
            walk::calls(&pou.body, |callee| {
                called.insert(callee);
            });
        }
        called
    }

    /// Returns the POUs of blocks that extend a stub and are none, with the stub.
    fn heirs_of_stubs(&self) -> BTreeMap<PouId, StubHeir> {
        let is_stub = |id: &PouId| self.project.stubs.contains_key(id);
        let heir = |id: PouId| {
            let chain = self.names.chain(self.names.block_of(id));
            let base = chain.iter().copied().find(is_stub)?;
            let own: Vec<Span> =
                chain.iter().take_while(|block| **block != base).map(|block| self.project.pous[*block].span).collect();
            (!own.is_empty()).then_some((id, StubHeir { base, own }))
        };
        self.project.pous.ids().filter_map(heir).collect()
    }

    /// Notes the conditions about blocks that extend a stub: code of the stub may call members of theirs that override its own.
    fn note_heirs_of_stubs(&mut self) {
        let heirs: Vec<(PouId, PouId)> = self.project.stub_heirs.iter().map(|(id, heir)| (*id, heir.base)).collect();
        for (heir, base) in heirs.into_iter().filter(|(heir, _)| !self.names.members.contains_key(heir)) {
            let own = self.names.chain(heir).iter().take_while(|block| **block != base);
            let mut own = own.filter_map(|block| self.decls.pous.get(block.index()));
            if own.any(|decl| may_override(decl)) {
                self.findings.record_heir(&self.project, heir, base);
            }
        }
    }

    /// Returns the body of a stub; a gap if it may write variables that are not known.
    fn stub_body(&mut self, id: PouId, stub: Stub, named: &Named) -> Vec<Stmt> {
        let span = self.project.pous[id].span;
        let mut writes = Writes::new(&mut self.project, &self.names, named, id, stub.gap);
        match writes.call() {
            Ok(()) => writes.body,
            Err(why) => {
                let construct = format!("call of the stub `{}`, {why}", self.project.pous[id].name);
                let effect = "the variables that it writes are not known: nothing after a call of it in the cycle is verified";
                let place = self.project.first_call(id).unwrap_or(span);
                let gap = self.findings.record_unsupported(place, construct, effect);
                vec![Stmt { kind: StmtKind::Gap(gap), span }]
            }
        }
    }

    /// Lets instances of stubs that do not persist begin each call with any value.
    fn start_instances(&mut self, named: &Named) {
        let is_stub = |id: &PouId| self.project.stubs.contains_key(id);
        for id in self.project.pous.ids().filter(|id| !is_stub(id)).collect::<Vec<_>>() {
            let is_function = matches!(self.project.pous[id].kind, PouKind::Function(_));
            let begins = |var: &Var| match var.section {
                Section::Temp => true,
                Section::Local | Section::Output | Section::Result => is_function,
                Section::Input | Section::InOut | Section::Global => false,
            };
            let vars = self.project.pous[id].vars.iter_enumerated();
            let vars: Vec<(VarId, TypeId, Span)> =
                vars.filter(|(_, var)| begins(var)).map(|(var, row)| (var, row.ty, row.span)).collect();
            for (var, ty, span) in vars {
                let Some((block, gap)) = self.stub_inside(ty) else { continue };
                let name = format!("{}.{}", self.project.pous[id].name, self.project.pous[id].vars[var].name);
                let mut writes = Writes::new(&mut self.project, &self.names, named, id, gap);
                let starts = match writes.all_of(Place::of(Root::Var(var), ty, span), name) {
                    Ok(()) => writes.body,
                    Err(why) => {
                        let construct =
                            format!("instance of the stub `{}` in memory of a call, {why}", self.project.pous[block].name);
                        let effect = "its initial values are not known: nothing after the beginning of the call is verified";
                        let gap = self.findings.record_unsupported(span, construct, effect);
                        vec![Stmt { kind: StmtKind::Gap(gap), span }]
                    }
                };
                self.project.pous[id].body.splice(0..0, starts);
            }
        }
    }

    /// Returns a stub with an instance in values of a type, at any depth, and its gap.
    fn stub_inside(&self, ty: TypeId) -> Option<(PouId, GapId)> {
        let (mut waiting, mut seen) = (vec![ty], BTreeSet::new());
        while let Some(ty) = waiting.pop() {
            if !seen.insert(ty) {
                continue;
            }
            match self.project.types[ty].ty.parts() {
                Parts::Elements(_, elem) => waiting.push(elem),
                Parts::Fields(fields) => waiting.extend(fields.iter().map(|field| field.ty)),
                Parts::Variables(block) => match self.project.stubs.get(&block) {
                    Some(stub) => return Some((block, stub.gap)),
                    None => waiting.extend(self.project.pous[block].vars.iter().map(|var| var.ty)),
                },
                Parts::Scalar => {}
            }
        }
        None
    }
}

impl Project {
    /// Returns the shortest statement with a call of a POU, in the first POU that has one. Cost: linear in the program.
    fn first_call(&self, callee: PouId) -> Option<Span> {
        self.pous.iter().find_map(|pou| {
            let mut place: Option<Span> = None;
            walk::stmts(&pou.body, |stmt| {
                let mut calls = false;
                walk::calls(std::slice::from_ref(stmt), |called| calls |= called == callee);
                let is_shorter = place.is_none_or(|place| stmt.span.end - stmt.span.start < place.end - place.start);
                if calls && is_shorter {
                    place = Some(stmt.span);
                }
            });
            place
        })
    }

    /// Returns the parts of the state that bodies of other POUs than stubs name.
    pub(crate) fn named_by_code(&self) -> Named {
        struct Search<'p> {
            project: &'p Project,
            owner: PouId,
            found: Named,
        }
        impl<'h> Visit<'h> for Search<'_> {
            fn place(&mut self, place: &'h Place, _: Access) {
                self.place_parts(place);
                self.found.variables.extend(self.project.members_on(Some(self.owner), place));
                self.found.types.extend(self.project.types_on(Some(self.owner), place));
            }
            fn call(&mut self, callee: PouId, args: &'h CallArgs) {
                self.call_parts(args);
                self.found.variables.extend(args.outputs.iter().map(|(var, _)| (callee, *var)));
            }
        }
        let mut search = Search { project: self, owner: PouId(0), found: Named::default() };
        for (id, pou) in self.pous.iter_enumerated().filter(|(id, _)| !self.stubs.contains_key(id)) {
            search.owner = id;
            search.body(&pou.body);
        }
        search.found
    }
}

/// Returns whether a POU, or a member of it, has an input of type REFERENCE. It is a variable that the call gives, as a VAR_IN_OUT is.
fn gets_reference(decl: &ast::Pou) -> bool {
    let is_reference = |ty: &ast::TypeSpec| matches!(ty.kind, ast::TypeSpecKind::Reference(_));
    let methods = decl.methods.iter().flat_map(|method| &method.vars);
    let inputs = decl.vars.iter().chain(methods).filter(|block| block.section == ast::Section::Input);
    inputs.flat_map(|block| &block.vars).any(|var| is_reference(&var.ty)) || decl.properties.iter().any(|it| is_reference(&it.ty))
}

/// Returns whether a block has members that may override those of its base. The system calls the others at the start alone.
fn may_override(decl: &ast::Pou) -> bool {
    let of_start = ["FB_INIT", "FB_REINIT", "FB_EXIT"];
    let is_called = |method: &ast::Method| !of_start.contains(&method.name.text.to_ascii_uppercase().as_str());
    decl.methods.iter().any(is_called) || !decl.properties.is_empty() || !decl.actions.is_empty()
}

fn is_inside(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}
