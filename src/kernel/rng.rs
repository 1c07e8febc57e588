//! Random numbers of the product: reproducible from their seed.

/// Marsaglia's xorshift64*; the state, never 0.
///
/// Source: Vigna, "An experimental exploration of Marsaglia's xorshift generators", ACM TOMS 2016.
pub struct Rng(pub u64);

impl Rng {
    /// Returns the next number.
    #[expect(clippy::should_implement_trait, reason = "the usual name; it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    /// Returns a number below `n`, which is at least 1.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 33) % n as u64) as usize
    }
}
