//! Guesses of proportions: a stopwatch in milliseconds against a counter of cycles.
//!
//! `a <= m * b + c` wherever `b` is not 0. Factors `m` are constants of the program or the cycle time; `c` is as tight as the
//! simulated states allow. Bits cannot express such relations: without these guesses each value of the counter is a case.

use super::candidates::Guess;
use kernel::expr::{BvBin, BvCmp, ExprId, Sort, Value, VarId};

/// A variable with its values in the simulated states, read as unsigned.
struct Column {
    var: VarId,
    values: Vec<i128>,
}

/// Appends proportions that hold in all simulated states.
///
/// Cost: pairs of related variables times factors times states, in machine integers.
pub(super) fn proportions(guess: &mut Guess<'_>, out: &mut Vec<ExprId>) {
    /// Factors to try.
    const FACTORS: usize = 12;
    /// States in which a proportion must be met exactly.
    const EXACT: usize = 4;
    let known = guess.constants.values().flatten().filter_map(|value| value.as_unsigned());
    let mut factors: Vec<i128> = known.filter(|m| (2..=1_000_000).contains(m)).map(|m| m as i128).collect();
    factors.sort_unstable();
    factors.dedup();
    factors.truncate(FACTORS);
    let columns: Vec<Column> = guess.system.vars.iter().enumerate().filter_map(|(i, var)| column(guess, i, *var)).collect();
    let mut found: Vec<(VarId, VarId, i128, i128)> = Vec::new();
    for a in &columns {
        for b in columns.iter().filter(|b| b.var != a.var && guess.is_related(a.var, b.var)) {
            for m in &factors {
                let ahead = || a.values.iter().zip(&b.values).filter(|(_, b)| 0 < **b).map(|(a, b)| a - m * b);
                let Some(most) = ahead().max() else { continue };
                if -m <= most && most <= 0 && EXACT <= ahead().filter(|d| *d == most).count() {
                    found.push((a.var, b.var, *m, most));
                }
            }
        }
    }
    for (a, b, m, c) in found {
        let pool = &mut *guess.pool;
        let (x, y) = (pool.var(a), pool.var(b));
        let width = pool.width(x).max(pool.width(y)).max(32);
        let zero = pool.constant(Value::int(pool.width(y), 0));
        let at_zero = pool.eq(y, zero);
        let (x, y) = (pool.zero_extend(width, x), pool.zero_extend(width, y));
        let (m, c) = (pool.constant(Value::int(width, m)), pool.constant(Value::int(width, c)));
        let product = pool.bv(BvBin::Mul, m, y);
        let limit = pool.bv(BvBin::Add, product, c);
        let below = pool.bv_cmp(BvCmp::Ule, x, limit);
        out.push(pool.or(at_zero, below));
    }
}

/// Returns the column of a number that takes several values and is never negative.
fn column(guess: &Guess<'_>, i: usize, var: VarId) -> Option<Column> {
    if !matches!(guess.pool.var_decl(var).sort, Sort::BitVec(2..)) || Some(var) == guess.system.pc {
        return None;
    }
    let values: Vec<i128> = guess.states.iter().filter_map(|state| state[i].as_signed()).collect();
    let several = values.iter().any(|v| *v != values[0]);
    (several && values.len() == guess.states.len() && values.iter().all(|v| 0 <= *v)).then_some(Column { var, values })
}
