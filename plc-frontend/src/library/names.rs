//! Names that a program uses, and names that it declares, by the syntax alone.

use std::collections::BTreeSet;

use crate::ast::walk::{self, Node};
use crate::ast::{ExprKind, Item, Name, TypeSpecKind, Unit};
use crate::text::{Key, SourceSet, key};

/// Names that declarations and bodies use.
#[derive(Clone, Debug, Default)]
pub(crate) struct UsedNames {
    /// Names of types: of variables, bases and typed literals.
    pub(crate) types: BTreeSet<Key>,
    /// Names in code: of variables, functions, constants, and of types before a dot.
    pub(crate) values: BTreeSet<Key>,
}

impl UsedNames {
    /// Returns the names that units use. It may have names that mean something else, never fewer than there are.
    pub(crate) fn of(units: &[Unit]) -> UsedNames {
        let mut used = UsedNames::default();
        for unit in units {
            walk::unit(unit, &mut |node| used.see(node));
        }
        used
    }

    /// Returns them without those that a predicate knows.
    pub(crate) fn without(mut self, is_known: impl Fn(&str) -> bool) -> UsedNames {
        for names in [&mut self.types, &mut self.values] {
            names.retain(|name| !is_known(name));
        }
        self
    }

    fn see(&mut self, node: Node<'_>) {
        match node {
            Node::Item(item) => item.bases().into_iter().filter_map(last).for_each(|name| self.add_type(&name)),
            Node::Type(ty) => ty.name().into_iter().for_each(|name| self.add_type(&name.text)),
            Node::Expr(expr) => {
                if let ExprKind::Literal(Some(prefix), _) = &expr.kind {
                    self.add_type(&prefix.text);
                }
            }
            Node::Name(name) => {
                // The names of libraries stand before the name itself.
                let mut idents = name.idents().map(|ident| ident.text.as_str());
                if let Some(found) = idents.find(|text| !super::is_library(text)) {
                    self.values.insert(key(found));
                }
                self.values.insert(key(&name.root.text));
            }
            Node::Block(_) | Node::Method(_) | Node::Stmt(_) => {}
        }
    }

    fn add_type(&mut self, text: &str) {
        self.types.insert(key(text.rsplit('.').next().unwrap_or(text).trim()));
    }
}

/// Names that a program declares.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeclaredNames {
    /// POUs, types, interfaces and namespaces.
    pub(crate) units: BTreeSet<Key>,
    /// Everything that a name in code can mean, in any scope: also variables, methods and values of enumerations.
    pub(crate) all: BTreeSet<Key>,
    /// A file cannot be read: it may declare any name.
    pub(crate) is_anything: bool,
}

impl DeclaredNames {
    /// Returns the names that an upload declares.
    ///
    /// Soundness: no declaration of a library takes one of these names. A name too many leaves a declaration out; a name that is
    /// missing gives a name of the program another meaning.
    pub(crate) fn of(units: &[Unit], sources: &SourceSet) -> DeclaredNames {
        let mut declared = DeclaredNames::default();
        for unit in units {
            walk::unit(unit, &mut |node| declared.see(node, sources));
        }
        declared
    }

    fn see(&mut self, node: Node<'_>, sources: &SourceSet) {
        match node {
            Node::Item(Item::Namespace(space)) => space.name.idents().for_each(|ident| self.add_unit(&ident.text)),
            Node::Item(item @ Item::Unsupported(..)) => {
                item.not_modelled().into_iter().for_each(|span| self.add_words(sources.text(span)));
            }
            Node::Item(Item::Configuration(configuration)) => {
                configuration.name.iter().for_each(|name| self.add(&name.text));
                for resource in &configuration.resources {
                    resource.name.iter().for_each(|name| self.add(&name.text));
                    resource.tasks.iter().for_each(|task| self.add(&task.name.text));
                    resource.programs.iter().for_each(|program| self.add(&program.name.text));
                }
            }
            Node::Item(item) => {
                item.name().into_iter().for_each(|name| self.add_unit(&name.text));
                self.add_members(item);
            }
            Node::Block(block) => {
                block.vars.iter().for_each(|var| self.add(&var.name.text));
                block.list.iter().for_each(|list| self.add_unit(&list.name.text));
            }
            Node::Method(method) => self.add(&method.name.text),
            Node::Type(ty) => {
                if let TypeSpecKind::Enum(variants, _) = &ty.kind {
                    variants.iter().for_each(|(name, _)| self.add(&name.text));
                }
            }
            Node::Stmt(_) | Node::Expr(_) | Node::Name(_) => {}
        }
    }

    /// Adds the names of properties and actions.
    fn add_members(&mut self, item: &Item) {
        match item {
            Item::Pou(pou) => {
                pou.properties.iter().for_each(|property| self.add(&property.name.text));
                pou.actions.iter().for_each(|action| self.add(&action.name.text));
            }
            Item::Interface(interface) => interface.properties.iter().for_each(|property| self.add(&property.name.text)),
            Item::Type(_)
            | Item::Globals(_)
            | Item::Configuration(_)
            | Item::Namespace(_)
            | Item::Using(_)
            | Item::Unsupported(..) => {}
        }
    }

    /// Adds each word of a text as a name of a POU or type.
    pub(crate) fn add_words(&mut self, text: &str) {
        words(text).for_each(|word| self.add_unit(word));
    }

    /// Adds each word of a text as a name of a variable.
    pub(crate) fn add_values(&mut self, text: &str) {
        words(text).for_each(|word| self.add(word));
    }

    /// Adds the names that others declare.
    pub(crate) fn extend(&mut self, other: &DeclaredNames) {
        self.units.extend(other.units.iter().cloned());
        self.all.extend(other.all.iter().cloned());
        self.is_anything |= other.is_anything;
    }

    /// Adds any name.
    pub(crate) fn add_everything(&mut self) {
        self.is_anything = true;
    }

    pub(crate) fn add_unit(&mut self, name: &str) {
        self.units.insert(key(name));
        self.add(name);
    }

    fn add(&mut self, name: &str) {
        self.all.insert(key(name));
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

fn last(name: &Name) -> Option<String> {
    name.idents().last().map(|ident| ident.text.clone())
}
