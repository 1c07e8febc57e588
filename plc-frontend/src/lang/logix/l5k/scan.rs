//! Words, texts and attribute lists of an export.

use std::ops::Range;

/// Attribute in a list: its name, the place of its value without quotes.
pub(super) type Attribute = (String, Range<usize>);

/// Reader of an export; it never fails, and never stands still.
pub(super) struct Scanner<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

/// Returns whether a text begins as an export does.
pub(super) fn is_export(text: &str) -> bool {
    let mut scanner = Scanner { text, at: 0 };
    scanner.word().is_some_and(|word| text.get(word) == Some("IE_VER"))
}

impl<'t> Scanner<'t> {
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Skips white space and comments.
    pub(super) fn space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("(*") {
                self.at += trimmed.find("*)").map_or(trimmed.len(), |end| end + 2);
            } else if trimmed.starts_with("%%") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else {
                return;
            }
        }
    }

    pub(super) fn peek(&mut self) -> Option<char> {
        self.space();
        self.rest().chars().next()
    }

    /// Takes a mark if it comes next.
    pub(super) fn take(&mut self, mark: &str) -> bool {
        self.space();
        let is_next = self.rest().starts_with(mark);
        self.at += if is_next { mark.len() } else { 0 };
        is_next
    }

    /// Takes a name: letters, digits and the marks of paths.
    pub(super) fn word(&mut self) -> Option<Range<usize>> {
        self.space();
        let rest = self.rest();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '\\');
        let is_colon = |at: usize| rest.get(at + 1..).is_some_and(|next| next.starts_with(|c: char| c.is_alphanumeric()));
        let end =
            rest.char_indices().find(|(at, c)| !(is_part(*c) || *c == ':' && is_colon(*at))).map_or(rest.len(), |(at, _)| at);
        if end == 0 {
            return None;
        }
        let range = self.at..self.at + end;
        self.at = range.end;
        Some(range)
    }

    /// Returns the word at a range.
    pub(super) fn of(&self, range: &Range<usize>) -> &'t str {
        self.text.get(range.clone()).unwrap_or("")
    }

    /// Takes the next word if it is this one.
    pub(super) fn take_word(&mut self, wanted: &str) -> bool {
        let start = self.at;
        if self.word().is_some_and(|word| self.of(&word) == wanted) {
            return true;
        }
        self.at = start;
        false
    }

    /// Takes one thing, whatever it is.
    pub(super) fn skip(&mut self) {
        if self.peek() == Some('"') {
            self.quoted();
        } else if self.word().is_none() {
            self.at += self.rest().chars().next().map_or(0, char::len_utf8);
        }
    }

    /// Takes a text in quotes; `$` stands before a character that ends no text.
    pub(super) fn quoted(&mut self) -> Option<Range<usize>> {
        if !self.take("\"") {
            return None;
        }
        let start = self.at;
        let mut is_escaped = false;
        for (at, c) in self.rest().char_indices() {
            match c {
                _ if is_escaped => is_escaped = false,
                '$' => is_escaped = true,
                '"' => {
                    self.at = start + at + 1;
                    return Some(start..start + at);
                }
                _ => {}
            }
        }
        self.at = self.text.len();
        Some(start..self.at)
    }

    /// Takes a list of attributes in parentheses, if there is one.
    pub(super) fn attributes(&mut self) -> Vec<Attribute> {
        let mut attributes = Vec::new();
        if !self.take("(") {
            return attributes;
        }
        loop {
            match self.peek() {
                None => return attributes,
                Some(')') => {
                    self.take(")");
                    return attributes;
                }
                Some(',') => drop(self.take(",")),
                Some(_) => match self.word() {
                    Some(name) if self.take(":=") => {
                        let value = self.value(&[',', ')']);
                        attributes.push((self.of(&name).to_owned(), value));
                    }
                    Some(_) => {}
                    None => self.skip(),
                },
            }
        }
    }

    /// Takes a value up to one of these marks outside of texts and lists; without the quotes around a text.
    pub(super) fn value(&mut self, ends: &[char]) -> Range<usize> {
        if self.peek() == Some('"') {
            return self.quoted().unwrap_or(self.at..self.at);
        }
        let (start, mut depth, mut in_text) = (self.at, 0u32, false);
        for (at, c) in self.rest().char_indices() {
            match c {
                '\'' => in_text = !in_text,
                _ if in_text => {}
                c if depth == 0 && ends.contains(&c) => {
                    self.at = start + at;
                    return self.trimmed(start..start + at);
                }
                '[' | '(' => depth += 1,
                ']' | ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        self.at = self.text.len();
        self.trimmed(start..self.at)
    }

    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        range.start..range.start + self.of(&range).trim_end().len()
    }
}

/// Returns the value of an attribute of a list, whatever the case of its name.
pub(super) fn find<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Range<usize>> {
    attributes.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}
