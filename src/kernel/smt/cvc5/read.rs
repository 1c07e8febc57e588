//! cvc5's terms over Bool, bit vectors and integers as our expressions.

use cvc5::{Kind, Term};

use crate::expr::{BvBin, BvCmp, BvUn, ExprId, ExprPool, FastMap, IntBin, IntCmp, Sort, Value, VarId};
use crate::smt::SolverError;

use super::term::value_of;

/// Associative operators, which may have more than two operands in cvc5.
const CHAINS: [(Kind, BvBin); 5] = [
    (Kind::BitvectorAdd, BvBin::Add),
    (Kind::BitvectorMult, BvBin::Mul),
    (Kind::BitvectorAnd, BvBin::And),
    (Kind::BitvectorOr, BvBin::Or),
    (Kind::BitvectorXor, BvBin::Xor),
];

/// Returns the expression of a term; `None` if it has an operator that we do not have (a quantifier, say).
///
/// `vars` gives the variable of each constant's id. No recursion.
pub(super) fn read(pool: &mut ExprPool, root: &Term, vars: &FastMap<u64, VarId>) -> Result<Option<ExprId>, SolverError> {
    let mut made: FastMap<u64, ExprId> = FastMap::default();
    let mut stack = vec![root.clone()];
    while let Some(term) = stack.last().cloned() {
        if made.contains_key(&term.id()) {
            stack.pop();
            continue;
        }
        let mut operands = Vec::with_capacity(term.num_children());
        let before = stack.len();
        for i in 0..term.num_children() {
            let child = term.child(i)?;
            match made.get(&child.id()) {
                Some(&e) => operands.push(e),
                None => stack.push(child),
            }
        }
        if before < stack.len() {
            continue;
        }
        let Some(e) = node(pool, &term, &operands, vars)? else { return Ok(None) };
        made.insert(term.id(), e);
        stack.pop();
    }
    Ok(made.get(&root.id()).copied())
}

