//! The instance-level CFA of a project: the scan cycle around its programs.

use std::collections::BTreeSet;
use std::sync::Arc;

use plc_frontend::hir::{AnomalyKind, Leaf, Project, Role, Root, Type};
use plc_frontend::ids::{Id, IndexVec};
use plc_frontend::ledger::GapId;
use plc_frontend::source::Span;

use super::at_call::{AtCallVars, AtCalls};
use super::automaton::{Cfa, Edge, LocId, LocKind, Op};
use super::call_region::renumbered;
use super::inline::{Copied, Flat};
use super::lower::{LowerOptions, initial_values, lower};
use super::network::Network;
use super::recursion::{OpenCalls, Recursion, complete};
use super::site::Site;
use super::stopwatch::{Values, limits, ticked};
use super::too_large::TooLarge;
use crate::expr::{BvCmp, ExprPool, Sort, Value, VarId};

/// Most expressions of a model for each allowed edge.
pub(crate) const NODES_PER_EDGE: usize = 10;

/// A program with its scan cycle, ready for requirements.
///
/// ```text
/// init → head → inputs havocked → #dt → stopwatches → boc → programs in their order → eoc → head
///                                                              └→ faults, gaps: dead ends
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    /// Expressions and variables.
    pub pool: ExprPool,
    /// The automaton; no edge leads to its error location yet.
    pub cfa: Cfa,
    /// The persistent state: every leaf of the project with a value and memory of its own, and its variable. Hidden stopwatches
    /// may saturate earlier than the interpreter's; see [`super::stopwatch`].
    pub leaves: Vec<(Leaf, VarId)>,
    /// The time since the last cycle, in milliseconds: unsigned, 32 bits.
    pub dt: VarId,
    /// Locations of the observations.
    pub points: Points,
    /// Places that assertions and checks are about.
    pub sites: Vec<Site>,
    /// Dead ends at unmodelled places: runs are unknown after them.
    pub gaps: Vec<(GapId, LocId)>,
    /// Variables whose arbitrary values stand for values that are not modelled exactly.
    pub arbitrary: Vec<(GapId, VarId)>,
    /// Variables with the values that calls of stubs give.
    pub at_calls: AtCallVars,
    /// Variables with the bits of a float: any bits of its value, and NaN has many.
    pub float_bits: Vec<VarId>,
    /// Kinds of anomalies that can happen, also without sites for them.
    pub anomalies: BTreeSet<AnomalyKind>,
    /// Network that the model was made from. Conditions are lowered against it.
    pub network: Network,
    /// Options of the model.
    pub options: ModelOptions,
}

/// Observation points of the cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Points {
    /// Beginning of the cycle: inputs are new, no statement has run. One edge leads to it, a [`Op::Skip`].
    pub boc: LocId,
    /// End of the cycle. One edge leaves it, a [`Op::Skip`] to the head.
    pub eoc: LocId,
}

/// Options of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelOptions {
    /// Shortest time between cycles, in milliseconds; at least 0.
    pub dt_min_ms: u32,
    /// Longest time between cycles.
    pub dt_max_ms: u32,
    /// Rounds of one loop each time it is entered; the next one is a Watchdog fault. The interpreter has the same limit.
    pub loop_rounds: u32,
    /// Larger models are refused.
    pub max_edges: usize,
    /// Sites that the model has besides faults and assertions. They cost locations and expressions.
    pub marks: Marks,
    /// Treatment of recursive calls.
    pub recursive_calls: RecursiveCalls,
}

/// Treatment of the calls of functions that call themselves, also by way of others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecursiveCalls {
    /// Written out as deep as the interpreter executes them. One more is the fault `CallDepth`.
    #[default]
    WrittenOut,
    /// Calls of any depth: the automaton is open ([`super::Recursion`]), and has no fault `CallDepth`.
    Kept,
}

/// Sites of a model for one check only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// None.
    None,
    /// Anomalies of a kind.
    Anomalies(AnomalyKind),
    /// Statements.
    Statements,
    /// Assignments of computed values to named BOOLs.
    Coils,
}

impl Default for ModelOptions {
    fn default() -> ModelOptions {
        ModelOptions {
            dt_min_ms: 100,
            dt_max_ms: 100,
            loop_rounds: 10_000,
            max_edges: 300_000,
            marks: Marks::None,
            recursive_calls: RecursiveCalls::default(),
        }
    }
}

/// Reason why there is no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Too many edges or expressions.
    #[error("the program is too large: {0}")]
    TooLarge(TooLarge),
    /// A construct that the front end accepts and the model does not have.
    #[error("not modelled: {what}")]
    Unsupported {
        /// In the user's words.
        what: String,
        /// Its place.
        span: Span,
    },
}

impl ModelError {
    /// Returns the place of the cause, if it has one.
    pub fn span(&self) -> Option<Span> {
        match self {
            ModelError::TooLarge(why) => why.span,
            ModelError::Unsupported { span, .. } => Some(*span),
        }
    }

