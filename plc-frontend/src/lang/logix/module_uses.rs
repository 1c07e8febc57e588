//! Data of modules that an export does not list, from the uses of their tags in the text.
//!
//! Soundness: a part whose type no use tells has a type of which nothing is known, and each use of it is a gap.

use std::collections::BTreeMap;

use super::types::{Members, Shape};
use super::{Reader, attribute, key};
use crate::ast::{Ident, Item, Section, TypeSpec, TypeSpecKind, VarBlock, VarDecl};
use crate::hir::{Address, AddressArea, AddressSize};
use crate::lang::xml::Element;
use crate::text::Span;

/// Part of a module's data.
#[derive(Debug, Default)]
struct Part {
    fields: BTreeMap<String, (String, Part)>,
    /// Highest bit that a use names.
    bit: Option<u32>,
    /// An instruction for bits has it as a whole.
    is_bit: bool,
    /// Some use goes on in a way that is not followed.
    is_unknown: bool,
}

/// Instructions whose operand is a bit.
const BITS: &[&str] = &["XIC(", "XIO(", "OTE(", "OTL(", "OTU(", "ONS("];

impl Part {
    /// Adds a use: the text behind the part, and whether the whole operand is a bit.
    fn add(&mut self, rest: &str, is_bit: bool, depth: u32) {
        /// Longest path that is followed.
        const DEEPEST: u32 = 16;
        let Some(inside) = rest.strip_prefix('.') else {
            self.is_unknown |= rest.starts_with('[') || !is_bit;
            self.is_bit |= is_bit && !rest.starts_with('[');
            return;
        };
        let length = inside.len() - inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
        let (word, rest) = inside.split_at(length);
        match word.parse::<u32>() {
            Ok(bit) if bit < 32 => self.bit = self.bit.max(Some(bit)),
            Ok(_) => self.is_unknown = true,
            Err(_) if word.is_empty() || DEEPEST <= depth => self.is_unknown = true,
            Err(_) => {
                let (_, part) = self.fields.entry(key(word)).or_insert_with(|| (word.to_owned(), Part::default()));
                part.add(rest, is_bit, depth + 1);
            }
        }
    }

    /// Returns its type, and notes the shapes of its parts under a name.
    fn spec(&self, reader: &mut Reader, name: &str, span: Span) -> (TypeSpec, Shape) {
        let plain = |ty: &str| (TypeSpec::named(ty, span), Shape { ty: ty.to_owned(), dimensions: Vec::new() });
        match (self.fields.is_empty(), self.bit, self.is_bit, self.is_unknown) {
            (false, None, false, false) => {
                let (mut fields, mut members) = (Vec::new(), Members::new());
                for (field, (spelling, part)) in &self.fields {
                    let (ty, shape) = part.spec(reader, &format!("{name}.{spelling}"), span);
                    fields.push(VarDecl::new(Ident::new(spelling.clone(), span), ty, span));
                    members.insert(field.clone(), shape);
                }
                reader.shapes.set_members(name, members);
                let shape = Shape { ty: name.to_owned(), dimensions: Vec::new() };
                (TypeSpec { kind: TypeSpecKind::Struct(fields), span }, shape)
            }
            (true, Some(_), false, false) => plain("DINT"),
            (true, None, true, false) => plain("BOOL"),
            _ => {
                let kind = TypeSpecKind::Opaque("data of a module that the export does not list".to_owned());
                (TypeSpec { kind, span }, Shape { ty: String::new(), dimensions: Vec::new() })
            }
        }
    }
}

impl Reader {
    /// Declares the tags of modules that the list of modules does not have.
    pub(super) fn unlisted_modules(&mut self, controller: Element<'_>) {
        let span = controller.tag_span();
        let names = self.shapes.modules.clone();
        let upper = self.plain.to_ascii_uppercase();
        let (operands, aliases) = (operands(&upper), aliases_of(controller));
        for name in names.iter().filter(|name| !self.shapes.declared.contains_key(*name)).collect::<Vec<_>>() {
            let mut whole = Part::default();
            let (mut at, mut spelling) = (0, name.clone());
            while let Some(found) = upper.get(at..).and_then(|rest| find(rest, name)) {
                let (start, end) = (at + found, at + found + name.len());
                at = end;
                let before = self.plain.get(..start).unwrap_or("");
                spelling = self.plain.get(start..end).unwrap_or(name).to_owned();
                if let Some((alias, path_end)) = aliases.get(&start) {
                    let path = self.plain.get(end..*path_end).unwrap_or("");
                    for use_end in operands.get(alias.as_str()).into_iter().flatten() {
                        let before = self.plain.get(..use_end - alias.len()).unwrap_or("");
                        let rest: String = self.plain.get(*use_end..).unwrap_or("").chars().take(LONGEST_PATH).collect();
                        whole.add(&format!("{path}{rest}"), BITS.iter().any(|word| before.ends_with(word)), 0);
                    }
                    // The place of a bit is that of a number.
                    if path.rsplit('.').next().is_none_or(|last| last.parse::<u32>().is_err()) {
                        continue;
                    }
                }
                whole.add(self.plain.get(end..).unwrap_or(""), BITS.iter().any(|word| before.ends_with(word)), 0);
            }
            let (ty, shape) = whole.spec(self, &spelling, span);
            let mut var = VarDecl::new(Ident::new(spelling, span), ty, span);
            let is_output = name.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with('O');
            let area = if is_output { AddressArea::Output } else { AddressArea::Input };
            var.address = Some((Address { area, size: AddressSize::Bit, path: Vec::new() }, span));
            self.note("data of a module that the export does not list: it is taken from its uses", span);
            self.shapes.declared.insert(name.clone(), shape);
            self.unit.items.push(Item::Globals(VarBlock::new(Section::Global, vec![var], span)));
        }
    }
}

/// Most characters of a path behind an alias that are looked at.
const LONGEST_PATH: usize = 200;

/// Returns the aliases of a controller, by the place where their target begins, with the place behind it.
fn aliases_of(controller: Element<'_>) -> BTreeMap<usize, (String, usize)> {
    let alias = |tag: Element<'_>| {
        let (name, target) = (attribute(tag, "Name")?, tag.filled("AliasFor")?);
        Some((target.range.start, (key(&name), target.range.end)))
    };
    controller.descendants().filter(|e| e.name() == "Tag").filter_map(alias).collect()
}

/// Returns the places behind the first words of the operands of rungs, by these words.
fn operands(upper: &str) -> BTreeMap<&str, Vec<usize>> {
    let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, _) in upper.match_indices(['(', ',']) {
        let rest = upper.get(at + 1..).unwrap_or("");
        let length = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
        if let Some(word) = rest.get(..length).filter(|word| !word.is_empty()) {
            found.entry(word).or_default().push(at + 1 + length);
        }
    }
    found
}

/// Returns the next place of a name as a whole word; both are in upper case.
fn find(text: &str, name: &str) -> Option<usize> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).map(|(at, _)| at).find(|at| {
        let before = text.get(..*at).is_none_or(|before| !before.ends_with(is_word));
        before && text.get(at + name.len()..).is_none_or(|after| !after.starts_with(is_word))
    })
}
