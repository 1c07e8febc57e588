//! Qualified names: behind namespaces, libraries, named lists of global variables, programs.

use crate::ast::walk::{self, Node};
use crate::ast::{self, Ident, Name, NameElem};
use crate::hir::{PouId, PouKind, Project, Section, Type, Var};
use crate::resolve::names::tables::{Key, Names, key, noted};
use crate::resolve::prepare::{declaration_order, uses};
use crate::resolve::scope::{Scope, Uses};
use crate::resolve::types::table::TypeTable;
use std::borrow::Cow;
use std::collections::BTreeSet;

impl Names {
    /// Returns the name without namespaces and libraries; `List.x` becomes one identifier.
    pub(crate) fn qualified<'n>(&self, scope: Scope, name: &'n Name) -> Cow<'n, Name> {
        let mut start = 0;
        let mut root: &Ident = &name.root;
        let mut full = name.root.text.clone();
        while let Some(NameElem::Field(next)) = name.path.get(start) {
            if start == 0 && self.local(scope.owner, &key(&root.text)).is_some() {
                break;
            }
            let known = self.meant_value(root);
            if self.lists.contains_key(&known) {
                let joined = format!("{known}.{}", key(&next.text));
                if self.globals.contains_key(&joined) {
                    let text = format!("{}.{}", self.full_value(root), next.text);
                    let root = Ident::new(text, root.span.to(next.span));
                    let path = name.path.get(start + 1..).unwrap_or_default().to_vec();
                    return Cow::Owned(Name { root, path, span: name.span });
                }
            }
            if !self.is_space(&root.text) || self.globals.contains_key(&known) {
                break;
            }
            full = format!("{full}.{}", next.text);
            let is_noted = noted(&self.meanings.units, next).is_some() || noted(&self.meanings.values, next).is_some();
            if !is_noted && (self.types.contains_key(&key(&full)) || self.pous.contains_key(&key(&full))) {
                let path = name.path.get(start + 1..).unwrap_or_default().to_vec();
                return Cow::Owned(Name { root: Ident { text: full, span: next.span }, path, span: name.span });
            }
            root = next;
            start += 1;
        }
        if start == 0 {
            return Cow::Borrowed(name);
        }
        let path = name.path.get(start..).unwrap_or_default().to_vec();
        Cow::Owned(Name { root: root.clone(), path, span: name.span })
    }

    /// Returns whether a name is a namespace's or a library's.
    fn is_space(&self, text: &str) -> bool {
        let is_library = || {
            let vendor = ["Tc2_", "Tc3_"].iter().any(|v| text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(v)));
            vendor || crate::library::is_library(text)
        };
        let known = key(text);
        let declared = self.types.contains_key(&known) || self.pous.contains_key(&known);
        let is_qualifier = || self.libraries.is_any_qualifier(&known) || is_library();
        self.spaces.contains(&known) || !declared && is_qualifier()
    }

    /// Returns the last part of a type's name behind namespaces; other names unchanged.
    pub(crate) fn unqualified_type<'n>(&self, text: &'n str) -> &'n str {
        match text.rsplit_once('.') {
            Some((spaces, last)) if spaces.split('.').all(|space| self.is_space(space.trim())) => last.trim(),
            Some(_) | None => text,
        }
    }

    /// Returns the programs that other POUs name, and those that they call.
    pub(crate) fn named_programs(&self, project: &Project, units: &[ast::Unit]) -> (BTreeSet<PouId>, BTreeSet<PouId>) {
        let (mut named, mut called) = (BTreeSet::new(), BTreeSet::new());
        for (index, pou) in declaration_order::pous(units).enumerate() {
            let own = PouId(index as u32);
            let program = |root: &Ident| -> Option<PouId> {
                let name: Key = key(&root.text);
                let found = *self.pous.get(&self.meant(root))?;
                let is_program = project.pous[found].kind == PouKind::Program;
                (is_program && found != own && self.local(Some(own), &name).is_none()).then_some(found)
            };
            for body in uses::bodies(pou) {
                walk::stmts(body.stmts(), &mut |node| {
                    let qualified = |name| self.qualified(Scope { owner: Some(own), uses: Uses::Code }, name);
                    if let Node::Name(name) = node {
                        named.extend(program(&qualified(name).root));
                    } else if let Node::Stmt(ast::Stmt { kind: ast::StmtKind::Call(name, _), .. }) = node
                        && qualified(name).path.is_empty()
                    {
                        called.extend(program(&qualified(name).root));
                    }
                });
            }
        }
        (named, called)
    }
}

impl TypeTable {
    /// Gives a global variable to each of these programs that does not run by itself.
    pub(crate) fn hold_programs(&mut self, names: &mut Names, project: &mut Project, named: BTreeSet<PouId>) {
        for pou in named {
            let row = &project.pous[pou];
            let name = key(&row.name);
            let (text, span) = (row.name.clone(), row.span);
            if names.instances.contains_key(&name) || names.globals.contains_key(&name) {
                continue;
            }
            let ty = self.anonymous(project, Type::FunctionBlock(pou), span);
            let id = project.globals.push(Var::new(text, ty, Section::Global, span));
            names.globals.insert(name, id);
        }
    }
}
