//! Values that the program gives to each variable as constants: bounds of steps and modes.
//!
//! A state machine of 300 steps goes from each step to the next one. Widening by stops climbs a step each time; the constants of
//! all assignments together are the bounds at once.

use std::collections::BTreeMap;

use kernel::cfa::{Cfa, Op};
use kernel::expr::{Expr, ExprId, ExprPool, VarId};

use super::range::Range;
use super::state::{State, Table};

/// Range of the constants that are assigned to a variable, or to one that is assigned to it.
pub(super) type Constants = BTreeMap<VarId, Range>;

/// Most rounds in which ranges pass from a variable to another.
const MOST_ROUNDS: usize = 8;

/// Returns the range of the constants of each variable that has some. Sums and other results count for nothing.
///
/// Cost: the assignments of the automaton, eight times.
pub(super) fn constants(pool: &ExprPool, cfa: &Cfa) -> Constants {
    let mut found = Constants::new();
    let mut copies: Vec<(VarId, VarId)> = Vec::new();
    let mut assigned = |var: VarId, e: ExprId| {
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            let expr = pool.expr(e);
            if let Expr::Const(value) = expr {
                add(&mut found, var, Range::of(value));
            } else if let Expr::Ite(_, a, b) = expr {
                open.extend([a, b]);
            } else if let Expr::Var(from) = expr
                && from != var
            {
                copies.push((var, from));
            }
        }
    };
    for edge in cfa.edges.iter() {
        match &edge.op {
            Op::Assign(var, e) => assigned(*var, *e),
            Op::Block(block) => block.updates.iter().for_each(|(var, e)| assigned(*var, *e)),
            Op::Skip | Op::Havoc(_) | Op::Assume(_) => {}
        }
    }
    for _ in 0..MOST_ROUNDS {
        for (to, from) in &copies {
            let range = found.get(from).copied();
            add(&mut found, *to, range);
        }
    }
    found
}

fn add(found: &mut Constants, var: VarId, range: Option<Range>) {
    let Some(range) = range else { return };
    let all = match found.get(&var) {
        Some(before) => before.join(range),
        None => Some(range),
    };
    if let Some(all) = all {
        found.insert(var, all);
    }
}

/// Returns what holds in both states, with bounds that change moved to the constants of their variable, or given up without any;
/// `None` if that is what `before` says.
pub(super) fn widen(table: &mut Table, constants: &Constants, before: &State, after: &State) -> Option<State> {
    let joined = table.join(before, after)?;
    let mut widened = table.widen(before, after, None)?;
    for (var, range) in constants {
        if let Some(now) = table.get(&joined, *var)
            && table.get(before, *var) != Some(now)
        {
            table.set(&mut widened, *var, now.join(*range));
        }
    }
    Some(widened)
}
