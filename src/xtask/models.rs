//! Verdicts of published models, compared with those of a table.

use crate::tool;

/// Seconds for one model.
const LIMIT_S: &str = "120";

/// Verifies each model of `FOLDER/expected.csv` (`model,safe`); returns a line for each other verdict.
///
/// `engine` is `NAME OPTION=VALUE …`; the default strategy if it is empty.
pub(crate) fn check(folder: &str, engine: &[String]) -> Vec<String> {
    let table = format!("{folder}/expected.csv");
    let text = std::fs::read_to_string(&table).unwrap_or_else(|e| panic!("{table}: {e}"));
    let mut wrong = Vec::new();
    let mut slowest = (0, String::new());
    for (model, safe) in text.lines().skip(1).filter_map(|line| line.split_once(',')) {
        let path = format!("{folder}/{model}");
        let mut arguments = vec!["verify", "--json", "--time-limit", LIMIT_S];
        if let Some((name, options)) = engine.split_first() {
            arguments.extend(["--engine", name]);
            arguments.extend(options.iter().flat_map(|option| ["--option", option]));
        }
        arguments.push(&path);
        let outcome = tool::json(&arguments);
        let result = &outcome["programs"][0]["outcome"]["results"][0];
        let verdict = result["verdict"].as_str().unwrap_or("none");
        let ms = result["duration_ms"].as_u64().unwrap_or(0);
        println!("{model}: {verdict} ({ms} ms) {}", result["reason"].as_str().unwrap_or_default());
        slowest = slowest.max((ms, model.to_owned()));
        let expected = if safe.trim() == "true" { "holds" } else { "violated" };
        if verdict != expected {
            wrong.push(format!("{model}: {verdict}, and {expected} was expected"));
        }
    }
    if slowest.1.is_empty() {
        wrong.push(format!("{table} names no model"));
    }
    println!("the slowest: {} with {} ms", slowest.1, slowest.0);
    wrong
}
