//! Texts as parts of addresses.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters that stand for themselves in a part of a path (RFC 3986, unreserved).
const PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The same with the separator of parts.
const PATH: &AsciiSet = &PART.remove(b'/');

/// Returns a text as one part of an address, or as a path whose slashes stay.
pub fn encoded(text: &str, is_path: bool) -> String {
    utf8_percent_encode(text, if is_path { PATH } else { PART }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_but_plain_characters_is_encoded() {
        for (text, part, path) in [
            ("a b/Main.st", "a%20b%2FMain.st", "a%20b/Main.st"),
            ("Pumpe ü.st", "Pumpe%20%C3%BC.st", "Pumpe%20%C3%BC.st"),
            ("x?y#z&", "x%3Fy%23z%26", "x%3Fy%23z%26"),
        ] {
            assert_eq!((encoded(text, false).as_str(), encoded(text, true).as_str()), (part, path));
        }
    }
}
