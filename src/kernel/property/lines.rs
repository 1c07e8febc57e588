//! Lines of a specification's places in its requirement file.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_saphyr::Spanned;

/// Lines of a requirement file by JSON pointer.
#[derive(Clone, Debug, Default)]
pub struct Lines(BTreeMap<String, u64>);

type Fields = BTreeMap<String, Spanned<IgnoredAny>>;

#[derive(Default, Deserialize)]
struct File {
    #[serde(default)]
    entry: Option<Spanned<IgnoredAny>>,
    #[serde(default)]
    cycle: Option<Spanned<IgnoredAny>>,
    #[serde(default)]
    start: Option<Spanned<IgnoredAny>>,
    #[serde(default)]
    inputs: Vec<Spanned<IgnoredAny>>,
    #[serde(default)]
    parameters: Vec<Spanned<IgnoredAny>>,
    #[serde(default)]
    memory: Vec<Spanned<IgnoredAny>>,
    #[serde(default)]
    frozen: Vec<Spanned<IgnoredAny>>,
    #[serde(default)]
    assumptions: Vec<Fields>,
    #[serde(default)]
    requirements: Vec<Fields>,
    #[serde(default)]
    checks: Option<Vec<Spanned<IgnoredAny>>>,
}

impl Lines {
    /// Reads the lines of a file that was read as a specification; other files have none.
    pub fn of(text: &str) -> Lines {
        let file: File = super::yaml::read(text).unwrap_or_default();
        let mut lines = BTreeMap::new();
        let line = |at: &Spanned<IgnoredAny>| at.referenced.line();
        for (key, at) in [("/entry", &file.entry), ("/cycle", &file.cycle), ("/start", &file.start)] {
            lines.extend(at.as_ref().map(|at| (key.to_owned(), line(at))));
        }
        for (key, rows) in [("/assumptions", &file.assumptions), ("/requirements", &file.requirements)] {
            for (i, row) in rows.iter().enumerate() {
                lines.extend(row.iter().map(|(name, at)| (format!("{key}/{i}/{name}"), line(at))));
                lines.extend(row.values().map(line).min().map(|first| (format!("{key}/{i}"), first)));
            }
        }
        let shared =
            [("inputs", &file.inputs), ("parameters", &file.parameters), ("memory", &file.memory), ("frozen", &file.frozen)];
        for (key, rows) in shared {
            lines.extend(rows.iter().enumerate().map(|(i, at)| (format!("/{key}/{i}"), line(at))));
        }
        for (i, at) in file.checks.iter().flatten().enumerate() {
            lines.insert(format!("/checks/{i}"), line(at));
        }
        Lines(lines)
    }

    /// Returns the line of a place, or of an enclosing one.
    pub fn find(&self, pointer: &str) -> Option<u64> {
        let mut pointer = pointer;
        loop {
            if let Some(line) = self.0.get(pointer) {
                return Some(*line);
            }
            pointer = pointer.rsplit_once('/')?.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_their_lines() {
        let text = "# what must hold\ncycle: 50\nassumptions:\n  - expr: A\nrequirements:\n  - id: X\n    if: A\n    then: >\n      B\n  - { never: B }\n  - pattern: p\n    params: [A, B]\nchecks:\n  - none\n";
        let lines = Lines::of(text);
        let check = |pointer: &str, expected: Option<u64>| assert_eq!(lines.find(pointer), expected, "{pointer}");
        assert_eq!(Lines::of("inputs: [a]\nstart: warm").find("/start"), Some(2));
        check("/cycle", Some(2));
        check("/assumptions/0/expr", Some(4));
        check("/requirements/0/if", Some(7));
        check("/requirements/0", Some(6));
        check("/requirements/0/always", Some(6));
        check("/requirements/1/never", Some(10));
        check("/requirements/2/params/1", Some(12));
        check("/checks/0", Some(14));
        check("/entry", None);
        check("", None);
        assert_eq!(Lines::of("never: [").find("/requirements/0"), None);
    }
}
