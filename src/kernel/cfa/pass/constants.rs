//! Constant propagation: values that a variable has at a location in every run that gets there.
//!
//! Conditional, along the edges from the initial values to a fixpoint. Reads of known variables become constants, and
//! edges that cannot be feasible go.
//!
//! Lifting: the used constants of a cut point hold there in every run. The facts of all cut points together are inductive,
//! because the fixpoint is. A cut point that no run reaches has the fact FALSE.
//!
//! Source: Wegman, Zadeck, TOPLAS 13(2), 1991, doi:10.1145/103135.103136 (conditional constants, on a CFA).

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ids::IndexVec;

use super::Lift;
use super::constant_values::{ConstantValues, Values};
use super::graph::with_edges;
use crate::cfa::automaton::{Cfa, Edge, LocId, LocKind, Op};
use crate::cfa::block::Block;
use crate::cfa::compose::exclusive::MOST_CONJUNCTS;
use crate::expr::{Evaluator, Expr, ExprId, ExprPool, Value, VarId};

/// Visits of a location after which changing values, and all assigned ones, count as unknown.
const MAX_VISITS: u32 = 8;

pub(super) fn run(pool: &mut ExprPool, cfa: &Cfa, lift: &mut Lift) -> Cfa {
    let mut analysis = Analysis::new(pool, cfa);
    let known = analysis.fixpoint();
    let Analysis { column, values, .. } = analysis;
    let constant = |known: &ConstantValues, var: VarId| column.get(&var).and_then(|i| known.get(&values, *i));
    let mut used = BTreeSet::new();
    let mut edges = Vec::with_capacity(cfa.edges.len());
    for edge in cfa.edges.iter() {
        let Some(here) = &known[edge.source] else { continue };
        let mut rewrite = |pool: &mut ExprPool, e: ExprId| {
            let mut by = BTreeMap::new();
            for var in pool.vars_of(&[e]) {
                if let Some(value) = constant(here, var) {
                    used.insert(var);
                    by.insert(var, pool.constant(value));
                }
            }
            pool.subst(e, &by)
        };
        let op = match &edge.op {
            op @ (Op::Skip | Op::Havoc(_)) => op.clone(),
            Op::Assume(e) => Op::Assume(rewrite(pool, *e)),
            Op::Assign(var, e) => Op::Assign(*var, rewrite(pool, *e)),
            Op::Block(block) => Op::Block(Box::new(Block {
                guard: rewrite(pool, block.guard),
                updates: block.updates.iter().map(|(var, e)| (*var, rewrite(pool, *e))).collect(),
                inputs: block.inputs.clone(),
            })),
        };
        if !matches!(&op, Op::Assume(e) if pool.is_false(*e)) {
            edges.push(Edge { op, ..edge.clone() });
        }
    }
    for (loc, info) in cfa.locs.iter_enumerated().filter(|(id, _)| is_cut(cfa, *id)) {
        let Some(here) = &known[loc] else {
            lift.unreachable.insert(info.origin);
            continue;
        };
        for var in &used {
            if let Some(value) = constant(here, *var) {
                let (var, value) = (pool.var(*var), pool.constant(value));
                let fact = pool.eq(var, value);
                lift.facts.entry(info.origin).or_default().push(fact);
            }
        }
    }
    with_edges(cfa, edges)
}

fn is_cut(cfa: &Cfa, loc: LocId) -> bool {
    loc == cfa.head || cfa.locs[loc].kind == LocKind::LoopHead
}

struct Analysis<'a> {
    pool: &'a ExprPool,
    cfa: &'a Cfa,
    column: BTreeMap<VarId, usize>,
    values: Values,
    /// Position of each location in reverse post-order: earlier ones first keeps revisits few.
    order: IndexVec<LocId, usize>,
}

