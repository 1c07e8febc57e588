//! Mutations that keep the shape of a text: whole pieces are taken away, doubled, moved or replaced by those of another place.
//!
//! Byte by byte a fuzzer rarely gets past the parser: a tag without its end, a word of half its letters. So half of the
//! mutations know what a piece is: an element of an XML file with all that it holds, a word or a line of the others.

use std::ops::Range;

/// Kinds of pieces of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Elements, attributes' values, and words of the text between them.
    Xml,
    /// Words and lines.
    Words,
}

/// Changes `data`, whose first `size` bytes are the text, and returns the new size.
pub fn mutate(shape: Shape, data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random(u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    if random.below(2) == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let Some(mut text) = data.get(..size).map(<[u8]>::to_vec) else { return size };
    for _ in 0..=random.below(3) {
        text = changed(shape, &text, &mut random);
    }
    text.truncate(max_size.min(data.len()));
    if let Some(target) = data.get_mut(..text.len()) {
        target.copy_from_slice(&text);
    }
    text.len()
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % n.max(1)
    }
    fn pick(&mut self, pieces: &[Range<usize>]) -> Option<Range<usize>> {
        pieces.get(self.below(pieces.len())).cloned()
    }
}

fn changed(shape: Shape, text: &[u8], random: &mut Random) -> Vec<u8> {
    let pieces = match (shape, random.below(3)) {
        (Shape::Xml, 0 | 1) => elements(text),
        (Shape::Xml, _) => words(text),
        (Shape::Words, 0) => lines(text),
        (Shape::Words, _) => words(text),
    };
    let (Some(from), Some(to)) = (random.pick(&pieces), random.pick(&pieces)) else { return text.to_vec() };
    let piece = &text[from.clone()];
    let place = match random.below(4) {
        // Takes it away.
        0 => return [&text[..from.start], &text[from.end..]].concat(),
        // A copy before another piece.
        1 => to.start..to.start,
        // A copy instead of another piece.
        2 => to,
        // A copy behind itself.
        _ => from.end..from.end,
    };
    [&text[..place.start], piece, &text[place.end..]].concat()
}

fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        lines.push(start..start + line.len());
        start += line.len();
    }
    lines
}

/// Returns runs of letters and digits, and single other characters except space.
fn words(text: &[u8]) -> Vec<Range<usize>> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        match words.last_mut() {
            Some(last) if is_letter(*byte) && last.end == at && text.get(last.start).is_some_and(|b| is_letter(*b)) => {
                last.end = at + 1
            }
            _ if byte.is_ascii_whitespace() => {}
            _ => words.push(at..at + 1),
        }
    }
    words
}

/// Returns the elements from their start tags to their end tags. Tags are counted, names are ignored.
fn elements(text: &[u8]) -> Vec<Range<usize>> {
    let (mut open, mut elements) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.iter().position(|b| *b == b'<')).map(|n| at + n) {
        let Some(end) = text[start..].iter().position(|b| *b == b'>').map(|n| start + n + 1) else { break };
        match (text.get(start + 1), text.get(end.saturating_sub(2))) {
            (Some(b'/'), _) => {
                if let Some(from) = open.pop() {
                    elements.push(from..end);
                }
            }
            (Some(b'!' | b'?'), _) | (_, Some(b'/')) => elements.push(start..end),
            (_, _) => open.push(start),
        }
        at = end;
    }
    elements
}
