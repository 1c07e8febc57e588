//! The question of a claim: a copy of the model in which the error location is reached exactly when the claim is violated.
//!
//! Conditions are lowered like the program's own expressions. A condition of the claim that cannot be evaluated (it divides by
//! zero, an index is outside) counts as a violation, never as true.

use std::borrow::Cow;
use std::collections::BTreeMap;

use plc_frontend::hir::{AssertId, Expr, Project};
use plc_frontend::ledger::GapId;
use plc_frontend::source::{FileId, Span};

use super::claim::Claim;
use super::formula::Formula;
use super::mentions;
use super::monitor::Monitor;
use crate::cfa::lower::{context, extend_for};
use crate::cfa::model::build;
use crate::cfa::{AtCallVars, Cfa, Edge, LocId, Marks, Model, ModelError, ModelOptions, Op, Site, SiteKind};
use crate::expr::{ExprId, ExprPool, VarId};

/// Model with the monitor of one claim.
#[derive(Clone, Debug)]
pub struct Instrumented {
    /// The model's pool, grown: its `VarId`s are the model's.
    pub pool: ExprPool,
    /// The unreduced CFA of the question. Its first locations and edges are the model's.
    pub cfa: Cfa,
    /// Dead ends at unmodelled places.
    pub gaps: Vec<(GapId, LocId)>,
    /// Variables whose arbitrary values stand for values that are not modelled exactly.
    pub arbitrary: Vec<(GapId, VarId)>,
    /// Variables with the values that calls of stubs give.
    pub at_calls: AtCallVars,
    /// Variables with the bits of a float: any bits of its value, and NaN has many.
    pub float_bits: Vec<VarId>,
}

impl Instrumented {
    /// Returns the CFA in which a place that is not modelled counts as an error.
    ///
    /// Soundness: its error location is unreachable only if no run of the program reaches a violation. In [`Instrumented::cfa`]
    /// runs end at such a place, so an answer there is about the other runs only.
    pub fn strict_cfa(&self) -> Cfa {
        let mut strict = self.cfa.clone();
        for (_, loc) in &self.gaps {
            strict.edges.push(Edge { source: *loc, target: strict.error, op: Op::Skip, span: None });
        }
        strict
    }
}

/// Returns the model that has the sites of `claim`: `model`, or one that is built for them.
///
/// Its leaves have the same variables, and its head is the same location.
pub fn model_for<'m>(project: &Project, model: &'m Model, claim: &Claim) -> Result<Cow<'m, Model>, ModelError> {
    let marks = claim.marks();
    if has(model, marks) {
        return Ok(Cow::Borrowed(model));
    }
    build(project, &ModelOptions { marks, ..model.options }).map(Cow::Owned)
}

fn has(model: &Model, marks: Marks) -> bool {
    marks == Marks::None || marks == model.options.marks
}

/// Puts assumptions and the monitor of `claim` into a copy of the model, which is that of [`model_for`].
///
/// Assumptions hold at the beginning of each cycle, when the inputs are new, before the claim's first observation. Those about
/// memory with an arbitrary start hold only in the first cycle.
///
/// Stops:     an assumption that can fail to evaluate is refused (it would exclude runs silently).
/// Soundness: `error` is reachable iff some run that keeps the assumptions violates the claim.
pub fn instrument(project: &Project, model: &Model, claim: &Claim, assumptions: &[Expr]) -> Result<Instrumented, ModelError> {
    if !has(model, claim.marks()) {
        // Without its sites the claim would always hold.
        return Err(ModelError::unsupported("a question about places that this model does not mark", nowhere()));
    }
    let lowering = model.options.lowering();
    let (mut pool, mut network) = (model.pool.clone(), model.network.clone());
    for condition in claim.conditions().into_iter().chain(assumptions) {
        extend_for(project, &mut pool, &mut network, condition, lowering)?;
    }
    let cx = context(project, &network, lowering);
    let mut monitor = Monitor::new(model, &cx, &network, pool);
    for assumption in assumptions {
        if mentions::is_about_start(assumption, project) {
            monitor.assume_at_start(assumption)?;
        } else {
            monitor.assume(assumption)?;
        }
    }
    monitor.add(project, claim)?;
    Ok(monitor.finish())
}

fn nowhere() -> Span {
    Span::new(FileId(0), 0, 0)
}

