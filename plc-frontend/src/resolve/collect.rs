//! Declarations of all files → names with ids. Nothing is resolved yet, so the order of files and
//! declarations cannot matter.

use std::collections::{BTreeMap, BTreeSet};

use super::elementary;
use super::names::{Declared, Key, Local, Slot, Space, VarRef, VariantHome, key};
use super::resolver::Resolver;
use crate::ast;
use crate::hir::{Init, Pou, PouId, PouKind, Section, Var, VarId};
use crate::source::{Origin, SourceSet};

/// The declarations behind the ids; the n-th row of a table belongs to the n-th id.
#[derive(Debug, Default)]
pub(crate) struct Decls<'a> {
    pub(crate) types: Vec<&'a ast::TypeDecl>,
    pub(crate) vars: BTreeMap<VarRef, VarSite<'a>>,
    pub(crate) pous: Vec<&'a ast::Pou>,
    /// VAR_EXTERNAL, with what must have the same type.
    pub(crate) externals: Vec<(PouId, &'a ast::VarDecl)>,
    /// Everything that was declared, for the rule on duplicates.
    pub(crate) declared: Vec<Declared>,
}

/// Where the type and the initial value of a variable are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VarSite<'a> {
    pub(crate) ty: &'a ast::TypeSpec,
    pub(crate) init: Option<&'a ast::Initializer>,
    /// The POU in whose scope both are read.
    pub(crate) owner: Option<PouId>,
}

impl<'a> Resolver<'a> {
    /// Gives ids to all POUs, variables and types of the units.
    pub(crate) fn collect(&mut self, units: &'a [ast::Unit], sources: &SourceSet) {
        for unit in units {
            let origin = sources.files.get(unit.file).map_or(Origin::User, |f| f.origin);
            for item in &unit.items {
                match item {
                    ast::Item::Pou(pou) => self.collect_pou(pou, origin),
                    ast::Item::Type(decl) => self.collect_type(decl),
                    ast::Item::Globals(block) => self.collect_block(None, block),
                    ast::Item::Interface(_)
                    | ast::Item::Configuration(_)
                    | ast::Item::Namespace(_)
                    | ast::Item::Using(_)
                    | ast::Item::Unsupported(..) => {}
                }
            }
        }
        for i in 0..self.decls.externals.len() {
            let (pou, decl) = self.decls.externals[i];
            self.collect_external(pou, decl);
        }
    }

    fn collect_type(&mut self, decl: &'a ast::TypeDecl) {
        let index = self.decls.types.len();
        self.decls.types.push(decl);
        self.names.declared.push(Slot::Waiting);
        self.names.types.entry(key(&decl.name.text)).or_insert(index);
        self.declare("type", Space::Units, &decl.name);
        self.collect_parts(&decl.ty, VariantHome::Type(index));
    }

    fn collect_pou(&mut self, pou: &'a ast::Pou, origin: Origin) {
        let kind = match pou.kind {
            ast::PouKind::Program => PouKind::Program,
            ast::PouKind::FunctionBlock => PouKind::FunctionBlock,
            ast::PouKind::Function => PouKind::Function(pou.result.as_ref().map(|_| VarId(0))),
        };
        let id = self.project.pous.push(Pou {
            name: pou.name.text.clone(),
            kind,
            vars: crate::ids::IndexVec::new(),
            body: Vec::new(),
            span: pou.span,
            origin,
        });
        self.decls.pous.push(pou);
        self.names.locals.push(BTreeMap::new());
        self.names.pous.entry(key(&pou.name.text)).or_insert(id);
        self.declare("POU", Space::Units, &pou.name);
        if let (ast::PouKind::Function, Some(result)) = (pou.kind, &pou.result) {
            let var = placeholder(&pou.name, Section::Result);
            self.collect_var(Some(id), var, VarSite { ty: result, init: None, owner: Some(id) });
            self.declare("result", Space::Pou(id), &pou.name);
        }
        for block in &pou.vars {
            self.collect_block(Some(id), block);
        }
    }

    fn collect_block(&mut self, pou: Option<PouId>, block: &'a ast::VarBlock) {
        for decl in &block.vars {
            let (owner, section) = match (pou, block.section) {
                (None, _) | (_, ast::Section::Global) => (None, Section::Global),
                (Some(pou), ast::Section::External) => {
                    self.declare("variable", Space::Pou(pou), &decl.name);
                    self.decls.externals.push((pou, decl));
                    continue;
                }
                (Some(_), ast::Section::Var) => (pou, Section::Local),
                (Some(_), ast::Section::Input) => (pou, Section::Input),
                (Some(_), ast::Section::Output) => (pou, Section::Output),
                (Some(_), ast::Section::InOut) => (pou, Section::InOut),
                (Some(_), ast::Section::Temp) => (pou, Section::Temp),
                // Nothing reads these sections yet.
                (Some(_), ast::Section::Stat | ast::Section::Inst | ast::Section::Config | ast::Section::Access) => continue,
            };
            let var = Var {
                constant: block.constant,
                retain: block.retain,
                address: decl.address.as_ref().map(|(address, _)| address.clone()),
                stopwatch: decl.stopwatch,
                ..placeholder(&decl.name, section)
            };
            self.collect_var(owner, var, VarSite { ty: &decl.ty, init: decl.init.as_ref(), owner: pou });
            self.declare("variable", owner.map_or(Space::Globals, Space::Pou), &decl.name);
        }
    }

