//! The simplex method on exact numbers, for small linear programs: maximise c·y with A·y ≤ b and y ≥ 0.
//!
//! Bland's rule: of several candidates the one with the least number enters and leaves, so no tableau comes twice. A first phase
//! with one further variable finds a vertex.
//!
//! Source: Cormen, Leiserson, Rivest, Stein, "Introduction to Algorithms", 3rd edition, chapter 29 (slack form, two phases);
//! Bland, "New finite pivoting rules for the simplex method", Mathematics of Operations Research 2, 1977.

use super::rational::Rational;
use kernel::context::{Ctx, Stop};

/// Most entries of a tableau.
const MOST_ENTRIES: usize = 40_000;

/// Most exchanges of two variables.
const MOST_PIVOTS: usize = 2_000;

/// A linear program over variables 0 to `n`, none of which is negative.
#[derive(Clone, Debug, Default)]
pub(super) struct LinearProgram {
    pub(super) n: usize,
    /// `terms ≤ bound`.
    pub(super) rows: Vec<(Vec<(usize, i128)>, i128)>,
    /// Variables whose sum is maximised.
    pub(super) objective: Vec<usize>,
}

/// Result of a linear program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Optimum {
    /// A point with the largest sum.
    At(Vec<Rational>),
    /// The sum has no bound.
    Unbounded,
    /// No point satisfies all rows.
    Infeasible,
    /// Too large, or numbers of more than 128 bits.
    GivenUp,
}

/// Returns the optimum.
///
/// Cost: exponential in the worst case, and mostly as many exchanges as rows; each visits the whole tableau.
pub(super) fn maximise(cx: &Ctx<'_>, program: &LinearProgram) -> Result<Optimum, Stop> {
    let size = (program.n + 2).saturating_mul(program.rows.len() + 2);
    if MOST_ENTRIES < size {
        return Ok(Optimum::GivenUp);
    }
    let mut tableau = Tableau::new(program);
    let first = match tableau.start(cx)? {
        Some(ended) => ended,
        None => return Ok(Optimum::GivenUp),
    };
    if !first {
        return Ok(Optimum::Infeasible);
    }
    let Some(()) = tableau.aim(&program.objective) else { return Ok(Optimum::GivenUp) };
    Ok(match tableau.climb(cx)? {
        None => Optimum::GivenUp,
        Some(false) => Optimum::Unbounded,
        Some(true) => Optimum::At((0..program.n).map(|var| tableau.value(var)).collect()),
    })
}

/// Slack form: each basic variable is `constant + Σ coefficient · other`. Variables 0..n are those of the program, then one for
/// each row; the last is that of the first phase.
struct Tableau {
    basic: Vec<usize>,
    others: Vec<usize>,
    /// A row per basic variable, a column per other variable, the constant last.
    rows: Vec<Vec<Rational>>,
    objective: Vec<Rational>,
    /// Variable of the first phase.
    helper: usize,
}

impl Tableau {
    fn new(program: &LinearProgram) -> Tableau {
        let (n, m) = (program.n, program.rows.len());
        let mut rows = vec![vec![Rational::ZERO; n + 2]; m];
        for (row, (terms, bound)) in rows.iter_mut().zip(&program.rows) {
            for (var, factor) in terms {
                row[*var] = Rational::whole(factor.saturating_neg());
            }
            row[n] = Rational::ONE;
            row[n + 1] = Rational::whole(*bound);
        }
        let others = (0..n).chain([n + m]).collect();
        Tableau { basic: (n..n + m).collect(), others, rows, objective: vec![Rational::ZERO; n + 2], helper: n + m }
    }

