//! Instructions of the system: GSV, whose values are inputs, and SSV, MSG, PID and motion, of which only operands are known.

use std::ops::Range;

use super::attributes::{self, Words};
use super::calls::{Scope, number_in};
use super::counters::member;
use super::ladder::Writer;
use super::layout::{Kind, number};
use super::operands::call_at;
use super::types::{STRING, Shape, Shapes, integer};
use super::{attribute, ident_of, key};
use crate::ast::{Expr, ExprKind, Name, NameElem, Stmt};
use crate::lang::xml::Element;
use crate::text::Span;

/// Instructions of motion: their control structure and the axis change.
const MOTION: &[&str] = &[
    "MAFR", "MAG", "MAH", "MAJ", "MAM", "MAPC", "MAR", "MAS", "MASD", "MASR", "MATC", "MAW", "MCCP", "MCD", "MDF", "MDO", "MDR",
    "MDS", "MDW", "MGS", "MGSD", "MGSP", "MGSR", "MRAT", "MRP", "MSF", "MSO",
];

/// Most elements of an array that one instruction writes.
const MOST: u64 = 256;

impl Shapes {
    /// Notes a message that is known to write no tag but its own bits.
    pub(super) fn note_message(&mut self, tag: Element<'_>) {
        let is_message = attribute(tag, "DataType").is_some_and(|ty| ty.eq_ignore_ascii_case("MESSAGE"));
        let mut parameters = tag.descendants().filter(|e| e.name() == "MessageParameters").peekable();
        let is_known = parameters.peek().is_some();
        let writes = |e: Element<'_>| e.filled("LocalElement").is_some() || e.filled("DestinationTag").is_some();
        if is_message {
            // Another tag with this name may write.
            let is_silent = is_known && !parameters.any(writes);
            let messages = if is_silent { &mut self.silent } else { &mut self.writing };
            messages.extend(ident_of(tag).map(|name| key(&name.text)));
        }
    }

    /// Returns whether a message may write tags.
    ///
    /// Soundness: only a tag whose parameters name none is known to write none.
    fn may_write(&self, message: &Expr) -> bool {
        let ExprKind::Name(name) = &message.kind else { return true };
        let root = key(&name.root.text);
        !name.path.is_empty() || !self.silent.contains(&root) || self.writing.contains(&root)
    }
}

impl Scope<'_> {
    /// Returns the statements of GSV: the words of an attribute get any values, those of their ranges where the manual states them.
    ///
    /// Soundness: a tag with fewer bytes than the attribute may keep its value or a part of it, so all of it has any value. A tag with
    /// more bytes has any value as a whole, because no page states the bytes behind.
    pub(super) fn system_value(&self, operands: &[Expr], span: Span) -> Result<Vec<Stmt>, &'static str> {
        const GAP: &str = "instruction GSV";
        let [asked, target] = operands else { return Err(GAP) };
        let (ExprKind::Name(asked), ExprKind::Name(name)) = (&asked.kind, &target.kind) else { return Err(GAP) };
        let [NameElem::Field(attribute)] = asked.path.as_slice() else { return Err(GAP) };
        let attribute =
            attributes::find(asked.root.text.trim_end_matches('_'), &attribute.text).ok_or("GSV of an unknown attribute")?;
        match attribute.words {
            Words::Text(longest) if self.shape(target).as_deref() == Some(STRING) => {
                let length = member(target, "LEN", span);
                let limits = vec![integer(0, span), length.clone(), integer(longest, span)];
                let all = Stmt::assign(target.clone(), call_at("GSV__TEXT", Vec::new(), span), span);
                Ok(vec![all, Stmt::assign(length, call_at("LIMIT", limits, span), span)])
            }
            Words::Text(_) => Err(GAP),
            Words::Array(size) => self.whole_array(name, size, span).ok_or(GAP),
            Words::Numbers(size, n) => {
                let bytes = size * n;
                match self.shape(target).as_deref().and_then(number) {
                    Some((ty, own)) if bytes <= own && (n != 1 || size != own) => {
                        any(ty, None, target.clone(), span).map(|stmt| vec![stmt])
                    }
                    _ => self.words(name, size, n, attribute.ranges, span),
                }
                .ok_or(GAP)
            }
        }
    }

    /// Returns any values for an array from an element on.
    fn whole_array(&self, first: &Name, size: u64, span: Span) -> Option<Vec<Stmt>> {
        let mut array = first.clone();
        let Some(NameElem::Index(indices, _)) = array.path.pop() else { return None };
        let [first] = indices.as_slice() else { return None };
        let first = u64::try_from(number_in(first)?).ok()?;
        let Shape { ty, dimensions } = self.shapes.of(&self.variables, &array)?;
        let ([length], (ty, own)) = (dimensions.as_slice(), number(&ty)?) else { return None };
        // An argument may have more elements.
        if own != size || MOST < *length || self.references.contains(&key(&array.root.text)) && array.path.is_empty() {
            return None;
        }
        let element = |at: u64| {
            let mut element = array.clone();
            element.path.push(NameElem::Index(vec![integer(i128::from(at), span)], span));
            any(ty, None, Expr { kind: ExprKind::Name(element), span }, span)
        };
        (first..*length).map(element).collect()
    }

    /// Returns any values for words from a place in a tag on.
    fn words(&self, place: &Name, size: u64, n: u64, ranges: &[Option<(i128, i128)>], span: Span) -> Option<Vec<Stmt>> {
        let is_variable = |element: &NameElem| matches!(element, NameElem::Index(indices, _) if indices.iter().any(|index| number_in(index).is_none()));
        // Behind an index that is not known, the bytes of one element are.
        let n_owner = place.path.iter().rposition(is_variable).map_or(0, |at| at + 1);
        let (owner, rest) = place.path.split_at(n_owner);
        let owner = Name { path: owner.to_vec(), ..place.clone() };
        let shape = self.shapes.of(&self.variables, &owner)?;
        let first = self.shapes.offset(&shape, rest)?;
        let end = first.checked_add(size.checked_mul(n)?)?;
        let is_alone = n_owner == 0 && !self.is_instruction && !self.references.contains(&key(&place.root.text));
        if self.shapes.layouts.size(&shape)? < end && !is_alone {
            return None;
        }
        let cells = self.shapes.layouts.cells(&shape, first..end, span)?;
        let written = cells.into_iter().map(|cell| {
            let mut path = owner.path.clone();
            path.extend(cell.path);
            let part = Expr { kind: ExprKind::Name(Name { path, ..place.clone() }), span };
            let (ty, own) = if let Kind::Number(ty, own) = cell.kind { (ty, own) } else { ("BOOL", 0) };
            let word = cell.at.checked_sub(first).filter(|at| at % size == 0 && own == size && ty != "REAL");
            let range = word.and_then(|at| ranges.get(usize::try_from(at / size).ok()?).copied().flatten());
            any(ty, range, part, span)
        });
        written.collect::<Option<Vec<_>>>().filter(|stmts| !stmts.is_empty())
    }

    /// Names the rules of instructions that change no tag; returns FALSE where they have other numbers of operands.
    ///
    /// UID and UIE are of tasks that wait (help, "User Interrupt Disable (UID)/User Interrupt Enable (UIE)"). That no task interrupts
    /// another is a condition of its own.
    pub(super) fn without_effect(&self, instruction: &str, n_operands: usize) -> bool {
        let shapes = self.shapes;
        match (instruction, n_operands) {
            ("SSV", _) => shapes.assumed.add_everywhere(SSV),
            ("UID" | "UIE", 0) if 1 < shapes.tasks.n_tasks => shapes.assumed.add_everywhere(UID),
            ("EVENT", 1) if shapes.tasks.n_events != 0 => shapes.assumed.add_everywhere(EVENT),
            ("UID" | "UIE", 0) | ("EVENT", 1) => {}
            _ => return false,
        }
        true
    }

    /// Names a rule about the values that the present instruction writes.
    pub(super) fn assume(&self, words: &'static str) {
        self.shapes.assumed.add(words);
    }
}

