//! Strings: from the text between the quotes to characters.

use super::lexer::FILLER;
use super::literal::Malformed;
use crate::ast::Literal;

const ESCAPES: &str = "the escapes are `$$`, `$'`, `$\"`, `$L`, `$N`, `$P`, `$R`, `$T` and the number of a character: `$0A`";

/// Returns the value of `quoted`, a string with its quotes. With `filled` the text comes from XML, and its fillers are dropped.
pub fn literal(quoted: &str, filled: bool) -> Result<Literal, Malformed> {
    let wide = quoted.starts_with('"');
    let quote = if wide { '"' } else { '\'' };
    // A string without an end has been reported; its value does not matter.
    let inner = quoted.strip_prefix(quote).unwrap_or(quoted);
    let inner = inner.strip_suffix(quote).unwrap_or(inner);
    let mut chars = Vec::with_capacity(inner.len());
    let mut rest = inner.chars().filter(|c| !filled || *c != FILLER);
    while let Some(c) = rest.next() {
        if c != '$' {
            let mut units = [0; 2];
            let units = c.encode_utf16(&mut units);
            if !wide && 255 < u32::from(c) {
                return Ok(Literal::Opaque("STRING with characters beyond Latin-1"));
            }
            chars.extend_from_slice(units);
            continue;
        }
        let Some(escape) = rest.next() else {
            return Err(Malformed::new("`$` at the end of a string escapes nothing", ESCAPES));
        };
        chars.push(match escape {
            '$' | '\'' | '"' => escape as u16,
            'l' | 'L' | 'n' | 'N' => 0x0a,
            'p' | 'P' => 0x0c,
            'r' | 'R' => 0x0d,
            't' | 'T' => 0x09,
            _ => {
                let n_digits = if wide { 4 } else { 2 };
                let digits: String = std::iter::once(escape).chain(rest.by_ref().take(n_digits - 1)).collect();
                let is_number = digits.len() == n_digits && digits.bytes().all(|b| b.is_ascii_hexdigit());
                match u16::from_str_radix(&digits, 16) {
                    Ok(code) if is_number => code,
                    Ok(_) | Err(_) => {
                        return Err(Malformed::new(format!("`${digits}` is not an escape of a character"), ESCAPES));
                    }
                }
            }
        });
    }
    Ok(Literal::String { chars, wide })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings() {
        let check = |text: &str, expected: &[u16]| {
            let wide = text.starts_with('"');
            assert_eq!(literal(text, false), Ok(Literal::String { chars: expected.to_vec(), wide }), "{text}");
        };
        check("''", &[]);
        check("'ab'", &[0x61, 0x62]);
        check("'$$$'\"$\"'", &[0x24, 0x27, 0x22, 0x22]);
        check("'$L$n$P$r$T'", &[10, 10, 12, 13, 9]);
        check("'$0A$fFg'", &[10, 255, 0x67]);
        check("'ä'", &[0xe4]);
        check("\"€$20AC'\"", &[0x20ac, 0x20ac, 0x27]);
        check("\"\u{1f600}\"", &[0xd83d, 0xde00]);
        check("'a\u{7f}b'", &[0x61, 0x7f, 0x62]);
        for wrong in ["'$x'", "'$'", "'$0'", "'$+1'", "\"$0A\"", "\"$12\"", "'$é'"] {
            assert!(literal(wrong, false).is_err(), "{wrong}");
        }
        assert_eq!(literal("'€'", false), Ok(Literal::Opaque("STRING with characters beyond Latin-1")));
        assert_eq!(literal("'<\u{7f}\u{7f}\u{7f}$\u{7f}$'", true), Ok(Literal::String { chars: vec![0x3c, 0x24], wide: false }));
    }
}
