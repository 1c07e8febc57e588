//! Drawings of rungs, with the values that replays show.

use std::collections::BTreeMap;
use std::ops::Range;

use super::ladder::{is_true, start_of};
use super::operand_names::{members_of, names_of, written_by};
use super::rungs::Part;
use super::types::Shapes;
use crate::ast::{Expr, ExprKind, Literal, Stmt, StmtKind};
use crate::hir::{Carrier, Diagram, DrawnElement, DrawnRow, DrawnWire, Shape};
use crate::lang::common::clipped;
use crate::text::{FileId, Span};

/// Pixels of a character, of a row and of the space between elements.
const CHARACTER: i32 = 8;
const ROW: i32 = 20;
const APART: i32 = 40;
/// Pixels from level to level.
const LEVEL: i32 = 70;

/// Characters of a value beside an operand.
const VALUE: i32 = 12;

/// Most characters of a text; drawings show its begin.
const LONGEST: usize = 400;

/// Most elements of a drawing.
const MOST: usize = 500;

/// Rung that is drawn.
pub(super) struct Rung<'r> {
    pub(super) file: FileId,
    pub(super) text: &'r str,
    /// The text as the file has it: names of modules and of the system are those of Studio 5000.
    pub(super) written: &'r str,
    /// Parameters of Add-On Instructions.
    pub(super) shapes: &'r Shapes,
    pub(super) parts: &'r [Part],
    /// Its routine, number and comment.
    pub(super) title: String,
    /// Sources of the power behind each instruction, by the place where it begins.
    pub(super) powers: &'r BTreeMap<usize, Carrier>,
    /// Power at the left rail.
    pub(super) begin: Carrier,
    pub(super) span: Span,
}

/// Returns the source of a state of a rung.
pub(super) fn power(state: &Expr) -> Carrier {
    if let ExprKind::Literal(None, Literal::Bool(true)) = &state.kind {
        Carrier::Always
    } else if let ExprKind::Name(name) = &state.kind
        && name.path.is_empty()
        && name.root.text.starts_with("_rung__")
    {
        Carrier::Hidden(name.root.text.clone())
    } else {
        Carrier::Unknown
    }
}

/// Returns the place of the first instruction of a rung if no statement that always executes is that of an instruction.
pub(super) fn not_shown(series: &[Part], stmts: &[Stmt]) -> Option<Range<usize>> {
    let first = first_of(series)?;
    (!stmts.iter().any(|stmt| executes(stmt, first.start))).then_some(first)
}

fn first_of(series: &[Part]) -> Option<Range<usize>> {
    match series.first()? {
        Part::Instruction { all, .. } => Some(all.clone()),
        Part::Branch(levels) => levels.iter().find_map(|level| first_of(level)),
    }
}

/// Returns whether a statement, or one in a branch that is always taken, is that of an instruction of a rung that begins there.
fn executes(stmt: &Stmt, begin: usize) -> bool {
    let is_own = begin <= stmt.span.start as usize && stmt.span.start < stmt.span.end;
    let branches = if let StmtKind::If(branches, _) = &stmt.kind { branches.as_slice() } else { &[] };
    is_own || branches.iter().any(|(condition, body)| is_true(condition) && body.iter().any(|stmt| executes(stmt, begin)))
}

/// Returns the drawing of a rung of a routine; `None` for a rung that is too large for a picture.
pub(super) fn draw(rung: &Rung<'_>, home: &str) -> Option<Diagram> {
    if MOST < count(rung.parts) {
        return None;
    }
    let diagram =
        Diagram { home: Some(home.to_owned()), title: Some(rung.title.clone()), elements: Vec::new(), wires: Vec::new() };
    let mut drawing = Drawing { rung, diagram };
    let rail = DrawnElement::new(Shape::LeftRail, String::new(), (0, 0), (4, ROW), rung.span);
    drawing.diagram.elements.push(DrawnElement { carrier: rung.begin.clone(), ..rail });
    let (ends, right, bottom) = drawing.series(rung.parts, &[0], (APART, 0));
    let height = bottom - (LEVEL - ROW);
    drawing.diagram.elements[0].height = height;
    let to = drawing.diagram.elements.len();
    for from in ends {
        let carrier = drawing.diagram.elements[from].carrier.clone();
        drawing.diagram.wires.push(DrawnWire { from, output: 0, to, input: 0, carrier });
    }
    let rail = DrawnElement::new(Shape::RightRail, String::new(), (right, 0), (4, height), start_of(rung.span));
    drawing.diagram.elements.push(rail);
    Some(drawing.diagram)
}

fn count(parts: &[Part]) -> usize {
    let of = |part: &Part| match part {
        Part::Instruction { .. } => 1,
        Part::Branch(levels) => 1 + levels.iter().map(|level| count(level)).sum::<usize>(),
    };
    parts.iter().map(of).sum()
}

struct Drawing<'d> {
    rung: &'d Rung<'d>,
    diagram: Diagram,
}

