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
    /// Counts a POU with the stubs of its program; returns whether no file declares one of them.
    pub(super) fn add(&mut self, project: &Project) -> bool {
        let mut of_pou: BTreeMap<String, (&str, bool)> = BTreeMap::new();
        for (id, stub) in &project.stubs {
            let name = without_parameters(&project.pous[*id].name);
            of_pou.insert(name.to_lowercase(), (name, stub.interface == Interface::Inferred));
        }
        // A method is no stub beside its block.
        let blocks: Vec<String> = of_pou.keys().cloned().collect();
        of_pou.retain(|key, _| key.rsplit_once('.').is_none_or(|(owner, _)| !blocks.iter().any(|block| block == owner)));
        let is_alone = of_pou.len() == 1;
        let is_lacking = of_pou.values().any(|(_, is_inferred)| *is_inferred);
        for (key, (name, is_inferred)) in of_pou {
            let new = || StubUse { name: name.to_owned(), is_inferred, n_pous: 0, n_only: 0 };
            let row = self.by_name.entry(key).or_insert_with(new);
            row.is_inferred &= is_inferred;
            row.n_pous += 1;
            row.n_only += usize::from(is_alone);
        }
        is_lacking
    }

    /// Returns one row for each stub, the most frequent first.
    pub(super) fn rows(self) -> Vec<StubUse> {
        let mut rows: Vec<StubUse> = self.by_name.into_values().collect();
        rows.sort_by(|a, b| (b.n_pous, b.n_only, &a.name).cmp(&(a.n_pous, a.n_only, &b.name)));
        rows
    }
}

/// Returns the name of a function of which there is one for each list of types: `F (in1: INT)` is `F`.
fn without_parameters(name: &str) -> &str {
    name.split_once(" (").map_or(name, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::import::pous::texts;
    use plc_frontend::part::Parts;
    use plc_frontend::source::SourceSet;
    use plc_frontend::{LoadOptions, load_isolated};

    #[test]
    fn stubs_are_counted_once_for_each_program() {
        let mut set = SourceSet::default();
        let text = "{attribute 'stub'} FUNCTION_BLOCK Known VAR_OUTPUT q : BOOL; END_VAR END_FUNCTION_BLOCK
            FUNCTION_BLOCK B VAR k : Known; END_VAR k(); END_FUNCTION_BLOCK
            PROGRAM p VAR b : B; g : Gone; i : INT; r : REAL; END_VAR
              b(); g.Start(1); i := Away(i); r := Away(r); END_PROGRAM
            PROGRAM q VAR b : B; END_VAR b(); END_PROGRAM PROGRAM plain END_PROGRAM";
        set.add("a.st", text);
        let parts = Parts::of_project(&texts(&load_isolated(&set, &LoadOptions::default()).value), None);
        let mut uses = StubUses::default();
        let mut lacking = Vec::new();
        for (id, pou) in parts.pous().filter(|(_, pou)| pou.span.file.0 == 0 && pou.name.text != "Known") {
            lacking.push((pou.name.text.clone(), uses.add(&parts.alone(id, &LoadOptions::default()).value.project)));
        }
        let lacking: Vec<&str> = lacking.iter().filter(|(_, is_lacking)| *is_lacking).map(|(name, _)| name.as_str()).collect();
        assert_eq!(lacking, ["p"]);
        let rows: Vec<(String, bool, usize, usize)> =
            uses.rows().into_iter().map(|row| (row.name, row.is_inferred, row.n_pous, row.n_only)).collect();
        let row = |name: &str, is_inferred, n_pous, n_only| (name.to_owned(), is_inferred, n_pous, n_only);
        assert_eq!(rows, [row("Known", false, 3, 2), row("Away", true, 1, 0), row("Gone", true, 1, 0)]);
    }
}
