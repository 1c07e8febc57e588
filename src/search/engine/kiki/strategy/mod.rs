//! Strategy iteration: the rows that a model breaks get the path of that model. A linear program then raises all rows with a path
//! together.
//!
//! A *strategy* is one path for each row. For a given strategy the bounds are the optimum of one linear program, with a copy of
//! the unknowns for each path: `e_j(x) ≤ δ_j` for the rows before, the constraints of the path, `δ_r ≤ e_r(x')`. The strategy is
//! improved at the rows that the next model breaks (Eq. 13). Where a path is not linear, or numbers grow too large, the binary
//! search of [`super::search`] raises the rows instead. Bounds are rounded down, since expressions are whole. The result counts
//! only when the solver finds no step out of it, wrap-around included.
//!
//! Sources: Brain, Joshi, Kroening, Schrammel, SAS 2015 (§3.4, "Optimisation"); Gawlitza, Seidl, "Precise relational invariants
//! through strategy iteration", CSL 2007, doi:10.1007/978-3-540-74915-8_6; Gawlitza, Monniaux, ESOP 2011,
//! doi:10.1007/978-3-642-19718-5_13.

mod linear;
mod rational;
mod simplex;

use std::collections::BTreeMap;

use super::frames::Frames;
use super::infer::{From, Inference};
use super::row::Bound;
use kernel::cfa::pass::System;
use kernel::context::{Ctx, Stop};
use kernel::smt::Frame;
use linear::{Affine, FAR, Linear, Valuation};
use simplex::{LinearProgram, Optimum, maximise};

/// Paths by row, and counts for the report.
#[derive(Default)]
pub(super) struct Strategies {
    paths: BTreeMap<usize, Path>,
    /// Linear programs that raised rows.
    pub(super) n_solved: u32,
    /// Raises that were left to the binary search.
    pub(super) n_left: u32,
}

impl Strategies {
    /// Forgets the paths: bounds begin again.
    pub(super) fn clear(&mut self) {
        self.paths.clear();
    }
}

/// A path as constraints over unknowns of its own.
struct Path {
    ranges: Vec<(i128, i128)>,
    /// Forms that are at most 0.
    constraints: Vec<Affine>,
    /// Rows before the step, with their expression.
    before: Vec<(usize, Affine)>,
    /// Expression of its row after the step.
    after: Affine,
}

impl Inference {
    /// Raises the `broken` rows by a strategy that has the path of the last model; `heights` are those of its last state. Returns
    /// `false` if that is not possible.
    pub(super) fn improve(
        &mut self,
        cx: &mut Ctx<'_>,
        system: &System,
        frames: &mut Frames,
        (from, frame): (From, Frame),
        broken: &[usize],
        heights: &[Bound],
    ) -> Result<bool, Stop> {
        let numbers: Vec<usize> = broken.iter().copied().filter(|i| self.rows[*i].row.linear().is_some()).collect();
        if numbers.is_empty() {
            return Ok(false);
        }
        let mut model: Vec<Valuation> = Vec::new();
        for at in 0..=frame {
            model.push(frames.valuation(&mut cx.pool, system, at)?);
        }
        let known = frames.known().to_vec();
        let mut new = Vec::new();
        for row in &numbers {
            cx.tick()?;
            match self.path(cx, system, &model, (from, frame), *row, &known) {
                Some(path) => new.push((*row, path)),
                None => return Ok(false),
            }
        }
        let mut lows: BTreeMap<usize, i128> = BTreeMap::new();
        let mut paths: BTreeMap<usize, &Path> = match from {
            From::Start => BTreeMap::new(),
            From::Template => self.strategies.iter().flat_map(|s| &s.paths).map(|(row, path)| (*row, path)).collect(),
        };
        paths.extend(new.iter().map(|(row, path)| (*row, path)));
        paths.retain(|row, _| self.is_live(*row));
        for row in paths.keys() {
            let least = if numbers.contains(row) { self.rows[*row].at.max(heights[*row]) } else { self.rows[*row].at };
            let Some(low) = self.natural(*row, least) else { return Ok(false) };
            lows.insert(*row, low);
        }
        let Some(program) = self.program(&paths, &lows) else { return Ok(false) };
        let Optimum::At(point) = maximise(cx, &program)? else { return Ok(false) };
        let mut raised = Vec::new();
        for (column, (row, low)) in lows.iter().enumerate() {
            let Some(natural) = point.get(column).and_then(|y| low.checked_add(y.floor())) else { return Ok(false) };
            let Some((.., offset)) = self.rows[*row].row.linear() else { return Ok(false) };
            // What seems to grow without end may have a bound further away.
            if FAR <= natural && self.rows[*row].row.is_integer() {
                return Ok(false);
            }
            let Some(height) = natural.checked_add(offset).and_then(|h| u128::try_from(h).ok()) else { return Ok(false) };
            raised.push((*row, height.min(self.rows[*row].row.top())));
        }
        for (row, height) in raised {
            self.rows[row].at = self.rows[row].at.max(Some(height));
        }
        if let (From::Template, Some(strategies)) = (from, &mut self.strategies) {
            strategies.paths.extend(new);
        }
        Ok(true)
    }

