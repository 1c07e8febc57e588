//! Comments in plain words.

use super::Rule;
use crate::source::Source;

pub(super) const RULES: &[Rule] = &[
    Rule {
        text: "a file begins with `//!`: its concept in one sentence",
        check: headers,
        caught: &[("src/kernel/expr/bare.rs", "fn f() {}\n")],
    },
    Rule {
        text: "a doc comment begins with a noun phrase or a verb, not with a question word",
        check: question_words,
        caught: &[("src/kernel/expr/asks.rs", "//! Names.\n\n/// Whether a name is free.\nfn is_free() {}\n")],
    },
    Rule {
        text: "no test is switched off, nothing is left to be written",
        check: switched_off,
        caught: &[("src/kernel/expr/tests.rs", "//! Tests.\n\n#[ignore]\n#[test]\nfn t() {}\n")],
    },
];

const QUESTION_WORDS: &[&str] =
    &["What", "Whatever", "Whether", "That", "Where", "Wherever", "Who", "Whoever", "Whose", "How", "Which", "Why"];

fn headers(sources: &[Source]) -> Vec<String> {
    let bare = sources.iter().filter(|file| file.is_rust() && !file.text.starts_with("//!"));
    bare.map(|file| format!("{}:1", file.path)).collect()
}

fn question_words(sources: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for file in sources.iter().filter(|file| file.is_rust()) {
        let mut before = None;
        for (i, line) in file.text.lines().enumerate() {
            let comment = ["///", "//!"].iter().find_map(|mark| line.trim_start().strip_prefix(mark));
            let is_first = before.is_none();
            before = comment;
            let word = comment.unwrap_or_default().trim().split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
            if is_first && QUESTION_WORDS.contains(&word) {
                found.push(format!("{}:{}: {}", file.path, i + 1, line.trim()));
            }
        }
    }
    found
}

fn switched_off(sources: &[Source]) -> Vec<String> {
    let words = ["#[ignore", "#[should_panic", "todo!(", "unimplemented!("];
    let mut found = Vec::new();
    for file in sources.iter().filter(|file| file.is_rust() && !file.path.starts_with("src/xtask/")) {
        for (i, line) in file.text.lines().enumerate().filter(|(_, line)| words.iter().any(|word| line.contains(word))) {
            found.push(format!("{}:{}: {}", file.path, i + 1, line.trim()));
        }
    }
    found
}
