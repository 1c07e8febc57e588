//! The attribute `{attribute 'stub'}` and the declarations behind it.

use crate::hir::Interface;
use crate::lang::pragmas::{Pragmas, declared_behind};
use crate::text::{FileId, SourceSet};
use std::collections::BTreeMap;

/// Beginnings of the declarations of stubs.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    found: BTreeMap<(FileId, u32), Interface>,
}

impl Marks {
    /// Returns whether no declaration is a stub.
    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns the file and place of each declaration, with the origin of its interface.
    pub(crate) fn all(&self) -> impl Iterator<Item = (FileId, u32, Interface)> {
        self.found.iter().map(|((file, at), interface)| (*file, *at, *interface))
    }
}

/// Finds the declarations of stubs in all files.
///
/// Cost: one more reading of each text that holds the word `stub` in quotes, unless its pragmas are known.
pub(crate) fn marks(sources: &SourceSet, pragmas: &Pragmas) -> Marks {
    let mut marks = Marks::default();
    for (id, file) in sources.files.iter_enumerated() {
        if !pragmas.knows(id) && !mentions_stub(&file.text) {
            continue;
        }
        for (span, words) in pragmas.in_file(id, file).iter() {
            if let Some(interface) = interface(words) {
                marks.found.insert((id, declared_behind(&file.text, *span)), interface);
            }
        }
    }
    marks
}

/// Returns whether a text has `'stub'`, as itself or in the spelling of XML.
pub(crate) fn mentions_stub(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_quoted = |at: usize| matches!(at.checked_sub(1).and_then(|before| bytes.get(before)), Some(b'\'' | b';'));
    bytes.windows(4).enumerate().any(|(at, word)| word.eq_ignore_ascii_case(b"stub") && is_quoted(at))
}

/// Returns the origin of the interface behind a pragma; `None` for other pragmas.
fn interface(words: &str) -> Option<Interface> {
    let (first, rest) = words.split_once(|c: char| c.is_whitespace() || c == '\'')?;
    let (name, value) = rest.trim_start().trim_start_matches('\'').split_once('\'')?;
    if !first.eq_ignore_ascii_case("attribute") || !name.trim().eq_ignore_ascii_case("stub") {
        return None;
    }
    let value = value.trim_start().strip_prefix(":=").unwrap_or("").trim().trim_matches('\'');
    Some(match value.trim() {
        value if value.eq_ignore_ascii_case("inferred") => Interface::Inferred,
        value if value.eq_ignore_ascii_case("system") => Interface::System,
        value if value.eq_ignore_ascii_case("undefined") => Interface::Undefined,
        _ => Interface::Declared,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_attribute_names_the_declaration_behind_it() {
        let check = |text: &str, expected: Option<(Interface, &str)>| {
            let mut sources = SourceSet::default();
            sources.add("s.st", text);
            let marks = marks(&sources, &Pragmas::of(&sources));
            let found = marks.found.iter().next().map(|((_, at), interface)| (*interface, &text[*at as usize..]));
            assert_eq!(found, expected, "{text}");
        };
        let block = "FUNCTION_BLOCK B\nEND_FUNCTION_BLOCK";
        check(&format!("{{attribute 'stub'}}\n{block}"), Some((Interface::Declared, block)));
        check(&format!("{{attribute 'stub' := 'inferred'}}\n// used in a.st\n{block}"), Some((Interface::Inferred, block)));
        check(&format!("{{attribute 'stub'}} (* a *) {{attribute 'hide'}} {block}"), Some((Interface::Declared, block)));
        check(&format!("{{ATTRIBUTE 'Stub' := 'other'}}{block}"), Some((Interface::Declared, block)));
        check(&format!("{{attribute 'stub' := 'system'}}{block}"), Some((Interface::System, block)));
        check(&format!("{{attribute 'stubs'}}\n{block}"), None);
        check(&format!("(* {{attribute 'stub'}} *)\n{block}"), None);
        check(block, None);
    }
}
