//! Names that must differ do: POUs and types, global variables, the variables of one POU, the fields of a
//! structure, the values of an enumeration. Case does not count.
//!
//! ```st
//! PROGRAM Main
//! VAR
//!     Level : INT;
//!     LEVEL : REAL;   (* P4002: the same name *)
//! END_VAR
//! END_PROGRAM
//! ```

use std::collections::BTreeMap;

use super::CheckedProgram;
use crate::hir::PouId;
use crate::text::{Diagnostic, Span, codes::DUPLICATE_NAME, key};

/// A declaration under a name, for the rule on duplicates.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    /// "variable", "POU", "type" …
    pub(crate) kind: &'static str,
    /// Names of one set must differ.
    pub(crate) set: NameSet,
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// A set of names that must differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameSet {
    /// Types and POUs.
    Units,
    /// Global variables.
    Globals,
    /// Variables of the n-th named list of global variables.
    List(usize),
    /// Variables of one POU.
    Pou(PouId),
    /// Fields or variants of the n-th structure or enumeration.
    Parts(usize),
}

pub(super) fn check(program: &CheckedProgram<'_>, findings: &mut Vec<Diagnostic>) {
    let mut first: BTreeMap<(NameSet, String), &Declared> = BTreeMap::new();
    for declared in program.declared {
        let name = (declared.set, key(&declared.name));
        match first.get(&name) {
            None => {
                first.insert(name, declared);
            }
            Some(before) => {
                let message = if before.kind == declared.kind {
                    format!("two declarations ({}s) have the name `{}`", declared.kind, declared.name)
                } else {
                    format!("a {} and a {} have the name `{}`", before.kind, declared.kind, declared.name)
                };
                let finding = Diagnostic::error(DUPLICATE_NAME, declared.span, message, "declared again here");
                findings.push(finding.label(before.span, "declared first here").help("rename one of them"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::resolve::testing::check;

    #[test]
    fn a_name_is_declared_once_in_its_set() {
        check("PROGRAM Main\nVAR\n Level : INT;\n LEVEL : REAL;\nEND_VAR\nEND_PROGRAM", "P4002@4:2");
        check("PROGRAM Main\nEND_PROGRAM\nFUNCTION_BLOCK main\nEND_FUNCTION_BLOCK", "P4002@3:16");
        check("TYPE T : INT; END_TYPE\nTYPE t : REAL; END_TYPE\nPROGRAM Main\nEND_PROGRAM", "P4002@2:6");
        check("TYPE T : INT; END_TYPE\nFUNCTION t : INT\nt := 1;\nEND_FUNCTION\nPROGRAM Main\nEND_PROGRAM", "P4002@2:10");
        check("VAR_GLOBAL\n a, A : INT;\nEND_VAR\nPROGRAM Main\nEND_PROGRAM", "P4002@2:5");
        check("TYPE T : STRUCT\n a : INT;\n a : INT;\nEND_STRUCT; END_TYPE\nPROGRAM Main\nEND_PROGRAM", "P4002@3:2");
        check("TYPE T : (Red, RED); END_TYPE\nPROGRAM Main\nEND_PROGRAM", "P4002@1:16");
        check("FUNCTION F : INT\nVAR\n f : INT;\nEND_VAR\nF := 1;\nEND_FUNCTION\nPROGRAM Main\nEND_PROGRAM", "P4002@3:2");
        // A local variable may hide a global one.
        check("VAR_GLOBAL\n a : INT;\nEND_VAR\nPROGRAM Main\nVAR\n a : INT;\nEND_VAR\nEND_PROGRAM", "");
        check("TYPE T : (Red); U : (Red); END_TYPE\nPROGRAM Main\nEND_PROGRAM", "");
    }
}
