//! Table of docs/engines.md about growth: families of programs, the default strategy, and tools of others on the exports.
//!
//! Sizes of a family are tried in ascending order up to the first that is not decided. That one counts as tried. A wrong answer
//! of any tool is an error, and no table is written. The environment variables SECONDS, OTHERS (seconds for the other tools),
//! MEGABYTES, SIZES, GROWING (names of families), JOBS and BINARY change the defaults.

pub(crate) mod lag;
mod process;
mod table;
mod tools;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::bench_tables::{put, setting};
use crate::families::{Answer, Family, GROWING};
use process::Limits;
use tools::{DEFAULT, OTHERS, Run, Tool};

const DOCUMENT: &str = "docs/engines.md";
const OUT: &str = "target/growth";

/// A requirement of a family.
struct Question {
    family: &'static Family,
    id: &'static str,
    answer: Answer,
}

/// Runs of one tool on the sizes of a question, in ascending order. Only the last one can be undecided.
struct Series {
    tool: &'static str,
    /// `Err`: a word that says why the tool was not asked.
    runs: Result<Vec<(usize, Run)>, &'static str>,
}

/// Choice of the environment variables.
struct Settings {
    ours: Limits,
    others: Limits,
    /// Empty: all sizes.
    sizes: Vec<usize>,
}

/// Measures all families and writes the table into the document.
pub(crate) fn write() -> Result<(), String> {
    let settings = Settings::read()?;
    let chosen = setting("GROWING", "");
    let is_chosen = |family: &&Family| chosen.is_empty() || chosen.split_whitespace().any(|name| name == family.name);
    let of_family =
        |family: &'static Family| family.answers.iter().map(move |(id, answer)| Question { family, id, answer: *answer });
    let questions: Vec<Question> = GROWING.iter().filter(is_chosen).flat_map(of_family).collect();
    let jobs: usize = number("JOBS", "2")?;
    let (waiting, rows) = (Mutex::new(questions.iter().enumerate().rev().collect::<Vec<_>>()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().unwrap().pop();
                    let Some((n, question)) = next else { return };
                    let series = question.measured(&settings);
                    if series.is_err() {
                        waiting.lock().unwrap().clear();
                    }
                    rows.lock().unwrap().push((n, series));
                }
            });
        }
    });
    let mut rows = rows.into_inner().map_err(|e| e.to_string())?;
    rows.sort_by_key(|(n, _)| *n);
    let rows: Result<Vec<Vec<Series>>, String> = rows.into_iter().map(|(_, series)| series).collect();
    let text = table::table(&questions, &rows?, &settings);
    println!("{text}");
    put(DOCUMENT, "growth", &text)
}

impl Settings {
    fn read() -> Result<Settings, String> {
        let megabytes = number("MEGABYTES", "2000")?;
        let sizes: Result<Vec<usize>, String> =
            setting("SIZES", "").split_whitespace().map(|size| size.parse().map_err(|e| format!("SIZES: {size}: {e}"))).collect();
        let limits = |name, default| Ok::<_, String>(Limits { seconds: number(name, default)?, megabytes });
        Ok(Settings { ours: limits("SECONDS", "60")?, others: limits("OTHERS", "5")?, sizes: sizes? })
    }
    /// Returns the sizes of a family that are to be tried, ascending.
    fn sizes_of(&self, family: &Family) -> Vec<usize> {
        let is_chosen = |size: &&usize| self.sizes.is_empty() || self.sizes.contains(size);
        family.sizes.iter().filter(is_chosen).copied().collect()
    }
}

fn number<T: std::str::FromStr<Err: std::fmt::Display>>(name: &str, default: &str) -> Result<T, String> {
    setting(name, default).parse().map_err(|e| format!("{name}: {e}"))
}

impl Question {
    fn name(&self) -> String {
        format!("{}, {}", self.family.name, self.id)
    }
    /// Asks all tools.
    fn measured(&self, settings: &Settings) -> Result<Vec<Series>, String> {
        let folder = Path::new(OUT).join(format!("{}-{}", self.family.name, self.id));
        let sizes = settings.sizes_of(self.family);
        let programs: Result<Vec<(usize, PathBuf)>, std::io::Error> =
            sizes.iter().map(|size| Ok((*size, self.family.write_one(&folder, *size)?))).collect();
        let programs = programs.map_err(|e| format!("{}: {e}", folder.display()))?;
        let tools = std::iter::once((&DEFAULT, settings.ours)).chain(OTHERS.iter().map(|tool| (tool, settings.others)));
        tools.map(|(tool, limits)| self.series(tool, &programs, &folder, limits)).collect()
    }
    /// Asks one tool about programs, up to the first that it does not decide.
    fn series(&self, tool: &Tool, programs: &[(usize, PathBuf)], folder: &Path, limits: Limits) -> Result<Series, String> {
        let unasked = if !tool.is_present() {
            Some("absent")
        } else {
            (self.answer == Answer::Holds && !tool.proves).then_some("no proofs")
        };
        if let Some(why) = unasked {
            return Ok(Series { tool: tool.name, runs: Err(why) });
        }
        let mut runs = Vec::new();
        for (size, program) in programs {
            let run = tool.ask(program, self.id, folder, limits)?;
            let said = run.answer.map_or(run.why.to_owned(), |answer| format!("{answer:?}"));
            println!("{} {}: {size}: {said} in {:.2} s, {} MB", self.name(), tool.name, run.seconds, run.megabytes);
            check(self.answer, run.answer).map_err(|e| format!("{} {size}, {}: {e}", self.name(), tool.name))?;
            let is_open = run.answer.is_none();
            runs.push((*size, run));
            if is_open {
                break;
            }
        }
        Ok(Series { tool: tool.name, runs: Ok(runs) })
    }
}

/// Returns an error where a tool says the opposite.
fn check(expected: Answer, said: Option<Answer>) -> Result<(), String> {
    match said {
        Some(said) if said != expected => Err(format!("wrong answer {said:?}, and {expected:?} is right")),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_answers_are_errors() {
        assert!(check(Answer::Holds, Some(Answer::Violated)).is_err());
        assert!(check(Answer::Violated, Some(Answer::Holds)).is_err());
        assert!(check(Answer::Holds, Some(Answer::Holds)).is_ok() && check(Answer::Violated, None).is_ok());
    }
}
