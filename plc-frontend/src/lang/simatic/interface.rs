//! Interfaces: sections of members, their types and start values.

use std::ops::Range;

use super::elements::dimensions;
use super::{Reader, attribute, ident};
use crate::ast::{Ident, Initializer, InitializerKind, Section, TypeSpec, TypeSpecKind, VarBlock, VarDecl};
use crate::lang::st::embedded;
use crate::lang::xml::{Element, without_filler};
use crate::text::{Diagnostic, Span};

/// Types of TIA Portal that have another name in the standard.
const RENAMED: &[(&str, &str)] = &[("TON_TIME", "TON"), ("TOF_TIME", "TOF"), ("TP_TIME", "TP"), ("TONR_TIME", "TONR")];

/// Types that are not modelled: pointers without a type, hardware, sequences.
const OPAQUE: &[&str] = &["VARIANT", "ANY", "POINTER", "DB_ANY", "REMOTE", "GRAPH_BASE", "BLOCK_FB", "BLOCK_FC"];
/// Beginnings of names of such types.
const OPAQUE_FAMILIES: &[&str] = &["HW_", "G7_", "OB_", "EVENT_", "AOM_", "CONN_", "PORT", "RTM", "PIP"];

/// The members of a block.
#[derive(Default)]
pub(super) struct Interface {
    pub(super) blocks: Vec<VarBlock>,
    pub(super) result: Option<TypeSpec>,
}

