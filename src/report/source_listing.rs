//! The user's code as an online view shows it in one scan cycle: values beside the lines, and lines that did not run.

use std::collections::{BTreeMap, BTreeSet};

use super::highlight::{self, Piece};
use super::outcome::{Counterexample, Cycle, Outcome, Place};

/// All sources in one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// In the order of the outcome; files where nothing ever ran are left out.
    pub files: Vec<ListedFile>,
}

/// One source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    /// Its position in the outcome.
    pub source: usize,
    /// Its name.
    pub name: String,
    /// Its lines, long stretches without anything to see folded.
    pub rows: Vec<ListingRow>,
}

/// A row of the listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListingRow {
    /// A line of source.
    Line(ListedLine),
    /// This many lines, from this one on, are left out.
    Folded {
        /// First line.
        from: u32,
        /// Last line.
        to: u32,
    },
}

/// A line of source in one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedLine {
    /// 1-based.
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

/// Files up to this length are shown whole.
const WHOLE_FILE_LINES: usize = 250;
/// Lines kept around those with something to see.
const CONTEXT: usize = 4;
/// Values beside one line; loops can have thousands.
const MAX_VALUES: usize = 16;

/// Returns the listing of one cycle.
pub fn listing(outcome: &Outcome, cex: &Counterexample, cycle: &Cycle) -> Listing {
    let is_last = cex.cycles.last().is_some_and(|last| last.number == cycle.number);
    let mut ever = BTreeSet::new();
    for step in cex.cycles.iter().flat_map(|c| &c.steps) {
        ever.extend(step.place.source.map(|s| (s, step.place.line)));
    }
    let files = outcome.sources.iter().enumerate().filter_map(|(source, text)| {
        if !ever.range((source, 0)..(source + 1, 0)).any(|_| true) && cex.place.as_ref().and_then(|p| p.source) != Some(source) {
            return None;
        }
        let seen = seen(cycle, source, cex);
        let broken = cex.place.as_ref().filter(|p| is_last && p.source == Some(source));
        let lines = highlight::lines(&text.text);
        let lines: Vec<ListedLine> =
            lines.into_iter().enumerate().map(|(i, line)| listed(i as u32 + 1, line, &seen, broken)).collect();
        let keep = |l: &ListedLine| l.mark == Mark::Executed || l.broken || ever.contains(&(source, l.number));
        Some(ListedFile { source, name: text.name.clone(), rows: fold(lines, keep) })
    });
    Listing { files: files.collect() }
}

#[derive(Default)]
struct Seen {
    /// Per column: two statements on one line run once each.
    times: BTreeMap<u32, usize>,
    values: Vec<ListedValue>,
    cause: bool,
}

/// Collects the values of each line of a source. Of several values of one variable on a line the last counts.
fn seen(cycle: &Cycle, source: usize, cex: &Counterexample) -> BTreeMap<u32, Seen> {
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
            seen.cause |= !has_causes && v.written && cex.relevant.contains(&v.name);
            let from = v.from_cycle.map(|n| if n == 0 { "from the start".to_string() } else { format!("from cycle {n}") });
            let value = ListedValue { name: v.name.clone(), value: v.value.clone(), written: v.written, from };
            match seen.values.iter().position(|o| o.name == value.name && o.written == value.written) {
                Some(at) => seen.values[at] = value,
                None if seen.values.len() < MAX_VALUES => seen.values.push(value),
                None => {}
            }
        }
    }
    lines
}

fn listed(number: u32, line: highlight::Line, seen: &BTreeMap<u32, Seen>, broken: Option<&Place>) -> ListedLine {
    let here = seen.get(&number);
    let broken = broken.is_some_and(|p| p.line <= number && number <= p.end_line.max(p.line));
    let mark = match (here, line.executable) {
        (Some(_), _) => Mark::Executed,
        (None, true) => Mark::Skipped,
        (None, false) => Mark::Quiet,
    };
    ListedLine {
        number,
        pieces: line.pieces,
        mark,
        times: here.and_then(|s| s.times.values().copied().max()).filter(|n| 1 < *n),
        cause: broken || here.is_some_and(|s| s.cause),
        broken,
        values: here.map(|s| s.values.clone()).unwrap_or_default(),
    }
}

