//! Cone of influence: only variables that decide whether the error location is reached.
//!
//! A variable is relevant if a condition on a way to the error location mentions it, or if it is assigned to a relevant
//! one. Assignments to the others become skips. Where this leaves a branch with nothing on either side the branch
//! itself goes, and with it perhaps the last reason for a variable; so the two steps alternate until nothing changes.
//! Conditions that are no branch (assumptions, checks that must have passed) stay, so runs that stop there still do.
//!
//! Lifting: the reduced runs are the unreduced ones seen through the relevant variables. An invariant over these is
//! inductive in both; a trace needs only the inputs among them.

use std::collections::{BTreeMap, BTreeSet};

use super::Lift;
use super::graph::{complementary, contracted, with_edges};
use crate::cfa::automaton::{Cfa, Edge, LocId, Op};
use crate::expr::{Expr, ExprId, ExprPool, VarId};

pub(super) fn run(pool: &mut ExprPool, cfa: &Cfa, lift: &mut Lift) -> Cfa {
    let mut cfa = cfa.clone();
    loop {
        // Only ways to the error location count: the edges elsewhere are no reason for anything.
        cfa = super::dead::run(pool, &cfa, lift);
        let relevant = relevant(pool, &cfa);
        let before = cfa.edges.len();
        let edges = cfa.edges.iter().map(|e| without(e, &relevant)).collect();
        cfa = contracted(&with_edges(&cfa, edges));
        cfa = joined(pool, &cfa);
        cfa.vars.retain(|var| relevant.contains(var));
        cfa.initial.retain(|var, _| relevant.contains(var));
        if cfa.edges.len() == before {
            return cfa;
        }
    }
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

/// Variables that conditions mention, and those that flow into them.
fn relevant(pool: &ExprPool, cfa: &Cfa) -> BTreeSet<VarId> {
    let mut flows: BTreeMap<VarId, Vec<ExprId>> = BTreeMap::new();
    let mut roots = Vec::new();
    for edge in cfa.edges.iter() {
        match &edge.op {
            Op::Skip | Op::Havoc(_) => {}
            Op::Assume(e) => roots.push(*e),
            Op::Assign(var, e) => flows.entry(*var).or_default().push(*e),
            Op::Block(block) => {
                roots.push(block.guard);
                block.updates.iter().for_each(|(var, e)| flows.entry(*var).or_default().push(*e));
            }
        }
    }
    influence(pool, &roots, &flows)
}

/// All variables that `roots` mention, directly or through `flows`.
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

/// How many parallel edges are compared with each: case splits over large arrays have thousands.
const NEAR: usize = 64;

/// Parallel edges that together change nothing become one skip; equal parallel edges become one.
fn joined(pool: &mut ExprPool, cfa: &Cfa) -> Cfa {
    let mut parallel: BTreeMap<(LocId, LocId), Vec<usize>> = BTreeMap::new();
    for (i, edge) in cfa.edges.iter().enumerate() {
        parallel.entry((edge.source, edge.target)).or_default().push(i);
    }
    let edges: Vec<&Edge> = cfa.edges.iter().collect();
    let mut drop = vec![false; edges.len()];
    let mut skip = vec![false; edges.len()];
    let harmless = |op: &Op| matches!(op, Op::Skip | Op::Assume(_));
    for group in parallel.values() {
        for (n, i) in group.iter().enumerate() {
            for j in &group[n.saturating_sub(NEAR)..n] {
                let (here, there) = (&edges[*i].op, &edges[*j].op);
                if drop[*i] || drop[*j] {
                    continue;
                }
                if here == there {
                    drop[*i] = true;
                } else if harmless(here) && harmless(there) {
                    let either = skip[*j] || *here == Op::Skip || *there == Op::Skip;
                    let both = |pool: &mut ExprPool| match (here, there) {
                        (Op::Assume(a), Op::Assume(b)) => complementary(pool, *a, *b),
                        (Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(_) | Op::Block(_), _) => false,
                    };
                    if either || both(pool) {
                        drop[*i] = true;
                        skip[*j] = true;
                    }
                }
            }
        }
    }
    let kept = edges.iter().enumerate().filter(|(i, _)| !drop[*i]);
    let kept = kept.map(|(i, e)| Edge { op: if skip[i] { Op::Skip } else { e.op.clone() }, ..(*e).clone() });
    with_edges(cfa, kept.collect())
}
