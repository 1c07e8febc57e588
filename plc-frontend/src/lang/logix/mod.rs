//! Studio 5000: exports of Logix controllers (`.L5X`), with Structured Text and ladder rungs in neutral text.
//!
//! In reading order: [`types`] data types and the shapes of tags with their [`type_names`], [`hosts`] their bits, [`values`] and [`texts`] initial values, [`aoi`] and [`prescan`] Add-On Instructions;
//! [`prescan_of_routines`] is that of a program, [`prescan_order`] where its order makes a difference.
//! Then [`program`] programs and tags with their [`aliases`], [`subroutines`] and [`routines`], [`tasks`], [`other_programs`] and their tags.
//! [`modules`] and [`module_uses`] tags of modules, and [`connections`] between tags.
//! [`calls`] and [`expressions`] are Structured Text, [`operands`] their types.
//! [`rungs`] is the text of rungs; [`ladder`] their statements, [`refusals`] why there are none, with [`bits`], [`numbers`], [`fields`], [`counters`], [`registers`], [`sequencers`], [`strings`] and [`arrays`]; [`zones`] are those of MCR; [`indices`] is where
//! indices are looked at.
//! [`flags`] are the math status flags, and [`hidden_names`] what several files have once. [`layout`] has the places of members in memory, [`bytes`] their bits and [`memory`] copies of them.
//! [`pictures`] are their drawings, with [`operand_names`]. [`sfc`] reads charts, [`fbd`] function block diagrams; [`blocks`] has the members of their tags, [`select`] the choice ESEL and [`stub_blocks`] blocks without a model.
//! [`l5k`] reads text exports as the same elements.
//! [`unmodelled`] has the effects of instructions without a model, [`pid`] those of PID.
//! [`conversions`] are looked at last of all, and [`assumptions`] are rules that no manual settles. Then [`system`], instructions with unknown effects and the [`attributes`] that the controller gives, and [`gaps`], the names of those that are not modelled.
//! Knows XML, pieces of ST and the AST.

mod aliases;
mod aoi;
mod arrays;
mod assumptions;
mod attributes;
mod bits;
mod blocks;
mod bytes;
mod calls;
mod connections;
mod conversions;
mod counters;
mod expressions;
mod fbd;
mod fields;
mod flags;
mod gaps;
mod hidden_names;
mod hosts;
mod indices;
mod l5k;
mod ladder;
mod layout;
mod memory;
mod module_uses;
mod modules;
mod numbers;
mod operand_names;
mod operands;
mod other_programs;
mod partial_exports;
mod pictures;
mod pid;
mod prescan;
mod prescan_of_routines;
mod prescan_order;
mod program;
mod program_names;
mod refusals;
mod registers;
mod routines;
mod rungs;
mod select;
mod sequencers;
mod sfc;
mod strings;
mod stub_blocks;
mod subroutines;
mod system;
mod tasks;
#[cfg(test)]
mod tests;
mod text_numbers;
mod text_search;
mod texts;
mod type_names;
mod types;
mod unmodelled;
mod values;
mod zones;

use super::common::findings::Findings;
use super::common::lexer::Flavour;
use super::common::starts_with_tag;
use super::xml::{self, Document, Element};
use super::{Ending, FileRole, Language};
use crate::ast::{Assumed, Ident, Item, Stmt, Unit};
use crate::dialect::DialectId;
use crate::hir::Diagram;
use crate::lang::st::embedded;
use crate::text::{Diagnostic, FileId, Parsed, Severity, SourceFile, Span};
use std::collections::BTreeSet;
use types::Shapes;

pub(crate) use hidden_names::share as share_hidden_names;
pub(super) use l5k::LANGUAGE as L5K;

/// Reason of a condition about an instruction.
const UNSETTLED: &str = "no manual that was found settles it; the model does as it says";

/// Exports of Studio 5000.
pub(super) const LANGUAGE: Language = Language {
    name: "L5X",
    endings: &[Ending { text: "l5x", role: FileRole::Program, dialect: Some(DialectId::Logix) }],
    flavour: Flavour::Iec,
    accepts: |file| LANGUAGE.owns(&file.name) || starts_with_tag(&file.text, "<RSLogix5000Content"),
    is_object: None,
    parse,
};

fn parse(id: FileId, file: &SourceFile) -> Parsed<Unit> {
    let mut findings = Findings::default();
    let document = findings.keep(xml::read(id, &file.text));
    read(id, file, &document, findings)
}

