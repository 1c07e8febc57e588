//! Text that errors hide from the parser.

use super::emptied;
use crate::ast::Item;
use crate::text::{Diagnostic, SourceSet, Span, codes};

/// Words at the end of bodies.
const ENDS: &[&str] =
    &["END_PROGRAM", "END_FUNCTION", "END_METHOD", "END_ACTION", "END_CLASS", "END_PROPERTY", "END_ORGANIZATION_BLOCK"];

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

/// Returns the text from a part with a wrong form up to the end of a POU behind the error: reading may have lost its end.
pub(super) fn behind(sources: &SourceSet, part: Span, error: Span) -> &str {
    let text = sources.files.get(part.file).map_or("", |file| file.text.as_str());
    let from = (part.end.max(error.end) as usize).min(text.len());
    if part.file != error.file {
        return "";
    }
    let (before, rest) = (text.get(..from).unwrap_or_default(), text.get(from..).unwrap_or_default());
    let end = if crate::lang::is_markup(text) {
        // The text of an element goes on up to its end.
        let is_raw = before.rfind("<![CDATA[").is_some_and(|begin| before.rfind("]]>").is_none_or(|end| end < begin));
        rest.find(if is_raw { "]]>" } else { "</" })
    } else {
        let upper = rest.to_ascii_uppercase();
        ENDS.iter().filter_map(|word| upper.find(word)).min()
    };
    text.get(part.start as usize..from + end.unwrap_or(rest.len())).unwrap_or_default()
}
