//! Text to tokens, one at a time. Knows no grammar; the place is its only state.

use std::collections::VecDeque;

use super::findings::Findings;
use super::token::{OF_STATEMENTS, Spelling, Tok, Token, spelling};
use crate::text::{Diagnostic, FileId, Span};

/// Meaning of quotes and `#`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flavour {
    /// IEC 61131-3 and its relatives.
    #[default]
    Iec,
    /// Siemens SCL: `"name"` and `#name` are names, and there are no strings in double quotes.
    Scl,
    /// Routines of Studio 5000: only words of statements are keywords, since declarations stand in XML.
    Logix,
}

/// Reads tokens from a range of a text.
#[derive(Clone, Debug)]
pub struct Lexer<'t> {
    pub(super) file: FileId,
    pub(super) text: &'t str,
    pub(super) pos: usize,
    pub(super) end: usize,
    pub(super) flavour: Flavour,
    /// A dot stands directly before the place: a word is a field, digits are a bit.
    after_dot: bool,
    pub(super) stopwatch: bool,
    /// A search found no `}` before the end: pragmas are not searched again, which keeps reading linear.
    pub(super) no_brace: bool,
    /// As `no_brace`, for the end of code in C.
    pub(super) no_code: bool,
    /// As `no_brace`, for the end of a description.
    pub(super) no_description: bool,
}

/// Fills the places behind a shortened entity in a text from XML, so that later places stay where they are.
pub const FILLER: char = '\u{7f}';

/// The longest name, in bytes: names are repeated in messages, traces and reports.
pub const LONGEST_NAME: usize = 1000;

/// Findings, assertions and pragmas between tokens.
#[derive(Clone, Debug, Default)]
pub struct Asides {
    /// Mistakes in the text.
    pub findings: Findings,
    /// `//#ASSERT` and `(*#ASSERT*)` comments: the bytes behind the word, to the end of the comment. And code in C, `{{ … }}`.
    pub assertions: VecDeque<Span>,
    /// Pragmas, with their braces, in the order in which they were read.
    pub pragmas: Vec<Span>,
}

impl<'t> Lexer<'t> {
    /// Reads the bytes `start..end`, which must lie on character boundaries.
    pub fn new(file: FileId, text: &'t str, start: usize, end: usize) -> Self {
        Lexer {
            file,
            text,
            pos: start,
            end,
            flavour: Flavour::Iec,
            after_dot: false,
            stopwatch: false,
            no_brace: false,
            no_code: false,
            no_description: false,
        }
    }

    /// Returns the next token; `Tok::End` at the end, again and again.
    pub fn next(&mut self, asides: &mut Asides) -> Token {
        let behind = self.pos;
        self.trivia(asides);
        let start = self.pos;
        self.after_dot &= start == behind;
        let kind = self.token(asides);
        self.after_dot = kind == Tok::Dot;
        Token { kind, start: start as u32, end: self.pos as u32, stopwatch: std::mem::take(&mut self.stopwatch) }
    }

    /// Returns the lexer for a text of this flavour.
    pub fn flavoured(self, flavour: Flavour) -> Self {
        Lexer { flavour, ..self }
    }

