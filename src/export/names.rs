//! Names of variables that every format accepts, each once.

use std::collections::{BTreeMap, BTreeSet};

use kernel::expr::{ExprPool, VarId};

/// Identifiers: letters, digits and underscores, never a keyword of any format.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    by_var: BTreeMap<VarId, String>,
    taken: BTreeSet<String>,
}

impl Names {
    /// Gives a name to a variable that has none yet. `prefix` keeps names apart from keywords and from other kinds of names.
    pub(super) fn add(&mut self, pool: &ExprPool, var: VarId, prefix: &str) {
        const LONGEST: usize = 100;
        if self.by_var.contains_key(&var) {
            return;
        }
        let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let clean: String = pool.var_decl(var).name.chars().take(LONGEST).map(word).collect();
        let short = format!("{prefix}_{clean}");
        // Two variables of one name differ by their number, which no other one has.
        let unique = if self.taken.contains(&short) { format!("{short}__{}", var.0) } else { short };
        self.taken.insert(unique.clone());
        self.by_var.insert(var, unique);
    }
    /// Returns the name of a variable that was added; empty for others.
    pub(super) fn of(&self, var: VarId) -> &str {
        self.by_var.get(&var).map_or("", String::as_str)
    }
}
