//! Instructions of the system, of which only operands are known: GSV, SSV, MSG, PID and motion.
//!
//! Values that they write are any values; answers name the instructions.

use std::ops::Range;

use super::calls::Scope;
use super::ladder::{OPERAND, Writer};
use super::operands::call_at;
use super::types::{Shape, Shapes, integer};
use super::{attribute, gaps, ident_of, key};
use crate::ast::{Expr, ExprKind, NameElem, Stmt};
use crate::lang::xml::Element;
use crate::text::Span;

/// Most elements of a tag that one instruction writes.
const MOST: u64 = 256;

/// Attributes of GSV with one number.
const NUMBERS: &[&str] = &[
    "MODE",
    "INSTANCE",
    "ENTRYSTATUS",
    "FAULTCODE",
    "FAULTINFO",
    "STEPSREMOVED",
    "PRIORITY1",
    "PRIORITY2",
    "PTPENABLE",
    "ISSYNCHRONIZED",
    "DOMAINNUMBER",
    "CLOCKTYPE",
    "SERIALNUMBER",
    "PRIORITY",
    "LASTSCANTIME",
    "MAXSCANTIME",
    "OVERLAPCOUNT",
    "MINORFAULTBITS",
    "LEDSTATUS",
];

/// Instructions of motion: their control structure and the axis change.
const MOTION: &[&str] = &[
    "MAFR", "MAG", "MAH", "MAJ", "MAM", "MAPC", "MAR", "MAS", "MASD", "MASR", "MATC", "MAW", "MCCP", "MCD", "MDF", "MDO", "MDR",
    "MDS", "MDW", "MGS", "MGSD", "MGSP", "MGSR", "MRAT", "MRP", "MSF", "MSO",
];

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
    /// Returns the statements of GSV, which writes any value.
    ///
    /// Soundness: attributes with more than one number go on behind a member, so these are gaps.
    pub(super) fn system_value(&self, operands: &[Expr], span: Span) -> Result<Vec<Stmt>, &'static str> {
        let [.., attribute, target] = operands else { return Err("instruction GSV") };
        let is_number = matches!(&attribute.kind, ExprKind::Name(name)
            if name.path.is_empty() && NUMBERS.contains(&key(&name.root.text).as_str()));
        let ExprKind::Name(name) = &target.kind else { return Err("instruction GSV") };
        let is_tag = name.path.is_empty() && !self.is_reference(target);
        if let Some(ty) = self.shape(target).filter(|_| is_number || is_tag) {
            return any(&ty, target.clone(), span).map(|stmt| vec![stmt]).ok_or("instruction GSV");
        }
        // All elements of an array that is a tag.
        let mut array = name.clone();
        if let Some(NameElem::Index(..)) = array.path.last() {
            array.path.pop();
        }
        let shape = self.shapes.of(&self.variables, &array).filter(|_| array.path.is_empty() && !self.is_reference(target));
        let Some(Shape { ty, dimensions }) = shape else { return Err("instruction GSV") };
        let [length] = dimensions.as_slice() else { return Err("instruction GSV") };
        let elements = (0..*length).map(|at| {
            let mut element = array.clone();
            element.path.push(NameElem::Index(vec![integer(i128::from(at), span)], span));
            any(&ty, Expr { kind: ExprKind::Name(element), span }, span)
        });
        elements.collect::<Option<Vec<_>>>().filter(|_| *length <= MOST).ok_or("instruction GSV")
    }

    /// Names an instruction whose effects answers depend on.
    pub(super) fn assume(&self, words: &'static str) {
        self.shapes.assumed.borrow_mut().insert(words);
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
            ("SSV", _) => self.scope.assume(SSV),
            ("MSG", [message]) => {
                let message = self.structure(message, &["MESSAGE"])?;
                if self.scope.is_reference(&message) || self.scope.shapes.may_write(&message) {
                    return Err("instruction MSG");
                }
            }
            ("PID", [_, _, _, value, ..]) => {
                let words = gaps::words_of(name).unwrap_or(OPERAND);
                let target = self.target(value)?;
                let ty = self.scope.shape(&target).ok_or(words)?;
                let stmt = any(&ty, target, span).ok_or(words)?;
                self.when(state, vec![stmt], span);
            }
            (name, [_, control, ..]) if MOTION.contains(&name) => {
                self.structure(control, &["MOTION_INSTRUCTION"])?;
                self.scope.assume("instruction of motion: it writes tags of its axis and its control structure only");
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Words for the effect of SSV.
pub(super) const SSV: &str = "instruction SSV: it changes no tag";

/// Returns the assignment of any value; `None` for types that have no number.
fn any(ty: &str, target: Expr, span: Span) -> Option<Stmt> {
    let function = match ty {
        "BOOL" => "SYSTEM__BOOL",
        "SINT" => "SYSTEM__SINT",
        "INT" => "SYSTEM__INT",
        "DINT" => "SYSTEM__DINT",
        "REAL" => "SYSTEM__REAL",
        "USINT" => "SYSTEM__USINT",
        "UINT" => "SYSTEM__UINT",
        "UDINT" => "SYSTEM__UDINT",
        "LINT" => "SYSTEM__LINT",
        "ULINT" => "SYSTEM__ULINT",
        _ => return None,
    };
    Some(Stmt::assign(target, call_at(function, Vec::new(), span), span))
}