impl Monitor<'_, '_> {
    /// Adds the observations of the claim.
    fn add(&mut self, project: &Project, claim: &Claim) -> Result<(), ModelError> {
        match claim {
            Claim::Invariant(always) => {
                let holds = self.observe_end(always)?;
                self.violated_unless(holds);
            }
            Claim::Forbidden(never) => {
                let bad = self.observe_end(never)?;
                let holds = self.pool.not(bad);
                self.violated_unless(holds);
            }
            Claim::Implication { when, then } => {
                let when = self.observe_end(when)?;
                self.implied(when, then)?;
            }
            Claim::DuringCycle { at_start, then } => {
                let started = self.observe_begin(at_start)?;
                self.implied(started, then)?;
            }
            Claim::BetweenCycles { after, when, then } => self.between_cycles(after, when, then)?,
            Claim::Temporal { when, then } => self.temporal(when.as_ref(), then)?,
            Claim::Reachable(goal) => self.reachable(goal)?,
            Claim::Repeatable(goal) => {
                return Err(not_asked(goal, "a requirement about some continuation of every run (`always_possible`)"));
            }
            Claim::Assert(ids) => self.assert(ids),
            Claim::Unreached(ids) => {
                for (assert, _) in asserts(self.model, ids) {
                    self.ends_at(assert.loc, assert.span);
                }
            }
            Claim::Executed(spans) => {
                let is_asked = |site: &&Site| site.kind == SiteKind::Statement && spans.contains(&site.span);
                let places = self.model.sites.iter().filter(is_asked);
                let places: BTreeMap<LocId, Span> = places.map(|site| (site.loc, site.span)).collect();
                places.into_iter().for_each(|(loc, span)| self.ends_at(loc, span));
            }
            Claim::Never(event) => event.monitor(self, project),
        }
        Ok(())
    }
    fn between_cycles(&mut self, after: &Expr, when: &Expr, then: &Expr) -> Result<(), ModelError> {
        let before = self.memory("#after");
        let was = self.pool.var(before);
        let past = self.branch(was);
        let when = self.observe_end(when)?;
        self.implied(when, then)?;
        self.join(past);
        let now = self.observe_end(after)?;
        self.end = self.flat.step(self.end, Op::Assign(before, now));
        Ok(())
    }
    fn temporal(&mut self, when: Option<&Formula>, then: &Formula) -> Result<(), ModelError> {
        let mut faults = Vec::new();
        let when = when.map(|when| self.look_back(when, &mut faults)).transpose()?;
        let then = self.look_back(then, &mut faults)?;
        self.fail(&faults);
        let holds = when.map_or(then, |when| self.pool.implies(when, then));
        self.violated_unless(holds);
        self.remember();
        Ok(())
    }
    fn reachable(&mut self, goal: &Formula) -> Result<(), ModelError> {
        let mut faults = Vec::new();
        let there = self.look_back(goal, &mut faults)?;
        if !faults.is_empty() {
            // Runs would end at such a fault, though the program's do not.
            let what = "asking whether a condition is possible that may divide by zero or leave an array's bounds";
            return Err(not_asked(goal, what));
        }
        let elsewhere = self.pool.not(there);
        self.violated_unless(elsewhere);
        self.remember();
        Ok(())
    }
    /// Leads assertions that fail to the error location.
    pub(super) fn assert(&mut self, ids: &[AssertId]) {
        for (assert, condition) in asserts(self.model, ids) {
            // The two edges exclude each other, so that inputs alone determine a run.
            for edge in self.flat.edges.iter_mut().filter(|e| e.source == assert.loc) {
                edge.op = Op::Assume(condition);
            }
            let fails = self.pool.not(condition);
            self.flat.edge(assert.loc, self.model.cfa.error, Op::Assume(fails), Some(assert.span));
        }
    }
    /// Leads a location to the error location, and nowhere else.
    fn ends_at(&mut self, loc: LocId, span: Span) {
        self.flat.edges.retain(|e| e.source != loc);
        self.flat.edge(loc, self.model.cfa.error, Op::Skip, Some(span));
    }
}

/// Returns the sites of these assertions with their conditions.
fn asserts<'m>(model: &'m Model, ids: &'m [AssertId]) -> impl Iterator<Item = (&'m Site, ExprId)> {
    model.sites.iter().filter_map(move |site| {
        let SiteKind::Assert { id, condition } = site.kind else { return None };
        ids.contains(&id).then_some((site, condition))
    })
}

fn not_asked(goal: &Formula, what: &str) -> ModelError {
    ModelError::unsupported(what, goal.conditions().first().map_or_else(nowhere, |condition| condition.span))
}
