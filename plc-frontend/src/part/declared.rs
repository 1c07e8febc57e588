//! Names that projects declare.

use std::collections::BTreeSet;

use super::words;
use crate::ast::Unit;
use crate::text::key;

/// Declared names of a project, or of several.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// Every declared name, in any scope.
    all: BTreeSet<String>,
    /// Names of POUs, types, interfaces and members.
    callable: BTreeSet<String>,
}

impl Declared {
    pub(super) fn of(units: &[Unit]) -> Declared {
        Declared {
            all: units.iter().flat_map(words::declared).collect(),
            callable: units.iter().flat_map(words::types_and_members).collect(),
        }
    }

    /// Adds the names of another project.
    pub fn extend(&mut self, other: &Declared) {
        self.all.extend(other.all.iter().cloned());
        self.callable.extend(other.callable.iter().cloned());
    }

    /// Returns whether any declaration has this name, in any scope.
    pub fn contains(&self, name: &str) -> bool {
        self.all.contains(&key(name))
    }

    /// Returns whether any POU, type, interface, method, property or action has this name.
    pub fn contains_type_or_member(&self, name: &str) -> bool {
        self.callable.contains(&key(name))
    }
}
