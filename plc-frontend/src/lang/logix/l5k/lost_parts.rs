//! Components without an end: the export is cut off, or a part of it is missing.
//!
//! Soundness: what is missing could change everything, so nothing of such a file is verified. The names of tasks stand last.

use std::ops::Range;

use super::components::Export;
use crate::text::{Diagnostic, FileId, Span};

/// Words that begin a component; `END_` and the word ends it.
const COMPONENTS: &[&str] = &[
    "CONTROLLER",
    "DATATYPE",
    "MODULE",
    "ADD_ON_INSTRUCTION_DEFINITION",
    "PROGRAM",
    "TASK",
    "TAG",
    "ROUTINE",
    "ST_ROUTINE",
    "FBD_ROUTINE",
    "SFC_ROUTINE",
];

/// A component without an end.
#[derive(Clone, Debug)]
pub(super) enum LostPart {
    /// The file ends inside of the controller of this name.
    AtEnd(Range<usize>),
    /// This word begins or ends another component inside of the open one.
    Before(Range<usize>),
}

impl LostPart {
    /// Returns the error.
    pub(super) fn error(&self, file: FileId, text: &str) -> Diagnostic {
        let place = |range: &Range<usize>| Span::new(file, range.start, range.end);
        let error = match self {
            LostPart::AtEnd(name) => {
                let message = "the controller has no END_CONTROLLER: the end of the file is missing";
                let end = text.trim_end().len();
                Diagnostic::error("P0006", place(name), message, "starts here").label(place(&(end..end)), "the file ends here")
            }
            LostPart::Before(word) => {
                let found = text.get(word.clone()).unwrap_or_default();
                let message = format!("`{found}` stands inside of another component: a part of the file is missing before it");
                Diagnostic::error("P0006", place(word), message, "the component around it has no end")
            }
        };
        error.help("export the project again from Studio 5000")
    }
}

impl Export<'_> {
    /// Notes that a word begins or ends another component than the one that is read.
    pub(super) fn misplaced(&mut self, word: &Range<usize>) {
        let text = self.scanner.of(word);
        if COMPONENTS.contains(&text.strip_prefix("END_").unwrap_or(text)) {
            self.open.get_or_insert(LostPart::Before(word.clone()));
        }
    }

    /// Takes everything up to the end word of a component.
    pub(super) fn skip_to(&mut self, end: &str) {
        while self.scanner.peek().is_some() && !self.scanner.take_word(end) {
            let start = self.scanner.at;
            self.scanner.skip();
            // Words without `END_` may stand anywhere in text that is not read.
            if self.scanner.text.get(start..).is_some_and(|rest| rest.starts_with("END_")) {
                self.misplaced(&(start..self.scanner.at));
            }
        }
    }
}
