//! Ids and names for the declarations of all files. Nothing is resolved yet, so their order cannot matter.

use crate::ast;
use crate::hir::{Pou, PouId, PouKind, Project, Section, Var, VarId};
use crate::lang::has_ending;
use crate::resolve::declare::declarations::{Declarations, Home, VarSite, placeholder};
use crate::resolve::declare::placed_elsewhere::has_literals;
use crate::resolve::findings::Findings;
use crate::resolve::names::tables::{Local, NameSet, Names, Slot, VarRef, VariantHome, key};
use crate::resolve::prepare::declaration_order;
use crate::resolve::resolver::Resolver;
use crate::resolve::startup::instances::STATIC_ARGUMENTS;
use crate::stub::INTERFACES;
use crate::text::{Origin, SourceSet, codes, suggestion};
use std::collections::BTreeMap;

impl<'a> Resolver<'a> {
    /// Gives ids to all POUs, variables and types of the units.
    pub(crate) fn collect(&mut self, units: &'a [ast::Unit], sources: &SourceSet) {
        for pou in declaration_order::pous(units) {
            let origin = sources.files.get(pou.span.file).map_or(Origin::User, |f| f.origin);
            self.decls.declare_pou(&mut self.names, &mut self.project, pou, origin);
        }
        self.collect_classes();
        let mut pous = (0..self.decls.pous.len()).map(|index| PouId(index as u32));
        for item in declaration_order::all(units) {
            match item {
                ast::Item::Pou(pou) => {
                    let file = sources.files.get(pou.span.file);
                    let is_interface = file.is_some_and(|file| has_ending(&file.name, INTERFACES));
                    pous.next().into_iter().for_each(|id| self.collect_pou(id, is_interface));
                }
                ast::Item::Type(decl) => self.decls.collect_type(&mut self.names, decl),
                ast::Item::Globals(block) => self.collect_block(None, block),
                ast::Item::Namespace(space) => self.names.collect_space(&space.name),
                ast::Item::Configuration(configuration) => {
                    for block in declaration_order::configured_globals(configuration) {
                        self.collect_block(None, block);
                    }
                }
                ast::Item::Interface(interface) => self.decls.collect_interface(&mut self.names, interface),
                ast::Item::Using(_) | ast::Item::Unsupported(..) => {}
            }
        }
        units.iter().flat_map(|unit| &unit.aliases).for_each(|alias| self.names.collect_other_name(alias));
        for i in 0..self.decls.externals.len() {
            let (pou, decl) = self.decls.externals[i];
            self.names.collect_external(&self.project, &mut self.findings, pou, decl);
        }
        self.collect_members();
        self.find_overloaded_functions();
    }

    /// Collects the variables of a POU: inherited ones, then its own.
    ///
    /// No statement assigns the result of a function in a file of interfaces. So an input may have the function's name.
    fn collect_pou(&mut self, id: PouId, is_interface: bool) {
        let pou = self.decls.pous[id.0 as usize];
        let name = ast::Ident::new(self.names.full(&pou.name), pou.name.span);
        self.decls.declare("POU", NameSet::Units, &name);
        if let (ast::PouKind::Function, Some(result)) = (pou.kind, &pou.result) {
            let mut own = pou.vars.iter().flat_map(|block| &block.vars);
            let is_taken = own.any(|var| key(&var.name.text) == key(&pou.name.text));
            let is_empty = matches!(&pou.body, ast::Body::Statements(body) if body.is_empty());
            let mut var = placeholder(&pou.name, Section::Result);
            if is_interface && is_taken && is_empty {
                var.name = format!("result of {}", var.name);
            } else {
                self.decls.declare("result", NameSet::Pou(id), &pou.name);
            }
            self.collect_var(Some(id), var, VarSite { ty: result, init: None, owner: Some(id) });
        }
        let chain = self.names.classes[id.0 as usize].chain.clone();
        for ancestor in chain.into_iter().rev() {
            let own = ancestor == id;
            let n_vars = self.decls.pous[ancestor.0 as usize].vars.iter().map(|b| b.vars.len()).sum();
            if !own && !self.decls.allow_copies(&mut self.findings, n_vars, pou.span) {
                continue;
            }
            // There is one VAR_GLOBAL, however many blocks inherit it.
            let blocks = self.decls.pous[ancestor.0 as usize].vars.iter().filter(|b| own || b.section != ast::Section::Global);
            blocks.for_each(|block| {
                // A static variable exists once, however many blocks inherit it.
                if block.section == ast::Section::Stat && !own {
                    self.collect_statics(id, ancestor, block);
                } else {
                    self.collect_block(Some(id), block);
                }
            });
            self.decls.collect_inst(&mut self.names, &mut self.project, id, ancestor);
        }
    }

