//! Which names a declaration uses, and which it gives to others.

use std::collections::BTreeSet;

use crate::ast::{
    Expr, ExprKind, Item, Literal, Method, Name, NameElem, Property, Section, TypeSpec, TypeSpecKind, Unit, VarBlock, VarDecl,
    walk,
};
use crate::resolve::key;

/// The names that a declaration may find outside of itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    used: BTreeSet<String>,
}

impl Words {
    /// Of one declaration.
    pub(super) fn of(item: &Item) -> Words {
        let mut words = Words::default();
        let own = own_names(item);
        heads(item, &mut |name| words.add(name));
        let unit = Unit { file: crate::text::source::FileId(0), items: vec![item.clone()], ignored: Vec::new() };
        walk::unit(&unit, &mut |node| match node {
            walk::Node::Type(ty) => words.add_type(ty),
            walk::Node::Expr(Expr { kind: ExprKind::Literal(prefix, literal), .. }) => {
                prefix.iter().for_each(|prefix| words.add(&prefix.text));
                if let Literal::Variant(variant) = literal {
                    words.add(&variant.text);
                }
            }
            walk::Node::Name(name) => words.add_name(name, &own),
            walk::Node::Block(block) => {
                let external = block.section == Section::External;
                block.vars.iter().filter(|_| external).for_each(|var| words.add(&var.name.text));
            }
            walk::Node::Expr(_) | walk::Node::Item(_) | walk::Node::Method(_) | walk::Node::Stmt(_) => {}
        });
        words
    }

    /// All of them, as keys.
    pub(super) fn all(&self) -> impl Iterator<Item = &String> {
        self.used.iter()
    }

    /// `a.b.c`: any of them may be what is declared outside.
    fn add(&mut self, text: &str) {
        self.used.extend(text.split('.').map(|part| key(part.trim())));
    }

    fn add_name(&mut self, name: &Name, own: &BTreeSet<String>) {
        // What is behind a variable of its own is a part of that variable.
        if own.contains(&key(&name.root.text)) {
            return;
        }
        parts(name).for_each(|part| self.add(part));
    }

    fn add_type(&mut self, ty: &TypeSpec) {
        match &ty.kind {
            TypeSpecKind::Name(name) | TypeSpecKind::Subrange(name, ..) | TypeSpecKind::Enum(_, Some(name)) => {
                self.add(&name.text)
            }
            TypeSpecKind::Array(..)
            | TypeSpecKind::Struct(_)
            | TypeSpecKind::Enum(_, None)
            | TypeSpecKind::String { .. }
            | TypeSpecKind::Pointer(_)
            | TypeSpecKind::RefTo(_)
            | TypeSpecKind::Reference(_)
            | TypeSpecKind::OpenArray(..)
            | TypeSpecKind::Union(_)
            | TypeSpecKind::Opaque(_)
            | TypeSpecKind::Error => {}
        }
    }
}

/// `a`, `b`, `c` of `a.b[i].c`.
fn parts(name: &Name) -> impl Iterator<Item = &str> {
    let fields = name.path.iter().filter_map(|elem| match elem {
        NameElem::Field(field) => Some(field.text.as_str()),
        NameElem::Index(..) | NameElem::Bits { .. } | NameElem::Deref(_) | NameElem::Call(..) => None,
    });
    std::iter::once(name.root.text.as_str()).chain(fields)
}

/// EXTENDS and IMPLEMENTS.
fn heads(item: &Item, see: &mut dyn FnMut(&str)) {
    let mut name = |name: &Name| parts(name).for_each(&mut *see);
    match item {
        Item::Pou(pou) => pou.extends.iter().chain(&pou.implements).for_each(&mut name),
        Item::Type(decl) => decl.extends.iter().for_each(&mut name),
        Item::Interface(interface) => interface.extends.iter().for_each(&mut name),
        Item::Globals(_) | Item::Configuration(_) | Item::Namespace(_) | Item::Using(_) | Item::Unsupported(..) => {}
    }
}

/// Variables that a POU declares for itself: a name that begins with one means it.
fn own_names(item: &Item) -> BTreeSet<String> {
    let Item::Pou(pou) = item else { return BTreeSet::new() };
    let own = pou.vars.iter().filter(|block| block.section != Section::External);
    own.flat_map(|block| &block.vars).map(|var| key(&var.name.text)).collect()
}

