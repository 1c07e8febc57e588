//! SCL: a list of words, put together in place and read as Structured Text.

use super::access::{Locals, Unmodelled, access_text, scope_of, symbol_text};
use super::{Reader, bytes};
use crate::ast::Stmt;
use crate::lang::common::token::identifier;
use crate::lang::st::embedded;
use crate::lang::xml::Element;

impl Reader<'_> {
    /// Reads the statements of a network in SCL.
    pub(super) fn structured_text(&mut self, network: Element<'_>) -> Vec<Stmt> {
        // Between the words are markup, which becomes white space, and texts of comments and values.
        let all = Self::room(network);
        self.overlay.put(all.clone(), "");
        let mut words = Vec::new();
        if let Err(words) = collect(network, &self.locals, &mut words) {
            return vec![Stmt::unsupported(words, network.tag_span())];
        }
        let is_code = words.iter().any(|(_, _, text)| !matches!(text.trim(), "" | ";"));
        for (element, room, text) in words {
            let room = match room {
                Room::Tag => bytes(element.tag_span()),
                Room::All => Self::room(element),
            };
            if self.overlay.put(room, &text).is_none() {
                return vec![Stmt::unsupported("operand with a long name", element.tag_span())];
            }
        }
        let statements = self.findings.keep(embedded::scl_statements(self.unit.file, &self.overlay.text, all));
        if statements.is_empty() && is_code {
            return vec![Stmt::unsupported("words of SCL without a statement", network.tag_span())];
        }
        statements
    }
}

/// Returns whether a word would hide the words behind it.
pub(super) fn opens_comment(word: &str) -> bool {
    ["//", "(*", "/*", "{"].iter().any(|opening| word.contains(opening))
}

/// Returns whether the type that an instruction computes in does not matter.
///
/// Soundness: MIN, MAX and LIMIT give one of their arguments in each type that holds all of them.
fn is_implied(template: Element<'_>) -> bool {
    let name = |element: Element<'_>| element.attribute("Name").map_or(String::new(), |a| a.text.into_owned());
    let instruction = template.parent().map_or(String::new(), name);
    name(template) == "value_type" && ["MIN", "MAX", "LIMIT"].iter().any(|known| known.eq_ignore_ascii_case(&instruction))
}

/// Room for a word in the file.
#[derive(Clone, Copy)]
enum Room {
    /// Its start tag: the element holds more words.
    Tag,
    All,
}

/// Collects the words of an element in their order, each with the element it is put into.
fn collect<'d>(network: Element<'d>, locals: &Locals, into: &mut Vec<(Element<'d>, Room, String)>) -> Result<(), Unmodelled> {
    let mut open: Vec<Element<'d>> = network.children().collect();
    open.reverse();
    while let Some(element) = open.pop() {
        let mut inside: Vec<Element<'d>> = Vec::new();
        match element.name() {
            "Token" => {
                let text = element.attribute("Text").map_or(String::new(), |t| t.text.into_owned());
                if opens_comment(&text) {
                    return Err("words of SCL that are not read");
                }
                // They only structure the text; a region would reach to the end of a line, and the words have no lines.
                if !["REGION", "END_REGION"].iter().any(|word| word.eq_ignore_ascii_case(text.trim())) {
                    into.push((element, Room::All, text));
                }
            }
            "Blank" | "NewLine" | "LineComment" | "Comment" | "Text" => {}
            "TemplateValue" if is_implied(element) => {}
            "Access" => match element.attribute("Scope").map(|s| s.text.into_owned()).as_deref() {
                Some("Call") => inside = element.children().collect(),
                _ => into.push((element, Room::All, access_text(element, locals)?)),
            },
            "CallInfo" | "Instruction" => {
                match element.child("Instance") {
                    // The instance replaces the block.
                    Some(instance) => into.push((instance, Room::All, symbol_text(instance, &scope_of(instance), locals)?)),
                    // Without a name, the instance stands before the call.
                    None => {
                        if let Some(name) = element.attribute("Name") {
                            into.push((element, Room::Tag, identifier(name.text.trim())));
                        }
                    }
                }
                inside = element.children().filter(|e| e.name() != "Instance").collect();
            }
            "Parameter" | "NamelessParameter" => {
                if let Some(name) = element.attribute("Name") {
                    into.push((element, Room::Tag, identifier(name.text.trim())));
                }
                inside = element.children().collect();
            }
            _ => return Err("words of SCL that are not read"),
        }
        inside.reverse();
        open.extend(inside);
    }
    Ok(())
}
