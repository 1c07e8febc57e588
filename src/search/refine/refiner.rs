//! One refinement: check the paths to error nodes, learn from their infeasibility, prune the graph.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::binary;
use super::interpolate::{ItpSource, Wanted, sequence};
use super::loc_prec::LocPrec;
use super::path::{Feasibility, Path, Selectors, Tools, TraceChecker};
use super::tree::{NestedCall, Tree, TreeItps};
use super::verify::verify;
use crate::arg::{Arg, Graph, NodeId};
use crate::domain::{Domain, Precision, Refutation, RefutationToPrec, Step};
use kernel::cfa::LocId;
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprId, Value, VarId};
use kernel::verdict::Reason;

/// `refinement`: way from infeasible paths to a precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Refinement {
    /// An interpolant where the longest feasible prefix ends.
    FwBinItp,
    /// An interpolant where the longest feasible suffix begins (§3.2.1).
    BwBinItp,
    /// An interpolant for each state of the path.
    #[default]
    SeqItp,
    /// Sequences of all paths to error nodes, of which a minimal set is used (§3.2.2).
    MultiSeq,
    /// The one of forward and backward interpolation that prunes nearest to the error node (§3.2.3).
    MaxPrune,
    /// The one that prunes nearest to the start (§3.2.3).
    MinPrune,
    /// No interpolant: the variables through which the causes in an unsat core act.
    UnsatCore,
}

impl Refinement {
    /// All refiners, under the names of the paper.
    pub const NAMED: [(&str, Refinement); 7] = [
        ("FW_BIN_ITP", Refinement::FwBinItp),
        ("BW_BIN_ITP", Refinement::BwBinItp),
        ("SEQ_ITP", Refinement::SeqItp),
        ("MULTI_SEQ", Refinement::MultiSeq),
        ("MAX_PRUNE", Refinement::MaxPrune),
        ("MIN_PRUNE", Refinement::MinPrune),
        ("UNSAT_CORE", Refinement::UnsatCore),
    ];
    /// Returns whether exploration goes on after the first error node.
    pub fn wants_all(self) -> bool {
        self == Refinement::MultiSeq
    }
}

/// `prune`: part of the graph that is explored again after a refinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Prune {
    /// From the first refined node on.
    #[default]
    Lazy,
    /// Everything.
    Full,
}

impl Prune {
    /// Words of the option.
    pub const NAMED: [(&str, Prune); 2] = [("LAZY", Prune::Lazy), ("FULL", Prune::Full)];
}

/// Result of refining abstract counterexamples.
#[derive(Clone, Debug)]
pub enum Refined {
    /// One is real: its error node, and for each step from the initial values on the values of its inputs.
    Feasible(NodeId, Vec<BTreeMap<VarId, Value>>),
    /// None is; precision and graph are ready for another exploration.
    Spurious,
}

/// Result of refining a path.
#[derive(Clone, Debug)]
pub enum Explained {
    /// It can be executed with these inputs.
    Feasible(Vec<BTreeMap<VarId, Value>>),
    /// It cannot be executed: the causes.
    Infeasible(Refutation),
}

/// Result of refining a path with calls.
#[derive(Clone, Debug)]
pub enum Nested {
    /// It can be executed with these inputs.
    Feasible(Vec<BTreeMap<VarId, Value>>),
    /// It cannot be executed: tree interpolants, unless elimination gave up, and the variables of the causes at each frame.
    Infeasible(Option<TreeItps>, Vec<BTreeSet<VarId>>),
}

/// Refines precisions.
pub struct Refiner {
    refinement: Refinement,
    source: ItpSource,
    prune: Prune,
    tools: Tools,
    /// Time spent on checking paths, since the last call of [`Refiner::take_checking`].
    checking: Duration,
}

/// A path that was refuted.
struct Refuted<P> {
    nodes: Vec<NodeId>,
    locs: Vec<LocId>,
    refutation: Refutation,
    precs: Vec<P>,
    /// The first node at which something must be tracked.
    first: Option<NodeId>,
}

