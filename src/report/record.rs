//! A replay written down: which statements ran in each cycle, what they read and wrote, and what of it matters.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{AssertId, Project, Stmt, StmtKind, Value};
use plc_frontend::interp::Recorder;
use plc_frontend::source::{Origin, SourceSet, Span};

/// One executed statement of the user's code (or one line of it, where its parts stand on several).
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// The statement.
    pub(super) stmt: Span,
    /// The part on one line.
    pub(super) at: Span,
    /// Whether the statement holds others (IF, CASE, loops).
    pub(super) compound: bool,
    /// Reads and writes in order; of several writes of one name the last.
    pub(super) values: Vec<SeenValue>,
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
}

/// Records cycle by cycle. Statements of the standard function blocks count as part of the call.
pub(super) struct Recording<'p> {
    sources: &'p SourceSet,
    compound: BTreeSet<Span>,
    inputs: BTreeSet<String>,
    hidden: BTreeSet<String>,
    known: BTreeSet<String>,
    last_write: BTreeMap<String, u32>,
    cycle: u32,
    cycles: Vec<Vec<Seen>>,
    in_library: bool,
}

impl<'p> Recording<'p> {
    /// Ready for the first cycle.
    pub(super) fn new(project: &Project, sources: &'p SourceSet) -> Recording<'p> {
        let mut compound = BTreeSet::new();
        for pou in project.pous.iter() {
            collect_compound(&pou.body, &mut compound);
        }
        let leaves = project.leaves();
        Recording {
            sources,
            compound,
            inputs: leaves.iter().filter(|l| l.role == plc_frontend::hir::Role::Input).map(|l| l.name.clone()).collect(),
            hidden: leaves.iter().filter(|l| l.hidden).map(|l| l.name.clone()).collect(),
            known: leaves.iter().map(|l| l.name.clone()).collect(),
            last_write: BTreeMap::new(),
            cycle: 0,
            cycles: Vec::new(),
            in_library: false,
        }
    }
    /// The next cycle begins.
    pub(super) fn begin_cycle(&mut self) {
        self.cycle += 1;
        self.cycles.push(Vec::new());
        self.in_library = false;
    }
    /// What was seen, per cycle.
    pub(super) fn cycles(&self) -> &[Vec<Seen>] {
        &self.cycles
    }

    /// The leaves that made `goal` what it is at the end: a dynamic backward slice over what was recorded.
    ///
    /// A write makes what its statement read matter, and what the conditions around it read.
    pub(super) fn relevant(&self, goal: &BTreeSet<String>) -> BTreeSet<String> {
        let mut wanted = goal.clone();
        let mut all = goal.clone();
        for cycle in self.cycles.iter().rev() {
            for (i, seen) in cycle.iter().enumerate().rev() {
                let hit: Vec<&SeenValue> = seen.values.iter().filter(|v| v.written && wanted.contains(&v.name)).collect();
                if hit.is_empty() {
                    continue;
                }
                for v in hit {
                    wanted.remove(&v.name);
                }
                let mut add = |values: &[SeenValue]| {
                    for v in values.iter().filter(|v| !v.written) {
                        wanted.insert(v.name.clone());
                        all.insert(v.name.clone());
                    }
                };
                add(&seen.values);
                for around in cycle[..i].iter().filter(|s| s.compound && contains(s.stmt, seen.stmt)) {
                    add(&around.values);
                }
            }
        }
        all.retain(|name| self.known.contains(name) && !self.hidden.contains(name));
        all
    }

    fn user(&self, span: Span) -> bool {
        self.sources.files.get(span.file).is_some_and(|f| f.origin == Origin::User)
    }
    fn line(&self, span: Span) -> u32 {
        self.sources.line_col(span).line
    }
    fn current(&mut self) -> Option<&mut Seen> {
        self.cycles.last_mut().and_then(|c| c.last_mut())
    }
}

impl Recorder for Recording<'_> {
    fn wants_names(&self) -> bool {
        true
    }
    fn executed(&mut self, stmt: Span) {
        self.in_library = !self.user(stmt);
        if self.in_library {
            return;
        }
        let compound = self.compound.contains(&stmt);
        if let Some(cycle) = self.cycles.last_mut() {
            cycle.push(Seen { stmt, at: stmt, compound, values: Vec::new() });
        }
    }
    fn read(&mut self, name: &str, span: Span, value: Value) {
        if self.in_library || !self.user(span) {
            return;
        }
        let from_cycle = match self.last_write.get(name) {
            _ if self.inputs.contains(name) || !self.known.contains(name) => None,
            Some(&cycle) if cycle == self.cycle => None,
            Some(&cycle) => Some(cycle),
            None => Some(0),
        };
        let line = self.line(span);
        let (stmt, here, compound) = match self.current() {
            Some(seen) => (seen.stmt, seen.at, seen.compound),
            None => return,
        };
        // The condition of an ELSIF stands on a line of its own.
        if compound
            && self.line(here) != line
            && let Some(cycle) = self.cycles.last_mut()
        {
            cycle.push(Seen { stmt, at: span, compound, values: Vec::new() });
        }
        if let Some(seen) = self.current() {
            let known = seen.values.iter().any(|v| !v.written && v.name == name && v.value == value);
            if !known {
                seen.values.push(SeenValue { name: name.into(), value, written: false, from_cycle });
            }
        }
    }
    fn wrote(&mut self, name: &str, _span: Span, value: Value) {
        self.last_write.insert(name.into(), self.cycle);
        if self.hidden.contains(name) {
            return;
        }
        if let Some(seen) = self.current() {
            seen.values.retain(|v| !(v.written && v.name == name));
            seen.values.push(SeenValue { name: name.into(), value, written: true, from_cycle: None });
        }
    }
    fn assert(&mut self, _id: AssertId, _span: Span, _held: bool) {}
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end && outer != inner
}

fn collect_compound(body: &[Stmt], into: &mut BTreeSet<Span>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::If { branches, otherwise } => {
                into.insert(stmt.span);
                for (_, body) in branches {
                    collect_compound(body, into);
                }
                collect_compound(otherwise, into);
            }
            StmtKind::Case { arms, otherwise, .. } => {
                into.insert(stmt.span);
                for arm in arms {
                    collect_compound(&arm.body, into);
                }
                collect_compound(otherwise, into);
            }
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => {
                into.insert(stmt.span);
                collect_compound(body, into);
            }
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
    }
}
