//! Table of all declarations outside of POUs, with their namespaces and their spaces, and the full name of each.

use crate::ast::walk::{self, Node};
use crate::ast::{Access, Item, Section, TypeSpecKind, Unit, VarBlock};
use crate::resolve::calls::standard_table;
use crate::resolve::names::parts::{joined, within};
use crate::resolve::names::spaces::{Home, Spaces};
use crate::resolve::names::tables::{Key, key};
use crate::stub::mentions_stub;
use crate::text::{Origin, SourceSet, Span};
use std::collections::{BTreeMap, BTreeSet};

/// A POU, type or interface.
#[derive(Debug)]
pub(super) struct Row {
    /// Its name with its namespaces, as spelled.
    pub(super) path: String,
    pub(super) space: Vec<Key>,
    pub(super) home: Home,
    /// INTERNAL: only its namespace may use it.
    pub(super) is_internal: bool,
    /// Place of its name.
    pub(super) span: Span,
}

/// A named value outside of POUs.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) home: Home,
    pub(super) kind: ValueKind,
}

/// Kinds of named values.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Variable,
    /// A list of global variables, with their names.
    List(BTreeSet<Key>),
    /// A value of an enumeration; `is_hidden`: its file may demand the type in front of it.
    Variant {
        is_hidden: bool,
    },
}

/// All declarations outside of POUs.
pub(super) struct Table<'t> {
    pub(super) spaces: &'t Spaces,
    /// POUs, types and interfaces by their full paths.
    pub(super) units: BTreeMap<Key, Vec<Row>>,
    /// Paths by their last parts.
    pub(super) by_last: BTreeMap<Key, BTreeSet<Key>>,
    /// Last parts with full names of their own.
    contested: BTreeSet<Key>,
    pub(super) values: BTreeMap<Key, Vec<Value>>,
}

