//! The user's code as an online view shows it in one scan cycle: values beside the lines, and lines that did not run.

use std::collections::{BTreeMap, BTreeSet};

use super::editor::{Editor, editors};
use super::highlight::{self, Piece};
use super::outcome::{Counterexample, Cycle, Outcome, Place, Source};

/// All sources in one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Those with causes first; texts where nothing ever ran are left out.
    pub texts: Vec<ListedText>,
    /// Titles of texts that ran in some cycle, and are left out since nothing in them is a cause in this one.
    pub others: Vec<String>,
    /// Source and line of the place where it breaks, or else of the last cause in this cycle, if that is listed.
    pub last_cause: Option<(usize, u32)>,
    /// Something is folded or left out that can be shown.
    pub is_cut: bool,
}

/// A source, or the text of one of its editors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedText {
    /// Position of the source in the outcome.
    pub source: usize,
    /// Title: the name of the file, or that of the editor.
    pub title: String,
    /// Name of its file, if the title is that of an editor.
    pub of_file: String,
    /// A file of XML, as it is.
    pub is_markup: bool,
    /// The declarations of its editors.
    pub is_declaration: bool,
    /// Its lines, stretches without anything to see folded.
    pub rows: Vec<ListingRow>,
}

/// A row of the listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListingRow {
    /// A line of source.
    Line(ListedLine),
    /// These lines are left out.
    Folded {
        /// First line, as it is shown.
        from: u32,
        /// Last line, as it is shown.
        to: u32,
        /// First line in the file.
        at: u32,
        /// Something ran there.
        ran: bool,
    },
}

/// A line of source in one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedLine {
    /// Line of the file, 1-based.
    pub at: u32,
    /// Number that is shown: that of the file or of the editor.
    pub number: u32,
    /// Its text.
    pub pieces: Vec<(Piece, String)>,
    /// Its fate in this cycle.
    pub mark: Mark,
    /// Number of executions in this cycle, where that is more than once.
    pub times: Option<usize>,
    /// It reads or writes a variable that matters, or it is where it breaks.
    pub cause: bool,
    /// It is where it breaks.
    pub broken: bool,
    /// Values read and written.
    pub values: Vec<ListedValue>,
    /// Number of values that do not matter and are left out.
    pub n_more: usize,
}

/// Fate of a line in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It ran.
    Executed,
    /// It could have, but did not.
    Skipped,
    /// Nothing to run here.
    Quiet,
}

/// A value beside a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedValue {
    /// The variable.
    pub name: String,
    /// In ST syntax.
    pub value: String,
    /// Written rather than read.
    pub written: bool,
    /// `from cycle 1`, `from the start`, if an earlier cycle wrote the value.
    pub from: Option<String>,
}

/// Programs up to this length are shown whole.
const WHOLE_LINES: usize = 80;
/// With everything shown, files up to this length are shown whole.
const WHOLE_FILE_LINES: usize = 250;
/// Lines kept around those with something to see.
const CONTEXT: usize = 4;
/// Lines of a cycle without causes.
const MOST_WITHOUT_CAUSE: usize = 60;
/// Values beside one line; loops can have thousands.
const MAX_VALUES: usize = 16;
/// Values beside one line that do not matter. A call of a stub can have dozens.
const MAX_BACKGROUND: usize = 4;

