//! Initial values that instances of an entry have elsewhere. The entry is a block, and `valve : Valve := (limit := 5)` is one of them.
//!
//! Soundness: the run is that of an instance whose variables start as the block declares them. Each declaration with other values is a
//! condition of the answers that depend on the variables of the entry. It counts for instances of the block and of its heirs. One
//! whose type is not known counts if it names a variable of the entry.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::{self, Initializer, InitializerKind, Item, TypeSpec, TypeSpecKind, VarBlock, VarDecl};
use crate::hir::{Extent, LeafElem, PouId, PouKind, Project, Role, Root, Type, TypeId};
use crate::resolve::names::tables::Names;
use crate::resolve::prepare::declaration_order;
use crate::resolve::resolver::Resolver;
use crate::text::{FileId, Key, Span, key};

impl Resolver<'_> {
    /// Notes the initial values of other instances of each entry that is a block, and heirs of these entries.
    ///
    /// Cost: linear in the declarations with an initial value.
    pub(crate) fn note_other_starts(&mut self, units: &[ast::Unit]) {
        let runs = self.project.task.runs.iter().map(|id| self.project.instances[*id].pou);
        let entries: BTreeSet<PouId> = runs.filter(|pou| self.project.pous[*pou].kind == PouKind::FunctionBlock).collect();
        if entries.is_empty() {
            return;
        }
        self.note_heirs();
        let names = own_names(&self.project);
        let types = declared_types(&self.project);
        let mut found: Vec<Span> = Vec::new();
        for var in declarations(units) {
            let Some(init) = &var.init else { continue };
            let place = |span: Span| types.get(&(span.file, span.start)).copied();
            let is_ours = match place(var.span).or_else(|| place(var.name.span)) {
                Some(ty) => may_hold(&self.project, &self.names, ty, &entries),
                None => !matches!(init.kind, InitializerKind::Expr(_)),
            };
            let mut given = Given::default();
            given.add(init);
            if is_ours && (given.is_whole || given.names.iter().any(|name| names.contains(name))) {
                found.push(var.span);
            }
        }
        let entry = entries.iter().map(|pou| self.project.pous[*pou].name.as_str()).collect::<Vec<_>>().join(", ");
        for span in found {
            let construct = format!("initial values that an instance of `{entry}` has here");
            let effect = "the run starts with those of the block, and other instances may do other things";
            self.findings.record_assumed(span, construct, effect);
            self.project.beside.insert(span, Extent::Entry);
        }
    }
}

/// Names that initial values give values to.
#[derive(Default)]
struct Given {
    names: BTreeSet<Key>,
    /// The value of a whole instance is given.
    is_whole: bool,
}

impl Given {
    fn add(&mut self, init: &Initializer) {
        match &init.kind {
            InitializerKind::Expr(_) => self.is_whole |= self.names.is_empty(),
            InitializerKind::Array(parts) => parts.iter().for_each(|(_, part)| self.add(part)),
            InitializerKind::Elements(parts) => parts.iter().for_each(|(_, part)| self.add(part)),
            InitializerKind::Struct(parts) => {
                for (name, part) in parts {
                    self.names.insert(key(&name.text));
                    self.add(part);
                }
            }
        }
    }
}

/// Returns the names of the variables of entries, and of their parts, without those that are inputs.
fn own_names(project: &Project) -> BTreeSet<Key> {
    let mut names = BTreeSet::new();
    for leaf in project.leaves() {
        let is_own = matches!(leaf.root, Root::Instance(_)) && matches!(leaf.role, Role::Memory | Role::Output);
        if is_own && leaf.path.iter().any(|step| !matches!(step, LeafElem::Index(_))) {
            names.extend(leaf.name.split(['.', '[']).map(key));
        }
    }
    names
}

/// Returns the types of all variables by the beginnings of their declarations.
fn declared_types(project: &Project) -> BTreeMap<(FileId, u32), TypeId> {
    let vars = project.pous.iter().flat_map(|pou| pou.vars.iter()).chain(project.globals.iter());
    vars.map(|var| ((var.span.file, var.span.start), var.ty)).collect()
}

/// Returns whether a value of the type may hold an instance of an entry.
fn may_hold(project: &Project, names: &Names, ty: TypeId, entries: &BTreeSet<PouId>) -> bool {
    let is_entry = |block: PouId| names.chain(block).iter().chain([&block]).any(|pou| entries.contains(pou));
    let is_unknown = |ty: TypeId| matches!(project.types[ty].ty, Type::Opaque(_));
    project.types_in_instances(ty).into_iter().any(|ty| is_unknown(ty) || project.block_of(ty).is_some_and(is_entry))
}

/// Returns all declarations of variables and fields.
fn declarations(units: &[ast::Unit]) -> Vec<&VarDecl> {
    let mut found = Vec::new();
    for item in declaration_order::all(units) {
        match item {
            Item::Pou(pou) => {
                let properties = pou.properties.iter().flat_map(|property| property.getter.iter().chain(&property.setter));
                let methods = pou.methods.iter().chain(properties).flat_map(|method| &method.vars);
                of_blocks(pou.vars.iter().chain(methods), &mut found);
            }
            Item::Globals(block) => of_blocks([block], &mut found),
            Item::Configuration(configuration) => of_blocks(declaration_order::configured_globals(configuration), &mut found),
            Item::Type(decl) => of_type(&decl.ty, &mut found),
            Item::Namespace(_) | Item::Interface(_) | Item::Using(_) | Item::Unsupported(..) => {}
        }
    }
    found
}

fn of_blocks<'u>(blocks: impl IntoIterator<Item = &'u VarBlock>, found: &mut Vec<&'u VarDecl>) {
    for var in blocks.into_iter().flat_map(|block| &block.vars) {
        of_type(&var.ty, found);
        found.push(var);
    }
}

/// Adds the fields inside of a type.
fn of_type<'u>(spec: &'u TypeSpec, found: &mut Vec<&'u VarDecl>) {
    let mut waiting = vec![spec];
    while let Some(spec) = waiting.pop() {
        match &spec.kind {
            TypeSpecKind::Struct(fields) | TypeSpecKind::Union(fields) => {
                waiting.extend(fields.iter().map(|field| &field.ty));
                found.extend(fields);
            }
            TypeSpecKind::Array(_, elem) => waiting.push(elem),
            TypeSpecKind::Name(_)
            | TypeSpecKind::Subrange(..)
            | TypeSpecKind::Enum(..)
            | TypeSpecKind::String { .. }
            | TypeSpecKind::Pointer(_)
            | TypeSpecKind::RefTo(_)
            | TypeSpecKind::Reference(_)
            | TypeSpecKind::OpenArray(..)
            | TypeSpecKind::Opaque(_)
            | TypeSpecKind::Error => {}
        }
    }
}