    /// Collects the static variables in a block of `definer`, for a POU that inherits them.
    fn collect_statics(&mut self, pou: PouId, definer: PouId, block: &'a ast::VarBlock) {
        block.vars.iter().for_each(|decl| self.collect_static(pou, definer, block, decl));
    }

    fn collect_static(&mut self, pou: PouId, definer: PouId, block: &'a ast::VarBlock, decl: &'a ast::VarDecl) {
        if decl.args.is_empty() {
            self.decls.collect_static(&mut self.names, &mut self.project, (pou, definer), block, decl);
        } else {
            self.findings.assume(decl.span, STATIC_ARGUMENTS);
        }
    }

    pub(crate) fn collect_block(&mut self, pou: Option<PouId>, block: &'a ast::VarBlock) {
        for decl in &block.vars {
            self.names.collect_alias(pou.map(|pou| self.project.pous[pou].name.as_str()), decl);
            let (owner, section) = match (pou, block.section) {
                (None, _) | (_, ast::Section::Global) => (None, Section::Global),
                (Some(pou), ast::Section::External) => {
                    self.decls.declare("variable", NameSet::Pou(pou), &decl.name);
                    self.decls.externals.push((pou, decl));
                    continue;
                }
                (Some(_), ast::Section::Var) => (pou, Section::Local),
                (Some(pou), ast::Section::Input) => (Some(pou), self.project.input_section(pou, &decl.ty)),
                (Some(_), ast::Section::Output) => (pou, Section::Output),
                (Some(_), ast::Section::InOut) => (pou, Section::InOut),
                (Some(_), ast::Section::Temp) => (pou, Section::Temp),
                (Some(pou), ast::Section::Stat) => {
                    let definer = self.names.members.get(&pou).map_or(pou, |member| member.definer);
                    self.collect_static(pou, definer, block, decl);
                    continue;
                }
                (Some(pou), ast::Section::Inst) => {
                    self.decls.declare("variable", NameSet::Pou(pou), &decl.name);
                    self.names.find_inst(&self.project, pou, decl);
                    if !decl.args.is_empty() && !has_literals(&decl.args) {
                        self.findings.assume(decl.span, "arguments of a declaration in VAR_INST that are no literals");
                    }
                    continue;
                }
                // Sections of configurations.
                (Some(_), ast::Section::Config | ast::Section::Access) => continue,
            };
            let list = block.list.as_ref().filter(|_| owner.is_none());
            // VAR_INPUT CONSTANT is constant only in the body: each call gives it a value.
            let given = matches!(section, Section::Input | Section::InOut | Section::Output);
            let is_unknown = owner.is_none() && self.names.guesses.section(block.span).is_some();
            let var = Var {
                // The value of a constant that no file declares is not known.
                constant: block.constant && !given && !is_unknown,
                retain: block.retain,
                address: decl.address.as_ref().map(|(address, _)| address.clone()),
                stopwatch: decl.stopwatch,
                ..placeholder(&decl.name, section)
            };
            let name = if owner.is_none() && list.is_none() { self.names.full_value(&decl.name) } else { var.name };
            let var = Var { name, ..var };
            let ty = match (&decl.ty.kind, section) {
                // An argument by REFERENCE is a VAR_IN_OUT.
                (ast::TypeSpecKind::Reference(inner), Section::InOut) => inner,
                _ => &decl.ty,
            };
            let site = VarSite { ty, init: decl.init.as_ref(), owner: pou };
            let row = match owner {
                Some(pou) => VarRef::Local(pou, VarId(self.project.pous[pou].vars.len() as u32)),
                None => VarRef::Global(crate::hir::GlobalId(self.project.globals.len() as u32)),
            };
            if block.constant && section == Section::InOut {
                self.decls.read_only.insert(row);
            }
            if !decl.args.is_empty() {
                self.decls.args.insert(row, &decl.args);
            }
            if let (VarRef::Local(pou, id), Some(base)) = (row, &decl.view_of) {
                self.decls.overlays.entry(pou).or_default().push((id, base));
            }
            if let VarRef::Global(id) = row {
                if is_unknown {
                    self.names.guesses.add_global(id, block.constant);
                }
                let home = list.map_or(Home::Section(block.span), |list| Home::List(self.names.list_index(list)));
                self.decls.homes.insert(id, home);
            }
            match list {
                Some(list) => self.decls.collect_listed(&mut self.names, &mut self.project, list, var, site),
                None => {
                    self.collect_var(owner, var, site);
                    let full = owner.map_or_else(|| self.names.full_value(&decl.name), |_| decl.name.text.clone());
                    let ident = ast::Ident::new(full, decl.name.span);
                    self.decls.declare("variable", owner.map_or(NameSet::Globals, NameSet::Pou), &ident);
                    if let (Some(pou), Some(edge)) = (owner, decl.edge)
                        && let Some(id) = self.project.pous[pou].vars.ids().next_back()
                    {
                        self.names.collect_edge(self.dialect, &mut self.project, pou, id, edge);
                    }
                }
            }
        }
    }

