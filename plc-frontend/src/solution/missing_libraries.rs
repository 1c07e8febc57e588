//! Qualified names of libraries that the upload lacks: `LIB.NAME` becomes `NAME`, a name that no file declares.
//!
//! So the name is missing like any other one, and a declaration is inferred from its uses. A library of the upload is taken from a
//! name that nothing else has: so inference knows its type.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::edit::{self, NameMut};
use crate::ast::{Ident, Item, Name, NameElem, Unit};
use crate::library::{self, DeclaredNames};
use crate::resolve::{Spaces, elementary_name, is_standard_name};
use crate::stub::mentions_stub;
use crate::text::{FileId, Key, Origin, SourceSet, Span, key};

/// Names of libraries that files reference and the upload lacks.
#[derive(Debug, Default)]
pub(super) struct MissingLibraries {
    /// Names of libraries, a row for each list of references.
    pub(super) rows: Vec<BTreeSet<Key>>,
    /// Names of libraries that the upload has.
    pub(super) present: BTreeSet<Key>,
    /// Row of each file.
    pub(super) of_file: BTreeMap<FileId, usize>,
}

/// Takes the names of missing libraries from qualified names.
///
/// Soundness: the name alone must mean nothing else. It stays an error if the upload, the standard or a known library declares
/// it, and if two libraries are named in front of it. A variable of the library's name hides the library.
/// Cost: one traversal of the syntax trees, and three if there are such names.
pub(super) fn unqualify(sources: &SourceSet, units: &mut [Unit], missing: &MissingLibraries, spaces: &Spaces) {
    let is_missing = |file: FileId, name: &str| {
        let row = missing.of_file.get(&file).and_then(|row| missing.rows.get(*row));
        let is_listed = row.is_some_and(|row| row.contains(name));
        is_listed || !missing.present.contains(name) && (library::is_library(name) || is_of_vendor(name))
    };
    let mut is_any = false;
    for unit in &mut *units {
        let file = unit.file;
        let may_be = |prefix: &str| is_missing(file, prefix) || spaces.is_any_qualifier(prefix);
        edit::names(unit, &mut |name| is_any |= may_be_qualified(&name, &may_be));
    }
    if !is_any {
        return;
    }
    let declared = Declared::of(sources, units, spaces);
    for unit in &mut *units {
        let file = unit.file;
        edit::names(unit, &mut |mut name| {
            while declared.is_nested(&name, &|prefix| is_missing(file, prefix)) {
                name = shorten(sources, name);
            }
        });
    }
    let mut prefixes: BTreeMap<Key, BTreeSet<Key>> = BTreeMap::new();
    for unit in &mut *units {
        let file = unit.file;
        edit::names(unit, &mut |name| {
            if let Some((prefix, last)) = declared.qualified(&name, &|prefix| is_missing(file, prefix)) {
                prefixes.entry(last).or_default().insert(prefix);
            }
        });
    }
    prefixes.retain(|_, of| of.len() == 1);
    for unit in units {
        let file = unit.file;
        edit::names(unit, &mut |name| {
            let found = declared.qualified(&name, &|prefix| is_missing(file, prefix));
            let is_single = declared.single(&name, spaces.of(file), spaces).is_some();
            if is_single || found.is_some_and(|(_, last)| prefixes.contains_key(&last)) {
                let _ = shorten(sources, name);
            } else {
                declared.rename(name, &|prefix| is_missing(file, prefix), spaces);
            }
        });
    }
}

/// Names that the upload declares.
struct Declared {
    names: DeclaredNames,
    /// Named lists of global variables with their variables.
    lists: BTreeMap<Key, BTreeSet<Key>>,
    /// Variables, POUs and types; lists of global variables are none of them.
    besides_lists: BTreeSet<Key>,
    /// Spaces that declare a name in any scope.
    homes: BTreeMap<Key, BTreeSet<usize>>,
}

