//! Circuits for words: lists of bits, lowest first.

use super::aig::{Aig, Lit};
use crate::expr::{BvBin, BvCmp};

/// Returns the circuit of a binary operator on words of the same width.
pub(super) fn binary(aig: &mut Aig, op: BvBin, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    match op {
        BvBin::Add => add(aig, a, b, Lit::FALSE),
        BvBin::Sub => subtract(aig, a, b),
        BvBin::Mul => multiply(aig, a, b),
        BvBin::Udiv => divide(aig, a, b).0,
        BvBin::Urem => divide(aig, a, b).1,
        BvBin::Sdiv => {
            let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
            let (a, b) = (absolute(aig, a), absolute(aig, b));
            let (quotient, _) = divide(aig, &a, &b);
            let negative = aig.xor(sign_a, sign_b);
            negate_if(aig, negative, &quotient)
        }
        BvBin::Srem => {
            let sign_a = a[a.len() - 1];
            let (a, b) = (absolute(aig, a), absolute(aig, b));
            let (_, remainder) = divide(aig, &a, &b);
            negate_if(aig, sign_a, &remainder)
        }
        BvBin::And => zip(a, b, |x, y| aig.and(x, y)),
        BvBin::Or => zip(a, b, |x, y| aig.or(x, y)),
        BvBin::Xor => zip(a, b, |x, y| aig.xor(x, y)),
        BvBin::Shl => {
            let reversed: Vec<Lit> = a.iter().rev().copied().collect();
            let mut shifted = shift_right(aig, &reversed, b, Lit::FALSE);
            shifted.reverse();
            shifted
        }
        BvBin::Lshr => shift_right(aig, a, b, Lit::FALSE),
        BvBin::Ashr => shift_right(aig, a, b, a[a.len() - 1]),
    }
}

/// Returns the circuit of a comparison.
pub(super) fn compare(aig: &mut Aig, op: BvCmp, a: &[Lit], b: &[Lit]) -> Lit {
    let (signed, or_equal) = match op {
        BvCmp::Ult => (false, false),
        BvCmp::Ule => (false, true),
        BvCmp::Slt => (true, false),
        BvCmp::Sle => (true, true),
    };
    // Two's complement order is unsigned order with inverted sign bits.
    let top = a.len() - 1;
    let mut less = Lit::constant(or_equal);
    for i in 0..=top {
        let (x, y) = if signed && i == top { (b[i], a[i]) } else { (a[i], b[i]) };
        less = aig.maj(!x, y, less);
    }
    less
}

/// Returns a = b.
pub(super) fn equal(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    let mut all = Lit::TRUE;
    for (&x, &y) in a.iter().zip(b) {
        let same = aig.equal(x, y);
        all = aig.and(all, same);
    }
    all
}

/// Returns "if c then a else b".
pub(super) fn choose(aig: &mut Aig, c: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    zip(a, b, |x, y| aig.mux(c, x, y))
}

/// Returns -a.
pub(super) fn negate(aig: &mut Aig, a: &[Lit]) -> Vec<Lit> {
    negate_if(aig, Lit::TRUE, a)
}

fn zip(a: &[Lit], b: &[Lit], mut f: impl FnMut(Lit, Lit) -> Lit) -> Vec<Lit> {
    a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect()
}

/// Returns a + b + carry.
fn add(aig: &mut Aig, a: &[Lit], b: &[Lit], mut carry: Lit) -> Vec<Lit> {
    let mut sum = Vec::with_capacity(a.len());
    for (&x, &y) in a.iter().zip(b) {
        let half = aig.xor(x, y);
        sum.push(aig.xor(half, carry));
        if sum.len() < a.len() {
            carry = aig.maj(x, y, carry);
        }
    }
    sum
}

fn subtract(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let flipped: Vec<Lit> = b.iter().map(|&l| !l).collect();
    add(aig, a, &flipped, Lit::TRUE)
}

/// Returns "if c then -a else a".
fn negate_if(aig: &mut Aig, c: Lit, a: &[Lit]) -> Vec<Lit> {
    let mut carry = c;
    let mut result = Vec::with_capacity(a.len());
    for &x in a {
        let flipped = aig.xor(x, c);
        result.push(aig.xor(flipped, carry));
        carry = aig.and(flipped, carry);
    }
    result
}