impl Drawing<'_> {
    /// Draws parts behind elements; returns the last elements, the right edge and the lower edge.
    fn series(&mut self, parts: &[Part], sources: &[usize], (x, y): (i32, i32)) -> (Vec<usize>, i32, i32) {
        let (mut ends, mut right, mut bottom) = (sources.to_vec(), x, y + LEVEL);
        for part in parts {
            match part {
                Part::Instruction { name, operands, all } => {
                    let at = self.diagram.elements.len();
                    let element = self.element(name, operands, all, (right, y));
                    right += element.width.max(CHARACTER * element.label.chars().count().min(60) as i32) + APART;
                    self.diagram.elements.push(element);
                    for from in ends.drain(..) {
                        let carrier = self.diagram.elements[from].carrier.clone();
                        self.diagram.wires.push(DrawnWire { from, output: 0, to: at, input: 0, carrier });
                    }
                    ends.push(at);
                }
                Part::Branch(levels) => {
                    let (mut joined, mut edge, mut level_y) = (Vec::new(), right, y);
                    for level in levels {
                        let (last, to, below) = self.series(level, &ends, (right, level_y));
                        joined.extend(last.into_iter().filter(|end| !joined.contains(end)).collect::<Vec<_>>());
                        (edge, level_y) = (edge.max(to), below);
                    }
                    (ends, right, bottom) = (joined, edge, bottom.max(level_y));
                }
            }
        }
        (ends, right, bottom)
    }

    /// Returns the names of the operands of an instruction: those of Studio 5000, or the parameters of an Add-On Instruction.
    fn names_of(&self, instruction: &str) -> Vec<String> {
        match self.rung.shapes.required(instruction) {
            Some(parameters) => std::iter::once(String::new()).chain(parameters.iter().map(|p| p.name.clone())).collect(),
            None => names_of(instruction).iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    fn element(&self, name: &str, operands: &[Range<usize>], all: &Range<usize>, at: (i32, i32)) -> DrawnElement {
        let statement = Span::new(self.rung.file, all.start, all.end);
        // Faults of an instruction stand at its beginning; the picture shows what is modelled.
        let span = Span::new(self.rung.file, operands.first().map_or(all.start, |operand| operand.start), all.end);
        let text = |range: &Range<usize>| self.rung.text.get(range.clone()).unwrap_or("").trim().to_owned();
        let written = |range: &Range<usize>| self.rung.written.get(range.clone()).unwrap_or("").trim().to_owned();
        let place = |range: &Range<usize>| {
            let text = self.rung.text.get(range.clone()).unwrap_or("");
            let start = range.start + (text.len() - text.trim_start().len());
            Span::new(self.rung.file, start, start + text.trim().len())
        };
        let carrier = self.rung.powers.get(&all.start).cloned().unwrap_or(Carrier::Unknown);
        let drawn = match (name, operands) {
            ("XIC" | "XIO", [bit]) => {
                let operand = if name == "XIC" { Carrier::Expression(place(bit)) } else { Carrier::Complement(place(bit)) };
                let mark = if name == "XIC" { String::new() } else { "/".to_owned() };
                let contact = DrawnElement::new(Shape::Contact, clipped(written(bit), LONGEST), at, (30, ROW), span);
                DrawnElement { operand, mark, ..contact }
            }
            ("OTE" | "OTL" | "OTU", [bit]) => {
                let mark = match name {
                    "OTL" => "S",
                    "OTU" => "R",
                    _ => "",
                };
                let coil = DrawnElement::new(Shape::Coil, clipped(written(bit), LONGEST), at, (30, ROW), span);
                DrawnElement { operand: Carrier::Written(place(bit)), mark: mark.to_owned(), ..coil }
            }
            _ => {
                let all_of = Texts { text: &text, written: &written, place: &place };
                let rows = rows(name, operands, &self.names_of(name), &all_of);
                let widest = rows.iter().map(|row| row.text.chars().count()).max().unwrap_or(0) as i32;
                let size = ((CHARACTER * (widest + VALUE)).max(60), ROW * (2 + rows.len() as i32));
                // The name as it is written; Add-On Instructions have small letters.
                let word = written(all).split('(').next().unwrap_or(name).trim().to_owned();
                DrawnElement { rows, ..DrawnElement::new(Shape::Block, word, at, size, span) }
            }
        };
        DrawnElement { carrier, statement: Some(statement), ..drawn }
    }
}

/// Texts of operands, and their places.
struct Texts<'t> {
    /// As it is read.
    text: &'t dyn Fn(&Range<usize>) -> String,
    /// As the file has it.
    written: &'t dyn Fn(&Range<usize>) -> String,
    place: &'t dyn Fn(&Range<usize>) -> Span,
}

/// Returns the operands of a box: those of the instruction, and the members that matter of a timer or counter.
fn rows(instruction: &str, operands: &[Range<usize>], names: &[String], texts: &Texts<'_>) -> Vec<DrawnRow> {
    let Texts { text, written: shown, place } = texts;
    let written = written_by(instruction, operands.len());
    let mut rows = Vec::new();
    for (at, operand) in operands.iter().enumerate() {
        let words = text(operand);
        if words == "?" {
            continue;
        }
        let path = is_path(&words).then(|| words.clone());
        let is_written = written == Some(at) || matches!(instruction, "ONS" | "OSR" | "OSF");
        let carrier = if is_written { Carrier::Written(place(operand)) } else { Carrier::Expression(place(operand)) };
        let name = names.get(at).map_or("", String::as_str);
        let (position, members) = members_of(instruction);
        let members = if at == position { members } else { &[] };
        // The tag of a timer has no value of its own; its members have those of the end of the cycle.
        let (carrier, path) = if members.is_empty() { (carrier, path.clone()) } else { (Carrier::Unknown, None) };
        let line = format!("{name} {}", shown(operand));
        rows.push(DrawnRow { text: clipped(line.trim().to_owned(), LONGEST), carrier, path });
        rows.extend(members.iter().map(|member| DrawnRow {
            text: (*member).to_owned(),
            carrier: Carrier::Unknown,
            path: is_path(&words).then(|| format!("{words}.{member}")),
        }));
    }
    rows
}

/// Returns whether a text names a variable, with constant indices at most.
fn is_path(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
    let has_index = |inside: &str| inside.split(']').next().is_some_and(|index| index.chars().all(|c| c.is_ascii_digit()));
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(is_part)
        && text.split('[').skip(1).all(has_index)
}
