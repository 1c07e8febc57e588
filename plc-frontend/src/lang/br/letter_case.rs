//! Names that differ only in the case of their letters: Automation Studio tells them apart, as C does.
//!
//! A library has the structure `asarlogRead` beside the block `AsArLogRead`. The types get names of their own, in declarations and uses.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::edit::{self, NameMut};
use crate::ast::{Item, Unit};
use crate::text::{Key, key};

/// Renames types whose names other declarations of Automation Studio have in other letters.
///
/// Soundness: a use means the declaration with exactly its letters. A use in other letters means none of them, so nothing declares it.
/// Cost: linear in the declarations; one traversal of the syntax trees if there are such types.
pub(super) fn tell_apart(units: &mut [Unit], is_of_studio: &dyn Fn(&Unit) -> bool) {
    let renamed = renamed(units.iter().filter(|unit| is_of_studio(unit)));
    if renamed.is_empty() {
        return;
    }
    let known: BTreeSet<Key> = renamed.keys().map(|spelling| key(spelling)).collect();
    for unit in units {
        let is_declaring = is_of_studio(unit);
        for item in unit.items.iter_mut().filter(|_| is_declaring) {
            if let Item::Type(decl) = item
                && let Some(Some(name)) = renamed.get(&decl.name.text)
            {
                decl.name.text.clone_from(name);
            }
        }
        edit::names(unit, &mut |name| {
            let NameMut::Type(ident) = name else { return };
            match renamed.get(&ident.text) {
                Some(Some(name)) => ident.text.clone_from(name),
                Some(None) => {}
                None if known.contains(&key(&ident.text)) => ident.text = format!("{} in these letters", ident.text),
                None => {}
            }
        });
    }
}

/// Returns the new names of types by their spellings. A POU keeps its name, else the first spelling.
fn renamed<'u>(units: impl Iterator<Item = &'u Unit>) -> BTreeMap<String, Option<String>> {
    let mut spellings: BTreeMap<Key, BTreeMap<&str, bool>> = BTreeMap::new();
    for item in units.flat_map(|unit| &unit.items) {
        let is_pou = matches!(item, Item::Pou(_));
        if let (Item::Pou(_) | Item::Type(_), Some(name)) = (item, item.name()) {
            *spellings.entry(key(&name.text)).or_default().entry(&name.text).or_default() |= is_pou;
        }
    }
    let taken: BTreeSet<Key> = spellings.keys().cloned().collect();
    let mut renamed = BTreeMap::new();
    for spellings in spellings.into_values() {
        let n_pous = spellings.values().filter(|is_pou| **is_pou).count();
        if spellings.len() < 2 || 1 < n_pous {
            continue;
        }
        let kept = spellings.iter().find(|(_, is_pou)| **is_pou).or_else(|| spellings.iter().next()).map(|(name, _)| *name);
        for (number, spelling) in spellings.keys().enumerate() {
            let mut new = format!("{spelling}_{number}");
            while taken.contains(&key(&new)) {
                new.push('_');
            }
            renamed.insert((*spelling).to_owned(), (Some(*spelling) != kept).then_some(new));
        }
    }
    renamed
}
