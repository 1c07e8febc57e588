//! Line differences between the sources of two versions.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;
use similar::{Algorithm, ChangeTag, TextDiff};
use utoipa::ToSchema;

use crate::report::editor::editors;
use crate::report::outcome::PouSummary;

/// Longest time for the shortest difference of one file; afterwards a longer one is taken.
const DEADLINE: Duration = Duration::from_millis(500);
/// Lines around a difference.
const CONTEXT: usize = 3;
/// Lines of a difference that are shown; the number of the others is told.
const MAX_LINES: usize = 2_000;

/// Fate of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// In both versions, with other lines.
    Changed,
    /// Only in the newer version.
    Added,
    /// Only in the older version.
    Removed,
}

/// A line of a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DiffLine {
    /// `+`, `-`, a blank for a line of both, or `…` between two places.
    pub sign: char,
    /// Line number in the older version.
    pub before: Option<usize>,
    /// Line number in the newer version.
    pub after: Option<usize>,
    /// The line.
    pub text: String,
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FileChange {
    /// Its name.
    pub name: String,
    /// Its fate.
    pub fate: Fate,
    /// POUs of the newer version with changed lines.
    pub pous: Vec<String>,
    /// Lines that differ, with lines around them.
    pub lines: Vec<DiffLine>,
    /// Lines that are not shown.
    pub n_more: usize,
}

/// Returns the files that differ: names and texts, in the order of the newer version, then those that were removed.
///
/// Cost: linear in practice; each file stops looking for the shortest difference after [`DEADLINE`].
pub fn files(old: &[(&str, &str)], new: &[(&str, &str)], pous: &[PouSummary]) -> Vec<FileChange> {
    let mut changes = Vec::new();
    let mut is_free = vec![true; old.len()];
    let folders = [folder(old), folder(new)];
    let names: BTreeSet<&str> = new.iter().map(|(name, _)| *name).collect();
    for (name, text) in new {
        let moved = |at: &usize| !names.contains(old[*at].0) && old[*at].0.get(folders[0]..) == name.get(folders[1]..);
        let before = (0..old.len()).find(|at| is_free[*at] && old[*at].0 == *name);
        let before = before.or_else(|| (0..old.len()).filter(|at| is_free[*at]).find(moved));
        if let Some(at) = before {
            is_free[at] = false;
        }
        match before.map(|at| old[at].1) {
            Some(before) if before == *text => {}
            Some(before) => changes.push(file(name, Fate::Changed, (before, text), pous)),
            None => changes.push(file(name, Fate::Added, ("", text), pous)),
        }
    }
    let removed = old.iter().zip(&is_free).filter(|(_, is_free)| **is_free);
    changes.extend(removed.map(|((name, text), _)| file(name, Fate::Removed, (text, ""), &[])));
    changes
}

/// Returns the length of the folder that all files of a version stand in. Two versions may stand in two folders of a client.
fn folder(files: &[(&str, &str)]) -> usize {
    let mut common: Option<&str> = None;
    for (name, _) in files {
        let own = &name[..name.rfind('/').map_or(0, |at| at + 1)];
        common = Some(common.map_or(own, |common| {
            let n = common.bytes().zip(own.bytes()).take_while(|(a, b)| a == b).count();
            &own[..own.as_bytes()[..n].iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1)]
        }));
    }
    common.map_or(0, str::len)
}

fn file(name: &str, fate: Fate, (old, new): (&str, &str), pous: &[PouSummary]) -> FileChange {
    let texts = [Shown::of(name, old), Shown::of(name, new)];
    // What an editor does not show may differ, too.
    let [old, new] = match texts {
        [Some(old), Some(new)] if old.text != new.text && old.hidden == new.hidden => [old, new],
        [_, _] => [Shown::whole(old), Shown::whole(new)],
    };
    let diff = TextDiff::configure().algorithm(Algorithm::Myers).timeout(DEADLINE).diff_lines(&old.text, &new.text);
    let mut lines = Vec::new();
    let mut touched: Vec<usize> = Vec::new();
    for group in diff.grouped_ops(CONTEXT) {
        if !lines.is_empty() {
            lines.push(DiffLine { sign: '…', before: None, after: None, text: String::new() });
        }
        for op in group {
            // A deletion touches the line that now stands in its place.
            if op.tag() != similar::DiffTag::Equal {
                touched.extend(op.new_range().chain([op.new_range().start]).map(|index| new.line(index)));
            }
            for change in diff.iter_changes(&op) {
                let sign = match change.tag() {
                    ChangeTag::Equal => ' ',
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                };
                let text = change.value().trim_end_matches(['\r', '\n']).to_owned();
                let number = |shown: &Shown<'_>, index: Option<usize>| index.map(|index| shown.line(index));
                lines.push(DiffLine {
                    sign,
                    before: number(&old, change.old_index()),
                    after: number(&new, change.new_index()),
                    text,
                });
            }
        }
    }
    // Two texts may differ in their line ends alone.
    let n_more = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    FileChange { name: name.to_owned(), fate, pous: around(name, &touched, pous), lines, n_more }
}

/// Text of a file, as a difference shows it: of a file with editors only what they show.
struct Shown<'t> {
    text: Cow<'t, str>,
    /// Lines of the file; `None` if they are those of the text.
    at: Option<Vec<usize>>,
    /// Lines that no editor shows, without those that only number other lines.
    hidden: Vec<&'t str>,
}

impl<'t> Shown<'t> {
    fn whole(text: &'t str) -> Shown<'t> {
        Shown { text: Cow::Borrowed(text), at: None, hidden: Vec::new() }
    }
    /// Returns what the editors of a file show; `None` if it has none.
    fn of(name: &str, text: &'t str) -> Option<Shown<'t>> {
        let editors = editors(name, text);
        let rows = || editors.iter().flat_map(|editor| &editor.rows);
        rows().next()?;
        let at: Vec<usize> = rows().map(|row| row.at as usize).collect();
        let shown: BTreeSet<usize> = at.iter().copied().collect();
        let hidden = text.lines().zip(1..).filter(|(line, n)| !shown.contains(n) && !line.contains("<LineId "));
        let hidden = hidden.map(|(line, _)| line.trim()).collect();
        Some(Shown { text: rows().flat_map(|row| [row.text, "\n"]).collect(), at: Some(at), hidden })
    }
    /// Returns the line of the file, from 1, for a line of the text, from 0.
    fn line(&self, index: usize) -> usize {
        match &self.at {
            // Behind the last row.
            Some(at) => at.get(index).or(at.last()).copied().unwrap_or_default(),
            None => index + 1,
        }
    }
}

/// Returns the POUs that these lines, counted from 1, are in: the last that begins before each line.
fn around(file: &str, lines: &[usize], pous: &[PouSummary]) -> Vec<String> {
    let mut here: Vec<&PouSummary> = pous.iter().filter(|pou| pou.place.file == file).collect();
    here.sort_by_key(|pou| pou.place.line);
    let mut names: Vec<String> = Vec::new();
    for line in lines {
        let found = here.iter().rev().find(|pou| pou.place.line as usize <= *line);
        if let Some(name) = found.map(|pou| format!("{} {}", pou.kind, pou.name)).filter(|name| !names.contains(name)) {
            names.push(name);
        }
    }
    names
}
