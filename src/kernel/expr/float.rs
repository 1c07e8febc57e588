//! Float formats and their arithmetic: integers give the exact result, which is rounded once at the end.
//!
//! Every operation computes the exact result as `mantissa · 2^exponent`, with a sticky bit for lower bits. [`FloatSort::round`]
//! rounds it once, in the given mode. So no result is rounded twice. Significands of more than [`WIDEST`] bits do not fit; their
//! results are unknown.
//!
//! Source: IEEE 754-2019 §4.3, §5.4; SMT-LIB's FloatingPoint theory (one NaN).

use std::fmt;

use super::node::{FpBin, Rounding};
use super::sort::mask;

/// Widest significand in computations.
const WIDEST: u32 = 60;

/// An IEEE 754 format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatSort {
    /// binary32: 8 exponent bits, 24 significand bits.
    F32,
    /// binary64: 11 exponent bits, 53 significand bits.
    F64,
    /// Any other format. Only [`FloatSort::new`] makes it.
    Other(Format),
}

/// A format other than binary32 and binary64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Format {
    exponent: u8,
    significand: u8,
}

/// Float, taken apart into numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parts {
    Nan,
    Infinite {
        negative: bool,
    },
    /// ± mantissa · 2^exponent; zero has mantissa 0.
    Finite {
        negative: bool,
        mantissa: u128,
        exponent: i64,
    },
}

impl FloatSort {
    /// Returns the format with `exponent` bits (2 to 30) and `significand` bits (2 to 113, with the hidden bit).
    pub fn new(exponent: u32, significand: u32) -> Option<FloatSort> {
        match (exponent, significand) {
            (8, 24) => Some(FloatSort::F32),
            (11, 53) => Some(FloatSort::F64),
            (2..=30, 2..=113) if exponent + significand <= 128 => {
                Some(FloatSort::Other(Format { exponent: exponent as u8, significand: significand as u8 }))
            }
            _ => None,
        }
    }
    /// Returns the exponent bits and the significand bits (with the hidden one), as SMT-LIB counts them.
    pub fn bits(self) -> (u32, u32) {
        match self {
            FloatSort::F32 => (8, 24),
            FloatSort::F64 => (11, 53),
            FloatSort::Other(Format { exponent, significand }) => (exponent.into(), significand.into()),
        }
    }
    /// Returns the width of all its bits.
    pub fn width(self) -> u16 {
        let (exponent, significand) = self.bits();
        (exponent + significand) as u16
    }
    /// Returns bits of the one NaN.
    pub fn nan(self) -> u128 {
        let (exponent, significand) = self.bits();
        (mask(exponent as u16) << (significand - 1)) | (1 << (significand - 2))
    }
    /// Returns bits of an infinity.
    pub fn infinity(self, negative: bool) -> u128 {
        let (exponent, significand) = self.bits();
        (mask(exponent as u16) << (significand - 1)) | self.sign(negative)
    }
    /// Returns bits of 2^power, or of the infinity if that is too large. `power` is at least 0.
    pub fn power_of_two(self, power: u32) -> u128 {
        self.round(Rounding::NearestEven, false, 1, power.into(), false)
    }
    fn sign(self, negative: bool) -> u128 {
        u128::from(negative) << (self.width() - 1)
    }
    /// Returns whether these are bits of a NaN.
    pub fn is_nan(self, bits: u128) -> bool {
        self.infinity(false) < bits & mask(self.width() - 1)
    }
    /// Returns whether these are bits of an infinity.
    pub fn is_infinite(self, bits: u128) -> bool {
        bits & mask(self.width() - 1) == self.infinity(false)
    }
    /// Returns the bits with the canonical NaN, and without bits above the width.
    pub fn canonical_bits(self, bits: u128) -> u128 {
        if self.is_nan(bits) { self.nan() } else { bits & mask(self.width()) }
    }
    /// Returns the bits with the sign flipped; NaN stays.
    pub(crate) fn negate(self, bits: u128) -> u128 {
        self.canonical_bits(bits ^ self.sign(true))
    }
    /// Returns the bits with the sign cleared.
    pub(super) fn absolute(self, bits: u128) -> u128 {
        self.canonical_bits(bits & mask(self.width() - 1))
    }
    /// Returns the order of a and b; `None` if one of them is NaN. -0 equals +0.
    pub(super) fn compare(self, a: u128, b: u128) -> Option<std::cmp::Ordering> {
        let key = |bits: u128| {
            let magnitude = (bits & mask(self.width() - 1)) as i128;
            if bits & self.sign(true) == 0 { magnitude } else { -magnitude }
        };
        if self.is_nan(a) || self.is_nan(b) { None } else { Some(key(a).cmp(&key(b))) }
    }

