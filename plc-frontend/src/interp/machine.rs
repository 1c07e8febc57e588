//! The state between cycles: memory, clock, stopwatches.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::at_call::AtCalls;
use super::exec::Exec;
use super::fault::{BadInput, Fault};
use super::memory::Layout;
use super::record::{Recorder, Silent};
use super::share::Sharing;
use crate::hir::walk::exprs_of;
use crate::hir::{Expr, ExprKind, InstanceId, Leaf, LeafNames, Project, Role, Type, TypeId, Value};

/// Limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rounds of one loop each time it is entered; more is a Watchdog fault of the program.
    pub loop_rounds: u32,
    /// Statements and loop rounds of one cycle; more ends the run as `Exhausted`, which is no statement about the program.
    /// Nested loops and calls could otherwise run for years.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { loop_rounds: 10_000, steps: 20_000_000 }
    }
}

/// A program between two cycles, or between the start of a cycle and its statements.
///
/// One cycle is [`Machine::begin`], then [`Machine::run`]. After a fault the state is that of the moment of the fault.
pub struct Machine<'p> {
    pub(super) project: &'p Project,
    pub(super) limits: Limits,
    pub(super) layout: Layout,
    pub(super) leaves: Cow<'p, [Leaf]>,
    pub(super) sharing: Sharing,
    /// Made at the first question for a name.
    names: OnceLock<LeafNames>,
    /// Persistent slots first; during a run the frames of calls above them.
    pub(super) memory: Vec<Value>,
    /// Nanoseconds since cold start.
    clock: i64,
    stopwatches: Vec<Stopwatch>,
    /// By persistent slot: its row in `stopwatches`.
    stopwatch_at: Vec<Option<u32>>,
    /// A cycle has run: values before the first cycle are no longer taken.
    has_run: bool,
    pub(super) at_calls: AtCalls,
}

/// A slot that grows by itself.
#[derive(Clone, Copy, Debug)]
struct Stopwatch {
    slot: usize,
    /// The value assigned last, in the units of its type.
    value: i128,
    /// The clock at that assignment.
    since: i64,
}

impl<'p> Machine<'p> {
    /// Returns a machine at cold start: declared initial values, clock at 0.
    pub fn new(project: &'p Project, limits: Limits) -> Machine<'p> {
        Machine::of_leaves(project, Cow::Owned(project.leaves()), limits)
    }

    /// Returns the same for leaves that are those of the project.
    pub(crate) fn of_leaves(project: &'p Project, leaves: Cow<'p, [Leaf]>, limits: Limits) -> Machine<'p> {
        let memory: Vec<Value> = leaves.iter().map(|leaf| leaf.init.unwrap_or(Value::Int(0))).collect();
        let mut stopwatches = Vec::new();
        let mut stopwatch_at = vec![None; leaves.len()];
        for (slot, leaf) in leaves.iter().enumerate().filter(|(_, leaf)| leaf.stopwatch) {
            stopwatch_at[slot] = Some(stopwatches.len() as u32);
            stopwatches.push(Stopwatch { slot, value: leaf.init.and_then(Value::as_int).unwrap_or(0), since: 0 });
        }
        let views = leaves.iter().enumerate().filter_map(|(slot, leaf)| Some((slot, leaf.view.clone()?)));
        let sharing = Sharing::new(leaves.iter().map(|leaf| leaf.ty).collect(), views.collect());
        Machine {
            project,
            limits,
            layout: Layout::new(project),
            names: OnceLock::new(),
            sharing,
            leaves,
            memory,
            clock: 0,
            stopwatches,
            stopwatch_at,
            has_run: false,
            at_calls: AtCalls::default(),
        }
    }

    /// Goes back to the cold start.
    pub fn restart(&mut self) {
        self.memory.truncate(self.leaves.len());
        for (slot, leaf) in self.leaves.iter().enumerate() {
            self.memory[slot] = leaf.init.unwrap_or(Value::Int(0));
        }
        for watch in &mut self.stopwatches {
            watch.value = self.memory[watch.slot].as_int().unwrap_or(0);
            watch.since = 0;
        }
        self.clock = 0;
        self.has_run = false;
        self.at_calls = AtCalls::default();
    }

