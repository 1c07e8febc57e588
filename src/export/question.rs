//! Question that is exported: an automaton with the facts that a reader of the file needs.

use std::collections::BTreeMap;

use plc_frontend::source::Span;

use kernel::cfa::Cfa;
use kernel::cfa::pass::{Encoding, reduce};
use kernel::context::count;
use kernel::expr::ExprPool;
use kernel::property::instrument::Instrumented;

/// The question: can a run reach the error location of this automaton?
#[derive(Clone, Debug)]
pub struct Question {
    /// Its expressions and variables.
    pub pool: ExprPool,
    /// The automaton.
    pub cfa: Cfa,
    /// Lines of the header about the subject of the file.
    pub about: Vec<String>,
    /// Words for the places that statements stem from.
    pub places: BTreeMap<Span, String>,
    /// Arriving at the error location is the goal (`possible:`), not a violation.
    pub is_goal: bool,
    /// Conditions of the answer, which the file does not ask about.
    pub conditions: Conditions,
}

/// Conditions of the two answers that another tool may give.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The error location cannot be reached.
    pub never: Vec<String>,
    /// It can be reached.
    pub reached: Vec<String>,
}

impl Question {
    /// Makes the question of an instrumented model, with [`Instrumented::strict_cfa`].
    pub fn new(instrumented: &Instrumented, mut about: Vec<String>) -> Question {
        let (pool, cfa) = (instrumented.pool.clone(), instrumented.strict_cfa());
        if !instrumented.gaps.is_empty() {
            let n = instrumented.gaps.len();
            about.push(format!("At {n} places the program is not modelled; arriving at one counts as reaching the error."));
        }
        if !instrumented.arbitrary.is_empty() {
            about.push(
                "Some values are arbitrary where the program's are not: a run to the error may not be one of the program.".into(),
            );
        }
        Question::about(pool, cfa, about)
    }

    /// Makes the question of an automaton, without conditions.
    pub fn about(pool: ExprPool, cfa: Cfa, about: Vec<String>) -> Question {
        Question { pool, cfa, about, places: BTreeMap::new(), is_goal: false, conditions: Conditions::default() }
    }

    /// Removes the parts that cannot influence the answer.
    #[must_use]
    pub fn reduced(mut self) -> Question {
        let reduced = reduce(&self.pool, &self.cfa, Encoding::Sbe);
        self.about.push("Parts that cannot influence the answer are left out of this file.".into());
        Question { pool: reduced.pool, cfa: reduced.cfa, ..self }
    }

    /// Returns the header as comment lines, each after `mark`. Only ASCII, and nothing that could end or continue a comment.
    pub(super) fn header(&self, mark: &str, own: &[&str]) -> String {
        let mut text = String::new();
        let under = (under(self.conditions.reached.len()), under(self.conditions.never.len()));
        let about = self.about.iter().chain(&self.conditions.lines(self.is_goal)).cloned().collect::<Vec<_>>();
        for line in about.iter().map(String::as_str).chain(own.iter().copied()).flat_map(str::lines) {
            let line = told(line, self.is_goal, (&under.0, &under.1));
            text.push_str(&format!("{mark} {}\n", comment(&line)));
        }
        text
    }
    /// Returns the origin of an edge, for a comment.
    pub(super) fn place(&self, span: Option<Span>) -> Option<String> {
        self.places.get(&span?).map(|place| comment(place))
    }
}

impl Conditions {
    /// Returns lines of a header; conditions of both answers stand once.
    fn lines(&self, is_goal: bool) -> Vec<String> {
        let (reached, never) = answers(is_goal);
        let of_one = |of: &[String], other: &[String], answer: &str| {
            let of: Vec<&String> = of.iter().filter(|condition| !other.contains(condition)).collect();
            of.into_iter().map(|condition| format!("Condition, if {answer}: {condition}.")).collect::<Vec<_>>()
        };
        let both = self.never.iter().filter(|condition| self.reached.contains(condition));
        let both = both.map(|condition| format!("Condition: {condition}."));
        let of_never = of_one(&self.never, &self.reached, never);
        both.chain(of_never).chain(of_one(&self.reached, &self.never, reached)).collect()
    }
}

/// Returns ` under 2 conditions`.
fn under(n_conditions: usize) -> String {
    if n_conditions == 0 { String::new() } else { format!(" under {}", count(n_conditions, "condition")) }
}

/// Returns the meaning of an error location that is reached, and of one that is not. `is_goal`: the requirement asks whether
/// something is possible.
fn answers(is_goal: bool) -> (&'static str, &'static str) {
    if is_goal {
        ("what the requirement asks for is possible", "what the requirement asks for is impossible")
    } else {
        ("the requirement can be violated", "the requirement holds")
    }
}

/// Returns a line with the meaning of another tool's answer in place of `{reached}` and `{never}`. `under`: the number of
/// conditions of each.
fn told(line: &str, is_goal: bool, under: (&str, &str)) -> String {
    let (reached, never) = answers(is_goal);
    line.replace("{reached}", &format!("{reached}{}", under.0)).replace("{never}", &format!("{never}{}", under.1))
}

impl super::Format {
    /// Returns how an answer of another tool about a requirement of this pattern is to be read.
    pub fn read_as(&self, pattern: &str) -> String {
        told(self.reading, kernel::property::pattern::is_possibility(pattern), ("", " under the conditions in its first lines"))
    }
}

/// Returns text that is harmless in a comment of any of the formats.
fn comment(text: &str) -> String {
    const LONGEST: usize = 300;
    let clean = |c: char| if c.is_ascii_graphic() && !"\\?*".contains(c) || c == ' ' { c } else { '.' };
    text.chars().take(LONGEST).map(clean).collect()
}
