//! Rows of the engines' table. The choices of the pages, the API's values, `--help` and the docs are made from it.

use std::collections::BTreeMap;

use super::Engine;
use kernel::context::MakeSolver;

/// A row of [`super::ENGINES`].
pub struct EngineInfo {
    /// Name in options and results.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// Citation, shown beside the choice.
    pub source: &'static str,
    /// Its options.
    pub options: &'static [OptionInfo],
    /// Makes it; an error is a sentence about a combination of options that has no meaning.
    pub build: Build,
}

/// Makes an engine of its settings.
pub type Build = fn(&Settings<'_>, &MakeSolver) -> Result<Box<dyn Engine>, String>;

/// Something that can be set.
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
    /// The word that was chosen.
    pub fn word(&self, name: &str) -> &str {
        self.values.get(name).copied().unwrap_or_default()
    }
    /// The number that was chosen; `None` for a word that may stand instead.
    pub fn number(&self, name: &str) -> Option<u32> {
        self.word(name).parse().ok()
    }
    /// The number that was chosen, of an option that may be negative.
    pub fn integer(&self, name: &str) -> Option<i32> {
        self.word(name).parse().ok()
    }
}

impl OptionInfo {
    fn check(&self, value: &str) -> Result<(), String> {
        let legal = match self.values {
            Values::OneOf(words) => words.contains(&value),
            Values::Number { low, high, words } => {
                // `+3` parses as a number; nobody writes it on purpose.
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
            Values::Number { low, high, words: [] } => write!(f, "a whole number from {low} to {high}"),
            Values::Number { low, high, words } => write!(f, "a whole number from {low} to {high}, or {}", words.join(" or ")),
        }
    }
}

/// The engine of this name with these options. The error is one sentence for the user.
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
