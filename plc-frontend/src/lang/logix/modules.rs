//! Tags of modules, `Local:1:I.Data.0`: their names, and their declarations from the data of the module list.
//!
//! Structures of modules may have bits that are parts of their numbers. Inputs are arbitrary, so each part on its own is more
//! than a controller sees.

use std::collections::BTreeSet;

use super::types::{Required, Shape, Shapes, integer};
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
        self.module_arguments(controller);
    }

    /// Declares modules that are arguments: an Add-On Instruction has them as an InOut parameter of the type MODULE.
    fn module_arguments(&mut self, controller: Element<'_>) {
        let is_tag = |name: &str| {
            let tags = controller.children_named("Tags").flat_map(Element::children);
            tags.filter_map(ident_of).any(|tag| tag.text.eq_ignore_ascii_case(name))
        };
        let listed = controller.children_named("Modules").flat_map(Element::children).filter_map(ident_of);
        let mut names: Vec<Ident> = listed.filter(|name| !is_tag(&name.text)).collect();
        names.extend(self.unlisted_arguments(controller));
        for name in names {
            let is_new = !self.shapes.declared.contains_key(&key(&name.text));
            if is_new && is_argument(&self.plain, &name.text) {
                let shape = Shape { ty: "MODULE".to_owned(), dimensions: Vec::new() };
                let (ty, span) = (self.spec(&shape, name.span), name.span);
                self.shapes.declared.insert(key(&name.text), shape);
                let var = VarDecl::new(name, ty, span);
                self.unit.items.push(Item::Globals(VarBlock::new(Section::Global, vec![var], span)));
            }
        }
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

impl Shapes {
    /// Returns the Add-On Instructions with parameters that are modules, each with the position of the argument.
    pub(super) fn module_parameters(&self) -> Vec<(String, usize)> {
        let is_module = |name: &str, row: &Required| {
            let member = self.members(name).and_then(|members| members.get(&key(&row.name)));
            row.usage == "InOut" && member.is_some_and(|shape| shape.ty.eq_ignore_ascii_case("MODULE"))
        };
        let of = |(name, rows): (&String, &Vec<Required>)| {
            let own = rows.iter().enumerate().filter(|(_, row)| is_module(name, row));
            own.map(|(at, _)| (name.clone(), at + 1)).collect::<Vec<_>>()
        };
        self.required.iter().flat_map(of).collect()
    }
}

impl Reader {
    /// Returns the arguments of parameters of the type MODULE that no tag has the name of: modules that the export does not list.
    fn unlisted_arguments(&self, controller: Element<'_>) -> Vec<Ident> {
        let mut found: Vec<Ident> = Vec::new();
        for (instruction, position) in self.shapes.module_parameters() {
            for (at, _) in self.plain.match_indices('(') {
                let before = self.plain.get(..at).unwrap_or("").trim_end();
                let start = before.len().checked_sub(instruction.len());
                let is_call = start.is_some_and(|start| {
                    let word = before.get(start..).is_some_and(|word| word.eq_ignore_ascii_case(&instruction));
                    word && !before.get(..start).unwrap_or("").ends_with(is_word)
                });
                let Some((args, _)) = self.plain.get(at + 1..).filter(|_| is_call).and_then(|rest| rest.split_once(')')) else {
                    continue;
                };
                let Some(argument) = args.split(',').nth(position) else { continue };
                let before: usize = args.split(',').take(position).map(|other| other.len() + 1).sum();
                let word = argument.trim();
                let begin = at + 1 + before + (argument.len() - argument.trim_start().len());
                if !word.is_empty() && word.chars().all(is_word) && !word.starts_with(|c: char| c.is_ascii_digit()) {
                    let span = crate::text::Span::new(self.unit.file, begin, begin + word.len());
                    found.push(Ident::new(word, span));
                }
            }
        }
        found.sort_by_key(|name| key(&name.text));
        found.dedup_by_key(|name| key(&name.text));
        let declared = controller.descendants().filter(|e| matches!(e.name(), "Tag" | "LocalTag" | "Parameter"));
        let declared: BTreeSet<String> = declared.filter_map(ident_of).map(|name| key(&name.text)).collect();
        found.retain(|name| !declared.contains(&key(&name.text)));
        found
    }
}

/// Returns whether a name stands between the marks of arguments somewhere in a text.
fn is_argument(text: &str, name: &str) -> bool {
    let is_name = |c: char| is_word(c) || c == ':' || c == '.' || c == '\\';
    !name.is_empty()
        && name.chars().all(is_word)
        && text.match_indices(['(', ',']).any(|(at, _)| {
            let rest = text.get(at + 1..).unwrap_or("").trim_start();
            let behind =
                rest.get(..name.len()).filter(|word| word.eq_ignore_ascii_case(name)).and_then(|_| rest.get(name.len()..));
            behind.is_some_and(|behind| !behind.starts_with(is_name) && behind.trim_start().starts_with([',', ')']))
        })
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
