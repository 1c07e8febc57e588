//! Parts of a run: several machines do the same work, each in another order.
//!
//! Part 0 has the usual order. Each part is complete alone, so the loss of another costs time only.

/// Returns the place among `n` at which a part begins. Places of the first parts are far from each other (van der Corput).
pub fn place(part: u32, n: usize) -> usize {
    let fraction = u64::from(part.reverse_bits());
    usize::try_from((fraction * n as u64) >> u32::BITS).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_begin_far_from_each_other_and_within_bounds() {
        let places = |n| (0..5).map(|part| place(part, n)).collect::<Vec<_>>();
        assert_eq!(places(8), [0, 4, 2, 6, 1]);
        assert_eq!(places(6), [0, 3, 1, 4, 0]);
        assert_eq!(places(1), [0; 5]);
        assert_eq!(places(0), [0; 5]);
        assert_eq!(place(u32::MAX, 7), 6);
    }
}
