//! Rows of a template: intervals, zones, octagons, equalities and implications over the state of the scan.
//!
//! The paper guards each row with the SSA guards of its variables. Here the state is that of the scan-cycle head, so the guard of
//! a row is its cut point (if there are several). Beyond the paper, it may be a mode of the program: a flag, or a value of a
//! variable with few values. `state = 3 ⇒ level ≤ 80` is then a row like any other.

use std::collections::{BTreeMap, BTreeSet};

use super::height::Kind;
use super::matrix::Matrix;
use super::row::{Row, Shape, Sign};
use crate::engine::candidates::related;
use crate::engine::simulate::State;
use kernel::cfa::pass::System;
use kernel::context::{Stop, unsupported};
use kernel::expr::{BvBin, BvCmp, Expr, ExprId, ExprPool, FpBin, IntBin, Rounding, Sort, Value, VarId};

/// Forms of invariants of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Domain {
    /// `±x ≤ c`.
    Intervals,
    /// And `x - y ≤ c`.
    Zones,
    /// And `±x ± y ≤ c`.
    Octagons,
    /// `x = y` of bit vectors; equivalence, implication, exclusion of flags.
    Equalities,
    /// All of them, but without sums and differences of floats.
    All,
    /// None but the rows that are given.
    Matrix,
}

/// Guarding of rows by modes of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guards {
    /// By the cut point only.
    Places,
    /// By flags, and by values of variables with few values.
    Modes,
}

/// Most rows of a kind: a template is inferred as a whole.
const MOST: usize = 400;

/// Returns the rows for a system, the given and the simple ones first. `states` only show which variables have few values.
///
/// Stops: a given row names a variable that the model does not have, or mixes integers and floats.
pub(super) fn template(
    pool: &mut ExprPool,
    system: &System,
    states: &[State],
    (domain, guards): (Domain, Guards),
    matrix: &Matrix,
) -> Result<Vec<Row>, Stop> {
    let places: Vec<Option<ExprId>> = match system.pc {
        None => vec![None],
        Some(pc) => {
            let pc = pool.var(pc);
            system
                .cuts
                .iter()
                .map(|(_, at)| {
                    let at = pool.constant(*at);
                    Some(pool.eq(pc, at))
                })
                .collect()
        }
    };
    let mut maker = Maker::new(pool, system, states);
    let given = maker.given(system, matrix).map_err(unsupported)?;
    let mut rows = Vec::new();
    for place in places {
        let mut shapes = Vec::new();
        let (bounds, pairs, sums, facts) = match domain {
            Domain::Intervals => (true, false, false, false),
            Domain::Zones => (true, true, false, false),
            Domain::Octagons => (true, true, true, false),
            Domain::Equalities => (false, false, false, true),
            Domain::All => (true, true, true, true),
            Domain::Matrix => (false, false, false, false),
        };
        let mut plain = given.clone();
        if bounds {
            plain.extend(maker.intervals());
        }
        if facts {
            shapes.extend(maker.facts());
        }
        // Sums of floats take the solver long, so only those who ask for them get them.
        let with_floats = domain != Domain::All;
        if pairs {
            shapes.extend(maker.pairs(BvBin::Sub, with_floats));
        }
        if sums {
            shapes.extend(maker.pairs(BvBin::Add, with_floats));
        }
        rows.extend(plain.into_iter().filter_map(|shape| Row::new(maker.pool, place, shape)));
        rows.extend(shapes.into_iter().filter_map(|shape| Row::new(maker.pool, place, shape)).map(Row::later));
        if bounds && guards == Guards::Modes {
            for (mode, shape) in maker.guarded() {
                let guard = match place {
                    Some(place) => maker.pool.and(place, mode),
                    None => mode,
                };
                rows.extend(Row::new(maker.pool, Some(guard), shape).map(Row::later));
            }
        }
    }
    Ok(rows)
}

struct Maker<'a> {
    pool: &'a mut ExprPool,
    flags: Vec<VarId>,
    /// Bit vectors with the program's readings of them.
    words: Vec<(VarId, Vec<Sign>)>,
    /// Mathematical integers and floats.
    numbers: Vec<VarId>,
    related: BTreeMap<VarId, BTreeSet<VarId>>,
    /// Variables with few values, each with its values.
    modes: Vec<(VarId, Vec<Value>)>,
}

