//! Names that a declaration uses, and names that it declares.

use std::collections::BTreeSet;

use crate::ast::{Expr, ExprKind, Item, Literal, Name, Section, TypeSpec, TypeSpecKind, Unit, VarBlock, walk};
use crate::text::key;

/// Names in a declaration that it may find outside of itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    used: BTreeSet<String>,
}

impl Words {
    /// Returns the names used in one declaration.
    pub(super) fn of(item: &Item) -> Words {
        let mut words = Words::default();
        let own = own_names(item);
        item.bases().into_iter().for_each(|name| words.add_parts(name));
        let unit = Unit { items: vec![item.clone()], ..Unit::new(crate::text::FileId(0)) };
        walk::unit(&unit, &mut |node| match node {
            walk::Node::Type(ty) => ty.name().into_iter().for_each(|name| words.add(&name.text)),
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

    /// Returns all of them, as keys.
    pub(super) fn all(&self) -> impl Iterator<Item = &String> {
        self.used.iter()
    }

    /// Returns whether a name is used; `name` is a key.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.used.contains(name)
    }

    /// Adds the parts of `a.b.c`: any of them may be declared outside.
    fn add(&mut self, text: &str) {
        self.used.extend(text.split('.').map(|part| key(part.trim())));
    }

    fn add_name(&mut self, name: &Name, own: &BTreeSet<String>) {
        // A name behind one of its own variables is a part of that variable.
        if own.contains(&key(&name.root.text)) {
            return;
        }
        self.add_parts(name);
    }

    fn add_parts(&mut self, name: &Name) {
        name.idents().for_each(|part| self.add(&part.text));
    }
}

/// Returns the variables that a POU declares for itself.
fn own_names(item: &Item) -> BTreeSet<String> {
    let Item::Pou(pou) = item else { return BTreeSet::new() };
    let own = pou.vars.iter().filter(|block| block.section != Section::External);
    own.flat_map(|block| &block.vars).map(|var| key(&var.name.text)).collect()
}

/// Returns the names that a declaration declares outside of POUs.
pub(super) fn names(item: &Item) -> Vec<String> {
    let mut found: Vec<String> = item.name().map(|name| key(&name.text)).into_iter().collect();
    if let Item::Type(decl) = item {
        variants(&decl.ty, &mut found);
    } else if let Item::Globals(block) = item {
        for var in &block.vars {
            found.push(key(&var.name.text));
            variants(&var.ty, &mut found);
        }
    }
    found
}

/// Returns whether a declaration is a variable of this name that only the name of its list leads to, and that name is not among
/// `words`. The resolver finds such a variable as `List.x` alone.
pub(super) fn is_out_of_reach(item: &Item, name: &str, words: &Words) -> bool {
    let Item::Globals(VarBlock { vars, list: Some(list), .. }) = item else { return false };
    let is_of_list = || vars.iter().any(|var| key(&var.name.text) == name);
    list.qualified_only && is_of_list() && !words.contains(&key(&list.name.text))
}

/// Adds the values of the enumerations that a type declares inside.
#[expect(clippy::wildcard_enum_match_arm, reason = "all other types declare no values")]
fn variants(spec: &TypeSpec, into: &mut Vec<String>) {
    match &spec.kind {
        TypeSpecKind::Enum(variants, _) => into.extend(variants.iter().map(|(name, _)| key(&name.text))),
        TypeSpecKind::Struct(fields) | TypeSpecKind::Union(fields) => fields.iter().for_each(|f| variants(&f.ty, into)),
        TypeSpecKind::Array(_, elem)
        | TypeSpecKind::OpenArray(_, elem)
        | TypeSpecKind::Pointer(elem)
        | TypeSpecKind::RefTo(elem)
        | TypeSpecKind::Reference(elem) => variants(elem, into),
        _ => {}
    }
}

/// Returns every name that a file declares, in any scope.
pub(super) fn declared(unit: &Unit) -> Vec<String> {
    let mut found = Vec::new();
    walk::unit(unit, &mut |node| match node {
        walk::Node::Item(item) => {
            found.extend(names(item));
            found.extend(members(item));
            if let Item::Namespace(space) = item {
                found.extend(space.name.idents().map(|part| key(&part.text)));
            }
        }
        walk::Node::Block(block) => {
            // VAR_EXTERNAL declares nothing.
            let vars = block.vars.iter().filter(|_| block.section != Section::External);
            found.extend(vars.map(|var| key(&var.name.text)));
            found.extend(block.list.iter().map(|list| key(&list.name.text)));
        }
        walk::Node::Type(ty) => {
            if let TypeSpecKind::Struct(fields) | TypeSpecKind::Union(fields) = &ty.kind {
                found.extend(fields.iter().map(|field| key(&field.name.text)));
            } else if let TypeSpecKind::Enum(variants, _) = &ty.kind {
                found.extend(variants.iter().map(|(name, _)| key(&name.text)));
            }
        }
        walk::Node::Method(_) | walk::Node::Stmt(_) | walk::Node::Expr(_) | walk::Node::Name(_) => {}
    });
    found
}

/// Returns the names of POUs, types and interfaces of a file, and of their methods, properties and actions.
pub(super) fn types_and_members(unit: &Unit) -> Vec<String> {
    let mut found = Vec::new();
    walk::unit(unit, &mut |node| {
        let walk::Node::Item(item) = node else { return };
        found.extend(item.name().map(|name| key(&name.text)));
        found.extend(members(item));
    });
    found
}

/// Returns the names of methods, properties and actions.
fn members(item: &Item) -> Vec<String> {
    let (methods, properties) = if let Item::Pou(pou) = item {
        (&pou.methods, &pou.properties)
    } else if let Item::Interface(interface) = item {
        (&interface.methods, &interface.properties)
    } else {
        return Vec::new();
    };
    let mut found: Vec<String> = methods.iter().map(|m| key(&m.name.text)).collect();
    found.extend(properties.iter().map(|p| key(&p.name.text)));
    if let Item::Pou(pou) = item {
        found.extend(pou.actions.iter().map(|a| key(&a.name.text)));
    }
    found
}