    /// Starts a cycle: latches the given inputs, by leaf name, and lets `dt_ns` pass. The other inputs keep their values.
    /// Before the first cycle it also takes values of leaves with an arbitrary start. Nothing changes on an error.
    ///
    /// A value of [`Project::at_call`] is that of each call from the first one on, until one has a name of
    /// [`crate::hir::name_at_call`].
    pub fn begin(&mut self, inputs: &BTreeMap<String, Value>, dt_ns: i64) -> Result<(), BadInput> {
        let mut latched = Vec::with_capacity(inputs.len());
        let mut at_calls = BTreeMap::new();
        for (name, &value) in inputs {
            if let Some(slot) = self.slot(name) {
                latched.push((slot, value));
                continue;
            }
            let Some((leaf, n)) = self.later_call(name) else { return Err(BadInput::Unknown(name.clone())) };
            if !self.project.holds(self.leaves[leaf].ty, value) {
                return Err(BadInput::WrongType(name.clone()));
            }
            at_calls.insert((leaf, n), value);
        }
        self.begin_leaves(&latched, dt_ns)?;
        self.at_calls.begin(at_calls);
        Ok(())
    }

    /// Starts a cycle as [`Self::begin`] does; inputs have the numbers of their leaves.
    ///
    /// Cost: the number of inputs.
    pub fn begin_leaves(&mut self, inputs: &[(usize, Value)], dt_ns: i64) -> Result<(), BadInput> {
        if dt_ns < 0 {
            return Err(BadInput::NegativeStep(dt_ns));
        }
        for &(slot, value) in inputs {
            let Some(leaf) = self.leaves.get(slot) else { return Err(BadInput::Unknown(slot.to_string())) };
            if !leaf.is_given(usize::from(self.has_run)) {
                return Err(BadInput::NotAnInput(leaf.name.clone()));
            }
            if !self.project.holds(leaf.ty, value) {
                return Err(BadInput::WrongType(leaf.name.clone()));
            }
        }
        self.at_calls.begin(BTreeMap::new());
        for &(slot, value) in inputs {
            self.store(slot, value);
        }
        self.clock = self.clock.saturating_add(dt_ns);
        // The environment gives the others the value that they have at this moment.
        for watch in self.stopwatches.iter().filter(|watch| self.leaves[watch.slot].role != Role::Input) {
            let ty = self.leaves[watch.slot].ty;
            let ns_per_unit = if self.project.types[ty].ty == Type::LTime { 1 } else { 1_000_000 };
            let grown = watch.value + i128::from(self.clock - watch.since) / ns_per_unit;
            let most = self.project.int_type(ty).map_or(grown, |int| int.max());
            self.memory[watch.slot] = Value::Int(grown.min(most));
        }
        Ok(())
    }

    /// Returns whether a cycle has run.
    pub fn has_run(&self) -> bool {
        self.has_run
    }

    /// Runs the task's instances in their order.
    pub fn run(&mut self, recorder: &mut dyn Recorder) -> Result<(), Fault> {
        self.has_run = true;
        let n_leaves = self.leaves.len();
        let project = self.project;
        let mut exec = Exec::new(self, recorder);
        let result = project.task.runs.iter().try_for_each(|&instance| exec.entry(instance));
        self.memory.truncate(n_leaves);
        result
    }

    /// Runs an instance by itself, before the first cycle.
    pub fn run_once(&mut self, instance: InstanceId, recorder: &mut dyn Recorder) -> Result<(), Fault> {
        let n_leaves = self.leaves.len();
        let result = Exec::new(self, recorder).entry(instance);
        self.memory.truncate(n_leaves);
        result
    }

    /// Runs a call over globals and instances by itself, before the first cycle.
    pub fn perform(&mut self, call: &Expr, recorder: &mut dyn Recorder) -> Result<(), Fault> {
        let n_leaves = self.leaves.len();
        let result = Exec::new(self, recorder).eval_all(call).map(|_| ());
        self.memory.truncate(n_leaves);
        result
    }

