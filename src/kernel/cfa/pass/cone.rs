//! Cone of influence: the variables and edges that can decide whether the error location is reached.
//!
//! The slice begins with the error location, with loops (they might not end), and with conditions that are no branch
//! (assumptions, passed checks). So runs that stop there still do. An assignment joins the slice if the slice mentions its
//! variable. A branch joins it if the slice has something on only one of its ways. All other assignments become skips, and all
//! other branches go straight to the location where their ways meet.
//!
//! Lifting: the reduced runs are the unreduced ones, restricted to the relevant variables. An invariant over these is inductive
//! in both; a trace needs only the inputs among them.
//!
//! Source: Weiser, "Program Slicing", ICSE 1981; control dependence as in Ferrante, Ottenstein, Warren, TOPLAS 9(3),
//! 1987, doi:10.1145/24039.24041.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ids::{Id, IndexVec};

use super::Lift;
use super::graph::{contracted, with_edges};
use super::postdom::Postdominators;
use crate::cfa::automaton::{Cfa, Edge, EdgeId, LocId, LocKind, Op};
use crate::cfa::compose::exclusive::complementary;
use crate::expr::{Expr, ExprId, ExprPool, VarId};

pub(super) fn run(pool: &mut ExprPool, cfa: &Cfa, lift: &mut Lift) -> Cfa {
    let sliced = slice(pool, cfa);
    let sliced = super::dead::run(pool, &sliced, lift);
    let mut small = contracted(&sliced);
    let relevant = mentioned(pool, &small);
    small.vars.retain(|var| relevant.contains(var));
    small.initial.retain(|var, _| relevant.contains(var));
    small
}

fn slice(pool: &mut ExprPool, cfa: &Cfa) -> Cfa {
    let meetings = Postdominators::new(cfa);
    let mut slice = Slice::new(pool, cfa);
    loop {
        slice.follow(pool);
        let nearest = meetings.nearest(&slice.matters);
        let found: Vec<LocId> = slice
            .branches
            .iter()
            .copied()
            .filter(|loc| match meetings.meeting_depth(*loc) {
                // The slice has something between the branch and the location where its ways meet.
                Some(depth) => cfa.edges_from(&slice.successors, *loc).any(|edge| depth < nearest[slice.node(edge)]),
                None => true,
            })
            .collect();
        if found.is_empty() {
            break;
        }
        for loc in found {
            slice.branches.remove(&loc);
            slice.need_conditions(loc);
        }
    }
    let mut edges = Vec::with_capacity(cfa.edges.len());
    for loc in cfa.locs.ids() {
        if slice.branches.contains(&loc)
            && let Some(target) = meetings.meeting(cfa, loc)
        {
            edges.push(Edge { source: loc, target, op: Op::Skip, span: None });
            continue;
        }
        edges.extend(cfa.edges_from(&slice.successors, loc).map(|edge| without(edge, &slice.relevant)));
    }
    with_edges(cfa, edges)
}

fn without(edge: &Edge, relevant: &BTreeSet<VarId>) -> Edge {
    let op = match &edge.op {
        Op::Assign(var, _) | Op::Havoc(var) if !relevant.contains(var) => Op::Skip,
        Op::Block(block) => {
            let mut block = block.clone();
            block.updates.retain(|(var, _)| relevant.contains(var));
            Op::Block(block)
        }
        op @ (Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(_)) => op.clone(),
    };
    Edge { op, ..edge.clone() }
}

/// Variables and locations of the slice.
struct Slice<'a> {
    cfa: &'a Cfa,
    successors: IndexVec<LocId, Vec<EdgeId>>,
    /// Branches on complementary conditions outside of the slice so far.
    branches: BTreeSet<LocId>,
    /// Locations in the slice.
    matters: IndexVec<LocId, bool>,
    relevant: BTreeSet<VarId>,
    /// Expressions whose variables are still to become relevant.
    todo: Vec<ExprId>,
    seen: BTreeSet<ExprId>,
    /// Writes of each variable, with their values.
    writes: BTreeMap<VarId, Vec<(LocId, Option<ExprId>)>>,
}

