//! Text between tokens: white space, comments, pragmas, and characters without a meaning.
//! Assertion comments are remembered for the parser; everything else is skipped.

use super::lexer::{Asides, Flavour, Lexer, is_letter};
use crate::text::{Diagnostic, Span, codes};

/// The byte at the end of files from old systems.
const END_OF_FILE: u8 = 0x1a;

/// The start and the end of prose in exports of some systems.
const DESCRIPTION: &str = "(*@KEY@:DESCRIPTION*)";
const DESCRIPTION_END: &str = "(*@KEY@:END_DESCRIPTION*)";

/// Returns whether a word is a misspelled `assert`: one letter more, less, wrong, or two swapped.
fn is_nearly_assert(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let word = word.strip_suffix('s').or_else(|| word.strip_suffix("ion")).unwrap_or(&word);
    let (wanted, given) = (b"assert".as_slice(), word.as_bytes());
    let front = wanted.iter().zip(given).take_while(|(a, b)| a == b).count();
    let most = wanted.len().min(given.len()) - front;
    let back = wanted.iter().rev().zip(given.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    match (wanted.len() - front - back, given.len() - front - back) {
        (0 | 1, 0 | 1) => true,
        (2, 2) => wanted[front] == given[front + 1] && wanted[front + 1] == given[front],
        (_, _) => false,
    }
}

impl Lexer<'_> {
    /// Skips the text before the next token.
    pub(super) fn trivia(&mut self, asides: &mut Asides) {
        loop {
            match (self.byte(0), self.byte(1)) {
                (b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c | 0x7f | END_OF_FILE, _) => self.pos += 1,
                (b'/', b'/') => self.line_comment(asides),
                (b'(', b'*') => self.block_comment("(*", "*)", asides),
                (b'/', b'*') => self.block_comment("/*", "*/", asides),
                (b'{', _) => self.pragma(asides),
                (128.., _) => match self.rest().chars().next() {
                    Some(c) if c.is_whitespace() || c == '\u{feff}' => self.pos += c.len_utf8(),
                    Some(c) if !is_letter(c) => self.unknown(asides),
                    Some(_) | None => return,
                },
                (b'#', _) if self.flavour == Flavour::Scl && self.starts_local() => return,
                (b'`', _) if self.starts_escaped() => return,
                (b'@' | b'#' | b'$' | b'`' | b'\\' | b'}' | b'~' | 0x01..=0x08 | 0x0e..=0x19 | 0x1b..=0x1f, _) => {
                    self.unknown(asides)
                }
                (b'?', next) if next != b'=' => self.unknown(asides),
                (b'|', next) if next != b'|' => self.unknown(asides),
                (0, _) if self.pos < self.end => self.unknown(asides),
                _ => return,
            }
        }
    }

    /// Returns whether `#name` or `#"name"` starts here.
    fn starts_local(&self) -> bool {
        let next = self.rest().get(1..).unwrap_or("").chars().next();
        next.is_some_and(|c| c == '"' || is_letter(c))
    }

    /// Returns whether a name in backticks starts here, as CODESYS writes keywords that are names.
    fn starts_escaped(&self) -> bool {
        let rest = self.rest().get(1..).unwrap_or("");
        let behind = rest.trim_start_matches(super::lexer::is_word);
        rest.starts_with(is_letter) && behind.starts_with('`')
    }

    /// Skips characters that no token has; a run of them is one finding.
    fn unknown(&mut self, asides: &mut Asides) {
        let start = self.pos;
        self.pos += self.rest().chars().next().map_or(1, char::len_utf8);
        self.take_while(|c| match c {
            '\u{1}'..='\u{8}' | '\u{e}'..='\u{19}' | '\u{1b}'..='\u{1f}' => true,
            _ if c.is_ascii() => "@#$`\\}~".contains(c),
            _ => !c.is_whitespace() && !is_letter(c),
        });
        let first = self.text.get(start..self.pos).and_then(|run| run.chars().next()).unwrap_or(' ');
        let message = format!("the character `{}` has no meaning here", first.escape_debug());
        let diagnostic = Diagnostic::error("P1001", self.span(start), message, "not part of the language");
        asides.findings.push(match first {
            '‘' | '’' | '“' | '”' | '–' | '—' | '…' => {
                diagnostic.help("the text passed through a word processor: type plain quotes and dashes")
            }
            '#' => diagnostic.help("`#name` is Siemens SCL; in Structured Text write the name alone"),
            '}' => diagnostic.help("this brace closes no pragma: remove it"),
            _ => diagnostic.help("remove it"),
        });
    }

    fn line_comment(&mut self, asides: &mut Asides) {
        self.pos += 2;
        let start = self.pos;
        self.take_while(|c| c != '\n' && c != '\r');
        self.assertion(start, self.pos, asides);
    }

    /// Remembers a comment's text if it is an assertion: `#ASSERT` and a condition.
    fn assertion(&mut self, start: usize, end: usize, asides: &mut Asides) {
        let text = self.text.get(start..end).unwrap_or("");
        let Some(behind) = text.trim_start().strip_prefix('#') else { return };
        let behind = behind.trim_start();
        let word: &str = behind.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
        let at = end - behind.len();
        if word.eq_ignore_ascii_case("assert") {
            asides.assertions.push_back(Span::new(self.file, at + word.len(), end));
        } else if is_nearly_assert(word) {
            let place = Span::new(self.file, at, at + word.len());
            let message = format!("`#{word}` is no assertion; this comment is not checked");
            let finding = Diagnostic::error("P1038", place, message, "not `ASSERT`").warning();
            asides.findings.push(finding.help("write `//#ASSERT condition : name`"));
        }
    }

    /// Returns the length of a comment line that OpenPLC Editor appends to a program: C code between `(*DBG:` and `*)`, in
    /// which any further `(*` and `*)` belong to C.
    fn attached_line(&self) -> Option<usize> {
        let begins = self.text.get(..self.pos)?.ends_with('\n') || self.pos == 0;
        let line = self.text.get(self.pos..self.end)?.lines().next()?.trim_end();
        let attached = ["(*DBG:", "(*FILE:"].iter().any(|word| line.starts_with(word)) && line.ends_with("*)");
        (begins && attached).then_some(line.len())
    }

    /// Skips a comment; comments nest.
    fn block_comment(&mut self, open: &str, close: &str, asides: &mut Asides) {
        let start = self.pos;
        if self.rest().starts_with(DESCRIPTION) && !self.no_description {
            match self.rest().find(DESCRIPTION_END) {
                Some(length) => self.pos += length,
                None => self.no_description = true,
            }
        }
        if let Some(length) = self.attached_line() {
            self.pos += length;
            return;
        }
        let (open, close) = (open.as_bytes(), close.as_bytes());
        let bytes = self.text.as_bytes().get(..self.end).unwrap_or(&[]);
        let mut depth = 0_usize;
        let mut inner = None;
        while self.pos < self.end {
            let two = bytes.get(self.pos..self.pos + 2);
            if two == Some(open) {
                depth += 1;
                if depth == 2 {
                    inner = Some(self.pos);
                }
                self.pos += 2;
            } else if two == Some(close) {
                depth -= 1;
                self.pos += 2;
                if depth == 0 {
                    self.assertion(start + 2, self.pos - 2, asides);
                    return;
                }
            } else {
                self.pos += 1;
            }
        }
        let place = Span::new(self.file, start, (start + 2).min(self.end));
        let diagnostic = Diagnostic::error(codes::OPEN_COMMENT, place, "this comment has no end", "the comment starts here");
        asides.findings.push(match inner {
            Some(at) => diagnostic
                .label(Span::new(self.file, at, at + 2), "a comment inside the comment starts here")
                .help("comments nest: each start needs its own end"),
            None => diagnostic.help(format!("end it with `{}`", String::from_utf8_lossy(close))),
        });
    }
}