    fn parts(self, bits: u128) -> Parts {
        let (exponent_bits, significand) = self.bits();
        let negative = bits & self.sign(true) != 0;
        if self.is_nan(bits) {
            return Parts::Nan;
        }
        if self.is_infinite(bits) {
            return Parts::Infinite { negative };
        }
        let biased = ((bits >> (significand - 1)) & mask(exponent_bits as u16)) as i64;
        let fraction = bits & mask((significand - 1) as u16);
        let mantissa = if biased == 0 { fraction } else { fraction | 1 << (significand - 1) };
        Parts::Finite { negative, mantissa, exponent: biased.max(1) + self.least() - 1 }
    }
    /// Returns the exponent of the lowest bit of the smallest positive number.
    fn least(self) -> i64 {
        let (exponent, significand) = self.bits();
        // 1 - bias - (significand - 1)
        1 - ((1i64 << (exponent - 1)) - 1) - (i64::from(significand) - 1)
    }
    /// Returns the bits of the float nearest to ± (mantissa + rest) · 2^exponent. `sticky`: 0 < rest < 1; else the rest is 0.
    ///
    /// If `sticky`, the mantissa must have at least two bits more than the significand, unless none of its bits is rounded off.
    fn round(self, mode: Rounding, negative: bool, mantissa: u128, exponent: i64, sticky: bool) -> u128 {
        let (exponent_bits, significand) = self.bits();
        if mantissa == 0 && !sticky {
            return self.sign(negative);
        }
        let length = i64::from(128 - mantissa.leading_zeros());
        // The exponent of the lowest bit of the result: it keeps `significand` bits, but does not go below the least exponent.
        let lowest = (exponent + length - i64::from(significand)).max(self.least());
        let shift = lowest - exponent;
        let kept = if shift <= 0 {
            // Exact: at most `significand` bits, so the shift to the left fits. A sticky bit lies below all of them.
            let kept = mantissa << (-shift).min(127);
            kept + u128::from(rounds_up(mode, negative, kept, false, sticky))
        } else {
            cut(mode, negative, mantissa, shift, sticky)
        };
        // A significand of all ones that is rounded up has one bit more; its low bit is 0.
        let (kept, lowest) = if kept >> significand == 0 { (kept, lowest) } else { (kept >> 1, lowest + 1) };
        let biased = if kept >> (significand - 1) == 0 { 0 } else { lowest - self.least() + 1 };
        let greatest = (1i64 << exponent_bits) - 1;
        if greatest <= biased {
            let to_infinity = match mode {
                Rounding::NearestEven | Rounding::NearestAway => true,
                Rounding::TowardPositive => !negative,
                Rounding::TowardNegative => negative,
                Rounding::TowardZero => false,
            };
            // The greatest finite number lies just below the infinity.
            return self.infinity(negative) - u128::from(!to_infinity);
        }
        self.sign(negative) | ((biased as u128) << (significand - 1)) | (kept & mask((significand - 1) as u16))
    }
    fn fits(self) -> Option<()> {
        (self.bits().1 <= WIDEST).then_some(())
    }

