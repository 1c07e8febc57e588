//! Functions that call methods through references.

use crate::hir::{PouId, TypeId};
use crate::resolve::classes::member_table::Part;
use crate::resolve::names::tables::{Key, Names};
use std::collections::{BTreeMap, BTreeSet};

/// Calls through references.
#[derive(Debug, Default)]
pub(crate) struct Dispatchers {
    pub(crate) ids: BTreeMap<(TypeId, Key, Part), PouId>,
    pub(crate) rows: Vec<Dispatcher>,
    /// Those without a known target, of interfaces that no file declares.
    pub(crate) unknown: BTreeSet<PouId>,
}

#[derive(Clone, Debug)]
pub(crate) struct Dispatcher {
    pub(crate) pou: PouId,
    /// The type of the reference.
    pub(crate) reference: TypeId,
    pub(crate) name: String,
    pub(crate) part: Part,
}

impl Dispatchers {
    /// Returns whether a POU can be copied: a dispatcher only until the bodies of all dispatchers are written.
    pub(crate) fn can_copy(&self, names: &Names, pou: PouId) -> bool {
        !names.dispatchers.contains(&pou) || self.rows.iter().any(|row| row.pou == pou)
    }

    /// Lets a copy of a dispatcher, for parameters of other types, call the same method.
    pub(crate) fn copy_dispatcher(&mut self, of: PouId, pou: PouId) {
        if let Some(row) = self.rows.iter().find(|row| row.pou == of).cloned() {
            self.rows.push(Dispatcher { pou, ..row });
        }
    }
}