impl Declared {
    /// Collects the declarations. Those of stubs are in place of a missing library.
    fn of(sources: &SourceSet, units: &[Unit], spaces: &Spaces) -> Declared {
        let is_stub = |unit: &Unit| {
            let file = sources.files.get(unit.file);
            file.is_some_and(|file| file.origin == Origin::Inferred || mentions_stub(&file.text))
        };
        let mut lists: BTreeMap<Key, BTreeSet<Key>> = BTreeMap::new();
        let mut names = DeclaredNames::default();
        let (mut besides_lists, mut homes) = (BTreeSet::new(), BTreeMap::<Key, BTreeSet<usize>>::new());
        for unit in units.iter().filter(|unit| !is_stub(unit)) {
            let own = DeclaredNames::of(std::slice::from_ref(unit), sources);
            let mut of_unit = BTreeSet::new();
            for item in &unit.items {
                if let Item::Globals(block) = item
                    && let Some(list) = &block.list
                {
                    let vars = block.vars.iter().map(|var| key(&var.name.text));
                    lists.entry(key(&list.name.text)).or_default().extend(vars);
                    of_unit.insert(key(&list.name.text));
                }
            }
            besides_lists.extend(own.all.iter().filter(|name| !of_unit.contains(*name)).cloned());
            if !spaces.is_one() {
                let home = spaces.of(unit.file);
                own.all.iter().for_each(|name| _ = homes.entry(name.clone()).or_default().insert(home));
            }
            names.extend(&own);
        }
        Declared { names, lists, besides_lists, homes }
    }

    /// Returns the library in front of a name, and the name, if a missing library is meant.
    fn qualified(&self, name: &NameMut<'_>, is_missing: &dyn Fn(&str) -> bool) -> Option<(Key, Key)> {
        match name {
            NameMut::Type(ident) => {
                let (prefix, last) = ident.text.rsplit_once('.')?;
                self.of_type(prefix, last, is_missing)
            }
            NameMut::Base(name) => {
                let parts: Vec<&str> = name.idents().map(|ident| ident.text.as_str()).collect();
                let (last, prefix) = parts.split_last()?;
                self.of_type(&prefix.join("."), last, is_missing)
            }
            NameMut::Path(name) => {
                let NameElem::Field(next) = name.path.first()? else { return None };
                let (prefix, last) = (key(&name.root.text), key(&next.text));
                let is_variable = self.besides_lists.contains(&prefix);
                let is_listed = self.lists.get(&prefix).is_some_and(|list| list.contains(&last));
                let is_free = !self.names.all.contains(&last) && !is_of_another(&prefix, &last);
                (is_missing(&prefix) && !is_variable && !is_listed && is_free).then_some((prefix, last))
            }
            NameMut::Parameter(_) => None,
        }
    }

    /// Returns whether a path begins with a library inside of another one, `Outer.Inner.NAME`.
    fn is_nested(&self, name: &NameMut<'_>, is_missing: &dyn Fn(&str) -> bool) -> bool {
        let NameMut::Path(name) = name else { return false };
        let (Some(NameElem::Field(inner)), Some(NameElem::Field(_))) = (name.path.first(), name.path.get(1)) else {
            return false;
        };
        let is_library = |ident: &Ident| {
            let name = key(&ident.text);
            is_missing(&name) && !self.names.all.contains(&name)
        };
        is_library(&name.root) && is_library(inner)
    }

    /// Returns the library of the upload in front of a name, and the name, if no other file has the name in any scope.
    fn single(&self, name: &NameMut<'_>, from: usize, spaces: &Spaces) -> Option<(Key, Key)> {
        let (library, last) = match name {
            NameMut::Type(ident) => ident.text.split_once('.').map(|(library, last)| (key(library.trim()), key(last.trim())))?,
            NameMut::Base(name) | NameMut::Path(name) => {
                let NameElem::Field(next) = name.path.first()? else { return None };
                (key(&name.root.text), key(&next.text))
            }
            NameMut::Parameter(_) => return None,
        };
        let at = spaces.qualified(from, &library)?;
        let is_single = self.homes.get(&last).is_some_and(|homes| homes.len() == 1 && homes.contains(&at));
        let is_hidden = self.names.all.contains(&library) || is_standard_name(&last) || !self.names.units.contains(&last);
        (is_single && !is_hidden).then_some((library, last))
    }

