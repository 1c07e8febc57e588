//! Spans become places that pages can link to.

use plc_frontend::source::{Origin, SourceSet, Span};

use super::outcome::Place;

/// Returns the place of a span. Only the user's files have a number in `Outcome::sources`: they come first in the set.
pub fn place(sources: &SourceSet, span: Span) -> Place {
    let start = sources.line_col(span);
    let end = sources.line_col(Span { start: span.end.max(span.start), ..span });
    let (file, user) = match sources.files.get(span.file) {
        Some(file) => (file.name.clone(), file.origin == Origin::User),
        None => (String::new(), false),
    };
    Place { source: user.then_some(span.file.0 as usize), file, line: start.line, column: start.column, end_line: end.line }
}
