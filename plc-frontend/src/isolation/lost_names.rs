//! Names that left-out text may declare.
//!
//! A use of such a name must not find another declaration: a standard block or function, or an older copy in another file.

use std::collections::BTreeSet;

use super::owner::is_syntax;
use crate::lang::{identifier, is_foreign, is_markup};
use crate::text::{Diagnostic, FileId, Key, SourceSet, codes, key};

/// Names that a text may declare.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LostNames {
    /// Behind a word for declarations: `FUNCTION_BLOCK Motor`.
    pub(super) declared: BTreeSet<Key>,
    /// Behind any other word that is no operator: the word for the declaration may be misspelled.
    pub(super) possible: BTreeSet<Key>,
}

/// Words in front of the name of a POU or type.
const DECLARING: &[&str] = &[
    "function_block",
    "function",
    "program",
    "class",
    "interface",
    "type",
    "data_block",
    "organization_block",
    "abstract",
    "final",
    "public",
    "internal",
    "private",
    "protected",
];

/// Words in front of a use of a name.
const USING: &[&str] = &[
    "if",
    "elsif",
    "else",
    "then",
    "while",
    "do",
    "until",
    "repeat",
    "for",
    "to",
    "by",
    "of",
    "case",
    "not",
    "and",
    "or",
    "xor",
    "mod",
    "return",
    "exit",
    "extends",
    "implements",
    "at",
    "with",
    "using",
    "cal",
    "calc",
    "calcn",
    "ld",
    "ldn",
    "st",
    "stn",
];

/// Attributes of XML that hold the name of a declaration.
const NAMING: &[&str] = &["name"];

/// Returns the names that a text may declare.
///
/// Soundness: a word directly behind another one, on the same line, is a declaration or follows an operator. Comments count, unless
/// they have an end.
pub(super) fn lost_names(text: &str) -> LostNames {
    let mut names = LostNames::default();
    let text = without_comments(text);
    for line in text.lines() {
        let mut before: Option<&str> = None;
        let mut rest = line;
        while let Some(start) = rest.find(is_part) {
            let between = rest.get(..start).unwrap_or_default();
            let from = rest.get(start..).unwrap_or_default();
            let word = from.get(..from.find(|c| !is_part(c)).unwrap_or(from.len())).unwrap_or_default();
            match before {
                Some(before) if is_one_of(before, NAMING) && is_given(between) => {
                    names.declared.insert(key(word));
                    names.possible.insert(key(word));
                }
                Some(before) if is_quoted_or_blank(between) && !is_one_of(before, USING) && !is_one_of(word, USING) => {
                    if is_one_of(before, DECLARING) {
                        names.declared.insert(key(word));
                    }
                    names.possible.insert(key(word));
                }
                Some(_) | None => {}
            }
            before = Some(word);
            rest = from.get(word.len()..).unwrap_or_default();
        }
        names.add_quoted(line);
    }
    names
}

impl LostNames {
    /// Adds the names in quotes of a line that are no words.
    fn add_quoted(&mut self, line: &str) {
        let mut before = "";
        // Where a quote has no partner, each piece may be a name.
        let has_pairs = line.matches('"').count().is_multiple_of(2);
        for (at, piece) in line.split('"').enumerate() {
            let name = identifier(piece.trim());
            let may_be_name = if has_pairs { at % 2 == 1 } else { 0 < at };
            if may_be_name && name != piece.trim() && !piece.trim().is_empty() {
                let last = before.trim_end().trim_end_matches('=').trim_end();
                let word = last.rsplit(|c| !is_part(c)).next().unwrap_or_default();
                if is_one_of(word, DECLARING) || is_one_of(word, NAMING) {
                    self.declared.insert(key(&name));
                }
                self.possible.insert(key(&name));
            }
            before = piece;
        }
    }
}

