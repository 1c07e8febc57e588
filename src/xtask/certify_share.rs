//! Share of certification in the processor time of `scanproof verify`: one row for each program, one line for each proof.
//!
//! BINARY names another binary; VERIFY gives it further arguments, such as `--time-limit 60s`. Linux only.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::tool;

/// Ticks of a second in `/proc/self/stat`.
const TICKS: f64 = 100.0;
/// Certification may take this share of the processor time.
const MOST: f64 = 1.0 / 3.0;
/// Programs that take less are not judged: their time is that of the start.
const SECONDS: f64 = 0.5;

/// Processor time of one program.
struct Share {
    /// Of the whole command, in seconds.
    whole: f64,
    /// Of certification, in seconds.
    certification: f64,
}

impl Share {
    fn quotient(&self) -> f64 {
        if 0.0 < self.whole { self.certification / self.whole } else { 0.0 }
    }
    fn is_too_large(&self) -> bool {
        SECONDS <= self.whole && MOST < self.quotient()
    }
}

/// Measures programs, or all programs of folders; prints the table. Returns the rows whose share is too large.
pub(crate) fn measure(paths: &[&str]) -> Vec<String> {
    let mut wrong = Vec::new();
    println!("| program | lines | requirement | answer | CPU s | certification | share |\n|---|--:|---|---|--:|--:|--:|");
    for path in paths.iter().flat_map(|path| programs(Path::new(path))) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let lines = fs::read_to_string(&path).map_or(0, |text| text.lines().count());
        let path = path.to_string_lossy().into_owned();
        let further = std::env::var("VERIFY").unwrap_or_default();
        let arguments = ["verify", "-q", "--json", &path].into_iter().chain(further.split_whitespace());
        let begin = children();
        let outcome = tool::json(&arguments.collect::<Vec<_>>());
        let whole = children() - begin;
        let results = &outcome["programs"][0]["outcome"]["results"];
        let results = results.as_array().map_or(&[][..], Vec::as_slice);
        let certification = results.iter().map(certification).sum();
        let share = Share { whole, certification };
        for result in results.iter().filter(|_| 1 < results.len()) {
            println!("| | | {} | {} | | {:.2} | |", word(result, "id"), answer(result), self::certification(result));
        }
        let (id, said) = match results {
            [only] => (word(only, "id"), answer(only)),
            [..] => (format!("all {}", results.len()), String::new()),
        };
        let percent = 100.0 * share.quotient();
        println!("| {name} | {lines} | {id} | {said} | {whole:.2} | {certification:.2} | {percent:.0} % |");
        if share.is_too_large() {
            wrong.push(format!("{name}: certification takes {percent:.0} % of {whole:.2} s"));
        }
    }
    wrong
}

/// Returns the programs of a folder, or the one of this path.
fn programs(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else { return vec![path.to_owned()] };
    let is_program = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "st");
    let mut programs: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_program).collect();
    programs.sort();
    programs
}

/// Returns the processor time for the certification of a proof. (That of a violation shortens the run, too.)
fn certification(result: &Value) -> f64 {
    if result["proof"].is_null() { 0.0 } else { result["certification_cpu_ms"].as_f64().unwrap_or(0.0) / 1000.0 }
}
fn word(result: &Value, key: &str) -> String {
    result[key].as_str().unwrap_or("none").to_owned()
}
fn answer(result: &Value) -> String {
    format!("{} ({})", word(result, "verdict"), word(result, "engine"))
}

/// Returns the processor time of all child processes that have ended, in seconds.
fn children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the command stands in parentheses; user and system time of children are the fields 16 and 17 of all.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |n: usize| fields.get(n).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(13) + ticks(14)) / TICKS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_is_judged_from_half_a_second_on() {
        let judged = |whole: f64, certification: f64| Share { whole, certification }.is_too_large();
        assert!(judged(1.0, 0.5) && judged(0.5, 0.2));
        assert!(!judged(1.0, 0.3) && !judged(0.4, 0.4) && !judged(0.0, 0.0));
    }
}