/// Folds stretches of a long file in which there is nothing to see.
fn fold(lines: Vec<ListedLine>, keep: impl Fn(&ListedLine) -> bool) -> Vec<ListingRow> {
    if lines.len() <= WHOLE_FILE_LINES {
        return lines.into_iter().map(ListingRow::Line).collect();
    }
    let mut shown = vec![false; lines.len()];
    for (i, _) in lines.iter().enumerate().filter(|(_, l)| keep(l)) {
        let end = (i + CONTEXT + 1).min(shown.len());
        shown[i.saturating_sub(CONTEXT)..end].fill(true);
    }
    let mut rows: Vec<ListingRow> = Vec::new();
    for (line, shown) in lines.into_iter().zip(shown) {
        match (shown, rows.last_mut()) {
            (true, _) => rows.push(ListingRow::Line(line)),
            (false, Some(ListingRow::Folded { to, .. })) => *to = line.number,
            (false, Some(ListingRow::Line(_)) | None) => rows.push(ListingRow::Folded { from: line.number, to: line.number }),
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::booster;

    fn line(listing: &Listing, n: u32) -> ListedLine {
        let found = listing.files[0].rows.iter().find_map(|row| match row {
            ListingRow::Line(l) if l.number == n => Some(l.clone()),
            ListingRow::Line(_) | ListingRow::Folded { .. } => None,
        });
        found.unwrap()
    }

    fn show(l: &ListedLine) -> String {
        let values = l.values.iter().map(|v| {
            let sign = if v.written { ":=" } else { "=" };
            format!(" {}{sign}{}{}", v.name, v.value, v.from.as_ref().map(|f| format!(" ({f})")).unwrap_or_default())
        });
        format!("{:?}{}", l.mark, values.collect::<String>())
    }

    #[test]
    fn each_line_has_the_values_of_its_cycle() {
        let outcome = booster();
        let cex = outcome.results[0].counterexample.as_ref().unwrap();
        let first = listing(&outcome, cex, &cex.cycles[0]);
        let second = listing(&outcome, cex, &cex.cycles[1]);
        let check = |l: &Listing, n: u32, expected: &str| assert_eq!(show(&line(l, n)), expected, "line {n}");
        check(&first, 16, "Skipped");
        check(&first, 15, "Executed StartEdge.Q=FALSE ValveOpen=FALSE (from the start)");
        check(&second, 15, "Executed StartEdge.Q=TRUE ValveOpen=TRUE (from cycle 1)");
        check(&second, 16, "Executed RunLatch:=TRUE");
        check(&second, 20, "Skipped");
        check(&second, 21, "Quiet");
        check(&second, 23, "Executed RunLatch=TRUE PumpA:=TRUE");
        assert!(line(&second, 23).cause && !line(&second, 17).cause);
    }

    #[test]
    fn a_long_file_is_folded_around_what_ran() {
        let mut outcome = booster();
        outcome.sources[0].text.push_str(&"// filler\n".repeat(1000));
        let cex = outcome.results[0].counterexample.clone().unwrap();
        let rows = listing(&outcome, &cex, &cex.cycles[1]).files.remove(0).rows;
        assert!(rows.len() < 40, "{}", rows.len());
        assert_eq!(rows.last(), Some(&ListingRow::Folded { from: 28, to: 1024 }));
    }

    #[test]
    fn a_place_beyond_the_source_is_no_trouble() {
        let mut outcome = booster();
        let cex = outcome.results[0].counterexample.as_mut().unwrap();
        for step in cex.cycles.iter_mut().flat_map(|c| &mut c.steps) {
            (step.place.line, step.place.end_line) = (u32::MAX, 0);
        }
        let cex = cex.clone();
        let listing = listing(&outcome, &cex, &cex.cycles[0]);
        assert_eq!(line(&listing, 15).mark, Mark::Skipped);
    }
}
