//! Random numbers that a seed repeats.

/// Their state (xorshift); never zero.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns a number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}
