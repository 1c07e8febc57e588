//! Names of files that no system lists: a declaration in the nearest folder is meant.
//!
//! A folder of loose files holds programs of several origins, which may have blocks of the same names. The folder of the use comes
//! first, then the folders below it, then each folder around it with what stands below.
//!
//! **Invariant:** if no name is declared in two folders, folders mean nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::folders::{folder_of, path};
use crate::ast::{Item, TypeDecl, TypeSpec, TypeSpecKind, Unit};
use crate::resolve::{Space, Spaces, names_one_of, shared_names, text_of_declaration};
use crate::text::{Key, Origin, SourceSet, key};

/// Returns a space for each folder, if some name is declared in two of them.
pub(super) fn spaces(sources: &SourceSet, units: &[Unit]) -> Option<Spaces> {
    let mut homes: BTreeMap<Key, BTreeSet<String>> = BTreeMap::new();
    let mut folders: BTreeSet<String> = BTreeSet::new();
    for unit in units {
        let Some(folder) = folder(sources, unit) else { continue };
        for name in unit.items.iter().filter(|item| !is_open(item)).flat_map(shared_names) {
            homes.entry(name).or_default().insert(folder.clone());
        }
        folders.insert(folder);
    }
    if homes.values().all(|folders| folders.len() < 2) {
        return None;
    }
    folders.remove("");
    let mut spaces = Spaces { has_folders: true, ..Spaces::default() };
    let mut taken: BTreeSet<Key> = BTreeSet::new();
    for folder in std::iter::once(String::new()).chain(folders) {
        let last = folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let mut name: String = last.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        while name.is_empty() || !taken.insert(key(&name)) {
            name.push('_');
        }
        spaces.rows.push(Space { name, folder, ..Space::default() });
    }
    let rows: BTreeMap<&str, usize> = spaces.rows.iter().enumerate().map(|(at, row)| (row.folder.as_str(), at)).collect();
    let of_file = units.iter().filter_map(|unit| Some((unit.file, *rows.get(folder(sources, unit)?.as_str())?)));
    spaces.of_file = of_file.collect();
    Some(spaces)
}

/// Returns the names that have different declarations, or whose declarations name one of those: what they mean depends on the place.
///
/// Cost: that of the texts of names with several declarations, times the length of the longest chain of such names.
pub(super) fn differing(sources: &SourceSet, units: &[Unit]) -> BTreeSet<Key> {
    let mut texts: BTreeMap<Key, String> = BTreeMap::new();
    let mut found = BTreeSet::new();
    let mut repeated: BTreeSet<Key> = BTreeSet::new();
    for item in units.iter().flat_map(|unit| &unit.items).filter(|item| !is_open(item)) {
        let text = text_of_declaration(item, sources);
        for name in shared_names(item) {
            match texts.get(&name) {
                None => _ = texts.insert(name, text.clone()),
                Some(first) if *first == text => _ = repeated.insert(name),
                Some(_) => {
                    found.extend(name.split('.').map(str::to_owned));
                    found.extend(values(item));
                }
            }
        }
    }
    loop {
        let names_it = |name: &&Key| texts.get(*name).is_some_and(|text| names_one_of(text, &found));
        let more: Vec<Key> = repeated.iter().filter(|name| !found.contains(*name)).filter(names_it).cloned().collect();
        if more.is_empty() {
            return found;
        }
        for name in more {
            found.extend(name.split('.').map(str::to_owned));
            found.insert(name);
        }
    }
}

/// Returns the values of an enumeration.
fn values(item: &Item) -> Vec<Key> {
    match item {
        Item::Type(TypeDecl { ty: TypeSpec { kind: TypeSpecKind::Enum(variants, _), .. }, .. }) => {
            variants.iter().map(|(name, _)| key(&name.text)).collect()
        }
        Item::Type(_)
        | Item::Pou(_)
        | Item::Globals(_)
        | Item::Interface(_)
        | Item::Configuration(_)
        | Item::Namespace(_)
        | Item::Using(_)
        | Item::Unsupported(..) => Vec::new(),
    }
}

/// Returns the folder of a file of the user.
fn folder(sources: &SourceSet, unit: &Unit) -> Option<String> {
    let file = sources.files.get(unit.file).filter(|file| file.origin == Origin::User)?;
    Some(folder_of(&path(file)).to_owned())
}

/// Returns whether several files may declare an item together.
fn is_open(item: &Item) -> bool {
    matches!(item, Item::Namespace(_) | Item::Using(_) | Item::Unsupported(..))
}
