//! Inlining: each call edge becomes a copy of the callee with its formals bound to the caller's variables.
//!
//! A function that calls itself is copied [`MAX_ACTIVATIONS`] times, each copy with locals of its own. One more call is the fault
//! `CallDepth`, as in the interpreter. No recursion here: calls wait in a list.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use plc_frontend::hir::{AnomalyKind, FaultKind, MAX_ACTIVATIONS};
use plc_frontend::ids::IndexVec;
use plc_frontend::ledger::GapId;
use plc_frontend::source::Span;

use super::at_call::AtCalls;
use super::automaton::{Edge, Loc, LocId, LocKind, Op};
use super::call_region::CallRegion;
use super::model::ModelError;
use super::network::{Graph, NetOp, Network, ProcId};
use super::recursion::OpenCalls;
use super::site::{Site, SiteKind};
use super::too_large::{Measure, TooLarge};
use crate::expr::{ExprId, ExprPool, Subst, VarId};

/// A CFA that is being put together.
pub(crate) struct Flat {
    pub(crate) locs: IndexVec<LocId, Loc>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) gaps: Vec<(GapId, LocId)>,
    pub(crate) arbitrary: Vec<(GapId, VarId)>,
    pub(crate) float_bits: Vec<VarId>,
    pub(crate) sites: Vec<Site>,
    pub(crate) anomalies: BTreeSet<AnomalyKind>,
    pub(crate) calls: Vec<CallRegion>,
    /// Calls of recursive procedures; `None`: they are written out.
    pub(crate) open: Option<OpenCalls>,
    /// Values that calls of stubs give; `None`: one variable stands for all calls.
    pub(crate) at_calls: Option<AtCalls>,
}

/// A graph whose copy goes between two locations.
pub(crate) struct Copied<'n> {
    pub(crate) graph: &'n Graph,
    pub(crate) binding: BTreeMap<VarId, ExprId>,
    pub(crate) from: LocId,
    pub(crate) to: LocId,
    /// The procedure, if it calls itself.
    recursive: Option<ProcId>,
    /// Calls of recursive procedures in which it is.
    open: Rc<[ProcId]>,
    /// [`plc_frontend::hir::call_path`]; `None` where the calls around it are not known.
    path: Option<u64>,
}

impl<'n> Copied<'n> {
    /// Returns a graph that is no procedure.
    pub(crate) fn graph(graph: &'n Graph, from: LocId, to: LocId) -> Copied<'n> {
        Copied { graph, binding: BTreeMap::new(), from, to, recursive: None, open: Rc::default(), path: None }
    }
    /// Returns the call of a procedure between two locations.
    pub(crate) fn call(
        pool: &mut ExprPool,
        network: &'n Network,
        proc: ProcId,
        binding: &[VarId],
        from: LocId,
        to: LocId,
    ) -> Copied<'n> {
        let procedure = &network.procedures[proc];
        assert_eq!(procedure.formals.len(), binding.len(), "a call binds every formal");
        let binding = procedure.formals.iter().zip(binding).map(|(formal, var)| (*formal, pool.var(*var))).collect();
        let recursive = procedure.is_recursive.then_some(proc);
        Copied { graph: &procedure.graph, binding, from, to, recursive, open: Rc::default(), path: None }
    }
    /// Returns the same with the number of the calls around it.
    pub(crate) fn at_path(self, path: u64) -> Copied<'n> {
        Copied { path: Some(path), ..self }
    }
    /// Returns the number of calls of `proc` in which the copy is, itself included.
    fn n_open(&self, proc: ProcId) -> usize {
        self.open.iter().chain(&self.recursive).filter(|of| **of == proc).count()
    }
}

/// Locals of the calls of recursive procedures: of the procedure and the number of its open calls. The first one has the
/// procedure's own.
type Locals = BTreeMap<(ProcId, usize), Vec<(VarId, VarId)>>;

impl Flat {
    pub(crate) fn new() -> Flat {
        Flat {
            locs: IndexVec::new(),
            edges: Vec::new(),
            gaps: Vec::new(),
            arbitrary: Vec::new(),
            float_bits: Vec::new(),
            sites: Vec::new(),
            anomalies: BTreeSet::new(),
            calls: Vec::new(),
            open: None,
            at_calls: None,
        }
    }
    /// Returns a new location.
    pub(crate) fn loc(&mut self, kind: LocKind) -> LocId {
        let id = LocId(self.locs.len() as u32);
        self.locs.push(Loc { kind, origin: id })
    }
    /// Adds an edge.
    pub(crate) fn edge(&mut self, source: LocId, target: LocId, op: Op, span: Option<Span>) {
        self.edges.push(Edge { source, target, op, span });
    }
    /// Adds an edge to a new location, which is returned.
    pub(crate) fn step(&mut self, source: LocId, op: Op) -> LocId {
        let target = self.loc(LocKind::Inner);
        self.edge(source, target, op, None);
        target
    }