    /// Goes to a vertex. Returns `false` if there is none; `None`: given up.
    fn start(&mut self, cx: &Ctx<'_>) -> Result<Option<bool>, Stop> {
        let last = self.others.len();
        let mut least = 0;
        for (i, row) in self.rows.iter().enumerate() {
            match row[last].compared(self.rows[least][last]) {
                Some(std::cmp::Ordering::Less) => least = i,
                Some(_) => {}
                None => return Ok(None),
            }
        }
        if self.rows.get(least).is_some_and(|row| row[last].is_negative()) {
            // Maximises minus the helper.
            self.objective[last - 1] = Rational::whole(-1);
            let Some(()) = self.pivot(least, last - 1) else { return Ok(None) };
            match self.climb(cx)? {
                Some(true) => {}
                Some(false) | None => return Ok(None),
            }
            if !self.value(self.helper).is_zero() {
                return Ok(Some(false));
            }
        }
        if let Some(row) = self.basic.iter().position(|var| *var == self.helper) {
            // It is 0, so any exchange keeps the vertex.
            let Some(column) = (0..last).find(|column| !self.rows[row][*column].is_zero()) else { return Ok(None) };
            let Some(()) = self.pivot(row, column) else { return Ok(None) };
        }
        if let Some(column) = self.others.iter().position(|var| *var == self.helper) {
            for row in self.rows.iter_mut().chain([&mut self.objective]) {
                row.remove(column);
            }
            self.others.remove(column);
        }
        Ok(Some(true))
    }

    /// Sets the sum that is maximised.
    fn aim(&mut self, sum: &[usize]) -> Option<()> {
        let mut objective = vec![Rational::ZERO; self.others.len() + 1];
        for var in sum {
            match self.basic.iter().position(|basic| basic == var) {
                Some(row) => {
                    for (to, from) in objective.iter_mut().zip(&self.rows[row]) {
                        *to = to.plus(*from)?;
                    }
                }
                None => {
                    let column = self.others.iter().position(|other| other == var)?;
                    objective[column] = objective[column].plus(Rational::ONE)?;
                }
            }
        }
        self.objective = objective;
        Some(())
    }

    /// Exchanges variables until the objective cannot grow: `true`. Returns `false` if it has no bound; `None`: given up.
    fn climb(&mut self, cx: &Ctx<'_>) -> Result<Option<bool>, Stop> {
        let last = self.others.len();
        for _ in 0..MOST_PIVOTS {
            cx.tick()?;
            let growing = (0..last).filter(|column| self.objective[*column].is_positive());
            let Some(enters) = growing.min_by_key(|column| self.others[*column]) else { return Ok(Some(true)) };
            let mut leaves: Option<(usize, Rational)> = None;
            for (i, row) in self.rows.iter().enumerate().filter(|(_, row)| row[enters].is_negative()) {
                let Some(room) = row[enters].negated().and_then(|slope| row[last].over(slope)) else { return Ok(None) };
                let is_less = match leaves {
                    None => true,
                    Some((other, least)) => match room.compared(least) {
                        None => return Ok(None),
                        Some(std::cmp::Ordering::Less) => true,
                        Some(std::cmp::Ordering::Equal) => self.basic[i] < self.basic[other],
                        Some(std::cmp::Ordering::Greater) => false,
                    },
                };
                if is_less {
                    leaves = Some((i, room));
                }
            }
            let Some((leaves, _)) = leaves else { return Ok(Some(false)) };
            let Some(()) = self.pivot(leaves, enters) else { return Ok(None) };
        }
        Ok(None)
    }

    /// Exchanges a basic variable and another one. The coefficient between them is not 0.
    fn pivot(&mut self, row: usize, column: usize) -> Option<()> {
        let divisor = self.rows[row][column];
        let mut new = Vec::with_capacity(self.rows[row].len());
        for (i, factor) in self.rows[row].iter().enumerate() {
            new.push(if i == column { Rational::ONE.over(divisor)? } else { factor.over(divisor)?.negated()? });
        }
        for (i, other) in self.rows.iter_mut().chain([&mut self.objective]).enumerate() {
            let factor = other[column];
            if i == row || factor.is_zero() {
                continue;
            }
            for (j, (to, from)) in other.iter_mut().zip(&new).enumerate().filter(|(_, (_, from))| !from.is_zero()) {
                let product = factor.times(*from)?;
                *to = if j == column { product } else { to.plus(product)? };
            }
        }
        self.rows[row] = new;
        std::mem::swap(&mut self.basic[row], &mut self.others[column]);
        Some(())
    }

