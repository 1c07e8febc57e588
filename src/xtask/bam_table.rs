//! Table of docs/bam.md: measures families of programs of growing size with each configuration.
//!
//! The environment variables SIZES, TIME and BINARY change the defaults. Wants a quiet machine.

use std::path::Path;

use serde_json::Value;

use crate::bench_tables::{put, setting};
use crate::{families, tool};

const DOCUMENT: &str = "docs/bam.md";
const OUT: &str = "target/bam";

/// A row's family and requirement.
const QUESTIONS: [(&str, &str); 5] =
    [("instances", "all"), ("instances", "one"), ("loops", "all"), ("levels", "all"), ("calls", "all")];

/// Configurations: name in the table, engine, options.
const CONFIGURATIONS: [(&str, &str, &[&str]); 4] = [
    ("`cegar` `blk=lf`", "cegar", &["domain=PRED_BOOL", "encoding=ABE", "blk=lf"]),
    ("`bam`", "bam", &[]),
    ("`cache=off`", "bam", &["cache=off"]),
    ("`reduce=identity`", "bam", &["reduce=identity"]),
];

/// Measures all rows and writes them into the document.
pub(crate) fn write() -> Result<(), String> {
    families::write(Path::new(OUT)).map_err(|e| format!("{OUT}: {e}"))?;
    let sizes = setting("SIZES", "1 10 25 50 100 200");
    let mut table = vec![
        "| family, requirement, N | configuration | refinements | tracked | states | search, ms | certification, ms |".to_owned(),
        "|---|---|--:|--:|--:|--:|--:|".to_owned(),
    ];
    for (family, requirement) in QUESTIONS {
        for size in sizes.split_whitespace() {
            let program = format!("{OUT}/{family}_{size:0>5}.st");
            if !Path::new(&program).exists() {
                continue;
            }
            for (name, engine, options) in CONFIGURATIONS {
                let mut arguments = vec!["verify", &program, "--requirement", requirement, "--no-assertions", "--json"];
                let time = setting("TIME", "60");
                arguments.extend(["--time-limit", &time, "--engine", engine]);
                options.iter().for_each(|option| arguments.extend(["--option", option]));
                table.push(format!("| {family}, {requirement}, {size} | {name} | {} |", cells(&tool::json(&arguments))));
            }
        }
    }
    put(DOCUMENT, "families", &table.join("\n"))
}

/// Returns the cells of a run: refinements, tracked things, states, search and certification.
fn cells(outcome: &Value) -> String {
    let result = &outcome["programs"][0]["outcome"]["results"][0];
    let exploration = &result["exploration"];
    let Some(iterations) = exploration["iterations"].as_array() else { return "– | – | – | undecided | –".to_owned() };
    let (first, last) = (iterations.first(), iterations.last());
    let number = |key: &str| last.and_then(|last| last[key].as_u64()).unwrap_or_default();
    let sum = |key: &str| -> f64 { iterations.iter().filter_map(|iteration| iteration[key].as_f64()).sum() };
    let search = sum("abstract_ms") + sum("concretise_ms") + sum("refine_ms");
    let n_refinements = iterations.len() - usize::from(first.is_some());
    let search = if result["verdict"] == "holds" { format!("{search:.1}") } else { "undecided".to_owned() };
    let certification = exploration["certify_ms"].as_f64().unwrap_or_default();
    format!("{n_refinements} | {} | {} | {search} | {certification:.0}", number("tracked"), number("nodes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_those_of_the_last_iteration_and_sums_of_times() {
        let iteration = |nodes: u64, ms: f64| serde_json::json!({"nodes": nodes, "tracked": nodes * 2, "abstract_ms": ms, "concretise_ms": 0.5, "refine_ms": 1.0});
        let exploration = serde_json::json!({"iterations": [iteration(3, 1.0), iteration(5, 2.0)], "certify_ms": 7.4});
        let outcome = |verdict: &str| {
            let result = serde_json::json!({"verdict": verdict, "exploration": exploration});
            serde_json::json!({"programs": [{"outcome": {"results": [result]}}]})
        };
        assert_eq!(cells(&outcome("holds")), "1 | 10 | 5 | 6.0 | 7");
        assert_eq!(cells(&outcome("unknown")), "1 | 10 | 5 | undecided | 7");
        assert_eq!(cells(&Value::Null), "– | – | – | undecided | –");
    }
}
