//! Table of docs/bam.md: measures families of programs of growing size with each configuration.
//!
//! The environment variables SIZES, FAMILIES, TIME and BINARY change the defaults. Wants a quiet machine.

use std::path::Path;

use serde_json::Value;

use crate::bench_tables::{put, setting};
use crate::{families, tool};

const DOCUMENT: &str = "docs/bam.md";
const OUT: &str = "target/bam";

/// Family and requirement of some rows, with the configurations that are compared.
struct Question {
    family: &'static str,
    requirement: &'static str,
    configurations: &'static [Configuration],
}

/// Name in the table, engine, options.
type Configuration = (&'static str, &'static str, &'static [&'static str]);

const CEGAR: Configuration = ("`cegar` `blk=lf`", "cegar", &["domain=PRED_BOOL", "encoding=ABE", "blk=lf"]);
const BAM: Configuration = ("`bam`", "bam", &[]);
const NO_CACHE: Configuration = ("`cache=off`", "bam", &["cache=off"]);
const IDENTITY: Configuration = ("`reduce=identity`", "bam", &["reduce=identity"]);
const CALLS: Configuration = ("`blocks=calls`", "bam", &["blocks=calls"]);

const QUESTIONS: [Question; 7] = [
    Question { family: "instances", requirement: "all", configurations: &[CEGAR, BAM, NO_CACHE, IDENTITY] },
    Question { family: "instances", requirement: "one", configurations: &[CEGAR, BAM, NO_CACHE, IDENTITY] },
    Question { family: "loops", requirement: "all", configurations: &[CEGAR, BAM, NO_CACHE, IDENTITY, CALLS] },
    Question { family: "levels", requirement: "all", configurations: &[CEGAR, BAM, NO_CACHE, IDENTITY] },
    Question { family: "maxima", requirement: "all", configurations: &[CEGAR, BAM, NO_CACHE, IDENTITY] },
    Question { family: "calls", requirement: "all", configurations: &[CEGAR, BAM, NO_CACHE, IDENTITY] },
    // Other engines do not decide calls that are kept; the fixpoint algorithm has a cache of its own.
    Question { family: "recursion", requirement: "all", configurations: &[BAM] },
];

/// Columns, beside family and configuration.
const COLUMNS: [&str; 9] = [
    "refinements",
    "tracked",
    "states",
    "images asked",
    "computed",
    "blocks entered",
    "known",
    "search, ms",
    "certification, ms",
];

/// Measures all rows and writes them into the document.
pub(crate) fn write() -> Result<(), String> {
    families::write(Path::new(OUT)).map_err(|e| format!("{OUT}: {e}"))?;
    let (sizes, time) = (setting("SIZES", "1 10 50 100 200 400"), setting("TIME", "15"));
    let chosen = setting("FAMILIES", "");
    let mut table = vec![
        format!("| family, requirement, N | configuration | {} | memory, MB |", COLUMNS.join(" | ")),
        format!("|---|---|{}--:|", "--:|".repeat(COLUMNS.len())),
    ];
    for Question { family, requirement, configurations } in QUESTIONS {
        let is_chosen = chosen.is_empty() || chosen.split_whitespace().any(|name| name == family);
        for size in sizes.split_whitespace().filter(|_| is_chosen) {
            let program = format!("{OUT}/{family}_{size:0>5}.st");
            if !Path::new(&program).exists() {
                continue;
            }
            for (name, engine, options) in configurations {
                let mut arguments = vec!["verify", &program, "--requirement", requirement, "--no-assertions", "--json"];
                arguments.extend(["--time-limit", &time, "--engine", engine]);
                options.iter().for_each(|option| arguments.extend(["--option", option]));
                let (outcome, kilobytes) = tool::json_and_memory(&arguments);
                let memory = kilobytes.map_or("–".to_owned(), |kilobytes| (kilobytes / 1024).to_string());
                let row = format!("| {family}, {requirement}, {size} | {name} | {} | {memory} |", cells(&outcome).join(" | "));
                println!("{row}");
                table.push(row);
            }
        }
    }
    put(DOCUMENT, "families", &table.join("\n"))
}

/// Returns the cells of a run for [`COLUMNS`].
fn cells(outcome: &Value) -> [String; COLUMNS.len()] {
    let nothing = || "–".to_owned();
    let result = &outcome["programs"][0]["outcome"]["results"][0];
    let exploration = &result["exploration"];
    let iterations = exploration["iterations"].as_array().map_or(&[] as &[_], Vec::as_slice);
    let last = |key: &str| iterations.last().and_then(|last| last[key].as_u64()).map_or_else(nothing, |n| n.to_string());
    let time =
        |key: &str| -> f64 { iterations.iter().filter_map(|iteration| iteration[key].as_f64()).fold(0.0, |sum, ms| sum + ms) };
    // Engines without blocks have no such numbers.
    let blocks = exploration["blocks"].as_array();
    let of_blocks = |key: &str| {
        let sum = |blocks: &Vec<Value>| blocks.iter().filter_map(|block| block[key].as_u64()).sum::<u64>().to_string();
        blocks.map_or_else(nothing, sum)
    };
    let search = time("abstract_ms") + time("concretise_ms") + time("refine_ms");
    let is_proved = result["verdict"] == "holds";
    [
        iterations.len().checked_sub(1).map_or_else(nothing, |n| n.to_string()),
        last("tracked"),
        last("nodes"),
        of_blocks("images_asked"),
        of_blocks("images_computed"),
        of_blocks("entered"),
        of_blocks("known"),
        if is_proved { format!("{search:.1}") } else { "undecided".to_owned() },
        exploration["certify_ms"].as_f64().filter(|_| is_proved).map_or_else(nothing, |ms| format!("{ms:.0}")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_those_of_the_last_iteration_and_sums_of_times_and_blocks() {
        let iteration = |nodes: u64, ms: f64| serde_json::json!({"nodes": nodes, "tracked": nodes * 2, "abstract_ms": ms, "concretise_ms": 0.5, "refine_ms": 1.0});
        let block = |n: u64| serde_json::json!({"entered": n, "known": n + 1, "images_asked": n + 2, "images_computed": n + 3});
        let mut exploration = serde_json::json!({"iterations": [iteration(3, 1.0), iteration(5, 2.0)], "certify_ms": 7.4});
        let outcome = |verdict: &str, exploration: &Value| {
            let result = serde_json::json!({"verdict": verdict, "exploration": exploration});
            cells(&serde_json::json!({"programs": [{"outcome": {"results": [result]}}]})).join(" ")
        };
        assert_eq!(outcome("holds", &exploration), "1 10 5 – – – – 6.0 7");
        assert_eq!(outcome("unknown", &exploration), "1 10 5 – – – – undecided –");
        exploration["blocks"] = serde_json::json!([block(10), block(20)]);
        assert_eq!(outcome("holds", &exploration), "1 10 5 34 36 30 32 6.0 7");
        assert_eq!(outcome("holds", &Value::Null), "– – – – – – – 0.0 –");
        assert_eq!(cells(&Value::Null)[COLUMNS.len() - 2], "undecided");
    }
}
