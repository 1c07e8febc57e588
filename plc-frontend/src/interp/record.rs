//! Recorders: observers of a run.

use crate::hir::{AnomalyKind, AssertId, FaultKind, PouId, TypeId, Value, VarId};
use crate::text::{GapId, Span};

/// Receives the events of a run in their order. All methods do nothing by default.
pub trait Recorder {
    /// Returns whether the recorder wants events with names; a run without them is faster.
    fn wants_names(&self) -> bool {
        false
    }
    /// Receives each statement, before it runs.
    fn executed(&mut self, stmt: Span) {
        let _ = stmt;
    }
    /// Receives the end of each statement, unless a fault ended it.
    fn ended(&mut self) {}
    /// Receives, with names only, the start of each body of a POU. `this` is the first slot of the instance; meaningless for
    /// functions.
    fn entered(&mut self, pou: PouId, this: usize) {
        let _ = (pou, this);
    }
    /// Receives each VAR_IN_OUT of the body entered last, with the name of its variable.
    fn refers(&mut self, var: VarId, name: &str) {
        let _ = (var, name);
    }
    /// Receives the end of the body entered last, unless a fault ended it.
    fn left(&mut self) {}
    /// Receives, with names only, each scalar expression that was evaluated; implicit conversions are left out.
    fn evaluated(&mut self, span: Span, ty: TypeId, value: Value) {
        let _ = (span, ty, value);
    }
    /// Receives, with names only, each scalar that was read. `name` is the leaf's canonical name, also behind an alias; `Func.x`
    /// for variables that do not persist. Access to bits reports the whole leaf.
    fn read(&mut self, name: &str, span: Span, value: Value) {
        let _ = (name, span, value);
    }
    /// Receives, with names only, each scalar that was written, with its new value and a name as in [`Recorder::read`].
    fn wrote(&mut self, name: &str, span: Span, value: Value) {
        let _ = (name, span, value);
    }
    /// Receives each condition of an `//#ASSERT` that cannot be evaluated; it counts as FALSE.
    fn unevaluated(&mut self, span: Span, why: FaultKind) {
        let _ = (span, why);
    }
    /// Receives each `//#ASSERT` that was checked.
    fn assert(&mut self, id: AssertId, span: Span, held: bool) {
        let _ = (id, span, held);
    }
    /// Receives each scalar value that is arbitrary in the model, in the order of evaluation: of an over-approximated construct,
    /// with its gap, or the bits of a REAL.
    fn chose(&mut self, gap: Option<GapId>, ty: TypeId, value: Value) {
        let _ = (gap, ty, value);
    }
    /// Receives each anomaly, with the place of the expression or assignment. The run goes on.
    fn anomaly(&mut self, kind: AnomalyKind, span: Span) {
        let _ = (kind, span);
    }
    /// Receives each decision: the condition of IF, WHILE, REPEAT, the labels of a CASE arm, the test of a FOR (with the place of
    /// the statement).
    fn branch(&mut self, span: Span, taken: bool) {
        let _ = (span, taken);
    }
}

/// Recorder that ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Recorder for Silent {}
