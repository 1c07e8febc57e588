//! A replay written down: which statements ran in each cycle, what they read and wrote, and inside of what.
//!
//! The interpreter says when a statement begins, not when it ends. What is read or written belongs to the statement whose
//! text holds the place: after a call, or at the end of a loop's round, that is not the statement that ran last.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use plc_frontend::hir::{AssertId, FaultKind, PouId, Project, Section, Stmt, StmtKind, TypeId, Value};
use plc_frontend::interp::{Machine, Recorder};
use plc_frontend::source::{Origin, SourceSet, Span};

use super::networks::Networks;

/// One executed statement of the user's code (or one line of it, where its parts stand on several).
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// The statement.
    pub(super) stmt: Span,
    /// The part on one line.
    pub(super) at: Span,
    /// Whether the statement holds others (IF, CASE, loops).
    pub(super) compound: bool,
    /// The statement around it, or the call that it ran in, in the same cycle.
    pub(super) parent: Option<usize>,
    /// Reads and writes in order; of several of one name the last value.
    pub(super) values: Vec<SeenValue>,
    pou: usize,
}

/// A value that was read or written.
#[derive(Clone, Debug)]
pub(super) struct SeenValue {
    /// Canonical leaf name.
    pub(super) name: String,
    /// What it was.
    pub(super) value: Value,
    /// Written rather than read.
    pub(super) written: bool,
    /// The cycle that wrote what was read, if an earlier one; 0 for the initial value.
    pub(super) from_cycle: Option<u32>,
    /// The part of the statement.
    pub(super) at: Span,
    /// When for the first time; accesses are counted over the whole run.
    pub(super) first: u64,
    /// When for the last time.
    pub(super) last: u64,
}

/// A statement of a run at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// Which cycle, from 0.
    pub(super) cycle: usize,
    /// Which of its statements.
    pub(super) seen: usize,
    /// Accesses before this number are earlier.
    pub(super) clock: u64,
}

/// Statements whose values are kept; of longer runs those that ran last. A loop may run millions.
const MOST_KEPT: usize = 200_000;

/// Records cycle by cycle. Statements of the standard function blocks count as part of the call.
pub(super) struct Recording<'p> {
    sources: &'p SourceSet,
    statements: BTreeMap<Span, Kind>,
    entries: BTreeSet<usize>,
    inputs: BTreeSet<String>,
    given_at_start: BTreeSet<String>,
    hidden: BTreeSet<String>,
    known: BTreeSet<String>,
    /// The assertion that is waited for.
    watched: Option<Span>,
    failed: Option<Moment>,
    /// Why the condition of the watched assertion could not be evaluated when it failed.
    unevaluated: Option<FaultKind>,
    /// What this cycle wrote before the failure.
    writes: BTreeMap<String, Value>,
    last_write: BTreeMap<String, u32>,
    clock: u64,
    cycle: u32,
    cycles: Vec<Vec<Seen>>,
    /// Cycle and number of the statements whose values are kept, in order.
    kept: VecDeque<(usize, usize)>,
    /// The last cycle of which values were dropped.
    forgotten: Option<usize>,
    /// Statements of this cycle that have not ended for all that is known, outermost first.
    open: Vec<usize>,
    /// The one that runs.
    focus: usize,
    /// Position of a value: statement, written, name.
    index: BTreeMap<(usize, bool, String), usize>,
    networks: Networks<'p>,
}

#[derive(Clone, Copy)]
struct Kind {
    compound: bool,
    pou: usize,
}

