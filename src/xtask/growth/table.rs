//! Lines of the table about growth.

use std::fmt::Write as _;

use super::tools::Run;
use super::{Answer, Question, Series, Settings};

/// Returns the table with the sentence about its limits. Each row has the series of all tools, the default first.
pub(super) fn table(questions: &[Question], rows: &[Vec<Series>], settings: &Settings) -> String {
    let (ours, others) = (settings.ours.seconds, settings.others.seconds);
    let names: Vec<&str> = rows.first().into_iter().flatten().skip(1).map(|series| series.tool).collect();
    let mut text = format!(
        "Limits: {ours} s of processor time for the default, {others} s for other tools, {} MB for each run. In \
         parentheses stands the next size that was tried, and why it is open.\n\n",
        settings.ours.megabytes
    );
    if !settings.sizes.is_empty() {
        let sizes: Vec<String> = settings.sizes.iter().map(usize::to_string).collect();
        let _ = writeln!(text, "Only these sizes were tried, where a family has them: {}.\n", sizes.join(", "));
    }
    let mut head =
        format!("| family, requirement | answer | sizes decided | largest | CPU s | MB | 10 n to n | within {others} s |");
    for name in &names {
        let _ = write!(head, " {name} |");
    }
    let _ = writeln!(text, "{head}\n|---|---|--:|---|--:|--:|--:|--:|{}", "---|".repeat(names.len()));
    for (question, row) in questions.iter().zip(rows) {
        let answer = if question.answer == Answer::Holds { "holds" } else { "violated" };
        let cells = row.iter().enumerate().map(|(n, series)| if n == 0 { ours_of(series, others) } else { theirs(series) });
        let _ = writeln!(text, "| {} | {answer} | {} |", question.name(), cells.collect::<Vec<_>>().join(" | "));
    }
    let (n_decided, n_tried) = rows.iter().fold((0, 0), |(decided, tried), row| {
        let runs = row.first().and_then(|series| series.runs.as_deref().ok()).unwrap_or(&[]);
        (decided + decided_of(runs).len(), tried + runs.len())
    });
    let n_all: usize = questions.iter().map(|question| settings.sizes_of(question.family).len()).sum();
    let _ = write!(
        text,
        "\nThe default decided {n_decided} of {n_all} questions about all sizes of the families. {n_tried} were tried."
    );
    text
}

/// Returns the decided runs; all of them stand before the one that is open.
fn decided_of(runs: &[(usize, Run)]) -> Vec<&(usize, Run)> {
    runs.iter().filter(|(_, run)| run.answer.is_some()).collect()
}

/// Returns the largest decided size, and the open one after it with the reason.
fn largest(runs: &[(usize, Run)]) -> String {
    let size = decided_of(runs).last().map_or("none".to_owned(), |(size, _)| size.to_string());
    let open = runs.last().filter(|(_, run)| run.answer.is_none());
    open.map_or(size.clone(), |(next, run)| format!("{size} ({next}: {})", run.why))
}

/// Returns the cells of the default: decided of tried, largest, its time and memory, growth, largest within the others' limit.
fn ours_of(series: &Series, others: f64) -> String {
    let runs = series.runs.as_deref().unwrap_or(&[]);
    let decided = decided_of(runs);
    let last = decided.last().map_or("– | –".to_owned(), |(_, run)| format!("{:.2} | {}", run.seconds, run.megabytes));
    let growth = growth(&decided).map_or("–".to_owned(), |factor| format!("{factor:.1}"));
    let within = decided.iter().filter(|(_, run)| run.seconds <= others).map(|(size, _)| size).max();
    let within = within.map_or("none".to_owned(), usize::to_string);
    format!("{} of {} | {} | {last} | {growth} | {within}", decided.len(), runs.len(), largest(runs))
}

/// Returns the time at ten times a size as a multiple of the time at the size, for the largest pair.
fn growth(decided: &[&(usize, Run)]) -> Option<f64> {
    let pair = |(size, run): &&(usize, Run)| {
        let (_, tenth) = decided.iter().find(|(smaller, _)| smaller * 10 == *size)?;
        (0.0 < tenth.seconds).then(|| run.seconds / tenth.seconds)
    };
    decided.iter().rev().find_map(pair)
}

/// Returns the cell of another tool.
fn theirs(series: &Series) -> String {
    let runs = match &series.runs {
        Ok(runs) => runs,
        Err(why) => return (*why).to_owned(),
    };
    let time = decided_of(runs).last().map_or(String::new(), |(_, run)| format!(", {:.2} s", run.seconds));
    format!("{}{time}", largest(runs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(size: usize, answer: Option<Answer>, seconds: f64) -> (usize, Run) {
        (size, Run { answer, why: if answer.is_some() { "" } else { "time" }, seconds, megabytes: 7 })
    }

    #[test]
    fn open_sizes_stand_in_the_denominator() {
        let holds = Some(Answer::Holds);
        let runs = vec![run(1, holds, 0.5), run(10, holds, 2.0), run(100, holds, 12.0), run(1_000, None, 60.0)];
        let series = Series { tool: "default", runs: Ok(runs) };
        assert_eq!(ours_of(&series, 10.0), "3 of 4 | 100 (1000: time) | 12.00 | 7 | 6.0 | 10");
        assert_eq!(theirs(&series), "100 (1000: time), 12.00 s");
    }

    #[test]
    fn a_choice_of_sizes_is_named() {
        let limits = super::super::Limits { seconds: 5.0, megabytes: 9 };
        let text = |sizes: &[usize]| table(&[], &[], &Settings { ours: limits, others: limits, sizes: sizes.to_vec() });
        assert!(text(&[1, 10]).contains("Only these sizes were tried, where a family has them: 1, 10."));
        assert!(!text(&[]).contains("Only these sizes"));
        assert!(text(&[]).starts_with("Limits: 5 s of processor time"));
    }

    #[test]
    fn tools_that_decide_nothing_or_are_absent_are_named_so() {
        assert_eq!(theirs(&Series { tool: "Spacer", runs: Err("absent") }), "absent");
        let series = Series { tool: "Spacer", runs: Ok(vec![run(1, None, 10.0)]) };
        assert_eq!(theirs(&series), "none (1: time)");
        assert_eq!(ours_of(&series, 10.0), "0 of 1 | none (1: time) | – | – | – | none");
    }
}
