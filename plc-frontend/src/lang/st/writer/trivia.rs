//! Comments and pragmas: no tree holds them, so they are written again beside their old neighbours.

use std::collections::VecDeque;

use super::Writer;

/// A comment or pragma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trivium<'t> {
    /// As written.
    pub(super) text: &'t str,
    /// Its first byte in the file.
    pub(super) start: u32,
    /// Nothing but space stands before it on its line.
    pub(super) is_alone: bool,
}

/// Pragmas that are written elsewhere or that have acted already: excluded text is not in the tree.
const PRAGMAS_WITH_EFFECT: &[&str] = &["stopwatch", "if", "elsif", "else", "end_if", "define", "undefine"];

/// Returns all comments and pragmas of a text, in order.
pub(super) fn all(text: &str) -> VecDeque<Trivium<'_>> {
    let bytes = text.as_bytes();
    let mut found = VecDeque::new();
    let (mut at, mut is_alone) = (0, true);
    while at < bytes.len() {
        let end = match (bytes[at], bytes.get(at + 1)) {
            (b'\n', _) => {
                is_alone = true;
                at += 1;
                continue;
            }
            (b'/', Some(b'/')) => at + text[at..].find('\n').unwrap_or(text.len() - at),
            (b'(', Some(b'*')) => end_of_nested(bytes, at, b"(*", b"*)"),
            (b'/', Some(b'*')) => end_of_nested(bytes, at, b"/*", b"*/"),
            (b'{', _) => text[at..].find('}').map_or(bytes.len(), |n| at + n + 1),
            (b'\'' | b'"', _) => {
                at = end_of_string(bytes, at);
                is_alone = false;
                continue;
            }
            (byte, _) => {
                is_alone &= byte.is_ascii_whitespace();
                at += 1;
                continue;
            }
        };
        let Some(written) = text.get(at..end) else { break };
        if !has_effect(written) {
            found.push_back(Trivium { text: written.trim_end(), start: at as u32, is_alone });
        }
        at = end;
    }
    found
}

/// Returns the end of a comment; comments may stand inside of comments.
fn end_of_nested(bytes: &[u8], start: usize, open: &[u8], close: &[u8]) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while let Some(two) = bytes.get(at..at + 2) {
        if two == open {
            depth += 1;
            at += 2;
        } else if two == close {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

/// Returns the end of a string: at the end of its line at the latest; `$` hides the next character.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' => return at,
            b'$' => at += 2,
            byte if *byte == bytes[start] => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Returns whether a comment or pragma is written elsewhere or has acted already: assertions are statements of the tree.
fn has_effect(written: &str) -> bool {
    let inner = written.trim_start_matches(['/', '(', '*', '{']).trim_start();
    if !written.starts_with('{') {
        const ASSERTION: &str = "#ASSERT";
        return inner.get(..ASSERTION.len()).is_some_and(|head| head.eq_ignore_ascii_case(ASSERTION));
    }
    let word = inner.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
    PRAGMAS_WITH_EFFECT.iter().any(|p| word.eq_ignore_ascii_case(p))
}

impl Writer<'_> {
    /// Writes the comments and pragmas before a place that are not written yet.
    pub(super) fn before(&mut self, place: u32) -> &mut Self {
        while let Some(next) = self.trivia.front().copied().filter(|next| next.start < place) {
            self.trivia.pop_front();
            let last = self.out.trim_end_matches('\n').rsplit('\n').next().unwrap_or("");
            let is_behind = !next.is_alone && !last.is_empty() && !last.contains("//");
            if is_behind {
                self.out.truncate(self.out.trim_end_matches('\n').len());
                self.out.push(' ');
                self.out.push_str(next.text);
                self.out.push('\n');
            } else {
                self.line(next.text);
            }
        }
        self
    }
}
