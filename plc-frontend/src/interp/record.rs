//! Recorders: observers of a run.

use crate::hir::{AnomalyKind, AssertId, FaultKind, PouId, TypeId, Value, VarId};
use crate::text::{GapId, Span};

/// Receives the events of a run in their order. All methods do nothing by default.
pub trait Recorder {
    /// Returns whether the recorder wants events with names; a run without them is faster.
    fn wants_names(&self) -> bool {
        false
    }
    /// Called before each statement.
    fn executed(&mut self, stmt: Span) {
        let _ = stmt;
    }
    /// Called after each statement, unless a fault ended it.
    fn ended(&mut self) {}
    /// Called, with names only, when the body of a POU begins. `this` is the first slot of the instance, without meaning for
    /// functions.
    fn entered(&mut self, pou: PouId, this: usize) {
        let _ = (pou, this);
    }
    /// Called for each VAR_IN_OUT of the body that was entered last, with the name of the variable that it refers to.
    fn refers(&mut self, var: VarId, name: &str) {
        let _ = (var, name);
    }
    /// Called when the body that was entered last ends, unless a fault ended it.
    fn left(&mut self) {}
    /// Called, with names only, for each scalar expression that was evaluated; implicit conversions are left out.
    fn evaluated(&mut self, span: Span, ty: TypeId, value: Value) {
        let _ = (span, ty, value);
    }
    /// Called, with names only, for each scalar that was read. `name` is the leaf's canonical name, also behind an alias;
    /// `Func.x` for variables that do not persist. Access to bits reports the whole leaf.
    fn read(&mut self, name: &str, span: Span, value: Value) {
        let _ = (name, span, value);
    }
    /// Called, with names only, for each scalar that was written, with its new value. Names as in [`Recorder::read`].
    fn wrote(&mut self, name: &str, span: Span, value: Value) {
        let _ = (name, span, value);
    }
    /// Called when the condition of an `//#ASSERT` cannot be evaluated; it counts as one that does not hold.
    fn unevaluated(&mut self, span: Span, why: FaultKind) {
        let _ = (span, why);
    }
    /// Called for each `//#ASSERT` that was checked.
    fn assert(&mut self, id: AssertId, span: Span, held: bool) {
        let _ = (id, span, held);
    }
    /// Called for each scalar value that is arbitrary in the model, in the order of evaluation: of an over-approximated
    /// construct, with its gap, or the bits of a REAL.
    fn chose(&mut self, gap: Option<GapId>, ty: TypeId, value: Value) {
        let _ = (gap, ty, value);
    }
    /// Called for each anomaly, with the place of the expression or assignment. The run goes on.
    fn anomaly(&mut self, kind: AnomalyKind, span: Span) {
        let _ = (kind, span);
    }
    /// Called for each decision: the condition of IF, WHILE, REPEAT, the labels of a CASE arm, the test of a FOR (its
    /// statement's span).
    fn branch(&mut self, span: Span, taken: bool) {
        let _ = (span, taken);
    }
}

/// Recorder that ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Recorder for Silent {}
