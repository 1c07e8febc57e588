//! What is wrong with the user's program, where, and what to do about it.

use serde::{Deserialize, Serialize};

use crate::text::source::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The program cannot be verified until this is mended.
    Error,
    /// The program can be verified; a person should look at this.
    Warning,
}

/// A place with a word about what is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is there ("declared here"), not what to do.
    pub message: String,
}

/// One finding. Parsers collect all of them; none ends the reading of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Stable code `P####`, never reused: P0xxx text, P1xxx syntax, P2xxx names, P3xxx types, P4xxx rules, P5xxx not modelled.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// The place, first; then related places.
    pub labels: Vec<Label>,
    /// A way out, if one is known.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>, here: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: vec![Label { span, message: here.into() }],
            help: None,
        }
    }
    /// The same finding as a warning.
    pub fn warning(mut self) -> Diagnostic {
        self.severity = Severity::Warning;
        self
    }
    /// Adds a related place.
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, message: message.into() });
        self
    }
    /// Says what to do.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
    /// The main place.
    pub fn span(&self) -> Span {
        self.labels.first().map_or(Span::none(), |l| l.span)
    }
}

/// What was understood, with what was wrong: reading never fails.
#[derive(Clone, Debug)]
pub struct Parsed<T> {
    /// As much as could be understood.
    pub value: T,
    /// Everything that was wrong, in source order.
    pub diagnostics: Vec<Diagnostic>,
}

impl<T> Parsed<T> {
    /// Whether any finding is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }
}
