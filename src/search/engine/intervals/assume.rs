//! States in which a condition has a truth value.

use std::collections::BTreeSet;

use kernel::expr::{BvBin, Expr, ExprId, ExprPool, Sort, VarId};

use super::evaluate::{evaluate, reading, variable, words};
use super::range::{Range, Reading, Words};
use super::state::{State, Table};

/// Alternatives of a condition that are joined; with more, the condition tells nothing.
const MOST_ALTERNATIVES: usize = 4;

/// Returns the state in which `e` has this truth value; `None` if it cannot have it.
///
/// Cost:      linear in the condition, times the visits of case distinctions ([`Table::nested`]).
/// Soundness: contains each concrete state of `state` in which `e` has this value.
pub(super) fn assume(pool: &ExprPool, table: &mut Table, state: &State, e: ExprId, truth: bool) -> Option<State> {
    match (pool.expr(e), truth) {
        (Expr::Not(a), _) => assume(pool, table, state, a, !truth),
        (Expr::And(..), true) | (Expr::Or(..), false) => {
            let mut all = state.clone();
            for part in parts(pool, e, truth) {
                all = assume(pool, table, &all, part, truth)?;
            }
            Some(all)
        }
        (Expr::And(..), false) | (Expr::Or(..), true) => {
            let found = table.nested(|table| one_of(pool, table, state, e, truth));
            found.unwrap_or_else(|| possible(pool, table, state, e, truth))
        }
        (Expr::Eq(a, b), _) => equal(pool, table, state, (a, b), truth),
        (Expr::BvCmp(op, a, b), true) => below(pool, table, state, (a, b), reading(op)),
        (Expr::BvCmp(op, a, b), false) => {
            let (reading, is_strict) = reading(op);
            below(pool, table, state, (b, a), (reading, !is_strict))
        }
        (Expr::Var(_), _) => narrow(pool, table, state, e, Range::Truth(truth)),
        (Expr::Ite(c, a, b), _) => {
            let found = table.nested(|table| {
                let mut branch = |holds: bool, value: ExprId| {
                    let state = assume(pool, table, state, c, holds)?;
                    assume(pool, table, &state, value, truth)
                };
                let (a, b) = (branch(true, a), branch(false, b));
                table.either(a, b)
            });
            found.unwrap_or_else(|| possible(pool, table, state, e, truth))
        }
        (_, _) => possible(pool, table, state, e, truth),
    }
}

/// Returns the state, unless the condition has the other value in it.
fn possible(pool: &ExprPool, table: &mut Table, state: &State, e: ExprId, truth: bool) -> Option<State> {
    match evaluate(pool, table, state, e) {
        Some(Range::Truth(found)) if found != truth => None,
        Some(_) | None => Some(state.clone()),
    }
}

/// Returns the operands of nested conjunctions if `of_and`, else of nested disjunctions, each once.
fn parts(pool: &ExprPool, e: ExprId, of_and: bool) -> Vec<ExprId> {
    let (mut parts, mut seen, mut open) = (Vec::new(), BTreeSet::new(), vec![e]);
    while let Some(e) = open.pop() {
        if !seen.insert(e) {
            continue;
        }
        match (pool.expr(e), of_and) {
            (Expr::And(a, b), true) | (Expr::Or(a, b), false) => open.extend([b, a]),
            (_, _) => parts.push(e),
        }
    }
    parts
}

/// Returns the state in which one operand of a disjunction is true, or one of a conjunction false.
fn one_of(pool: &ExprPool, table: &mut Table, state: &State, e: ExprId, truth: bool) -> Option<State> {
    let (mut joined, mut n_possible): (Option<State>, usize) = (None, 0);
    for part in parts(pool, e, !truth) {
        let Some(possible) = assume(pool, table, state, part, truth) else { continue };
        n_possible += 1;
        if MOST_ALTERNATIVES < n_possible {
            return Some(state.clone());
        }
        joined = table.either(joined, Some(possible));
    }
    joined
}

fn equal(pool: &ExprPool, table: &mut Table, state: &State, (a, b): (ExprId, ExprId), truth: bool) -> Option<State> {
    if pool.sort(a) == Sort::Bool {
        return match (evaluate(pool, table, state, a), evaluate(pool, table, state, b)) {
            (Some(Range::Truth(a)), _) => assume(pool, table, state, b, a == truth),
            (_, Some(Range::Truth(b))) => assume(pool, table, state, a, b == truth),
            (_, _) => Some(state.clone()),
        };
    }
    let (Some(of_a), Some(of_b)) = (words(pool, table, state, a), words(pool, table, state, b)) else {
        return Some(state.clone());
    };
    if !truth {
        let state = differs(pool, table, state, (a, of_a), of_b)?;
        return differs(pool, table, &state, (b, of_b), of_a);
    }
    let both = Range::Words(of_a.meet(of_b)?);
    let state = narrow(pool, table, state, a, both)?;
    let mut state = narrow(pool, table, &state, b, both)?;
    if let (Some(a), Some(b)) = (variable(pool, a), variable(pool, b)) {
        for reading in [Reading::Unsigned, Reading::Signed] {
            state.orders.add(reading, a, b);
            state.orders.add(reading, b, a);
        }
    }
    Some(state)
}

