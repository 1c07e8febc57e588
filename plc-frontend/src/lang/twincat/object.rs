//! The objects of a file: POUs, global variable lists, types, interfaces, tasks.

use super::Reader;
use crate::ast::{GlobalList, Ident, Item};
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::{Diagnostic, Span};

/// Parts of an object without an effect on the program.
pub(super) const WITHOUT_MEANING: &[&str] = &["LineIds", "Folder", "ObjectProperties"];

impl Reader<'_> {
    /// Reads everything inside of `<TcPlcObject>`.
    pub(super) fn objects(&mut self, root: Element<'_>) {
        let mut first: Option<Span> = None;
        for object in root.children() {
            let is_read = match object.name() {
                "POU" => self.pou(object),
                "GVL" => self.global_list(object),
                "DUT" => self.types(object),
                "Itf" => self.interface(object),
                "Task" => self.task(object),
                name if WITHOUT_MEANING.contains(&name) => continue,
                name => {
                    let why = "no part of a program that runs: texts, pictures and settings are not read";
                    self.unit.ignore(object.tag_span(), format!("object `{name}`"), why);
                    continue;
                }
            };
            match first {
                Some(first) => {
                    let message = "this file holds several objects";
                    let diagnostic = Diagnostic::error("P0012", object.tag_span(), message, "another object");
                    self.findings.push(diagnostic.label(first, "the first").help("TwinCAT reads one object per file: split it"));
                }
                None => first = is_read.then(|| object.tag_span()),
            }
        }
        if first.is_none() && self.unit.ignored.is_empty() && self.findings.is_empty() {
            let diagnostic = Diagnostic::error("P0003", root.tag_span(), "this file holds no object", "nothing inside");
            self.findings.push(diagnostic.help("open the object in TwinCAT, save it, and take the file again"));
        }
    }

    /// Reads the piece of ST that declares an object.
    pub(super) fn declaration(&mut self, object: Element<'_>) -> Vec<Item> {
        let Some(range) = object.child("Declaration").and_then(|d| d.text_range()) else {
            let message = format!("`<{}>` has no declaration", object.name());
            self.missing(object.tag_span(), message);
            return Vec::new();
        };
        self.findings.keep(embedded::items(self.unit.file, self.plain, range))
    }

    fn global_list(&mut self, object: Element<'_>) -> bool {
        let items = self.declaration(object);
        let range = object.child("Declaration").and_then(|d| d.text_range());
        let text = range.and_then(|r| self.plain.get(r)).unwrap_or("");
        let list = name_of(object).map(|name| GlobalList { name, qualified_only: has_attribute(text, "qualified_only") });
        if list.is_none() {
            self.missing(object.tag_span(), "this list of global variables has no name".to_owned());
        }
        for mut item in items {
            if let Item::Globals(block) = &mut item {
                block.list.clone_from(&list);
            }
            self.unit.items.push(item);
        }
        true
    }

    fn types(&mut self, object: Element<'_>) -> bool {
        let items = self.declaration(object);
        self.unit.items.extend(items);
        true
    }

    fn interface(&mut self, object: Element<'_>) -> bool {
        for mut item in self.declaration(object) {
            if let Item::Interface(interface) = &mut item {
                let members = self.members(object, None);
                interface.methods.extend(members.methods);
                interface.properties.extend(members.properties);
                interface.span = interface.span.to(object.span());
            }
            self.unit.items.push(item);
        }
        true
    }
}

/// Returns the attribute `Name` as a name.
pub(super) fn name_of(object: Element<'_>) -> Option<Ident> {
    let name = object.attribute("Name")?;
    let text = name.text.trim().to_owned();
    (!text.is_empty()).then_some(Ident { text, span: name.span })
}

/// Returns whether `{attribute 'name'}` stands in `text`, outside of comments.
fn has_attribute(text: &str, name: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find(['{', '(', '/']) {
        let from = &rest[at..];
        let skip = |start: usize, end: &str| from[start..].find(end).map_or(from.len(), |n| start + n + end.len());
        let n_bytes = if from.starts_with("//") {
            skip(2, "\n")
        } else if from.starts_with("(*") {
            skip(2, "*)")
        } else if from.starts_with("/*") {
            skip(2, "*/")
        } else if from.starts_with('{') {
            let end = skip(1, "}");
            let words = from[1..end].trim_end_matches('}').trim().to_ascii_lowercase();
            let quoted = words.strip_prefix("attribute").map(|w| w.trim().trim_matches('\''));
            if quoted == Some(name) {
                return true;
            }
            end
        } else {
            1
        };
        rest = &from[n_bytes..];
    }
    false
}

#[test]
fn attributes_of_lists() {
    let check = |text: &str, expected: bool| assert_eq!(has_attribute(text, "qualified_only"), expected, "{text}");
    check("{attribute 'qualified_only'}\nVAR_GLOBAL", true);
    check("// {attribute 'x'}\n{ Attribute  'qualified_only' }", true);
    check("// {attribute 'qualified_only'}", false);
    check("(* {attribute 'qualified_only'} *) VAR_GLOBAL", false);
    check("{attribute 'strict'} {attribute 'qualified_only", true);
    check("{attribute 'other'} (", false);
    check("/* ü", false);
}
