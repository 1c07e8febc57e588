//! Spaces of names: the project that runs, and each library that it sees.
//!
//! A space sees its own declarations first, then those of the libraries that it references, then those that these reference.
//! It sees no others. Names in front of a declaration choose the library: `Lamps.FB_Lamp`.

use crate::text::{FileId, Key};
use std::collections::{BTreeMap, BTreeSet};

/// The project and its libraries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spaces {
    /// The project first. Without libraries there may be none.
    pub(crate) rows: Vec<Space>,
    /// Files of libraries.
    pub(crate) of_file: BTreeMap<FileId, usize>,
    /// Names of all libraries that they reference, in lower case.
    pub(crate) references: BTreeSet<Key>,
}

/// A project or a library.
#[derive(Clone, Debug, Default)]
pub(crate) struct Space {
    /// Name in front of its declarations where a name alone has several meanings. All spaces have different ones.
    pub(crate) name: String,
    /// Libraries that it references.
    pub(crate) libraries: BTreeSet<usize>,
    /// Libraries that these need.
    pub(crate) further: BTreeSet<usize>,
    /// Names with which its code qualifies declarations of a library, in lower case.
    pub(crate) qualifiers: BTreeMap<Key, BTreeSet<usize>>,
    /// It references a library of the standard's blocks.
    pub(crate) has_standard: bool,
}

/// Home of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Home {
    /// A space, by its position.
    Space(usize),
    /// Declarations in place of a missing library: all spaces see them.
    Shared,
}

/// Distance of a declaration; nearer ones are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Distance {
    Own,
    Referenced,
    Further,
    Shared,
}

impl Spaces {
    /// Returns whether there are no libraries.
    pub(crate) fn is_one(&self) -> bool {
        self.rows.len() < 2
    }

    /// Returns the space of a file.
    pub(crate) fn of(&self, file: FileId) -> usize {
        self.of_file.get(&file).copied().unwrap_or(0)
    }

    /// Returns whether a file belongs to a library.
    pub(crate) fn is_library(&self, file: FileId) -> bool {
        self.of(file) != 0
    }

    /// Returns the distance of a home from a space; `None` if the space does not see it.
    pub(crate) fn distance(&self, from: usize, home: Home) -> Option<Distance> {
        let Home::Space(to) = home else { return Some(Distance::Shared) };
        if from == to {
            return Some(Distance::Own);
        }
        let row = self.rows.get(from)?;
        let is_referenced = row.libraries.contains(&to).then_some(Distance::Referenced);
        is_referenced.or_else(|| row.further.contains(&to).then_some(Distance::Further))
    }

    /// Returns whether code of some space qualifies names with this one.
    pub(crate) fn is_any_qualifier(&self, name: &str) -> bool {
        self.rows.iter().any(|row| row.qualifiers.contains_key(name))
    }

    /// Returns the library of a qualifier in the code of a space, if it is one library.
    pub(crate) fn qualified(&self, from: usize, name: &str) -> Option<usize> {
        let found = self.rows.get(from)?.qualifiers.get(name)?;
        found.iter().next().copied().filter(|_| found.len() == 1)
    }

    /// Returns the name of a space.
    pub(crate) fn name(&self, at: usize) -> &str {
        self.rows.get(at).map_or("", |row| row.name.as_str())
    }
}
