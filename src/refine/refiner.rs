//! One refinement: check the path to an error node, learn from its infeasibility, prune the graph.

use std::collections::BTreeMap;

use super::interpolate::{Refutation, interpolants};
use super::path::{Feasibility, Path, Selectors, Tools, TraceChecker};
use super::precision::RefutationToPrec;
use super::verify::verify;
use crate::arg::{Arg, Graph, NodeId};
use crate::cfa::LocId;
use crate::domain::{Domain, Precision};
use crate::engine::{Ctx, MakeSolver, Stop};
use crate::expr::{Value, VarId};
use crate::verdict::Reason;

/// `prec-granularity`: whether locations share what is tracked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Granularity {
    /// One precision for all locations.
    #[default]
    Global,
    /// One for each location.
    Local,
}

/// `prune`: what of the graph is explored again after a refinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Prune {
    /// From the first refined node on.
    #[default]
    Lazy,
    /// Everything.
    Full,
}

/// The precision of each location.
#[derive(Clone, Debug)]
pub struct LocPrec<P> {
    granularity: Granularity,
    /// What every location tracks.
    shared: P,
    /// What a location tracks besides.
    own: BTreeMap<LocId, P>,
    /// When what a location tracks last grew.
    grown: BTreeMap<LocId, u32>,
    epoch: u32,
}

impl<P: Precision> LocPrec<P> {
    /// Everywhere `initial`.
    pub fn new(granularity: Granularity, initial: P) -> LocPrec<P> {
        LocPrec { granularity, shared: initial, own: BTreeMap::new(), grown: BTreeMap::new(), epoch: 0 }
    }
    /// What is tracked at `loc`, without what cannot matter there.
    pub fn at(&self, cx: &Ctx<'_>, graph: &Graph, loc: LocId) -> P {
        let mut prec = self.shared.clone();
        if let Some(own) = self.own.get(&loc) {
            prec.join(own);
        }
        prec.restrict(&cx.pool, graph.live(loc))
    }
    /// Adds to what is tracked at the locations of a path; `new[i + 1]` belongs to `locs[i]`. If anything grew, the first
    /// position on the path where something must be tracked.
    fn refine(&mut self, locs: &[LocId], new: &[P]) -> Option<usize> {
        let mut first = None;
        let mut grew = false;
        for (i, (&loc, new)) in locs.iter().zip(&new[1..]).enumerate() {
            if new.size() != 0 {
                grew |= self.join(loc, new);
                first = first.or(Some(i));
            }
        }
        self.epoch += 1;
        if grew { first } else { None }
    }
    /// Adds to what is tracked, at `loc` or everywhere; whether it grew.
    fn join(&mut self, loc: LocId, more: &P) -> bool {
        let grew = match self.granularity {
            Granularity::Global => self.shared.join(more),
            Granularity::Local => self.own.entry(loc).or_default().join(more),
        };
        if grew {
            self.grown.insert(loc, self.epoch + 1);
        }
        grew
    }
    /// The age of the precision: grows with each refinement.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }
    /// Whether a state computed at `loc` in `epoch` is what would be computed today.
    fn is_current(&self, loc: LocId, epoch: u32) -> bool {
        let grown = match self.granularity {
            Granularity::Global => self.grown.values().max(),
            Granularity::Local => self.grown.get(&loc),
        };
        grown.is_none_or(|&grown| grown <= epoch)
    }
    /// Number of things tracked, over all locations.
    pub fn size(&self) -> usize {
        self.shared.size() + self.own.values().map(Precision::size).sum::<usize>()
    }
    /// Everything tracked anywhere.
    pub fn all(&self) -> P {
        let mut all = self.shared.clone();
        for own in self.own.values() {
            all.join(own);
        }
        all
    }
}

/// What became of an abstract counterexample.
#[derive(Clone, Debug)]
pub enum Refined {
    /// It is real: for each step from the initial values on, the values of its inputs.
    Feasible(Vec<BTreeMap<VarId, Value>>),
    /// It was not; precision and graph are ready for another exploration.
    Spurious,
}

/// Refines with interpolant sequences.
pub struct Refiner {
    prune: Prune,
    tools: Tools,
}

impl Refiner {
    /// With a way of pruning, and where solvers come from.
    pub fn new(prune: Prune, solvers: MakeSolver) -> Refiner {
        Refiner { prune, tools: Tools { make: solvers, selectors: Selectors::default() } }
    }
    /// Decides the path to the error node `target`; if it cannot be executed, refines `prec` and prunes `arg`.
    ///
    /// Stops:     `SolverUnknown` if the path was not decided; `NoProgress` if nothing new is to be tracked although
    ///            every state of the path is as precise as the precision allows; cancelled.
    /// Source:    Hajdu, Micskei, JAR 2020, Algorithm 2.
    pub fn refine<D: RefutationToPrec>(
        &mut self,
        cx: &mut Ctx<'_>,
        graph: &Graph,
        arg: &mut Arg<D::State>,
        target: NodeId,
        prec: &mut LocPrec<<D as Domain>::Prec>,
    ) -> Result<Refined, Stop> {
        let nodes = arg.path(target);
        let path = Path::new(&cx.pool, nodes.iter().map(|&id| graph.step(arg.node(id).step)).collect());
        let mut checker = TraceChecker::new(cx, &mut self.tools, &path)?;
        let core = match checker.check(cx)? {
            Feasibility::Feasible(inputs) => return Ok(Refined::Feasible(inputs)),
            Feasibility::Infeasible(core) => core,
        };
        let vars = core.variables(&cx.pool, &path);
        let itps = interpolants(cx, &mut self.tools, &mut checker, core)?;
        if let (Some(itps), true) = (&itps, cfg!(debug_assertions)) {
            verify(cx, &self.tools.make, &path, itps)?;
        }
        let refutation = Refutation { itps, vars };
        let Some(precs) = D::to_prec(&mut cx.pool, &refutation) else {
            return Err(Stop::Reason(Reason::NoProgress));
        };
        let locs: Vec<LocId> = nodes.iter().map(|&id| arg.node(id).loc).collect();
        let is_current = nodes.iter().all(|&id| prec.is_current(arg.node(id).loc, arg.node(id).epoch));
        match prec.refine(&locs, &precs) {
            Some(first) => match self.prune {
                Prune::Lazy => arg.prune(nodes[first]),
                Prune::Full => arg.clear(),
            },
            // Old states may be coarser than the precision of today: explore again once, with today's.
            None if !is_current => arg.clear(),
            None => {
                let more = D::to_more_prec(&mut cx.pool, &refutation);
                if more.and_then(|more| prec.refine(&locs, &more)).is_none() {
                    return Err(Stop::Reason(Reason::NoProgress));
                }
                arg.clear();
            }
        }
        Ok(Refined::Spurious)
    }
}
