//! Values that calls of stubs give in a cycle: each call may have another one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::exec::Exec;
use super::machine::Machine;
use super::memory::Home;
use super::place::Target;
use crate::hir::{Expr, ExprKind, PouId, Root, Value, call_path, leaf_at_call};
use crate::ids::Id;
use crate::text::Span;

/// Values of one cycle, beside those that the inputs have from its start on.
#[derive(Debug, Default)]
pub(super) struct AtCalls {
    /// By leaf and number of the call, from 2.
    by_number: BTreeMap<(usize, usize), Value>,
    /// `None`: values have numbers.
    by_path: Option<ByPath>,
    /// Calls that ran, by the first leaf of the input.
    n_read: BTreeMap<usize, usize>,
    /// Values that were taken, by leaf, in the order of the calls; kept where values have paths.
    taken: Vec<(usize, Value)>,
}

/// Values of a cycle by the paths of its calls.
#[derive(Clone, Debug, Default)]
pub struct ByPath {
    /// By leaf and [`call_path`], in the order of the calls.
    pub values: BTreeMap<(usize, u64), VecDeque<Value>>,
    /// FOR loops whose rounds are no part of paths.
    pub whole_loops: BTreeSet<Span>,
}

/// State of [`AtCalls`] that a condition restores.
pub(super) struct Mark {
    n_read: BTreeMap<usize, usize>,
    n_taken: usize,
}

impl AtCalls {
    /// Begins a cycle, with values by leaf and number of the call.
    pub(super) fn begin(&mut self, by_number: BTreeMap<(usize, usize), Value>) {
        *self = AtCalls { by_number, ..AtCalls::default() };
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { n_read: self.n_read.clone(), n_taken: self.taken.len() }
    }

    pub(super) fn restore(&mut self, mark: Mark) {
        self.n_read = mark.n_read;
        self.taken.truncate(mark.n_taken);
    }
}

impl Machine<'_> {
    /// Returns the leaf and the number of the call of a name such as `FB_Valve.Level (at call 2)`.
    pub(super) fn later_call(&self, name: &str) -> Option<(usize, usize)> {
        let (names, n) = leaf_at_call(name)?;
        let leaf = names.iter().find_map(|name| self.slot(name))?;
        let is_read_at_calls = matches!(self.leaves[leaf].root, Root::Global(global) if self.project.at_call.contains(&global));
        is_read_at_calls.then_some((leaf, n))
    }

    /// Gives calls of the cycle that begins their values. Other calls keep the value before.
    pub fn give_by_path(&mut self, values: ByPath) {
        self.at_calls.by_path = Some(values);
    }

    /// Returns the values that calls of this cycle took, by leaf, in their order; none without [`Machine::give_by_path`].
    pub fn taken(&self) -> &[(usize, Value)] {
        &self.at_calls.taken
    }
}

impl Exec<'_, '_> {
    /// Gives an input its value of this call, if it is one of [`crate::hir::Project::at_call`].
    pub(super) fn arrive(&mut self, input: &Expr) {
        let ExprKind::Read(place) = &input.kind else { return };
        let Root::Global(global) = place.root else { return };
        if !self.machine.project.at_call.contains(&global) {
            return;
        }
        let first = self.machine.layout.globals[global];
        let n_leaves = self.machine.layout.sizes[self.machine.project.globals[global].ty.index()];
        let path = self.frames.last().map_or(0, |frame| frame.path);
        let at_calls = &mut self.machine.at_calls;
        let n = at_calls.n_read.entry(first).or_default();
        *n += 1;
        let n = *n;
        for leaf in first..first + n_leaves {
            let at_calls = &mut self.machine.at_calls;
            let value = match &mut at_calls.by_path {
                Some(by_path) => by_path.values.get_mut(&(leaf, path)).and_then(VecDeque::pop_front),
                None => at_calls.by_number.get(&(leaf, n)).copied(),
            };
            if let Some(value) = value {
                self.machine.store(leaf, value);
            }
            if self.machine.at_calls.by_path.is_some() {
                let now = self.machine.memory[leaf];
                self.machine.at_calls.taken.push((leaf, now));
            }
        }
    }

    /// Returns the path of a call; 0 where values of calls have no paths. `this`: first slot of the instance.
    pub(super) fn path(&self, span: Span, id: PouId, this: usize, references: &[Target]) -> u64 {
        if self.machine.at_calls.by_path.is_none() {
            return 0;
        }
        let (n_leaves, layout) = (self.machine.leaves.len(), &self.machine.layout);
        let bound = self.machine.project.pous[id].held().filter_map(|(var, row)| {
            let slot = match layout.pous[id].homes[var] {
                Home::This(offset) => this + offset,
                Home::Reference(n) => references[n].slot,
                Home::Frame(_) => return None,
            };
            (0 < layout.sizes[row.ty.index()]).then(|| (var, Some(slot).filter(|slot| *slot < n_leaves)))
        });
        let (around, rounds) = self.frames.last().map_or((0, &[][..]), |frame| (frame.path, frame.rounds.as_slice()));
        call_path(around, span, bound, rounds)
    }

    /// Ends the rounds of a FOR loop.
    pub(super) fn leave_rounds(&mut self, is_noted: bool) {
        if let (true, Some(frame)) = (is_noted, self.frames.last_mut()) {
            frame.rounds.pop();
        }
    }

    /// Notes a round of a FOR loop in the paths of calls, instead of the round `before`; returns whether it is a part of them.
    pub(super) fn enter_round(&mut self, span: Span, now: i128, before: bool) -> bool {
        if self.machine.at_calls.by_path.as_ref().is_none_or(|by_path| by_path.whole_loops.contains(&span)) {
            return false;
        }
        let Some(frame) = self.frames.last_mut() else { return false };
        if before {
            frame.rounds.pop();
        }
        frame.rounds.push(now);
        true
    }
}
