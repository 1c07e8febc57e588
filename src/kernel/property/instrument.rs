//! The monitor: a copy of the model in which the error location is reached exactly when a claim is violated.
//!
//! Conditions are lowered like the program's own expressions. A condition of the claim that cannot be evaluated
//! (it divides by zero, an index is outside) counts as a violation: it is never read as true.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{Expr, Project};
use plc_frontend::ledger::GapId;
use plc_frontend::source::{FileId, Span};

use super::claim::Claim;
use super::formula::Formula;
use super::mentions;
use crate::cfa::inline::Flat;
use crate::cfa::lower::{Condition, Context, condition, context, extend_for};
use crate::cfa::model::{Model, ModelError, ModelOptions, build, mentioned};
use crate::cfa::network::Network;
use crate::cfa::{Cfa, LocId, LocKind, Marks, Op};
use crate::expr::{ExprId, ExprPool, Sort, Value, VarId};

/// A model with the monitor of one claim.
#[derive(Clone, Debug)]
pub struct Instrumented {
    /// The model's pool, grown: its `VarId`s are the model's.
    pub pool: ExprPool,
    /// The unreduced CFA of the question. Its first locations and edges are the model's.
    pub cfa: Cfa,
    /// Dead ends where something is not modelled.
    pub gaps: Vec<(GapId, LocId)>,
    /// Variables whose arbitrary values stand for something that is not modelled exactly.
    pub arbitrary: Vec<(GapId, VarId)>,
    /// Variables that hold the bits of a float: any bits that mean its value, and NaN has many.
    pub float_bits: Vec<VarId>,
}

/// The model in which `claim` can be seen: `model`, unless it lacks the places that the claim is about.
///
/// Its leaves have the same variables, and its head is the same location.
pub fn model_for<'m>(project: &Project, model: &'m Model, claim: &Claim) -> Result<Cow<'m, Model>, ModelError> {
    let marked = |marks: Marks| match model.options.marks == marks {
        true => Ok(Cow::Borrowed(model)),
        false => build(project, &ModelOptions { marks, ..model.options }).map(Cow::Owned),
    };
    match claim {
        Claim::NoLapse(kind) => marked(Marks::Lapses(*kind)),
        Claim::Executed(_) => marked(Marks::Statements),
        Claim::NoDoubleWrite => marked(Marks::Coils),
        Claim::Implication { .. }
        | Claim::Invariant(_)
        | Claim::Forbidden(_)
        | Claim::DuringCycle { .. }
        | Claim::BetweenCycles { .. }
        | Claim::Temporal { .. }
        | Claim::Reachable(_)
        | Claim::Repeatable(_)
        | Claim::Assert(_)
        | Claim::Unreached(_)
        | Claim::NoFault(_) => Ok(Cow::Borrowed(model)),
    }
}