    /// Returns an arithmetic operation.
    pub(super) fn arithmetic(self, op: FpBin, mode: Rounding, a: u128, b: u128) -> Option<u128> {
        self.fits()?;
        let b = if op == FpBin::Sub { self.negate(b) } else { b };
        let (a, b) = (self.parts(a), self.parts(b));
        Some(match op {
            FpBin::Add | FpBin::Sub => self.sum(mode, a, b),
            FpBin::Mul => self.product(mode, a, b),
            FpBin::Div => self.quotient(mode, a, b),
        })
    }
    fn sum(self, mode: Rounding, a: Parts, b: Parts) -> u128 {
        let (high, low) = match (a, b) {
            (Parts::Nan, _) | (_, Parts::Nan) => return self.nan(),
            (Parts::Infinite { negative: a }, Parts::Infinite { negative: b }) => {
                return if a == b { self.infinity(a) } else { self.nan() };
            }
            (Parts::Infinite { negative }, Parts::Finite { .. }) | (Parts::Finite { .. }, Parts::Infinite { negative }) => {
                return self.infinity(negative);
            }
            (Parts::Finite { negative, mantissa, exponent }, Parts::Finite { negative: n, mantissa: m, exponent: e }) => {
                if exponent < e {
                    ((n, m, e), (negative, mantissa, exponent))
                } else {
                    ((negative, mantissa, exponent), (n, m, e))
                }
            }
        };
        let (significand, distance) = (i64::from(self.bits().1), high.2 - low.2);
        let (high_mantissa, low_mantissa, exponent, beyond) = if distance <= 127 - significand {
            (high.1 << distance, low.1, low.2, false)
        } else {
            // The high number is not subnormal. The low number is less than an eighth of the lowest bit of the high number, so it
            // only sets the sticky bit.
            (high.1 << 3, u128::from(low.1 != 0), high.2 - 3, low.1 != 0)
        };
        if high.0 == low.0 {
            // If the low number is far below, the sticky bit stands for it. Its placeholder, one unit, is not added.
            let mantissa = if beyond { high_mantissa } else { high_mantissa + low_mantissa };
            if mantissa == 0 {
                return self.sign(high.0);
            }
            return self.round(mode, high.0, mantissa, exponent, beyond);
        }
        // If the low number is far below, high minus a small rest is the number below high plus a small rest (the sticky bit).
        let (negative, mantissa) = if high_mantissa < low_mantissa {
            (low.0, low_mantissa - high_mantissa)
        } else {
            (high.0, high_mantissa - low_mantissa)
        };
        if mantissa == 0 {
            return self.sign(mode == Rounding::TowardNegative);
        }
        self.round(mode, negative, mantissa, exponent, beyond)
    }
    fn product(self, mode: Rounding, a: Parts, b: Parts) -> u128 {
        match (a, b) {
            (Parts::Nan, _) | (_, Parts::Nan) => self.nan(),
            (Parts::Infinite { .. }, Parts::Finite { mantissa: 0, .. })
            | (Parts::Finite { mantissa: 0, .. }, Parts::Infinite { .. }) => self.nan(),
            (Parts::Infinite { negative: a }, Parts::Infinite { negative: b } | Parts::Finite { negative: b, .. })
            | (Parts::Finite { negative: a, .. }, Parts::Infinite { negative: b }) => self.infinity(a != b),
            (Parts::Finite { negative, mantissa, exponent }, Parts::Finite { negative: n, mantissa: m, exponent: e }) => {
                self.round(mode, negative != n, mantissa * m, exponent + e, false)
            }
        }
    }
    fn quotient(self, mode: Rounding, a: Parts, b: Parts) -> u128 {
        match (a, b) {
            (Parts::Nan, _) | (_, Parts::Nan) | (Parts::Infinite { .. }, Parts::Infinite { .. }) => self.nan(),
            (Parts::Finite { mantissa: 0, .. }, Parts::Finite { mantissa: 0, .. }) => self.nan(),
            (Parts::Infinite { negative: a }, Parts::Finite { negative: b, .. })
            | (Parts::Finite { negative: a, .. }, Parts::Finite { negative: b, mantissa: 0, .. }) => self.infinity(a != b),
            (Parts::Finite { negative: a, .. }, Parts::Infinite { negative: b }) => self.sign(a != b),
            (Parts::Finite { negative, mantissa, exponent }, Parts::Finite { negative: n, mantissa: m, exponent: e }) => {
                if mantissa == 0 {
                    return self.sign(negative != n);
                }
                // The largest shift: the quotient has more than 128 - 60 - 1 bits, at least two more than 60.
                let shift = mantissa.leading_zeros();
                let high = mantissa << shift;
                self.round(mode, negative != n, high / m, exponent - i64::from(shift) - e, high % m != 0)
            }
        }
    }
    /// Returns the square root.
    pub(super) fn sqrt(self, mode: Rounding, a: u128) -> Option<u128> {
        self.fits()?;
        Some(match self.parts(a) {
            Parts::Nan | Parts::Infinite { negative: true } => self.nan(),
            Parts::Infinite { negative: false } => a,
            Parts::Finite { mantissa: 0, .. } => a,
            Parts::Finite { negative: true, .. } => self.nan(),
            Parts::Finite { negative: false, mantissa, exponent } => {
                // An even exponent, and 127 or 128 bits: the root has 64.
                let shift = i64::from(mantissa.leading_zeros());
                let shift = if (exponent - shift) % 2 == 0 { shift } else { shift - 1 };
                let high = mantissa << shift;
                let root = high.isqrt();
                self.round(mode, false, root, (exponent - shift) / 2, root * root != high)
            }
        })
    }
    /// Returns the nearest integer, as a float.
    pub(super) fn integral(self, mode: Rounding, a: u128) -> Option<u128> {
        Some(match self.parts(a) {
            Parts::Nan => self.nan(),
            Parts::Infinite { .. } => a,
            Parts::Finite { negative, mantissa, exponent } => {
                if 0 <= exponent {
                    return Some(a);
                }
                let whole = rounded(mode, negative, mantissa, exponent)?;
                // Exact if the format has this number. Otherwise solvers read SMT-LIB differently, and the result is unknown.
                let result = self.round(mode, negative, whole, 0, false);
                let same =
                    rounded(Rounding::TowardZero, false, whole, 0) == self.to_integer(Rounding::TowardZero, result).map(|i| i.1);
                return same.then_some(result);
            }
        })
    }
    /// Returns the nearest float of another format.
    pub(super) fn convert(self, mode: Rounding, a: u128, to: FloatSort) -> u128 {
        match self.parts(a) {
            Parts::Nan => to.nan(),
            Parts::Infinite { negative } => to.infinity(negative),
            Parts::Finite { negative, mantissa, exponent } => to.round(mode, negative, mantissa, exponent, false),
        }
    }
    /// Returns the nearest float to ± `magnitude`.
    pub(super) fn of_integer(self, mode: Rounding, negative: bool, magnitude: u128) -> u128 {
        self.round(mode, negative && magnitude != 0, magnitude, 0, false)
    }
    /// Returns the nearest integer as sign (TRUE: negative) and magnitude. `None` for NaN, infinities and more than 128 bits.
    pub(crate) fn to_integer(self, mode: Rounding, a: u128) -> Option<(bool, u128)> {
        match self.parts(a) {
            Parts::Nan | Parts::Infinite { .. } => None,
            Parts::Finite { negative, mantissa, exponent } => Some((negative, rounded(mode, negative, mantissa, exponent)?)),
        }
    }
    /// Writes a float for people: its bits, and its value if a binary64 can hold it.
    pub(super) fn write(self, f: &mut fmt::Formatter<'_>, bits: u128) -> fmt::Result {
        let (exponent, significand) = self.bits();
        match self.parts(bits) {
            Parts::Nan => return write!(f, "NaN"),
            Parts::Infinite { negative } => return write!(f, "{}inf", if negative { "-" } else { "" }),
            Parts::Finite { .. } => {}
        }
        let wide = self.convert(Rounding::NearestEven, bits, FloatSort::F64);
        if exponent <= 11 && significand <= 53 {
            return write!(f, "{:?}", f64::from_bits(wide as u64));
        }
        let (sign, rest) = (bits >> (self.width() - 1), bits & mask(self.width() - 1));
        let (e, m) = (rest >> (significand - 1), rest & mask((significand - 1) as u16));
        write!(f, "{}{exponent}'x{e:x}.{}'x{m:x}", if sign == 1 { "-" } else { "" }, significand - 1)
    }
}

