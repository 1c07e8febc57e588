//! Record of a replay: the statements of each cycle, their reads and writes, and the statements around them.
//!
//! Reads and writes belong to the innermost statement that has begun and not ended. Statements of standard function
//! blocks are recorded for causes; people see their writes at the call.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use plc_frontend::hir::{AnomalyKind, AssertId, FaultKind, PouId, PouKind, Project, Section, TypeId, Value, VarId, walk};
use plc_frontend::interp::{Limits, Machine, Recorder};
use plc_frontend::source::{Origin, SourceSet, Span};

use super::choices::{Activation, Choices};
use super::networks::Networks;
use super::seen::{Choice, Moment, Seen, SeenValue};

/// Statements whose values are kept; of longer runs those that ran last. A loop may run millions.
const MOST_KEPT: usize = 600_000;

/// Records cycle by cycle. Statements of the standard function blocks count as part of the call.
pub(super) struct Recording<'p> {
    sources: &'p SourceSet,
    compound: BTreeSet<Span>,
    choices: Choices<'p>,
    instances: BTreeMap<(PouId, usize), String>,
    is_block: Vec<bool>,
    inputs: BTreeSet<String>,
    given_at_start: BTreeSet<String>,
    hidden: BTreeSet<String>,
    known: BTreeSet<String>,
    /// The watched assertion.
    watched: Option<Span>,
    failed: Option<Moment>,
    /// Last anomaly there, and last write: violations of checks that end no run.
    anomaly: Option<Moment>,
    rewrote: Option<(Moment, String)>,
    /// Fault in the condition of the watched assertion when it failed.
    unevaluated: Option<FaultKind>,
    /// Writes of this cycle before the failure.
    writes: BTreeMap<String, Value>,
    last_write: BTreeMap<String, u32>,
    clock: u64,
    cycle: u32,
    cycles: Vec<Vec<Seen>>,
    /// Cycle and number of the statements whose values are kept, in order.
    kept: VecDeque<(usize, usize)>,
    /// The last cycle of which values were dropped.
    forgotten: Option<usize>,
    /// Statements of this cycle that have not ended, outermost first.
    open: Vec<RunningStatement>,
    /// Bodies of this cycle that have not ended, outermost first.
    bodies: Vec<Running>,
    activations: Vec<Activation>,
    numbers: BTreeMap<Activation, usize>,
    /// Position of a value: statement, written, name.
    index: BTreeMap<(usize, bool, String), usize>,
    networks: Networks<'p>,
}

/// A statement that runs.
#[derive(Clone, Copy)]
struct RunningStatement {
    /// Its first part.
    head: usize,
    /// The part on the line that is looked at.
    part: usize,
}

/// A body that runs.
struct Running {
    activation: Activation,
    number: Option<usize>,
    /// The last statement that could have left it.
    guard: Option<usize>,
}

