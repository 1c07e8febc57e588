//! Diagnostics for people: text with excerpts of the source, plain or coloured for a terminal.
//!
//! Knows diagnostics and sources. Long lines are cut, so that findings about 10 MB of text on one line are still a page. A
//! place of several lines is shown by its first line.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use codespan_reporting::diagnostic::{Diagnostic as Shown, Label as ShownLabel, LabelStyle};
use codespan_reporting::files::{Error, Files, column_index};
use codespan_reporting::term::termcolor::{Ansi, NoColor, WriteColor};
use codespan_reporting::term::{Config, emit_to_write_style};

use crate::text::diagnostic::{Diagnostic, Severity};
use crate::text::source::{FileId, SourceSet, Span};

/// The longest excerpt of a line, in bytes; of a longer line, the part around the place is shown.
const LONGEST: usize = 160;

/// Returns diagnostics as plain text.
pub fn plain(sources: &SourceSet, diagnostics: &[Diagnostic]) -> String {
    let mut out = NoColor::new(Vec::new());
    write(sources, diagnostics, &mut out);
    String::from_utf8_lossy(out.get_ref()).into_owned()
}

/// Returns diagnostics as text for a terminal with colours.
pub fn ansi(sources: &SourceSet, diagnostics: &[Diagnostic]) -> String {
    let mut out = Ansi::new(Vec::new());
    write(sources, diagnostics, &mut out);
    String::from_utf8_lossy(out.get_ref()).into_owned()
}

/// Returns a diagnostic as one line for logs and editors: `file.st:3:7: error[P1011]: message`.
pub fn short(sources: &SourceSet, diagnostic: &Diagnostic) -> String {
    let span = diagnostic.span();
    let place = sources.line_col(span);
    let name = sources.files.get(span.file).map_or("", |f| f.name.as_str());
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    format!("{name}:{}:{}: {severity}[{}]: {}", place.line, place.column, diagnostic.code, diagnostic.message)
}

fn write<W: WriteColor>(sources: &SourceSet, diagnostics: &[Diagnostic], out: &mut W) {
    // Only files with places are read: a project may have many others.
    let places = diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels).map(|label| label.span.file);
    let named: BTreeSet<FileId> = places.filter(|id| sources.files.get(*id).is_some()).collect();
    let lines = named.into_iter().map(|id| (id, line_starts(sources, id))).collect();
    for diagnostic in diagnostics {
        let mut excerpts = Excerpts { sources, lines: &lines, cuts: BTreeMap::new() };
        let shown = excerpts.show(diagnostic);
        if emit_to_write_style(out, &Config::default(), &excerpts, &shown).is_err() {
            // The finding appears even if its excerpt cannot be drawn.
            let _ = writeln!(out, "{}", short(sources, diagnostic));
        }
    }
}

type Lines = BTreeMap<FileId, Vec<usize>>;

fn line_starts(sources: &SourceSet, id: FileId) -> Vec<usize> {
    let text = sources.files.get(id).map_or("", |f| f.text.as_str());
    std::iter::once(0).chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1)).collect()
}

/// The source files, with the lines of one diagnostic cut to their shown parts.
struct Excerpts<'s> {
    sources: &'s SourceSet,
    lines: &'s Lines,
    /// The shown part of long lines.
    cuts: BTreeMap<(FileId, usize), Range<usize>>,
}

impl Excerpts<'_> {
    fn show(&mut self, diagnostic: &Diagnostic) -> Shown<FileId> {
        let shown = match diagnostic.severity {
            Severity::Error => Shown::error(),
            Severity::Warning => Shown::warning(),
        };
        let mut labels = Vec::new();
        let mut notes: Vec<String> = diagnostic.help.iter().map(|help| format!("help: {help}")).collect();
        for (i, label) in diagnostic.labels.iter().enumerate() {
            let style = if i == 0 { LabelStyle::Primary } else { LabelStyle::Secondary };
            match self.shown_range(label.span) {
                Some(range) => labels.push(ShownLabel::new(style, label.span.file, range).with_message(&label.message)),
                None => {
                    let place = self.sources.line_col(label.span);
                    notes.push(format!("line {}, column {}: {}", place.line, place.column, label.message));
                }
            }
        }
        shown.with_code(diagnostic.code).with_message(&diagnostic.message).with_labels(labels).with_notes(notes)
    }

    /// Returns the part of a place that its excerpt shows; `None` if it is not in the shown part of its line.
    fn shown_range(&mut self, span: Span) -> Option<Range<usize>> {
        let text = self.sources.files.get(span.file)?.text.as_str();
        let (start, end) = (span.start as usize, span.end as usize);
        text.get(start..end)?;
        let line = self.line_index(span.file, start).ok()?;
        let whole = self.whole_line(span.file, line).ok()?;
        let cut = self.cuts.entry((span.file, line)).or_insert_with(|| cut(text, &whole, start));
        if start < cut.start || cut.end < start {
            return None;
        }
        // Line ends are not drawn: a place behind the last character is shown there.
        let drawn = text.get(cut.clone())?.trim_end_matches(['\n', '\r']).len();
        let last = cut.start + drawn;
        Some(start.min(last)..end.min(last).max(start.min(last)))
    }

    fn whole_line(&self, id: FileId, line: usize) -> Result<Range<usize>, Error> {
        let starts = self.lines.get(&id).ok_or(Error::FileMissing)?;
        let start = *starts.get(line).ok_or(Error::LineTooLarge { given: line, max: starts.len() })?;
        let text = self.source(id)?;
        Ok(start..starts.get(line + 1).copied().unwrap_or(text.len()))
    }
}

