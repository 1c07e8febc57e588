//! And-inverter graphs: words as vectors of literals, lowest bit first.

use std::collections::HashMap;

/// Literal of AIGER: twice a variable, plus one if negated. 0 is FALSE, 1 is TRUE.
pub(super) type Lit = u32;
/// Bits of a word, lowest first.
pub(super) type Word = Vec<Lit>;

pub(super) const FALSE: Lit = 0;
pub(super) const TRUE: Lit = 1;

/// Gates over variables that are numbered before them.
pub(super) struct Gates {
    /// Number of variables that are no gates.
    n_free: u32,
    /// Operands; the gate with index i is variable `n_free + 1 + i`.
    pub(super) gates: Vec<(Lit, Lit)>,
    known: HashMap<(Lit, Lit), Lit>,
}

pub(super) fn not(a: Lit) -> Lit {
    a ^ 1
}

impl Gates {
    pub(super) fn new(n_free: u32) -> Gates {
        Gates { n_free, gates: Vec::new(), known: HashMap::new() }
    }
    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.max(b), a.min(b));
        match (a, b) {
            (_, FALSE) => FALSE,
            (a, TRUE) => a,
            (a, b) if a == b => a,
            (a, b) if a == not(b) => FALSE,
            pair => *self.known.entry(pair).or_insert_with(|| {
                self.gates.push(pair);
                2 * (self.n_free + self.gates.len() as u32)
            }),
        }
    }
    pub(super) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        not(self.and(not(a), not(b)))
    }
    pub(super) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let (left, right) = (self.and(a, not(b)), self.and(not(a), b));
        self.or(left, right)
    }
    pub(super) fn choose(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        let (left, right) = (self.and(c, a), self.and(not(c), b));
        self.or(left, right)
    }
    /// Applies a gate to the bits of two words of one width.
    pub(super) fn bitwise(&mut self, gate: fn(&mut Gates, Lit, Lit) -> Lit, a: &[Lit], b: &[Lit]) -> Word {
        a.iter().zip(b).map(|(a, b)| gate(self, *a, *b)).collect()
    }
    pub(super) fn choose_word(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Word {
        a.iter().zip(b).map(|(a, b)| self.choose(c, *a, *b)).collect()
    }
    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        a.iter().zip(b).fold(TRUE, |equal, (a, b)| {
            let differs = self.xor(*a, *b);
            self.and(equal, not(differs))
        })
    }
    /// Adds with a carry; the sum wraps.
    pub(super) fn sum(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Word {
        let bit = |(a, b): (&Lit, &Lit)| {
            let half = self.xor(*a, *b);
            let sum = self.xor(half, carry);
            let (both, passed) = (self.and(*a, *b), self.and(half, carry));
            carry = self.or(both, passed);
            sum
        };
        a.iter().zip(b).map(bit).collect()
    }
    pub(super) fn difference(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        self.sum(a, &negated(b), TRUE)
    }
    pub(super) fn product(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        (0..a.len()).fold(vec![FALSE; a.len()], |sum, shift| {
            let shifted = std::iter::repeat_n(FALSE, shift).chain(a.iter().copied());
            let part: Word = shifted.take(a.len()).map(|bit| self.and(bit, b[shift])).collect();
            self.sum(&sum, &part, FALSE)
        })
    }
    /// Compares unsigned words.
    pub(super) fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        a.iter().zip(b).fold(FALSE, |less, (a, b)| {
            let differs = self.xor(*a, *b);
            self.choose(differs, *b, less)
        })
    }
    /// Compares words in two's complement.
    pub(super) fn less_signed(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        self.less(&flipped(a), &flipped(b))
    }
    /// Shifts right, or left if `is_left`; `fill` enters. An amount of the width or more leaves only `fill`.
    pub(super) fn shifted(&mut self, a: &[Lit], amount: &[Lit], is_left: bool, fill: Lit) -> Word {
        let width = a.len();
        amount.iter().enumerate().fold(a.to_vec(), |word, (i, bit)| {
            let by = u32::try_from(i).ok().and_then(|i| 1_usize.checked_shl(i)).unwrap_or(width).min(width);
            let fills = std::iter::repeat_n(fill, by);
            let moved: Word = if is_left {
                fills.chain(word.iter().copied()).take(width).collect()
            } else {
                word.iter().skip(by).copied().chain(fills).collect()
            };
            self.choose_word(*bit, &moved, &word)
        })
    }
}

pub(super) fn negated(a: &[Lit]) -> Word {
    a.iter().map(|bit| not(*bit)).collect()
}

/// Returns the word with its highest bit negated, which orders signed words as unsigned ones.
fn flipped(a: &[Lit]) -> Word {
    let mut word = a.to_vec();
    if let Some(high) = word.last_mut() {
        *high = not(*high);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: usize = 4;

    /// Computes a word of two variables of four bits, at all values of these.
    fn agrees(make: impl Fn(&mut Gates, &[Lit], &[Lit]) -> Word, expected: impl Fn(u32, u32) -> u32) {
        let mut gates = Gates::new(2 * WIDTH as u32);
        let variable = |n: u32| (1..=WIDTH as u32).map(|i| 2 * (n * WIDTH as u32 + i)).collect::<Word>();
        let word = make(&mut gates, &variable(0), &variable(1));
        for inputs in 0..256_u32 {
            let mut values = vec![false];
            values.extend((0..8).map(|bit| inputs >> bit & 1 == 1));
            let of = |values: &[bool], lit: Lit| values[(lit / 2) as usize] ^ (lit & 1 == 1);
            for (a, b) in &gates.gates {
                values.push(of(&values, *a) && of(&values, *b));
            }
            let found = word.iter().enumerate().fold(0, |sum, (i, lit)| sum | u32::from(of(&values, *lit)) << i);
            let (a, b) = (inputs & 15, inputs >> 4);
            assert_eq!(found, expected(a, b), "{a} {b}");
        }
    }
    fn signed(a: u32) -> i32 {
        if a < 8 { a as i32 } else { a as i32 - 16 }
    }

    #[test]
    fn words_compute_what_their_names_say() {
        agrees(|g, a, b| g.sum(a, b, FALSE), |a, b| (a + b) & 15);
        agrees(|g, a, b| g.difference(a, b), |a, b| a.wrapping_sub(b) & 15);
        agrees(|g, a, b| g.product(a, b), |a, b| (a * b) & 15);
        agrees(|g, a, b| vec![g.less(a, b)], |a, b| u32::from(a < b));
        agrees(|g, a, b| vec![g.less_signed(a, b)], |a, b| u32::from(signed(a) < signed(b)));
        agrees(|g, a, b| vec![g.equal(a, b)], |a, b| u32::from(a == b));
        agrees(|g, a, b| g.shifted(a, b, true, FALSE), |a, b| if b < 4 { a << b & 15 } else { 0 });
        agrees(|g, a, b| g.shifted(a, b, false, FALSE), |a, b| if b < 4 { a >> b } else { 0 });
        agrees(|g, a, b| g.shifted(a, b, false, a[3]), |a, b| (signed(a) >> b.min(3)) as u32 & 15);
        agrees(|g, a, b| g.choose_word(a[0], a, b), |a, b| if a & 1 == 1 { a } else { b });
        agrees(|g, a, b| g.bitwise(Gates::xor, a, b), |a, b| a ^ b);
    }
}
