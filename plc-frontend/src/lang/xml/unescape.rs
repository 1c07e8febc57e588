//! Entities become their characters in place: the text keeps its length, with padding behind shorter words.

use std::borrow::Cow;

pub(crate) use crate::lang::common::lexer::FILLER;

/// Characters that form one token only side by side.
const PAIRS: &[&str] = &[
    "<>", "<=", ">=", ":=", "=>", "--", "->", "**", "//", "/*", "*/", "(*", "*)", "?=", "..", "&&", "+=", "-=", "*=", "/=", "=<",
    "S=", "R=",
];

/// Mistake in an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// `&` that starts no entity.
    Bare,
    /// A name that is not one of the five.
    Unknown,
    /// A number that is no character of XML.
    NoCharacter,
}

/// Writes `text` to the same bytes of `into`, unescaped. Fillers go behind words and operators that entities stand in,
/// so that `&lt;&gt;` becomes `<>` with all padding behind it. Returns the mistakes: place in the text, length, kind.
pub(super) fn unescape(text: &str, into: &mut [u8]) -> Vec<(usize, usize, Wrong)> {
    let mut wrong = Vec::new();
    let mut writer = Writer { into, at: 0, owed: 0, last: ' ' };
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let at = text.len() - rest.len();
        let (c, length) = match c {
            '&' => match entity(rest) {
                Ok((c, length)) => (c, length),
                Err((length, why)) => {
                    wrong.push((at, length, why));
                    ('&', 1)
                }
            },
            FILLER => {
                wrong.push((at, 1, Wrong::NoCharacter));
                (c, 1)
            }
            _ => (c, c.len_utf8()),
        };
        writer.put(c, length);
        rest = rest.get(length..).unwrap_or("");
    }
    writer.pad();
    wrong
}

struct Writer<'t> {
    into: &'t mut [u8],
    at: usize,
    /// Bytes of padding that are not written yet.
    owed: usize,
    last: char,
}

impl Writer<'_> {
    /// Writes a character that takes `length` bytes in the file.
    fn put(&mut self, c: char, length: usize) {
        if 0 < self.owed && !belong_together(self.last, c) {
            self.pad();
        }
        let n_bytes = c.len_utf8();
        if let Some(place) = self.into.get_mut(self.at..self.at + n_bytes) {
            c.encode_utf8(place);
        }
        self.at += n_bytes;
        self.owed += length - n_bytes;
        self.last = c;
    }
    fn pad(&mut self) {
        if let Some(place) = self.into.get_mut(self.at..self.at + self.owed) {
            place.fill(FILLER as u8);
        }
        self.at += self.owed;
        self.owed = 0;
    }
}

fn belong_together(a: char, b: char) -> bool {
    let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '#' | '$' | '%');
    let pair = |p: &&str| p.chars().eq([a.to_ascii_uppercase(), b.to_ascii_uppercase()]);
    a == '$' || (is_of_word(a) && is_of_word(b)) || PAIRS.iter().any(pair)
}

/// Returns the character and the length of the entity that `text` starts with, or the length of a mistake and its kind.
fn entity(text: &str) -> Result<(char, usize), (usize, Wrong)> {
    /// The longest entity that is looked at, in bytes.
    const LONGEST: usize = 40;
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'#';
    let n_parts = text.bytes().skip(1).take(LONGEST).take_while(is_part).count();
    let (name, is_closed) = (text.get(1..1 + n_parts).unwrap_or(""), text.as_bytes().get(1 + n_parts) == Some(&b';'));
    if !is_closed || name.is_empty() {
        return Err((1, Wrong::Bare));
    }
    let length = n_parts + 2;
    let c = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => match name.strip_prefix('#') {
            Some(number) => {
                let code = match number.strip_prefix(['x', 'X']) {
                    Some(hex) => u32::from_str_radix(hex, 16).ok(),
                    None => number.parse().ok(),
                };
                let is_of_xml = |c: &char| (' ' <= *c || matches!(c, '\t' | '\n' | '\r')) && *c != FILLER;
                code.and_then(char::from_u32).filter(is_of_xml).ok_or((length, Wrong::NoCharacter))?
            }
            None => return Err((length, Wrong::Unknown)),
        },
    };
    Ok((c, length))
}

/// Returns a piece of unescaped text without its padding.
pub(crate) fn without_filler(text: &str) -> Cow<'_, str> {
    if text.contains(FILLER) { Cow::Owned(text.replace(FILLER, "")) } else { Cow::Borrowed(text) }
}
