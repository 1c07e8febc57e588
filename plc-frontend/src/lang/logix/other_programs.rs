//! Tags of other programs: `\\Program.tag`.
//!
//! They are read as one name, `Program__tag`, which no tag has and which is as long. Behind all else it becomes the path of the
//! program's tag. A program that does not run here, and an alias of another program, have no such name: gaps.

use std::collections::{BTreeMap, BTreeSet};

use super::aliases::{edit_paths, is_alias};
use super::types::{Members, shape_of};
use super::{attribute, ident_of, key};
use crate::ast::{Ident, NameElem, Stmt};
use crate::lang::xml::Element;
use crate::text::Span;

/// Words for a tag that is not read.
pub(super) const NOT_READ: &str = "is a tag of another program, which does not run here";

/// Gap of a routine with such a tag.
pub(super) const GAP: &str = "tag of another program that does not run here";

/// Programs and tags, by the names of tags as they are read.
pub(super) type Others = BTreeMap<String, (Ident, Ident)>;

/// Returns a text with tags of other programs as one name each, of the same length.
pub(super) fn named(text: &str) -> String {
    let mut named = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        named.push_str(before);
        let program = word(behind);
        let tag = behind.get(program.len()..).and_then(|rest| rest.strip_prefix('.')).map_or("", word);
        if program.is_empty() || tag.is_empty() {
            named.push('\\');
            rest = behind;
            continue;
        }
        named.push_str(program);
        named.push_str("__");
        rest = behind.get(program.len() + 1..).unwrap_or("");
    }
    named.push_str(rest);
    named
}

/// Returns a condition with white space for the backslash of tags of the controller, `\\X`, of the same length.
pub(super) fn without_controller(text: &str, is_global: impl Fn(&str) -> bool) -> String {
    let mut parts = text.split('\\');
    let mut read = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let name = word(part);
        let is_in_text = read.matches('\'').count() % 2 == 1;
        let is_tag = !is_in_text && !name.is_empty() && is_global(name);
        read.push(if is_tag { ' ' } else { '\\' });
        read.push_str(part);
    }
    read
}

/// Returns the word at the begin of a text.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let word = text.get(..end).unwrap_or("");
    if word.starts_with(|c: char| c.is_ascii_digit()) { "" } else { word }
}

/// Returns a text with tags of other programs as users write them.
pub(super) fn as_written(text: &str) -> String {
    match text.split_once("__") {
        Some((program, tag)) if is_other(text) => format!("\\{program}.{tag}"),
        _ => text.to_owned(),
    }
}

/// Returns whether a name, as it is read, is a tag of another program.
pub(super) fn is_other(name: &str) -> bool {
    let is_word = |text: &str| !text.is_empty() && text.len() == word(text).len();
    name.split_once("__")
        .is_some_and(|(program, tag)| is_word(program) && !word(tag).is_empty() && name != super::program::FIRST_SCAN)
}

/// Returns the tags of programs that run, and their shapes. A program with the name of a tag is left out: its name means the tag.
pub(super) fn tags(programs: &[(Element<'_>, Ident)], globals: &Members) -> (Others, Members) {
    let own: Vec<String> =
        programs.iter().flat_map(|(program, _)| tags_of(*program)).filter_map(|tag| Some(key(&ident_of(tag)?.text))).collect();
    let (mut others, mut shapes) = (Others::new(), Members::new());
    for (program, identifier) in programs {
        let name = key(&identifier.text);
        let (false, false, Some(written)) = (own.contains(&name), globals.contains_key(&name), ident_of(*program)) else {
            continue;
        };
        let is_reference = |tag: &Element<'_>| attribute(*tag, "Usage").as_deref() == Some("InOut");
        for tag in tags_of(*program).into_iter().filter(|tag| !is_alias(*tag) && !is_reference(tag)) {
            let (Some(ident), Some(shape)) = (ident_of(tag), shape_of(tag)) else { continue };
            let read = format!("{}__{}", key(&written.text), key(&ident.text));
            shapes.insert(read.clone(), shape);
            others.insert(read, (identifier.clone(), ident));
        }
    }
    (others, shapes)
}

/// Returns the names of these tags that a text has.
pub(super) fn in_text(others: &Others, text: &str) -> BTreeSet<String> {
    if others.is_empty() {
        return BTreeSet::new();
    }
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| word.contains("__"));
    words.map(key).filter(|word| others.contains_key(word)).collect()
}

fn tags_of<'x>(program: Element<'x>) -> Vec<Element<'x>> {
    program.children_named("Tags").flat_map(Element::children).collect()
}

/// Puts the paths of tags of other programs for their names.
pub(super) fn put_paths(others: &Others, stmts: &mut Vec<Stmt>, span: Span) {
    if others.is_empty() {
        return;
    }
    edit_paths(stmts, span, &mut |path| {
        let Some((program, tag)) = others.get(&key(&path.root.text)) else { return };
        let place = path.root.span;
        path.root = Ident::new(program.text.clone(), place);
        path.path.insert(0, NameElem::Field(Ident::new(tag.text.clone(), place)));
    });
}

/// Returns whether statements name a tag of a program that does not run here.
pub(super) fn has_unknown(variables: &Members, stmts: &mut Vec<Stmt>, span: Span) -> bool {
    let mut found = false;
    edit_paths(stmts, span, &mut |path| {
        found |= is_other(&path.root.text) && !variables.contains_key(&key(&path.root.text));
    });
    found
}
