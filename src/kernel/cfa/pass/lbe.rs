//! Large-block encoding: every loop-free piece between cut points becomes one block.
//!
//! Cut points are the start, the head of the scan cycle, heads of loops inside the cycle, and the error location. The result has
//! at most one edge per pair of cut points, by Rule 2. Rules 1 and 2 need not be applied one by one: a symbolic run in
//! topological order composes sequences (Rule 1) and merges choices where paths meet (Rule 2). As a scan cycle is a function of
//! state and inputs, the merged operation `op₁ ∥ op₂` needs no disjunction: each variable's value is an if-then-else over the
//! condition of the branch. If the branches of a location do not exclude each other, a choice input selects one.
//!
//! Variables that no block reads before writing them do not belong to the state and disappear.
//!
//! Source: papers/large-block-encoding (Beyer, Cimatti, Griggio, Keremoglu, Sebastiani), §III-A: Rule 0 (error
//! sink), Rule 1 (sequence), Rule 2 (choice), Theorem III.1.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ids::{Id, IndexVec};

use super::Lift;
use super::columns::Columns;
use super::cone::influence;
use super::graph::{exclusive, with_edges};
use crate::cfa::automaton::{Cfa, Edge, EdgeId, LocId, LocKind, Op};
use crate::cfa::block::{Block, BlockInput};
use crate::expr::{ExprId, ExprPool, Sort, VarId};

/// Runs the pass. Locations that [`super::abe`] marks are further cut points.
pub(super) fn run(pool: &mut ExprPool, cfa: &Cfa, _: &mut Lift) -> Cfa {
    let cuts = cut_points(cfa);
    let column = cfa.vars.iter().enumerate().map(|(i, var)| (*var, i)).collect();
    let successors = cfa.successors();
    let mut summary = Summary { cfa, cuts: &cuts, column, successors, inputs: BTreeMap::new(), choices: BTreeMap::new() };
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
        let mut roots: Vec<ExprId> = block.updates.iter().map(|(_, e)| *e).collect();
        roots.push(block.guard);
        let used = pool.vars_of(&roots);
        block.inputs.retain(|input| used.contains(&input.var));
        Edge { source, target, op: Op::Block(Box::new(block)), span: None }
    });
    let mut large = with_edges(cfa, edges.collect());
    large.vars.retain(|var| state.contains(var));
    large.initial.retain(|var, _| state.contains(var));
    large
}

/// Returns the cut points: init, head, error, loop heads, marked locations. A loop with none of these is cut at the target of an
/// edge that closes it.
fn cut_points(cfa: &Cfa) -> IndexVec<LocId, bool> {
    let ends_block = |kind| matches!(kind, LocKind::LoopHead | LocKind::Cut);
    let mut cuts: IndexVec<LocId, bool> = cfa.locs.iter().map(|loc| ends_block(loc.kind)).collect();
    for loc in [cfa.init, cfa.head, cfa.error] {
        cuts[loc] = true;
    }
    let successors = cfa.successors();
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks: IndexVec<LocId, Mark> = cfa.locs.iter().map(|_| Mark::New).collect();
    for start in cfa.locs.ids() {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        let mut stack = vec![(start, 0)];
        while let Some((loc, i)) = stack.pop() {
            match successors[loc].get(i) {
                Some(edge) => {
                    stack.push((loc, i + 1));
                    let target = cfa.edges[*edge].target;
                    match marks[target] {
                        Mark::Open => cuts[target] = cuts[target] || !closes_at_cut(&stack, target, &cuts),
                        Mark::New => {
                            marks[target] = Mark::Open;
                            stack.push((target, 0));
                        }
                        Mark::Done => {}
                    }
                }
                None => marks[loc] = Mark::Done,
            }
        }
    }
    cuts
}

/// Returns whether the loop from `target` along the stack back to it contains a cut point.
fn closes_at_cut(stack: &[(LocId, usize)], target: LocId, cuts: &IndexVec<LocId, bool>) -> bool {
    stack.iter().rev().map(|(loc, _)| *loc).take_while(|loc| *loc != target).any(|loc| cuts[loc])
}

/// Set of paths from one cut point: their conditions, and the values at their end.
#[derive(Clone)]
struct Paths {
    /// Conditions in order; paths that part later share a longer prefix.
    conditions: Vec<ExprId>,
    /// Expressions over the state at the start, by column of the variable.
    values: Columns,
}