/// Reads the elements of an export.
fn read(id: FileId, file: &SourceFile, document: &Document, mut findings: Findings) -> Parsed<Unit> {
    let mut unit = Unit::new(id);
    match document.root() {
        Some(root) if root.name() == "RSLogix5000Content" => {
            let plain = calls::without_words_of_the_system(&of_logix(&lines_only(document.plain(), root)));
            let (plain, modules) = modules::named(&plain);
            let mut shapes = Shapes::default();
            shapes.modules = modules;
            shapes.uses_flags = flags::are_in(&plain);
            let written = document.plain().to_owned();
            let (pictures, named_elsewhere) = (Vec::new(), BTreeSet::new());
            let mut reader = Reader { plain, written, shapes, unit, findings, pictures, named_elsewhere };
            if let Some(controller) = root.child("Controller") {
                reader.controller(controller);
            }
            type_names::rename(&mut reader.unit);
            Parsed { value: reader.unit, diagnostics: reader.findings.finish(id, &file.text) }
        }
        Some(root) => {
            let message = format!("`<{}>` is not an export of Studio 5000", root.qualified_name());
            let diagnostic = Diagnostic::error("P0010", root.tag_span(), message, "`<RSLogix5000Content>` was expected");
            findings.push(diagnostic.help("export the component from Studio 5000 as L5X"));
            Parsed { value: unit, diagnostics: findings.finish(id, &file.text) }
        }
        // The XML reader has reported it.
        None => {
            unit.items.clear();
            Parsed { value: unit, diagnostics: findings.finish(id, &file.text) }
        }
    }
}

/// A file while it is read.
struct Reader {
    /// The text of the file with its entities replaced in place; words of the system are no arguments.
    plain: String,
    /// The same as the file has it, for drawings.
    written: String,
    /// Members of data types and Add-On Instructions.
    shapes: Shapes,
    unit: Unit,
    findings: Findings,
    /// Drawings of the routines of the program that is read.
    pictures: Vec<Diagram>,
    /// Tags of other programs that some text of the export names.
    named_elsewhere: BTreeSet<String>,
}

impl Reader {
    fn controller(&mut self, controller: Element<'_>) {
        self.shapes.add_predefined();
        self.shapes.tasks = tasks::Counts::of(controller);
        let lists = |list: &'static str| controller.children_named(list).flat_map(Element::children);
        // A type that is only named is as one that the export does not hold: another file declares it, or it is inferred.
        let data_types = || lists("DataTypes").filter(|data_type| !partial_exports::is_named_only(*data_type));
        for data_type in data_types() {
            self.shapes.data_type(data_type);
        }
        for instruction in lists("AddOnInstructionDefinitions") {
            self.shapes.instruction(instruction);
        }
        for data_type in data_types() {
            self.data_type(data_type);
        }
        for instruction in lists("AddOnInstructionDefinitions") {
            self.instruction(instruction);
        }
        self.programs(controller);
        self.connections(controller);
        self.predefined_types(controller.tag_span());
        self.conditions(controller.tag_span());
    }

    /// Adds notes about rules that no manual was found for.
    fn conditions(&mut self, span: Span) {
        if self.shapes.divides.get() {
            let words = "divisors: no divisor is zero, which the check division_by_zero decides; the result of zero would be the dividend";
            self.note(words, span);
        }
        if self.shapes.skips.get() {
            self.note(
                "inputs of a skipped Add-On Instruction that are other names of its tags: the tags keep their values",
                span,
            );
        }
        self.unmodelled_conditions();
        for (words, place) in self.shapes.assumed.take() {
            match place {
                Some(span) => {
                    let (about, condition) = (Vec::new(), words.to_owned());
                    self.unit.assumed.push(Assumed { is_cut: false, about, condition, reason: UNSETTLED, span });
                }
                None => self.note(words, span),
            }
        }
        let used: BTreeSet<&'static str> = self.shapes.blocks.borrow().values().copied().collect();
        let has = |names: &[&str]| names.iter().any(|name| used.contains(name));
        if has(&["TOFR"]) {
            self.note(counters::OFF_DELAY, span);
        }
        if has(&["TONR", "TOFR", "RTOR"]) {
            self.note(counters::LONG, span);
        }
        if has(&["CTUD"]) {
            self.note("bits CU, CD and DN of a CTUD whose Reset is TRUE: they are FALSE", span);
        }
    }