impl<'t> Table<'t> {
    pub(super) fn of(units: &[Unit], sources: &SourceSet, spaces: &'t Spaces) -> Table<'t> {
        let (declared, by_last) = (BTreeMap::new(), BTreeMap::new());
        let mut table = Table { spaces, units: declared, by_last, contested: BTreeSet::new(), values: BTreeMap::new() };
        for unit in units {
            let file = sources.files.get(unit.file);
            let is_shared = !spaces.is_one() && file.is_some_and(|file| file.origin != Origin::User || mentions_stub(&file.text));
            let home = if is_shared { Home::Shared } else { Home::Space(spaces.of(unit.file)) };
            table.declare(&unit.items, &[], home);
            if !spaces.is_one() {
                table.declare_values(unit, home, file.map_or("", |file| file.text.as_str()));
            }
        }
        let by_last = table.by_last.iter().filter(|(last, paths)| table.has_full_names(last, paths));
        table.contested = by_last.map(|(last, _)| last.clone()).collect();
        table
    }

    fn declare(&mut self, items: &[Item], space: &[String], home: Home) {
        for item in items {
            if let Item::Namespace(inner) = item {
                self.declare(&inner.items, &within(space, &inner.name), home);
            }
            let Some(name) = item.name() else { continue };
            let path = joined(space, &name.text);
            self.by_last.entry(key(&name.text)).or_default().insert(key(&path));
            let space = space.iter().map(|part| key(part)).collect();
            let is_internal = matches!(item, Item::Pou(pou) if pou.modifiers.access == Access::Internal);
            let rows = self.units.entry(key(&path)).or_default();
            if rows.iter().all(|row| row.home != home) {
                rows.push(Row { path, space, home, is_internal, span: name.span });
            }
        }
    }

    fn declare_values(&mut self, unit: &Unit, home: Home, text: &str) {
        let mut blocks: Vec<&VarBlock> = Vec::new();
        let mut variants: Vec<&str> = Vec::new();
        walk::unit(unit, &mut |node| match node {
            Node::Block(block) if block.section == Section::Global => blocks.push(block),
            Node::Type(ty) => {
                if let TypeSpecKind::Enum(all, _) = &ty.kind {
                    variants.extend(all.iter().map(|(name, _)| name.text.as_str()));
                }
            }
            Node::Item(_) | Node::Block(_) | Node::Method(_) | Node::Stmt(_) | Node::Expr(_) | Node::Name(_) => {}
        });
        let is_hidden = !variants.is_empty() && text.to_lowercase().contains("qualified_only");
        for name in variants {
            self.declare_value(name, Value { home, kind: ValueKind::Variant { is_hidden } });
        }
        for block in blocks {
            if let Some(list) = &block.list {
                let all = block.vars.iter().map(|var| key(&var.name.text)).collect();
                self.declare_value(&list.name.text, Value { home, kind: ValueKind::List(all) });
            }
            if block.list.as_ref().is_none_or(|list| !list.qualified_only) {
                for var in &block.vars {
                    self.declare_value(&var.name.text, Value { home, kind: ValueKind::Variable });
                }
            }
        }
    }

    fn declare_value(&mut self, name: &str, value: Value) {
        let rows = self.values.entry(key(name)).or_default();
        if !rows.iter().any(|row| row.home == value.home && row.kind == value.kind) {
            rows.push(value);
        }
    }

    /// Returns whether the declarations of a name have full names: several have it, or the standard does.
    fn has_full_names(&self, last: &str, paths: &BTreeSet<Key>) -> bool {
        let mut rows = paths.iter().filter_map(|path| self.units.get(path)).flatten();
        let homes: BTreeSet<Home> = paths.iter().filter_map(|path| self.units.get(path)).flatten().map(|row| row.home).collect();
        let is_apart = || !self.spaces.is_one() || paths.iter().any(|path| path != last);
        1 < paths.len()
            || 1 < homes.len()
            || rows.any(|row| row.is_internal && !row.space.is_empty())
            || is_standard(last) && is_apart()
    }

    /// Returns the places of the declarations with these full names.
    pub(super) fn places(&self, last: &str, names: &[String]) -> Vec<Span> {
        let rows = self.by_last.get(&key(last)).into_iter().flatten().filter_map(|path| self.units.get(path)).flatten();
        rows.filter(|row| names.contains(&self.full(row))).map(|row| row.span).collect()
    }

    /// Returns whether the declarations of this last part have full names.
    pub(super) fn is_contested(&self, last: &str) -> bool {
        self.contested.contains(last)
    }

    /// Returns whether uses of a name in a space need a look: their meaning may differ from the plain name.
    pub(super) fn is_watched(&self, from: usize, last: &str) -> bool {
        let is_hidden = |home: Home| self.spaces.distance(from, home).is_none();
        let paths = || self.by_last.get(last).into_iter().flatten();
        let homes = paths().filter_map(|path| self.units.get(path)).flatten().map(|row| row.home);
        self.is_contested(last) || !self.spaces.is_one() && (self.values.contains_key(last) || homes.into_iter().any(is_hidden))
    }

    /// Returns the name under which a POU or type is declared.
    pub(super) fn full(&self, row: &Row) -> String {
        let last = row.path.rsplit('.').next().unwrap_or(&row.path);
        if !self.is_contested(&key(last)) {
            return last.to_owned();
        }
        match row.home {
            Home::Space(at) if at != 0 || !self.spaces.is_one() && is_standard(last) => {
                format!("{}.{}", self.spaces.name(at), row.path)
            }
            Home::Space(_) | Home::Shared => row.path.clone(),
        }
    }

    /// Returns whether values of this name have full names.
    pub(super) fn is_contested_value(&self, name: &str) -> bool {
        let rows = self.values.get(name).map(Vec::as_slice).unwrap_or_default();
        rows.iter().any(|row| rows.first().is_some_and(|first| first.home != row.home))
    }

    /// Returns the name under which a value of a home is declared.
    pub(super) fn full_value(&self, name: &str, home: Home) -> String {
        match home {
            Home::Space(at) if at != 0 && self.is_contested_value(&key(name)) => format!("{}.{name}", self.spaces.name(at)),
            Home::Space(_) | Home::Shared => name.to_owned(),
        }
    }
}

/// Returns whether a name is one of the standard's functions and function blocks.
pub(super) fn is_standard(name: &str) -> bool {
    standard_table::is_standard(name) || crate::stdlib::SOURCES.iter().any(|(block, _)| block.eq_ignore_ascii_case(name))
}