struct Summary<'a> {
    cfa: &'a Cfa,
    cuts: &'a IndexVec<LocId, bool>,
    column: BTreeMap<VarId, usize>,
    successors: IndexVec<LocId, Vec<EdgeId>>,
    /// The input of each havoc.
    inputs: BTreeMap<EdgeId, BlockInput>,
    /// The inputs that choose among the edges of a location.
    choices: BTreeMap<LocId, Vec<VarId>>,
}

impl Summary<'_> {
    /// Returns one block for each cut point that follows `start` with no other cut point in between.
    fn from(&mut self, pool: &mut ExprPool, start: LocId) -> Vec<(LocId, Block)> {
        let mut arrived: BTreeMap<LocId, Vec<Paths>> = BTreeMap::new();
        let mut inputs: BTreeSet<BlockInput> = BTreeSet::new();
        let unchanged: Vec<u32> = self.cfa.vars.iter().map(|var| pool.var(*var).0).collect();
        let filler = pool.bool(false).0;
        for loc in self.topological(start) {
            let paths = if loc == start {
                Paths { conditions: Vec::new(), values: Columns::new(&unchanged, filler) }
            } else {
                match merge(pool, arrived.remove(&loc).unwrap_or_default()) {
                    Some(paths) => paths,
                    None => continue,
                }
            };
            self.leave(pool, loc, paths, &mut arrived, &mut inputs);
        }
        let inputs: Vec<BlockInput> = inputs.into_iter().collect();
        let mut blocks = Vec::new();
        for (target, paths) in arrived {
            let Some(paths) = merge(pool, paths) else { continue };
            let guard = pool.and_all(paths.conditions);
            if pool.is_false(guard) {
                continue;
            }
            let after = self.cfa.vars.iter().zip(paths.values.iter()).zip(&unchanged);
            let updates = after.filter(|((_, value), before)| value != *before).map(|((var, value), _)| (*var, ExprId(value)));
            blocks.push((target, Block { guard, updates: updates.collect(), inputs: inputs.clone() }));
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

    fn leave(
        &mut self,
        pool: &mut ExprPool,
        loc: LocId,
        paths: Paths,
        arrived: &mut BTreeMap<LocId, Vec<Paths>>,
        inputs: &mut BTreeSet<BlockInput>,
    ) {
        let edges = self.successors[loc].clone();
        let guards: Vec<ExprId> = edges
            .iter()
            .map(|id| match &self.cfa.edges[*id].op {
                Op::Assume(e) => *e,
                Op::Block(block) => block.guard,
                Op::Skip | Op::Assign(..) | Op::Havoc(_) => pool.bool(true),
            })
            .collect();
        let choices = if edges.len() < 2 || exclusive(pool, &guards) { Vec::new() } else { self.choices(pool, loc, edges.len()) };
        let mut rest = Some(paths);
        for (i, id) in edges.iter().enumerate() {
            let taken = if i + 1 == edges.len() { rest.take() } else { rest.clone() };
            let Some(mut paths) = taken else { continue };
            // The first choice input that is TRUE selects its edge. The last edge has no choice input.
            for (j, choice) in choices.iter().enumerate().take(i + 1) {
                let value = pool.var(*choice);
                paths.conditions.push(if i == j { value } else { pool.not(value) });
                inputs.insert(BlockInput { var: *choice, origin: None });
            }
            let edge = &self.cfa.edges[*id];
            match &edge.op {
                Op::Skip => {}
                Op::Assume(e) => {
                    let condition = paths.now(pool, &self.column, *e);
                    if pool.is_false(condition) {
                        continue;
                    }
                    if !pool.is_true(condition) {
                        paths.conditions.push(condition);
                    }
                }
                Op::Assign(var, e) => {
                    let value = paths.now(pool, &self.column, *e);
                    paths.set(&self.column, *var, value);
                }
                Op::Havoc(var) => {
                    let input = *self.inputs.entry(*id).or_insert_with(|| {
                        let decl = pool.var_decl(*var).clone();
                        BlockInput { var: pool.new_var(format!("{}#in", decl.name), decl.sort), origin: Some(*var) }
                    });
                    inputs.insert(input);
                    let value = pool.var(input.var);
                    paths.set(&self.column, *var, value);
                }
                Op::Block(block) => {
                    let condition = paths.now(pool, &self.column, block.guard);
                    paths.conditions.push(condition);
                    let new: Vec<(VarId, ExprId)> =
                        block.updates.iter().map(|(var, e)| (*var, paths.now(pool, &self.column, *e))).collect();
                    new.into_iter().for_each(|(var, value)| paths.set(&self.column, var, value));
                    inputs.extend(&block.inputs);
                }
            }
            arrived.entry(edge.target).or_default().push(paths);
        }
    }

    fn choices(&mut self, pool: &mut ExprPool, loc: LocId, n_edges: usize) -> Vec<VarId> {
        let made = self
            .choices
            .entry(loc)
            .or_insert_with(|| (1..n_edges).map(|i| pool.new_var(format!("#choice{}.{i}", loc.index()), Sort::Bool)).collect());
        made.clone()
    }
}

impl Paths {
    /// Rewrites an expression over the present state to one over the state at the start.
    fn now(&self, pool: &mut ExprPool, column: &BTreeMap<VarId, usize>, e: ExprId) -> ExprId {
        let vars = pool.vars_of(&[e]);
        let by = vars.iter().filter_map(|var| Some((*var, ExprId(self.values.get(*column.get(var)?)?))));
        let by = by.collect();
        pool.subst(e, &by)
    }
    fn set(&mut self, column: &BTreeMap<VarId, usize>, var: VarId, value: ExprId) {
        if let Some(column) = column.get(&var) {
            self.values.set(*column, value.0);
        }
    }
}

/// Merges all sets of paths into one. The sets that share the longest prefix of conditions are merged first. So an inner IF is
/// merged before the enclosing IF, and its own condition distinguishes its branches.
fn merge(pool: &mut ExprPool, all: Vec<Paths>) -> Option<Paths> {
    let mut stack: Vec<(Paths, usize)> = Vec::new();
    for paths in all {
        let shared = stack.last().map_or(0, |(top, _)| shared(top, &paths));
        while let [.., _, (_, with_previous)] = stack.as_slice()
            && *with_previous >= shared
            && join_top(pool, &mut stack)
        {}
        let shared = stack.last().map_or(0, |(top, _)| self::shared(top, &paths));
        stack.push((paths, shared));
    }
    while 1 < stack.len() {
        join_top(pool, &mut stack);
    }
    stack.pop().map(|(paths, _)| paths)
}

fn shared(a: &Paths, b: &Paths) -> usize {
    a.conditions.iter().zip(&b.conditions).take_while(|(a, b)| a == b).count()
}

/// Joins the two topmost sets of paths.
fn join_top(pool: &mut ExprPool, stack: &mut Vec<(Paths, usize)>) -> bool {
    let Some((second, shared)) = stack.pop() else { return false };
    let Some((first, below)) = stack.pop() else {
        stack.push((second, shared));
        return false;
    };
    stack.push((join(pool, first, second, shared), below));
    true
}

/// Merges two sets of paths that share their first `shared` conditions. Their other conditions exclude each other.
fn join(pool: &mut ExprPool, first: Paths, second: Paths, shared: usize) -> Paths {
    let this = pool.and_all(first.conditions[shared..].iter().copied());
    let that = pool.and_all(second.conditions[shared..].iter().copied());
    let mut conditions = first.conditions;
    conditions.truncate(shared);
    let either = pool.or(this, that);
    if !pool.is_true(either) {
        conditions.push(either);
    }
    // Both conditions distinguish the sets; the simpler one is used.
    let (test, yes, no) = match (is_single_test(pool, this), is_single_test(pool, that)) {
        (false, true) => (that, second.values, first.values),
        (true | false, true | false) => (this, first.values, second.values),
    };
    let merged = yes.merged(&no, |a, b| pool.ite(test, ExprId(a), ExprId(b)).0);
    let values = merged.unwrap_or(yes);
    Paths { conditions, values }
}

/// Returns whether a condition is one test rather than a conjunction of several.
fn is_single_test(pool: &ExprPool, e: ExprId) -> bool {
    !matches!(pool.expr(e), crate::expr::Expr::And(..))
}
