//! Tree interpolants for calls that are not recursive (`itp=tree`).
//!
//! Each form of a call is a part with values at entry of its own ([`program`]), explored as recursive procedures are. So a call has
//! a summary that may say `out = in at entry + 1`. A predicate of a block names nothing of its callers. Loops that are kept
//! belong to the outermost part, and so do the calls around them.
//!
//! Source: papers/block-abstraction-memoization, §2.6.3 (Algorithm 7, nested) and §4.5.4 ("there is no necessity for recursion").

mod program;

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ids::Id;

use super::form::{Numbered, Steps};
use super::program::{Instance, Origin, Program as Blocks};
use super::recursion::explore::{Explorer, GraphId, Hop, Through};
use super::recursion::original;
use super::recursion::path::{MOST_STEPS, NestedPath};
use super::recursion::search::{Cause, Names, Refuted, SummarySearch};
use super::regions::RegionId;
use crate::arg::Graph;
use crate::domain::{Reduce, RefutationToPrec, StepId};
use crate::engine::cegar::evidence as flat;
use crate::refine::NestedCall;
use kernel::cfa::{Block, Cfa, LocId};
use kernel::context::{Ctx, MakeSolver, Stop};
use kernel::expr::{ExprPool, VarId};
use kernel::verdict::{Reason, Verdict};
use program::{Divided, divided, part_of, without_loops_in_calls};

/// Names of an automaton whose parts are forms of calls.
pub(super) struct Forms {
    blocks: Blocks,
    /// Position of each step's edge among the edges of its form.
    edges: Vec<usize>,
    /// For each part the numbers of the variables that it may write.
    written: Vec<BTreeSet<usize>>,
    /// Values at entry by part and activation, in the order of the part's variables.
    olds: BTreeMap<(usize, usize), Vec<VarId>>,
    /// Activations of the last path.
    open: Vec<Activation>,
}

/// Part that a path goes through.
struct Activation {
    region: Option<RegionId>,
    /// The activation that calls it; itself for the outermost one.
    caller: usize,
    /// Variables of the part by those of the path.
    back: BTreeMap<VarId, VarId>,
}

/// Prepares an automaton.
///
/// Cost: n·log n in the size of the automaton, for each level of calls.
pub(super) fn search<D: Reduce + RefutationToPrec>(
    cx: &mut Ctx<'_>,
    cfa: &Cfa,
    domain: D,
    solvers: MakeSolver,
) -> SummarySearch<D, Forms> {
    let mut numbered = Numbered::default();
    let (with_regions, regions) = without_loops_in_calls(cfa);
    let mut of_forms = Steps::default();
    let blocks = Blocks::new(&mut cx.pool, &with_regions, &regions, &mut numbered, &mut of_forms);
    let Divided { program, steps, edges, written } = divided(&mut cx.pool, (&blocks, &of_forms), &mut numbered);
    let names = Forms { blocks, edges, written, olds: BTreeMap::new(), open: Vec::new() };
    SummarySearch::new(Graph::new(&mut cx.pool, cfa), names, (domain, solvers), program, steps)
}

impl Forms {
    fn instance(&self, activation: usize) -> &Instance {
        self.blocks.instance(self.open[activation].region)
    }
    /// Returns the variables that keep the values at entry of an activation.
    fn olds(&mut self, pool: &mut ExprPool, part: usize, activation: usize, vars: &[VarId]) -> Vec<VarId> {
        let copy = |var: &VarId| {
            let decl = pool.var_decl(*var).clone();
            pool.new_var(format!("{} at entry (call {activation})", decl.name), decl.sort)
        };
        self.olds.entry((part, activation)).or_insert_with(|| vars.iter().map(copy).collect()).clone()
    }
    /// Opens the activation of a region, or the outermost one. Returns its number.
    fn enter(&mut self, parts: &[(VarId, VarId)], actuals: &[VarId], olds: &[VarId], at: (Option<RegionId>, usize)) -> usize {
        let back = actuals.iter().zip(parts).map(|(actual, (var, _))| (*actual, *var));
        let back = back.chain(olds.iter().zip(parts).map(|(copy, (_, old))| (*copy, *old))).collect();
        self.open.push(Activation { region: at.0, caller: at.1, back });
        self.open.len() - 1
    }
    /// Adds the way through a graph.
    fn add<D: Reduce>(
        &mut self,
        cx: &mut Ctx<'_>,
        (graph, explorer): (&Graph, &Explorer<D>),
        path: &mut NestedPath,
        way: Through,
        activation: usize,
    ) -> Result<(), Stop> {
        cx.tick()?;
        let own = &explorer.graphs[way.graph];
        let mut hops: Vec<Hop> = Vec::new();
        let mut last = match way.exit {
            Some(exit) => own.nodes[own.exits[exit].1 as usize].from,
            None => own.error,
        };
        while let Some(hop) = last {
            hops.push(hop);
            last = own.nodes[hop.node as usize].from;
        }
        for hop in hops.into_iter().rev() {
            if MOST_STEPS < path.steps.len() {
                return Err(Stop::Reason(Reason::Bound));
            }
            let region = match (self.instance(activation).edges[self.edges[hop.step.edge.index()]], hop.through) {
                (Origin::Region(region), Some(through)) => (region, through),
                (Origin::Edge(edge), _) => {
                    let block = graph.step(StepId::new(edge.index())).block.clone();
                    path.steps.push((block, Some(graph.cfa.edges[edge].target)));
                    path.frames.push((own.part, activation));
                    continue;
                }
                (Origin::Region(_), None) => unreachable!("the edge of a region leads through a graph"),
            };
            if !self.call(cx, (graph, explorer), path, region, (own.part, activation))? {
                return Ok(());
            }
        }
        Ok(())
    }
    /// Adds the way through a call. Returns FALSE if it ends at an error there.
    fn call<D: Reduce>(
        &mut self,
        cx: &mut Ctx<'_>,
        (graph, explorer): (&Graph, &Explorer<D>),
        path: &mut NestedPath,
        (region, through): (RegionId, Through),
        caller: (usize, usize),
    ) -> Result<bool, Stop> {
        let instance = &self.blocks.regions[region];
        let (callee, actuals) = (part_of(&self.blocks, instance.block), instance.vars.clone());
        let olds = self.olds(&mut cx.pool, callee, self.open.len(), &actuals);
        let part = &explorer.program.parts[callee];
        let inner = self.enter(&part.state, &actuals, &olds, (Some(region), caller.1));
        path.parts.push(callee);
        let enter = path.steps.len();
        let mut updates: Vec<_> = olds.iter().zip(&actuals).map(|(old, var)| (*old, cx.pool.var(*var))).collect();
        updates.sort_unstable_by_key(|(var, _)| *var);
        path.steps.push((Block { guard: cx.pool.bool(true), updates, inputs: Vec::new() }, None));
        path.frames.push((callee, inner));
        self.add(cx, (graph, explorer), path, through, inner)?;
        if through.exit.is_none() {
            return Ok(false);
        }
        let written = self.written[callee].iter().map(|number| actuals[*number]).collect();
        let state = actuals.iter().copied().zip(olds).collect();
        path.calls.push(NestedCall { enter, leave: path.steps.len(), state, written, recursive: false });
        path.callees.push((callee, inner));
        path.steps.push((Block { guard: cx.pool.bool(true), updates: Vec::new(), inputs: Vec::new() }, None));
        path.frames.push(caller);
        Ok(true)
    }
}

