//! Share of certification in the processor time of `scanproof verify`: one row for each program, one line for each proof, and
//! the distribution of the shares.
//!
//! A path is a program, a folder of programs, or a list (`NAME.list`). Each line of a list has the name of a program and the
//! arguments of `verify`, separated by tabs: a program of many files, or one POU of a library. BINARY names another binary; VERIFY gives it further arguments, such as `--time-limit 60s`. Linux only.

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

/// Program to measure.
struct Case {
    name: String,
    /// Arguments of `verify`.
    arguments: Vec<String>,
    /// Lines of the only file.
    lines: String,
}

impl Case {
    fn of_file(path: &Path) -> Case {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let lines = fs::read_to_string(path).map_or(0, |text| text.lines().count()).to_string();
        Case { name, arguments: vec![path.to_string_lossy().into_owned()], lines }
    }
    /// Reads a line of a list; `None` for an empty one.
    fn of_line(line: &str) -> Option<Case> {
        let mut words = line.split('\t').map(str::to_owned);
        let name = words.next().filter(|name| !name.is_empty())?;
        Some(Case { name, arguments: words.collect(), lines: String::new() })
    }
}

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
    let (mut wrong, mut shares, mut n_late) = (Vec::new(), Vec::new(), 0);
    println!("| program | lines | requirement | answer | CPU s | certification | share |\n|---|--:|---|---|--:|--:|--:|");
    for Case { name, arguments, lines } in paths.iter().flat_map(|path| cases(Path::new(path))) {
        let further = std::env::var("VERIFY").unwrap_or_default();
        let arguments = arguments.iter().map(String::as_str).chain(further.split_whitespace());
        let arguments = ["verify", "-q", "--json"].into_iter().chain(arguments);
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
        n_late += results.iter().filter(|result| is_late(result)).count();
        if results.iter().any(|result| !result["proof"].is_null()) {
            shares.push(share.quotient());
        }
        if share.is_too_large() {
            wrong.push(format!("{name}: certification takes {percent:.0} % of {whole:.2} s"));
        }
    }
    println!("\n{}; proofs whose certification came to no answer: {n_late}", distribution(shares));
    wrong
}

/// Returns the median and the greatest of the shares, and the one that nine of ten programs do not exceed.
fn distribution(mut shares: Vec<f64>) -> String {
    shares.sort_by(f64::total_cmp);
    let part = |tenths: usize| shares.get((shares.len() * tenths).div_ceil(10).max(1) - 1).map_or(0.0, |share| 100.0 * share);
    format!("{} programs with proofs: median {:.0} %, 9 of 10 {:.0} %, most {:.0} %", shares.len(), part(5), part(9), part(10))
}

/// Returns whether a requirement stayed open after a second of certification or more.
fn is_late(result: &Value) -> bool {
    result["verdict"] == "unknown" && 1000.0 <= result["certification_cpu_ms"].as_f64().unwrap_or(0.0)
}

/// Returns the programs of a path.
fn cases(path: &Path) -> Vec<Case> {
    match path.extension() {
        Some(ending) if ending == "list" => {
            fs::read_to_string(path).unwrap_or_default().lines().filter_map(Case::of_line).collect()
        }
        Some(_) | None => programs(path).iter().map(|path| Case::of_file(path)).collect(),
    }
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
    fn distribution_has_the_greatest_share() {
        let shares = (1..=10).rev().map(|n| f64::from(n) / 100.0).collect();
        assert_eq!(distribution(shares), "10 programs with proofs: median 5 %, 9 of 10 9 %, most 10 %");
        assert_eq!(distribution(vec![0.5]), "1 programs with proofs: median 50 %, 9 of 10 50 %, most 50 %");
        assert_eq!(distribution(Vec::new()), "0 programs with proofs: median 0 %, 9 of 10 0 %, most 0 %");
    }

    #[test]
    fn line_of_a_list_is_a_program() {
        let case = Case::of_line("PID\t--entry\tPID\ta library.st").unwrap();
        assert_eq!((case.name.as_str(), case.arguments), ("PID", ["--entry", "PID", "a library.st"].map(str::to_owned).to_vec()));
        assert!(Case::of_line("").is_none());
    }

    #[test]
    fn share_is_judged_from_half_a_second_on() {
        let judged = |whole: f64, certification: f64| Share { whole, certification }.is_too_large();
        assert!(judged(1.0, 0.5) && judged(0.5, 0.2));
        assert!(!judged(1.0, 0.3) && !judged(0.4, 0.4) && !judged(0.0, 0.0));
    }
}
