//! Declarations of well-known libraries: they are read if the program names them and declares them nowhere.

use crate::ast::Unit;
use crate::dialect::DialectId;
use crate::library::{self, Available, DeclaredNames, UsedNames};
use crate::resolve::Given;
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
    let (mut declared, used) = (DeclaredNames::of(units, sources), UsedNames::of(units));
    declared.extend(&given.declared);
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

#[cfg(test)]
mod tests {
    use crate::library::LIBRARIES;
    use crate::resolve::calls::standard_table;
    use crate::resolve::types::elementary;

    #[test]
    fn no_library_declares_a_standard_name() {
        for library in LIBRARIES {
            for name in library.declared_names() {
                let is_block = crate::stdlib::SOURCES.iter().any(|(block, _)| block.eq_ignore_ascii_case(&name));
                let is_known = is_block || standard_table::is_standard(&name) || elementary::by_name(&name).is_some();
                assert!(!is_known, "{}: {name}", library.id);
            }
        }
    }
}
