//! Exact rational numbers. An operation whose result needs more than 128 bits gives `None`.

use std::cmp::Ordering;

/// A fraction in lowest terms, with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rational {
    above: i128,
    below: i128,
}

impl Rational {
    pub(super) const ZERO: Rational = Rational::whole(0);
    pub(super) const ONE: Rational = Rational::whole(1);

    pub(super) const fn whole(n: i128) -> Rational {
        Rational { above: n, below: 1 }
    }
    fn reduced(above: i128, below: i128) -> Option<Rational> {
        let shared = i128::try_from(gcd(above.unsigned_abs(), below.unsigned_abs())).ok()?;
        let (above, below) = if shared <= 1 { (above, below) } else { (above / shared, below / shared) };
        if below < 0 {
            Some(Rational { above: above.checked_neg()?, below: below.checked_neg()? })
        } else {
            (below != 0).then_some(Rational { above, below })
        }
    }
    pub(super) fn is_zero(self) -> bool {
        self.above == 0
    }
    pub(super) fn is_positive(self) -> bool {
        0 < self.above
    }
    pub(super) fn is_negative(self) -> bool {
        self.above < 0
    }
    /// Returns the largest whole number that is not above it.
    pub(super) fn floor(self) -> i128 {
        self.above.div_euclid(self.below)
    }
    pub(super) fn negated(self) -> Option<Rational> {
        Some(Rational { above: self.above.checked_neg()?, below: self.below })
    }
    pub(super) fn plus(self, other: Rational) -> Option<Rational> {
        if self.below == 1 && other.below == 1 {
            return Some(Rational::whole(self.above.checked_add(other.above)?));
        }
        let (left, right) = (self.above.checked_mul(other.below)?, other.above.checked_mul(self.below)?);
        Rational::reduced(left.checked_add(right)?, self.below.checked_mul(other.below)?)
    }
    pub(super) fn times(self, other: Rational) -> Option<Rational> {
        Rational::reduced(self.above.checked_mul(other.above)?, self.below.checked_mul(other.below)?)
    }
    /// Returns the quotient; `None` for a zero divisor too.
    pub(super) fn over(self, other: Rational) -> Option<Rational> {
        Rational::reduced(self.above.checked_mul(other.below)?, self.below.checked_mul(other.above)?)
    }
    pub(super) fn compared(self, other: Rational) -> Option<Ordering> {
        Some(self.above.checked_mul(other.below)?.cmp(&other.above.checked_mul(self.below)?))
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn r(above: i128, below: i128) -> Rational {
        Rational::reduced(above, below).unwrap()
    }

    #[test]
    fn fractions_are_exact() {
        assert_eq!(r(1, 3).plus(r(1, 6)), Some(r(1, 2)));
        assert_eq!(r(2, 3).times(r(-3, 4)), Some(r(-1, 2)));
        assert_eq!(r(2, 3).over(r(-4, 9)), Some(r(-3, 2)));
        assert_eq!(r(1, 3).compared(r(2, 6)), Some(Ordering::Equal));
        assert_eq!([r(7, 2), r(-7, 2), r(4, 2)].map(Rational::floor), [3, -4, 2]);
    }

    #[test]
    fn what_does_not_fit_is_none() {
        let big = Rational::whole(i128::MAX);
        assert_eq!([big.plus(Rational::ONE), big.times(r(3, 2)), Rational::whole(i128::MIN).negated()], [None; 3]);
        assert_eq!(Rational::ONE.over(Rational::ZERO), None);
    }
}