impl Refiner {
    /// Returns a refiner with a strategy, a source of interpolants, a way of pruning, and a source of solvers.
    pub fn new(refinement: Refinement, source: ItpSource, prune: Prune, solvers: MakeSolver) -> Refiner {
        let tools = Tools { make: solvers, selectors: Selectors::default() };
        Refiner { refinement, source, prune, tools, checking: Duration::ZERO }
    }
    /// Decides the paths to the error nodes `targets`; if none can be executed, refines `prec` and prunes `arg`.
    ///
    /// Stops:     `SolverUnknown` if a path was not decided; `NoProgress` if nothing new is to be tracked although
    ///            every state of the paths is as precise as the precision allows; cancelled.
    /// Source:    Hajdu, Micskei, JAR 2020, Algorithm 2; for many targets Algorithm 5.
    pub fn refine<D: RefutationToPrec>(
        &mut self,
        cx: &mut Ctx<'_>,
        graph: &Graph,
        domain: &D,
        arg: &mut Arg<D::State>,
        targets: &[NodeId],
        prec: &mut LocPrec<<D as Domain>::Prec>,
    ) -> Result<Refined, Stop> {
        let mut refuted: Vec<Refuted<D::Prec>> = Vec::with_capacity(targets.len());
        for &target in targets {
            let nodes = arg.path(target);
            let path = Path::new(&cx.pool, nodes.iter().map(|&id| graph.step(arg.node(id).step)).collect());
            let mut states = vec![cx.pool.bool(true)];
            if self.refinement != Refinement::SeqItp {
                states.extend(nodes.iter().map(|&id| domain.to_expr(&mut cx.pool, &[&arg.node(id).state])));
            }
            let refutation = match self.refute(cx, &path, &states)? {
                Explained::Feasible(inputs) => return Ok(Refined::Feasible(target, inputs)),
                Explained::Infeasible(refutation) => refutation,
            };
            let Some(precs) = domain.to_prec(&mut cx.pool, &refutation) else {
                return Err(Stop::Reason(Reason::NoProgress));
            };
            let locs = nodes.iter().map(|&id| arg.node(id).loc).collect();
            let first = first_refined(&nodes, &precs);
            refuted.push(Refuted { nodes, locs, refutation, precs, first });
        }
        let refuted = minimal(arg, refuted);
        let is_current = |path: &Refuted<D::Prec>, prec: &LocPrec<D::Prec>| {
            path.nodes.iter().all(|&id| prec.is_current(arg.node(id).loc, arg.node(id).epoch))
        };
        let are_current = refuted.iter().all(|path| is_current(path, prec));
        // A state that is older than its precision is computed again, even if nothing new is tracked there.
        let was_current = |id: NodeId| prec.is_current(arg.node(id).loc, arg.node(id).epoch);
        let again = refuted.iter().any(|path| path.first.is_some_and(|first| !was_current(first)));
        let mut grew = false;
        for path in &refuted {
            grew |= prec.refine(&path.locs, &path.precs);
        }
        prec.next_epoch();
        if (grew || again) && self.prune == Prune::Lazy {
            for path in &refuted {
                if let Some(first) = path.first {
                    arg.prune(first);
                }
            }
        } else if grew || !are_current {
            // Other states may be coarser than the present precision: explore once more with it.
            arg.clear();
        } else {
            for path in &refuted {
                if let Some(more) = domain.to_more_prec(&mut cx.pool, &path.refutation) {
                    grew |= prec.refine(&path.locs, &more);
                }
            }
            if !grew {
                return Err(Stop::Reason(Reason::NoProgress));
            }
            prec.next_epoch();
            arg.clear();
        }
        Ok(Refined::Spurious)
    }
    /// Returns the time spent on checking paths since the last call.
    pub fn take_checking(&mut self) -> Duration {
        std::mem::take(&mut self.checking)
    }
    /// Decides a single path of steps: the values of its inputs for each step, or a refutation.
    ///
    /// Stops: `SolverUnknown` if it was not decided; cancelled.
    pub fn explain(&mut self, cx: &mut Ctx<'_>, steps: Vec<Step<'_>>) -> Result<Explained, Stop> {
        let path = Path::new(&cx.pool, steps);
        let states = vec![cx.pool.bool(true); path.steps.len() + 1];
        self.refute(cx, &path, &states)
    }
    /// Decides a single path whose completed calls are `calls`, as [`Refiner::explain`] does; with tree interpolants.
    ///
    /// Stops: `SolverUnknown` if it was not decided; cancelled.
    pub fn explain_nested(&mut self, cx: &mut Ctx<'_>, steps: Vec<Step<'_>>, calls: &[NestedCall]) -> Result<Nested, Stop> {
        let path = Path::new(&cx.pool, steps);
        let begin = Instant::now();
        let mut checker = TraceChecker::new(cx, &mut self.tools, &path)?;
        let checked = checker.check(cx);
        self.checking += begin.elapsed();
        match checked? {
            Feasibility::Feasible(inputs) => Ok(Nested::Feasible(inputs)),
            Feasibility::Infeasible(core) => {
                let vars = core.variables(&cx.pool, &path);
                let itps = Tree::interpolants(cx, &mut self.tools, &mut checker, core, calls)?;
                Ok(Nested::Infeasible(itps, vars))
            }
        }
    }
    /// Returns the values of a path's inputs, or a refutation. `states[i]` holds in frame i.
    fn refute(&mut self, cx: &mut Ctx<'_>, path: &Path<'_>, states: &[ExprId]) -> Result<Explained, Stop> {
        let begin = Instant::now();
        let mut checker = TraceChecker::new(cx, &mut self.tools, path)?;
        let checked = checker.check(cx);
        self.checking += begin.elapsed();
        let core = match checked? {
            Feasibility::Feasible(inputs) => return Ok(Explained::Feasible(inputs)),
            Feasibility::Infeasible(core) => core,
        };
        let vars = core.variables(&cx.pool, path);
        let itps = match self.refinement {
            Refinement::SeqItp | Refinement::MultiSeq => {
                let itps = sequence(cx, &mut self.tools, &mut checker, core, self.source, Wanted::All)?;
                if let (Some(itps), true) = (&itps, cfg!(debug_assertions)) {
                    verify(cx, &self.tools.make, path, itps)?;
                }
                itps
            }
            Refinement::UnsatCore => None,
            refinement @ (Refinement::FwBinItp | Refinement::BwBinItp | Refinement::MaxPrune | Refinement::MinPrune) => {
                binary::interpolate(cx, &mut self.tools, path, states, refinement, self.source)?
            }
        };
        Ok(Explained::Infeasible(Refutation { itps, vars }))
    }
}

/// Returns the first node at which something must be tracked; `precs[i + 1]` belongs to `nodes[i]`.
fn first_refined<P: Precision>(nodes: &[NodeId], precs: &[P]) -> Option<NodeId> {
    nodes.iter().zip(&precs[1..]).find(|(_, prec)| prec.size() != 0).map(|(&node, _)| node)
}

/// Removes the paths whose first refined node lies below that of another path: pruning that one removes them as well.
///
/// Source: Hajdu, Micskei, JAR 2020, Algorithm 5.
fn minimal<S, P>(arg: &Arg<S>, mut refuted: Vec<Refuted<P>>) -> Vec<Refuted<P>> {
    let pivots: std::collections::BTreeSet<NodeId> = refuted.iter().filter_map(|path| path.first).collect();
    refuted.retain(|path| {
        // A path without a node to refine matters only if no path has one.
        let Some(first) = path.first else { return pivots.is_empty() };
        let mut at = arg.node(first).parent;
        while let Some(ancestor) = at {
            if pivots.contains(&ancestor) {
                return false;
            }
            at = arg.node(ancestor).parent;
        }
        true
    });
    refuted
}
