//! Declarations in the texts of libraries: each with its own text, so that a program gets no more than it needs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::names::UsedNames;
use super::{LIBRARIES, Library};
use crate::ast::{Item, TypeSpecKind, Unit};
use crate::text::{FileId, Key, Origin, SourceFile, key};

/// One declaration of a library.
pub(super) struct Declaration {
    /// Position of its library in [`LIBRARIES`].
    pub(super) library: usize,
    pub(super) text: &'static str,
    /// Its name, if it is a type or a block.
    pub(super) ty: Option<Key>,
    /// Names of values that it declares: a function, constants, values of an enumeration.
    pub(super) values: BTreeSet<Key>,
    pub(super) uses: UsedNames,
}

/// All declarations, with those of each name.
pub(super) struct Index {
    pub(super) declarations: Vec<Declaration>,
    pub(super) by_name: BTreeMap<Key, Vec<usize>>,
}

/// Read once, when a program first has a name that it does not declare.
pub(super) static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let rows = LIBRARIES.iter().enumerate();
    let declarations: Vec<Declaration> = rows.flat_map(|(at, row)| row.declarations().map(move |text| read(at, text))).collect();
    let mut by_name: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    for (at, declaration) in declarations.iter().enumerate() {
        for name in declaration.ty.iter().chain(&declaration.values) {
            by_name.entry(name.clone()).or_default().push(at);
        }
    }
    Index { declarations, by_name }
});

/// Returns the position of the first library that declares a name.
pub(super) fn library_of(name: &str) -> Option<usize> {
    let first = INDEX.by_name.get(&key(name))?.first()?;
    INDEX.declarations.get(*first).map(|declaration| declaration.library)
}

impl Library {
    /// Returns the texts of the declarations.
    pub(super) fn declarations(&self) -> impl Iterator<Item = &'static str> {
        // The first paragraph of a text names the documentation.
        self.texts.iter().flat_map(|text| text.split("\n\n").skip(1)).map(str::trim).filter(|text| !text.is_empty())
    }

    /// Returns all names that it declares, in lower case.
    #[cfg(test)]
    pub(crate) fn declared_names(&self) -> BTreeSet<Key> {
        self.declarations().map(|text| read(0, text)).flat_map(|row| row.ty.into_iter().chain(row.values)).collect()
    }
}

fn read(library: usize, text: &'static str) -> Declaration {
    let unit = unit(text);
    let mut found =
        Declaration { library, text, ty: None, values: BTreeSet::new(), uses: UsedNames::of(std::slice::from_ref(&unit)) };
    for item in &unit.items {
        match item {
            Item::Pou(pou) if pou.kind == crate::ast::PouKind::Function => {
                found.values.insert(key(&pou.name.text));
            }
            Item::Globals(block) => found.values.extend(block.vars.iter().map(|var| key(&var.name.text))),
            Item::Type(decl) => {
                found.ty = Some(key(&decl.name.text));
                if let TypeSpecKind::Enum(variants, _) = &decl.ty.kind {
                    found.values.extend(variants.iter().map(|(name, _)| key(&name.text)));
                }
            }
            Item::Pou(_) | Item::Interface(_) => found.ty = item.name().map(|name| key(&name.text)),
            Item::Configuration(_) | Item::Namespace(_) | Item::Using(_) | Item::Unsupported(..) => {}
        }
    }
    found
}

fn unit(text: &str) -> Unit {
    let file = SourceFile::new("library.st", text, Origin::Library);
    crate::lang::parse(FileId(0), &file).value
}

/// Numbers of declarations of a library, for its documentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Structures, enumerations and other names of types.
    pub types: usize,
    /// Constants.
    pub constants: usize,
    /// Functions and blocks with bodies.
    pub bodies: usize,
    /// Functions and blocks of which only the interface is known.
    pub stubs: usize,
}

/// Returns the numbers of declarations of a library.
pub fn counts(library: &Library) -> Counts {
    let mut counts = Counts::default();
    for text in library.declarations() {
        for item in unit(text).items {
            match item {
                Item::Pou(_) if text.contains("{attribute 'stub'}") => counts.stubs += 1,
                // The controller gives its value.
                Item::Pou(_)
                    if ["system", "undefined"]
                        .iter()
                        .any(|value| text.contains(&format!("{{attribute 'stub' := '{value}'}}"))) => {}
                Item::Pou(_) => counts.bodies += 1,
                Item::Globals(block) => counts.constants += block.vars.len(),
                Item::Type(_) | Item::Interface(_) => counts.types += 1,
                Item::Configuration(_) | Item::Namespace(_) | Item::Using(_) | Item::Unsupported(..) => {}
            }
        }
    }
    counts
}