/// The names by which a declaration can be found.
pub(super) fn names(item: &Item) -> Vec<String> {
    let mut found = Vec::new();
    match item {
        Item::Pou(pou) => found.push(key(&pou.name.text)),
        Item::Interface(interface) => found.push(key(&interface.name.text)),
        Item::Type(decl) => {
            found.push(key(&decl.name.text));
            variants(&decl.ty, &mut found);
        }
        Item::Globals(block) => {
            for var in &block.vars {
                found.push(key(&var.name.text));
                variants(&var.ty, &mut found);
            }
        }
        Item::Configuration(_) | Item::Namespace(_) | Item::Using(_) | Item::Unsupported(..) => {}
    }
    found
}

/// Values of the enumerations that a type declares inside.
fn variants(spec: &TypeSpec, into: &mut Vec<String>) {
    let mut open = vec![spec];
    while let Some(spec) = open.pop() {
        match &spec.kind {
            TypeSpecKind::Enum(variants, _) => into.extend(variants.iter().map(|(name, _)| key(&name.text))),
            TypeSpecKind::Struct(fields) | TypeSpecKind::Union(fields) => open.extend(fields.iter().map(|f| &f.ty)),
            TypeSpecKind::Array(_, elem)
            | TypeSpecKind::OpenArray(_, elem)
            | TypeSpecKind::Pointer(elem)
            | TypeSpecKind::RefTo(elem)
            | TypeSpecKind::Reference(elem) => open.push(elem),
            TypeSpecKind::Name(_)
            | TypeSpecKind::Subrange(..)
            | TypeSpecKind::String { .. }
            | TypeSpecKind::Opaque(_)
            | TypeSpecKind::Error => {}
        }
    }
}

/// Every name that a file declares, in whatever scope.
pub(super) fn declared(unit: &Unit) -> Vec<String> {
    let mut found = Vec::new();
    let var = |var: &VarDecl, found: &mut Vec<String>| found.push(key(&var.name.text));
    let block = |block: &VarBlock, found: &mut Vec<String>| {
        // VAR_EXTERNAL declares nothing.
        if block.section != Section::External {
            block.vars.iter().for_each(|v| var(v, found));
        }
        found.extend(block.list.iter().map(|list| key(&list.name.text)));
    };
    walk::unit(unit, &mut |node| match node {
        walk::Node::Item(item) => {
            found.extend(names(item));
            found.extend(members(item));
            if let Item::Namespace(space) = item {
                parts(&space.name).for_each(|part| found.push(key(part)));
            }
        }
        walk::Node::Block(b) => block(b, &mut found),
        walk::Node::Type(ty) => match &ty.kind {
            TypeSpecKind::Struct(fields) | TypeSpecKind::Union(fields) => fields.iter().for_each(|f| var(f, &mut found)),
            TypeSpecKind::Enum(variants, _) => found.extend(variants.iter().map(|(name, _)| key(&name.text))),
            TypeSpecKind::Name(_)
            | TypeSpecKind::Subrange(..)
            | TypeSpecKind::Array(..)
            | TypeSpecKind::String { .. }
            | TypeSpecKind::Pointer(_)
            | TypeSpecKind::RefTo(_)
            | TypeSpecKind::Reference(_)
            | TypeSpecKind::OpenArray(..)
            | TypeSpecKind::Opaque(_)
            | TypeSpecKind::Error => {}
        },
        walk::Node::Method(_) | walk::Node::Stmt(_) | walk::Node::Expr(_) | walk::Node::Name(_) => {}
    });
    found
}

/// Names of POUs, types and interfaces of a file, and of what can be called on their instances.
pub(super) fn types_and_members(unit: &Unit) -> Vec<String> {
    let mut found = Vec::new();
    walk::unit(unit, &mut |node| {
        let walk::Node::Item(item) = node else { return };
        match item {
            Item::Pou(_) | Item::Interface(_) => found.extend(names(item)),
            Item::Type(decl) => found.push(key(&decl.name.text)),
            Item::Globals(_) | Item::Configuration(_) | Item::Namespace(_) | Item::Using(_) | Item::Unsupported(..) => {}
        }
        found.extend(members(item));
    });
    found
}

/// Methods, properties and actions.
fn members(item: &Item) -> Vec<String> {
    let (methods, properties): (&[Method], &[Property]) = match item {
        Item::Pou(pou) => (&pou.methods, &pou.properties),
        Item::Interface(interface) => (&interface.methods, &interface.properties),
        Item::Type(_)
        | Item::Globals(_)
        | Item::Configuration(_)
        | Item::Namespace(_)
        | Item::Using(_)
        | Item::Unsupported(..) => (&[], &[]),
    };
    let mut found: Vec<String> = methods.iter().map(|m| key(&m.name.text)).collect();
    found.extend(properties.iter().map(|p| key(&p.name.text)));
    if let Item::Pou(pou) = item {
        found.extend(pou.actions.iter().map(|a| key(&a.name.text)));
    }
    found
}
