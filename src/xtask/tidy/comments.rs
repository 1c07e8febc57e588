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
        text: "a sentence of a doc comment has at most 25 words",
        check: long_sentences,
        caught: &[("src/kernel/expr/talks.rs", LONG_SENTENCE)],
    },
    Rule {
        text: "a comment names its subject: no nobody, somebody, anybody, whoever",
        check: riddles,
        caught: &[("src/kernel/expr/riddle.rs", "//! Names.\n\n// Nobody reads them.\nfn names() {}\n")],
    },
    Rule {
        text: "no test is switched off, nothing is left to be written",
        check: switched_off,
        caught: &[("src/kernel/expr/tests.rs", "//! Tests.\n\n#[ignore]\n#[test]\nfn t() {}\n")],
    },
];

const QUESTION_WORDS: &[&str] =
    &["What", "Whatever", "Whether", "That", "Where", "Wherever", "Who", "Whoever", "Whose", "How", "Which", "Why"];

/// Words of a sentence.
const MOST_WORDS: usize = 25;
const LONG_SENTENCE: &str = "//! One two three four five six seven eight nine ten eleven twelve thirteen\n\
    //! fourteen fifteen sixteen seventeen eighteen nineteen twenty one two three four five six.\n";

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

/// Returns the paragraphs of doc comments with the numbers of their first lines; lists, tables and code are left out.
fn paragraphs(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (i, line) in text.lines().enumerate() {
        let comment = ["///", "//!"].iter().find_map(|mark| line.trim_start().strip_prefix(mark)).map(str::trim);
        let prose = comment.filter(|text| !text.is_empty() && !text.starts_with(['-', '|', '`', '*', '#']));
        match (prose, found.last_mut()) {
            (Some(text), Some((_, paragraph))) if is_open => *paragraph = format!("{paragraph} {text}"),
            (Some(text), _) => found.push((i + 1, text.to_owned())),
            (None, _) => {}
        }
        is_open = prose.is_some();
    }
    found
}

fn long_sentences(sources: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for file in sources.iter().filter(|file| file.is_rust()) {
        for (line, paragraph) in paragraphs(&file.text) {
            for sentence in paragraph
                .split_inclusive(". ")
                .flat_map(|part| part.split_inclusive("; "))
                .flat_map(|part| part.split_inclusive(": "))
            {
                let n_words = sentence.split_whitespace().count();
                if MOST_WORDS < n_words {
                    found.push(format!("{}:{line}: {n_words} words: {sentence}", file.path));
                }
            }
        }
    }
    found
}

fn riddles(sources: &[Source]) -> Vec<String> {
    let words = ["nobody", "somebody", "anybody", "whoever"];
    let mut found = Vec::new();
    for file in sources.iter().filter(|file| file.is_rust() && !file.path.starts_with("src/xtask/")) {
        for (i, line) in file.text.lines().enumerate() {
            let Some((_, comment)) = line.split_once("//") else { continue };
            let comment = comment.to_lowercase();
            if comment.split(|c: char| !c.is_alphabetic()).any(|word| words.contains(&word)) {
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
