//! Sentences about a violation: its moment, the origins of values, the parts that are left out.

use std::collections::BTreeSet;

use super::{LONG_RUN, TOLD, Violation};
use crate::report::outcome::{Cycle, Place};

/// Origin of the last value of a variable.
pub(super) struct Origin {
    pub(super) name: String,
    /// Cycle, and line of the file as a number and in words; `None` if it still has its initial value.
    pub(super) at: Option<(u32, u32, String)>,
    /// The prescan of a controller of Rockwell wrote it, before the first scan or at a restart.
    pub(super) is_prescan: bool,
}

/// Most values in one sentence, and most sentences about their origins; the table has them all.
const MAX_SPOKEN: usize = 6;

/// Says in a sentence the violation and its moment.
pub(super) fn explain(
    told: &[Cycle],
    goal: &BTreeSet<String>,
    violation: &Violation<'_>,
    at: Option<&Place>,
    here: Vec<String>,
) -> Vec<String> {
    let Some(last) = told.last() else { return Vec::new() };
    let n = last.number;
    let ms: f64 = told.iter().map(|c| c.dt_ms).sum();
    let when = match n {
        1 => "In the first scan cycle".to_string(),
        n => format!("In {n} scan cycles (about {ms:.0} ms)"),
    };
    let state = last.values.iter().filter(|v| goal.contains(v.name.as_str())).map(|v| format!("{} is {}", v.name, v.value));
    let state: Vec<String> = if here.is_empty() { state.collect() } else { here };
    let mut sentences = Vec::new();
    match at {
        Some(place) => {
            let what = if violation.what.is_empty() { "it is violated".to_string() } else { violation.what.clone() };
            let with = if state.is_empty() { String::new() } else { format!(" ({})", few(&state)) };
            sentences.push(format!("{when}, on {}, {what}{with}.", of_file(place)));
        }
        None => sentences.push(format!("{when}, at the end of cycle {n}, {}.", few(&state))),
    }
    sentences
}

/// Says in sentences which statements wrote the variables of the requirement; `n` is the last cycle.
pub(super) fn origin_sentences(n: u32, origins: &[Origin]) -> Vec<String> {
    let sentence = |Origin { name, at, is_prescan }: &Origin| match at {
        Some((cycle @ 2.., _, line)) if *is_prescan => {
            format!("{name} was last written in the prescan of {line}, when the controller restarted in cycle {cycle}.")
        }
        Some((_, _, line)) if *is_prescan => format!("{name} was last written in the prescan of {line}, before the first scan."),
        Some((cycle, _, line)) if *cycle == n => format!("{name} was written on {line} in this cycle."),
        Some((cycle, _, line)) => format!("{name} was last written on {line} in cycle {cycle}."),
        None => format!("{name} has its initial value: no statement of a cycle has written it."),
    };
    origins.iter().take(MAX_SPOKEN).map(sentence).collect()
}

/// Returns the line of a place with its file: `line 9 of pump.st`. An editor says itself what it belongs to.
fn of_file(place: &Place) -> String {
    match &place.editor {
        Some(_) => place.line_words(),
        None => format!("{} of {}", place.line_words(), place.file),
    }
}

/// Joins the first of many parts.
fn few(parts: &[String]) -> String {
    match parts.len().checked_sub(MAX_SPOKEN) {
        Some(more @ 1..) => format!("{} and {more} more", parts[..MAX_SPOKEN].join(", ")),
        Some(0) | None => join(parts),
    }
}

/// Returns `a`, `a and b`, `a, b and c`.
fn join(parts: &[String]) -> String {
    match parts {
        [] => "the requirement is not met".into(),
        [one] => one.clone(),
        [front @ .., last] => format!("{} and {last}", front.join(", ")),
    }
}

/// Says in sentences which parts of a run of `n` cycles are left out. `cut`: the first cycle that is not told whole, with its
/// number of statements.
pub(super) fn limits(n: usize, cut: Option<(usize, usize)>, n_networks_left_out: usize) -> Vec<String> {
    let cut =
        cut.map(|(cycle, n)| format!("Cycle {cycle} runs through {n} statements; the first and the last of them are shown."));
    let networks =
        (0 < n_networks_left_out).then(|| format!("The networks of cycles 1 to {n_networks_left_out} are shown without values."));
    let middle =
        (LONG_RUN < n).then(|| format!("Of cycles {} to {} the values are shown, not the statements.", TOLD + 1, n - TOLD));
    cut.into_iter().chain(networks).chain(middle).collect()
}
