//! Lines of a text by offset, without a pass over the text for each question.

use std::sync::OnceLock;

/// Bytes between two counts.
const BLOCK: usize = 4096;

/// Number of line ends before each block of a text, counted when it is first asked for.
///
/// Cost: one pass over the text and 4 bytes for each block; then one block for each question.
#[derive(Debug, Default)]
pub(super) struct LineCounts(OnceLock<Box<[u32]>>);

impl LineCounts {
    /// Returns the number of line ends before the byte `offset` of the text, always the same one.
    pub(super) fn before(&self, text: &str, offset: usize) -> u32 {
        let bytes = text.as_bytes();
        let offset = offset.min(bytes.len());
        let counts = self.0.get_or_init(|| {
            let blocks = bytes.chunks(BLOCK).scan(0, |sum, block| {
                let before = *sum;
                *sum += ends(block);
                Some(before)
            });
            blocks.collect()
        });
        let block = offset / BLOCK;
        counts.get(block).map_or_else(|| ends(&bytes[..offset]), |before| before + ends(&bytes[block * BLOCK..offset]))
    }
}

/// Counts line ends.
pub(super) fn ends(bytes: &[u8]) -> u32 {
    bytes.iter().map(|&b| u32::from(b == b'\n')).sum()
}

// Counts follow from the text beside them.
impl Clone for LineCounts {
    fn clone(&self) -> LineCounts {
        LineCounts::default()
    }
}

impl PartialEq for LineCounts {
    fn eq(&self, _: &LineCounts) -> bool {
        true
    }
}

impl Eq for LineCounts {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_a_pass_over_the_text() {
        for n in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7] {
            let text: String = (0..n).map(|i| if i % 7 == 3 { '\n' } else { 'x' }).collect();
            let counts = LineCounts::default();
            for offset in (0..=n + 2).filter(|i| *i < 20 || i % 97 == 0 || n <= *i || i.abs_diff(BLOCK) < 9) {
                assert_eq!(counts.before(&text, offset), ends(&text.as_bytes()[..offset.min(n)]), "{offset} of {n}");
            }
        }
    }
}
