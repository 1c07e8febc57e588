//! Names that a text calls or declares, in texts that are not read as a whole.

use std::collections::BTreeSet;

use crate::lang::{is_keyword, is_markup};
use crate::text::{Key, key};

/// Names in a text of Structured Text, C or XML.
#[derive(Debug, Default)]
pub(super) struct CalledNames {
    /// Beginnings of paths with a bracket behind them, and names of types behind a colon, with their places.
    pub(super) called: Vec<(String, usize)>,
    /// Last names of paths with a bracket behind them.
    pub(super) members: Vec<(String, usize)>,
    /// Names behind a point.
    pub(super) parts: BTreeSet<Key>,
    /// Names that the text declares.
    pub(super) declared: BTreeSet<Key>,
    /// Text without comments and strings.
    pub(super) code: String,
}

/// Words in front of a name that a text declares.
const DECLARING: &[&str] =
    &["FUNCTION", "FUNCTION_BLOCK", "PROGRAM", "ACTION", "METHOD", "PROPERTY", "TYPE", "CLASS", "INTERFACE", "NAMESPACE"];
/// Words that stand in front of a bracket or behind a colon and name no block.
const OTHERS: &[&str] =
    &["switch", "sizeof", "return", "if", "for", "while", "ADR", "SIZEOF", "REFERENCE", "POINTER", "ACCESS", "THIS", "SUPER"];

/// Words of C that stand in front of a call.
const BEFORE_CALLS: &[&str] = &["return", "else", "do", "case", "goto", "sizeof"];

impl CalledNames {
    /// Reads a text.
    ///
    /// Soundness: a word in front of a bracket counts as called, also in a declaration. A name counts as declared only where a
    /// declaration has it. In C, a definition has its type in front of it: `int twice(int a)`.
    pub(super) fn of(text: &str, is_c: bool) -> CalledNames {
        let code = without_asides(text);
        let mut found = CalledNames::default();
        // Beginning of the path that the next word goes on.
        let mut root: Option<(String, usize)> = None;
        let (mut before, mut last_end, mut in_section) = (String::new(), 0, false);
        for (at, word) in words(&code) {
            let gap = code.get(last_end..at).unwrap_or_default().trim();
            let behind =
                code.get(at + word.len()..).unwrap_or_default().trim_start_matches(|c: char| c.is_whitespace() || c == '"');
            let is_part = matches!(gap.trim_matches('"'), "." | "->" | "^." | "::");
            let first = match root.take() {
                Some(first) if is_part => first,
                Some(_) | None => (word.to_owned(), at),
            };
            let upper = word.to_ascii_uppercase();
            in_section = (in_section || upper.starts_with("VAR") || upper == "STRUCT") && !upper.starts_with("END_");
            if is_part {
                found.parts.insert(key(word));
            }
            let is_name = !is_keyword(word)
                && !OTHERS.iter().any(|other| other.eq_ignore_ascii_case(word))
                && !word.starts_with(|c: char| c.is_ascii_digit());
            let is_type =
                gap.ends_with(':') && !is_part || ["TO", "OF"].iter().any(|word| before.eq_ignore_ascii_case(word)) && in_section;
            let is_definition = is_c
                && !before.is_empty()
                && gap.is_empty()
                && !BEFORE_CALLS.iter().any(|word| before.eq_ignore_ascii_case(word));
            let is_declared = is_definition
                || DECLARING.iter().any(|word| before.eq_ignore_ascii_case(word)) && gap.is_empty()
                || (in_section && (behind.starts_with(',') || behind.starts_with(':') || starts_with_at(behind)) && !is_part);
            if is_name && is_declared && !is_type {
                found.declared.insert(key(word));
            } else if is_name && (behind.starts_with('(') || (is_type && in_section)) {
                found.called.push(first.clone());
                found.members.push((word.to_owned(), at));
            }
            (before, last_end) = (word.to_owned(), at + word.len());
            root = Some(first);
        }
        found.code = code;
        found
    }
}

fn starts_with_at(text: &str) -> bool {
    text.get(..2).is_some_and(|word| word.eq_ignore_ascii_case("AT"))
        && text.get(2..).is_some_and(|rest| rest.starts_with(|c: char| c.is_whitespace() || c == '%'))
}

fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    words.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// Returns a text of the same length with blanks for comments and strings; XML has neither.
fn without_asides(text: &str) -> String {
    const ASIDES: &[(&str, &str)] = &[("(*", "*)"), ("/*", "*/"), ("//", "\n"), ("'", "'")];
    if is_markup(text) {
        return text.to_owned();
    }
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let aside = ASIDES.iter().find(|(open, _)| rest.starts_with(open));
        let length = match aside {
            Some((open, close)) => {
                let inside = rest.get(open.len()..).unwrap_or_default();
                inside.find(close).map_or(rest.len(), |end| open.len() + end + close.len())
            }
            None => c.len_utf8(),
        };
        let (piece, behind) = rest.split_at(length);
        match aside {
            Some(_) => code.extend(piece.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' })),
            None => code.push_str(piece),
        }
        rest = behind;
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_types_and_declarations() {
        let check = |text: &str, called: &str, declared: &str| {
            let found = CalledNames::of(text, false);
            let names = found.called.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" ");
            let own = found.declared.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            assert_eq!((names.as_str(), own.as_str()), (called, declared), "{text}");
        };
        check("F(1); IF (a) THEN b.M (2); END_IF; x := G.H.I(3);", "F b G", "");
        check("VAR\n a, b : T; c AT %MX0.0 : BOOL; p : POINTER TO S; r : ARRAY [0..1] OF U;\nEND_VAR", "T BOOL S U", "a b c p r");
        check("FUNCTION F : INT\nCASE x OF 1: G(); END_CASE", "G", "f");
        check("(* F() *) x := 'ü F()'; // F()\ny := F2();", "F2", "");
        check("if (a) { memset(&b, 0, sizeof(b)); }", "memset", "");
        let found = CalledNames::of("int twice(int a) { return other(a); }", true);
        assert_eq!(found.called.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["other"]);
        assert!(found.declared.contains(&key("twice")));
    }
}
