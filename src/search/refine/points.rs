//! Test points: finitely many terms that stand for all values of a variable.
//!
//! **Claim.** Let φ be a Boolean combination of atoms, and let each atom that mentions the bit vector `x` compare
//! `±ext(x) + t` (in W bits, `ext` a zero or sign extension or nothing) with `r`, where `t` and `r` do not mention `x`.
//! Walk the circle of values of `x` in steps of +1. Then there is a finite set S of terms without `x` such that no
//! atom changes its truth on arriving at a value outside S; hence ∀x. φ(x) is ⋀ φ(p) over p ∈ S (and ∃ likewise ⋁).
//!
//! **Proof.** Let v be the value of the compared side. For each comparison the set of v for which it holds is an arc of the
//! circle of W-bit values: `v = r` is {r}; `v <u r` is [0, r); `r <u v` is [r+1, 0), wrapping; `v <s r` is [m, r) and `r <s v` is
//! [r+1, m), with m the signed minimum; the non-strict ones are their complements with sides exchanged. So its truth changes,
//! going up, only on arriving at one of its two ends b. Going down it changes only on leaving one, which is arriving at b - 1.
//! `ext` jumps only on arriving at 0 for zero extension, at the signed minimum for sign extension. Elsewhere a step of `x` is a
//! step of v: up for +, down for -. So the truth changes at the jump. Otherwise it changes only on arriving at x with ext(x) =
//! `b - t` for +, `t - b + 1` for -. S takes these, cut to the width of `x`. If the cut value does not extend back, the atom has
//! no change there, and the point is superfluous. Now take any value of `x` and walk backward. S is not empty and the circle is
//! finite, so a point of S is met after finitely many steps. On the way no atom changes, so φ has the same truth there. ∎
//!
//! For floats the same holds on the line -∞ … -0, +0 … +∞. Comparisons with constants c have the ends c and its successor; NaN,
//! both infinities and both zeros are points of their own.

use std::collections::BTreeSet;

use kernel::expr::{BvBin, BvCmp, BvUn, Expr, ExprId, ExprPool, FloatSort, IntBin, Sort, Value, VarId};

/// Returns terms without `var` that together stand for all its values in a combination of `atoms`. `None` if an atom has another
/// form. Atoms without `var` do not matter.
///
/// Shape: not empty; exact in the sense of the claim above.
pub(super) fn points(pool: &mut ExprPool, var: VarId, atoms: &[ExprId]) -> Option<BTreeSet<ExprId>> {
    let mut found = BTreeSet::new();
    match pool.var_decl(var).sort {
        Sort::Bool => found.extend([pool.bool(false), pool.bool(true)]),
        Sort::BitVec(width) => {
            let mut exact = true;
            for &atom in atoms {
                if mentions(pool, atom, var) && !bv_points(pool, var, width, atom, &mut found) {
                    exact = false;
                    break;
                }
            }
            /// Few enough values to try them all.
            const NARROW: u16 = 3;
            if !exact && width <= NARROW {
                found = (0..1u128 << width).map(|v| pool.constant(Value::bv(width, v))).collect();
            } else if !exact {
                return None;
            }
        }
        Sort::Float(sort) => {
            for value in special(sort) {
                found.insert(pool.constant(value));
            }
            for &atom in atoms {
                if mentions(pool, atom, var) && !fp_points(pool, var, atom, &mut found) {
                    return None;
                }
            }
        }
        Sort::Int => {
            for &atom in atoms {
                if mentions(pool, atom, var) && !int_points(pool, var, atom, &mut found) {
                    return None;
                }
            }
        }
        Sort::Array(..) => {
            if atoms.iter().any(|&atom| mentions(pool, atom, var)) {
                return None;
            }
        }
    }
    if found.is_empty() {
        // Nothing depends on the variable: any value will do.
        let zero = Value::zero(pool.var_decl(var).sort);
        found.insert(pool.constant(zero));
    }
    Some(found)
}

