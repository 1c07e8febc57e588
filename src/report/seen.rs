//! Record of a run: statements that ran, in order, with the values they read and wrote.

use plc_frontend::hir::Value;
use plc_frontend::source::Span;

/// One executed statement of the user's code (or one line of it, where its parts stand on several), or of a standard
/// function block.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// The statement.
    pub(super) stmt: Span,
    /// The part on one line.
    pub(super) at: Span,
    /// It holds others (IF, CASE, loops).
    pub(super) compound: bool,
    /// It stands in a standard function block: people see its values at the call.
    pub(super) inner: bool,
    /// The statement around it, or the call that it ran in, in the same cycle.
    pub(super) parent: Option<usize>,
    /// The last statement before it that could have ended its body or the round of its loop, in the same cycle.
    pub(super) after: Option<usize>,
    /// The body that it ran in, among [`super::record::Recording::activation`].
    pub(super) activation: usize,
    /// The branches that it chose from.
    pub(super) choice: Option<Choice>,
    /// Its last part on a line of its own.
    pub(super) last_part: usize,
    /// Reads and writes in order; of several of one name the last value.
    pub(super) values: Vec<SeenValue>,
}

/// Choice of a branch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    /// The condition that was tested first.
    pub(super) first: Span,
    /// The one that held last; `None` if ELSE was taken, or nothing.
    pub(super) taken: Option<Span>,
    /// The statement is a loop.
    pub(super) repeats: bool,
    /// Number of the last decision among accesses and decisions of the whole run.
    pub(super) decided: u64,
}

/// A value that was read or written.
#[derive(Clone, Debug)]
pub(super) struct SeenValue {
    /// Canonical leaf name.
    pub(super) name: String,
    /// The value.
    pub(super) value: Value,
    /// Written rather than read.
    pub(super) written: bool,
    /// Written by a statement inside of this one, which has a record of its own.
    pub(super) echo: bool,
    /// The cycle that wrote the value, if an earlier one; 0 for the initial value.
    pub(super) from_cycle: Option<u32>,
    /// The part of the statement.
    pub(super) at: Span,
    /// Number of the first access.
    pub(super) first: u64,
    /// Number of the last access.
    pub(super) last: u64,
}

/// A statement of a run at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// Number of the cycle, from 0.
    pub(super) cycle: usize,
    /// Number of the statement in it.
    pub(super) seen: usize,
    /// Accesses before this number are earlier.
    pub(super) clock: u64,
}

/// Returns whether a statement of a cycle stands in a branch that was taken since one of these bits was TRUE.
pub(super) fn is_inside(cycle: &[Seen], seen: &Seen, is_bit: impl Fn(&str) -> bool) -> bool {
    let is_taken = |v: &SeenValue| !v.written && v.value == Value::Bool(true) && is_bit(&v.name);
    let mut around = seen.parent;
    while let Some(at) = around.and_then(|at| cycle.get(at)) {
        if at.values.iter().any(is_taken) {
            return true;
        }
        around = at.parent;
    }
    false
}

/// Returns whether `inner` is a part of `outer`, or all of it.
pub(super) fn holds(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}