impl<'a> Slice<'a> {
    fn new(pool: &mut ExprPool, cfa: &'a Cfa) -> Slice<'a> {
        let successors = cfa.successors();
        let mut slice = Slice {
            cfa,
            branches: BTreeSet::new(),
            matters: cfa.locs.iter().map(|loc| loc.kind == LocKind::LoopHead).collect(),
            relevant: BTreeSet::new(),
            todo: Vec::new(),
            seen: BTreeSet::new(),
            writes: BTreeMap::new(),
            successors,
        };
        slice.matters[cfa.error] = true;
        for (loc, leaving) in slice.successors.iter_enumerated() {
            let ops: Vec<&Op> = leaving.iter().map(|id| &cfa.edges[*id].op).collect();
            let branch = match ops.as_slice() {
                [Op::Assume(a), Op::Assume(b)] => complementary(pool, *a, *b),
                [] | [_] | [_, _, ..] => false,
            };
            if branch {
                slice.branches.insert(loc);
            }
        }
        for edge in cfa.edges.iter() {
            let at = edge.source;
            match &edge.op {
                Op::Skip => {}
                Op::Assume(_) if slice.branches.contains(&at) => {}
                Op::Assume(e) => {
                    slice.matters[at] = true;
                    slice.todo.push(*e);
                }
                Op::Assign(var, e) => slice.writes.entry(*var).or_default().push((at, Some(*e))),
                Op::Havoc(var) => slice.writes.entry(*var).or_default().push((at, None)),
                Op::Block(block) => {
                    slice.matters[at] = true;
                    slice.todo.push(block.guard);
                    for (var, e) in &block.updates {
                        slice.writes.entry(*var).or_default().push((at, Some(*e)));
                    }
                }
            }
        }
        // A choice between several ways without complementary conditions matters.
        for (loc, leaving) in slice.successors.iter_enumerated() {
            if 1 < leaving.len() && !slice.branches.contains(&loc) {
                slice.matters[loc] = true;
            }
        }
        slice
    }
    /// Adds the conditions of the edges that leave `loc`.
    fn need_conditions(&mut self, loc: LocId) {
        for edge in self.cfa.edges_from(&self.successors, loc) {
            if let Op::Assume(e) = &edge.op {
                self.todo.push(*e);
            }
        }
        self.matters[loc] = true;
    }
    /// Makes mentioned variables relevant, and adds the locations of their writes.
    fn follow(&mut self, pool: &ExprPool) {
        while let Some(e) = self.todo.pop() {
            if !self.seen.insert(e) {
                continue;
            }
            let expr = pool.expr(e);
            if let Expr::Var(var) = expr {
                if self.relevant.insert(var) {
                    for (at, from) in self.writes.get(&var).into_iter().flatten() {
                        self.matters[*at] = true;
                        self.todo.extend(from);
                    }
                }
            } else {
                self.todo.extend(expr.children());
            }
        }
    }
    /// Returns the node of the tree of postdominators behind `edge`.
    fn node(&self, edge: &Edge) -> usize {
        if edge.target == self.cfa.head { self.cfa.locs.len() } else { edge.target.index() }
    }
}

impl Cfa {
    fn edges_from<'a>(
        &'a self,
        successors: &'a IndexVec<LocId, Vec<EdgeId>>,
        loc: LocId,
    ) -> impl Iterator<Item = &'a Edge> + use<'a> {
        successors[loc].iter().map(|id| &self.edges[*id])
    }
}

/// Returns all variables that some edge reads or writes.
fn mentioned(pool: &ExprPool, cfa: &Cfa) -> BTreeSet<VarId> {
    crate::cfa::model::mentioned(pool, cfa)
}

/// Returns all variables that `roots` mention, directly or through `flows`.
pub(super) fn influence(pool: &ExprPool, roots: &[ExprId], flows: &BTreeMap<VarId, Vec<ExprId>>) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let mut seen: BTreeSet<ExprId> = BTreeSet::new();
    let mut todo: Vec<ExprId> = roots.to_vec();
    while let Some(e) = todo.pop() {
        if !seen.insert(e) {
            continue;
        }
        let expr = pool.expr(e);
        if let Expr::Var(var) = expr {
            if found.insert(var) {
                todo.extend(flows.get(&var).into_iter().flatten());
            }
        } else {
            todo.extend(expr.children());
        }
    }
    found
}
