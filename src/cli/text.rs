//! Text for terminals: columns, wrapped lines, counted words, colours.

use std::io::IsTerminal;

pub(super) use kernel::context::count;

use crate::report::outcome::RequirementResult;
use crate::report::verdict_class::{Colour, VerdictClass};

/// Returns one line for each row; the cells of a column are aligned.
pub(super) fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let n = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..n).map(|c| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell.chars().count())));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Returns lines of at most `width` characters, broken at spaces. A longer word gets a line of its own.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let length = lines.last().map_or(0, |l| l.chars().count());
        match lines.last_mut() {
            Some(line) if length == 0 => line.push_str(word),
            Some(line) if length + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_string()),
        }
    }
    lines
}

/// Indents each line of a text by two spaces.
pub(super) fn indent(text: &str) -> String {
    text.trim_end().lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Colours for a terminal that wants them. They add no information to the words and symbols.
pub(super) struct Paint {
    on: bool,
}

impl Paint {
    /// Turns colours on if standard output is a terminal and NO_COLOR is not set.
    pub(super) fn new() -> Paint {
        Paint { on: std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() }
    }
    /// Colours a text by an SGR code.
    pub(super) fn with(&self, code: &str, text: &str) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
    /// Makes a text bold.
    pub(super) fn bold(&self, text: &str) -> String {
        self.with("1", text)
    }
    /// Makes a text dim.
    pub(super) fn dim(&self, text: &str) -> String {
        self.with("2", text)
    }
    /// Returns the headline of a result in the colour of its class.
    pub(super) fn headline(&self, result: &RequirementResult) -> String {
        let code = match VerdictClass::of(result).colour() {
            Colour::Good => "32",
            Colour::Bad => "1;31",
            Colour::Warn | Colour::Open => "33",
        };
        self.with(code, &result.headline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_and_wrapped() {
        assert_eq!(count(1, "requirement"), "1 requirement");
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("incomprehensibilities are long", 7), ["incomprehensibilities", "are", "long"]);
        assert_eq!(wrap("", 7), [""]);
    }
}
