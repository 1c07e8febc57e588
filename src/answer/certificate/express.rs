//! Invariants of a certificate as expressions of the model: all of them where a proof is tried again; for witnesses only those
//! that C can express. Nothing is decided here.

use std::collections::BTreeMap;

use super::check::read_proof;
use super::{Flaw, value};
use crate::certify::PartSet;
use crate::certify::predicate::{Predicate, Symbols, Term};
use crate::certify::stated::{Conjunctions, Kind, Stated};
use kernel::cfa::{Cfa, LocId};
use kernel::expr::{BvBin, BvCmp, BvUn, ExprId, ExprPool, FpBin, FpCmp, FpTest, FpUn, IntBin, IntCmp, Rounding, Sort, VarId};
use kernel::verdict::{Argument, Proof};

/// Makes the expression of a term that is no variable, from its head, operands and sort.
type Make = fn(&mut ExprPool, &str, &[ExprId], Sort) -> Option<ExprId>;

/// Returns the invariants of a stated proof that C can express, and the number of other parts.
pub fn invariants(pool: &mut ExprPool, cfa: &Cfa, stated: &str) -> Result<(BTreeMap<LocId, ExprId>, usize), Flaw> {
    let stated = read_proof(pool, cfa, stated)?;
    let symbols = Symbols::new(pool, &cfa.vars);
    let yes = pool.bool(true);
    let mut left_out = PartSet::default();
    let mut parts = Vec::with_capacity(stated.parts.len());
    for (n, part) in stated.parts.iter().enumerate() {
        let made = made(pool, part, &symbols, plain)[part.body];
        if made.is_none() {
            left_out.insert(n);
        }
        parts.push(made.unwrap_or(yes));
    }
    let n_left_out = stated.places.values().map(|place| place.iter().filter(|part| left_out.contains(*part)).count()).sum();
    Ok((conjunctions(pool, &parts, &stated), n_left_out))
}

/// Returns a stated proof with invariants as expressions, as an engine gives it.
///
/// Stops: it does not fit the automaton, or has an operator that no expression has.
pub(super) fn proof(pool: &ExprPool, cfa: &Cfa, stated: &str) -> Result<Proof, Flaw> {
    with_expressions(pool, cfa, &read_proof(pool, cfa, stated)?)
}

/// Returns a proof that was read with invariants as expressions.
///
/// Stops: it has an operator that no expression has.
pub(super) fn with_expressions(pool: &ExprPool, cfa: &Cfa, stated: &Stated) -> Result<Proof, Flaw> {
    let mut pool = pool.clone();
    let symbols = Symbols::new(&pool, &cfa.vars);
    let parts = stated.parts.iter().map(|part| expression(&mut pool, part, &symbols));
    let parts = parts.collect::<Option<Vec<_>>>();
    let parts = parts.ok_or_else(|| Flaw("an invariant has an operator that no expression has".to_owned()))?;
    let invariants = conjunctions(&mut pool, &parts, stated);
    let argument = match stated.kind {
        Kind::Inductive => Argument::Inductive(invariants),
        Kind::KInductive { k, support, paths } => Argument::KInductive { k, invariants, support, paths },
        Kind::Exhaustive { k, paths } => Argument::Exhaustive { k, places: invariants.into_keys().collect(), paths },
    };
    Ok(Proof { pool, argument })
}

/// Returns the invariant of each place from the expressions of all parts.
fn conjunctions(pool: &mut ExprPool, parts: &[ExprId], stated: &Stated) -> BTreeMap<LocId, ExprId> {
    let mut conjunctions = Conjunctions::new(parts);
    stated.places.iter().map(|(place, set)| (*place, conjunctions.of(pool, set))).collect()
}

/// Returns the expression of a predicate, if it has one.
pub(super) fn expression(pool: &mut ExprPool, predicate: &Predicate, symbols: &Symbols) -> Option<ExprId> {
    made(pool, predicate, symbols, any)[predicate.body]
}

/// Returns the expression of each term; `None` for one that has no such expression.
fn made(pool: &mut ExprPool, predicate: &Predicate, symbols: &Symbols, make: Make) -> Vec<Option<ExprId>> {
    let mut made: Vec<Option<ExprId>> = Vec::with_capacity(predicate.terms.len());
    for Term { head, operands, sort } in &predicate.terms {
        let operands: Option<Vec<ExprId>> = operands.iter().map(|operand| made[*operand]).collect();
        let var: Option<VarId> = symbols.var(head.trim_matches('|'));
        made.push(operands.and_then(|operands| match var {
            Some(var) if operands.is_empty() => Some(pool.var(var)),
            Some(_) | None => make(pool, head, &operands, *sort),
        }));
    }
    made
}

