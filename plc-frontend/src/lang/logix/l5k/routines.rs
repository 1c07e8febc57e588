//! Routines: rungs with their comments, lines of Structured Text.

use std::ops::Range;

use super::components::Export;

/// Routines with the type that XML gives them.
const KINDS: &[(&str, &str)] = &[("ROUTINE", "RLL"), ("ST_ROUTINE", "ST"), ("FBD_ROUTINE", "L5K"), ("SFC_ROUTINE", "L5K")];

/// Returns the text with white space for the marks before lines of Structured Text.
pub(super) fn without_marks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut is_inside = false;
    for line in text.split_inclusive('\n') {
        let word = line.trim_start();
        if word.starts_with("ST_ROUTINE") {
            is_inside = true;
        } else if word.starts_with("END_ST_ROUTINE") {
            is_inside = false;
        }
        match word.strip_prefix('\'') {
            Some(rest) if is_inside => {
                plain.push_str(line.get(..line.len() - word.len()).unwrap_or(""));
                plain.push(' ');
                plain.push_str(rest);
            }
            _ => plain.push_str(line),
        }
    }
    plain
}

impl Export<'_> {
    /// Reads a routine, if the word begins one.
    pub(super) fn routine(&mut self, word: &str, at: &Range<usize>) {
        let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == word) else { return self.misplaced(at) };
        let end = format!("END_{word}");
        self.list("Routines");
        let (_, _) = self.begin("Routine");
        // Routines with pending edits have several bodies.
        let is_edited = self.scanner.take_word("LOGIC");
        self.builder.word("Type", if is_edited { "L5K" } else { kind });
        match *kind {
            "RLL" if !is_edited => self.rungs(&end),
            "ST" if !is_edited => self.lines(&end),
            _ => self.skip_to(&end),
        }
        self.end();
        self.end();
    }

    /// Reads `RC: "comment";` and `N: rung;`
    fn rungs(&mut self, end: &str) {
        self.list("RLLContent");
        let mut comment = None;
        let mut number = 0u32;
        while self.scanner.peek().is_some() && !self.scanner.take_word(end) {
            let Some(kind) = self.scanner.word() else {
                self.scanner.skip();
                continue;
            };
            if !self.scanner.take(":") {
                self.misplaced(&kind);
                continue;
            }
            if self.scanner.of(&kind) == "RC" {
                comment = self.scanner.quoted();
                // Long comments are several texts in a row.
                while self.scanner.quoted().is_some() {}
                self.scanner.take(";");
                continue;
            }
            self.scanner.space();
            let text = self.scanner.value(&[';']);
            let text = text.start..self.scanner.at + usize::from(self.scanner.rest().starts_with(';'));
            self.scanner.take(";");
            self.builder.open("Rung", &kind);
            self.builder.word("Number", &number.to_string());
            self.builder.attribute("Type", &kind);
            for (name, range) in comment.take().map(|range| ("Comment", range)).into_iter().chain([("Text", text)]) {
                self.builder.open(name, &(range.start..range.start));
                self.builder.text(&range);
                self.builder.close(range.end);
            }
            self.end();
            number += 1;
        }
        self.end();
    }

    /// Reads the lines of a routine in Structured Text.
    fn lines(&mut self, end: &str) {
        self.list("STContent");
        loop {
            let rest = self.scanner.rest();
            let line = rest.split_inclusive('\n').next().unwrap_or("");
            let word = line.trim_start();
            if line.is_empty() || word.starts_with(end) {
                self.scanner.take_word(end);
                break;
            }
            if word.starts_with("END_") {
                let at = self.scanner.at + (line.len() - word.len());
                self.misplaced(&(at..at + word.trim_end().len()));
            }
            let start = self.scanner.at + (line.len() - word.len());
            let text = start..start + word.trim_end().len();
            self.scanner.at += line.len();
            if word.starts_with('\'') && 1 < text.len() {
                self.builder.open("Line", &(start..start));
                self.builder.text(&text);
                self.builder.close(text.end);
            }
        }
        self.end();
    }
}