impl<D: Reduce> Names<D> for Forms {
    fn path(&mut self, cx: &mut Ctx<'_>, graph: &Graph, explorer: &Explorer<D>, cycle: GraphId) -> Result<NestedPath, Stop> {
        self.open.clear();
        let (main, actuals) = (self.blocks.main.block, self.blocks.main.vars.clone());
        let vars: Vec<(VarId, VarId)> = self.blocks.blocks[main].vars.iter().map(|var| (*var, *var)).collect();
        self.enter(&vars, &actuals, &[], (None, 0));
        let mut path =
            NestedPath { steps: Vec::new(), frames: vec![(0, 0)], calls: Vec::new(), callees: Vec::new(), parts: vec![0] };
        path.steps.push((graph.initial().block.clone(), None));
        path.frames.push((0, 0));
        self.add(cx, (graph, explorer), &mut path, Through { graph: cycle, exit: None }, 0)?;
        Ok(path)
    }
    fn proof(&self, cx: &mut Ctx<'_>, graph: &Graph, explorer: &Explorer<D>, cycle: GraphId) -> Verdict {
        let main = &self.blocks.main;
        let vars = &self.blocks.blocks[main.block].vars;
        let actuals: BTreeMap<VarId, VarId> = vars.iter().copied().zip(main.vars.iter().copied()).collect();
        let here = |loc: &LocId| main.locs[loc.index()];
        flat::without_error(cx, graph, |pool, loc| {
            let nodes = explorer.graphs[cycle].nodes.iter().filter(|node| here(&node.loc) == loc);
            let states: Vec<&D::State> = nodes.map(|node| &node.state).collect();
            let holds = explorer.domain.to_expr(pool, &states);
            original(pool, &|var| actuals.get(&var).copied(), holds)
        })
    }
    fn causes(&self, cx: &mut Ctx<'_>, path: &NestedPath, refuted: Refuted) -> Vec<Cause> {
        let yes = cx.pool.bool(true);
        let mut causes: Vec<Cause> = Vec::new();
        for (i, (part, activation)) in path.frames.iter().enumerate() {
            let formula = refuted.frames.as_ref().map_or(yes, |frames| frames[i]);
            let formula = original(&mut cx.pool, &|var| self.open[*activation].back.get(&var).copied(), formula);
            let mut own = BTreeSet::new();
            for var in &refuted.vars[i] {
                // A caller has to remember its variables during a call.
                let mut at = *activation;
                while !self.open[at].back.contains_key(var) && self.open[at].caller != at {
                    at = self.open[at].caller;
                }
                match self.open[at].back.get(var) {
                    Some(var) if at == *activation => drop(own.insert(*var)),
                    Some(var) => causes.push(Cause { part: path.parts[at], formula: yes, vars: BTreeSet::from([*var]) }),
                    None => {}
                }
            }
            causes.push(Cause { part: *part, formula, vars: own });
        }
        for ((part, activation), formula) in path.callees.iter().zip(&refuted.summaries) {
            let formula = original(&mut cx.pool, &|var| self.open[*activation].back.get(&var).copied(), *formula);
            causes.push(Cause { part: *part, formula, vars: BTreeSet::new() });
        }
        causes
    }
}