impl Reader<'_> {
    /// Reads the interface of an object, with nothing in it if the object has none.
    pub(super) fn interface(&mut self, object: Element<'_>) -> Interface {
        let mut result = Interface::default();
        for section in sections(object) {
            let name = section.attribute("Name").map_or(String::new(), |n| n.text.into_owned());
            let kind = match name.as_str() {
                "Input" => Section::Input,
                "Output" => Section::Output,
                "InOut" => Section::InOut,
                "Static" | "None" | "Constant" => Section::Var,
                "Temp" => Section::Temp,
                "Return" => {
                    for member in section.children_named("Member") {
                        let ty = member.attribute("Datatype");
                        if let Some(ty) = ty.filter(|t| !t.text.eq_ignore_ascii_case("Void")) {
                            result.result = Some(self.type_at(ty.range, &[]));
                        }
                    }
                    continue;
                }
                "Base" => {
                    let why = "it belongs to the sequence, which is not modelled";
                    self.unit.ignore(section.tag_span(), "what every sequence has", why);
                    continue;
                }
                _ => {
                    self.missing(section.tag_span(), format!("sections of the kind `{name}` are not read"));
                    continue;
                }
            };
            let vars: Vec<VarDecl> = section.children_named("Member").filter_map(|m| self.member(m, false)).collect();
            if !vars.is_empty() {
                result.blocks.push(VarBlock { constant: name == "Constant", ..VarBlock::new(kind, vars, section.tag_span()) });
            }
        }
        result
    }

    /// Reads a member. `is_in_array`: the values of its elements are those of an array around it.
    fn member(&mut self, member: Element<'_>, is_in_array: bool) -> Option<VarDecl> {
        let Some(name) = member.filled("Name") else {
            self.missing(member.tag_span(), "this member has no name");
            return None;
        };
        let name = ident(name.text.trim(), name.span);
        let Some(ty) = member.attribute("Datatype") else {
            self.missing(member.tag_span(), format!("the member `{}` has no type", name.text));
            return None;
        };
        let has_elements = is_in_array || dimensions(member).is_some();
        let inside: Vec<VarDecl> = member.children_named("Member").filter_map(|m| self.member(m, has_elements)).collect();
        let ty = self.type_at(ty.range, &inside);
        let mut declared = VarDecl::new(name, ty, member.tag_span());
        // The members of a structure in place carry their own values.
        declared.init = match member.child("StartValue") {
            Some(value) => self.value(value),
            None if is_in_array => None,
            None => self.initializer(member),
        };
        Some(declared)
    }

    /// Reads the values that are written with an instance or with a variable of a named type.
    pub(super) fn initializer_of(&mut self, object: Element<'_>) -> Option<Initializer> {
        let members: Vec<Element<'_>> = sections(object).flat_map(|s| s.children_named("Member").collect::<Vec<_>>()).collect();
        self.values(object, &members)
    }

    fn initializer(&mut self, member: Element<'_>) -> Option<Initializer> {
        let elements = self.elements(member);
        if let Ok(Some(elements)) = elements {
            return Some(elements);
        }
        let has_values = member.child("Subelement").is_some_and(|s| s.children().any(|e| e.name() == "StartValue"));
        if has_values || elements.is_err() {
            let message = "the start values of single elements do not fit the dimensions of the array";
            let diagnostic = Diagnostic::error("P1018", member.tag_span(), message, "this array has some");
            self.findings.push(diagnostic.help("assign them in the first cycle instead"));
            return None;
        }
        if dimensions(member).is_some() {
            return None;
        }
        let inside = member.child("Sections")?;
        let members: Vec<Element<'_>> = inside.children().flat_map(|s| s.children_named("Member").collect::<Vec<_>>()).collect();
        self.values(member, &members)
    }

    /// Returns `(a := 1, b := (c := 2))` for the members that have values.
    fn values(&mut self, of: Element<'_>, members: &[Element<'_>]) -> Option<Initializer> {
        let mut fields: Vec<(Ident, Initializer)> = Vec::new();
        for member in members {
            let value = match member.child("StartValue") {
                Some(value) => self.value(value),
                None => {
                    let inside: Vec<Element<'_>> = member.children_named("Member").collect();
                    if inside.is_empty() { self.initializer(*member) } else { self.values(*member, &inside) }
                }
            };
            if let (Some(value), Some(name)) = (value, member.attribute("Name")) {
                fields.push((ident(name.text.trim(), name.span), value));
            }
        }
        let span = of.tag_span();
        (!fields.is_empty()).then_some(Initializer { kind: InitializerKind::Struct(fields), span })
    }

    /// Reads the type written at `range`; `members` are those of a structure that is written here.
    pub(super) fn type_at(&mut self, range: Range<usize>, members: &[VarDecl]) -> TypeSpec {
        let span = Span::new(self.unit.file, range.start, range.end);
        let written = without_filler(self.overlay.text.get(range.clone()).unwrap_or("")).trim().to_owned();
        let upper = written.to_ascii_uppercase();
        let is_opaque = OPAQUE.contains(&upper.as_str()) || OPAQUE_FAMILIES.iter().any(|f| upper.starts_with(f));
        if is_opaque {
            return TypeSpec { kind: TypeSpecKind::Opaque(written), span };
        }
        let structure = || TypeSpecKind::Struct(members.to_vec());
        if upper == "STRUCT" {
            return TypeSpec { kind: structure(), span };
        }
        if let Some((_, name)) = RENAMED.iter().find(|(siemens, _)| *siemens == upper) {
            return TypeSpec { kind: TypeSpecKind::Name(ident(name, span)), span };
        }
        self.unquote(range.clone());
        let is_array_of_structures = upper.ends_with("STRUCT") && upper.starts_with("ARRAY");
        if is_array_of_structures && let Some(at) = self.overlay.text.get(range.clone()).and_then(|t| t.len().checked_sub(6)) {
            // The type is read as an array of BOOL; the structure then replaces BOOL.
            self.overlay.put(range.start + at..range.end, "BOOL");
        }
        let parsed = embedded::type_spec(self.unit.file, &self.overlay.text, range);
        let is_sound = !parsed.has_errors();
        match self.findings.keep(parsed) {
            Some(mut ty) => {
                if is_array_of_structures {
                    replace_element(&mut ty, structure());
                }
                ty
            }
            None => {
                if is_sound {
                    self.missing(span, "a type is missing");
                }
                TypeSpec::error(span)
            }
        }
    }
}

fn replace_element(ty: &mut TypeSpec, with: TypeSpecKind) {
    if let TypeSpecKind::Array(_, element) = &mut ty.kind {
        element.kind = with;
    }
}

/// Returns whether an object's interface has a member.
pub(super) fn has_members(object: Element<'_>) -> bool {
    sections(object).any(|section| section.child("Member").is_some())
}

/// Returns the sections of an object's interface.
fn sections<'d>(object: Element<'d>) -> impl Iterator<Item = Element<'d>> {
    let interface = attribute(object, "Interface");
    interface.and_then(|i| i.child("Sections")).into_iter().flat_map(|s| s.children())
}