    fn collect_var(&mut self, owner: Option<PouId>, var: Var, site: VarSite<'a>) {
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
        self.decls.vars.insert(variable, site);
        self.collect_parts(site.ty, VariantHome::Var(variable));
    }

    fn collect_external(&mut self, pou: PouId, decl: &ast::VarDecl) {
        let local = match self.names.globals.get(&key(&decl.name.text)) {
            Some(&global) => Local::External(global),
            None => {
                let message = format!("there is no global variable `{}`", decl.name.text);
                let known = self.project.globals.iter().map(|g| g.name.as_str());
                let help = match super::suggest::nearest(&decl.name.text, known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "declare it in a VAR_GLOBAL section, or upload the file that does".to_owned(),
                };
                self.error_with_help(crate::codes::NO_GLOBAL, decl.name.span, message, "declared external here", Some(help));
                Local::Broken
            }
        };
        self.names.locals[pou.0 as usize].entry(key(&decl.name.text)).or_insert(local);
    }

    /// Enumeration values and fields that a type declares inside.
    fn collect_parts(&mut self, spec: &'a ast::TypeSpec, home: VariantHome) {
        let mut waiting = vec![spec];
        while let Some(spec) = waiting.pop() {
            let space = Space::Parts(self.decls.declared.len());
            match &spec.kind {
                ast::TypeSpecKind::Enum(variants, _) => {
                    for (variant, _) in variants {
                        self.declare("enumeration value", space, variant);
                        let homes = self.names.variants.entry(key(&variant.text)).or_default();
                        if !homes.contains(&home) {
                            homes.push(home);
                        }
                    }
                }
                ast::TypeSpecKind::Struct(fields) => {
                    for field in fields {
                        self.declare("field", space, &field.name);
                        waiting.push(&field.ty);
                    }
                }
                ast::TypeSpecKind::Union(fields) => waiting.extend(fields.iter().map(|f| &f.ty)),
                ast::TypeSpecKind::Array(_, elem)
                | ast::TypeSpecKind::OpenArray(_, elem)
                | ast::TypeSpecKind::Pointer(elem)
                | ast::TypeSpecKind::RefTo(elem)
                | ast::TypeSpecKind::Reference(elem) => waiting.push(elem),
                ast::TypeSpecKind::Name(_)
                | ast::TypeSpecKind::Subrange(..)
                | ast::TypeSpecKind::String { .. }
                | ast::TypeSpecKind::Opaque(_)
                | ast::TypeSpecKind::Error => {}
            }
        }
    }

    fn declare(&mut self, kind: &'static str, space: Space, name: &ast::Ident) {
        self.decls.declared.push(Declared { kind, space, name: name.text.clone(), span: name.span });
    }
}

fn placeholder(name: &ast::Ident, section: Section) -> Var {
    Var {
        name: name.text.clone(),
        ty: elementary::BOOL,
        section,
        init: Init::Default,
        constant: false,
        retain: crate::hir::Retain::Unspecified,
        address: None,
        stopwatch: false,
        span: name.span,
    }
}

/// Names that stand as types in the declarations of `units`, and names that `units` declare.
pub(crate) fn type_names(units: &[ast::Unit]) -> (BTreeSet<Key>, BTreeSet<Key>) {
    let mut used = BTreeSet::new();
    let mut declared = BTreeSet::new();
    let mut waiting: Vec<&ast::TypeSpec> = Vec::new();
    for item in units.iter().flat_map(|u| &u.items) {
        match item {
            ast::Item::Pou(pou) => {
                declared.insert(key(&pou.name.text));
                waiting.extend(&pou.result);
                waiting.extend(pou.vars.iter().flat_map(|b| &b.vars).map(|v| &v.ty));
            }
            ast::Item::Type(decl) => {
                declared.insert(key(&decl.name.text));
                waiting.push(&decl.ty);
            }
            ast::Item::Globals(block) => waiting.extend(block.vars.iter().map(|v| &v.ty)),
            ast::Item::Interface(_)
            | ast::Item::Configuration(_)
            | ast::Item::Namespace(_)
            | ast::Item::Using(_)
            | ast::Item::Unsupported(..) => {}
        }
    }
    while let Some(spec) = waiting.pop() {
        match &spec.kind {
            ast::TypeSpecKind::Name(name) => {
                used.insert(key(&name.text));
            }
            ast::TypeSpecKind::Struct(fields) => waiting.extend(fields.iter().map(|f| &f.ty)),
            ast::TypeSpecKind::Union(fields) => waiting.extend(fields.iter().map(|f| &f.ty)),
            ast::TypeSpecKind::Array(_, elem)
            | ast::TypeSpecKind::OpenArray(_, elem)
            | ast::TypeSpecKind::Pointer(elem)
            | ast::TypeSpecKind::RefTo(elem)
            | ast::TypeSpecKind::Reference(elem) => waiting.push(elem),
            ast::TypeSpecKind::Subrange(..)
            | ast::TypeSpecKind::Enum(..)
            | ast::TypeSpecKind::String { .. }
            | ast::TypeSpecKind::Opaque(_)
            | ast::TypeSpecKind::Error => {}
        }
    }
    (used, declared)
}
