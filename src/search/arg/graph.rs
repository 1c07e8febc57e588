//! A CFA prepared for exploration: blocks, successors, distances to the error, live variables.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::rc::Rc;

use plc_frontend::ids::{Id, IndexVec};

use super::unfold::{Analysed, Blk, Found, Unfolder};
use crate::domain::{Step, StepId};
use kernel::cfa::{Block, BlockInput, Cfa, EdgeId, LocId, Op};
use kernel::context::{Ctx, Stop};
use kernel::expr::{Expr, ExprId, ExprPool, VarId};

/// A CFA with its analyses that exploration uses again and again.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The automaton.
    pub cfa: Cfa,
    blocks: IndexVec<StepId, Block>,
    initial: StepId,
    edges: IndexVec<LocId, Vec<EdgeId>>,
    /// The steps that leave each location; `None` until they are composed.
    successors: IndexVec<LocId, Option<Successors>>,
    distance: IndexVec<LocId, Option<u32>>,
    live: OnceCell<IndexVec<LocId, BTreeSet<VarId>>>,
    /// Composes the blocks where steps are no edges.
    unfolder: Option<Unfolder>,
    /// Cycles that begin within a step, where there are any.
    n_cycles: BTreeMap<StepId, u32>,
}

/// Steps that leave a location, with their targets.
pub type Successors = Rc<[(StepId, LocId)]>;

impl Graph {
    /// Prepares `cfa`, a step for each edge. Havocs get their input variables now, once for each edge.
    pub fn new(pool: &mut ExprPool, cfa: &Cfa) -> Graph {
        let mut blocks: IndexVec<StepId, Block> = cfa.edges.iter().map(|edge| edge.op.to_block(pool)).collect();
        let initial = blocks.push(initial_block(pool, cfa));
        let edges = cfa.successors();
        let step = |edge: &EdgeId| (StepId::new(edge.index()), cfa.edges[*edge].target);
        let successors = edges.iter().map(|edges| Some(edges.iter().map(step).collect())).collect();
        let (distance, live) = (distances(cfa), OnceCell::new());
        Graph { cfa: cfa.clone(), blocks, initial, edges, successors, distance, live, unfolder: None, n_cycles: BTreeMap::new() }
    }
    /// Prepares `cfa` for blocks that end as `blk` says. They are composed when [`Graph::unfold`] first asks for them.
    pub fn unfolding(pool: &mut ExprPool, cfa: &Cfa, blk: Blk) -> Graph {
        let mut blocks = IndexVec::new();
        let initial = blocks.push(initial_block(pool, cfa));
        let (distance, live) = (distances(cfa), OnceCell::new());
        Graph {
            cfa: cfa.clone(),
            blocks,
            initial,
            edges: cfa.successors(),
            successors: cfa.locs.ids().map(|_| None).collect(),
            distance,
            live,
            unfolder: Some(Unfolder::new(pool, cfa, blk)),
            n_cycles: BTreeMap::new(),
        }
    }
    /// Returns the step that sets the initial values, from any data state.
    pub fn initial(&self) -> Step<'_> {
        self.step(self.initial)
    }
    /// Returns the step with this id.
    pub fn step(&self, id: StepId) -> Step<'_> {
        Step { id, block: &self.blocks[id] }
    }
    /// Returns the guards of all edges.
    pub fn guards(&self) -> impl Iterator<Item = ExprId> {
        self.cfa.edges.iter().filter_map(|edge| match &edge.op {
            Op::Assume(guard) => Some(*guard),
            Op::Block(block) => Some(block.guard),
            Op::Skip | Op::Assign(..) | Op::Havoc(_) => None,
        })
    }
    /// Returns the steps that leave `loc`, with their targets.
    ///
    /// Cost:  the first call for a location may compose blocks.
    /// Stops: cancelled; the next call goes on.
    pub fn unfold(&mut self, cx: &mut Ctx<'_>, loc: LocId) -> Result<Successors, Stop> {
        if let Some(known) = &self.successors[loc] {
            return Ok(known.clone());
        }
        let mut steps = Vec::new();
        if let Some(unfolder) = &mut self.unfolder {
            let live = self.live.get_or_init(|| live_variables(&cx.pool, &self.cfa));
            let automaton = Analysed { cfa: &self.cfa, successors: &self.edges, distance: &self.distance, live };
            for Found { block, target, n_cycles } in unfolder.blocks_from(cx, automaton, loc)? {
                let step = self.blocks.push(block);
                if n_cycles != 0 {
                    self.n_cycles.insert(step, n_cycles);
                }
                steps.push((step, target));
            }
        }
        let steps: Successors = steps.into();
        self.successors[loc] = Some(steps.clone());
        Ok(steps)
    }
    /// Returns the steps that are known to leave `loc`: all of them, unless blocks are composed during the search.
    pub fn steps_from(&self, loc: LocId) -> impl Iterator<Item = (Step<'_>, LocId)> {
        self.successors[loc].iter().flat_map(|steps| steps.iter()).map(|&(step, target)| (self.step(step), target))
    }
    /// Returns whether the steps leave out runs that pass loops more often than a bound. Then nothing is proved.
    pub fn is_bounded(&self) -> bool {
        self.unfolder.as_ref().is_some_and(Unfolder::is_bounded)
    }
    /// Returns the number of cycles that begin within a step, without one that begins at its end.
    pub fn n_cycles(&self, step: StepId) -> u32 {
        self.n_cycles.get(&step).copied().unwrap_or_default()
    }
    /// Returns the number of cycles that begin within its step before an input is consumed.
    pub fn cycle_of(&self, input: VarId) -> u32 {
        self.unfolder.as_ref().map_or(0, |unfolder| unfolder.cycle_of(input))
    }
    /// Returns the length of the shortest way from `loc` to the error location, whatever the operations; `None` if there is none.
    ///
    /// Source: Hajdu, Micskei, JAR 2020, §3.1.2 (d_E).
    pub fn distance(&self, loc: LocId) -> Option<u32> {
        self.distance[loc]
    }
    /// Returns the variables that may be read after `loc` before they are written, on a way to the error location.
    ///
    /// Cost: the first call computes those of all locations.
    pub fn live(&self, pool: &ExprPool, loc: LocId) -> &BTreeSet<VarId> {
        &self.live.get_or_init(|| live_variables(pool, &self.cfa))[loc]
    }
}

