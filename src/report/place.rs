//! Spans become places that pages can link to.

use plc_frontend::source::{Origin, SourceSet, Span, is_export, place_in_export};

use super::editor::{Editor, editors, has_editors};
use super::outcome::{EditorLine, Place};

/// Returns the place of a span. Only the user's files have a number in `Outcome::sources`: they come first in the set.
pub fn place(sources: &SourceSet, span: Span) -> Place {
    let start = sources.line_col(span);
    let end = sources.line_col(Span { start: span.end.max(span.start), ..span });
    let (file, user) = match sources.files.get(span.file) {
        Some(file) => (file.name.clone(), file.origin == Origin::User),
        None => (String::new(), false),
    };
    let editor = sources.files.get(span.file).and_then(|file| {
        if file.origin == Origin::Library {
            // No user has this file.
            let library = file.name.strip_suffix(".st").unwrap_or(&file.name);
            return Some(EditorLine { title: format!("library {library}"), line: start.line, is_whole: true });
        }
        if is_export(&file.name) {
            let title = place_in_export(&file.text, span.start as usize)?;
            return Some(EditorLine { title, line: 1, is_whole: true });
        }
        let all = if has_editors(&file.name) { editors(&file.name, &file.text) } else { Vec::new() };
        let line = |editor: Editor<'_>| Some(EditorLine { line: editor.line(start.line)?, title: editor.title, is_whole: false });
        all.into_iter().find_map(line)
    });
    let source = user.then_some(span.file.0 as usize);
    Place { source, file, line: start.line, column: start.column, end_line: end.line, editor }
}

/// Returns the line of a span in words: `line 9`; in a program of several files `line 9 of pump.st`.
pub(super) fn line_words(sources: &SourceSet, span: Span) -> String {
    let place = place(sources, span);
    let several = 1 < sources.files.iter().filter(|file| file.origin == Origin::User).count();
    if !several || place.editor.is_some() {
        return place.line_words();
    }
    format!("{} of {}", place.line_words(), place.file.rsplit('/').next().unwrap_or_default())
}