fn node(
    pool: &mut ExprPool,
    term: &Term,
    operands: &[ExprId],
    vars: &FastMap<u64, VarId>,
) -> Result<Option<ExprId>, SolverError> {
    if let Some(&var) = vars.get(&term.id()) {
        return Ok(Some(pool.var(var)));
    }
    let kind = term.kind();
    let index = |i: usize| -> Result<u16, SolverError> {
        let index = term.op()?.index(i)?.uint32_value()?;
        u16::try_from(index).map_err(|_| SolverError(format!("cvc5 gave the index {index}")))
    };
    let all = |pool: &mut ExprPool, f: &dyn Fn(&mut ExprPool, ExprId, ExprId) -> ExprId| {
        let (first, rest) = operands.split_first()?;
        Some(rest.iter().fold(*first, |a, &b| f(pool, a, b)))
    };
    if let Some(&(_, op)) = CHAINS.iter().find(|chain| chain.0 == kind) {
        return Ok(all(pool, &|pool, a, b| pool.bv(op, a, b)));
    }
    Ok(match (kind, operands) {
        (Kind::ConstBoolean, []) => Some(pool.bool(term.boolean_value()?)),
        (Kind::ConstBitvector, []) => {
            let width = u16::try_from(term.sort().bv_size()?).unwrap_or(u16::MAX);
            if 128 < width {
                return Ok(None);
            }
            let value = value_of(term, Sort::BitVec(width))?;
            Some(pool.constant(value))
        }
        (Kind::ConstInteger, []) => match term.integer_value()?.parse() {
            Ok(v) => Some(pool.int_const(v)),
            Err(_) => None,
        },
        (Kind::Neg, &[a]) => Some(pool.int_neg(a)),
        (Kind::Add, _) => all(pool, &|pool, a, b| pool.int(IntBin::Add, a, b)),
        (Kind::Mult, _) => all(pool, &|pool, a, b| pool.int(IntBin::Mul, a, b)),
        (Kind::Sub, _) => all(pool, &|pool, a, b| pool.int(IntBin::Sub, a, b)),
        (Kind::IntsDivision | Kind::IntsDivisionTotal, &[a, b]) if is_not_zero(pool, b) => Some(pool.int(IntBin::Div, a, b)),
        (Kind::IntsModulus | Kind::IntsModulusTotal, &[a, b]) if is_not_zero(pool, b) => Some(pool.int(IntBin::Mod, a, b)),
        (Kind::Lt, &[a, b]) | (Kind::Gt, &[b, a]) => Some(pool.int_cmp(IntCmp::Lt, a, b)),
        (Kind::Leq, &[a, b]) | (Kind::Geq, &[b, a]) => Some(pool.int_cmp(IntCmp::Le, a, b)),
        (Kind::Not, &[a]) => Some(pool.not(a)),
        (Kind::And, _) => all(pool, &ExprPool::and),
        (Kind::Or, _) => all(pool, &ExprPool::or),
        (Kind::Xor, &[a, b]) => Some(pool.ne(a, b)),
        (Kind::Implies, &[a, b]) => Some(pool.implies(a, b)),
        (Kind::Equal, &[a, b]) => Some(pool.eq(a, b)),
        (Kind::Distinct, &[a, b]) => Some(pool.ne(a, b)),
        (Kind::Ite, &[c, a, b]) => Some(pool.ite(c, a, b)),
        (Kind::BitvectorNot, &[a]) => Some(pool.bv_un(BvUn::Not, a)),
        (Kind::BitvectorNeg, &[a]) => Some(pool.bv_un(BvUn::Neg, a)),
        (Kind::BitvectorSub, &[a, b]) => Some(pool.bv(BvBin::Sub, a, b)),
        (Kind::BitvectorUdiv, &[a, b]) => Some(pool.bv(BvBin::Udiv, a, b)),
        (Kind::BitvectorUrem, &[a, b]) => Some(pool.bv(BvBin::Urem, a, b)),
        (Kind::BitvectorSdiv, &[a, b]) => Some(pool.bv(BvBin::Sdiv, a, b)),
        (Kind::BitvectorSrem, &[a, b]) => Some(pool.bv(BvBin::Srem, a, b)),
        (Kind::BitvectorShl, &[a, b]) => Some(pool.bv(BvBin::Shl, a, b)),
        (Kind::BitvectorLshr, &[a, b]) => Some(pool.bv(BvBin::Lshr, a, b)),
        (Kind::BitvectorAshr, &[a, b]) => Some(pool.bv(BvBin::Ashr, a, b)),
        (Kind::BitvectorUlt, &[a, b]) | (Kind::BitvectorUgt, &[b, a]) => Some(pool.bv_cmp(BvCmp::Ult, a, b)),
        (Kind::BitvectorUle, &[a, b]) | (Kind::BitvectorUge, &[b, a]) => Some(pool.bv_cmp(BvCmp::Ule, a, b)),
        (Kind::BitvectorSlt, &[a, b]) | (Kind::BitvectorSgt, &[b, a]) => Some(pool.bv_cmp(BvCmp::Slt, a, b)),
        (Kind::BitvectorSle, &[a, b]) | (Kind::BitvectorSge, &[b, a]) => Some(pool.bv_cmp(BvCmp::Sle, a, b)),
        (Kind::BitvectorConcat, _) => {
            let width: u32 = operands.iter().map(|&e| u32::from(pool.width(e))).sum();
            if 128 < width { None } else { all(pool, &ExprPool::concat) }
        }
        (Kind::BitvectorExtract, &[a]) => Some(pool.extract(index(0)?, index(1)?, a)),
        (Kind::BitvectorZeroExtend | Kind::BitvectorSignExtend, &[a]) => {
            let width = u32::from(pool.width(a)) + u32::from(index(0)?);
            match u16::try_from(width) {
                Ok(width) if width <= 128 && kind == Kind::BitvectorZeroExtend => Some(pool.zero_extend(width, a)),
                Ok(width) if width <= 128 => Some(pool.sign_extend(width, a)),
                Ok(_) | Err(_) => None,
            }
        }
        _ => None,
    })
}

/// Returns whether the divisor is a constant other than 0: then cvc5's total division is ours.
fn is_not_zero(pool: &ExprPool, divisor: ExprId) -> bool {
    pool.as_const(divisor).and_then(Value::as_int).is_some_and(|k| k != 0)
}