fn mentions(pool: &ExprPool, e: ExprId, var: VarId) -> bool {
    pool.vars_of(&[e]).contains(&var)
}

/// A side of a comparison that is ±ext(x) + offset.
struct Linear {
    down: bool,
    /// Extension of `x`, if it is extended.
    extended: Option<Extension>,
    /// `None` is 0.
    offset: Option<ExprId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Extension {
    Zero,
    Sign,
}

fn linear(pool: &mut ExprPool, e: ExprId, var: VarId) -> Option<Linear> {
    let plain = |extended| Some(Linear { down: false, extended, offset: None });
    let is_var = |of: ExprId| pool.expr(of) == Expr::Var(var);
    let expr = pool.expr(e);
    if is_var(e) {
        plain(None)
    } else if let Expr::ZeroExtend(_, of) = expr {
        if is_var(of) { plain(Some(Extension::Zero)) } else { None }
    } else if let Expr::SignExtend(_, of) = expr {
        if is_var(of) { plain(Some(Extension::Sign)) } else { None }
    } else if let Expr::BvUn(BvUn::Neg, of) = expr {
        let inner = linear(pool, of, var)?;
        let offset = inner.offset.map(|offset| pool.bv_un(BvUn::Neg, offset));
        Some(Linear { down: !inner.down, offset, ..inner })
    } else if let Expr::BvBin(op @ (BvBin::Add | BvBin::Sub), a, b) = expr {
        match (mentions(pool, a, var), mentions(pool, b, var)) {
            (true, false) => {
                let inner = linear(pool, a, var)?;
                let offset = match inner.offset {
                    Some(offset) => pool.bv(op, offset, b),
                    None if op == BvBin::Add => b,
                    None => pool.bv_un(BvUn::Neg, b),
                };
                Some(Linear { offset: Some(offset), ..inner })
            }
            (false, true) => {
                let inner = linear(pool, b, var)?;
                let offset = match inner.offset {
                    Some(offset) => pool.bv(op, a, offset),
                    None => a,
                };
                Some(Linear { down: inner.down != (op == BvBin::Sub), offset: Some(offset), ..inner })
            }
            (true, true) | (false, false) => None,
        }
    } else {
        None
    }
}

/// Adds the points of one atom; `false` if it has another form.
fn bv_points(pool: &mut ExprPool, var: VarId, width: u16, atom: ExprId, found: &mut BTreeSet<ExprId>) -> bool {
    let (Expr::Eq(a, b) | Expr::BvCmp(_, a, b)) = pool.expr(atom) else { return false };
    let x_is_left = mentions(pool, a, var);
    if x_is_left == mentions(pool, b, var) {
        return false;
    }
    let (side, other) = if x_is_left { (a, b) } else { (b, a) };
    if !matches!(pool.sort(side), Sort::BitVec(_)) {
        return false;
    }
    let Some(linear) = linear(pool, side, var) else { return false };
    let wide = pool.width(side);
    let one = pool.constant(Value::bv(wide, 1));
    let after = pool.bv(BvBin::Add, other, one);
    let zero = pool.constant(Value::bv(wide, 0));
    let least = pool.constant(Value::bv(wide, 1 << (wide - 1)));
    let ends = if let Expr::BvCmp(op, ..) = pool.expr(atom) {
        let (strict, signed) = match op {
            BvCmp::Ult => (true, false),
            BvCmp::Ule => (false, false),
            BvCmp::Slt => (true, true),
            BvCmp::Sle => (false, true),
        };
        // v < r and r <= v end at r, r < v and v <= r end at r + 1. The other end is the least value of the order.
        [if strict == x_is_left { other } else { after }, if signed { least } else { zero }]
    } else {
        [other, after]
    };
    for end in ends {
        let at = match (linear.down, linear.offset) {
            (false, None) => end,
            (false, Some(offset)) => pool.bv(BvBin::Sub, end, offset),
            (true, offset) => {
                let from = offset.unwrap_or(zero);
                let difference = pool.bv(BvBin::Sub, from, end);
                pool.bv(BvBin::Add, difference, one)
            }
        };
        found.insert(pool.extract(width - 1, 0, at));
    }
    match linear.extended {
        None => {}
        Some(Extension::Zero) => {
            found.insert(pool.constant(Value::bv(width, 0)));
        }
        Some(Extension::Sign) => {
            found.insert(pool.constant(Value::bv(width, 1 << (width - 1))));
        }
    }
    true
}

/// Adds the points of one atom; `false` if it has another form.
///
/// Each atom compares x with one term t, so its truth changes at t or t + 1 only. Every region of values between such changes has
/// a least value, except the lowest region; it contains t - 1 for the least t.
fn int_points(pool: &mut ExprPool, var: VarId, atom: ExprId, found: &mut BTreeSet<ExprId>) -> bool {
    let (Expr::Eq(a, b) | Expr::IntCmp(_, a, b)) = pool.expr(atom) else { return false };
    let x_is_left = mentions(pool, a, var);
    if x_is_left == mentions(pool, b, var) || pool.sort(a) != Sort::Int {
        return false;
    }
    let (mut side, mut other) = if x_is_left { (a, b) } else { (b, a) };
    // Operations on x are undone on the other side. Negation of both sides swaps less and greater: the points are the same.
    while pool.expr(side) != Expr::Var(var) {
        if let Expr::IntNeg(of) = pool.expr(side) {
            (side, other) = (of, pool.int_neg(other));
            continue;
        }
        let Expr::IntBin(op, p, q) = pool.expr(side) else { return false };
        (side, other) = match (op, mentions(pool, p, var), mentions(pool, q, var)) {
            (IntBin::Add, true, false) => (p, pool.int(IntBin::Sub, other, q)),
            (IntBin::Add, false, true) => (q, pool.int(IntBin::Sub, other, p)),
            (IntBin::Sub, true, false) => (p, pool.int(IntBin::Add, other, q)),
            (IntBin::Sub, false, true) => (q, pool.int(IntBin::Sub, p, other)),
            (IntBin::Add | IntBin::Sub | IntBin::Mul | IntBin::Div | IntBin::Mod, _, _) => return false,
        };
    }
    for away in [-1, 0, 1] {
        let away = pool.int_const(away);
        found.insert(pool.int(IntBin::Add, other, away));
    }
    true
}

/// Returns NaN, the infinities and the zeros.
fn special(sort: FloatSort) -> [Value; 5] {
    match sort {
        FloatSort::F32 => [f32::NAN, f32::NEG_INFINITY, f32::INFINITY, -0.0, 0.0].map(Value::f32),
        FloatSort::F64 => [f64::NAN, f64::NEG_INFINITY, f64::INFINITY, -0.0, 0.0].map(Value::f64),
        FloatSort::Other(_) => {
            let negative_zero = 1 << (sort.width() - 1);
            [sort.nan(), sort.infinity(true), sort.infinity(false), negative_zero, 0].map(|bits| Value::float(sort, bits))
        }
    }
}

/// Adds the points of one atom; `false` if it has another form.
fn fp_points(pool: &mut ExprPool, var: VarId, atom: ExprId, found: &mut BTreeSet<ExprId>) -> bool {
    if let Expr::FpTest(_, of) = pool.expr(atom) {
        return pool.expr(of) == Expr::Var(var);
    }
    let (Expr::Eq(a, b) | Expr::FpCmp(_, a, b)) = pool.expr(atom) else { return false };
    let constant = if pool.expr(a) == Expr::Var(var) {
        pool.as_const(b)
    } else if pool.expr(b) == Expr::Var(var) {
        pool.as_const(a)
    } else {
        None
    };
    let next = match constant {
        Some(Value::F32(bits)) => Value::f32(f32::from_bits(bits).next_up()),
        Some(Value::F64(bits)) => Value::f64(f64::from_bits(bits).next_up()),
        Some(_) | None => return false,
    };
    if let Some(constant) = constant {
        found.insert(pool.constant(constant));
    }
    found.insert(pool.constant(next));
    true
}
