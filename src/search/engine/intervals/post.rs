//! State after an operation.

use kernel::cfa::Op;
use kernel::expr::{Expr, ExprId, ExprPool, VarId};

use super::assume::assume;
use super::evaluate::{Comparison, comparison, evaluate, is_small, variable, words};
use super::range::{Range, Words};
use super::state::{State, Table};

/// Returns the state after an operation; `None` if it is not possible.
///
/// Soundness: contains each concrete state that the operation leads to from one of `state`.
pub(super) fn post(pool: &ExprPool, table: &mut Table, state: &State, op: &Op) -> Option<State> {
    match op {
        Op::Skip => Some(state.clone()),
        Op::Assume(e) => assume(pool, table, state, *e, true),
        Op::Havoc(var) => Some(written(table, state, *var, None)),
        Op::Assign(var, e) => assign(pool, table, state, *var, *e),
        Op::Block(block) => {
            let before = assume(pool, table, state, block.guard, true)?;
            let mut after = before.clone();
            for (var, e) in &block.updates {
                let range = evaluate(pool, table, &before, *e);
                table.set(&mut after, *var, range);
                after.orders.forget(*var);
            }
            Some(after)
        }
    }
}

fn written(table: &mut Table, state: &State, var: VarId, range: Option<Range>) -> State {
    let mut after = state.clone();
    table.set(&mut after, var, range);
    after.orders.forget(var);
    after
}

fn assign(pool: &ExprPool, table: &mut Table, state: &State, var: VarId, e: ExprId) -> Option<State> {
    if let Some(from) = variable(pool, e) {
        let mut after = state.clone();
        let range = table.get(state, from);
        table.set(&mut after, var, range);
        if Words::of_sort(pool.var_decl(var).sort).is_some() {
            after.orders.copy(var, from);
        }
        return Some(after);
    }
    if let Expr::Ite(c, a, b) = pool.expr(e)
        && is_small(pool, e)
    {
        // MAX and LIMIT: each branch has orders of its own.
        let apart = table.nested(|table| {
            let mut branch = |truth: bool, value: ExprId| {
                let state = assume(pool, table, state, c, truth)?;
                let mut after = assign(pool, table, &state, var, value)?;
                if let Some(comparison) = comparison(pool, c, truth) {
                    compared(pool, table, (&state, &mut after), (var, value), comparison)?;
                }
                Some(after)
            };
            let (a, b) = (branch(true, a), branch(false, b));
            table.either(a, b)
        });
        if let Some(found) = apart {
            return found;
        }
    }
    let range = evaluate(pool, table, state, e);
    Some(written(table, state, var, range))
}

/// Adds to the state after `var := value` what the comparison before it tells, if the value is one of its sides; `None` if that is
/// not possible.
fn compared(
    pool: &ExprPool,
    table: &mut Table,
    (before, after): (&State, &mut State),
    (var, value): (VarId, ExprId),
    (low, high, reading, is_strict): Comparison,
) -> Option<()> {
    let other = match value {
        _ if value == high => low,
        _ if value == low => high,
        _ => return Some(()),
    };
    if let (Some(other), Some(all)) = (words(pool, table, before, other), Words::of_sort(pool.sort(value))) {
        let own = table.get(after, var).and_then(Range::words).unwrap_or(all);
        let ((least, most), (from, to), strict) = (own.of(reading), other.of(reading), i128::from(is_strict));
        let interval = if value == high { (least.max(from + strict), most) } else { (least, most.min(to - strict)) };
        let range = own.limited(reading, interval)?.known();
        table.set(after, var, range);
    }
    match variable(pool, other) {
        Some(other) if other == var => {}
        Some(other) if value == high => after.orders.add(reading, other, var),
        Some(other) => after.orders.add(reading, var, other),
        None => {}
    }
    Some(())
}