    fn value(&self, var: usize) -> Rational {
        let row = self.basic.iter().position(|basic| *basic == var);
        row.map_or(Rational::ZERO, |row| self.rows[row][self.others.len()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::expr::ExprPool;
    use kernel::rng::Rng;
    use kernel::smt::Interrupt;

    fn solve(n: usize, rows: &[(&[i128], i128)], objective: &[usize]) -> Optimum {
        let cx = Ctx::new(ExprPool::new(), Interrupt::default(), &|_| {});
        let terms = |factors: &[i128]| factors.iter().copied().enumerate().filter(|(_, f)| *f != 0).collect();
        let rows = rows.iter().map(|(factors, bound)| (terms(factors), *bound)).collect();
        maximise(&cx, &LinearProgram { n, rows, objective: objective.to_vec() }).unwrap()
    }

    #[test]
    fn programs_of_known_optimum() {
        let at = |values: &[(i128, i128)]| {
            Optimum::At(values.iter().map(|(a, b)| Rational::whole(*a).over(Rational::whole(*b)).unwrap()).collect())
        };
        assert_eq!(solve(2, &[(&[1, 2], 4), (&[3, 1], 6)], &[0, 1]), at(&[(8, 5), (6, 5)]));
        // The origin is no solution.
        assert_eq!(solve(2, &[(&[-1, -1], -3), (&[1, 0], 2), (&[0, 1], 2)], &[0]), at(&[(2, 1), (1, 1)]));
        assert_eq!(solve(1, &[(&[1], 2), (&[-1], -3)], &[0]), Optimum::Infeasible);
        assert_eq!(solve(2, &[(&[1, -1], 2)], &[0]), Optimum::Unbounded);
        assert_eq!(solve(1, &[(&[-1], 0), (&[1], 0)], &[0]), at(&[(0, 1)]));
        assert_eq!(solve(0, &[], &[]), at(&[]));
        assert_eq!(solve(0, &[(&[], -1)], &[]), Optimum::Infeasible);
    }

    #[test]
    fn no_whole_point_is_better_than_the_optimum() {
        let mut rng = Rng(7);
        let mut n_solved = 0;
        for _ in 0..300 {
            let mut rows: Vec<(Vec<i128>, i128)> =
                (0..3).map(|_| ((0..3).map(|_| rng.below(7) as i128 - 3).collect(), rng.below(13) as i128 - 4)).collect();
            // All points are in a cube.
            rows.extend((0..3).map(|i| ((0..3).map(|j| i128::from(i == j)).collect(), 4)));
            let given: Vec<(&[i128], i128)> = rows.iter().map(|(factors, bound)| (factors.as_slice(), *bound)).collect();
            let points = (0..125i128).map(|p| [p % 5, p / 5 % 5, p / 25]);
            let dot = |f: &[i128], p: &[i128; 3]| f.iter().zip(p).map(|(f, x)| f * x).sum::<i128>();
            let best = points.filter(|p| rows.iter().all(|(f, bound)| dot(f, p) <= *bound)).map(|p| p.iter().sum()).max();
            match solve(3, &given, &[0, 1, 2]) {
                Optimum::At(point) => {
                    n_solved += 1;
                    let sum = point.iter().try_fold(Rational::ZERO, |sum, x| sum.plus(*x)).unwrap();
                    assert!(best.is_none_or(|best: i128| best <= sum.floor()), "{rows:?}: {point:?}");
                    for (factors, bound) in &rows {
                        let left = factors
                            .iter()
                            .zip(&point)
                            .try_fold(Rational::whole(-bound), |sum, (f, x)| sum.plus(Rational::whole(*f).times(*x)?));
                        assert!(!left.unwrap().is_positive(), "{rows:?}: {point:?}");
                    }
                    assert!(point.iter().all(|x| !x.is_negative()));
                }
                Optimum::Infeasible => assert_eq!(best, None, "{rows:?}"),
                other @ (Optimum::Unbounded | Optimum::GivenUp) => unreachable!("{rows:?}: {other:?}"),
            }
        }
        assert!(100 < n_solved, "{n_solved}");
    }

    #[test]
    fn numbers_that_do_not_fit_are_given_up() {
        let big = i128::MAX / 2;
        assert_eq!(solve(2, &[(&[big, 3], 5), (&[3, big], 5)], &[0, 1]), Optimum::GivenUp);
    }
}