/// Sets the initial values; a variable without one gets an input.
fn initial_block(pool: &mut ExprPool, cfa: &Cfa) -> Block {
    let mut inputs = Vec::new();
    let mut updates = Vec::new();
    let mut vars = cfa.vars.clone();
    vars.sort_unstable();
    vars.dedup();
    for var in vars {
        let value = match cfa.initial.get(&var) {
            Some(&value) => pool.constant(value),
            None => {
                let decl = pool.var_decl(var).clone();
                let input = pool.new_var(format!("{}#start", decl.name), decl.sort);
                inputs.push(BlockInput { var: input, origin: Some(var) });
                pool.var(input)
            }
        };
        updates.push((var, value));
    }
    Block { guard: pool.bool(true), updates, inputs }
}

/// Computes distances by a backward breadth-first search from the error location.
fn distances(cfa: &Cfa) -> IndexVec<LocId, Option<u32>> {
    let predecessors = cfa.predecessors();
    let mut distance: IndexVec<LocId, Option<u32>> = cfa.locs.ids().map(|_| None).collect();
    distance[cfa.error] = Some(0);
    let mut queue = VecDeque::from([(cfa.error, 0)]);
    while let Some((loc, d)) = queue.pop_front() {
        for &edge in &predecessors[loc] {
            let source = cfa.edges[edge].source;
            if distance[source].is_none() {
                distance[source] = Some(d + 1);
                queue.push_back((source, d + 1));
            }
        }
    }
    distance
}

/// Computes live variables by the classic backward analysis. An update of a variable that is dead after it reads nothing.
///
/// Cost: for each edge, one visit of its expressions. The updates of a large block have most of theirs in common.
fn live_variables(pool: &ExprPool, cfa: &Cfa) -> IndexVec<LocId, BTreeSet<VarId>> {
    let state: BTreeSet<VarId> = cfa.vars.iter().copied().collect();
    let predecessors = cfa.predecessors();
    // What an edge reads only grows, so no expression of it is visited again.
    let mut visited: Vec<HashSet<ExprId>> = vec![HashSet::new(); cfa.edges.len()];
    let mut live: IndexVec<LocId, BTreeSet<VarId>> = cfa.locs.ids().map(|_| BTreeSet::new()).collect();
    // Every edge into the error location reads its guard; whatever then becomes live goes on backward.
    let mut todo: BTreeSet<LocId> = BTreeSet::from([cfa.error]);
    let mut seen: BTreeSet<LocId> = BTreeSet::new();
    while let Some(loc) = todo.pop_last() {
        seen.insert(loc);
        for &edge in &predecessors[loc] {
            let (source, op) = (cfa.edges[edge].source, &cfa.edges[edge].op);
            let of_block = |block: &Block| block.updates.iter().map(|(var, value)| (*var, Some(*value))).collect();
            let (guard, updates): (_, Vec<(VarId, Option<ExprId>)>) = match op {
                Op::Skip => (None, Vec::new()),
                Op::Assume(guard) => (Some(*guard), Vec::new()),
                Op::Assign(var, value) => (None, vec![(*var, Some(*value))]),
                Op::Havoc(var) => (None, vec![(*var, None)]),
                Op::Block(block) => (Some(block.guard), of_block(block)),
            };
            let is_live = |(var, value): &(VarId, Option<ExprId>)| value.filter(|_| live[loc].contains(var));
            let read: Vec<ExprId> = guard.into_iter().chain(updates.iter().filter_map(is_live)).collect();
            let written: BTreeSet<VarId> = updates.iter().map(|(var, _)| *var).collect();
            let mut before: BTreeSet<VarId> = live[loc].difference(&written).copied().collect();
            pool.visit(&read, |e| {
                let is_new = visited[edge.index()].insert(e);
                if let (true, Expr::Var(var)) = (is_new, pool.expr(e)) {
                    before.extend(state.contains(&var).then_some(var));
                }
                is_new
            });
            let n_before = live[source].len();
            live[source].extend(before);
            if n_before < live[source].len() || !seen.contains(&source) {
                todo.insert(source);
            }
        }
    }
    live
}