    /// Returns the end of the text that it reads.
    pub fn end(&self) -> usize {
        self.end
    }
    /// Returns a lexer of the same text that starts at `pos`.
    pub fn at(&self, pos: usize) -> Lexer<'t> {
        Lexer { pos, after_dot: false, stopwatch: false, ..self.clone() }
    }

    pub(super) fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.pos)
    }
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.pos..self.end).unwrap_or("")
    }
    pub(super) fn byte(&self, ahead: usize) -> u8 {
        let at = self.pos + ahead;
        if at < self.end { self.text.as_bytes().get(at).copied().unwrap_or(0) } else { 0 }
    }
    pub(super) fn take_while(&mut self, accept: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.pos += rest.find(|c| !accept(c)).unwrap_or(rest.len());
    }
    /// Reads letters, digits and `_`.
    fn take_word(&mut self) {
        let bytes = self.text.as_bytes().get(self.pos..self.end).unwrap_or(&[]);
        let ascii = bytes.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_').unwrap_or(bytes.len());
        self.pos += ascii;
        if 127 < self.byte(0) {
            self.take_while(is_word);
        }
        if self.byte(0) == FILLER as u8 {
            self.take_behind_filler();
        }
    }

    /// Reads on behind the fillers of a letter that was written as an entity.
    fn take_behind_filler(&mut self) {
        let behind = self.rest().trim_start_matches(FILLER);
        if behind.starts_with(is_word) {
            self.pos += self.rest().len() - behind.len();
            self.take_while(|c| is_word(c) || c == FILLER);
        }
    }

    fn token(&mut self, asides: &mut Asides) -> Tok {
        let first = self.byte(0);
        match first {
            0 => Tok::End,
            b'0'..=b'9' => self.number(),
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | 128.. => self.word(asides),
            b'"' | b'#' if self.flavour == Flavour::Scl => self.quoted(asides),
            b'\'' | b'"' => self.string(first, asides),
            b'`' => {
                self.pos += 1;
                self.take_word();
                self.pos += 1;
                Tok::Word
            }
            b'%' => self.address(),
            _ => self.punctuation(),
        }
    }

    fn number(&mut self) -> Tok {
        if self.after_dot {
            self.take_while(|c| c.is_ascii_digit());
        } else {
            self.number_text();
        }
        Tok::Number
    }

    /// Reads digits, a fraction, an exponent, or `16#FF`. Letters right behind belong to the token, so that `10ms` is one
    /// mistake.
    fn number_text(&mut self) {
        self.take_word();
        if self.byte(0) == b'#' || (self.byte(0) == b'.' && self.byte(1).is_ascii_digit()) {
            self.pos += 1;
            self.take_word();
        }
        let exponent = self.text.as_bytes().get(self.pos.wrapping_sub(1)).is_some_and(|b| b.eq_ignore_ascii_case(&b'e'));
        if exponent && matches!(self.byte(0), b'+' | b'-') && self.byte(1).is_ascii_digit() && !self.is_based() {
            self.pos += 1;
            self.take_word();
        }
    }

    /// Returns whether the number that ends here is `16#…`, whose `E` is a digit.
    fn is_based(&self) -> bool {
        let before = self.text.as_bytes().get(..self.pos).unwrap_or(&[]);
        let digits = before.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        before.len().checked_sub(digits + 1).and_then(|at| before.get(at)) == Some(&b'#')
            && before.len().checked_sub(digits + 2).and_then(|at| before.get(at)).is_some_and(u8::is_ascii_digit)
    }

    fn word(&mut self, asides: &mut Asides) -> Tok {
        let start = self.pos;
        self.take_word();
        let word = self.text.get(start..self.pos).unwrap_or("");
        if LONGEST_NAME < word.len() {
            self.long_name(start, asides);
        }
        if self.byte(0) == b'#' && !self.after_dot {
            self.pos += 1;
            return self.typed(word, asides);
        }
        match spelling(word) {
            Spelling::Keyword(Tok::Type) if self.is_before(b":=<>[,;+-*.&") => Tok::Word,
            Spelling::Keyword(Tok::Continue) if self.is_before(b":=<>[,+-*.&") => Tok::Word,
            // A block of variables begins with a name, a word, a pragma or a comment.
            Spelling::Keyword(Tok::Var) if self.is_before(b":=<>[,;+-*)&") || self.divides() => Tok::Word,
            Spelling::Keyword(keyword) if self.flavour == Flavour::Logix && !OF_STATEMENTS.has(keyword) => Tok::Word,
            Spelling::Keyword(keyword) if !self.after_dot => keyword,
            Spelling::Meant(keyword) if !self.after_dot => {
                let message = format!("`{word}` is not a keyword of Structured Text");
                let diagnostic = Diagnostic::error("P1018", self.span(start), message, "read as a keyword");
                asides.findings.push(diagnostic.help(format!("write `{}`", keyword.spelling())));
                keyword
            }
            Spelling::Name | Spelling::Keyword(_) | Spelling::Meant(_) => Tok::Word,
        }
    }

    /// Returns whether one of these signs follows a word, as behind the name of a variable: `Type : INT`. Some systems allow such names.
    fn is_before(&self, signs: &[u8]) -> bool {
        let rest = self.text.as_bytes().get(self.pos..self.end).unwrap_or(&[]);
        rest.iter().find(|b| !b.is_ascii_whitespace()).is_some_and(|sign| signs.contains(sign))
    }

    /// Returns whether `/` follows a word, and no comment.
    fn divides(&self) -> bool {
        let rest = self.text.as_bytes().get(self.pos..self.end).unwrap_or(&[]);
        let mut rest = rest.iter().skip_while(|b| b.is_ascii_whitespace());
        rest.next() == Some(&b'/') && rest.next().is_some_and(|next| !matches!(next, b'/' | b'*'))
    }

    /// Reads the text behind `INT#`.
    fn typed(&mut self, prefix: &str, asides: &mut Asides) -> Tok {
        if matches!(self.byte(0), b'\'' | b'"') {
            self.string(self.byte(0), asides);
            return Tok::Typed;
        }
        if matches!(self.byte(0), b'+' | b'-') {
            self.pos += 1;
        }
        match super::literal::family(prefix) {
            super::literal::Family::Plain if self.byte(0).is_ascii_digit() => self.number_text(),
            super::literal::Family::Plain => self.take_word(),
            super::literal::Family::Duration => self.joined(b"."),
            super::literal::Family::Date(_) => self.joined(b".:-"),
        }
        Tok::Typed
    }

    /// Reads words and digits, with `joints` between digits.
    fn joined(&mut self, joints: &[u8]) {
        loop {
            self.take_word();
            if joints.contains(&self.byte(0)) && self.byte(1).is_ascii_digit() {
                self.pos += 1;
            } else {
                return;
            }
        }
    }

    fn string(&mut self, quote: u8, asides: &mut Asides) -> Tok {
        let start = self.pos;
        self.pos += 1;
        loop {
            let byte = self.byte(0);
            match byte {
                b'$' if self.byte(1) == quote || self.byte(1) == b'$' => self.pos += 2,
                0 | b'\n' | b'\r' => {
                    // Most likely only the quote is missing: the semicolon at the end of the line still ends the statement.
                    let inside = self.text.get(start..self.pos).unwrap_or("").trim_end();
                    if inside.ends_with(';') {
                        self.pos = start + inside.len() - 1;
                    }
                    let diagnostic =
                        Diagnostic::error("P1004", self.span(start), "this string has no end", "the string starts here");
                    asides.findings.push(diagnostic.help("end it on the same line; write a quote inside a string as `$'`"));
                    return Tok::Text;
                }
                _ => {
                    self.pos += 1;
                    if byte == quote {
                        return Tok::Text;
                    }
                }
            }
        }
    }

    /// Reads `"name"`, `#name`, `#"name"`: names, keywords too.
    fn quoted(&mut self, asides: &mut Asides) -> Tok {
        let start = self.pos;
        if self.byte(0) == b'#' {
            self.pos += 1;
        }
        if self.byte(0) != b'"' {
            self.take_word();
            return Tok::Word;
        }
        self.pos += 1;
        self.take_while(|c| c != '"' && c != '\n' && c != '\r');
        if self.byte(0) == b'"' {
            self.pos += 1;
        } else {
            let diagnostic = Diagnostic::error("P1004", self.span(start), "this name has no end", "the name starts here");
            asides.findings.push(diagnostic.help("end it with `\"`; strings are written in single quotes"));
        }
        if LONGEST_NAME < self.pos - start {
            self.long_name(start, asides);
        }
        Tok::Word
    }

    fn long_name(&self, start: usize, asides: &mut Asides) {
        let message = format!("this name is longer than {LONGEST_NAME} bytes");
        let diagnostic = Diagnostic::error("P1034", self.span(start), message, "a very long name");
        asides.findings.push(diagnostic.help("choose a shorter name"));
    }

    /// Reads `%IX0.3`, `%Q*`; behind a dot `%X3`.
    fn address(&mut self) -> Tok {
        self.pos += 1;
        if !self.byte(0).is_ascii_alphabetic() {
            return Tok::Percent;
        }
        self.take_while(|c| c.is_ascii_alphabetic());
        if self.byte(0) == b'*' {
            self.pos += 1;
            return Tok::Address;
        }
        self.take_word();
        while !self.after_dot && self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            self.pos += 1;
            self.take_word();
        }
        // `%DB1.DBX0.0`
        if self.flavour == Flavour::Scl && self.rest().get(..3).is_some_and(|next| next.eq_ignore_ascii_case(".DB")) {
            self.take_while(|c| c == '.' || c.is_ascii_alphanumeric());
        }
        Tok::Address
    }

    fn punctuation(&mut self) -> Tok {
        let Some((kind, length)) = punctuation([self.byte(0), self.byte(1), self.byte(2)]) else {
            self.pos = self.end;
            return Tok::End;
        };
        self.pos += length;
        kind
    }
}