impl<'p> Recording<'p> {
    /// Ready for the first cycle. `watched` is the assertion whose failure is of interest.
    pub(super) fn new(project: &'p Project, sources: &'p SourceSet, watched: Option<Span>) -> Recording<'p> {
        let mut statements = BTreeMap::new();
        for (pou, of) in project.pous.iter().enumerate() {
            collect(&of.body, pou, &mut statements);
        }
        let leaves = project.leaves();
        let entries = project.task.runs.iter().filter_map(|i| project.instances.get(*i));
        Recording {
            sources,
            statements,
            entries: entries.map(|i| i.pou.0 as usize).collect(),
            inputs: leaves.iter().filter(|l| l.is_given(1)).map(|l| l.name.clone()).collect(),
            given_at_start: leaves.iter().filter(|l| l.is_given(0)).map(|l| l.name.clone()).collect(),
            hidden: leaves.iter().filter(|l| l.hidden).map(|l| l.name.clone()).chain(temporaries(project)).collect(),
            known: leaves.iter().map(|l| l.name.clone()).collect(),
            watched,
            failed: None,
            unevaluated: None,
            writes: BTreeMap::new(),
            last_write: BTreeMap::new(),
            clock: 0,
            cycle: 0,
            cycles: Vec::new(),
            kept: VecDeque::new(),
            forgotten: None,
            open: Vec::new(),
            focus: 0,
            index: BTreeMap::new(),
            networks: Networks::new(project),
        }
    }
    /// The values of drawn networks.
    pub(super) fn networks(&self) -> &Networks<'p> {
        &self.networks
    }
    /// The cycle has ended.
    pub(super) fn end_cycle(&mut self, machine: &Machine<'_>) {
        self.networks.end_cycle(machine);
    }
    /// The next cycle begins.
    pub(super) fn begin_cycle(&mut self) {
        self.cycle += 1;
        if self.failed.is_none() {
            self.writes.clear();
        }
        self.cycles.push(Vec::new());
        self.open.clear();
        self.index.clear();
        self.focus = 0;
        self.networks.begin_cycle();
    }
    /// The run ended at this place in the code.
    pub(super) fn fault(&mut self, at: Span) {
        if self.failed.is_none() {
            self.failed = self.moment(self.holder(at));
        }
    }
    /// Where the watched assertion failed first, or the run ended.
    pub(super) fn failed(&self) -> Option<Moment> {
        self.failed
    }
    /// Why the condition of the watched assertion could not be evaluated, if that is how it failed.
    pub(super) fn unevaluated(&self) -> Option<FaultKind> {
        self.unevaluated
    }
    /// What the cycle of the failure wrote before it; of the last cycle if there is none.
    pub(super) fn writes(&self) -> &BTreeMap<String, Value> {
        &self.writes
    }
    /// What was seen, per cycle.
    pub(super) fn cycles(&self) -> &[Vec<Seen>] {
        &self.cycles
    }
    /// Whether a name is a variable of the interface that people know.
    pub(super) fn is_shown(&self, name: &str) -> bool {
        self.known.contains(name) && !self.hidden.contains(name)
    }
    /// Whether a name is of our own making.
    pub(super) fn is_hidden(&self, name: &str) -> bool {
        self.hidden.contains(name)
    }
    /// Whether values of this cycle (from 0) were dropped.
    pub(super) fn is_forgotten(&self, cycle: usize) -> bool {
        self.forgotten.is_some_and(|last| cycle <= last)
    }
    /// Whether the environment chooses a variable's value before a cycle (from 0).
    pub(super) fn is_given(&self, name: &str, cycle: usize) -> bool {
        if cycle == 0 { self.given_at_start.contains(name) } else { self.inputs.contains(name) }
    }

    fn moment(&self, seen: usize) -> Option<Moment> {
        let cycle = self.cycles.len().checked_sub(1)?;
        self.cycles[cycle].get(seen).map(|_| Moment { cycle, seen, clock: self.clock + 1 })
    }
    fn user(&self, span: Span) -> bool {
        self.sources.files.get(span.file).is_some_and(|f| f.origin == Origin::User)
    }
    /// The open statement whose text holds this place. A standard function block runs as part of its call.
    fn holder(&self, at: Span) -> usize {
        let Some(cycle) = self.cycles.last() else { return self.focus };
        if !self.user(at) || cycle.get(self.focus).is_some_and(|s| holds(s.stmt, at)) {
            return self.focus;
        }
        let found = self.open.iter().rev().find(|i| cycle.get(**i).is_some_and(|s| holds(s.stmt, at)));
        found.copied().unwrap_or(self.focus)
    }
    fn push(&mut self, stmt: Span, at: Span, kind: Kind, parent: Option<usize>) {
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
        let Some(cycle) = self.cycles.last_mut() else { return };
        self.focus = cycle.len();
        self.kept.push_back((current, self.focus));
        self.open.push(self.focus);
        cycle.push(Seen { stmt, at, compound: kind.compound, parent, values: Vec::new(), pou: kind.pou });
    }
    fn put(&mut self, seen: usize, name: &str, value: Value, written: bool, from_cycle: Option<u32>, at: Span) {
        self.clock += 1;
        let clock = self.clock;
        let Some(values) = self.cycles.last_mut().and_then(|c| c.get_mut(seen)).map(|s| &mut s.values) else { return };
        match self.index.get(&(seen, written, name.to_owned())).and_then(|i| values.get_mut(*i)) {
            Some(old) => (old.value, old.from_cycle, old.last) = (value, from_cycle, clock),
            None => {
                self.index.insert((seen, written, name.to_owned()), values.len());
                values.push(SeenValue { name: name.into(), value, written, from_cycle, at, first: clock, last: clock });
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
    }
    fn left(&mut self) {
        self.networks.left();
    }
    fn evaluated(&mut self, span: Span, ty: TypeId, value: Value) {
        self.networks.evaluated(span, ty, value);
    }
    fn executed(&mut self, stmt: Span) {
        self.networks.executed(stmt);
        if !self.user(stmt) {
            return;
        }
        let kind = self.statements.get(&stmt).copied().unwrap_or(Kind { compound: false, pou: usize::MAX });
        let Some(cycle) = self.cycles.last() else { return };
        // What was called before the statement in focus went on has ended.
        while self.open.last().is_some_and(|i| self.focus < *i) {
            self.open.pop();
        }
        match self.open.iter().rposition(|i| cycle[*i].pou == kind.pou) {
            // No POU runs inside of itself: calls from there have ended, and so have the statements that do not hold this one.
            Some(at) => {
                self.open.truncate(at + 1);
                while self.open.last().is_some_and(|i| cycle[*i].pou == kind.pou && !contains(cycle[*i].stmt, stmt)) {
                    self.open.pop();
                }
            }
            None if self.entries.contains(&kind.pou) => self.open.clear(),
            None => {}
        }
        self.push(stmt, stmt, kind, self.open.last().copied());
    }
    fn read(&mut self, name: &str, span: Span, value: Value) {
        self.networks.seen(name, value);
        if !self.user(span) {
            return;
        }
        let from_cycle = match self.last_write.get(name) {
            _ if self.inputs.contains(name) || !self.known.contains(name) => None,
            Some(&cycle) if cycle == self.cycle => None,
            Some(&cycle) => Some(cycle),
            None => Some(0),
        };
        self.focus = self.holder(span);
        let Some(seen) = self.cycles.last().and_then(|c| c.get(self.focus)) else { return };
        // The condition of an ELSIF stands on a line of its own.
        if seen.compound && self.sources.line_col(seen.at).line != self.sources.line_col(span).line {
            let kind = Kind { compound: true, pou: seen.pou };
            self.push(seen.stmt, span, kind, Some(self.focus));
        }
        self.put(self.focus, name, value, false, from_cycle, span);
    }
    fn wrote(&mut self, name: &str, span: Span, value: Value) {
        self.networks.wrote(name, span, value);
        self.last_write.insert(name.into(), self.cycle);
        if self.failed.is_none() {
            self.writes.insert(name.into(), value);
        }
        self.focus = self.holder(span);
        if !self.hidden.contains(name) || self.user(span) {
            self.put(self.focus, name, value, true, None, span);
        }
    }
    fn unevaluated(&mut self, span: Span, why: FaultKind) {
        if self.watched == Some(span) && self.failed.is_none() {
            self.unevaluated = Some(why);
        }
    }
    fn assert(&mut self, _id: AssertId, span: Span, held: bool) {
        if !held && self.watched == Some(span) && self.failed.is_none() {
            self.focus = self.holder(span);
            self.failed = self.moment(self.focus);
        }
    }
}

fn contains(outer: Span, inner: Span) -> bool {
    holds(outer, inner) && outer != inner
}

/// Whether `inner` is a part of `outer`, or all of it.
pub(super) fn holds(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/// Hidden variables that do not outlive a call, as recorders name them.
fn temporaries(project: &Project) -> impl Iterator<Item = String> {
    let is_hidden = |section: Section, name: &str| section != Section::Local && name.starts_with("__");
    project.pous.iter().flat_map(move |pou| {
        let vars = pou.vars.iter().filter(move |v| is_hidden(v.section, &v.name));
        vars.map(|v| format!("{}.{}", pou.name, v.name))
    })
}

fn collect(body: &[Stmt], pou: usize, into: &mut BTreeMap<Span, Kind>) {
    for stmt in body {
        let mut inner: Vec<&[Stmt]> = Vec::new();
        match &stmt.kind {
            StmtKind::If { branches, otherwise } => {
                inner.extend(branches.iter().map(|(_, body)| body.as_slice()));
                inner.push(otherwise);
            }
            StmtKind::Case { arms, otherwise, .. } => {
                inner.extend(arms.iter().map(|arm| arm.body.as_slice()));
                inner.push(otherwise);
            }
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => inner.push(body),
            StmtKind::Assign { .. }
            | StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::CallInstance { .. }
            | StmtKind::Eval(_)
            | StmtKind::Assert { .. }
            | StmtKind::Gap(_) => {}
        }
        let kind = into.entry(stmt.span).or_insert(Kind { compound: false, pou });
        kind.compound |= !inner.is_empty();
        for body in inner {
            collect(body, pou, into);
        }
    }
}