    pub(crate) fn unsupported(what: impl Into<String>, span: Span) -> ModelError {
        ModelError::Unsupported { what: what.into(), span }
    }
}

impl ModelOptions {
    pub(crate) fn lowering(&self) -> LowerOptions {
        LowerOptions {
            loop_rounds: self.loop_rounds,
            max_edges: self.max_edges,
            max_nodes: self.max_edges.saturating_mul(NODES_PER_EDGE),
            marks: self.marks,
        }
    }
}

/// Makes the model of a project without errors.
///
/// Cost:      linear in the size of the program with all calls inlined and constant loops unrolled.
/// Stops:         [`ModelError`] if that exceeds `options.max_edges`, before memory runs out.
/// Soundness: the runs of the CFA are those of the interpreter, with all inputs and cycle times; after a fault both end. Values
///            that are not modelled exactly are arbitrary.
pub fn build(project: &Project, options: &ModelOptions) -> Result<Model, ModelError> {
    let all_leaves = project.leaves();
    let (network, mut pool) = lower(project, &all_leaves, options.lowering())?;
    let mut flat = Flat::new();
    flat.open = (options.recursive_calls == RecursiveCalls::Kept).then(OpenCalls::default);
    let init = flat.loc(LocKind::Init);
    let head = flat.loc(LocKind::Head);
    let error = flat.loc(LocKind::Error);
    flat.edge(init, head, Op::Skip, None);

    let mut here = head;
    let leaves: Vec<(Leaf, VarId)> = all_leaves
        .iter()
        .enumerate()
        .filter(|(_, l)| l.init.is_some() && l.view.is_none())
        .map(|(i, l)| (l.clone(), VarId::new(i)))
        .collect();
    let mut inputs_at_calls = BTreeSet::new();
    for (leaf, var) in &leaves {
        // A variable that is not initialised takes a value when its block is called, so a trace has that value.
        let at_call = matches!(leaf.root, Root::Global(global) if project.at_call.contains(&global));
        if at_call {
            inputs_at_calls.insert(*var);
        }
        if leaf.role == Role::Input && !leaf.constant && !at_call {
            here = flat.step(here, Op::Havoc(*var));
        }
    }
    let dt = pool.new_var("#dt", Sort::BitVec(32));
    here = time_passes(&mut pool, &mut flat, here, dt, options);
    let limits = limits(project);
    // The environment gives the others the value that they have at this moment.
    for (leaf, var) in leaves.iter().filter(|(leaf, _)| leaf.stopwatch && !leaf.constant && leaf.role != Role::Input) {
        let in_ns = project.types[leaf.ty].ty == Type::LTime;
        let watch = (*var, Values::of(project, leaf));
        let next = ticked(&mut pool, watch, dt, in_ns, limits.of(project, leaf));
        here = flat.step(here, Op::Assign(*var, next));
    }
    let boc = flat.loc(LocKind::CycleBegin);
    flat.edge(here, boc, Op::Skip, None);
    // The first statement may be a call, whose ends are locations of their own.
    here = flat.step(boc, Op::Skip);
    flat.at_calls = Some(AtCalls::new(inputs_at_calls, all_leaves.len()));
    for instance in &project.task.runs {
        let Some(proc) = network.procedure_of(project.instances[*instance].pou) else {
            unreachable!("the POU of an instance is reached")
        };
        let after = flat.loc(LocKind::Inner);
        let call = Copied::call(&mut pool, &network, proc, &network.instances[*instance], here, after);
        flat.splice(&mut pool, &network, call.at_path(0), options.max_edges)?;
        here = after;
    }
    let eoc = flat.loc(LocKind::CycleEnd);
    flat.edge(here, eoc, Op::Skip, None);
    flat.edge(eoc, head, Op::Skip, None);
    let recursion = complete(&mut pool, &network, &mut flat, init, error, options.max_edges)?;

    let initial = initial_values(project, &all_leaves);
    let state: BTreeSet<VarId> = leaves.iter().map(|(_, var)| *var).collect();
    let mut model = Model {
        cfa: Cfa {
            locs: flat.locs,
            edges: flat.edges.into_iter().collect(),
            init,
            head,
            error,
            vars: Vec::new(),
            initial,
            calls: flat.calls,
            recursion: (recursion != Recursion::default()).then(|| Arc::new(recursion)),
        },
        pool,
        leaves,
        dt,
        points: Points { boc, eoc },
        sites: flat.sites,
        gaps: flat.gaps,
        arbitrary: flat.arbitrary,
        at_calls: flat.at_calls.map(AtCalls::finish).unwrap_or_default(),
        float_bits: flat.float_bits,
        anomalies: flat.anomalies,
        network,
        options: *options,
    };
    model.drop_unreachable();
    model.cfa.vars = mentioned(&model.pool, &model.cfa).into_iter().chain(state).collect::<BTreeSet<_>>().into_iter().collect();
    Ok(model)
}

