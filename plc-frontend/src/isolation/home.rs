//! POUs that left-out text may belong to.

use super::owner::CUT;
use crate::environment::Home;
use crate::lang::{FileRole, is_markup, is_of_twincat, refused, role};
use crate::text::{Diagnostic, FileId, SourceSet, codes};

/// Words of texts that may be parts of a POU of another file, as in Automation Studio and old exports.
const DIVIDED: &[&str] = &["ACTION", "_INIT", "_CYCLIC", "_EXIT"];

/// Root element of exports of Studio 5000: a file may hold one routine of a program.
const LOGIX: &str = "<RSLogix5000Content";

/// Returns the POUs that a text of a file may belong to.
///
/// Soundness: all parts of a POU stand in the file of its declaration, except for what is listed here. A file that a project of
/// TwinCAT lists and that was not given is an object of its own.
pub(super) fn home(sources: &SourceSet, file: FileId, error: &Diagnostic) -> Home {
    let Some(source) = sources.files.get(file) else { return Home::Unknown };
    if error.code == codes::NOT_GIVEN {
        return if role(&source.name) == Some(FileRole::Project) { Home::File(file) } else { Home::Unknown };
    }
    // What is missing of a file may be a part of any POU. A file of TwinCAT has one POU with all its parts.
    if CUT.contains(&error.code) && !is_of_twincat(&source.name, FileRole::Object) {
        return Home::Unknown;
    }
    let may_be_part = if is_markup(&source.text) { source.text.contains(LOGIX) } else { is_divided(&source.text) };
    if refused(&source.name).is_some() || may_be_part { Home::Unknown } else { Home::File(file) }
}

fn is_divided(text: &str) -> bool {
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.any(|word| DIVIDED.iter().any(|other| other.eq_ignore_ascii_case(word)))
}
