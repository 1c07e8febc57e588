//! Meanings of names at a place: the nearest declaration among namespaces and spaces.

use super::declared::{Row, Table, ValueKind, is_standard};
use super::parts::joined;
use super::spaces::{Distance, Home};
use crate::resolve::names::tables::{Key, key};
use std::collections::BTreeSet;

/// Place of a name.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) space: &'p [String],
    pub(super) usings: &'p BTreeSet<Key>,
    /// Library or project around it.
    pub(super) from: usize,
}

/// Meaning of a name of a POU, type or interface.
pub(super) enum Meaning {
    /// A declaration.
    One(Distance, Found),
    /// A name of the standard.
    Standard,
    /// Full names.
    Several(Distance, Vec<String>),
    None,
}

/// A declaration, by its path and its home.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) path: Key,
    pub(super) home: Home,
}

/// Meaning of a name of a value: its distance, and the names under which it may be declared.
pub(super) type ValueMeaning = Option<(Distance, BTreeSet<String>)>;

impl Table<'_> {
    /// Returns the meaning of a name behind names of libraries.
    pub(super) fn in_library(&self, parts: &[Key], from: usize) -> Meaning {
        let mut at = from;
        for (index, part) in parts.iter().enumerate() {
            let path = parts[index..].join(".");
            let row = self.units.get(&path).into_iter().flatten().find(|row| row.home == Home::Space(at));
            if let (true, Some(row)) = (0 < index, row) {
                return Meaning::One(Distance::OWN, Found { path: key(&row.path), home: row.home });
            }
            match self.spaces.qualified(at, part) {
                Some(library) => at = library,
                None => return Meaning::None,
            }
        }
        Meaning::None
    }

    /// Returns the nearest values of a name that a space sees.
    pub(super) fn value(&self, name: &str, from: usize) -> ValueMeaning {
        let rows = self.values.get(&key(name)).into_iter().flatten();
        let mut seen: Vec<_> =
            rows.filter_map(|row| Some((self.spaces.distance(from, row.home)?, row.home, &row.kind))).collect();
        seen.sort_by_key(|(distance, home, _)| (*distance, *home));
        let nearest = seen.first()?.0;
        // A value that may demand its type in front of it does not hide the others.
        let sure = seen.iter().find(|(_, _, kind)| !matches!(kind, ValueKind::Variant { is_hidden: true }));
        let end = sure.map_or(Distance::SHARED, |(distance, ..)| *distance);
        let meant = seen.iter().take_while(|(distance, ..)| *distance <= end);
        Some((nearest, meant.map(|(_, home, _)| self.full_value(name, *home)).collect()))
    }

    pub(super) fn meaning(&self, parts: &[&str], place: &Place<'_>) -> Meaning {
        let text = key(&parts.join("."));
        for n in (0..=place.space.len()).rev() {
            let found = self.nearest([key(&joined(&place.space[..n], &text))].iter(), place.from);
            if !matches!(found, Meaning::None) {
                return self.beside_standard(found, &text, parts, place);
            }
        }
        let used: Vec<Key> = place.usings.iter().map(|space| format!("{space}.{text}")).collect();
        match self.nearest(used.iter(), place.from) {
            Meaning::None if parts.len() == 1 && is_standard(&text) => return Meaning::Standard,
            Meaning::None => {}
            found @ (Meaning::One(..) | Meaning::Standard | Meaning::Several(..)) => return found,
        }
        // Systems whose only namespaces are those of libraries find a name without USING if it is the only one.
        let end = format!(".{text}");
        let all = parts.last().and_then(|last| self.by_last.get(&key(last))).into_iter().flatten();
        self.nearest(all.filter(|full| **full == text || full.ends_with(&end)), place.from)
    }

    /// Returns the nearest of these declarations.
    fn nearest<'k>(&self, paths: impl Iterator<Item = &'k Key>, from: usize) -> Meaning {
        let rows: Vec<&Row> = paths.filter_map(|path| self.units.get(path)).flatten().collect();
        let distance = |row: &Row| self.spaces.distance(from, row.home);
        let Some(nearest) = rows.iter().filter_map(|row| distance(row)).min() else { return Meaning::None };
        let meant = rows.iter().filter(|row| distance(row) == Some(nearest));
        match meant.collect::<Vec<_>>().as_slice() {
            [one] => Meaning::One(nearest, Found { path: key(&one.path), home: one.home }),
            several => Meaning::Several(nearest, several.iter().map(|row| self.full(row)).collect()),
        }
    }

    /// Returns the meaning of a name of a library, which may be one of the standard library, too.
    fn beside_standard(&self, found: Meaning, text: &str, parts: &[&str], place: &Place<'_>) -> Meaning {
        let has_standard = self.spaces.rows.get(place.from).is_some_and(|row| row.has_standard);
        match found {
            Meaning::One(distance @ (Distance::REFERENCED | Distance::FURTHER), found)
                if parts.len() == 1 && has_standard && is_standard(text) =>
            {
                Meaning::Several(distance, vec![self.full_of(&found), format!("Tc2_Standard.{}", parts.concat())])
            }
            Meaning::One(..) | Meaning::Standard | Meaning::Several(..) | Meaning::None => found,
        }
    }

    /// Returns a declaration.
    pub(super) fn row(&self, found: &Found) -> Option<&Row> {
        self.units.get(&found.path)?.iter().find(|row| row.home == found.home)
    }

    /// Returns the name under which a declaration is declared.
    pub(super) fn full_of(&self, found: &Found) -> String {
        self.row(found).map_or_else(|| found.path.clone(), |row| self.full(row))
    }
}
