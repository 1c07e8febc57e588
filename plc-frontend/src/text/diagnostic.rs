//! Findings: errors and warnings about the user's program, with places and remedies.

use serde::{Deserialize, Serialize};

use crate::text::quoted::shown;
use crate::text::source::Span;

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The program cannot be verified until this is corrected.
    Error,
    /// The program can be verified; people should look at this.
    Warning,
}

/// A place with a few words about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The reason for the label ("declared here"), without advice.
    pub message: String,
}

/// One finding. Parsers collect all of them; none ends the reading of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Stable code `P####`, never reused: P0xxx text, P1xxx syntax, P2xxx names, P3xxx types, P4xxx rules, P5xxx not modelled.
    pub code: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// The place, first; then related places.
    pub labels: Vec<Label>,
    /// Advice, if there is any.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Returns an error at `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>, here: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: text(message),
            labels: vec![Label { span, message: text(here) }],
            help: None,
        }
    }
    /// Returns the same finding as a warning.
    pub fn warning(mut self) -> Diagnostic {
        self.severity = Severity::Warning;
        self
    }
    /// Adds a related place.
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, message: text(message) });
        self
    }
    /// Adds advice.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(text(help));
        self
    }
    /// Returns the main place.
    pub fn span(&self) -> Span {
        self.labels.first().map_or(Span::none(), |l| l.span)
    }
}

/// Returns a text as people see it.
fn text(text: impl Into<String>) -> String {
    shown(&text.into()).into_owned()
}

/// Error in a literal: a finding without its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// One sentence.
    pub message: String,
    /// Advice.
    pub help: &'static str,
}

impl Malformed {
    /// Returns an error with this message and advice.
    pub fn new(message: impl Into<String>, help: &'static str) -> Malformed {
        Malformed { message: message.into(), help }
    }
}

/// Result of reading, which never fails: a value and findings.
#[derive(Clone, Debug)]
pub struct Parsed<T> {
    /// The part that was understood.
    pub value: T,
    /// All findings, in source order.
    pub diagnostics: Vec<Diagnostic>,
}

impl<T> Parsed<T> {
    /// Returns whether any finding is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }
}