impl<'p> Recording<'p> {
    /// Prepares the first cycle. `watched` is the assertion whose failure is of interest.
    pub(super) fn new(project: &'p Project, sources: &'p SourceSet, watched: Option<Span>) -> Recording<'p> {
        let mut compound = BTreeSet::new();
        for pou in project.pous.iter() {
            walk::stmts(&pou.body, |stmt| compound.extend(Some(stmt.span).filter(|_| !stmt.bodies().is_empty())));
        }
        let leaves = project.leaves();
        Recording {
            sources,
            compound,
            choices: Choices::new(project),
            instances: Machine::new(project, Limits::default()).instances(&|_| true),
            is_block: project.pous.iter().map(|pou| !matches!(pou.kind, PouKind::Function(_))).collect(),
            inputs: leaves.iter().filter(|l| l.is_given(1)).map(|l| l.name.clone()).collect(),
            given_at_start: leaves.iter().filter(|l| l.is_given(0)).map(|l| l.name.clone()).collect(),
            hidden: leaves.iter().filter(|l| l.hidden).map(|l| l.name.clone()).chain(temporaries(project)).collect(),
            known: leaves.iter().map(|l| l.name.clone()).collect(),
            watched,
            failed: None,
            anomaly: None,
            rewrote: None,
            unevaluated: None,
            writes: BTreeMap::new(),
            last_write: BTreeMap::new(),
            clock: 0,
            cycle: 0,
            cycles: Vec::new(),
            kept: VecDeque::new(),
            forgotten: None,
            open: Vec::new(),
            bodies: Vec::new(),
            activations: Vec::new(),
            numbers: BTreeMap::new(),
            index: BTreeMap::new(),
            networks: Networks::new(project),
        }
    }
    /// Returns the values of drawn networks.
    pub(super) fn networks(&self) -> &Networks<'p> {
        &self.networks
    }
    /// Ends the cycle.
    pub(super) fn end_cycle(&mut self, machine: &Machine<'_>) {
        self.networks.end_cycle(machine);
    }
    /// Begins the next cycle.
    pub(super) fn begin_cycle(&mut self) {
        self.cycle += 1;
        if self.failed.is_none() {
            self.writes.clear();
        }
        self.cycles.push(Vec::new());
        self.open.clear();
        self.bodies.clear();
        self.index.clear();
        self.networks.begin_cycle();
    }
    /// Notes a fault in the statement that runs.
    pub(super) fn fault(&mut self) {
        if self.failed.is_none() {
            self.failed = self.moment();
        }
    }
    /// Returns the moment at which the watched assertion failed first, or the run ended.
    pub(super) fn failed(&self) -> Option<Moment> {
        self.failed
    }
    /// Returns the anomaly or write at the watched place in the last cycle, with the variable that was written.
    pub(super) fn noticed(&self) -> Option<(Moment, Option<&str>)> {
        let is_last = |at: &Moment| at.cycle + 1 == self.cycles.len();
        let written = || self.rewrote.as_ref().filter(|(at, _)| is_last(at)).map(|(at, name)| (*at, Some(name.as_str())));
        self.anomaly.filter(is_last).map(|at| (at, None)).or_else(written)
    }
    /// Returns the fault in the condition of the watched assertion, if it failed by one.
    pub(super) fn unevaluated(&self) -> Option<FaultKind> {
        self.unevaluated
    }
    /// Writes of the cycle of the failure before it; of the last cycle if there is none.
    pub(super) fn writes(&self) -> &BTreeMap<String, Value> {
        &self.writes
    }
    /// Returns the statements that ran, per cycle.
    pub(super) fn cycles(&self) -> &[Vec<Seen>] {
        &self.cycles
    }
    /// Returns whether a name is a variable of the interface that people know.
    pub(super) fn is_shown(&self, name: &str) -> bool {
        self.known.contains(name) && !self.hidden.contains(name)
    }
    /// Returns whether a name is of our own making.
    pub(super) fn is_hidden(&self, name: &str) -> bool {
        self.hidden.contains(name)
    }
    /// Returns whether values of this cycle (from 0) were dropped.
    pub(super) fn is_forgotten(&self, cycle: usize) -> bool {
        self.forgotten.is_some_and(|last| cycle <= last)
    }
    /// Returns whether the environment chooses a variable's value before a cycle (from 0).
    pub(super) fn is_given(&self, name: &str, cycle: usize) -> bool {
        if cycle == 0 { self.given_at_start.contains(name) } else { self.inputs.contains(name) }
    }

    /// Returns the body that a statement ran in.
    pub(super) fn activation(&self, seen: &Seen) -> &Activation {
        &self.activations[seen.activation]
    }
    /// Returns the branches of the program.
    pub(super) fn choices(&self) -> &Choices<'p> {
        &self.choices
    }
    /// Returns the statement that people see for this one: the call of the standard function block that it stands in, or itself.
    pub(super) fn visible(&self, cycle: usize, seen: usize) -> usize {
        let mut at = seen;
        while let Some(Seen { inner: true, parent: Some(parent), .. }) = self.cycles.get(cycle).and_then(|c| c.get(at)) {
            at = *parent;
        }
        at
    }

    fn moment(&self) -> Option<Moment> {
        let cycle = self.cycles.len().checked_sub(1)?;
        let seen = self.visible(cycle, self.open.last()?.part);
        Some(Moment { cycle, seen, clock: self.clock + 1 })
    }
    fn user(&self, span: Span) -> bool {
        self.sources.files.get(span.file).is_some_and(|f| f.origin == Origin::User)
    }
    /// Returns the number of the body that runs.
    fn number(&mut self) -> usize {
        let Some(body) = self.bodies.last_mut() else { return 0 };
        if let Some(number) = body.number {
            return number;
        }
        let next = self.activations.len();
        let number = *self.numbers.entry(body.activation.clone()).or_insert(next);
        if number == next {
            self.activations.push(body.activation.clone());
        }
        body.number = Some(number);
        number
    }
    fn push(&mut self, mut seen: Seen) -> usize {
        let current = self.cycles.len().wrapping_sub(1);
        if MOST_KEPT <= self.kept.len()
            && let Some((of, old)) = self.kept.pop_front()
        {
            self.forgotten = Some(of);
            let values = self.cycles.get_mut(of).and_then(|c| c.get_mut(old)).map(|s| std::mem::take(&mut s.values));
            for value in values.into_iter().flatten().filter(|_| of == current) {
                self.index.remove(&(old, value.written, value.name));
            }
        }
        let Some(cycle) = self.cycles.last_mut() else { return 0 };
        let number = cycle.len();
        seen.last_part = number;
        self.kept.push_back((current, number));
        cycle.push(seen);
        number
    }
    fn put(&mut self, seen: usize, new: SeenValue) {
        let Some(values) = self.cycles.last_mut().and_then(|c| c.get_mut(seen)).map(|s| &mut s.values) else { return };
        match self.index.get(&(seen, new.written, new.name.clone())).and_then(|i| values.get_mut(*i)) {
            // The statement's own write is the one that counts.
            Some(old) if new.echo && !old.echo => old.value = new.value,
            Some(old) if old.echo && !new.echo => *old = new,
            Some(old) => (old.value, old.from_cycle, old.last) = (new.value, new.from_cycle, new.last),
            None => {
                self.index.insert((seen, new.written, new.name.clone()), values.len());
                values.push(new);
            }
        }
    }
}