impl<'a> Analysis<'a> {
    fn new(pool: &'a ExprPool, cfa: &'a Cfa) -> Analysis<'a> {
        let column = cfa.vars.iter().enumerate().map(|(i, var)| (*var, i)).collect();
        Analysis { pool, cfa, column, values: Values::default(), order: reverse_post_order(cfa) }
    }

    /// Returns the constants at each location; `None` where no run arrives.
    fn fixpoint(&mut self) -> IndexVec<LocId, Option<ConstantValues>> {
        let cfa = self.cfa;
        let successors = cfa.successors();
        let mut known: IndexVec<LocId, Option<ConstantValues>> = cfa.locs.iter().map(|_| None).collect();
        let mut visits: IndexVec<LocId, u32> = cfa.locs.iter().map(|_| 0).collect();
        known[cfa.init] = Some(ConstantValues::new(&mut self.values, cfa.vars.iter().map(|var| cfa.initial.get(var).copied())));
        let mut todo: BTreeSet<(usize, LocId)> = BTreeSet::from([(self.order[cfa.init], cfa.init)]);
        while let Some((_, loc)) = todo.pop_first() {
            let Some(here) = known[loc].clone() else { continue };
            visits[loc] += 1;
            for id in &successors[loc] {
                let edge = &cfa.edges[*id];
                let Some(after) = self.post(&here, &edge.op) else { continue };
                let joined = match &known[edge.target] {
                    None => Some(after),
                    Some(before) => match before.join(&after) {
                        Some(joined) if MAX_VISITS < visits[edge.target] => Some(self.widened(joined)),
                        joined => joined,
                    },
                };
                if let Some(joined) = joined {
                    known[edge.target] = Some(joined);
                    todo.insert((self.order[edge.target], edge.target));
                }
            }
        }
        known
    }

    /// Returns the constants after an operation; `None` if it is not feasible.
    fn post(&mut self, here: &ConstantValues, op: &Op) -> Option<ConstantValues> {
        let env = |var: VarId| self.column.get(&var).and_then(|i| here.get(&self.values, *i));
        match op {
            Op::Skip => Some(here.clone()),
            Op::Havoc(var) => Some(self.set(here, &[(*var, None)])),
            Op::Assign(var, e) => {
                let value = self.pool.eval(*e, &env);
                Some(self.set(here, &[(*var, value)]))
            }
            Op::Assume(e) => match self.pool.eval(*e, &env) {
                Some(Value::Bool(false)) => None,
                Some(_) | None => Some(self.set(here, &self.told(*e))),
            },
            Op::Block(block) => {
                let mut evaluator = Evaluator::new();
                if evaluator.eval(self.pool, block.guard, &env) == Some(Value::Bool(false)) {
                    return None;
                }
                let updates: Vec<(VarId, Option<Value>)> =
                    block.updates.iter().map(|(var, e)| (*var, evaluator.eval(self.pool, *e, &env))).collect();
                Some(self.set(here, &updates))
            }
        }
    }
    fn set(&mut self, here: &ConstantValues, updates: &[(VarId, Option<Value>)]) -> ConstantValues {
        let mut new = here.clone();
        for (var, value) in updates {
            if let Some(column) = self.column.get(var) {
                new.set(&mut self.values, *column, *value);
            }
        }
        new
    }
    /// Returns the values of single variables that a true condition implies.
    fn told(&self, condition: ExprId) -> Vec<(VarId, Option<Value>)> {
        let var = |e: ExprId| if let Expr::Var(var) = self.pool.expr(e) { Some(var) } else { None };
        let mut told = Vec::new();
        for part in self.pool.conjuncts_up_to(condition, MOST_CONJUNCTS) {
            if let Some(v) = var(part) {
                told.push((v, Some(Value::Bool(true))));
            } else if let Expr::Not(a) = self.pool.expr(part)
                && let Some(v) = var(a)
            {
                told.push((v, Some(Value::Bool(false))));
            } else if let Expr::Eq(a, b) = self.pool.expr(part)
                && let (Some(v), Some(value)) = (var(a), self.pool.as_const(b))
            {
                told.push((v, Some(value)));
            }
        }
        told
    }
    /// Drops the values that still change.
    fn widened(&mut self, joined: ConstantValues) -> ConstantValues {
        let mut assigned: Vec<(VarId, Option<Value>)> = Vec::new();
        for edge in self.cfa.edges.iter() {
            match &edge.op {
                Op::Skip | Op::Assume(_) => {}
                Op::Assign(var, _) | Op::Havoc(var) => assigned.push((*var, None)),
                Op::Block(block) => assigned.extend(block.updates.iter().map(|(var, _)| (*var, None))),
            }
        }
        self.set(&joined, &assigned)
    }
}

fn reverse_post_order(cfa: &Cfa) -> IndexVec<LocId, usize> {
    let successors = cfa.successors();
    let mut order: IndexVec<LocId, usize> = cfa.locs.iter().map(|_| usize::MAX).collect();
    let mut seen: IndexVec<LocId, bool> = cfa.locs.iter().map(|_| false).collect();
    let mut next = cfa.locs.len();
    let mut stack = vec![(cfa.init, 0)];
    seen[cfa.init] = true;
    while let Some((loc, i)) = stack.pop() {
        match successors[loc].get(i) {
            Some(edge) => {
                stack.push((loc, i + 1));
                let target = cfa.edges[*edge].target;
                if !std::mem::replace(&mut seen[target], true) {
                    stack.push((target, 0));
                }
            }
            None => {
                next -= 1;
                order[loc] = next;
            }
        }
    }
    order
}
