//! Theta's text as tokens. Never fails: text that is no token is a finding, and reading goes on behind it.

use plc_frontend::diagnostic::Diagnostic;
use plc_frontend::source::{FileId, Span};

/// A token with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) span: Span,
}

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// A name or a keyword.
    Word(&'a str),
    /// Digits.
    Number(&'a str),
    /// `8'b101`, `8'd-3`, `8'xff`: width, base and digits.
    Bits(&'a str, char, &'a str),
    /// Anything else, by its text.
    Symbol(&'static str),
    /// Behind the last token.
    End,
}

/// Longer ones first.
const SYMBOLS: &[&str] = &[
    ":=", "->", "<-", "<=", ">=", "/=", "=>", "++", "(", ")", "[", "]", "{", "}", ",", ":", ";", "=", "<", ">", "+", "-", "*",
    "/", "%", ".", "'",
];

/// Most reported findings of this kind.
const MOST_FINDINGS: usize = 20;

/// Returns all tokens of a text; the last one is [`Kind::End`].
pub(super) fn tokens<'a>(file: FileId, text: &'a str, findings: &mut Vec<Diagnostic>) -> Vec<Token<'a>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    let run = |from: usize, of: fn(u8) -> bool| from + bytes[from..].iter().take_while(|b| of(**b)).count();
    while at < bytes.len() {
        let rest = &text[at..];
        let start = at;
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            match rest.find("*/") {
                Some(end) => at += end + 2,
                None => {
                    let span = Span::new(file, start, start + 2);
                    findings.push(
                        Diagnostic::error("P6001", span, "a comment does not end", "begins here").help("close it with `*/`"),
                    );
                    at = bytes.len();
                }
            }
            continue;
        }
        let kind = if bytes[at].is_ascii_alphabetic() || bytes[at] == b'_' {
            at = run(at, |b| b.is_ascii_alphanumeric() || b == b'_');
            Kind::Word(&text[start..at])
        } else if bytes[at].is_ascii_digit() {
            at = run(at, |b| b.is_ascii_digit());
            let number = &text[start..at];
            match literal(text, at) {
                Some((base, from, end)) => {
                    at = end;
                    Kind::Bits(number, base, &text[from..end])
                }
                None => Kind::Number(number),
            }
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            at += symbol.len();
            Kind::Symbol(symbol)
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            if findings.len() < MOST_FINDINGS {
                let span = Span::new(file, start, at);
                findings.push(Diagnostic::error("P6001", span, "this character means nothing in a Theta model", "this one"));
            }
            continue;
        };
        found.push(Token { kind, span: Span::new(file, start, at) });
    }
    found.push(Token { kind: Kind::End, span: Span::new(file, bytes.len(), bytes.len()) });
    found
}

/// Returns the rest of a bit vector literal behind its size: the base, and the start and end of its digits.
fn literal(text: &str, at: usize) -> Option<(char, usize, usize)> {
    let bytes = text.as_bytes();
    if bytes.get(at) != Some(&b'\'') {
        return None;
    }
    let base = *bytes.get(at + 1)?;
    let from = at + 2;
    let digits = |from: usize, of: fn(&u8) -> bool| from + bytes.get(from..).unwrap_or(&[]).iter().take_while(|b| of(b)).count();
    let (first, end) = match base {
        b'b' => (from, digits(from, |b| matches!(b, b'0' | b'1'))),
        b'x' => (from, digits(from, u8::is_ascii_hexdigit)),
        b'd' => {
            let signed = matches!(bytes.get(from), Some(b'+' | b'-'));
            let first = from + usize::from(signed);
            (first, digits(first, u8::is_ascii_digit))
        }
        _ => return None,
    };
    (first < end).then_some((char::from(base), from, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_tokens() {
        let check = |text: &str, expected: &[Kind<'_>]| {
            let mut findings = Vec::new();
            let found = tokens(FileId(0), text, &mut findings);
            let kinds: Vec<Kind<'_>> = found.iter().map(|t| t.kind).collect();
            assert_eq!(kinds.split_last().unwrap().1, expected, "{text}");
            assert!(findings.is_empty(), "{findings:?}");
        };
        use Kind::{Bits, Number, Symbol, Word};
        check("x1 := 2 /= 3 // no", &[Word("x1"), Symbol(":="), Number("2"), Symbol("/="), Number("3")]);
        check("5'b10010.10'd0", &[Bits("5", 'b', "10010"), Symbol("."), Bits("10", 'd', "0")]);
        check("4'd-3 8'xFf 8'u", &[Bits("4", 'd', "-3"), Bits("8", 'x', "Ff"), Number("8"), Symbol("'"), Word("u")]);
        check("a<-1 a < -1", &[Word("a"), Symbol("<-"), Number("1"), Word("a"), Symbol("<"), Symbol("-"), Number("1")]);
        check("x' /* a\n* */ ++", &[Word("x"), Symbol("'"), Symbol("++")]);
    }

    #[test]
    fn anything_is_read() {
        for text in ["", "/*", "'", "4'", "4'b", "4'd-", "é€", "\u{0}", "9'b2"] {
            assert!(!tokens(FileId(0), text, &mut Vec::new()).is_empty());
        }
        let mut findings = Vec::new();
        tokens(FileId(0), &"#".repeat(1000), &mut findings);
        assert_eq!(findings.len(), MOST_FINDINGS);
    }
}