/// Returns the listing of one cycle. `whole`: every line that ran, not only causes and the lines around them.
pub fn listing(outcome: &Outcome, cex: &Counterexample, cycle: &Cycle, whole: bool) -> Listing {
    let is_last = cex.cycles.last().is_some_and(|last| last.number == cycle.number);
    let mut ever = BTreeSet::new();
    for step in cex.cycles.iter().flat_map(|c| &c.steps) {
        ever.extend(step.place.source.map(|s| (s, step.place.line)));
    }
    let broken_source = cex.place.as_ref().and_then(|p| p.source);
    let mut all: Vec<(ListedText, Vec<ListedLine>)> = Vec::new();
    for (source, file) in outcome.sources.iter().enumerate() {
        let lines: Vec<u32> = ever.range((source, 0)..(source + 1, 0)).map(|(_, line)| *line).collect();
        if lines.is_empty() && broken_source != Some(source) {
            continue;
        }
        let seen = seen(cycle, source, cex, whole);
        let broken = cex.place.as_ref().filter(|p| is_last && p.source == Some(source));
        let needed = lines.iter().copied().chain(cex.place.iter().filter(|p| p.source == Some(source)).map(|p| p.line));
        all.extend(texts(source, file, &needed.collect::<Vec<_>>(), &seen, broken));
    }
    let n_lines: usize = all.iter().filter(|(text, _)| !text.is_declaration).map(|(_, lines)| lines.len()).sum();
    let has_causes = all.iter().any(|(_, lines)| lines.iter().any(|line| line.cause));
    let is_short = n_lines <= WHOLE_LINES;
    let (mut others, mut is_cut) = (Vec::new(), false);
    let mut room = MOST_WITHOUT_CAUSE;
    // The file where it breaks, then those with causes, each as a whole.
    let last_cause = last_cause(&all, cycle);
    let with_cause: BTreeSet<usize> =
        all.iter().filter(|(_, lines)| lines.iter().any(|l| l.cause)).map(|(text, _)| text.source).collect();
    all.sort_by_key(|(text, _)| {
        let is_last = last_cause.is_some_and(|(source, _)| source == text.source);
        (!is_last, !with_cause.contains(&text.source))
    });
    let mut listed = Vec::new();
    for (mut text, lines) in all {
        let ever_ran = |l: &ListedLine| l.mark == Mark::Executed || l.broken || ever.contains(&(text.source, l.at));
        text.rows = if is_short || (whole && lines.len() <= WHOLE_FILE_LINES) || text.is_declaration {
            lines.into_iter().map(ListingRow::Line).collect()
        } else if whole {
            fold(lines, ever_ran)
        } else {
            is_cut = true;
            if !lines.iter().any(|l| if has_causes { l.cause } else { l.mark == Mark::Executed }) || room == 0 {
                others.push(text.title);
                continue;
            }
            let keeps = |l: &ListedLine| if has_causes { l.cause } else { l.mark == Mark::Executed };
            let mut kept: BTreeSet<u32> = lines.iter().filter(|l| keeps(l)).map(|l| l.at).collect();
            if !has_causes {
                kept = kept.into_iter().take(room).collect();
                room -= kept.len();
            }
            fold(lines, |l| kept.contains(&l.at))
        };
        listed.push(text);
    }
    // A declaration is listed with a text of its file alone.
    let with_text: BTreeSet<usize> = listed.iter().filter(|text| !text.is_declaration).map(|text| text.source).collect();
    listed.retain(|text| with_text.contains(&text.source));
    Listing { texts: listed, others, last_cause, is_cut }
}

/// Returns where it breaks, or else the last statement of the cycle that is a cause.
fn last_cause(all: &[(ListedText, Vec<ListedLine>)], cycle: &Cycle) -> Option<(usize, u32)> {
    let broken = all.iter().find_map(|(text, lines)| Some((text.source, lines.iter().find(|l| l.broken)?.at)));
    let last = || cycle.steps.iter().rev().find(|step| step.cause && step.place.source.is_some());
    broken.or_else(|| last().and_then(|step| Some((step.place.source?, step.place.line))))
}

/// Returns the texts of a source with all their lines: those of its editors if the `needed` lines stand there, else the file.
fn texts(
    source: usize,
    file: &Source,
    needed: &[u32],
    seen: &BTreeMap<u32, Seen>,
    broken: Option<&Place>,
) -> Vec<(ListedText, Vec<ListedLine>)> {
    let editors = editors(&file.name, &file.text);
    let text = |title: &str, is_declaration: bool, is_markup: bool| ListedText {
        source,
        title: title.to_owned(),
        of_file: if title == file.name { String::new() } else { file.name.clone() },
        is_markup,
        is_declaration,
        rows: Vec::new(),
    };
    if editors.is_empty() || !needed.iter().all(|line| editors.iter().any(|editor| editor.line(*line).is_some())) {
        let lines = highlight::lines(&file.text).into_iter().zip(1..);
        let lines = lines.map(|(line, n)| listed((n, n), line, seen, broken)).collect();
        return vec![(text(&file.name, false, file.text.trim_start_matches('\u{feff}').starts_with('<')), lines)];
    }
    // As one text: a body is read after its declaration.
    let joined: String = editors.iter().flat_map(|editor| editor.lines().flat_map(|line| [line, "\n"])).collect();
    let mut coloured = highlight::lines(&joined).into_iter();
    let mut found = Vec::new();
    // A declaration belongs to a body that is listed.
    let is_needed = |editor: &Editor<'_>| needed.iter().any(|line| editor.line(*line).is_some());
    let bodies: Vec<&str> = editors.iter().filter(|editor| is_needed(editor)).map(|editor| editor.title.as_str()).collect();
    for editor in &editors {
        let lines = coloured.by_ref().take(editor.rows.len()).zip(&editor.rows);
        let lines: Vec<ListedLine> = lines.map(|(line, row)| listed((row.at, row.number), line, seen, broken)).collect();
        let is_declaration = !is_needed(editor);
        if !is_declaration || editor.declares().is_some_and(|of| bodies.contains(&of)) {
            found.push((text(&editor.title, is_declaration, false), lines));
        }
    }
    found
}