    /// Adds one operation after the other between two locations.
    fn steps(&mut self, source: LocId, target: LocId, ops: Vec<Op>, span: Option<Span>) {
        let (mut here, last) = (source, ops.len().saturating_sub(1));
        for (i, op) in ops.into_iter().enumerate() {
            let next = if i == last { target } else { self.loc(LocKind::Inner) };
            self.edge(here, next, op, span);
            here = next;
        }
    }

    /// Adds a copy of a graph, everything it calls included.
    ///
    /// Stops: [`ModelError`] as soon as there are more than `max_edges` edges or too many expressions.
    pub(crate) fn splice(
        &mut self,
        pool: &mut ExprPool,
        network: &Network,
        copied: Copied<'_>,
        max_edges: usize,
    ) -> Result<(), ModelError> {
        let max_nodes = max_edges.saturating_mul(super::model::NODES_PER_EDGE);
        let mut shared = network.shared.subst();
        let mut locals = Locals::new();
        let mut jobs = vec![copied];
        while let Some(mut job) = jobs.pop() {
            if max_edges < self.edges.len().saturating_add(job.graph.edges.len()) {
                return Err(ModelError::TooLarge(TooLarge::by_calls(Measure::Steps, max_edges, network, &self.calls)));
            }
            if max_nodes < pool.len() {
                return Err(ModelError::TooLarge(TooLarge::by_calls(Measure::Expressions, max_nodes, network, &self.calls)));
            }
            rename_locals(pool, network, &mut job, &mut locals);
            self.copy(pool, network, job, &mut shared, &mut jobs);
        }
        Ok(())
    }