/// Makes any expression.
fn any(pool: &mut ExprPool, head: &str, operands: &[ExprId], sort: Sort) -> Option<ExprId> {
    if operands.is_empty() {
        return value::read(head, sort).map(|value| pool.constant(value));
    }
    plain(pool, head, operands, sort).or_else(|| float(pool, head, operands, sort)).or_else(|| unbounded(pool, head, operands))
}

/// Makes expressions of Bools, bit vectors and comparisons of floats.
fn plain(pool: &mut ExprPool, head: &str, operands: &[ExprId], sort: Sort) -> Option<ExprId> {
    match operands {
        [] => match sort {
            Sort::Float(_) if !head.starts_with("(fp ") => None,
            Sort::Bool | Sort::BitVec(_) | Sort::Float(_) => value::read(head, sort).map(|value| pool.constant(value)),
            Sort::Int | Sort::Array(..) => None,
        },
        [a] => one(pool, head, *a),
        [a, b] if !["and", "or"].contains(&head) => two(pool, head, *a, *b),
        [c, a, b] if head == "ite" => Some(pool.ite(*c, *a, *b)),
        all if head == "and" => Some(pool.and_all(all.iter().copied())),
        all if head == "or" => Some(pool.or_all(all.iter().copied())),
        [..] => None,
    }
}

fn one(pool: &mut ExprPool, head: &str, a: ExprId) -> Option<ExprId> {
    let mut words = head.trim_matches(['(', ')']).split(' ');
    let numbers = |words: std::str::Split<'_, char>| words.map(str::parse).collect::<Result<Vec<u16>, _>>().ok();
    match (words.next()?, words.next()) {
        ("not", None) => Some(pool.not(a)),
        ("bvneg", None) => Some(pool.bv_un(BvUn::Neg, a)),
        ("bvnot", None) => Some(pool.bv_un(BvUn::Not, a)),
        ("_", Some(name)) => match (name, numbers(words)?.as_slice()) {
            ("extract", [high, low]) => Some(pool.extract(*high, *low, a)),
            ("zero_extend", [by]) => Some(pool.zero_extend(pool.width(a) + by, a)),
            ("sign_extend", [by]) => Some(pool.sign_extend(pool.width(a) + by, a)),
            (_, _) => None,
        },
        (_, _) => None,
    }
}

fn two(pool: &mut ExprPool, head: &str, a: ExprId, b: ExprId) -> Option<ExprId> {
    let arithmetic = match head {
        "bvadd" => Some(BvBin::Add),
        "bvsub" => Some(BvBin::Sub),
        "bvmul" => Some(BvBin::Mul),
        "bvudiv" => Some(BvBin::Udiv),
        "bvurem" => Some(BvBin::Urem),
        "bvsdiv" => Some(BvBin::Sdiv),
        "bvsrem" => Some(BvBin::Srem),
        "bvand" => Some(BvBin::And),
        "bvor" => Some(BvBin::Or),
        "bvxor" => Some(BvBin::Xor),
        "bvshl" => Some(BvBin::Shl),
        "bvlshr" => Some(BvBin::Lshr),
        "bvashr" => Some(BvBin::Ashr),
        _ => None,
    };
    if let Some(op) = arithmetic {
        return Some(pool.bv(op, a, b));
    }
    match head {
        "=" => Some(pool.eq(a, b)),
        "distinct" | "xor" => Some(pool.ne(a, b)),
        "=>" => Some(pool.implies(a, b)),
        "concat" => Some(pool.concat(a, b)),
        "bvult" => Some(pool.bv_cmp(BvCmp::Ult, a, b)),
        "bvule" => Some(pool.bv_cmp(BvCmp::Ule, a, b)),
        "bvslt" => Some(pool.bv_cmp(BvCmp::Slt, a, b)),
        "bvsle" => Some(pool.bv_cmp(BvCmp::Sle, a, b)),
        "bvugt" => Some(pool.bv_cmp(BvCmp::Ult, b, a)),
        "bvuge" => Some(pool.bv_cmp(BvCmp::Ule, b, a)),
        "bvsgt" => Some(pool.bv_cmp(BvCmp::Slt, b, a)),
        "bvsge" => Some(pool.bv_cmp(BvCmp::Sle, b, a)),
        "fp.eq" => Some(pool.fp_cmp(FpCmp::Eq, a, b)),
        "fp.lt" => Some(pool.fp_cmp(FpCmp::Lt, a, b)),
        "fp.leq" => Some(pool.fp_cmp(FpCmp::Le, a, b)),
        "fp.gt" => Some(pool.fp_cmp(FpCmp::Lt, b, a)),
        "fp.geq" => Some(pool.fp_cmp(FpCmp::Le, b, a)),
        _ => None,
    }
}