/// Returns at most [`LONGEST`] bytes of `line` around the byte `at`, on character boundaries.
fn cut(text: &str, line: &Range<usize>, at: usize) -> Range<usize> {
    if line.len() <= LONGEST {
        return line.clone();
    }
    let boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = line.start.max(at.saturating_sub(LONGEST / 2));
    boundary(start)..boundary(line.end.min(start + LONGEST))
}

impl<'s> Files<'s> for Excerpts<'s> {
    type FileId = FileId;
    type Name = &'s str;
    type Source = &'s str;

    fn name(&'s self, id: FileId) -> Result<&'s str, Error> {
        self.sources.files.get(id).map(|f| f.name.as_str()).ok_or(Error::FileMissing)
    }
    fn source(&'s self, id: FileId) -> Result<&'s str, Error> {
        self.sources.files.get(id).map(|f| f.text.as_str()).ok_or(Error::FileMissing)
    }
    fn line_index(&'s self, id: FileId, byte: usize) -> Result<usize, Error> {
        let starts = self.lines.get(&id).ok_or(Error::FileMissing)?;
        Ok(starts.partition_point(|start| *start <= byte).saturating_sub(1))
    }
    fn line_range(&'s self, id: FileId, line: usize) -> Result<Range<usize>, Error> {
        match self.cuts.get(&(id, line)) {
            Some(cut) => Ok(cut.clone()),
            None => self.whole_line(id, line),
        }
    }
    fn column_number(&'s self, id: FileId, line: usize, byte: usize) -> Result<usize, Error> {
        let line = self.whole_line(id, line)?;
        Ok(column_index(self.source(id)?, line, byte) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sources(text: &str) -> SourceSet {
        let mut sources = SourceSet::default();
        sources.add("main.st", text);
        sources
    }

    fn finding(start: usize, end: usize) -> Diagnostic {
        Diagnostic::error("P1011", Span::new(FileId(0), start, end), "`;` is missing", "here").help("end it with `;`")
    }

    #[test]
    fn a_finding_shows_its_lines_its_labels_and_its_help() {
        let text = "PROGRAM P\nx := 1\nEND_PROGRAM\n";
        let diagnostic = finding(16, 16).label(Span::new(FileId(0), 0, 9), "in this program");
        let expected = "\
error[P1011]: `;` is missing
  ┌─ main.st:2:7
  │
1 │ PROGRAM P
  │ --------- in this program
2 │ x := 1
  │       ^ here
  │
  = help: end it with `;`

";
        assert_eq!(plain(&sources(text), std::slice::from_ref(&diagnostic)), expected);
        assert_eq!(short(&sources(text), &diagnostic), "main.st:2:7: error[P1011]: `;` is missing");
        let coloured = ansi(&sources(text), &[diagnostic.clone(), diagnostic.warning()]);
        assert!(coloured.contains("\u{1b}[") && coloured.contains("warning"), "{coloured}");
    }

    #[test]
    fn a_place_of_several_lines_is_shown_by_its_first() {
        let shown = plain(&sources("IF a THEN\n  b := c;\nEND_IF"), &[finding(0, 20)]);
        assert!(shown.contains("1 │ IF a THEN\n  │ ^^^^^^^^^ here\n"), "{shown}");
        assert!(!shown.contains("b := c"), "{shown}");
    }

    #[test]
    fn long_lines_are_cut_around_the_place_and_columns_stay_true() {
        let text = format!("{}!{}", "(".repeat(5000), "é".repeat(5000));
        let shown = plain(&sources(&text), &[finding(5000, 5001).label(Span::new(FileId(0), 3, 4), "far away")]);
        assert!(shown.len() < 2000, "{}", shown.len());
        assert!(shown.contains("main.st:1:5001"), "{shown}");
        assert!(shown.contains("(!é") && shown.contains("^ here"), "{shown}");
        assert!(shown.contains("line 1, column 4: far away"), "{shown}");
    }

    #[test]
    fn a_place_outside_of_the_text_is_still_a_message() {
        let nowhere = Diagnostic::error("P0004", Span::new(FileId(7), 3, 9), "unknown", "nowhere");
        assert!(plain(&sources("x"), &[nowhere, finding(100, 200)]).contains("error[P0004]: unknown"));
    }

    proptest! {
        #[test]
        fn every_finding_is_shown(text in "[a\\t\\r\\né(]{0,400}", start in 0..500_usize, length in 0..500_usize, other in 0..500_usize) {
            let diagnostic = finding(start, start + length).label(Span::new(FileId(0), other, other + 1), "there");
            let shown = plain(&sources(&text), std::slice::from_ref(&diagnostic));
            prop_assert!(shown.contains("error[P1011]: `;` is missing"), "{}", shown);
            prop_assert!(shown.contains("end it with `;`"), "{}", shown);
            let in_text = text.get(start..start + length).or(text.get(other..other + 1)).is_some();
            prop_assert_eq!(in_text, shown.contains("main.st:"), "{}", shown);
        }
    }
}