/// Puts assumptions and the monitor of `claim` into a copy of the model.
/// `model` is the one that [`model_for`] says. Assumptions are assumed at the beginning of each cycle, when the inputs are new, before the claim's first observation; those about
/// memory with an arbitrary start only in the first cycle.
///
/// Stops:     an assumption that can fail to evaluate is refused (it would exclude runs silently).
/// Soundness: `error` is reachable iff some run that keeps the assumptions violates the claim.
pub fn instrument(project: &Project, model: &Model, claim: &Claim, assumptions: &[Expr]) -> Result<Instrumented, ModelError> {
    let lowering = model.options.lowering();
    let (mut pool, mut network) = (model.pool.clone(), model.network.clone());
    for condition in claim.conditions().into_iter().chain(assumptions) {
        extend_for(project, &mut pool, &mut network, condition, lowering)?;
    }
    let cx = context(project, &network, lowering);
    let mut m = Monitor::new(model, &cx, &network, pool);
    for assumption in assumptions {
        match mentions::is_about_start(assumption, project) {
            true => m.assume_at_start(assumption)?,
            false => m.assume(assumption)?,
        }
    }
    match claim {
        Claim::Invariant(always) => {
            let holds = m.observe_end(always)?;
            m.violated_unless(holds);
        }
        Claim::Forbidden(never) => {
            let bad = m.observe_end(never)?;
            let holds = m.pool.not(bad);
            m.violated_unless(holds);
        }
        Claim::Implication { when, then } => {
            let when = m.observe_end(when)?;
            m.implied(when, then)?;
        }
        Claim::DuringCycle { at_start, then } => {
            let started = m.observe_begin(at_start)?;
            m.implied(started, then)?;
        }
        Claim::BetweenCycles { after, when, then } => {
            let before = m.memory("#after");
            let was = m.pool.var(before);
            let past = m.branch(was);
            let when = m.observe_end(when)?;
            m.implied(when, then)?;
            m.join(past);
            let now = m.observe_end(after)?;
            m.end = m.flat.step(m.end, Op::Assign(before, now));
        }
        Claim::Temporal { when, then } => {
            let mut faults = Vec::new();
            let when = when.as_ref().map(|when| m.look_back(when, &mut faults)).transpose()?;
            let then = m.look_back(then, &mut faults)?;
            m.fail(&faults);
            let holds = when.map_or(then, |when| m.pool.implies(when, then));
            m.violated_unless(holds);
            m.remember();
        }
        Claim::Reachable(goal) => {
            let mut faults = Vec::new();
            let there = m.look_back(goal, &mut faults)?;
            if !faults.is_empty() {
                // Where it cannot be evaluated runs would end here, though they do not.
                let what = "asking whether a condition is possible that may divide by zero or leave an array's bounds";
                return Err(not_asked(goal, what));
            }
            let elsewhere = m.pool.not(there);
            m.violated_unless(elsewhere);
            m.remember();
        }
        Claim::Repeatable(goal) => {
            return Err(not_asked(goal, "a requirement about some continuation of every run (`always_possible`)"));
        }
        Claim::Assert(ids) => {
            for assert in model.asserts.iter().filter(|a| ids.contains(&a.id)) {
                // The two ways on exclude each other, so that a run is told by its inputs alone.
                for edge in m.flat.edges.iter_mut().filter(|e| e.source == assert.loc) {
                    edge.op = Op::Assume(assert.condition);
                }
                let fails = m.pool.not(assert.condition);
                m.flat.edge(assert.loc, model.cfa.error, Op::Assume(fails), Some(assert.span));
            }
        }
        Claim::Unreached(ids) => {
            for assert in model.asserts.iter().filter(|a| ids.contains(&a.id)) {
                m.flat.edges.retain(|e| e.source != assert.loc);
                m.flat.edge(assert.loc, model.cfa.error, Op::Skip, Some(assert.span));
            }
        }
        Claim::NoFault(kind) => {
            for fault in model.faults.iter().filter(|f| f.kind == *kind) {
                m.flat.edge(fault.loc, model.cfa.error, Op::Skip, Some(fault.span));
            }
        }
        Claim::Executed(spans) => {
            if model.options.marks != Marks::Statements {
                return Err(unmarked());
            }
            let places = model.statements.iter().filter(|(span, _)| spans.contains(span));
            let places: BTreeMap<LocId, Span> = places.map(|(span, loc)| (*loc, *span)).collect();
            m.flat.edges.retain(|e| !places.contains_key(&e.source));
            for (loc, span) in places {
                m.flat.edge(loc, model.cfa.error, Op::Skip, Some(span));
            }
        }
        Claim::NoDoubleWrite => {
            if model.options.marks != Marks::Coils {
                return Err(unmarked());
            }
            m.no_double_write(project);
        }
        Claim::NoLapse(kind) => {
            if model.options.marks != Marks::Lapses(*kind) {
                return Err(unmarked());
            }
            // As with assertions: the two ways on exclude each other.
            let mut goes_on = BTreeMap::new();
            for lapse in model.lapses.iter().filter(|l| l.kind == *kind) {
                goes_on.insert(lapse.loc, m.pool.not(lapse.condition));
                m.flat.edge(lapse.loc, model.cfa.error, Op::Assume(lapse.condition), Some(lapse.span));
            }
            let error = model.cfa.error;
            for edge in m.flat.edges.iter_mut().filter(|e| e.target != error) {
                if let Some(fine) = goes_on.get(&edge.source) {
                    edge.op = Op::Assume(*fine);
                }
            }
        }
    }
    Ok(m.finish())
}

