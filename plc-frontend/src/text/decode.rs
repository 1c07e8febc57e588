//! Bytes of an upload to text. Every byte sequence becomes some text; guesses are reported.

use crate::text::codes::TURNED_TEXT;
use crate::text::diagnostic::Diagnostic;
use crate::text::source::{FileId, Span};
use crate::text::unseen::turns_text;

/// Problem with the bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextProblem {
    /// They are not UTF-8 and were read as Windows-1252; the first such character is at this byte of the text.
    Windows1252(usize),
    /// They are UTF-16 with errors; the first replaced character is at this byte of the text.
    BrokenUtf16(usize),
    /// A sign changes the direction of the text; the first one is at this byte.
    Direction(usize),
}

impl TextProblem {
    /// Returns the problem as a warning about `file`.
    pub fn diagnostic(self, file: FileId) -> Diagnostic {
        let utf8 = "check names and comments with special characters, or save the file as UTF-8";
        let (code, at, message, help) = match self {
            TextProblem::Windows1252(at) => ("P0001", at, "this file is not UTF-8; it was read as Windows-1252", utf8),
            TextProblem::BrokenUtf16(at) => ("P0001", at, "this file is damaged UTF-16; broken characters were replaced", utf8),
            TextProblem::Direction(at) => (
                TURNED_TEXT,
                at,
                "this file has signs that change the direction of text: it is compiled in another order than it is shown",
                "remove these signs, and read the lines with them again",
            ),
        };
        let place = Span::new(file, at, at);
        Diagnostic::error(code, place, message, "the first character in question").warning().help(help)
    }
}

/// Decodes `bytes`: UTF-8 or UTF-16 by its mark, else UTF-8, else Windows-1252. Marks are dropped.
pub fn decode(bytes: &[u8]) -> (String, Vec<TextProblem>) {
    let (text, mut problems) = match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => eight_bit(rest),
        [0xff, 0xfe, rest @ ..] => sixteen_bit(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => sixteen_bit(rest, u16::from_be_bytes),
        _ => eight_bit(bytes),
    };
    if !text.is_ascii() {
        problems.extend(text.find(turns_text).map(TextProblem::Direction));
    }
    (text, problems)
}

fn eight_bit(bytes: &[u8]) -> (String, Vec<TextProblem>) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (text.to_owned(), Vec::new());
    }
    let text: String = bytes.iter().map(|b| windows_1252(*b)).collect();
    let first = text.find(|c: char| !c.is_ascii()).unwrap_or(0);
    (text, vec![TextProblem::Windows1252(first)])
}

fn sixteen_bit(bytes: &[u8], unit: impl Fn([u8; 2]) -> u16) -> (String, Vec<TextProblem>) {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    let mut broken = None;
    for c in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        if c.is_err() {
            broken.get_or_insert(text.len());
        }
        text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    if !rest.is_empty() {
        broken.get_or_insert(text.len());
        text.push(char::REPLACEMENT_CHARACTER);
    }
    (text, broken.map(TextProblem::BrokenUtf16).into_iter().collect())
}

/// Returns the character of a byte in Windows-1252; unassigned bytes are read as Latin-1.
fn windows_1252(byte: u8) -> char {
    const FROM_80: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’', '“',
        '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => FROM_80.get(usize::from(byte - 0x80)).copied().unwrap_or(char::from(byte)),
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn encodings() {
        let check = |bytes: &[u8], text: &str, problems: &[TextProblem]| {
            assert_eq!(decode(bytes), (text.to_owned(), problems.to_vec()), "{bytes:x?}");
        };
        check(b"", "", &[]);
        check("größe".as_bytes(), "größe", &[]);
        check(b"\xef\xbb\xbfa", "a", &[]);
        check(b"gr\xf6\xdfe \x80\x9c", "größe €œ", &[TextProblem::Windows1252(2)]);
        check(b"\xef\xbb\xbfa\xff", "aÿ", &[TextProblem::Windows1252(1)]);
        check(b"\xff\xfea\0\xf6\0", "aö", &[]);
        check(b"\xfe\xff\0a\0\xf6", "aö", &[]);
        check(b"\xff\xfea\0b", "a\u{fffd}", &[TextProblem::BrokenUtf16(1)]);
        check(b"\xff\xfe\0\xd8a\0", "\u{fffd}a", &[TextProblem::BrokenUtf16(0)]);
        check(b"a\0b", "a\0b", &[]);
        check("ä (*\u{202e} x *)".as_bytes(), "ä (*\u{202e} x *)", &[TextProblem::Direction(5)]);
    }

    proptest! {
        #[test]
        fn any_bytes_become_text_and_problems_point_into_it(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let (text, problems) = decode(&bytes);
            for problem in problems {
                let span = problem.diagnostic(FileId(0)).span();
                prop_assert!(text.is_char_boundary(span.start as usize));
            }
            if let Ok(utf8) = std::str::from_utf8(&bytes) && !utf8.starts_with('\u{feff}') {
                prop_assert_eq!(text, utf8);
            }
        }
    }
}
