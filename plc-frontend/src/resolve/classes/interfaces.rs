//! Interfaces: their methods and properties, and the blocks that implement them.

use crate::ast;
use crate::hir::{PouId, Project, Section, Type, TypeId};
use crate::resolve::classes::inheritance;
use crate::resolve::classes::member_table::MemberDecl;
use crate::resolve::declare::declarations::Declarations;
use crate::resolve::findings::Findings;
use crate::resolve::names::tables::{Key, NameSet, Names, key};
use crate::resolve::resolver::Resolver;
use crate::text::{Span, codes, suggestion};
use std::collections::BTreeSet;

impl<'a> Resolver<'a> {
    /// Checks the promises of blocks: their interfaces exist, they have all methods, ABSTRACT blocks have no instances.
    pub(crate) fn check_classes(&mut self) {
        for index in 0..self.decls.interfaces.len() {
            for name in &self.decls.interfaces[index].extends {
                self.decls.known_interface(&self.names, &mut self.findings, name);
            }
        }
        for index in 0..self.decls.pous.len() {
            let (id, decl) = (PouId(index as u32), self.decls.pous[index]);
            for name in &decl.implements {
                if let Some(interface) = self.decls.known_interface(&self.names, &mut self.findings, name) {
                    self.decls.check_implemented(&self.names, &mut self.findings, id, interface, name.span);
                }
            }
            self.decls.check_abstract_methods(&self.names, &mut self.findings, id);
        }
        self.names.check_instances(&self.project, &mut self.findings);
    }
}

impl<'a> Declarations<'a> {
    /// Gives numbers to interfaces.
    pub(crate) fn collect_interface(&mut self, names: &mut Names, interface: &'a ast::Interface) {
        let index = self.interfaces.len();
        self.interfaces.push(interface);
        let name = ast::Ident::new(names.full(&interface.name), interface.name.span);
        names.interfaces.entry(key(&name.text)).or_insert(index);
        self.declare("interface", NameSet::Units, &name);
        let names = interface.methods.iter().map(|m| &m.name).chain(interface.properties.iter().map(|p| &p.name));
        let keys: Vec<Key> = names.map(|name| key(&name.text)).collect();
        self.members.names.extend(keys);
    }

    /// Returns the full name of an interface, with its place.
    pub(crate) fn interface_head(&self, names: &Names, index: usize) -> ast::Ident {
        let head = self.interfaces.get(index).map(|i| ast::Ident::new(names.full(&i.name), i.name.span));
        head.unwrap_or(ast::Ident::new("", Span::none()))
    }

    /// Returns an interface and those that it extends.
    pub(crate) fn interfaces_of(&self, names: &Names, index: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut waiting = vec![index];
        while let Some(index) = waiting.pop() {
            if let (true, Some(interface)) = (found.insert(index), self.interfaces.get(index)) {
                let bases = interface.extends.iter().map(inheritance::last_name);
                waiting.extend(bases.filter_map(|name| names.interfaces.get(&names.meant(name)).copied()));
            }
        }
        found
    }

    /// Returns whether interface `a` extends interface `b`.
    pub(crate) fn interface_extends(&self, names: &Names, a: usize, b: usize) -> bool {
        self.interfaces_of(names, a).contains(&b)
    }

    /// Returns whether a block, or a block that it extends, implements an interface.
    pub(crate) fn implements(&self, names: &Names, block: PouId, interface: usize) -> bool {
        let named = names.chain(block).iter().filter_map(|pou| self.pous.get(pou.0 as usize)).flat_map(|decl| &decl.implements);
        let mut indices = named.filter_map(|name| names.interfaces.get(&names.meant(inheritance::last_name(name))));
        indices.any(|index| self.interface_extends(names, *index, interface))
    }

    fn known_interface(&self, names: &Names, findings: &mut Findings, name: &ast::Name) -> Option<usize> {
        let ident = inheritance::last_name(name);
        let found = names.interfaces.get(&names.meant(ident)).copied();
        if found.is_none() {
            let known = self.interfaces.iter().map(|i| i.name.text.as_str());
            let help = suggestion(&ident.text, known).unwrap_or_else(|| "upload the file that declares it".to_owned());
            let message = format!("there is no interface `{}`", ident.text);
            findings.error_with_help(codes::UNKNOWN_TYPE, name.span, message, "not declared in any file", Some(help));
        }
        found
    }

    /// Checks that a block that is not ABSTRACT has every method and property of an interface.
    fn check_implemented(&self, names: &Names, findings: &mut Findings, id: PouId, interface: usize, span: Span) {
        let decl = self.pous[id.0 as usize];
        if decl.modifiers.is_abstract || self.is_orphan(names, id) {
            return;
        }
        for index in self.interfaces_of(names, interface) {
            let Some(&interface) = self.interfaces.get(index) else { continue };
            // Its uses may mean another block that implements it.
            if names.guesses.has(&interface.name.text) {
                continue;
            }
            let methods = interface.methods.iter().map(|m| &m.name);
            for name in methods.chain(interface.properties.iter().map(|p| &p.name)) {
                if self.find_member(names, id, &name.text).is_none() {
                    let (block, promised) = (&decl.name.text, &interface.name.text);
                    let message = format!("`{block}` implements `{promised}` and has no `{}`", name.text);
                    findings.error(codes::MISSING_METHOD, span, message, "promises more than the block has");
                }
            }
        }
    }

    /// Checks that a block that is not ABSTRACT has a body for every method.
    fn check_abstract_methods(&self, names: &Names, findings: &mut Findings, id: PouId) {
        let decl = self.pous[id.0 as usize];
        if decl.modifiers.is_abstract || self.is_orphan(names, id) {
            return;
        }
        for &ancestor in names.chain(id) {
            for method in self.pous[ancestor.0 as usize].methods.iter().filter(|m| m.modifiers.is_abstract) {
                let found = self.find_member(names, id, &method.name.text);
                let is_written = found.is_some_and(|found| match found.decl {
                    MemberDecl::Method(m) => !m.modifiers.is_abstract,
                    MemberDecl::Property(_) | MemberDecl::Action(_) => true,
                });
                if !is_written {
                    let message = format!("`{}` has no body for the ABSTRACT method `{}`", decl.name.text, method.name.text);
                    findings.error(codes::MISSING_METHOD, decl.name.span, message, "not ABSTRACT itself");
                }
            }
        }
    }
}

impl Names {
    fn check_instances(&self, project: &Project, findings: &mut Findings) {
        let globals = project.globals.iter().map(|v| (v.ty, v.span));
        let locals = project.pous.iter().flat_map(|p| p.vars.iter().filter(|v| v.section != Section::InOut));
        let all: Vec<(TypeId, Span)> = globals.chain(locals.map(|v| (v.ty, v.span))).collect();
        for (mut ty, span) in all {
            while let Type::Array { elem, .. } = &project.types[ty].ty {
                ty = *elem;
            }
            let Type::FunctionBlock(block) = project.types[ty].ty else { continue };
            if self.classes.get(block.0 as usize).is_some_and(|class| class.is_abstract) {
                let message = format!("`{}` is ABSTRACT and has no instances", project.pous[block].name);
                findings.error(codes::ABSTRACT_INSTANCE, span, message, "an instance");
            }
        }
    }

    /// Returns whether a type is an interface.
    pub(crate) fn is_interface(&self, ty: TypeId) -> bool {
        self.references.get(&ty).is_some_and(|reference| reference.interface.is_some())
    }
}
