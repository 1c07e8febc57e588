//! Ranges of values: truth values, and words with an unsigned and a signed interval.

use kernel::expr::{Sort, Value};

/// Widest word that has a range: products of two fit in the arithmetic here.
const MOST_BITS: u16 = 63;

/// Values that a variable or an expression may have; never none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Range {
    /// One truth value.
    Truth(bool),
    /// Words of a width.
    Words(Words),
}

/// Words between bounds, as unsigned and as signed numbers. **Invariant:** both intervals have numbers, and each bound of one
/// that follows from the other is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Words {
    pub(super) width: u16,
    pub(super) unsigned: (i128, i128),
    pub(super) signed: (i128, i128),
}

/// Reading of the bits of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reading {
    Unsigned,
    Signed,
}

impl Range {
    /// Returns the range of one value; `None` for a sort without ranges.
    pub(super) fn of(value: Value) -> Option<Range> {
        match value {
            Value::Bool(b) => Some(Range::Truth(b)),
            Value::BitVec { width, bits } if width <= MOST_BITS => {
                let n = i128::try_from(bits).ok()?;
                Words::new(width, (n, n), Words::all(width).signed).map(Range::Words)
            }
            Value::BitVec { .. } | Value::F32(_) | Value::F64(_) | Value::Float(..) | Value::Int(_) | Value::Array(_) => None,
        }
    }

    /// Returns the only value, if there is one.
    pub(super) fn value(self) -> Option<Value> {
        match self {
            Range::Truth(b) => Some(Value::Bool(b)),
            Range::Words(Words { width, unsigned: (low, high), .. }) => (low == high).then(|| Value::int(width, low)),
        }
    }

    /// Returns the least range with the values of both; `None` for all values of the sort.
    pub(super) fn join(self, other: Range) -> Option<Range> {
        match (self, other) {
            (Range::Truth(a), Range::Truth(b)) => (a == b).then_some(self),
            (Range::Words(a), Range::Words(b)) if a.width == b.width => a.hull(b).known(),
            (Range::Truth(_) | Range::Words(_), _) => None,
        }
    }

    /// Returns the words; `None` for truth values.
    pub(super) fn words(self) -> Option<Words> {
        if let Range::Words(words) = self { Some(words) } else { None }
    }
}

impl Words {
    /// Returns all words of a width of at most 63 bits.
    pub(super) fn all(width: u16) -> Words {
        let size = 1_i128 << width.min(MOST_BITS);
        Words { width, unsigned: (0, size - 1), signed: (-size / 2, size / 2 - 1) }
    }

    /// Returns all words of a sort; `None` for other sorts.
    pub(super) fn of_sort(sort: Sort) -> Option<Words> {
        if let Sort::BitVec(width) = sort { (width <= MOST_BITS).then(|| Words::all(width)) } else { None }
    }

    /// Returns the words in both intervals; `None` if there are none.
    pub(super) fn new(width: u16, unsigned: (i128, i128), signed: (i128, i128)) -> Option<Words> {
        let all = Words::all(width);
        let mut words = Words { width, unsigned: meet(all.unsigned, unsigned)?, signed: meet(all.signed, signed)? };
        let size = all.unsigned.1 + 1;
        // Words below the middle mean the same number in both readings; the others differ by the number of words.
        loop {
            let before = words;
            let Words { unsigned: (low, high), .. } = words;
            if high <= all.signed.1 {
                words.signed = meet(words.signed, (low, high))?;
            } else if all.signed.1 < low {
                words.signed = meet(words.signed, (low - size, high - size))?;
            }
            let (low, high) = words.signed;
            if 0 <= low {
                words.unsigned = meet(words.unsigned, (low, high))?;
            } else if high < 0 {
                words.unsigned = meet(words.unsigned, (low + size, high + size))?;
            }
            if words == before {
                return Some(words);
            }
        }
    }

    /// Returns the words of an interval in a reading; all words if the interval leaves the width: then values wrap.
    pub(super) fn within(width: u16, reading: Reading, (low, high): (i128, i128)) -> Words {
        let all = Words::all(width);
        let (least, most) = all.of(reading);
        if low < least || most < high {
            return all;
        }
        all.limited(reading, (low, high)).unwrap_or(all)
    }

    /// Returns the interval of a reading.
    pub(super) fn of(self, reading: Reading) -> (i128, i128) {
        match reading {
            Reading::Unsigned => self.unsigned,
            Reading::Signed => self.signed,
        }
    }

    /// Returns the words that are in an interval too; `None` if there are none.
    pub(super) fn limited(self, reading: Reading, interval: (i128, i128)) -> Option<Words> {
        match reading {
            Reading::Unsigned => Words::new(self.width, meet(self.unsigned, interval)?, self.signed),
            Reading::Signed => Words::new(self.width, self.unsigned, meet(self.signed, interval)?),
        }
    }

    /// Returns the words of both; `None` if there are none.
    pub(super) fn meet(self, other: Words) -> Option<Words> {
        Words::new(self.width, meet(self.unsigned, other.unsigned)?, meet(self.signed, other.signed)?)
    }

    /// Returns the least range with the words of both.
    pub(super) fn hull(self, other: Words) -> Words {
        let hull = |a: (i128, i128), b: (i128, i128)| (a.0.min(b.0), a.1.max(b.1));
        Words { width: self.width, unsigned: hull(self.unsigned, other.unsigned), signed: hull(self.signed, other.signed) }
    }

    /// Returns the range; `None` for all words.
    pub(super) fn known(self) -> Option<Range> {
        (self != Words::all(self.width)).then_some(Range::Words(self))
    }
}

fn meet(a: (i128, i128), b: (i128, i128)) -> Option<(i128, i128)> {
    let (low, high) = (a.0.max(b.0), a.1.min(b.1));
    (low <= high).then_some((low, high))
}
