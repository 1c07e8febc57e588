//! Names that no file declares.

use super::tables::Tables;
use crate::ast::walk::{self, Node};
use crate::ast::{Item, Unit};
use crate::text::{Diagnostic, FileId, Key, Severity, SourceSet, codes, key};
use std::collections::BTreeSet;

/// Most names for which declarations are made.
const MOST_NAMES: usize = 1_000;

/// Returns the names of types and functions that errors report as missing.
///
/// Soundness: only names that [`is_declared`] denies; a name that is declared somewhere keeps its error.
pub(super) fn names(units: &[Unit], sources: &SourceSet, errors: &[Diagnostic], tables: &Tables<'_>) -> BTreeSet<Key> {
    let is_missing = |error: &&Diagnostic| matches!(error.code, codes::UNKNOWN_TYPE | codes::UNKNOWN_FUNCTION);
    let texts = errors.iter().filter(is_missing).map(|error| sources.text(error.span()));
    let mut names: BTreeSet<Key> = texts.filter(|text| is_word(text)).map(key).collect();
    let roles = other_roles(units);
    names.retain(|name| !roles.contains(name));
    let unreadable = unreadable(sources, errors);
    names.retain(|name| !is_declared(name, tables, &unreadable));
    names.into_iter().take(MOST_NAMES).collect()
}

/// Returns whether the upload declares a name, as far as its text tells.
fn is_declared(name: &str, tables: &Tables<'_>, unreadable: &BTreeSet<Key>) -> bool {
    tables.declares(name) || unreadable.contains(name)
}

/// Returns whether a text is one identifier.
pub(super) fn is_word(text: &str) -> bool {
    let mut chars = text.chars();
    let starts = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    starts && !text.starts_with("__") && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns names of interfaces behind IMPLEMENTS, and of programs of tasks.
fn other_roles(units: &[Unit]) -> BTreeSet<Key> {
    let mut found = BTreeSet::new();
    for unit in units {
        walk::unit(unit, &mut |node| match node {
            Node::Item(Item::Pou(pou)) => found.extend(pou.implements.iter().filter_map(last)),
            Node::Item(Item::Interface(interface)) => found.extend(interface.extends.iter().filter_map(last)),
            Node::Item(Item::Configuration(configuration)) => {
                let programs = configuration.resources.iter().flat_map(|resource| &resource.programs);
                found.extend(programs.filter_map(|program| last(&program.program)));
            }
            Node::Item(_) | Node::Type(_) | Node::Block(_) | Node::Method(_) | Node::Stmt(_) | Node::Expr(_) | Node::Name(_) => {}
        });
    }
    found
}

fn last(name: &crate::ast::Name) -> Option<Key> {
    name.idents().last().map(|ident| key(&ident.text))
}

/// Returns the words that may be declared in text with syntax errors: all words of files that are not read, and words of other files
/// that stand where a declaration has its name.
fn unreadable(sources: &SourceSet, errors: &[Diagnostic]) -> BTreeSet<Key> {
    let mut files: BTreeSet<(FileId, bool)> = BTreeSet::new();
    for error in errors.iter().filter(|error| error.severity == Severity::Error) {
        let is_text = error.code.starts_with("P1");
        if is_text || error.code.starts_with("P0") {
            files.insert((error.span().file, is_text));
        }
    }
    let mut found = BTreeSet::new();
    for (id, is_text) in files {
        let Some(file) = sources.files.get(id) else { continue };
        let stem = file.name.rsplit(['/', '\\']).next().and_then(|name| name.split('.').next());
        found.extend(stem.map(key));
        declared_words(&file.text, !is_text, &mut found);
    }
    found
}

/// Words in front of the name of a declaration.
const HEADS: &[&str] = &[
    "FUNCTION_BLOCK",
    "FUNCTION",
    "PROGRAM",
    "CLASS",
    "INTERFACE",
    "TYPE",
    "STRUCT",
    "DATA_BLOCK",
    "ORGANIZATION_BLOCK",
    "ABSTRACT",
    "FINAL",
    "PUBLIC",
    "PRIVATE",
    "PROTECTED",
    "INTERNAL",
    "METHOD",
    "PROPERTY",
    "ACTION",
    "NAMESPACE",
];

/// Adds the words of a text that stand behind the head of a declaration, in front of a colon, or in quotes; or all of them.
fn declared_words(text: &str, all: bool, found: &mut BTreeSet<Key>) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut before = "";
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let quoted = rest[..start].ends_with(['"', '\'']);
        let word_on = &rest[start..];
        let end = word_on.find(|c| !is_part(c)).unwrap_or(word_on.len());
        let (word, behind) = word_on.split_at(end);
        let next = behind.trim_start();
        let is_named = next.starts_with(':') && !next.starts_with(":=");
        let has_head = HEADS.iter().any(|head| head.eq_ignore_ascii_case(before));
        if all || quoted || is_named || has_head {
            found.insert(key(word));
        }
        (before, rest) = (word, behind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_declarations_are_found_in_any_text() {
        let check = |text: &str, all: bool, expected: &[&str]| {
            let mut found = BTreeSet::new();
            declared_words(text, all, &mut found);
            assert_eq!(found.into_iter().collect::<Vec<_>>(), expected, "{text}");
        };
        check("FUNCTION_BLOCK ABSTRACT Pump\nx := y;", false, &["abstract", "pump"]);
        check("TYPE\n Mode : (A, B);", false, &["mode"]);
        check("<POU Name=\"Unit\"> text", false, &["unit"]);
        check("a := b; c(d);", false, &[]);
        check("a b", true, &["a", "b"]);
    }
}
