//! Sources of a program on its page: whole files, or the texts of their editors.

use super::FOLDED;
use crate::report::editor::{Editor, editors};
use crate::report::highlight::{self, Line};
use crate::store::programs::Source;

/// Lines of a source that the page shows.
const MAX_LINES: usize = 3000;

/// File of a program on its page.
pub(super) struct File {
    /// From 1.
    pub(super) number: usize,
    /// Its text is wanted.
    pub(super) is_open: bool,
    pub(super) name: String,
    pub(super) note: Option<String>,
    pub(super) n_lines: usize,
    /// Its text, or those of its editors; none if only the name is listed.
    pub(super) texts: Vec<Text>,
}

/// A text with lines of its own.
pub(super) struct Text {
    /// Title of its editor; empty for a whole file.
    pub(super) title: String,
    pub(super) lines: Vec<Line>,
    /// Number of the first line: 0 of rungs.
    pub(super) first: usize,
    pub(super) n_more: usize,
}

impl File {
    /// Returns a file with its text, or its name alone.
    fn new(source: Source, number: usize, (is_open, has_text): (bool, bool)) -> File {
        let n_lines = source.text.lines().count();
        let texts = if has_text { Text::all(&source) } else { Vec::new() };
        File { number, is_open, name: source.name, note: source.note, n_lines, texts }
    }
}

impl Text {
    fn all(source: &Source) -> Vec<Text> {
        let editors = editors(&source.name, &source.text);
        if editors.is_empty() {
            return vec![Text::new(String::new(), 1, source.text.split('\n'))];
        }
        let first = |editor: &Editor<'_>| editor.rows.first().map_or(1, |row| row.number as usize);
        editors.iter().map(|editor| Text::new(editor.title.clone(), first(editor), editor.lines())).collect()
    }

    fn new<'t>(title: String, first: usize, lines: impl Iterator<Item = &'t str> + Clone) -> Text {
        let n_more = lines.clone().count().saturating_sub(MAX_LINES);
        let start: String = lines.take(MAX_LINES).flat_map(|line| [line, "\n"]).collect();
        // Pieces of a text end with a break, also a last line that is empty.
        let start = if start.ends_with("\n\n") { &start[..start.len() - 1] } else { &start };
        Text { title, lines: highlight::lines(start), first, n_more }
    }
}

/// Returns the files of a page. Of many, only the wanted one has its text.
pub(super) fn files(sources: Vec<Source>, wanted: Option<usize>) -> Vec<File> {
    let few = sources.len() <= FOLDED;
    let file = |(source, number): (Source, usize)| {
        let is_open = wanted == Some(number);
        File::new(source, number, (is_open, few || is_open))
    };
    sources.into_iter().zip(1..).map(file).collect()
}