/// A claim about places that the model does not have would hold.
fn unmarked() -> ModelError {
    ModelError::unsupported("a question about places that this model does not mark", Span::new(FileId(0), 0, 0))
}

fn not_asked(goal: &Formula, what: &str) -> ModelError {
    match goal.conditions().first() {
        Some(condition) => ModelError::unsupported(what, condition.span),
        None => ModelError::unsupported(what, Span::new(FileId(0), 0, 0)),
    }
}

pub(super) struct Monitor<'a, 'p> {
    pub(super) model: &'a Model,
    /// The model's, with the functions that conditions call.
    network: &'a Network,
    cx: &'a Context<'p>,
    pub(super) pool: ExprPool,
    pub(super) flat: Flat,
    pub(super) initial: Vec<(VarId, Value)>,
    /// What memories of formulas become when the cycle's claim has been looked at.
    pub(super) next: Vec<(VarId, ExprId)>,
    /// Where control is on the way to the beginning-of-cycle observation.
    arriving: LocId,
    /// Where control is after the observations at the beginning of the cycle.
    pub(super) begin: LocId,
    /// Where the program goes on after them.
    program: LocId,
    /// Where control is after the observations at the end of the cycle.
    pub(super) end: LocId,
    n_conditions: usize,
    /// TRUE from the second cycle on, if an assumption is about the first.
    later: Option<VarId>,
}

impl<'a, 'p> Monitor<'a, 'p> {
    fn new(model: &'a Model, cx: &'a Context<'p>, network: &'a Network, pool: ExprPool) -> Monitor<'a, 'p> {
        let mut flat = Flat::new();
        flat.locs = model.cfa.locs.clone();
        flat.edges = model.cfa.edges.iter().cloned().collect();
        flat.gaps.clone_from(&model.gaps);
        flat.arbitrary.clone_from(&model.arbitrary);
        flat.float_bits.clone_from(&model.float_bits);
        let (boc, eoc) = (model.points.boc, model.points.eoc);
        let arriving = flat.loc(LocKind::Inner);
        let program = flat.loc(LocKind::Inner);
        for edge in &mut flat.edges {
            if edge.target == boc {
                edge.target = arriving;
            }
            if edge.source == boc {
                edge.source = program;
            }
        }
        // Only the way back to the head leaves the end of the cycle; `finish` puts it behind the observations.
        flat.edges.retain(|edge| edge.source != eoc);
        Monitor {
            model,
            network,
            cx,
            pool,
            flat,
            initial: Vec::new(),
            next: Vec::new(),
            arriving,
            begin: boc,
            program,
            end: eoc,
            n_conditions: 0,
            later: None,
        }
    }

