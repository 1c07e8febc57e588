//! Sets of parts of invariants, as bits.

/// Set of parts, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PartSet {
    /// Bits of 64 numbers each. The last one is not zero.
    words: Vec<u64>,
}

impl PartSet {
    /// Adds a number. Returns whether it was missing.
    pub(crate) fn insert(&mut self, part: usize) -> bool {
        let (at, bit) = (part / 64, 1 << (part % 64));
        if self.words.len() <= at {
            self.words.resize(at + 1, 0);
        }
        let is_new = self.words[at] & bit == 0;
        self.words[at] |= bit;
        is_new
    }
    pub(crate) fn contains(&self, part: usize) -> bool {
        self.words.get(part / 64).is_some_and(|word| word & (1 << (part % 64)) != 0)
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
    pub(crate) fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }
    /// Returns the numbers, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        let of_word = |(at, word): (usize, &u64)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                left &= left.wrapping_sub(1);
                (bit < 64).then_some(at * 64 + bit)
            })
        };
        self.words.iter().enumerate().flat_map(of_word)
    }
    /// Returns the bits of 64 numbers each.
    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the numbers that are in both sets.
    pub(super) fn and(&self, other: &PartSet) -> PartSet {
        PartSet::of(self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect())
    }
    /// Returns the numbers that the other set lacks.
    pub(super) fn without(&self, other: &PartSet) -> PartSet {
        let of_other = other.words.iter().copied().chain(std::iter::repeat(0));
        PartSet::of(self.words.iter().zip(of_other).map(|(a, b)| a & !b).collect())
    }
    /// Adds the numbers of another set. Returns those that were missing.
    pub(crate) fn extend(&mut self, other: &PartSet) -> PartSet {
        let new = other.without(self);
        if self.words.len() < new.words.len() {
            self.words.resize(new.words.len(), 0);
        }
        self.words.iter_mut().zip(&new.words).for_each(|(word, new)| *word |= new);
        new
    }

    fn of(mut words: Vec<u64>) -> PartSet {
        let n_words = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        words.truncate(n_words);
        PartSet { words }
    }
}

impl FromIterator<usize> for PartSet {
    fn from_iter<I: IntoIterator<Item = usize>>(parts: I) -> PartSet {
        let mut set = PartSet::default();
        parts.into_iter().for_each(|part| _ = set.insert(part));
        set
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn set(seed: u64, most: u64) -> BTreeSet<usize> {
        (0..40).map(|i| (seed.wrapping_mul(0x9e37_79b9).wrapping_add(i * i * (seed + 7)) % most) as usize).collect()
    }

    #[test]
    fn sets_of_bits_are_sets() {
        for seed in 0..200 {
            let (a, b) = (set(seed, 1 + seed * 3), set(seed + 1000, 1 + (seed * 7) % 150));
            let (x, y): (PartSet, PartSet) = (a.iter().copied().collect(), b.iter().copied().collect());
            let same = |bits: &PartSet, set: &BTreeSet<usize>| {
                assert!(bits.iter().eq(set.iter().copied()) && bits.len() == set.len() && bits.is_empty() == set.is_empty());
                assert_eq!(*bits, set.iter().copied().collect());
            };
            same(&x, &a);
            same(&x.and(&y), &a.intersection(&b).copied().collect());
            same(&x.without(&y), &a.difference(&b).copied().collect());
            let (mut all, mut sum) = (x.clone(), a.clone());
            same(&all.extend(&y), &b.difference(&a).copied().collect());
            sum.extend(&b);
            same(&all, &sum);
            assert!((0..200).all(|n| x.contains(n) == a.contains(&n)));
            assert!(!all.insert(*b.first().unwrap()) && all.insert(1000));
        }
    }
}