#[derive(Default)]
struct Seen {
    /// Per column: two statements on one line run once each.
    times: BTreeMap<u32, usize>,
    values: Vec<ListedValue>,
    /// Names of values that are left out.
    left_out: BTreeSet<String>,
    /// Number of listed values that do not matter.
    n_background: usize,
    cause: bool,
}

/// Collects the values of each line of a source. Of several values of one variable on a line the last counts.
fn seen(cycle: &Cycle, source: usize, cex: &Counterexample, whole: bool) -> BTreeMap<u32, Seen> {
    let relevant: BTreeSet<&str> = cex.relevant.iter().map(String::as_str).collect();
    let mut lines: BTreeMap<u32, Seen> = BTreeMap::new();
    // Outcomes of earlier versions do not say which statements are causes.
    let has_causes = cex.cycles.iter().flat_map(|c| &c.steps).any(|s| s.cause);
    for step in cycle.steps.iter().filter(|s| s.place.source == Some(source)) {
        let end = step.place.end_line.clamp(step.place.line, step.place.line.saturating_add(200));
        for n in step.place.line..=end {
            *lines.entry(n).or_default().times.entry(step.place.column).or_default() += 1;
        }
        let seen = lines.entry(step.place.line).or_default();
        seen.cause |= step.cause;
        // Hidden variables of drawn programs are for their drawings.
        for v in step.values.iter().filter(|v| !v.name.rsplit('.').next().is_some_and(|last| last.starts_with("__"))) {
            let matters = relevant.contains(v.name.as_str());
            seen.cause |= !has_causes && v.written && matters;
            let from = v.from_cycle.map(|n| if n == 0 { "from the start".to_string() } else { format!("from cycle {n}") });
            let value = ListedValue { name: v.name.clone(), value: v.value.clone(), written: v.written, from };
            match seen.values.iter().position(|o| o.name == value.name && o.written == value.written) {
                Some(at) => seen.values[at] = value,
                None if seen.values.len() < MAX_VALUES && (matters || whole || seen.n_background < MAX_BACKGROUND) => {
                    seen.n_background += usize::from(!matters);
                    seen.values.push(value);
                }
                None => {
                    seen.left_out.insert(value.name);
                }
            }
        }
    }
    lines
}

/// Returns a line with its number in the file and the one that is shown.
fn listed((at, number): (u32, u32), line: highlight::Line, seen: &BTreeMap<u32, Seen>, broken: Option<&Place>) -> ListedLine {
    let here = seen.get(&at);
    let broken = broken.is_some_and(|p| p.line <= at && at <= p.end_line.max(p.line));
    let mark = match (here, line.executable) {
        (Some(_), _) => Mark::Executed,
        (None, true) => Mark::Skipped,
        (None, false) => Mark::Quiet,
    };
    ListedLine {
        at,
        number,
        pieces: line.pieces,
        mark,
        times: here.and_then(|s| s.times.values().copied().max()).filter(|n| 1 < *n),
        cause: broken || here.is_some_and(|s| s.cause),
        broken,
        values: here.map(|s| s.values.clone()).unwrap_or_default(),
        n_more: here.map_or(0, |s| s.left_out.len()),
    }
}

/// Folds stretches without a line to keep; single lines stay.
fn fold(lines: Vec<ListedLine>, keep: impl Fn(&ListedLine) -> bool) -> Vec<ListingRow> {
    let mut shown = vec![false; lines.len()];
    for (i, _) in lines.iter().enumerate().filter(|(_, l)| keep(l)) {
        let end = (i + CONTEXT + 1).min(shown.len());
        shown[i.saturating_sub(CONTEXT)..end].fill(true);
    }
    let mut rows: Vec<ListingRow> = Vec::new();
    for (line, shown) in lines.into_iter().zip(shown) {
        let executed = line.mark == Mark::Executed;
        match (shown, rows.last_mut()) {
            (true, _) => rows.push(ListingRow::Line(line)),
            (false, Some(ListingRow::Folded { to, ran, .. })) => (*to, *ran) = (line.number, *ran || executed),
            (false, Some(ListingRow::Line(_)) | None) => {
                rows.push(ListingRow::Folded { from: line.number, to: line.number, at: line.at, ran: executed });
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests;