    /// Only runs in which the condition holds are looked at.
    fn assume(&mut self, assumption: &Expr) -> Result<(), ModelError> {
        let (value, here) = self.assumed(assumption)?;
        self.arriving = self.flat.step(here, Op::Assume(value));
        Ok(())
    }
    /// Only runs in which the condition holds at the beginning of the first cycle are looked at.
    fn assume_at_start(&mut self, assumption: &Expr) -> Result<(), ModelError> {
        let (value, here) = self.assumed(assumption)?;
        let later = self.later.unwrap_or_else(|| self.memory("#later"));
        self.later = Some(later);
        let later = self.pool.var(later);
        let holds = self.pool.or(later, value);
        self.arriving = self.flat.step(here, Op::Assume(holds));
        Ok(())
    }
    fn assumed(&mut self, assumption: &Expr) -> Result<(ExprId, LocId), ModelError> {
        let (value, faults, here) = self.splice(assumption, self.arriving)?;
        if !faults.is_empty() {
            let what = "an assumption that may divide by zero or leave an array's bounds would exclude runs silently";
            return Err(ModelError::unsupported(what, assumption.span));
        }
        Ok((value, here))
    }
    /// The value of a condition at the beginning of the cycle.
    fn observe_begin(&mut self, condition: &Expr) -> Result<ExprId, ModelError> {
        let (value, faults, here) = self.splice(condition, self.begin)?;
        self.begin = here;
        self.fail(&faults);
        Ok(value)
    }
    /// The value of a condition where control is at the end of the cycle.
    fn observe_end(&mut self, condition: &Expr) -> Result<ExprId, ModelError> {
        let (value, faults, here) = self.splice(condition, self.end)?;
        self.end = here;
        self.fail(&faults);
        Ok(value)
    }
    /// `then` must hold where `when` does; it is not evaluated elsewhere.
    fn implied(&mut self, when: ExprId, then: &Expr) -> Result<(), ModelError> {
        let past = self.branch(when);
        let holds = self.observe_end(then)?;
        self.violated_unless(holds);
        self.join(past);
        Ok(())
    }
    fn violated_unless(&mut self, holds: ExprId) {
        let bad = self.pool.not(holds);
        self.flat.edge(self.end, self.model.cfa.error, Op::Assume(bad), None);
        self.end = self.flat.step(self.end, Op::Assume(holds));
    }
    /// From here on only where `e` holds; the location where the others wait is returned.
    fn branch(&mut self, e: ExprId) -> LocId {
        let not = self.pool.not(e);
        let past = self.flat.step(self.end, Op::Assume(not));
        self.end = self.flat.step(self.end, Op::Assume(e));
        past
    }
    fn join(&mut self, past: LocId) {
        self.flat.edge(self.end, past, Op::Skip, None);
        self.end = past;
    }
    /// A Bool that the monitor keeps from cycle to cycle; FALSE at the start.
    pub(super) fn memory(&mut self, name: &str) -> VarId {
        let var = self.pool.new_var(name, Sort::Bool);
        self.initial.push((var, Value::Bool(false)));
        var
    }
    fn fail(&mut self, faults: &[LocId]) {
        for loc in faults {
            self.flat.edge(*loc, self.model.cfa.error, Op::Skip, None);
        }
    }
    /// A condition between `from` and a new location; its value there, and the dead ends where it cannot be evaluated.
    pub(super) fn splice(&mut self, expr: &Expr, from: LocId) -> Result<(ExprId, Vec<LocId>, LocId), ModelError> {
        self.n_conditions += 1;
        let Condition { graph, value } = condition(self.cx, &mut self.pool, &format!("#{}", self.n_conditions), expr)?;
        let to = self.flat.loc(LocKind::Inner);
        let n_faults = self.flat.faults.len();
        let limit = self.model.options.max_edges;
        self.flat.splice(&mut self.pool, self.network, &graph, BTreeMap::new(), (from, to), limit)?;
        let faults = self.flat.faults[n_faults..].iter().map(|f| f.loc).collect();
        Ok((self.pool.var(value), faults, to))
    }

    fn finish(mut self) -> Instrumented {
        let model = self.model;
        if let Some(later) = self.later {
            let yes = self.pool.bool(true);
            self.end = self.flat.step(self.end, Op::Assign(later, yes));
        }
        self.flat.edge(self.arriving, model.points.boc, Op::Skip, None);
        self.flat.edge(self.begin, self.program, Op::Skip, None);
        self.flat.edge(self.end, model.cfa.head, Op::Skip, None);
        let mut initial = model.cfa.initial.clone();
        initial.extend(self.initial);
        let mut cfa = Cfa {
            locs: self.flat.locs,
            edges: self.flat.edges.into_iter().collect(),
            init: model.cfa.init,
            head: model.cfa.head,
            error: model.cfa.error,
            vars: Vec::new(),
            initial,
        };
        let vars: BTreeSet<VarId> = mentioned(&self.pool, &cfa).into_iter().chain(model.cfa.vars.iter().copied()).collect();
        cfa.vars = vars.into_iter().collect();
        let Flat { gaps, arbitrary, float_bits, .. } = self.flat;
        Instrumented { pool: self.pool, cfa, gaps, arbitrary, float_bits }
    }
}
