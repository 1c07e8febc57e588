//! Declarations of well-known libraries: they are read if the program names them and declares them nowhere.

use crate::ast::Unit;
use crate::dialect::DialectId;
use crate::library::{self, Available, DeclaredNames, UsedNames};
use crate::text::{Diagnostic, Origin, SourceFile, SourceSet};

/// Adds the declarations of libraries that the program needs; returns their number.
pub(crate) fn add(
    sources: &mut SourceSet,
    units: &mut Vec<Unit>,
    diagnostics: &mut Vec<Diagnostic>,
    dialect: DialectId,
) -> usize {
    let available = Available::of(dialect, sources);
    let (declared, used) = (DeclaredNames::of(units, sources), UsedNames::of(units));
    let mut n_declarations = 0;
    for (library, text) in library::needed(&available, &declared, &used) {
        let file = SourceFile { name: format!("{}.st", library.id), text, origin: Origin::Library };
        let id = sources.files.push(file.clone());
        let parsed = crate::lang::parse(id, &file);
        n_declarations += parsed.value.items.len();
        units.push(parsed.value);
        diagnostics.extend(parsed.diagnostics);
    }
    n_declarations
}
