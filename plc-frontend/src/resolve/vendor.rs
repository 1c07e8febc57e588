//! What the dialect lets types do.

use super::resolver::Resolver;

impl Resolver<'_> {
    /// Whether bit strings, integers, BOOL and enumerations are numbers that mix.
    pub(crate) fn mixes(&self) -> bool {
        false
    }

    /// The characters of a STRING without a length.
    pub(crate) fn default_length(&self) -> usize {
        254
    }

    /// The characters of what a string function gives, at most.
    pub(crate) fn longest_result(&self) -> usize {
        255
    }

    /// The number of the first character in `s[i]`.
    pub(crate) fn first_character(&self) -> i64 {
        1
    }

    /// Whether the controllers store the highest byte first.
    pub(crate) fn big_endian(&self) -> bool {
        false
    }
}