    /// Evaluates a condition over globals and instances. The state stays as it is, even if the condition calls functions.
    pub fn eval(&mut self, condition: &Expr) -> Result<Value, Fault> {
        self.eval_watched(condition, &mut Silent)
    }

    /// Evaluates a condition and reports to a recorder.
    pub fn eval_watched(&mut self, condition: &Expr, recorder: &mut dyn Recorder) -> Result<Value, Fault> {
        // Only a call and an input can write, and a copy of the state costs more than most conditions.
        let mut writes = false;
        exprs_of(condition, |e| writes |= matches!(e.kind, ExprKind::Call(..) | ExprKind::Arbitrary { .. }));
        let before = writes.then(|| (self.memory.clone(), self.stopwatches.clone(), self.at_calls.mark()));
        let result = Exec::new(self, recorder).eval(condition);
        if let Some(before) = before {
            let (memory, stopwatches, at_calls) = before;
            (self.memory, self.stopwatches) = (memory, stopwatches);
            self.at_calls.restore(at_calls);
        }
        self.memory.truncate(self.leaves.len());
        result
    }

    /// Returns the value of a leaf; `None` if there is no leaf of this name or its type is opaque.
    pub fn leaf(&self, name: &str) -> Option<Value> {
        let slot = self.slot(name)?;
        self.leaves[slot].init.map(|_| self.memory[slot])
    }

    /// Returns the slot of the leaf with a name.
    pub(super) fn slot(&self, name: &str) -> Option<usize> {
        self.names.get_or_init(|| LeafNames::new(&self.leaves)).position(&self.leaves, name)
    }

    /// Returns all leaves with their values, in the order of `Project::leaves()`, without those of opaque types.
    pub fn leaves(&self) -> Vec<(String, Value)> {
        let all = self.leaves.iter().zip(&self.memory);
        all.filter(|(leaf, _)| leaf.init.is_some()).map(|(leaf, value)| (leaf.name.clone(), *value)).collect()
    }

    /// Returns the time since cold start as a TIME or LTIME, which wraps.
    pub(super) fn time(&self, ty: TypeId) -> Value {
        let ns_per_unit = if self.project.types[ty].ty == Type::LTime { 1 } else { 1_000_000 };
        Value::Int(self.project.int_type(ty).map_or(0, |int| int.wrap(i128::from(self.clock / ns_per_unit))))
    }

    /// Returns the values of all leaves, in the order of `Project::leaves()`; those of opaque types mean nothing. They and the
    /// clock determine the next cycle.
    pub fn state(&self) -> &[Value] {
        &self.memory
    }

    /// Restores a state of [`Machine::state`]. The clock stays; stopwatches go on from their values.
    pub fn resume(&mut self, state: &[Value]) {
        for (slot, value) in state.iter().enumerate().take(self.leaves.len()) {
            self.store(slot, *value);
        }
    }

    /// Writes the leaf with a number; returns its value before.
    pub(crate) fn replace(&mut self, leaf: usize, value: Value) -> Value {
        let before = self.memory[leaf];
        self.store(leaf, value);
        before
    }

    /// Writes one slot.
    pub(super) fn store(&mut self, slot: usize, value: Value) {
        self.memory[slot] = value;
        self.sharing.follow(self.project, &mut self.memory, slot);
        if let Some(Some(watch)) = self.stopwatch_at.get(slot) {
            let watch = &mut self.stopwatches[*watch as usize];
            watch.value = value.as_int().unwrap_or(0);
            watch.since = self.clock;
        }
    }
}

impl Project {
    /// Returns whether `value` is one of the scalar type `ty`. Enumerations and subranges hold every value of their base.
    pub fn holds(&self, ty: TypeId, value: Value) -> bool {
        match (&self.types[ty].ty, value) {
            (Type::Bool, Value::Bool(_)) => true,
            (Type::Real(crate::hir::RealType::Real), Value::Real(_)) => true,
            (Type::Real(crate::hir::RealType::LReal), Value::LReal(_)) => true,
            (_, Value::Int(i)) => self.int_type(ty).is_some_and(|int| int.holds(i)),
            (_, Value::Bool(_) | Value::Real(_) | Value::LReal(_)) => false,
        }
    }
}
