//! The monitor in the making: a copy of the model with observations at the beginning and at the end of the cycle.

use std::collections::BTreeSet;

use plc_frontend::hir::Expr;

use super::instrument::Instrumented;
use crate::cfa::inline::{Copied, Flat};
use crate::cfa::lower::{Condition, Context, condition};
use crate::cfa::model::{Model, ModelError, mentioned};
use crate::cfa::network::Network;
use crate::cfa::{Cfa, LocId, LocKind, Op, Site, SiteKind};
use crate::expr::{ExprId, ExprPool, Sort, Value, VarId};

/// Model with the monitor that is being added.
pub(super) struct Monitor<'a, 'p> {
    pub(super) model: &'a Model,
    /// The model's network, with the functions that conditions call.
    network: &'a Network,
    cx: &'a Context<'p>,
    pub(super) pool: ExprPool,
    pub(super) flat: Flat,
    pub(super) initial: Vec<(VarId, Value)>,
    /// New values of the memories of formulas, assigned after the cycle's last observation.
    pub(super) next: Vec<(VarId, ExprId)>,
    /// Location on the way to the observations at the beginning of the cycle.
    arriving: LocId,
    /// Location after the observations at the beginning of the cycle.
    pub(super) begin: LocId,
    /// First location of the program after them.
    program: LocId,
    /// Location after the observations at the end of the cycle.
    pub(super) end: LocId,
    n_conditions: usize,
    /// TRUE from the second cycle on, if an assumption is about the first.
    later: Option<VarId>,
}

impl<'a, 'p> Monitor<'a, 'p> {
    pub(super) fn new(model: &'a Model, cx: &'a Context<'p>, network: &'a Network, pool: ExprPool) -> Monitor<'a, 'p> {
        let mut flat = Flat::new();
        flat.locs = model.cfa.locs.clone();
        flat.edges = model.cfa.edges.iter().cloned().collect();
        flat.calls.clone_from(&model.cfa.calls);
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
        // Only the edge back to the head leaves the end of the cycle; `finish` adds it behind the observations.
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

    /// Excludes runs in which the condition does not hold.
    pub(super) fn assume(&mut self, assumption: &Expr) -> Result<(), ModelError> {
        let (value, here) = self.assumed(assumption)?;
        self.arriving = self.flat.step(here, Op::Assume(value));
        Ok(())
    }
    /// Excludes runs in which the condition does not hold at the beginning of the first cycle.
    pub(super) fn assume_at_start(&mut self, assumption: &Expr) -> Result<(), ModelError> {
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
    /// Returns the value of a condition at the beginning of the cycle.
    pub(super) fn observe_begin(&mut self, condition: &Expr) -> Result<ExprId, ModelError> {
        let (value, faults, here) = self.splice(condition, self.begin)?;
        self.begin = here;
        self.fail(&faults);
        Ok(value)
    }
    /// Returns the value of a condition at the end of the cycle.
    pub(super) fn observe_end(&mut self, condition: &Expr) -> Result<ExprId, ModelError> {
        let (value, faults, here) = self.splice(condition, self.end)?;
        self.end = here;
        self.fail(&faults);
        Ok(value)
    }
    /// Requires `then` where `when` holds; it is not evaluated elsewhere.
    pub(super) fn implied(&mut self, when: ExprId, then: &Expr) -> Result<(), ModelError> {
        let past = self.branch(when);
        let holds = self.observe_end(then)?;
        self.violated_unless(holds);
        self.join(past);
        Ok(())
    }
    pub(super) fn violated_unless(&mut self, holds: ExprId) {
        let bad = self.pool.not(holds);
        self.flat.edge(self.end, self.model.cfa.error, Op::Assume(bad), None);
        self.end = self.flat.step(self.end, Op::Assume(holds));
    }
    /// Adds a branch and goes on where `e` holds. Returns the location of the other runs.
    pub(super) fn branch(&mut self, e: ExprId) -> LocId {
        let not = self.pool.not(e);
        let past = self.flat.step(self.end, Op::Assume(not));
        self.end = self.flat.step(self.end, Op::Assume(e));
        past
    }
    pub(super) fn join(&mut self, past: LocId) {
        self.flat.edge(self.end, past, Op::Skip, None);
        self.end = past;
    }
    /// Adds a Bool that the monitor keeps from cycle to cycle; FALSE at the start.
    pub(super) fn memory(&mut self, name: &str) -> VarId {
        let var = self.pool.new_var(name, Sort::Bool);
        self.initial.push((var, Value::Bool(false)));
        var
    }
    pub(super) fn fail(&mut self, faults: &[LocId]) {
        for loc in faults {
            self.flat.edge(*loc, self.model.cfa.error, Op::Skip, None);
        }
    }
    /// Puts a condition between `from` and a new location. Returns its value, the dead ends of its faults, and the location.
    pub(super) fn splice(&mut self, expr: &Expr, from: LocId) -> Result<(ExprId, Vec<LocId>, LocId), ModelError> {
        self.n_conditions += 1;
        let Condition { graph, value } = condition(self.cx, &mut self.pool, &format!("#{}", self.n_conditions), expr)?;
        let to = self.flat.loc(LocKind::Inner);
        let n_sites = self.flat.sites.len();
        let limit = self.model.options.max_edges;
        let copied = Copied::graph(&graph, from, to);
        self.flat.splice(&mut self.pool, self.network, copied, limit)?;
        let is_fault = |site: &&Site| matches!(site.kind, SiteKind::Fault(_));
        let faults = self.flat.sites[n_sites..].iter().filter(is_fault).map(|fault| fault.loc).collect();
        Ok((self.pool.var(value), faults, to))
    }

    pub(super) fn finish(mut self) -> Instrumented {
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
            calls: self.flat.calls,
            recursion: model.cfa.recursion.clone(),
        };
        let vars: BTreeSet<VarId> = mentioned(&self.pool, &cfa).into_iter().chain(model.cfa.vars.iter().copied()).collect();
        cfa.vars = vars.into_iter().collect();
        let Flat { gaps, arbitrary, float_bits, .. } = self.flat;
        Instrumented { pool: self.pool, cfa, gaps, arbitrary, at_calls: model.at_calls.clone(), float_bits }
    }
}
