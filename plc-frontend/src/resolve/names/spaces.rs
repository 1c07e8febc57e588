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
    /// The rows are folders of one project, and each sees all of them.
    pub(crate) has_folders: bool,
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
    /// Folder with `/` at its end, if the rows are folders.
    pub(crate) folder: String,
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
pub(crate) struct Distance(u32);

impl Distance {
    pub(crate) const OWN: Distance = Distance(0);
    /// A library that is referenced.
    pub(crate) const REFERENCED: Distance = Distance(1);
    /// A library that another one references.
    pub(crate) const FURTHER: Distance = Distance(2);
    /// Declarations in place of a missing library.
    pub(crate) const SHARED: Distance = Distance(u32::MAX);
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
        !self.has_folders && self.of(file) != 0
    }

    /// Returns the distance of a home from a space; `None` if the space does not see it.
    pub(crate) fn distance(&self, from: usize, home: Home) -> Option<Distance> {
        let Home::Space(to) = home else { return Some(Distance::SHARED) };
        if from == to {
            return Some(Distance::OWN);
        }
        let row = self.rows.get(from)?;
        if self.has_folders {
            return Some(between(&row.folder, &self.rows.get(to)?.folder));
        }
        let is_referenced = row.libraries.contains(&to).then_some(Distance::REFERENCED);
        is_referenced.or_else(|| row.further.contains(&to).then_some(Distance::FURTHER))
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

    /// Returns advice about a name that several of them declare.
    pub(crate) fn way_out(&self, names: &str) -> String {
        if self.has_folders { format!("rename or remove one of {names}") } else { format!("write one of {names}") }
    }

    /// Returns the name of a space.
    pub(crate) fn name(&self, at: usize) -> &str {
        self.rows.get(at).map_or("", |row| row.name.as_str())
    }
}

/// Returns the distance between two folders: the folders up to the one around both, then any number down.
fn between(from: &str, to: &str) -> Distance {
    let parts = |folder: &str| folder.split('/').filter(|part| !part.is_empty()).map(str::to_lowercase).collect::<Vec<_>>();
    let (from, to) = (parts(from), parts(to));
    let n_common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let (up, is_below) = (from.len() - n_common, n_common < to.len());
    Distance(u32::try_from(2 * up + usize::from(is_below)).unwrap_or(u32::MAX - 1))
}

#[test]
fn the_nearest_folder_comes_first() {
    let distances = ["A/B/", "A/B/C/", "A/", "A/D/", "", "E/"].map(|to| between("A/B/", to).0);
    assert_eq!(distances, [0, 1, 2, 3, 4, 5]);
    assert_eq!(between("", "A/").0, 1);
}
