//! Tags of modules, `Local:1:I.Data.0`: their names, and their declarations from the data of the module list.
//!
//! Structures of modules may have bits that are parts of their numbers. Inputs are arbitrary, so each part on its own is more
//! than a controller sees.

use std::collections::BTreeSet;

use super::types::{Shape, integer};
use super::{Reader, attribute, ident_of, key};
use crate::ast::{Ident, Item, Section, TypeSpec, TypeSpecKind, VarBlock, VarDecl};
use crate::hir::{Address, AddressArea, AddressSize};
use crate::lang::xml::{self, Element};

/// Deepest nesting of structures that is read.
const DEEPEST: u32 = 16;

/// Returns the text with `_` for the colons of module tags, and their names as they stand then.
pub(super) fn named(text: &str) -> (String, BTreeSet<String>) {
    let mut bytes = text.as_bytes().to_vec();
    let mut names = BTreeSet::new();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find(':')) {
        let colon = at + found;
        at = colon + 1;
        let before = text.get(..colon).unwrap_or("");
        let start = before.rfind(|c: char| !is_word(c)).map_or(0, |last| last + char_length(before, last));
        let Some(name) = text.get(start..colon).filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
        else {
            continue;
        };
        let rest = text.get(colon + 1..).unwrap_or("");
        let Some(length) = parts_of(rest) else { continue };
        let end = colon + 1 + length;
        names.insert(key(&format!("{name}_{}", rest.get(..length).unwrap_or("").replace(':', "_"))));
        for byte in bytes.get_mut(start..end).into_iter().flatten() {
            if *byte == b':' {
                *byte = b'_';
            }
        }
        at = end;
    }
    (String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned()), names)
}

/// Returns the length of `1:I` or `I` behind the first colon of a module tag.
fn parts_of(rest: &str) -> Option<usize> {
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let slot = if digits == 0 { 0 } else { digits + usize::from(rest.get(digits..)?.starts_with(':')) };
    let kind = rest.get(slot..)?;
    let is_kind = (digits == 0 || digits < slot) && kind.starts_with(['I', 'O', 'C', 'S']);
    let number = kind.get(1..)?;
    let number = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    // What follows tells it from a word of a comment.
    let ends = kind.get(1 + number..)?.starts_with(['.', ',', ')', '"', xml::FILLER]);
    (is_kind && ends).then_some(slot + 1 + number)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn char_length(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

impl Reader {
    /// Declares the tags of modules that the text names, as far as the list of modules has their data.
    ///
    /// Others are taken from their uses, and answers name this.
    pub(super) fn modules(&mut self, controller: Element<'_>) {
        let names = self.shapes.modules.clone();
        for module in controller.children_named("Modules").flat_map(Element::children) {
            let Some(name) = ident_of(module) else { continue };
            let ports = module.children_named("Ports").flat_map(Element::children);
            let mut upstream = ports.filter(|port| attribute(*port, "Upstream").as_deref() == Some("true"));
            let slot = upstream.find_map(|port| attribute(port, "Address"));
            let parent = attribute(module, "ParentModule").unwrap_or_default();
            let bases = [name.text.clone(), format!("{parent}_{}", slot.unwrap_or_default())];
            for data in module.descendants() {
                let (kind, section) = match data.name() {
                    "InputTag" | "InAliasTag" => ("I", true),
                    "OutputTag" | "OutAliasTag" => ("O", false),
                    "ConfigTag" => ("C", true),
                    _ => continue,
                };
                for base in &bases {
                    let tag = format!("{base}_{kind}");
                    if names.contains(&key(&tag)) && !self.shapes.declared.contains_key(&key(&tag)) {
                        self.module_tag(&tag, data, section);
                    }
                }
            }
        }
        self.unlisted_modules(controller);
    }

    fn module_tag(&mut self, name: &str, data: Element<'_>, is_input: bool) {
        let span = data.tag_span();
        let decorated = data.children().find(|e| attribute(*e, "Format").as_deref() == Some("Decorated"));
        let Some(structure) = decorated.and_then(|e| e.children().next()) else { return };
        let Some(ty) = self.module_type(structure, name, 0) else { return };
        let mut var = VarDecl::new(Ident::new(name, span), ty, span);
        let area = if is_input { AddressArea::Input } else { AddressArea::Output };
        var.address = Some((Address { area, size: AddressSize::Bit, path: Vec::new() }, span));
        self.shapes.declared.insert(key(name), Shape { ty: name.to_owned(), dimensions: Vec::new() });
        self.unit.items.push(Item::Globals(VarBlock::new(Section::Global, vec![var], span)));
    }

    /// Returns the type of the data of a module, and notes the shapes of its members under a name.
    fn module_type(&mut self, structure: Element<'_>, name: &str, depth: u32) -> Option<TypeSpec> {
        let span = structure.tag_span();
        let mut fields = Vec::new();
        let mut members = super::types::Members::new();
        for member in structure.children() {
            let field = ident_of(member)?;
            let ty = attribute(member, "DataType").unwrap_or_default();
            let (ty, shape) = match member.name() {
                "DataValueMember" => (TypeSpec::named(ty.clone(), span), Shape { ty, dimensions: Vec::new() }),
                "ArrayMember" => {
                    let n: u64 = attribute(member, "Dimensions")?.parse().ok().filter(|n| *n != 0)?;
                    super::operands::class_of(&ty)?;
                    let bounds = vec![(integer(0, span), integer(i128::from(n) - 1, span))];
                    let kind = TypeSpecKind::Array(bounds, Box::new(TypeSpec::named(ty.clone(), span)));
                    (TypeSpec { kind, span }, Shape { ty, dimensions: vec![n] })
                }
                "StructureMember" if depth < DEEPEST => {
                    let inner = format!("{name}.{}", field.text);
                    let ty = self.module_type(member, &inner, depth + 1)?;
                    (ty, Shape { ty: inner, dimensions: Vec::new() })
                }
                _ => return None,
            };
            members.insert(key(&field.text), shape);
            fields.push(VarDecl::new(field, ty, span));
        }
        self.shapes.set_members(name, members);
        Some(TypeSpec { kind: TypeSpecKind::Struct(fields), span })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_tags_become_names() {
        let check = |text: &str, expected: &str, names: &[&str]| {
            let (found, known) = named(text);
            assert_eq!((found.as_str(), known.iter().map(String::as_str).collect::<Vec<_>>()), (expected, names.to_vec()));
        };
        check("XIC(Local:1:I.Data.0)", "XIC(Local_1_I.Data.0)", &["LOCAL_1_I"]);
        check("x := Drive:I.Speed + Rack:12:O.Ch[0];", "x := Drive_I.Speed + Rack_12_O.Ch[0];", &["DRIVE_I", "RACK_12_O"]);
        check("a:=Local:3:C.x;Local:3:I1.y:=b;", "a:=Local_3_C.x;Local_3_I1.y:=b;", &["LOCAL_3_C", "LOCAL_3_I1"]);
        check("x:=1; 1:I := 2; a:Into := 3; b:1:Id", "x:=1; 1:I := 2; a:Into := 3; b:1:Id", &[]);
        check(":", ":", &[]);
        check("é:I", "é:I", &[]);
        check("a:", "a:", &[]);
        check("// Mode:S is set; Local:1:I", "// Mode:S is set; Local:1:I", &[]);
        check("Block(x,Local:1:I)", "Block(x,Local_1_I)", &["LOCAL_1_I"]);
    }
}
