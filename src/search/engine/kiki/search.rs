//! The search for the sum of parameters (Eq. 14): galloping away from a model, then halving.
//!
//! Source: Brain, Joshi, Kroening, Schrammel, SAS 2015, doi:10.1007/978-3-662-48288-9_9 (§3.4, "Our algorithm").

use super::frames::Frames;
use super::height::Kind;
use super::infer::{From, Inference, context};
use super::row::{Bound, Shape};
use crate::engine::unroll::Answer;
use kernel::cfa::pass::System;
use kernel::context::{Ctx, Stop};
use kernel::expr::{BvBin, BvCmp, ExprId, ExprPool, IntBin, IntCmp, Value};
use kernel::smt::Frame;

/// Rows that are raised together.
const TOGETHER: usize = 6;

/// Sum of the parameters of several rows.
#[derive(Clone, Copy)]
enum Sum {
    /// Of a width that holds it.
    Bits(ExprId, u16),
    Integer(ExprId),
}

impl Sum {
    /// Returns the condition that the sum is between two numbers, ends included.
    fn between(self, pool: &mut ExprPool, low: u128, high: u128) -> [ExprId; 2] {
        match self {
            Sum::Bits(sum, width) => {
                let [low, high] = [low, high].map(|v| pool.constant(Value::bv(width, v)));
                [pool.bv_cmp(BvCmp::Ule, low, sum), pool.bv_cmp(BvCmp::Ule, sum, high)]
            }
            Sum::Integer(sum) => {
                let [low, high] = [low, high].map(|v| pool.int_const(i128::try_from(v).unwrap_or(i128::MAX)));
                [pool.int_cmp(IntCmp::Le, low, sum), pool.int_cmp(IntCmp::Le, sum, high)]
            }
        }
    }
}

impl Inference {
    /// Returns those of the broken rows whose parameters are searched for together: numbers of one kind that have a bound in the
    /// model.
    pub(super) fn searched(&self, broken: &[usize], heights: &[Bound]) -> Vec<usize> {
        let is_number = |i: &usize| {
            let row = &self.rows[*i].row;
            !matches!(row.shape, Shape::Fact(_)) && heights[*i].is_some_and(|height| height <= row.kind.most())
        };
        let is_integer = |i: usize| self.rows[i].row.kind == Kind::Integer;
        let numbers: Vec<usize> = broken.iter().copied().filter(is_number).collect();
        let first = numbers.first().copied();
        numbers.into_iter().filter(|i| first.is_some_and(|first| is_integer(first) == is_integer(*i))).take(TOGETHER).collect()
    }

    /// Returns by Equation 14 the heights of a state that raises the rows `searched`, in sum as far as steps of doubling size
    /// find.
    ///
    /// Cost: at most twice as many checks as the sum has bits.
    pub(super) fn optimise(
        &mut self,
        cx: &mut Ctx<'_>,
        system: &System,
        frames: &mut Frames,
        (from, frame): (From, Frame),
        searched: &[usize],
        mut best: Vec<Bound>,
    ) -> Result<Vec<Bound>, Stop> {
        let pool = &mut cx.pool;
        let mut premise = self.template(pool, searched);
        let mut given = self.fixed(pool, searched);
        let mut ceiling = 0u128;
        for row in searched.iter().map(|i| &self.rows[*i]) {
            premise = pool.and(premise, row.below);
            let (on, delta) = (pool.var(row.on), pool.var(row.delta));
            given.extend([(on, 0), (row.reaches, frame)]);
            let kind = row.row.kind;
            let (low, high) = (row.at.map_or(0, |at| at.saturating_add(1)), kind.most());
            let [above, most] = sum(pool, &[(delta, kind)]).between(pool, low, high);
            given.extend([(above, 0), (most, 0)]);
            ceiling += high;
        }
        let all: Vec<(ExprId, Kind)> = searched.iter().map(|i| (pool.var(self.rows[*i].delta), self.rows[*i].row.kind)).collect();
        let sum = sum(pool, &all);
        given.extend(context(frames, from, frame, premise));
        let total = |heights: &[Bound]| searched.iter().filter_map(|i| heights[*i]).sum::<u128>();
        let mut low = total(&best);
        let mut ask = |cx: &mut Ctx<'_>, low: &mut u128, best: &mut Vec<Bound>, from: u128, to: u128| -> Result<bool, Stop> {
            let between = sum.between(&mut cx.pool, from, to);
            let asked: Vec<(ExprId, Frame)> = given.iter().copied().chain(between.map(|e| (e, 0))).collect();
            if let Answer::No = frames.check(cx, &asked)? {
                return Ok(false);
            }
            let state = frames.state(&mut cx.pool, system, frame)?;
            *best = self.heights(&cx.pool, system, &state);
            // The state may be beyond the parameters.
            *low = from.max(total(best)).min(ceiling);
            Ok(true)
        };
        let mut span = 1u128;
        while low < ceiling {
            let first = low.saturating_add(span).min(ceiling);
            let last = low.saturating_add(2 * span - 1).min(ceiling);
            if !ask(cx, &mut low, &mut best, first, last)? {
                let mut high = first - 1;
                while low < high {
                    let middle = low + (high - low).div_ceil(2);
                    if !ask(cx, &mut low, &mut best, middle, high)? {
                        high = middle - 1;
                    }
                }
                break;
            }
            span *= 2;
        }
        Ok(best)
    }
}

/// Returns the sum of parameters; they are of one sort up to their width.
fn sum(pool: &mut ExprPool, parameters: &[(ExprId, Kind)]) -> Sum {
    if let [(_, Kind::Integer), ..] = parameters {
        let zero = pool.int_const(0);
        return Sum::Integer(parameters.iter().fold(zero, |sum, (delta, _)| pool.int(IntBin::Add, sum, *delta)));
    }
    // Six summands need three bits more.
    let width = parameters.iter().map(|(delta, _)| pool.width(*delta)).max().unwrap_or(1) + 3;
    let mut sum = pool.constant(Value::bv(width, 0));
    for (delta, _) in parameters {
        let wide = pool.zero_extend(width, *delta);
        sum = pool.bv(BvBin::Add, sum, wide);
    }
    Sum::Bits(sum, width)
}
