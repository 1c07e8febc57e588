//! A CFA prepared for exploration: blocks made once, successors, distances to the error, live variables.

use std::cell::OnceCell;
use std::collections::{BTreeSet, VecDeque};

use plc_frontend::ids::{Id, IndexVec};

use crate::domain::{Step, StepId};
use kernel::cfa::{Block, BlockInput, Cfa, EdgeId, LocId};
use kernel::expr::{ExprPool, VarId};

/// A CFA with its analyses that exploration uses again and again.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The automaton.
    pub cfa: Cfa,
    blocks: IndexVec<StepId, Block>,
    successors: IndexVec<LocId, Vec<EdgeId>>,
    distance: IndexVec<LocId, Option<u32>>,
    live: OnceCell<IndexVec<LocId, BTreeSet<VarId>>>,
}

impl Graph {
    /// Prepares `cfa`. Havocs get their input variables now, once for each edge.
    pub fn new(pool: &mut ExprPool, cfa: &Cfa) -> Graph {
        let mut blocks: IndexVec<StepId, Block> = cfa.edges.iter().map(|edge| edge.op.to_block(pool)).collect();
        blocks.push(initial_block(pool, cfa));
        let successors = cfa.successors();
        let distance = distances(cfa);
        Graph { cfa: cfa.clone(), blocks, successors, distance, live: OnceCell::new() }
    }
    /// Returns the step that sets the initial values, from any data state.
    pub fn initial(&self) -> Step<'_> {
        let id = StepId::new(self.blocks.len() - 1);
        Step { id, block: &self.blocks[id] }
    }
    /// Returns the step with this id.
    pub fn step(&self, id: StepId) -> Step<'_> {
        Step { id, block: &self.blocks[id] }
    }
    /// Returns all steps.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        self.blocks.iter_enumerated().map(|(id, block)| Step { id, block })
    }
    /// Returns the steps that leave `loc`, with their targets.
    pub fn steps_from(&self, loc: LocId) -> impl Iterator<Item = (Step<'_>, LocId)> {
        self.successors[loc].iter().map(|&edge| (self.step(StepId::new(edge.index())), self.cfa.edges[edge].target))
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
        &self.live.get_or_init(|| live_variables(pool, &self.cfa, &self.blocks))[loc]
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
fn live_variables(pool: &ExprPool, cfa: &Cfa, blocks: &IndexVec<StepId, Block>) -> IndexVec<LocId, BTreeSet<VarId>> {
    struct Reads {
        guard: BTreeSet<VarId>,
        updates: Vec<(VarId, BTreeSet<VarId>)>,
    }
    let state: BTreeSet<VarId> = cfa.vars.iter().copied().collect();
    let only_state = |vars: BTreeSet<VarId>| vars.intersection(&state).copied().collect();
    let reads: Vec<Reads> = blocks
        .iter()
        .map(|block| Reads {
            guard: only_state(pool.vars_of(&[block.guard])),
            updates: block.updates.iter().map(|&(var, e)| (var, only_state(pool.vars_of(&[e])))).collect(),
        })
        .collect();
    let predecessors = cfa.predecessors();
    let mut live: IndexVec<LocId, BTreeSet<VarId>> = cfa.locs.ids().map(|_| BTreeSet::new()).collect();
    // Every edge into the error location reads its guard; whatever then becomes live goes on backward.
    let mut todo: BTreeSet<LocId> = BTreeSet::from([cfa.error]);
    let mut seen: BTreeSet<LocId> = BTreeSet::new();
    while let Some(loc) = todo.pop_last() {
        seen.insert(loc);
        for &edge in &predecessors[loc] {
            let source = cfa.edges[edge].source;
            let read = &reads[edge.index()];
            let mut before: BTreeSet<VarId> = read.guard.clone();
            let written: BTreeSet<VarId> = read.updates.iter().map(|(var, _)| *var).collect();
            before.extend(live[loc].difference(&written));
            for (var, vars) in &read.updates {
                if live[loc].contains(var) {
                    before.extend(vars);
                }
            }
            let n_before = live[source].len();
            live[source].extend(before);
            if n_before < live[source].len() || !seen.contains(&source) {
                todo.insert(source);
            }
        }
    }
    live
}