/// Returns the state in which `e` is not the only value of `other`.
fn differs(pool: &ExprPool, table: &mut Table, state: &State, (e, own): (ExprId, Words), other: Words) -> Option<State> {
    if other.unsigned.0 != other.unsigned.1 {
        return Some(state.clone());
    }
    let mut rest = own;
    for reading in [Reading::Unsigned, Reading::Signed] {
        let ((low, high), value) = (rest.of(reading), other.of(reading).0);
        let low = if low == value { low + 1 } else { low };
        let high = if high == value { high - 1 } else { high };
        rest = rest.limited(reading, (low, high))?;
    }
    narrow(pool, table, state, e, Range::Words(rest))
}

/// Returns the state in which `a <= b`, or `a < b` if it is strict.
fn below(
    pool: &ExprPool,
    table: &mut Table,
    state: &State,
    (a, b): (ExprId, ExprId),
    (reading, is_strict): (Reading, bool),
) -> Option<State> {
    let vars = variable(pool, a).zip(variable(pool, b));
    if let Some((low, high)) = vars
        && is_strict
        && state.orders.knows(reading, high, low)
    {
        return None;
    }
    let (Some(of_a), Some(of_b)) = (words(pool, table, state, a), words(pool, table, state, b)) else {
        return Some(state.clone());
    };
    let strict = i128::from(is_strict);
    let ((low, high), (least, most)) = (of_a.of(reading), of_b.of(reading));
    let state = narrow(pool, table, state, a, Range::Words(of_a.limited(reading, (low, high.min(most - strict)))?))?;
    let mut state = narrow(pool, table, &state, b, Range::Words(of_b.limited(reading, (least.max(low + strict), most))?))?;
    if let Some((low, high)) = vars {
        state.orders.add(reading, low, high);
    }
    Some(state)
}

/// Returns the state in which the value of `e` is in a range; `None` if it cannot be.
fn narrow(pool: &ExprPool, table: &mut Table, state: &State, e: ExprId, to: Range) -> Option<State> {
    match (pool.expr(e), to) {
        (Expr::Var(var), Range::Truth(truth)) => match table.get(state, var) {
            Some(Range::Truth(known)) if known != truth => None,
            Some(_) => Some(state.clone()),
            None => Some(with(table, state, var, to)),
        },
        (Expr::Var(var), Range::Words(to)) => {
            let before = match table.get(state, var) {
                Some(known) => known.words()?,
                None => Words::all(to.width),
            };
            let after = before.meet(to)?;
            Some(if after == before { state.clone() } else { with(table, state, var, Range::Words(after)) })
        }
        (Expr::ZeroExtend(_, a), Range::Words(to)) => narrow_operand(pool, table, state, a, (Reading::Unsigned, to.unsigned)),
        (Expr::SignExtend(_, a), Range::Words(to)) => narrow_operand(pool, table, state, a, (Reading::Signed, to.signed)),
        (Expr::BvBin(op @ (BvBin::Add | BvBin::Sub), a, b), Range::Words(to)) => {
            let found = table.nested(|table| narrow_sum(pool, table, state, (op, a, b), to));
            found.unwrap_or_else(|| Some(state.clone()))
        }
        (_, _) => Some(state.clone()),
    }
}

fn with(table: &mut Table, state: &State, var: VarId, range: Range) -> State {
    let mut state = state.clone();
    table.set(&mut state, var, Some(range));
    state
}

fn narrow_operand(
    pool: &ExprPool,
    table: &mut Table,
    state: &State,
    e: ExprId,
    (reading, interval): (Reading, (i128, i128)),
) -> Option<State> {
    let Some(own) = words(pool, table, state, e) else { return Some(state.clone()) };
    narrow(pool, table, state, e, Range::Words(own.limited(reading, interval)?))
}

/// Narrows the operands of a sum or a difference that does not wrap in a reading.
fn narrow_sum(
    pool: &ExprPool,
    table: &mut Table,
    state: &State,
    (op, a, b): (BvBin, ExprId, ExprId),
    to: Words,
) -> Option<State> {
    let (Some(of_a), Some(of_b)) = (words(pool, table, state, a), words(pool, table, state, b)) else {
        return Some(state.clone());
    };
    let mut state = state.clone();
    for reading in [Reading::Unsigned, Reading::Signed] {
        let (a_is, b_is, sum) = (of_a.of(reading), of_b.of(reading), to.of(reading));
        let (least, most) = Words::all(to.width).of(reading);
        let (found, wanted_a, wanted_b) = if op == BvBin::Add {
            let found = (a_is.0 + b_is.0, a_is.1 + b_is.1);
            (found, (sum.0 - b_is.1, sum.1 - b_is.0), (sum.0 - a_is.1, sum.1 - a_is.0))
        } else {
            let found = (a_is.0 - b_is.1, a_is.1 - b_is.0);
            (found, (sum.0 + b_is.0, sum.1 + b_is.1), (a_is.0 - sum.1, a_is.1 - sum.0))
        };
        if least <= found.0 && found.1 <= most {
            state = narrow(pool, table, &state, a, Range::Words(of_a.limited(reading, wanted_a)?))?;
            state = narrow(pool, table, &state, b, Range::Words(of_b.limited(reading, wanted_b)?))?;
        }
    }
    Some(state)
}
