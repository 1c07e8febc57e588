//! Program and requirement of a certificate, as lines of its header: `; key: value`.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::{Flaw, shorten};
use crate::certify::stated::Kind;
use kernel::verdict::{Paths, Support};

/// The version of the format that is written and read.
pub(super) const FORMAT: &str = "2";

/// Most steps of a proof by k-induction that is written out.
const MOST_STEPS: u32 = 2_000;

/// Key of the lines that name conditions.
pub(super) const CONDITION: &str = "condition";

/// Program and requirement. Two certificates are about the same question iff these are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// [`program_digest`].
    pub program: String,
    /// The requirement's id.
    pub requirement: String,
    /// Precise meaning of the requirement.
    pub means: String,
    /// Options of the model and assumptions: name and value.
    pub settings: Vec<(&'static str, String)>,
    /// TRUE if the requirement asks for a run: a proof shows that there is none.
    pub is_possibility: bool,
    /// Conditions of the answer. A file that is checked must name each of them ([`super::conditions::agreed`]).
    pub conditions: Vec<String>,
}

/// Returns the SHA-256 over the SHA-256 of each source, ordered by digest: names and folders of files do not matter.
pub fn program_digest<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut digests: Vec<String> = texts.map(sha256).collect();
    digests.sort();
    sha256(&digests.join("\n"))
}

/// Returns the SHA-256 of a text, in hexadecimal digits.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Keys of the lines that identify program and requirement.
const KEYS: [&str; 9] =
    ["program-sha256", "requirement", "means", "cycle", "entry", "project", "dialect", "environment", "assumed"];

impl Identity {
    /// Returns keys and values, in their order.
    pub(super) fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![
            ("program-sha256", self.program.clone()),
            ("requirement", self.requirement.clone()),
            ("means", self.means.clone()),
        ];
        lines.extend(self.settings.iter().cloned());
        lines.into_iter().map(|(key, value)| (key, one_line(&value))).collect()
    }
    /// Returns keys and values with the conditions, as a file names them.
    pub(super) fn about(&self) -> Vec<(&'static str, String)> {
        let conditions = self.conditions.iter().map(|condition| (CONDITION, one_line(condition)));
        self.lines().into_iter().chain(conditions).collect()
    }
    /// Returns the answer that a proof under this many conditions shows.
    pub(super) fn answer(&self, n_conditions: usize) -> String {
        let (under, runs) = match n_conditions {
            0 => (String::new(), "no run"),
            1 => (" under 1 condition".to_owned(), "no run that keeps it"),
            n => (format!(" under {n} conditions"), "no run that keeps them"),
        };
        if self.is_possibility {
            format!("what the requirement asks for is impossible{under}: {runs} gets there")
        } else {
            format!("the requirement holds{under}: {runs} violates it")
        }
    }
    /// Returns the first difference between the header of a certificate and this question.
    pub(super) fn differs(&self, said: &[(&str, String)]) -> Option<String> {
        let known = |key: &str| KEYS.contains(&key);
        let theirs: Vec<(&str, &str)> =
            said.iter().map(|(key, value)| (*key, value.as_str())).filter(|(k, _)| known(k)).collect();
        let lines = self.lines();
        debug_assert!(lines.iter().all(|(key, _)| known(key)), "a key of this question is missing in KEYS");
        let ours: Vec<(&str, &str)> = lines.iter().map(|(key, value)| (*key, value.as_str())).collect();
        if ours == theirs {
            return None;
        }
        let value = |lines: &[(&str, &str)], key: &str| {
            let values: Vec<String> = lines.iter().filter(|(k, _)| *k == key).map(|(_, value)| format!("`{value}`")).collect();
            if values.is_empty() { "nothing".to_owned() } else { values.join(", ") }
        };
        let keys = ours.iter().chain(&theirs).map(|(key, _)| *key);
        for key in keys {
            let (said, is) = (value(&theirs, key), value(&ours, key));
            if said != is {
                return Some(format!("it is about something else: its `{key}` is {said}, here it is {is}"));
            }
        }
        Some("its header has the right lines in another order".to_owned())
    }
}

/// Returns text that stays on its line of a comment.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned()
}

/// Writes lines of a header.
pub(super) fn comments(lines: &[(&str, String)]) -> String {
    lines.iter().fold(String::new(), |mut text, (key, value)| {
        let _ = writeln!(text, "; {key}: {value}");
        text
    })
}

/// Reads the lines `; key: value` before the first command.
pub(super) fn read(text: &str) -> Vec<(&str, String)> {
    let comments = text.lines().map(str::trim).take_while(|line| line.is_empty() || line.starts_with(';'));
    comments
        .filter_map(|line| line.trim_start_matches(';').trim().split_once(": "))
        .map(|(key, value)| (key.trim(), value.trim().to_owned()))
        .collect()
}

const SUPPORTS: [(&str, Support); 2] = [("by itself", Support::Alone), ("by k steps", Support::Steps)];
const PATHS: [(&str, Paths); 2] = [("all", Paths::Any), ("without repetition", Paths::Simple)];

fn word<T: PartialEq>(table: &[(&str, T)], meaning: T) -> String {
    table.iter().find(|(_, known)| *known == meaning).map(|(word, _)| (*word).to_owned()).unwrap_or_default()
}
fn meaning<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
}

/// Returns the lines for a kind of proof.
pub(super) fn kind_lines(kind: Kind) -> Vec<(&'static str, String)> {
    match kind {
        Kind::Inductive => vec![("proof", "inductive".to_owned())],
        Kind::Exhaustive { k, paths } => {
            vec![("proof", "exhaustive".to_owned()), ("k", k.to_string()), ("paths", word(&PATHS, paths))]
        }
        Kind::KInductive { k, support, paths } => vec![
            ("proof", "k-inductive".to_owned()),
            ("k", k.to_string()),
            ("invariant-holds", word(&SUPPORTS, support)),
            ("paths", word(&PATHS, paths)),
        ],
    }
}

/// Reads the kind of proof.
pub(super) fn kind(lines: &[(&str, String)]) -> Result<Kind, Flaw> {
    let value = |key: &str| {
        let mut all = lines.iter().filter(|(k, _)| *k == key).map(|(_, value)| value.as_str());
        match (all.next(), all.next()) {
            (Some(value), None) => Ok(value),
            (None, _) => Err(Flaw(format!("its header has no `{key}`"))),
            (Some(_), Some(_)) => Err(Flaw(format!("its header has `{key}` twice"))),
        }
    };
    let odd = |key: &str, value: &str| Flaw(format!("`{}` is nothing that `{key}` may be", shorten(value)));
    let steps = || {
        let k = value("k")?;
        let k: u32 = k.parse().map_err(|_| odd("k", k))?;
        if k == 0 || MOST_STEPS < k {
            return Err(Flaw(format!("k is {k}: it is between 1 and {MOST_STEPS}")));
        }
        Ok(k)
    };
    let paths = || value("paths").and_then(|word| meaning(&PATHS, word).ok_or_else(|| odd("paths", word)));
    match value("proof")? {
        "inductive" => Ok(Kind::Inductive),
        "exhaustive" => Ok(Kind::Exhaustive { k: steps()?, paths: paths()? }),
        "k-inductive" => {
            let k = steps()?;
            let word = value("invariant-holds")?;
            let support = meaning(&SUPPORTS, word).ok_or_else(|| odd("invariant-holds", word))?;
            Ok(Kind::KInductive { k, support, paths: paths()? })
        }
        other => Err(odd("proof", other)),
    }
}
