//! Rules about docs/papers.md: each row says how an algorithm or claim of a paper stands, and names files and tests that exist.

use super::Rule;
use crate::source::Source;

/// The document with a table for each paper.
const DOCUMENT: &str = "docs/papers.md";

pub(super) const RULES: &[Rule] = &[
    Rule {
        text: "a file that docs/papers.md names exists",
        check: files,
        caught: &[(DOCUMENT, "| 1 | Definition 1 | `src/search/gone.rs` | – | absent: it is gone |\n")],
    },
    Rule {
        text: "a test that docs/papers.md names exists: a function with #[test] in that file",
        check: tests,
        caught: &[
            (DOCUMENT, "| 1 | Definition 1 | `src/search/a.rs` | `src/search/a.rs::holds` | faithful |\n"),
            ("src/search/a.rs", "//! Definition 1.\n\nfn holds() {}\n"),
        ],
    },
    Rule {
        text: "a row of docs/papers.md has five cells: faithful with a file and a test, or differs or absent with a reason",
        check: rows,
        caught: &[(DOCUMENT, "| 1 | Definition 1 | – | – | faithful |\n")],
    },
];

/// Returns the rows of the tables with the numbers of their lines; heads and separators are no rows.
fn table(sources: &[Source]) -> impl Iterator<Item = (usize, Vec<&str>)> {
    let lines = sources.iter().filter(|file| file.path == DOCUMENT).flat_map(|file| file.text.lines().enumerate());
    let rows = lines.filter_map(|(i, line)| Some((i + 1, line.strip_prefix('|')?.strip_suffix('|')?)));
    let cells = rows.map(|(line, row)| (line, row.split('|').map(str::trim).collect::<Vec<_>>()));
    cells.filter(|(_, cells)| cells.first().is_some_and(|first| *first != "§" && !first.starts_with("--")))
}

/// Returns the names in backticks of a cell that are paths.
fn paths(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2).filter(|name| name.contains('/'))
}

fn files(sources: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (line, cells) in table(sources) {
        for path in cells.iter().flat_map(|cell| paths(cell)) {
            let file = path.split("::").next().unwrap_or_default();
            let exists = sources.iter().any(|source| source.path == file || source.path.starts_with(&format!("{file}/")));
            if !exists {
                wrong.push(format!("{DOCUMENT}:{line}: `{file}`"));
            }
        }
    }
    wrong
}

fn tests(sources: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (line, cells) in table(sources) {
        for (file, name) in cells.iter().flat_map(|cell| paths(cell)).filter_map(|path| path.split_once("::")) {
            let source = sources.iter().find(|source| source.path == file);
            if source.is_some_and(|source| !has_test(&source.text, name)) {
                wrong.push(format!("{DOCUMENT}:{line}: `{file}::{name}`"));
            }
        }
    }
    wrong
}

/// Returns whether a function of this name has the attribute of tests, with nothing but attributes in between.
fn has_test(text: &str, name: &str) -> bool {
    let head = format!("fn {name}(");
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if is_test && line.starts_with(&head) {
            return true;
        }
        is_test = line == "#[test]" || is_test && line.starts_with("#[");
    }
    false
}

fn rows(sources: &[Source]) -> Vec<String> {
    let is_whole = |cells: &[&str]| {
        let [section, claim, files, tests, status] = cells else { return false };
        let reason = |word: &str| status.strip_prefix(word).is_some_and(|rest| rest.starts_with(": "));
        let stands = *status == "faithful" && paths(files).next().is_some() && paths(tests).any(|path| path.contains("::"));
        !section.is_empty() && !claim.is_empty() && (stands || reason("differs") || reason("absent"))
    };
    let broken = table(sources).filter(|(_, cells)| !is_whole(cells));
    broken.map(|(line, cells)| format!("{DOCUMENT}:{line}: {}", cells.join(" | "))).collect()
}