/// Makes arithmetic and conversions of floats; `sort` is that of the result.
fn float(pool: &mut ExprPool, head: &str, operands: &[ExprId], sort: Sort) -> Option<ExprId> {
    let (op, mode) = match head.rsplit_once(' ').map(|(op, mode)| (op, rounding(mode))) {
        Some((op, Some(mode))) => (op, Some(mode)),
        Some((_, None)) | None => (head, None),
    };
    let name = op.trim_start_matches("(_ ").split(' ').next()?;
    Some(match (name, mode, operands, sort) {
        ("fp.neg", None, [a], _) => pool.fp_un(FpUn::Neg, *a),
        ("fp.abs", None, [a], _) => pool.fp_un(FpUn::Abs, *a),
        ("fp.sqrt", Some(mode), [a], _) => pool.fp_un(FpUn::Sqrt(mode), *a),
        ("fp.roundToIntegral", Some(mode), [a], _) => pool.fp_un(FpUn::Integral(mode), *a),
        ("fp.isNaN", None, [a], _) => pool.fp_test(FpTest::IsNan, *a),
        ("fp.isInfinite", None, [a], _) => pool.fp_test(FpTest::IsInfinite, *a),
        ("fp.add", Some(mode), [a, b], _) => pool.fp_rounded(FpBin::Add, mode, *a, *b),
        ("fp.sub", Some(mode), [a, b], _) => pool.fp_rounded(FpBin::Sub, mode, *a, *b),
        ("fp.mul", Some(mode), [a, b], _) => pool.fp_rounded(FpBin::Mul, mode, *a, *b),
        ("fp.div", Some(mode), [a, b], _) => pool.fp_rounded(FpBin::Div, mode, *a, *b),
        ("to_fp", Some(mode), [a], Sort::Float(to)) if matches!(pool.sort(*a), Sort::Float(_)) => {
            pool.fp_to_fp_rounded(to, mode, *a)
        }
        ("to_fp", Some(mode), [a], Sort::Float(to)) => pool.bv_to_fp_rounded(true, to, mode, *a),
        ("to_fp", None, [a], Sort::Float(to)) => pool.bits_to_fp(to, *a),
        ("to_fp_unsigned", Some(mode), [a], Sort::Float(to)) => pool.bv_to_fp_rounded(false, to, mode, *a),
        ("fp.to_sbv", Some(mode), [a], Sort::BitVec(width)) => pool.fp_to_bv(true, width, mode, *a),
        ("fp.to_ubv", Some(mode), [a], Sort::BitVec(width)) => pool.fp_to_bv(false, width, mode, *a),
        (_, _, _, _) => return None,
    })
}

fn rounding(mode: &str) -> Option<Rounding> {
    match mode {
        "RNE" => Some(Rounding::NearestEven),
        "RNA" => Some(Rounding::NearestAway),
        "RTP" => Some(Rounding::TowardPositive),
        "RTN" => Some(Rounding::TowardNegative),
        "RTZ" => Some(Rounding::TowardZero),
        _ => None,
    }
}

/// Makes arithmetic of integers, and accesses to arrays.
fn unbounded(pool: &mut ExprPool, head: &str, operands: &[ExprId]) -> Option<ExprId> {
    Some(match (head, operands) {
        ("-", [a]) => pool.int_neg(*a),
        ("+", [a, b]) => pool.int(IntBin::Add, *a, *b),
        ("-", [a, b]) => pool.int(IntBin::Sub, *a, *b),
        ("*", [a, b]) => pool.int(IntBin::Mul, *a, *b),
        ("div", [a, b]) => pool.int(IntBin::Div, *a, *b),
        ("mod", [a, b]) => pool.int(IntBin::Mod, *a, *b),
        ("<", [a, b]) => pool.int_cmp(IntCmp::Lt, *a, *b),
        ("<=", [a, b]) => pool.int_cmp(IntCmp::Le, *a, *b),
        (">", [a, b]) => pool.int_cmp(IntCmp::Lt, *b, *a),
        (">=", [a, b]) => pool.int_cmp(IntCmp::Le, *b, *a),
        ("select", [array, index]) => pool.select(*array, *index),
        ("store", [array, index, element]) => pool.store(*array, *index, *element),
        (_, _) => return None,
    })
}
