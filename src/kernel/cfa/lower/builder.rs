//! The growing graph: position of control, edges, temporaries, dead ends.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use plc_frontend::hir::{AnomalyKind, FaultKind, GlobalId, InstanceId, PouId, Project, Root, TypeId};
use plc_frontend::ids::IndexVec;
use plc_frontend::ledger::GapId;
use plc_frontend::source::Span;

use super::constants::Constants;
use super::layout::{Layout, scalars, value_of};
use super::{Aliases, Header, LowerOptions};
use crate::cfa::automaton::{LocId, LocKind};
use crate::cfa::model::{Marks, ModelError};
use crate::cfa::network::{Graph, NetEdge, NetOp, ProcId};
use crate::cfa::site::{Site, SiteKind};
use crate::cfa::too_large::{Measure, TooLarge};
use crate::expr::{ExprId, ExprPool, Sort, Value, VarId};

/// Data about a project that every lowering reads and none changes.
pub(crate) struct Context<'p> {
    pub(crate) project: &'p Project,
    pub(crate) layout: Layout,
    pub(crate) options: LowerOptions,
    pub(crate) globals: IndexVec<GlobalId, Rc<[VarId]>>,
    pub(crate) instances: IndexVec<InstanceId, Rc<[VarId]>>,
    pub(crate) headers: IndexVec<ProcId, Header>,
    pub(crate) proc_of: BTreeMap<PouId, ProcId>,
    pub(crate) constants: Constants,
    pub(crate) aliases: Aliases,
    /// TRUE if a write to one variable may change another one.
    pub(crate) shares_memory: bool,
}

/// Targets of EXIT and CONTINUE.
#[derive(Clone, Copy)]
pub(super) struct LoopExits {
    pub(super) exit: LocId,
    pub(super) next: LocId,
}

/// Lowering of one body or one condition: the graph so far and the current position.
pub(crate) struct Builder<'a, 'p> {
    pub(super) cx: &'a Context<'p>,
    pub(crate) pool: &'a mut ExprPool,
    /// Procedure of the variables in [`Root::Var`]; conditions have none.
    pub(super) own: Option<ProcId>,
    pub(crate) graph: Graph,
    /// Temporaries.
    pub(crate) temps: Vec<VarId>,
    pub(super) here: LocId,
    pub(super) span: Option<Span>,
    pub(super) loops: Vec<LoopExits>,
    /// Labels of the enclosing statement lists, the innermost last.
    pub(super) jumps: Vec<super::jump::Labels>,
    /// Values of control variables while their loop is unrolled.
    pub(super) known: BTreeMap<VarId, Value>,
    /// Loops that are too large to unroll.
    pub(super) kept_loops: BTreeSet<Span>,
    /// Values of the control variables of the loops that are being unrolled.
    pub(super) rounds: Vec<i128>,
    prefix: String,
    n_names: usize,
}

impl<'a, 'p> Builder<'a, 'p> {
    pub(crate) fn new(cx: &'a Context<'p>, pool: &'a mut ExprPool, own: Option<ProcId>, prefix: &str) -> Builder<'a, 'p> {
        let graph = Graph::new();
        Builder {
            cx,
            pool,
            own,
            here: graph.entry,
            graph,
            temps: Vec::new(),
            span: None,
            loops: Vec::new(),
            jumps: Vec::new(),
            known: BTreeMap::new(),
            kept_loops: BTreeSet::new(),
            rounds: Vec::new(),
            prefix: prefix.to_string(),
            n_names: 0,
        }
    }