    pub(crate) fn collect_var(&mut self, owner: Option<PouId>, var: Var, site: VarSite<'a>) {
        let name = key(&var.name);
        let variable = match owner {
            Some(pou) => {
                let id = self.project.pous[pou].vars.push(var);
                self.names.locals[pou.0 as usize].entry(name).or_insert(Local::Var(id));
                VarRef::Local(pou, id)
            }
            None => {
                let id = self.project.globals.push(var);
                self.names.globals.entry(name).or_insert(id);
                VarRef::Global(id)
            }
        };
        if let VarRef::Local(pou, id) = variable {
            self.decls.note_open_parameter(&self.project, pou, id, site.ty);
        }
        self.decls.site(&mut self.names, variable, site);
    }
}

impl Names {
    fn collect_space(&mut self, name: &ast::Name) {
        self.spaces.insert(key(&name.root.text));
        for elem in &name.path {
            if let ast::NameElem::Field(ident) = elem {
                self.spaces.insert(key(&ident.text));
            }
        }
    }

    pub(crate) fn collect_external(&mut self, project: &Project, findings: &mut Findings, pou: PouId, decl: &ast::VarDecl) {
        let local = match self.globals.get(&self.meant_value(&decl.name)) {
            Some(&global) => Local::External(global),
            None => {
                let message = format!("there is no global variable `{}`", decl.name.text);
                let known = project.globals.iter().map(|g| g.name.as_str());
                let help = suggestion(&decl.name.text, known)
                    .unwrap_or_else(|| "declare it in a VAR_GLOBAL section, or upload the file that does".to_owned());
                findings.error_with_help(codes::NO_GLOBAL, decl.name.span, message, "declared external here", Some(help));
                Local::Broken
            }
        };
        self.locals[pou.0 as usize].entry(key(&decl.name.text)).or_insert(local);
    }
}

impl<'a> Declarations<'a> {
    fn collect_type(&mut self, names: &mut Names, decl: &'a ast::TypeDecl) {
        let index = self.types.len();
        self.types.push(decl);
        names.declared.push(Slot::Waiting);
        let name = ast::Ident::new(names.full(&decl.name), decl.name.span);
        names.types.entry(key(&name.text)).or_insert(index);
        self.declare("type", NameSet::Units, &name);
        self.collect_parts(names, &decl.ty, VariantHome::Type(index));
    }

    fn declare_pou(&mut self, names: &mut Names, project: &mut Project, pou: &'a ast::Pou, origin: Origin) {
        let kind = match pou.kind {
            ast::PouKind::Program => PouKind::Program,
            ast::PouKind::FunctionBlock => PouKind::FunctionBlock,
            ast::PouKind::Function => PouKind::Function(pou.result.as_ref().map(|_| VarId(0))),
        };
        let empty = Pou::hidden(names.full(&pou.name), kind, crate::ids::IndexVec::new(), pou.span);
        let id = project.pous.push(Pou { diagrams: pou.diagrams.clone(), origin, ..empty });
        self.pous.push(pou);
        names.locals.push(BTreeMap::new());
        names.pous.entry(names.meant(&pou.name)).or_insert(id);
    }
}

impl Project {
    /// Returns the section of an input. An argument by REFERENCE is a VAR_IN_OUT, except where the callee keeps it: FB_init.
    fn input_section(&self, pou: PouId, ty: &ast::TypeSpec) -> Section {
        let name = &self.pous[pou].name;
        if name.rsplit_once('.').is_some_and(|(_, member)| member.eq_ignore_ascii_case("FB_init")) {
            return Section::Input;
        }
        match (&self.pous[pou].kind, &ty.kind) {
            (PouKind::Function(_), ast::TypeSpecKind::Reference(_)) => Section::InOut,
            (PouKind::Function(_) | PouKind::FunctionBlock | PouKind::Program, _) => Section::Input,
        }
    }
}
