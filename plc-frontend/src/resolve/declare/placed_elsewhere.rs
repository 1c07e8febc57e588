//! Variables that live elsewhere than where they are declared: in named lists, with VAR_STAT, with VAR_INST of methods.

use crate::ast;
use crate::hir::{PouId, Section, Var};
use crate::resolve::declare::collect::{VarSite, placeholder};
use crate::resolve::names::tables::{Local, Space, VarRef, VariantHome, key};
use crate::resolve::resolver::Resolver;

impl<'a> Resolver<'a> {
    /// A variable of a named list: `List.x`, and `x` alone if it is the only one.
    pub(crate) fn collect_listed(&mut self, list: &ast::GlobalList, mut var: Var, site: VarSite<'a>) {
        let (name, space) = (key(&var.name), key(&list.name.text));
        let index = self.list_index(list);
        let ident = ast::Ident { text: var.name.clone(), span: var.span };
        self.declare("variable", Space::List(index), &ident);
        let full = format!("{}.{}", list.name.text, var.name);
        let taken = self.names.globals.get(&name).copied();
        if list.qualified_only || taken.is_some() {
            var.name = full.clone();
        }
        let id = self.project.globals.push(var);
        self.decls.vars.insert(VarRef::Global(id), site);
        self.collect_parts(site.ty, VariantHome::Var(VarRef::Global(id)));
        self.names.globals.entry(format!("{space}.{name}")).or_insert(id);
        match taken {
            _ if list.qualified_only => {}
            None => {
                self.names.globals.insert(name, id);
            }
            Some(other) => {
                let other = self.project.globals[other].name.clone();
                self.names.ambiguous.entry(name).or_insert_with(|| vec![other]).push(full);
            }
        }
    }

    /// The number of a list: in the order in which they are found.
    pub(crate) fn list_index(&mut self, list: &ast::GlobalList) -> usize {
        let next = self.names.lists.len();
        *self.names.lists.entry(key(&list.name.text)).or_insert(next)
    }

    /// VAR_STAT: a global variable that only this POU sees.
    pub(crate) fn collect_static(&mut self, pou: PouId, block: &'a ast::VarBlock, decl: &'a ast::VarDecl) {
        self.declare("variable", Space::Pou(pou), &decl.name);
        let definer = self.names.members.get(&pou).map_or(pou, |member| member.definer);
        let text = match definer == pou || self.names.block_of(pou) == definer {
            true => format!("{}.{}", self.project.pous[pou].name, decl.name.text),
            // One for all that inherit the method.
            false => {
                let name = &self.project.pous[pou].name;
                let method = name.rsplit('.').next().unwrap_or(name);
                format!("{}.{method}.{}", self.project.pous[definer].name, decl.name.text)
            }
        };
        let id = match self.names.globals.get(&key(&text)) {
            Some(&id) => id,
            None => {
                let ident = ast::Ident { text: text.clone(), span: decl.name.span };
                let var = Var { constant: block.constant, retain: block.retain, ..placeholder(&ident, Section::Global) };
                let id = self.project.globals.push(var);
                self.names.globals.insert(key(&text), id);
                let site = VarSite { ty: &decl.ty, init: decl.init.as_ref(), owner: Some(pou) };
                self.decls.vars.insert(VarRef::Global(id), site);
                self.collect_parts(site.ty, VariantHome::Var(VarRef::Global(id)));
                self.decls.hidden_globals.push(id);
                id
            }
        };
        self.names.locals[pou.0 as usize].entry(key(&decl.name.text)).or_insert(Local::External(id));
    }

    /// VAR_INST of methods: variables of the block that only the method sees.
    pub(crate) fn collect_kept(&mut self, id: PouId, ancestor: PouId) {
        let decl = self.decls.pous[ancestor.0 as usize];
        for method in &decl.methods {
            for block in method.vars.iter().filter(|b| b.section == ast::Section::Inst) {
                for var in &block.vars {
                    let own = format!("{}.{}", method.name.text, var.name.text);
                    let text = if ancestor == id { own.clone() } else { format!("{}.{own}", decl.name.text) };
                    let ident = ast::Ident { text, span: var.name.span };
                    let row = Var { constant: block.constant, retain: block.retain, ..placeholder(&ident, Section::Local) };
                    let site = VarSite { ty: &var.ty, init: var.init.as_ref(), owner: Some(id) };
                    let row = self.project.pous[id].vars.push(row);
                    self.decls.vars.insert(VarRef::Local(id, row), site);
                    self.collect_parts(site.ty, VariantHome::Var(VarRef::Local(id, row)));
                    let name = key(&format!("{}.{own}", decl.name.text));
                    self.names.locals[id.0 as usize].entry(name).or_insert(Local::Var(row));
                }
            }
        }
    }

    pub(crate) fn find_kept(&mut self, pou: PouId, decl: &ast::VarDecl) {
        let Some(member) = self.names.members.get(&pou) else { return };
        let name = &self.project.pous[pou].name;
        let method = name.rsplit('.').next().unwrap_or(name);
        let name = key(&format!("{}.{method}.{}", self.project.pous[member.definer].name, decl.name.text));
        let block = member.block;
        if let Some(&Local::Var(kept)) = self.names.locals[block.0 as usize].get(&name) {
            self.names.locals[pou.0 as usize].entry(key(&decl.name.text)).or_insert(Local::Inherent(block, kept));
        }
    }
}