impl Recorder for Recording<'_> {
    fn wants_names(&self) -> bool {
        true
    }
    fn entered(&mut self, pou: PouId, this: usize) {
        self.networks.entered(pou, this);
        let instance = self.instances.get(&(pou, this)).filter(|_| self.is_block[pou.0 as usize]).cloned();
        let activation = Activation { pou, instance, references: BTreeMap::new() };
        self.bodies.push(Running { activation, number: None, guard: None });
    }
    fn refers(&mut self, var: VarId, name: &str) {
        if let Some(body) = self.bodies.last_mut() {
            body.activation.references.insert(var, name.to_owned());
        }
    }
    fn left(&mut self) {
        self.networks.left();
        self.bodies.pop();
    }
    fn ended(&mut self) {
        let (Some(open), Some(body)) = (self.open.pop(), self.bodies.last_mut()) else { return };
        let seen = self.cycles.last().and_then(|cycle| cycle.get(open.head));
        let Some(first) = seen.and_then(|seen| seen.choice).map(|choice| choice.first) else { return };
        if self.choices.leaves(body.activation.pou, first) {
            // A statement inside of it that could have left it stands behind it already.
            body.guard = body.guard.filter(|inside| open.head < *inside).or(Some(open.head));
        }
    }
    fn branch(&mut self, span: Span, taken: bool) {
        let (Some(open), Some(body)) = (self.open.last(), self.bodies.last()) else { return };
        self.clock += 1;
        let Some(seen) = self.cycles.last_mut().and_then(|cycle| cycle.get_mut(open.head)) else { return };
        let choice = seen.choice.get_or_insert_with(|| {
            let repeats = self.choices.repeats(body.activation.pou, span);
            Choice { first: span, taken: None, repeats, decided: 0 }
        });
        choice.decided = self.clock;
        if taken {
            choice.taken = Some(span);
        }
    }
    fn evaluated(&mut self, span: Span, ty: TypeId, value: Value) {
        self.networks.evaluated(span, ty, value);
    }
    fn executed(&mut self, stmt: Span) {
        self.networks.executed(stmt);
        if self.cycles.is_empty() {
            return;
        }
        let seen = Seen {
            stmt,
            at: stmt,
            compound: self.compound.contains(&stmt),
            inner: !self.user(stmt),
            parent: self.open.last().map(|open| open.part),
            after: self.bodies.last().and_then(|body| body.guard),
            activation: self.number(),
            choice: None,
            last_part: 0,
            values: Vec::new(),
        };
        let head = self.push(seen);
        self.open.push(RunningStatement { head, part: head });
    }
    fn read(&mut self, name: &str, span: Span, value: Value) {
        self.networks.seen(name, value);
        let from_cycle = match self.last_write.get(name) {
            _ if self.inputs.contains(name) || !self.known.contains(name) => None,
            Some(&cycle) if cycle == self.cycle => None,
            Some(&cycle) => Some(cycle),
            None => Some(0),
        };
        let Some(RunningStatement { head, part }) = self.open.last().copied() else { return };
        let Some(seen) = self.cycles.last().and_then(|c| c.get(part)) else { return };
        let mut of = part;
        // The condition of an ELSIF stands on a line of its own.
        let is_beside = || self.sources.line_col(seen.at).line != self.sources.line_col(span).line;
        if seen.compound && !seen.inner && self.user(span) && is_beside() {
            let line = Seen { at: span, parent: Some(part), choice: None, values: Vec::new(), ..seen.clone() };
            of = self.push(line);
            if let Some(open) = self.open.last_mut() {
                open.part = of;
            }
            if let Some(head) = self.cycles.last_mut().and_then(|c| c.get_mut(head)) {
                head.last_part = of;
            }
        }
        self.clock += 1;
        let (first, last) = (self.clock, self.clock);
        let new = SeenValue { name: name.into(), value, written: false, echo: false, from_cycle, at: span, first, last };
        self.put(of, new);
    }
    fn wrote(&mut self, name: &str, span: Span, value: Value) {
        self.networks.wrote(name, span, value);
        self.last_write.insert(name.into(), self.cycle);
        if self.failed.is_none() {
            self.writes.insert(name.into(), value);
        }
        let Some(RunningStatement { part, .. }) = self.open.last().copied() else { return };
        self.clock += 1;
        let (first, last) = (self.clock, self.clock);
        let new = SeenValue { name: name.into(), value, written: true, echo: false, from_cycle: None, at: span, first, last };
        if self.watched == Some(span)
            && let Some(at) = self.moment()
        {
            self.rewrote = Some((Moment { clock: self.clock, ..at }, name.to_owned()));
        }
        let visible = self.visible(self.cycles.len().saturating_sub(1), part);
        if visible != part && !self.hidden.contains(name) {
            self.put(visible, SeenValue { echo: true, ..new.clone() });
        }
        self.put(part, new);
    }
    fn anomaly(&mut self, _: AnomalyKind, span: Span) {
        if self.watched == Some(span) {
            self.anomaly = self.moment();
        }
    }
    fn unevaluated(&mut self, span: Span, why: FaultKind) {
        if self.watched == Some(span) && self.failed.is_none() {
            self.unevaluated = Some(why);
        }
    }
    fn assert(&mut self, _id: AssertId, span: Span, held: bool) {
        if !held && self.watched == Some(span) && self.failed.is_none() {
            self.failed = self.moment();
        }
    }
}

/// Returns hidden variables that do not outlive a call, as recorders name them.
fn temporaries(project: &Project) -> impl Iterator<Item = String> {
    let is_hidden = |section: Section, name: &str| section != Section::Local && name.starts_with("__");
    project.pous.iter().flat_map(move |pou| {
        let vars = pou.vars.iter().filter(move |v| is_hidden(v.section, &v.name));
        vars.map(|v| format!("{}.{}", pou.name, v.name))
    })
}
