//! Names that no file declares.

use super::tables::{Tables, base_key};
use crate::ast::walk::{self, Node};
use crate::ast::{Item, Pou, TypeSpec, TypeSpecKind, Unit};
use crate::text::{Diagnostic, FileId, Key, Origin, Severity, SourceSet, Span, codes, key};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Most names for which declarations are made.
const MOST_NAMES: usize = 1_000;

/// Most blocks in a chain of EXTENDS that are looked at.
const MOST_BASES: usize = 100;

/// Names that no file declares.
#[derive(Debug, Default)]
pub(super) struct Missing {
    /// Of types, functions and interfaces.
    pub(super) types: BTreeSet<Key>,
    /// Of global variables and lists of them, of constants, and of enumerations in front of their values.
    pub(super) values: BTreeSet<Key>,
    /// Of members that blocks inherit, by the place of the block.
    pub(super) inherited: BTreeMap<Span, BTreeSet<Key>>,
}

impl Missing {
    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.types.is_empty() && self.values.is_empty()
    }
}

/// Returns the names that errors report as missing.
///
/// Soundness: only names that no declaration of the upload has, as far as its text tells; any other name keeps its error.
pub(super) fn names(units: &[Unit], sources: &SourceSet, errors: &[Diagnostic], tables: &Tables<'_>) -> Missing {
    let of = |error: &Diagnostic| key(&spelled(sources, error));
    let heirs = heirs_of_missing(units, tables);
    let words = errors.iter().filter(|error| is_word(&spelled(sources, error)));
    let (mut types, mut values, mut externals) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for error in words {
        match error.code {
            // It may be a member that the block inherits.
            codes::UNKNOWN_FUNCTION if heirs.iter().any(|heir| is_inside(*heir, error.span())) => {}
            codes::UNKNOWN_TYPE | codes::UNKNOWN_FUNCTION => {
                types.insert(of(error));
            }
            codes::UNKNOWN_NAME if is_meant(error, sources) => {
                values.insert(of(error));
            }
            codes::NO_GLOBAL => {
                externals.insert(of(error));
            }
            _ => {}
        }
    }
    if types.is_empty() && values.is_empty() && externals.is_empty() {
        return Missing::default();
    }
    let programs = programs(units);
    let unreadable = unreadable(sources, errors);
    types.retain(|name| !programs.contains(name) && !tables.declares(name) && !unreadable.contains(name));
    if !values.is_empty() {
        let locals = locals(units);
        values.retain(|name| !locals.contains(name) && !declares_value(name, tables, sources));
    }
    values.extend(externals);
    values.retain(|name| tables.global(name).is_none() && !unreadable.contains(name));
    let first = |names: BTreeSet<Key>| names.into_iter().take(MOST_NAMES).collect();
    Missing { types: first(types), values: first(values), inherited: BTreeMap::new() }
}

/// Returns the places of the blocks that extend one which no file declares, directly or not.
pub(super) fn heirs_of_missing(units: &[Unit], tables: &Tables<'_>) -> Vec<Span> {
    let mut found = Vec::new();
    let mut add = |pou: &Pou| {
        let mut base = pou.extends.as_ref().and_then(base_key);
        for _ in 0..MOST_BASES {
            let Some(name) = base else { return };
            match tables.pou(&name) {
                Some(declared) => base = declared.extends.as_ref().and_then(base_key),
                None => break,
            }
        }
        found.push(pou.span);
    };
    for unit in units {
        walk::unit(unit, &mut |node| {
            if let Node::Item(Item::Pou(pou)) = node
                && pou.extends.is_some()
            {
                add(pou);
            }
        });
    }
    found
}

pub(super) fn is_inside(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/// Returns the name at an error, without the quotes of SCL. `LIB.NAME` of a library that is missing is `LIB_NAME` in the syntax tree.
///
/// In files of XML the place of a name may be the tag of its element, or hold signs of XML. Then the name is that of the message.
pub(super) fn spelled<'s>(sources: &'s SourceSet, error: &Diagnostic) -> Cow<'s, str> {
    let text = sources.text(error.span());
    let is_markup =
        || sources.files.get(error.span().file).is_some_and(|file| file.text.trim_start_matches('\u{feff}').starts_with('<'));
    if !is_word(text) && is_markup() {
        let told = error.message.split('`').nth(1).unwrap_or_default();
        return Cow::Owned(told.trim_matches('"').replace('.', "_"));
    }
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    if text.contains('.') { Cow::Owned(text.replace('.', "_")) } else { Cow::Borrowed(text) }
}

/// Returns whether an unknown name is probably one of a file that is missing: it is no short name, and near to no known one.
fn is_meant(error: &Diagnostic, sources: &SourceSet) -> bool {
    let text = spelled(sources, error);
    let is_misspelled = error.help.as_ref().is_some_and(|help| help.starts_with("did you mean"));
    !is_misspelled && 1 < text.len() && text.chars().any(|c| c.is_ascii_uppercase())
}

/// Returns whether the upload declares something that stands in front of a dot, or is a value. Types that are inferred do not count:
/// they may be enumerations.
fn declares_value(name: &str, tables: &Tables<'_>, sources: &SourceSet) -> bool {
    let inferred = tables.type_decl(name).and_then(|decl| sources.files.get(decl.span.file));
    match inferred {
        Some(file) if file.origin == Origin::Inferred => tables.global(name).is_some(),
        Some(_) | None => tables.declares(name) || tables.global(name).is_some(),
    }
}

/// Returns the names of all variables and enumeration values, in any scope.
fn locals(units: &[Unit]) -> BTreeSet<Key> {
    let mut found = BTreeSet::new();
    for unit in units {
        walk::unit(unit, &mut |node| match node {
            Node::Block(block) => found.extend(block.vars.iter().map(|var| key(&var.name.text))),
            Node::Type(TypeSpec { kind: TypeSpecKind::Enum(variants, _), .. }) => {
                found.extend(variants.iter().map(|(name, _)| key(&name.text)));
            }
            Node::Type(_) | Node::Item(_) | Node::Method(_) | Node::Stmt(_) | Node::Expr(_) | Node::Name(_) => {}
        });
    }
    found
}

/// Returns whether a text is one identifier.
pub(super) fn is_word(text: &str) -> bool {
    let mut chars = text.chars();
    let starts = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    starts && !text.starts_with("__") && chars.all(|c| c.is_alphanumeric() || c == '_')
}

/// Returns the names of programs of tasks.
fn programs(units: &[Unit]) -> BTreeSet<Key> {
    let mut found = BTreeSet::new();
    for item in units.iter().flat_map(|unit| &unit.items) {
        if let Item::Configuration(configuration) = item {
            let programs = configuration.resources.iter().flat_map(|resource| &resource.programs);
            found.extend(programs.filter_map(|program| last(&program.program)));
        }
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
    // A file that was not given declares nothing.
    let is_text = |error: &&Diagnostic| error.severity == Severity::Error && error.code != codes::NOT_GIVEN;
    for error in errors.iter().filter(is_text) {
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
