//! Effort behind a requirement that was not decided: time by phase and engine, and the lines with the largest encodings.

use std::collections::BTreeMap;

use plc_frontend::Loaded;
use plc_frontend::source::{Origin, Span};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::outcome::Place;
use super::place::place;

/// Time of one phase. Engines work side by side, so all together may be more than the time that passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TimeSpent {
    /// The phase.
    pub phase: Phase,
    /// The engine, for a search and a certification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Milliseconds, of all attempts together.
    pub ms: u64,
}

/// Phase of the work on a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Monitor of the requirement and check of the assumptions.
    Preparation,
    /// Reductions of the automaton.
    Simplification,
    /// Search for a violation or a proof.
    Search,
    /// Check of an answer that an engine gave.
    Certification,
}

impl Phase {
    /// Returns its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Preparation => "preparation",
            Phase::Simplification => "simplification",
            Phase::Search => "search",
            Phase::Certification => "certification",
        }
    }
}

/// Line of the program with its share of the gates of one cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LineEncoding {
    /// The line; absent for standard function blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Its text.
    pub code: String,
    /// Gates of its formulas, all calls together.
    pub gates: usize,
    /// Share of all gates in the cone of influence.
    pub percent: usize,
}

/// Adds the times of an earlier attempt.
pub fn add(times: &mut Vec<TimeSpent>, earlier: &[TimeSpent]) {
    for other in earlier {
        match times.iter_mut().find(|time| time.phase == other.phase && time.engine == other.engine) {
            Some(time) => time.ms += other.ms,
            None => times.push(other.clone()),
        }
    }
}

/// Most lines that are named, and the least share of one.
const MOST_LINES: usize = 5;
const LEAST_PERCENT: usize = 5;
/// Characters of a line of code.
const CODE: usize = 80;

/// Returns the lines with the largest encodings, largest first, from the sizes of formulas.
pub fn largest(loaded: &Loaded, sizes: impl Iterator<Item = (Span, usize)>) -> Vec<LineEncoding> {
    let mut lines: BTreeMap<Option<(u32, u32)>, (usize, Span)> = BTreeMap::new();
    let mut total = 0;
    for (span, gates) in sizes {
        let file = loaded.sources.files.get(span.file);
        let is_user = file.is_some_and(|file| file.origin == Origin::User);
        let line = is_user.then(|| (span.file.0, loaded.sources.line_col(span).line));
        lines.entry(line).or_insert((0, span)).0 += gates;
        total += gates;
    }
    let percent = |gates: usize| (gates * 100).checked_div(total).unwrap_or_default();
    let mut largest: Vec<_> = lines.into_iter().collect();
    largest.retain(|(_, (gates, _))| LEAST_PERCENT <= percent(*gates));
    largest.sort_by_key(|(_, (gates, _))| std::cmp::Reverse(*gates));
    largest.truncate(MOST_LINES);
    let row = |(line, (gates, span)): (Option<(u32, u32)>, (usize, Span))| {
        let text = || loaded.sources.files.get(span.file)?.text.lines().nth(line?.1.checked_sub(1)? as usize);
        let code = match line {
            Some(_) => {
                let text = text().unwrap_or_default().trim();
                let begin = text.chars().take(CODE);
                begin.chain((CODE < text.chars().count()).then_some('…')).collect()
            }
            None => "standard function blocks".to_owned(),
        };
        let place = line.map(|_| place(&loaded.sources, span));
        LineEncoding { place, code, gates, percent: percent(gates) }
    };
    largest.into_iter().map(row).collect()
}