/// Returns the longest punctuation that the bytes start with, and its length.
fn punctuation(bytes: [u8; 3]) -> Option<(Tok, usize)> {
    Some(match bytes {
        [b'-', b'-', b'>'] => (Tok::Implies, 3),
        [b':', b'=', _] => (Tok::Assign, 2),
        [b'=', b'>', _] => (Tok::Arrow, 2),
        [b'?', b'=', _] => (Tok::TryAssign, 2),
        [b'+' | b'-' | b'*' | b'/', b'=', _] => (Tok::Compound, 2),
        [b'*', b'*', _] => (Tok::Power, 2),
        [b'.', b'.', _] => (Tok::DotDot, 2),
        [b'<', b'>', _] => (Tok::Ne, 2),
        [b'<', b'=', _] => (Tok::Le, 2),
        [b'>', b'=', _] => (Tok::Ge, 2),
        [b'=', b'=', _] => (Tok::EqEq, 2),
        [b'!', b'=', _] => (Tok::BangEq, 2),
        [b'&', b'&', _] => (Tok::AmpAmp, 2),
        [b'|', b'|', _] => (Tok::PipePipe, 2),
        [b'(', ..] => (Tok::LParen, 1),
        [b')', ..] => (Tok::RParen, 1),
        [b'[', ..] => (Tok::LBracket, 1),
        [b']', ..] => (Tok::RBracket, 1),
        [b',', ..] => (Tok::Comma, 1),
        [b';', ..] => (Tok::Semicolon, 1),
        [b':', ..] => (Tok::Colon, 1),
        [b'.', ..] => (Tok::Dot, 1),
        [b'^', ..] => (Tok::Caret, 1),
        [b'+', ..] => (Tok::Plus, 1),
        [b'-', ..] => (Tok::Minus, 1),
        [b'*', ..] => (Tok::Star, 1),
        [b'/', ..] => (Tok::Slash, 1),
        [b'=', ..] => (Tok::Eq, 1),
        [b'<', ..] => (Tok::Lt, 1),
        [b'>', ..] => (Tok::Gt, 1),
        [b'&', ..] => (Tok::Amp, 1),
        [b'!', ..] => (Tok::Bang, 1),
        _ => return None,
    })
}

pub(super) fn is_letter(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