    /// Returns a new location.
    pub(super) fn loc(&mut self, kind: LocKind) -> LocId {
        self.graph.locs.push(kind)
    }
    /// Adds an edge between two locations.
    pub(super) fn edge(&mut self, source: LocId, target: LocId, op: NetOp) {
        self.graph.edges.push(NetEdge { source, target, op, span: self.span });
    }
    /// Adds an edge from here to a new location and continues there.
    pub(super) fn step(&mut self, op: NetOp) {
        let target = self.loc(LocKind::Inner);
        self.edge(self.here, target, op);
        self.here = target;
    }
    /// Adds a jump to `target`; following statements are unreachable.
    pub(super) fn goto(&mut self, target: LocId) {
        self.edge(self.here, target, NetOp::Skip);
        self.here = self.loc(LocKind::Inner);
    }
    /// Adds an edge from here to `target` and continues there.
    pub(super) fn join(&mut self, target: LocId) {
        self.edge(self.here, target, NetOp::Skip);
        self.here = target;
    }
    /// Adds `var := value`.
    pub(super) fn assign(&mut self, var: VarId, value: ExprId) {
        self.step(NetOp::Assign(var, value));
    }
    /// Adds the assumption that `e` holds.
    pub(super) fn assume(&mut self, e: ExprId) {
        self.step(NetOp::Assume(e));
    }
    /// Adds a branch: returns a location where `e` holds and one where it does not.
    pub(super) fn branch(&mut self, e: ExprId) -> (LocId, LocId) {
        let not = self.pool.not(e);
        let (yes, no) = (self.loc(LocKind::Inner), self.loc(LocKind::Inner));
        self.edge(self.here, yes, NetOp::Assume(e));
        self.edge(self.here, no, NetOp::Assume(not));
        (yes, no)
    }
    /// Adds a fault: a run ends here if `bad` holds, and continues otherwise.
    pub(super) fn fault(&mut self, kind: FaultKind, span: Span, bad: ExprId) {
        if self.pool.is_false(bad) {
            return;
        }
        let end = self.loc(LocKind::Inner);
        self.graph.sites.push(Site { kind: SiteKind::Fault(kind), span, loc: end });
        self.edge(self.here, end, NetOp::Assume(bad));
        let fine = self.pool.not(bad);
        self.assume(fine);
    }
    /// Adds the site of an anomaly, which happens if `condition` holds. The run continues in both cases.
    pub(super) fn anomaly(&mut self, kind: AnomalyKind, span: Span, condition: impl FnOnce(&mut Self) -> ExprId) {
        self.graph.anomalies.insert(kind);
        if self.cx.options.marks != Marks::Anomalies(kind) {
            return;
        }
        let condition = condition(self);
        if !self.pool.is_false(condition) {
            self.site(SiteKind::Anomaly { kind, condition }, span);
        }
    }
    /// Adds the site of a statement that begins here, if the options ask for sites of statements.
    pub(super) fn statement(&mut self, span: Span) {
        if self.cx.options.marks == Marks::Statements {
            self.site(SiteKind::Statement, span);
        }
    }
    /// Adds a site here, at a location of its own.
    pub(super) fn site(&mut self, kind: SiteKind, span: Span) {
        let loc = self.own_place();
        self.graph.sites.push(Site { kind, span, loc });
    }
    /// Returns a location that has no other site, and continues behind it.
    pub(super) fn own_place(&mut self) -> LocId {
        // The first location of a body belongs to its caller.
        if self.here == self.graph.entry {
            self.step(NetOp::Skip);
        }
        let loc = self.here;
        self.step(NetOp::Skip);
        loc
    }
    /// Adds a dead end: the run is unknown beyond it.
    pub(super) fn gap(&mut self, gap: GapId) {
        let end = self.loc(LocKind::Inner);
        self.graph.gaps.push((gap, end));
        self.goto(end);
    }

