//! Errors that hide the rest of a file from the parser.

use super::emptied;
use crate::ast::Item;
use crate::text::{Diagnostic, codes};

/// Returns whether the text behind an error was not read: a comment or pragma without an end.
pub(super) fn hides_the_rest(error: &Diagnostic) -> bool {
    [codes::OPEN_COMMENT, codes::OPEN_PRAGMA].contains(&error.code)
}

/// Returns whether nothing of the file of an error is understood.
///
/// Soundness: some errors stand for others that are not listed, anywhere in the file. Others tell that a part of an export is lost:
/// statements of the POU that was read last, other POUs, or the tasks.
pub(super) fn is_about_the_file(error: &Diagnostic) -> bool {
    [codes::MORE_ERRORS, codes::DAMAGED, codes::TOO_MANY_PARTS].contains(&error.code)
}

/// Leaves out all declarations.
pub(super) fn empty_all(items: &mut [Item]) {
    for item in items {
        match item {
            Item::Namespace(space) => empty_all(&mut space.items),
            Item::Pou(pou) => {
                emptied::pou(pou);
            }
            Item::Type(decl) => {
                emptied::type_decl(decl);
            }
            Item::Interface(interface) => {
                emptied::interface(interface);
            }
            Item::Globals(block) => block.vars.iter_mut().for_each(|var| {
                emptied::variable(var);
            }),
            Item::Configuration(configuration) => {
                let inner = configuration.resources.iter_mut().flat_map(|resource| &mut resource.vars);
                for var in configuration.vars.iter_mut().chain(inner).flat_map(|block| &mut block.vars) {
                    emptied::variable(var);
                }
                for resource in &mut configuration.resources {
                    resource.programs.clear();
                    resource.tasks.clear();
                }
            }
            Item::Using(_) | Item::Unsupported(..) => {}
        }
    }
}