    /// Adds a note about a part that is not modelled; answers name it.
    fn note(&mut self, words: &'static str, span: Span) {
        self.unit.items.push(Item::Unsupported(words, span));
    }

    /// Reads the statements of a routine in Structured Text.
    fn structured_text(&mut self, routine: Element<'_>) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        let is_edited = |content: Element<'_>| attribute(content, "OnlineEditType").is_some_and(|kind| kind != "Original");
        if 1 < routine.children_named("STContent").count() || routine.children_named("STContent").any(is_edited) {
            // The text that runs depends on the controller.
            return vec![Stmt::unsupported("Structured Text with pending edits", routine.tag_span())];
        }
        for content in routine.children_named("STContent") {
            let lines: Vec<_> = content.children_named("Line").filter_map(Element::text_range).collect();
            let (Some(first), Some(last)) = (lines.first(), lines.last()) else { continue };
            let mut piece = embedded::logix_statements(self.unit.file, &self.plain, first.start..last.end);
            if piece.diagnostics.iter().any(|found| found.severity == Severity::Error) {
                // The other routines are read: only this one is left out, and nothing is claimed behind its calls.
                piece.diagnostics.iter_mut().for_each(|found| found.severity = Severity::Warning);
                piece.value = Vec::new();
                let span = Span::new(self.unit.file, first.start, last.end);
                stmts = vec![Stmt::unsupported("Structured Text with errors", span)];
                self.findings.keep(piece);
                return stmts;
            }
            stmts.extend(self.findings.keep(piece));
        }
        stmts
    }
}

/// Returns whether a line begins or ends a region of Structured Text, which the editor folds.
fn is_region(line: &str) -> bool {
    let word = line.trim_start().split(|c: char| c.is_whitespace() || c == xml::FILLER).next().unwrap_or("");
    let is_mark = ["#region", "#endregion"].iter().any(|mark| word.eq_ignore_ascii_case(mark));
    is_mark && !line.contains("*)") && !line.contains("*/")
}

/// Returns the text with white space for the numbers of lines, which stand between the lines of a routine, and for marks of regions.
/// Each line has an end.
fn lines_only(plain: &str, root: Element<'_>) -> String {
    let mut text = String::with_capacity(plain.len());
    for line in root.descendants().filter(|element| element.name() == "Line") {
        for (_, value) in line.attributes() {
            text.push_str(plain.get(text.len()..value.range.start).unwrap_or(""));
            text.extend(std::iter::repeat_n(' ', value.range.end.saturating_sub(text.len())));
        }
        let Some(range) = line.text_range() else { continue };
        if plain.get(range.clone()).is_some_and(is_region) {
            text.push_str(plain.get(text.len()..range.start).unwrap_or(""));
            text.extend(std::iter::repeat_n(' ', range.end.saturating_sub(text.len())));
        }
        // A comment ends with its line, even where the file has all lines on one.
        text.push_str(plain.get(text.len()..range.end).unwrap_or(""));
        if text.len() == range.end && plain.get(range.end..).is_some_and(|rest| rest.starts_with(xml::FILLER)) {
            text.push('\n');
        }
    }
    text.push_str(plain.get(text.len()..).unwrap_or(""));
    text
}

/// Returns the text with forms that only Logix has in a form of the other languages, of the same length.
///
/// `number.[position]` becomes an index, which no other number has, and `S:FS` and the flags names that no tag has. `[:=]` becomes `?=`.
fn of_logix(text: &str) -> String {
    flags::named(&other_programs::named(text).replace(".[", "[ ").replace("S:FS", program::FIRST_SCAN).replace("[:=]", " ?= "))
}

/// Returns a condition with the tags of modules and S:FS as exports are read, of the same length.
pub(super) fn as_read(condition: &str, is_global: impl Fn(&str) -> bool) -> String {
    modules::named(&of_logix(&other_programs::without_controller(condition, is_global))).0
}

/// Returns the name of an element and its place.
fn ident_of(element: Element<'_>) -> Option<Ident> {
    let name = element.filled("Name")?;
    Some(Ident::new(name.text.trim(), name.span))
}

/// Returns the text of an attribute, without white space around it.
fn attribute(element: Element<'_>, name: &str) -> Option<String> {
    element.filled(name).map(|value| value.text.trim().to_owned())
}

/// Returns a name as tables have it: Logix does not tell case apart.
fn key(name: &str) -> String {
    name.to_ascii_uppercase()
}