    /// Returns a new temporary of the procedure.
    pub(super) fn temp(&mut self, what: &str, sort: Sort) -> VarId {
        self.n_names += 1;
        let var = self.pool.new_var(format!("{}#{what}{}", self.prefix, self.n_names), sort);
        self.temps.push(var);
        var
    }
    /// Returns an expression that keeps the present value of `e` through later assignments.
    pub(super) fn hold(&mut self, e: ExprId) -> ExprId {
        if self.pool.as_const(e).is_some() {
            return e;
        }
        let temp = self.temp("value", self.pool.sort(e));
        self.assign(temp, e);
        self.pool.var(temp)
    }
    /// Returns a new temporary with an arbitrary value.
    pub(super) fn arbitrary(&mut self, what: &str, sort: Sort) -> VarId {
        let temp = self.temp(what, sort);
        self.step(NetOp::Havoc(temp));
        temp
    }
    /// Returns the scalars of a place's root variable.
    pub(super) fn root(&self, root: Root) -> Rc<[VarId]> {
        match (root, self.own) {
            (Root::Var(var), Some(proc)) => self.cx.headers[proc].vars[var].clone(),
            (Root::This(_), Some(proc)) => self.whole_instance(proc),
            (Root::Var(_) | Root::This(_), None) => unreachable!("conditions have no variables of their own"),
            (Root::Global(global), _) => self.cx.globals[global].clone(),
            (Root::Instance(instance), _) => self.cx.instances[instance].clone(),
        }
    }
    /// Returns the scalars of the instance of a procedure.
    fn whole_instance(&self, proc: ProcId) -> Rc<[VarId]> {
        let header = &self.cx.headers[proc];
        let persistent = header.vars.iter_enumerated().filter(|(id, _)| self.cx.layout.member(header.pou, *id).is_some());
        persistent.flat_map(|(_, vars)| vars.iter().copied()).collect()
    }
    /// Returns the present value of a variable.
    pub(super) fn value(&mut self, var: VarId) -> ExprId {
        match self.known.get(&var) {
            Some(value) => self.pool.constant(*value),
            None => self.pool.var(var),
        }
    }
    /// Gives the scalars of a variable their declared initial values.
    pub(super) fn initialise(&mut self, vars: &[VarId], ty: TypeId, init: &plc_frontend::hir::Init) {
        for (k, (var, scalar)) in vars.iter().zip(scalars(self.cx.project, ty, init)).enumerate() {
            if self.cx.layout.is_view(ty, k) {
                continue;
            }
            let value = self.pool.constant(value_of(self.cx.project, scalar.ty, scalar.init));
            self.assign(*var, value);
        }
    }

    /// Fails once the program is too large.
    pub(super) fn check_size(&self) -> Result<(), ModelError> {
        let LowerOptions { max_edges, max_nodes, .. } = self.cx.options;
        if max_edges < self.graph.edges.len() {
            Err(ModelError::TooLarge(TooLarge::at(Measure::Steps, max_edges, self.span)))
        } else if max_nodes < self.pool.len() {
            Err(ModelError::TooLarge(TooLarge::at(Measure::Expressions, max_nodes, self.span)))
        } else {
            Ok(())
        }
    }
    /// Returns the size of the graph, to undo later additions.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            locs: self.graph.locs.len(),
            edges: self.graph.edges.len(),
            gaps: self.graph.gaps.len(),
            sites: self.graph.sites.len(),
            arbitrary: self.graph.arbitrary.len(),
            temps: self.temps.len(),
            here: self.here,
            span: self.span,
        }
    }
    /// Removes everything that was added after `mark`.
    pub(super) fn undo(&mut self, mark: Mark) {
        self.graph.locs = self.graph.locs.iter().take(mark.locs).copied().collect();
        self.graph.edges.truncate(mark.edges);
        self.graph.gaps.truncate(mark.gaps);
        self.graph.sites.truncate(mark.sites);
        self.graph.arbitrary.truncate(mark.arbitrary);
        self.temps.truncate(mark.temps);
        self.here = mark.here;
        self.span = mark.span;
    }
    /// Returns the number of edges that were added after `mark`.
    pub(super) fn grown(&self, mark: Mark) -> usize {
        self.graph.edges.len() - mark.edges
    }
}

/// Size of a graph at one moment.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    locs: usize,
    edges: usize,
    gaps: usize,
    sites: usize,
    arbitrary: usize,
    temps: usize,
    here: LocId,
    span: Option<Span>,
}
