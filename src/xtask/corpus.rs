//! Thresholds for published programs: read, resolved, and run alike in the interpreter and in the model.

use serde_json::Value;

use crate::tool;

/// Percent of the files of a set that must be read. A threshold is the best figure so far and only rises.
const READ: &[(&str, f64)] = &[
    ("aixocat", 100.0),
    // One of 55: a text to look at in an editor, with names alone.
    ("controlforge", 98.1),
    ("controllino", 100.0),
    ("homeautomation-codesys3", 100.0),
    // Three of 112: two texts that are not ST, one chart with a line from nowhere.
    ("ironplc", 97.3),
    ("simaticml-decoder", 100.0),
];
/// Percent of the files of a set without a row.
const READ_OF_OTHERS: f64 = 97.0;
/// Percent of all POUs that must resolve, with stubs where declarations are missing. Those that are wrong on purpose do not count.
const RESOLVED: f64 = 94.5;
/// Percent of the resolved POUs, also those with stubs, that must run 100 random cycles alike.
const ALIKE: f64 = 88.0;

/// Reads each folder below `folder` as a set, or those named; returns a line for each figure below its threshold. Figures of all
/// sets together need all of them.
pub(crate) fn check(folder: &str, chosen: &[String]) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{folder}: {e}"));
    let mut sets: Vec<String> =
        entries.map(|e| e.unwrap().path()).filter(|p| p.is_dir()).map(|p| p.to_string_lossy().into_owned()).collect();
    sets.sort();
    let is_whole = chosen.is_empty();
    sets.retain(|set| is_whole || chosen.iter().any(|name| set.rsplit('/').next() == Some(name)));
    if !is_whole && sets.len() != chosen.len() {
        return vec![format!("{folder}: not all of these sets are there: {}", chosen.join(", "))];
    }
    let arguments = ["import", "--report", "--json", "--run", "100"];
    let report = tool::json(&arguments.into_iter().chain(sets.iter().map(String::as_str)).collect::<Vec<_>>());
    let mut wrong = Vec::new();
    let Some(sets) = report["sets"].as_array() else { return vec!["the report cannot be read".to_owned()] };
    for set in sets {
        let name = set["set"].as_str().unwrap_or_default().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let wanted = READ.iter().find(|(set, _)| *set == name).map_or(READ_OF_OTHERS, |(_, percent)| *percent);
        require(&format!("{name}: files read"), rounded(set["read_percent"].as_f64().unwrap_or(0.0)), wanted, &mut wrong);
    }
    let sum = |count: &dyn Fn(&Value) -> usize| sets.iter().map(count).sum::<usize>();
    let n_resolved = sum(&|set| number(&set["n_resolved_without_stubs"]) + number(&set["n_resolved_with_stubs"]));
    let n_pous = n_resolved + sum(&|set| number(&set["n_not_understood"]));
    let n_alike = sum(&|set| number(&set["runs"]["n_equal"]) + number(&set["runs"]["n_equal_with_gaps"]));
    if is_whole {
        require("POUs resolved, of all", percent(n_resolved, n_pous), RESOLVED, &mut wrong);
        require("POUs run alike, of those that resolve", percent(n_alike, n_resolved), ALIKE, &mut wrong);
    }
    let named = |list: &dyn Fn(&Value) -> Value| -> Vec<String> {
        sets.iter().flat_map(|set| list(set).as_array().cloned().unwrap_or_default()).map(|row| row.to_string()).collect()
    };
    wrong.extend(named(&|set| set["runs"]["different"].clone()).into_iter().map(|row| format!("runs differently: {row}")));
    let unread = named(&|set| set["not_read"].clone()).into_iter().chain(named(&|set| set["not_resolved"].clone()));
    wrong.extend(unread.filter(|row| row.contains("internal error")));
    wrong
}

fn require(figure: &str, percent: f64, least: f64, wrong: &mut Vec<String>) {
    println!("{figure}: {percent} % (at least {least} %)");
    if percent < least {
        wrong.push(format!("{figure}: {percent} %, and {least} % is the least"));
    }
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap_or(0) as usize
}

/// Percent with one decimal, rounded down.
fn percent(n: usize, of: usize) -> f64 {
    rounded(if of == 0 { 0.0 } else { 100.0 * n as f64 / of as f64 })
}

fn rounded(percent: f64) -> f64 {
    (percent * 10.0 + 1e-9).floor() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_is_never_rounded_up() {
        assert_eq!(percent(999, 1000), 99.9);
        assert_eq!(percent(2999, 3000), 99.9);
        assert_eq!(percent(0, 0), 0.0);
        let mut wrong = Vec::new();
        require("files read", percent(96, 100), 97.0, &mut wrong);
        assert_eq!(wrong.len(), 1, "{wrong:?}");
    }
}
