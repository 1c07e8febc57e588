//! Arithmetic of ranges: each result contains the values of the operation on all pairs of values.

use kernel::expr::{BvBin, BvUn};

use super::range::{Reading, Words};

type Interval = (i128, i128);

/// Returns the words of an operation with one operand.
pub(super) fn unary(op: BvUn, a: Words) -> Words {
    let zero = Words { width: a.width, unsigned: (0, 0), signed: (0, 0) };
    match op {
        BvUn::Neg => binary(BvBin::Sub, zero, a),
        BvUn::Not => {
            let most = Words::all(a.width).unsigned.1;
            let (unsigned, signed) = ((most - a.unsigned.1, most - a.unsigned.0), (-1 - a.signed.1, -1 - a.signed.0));
            Words::new(a.width, unsigned, signed).unwrap_or(Words::all(a.width))
        }
    }
}

/// Returns the words of an operation with two operands of one width.
pub(super) fn binary(op: BvBin, a: Words, b: Words) -> Words {
    let all = Words::all(a.width);
    let both = |of: fn(Interval, Interval) -> Option<Interval>| {
        let in_reading = |reading| of(a.of(reading), b.of(reading)).map_or(all, |found| Words::within(a.width, reading, found));
        in_reading(Reading::Unsigned).meet(in_reading(Reading::Signed)).unwrap_or(all)
    };
    let one = |reading, found: Option<Interval>| found.map_or(all, |found| Words::within(a.width, reading, found));
    match op {
        BvBin::Add => both(|a, b| Some((a.0 + b.0, a.1 + b.1))),
        BvBin::Sub => both(|a, b| Some((a.0 - b.1, a.1 - b.0))),
        BvBin::Mul => both(|a, b| corners(a, b, i128::checked_mul)),
        BvBin::Udiv if 0 < b.unsigned.0 => one(Reading::Unsigned, corners(a.unsigned, b.unsigned, i128::checked_div)),
        BvBin::Sdiv if excludes_zero(b.signed) => one(Reading::Signed, corners(a.signed, b.signed, i128::checked_div)),
        BvBin::Urem if 0 < b.unsigned.0 => {
            let is_kept = a.unsigned.1 < b.unsigned.0;
            let found = if is_kept { a.unsigned } else { (0, a.unsigned.1.min(b.unsigned.1 - 1)) };
            one(Reading::Unsigned, Some(found))
        }
        BvBin::Srem if excludes_zero(b.signed) => {
            let most = b.signed.0.abs().max(b.signed.1.abs()) - 1;
            let found = (a.signed.0.max(-most).min(0), a.signed.1.min(most).max(0));
            one(Reading::Signed, Some(found))
        }
        BvBin::And => one(Reading::Unsigned, Some((0, a.unsigned.1.min(b.unsigned.1)))),
        BvBin::Or => {
            let found = (a.unsigned.0.max(b.unsigned.0), ones(a.unsigned.1 | b.unsigned.1));
            one(Reading::Unsigned, Some(found))
        }
        BvBin::Xor => one(Reading::Unsigned, Some((0, ones(a.unsigned.1 | b.unsigned.1)))),
        BvBin::Shl => match shift(b) {
            Some(n) => both_with(a, (1_i128 << n, 1_i128 << n)),
            None => all,
        },
        BvBin::Lshr => match shift(b) {
            Some(n) => one(Reading::Unsigned, Some((a.unsigned.0 >> n, a.unsigned.1 >> n))),
            None => one(Reading::Unsigned, Some((0, a.unsigned.1))),
        },
        BvBin::Ashr => match shift(b) {
            Some(n) => one(Reading::Signed, Some((a.signed.0 >> n, a.signed.1 >> n))),
            None => one(Reading::Signed, Some((a.signed.0.min(0), a.signed.1.max(0)))),
        },
        BvBin::Udiv | BvBin::Sdiv | BvBin::Urem | BvBin::Srem => all,
    }
}

/// Returns the words multiplied by a number.
fn both_with(a: Words, by: Interval) -> Words {
    let all = Words::all(a.width);
    let in_reading = |reading| {
        let found = corners(a.of(reading), by, i128::checked_mul);
        found.map_or(all, |found| Words::within(a.width, reading, found))
    };
    in_reading(Reading::Unsigned).meet(in_reading(Reading::Signed)).unwrap_or(all)
}

/// Returns the only number of bits of a shift, if it is less than the width.
fn shift(by: Words) -> Option<u32> {
    let (low, high) = by.unsigned;
    (low == high && low < i128::from(by.width)).then(|| u32::try_from(low).ok()).flatten()
}

fn excludes_zero((low, high): Interval) -> bool {
    0 < low || high < 0
}

/// Returns the least number of ones in all low bits that is at least `n`.
fn ones(n: i128) -> i128 {
    let bits = i128::BITS - n.max(0).leading_zeros();
    if bits < i128::BITS - 1 { (1 << bits) - 1 } else { i128::MAX }
}

/// Returns the interval of an operation that is monotone in each operand; `None` if a result has no number.
fn corners(a: Interval, b: Interval, of: fn(i128, i128) -> Option<i128>) -> Option<Interval> {
    let all = [of(a.0, b.0)?, of(a.0, b.1)?, of(a.1, b.0)?, of(a.1, b.1)?];
    Some((all.into_iter().min()?, all.into_iter().max()?))
}

/// Returns the bits `high..=low` of words.
pub(super) fn extract(high: u16, low: u16, of: Words) -> Words {
    let width = high - low + 1;
    let all = Words::all(width);
    let fits = |(from, to): Interval, (least, most): Interval| least <= from && to <= most;
    // Bits above are the same in all words: they are left out.
    let above = of.unsigned.0 >> (high + 1);
    let below = |n: i128| (n - (above << (high + 1))) >> low;
    let is_same = above == of.unsigned.1 >> (high + 1);
    let unsigned = if is_same { (below(of.unsigned.0), below(of.unsigned.1)) } else { all.unsigned };
    let signed = if low == 0 && fits(of.signed, all.signed) { of.signed } else { all.signed };
    Words::new(width, unsigned, signed).unwrap_or(all)
}

/// Returns the bits of `a` above those of `b`; `None` if they are too wide.
pub(super) fn concat(a: Words, b: Words) -> Option<Words> {
    let width = a.width + b.width;
    let all = Words::of_sort(kernel::expr::Sort::BitVec(width))?;
    let found = ((a.unsigned.0 << b.width) + b.unsigned.0, (a.unsigned.1 << b.width) + b.unsigned.1);
    all.limited(Reading::Unsigned, found)
}

/// Returns the words of another width with the same numbers in a reading; `None` if it is too wide.
pub(super) fn extended(width: u16, reading: Reading, a: Words) -> Option<Words> {
    Words::of_sort(kernel::expr::Sort::BitVec(width))?.limited(reading, a.of(reading))
}
