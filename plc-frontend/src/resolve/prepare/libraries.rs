//! Declarations of well-known libraries: they are read if the program names them and declares them nowhere.

use crate::ast::Unit;
use crate::dialect::DialectId;
use crate::library::{self, Available, DeclaredNames, UsedNames};
use crate::resolve::Given;
use crate::resolve::calls::standard_table;
use crate::resolve::types::elementary;
use crate::text::{Diagnostic, Origin, SourceFile, SourceSet};

/// Adds the declarations of libraries that the program needs; returns their number.
///
/// `given` has names that the program may also declare, and libraries that it references.
pub(crate) fn add(
    sources: &mut SourceSet,
    units: &mut Vec<Unit>,
    diagnostics: &mut Vec<Diagnostic>,
    dialect: DialectId,
    given: &Given,
) -> usize {
    let available = Available::of(dialect, &given.spaces.references);
    let mut declared = DeclaredNames::of(units, sources);
    declared.extend(&given.declared);
    // Most programs use standard names alone: the libraries are not read for these.
    let used = UsedNames::of(units).without(is_standard);
    let mut n_declarations = 0;
    for (library, text) in library::needed(&available, &declared, &used) {
        let file = SourceFile::new(format!("{}.st", library.id), text, Origin::Library);
        let id = sources.files.push(file.clone());
        let parsed = crate::lang::parse(id, &file);
        n_declarations += parsed.value.items.len();
        units.push(parsed.value);
        diagnostics.extend(parsed.diagnostics);
    }
    n_declarations
}

/// Returns whether a name belongs to the language, so that no library declares it.
fn is_standard(name: &str) -> bool {
    standard_table::is_standard_name(name) || elementary::by_name(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::is_standard;
    use crate::library::LIBRARIES;

    #[test]
    fn no_library_declares_a_standard_name() {
        for library in LIBRARIES {
            for name in library.declared_names() {
                assert!(!is_standard(&name), "{}: {name}", library.id);
            }
        }
    }
}
