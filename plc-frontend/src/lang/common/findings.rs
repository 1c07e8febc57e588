//! A bounded collection of diagnostics: a file of garbage must not flood the user.

use crate::text::{Diagnostic, FileId, Parsed, Severity, Span, codes};

/// Most findings of one file that are shown.
pub const SHOWN: usize = 200;

/// The first findings of a file, and the number of the others.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    shown: Vec<Diagnostic>,
    beyond: usize,
}

impl Findings {
    /// Adds one; its sentences are cut to a readable length, since they may quote the text.
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        if self.shown.len() < SHOWN {
            clip(&mut diagnostic.message);
            diagnostic.help.iter_mut().for_each(clip);
            diagnostic.labels.iter_mut().for_each(|label| clip(&mut label.message));
            self.shown.push(diagnostic);
        } else {
            self.beyond += 1;
        }
    }
    /// Adds an error with a way out.
    pub fn report(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        here: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(Diagnostic::error(code, span, message, here).help(help));
    }
    /// Keeps the findings of a piece of the file and returns the part that was understood.
    pub fn keep<T>(&mut self, piece: Parsed<T>) -> T {
        piece.diagnostics.into_iter().for_each(|finding| self.push(finding));
        piece.value
    }
    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }
    /// Returns whether one is an error.
    pub fn has_errors(&self) -> bool {
        self.shown.iter().any(|finding| finding.severity == Severity::Error)
    }
    /// Returns the findings as warnings.
    pub fn warnings(mut self) -> Findings {
        self.shown.iter_mut().for_each(|d| d.severity = Severity::Warning);
        self
    }
    /// Adds the findings of a part of the file.
    pub fn append(&mut self, other: Findings) {
        for diagnostic in other.shown {
            self.push(diagnostic);
        }
        self.beyond += other.beyond;
    }
    /// Returns the findings in source order, then one with the number of those that are not shown.
    pub fn finish(self, file: FileId, text: &str) -> Vec<Diagnostic> {
        let mut shown = self.shown;
        shown.sort_by_key(|d| d.span().start);
        if 0 < self.beyond {
            let end = Span::new(file, text.len(), text.len());
            let message = format!("{} more errors are not shown", self.beyond);
            let last = Diagnostic::error(codes::MORE_ERRORS, end, message, "up to here");
            shown.push(last.help("mend the errors above first; often they cause the others"));
        }
        shown
    }
}

fn clip(sentence: &mut String) {
    /// In characters.
    const LONGEST: usize = 300;
    *sentence = super::clipped(std::mem::take(sentence), LONGEST);
}
