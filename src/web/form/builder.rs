//! The sentence builder of the form: a pattern, and for each of its blanks one or two comparisons of variables.
//!
//! It only writes text: the requirement that comes out is an ordinary row, read by the worker like any other.
//! **Invariant:** a filled builder is never dropped. The form starts no run while a sentence waits in it.

use super::requirement::sentence_of;
use kernel::property::pattern::{DURATIONS, PATTERNS, Pattern, by_id};

/// Comparisons, by the value of their option, with their words.
pub(crate) const TESTS: [(&str, &str); 10] = [
    ("true", "is TRUE"),
    ("false", "is FALSE"),
    ("eq", "= equals"),
    ("ne", "≠ differs from"),
    ("lt", "< is less than"),
    ("le", "≤ is at most"),
    ("gt", "> is more than"),
    ("ge", "≥ is at least"),
    ("rose", "becomes TRUE"),
    ("fell", "becomes FALSE"),
];
/// Ways to join two comparisons.
pub(crate) const JOINS: [(&str, &str); 3] = [("", "none"), ("and", "AND"), ("or", "OR")];
/// Keys whose conditions are about the beginning of a cycle: they cannot look back.
const WITHOUT_PAST: &[&str] = &["at_start", "started"];

/// Comparison as entered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// Variable, or any expression in ST.
    pub(crate) left: String,
    /// Value of one of [`TESTS`].
    pub(crate) test: String,
    /// Number, value or variable, for tests with two sides.
    pub(crate) right: String,
}

/// Entries for a blank of the sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Blank {
    pub(crate) first: Comparison,
    /// Value of one of [`JOINS`].
    pub(crate) join: String,
    pub(crate) second: Comparison,
    /// For a blank that is a time.
    pub(crate) time: String,
    /// Entry that is missing.
    pub(crate) error: Option<String>,
}

/// Sentence that is being built.
#[derive(Clone, Debug)]
pub(crate) struct Builder {
    pub(crate) kind: &'static Pattern,
    /// One per key of the pattern.
    pub(crate) blanks: Vec<Blank>,
    /// Just chosen: its first blank takes the focus.
    pub(crate) is_fresh: bool,
}

impl Builder {
    /// Returns an empty sentence of a pattern.
    pub(crate) fn new(kind: &'static Pattern) -> Builder {
        Builder { kind, blanks: vec![Blank::default(); kind.keys.len()], is_fresh: false }
    }

    /// Returns an empty sentence of the first pattern.
    pub(super) fn first() -> Builder {
        Builder::new(&PATTERNS[0])
    }

    /// Reads posted fields.
    pub(super) fn read(find: &dyn Fn(&str) -> Option<String>) -> Builder {
        let kind = find("b-kind").and_then(|id| by_id(&id)).unwrap_or(&PATTERNS[0]);
        let get = |n: usize, name: &str| find(&format!("b{n}-{name}")).unwrap_or_default().trim().to_owned();
        let comparison = |n: usize, at: &str| Comparison {
            left: get(n, &format!("left{at}")),
            test: get(n, &format!("test{at}")),
            right: get(n, &format!("right{at}")),
        };
        let blank = |n: usize| Blank {
            first: comparison(n, ""),
            join: get(n, "join"),
            second: comparison(n, "-2"),
            time: get(n, "time"),
            error: None,
        };
        Builder { kind, blanks: (0..kind.keys.len()).map(blank).collect(), is_fresh: false }
    }

    /// Returns whether nothing is entered.
    pub(crate) fn is_blank(&self) -> bool {
        self.blanks.iter().all(Blank::is_blank)
    }

    /// Returns the expressions of the blanks; `None` if one is incomplete, which its blank then says.
    pub(crate) fn expressions(&mut self) -> Option<Vec<String>> {
        let kind = self.kind;
        let texts = self.blanks.iter_mut().zip(kind.keys).map(|(blank, key)| match blank.text(key) {
            Ok(text) => Some(text),
            Err(error) => {
                blank.error = Some(error.to_owned());
                None
            }
        });
        // Every blank is looked at: all of them say what they lack.
        texts.collect::<Vec<_>>().into_iter().collect()
    }

    /// Returns the words behind the last blank.
    pub(crate) fn words_behind(&self) -> String {
        self.words(&self.blanks.len())
    }

    /// Returns the words before a blank of the sentence.
    pub(crate) fn words(&self, n: &usize) -> String {
        let words = sentence_of(self.kind);
        words.get(*n).map_or(String::new(), |words| (*words).to_owned())
    }

    /// Returns whether a blank is a time.
    pub(crate) fn is_time(&self, n: &usize) -> bool {
        self.kind.keys.get(*n).is_some_and(|key| DURATIONS.contains(key))
    }

    /// Returns the comparisons of a blank: those that look back only where the pattern allows them.
    pub(crate) fn tests(&self, n: &usize) -> &'static [(&'static str, &'static str)] {
        let is_at_start = self.kind.keys.get(*n).is_some_and(|key| WITHOUT_PAST.contains(key));
        if is_at_start { &TESTS[..8] } else { &TESTS }
    }

    /// Returns the number of incomplete blanks.
    pub(super) fn n_errors(&self) -> usize {
        self.blanks.iter().filter(|blank| blank.error.is_some()).count()
    }
}

