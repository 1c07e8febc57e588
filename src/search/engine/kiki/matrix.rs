//! Rows of the template polyhedron that the user gives: one line of the matrix A for each row, `2*x - 3*y`.
//!
//! A row bounds its expression from above; `-x` bounds `x` from below. Names are those of the source. Flags count as 0 and 1. Bit
//! vectors are widened first, so that no sum wraps. Products and sums of floats are rounded up, so the bound holds of the exact
//! value too.
//!
//! Source: Brain, Joshi, Kroening, Schrammel, SAS 2015, doi:10.1007/978-3-662-48288-9_9 (§3.3 template polyhedra A x ≤ δ, §4
//! "generic w.r.t. matrix A").

use super::row::{MAX_WIDTH, Shape, Sign};
use kernel::cfa::pass::System;
use kernel::expr::{BvBin, ExprId, ExprPool, FloatSort, FpBin, FpUn, IntBin, Rounding, Sort, Value, VarId};

/// Largest coefficient.
const LARGEST: i64 = 1 << 20;

/// Rows by their source text. Empty: none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    rows: Vec<Vec<Term>>,
}

/// A coefficient and a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    factor: i64,
    name: String,
    /// Row and column in the text, from 1.
    place: (usize, usize),
}

impl Matrix {
    /// Reads rows that `;` or ends of lines separate. The error is a sentence with its place.
    pub fn read(text: &str) -> Result<Matrix, String> {
        let rows = text.split([';', '\n']).enumerate().filter(|(_, row)| !row.trim().is_empty());
        Ok(Matrix { rows: rows.map(|(i, row)| read_row(row.trim(), i + 1)).collect::<Result<_, String>>()? })
    }
    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// Returns the rows over the state. Rows about variables that the requirement does not depend on are left out. `is_signed`:
    /// the program reads the bit vector as two's complement. The error is a sentence with its place.
    pub(super) fn shapes(
        &self,
        pool: &mut ExprPool,
        system: &System,
        is_signed: impl Fn(VarId) -> bool,
    ) -> Result<Vec<Shape>, String> {
        let mut shapes = Vec::new();
        for row in &self.rows {
            let found = row.iter().map(|term| Ok((term.factor, variable(pool, system, term)?)));
            let found: Option<Vec<(i64, VarId)>> =
                found.collect::<Result<Vec<_>, String>>()?.into_iter().map(|(c, var)| Some((c, var?))).collect();
            let (Some(terms), Some(first)) = (found, row.first()) else { continue };
            let e = expression(pool, &terms, &is_signed).map_err(|why| at((first.place.0, 1), &why))?;
            shapes.push(Shape::Upper(e, Sign::Signed));
        }
        Ok(shapes)
    }
}

fn at((row, column): (usize, usize), why: &str) -> String {
    format!("option `template`, row {row}, column {column}: {why}")
}

fn read_row(text: &str, row: usize) -> Result<Vec<Term>, String> {
    let mut terms = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let column = |rest: &str| text[..text.len() - rest.len()].chars().count() + 1;
        if rest.is_empty() {
            return if terms.is_empty() { Err(at((row, column(rest)), "a row needs a variable")) } else { Ok(terms) };
        }
        let mut sign = 1;
        match rest.strip_prefix(['+', '-']) {
            Some(after) => {
                sign = if rest.starts_with('-') { -1 } else { 1 };
                rest = after.trim_start();
            }
            None if terms.is_empty() => {}
            None => return Err(at((row, column(rest)), "`+`, `-` or the end of the row is missing")),
        }
        let place = (row, column(rest));
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (digits, after) = rest.split_at(end);
        let mut factor = 1;
        if !digits.is_empty() {
            factor = digits.parse().ok().filter(|n| *n <= LARGEST).unwrap_or(0);
            if factor == 0 {
                return Err(at(place, &format!("the coefficient is a whole number from 1 to {LARGEST}")));
            }
            rest = after.trim_start();
            rest = rest.strip_prefix('*').unwrap_or(rest).trim_start();
        }
        let place = (row, column(rest));
        let end = rest.find(|c: char| c.is_whitespace() || "+-*/()=<>,".contains(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(at(place, "a variable is missing: a row is like `2*x - 3*y`"));
        }
        terms.push(Term { factor: sign * factor, name: name.to_owned(), place });
        rest = after;
    }
}

/// Returns the variable of the state with this name; `None` if the model has it and the state does not.
fn variable(pool: &ExprPool, system: &System, term: &Term) -> Result<Option<VarId>, String> {
    let is_state = |var: &VarId| system.vars.binary_search(var).is_ok() && Some(*var) != system.pc;
    let name_of = |var: VarId| pool.var_decl(var).name.as_str();
    let all = || pool.vars().map(|(var, _)| var);
    let exact: Vec<VarId> = all().filter(|var| name_of(*var).eq_ignore_ascii_case(&term.name)).collect();
    if !exact.is_empty() {
        return Ok(exact.into_iter().find(is_state));
    }
    let is_end = |var: &VarId| name_of(*var).rsplit_once('.').is_some_and(|(_, last)| last.eq_ignore_ascii_case(&term.name));
    let ends: Vec<VarId> = all().filter(is_end).collect();
    match ends.as_slice() {
        [] => Err(at(term.place, &format!("there is no variable `{}`", term.name))),
        [one] => Ok(Some(*one).filter(is_state)),
        [a, b, ..] => {
            let (a, b) = (name_of(*a), name_of(*b));
            Err(at(term.place, &format!("`{}` is not unique: `{a}`, `{b}`", term.name)))
        }
    }
}

