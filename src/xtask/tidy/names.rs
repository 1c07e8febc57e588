//! Names that say something.

use super::Rule;
use crate::source::Source;

pub(super) const RULES: &[Rule] = &[
    Rule {
        text: "a file is named after its concept",
        check: files,
        caught: &[("plc-frontend/src/resolve/later.rs", "//! Marks.\n")],
    },
    Rule {
        text: "a type is named by a word of docs/glossary.md, not by a picture",
        check: types,
        caught: &[("src/answer/decide/judge.rs", "//! Certification.\n\nstruct Court;\n")],
    },
    Rule {
        text: "a crate is reached by its name, never by a path to its files",
        check: paths,
        caught: &[("src/kernel/lib.rs", "//! The kernel.\n\n#[path = \"../search/mod.rs\"]\nmod search;\n")],
    },
];

/// File names that say nothing.
const SILENT: &[&str] =
    &["after", "early", "later", "listed", "loose", "needed", "open", "round", "shape", "space", "spell", "step", "width"];
/// Pictures instead of terms.
const PICTURES: &[&str] = &["Court", "Lane", "Shift", "Seat", "Today", "Suspect", "Anomaly", "Open", "Kept", "Known", "Around"];

fn files(sources: &[Source]) -> Vec<String> {
    let silent = |path: &str| path.strip_suffix(".rs").and_then(|p| p.rsplit('/').next()).is_some_and(|n| SILENT.contains(&n));
    sources.iter().filter(|file| silent(&file.path)).map(|file| file.path.clone()).collect()
}

fn types(sources: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for file in sources.iter().filter(|file| file.is_rust()) {
        for (i, line) in file.text.lines().enumerate() {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_').skip_while(|word| !is_keyword(word));
            if words.next().is_some() && words.next().is_some_and(|name| PICTURES.contains(&name)) {
                found.push(format!("{}:{}: {}", file.path, i + 1, line.trim()));
            }
        }
    }
    found
}

fn is_keyword(word: &str) -> bool {
    ["struct", "enum", "trait", "type"].contains(&word)
}

fn paths(sources: &[Source]) -> Vec<String> {
    let has_path = |file: &&Source| file.is_rust() && file.text.lines().any(|line| line.trim_start().starts_with("#[path"));
    sources.iter().filter(has_path).map(|file| file.path.clone()).collect()
}
