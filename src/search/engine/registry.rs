//! Rows of the engines' table. The choices of the pages, the API's values, `--help` and the docs are made from it.

use std::collections::BTreeMap;

use super::Engine;
use kernel::cfa::pass::Encoding;
use kernel::context::MakeSolver;

/// A row of [`super::ENGINES`].
pub struct EngineInfo {
    /// Name in options and results.
    pub name: &'static str,
    /// Title for users.
    pub title: &'static str,
    /// Citation, shown beside the choice.
    pub source: &'static str,
    /// Its options.
    pub options: &'static [OptionInfo],
    /// Options that its papers name and that it lacks.
    pub absent: &'static [Absent],
    /// Encoding of its automaton, if no option chooses one.
    pub encoding: Encoding,
    /// Makes the engine; an error is a sentence about a combination of options without meaning.
    pub build: Build,
}

/// Makes an engine of its settings.
pub type Build = fn(&Settings<'_>, &MakeSolver) -> Result<Box<dyn Engine>, String>;

/// Option of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionInfo {
    /// Its name.
    pub name: &'static str,
    /// Its values.
    pub values: Values,
    /// Value where none is given.
    pub default: &'static str,
    /// One sentence.
    pub help: &'static str,
}

/// Option that a paper names and an engine lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absent {
    /// Its name, or the value of an option as `name=value`.
    pub name: &'static str,
    /// Paper and section.
    pub source: &'static str,
    /// Reason, and the replacement if there is one; one sentence.
    pub why: &'static str,
}

/// Values of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A whole number in this range, ends included.
    Number {
        /// Smallest.
        low: i32,
        /// Largest.
        high: i32,
        /// Words that may stand instead of a number: `none`, `inf`.
        words: &'static [&'static str],
    },
    /// A text of this form; the engine reads it.
    Text(&'static str),
}

/// Returns the words of a table of words and meanings. So a word without a meaning cannot be declared.
pub const fn words<T, const N: usize>(table: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut words = [""; N];
    let mut i = 0;
    while i < N {
        words[i] = table[i].0;
        i += 1;
    }
    words
}

/// Options of one engine, all of them, each with a legal value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings<'a> {
    values: BTreeMap<&'static str, &'a str>,
}

impl<'a> Settings<'a> {
    /// Checks `given` against the engine's table. The error is one sentence that names the option.
    pub fn new(info: &EngineInfo, given: &'a BTreeMap<String, String>) -> Result<Settings<'a>, String> {
        for name in given.keys() {
            if !info.options.iter().any(|option| option.name == name) {
                let known: Vec<String> = info.options.iter().map(|option| format!("`{}`", option.name)).collect();
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                return Err(format!("engine `{}` has no option `{name}`; its options: {known}", info.name));
            }
        }
        let mut values = BTreeMap::new();
        for option in info.options {
            let value = given.get(option.name).map_or(option.default, |value| value.trim());
            option.check(value)?;
            values.insert(option.name, value);
        }
        Ok(Settings { values })
    }
    /// Returns the meaning of the chosen word of an option whose words are those of `table`.
    pub fn choice<T: Copy>(&self, name: &str, table: &[(&'static str, T)]) -> T {
        let word = self.word(name);
        match table.iter().find(|(known, _)| *known == word) {
            Some((_, meaning)) => *meaning,
            None => unreachable!("`{word}` is a word of the option `{name}`"),
        }
    }
    /// Returns the chosen word.
    pub fn word(&self, name: &str) -> &str {
        self.values.get(name).copied().unwrap_or_default()
    }
    /// Returns the chosen number; `None` for a word that may stand instead.
    pub fn number(&self, name: &str) -> Option<u32> {
        self.word(name).parse().ok()
    }
    /// Returns the chosen number of an option that may be negative.
    pub fn integer(&self, name: &str) -> Option<i32> {
        self.word(name).parse().ok()
    }
}

impl OptionInfo {
    fn check(&self, value: &str) -> Result<(), String> {
        let legal = match self.values {
            Values::OneOf(words) => words.contains(&value),
            Values::Text(_) => true,
            Values::Number { low, high, words } => {
                // `+3` parses as a number, but is probably a mistake.
                let number = value.parse::<i32>().ok().filter(|_| !value.starts_with('+'));
                number.is_some_and(|n| low <= n && n <= high) || words.contains(&value)
            }
        };
        if legal { Ok(()) } else { Err(format!("option `{}` cannot be `{value}`: it is {}", self.name, self.values)) }
    }
}

impl std::fmt::Display for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Values::OneOf(words) => write!(f, "one of {}", words.join(", ")),
            Values::Text(form) => write!(f, "{form}"),
            Values::Number { low, high, words: [] } => write!(f, "a whole number from {low} to {high}"),
            Values::Number { low, high, words } => write!(f, "a whole number from {low} to {high}, or {}", words.join(" or ")),
        }
    }
}

/// Returns the engine of this name with these options. The error is one sentence for the user.
pub fn configure(
    table: &[EngineInfo],
    name: &str,
    options: &BTreeMap<String, String>,
    solvers: &MakeSolver,
) -> Result<Box<dyn Engine>, String> {
    let Some(info) = table.iter().find(|info| info.name == name) else {
        let known: Vec<String> = table.iter().map(|info| format!("`{}`", info.name)).collect();
        return Err(format!("there is no engine `{name}`; the engines: {}", known.join(", ")));
    };
    (info.build)(&Settings::new(info, options)?, solvers)
}
