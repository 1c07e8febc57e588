//! Lengths of files and functions.

use super::Rule;
use crate::source::Source;

/// Lines of a file.
const MOST_LINES: usize = 400;
/// Lines of a function.
const MOST_FUNCTION_LINES: usize = 100;

pub(super) const RULES: &[Rule] = &[
    Rule {
        text: "a file has at most 400 lines: look for the second concept",
        check: files,
        caught: &[("src/kernel/expr/long.rs", LONG_FILE)],
    },
    Rule {
        text: "a function has at most 100 lines: divide it at its phases",
        check: functions,
        caught: &[("src/kernel/expr/long.rs", LONG_FUNCTION)],
    },
];

const LONG_FILE: &str = {
    // 401 line ends.
    const BYTES: [u8; 401] = [b'\n'; 401];
    match std::str::from_utf8(&BYTES) {
        Ok(text) => text,
        Err(_) => "",
    }
};
const LONG_FUNCTION: &str = {
    const N: usize = 101;
    const HEAD: &[u8] = b"fn long() {";
    const BYTES: [u8; HEAD.len() + N + 1] = {
        let mut bytes = [b'\n'; HEAD.len() + N + 1];
        let mut i = 0;
        while i < HEAD.len() {
            bytes[i] = HEAD[i];
            i += 1;
        }
        bytes[HEAD.len() + N] = b'}';
        bytes
    };
    match std::str::from_utf8(&BYTES) {
        Ok(text) => text,
        Err(_) => "",
    }
};

fn files(sources: &[Source]) -> Vec<String> {
    let long = sources.iter().filter(|file| file.is_rust() && MOST_LINES < file.text.lines().count());
    long.map(|file| format!("{}: {} lines", file.path, file.text.lines().count())).collect()
}

fn functions(sources: &[Source]) -> Vec<String> {
    let mut long = Vec::new();
    for file in sources.iter().filter(|file| file.is_rust()) {
        let lines: Vec<&str> = file.text.lines().collect();
        for (first, line) in lines.iter().enumerate().filter(|(_, line)| is_head(line)) {
            let end = format!("{}}}", " ".repeat(line.len() - line.trim_start().len()));
            let body =
                lines[first..].iter().position(|line| **line == end || is_one_line(line, lines[first])).map_or(1, |n| n + 1);
            if MOST_FUNCTION_LINES < body {
                long.push(format!("{}:{}: {body} lines", file.path, first + 1));
            }
        }
    }
    long
}

/// Returns true for the line with the name of a function.
fn is_head(line: &str) -> bool {
    let line = line.trim_start();
    let words = line.split_whitespace().take_while(|word| *word != "fn");
    let qualifiers =
        words.clone().all(|word| word.starts_with("pub") || ["crate)", "super)", "const", "async", "in"].contains(&word));
    qualifiers && line.split_whitespace().nth(words.count()) == Some("fn")
}

/// Returns true where a declaration ends in the line of its head: it has no body, or a short one.
fn is_one_line(line: &str, head: &str) -> bool {
    std::ptr::eq(line, head) && (line.ends_with('}') || line.ends_with(';'))
}