impl<'a> Maker<'a> {
    fn new(pool: &'a mut ExprPool, system: &System, states: &[State]) -> Maker<'a> {
        /// Most values of a mode.
        const FEW: usize = 8;
        let signs = readings(pool, system);
        let (mut flags, mut words, mut numbers, mut modes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (i, var) in system.vars.iter().copied().enumerate().filter(|(_, var)| Some(*var) != system.pc) {
            let sort = pool.var_decl(var).sort;
            let seen: BTreeSet<Value> = states.iter().map(|state| state[i]).take(2_000).collect();
            if sort == Sort::Bool {
                flags.push(var);
                modes.push((var, vec![Value::Bool(false), Value::Bool(true)]));
            } else if let Sort::BitVec(_) = sort {
                let own = signs.get(&var).filter(|own| !own.is_empty());
                words.push((var, own.map_or_else(|| vec![Sign::Signed, Sign::Unsigned], |own| own.iter().copied().collect())));
                if 1 < seen.len() && seen.len() <= FEW {
                    modes.push((var, seen.into_iter().collect()));
                }
            } else if Kind::of(sort).is_some() {
                numbers.push(var);
                if sort == Sort::Int && 1 < seen.len() && seen.len() <= FEW {
                    modes.push((var, seen.into_iter().collect()));
                }
            }
        }
        let related = related(pool, system);
        Maker { pool, flags, words, numbers, related, modes }
    }

    fn is_related(&self, a: VarId, b: VarId) -> bool {
        self.related.get(&a).is_some_and(|set| set.contains(&b))
    }

    /// Returns the given rows. The error is a sentence.
    fn given(&mut self, system: &System, matrix: &Matrix) -> Result<Vec<Shape>, String> {
        let words = &self.words;
        let is_signed = |var: VarId| words.iter().any(|(word, signs)| *word == var && signs.contains(&Sign::Signed));
        matrix.shapes(self.pool, system, is_signed)
    }

    /// Returns `±x ≤ c`; a flag is 0 or 1.
    fn intervals(&mut self) -> Vec<Shape> {
        let mut shapes = Vec::new();
        for var in &self.flags {
            let x = self.pool.var(*var);
            shapes.extend([Shape::Fact(x), Shape::Fact(self.pool.not(x))]);
        }
        for (var, signs) in &self.words {
            let x = self.pool.var(*var);
            shapes.extend(signs.iter().flat_map(|sign| [Shape::Upper(x, *sign), Shape::Lower(x, *sign)]));
        }
        for var in &self.numbers {
            let x = self.pool.var(*var);
            shapes.extend([Shape::Upper(x, Sign::Signed), Shape::Lower(x, Sign::Signed)]);
        }
        shapes
    }

    /// Returns `±(x op y) ≤ c` at a width that holds every sum and difference.
    fn pairs(&mut self, op: BvBin, with_floats: bool) -> Vec<Shape> {
        let mut shapes = Vec::new();
        for (i, (a, signs_a)) in self.words.iter().enumerate() {
            for (b, signs_b) in &self.words[i + 1..] {
                if !self.is_related(*a, *b) || MOST <= shapes.len() {
                    continue;
                }
                let (x, y) = (self.pool.var(*a), self.pool.var(*b));
                let width = self.pool.width(x).max(self.pool.width(y)).saturating_add(2);
                if super::row::MAX_WIDTH < width {
                    continue;
                }
                let (x, y) = (widened(self.pool, x, signs_a, width), widened(self.pool, y, signs_b, width));
                let e = self.pool.bv(op, x, y);
                shapes.extend([Shape::Upper(e, Sign::Signed), Shape::Lower(e, Sign::Signed)]);
            }
        }
        for (i, a) in self.numbers.iter().enumerate() {
            for b in &self.numbers[i + 1..] {
                let (x, y) = (self.pool.var(*a), self.pool.var(*b));
                let is_wanted = self.pool.sort(x) == Sort::Int || with_floats;
                if is_wanted && self.is_related(*a, *b) && shapes.len() < MOST && self.pool.sort(x) == self.pool.sort(y) {
                    shapes.extend(bounds_of(self.pool, op, x, y));
                }
            }
        }
        shapes
    }

    /// Returns equalities of words, and relations of two flags.
    fn facts(&mut self) -> Vec<Shape> {
        let mut shapes = Vec::new();
        for (i, (a, signs_a)) in self.words.iter().enumerate() {
            for (b, signs_b) in &self.words[i + 1..] {
                let (x, y) = (self.pool.var(*a), self.pool.var(*b));
                let width = self.pool.width(x).max(self.pool.width(y)).saturating_add(1);
                if self.is_related(*a, *b) && shapes.len() < MOST && width <= super::row::MAX_WIDTH {
                    let (x, y) = (widened(self.pool, x, signs_a, width), widened(self.pool, y, signs_b, width));
                    shapes.push(Shape::Fact(self.pool.eq(x, y)));
                }
            }
        }
        let mut about_flags = Vec::new();
        for (i, a) in self.flags.iter().enumerate() {
            for b in &self.flags[i + 1..] {
                if !self.is_related(*a, *b) || MOST <= about_flags.len() {
                    continue;
                }
                let (x, y) = (self.pool.var(*a), self.pool.var(*b));
                let (not_x, not_y) = (self.pool.not(x), self.pool.not(y));
                let clauses = [(x, y), (not_x, y), (x, not_y), (not_x, not_y)];
                about_flags.extend(clauses.map(|(x, y)| Shape::Fact(self.pool.or(x, y))));
            }
        }
        shapes.extend(about_flags);
        shapes
    }

    /// Returns bounds and flags in one mode of another variable.
    fn guarded(&mut self) -> Vec<(ExprId, Shape)> {
        let mut found = Vec::new();
        for (mode, values) in &self.modes {
            for value in values {
                let (m, v) = (self.pool.var(*mode), self.pool.constant(*value));
                let guard = self.pool.eq(m, v);
                let Some(related) = self.related.get(mode) else { continue };
                for (var, signs) in self.words.iter().filter(|(var, _)| var != mode && related.contains(var)) {
                    let x = self.pool.var(*var);
                    for sign in signs {
                        found.extend([(guard, Shape::Upper(x, *sign)), (guard, Shape::Lower(x, *sign))]);
                    }
                }
                for var in self.numbers.iter().filter(|var| *var != mode && related.contains(var)) {
                    let x = self.pool.var(*var);
                    found.extend([(guard, Shape::Upper(x, Sign::Signed)), (guard, Shape::Lower(x, Sign::Signed))]);
                }
                // The equalities relate two flags already.
                let flags = self.flags.iter().filter(|_| !matches!(value, Value::Bool(_)));
                for var in flags.filter(|var| related.contains(var)) {
                    let x = self.pool.var(*var);
                    found.extend([(guard, Shape::Fact(x)), (guard, Shape::Fact(self.pool.not(x)))]);
                }
                if MOST <= found.len() {
                    found.truncate(MOST);
                    return found;
                }
            }
        }
        found
    }
}

/// Returns the bounds of a sum or difference of two integers or two floats. That of floats is rounded towards the bound: then the
/// bound holds of the exact result too.
fn bounds_of(pool: &mut ExprPool, op: BvBin, x: ExprId, y: ExprId) -> [Shape; 2] {
    let is_sum = op == BvBin::Add;
    let [above, below] = if pool.sort(x) == Sort::Int {
        [pool.int(if is_sum { IntBin::Add } else { IntBin::Sub }, x, y); 2]
    } else {
        let op = if is_sum { FpBin::Add } else { FpBin::Sub };
        [Rounding::TowardPositive, Rounding::TowardNegative].map(|rounding| pool.fp_rounded(op, rounding, x, y))
    };
    [Shape::Upper(above, Sign::Signed), Shape::Lower(below, Sign::Signed)]
}

/// Returns a word at a larger width, with the program's reading; signed if it has both.
fn widened(pool: &mut ExprPool, x: ExprId, signs: &[Sign], width: u16) -> ExprId {
    if signs.contains(&Sign::Signed) { pool.sign_extend(width, x) } else { pool.zero_extend(width, x) }
}

/// Returns the readings with which the program compares and widens each variable.
fn readings(pool: &ExprPool, system: &System) -> BTreeMap<VarId, BTreeSet<Sign>> {
    let roots: Vec<ExprId> = system.next.iter().map(|(_, e)| *e).chain([system.guard, system.bad]).collect();
    let mut found: BTreeMap<VarId, BTreeSet<Sign>> = BTreeMap::new();
    pool.visit(&roots, |e| {
        let expr = pool.expr(e);
        let sign = if let Expr::BvCmp(BvCmp::Ult | BvCmp::Ule, ..) | Expr::BvBin(BvBin::Udiv | BvBin::Urem, ..) = expr {
            Sign::Unsigned
        } else if let Expr::BvCmp(BvCmp::Slt | BvCmp::Sle, ..) | Expr::BvBin(BvBin::Sdiv | BvBin::Srem, ..) = expr {
            Sign::Signed
        } else if let Expr::ZeroExtend(..) = expr {
            Sign::Unsigned
        } else if let Expr::SignExtend(..) = expr {
            Sign::Signed
        } else {
            return true;
        };
        // `x + 1 < 10` reads `x` as it reads the sum.
        let mut open: Vec<(ExprId, usize)> = expr.children().map(|e| (e, 0)).collect();
        while let Some((e, depth)) = open.pop() {
            if let Expr::Var(var) = pool.expr(e) {
                found.entry(var).or_default().insert(sign);
            } else if depth < 3 {
                open.extend(pool.expr(e).children().map(|child| (child, depth + 1)));
            }
        }
        true
    });
    found
}