    /// Gives uses of a missing library a name that nothing declares, `LIB_NAME`, where the plain name has a declaration: in the upload, in
    /// the standard or in another library.
    fn rename(&self, name: NameMut<'_>, is_missing: &dyn Fn(&str) -> bool, spaces: &Spaces) {
        // Beside libraries, the plain name of a standard block is that of the standard.
        let is_plain = |last: &str| !spaces.is_one() && is_standard_name(last);
        let is_another = |library: &str, last: &str| {
            let (library, name) = (key(library), key(last));
            is_missing(&library) && !is_plain(last) && (self.names.units.contains(&name) || is_of_another(&library, &name))
        };
        let own_name = |library: &str, last: &str| {
            let own = format!("{library}_{last}");
            // Known libraries have declarations, which are not guessed.
            let is_known = library::is_library(&key(library)) || is_of_vendor(&key(library));
            if is_known || self.names.all.contains(&key(&own)) { format!("{last} in {library}") } else { own }
        };
        match name {
            NameMut::Type(ident) => {
                let Some((library, last)) = ident.text.rsplit_once('.') else { return };
                if is_another(library.trim(), last.trim()) {
                    ident.text = own_name(library.trim(), last.trim());
                }
            }
            NameMut::Base(name) | NameMut::Path(name) => {
                let Some(NameElem::Field(next)) = name.path.first() else { return };
                let library = &name.root.text;
                let is_listed = self.lists.get(&key(library)).is_some_and(|list| list.contains(&key(&next.text)));
                if is_another(library, &next.text) && !self.besides_lists.contains(&key(library)) && !is_listed {
                    name.root = Ident { text: own_name(library, &next.text), span: name.root.span.to(next.span) };
                    name.path.remove(0);
                }
            }
            NameMut::Parameter(_) => {}
        }
    }

    /// Returns the parts of a type's name. Only libraries and namespaces stand in front of it.
    fn of_type(&self, prefix: &str, last: &str, is_missing: &dyn Fn(&str) -> bool) -> Option<(Key, Key)> {
        let (prefix, last) = (key(prefix), key(last.trim()));
        let first = prefix.split('.').next().map(str::trim).filter(|first| !first.is_empty())?;
        let is_declared = self.names.units.contains(first) && !self.lists.contains_key(first);
        let is_meant = is_missing(first) || !is_declared;
        let is_free = !self.names.units.contains(&last) && !is_of_another(first, &last);
        (is_meant && is_free).then(|| (prefix.clone(), last))
    }
}

/// Returns whether a name is one of the libraries of TwinCAT.
fn is_of_vendor(name: &str) -> bool {
    ["tc2_", "tc3_"].iter().any(|start| name.starts_with(start))
}

/// Returns whether a name has dots, and its first part may be a library's.
fn may_be_qualified(name: &NameMut<'_>, is_missing: &dyn Fn(&str) -> bool) -> bool {
    match name {
        NameMut::Type(ident) => ident.text.contains('.'),
        NameMut::Base(name) => !name.path.is_empty(),
        NameMut::Path(name) => matches!(name.path.first(), Some(NameElem::Field(_))) && is_missing(&key(&name.root.text)),
        NameMut::Parameter(_) => false,
    }
}

/// Returns whether the standard, or a library that is known, has a name, and the library in front of it is another one.
fn is_of_another(library: &str, name: &str) -> bool {
    let is_known = || is_standard_name(name) || elementary_name(name).is_some() || library::hint(name).is_some();
    !library::is_library(library) && !is_of_vendor(library) && is_known()
}

/// Takes what stands in front of the last identifier of a type, or in front of the second one of a path. Returns the rest.
fn shorten<'n>(sources: &SourceSet, mut name: NameMut<'n>) -> NameMut<'n> {
    match &mut name {
        NameMut::Type(ident) => {
            let last = ident.text.rsplit('.').next().unwrap_or_default().trim().to_owned();
            let start = (ident.span.end as usize).saturating_sub(last.len());
            let span = Span::new(ident.span.file, start.max(ident.span.start as usize), ident.span.end as usize);
            if sources.text(span).eq_ignore_ascii_case(&last) {
                ident.span = span;
            }
            ident.text = last;
        }
        NameMut::Base(name) => {
            if let Some(last) = name.idents().last().cloned() {
                **name = Name { span: last.span, root: last, path: Vec::new() };
            }
        }
        NameMut::Path(name) => {
            if let Some(NameElem::Field(next)) = name.path.first() {
                let next: Ident = next.clone();
                name.span.start = next.span.start.max(name.span.start);
                name.root = next;
                name.path.remove(0);
            }
        }
        NameMut::Parameter(_) => {}
    }
    name
}
