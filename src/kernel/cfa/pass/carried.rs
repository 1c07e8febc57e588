//! Variables whose value at the head of the cycle can decide: some step reads it before all of it is written.
//!
//! A bit vector of which a step writes a part counts bit by bit.
//!
//! Soundness: a value that another program writes into the other variables between two cycles is overwritten before it is read.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ids::IndexVec;

use crate::cfa::automaton::{Cfa, EdgeId, LocId, Op};
use crate::expr::{Expr, ExprId, ExprPool, Sort, VarId};

/// Units of one pass: bits of a word.
const CHUNK: usize = 64;

/// Returns the variables that are live at the head of the cycle.
///
/// Cost: linear in the edges for every 64 variables, times the depth of the loops.
pub(super) fn carried(pool: &ExprPool, cfa: &Cfa) -> BTreeSet<VarId> {
    if cfa.recursion.is_some() {
        // Procedures read variables beside the automaton.
        return cfa.vars.iter().copied().collect();
    }
    let units = Units::new(pool, cfa);
    let mut effects = Effects { pool, units: &units, reads: BTreeMap::new() };
    let effects: IndexVec<EdgeId, Effect> = cfa.edges.iter().map(|edge| effects.of(&edge.op)).collect();
    let order = postorder(cfa);
    let successors = cfa.successors();
    let mut found = BTreeSet::new();
    for first in (0..units.vars.len()).step_by(CHUNK) {
        let word = |list: &[usize]| {
            list.iter().filter(|unit| first <= **unit && **unit < first + CHUNK).fold(0, |all, unit| all | 1 << (unit - first))
        };
        let words: IndexVec<EdgeId, (u64, u64)> =
            effects.iter().map(|effect| (word(&effect.reads), word(&effect.writes))).collect();
        let mut live: IndexVec<LocId, u64> = cfa.locs.iter().map(|_| 0).collect();
        loop {
            let before = live.clone();
            for loc in &order {
                live[*loc] = successors[*loc].iter().fold(live[*loc], |all, edge| {
                    let (reads, writes) = words[*edge];
                    all | reads | (live[cfa.edges[*edge].target] & !writes)
                });
            }
            if before == live {
                break;
            }
        }
        let at_head = live[cfa.head];
        found.extend(
            units.vars.iter().skip(first).take(CHUNK).enumerate().filter(|(bit, _)| at_head >> bit & 1 == 1).map(|(_, var)| *var),
        );
    }
    found
}

/// Returns the locations, successors first where no loop is in the way.
fn postorder(cfa: &Cfa) -> Vec<LocId> {
    let successors = cfa.successors();
    let mut seen: IndexVec<LocId, bool> = cfa.locs.iter().map(|_| false).collect();
    let (mut order, mut todo) = (Vec::new(), Vec::new());
    for root in [cfa.init, cfa.head] {
        todo.push((root, false));
        while let Some((loc, is_left)) = todo.pop() {
            if is_left {
                order.push(loc);
            } else if !std::mem::replace(&mut seen[loc], true) {
                todo.push((loc, true));
                todo.extend(successors[loc].iter().map(|edge| (cfa.edges[*edge].target, false)));
            }
        }
    }
    order
}

/// Numbers of variables, and of the bits of those that steps write in part.
struct Units {
    first: BTreeMap<VarId, usize>,
    /// Bits of the variables that are divided.
    widths: BTreeMap<VarId, u16>,
    /// Variable of each unit.
    vars: Vec<VarId>,
}

impl Units {
    fn new(pool: &ExprPool, cfa: &Cfa) -> Units {
        let mut units = Units { first: BTreeMap::new(), widths: BTreeMap::new(), vars: Vec::new() };
        for edge in cfa.edges.iter() {
            if let Op::Assign(var, e) = &edge.op
                && let Sort::BitVec(width) = pool.sort(*e)
                && replaced(pool, *var, *e).is_some()
            {
                units.widths.insert(*var, width);
            }
        }
        for var in crate::cfa::model::mentioned(pool, cfa) {
            units.first.insert(var, units.vars.len());
            let count = units.widths.get(&var).map_or(1, |width| usize::from(*width));
            units.vars.extend(std::iter::repeat_n(var, count));
        }
        units
    }

