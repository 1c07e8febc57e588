//! Large-block encoding: every loop-free piece between cut points becomes one block.
//!
//! Cut points are the start, the head of the scan cycle, heads of loops inside the cycle, and the error location; where calls are
//! marked, also these, and [`joins`] behind them. The result has
//! at most one edge per pair of cut points, by Rule 2. Rules 1 and 2 need not be applied one by one: a symbolic run in
//! topological order composes sequences (Rule 1) and merges choices where paths meet (Rule 2), see [`crate::cfa::compose`].
//!
//! Variables that no block reads before writing them do not belong to the state and disappear.
//!
//! Source: papers/large-block-encoding (Beyer, Cimatti, Griggio, Keremoglu, Sebastiani), §III-A: Rule 0 (error
//! sink), Rule 1 (sequence), Rule 2 (choice), Theorem III.1.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ids::IndexVec;

use super::Lift;
use super::cone::influence;
use super::cut_points::cut_points;
use super::graph::with_edges;
use super::joins;
use crate::cfa::automaton::{Cfa, Edge, EdgeId, LocId, Op};
use crate::cfa::block::Block;
use crate::cfa::compose::{Composer, Occurrence, Paths};
use crate::expr::{ExprId, ExprPool, VarId};

/// Runs the pass. Marked calls are further cut points.
pub(super) fn run(pool: &mut ExprPool, cfa: &Cfa, _: &mut Lift) -> Cfa {
    let mut cuts = cut_points(cfa);
    joins::add(cfa, &mut cuts);
    let mut summary = Summary { cfa, cuts: &cuts, successors: cfa.successors(), composer: Composer::new(pool, &cfa.vars) };
    let mut edges = Vec::new();
    for (loc, _) in cfa.locs.iter_enumerated().filter(|(id, _)| cuts[*id] && *id != cfa.error) {
        for (target, block) in summary.from(pool, loc) {
            edges.push((loc, target, block));
        }
    }
    let mut flows: BTreeMap<VarId, Vec<ExprId>> = BTreeMap::new();
    for (_, _, block) in &edges {
        block.updates.iter().for_each(|(var, e)| flows.entry(*var).or_default().push(*e));
    }
    let guards: Vec<ExprId> = edges.iter().map(|(_, _, block)| block.guard).collect();
    let state = influence(pool, &guards, &flows);
    let edges = edges.into_iter().map(|(source, target, mut block)| {
        block.updates.retain(|(var, _)| state.contains(var));
        summary.composer.find_inputs(pool, &mut block);
        Edge { source, target, op: Op::Block(Box::new(block)), span: None }
    });
    let mut large = with_edges(cfa, edges.collect());
    large.vars.retain(|var| state.contains(var));
    large.initial.retain(|var, _| state.contains(var));
    large
}

struct Summary<'a> {
    cfa: &'a Cfa,
    cuts: &'a IndexVec<LocId, bool>,
    successors: IndexVec<LocId, Vec<EdgeId>>,
    composer: Composer,
}

impl Summary<'_> {
    /// Returns one block for each cut point that follows `start` with no other cut point in between.
    fn from(&mut self, pool: &mut ExprPool, start: LocId) -> Vec<(LocId, Block)> {
        let mut arrived: BTreeMap<LocId, Vec<Paths>> = BTreeMap::from([(start, vec![self.composer.start()])]);
        for loc in self.topological(start) {
            let Some(paths) = Paths::merged(pool, arrived.remove(&loc).unwrap_or_default()) else { continue };
            let from = (loc, self.successors[loc].as_slice());
            for (edge, paths) in self.composer.leave(pool, self.cfa, from, paths, &Occurrence::default()) {
                arrived.entry(self.cfa.edges[edge].target).or_default().push(paths);
            }
        }
        let mut blocks = Vec::new();
        for (target, paths) in arrived {
            let block = Paths::merged(pool, paths).and_then(|paths| self.composer.block(pool, &paths, |_| true));
            blocks.extend(block.map(|block| (target, block)));
        }
        blocks
    }

    /// Returns `start` and the locations between it and the next cut points, in topological order.
    fn topological(&self, start: LocId) -> Vec<LocId> {
        let mut order = Vec::new();
        let mut seen: BTreeSet<LocId> = BTreeSet::from([start]);
        let mut stack = vec![(start, 0)];
        while let Some((loc, i)) = stack.pop() {
            match self.successors[loc].get(i) {
                Some(edge) => {
                    stack.push((loc, i + 1));
                    let target = self.cfa.edges[*edge].target;
                    if !self.cuts[target] && seen.insert(target) {
                        stack.push((target, 0));
                    }
                }
                None => order.push(loc),
            }
        }
        order.reverse();
        order
    }
}
