//! Variables that live outside of their declaring POU: in named lists, with VAR_STAT, with VAR_INST of methods.

use crate::ast;
use crate::hir::{PouId, Project, Section, Var};
use crate::resolve::declare::declarations::{Declarations, VarSite, placeholder};
use crate::resolve::names::tables::{Local, NameSet, Names, VarRef, key};

impl<'a> Declarations<'a> {
    /// Collects a variable of a named list: `List.x`, and `x` alone if it is the only one.
    pub(crate) fn collect_listed(
        &mut self,
        names: &mut Names,
        project: &mut Project,
        list: &ast::GlobalList,
        mut var: Var,
        site: VarSite<'a>,
    ) {
        let ident = ast::Ident::new(var.name.clone(), var.span);
        let (name, space) = (names.meant_value(&ident), names.full_value(&list.name));
        let index = names.list_index(list);
        self.declare("variable", NameSet::List(index), &ident);
        let full = format!("{space}.{}", var.name);
        let taken = names.globals.get(&name).copied();
        if list.qualified_only || taken.is_some() || name != key(&var.name) {
            var.name = full.clone();
        }
        let id = project.globals.push(var);
        self.site(names, VarRef::Global(id), site);
        names.globals.entry(key(&full)).or_insert(id);
        match taken {
            _ if list.qualified_only => {}
            None => {
                names.globals.insert(name, id);
            }
            Some(other) => {
                let other = project.globals[other].name.clone();
                names.ambiguous.entry(name).or_insert_with(|| vec![other]).push(full);
            }
        }
    }

    /// Collects a VAR_STAT: a global variable that only the POU sees, with those that inherit it from `definer`. It exists once
    /// (TwinCAT 3, "Static Variables").
    pub(crate) fn collect_static(
        &mut self,
        names: &mut Names,
        project: &mut Project,
        (pou, definer): (PouId, PouId),
        block: &'a ast::VarBlock,
        decl: &'a ast::VarDecl,
    ) {
        self.declare("variable", NameSet::Pou(pou), &decl.name);
        let is_member = names.members.contains_key(&pou);
        let text = if !is_member {
            format!("{}.{}", project.pous[definer].name, decl.name.text)
        } else if names.block_of(pou) == definer {
            format!("{}.{}", project.pous[pou].name, decl.name.text)
        } else {
            // All heirs of the method share one.
            let name = &project.pous[pou].name;
            let method = name.rsplit('.').next().unwrap_or(name);
            format!("{}.{method}.{}", project.pous[definer].name, decl.name.text)
        };
        let id = match names.globals.get(&key(&text)) {
            Some(&id) => id,
            None => {
                let ident = ast::Ident::new(text.clone(), decl.name.span);
                let var = Var { constant: block.constant, retain: block.retain, ..placeholder(&ident, Section::Global) };
                let id = project.globals.push(var);
                names.globals.insert(key(&text), id);
                let site = VarSite { ty: &decl.ty, init: decl.init.as_ref(), owner: Some(if is_member { pou } else { definer }) };
                self.site(names, VarRef::Global(id), site);
                self.hidden_globals.push(id);
                id
            }
        };
        names.locals[pou.0 as usize].entry(key(&decl.name.text)).or_insert(Local::External(id));
    }

    /// Collects VAR_INST of methods and properties: variables of the block that only they see. Both halves of a property may have
    /// one of a name, and each has its own.
    pub(crate) fn collect_inst(&mut self, names: &mut Names, project: &mut Project, id: PouId, ancestor: PouId) {
        let decl = self.pous[ancestor.0 as usize];
        for (member, method) in with_bodies(decl) {
            for block in method.vars.iter().filter(|b| b.section == ast::Section::Inst) {
                for var in &block.vars {
                    let own = format!("{member}.{}", var.name.text);
                    let text = if ancestor == id { own.clone() } else { format!("{}.{own}", decl.name.text) };
                    let ident = ast::Ident::new(text, var.name.span);
                    let row = Var { constant: block.constant, retain: block.retain, ..placeholder(&ident, Section::Local) };
                    let site = VarSite { ty: &var.ty, init: var.init.as_ref(), owner: Some(id) };
                    let row = project.pous[id].vars.push(row);
                    self.site(names, VarRef::Local(id, row), site);
                    if !var.args.is_empty() && has_literals(&var.args) {
                        self.args.insert(VarRef::Local(id, row), &var.args);
                    }
                    let name = key(&format!("{}.{own}", names.full(&decl.name)));
                    names.locals[id.0 as usize].entry(name).or_insert(Local::Var(row));
                }
            }
        }
    }
}

/// Returns the methods of a block and the halves of its properties, with names that tell them apart.
fn with_bodies(decl: &ast::Pou) -> Vec<(String, &ast::Method)> {
    let methods = decl.methods.iter().map(|method| (method.name.text.clone(), method));
    let halves = decl.properties.iter().flat_map(|property| {
        let half = |word: &'static str| move |half| (format!("{}.{word}", property.name.text), half);
        let (getter, setter) = (property.getter.iter().map(half("GET")), property.setter.iter().map(half("SET")));
        getter.chain(setter)
    });
    methods.chain(halves).collect()
}

/// Returns whether arguments mean the same in a method and in its block: they are literals.
pub(crate) fn has_literals(args: &[ast::Arg]) -> bool {
    args.iter().all(|arg| match arg {
        ast::Arg::Positional(value) | ast::Arg::Input(_, value) => is_literal(value),
        ast::Arg::Output { .. } => false,
    })
}

fn is_literal(value: &ast::Expr) -> bool {
    match &value.kind {
        ast::ExprKind::Literal(prefix, _) => prefix.is_none(),
        ast::ExprKind::Unary(_, operand) => is_literal(operand),
        ast::ExprKind::Name(_)
        | ast::ExprKind::Address(_)
        | ast::ExprKind::Call(..)
        | ast::ExprKind::Binary(..)
        | ast::ExprKind::Error => false,
    }
}

impl Names {
    /// Returns the number of a list, in the order of their first variables.
    pub(crate) fn list_index(&mut self, list: &ast::GlobalList) -> usize {
        let next = self.lists.len();
        *self.lists.entry(self.meant_value(&list.name)).or_insert(next)
    }

    pub(crate) fn find_inst(&mut self, project: &Project, pou: PouId, decl: &ast::VarDecl) {
        let Some(member) = self.members.get(&pou) else { return };
        let name = &project.pous[pou].name;
        let method = name.rsplit('.').next().unwrap_or(name);
        let block = member.block;
        // The place tells the halves of a property apart.
        let kept = ["", ".GET", ".SET"].iter().find_map(|half| {
            let name = key(&format!("{}.{method}{half}.{}", project.pous[member.definer].name, decl.name.text));
            let Some(&Local::Var(kept)) = self.locals[block.0 as usize].get(&name) else { return None };
            (project.pous[block].vars[kept].span == decl.name.span).then_some(kept)
        });
        if let Some(kept) = kept {
            self.locals[pou.0 as usize].entry(key(&decl.name.text)).or_insert(Local::Inherent(block, kept));
        }
    }
}