    /// Marks the ends of a call and notes it; returns the copy that is to be made. A function that is open too often has none: the
    /// run ends there.
    fn call<'n>(
        &mut self,
        network: &Network,
        proc: ProcId,
        binding: Vec<VarId>,
        call: Copied<'n>,
        span: Span,
    ) -> Option<Copied<'n>> {
        for loc in [call.from, call.to] {
            if self.locs[loc].kind == LocKind::Inner {
                self.locs[loc].kind = LocKind::Call;
            }
        }
        if call.open.iter().filter(|of| **of == proc).count() == MAX_ACTIVATIONS {
            let end = self.step(call.from, Op::Skip);
            self.sites.push(Site { kind: SiteKind::Fault(FaultKind::CallDepth), span, loc: end });
            return None;
        }
        let name = network.procedures[proc].name.clone();
        self.calls.push(CallRegion { name, entry: call.from, exit: call.to, binding });
        Some(call)
    }

    /// Adds the call of a recursive procedure, whose operation follows.
    fn keep_call(&mut self, proc: ProcId, source: LocId, target: LocId, span: Span) {
        // Both ends are locations of their own, so that nothing else leads from the one to the other.
        let (before, after) = (self.loc(LocKind::Call), self.loc(LocKind::Call));
        self.edge(source, before, Op::Skip, None);
        if let Some(open) = &mut self.open {
            open.add(proc, self.edges.len());
        }
        self.edge(before, after, Op::Skip, Some(span));
        self.edge(after, target, Op::Skip, None);
    }

    /// Returns the locations of a copy between two others.
    fn locs_of(&mut self, graph: &Graph, from: LocId, to: LocId) -> IndexVec<LocId, LocId> {
        let here = |(id, kind): (LocId, &LocKind)| match id {
            id if id == graph.entry => from,
            id if id == graph.exit => to,
            _ => self.loc(*kind),
        };
        graph.locs.iter_enumerated().map(here).collect()
    }

    fn copy<'n>(
        &mut self,
        pool: &mut ExprPool,
        network: &'n Network,
        mut job: Copied<'n>,
        shared: &mut Subst,
        jobs: &mut Vec<Copied<'n>>,
    ) {
        let graph = job.graph;
        let open: Rc<[ProcId]> = job.open.iter().chain(&job.recursive).copied().collect();
        let locs = self.locs_of(graph, job.from, job.to);
        if let (Some(at_calls), Some(path)) = (&mut self.at_calls, job.path) {
            at_calls.bind(pool, graph, path, &mut job.binding);
            at_calls.whole_loops.extend(&graph.whole_loops);
        }
        let mut subst = Subst::new(job.binding);
        // Returns an expression of the procedure in this copy, for edges and sites alike: a variable without memory of its own is
        // read through its cells.
        let mut here = |pool: &mut ExprPool, subst: &mut Subst, e: ExprId| -> ExprId {
            let e = subst.apply(pool, e);
            shared.apply(pool, e)
        };
        let bound = |pool: &mut ExprPool, subst: &mut Subst, var: VarId| -> VarId {
            match subst.map().get(&var).map(|e| pool.expr(*e)) {
                Some(crate::expr::Expr::Var(other)) => other,
                Some(_) => unreachable!("formals are bound to variables"),
                None => var,
            }
        };
        for edge in &graph.edges {
            let (source, target) = (locs[edge.source], locs[edge.target]);
            let op = match &edge.op {
                NetOp::Skip => Op::Skip,
                NetOp::Assume(e) => Op::Assume(here(pool, &mut subst, *e)),
                NetOp::AssumeOf { formal, meant, condition } if bound(pool, &mut subst, *formal) == *meant => {
                    Op::Assume(here(pool, &mut subst, *condition))
                }
                NetOp::AssumeOf { .. } => Op::Skip,
                NetOp::Assign(var, e) => {
                    let (var, e) = (bound(pool, &mut subst, *var), here(pool, &mut subst, *e));
                    if let Some(ops) = network.shared.assign(pool, var, e) {
                        self.float_bits.extend(havocked(&ops));
                        self.steps(source, target, ops, edge.span);
                        continue;
                    }
                    Op::Assign(var, e)
                }
                NetOp::Havoc(var) => {
                    let var = bound(pool, &mut subst, *var);
                    if let Some(ops) = network.shared.havoc(pool, var) {
                        self.float_bits.extend(havocked(&ops).filter(|any| *any != var));
                        self.steps(source, target, ops, edge.span);
                        continue;
                    }
                    Op::Havoc(var)
                }
                NetOp::Call { proc, span, .. } if network.procedures[*proc].is_recursive && self.open.is_some() => {
                    self.keep_call(*proc, source, target, *span);
                    continue;
                }
                NetOp::Call { proc, binding, span, rounds } => {
                    let binding: Vec<VarId> = binding.iter().map(|v| bound(pool, &mut subst, *v)).collect();
                    let called = (&network.procedures[*proc], binding.as_slice());
                    let path = job.path.zip(self.at_calls.as_ref()).map(|(around, at)| at.path(around, *span, called, rounds));
                    let call =
                        Copied { open: open.clone(), path, ..Copied::call(pool, network, *proc, &binding, source, target) };
                    jobs.extend(self.call(network, *proc, binding, call, *span));
                    continue;
                }
            };
            self.edge(source, target, op, edge.span);
        }
        self.gaps.extend(graph.gaps.iter().map(|(gap, loc)| (*gap, locs[*loc])));
        for (gap, var) in &graph.arbitrary {
            self.arbitrary.push((*gap, bound(pool, &mut subst, *var)));
        }
        for var in &graph.float_bits {
            self.float_bits.push(bound(pool, &mut subst, *var));
        }
        self.anomalies.extend(&graph.anomalies);
        for site in &graph.sites {
            let kind = match site.kind {
                SiteKind::Fault(kind) => SiteKind::Fault(kind),
                SiteKind::Assert { id, condition } => SiteKind::Assert { id, condition: here(pool, &mut subst, condition) },
                SiteKind::Anomaly { kind, condition } => SiteKind::Anomaly { kind, condition: here(pool, &mut subst, condition) },
                SiteKind::Statement => SiteKind::Statement,
                SiteKind::Coil { var, value } => {
                    SiteKind::Coil { var: bound(pool, &mut subst, var), value: here(pool, &mut subst, value) }
                }
            };
            self.sites.push(Site { kind, span: site.span, loc: locs[site.loc] });
        }
    }
}

/// Binds the locals of a recursive procedure to variables of this call.
fn rename_locals(pool: &mut ExprPool, network: &Network, job: &mut Copied<'_>, locals: &mut Locals) {
    let Some(proc) = job.recursive else { return };
    let n_open = job.n_open(proc);
    if n_open < 2 {
        return;
    }
    let renamed = locals.entry((proc, n_open)).or_insert_with(|| {
        let rename = |var: &VarId| {
            let decl = pool.var_decl(*var).clone();
            (*var, pool.new_var(format!("{} (call {n_open})", decl.name), decl.sort))
        };
        network.procedures[proc].locals.iter().map(rename).collect()
    });
    for (local, of_call) in renamed.iter() {
        job.binding.insert(*local, pool.var(*of_call));
    }
}

/// Returns the variables that the operations havoc: the bits of a float that shares memory.
fn havocked(ops: &[Op]) -> impl Iterator<Item = VarId> + '_ {
    ops.iter().filter_map(|op| match op {
        Op::Havoc(var) => Some(*var),
        Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Block(_) => None,
    })
}
