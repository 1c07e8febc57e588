//! A small random number generator, the same everywhere.

/// xorshift64*, Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016.
pub struct Rng {
    state: u64,
}

impl Rng {
    /// Returns a generator; neighbouring seeds give unrelated numbers.
    pub fn new(seed: u64) -> Rng {
        let mut rng = Rng { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d };
        if rng.state == 0 {
            rng.state = 1;
        }
        for _ in 0..4 {
            rng.next();
        }
        rng
    }

    pub fn next(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 33) as usize).checked_rem(n).unwrap_or(0)
    }

    /// Returns TRUE in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of `items`, of which there is at least one.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
