//! Stubs of a set, with the numbers of POUs that use them: what to upload first.

use std::collections::BTreeMap;

use plc_frontend::hir::{Interface, Project};
use serde::Serialize;

/// A POU of which only the interface is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct StubUse {
    /// Its name.
    pub(super) name: String,
    /// No file declares it: its interface is inferred from its uses.
    pub(super) is_inferred: bool,
    /// POUs with statements that use it, at any distance.
    pub(super) n_pous: usize,
    /// Those of them that use no other stub.
    pub(super) n_only: usize,
}

/// Numbers of POUs, while they are counted.
#[derive(Default)]
pub(super) struct StubUses {
    by_name: BTreeMap<String, StubUse>,
}

impl StubUses {
    /// Counts a POU with the stubs of its program.
    pub(super) fn add(&mut self, project: &Project) {
        let mut of_pou: BTreeMap<String, (String, bool)> = BTreeMap::new();
        for (id, stub) in &project.stubs {
            let name = &project.pous[*id].name;
            of_pou.insert(name.to_lowercase(), (name.clone(), stub.interface == Interface::Inferred));
        }
        let is_alone = of_pou.len() == 1;
        for (key, (name, is_inferred)) in of_pou {
            let row = self.by_name.entry(key).or_insert(StubUse { name, is_inferred, n_pous: 0, n_only: 0 });
            row.is_inferred &= is_inferred;
            row.n_pous += 1;
            row.n_only += usize::from(is_alone);
        }
    }

    /// Returns one row for each stub, the most frequent first.
    pub(super) fn rows(self) -> Vec<StubUse> {
        let mut rows: Vec<StubUse> = self.by_name.into_values().collect();
        rows.sort_by(|a, b| (b.n_pous, b.n_only, &a.name).cmp(&(a.n_pous, a.n_only, &b.name)));
        rows
    }
}
