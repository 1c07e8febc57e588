//! Names, types, constants and instances: the AST of all files becomes one [`Project`].
//!
//! `pipeline` lists the phases with the reasons for their order; each folder says in its header what it reads and writes.
//! `condition` reads conditions about a resolved program.
//!
//! Knows the AST and the HIR, no language's syntax. **Invariant:** a wrong expression is reported once and has no further
//! findings; every construct that is not modelled becomes a gap with an entry in the ledger.

mod budget;
mod calls;
mod classes;
mod condition;
mod controller;
mod declare;
mod exprs;
mod findings;
mod memory;
mod names;
mod pipeline;
mod places;
mod prepare;
mod resolver;
mod scope;
mod settle;
mod startup;
mod stmts;
mod stub_assumptions;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod types;
mod variables;

pub(crate) use calls::standard_table::{is_standard as is_standard_function, is_standard_name};
pub use condition::condition;
pub(crate) use findings::MAX_FINDINGS;
pub(crate) use names::spaces::{Space, Spaces};
pub(crate) use names::tables::key;
pub(crate) use pipeline::{Given, load_units};
pub(crate) use prepare::application_names;
pub(crate) use prepare::applications::{home_of, homes};
pub(crate) use prepare::declaration_order::configured_globals;
pub(crate) use prepare::declared_names::names as shared_names;
pub(crate) use prepare::repeated_declarations::{
    leave_out_repeated, merge as merge_repeated, merge_globals, names_one_of, sections_elsewhere, text_of as text_of_declaration,
};
pub(crate) use types::elementary::canonical as elementary_name;

use crate::dialect::DialectId;
use crate::hir::{GlobalId, Project};
use crate::text::{Inferred, Ledger, LeftOut, SourceSet};
use std::collections::{BTreeMap, BTreeSet};

use names::tables::Names;

/// Options of a program besides its text.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The PROGRAM or FUNCTION_BLOCK that runs each cycle; all PROGRAMs if absent.
    pub entry: Option<String>,
    /// The project that runs, where the files hold several; the only one that can be meant if absent.
    pub project: Option<String>,
    /// Dialect of the files, whose rules are enforced; detected and tolerant if absent.
    pub dialect: Option<DialectId>,
    /// Most findings of names and types that are listed; enough for a reader if absent.
    pub most_findings: Option<usize>,
    /// Most values of an array that is kept; each element of a larger one has any value at each read. As many as can be verified if
    /// absent.
    pub largest_array: Option<usize>,
    /// Other programs of the controller are not looked at: another reading does.
    pub is_alone: bool,
}

/// A program that was read, with its ledger.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The program. It may be run or verified if it [`Loaded::runs`].
    pub project: Project,
    /// Modelled constructs, and gaps.
    pub ledger: Ledger,
    /// The user's files, then the standard function blocks in use, then conditions.
    pub sources: SourceSet,
    /// Dialect that decides the meaning of the text.
    pub dialect: DialectId,
    /// Tick of the tasks of a configuration (the interval of the only one), in nanoseconds: the length of one cycle, unless a
    /// user says otherwise.
    pub interval_ns: Option<i128>,
    /// The user named the entry, or it is a block: other POUs of the project run elsewhere.
    pub entry_is_chosen: bool,
    /// Parts that are left out because of errors. None of them if the program was read as a whole.
    pub left_out: Vec<LeftOut>,
    /// Declarations that no file has, made from the uses of names.
    pub inferred: Vec<Inferred>,
    /// There is a program that runs, and every error is in [`Loaded::left_out`].
    pub runs: bool,
    names: Names,
}

impl Loaded {
    /// Gives each read of a global input a value of its own. Returns names of inputs, or of parts of them, with those of their reads.
    /// `ranged` are the leaves with a range.
    pub fn make_asynchronous(&mut self, ranged: &BTreeSet<String>) -> Vec<(String, String)> {
        let aliases = &self.names.aliases;
        let reads = crate::environment::asynchronous(&mut self.project, &mut self.ledger, &self.sources, aliases, ranged);
        for (id, global) in self.project.globals.iter_enumerated() {
            if reads.iter().any(|(_, name)| *name == global.name) {
                self.names.globals.insert(key(&global.name), id);
            }
        }
        reads
    }

    /// Lets the controller restart at the beginning of each cycle: tags keep their values, and the next scan is a first one.
    pub fn make_restarting(&mut self) {
        if self.project.restart.is_some() {
            return;
        }
        if let Some(id) = crate::environment::restarts(&mut self.project, &mut self.ledger) {
            self.names.globals.insert(key(&self.project.globals[id].name), id);
        }
    }

    /// Makes conditions of the starts that a user states of variables which computed code reads before the first cycle.
    pub fn note_stated_starts(&mut self) {
        crate::resolve::startup::stated::note(&mut self.project, &mut self.ledger);
    }

    /// Returns all names of each global variable, in lower case: its own, and those with the list that declares it.
    pub fn names_of_globals(&self) -> BTreeMap<GlobalId, BTreeSet<String>> {
        let mut names: BTreeMap<GlobalId, BTreeSet<String>> = BTreeMap::new();
        for (name, id) in &self.names.globals {
            names.entry(*id).or_default().insert(name.to_string());
        }
        names
    }
}