    /// Adds the units of bits `low..=high` of a variable, or all of them.
    fn add(&self, var: VarId, bits: Option<(u16, u16)>, to: &mut Vec<usize>) {
        let Some(first) = self.first.get(&var) else { return };
        match (self.widths.get(&var), bits) {
            (None, _) => to.push(*first),
            (Some(width), None) => to.extend(*first..first + usize::from(*width)),
            (Some(_), Some((low, high))) => to.extend(first + usize::from(low)..=first + usize::from(high)),
        }
    }
}

/// Units that a step reads before it writes, and units that it writes.
#[derive(Clone, Default)]
struct Effect {
    reads: Vec<usize>,
    writes: Vec<usize>,
}

/// Effects of steps.
struct Effects<'a> {
    pool: &'a ExprPool,
    units: &'a Units,
    /// Units that expressions read.
    reads: BTreeMap<ExprId, Vec<usize>>,
}

impl Effects<'_> {
    fn of(&mut self, op: &Op) -> Effect {
        let mut effect = Effect::default();
        match op {
            Op::Skip => {}
            Op::Assume(e) => effect.reads = self.read(*e),
            Op::Havoc(var) => self.units.add(*var, None, &mut effect.writes),
            Op::Assign(var, e) => self.assign(*var, *e, &mut effect),
            Op::Block(block) => {
                effect.reads = self.read(block.guard);
                for (var, e) in &block.updates {
                    self.assign(*var, *e, &mut effect);
                }
            }
        }
        effect
    }

    fn assign(&mut self, var: VarId, e: ExprId, effect: &mut Effect) {
        match replaced(self.pool, var, e) {
            None => {
                effect.reads.extend(self.read(e));
                self.units.add(var, None, &mut effect.writes);
            }
            Some(parts) => {
                for (part, low, high) in parts {
                    effect.reads.extend(part.into_iter().flat_map(|part| self.read(part)));
                    self.units.add(var, Some((low, high)), &mut effect.writes);
                }
            }
        }
    }

    /// Returns the units whose values an expression depends on.
    fn read(&mut self, root: ExprId) -> Vec<usize> {
        if let Some(known) = self.reads.get(&root) {
            return known.clone();
        }
        let (mut found, mut seen, mut todo) = (Vec::new(), BTreeSet::new(), vec![root]);
        while let Some(e) = todo.pop() {
            if !seen.insert(e) {
                continue;
            }
            let expr = self.pool.expr(e);
            if let Expr::Var(var) = expr {
                self.units.add(var, None, &mut found);
            } else if let Expr::Extract { high, low, of } = expr
                && let Expr::Var(var) = self.pool.expr(of)
            {
                self.units.add(var, Some((low, high)), &mut found);
            } else {
                todo.extend(expr.children());
            }
        }
        found.sort_unstable();
        found.dedup();
        self.reads.insert(root, found.clone());
        found
    }
}

/// Returns the parts of a bit vector that a value replaces, with their lowest and highest bits; `None` if no bit keeps its place.
fn replaced(pool: &ExprPool, var: VarId, e: ExprId) -> Option<Vec<(Option<ExprId>, u16, u16)>> {
    let (mut parts, mut todo, mut keeps, mut end) = (Vec::new(), vec![(Some(e), 0)], false, 0);
    // The lowest part comes first; zeros have a width only.
    while let Some((part, zeros)) = todo.pop() {
        let width = match part.map(|part| (part, pool.sort(part), pool.expr(part))) {
            None => {
                parts.push((None, end, end + zeros - 1));
                zeros
            }
            Some((_, _, Expr::Concat(high, low))) => {
                todo.extend([(Some(high), 0), (Some(low), 0)]);
                0
            }
            Some((_, _, Expr::ZeroExtend(width, inner))) => {
                let Sort::BitVec(own) = pool.sort(inner) else { return None };
                todo.extend([(None, width - own), (Some(inner), 0)]);
                0
            }
            Some((part, Sort::BitVec(width), expr)) => {
                let stays = |low, of| low == end && matches!(pool.expr(of), Expr::Var(own) if own == var);
                if matches!(expr, Expr::Extract { low, of, .. } if stays(low, of)) {
                    keeps = true;
                } else {
                    parts.push((Some(part), end, end + width - 1));
                }
                width
            }
            Some((_, Sort::Bool | Sort::Float(_) | Sort::Int | Sort::Array(..), _)) => return None,
        };
        end += width;
    }
    keeps.then_some(parts)
}