impl Blank {
    fn is_blank(&self) -> bool {
        [&self.first.left, &self.first.right, &self.second.left, &self.second.right, &self.time].iter().all(|e| e.is_empty())
    }

    /// Returns whether something of a second comparison is entered.
    pub(crate) fn has_second(&self) -> bool {
        !(self.join.is_empty() && self.second.left.is_empty() && self.second.right.is_empty())
    }

    /// Returns the expression of a blank.
    fn text(&self, key: &str) -> Result<String, &'static str> {
        if DURATIONS.contains(&key) {
            return if self.time.is_empty() { Err("enter a time, as 500ms or 5s") } else { Ok(self.time.clone()) };
        }
        let first = self.first.text()?;
        let join = match self.join.as_str() {
            "and" => "AND",
            "or" => "OR",
            _ if !self.has_second() => return Ok(first),
            _ => return Err("choose AND or OR between the two comparisons"),
        };
        Ok(format!("{first} {join} {}", self.second.text()?))
    }
}

impl Comparison {
    fn text(&self) -> Result<String, &'static str> {
        if self.left.is_empty() {
            return Err("choose a variable");
        }
        let left = operand(&self.left);
        let operator = match self.test.as_str() {
            "" | "true" | "false" | "rose" | "fell" if !self.right.is_empty() => {
                return Err("a value stands beside a comparison that takes none; choose another comparison, or empty the value");
            }
            "" | "true" => return Ok(left),
            "false" => return Ok(format!("NOT {left}")),
            "rose" => return Ok(format!("ROSE({})", self.left)),
            "fell" => return Ok(format!("FELL({})", self.left)),
            "eq" => "=",
            "ne" => "<>",
            "lt" => "<",
            "le" => "<=",
            "gt" => ">",
            "ge" => ">=",
            _ => return Err("choose a comparison"),
        };
        if self.right.is_empty() {
            Err("enter a value to compare with")
        } else {
            Ok(format!("{left} {operator} {}", operand(&self.right)))
        }
    }
}

/// Returns an entry as an operand: anything but a name or a literal gets parentheses.
fn operand(text: &str) -> String {
    let is_plain = text.chars().all(|c| c.is_alphanumeric() || "_.[]#^:%".contains(c));
    if is_plain { text.to_owned() } else { format!("({text})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(fields: &[(&str, &str)]) -> Builder {
        let find = |name: &str| fields.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
        Builder::read(&find)
    }

    #[track_caller]
    fn check(fields: &[(&str, &str)], expected: &str) {
        let mut builder = built(fields);
        let said = match builder.expressions() {
            Some(texts) => texts.join(" | "),
            None => builder.blanks.iter().filter_map(|blank| blank.error.clone()).collect::<Vec<_>>().join(" | "),
        };
        assert_eq!(said, expected, "{fields:?}");
    }

    #[test]
    fn comparisons_become_expressions() {
        check(&[("b0-left", "PumpA")], "PumpA");
        check(&[("b0-left", "PumpA"), ("b0-test", "false")], "NOT PumpA");
        check(&[("b0-left", "PumpA"), ("b0-test", "rose")], "ROSE(PumpA)");
        check(&[("b0-left", "Level"), ("b0-test", "ge"), ("b0-right", "95")], "Level >= 95");
        check(&[("b0-left", "a[1].b"), ("b0-test", "ne"), ("b0-right", "Mode#Off")], "a[1].b <> Mode#Off");
        // A whole expression keeps its own meaning.
        check(&[("b0-left", "A OR B"), ("b0-test", "false")], "NOT (A OR B)");
        check(&[("b0-left", "x"), ("b0-test", "lt"), ("b0-right", "y - 1")], "x < (y - 1)");
        let two = [("b0-left", "A"), ("b0-join", "and"), ("b0-left-2", "B"), ("b0-test-2", "false")];
        check(&two, "A AND NOT B");
        let timed = [("b-kind", "pattern-timed-trigger"), ("b0-left", "A"), ("b1-time", "5s"), ("b2-left", "B")];
        check(&timed, "A | 5s | B");
    }

    #[test]
    fn what_is_missing_is_said() {
        check(&[], "choose a variable");
        check(&[("b0-left", "Level"), ("b0-test", "lt")], "enter a value to compare with");
        check(&[("b0-left", "A"), ("b0-left-2", "B")], "choose AND or OR between the two comparisons");
        check(&[("b0-left", "A"), ("b0-join", "or")], "choose a variable");
        check(&[("b0-left", "A"), ("b0-test", "similar")], "choose a comparison");
        let beside = "a value stands beside a comparison that takes none; choose another comparison, or empty the value";
        check(&[("b0-left", "Level"), ("b0-right", "95")], beside);
        let timed = [("b-kind", "pattern-timed-trigger")];
        check(&timed, "choose a variable | enter a time, as 500ms or 5s | choose a variable");
        assert!(built(&timed).is_blank() && !built(&[("b0-right", "5")]).is_blank());
    }

    #[test]
    fn only_ends_of_cycles_look_back() {
        let at_start = built(&[("b-kind", "pattern-statechange-duringcycle")]);
        assert!(at_start.tests(&0).iter().all(|(test, _)| !["rose", "fell"].contains(test)));
        assert_eq!(at_start.tests(&1).len(), TESTS.len());
    }
}
