//! One library in two packages of a project of Automation Studio: its equal declarations count once.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::{Item, Unit};
use crate::resolve::{Spaces, leave_out_repeated, names_one_of, sections_elsewhere, shared_names};
use crate::text::{Key, SourceSet, Span, key};

/// Declaration of a library, with its text without blanks.
struct Declaration {
    /// Position of its file.
    unit: usize,
    span: Span,
    names: Vec<Key>,
    /// Places of its parts; the first is its own.
    parts: Vec<Span>,
    text: String,
}

/// Leaves out the declarations of a library that another one of its name has, too, word for word.
///
/// Soundness: all code that sees the second library sees the first, and no name in the text has another meaning there. A
/// declaration that differs stays: a use of its name is an error.
pub(super) fn merge(units: &mut [Unit], sources: &SourceSet, spaces: &Spaces) {
    for (first, second) in twins(spaces) {
        let (one, two) = (declarations(units, sources, spaces, first), declarations(units, sources, spaces, second));
        let (ours, theirs) = (texts(&one), texts(&two));
        let all: BTreeSet<&Key> = ours.keys().chain(theirs.keys()).copied().collect();
        let differs = |name: &Key| ours.get(name) != theirs.get(name);
        let differing: BTreeSet<Key> = all.into_iter().filter(|name| differs(name)).cloned().collect();
        let places: BTreeMap<&str, Span> = one.iter().map(|it| (it.text.as_str(), it.span)).collect();
        for declaration in &two {
            let is_clear = |part: &Span| !names_one_of(sources.declaration(*part), &differing);
            let Some(place) = places.get(declaration.text.as_str()) else { continue };
            if !declaration.names.is_empty()
                && declaration.names.iter().all(|name| !differing.contains(name))
                && declaration.parts.iter().all(is_clear)
                && let Some(unit) = units.get_mut(declaration.unit)
            {
                leave_out_repeated(unit, sources, *place, declaration.span);
            }
        }
    }
}

/// Returns the pairs of libraries with one name, where all code that sees the second sees the first.
fn twins(spaces: &Spaces) -> Vec<(usize, usize)> {
    let sees = |from: usize, to: usize| from == to || spaces.rows.get(from).is_some_and(|row| row.libraries.contains(&to));
    let mut first: BTreeMap<Key, usize> = BTreeMap::new();
    let mut pairs = Vec::new();
    for (at, row) in spaces.rows.iter().enumerate().skip(1) {
        // A second library of a name has a `_` behind it.
        let one = *first.entry(key(row.name.trim_end_matches('_'))).or_insert(at);
        if one != at && (0..spaces.rows.len()).all(|from| sees(from, one) || !sees(from, at)) {
            pairs.push((one, at));
        }
    }
    pairs
}

/// Returns the declarations of a library.
fn declarations(units: &[Unit], sources: &SourceSet, spaces: &Spaces, library: usize) -> Vec<Declaration> {
    let own = units.iter().enumerate().filter(|(_, unit)| spaces.of(unit.file) == library);
    let items = own.flat_map(|(at, unit)| unit.items.iter().map(move |item| (at, item)));
    let is_closed =
        |item: &Item| !matches!(item, Item::Namespace(_) | Item::Using(_) | Item::Unsupported(..) | Item::Configuration(_));
    let rows = items.filter(|(_, item)| is_closed(item)).map(|(unit, item)| {
        let parts: Vec<Span> = std::iter::once(item.span()).chain(sections_elsewhere(item)).collect();
        let words = parts.iter().flat_map(|part| sources.declaration(*part).split_whitespace());
        let text = words.collect::<Vec<_>>().join(" ");
        Declaration { unit, span: item.span(), names: shared_names(item), parts, text }
    });
    rows.collect()
}

/// Returns the texts of declarations by their names.
fn texts(declarations: &[Declaration]) -> BTreeMap<&Key, BTreeSet<&str>> {
    let mut texts: BTreeMap<&Key, BTreeSet<&str>> = BTreeMap::new();
    for declaration in declarations {
        for name in &declaration.names {
            texts.entry(name).or_default().insert(&declaration.text);
        }
    }
    texts
}