/// Returns ± mantissa · 2^exponent as an integer.
fn rounded(mode: Rounding, negative: bool, mantissa: u128, exponent: i64) -> Option<u128> {
    if 0 <= exponent || mantissa == 0 {
        let fits = mantissa == 0 || exponent <= i64::from(mantissa.leading_zeros());
        return fits.then(|| if mantissa == 0 { 0 } else { mantissa << exponent });
    }
    Some(cut(mode, negative, mantissa, -exponent, false))
}

/// Returns the mantissa without its low `shift` bits (at least 1), rounded.
fn cut(mode: Rounding, negative: bool, mantissa: u128, shift: i64, sticky: bool) -> u128 {
    if 129 <= shift {
        return u128::from(rounds_up(mode, negative, 0, false, true));
    }
    let kept = if shift == 128 { 0 } else { mantissa >> shift };
    let half = mantissa >> (shift - 1) & 1 == 1;
    let rest = sticky || mantissa & mask((shift - 1) as u16) != 0;
    kept + u128::from(rounds_up(mode, negative, kept, half, rest))
}

/// Returns whether the magnitude `kept` is rounded up. `half` is the first bit below it; `rest` is TRUE if a lower bit is 1.
fn rounds_up(mode: Rounding, negative: bool, kept: u128, half: bool, rest: bool) -> bool {
    match mode {
        Rounding::NearestEven => half && (rest || kept & 1 == 1),
        Rounding::NearestAway => half,
        Rounding::TowardPositive => !negative && (half || rest),
        Rounding::TowardNegative => negative && (half || rest),
        Rounding::TowardZero => false,
    }
}