impl Writer<'_> {
    /// Writes an instruction of the system; `Ok(false)` for other instructions.
    pub(super) fn system(&mut self, name: &str, texts: &[Range<usize>], state: &Expr, span: Span) -> Result<bool, &'static str> {
        match (name, texts) {
            ("GSV", _) => {
                let operands = texts.iter().map(|text| self.operand(text)).collect::<Result<Vec<_>, _>>()?;
                let stmts = self.scope.system_value(&operands, span)?;
                self.when(state, stmts, span);
            }
            ("SSV" | "UID" | "UIE" | "EVENT", _) => return Ok(self.scope.without_effect(name, texts.len())),
            ("MSG", [message]) => {
                let message = self.structure(message, &["MESSAGE"])?;
                if self.scope.is_reference(&message) || self.scope.shapes.may_write(&message) {
                    return Err("instruction MSG");
                }
            }
            ("PID", [tag, _, _, value, ..]) => self.regulated([tag, value], state, span)?,
            (name, [_, control, ..]) if MOTION.contains(&name) => {
                self.structure(control, &["MOTION_INSTRUCTION"])?;
                self.scope
                    .shapes
                    .assumed
                    .add_everywhere("instruction of motion: it writes tags of its axis and its control structure only");
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Words for the effect of SSV.
const SSV: &str = "instruction SSV: it changes no tag, and tasks and programs run as the export says";

/// Words for the tasks that wait behind UID.
const UID: &str = "instruction UID: tasks that wait for its end still run in each of their periods";

/// Words for the task that EVENT starts.
const EVENT: &str = "instruction EVENT: its task runs at its place in the cycle, not at the instruction";

/// Returns the assignment of any value that the controller gives; `None` for types without one.
fn any(ty: &str, range: Option<(i128, i128)>, target: Expr, span: Span) -> Option<Stmt> {
    let function = match ty {
        "BOOL" => "GSV__BOOL",
        "SINT" => "GSV__SINT",
        "INT" => "GSV__INT",
        "DINT" => "GSV__DINT",
        "REAL" => "GSV__REAL",
        "USINT" => "GSV__USINT",
        "UINT" => "GSV__UINT",
        "UDINT" => "GSV__UDINT",
        "LINT" => "GSV__LINT",
        "ULINT" => "GSV__ULINT",
        _ => return None,
    };
    let value = call_at(function, Vec::new(), span);
    let value = match range {
        // All numbers of the range, and no others.
        Some((low, high)) => call_at("LIMIT", vec![integer(low, span), value, integer(high, span)], span),
        None => value,
    };
    Some(Stmt::assign(target, value, span))
}