/// Adds the havoc of `#dt` within its range.
fn time_passes(pool: &mut ExprPool, flat: &mut Flat, here: LocId, dt: VarId, options: &ModelOptions) -> LocId {
    let (min, max) = (Value::bv(32, u128::from(options.dt_min_ms)), Value::bv(32, u128::from(options.dt_max_ms)));
    let (min, max) = (pool.constant(min), pool.constant(max));
    if min == max {
        return flat.step(here, Op::Assign(dt, min));
    }
    let here = flat.step(here, Op::Havoc(dt));
    let now = pool.var(dt);
    let (low, high) = (pool.bv_cmp(BvCmp::Ule, min, now), pool.bv_cmp(BvCmp::Ule, now, max));
    let within = pool.and(low, high);
    flat.step(here, Op::Assume(within))
}

/// Returns all variables of the state that some edge mentions.
pub(crate) fn mentioned(pool: &ExprPool, cfa: &Cfa) -> BTreeSet<VarId> {
    mentioned_by(pool, cfa.edges.iter())
}

/// Returns all variables of the state that one of the edges mentions.
pub(super) fn mentioned_by<'e>(pool: &ExprPool, edges: impl IntoIterator<Item = &'e Edge>) -> BTreeSet<VarId> {
    let (mut vars, mut inputs) = (BTreeSet::new(), BTreeSet::new());
    let mut roots = Vec::new();
    for edge in edges {
        match &edge.op {
            Op::Skip => {}
            Op::Assume(e) => roots.push(*e),
            Op::Assign(var, e) => {
                vars.insert(*var);
                roots.push(*e);
            }
            Op::Havoc(var) => {
                vars.insert(*var);
            }
            Op::Block(block) => {
                roots.push(block.guard);
                vars.extend(block.updates.iter().map(|(var, _)| *var));
                roots.extend(block.updates.iter().map(|(_, e)| *e));
                inputs.extend(block.inputs.iter().map(|input| input.var));
            }
        }
    }
    vars.extend(pool.vars_of(&roots));
    vars.difference(&inputs).copied().collect()
}

impl Model {
    /// Removes unreachable locations and edges that are never feasible: statements after a jump, checks that constants always
    /// pass. Locations are numbered anew.
    fn drop_unreachable(&mut self) {
        let edges: Vec<Edge> = self.cfa.edges.iter().filter(|e| !self.never(e)).cloned().collect();
        let mut outgoing: IndexVec<LocId, Vec<usize>> = self.cfa.locs.iter().map(|_| Vec::new()).collect();
        for (i, edge) in edges.iter().enumerate() {
            outgoing[edge.source].push(i);
        }
        let mut keep: IndexVec<LocId, bool> = self.cfa.locs.iter().map(|_| false).collect();
        let points = [self.cfa.init, self.cfa.head, self.cfa.error, self.points.boc, self.points.eoc];
        let recursion = self.cfa.recursion.take();
        // A recursive procedure that never returns has an exit all the same.
        let mut todo: Vec<LocId> = points.into_iter().chain(recursion.iter().flat_map(|calls| calls.places())).collect();
        while let Some(loc) = todo.pop() {
            if !std::mem::replace(&mut keep[loc], true) {
                todo.extend(outgoing[loc].iter().map(|i| edges[*i].target));
            }
        }
        let mut locs = IndexVec::new();
        let mut renamed: IndexVec<LocId, Option<LocId>> = self.cfa.locs.iter().map(|_| None).collect();
        for (id, loc) in self.cfa.locs.iter_enumerated().filter(|(id, _)| keep[*id]) {
            let new = LocId::new(locs.len());
            renamed[id] = Some(locs.push(super::automaton::Loc { kind: loc.kind, origin: new }));
        }
        let to = |loc: LocId| match renamed[loc] {
            Some(loc) => loc,
            None => unreachable!("{loc} is kept"),
        };
        self.cfa.calls = renumbered(std::mem::take(&mut self.cfa.calls), &renamed);
        self.cfa.recursion = recursion.map(|calls| Arc::new(calls.renumbered(&renamed)));
        self.sites.retain(|site| keep[site.loc]);
        self.gaps.retain(|(_, loc)| keep[*loc]);
        self.sites.iter_mut().for_each(|site| site.loc = to(site.loc));
        self.gaps.iter_mut().for_each(|(_, loc)| *loc = to(*loc));
        self.points = Points { boc: to(self.points.boc), eoc: to(self.points.eoc) };
        let kept = edges.into_iter().filter(|e| keep[e.source]);
        self.cfa.edges = kept.map(|e| Edge { source: to(e.source), target: to(e.target), ..e }).collect();
        (self.cfa.init, self.cfa.head, self.cfa.error) = (to(self.cfa.init), to(self.cfa.head), to(self.cfa.error));
        self.cfa.locs = locs;
    }
    fn never(&self, edge: &Edge) -> bool {
        match &edge.op {
            Op::Assume(e) => self.pool.is_false(*e),
            Op::Skip | Op::Assign(..) | Op::Havoc(_) | Op::Block(_) => false,
        }
    }
}
