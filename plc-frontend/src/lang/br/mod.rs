//! Projects of B&R Automation Studio: files of types, variables and interfaces beside sources in Structured Text.
//!
//! The folder of a program holds its variables (`.var`), and its code in any number of files: `PROGRAM _INIT`, `PROGRAM _CYCLIC`,
//! `PROGRAM _EXIT` and actions. [`program`] makes one PROGRAM of them. A library declares the interfaces of its blocks in a `.fun` file,
//! and their statements elsewhere; [`interface`] joins them. [`operators`] are
//! declarations of standard functions. Types and other variables belong to the whole project.
//!
//! Source: Automation Help, "Programs" (B&R Industrial Automation).

mod compiled_files;
mod includes;
mod interface;
mod letter_case;
mod mappings;
mod operators;
mod own_variables;
mod panels;
mod program;
mod reads;
mod task_list;
#[cfg(test)]
mod tests;
mod unread_parts;

use super::common::lexer::Flavour;
use super::{Ending, FileRole, Language};
use crate::ast::Unit;
use crate::text::{Diagnostic, FileId, SourceSet};

pub(crate) use compiled_files::{compiled_beside, compiled_from_elsewhere, exclude, library_binaries};
pub use includes::is_header;
pub(crate) use includes::{Included, included, is_in_c};
pub use mappings::is_mapping;
pub(crate) use mappings::mapped;
pub(crate) use own_variables::others_writes;
pub(crate) use panels::writing;
pub(crate) use program::{DONE, INIT, init_of};
pub use task_list::is_task_list;
pub(crate) use task_list::{ListedProgram, class_of, first_task_list, listed_programs};
pub(crate) use unread_parts::unread_diagram;

/// Files that only B&R Automation Studio writes.
pub(super) const LANGUAGE: Language = Language {
    name: "declarations of B&R Automation Studio",
    endings: &[
        Ending { text: "fun", role: FileRole::Object, dialect: None },
        Ending { text: "typ", role: FileRole::Object, dialect: None },
        Ending { text: "var", role: FileRole::Object, dialect: None },
    ],
    flavour: Flavour::Iec,
    accepts: |file| super::detection::is_text_of(&LANGUAGE, file),
    is_object: None,
    parse: |id, file| super::st::part(id, &file.text),
};

/// Joins the parts of programs that stand in several files. A second call changes nothing.
pub(crate) fn assemble_programs(units: &mut [Unit], sources: &SourceSet, findings: &mut Vec<Diagnostic>) {
    program::join(units, sources, findings);
}

/// Joins the parts of programs and of blocks that stand in several files.
///
/// Cost: linear in the declarations; files of programs are read once more.
pub(crate) fn assemble(units: &mut [Unit], sources: &SourceSet, findings: &mut Vec<Diagnostic>) {
    let name = |file: FileId| sources.files.get(file).map_or("", |file| file.name.as_str());
    program::join(units, sources, findings);
    if units.iter().any(|unit| is_interface(name(unit.file))) {
        interface::join(units, &name);
    }
}

/// Leaves out the declarations of standard functions in Automation Studio's library `operator`.
pub(crate) fn leave_out_operators(units: &mut [Unit], sources: &SourceSet) {
    operators::leave_out(units, sources);
}

/// Gives types names of their own that differ from others only in the case of letters.
pub(crate) fn tell_apart(units: &mut [Unit], sources: &SourceSet) {
    let name = |unit: &Unit| sources.files.get(unit.file).map_or("", |file| file.name.as_str());
    letter_case::tell_apart(units, &|unit| LANGUAGE.owns(name(unit)));
}

fn is_interface(name: &str) -> bool {
    super::has_ending(name, &["fun"])
}

/// Returns the folder of a file, with `/` at its end; empty for a file in none.
fn folder(name: &str) -> &str {
    name.get(..name.rfind(['/', '\\']).map_or(0, |at| at + 1)).unwrap_or("")
}