    fn is_live(&self, row: usize) -> bool {
        self.live().any(|(i, _)| i == row)
    }

    /// Returns the number that a height of a row stands for.
    fn natural(&self, row: usize, height: Bound) -> Option<i128> {
        let (.., offset) = self.rows[row].row.linear()?;
        i128::try_from(height?).ok()?.checked_sub(offset)
    }

    /// Returns the path of a model to a state that breaks a row; `None` if it is not linear.
    fn path(
        &self,
        cx: &Ctx<'_>,
        system: &System,
        model: &[Valuation],
        (from, frame): (From, Frame),
        row: usize,
        known: &[kernel::expr::ExprId],
    ) -> Option<Path> {
        let mut linear = Linear::new(&cx.pool, system, model, from == From::Start);
        let own = &self.rows[row].row;
        if let Some(guard) = own.guard {
            linear.tell(guard, frame)?;
        }
        let (e, sign, factor, _) = own.linear()?;
        let after = linear.read(e, frame, sign)?.times(factor)?;
        for at in 0..frame {
            linear.tell(system.guard, at)?;
        }
        let mut before = Vec::new();
        // Later frames first: they bring unknowns of the first one with them.
        for at in (0..frame).rev() {
            let mut open: Vec<usize> = if from == From::Template { self.live().map(|(i, _)| i).collect() } else { Vec::new() };
            let mut facts = known.to_vec();
            loop {
                let n_open = open.len() + facts.len();
                // In frame 0 only what the path depends on matters.
                for i in std::mem::take(&mut open) {
                    let other = &self.rows[i].row;
                    if at == 0 && !other.says_about(|e| linear.is_about_unknowns(e)) {
                        open.push(i);
                        continue;
                    }
                    if let Some(guard) = other.guard {
                        linear.tell(guard, at)?;
                        if !linear.holds(guard, at)? {
                            continue;
                        }
                    }
                    match other.linear() {
                        Some((e, sign, factor, _)) => before.push((i, linear.read(e, at, sign)?.times(factor)?)),
                        // Without the fact the path is wider.
                        None => _ = other.fact().map(|fact| linear.tell(fact, at)),
                    }
                }
                for fact in std::mem::take(&mut facts) {
                    if at == 0 && !linear.is_about_unknowns(fact) {
                        facts.push(fact);
                    } else {
                        let _ = linear.tell(fact, at);
                    }
                }
                if open.len() + facts.len() == n_open || open.is_empty() && facts.is_empty() {
                    break;
                }
            }
        }
        Some(Path { ranges: linear.ranges, constraints: linear.constraints, before, after })
    }

    /// Returns the linear program of a strategy. Its first columns are the parameters with a path, each as distance from its
    /// `lows`; then come the unknowns of each path, as distance from their least value.
    fn program(&self, paths: &BTreeMap<usize, &Path>, lows: &BTreeMap<usize, i128>) -> Option<LinearProgram> {
        let columns: BTreeMap<usize, usize> = lows.keys().enumerate().map(|(column, row)| (*row, column)).collect();
        let mut program = LinearProgram { n: columns.len(), rows: Vec::new(), objective: (0..columns.len()).collect() };
        for (row, path) in paths {
            let first = program.n;
            program.n += path.ranges.len();
            // Returns the terms over columns, and minus the constant.
            let shifted = |form: &Affine| -> Option<(Vec<(usize, i128)>, i128)> {
                let mut bound = form.constant.checked_neg()?;
                for (unknown, factor) in &form.terms {
                    bound = bound.checked_sub(factor.checked_mul(path.ranges[*unknown].0)?)?;
                }
                Some((form.terms.iter().map(|(unknown, factor)| (first + unknown, *factor)).collect(), bound))
            };
            for (unknown, (low, high)) in path.ranges.iter().enumerate() {
                program.rows.push((vec![(first + unknown, 1)], high.checked_sub(*low)?));
            }
            for constraint in &path.constraints {
                program.rows.push(shifted(constraint)?);
            }
            for (other, form) in &path.before {
                let (mut terms, mut bound) = shifted(form)?;
                if !self.is_live(*other) {
                    continue;
                }
                match columns.get(other) {
                    Some(column) => {
                        terms.push((*column, -1));
                        bound = bound.checked_add(*lows.get(other)?)?;
                    }
                    None => bound = bound.checked_add(self.natural(*other, self.rows[*other].at)?)?,
                }
                program.rows.push((terms, bound));
            }
            let (terms, bound) = shifted(&path.after.times(-1)?)?;
            let low = lows.get(row)?;
            let own = (columns.get(row).copied()?, 1);
            program.rows.push(([own].into_iter().chain(terms).collect(), bound.checked_sub(*low)?));
        }
        Some(program)
    }
}