/// Returns the names that some file with an error in its text may declare.
///
/// Soundness: all of the text counts, also the part that was read. A file of TwinCAT declares the names of its object and members
/// only. A file that was not given declares nothing: its names are missing like those of a library.
pub(super) fn lost_in_files(sources: &SourceSet, errors: &[Diagnostic]) -> BTreeSet<Key> {
    let is_lost = |error: &&Diagnostic| is_syntax(error) && error.code != codes::NOT_GIVEN;
    let files: BTreeSet<FileId> = errors.iter().filter(is_lost).map(|error| error.span().file).collect();
    let texts = files.into_iter().filter_map(|file| sources.files.get(file));
    texts
        .flat_map(|file| match &file.text {
            text if is_one_object(text) => object_names(text),
            text if is_foreign(&file.name, text) => lost_names(text).declared,
            text => lost_names(text).possible,
        })
        .collect()
}

/// Returns whether a text is a file of TwinCAT, which holds one object in a frame.
fn is_one_object(text: &str) -> bool {
    is_markup(text) && text.contains("<TcPlcObject")
}

/// Returns the names of an object and its members: the values of the attributes `Name`.
fn object_names(text: &str) -> BTreeSet<Key> {
    let values = text.split(" Name=\"").skip(1);
    values.map(|rest| key(rest.split('"').next().unwrap_or_default())).collect()
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|other| other.eq_ignore_ascii_case(word))
}

/// Returns whether a text between two words separates nothing: blanks, or the beginning of a name in quotes.
fn is_quoted_or_blank(between: &str) -> bool {
    between.chars().all(|c| c.is_whitespace() || c == '"')
}

/// Returns whether a text between two words is that between an attribute and its value.
fn is_given(between: &str) -> bool {
    let mut signs = between.chars().filter(|c| !c.is_whitespace());
    signs.next() == Some('=') && matches!(signs.next(), Some('"' | '\'')) && signs.next().is_none()
}

/// Returns a text with blanks for its comments and strings in single quotes.
///
/// Cost: linear; an end that is not found is not searched again.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    let mut open = Vec::new();
    while let Some(at) = rest.find(['(', '/', '\'']) {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        let length = length_of_comment(from, &mut open);
        let (skipped, behind) = from.split_at(length);
        if length == 1 {
            kept.push_str(skipped);
        } else {
            kept.extend(skipped.chars().map(|c| if c == '\n' { c } else { ' ' }));
        }
        rest = behind;
    }
    kept.push_str(rest);
    kept
}

/// Returns the length of a comment or string at the beginning of a text; 1 for other signs, and without an end. `open` are ends that
/// do not follow any more.
fn length_of_comment(text: &str, open: &mut Vec<&'static str>) -> usize {
    for (start, end) in [("(*", "*)"), ("/*", "*/")] {
        if text.starts_with(start) {
            if open.contains(&end) {
                return 1;
            }
            let found = text.get(2..).and_then(|inside| inside.find(end));
            if found.is_none() {
                open.push(end);
            }
            return found.map_or(1, |at| at + 4);
        }
    }
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    match text
        .strip_prefix('\'')
        .and_then(|inside| inside.find(['\'', '\n']).filter(|at| inside.as_bytes().get(*at) == Some(&b'\'')))
    {
        Some(at) => at + 2,
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, declared: &str, possible: &str) {
        let names = lost_names(text);
        let join = |names: &BTreeSet<Key>| names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!((join(&names.declared).as_str(), join(&names.possible).as_str()), (declared, possible), "{text}");
    }

    #[test]
    fn words_behind_words_may_be_declared() {
        check("FUNCTION_BLOCK TON", "ton", "ton");
        check("FUNCTION_BLOK TON (* the FB *) // my text\nVAR", "", "ton");
        check("FUNCTION_BLOK (* the FB *) TON", "", "ton");
        check("FUNCTION_BLOCK ABSTRACT \"My Block\"", "abstract my myː20ːblock", "abstract block my myː20ːblock");
        check("<POU Name=\"TON\" Id = '{1}'>", "ton", "id name ton");
        check("IF TON(a) AND NOT MAX(b, c) THEN x := a MOD MIN(d); END_IF", "", "");
        check("VAR t : TON; u : ARRAY [1..2] OF TOF; END_VAR", "", "t");
        check("s := 'the TON'; (* no TON", "", "ton");
        check("", "", "");
        // Each end is searched once.
        check(&"((*/*'".repeat(100_000), "", "");
        check("'ä", "", "");
    }
}