/// Returns the sum; the error is a clause about the sorts.
fn expression(pool: &mut ExprPool, terms: &[(i64, VarId)], is_signed: &dyn Fn(VarId) -> bool) -> Result<ExprId, String> {
    let sorts: Vec<Sort> = terms.iter().map(|(_, var)| pool.var_decl(*var).sort).collect();
    if sorts.iter().all(|sort| sort.is_bits()) {
        return bits(pool, terms, is_signed).ok_or_else(|| "the sum needs too many bits".into());
    }
    if sorts.iter().all(|sort| *sort == Sort::Int) {
        let zero = pool.int_const(0);
        return Ok(terms.iter().fold(zero, |sum, (factor, var)| {
            let (x, factor) = (pool.var(*var), pool.int_const((*factor).into()));
            let product = pool.int(IntBin::Mul, factor, x);
            pool.int(IntBin::Add, sum, product)
        }));
    }
    if let Some(float) = format(&sorts) {
        return floats(pool, terms, float).ok_or_else(|| "the floats do not have numbers as large as the coefficient".into());
    }
    let words: Vec<String> =
        terms.iter().zip(&sorts).map(|((_, var), sort)| format!("`{}` is {}", pool.var_decl(*var).name, word(*sort))).collect();
    Err(format!("a row is about integers or about floats: {}", words.join(", ")))
}

fn word(sort: Sort) -> &'static str {
    match sort {
        Sort::Bool => "a flag",
        Sort::BitVec(_) => "a machine integer",
        Sort::Float(_) => "a float",
        Sort::Int => "a mathematical integer",
        Sort::Array(..) => "an array",
    }
}

fn bits(pool: &mut ExprPool, terms: &[(i64, VarId)], is_signed: &dyn Fn(VarId) -> bool) -> Option<ExprId> {
    let own = |var: VarId| if let Sort::BitVec(width) = pool.var_decl(var).sort { width } else { 1 };
    let product = |(factor, var): &(i64, VarId)| u64::from(own(*var)) + u64::from(64 - factor.unsigned_abs().leading_zeros());
    let carry = u64::from(usize::BITS - terms.len().leading_zeros());
    let width = u16::try_from(terms.iter().map(product).max()? + carry + 1).ok().filter(|width| *width <= MAX_WIDTH)?;
    let mut sum = pool.constant(Value::bv(width, 0));
    for (factor, var) in terms {
        let x = pool.var(*var);
        let wide = if pool.sort(x) == Sort::Bool {
            let [one, zero] = [1, 0].map(|v| pool.constant(Value::bv(width, v)));
            pool.ite(x, one, zero)
        } else if is_signed(*var) {
            pool.sign_extend(width, x)
        } else {
            pool.zero_extend(width, x)
        };
        let factor = pool.constant(Value::int(width, (*factor).into()));
        let product = pool.bv(BvBin::Mul, factor, wide);
        sum = pool.bv(BvBin::Add, sum, product);
    }
    Some(sum)
}

/// Returns the format of a sum of floats: their own, or that of the widest of binary32 and binary64.
fn format(sorts: &[Sort]) -> Option<FloatSort> {
    let floats = sorts.iter().map(|sort| if let Sort::Float(float) = sort { Some(*float) } else { None });
    let floats: Vec<FloatSort> = floats.collect::<Option<_>>()?;
    let first = *floats.first()?;
    if floats.iter().all(|float| *float == first) {
        return Some(first);
    }
    floats.iter().all(|float| matches!(float, FloatSort::F32 | FloatSort::F64)).then_some(FloatSort::F64)
}

/// Returns the sum, rounded up; `None` if the format does not have a coefficient.
fn floats(pool: &mut ExprPool, terms: &[(i64, VarId)], float: FloatSort) -> Option<ExprId> {
    let up = Rounding::TowardPositive;
    let mut sum: Option<ExprId> = None;
    for (factor, var) in terms {
        let mut x = pool.var(*var);
        if pool.float(x) != float {
            x = pool.fp_to_fp(float, x);
        }
        let product = match factor {
            1 => x,
            -1 => pool.fp_un(FpUn::Neg, x),
            _ => {
                let whole = pool.constant(Value::int(64, (*factor).into()));
                let [low, high] =
                    [Rounding::TowardNegative, up].map(|rounding| pool.bv_to_fp_rounded(true, float, rounding, whole));
                if low != high {
                    return None;
                }
                pool.fp_rounded(FpBin::Mul, up, low, x)
            }
        };
        sum = Some(sum.map_or(product, |sum| pool.fp_rounded(FpBin::Add, up, sum, product)));
    }
    sum
}
