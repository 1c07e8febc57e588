//! Who watches a run.

use crate::hir::{AssertId, FaultKind, LapseKind, PouId, TypeId, Value, VarId};
use crate::text::ledger::GapId;
use crate::text::source::Span;

/// Told what a run does, in order. All methods do nothing by default.
pub trait Recorder {
    /// Whether [`Recorder::read`] and [`Recorder::wrote`] are wanted: without them a run needs no names.
    fn wants_names(&self) -> bool {
        false
    }
    /// A statement is about to run.
    fn executed(&mut self, stmt: Span) {
        let _ = stmt;
    }
    /// The statement that began last has ended, however it did. Not told of statements that a fault ends.
    fn ended(&mut self) {}
    /// The body of a POU begins; `this` is the first slot of the instance it runs for, without meaning for functions. Only
    /// told if names are wanted.
    fn entered(&mut self, pou: PouId, this: usize) {
        let _ = (pou, this);
    }
    /// In the body that was entered last, this VAR_IN_OUT refers to the variable of this name, or of its own making.
    fn refers(&mut self, var: VarId, name: &str) {
        let _ = (var, name);
    }
    /// The body that was entered last has ended. Not told of bodies that a fault ends.
    fn left(&mut self) {}
    /// A scalar expression was evaluated, implicit conversions left out. Only told if names are wanted.
    fn evaluated(&mut self, span: Span, ty: TypeId, value: Value) {
        let _ = (span, ty, value);
    }
    /// A scalar was read. `name` is the leaf's canonical name, whatever alias it was read by; `Func.x` for
    /// variables that do not persist. Access to bits reports the whole leaf.
    fn read(&mut self, name: &str, span: Span, value: Value) {
        let _ = (name, span, value);
    }
    /// A scalar was written; `value` is what it holds now. Names as in [`Recorder::read`].
    fn wrote(&mut self, name: &str, span: Span, value: Value) {
        let _ = (name, span, value);
    }
    /// The condition of the `//#ASSERT` here cannot be evaluated; it counts as one that does not hold.
    fn unevaluated(&mut self, span: Span, why: FaultKind) {
        let _ = (span, why);
    }
    /// An `//#ASSERT` was checked.
    fn assert(&mut self, id: AssertId, span: Span, held: bool) {
        let _ = (id, span, held);
    }
    /// A value was computed that the model leaves open: of something that is over-approximated, with its gap, or the bits
    /// of a REAL. One call for each scalar, in the order of evaluation.
    fn chose(&mut self, gap: Option<GapId>, ty: TypeId, value: Value) {
        let _ = (gap, ty, value);
    }
    /// Something was computed that is defined and rarely meant: by the expression or assignment here. The run goes on.
    fn lapsed(&mut self, kind: LapseKind, span: Span) {
        let _ = (kind, span);
    }
    /// A decision: the condition of IF, WHILE, REPEAT, the labels of a CASE arm, the test of a FOR (its statement's span).
    fn branch(&mut self, span: Span, taken: bool) {
        let _ = (span, taken);
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Recorder for Silent {}