fn absolute(aig: &mut Aig, a: &[Lit]) -> Vec<Lit> {
    negate_if(aig, a[a.len() - 1], a)
}

/// Returns the value of a constant word.
fn constant(a: &[Lit]) -> Option<u128> {
    let mut value = 0;
    for (i, &l) in a.iter().enumerate() {
        if !l.is_constant() {
            return None;
        }
        value |= u128::from(l == Lit::TRUE) << i;
    }
    Some(value)
}

fn multiply(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    if let Some(k) = constant(b) {
        return multiply_by(aig, a, k);
    }
    if let Some(k) = constant(a) {
        return multiply_by(aig, b, k);
    }
    // There is one row for each bit of `b` that may be 1. So `b` is the operand with fewer such bits.
    let possible = |word: &[Lit]| word.iter().filter(|&&l| l != Lit::FALSE).count();
    let (a, b) = if possible(a) < possible(b) { (b, a) } else { (a, b) };
    let width = a.len();
    let mut sum = vec![Lit::FALSE; width];
    for (i, &bit) in b.iter().enumerate() {
        if bit == Lit::FALSE {
            continue;
        }
        let row: Vec<Lit> = a[..width - i].iter().map(|&x| aig.and(x, bit)).collect();
        let high = add(aig, &sum[i..], &row, Lit::FALSE);
        sum.truncate(i);
        sum.extend(high);
    }
    sum
}

/// Returns a · k: one addition or subtraction for each non-zero digit of k in its non-adjacent form.
fn multiply_by(aig: &mut Aig, a: &[Lit], mut k: u128) -> Vec<Lit> {
    let width = a.len();
    let mut sum = vec![Lit::FALSE; width];
    let mut carry = false;
    for i in 0..width {
        // The remaining factor is k + carry.
        let odd = (k & 1 == 1) ^ carry;
        if odd {
            let next = k & 2 == 2;
            let high =
                if next { subtract(aig, &sum[i..], &a[..width - i]) } else { add(aig, &sum[i..], &a[..width - i], Lit::FALSE) };
            sum.truncate(i);
            sum.extend(high);
            carry = next;
        } else {
            carry &= k & 1 == 1;
        }
        k >>= 1;
    }
    sum
}

/// Returns quotient and remainder, digit by digit. A divisor of 0 gives all ones and the dividend, as in SMT-LIB.
fn divide(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let width = a.len();
    let mut quotient = vec![Lit::FALSE; width];
    // One bit more than the divisor, because the remainder doubles before it is compared.
    let mut wide_b = b.to_vec();
    wide_b.push(Lit::FALSE);
    let mut remainder = vec![Lit::FALSE; width];
    for i in (0..width).rev() {
        let mut doubled = Vec::with_capacity(width + 1);
        doubled.push(a[i]);
        doubled.extend_from_slice(&remainder);
        let fits = compare(aig, BvCmp::Ule, &wide_b, &doubled);
        quotient[i] = fits;
        let difference = subtract(aig, &doubled[..width], b);
        remainder = choose(aig, fits, &difference, &doubled[..width]);
    }
    (quotient, remainder)
}

/// Returns a shifted right by b; the new bits are `fill`.
fn shift_right(aig: &mut Aig, a: &[Lit], b: &[Lit], fill: Lit) -> Vec<Lit> {
    let width = a.len();
    let mut result = a.to_vec();
    let mut beyond = Lit::FALSE;
    for (stage, &bit) in b.iter().enumerate() {
        // A stage that shifts by the width or more removes all bits.
        let distance = if stage < 8 { 1usize << stage } else { width };
        if width <= distance {
            beyond = aig.or(beyond, bit);
            continue;
        }
        for i in 0..width {
            let moved = if i + distance < width { result[i + distance] } else { fill };
            result[i] = aig.mux(bit, moved, result[i]);
        }
    }
    result.iter().map(|&x| aig.mux(beyond, fill, x)).collect()
}
