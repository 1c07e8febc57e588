//! Names in texts that are left out or not modelled. The code there may run elsewhere and write the variables that it names.

use std::collections::BTreeSet;

use super::bodies::bodies;
use crate::hir::{Leaf, PouId, PouKind, Project, Root};
use crate::ids::Id;
use crate::text::{Key, Origin, SourceSet, key};

/// Names in texts that are left out or not modelled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mentions {
    names: BTreeSet<Key>,
    /// Direct addresses occur.
    addresses: bool,
}

impl Mentions {
    /// Adds the names of a text.
    ///
    /// Soundness: words are taken from comments and strings, too, which adds names and loses none.
    pub(crate) fn add(&mut self, text: &str) {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let words = text.split(|c: char| !is_part(c)).filter(|word| !word.is_empty());
        for word in words {
            self.addresses |= is_address(word);
            self.names.insert(key(word));
        }
        self.addresses |= text.contains('%');
    }

    /// Adds the names in statements that are not modelled, of the user's POUs that do not run here.
    pub(crate) fn add_gaps(&mut self, project: &Project, sources: &SourceSet) {
        let bodies = bodies(project);
        let mut runs: BTreeSet<PouId> = BTreeSet::new();
        let mut todo: Vec<PouId> = project.task.runs.iter().map(|id| project.instances[*id].pou).collect();
        while let Some(pou) = todo.pop() {
            if runs.insert(pou) {
                todo.extend(&bodies[pou.index()].calls);
            }
        }
        for (pou, body) in project.pous.ids().zip(&bodies).filter(|(pou, _)| !runs.contains(pou)) {
            if project.pous[pou].origin == Origin::User {
                body.gaps.iter().for_each(|(_, span)| self.add(sources.text(*span)));
            }
        }
    }

    /// Returns whether the texts may write the leaf: they name it, or memory by its address.
    ///
    /// Soundness: code elsewhere names a global variable, the program of a local one, or the variable of a block from inside.
    pub(crate) fn may_write(&self, project: &Project, leaf: &Leaf) -> bool {
        let mut parts = leaf.name.split(['.', '[']).map(key);
        let first = parts.next().unwrap_or_default();
        let named = |part: Key| self.names.contains(&part);
        match leaf.root {
            Root::Global(global) => {
                let is_located = self.addresses && project.globals[global].address.is_some();
                is_located || named(first) || parts.any(named)
            }
            Root::Instance(instance) => {
                let is_program = project.pous[project.instances[instance].pou].kind == PouKind::Program;
                (!is_program || named(first)) && parts.any(named)
            }
            Root::Var(_) | Root::This(_) => false,
        }
    }
}

/// Returns whether a word is an address of Siemens without a percent sign: `MW10`, `DBX0`, `E1`.
fn is_address(word: &str) -> bool {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let known = ["m", "q", "a", "i", "e", "db", "mb", "mw", "md", "qb", "qw", "qd", "ab", "aw", "ad", "dbx", "dbb", "dbw", "dbd"];
    letters.len() < word.len() && known.iter().any(|known| known.eq_ignore_ascii_case(letters))
}
