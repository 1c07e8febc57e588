//! Invariants of a certificate as expressions of the model again, part by part, as far as they are about Bools, bit vectors and
//! comparisons of floats: for witnesses, which want them in C. Nothing is decided with these.

use std::collections::BTreeMap;

use super::Flaw;
use super::check::read_proof;
use crate::certify::predicate::{Predicate, Symbols, Term};
use kernel::cfa::{Cfa, LocId};
use kernel::expr::{BvBin, BvCmp, BvUn, ExprId, ExprPool, FpCmp, Sort, Value, VarId};

/// The invariants of a proof that was [`super::stated`], and how many parts of them are something else.
pub fn invariants(pool: &mut ExprPool, cfa: &Cfa, stated: &str) -> Result<(BTreeMap<LocId, ExprId>, usize), Flaw> {
    let stated = read_proof(pool, cfa, stated)?;
    let symbols = Symbols::new(pool, &cfa.vars);
    let mut n_left_out = 0;
    let mut invariants = BTreeMap::new();
    for (loc, predicate) in &stated.invariants {
        let parts = parts(pool, predicate, &symbols);
        n_left_out += parts.iter().filter(|part| part.is_none()).count();
        let all = pool.and_all(parts.into_iter().flatten());
        invariants.insert(*loc, all);
    }
    Ok((invariants, n_left_out))
}

/// The conjuncts; `None` for one that has no such expression.
fn parts(pool: &mut ExprPool, predicate: &Predicate, symbols: &Symbols) -> Vec<Option<ExprId>> {
    let mut made: Vec<Option<ExprId>> = Vec::with_capacity(predicate.terms.len());
    for Term { head, operands, sort } in &predicate.terms {
        let operands: Option<Vec<ExprId>> = operands.iter().map(|operand| made[*operand]).collect();
        let var = symbols.var(head.trim_matches('|'));
        made.push(operands.and_then(|operands| make(pool, head, &operands, *sort, var)));
    }
    predicate.conjuncts().into_iter().map(|id| made[id]).collect()
}

fn make(pool: &mut ExprPool, head: &str, operands: &[ExprId], sort: Sort, var: Option<VarId>) -> Option<ExprId> {
    match operands {
        [] => match var {
            Some(var) => Some(pool.var(var)),
            None => constant(head, sort).map(|value| pool.constant(value)),
        },
        [a] => one(pool, head, *a),
        [a, b] if !["and", "or"].contains(&head) => two(pool, head, *a, *b),
        [c, a, b] if head == "ite" => Some(pool.ite(*c, *a, *b)),
        all if head == "and" => Some(pool.and_all(all.iter().copied())),
        all if head == "or" => Some(pool.or_all(all.iter().copied())),
        [..] => None,
    }
}

fn constant(text: &str, sort: Sort) -> Option<Value> {
    match sort {
        Sort::Bool => Some(Value::Bool(text == "true")),
        Sort::BitVec(width) => {
            let bits = text.strip_prefix("(_ bv")?.split(' ').next()?.parse().ok()?;
            Some(Value::bv(width, bits))
        }
        Sort::Float(sort) => {
            let digits: String = text.strip_prefix("(fp ")?.chars().filter(char::is_ascii_digit).collect();
            Some(Value::float(sort, u128::from_str_radix(&digits, 2).ok()?))
        }
        Sort::Int | Sort::Array(..) => None,
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
