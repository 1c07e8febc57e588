//! The requirement patterns: one row each. Forms, the API's enumeration, help and docs are made from this table.
//!
//! Ids and English are those of the published pattern catalogue that PLC verifiers share; `meaning` has the precise logic.

use super::check::{self, Check};
use super::claim::Claim;
use super::formula::Formula;

/// One pattern.
#[derive(Debug)]
pub struct Pattern {
    /// `pattern-implication` …
    pub id: &'static str,
    /// Short name for a form.
    pub title: &'static str,
    /// English with `{1}`, `{2}`, `{3}` for the expressions.
    pub template: &'static str,
    /// Precise meaning, with the same places.
    pub meaning: &'static str,
    /// Its keys in the requirement file, in the order of the expressions.
    pub keys: &'static [&'static str],
    build: fn(Vec<Operand>) -> Option<Claim>,
}

/// Operand in a place of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A condition.
    Condition(Formula),
    /// A time in milliseconds.
    Duration(u32),
}

/// The keys whose operands are times; all others are conditions.
pub const DURATIONS: &[&str] = &["for"];

impl Pattern {
    /// Returns the claim of as many operands as there are keys, each of its kind; otherwise `None`.
    pub fn claim(&self, operands: Vec<Operand>) -> Option<Claim> {
        (self.build)(operands)
    }
    /// Returns the template with the user's expressions.
    pub fn sentence(&self, expressions: &[&str]) -> String {
        fill(self.template, expressions)
    }
    /// Returns the precise meaning with the user's expressions.
    pub fn reading(&self, expressions: &[&str]) -> String {
        fill(self.meaning, expressions)
    }
}

fn fill(template: &str, expressions: &[&str]) -> String {
    // In one pass: an expression may itself contain `{1}` in a comment.
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        let Some(end) = rest[at..].find('}') else { break };
        let number: Option<usize> = rest[at + 1..at + end].parse().ok();
        out.push_str(number.and_then(|n| expressions.get(n.wrapping_sub(1))).copied().unwrap_or("…"));
        rest = &rest[at + end + 1..];
    }
    out.push_str(rest);
    out
}

use Operand::{Condition, Duration};

/// Returns the claim that `when` implies `then` at the end of every cycle.
fn implies(when: Formula, then: Formula) -> Claim {
    Claim::Temporal { when: Some(when), then }
}

/// All patterns, in the order of forms.
pub const PATTERNS: &[Pattern] = &[
    Pattern {
        id: "pattern-forbidden",
        title: "Never",
        template: "{1} is impossible at the end of the PLC cycle.",
        meaning: "At the end of every cycle: NOT ({1}).",
        keys: &["never"],
        build: |operands| match <[Operand; 1]>::try_from(operands) {
            Ok([Condition(Formula::Now(e))]) => Some(Claim::Forbidden(e)),
            Ok([Condition(e)]) => Some(Claim::Temporal { when: None, then: e.negated() }),
            Ok(_) | Err(_) => None,
        },
    },
    Pattern {
        id: "pattern-invariant",
        title: "Always",
        template: "{1} is always true at the end of the PLC cycle.",
        meaning: "At the end of every cycle: {1}.",
        keys: &["always"],
        build: |operands| match <[Operand; 1]>::try_from(operands) {
            Ok([Condition(Formula::Now(e))]) => Some(Claim::Invariant(e)),
            Ok([Condition(e)]) => Some(Claim::Temporal { when: None, then: e }),
            Ok(_) | Err(_) => None,
        },
    },
    Pattern {
        id: "pattern-implication",
        title: "If … then, in the same cycle",
        template: "If {1} is true at the end of the PLC cycle, then {2} should always be true at the end of the same cycle.",
        meaning: "At the end of every cycle: if {1}, then {2}.",
        keys: &["if", "then"],
        build: |operands| match <[Operand; 2]>::try_from(operands) {
            Ok([Condition(Formula::Now(when)), Condition(Formula::Now(then))]) => Some(Claim::Implication { when, then }),
            Ok([Condition(when), Condition(then)]) => Some(implies(when, then)),
            Ok(_) | Err(_) => None,
        },
    },
    Pattern {
        id: "pattern-statechange-duringcycle",
        title: "If at the start … then at the end of the cycle",
        template: "If {1} is true at the beginning of the PLC cycle, then {2} is always true at the end of the same cycle.",
        meaning: "If {1} at the beginning of a cycle, when the inputs are new and no statement has run, then {2} at its end.",
        keys: &["at_start", "then"],
        build: |operands| match <[Operand; 2]>::try_from(operands) {
            Ok([Condition(Formula::Now(at_start)), Condition(Formula::Now(then))]) => Some(Claim::DuringCycle { at_start, then }),
            Ok([Condition(Formula::Now(at_start)), Condition(then)]) => Some(implies(Formula::Began(at_start), then)),
            Ok(_) | Err(_) => None,
        },
    },
    Pattern {
        id: "pattern-statechange-betweencycles",
        title: "After … if … then, from one cycle to the next",
        template: "If {1} is true at the end of cycle N and {2} is true at the end of cycle N+1, then {3} is always true at the end of cycle N+1.",
        meaning: "If {1} at the end of a cycle and {2} at the end of the next, then {3} at the end of the next. The first cycle has none before it.",
        keys: &["after", "if", "then"],
        build: |operands| match <[Operand; 3]>::try_from(operands) {
            Ok([Condition(Formula::Now(after)), Condition(Formula::Now(when)), Condition(Formula::Now(then))]) => {
                Some(Claim::BetweenCycles { after, when, then })
            }
            Ok([Condition(after), Condition(when), Condition(then)]) => Some(implies(after.previous().and(when), then)),
            Ok(_) | Err(_) => None,
        },
    },
    Pattern {
        id: "pattern-timed-trigger",
        title: "If … for a time, then",
        template: "If {1} is true at the end of a cycle and stays true at the end of each cycle for {2} of time, {3} will be true.",
        meaning: "At the end of every cycle: if {1} has been true at the ends of cycles for at least {2}, then {3}. The end of the cycle in which {1} became true counts as time 0, as in a TON that is called every cycle.",
        keys: &["if", "for", "then"],
        build: |operands| match <[Operand; 3]>::try_from(operands) {
            Ok([Condition(when), Duration(ms), Condition(then)]) => Some(implies(Formula::Held(Box::new(when), ms), then)),
            Ok(_) | Err(_) => None,
        },
    },
    Pattern {
        id: "pattern-leadsto",
        title: "If …, then earlier",
        template: "If {1} is true at the end of a cycle, {2} was true at the end of an earlier cycle.",
        meaning: "At the end of every cycle: if {1}, then {2} at the end of some cycle before it. The same cycle does not count.",
        keys: &["if", "earlier"],
        build: |operands| match <[Operand; 2]>::try_from(operands) {
            Ok([Condition(when), Condition(earlier)]) => Some(implies(when, earlier.once().previous())),
            Ok(_) | Err(_) => None,
        },
    },
    Pattern {
        id: "pattern-leadsto-trigger",
        title: "If …, then earlier a change from … to",
        template: "If {1} is true at the end of a cycle, there was a change from {2} to {3} at the end of an earlier cycle.",
        meaning: "At the end of every cycle: if {1}, then there are two cycles before it, one directly after the other, with {2} at the end of the first and {3} at the end of the second.",
        keys: &["if", "from", "to"],
        build: |operands| match <[Operand; 3]>::try_from(operands) {
            Ok([Condition(when), Condition(from), Condition(to)]) => {
                Some(implies(when, to.and(from.previous()).once().previous()))
            }
            Ok(_) | Err(_) => None,
        },
    },
    Pattern {
        id: "pattern-leadsto-earlier",
        title: "If …, then at the start of this or an earlier cycle",
        template: "If {1} is true at the end of a cycle, {2} was true at the beginning of this or an earlier cycle.",
        meaning: "At the end of every cycle: if {1}, then {2} at the beginning of this or some cycle before it, when its inputs were new and no statement had run.",
        keys: &["if", "started"],
        build: |operands| match <[Operand; 2]>::try_from(operands) {
            Ok([Condition(when), Condition(Formula::Now(started))]) => Some(implies(when, Formula::Began(started).once())),
            Ok(_) | Err(_) => None,
        },
    },
    Pattern {
        id: "pattern-reachability",
        title: "Possible",
        template: "It is possible to have {1} at the end of a cycle.",
        meaning: "Some run of the program comes to the end of a cycle with {1}. It holds if such a run is found; it is violated if it is proved that there is none.",
        keys: &["possible"],
        build: |operands| match <[Operand; 1]>::try_from(operands) {
            Ok([Condition(goal)]) => Some(Claim::Reachable(goal)),
            Ok(_) | Err(_) => None,
        },
    },
    Pattern {
        id: "pattern-repeatability",
        title: "Always possible again",
        template: "Any time it is possible to have eventually {1} at the end of a cycle.",
        meaning: "From every state that some run reaches, some continuation comes to the end of a cycle with {1}. This speaks of more than single runs and is not checked yet.",
        keys: &["always_possible"],
        build: |operands| match <[Operand; 1]>::try_from(operands) {
            Ok([Condition(goal)]) => Some(Claim::Repeatable(goal)),
            Ok(_) | Err(_) => None,
        },
    },
];

impl Pattern {
    /// Returns whether engines check requirements of this pattern.
    pub fn is_checked(&self) -> bool {
        self.id != "pattern-repeatability"
    }
}

/// Returns whether one run shows that a requirement of this pattern is met, and a proof that it is not.
pub fn is_possibility(id: &str) -> bool {
    matches!(id, "pattern-reachability" | "pattern-repeatability") || check::by_name(id).is_some_and(Check::is_possibility)
}

/// Returns the pattern of an id, with or without `pattern-`.
pub fn by_id(id: &str) -> Option<&'static Pattern> {
    PATTERNS.iter().find(|p| p.id == id || p.id.strip_prefix("pattern-") == Some(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_names_all_its_expressions() {
        for pattern in PATTERNS {
            for n in 1..=pattern.keys.len() {
                let place = format!("{{{n}}}");
                assert!(pattern.template.contains(&place) && pattern.meaning.contains(&place), "{} {place}", pattern.id);
            }
            assert!(pattern.claim(Vec::new()).is_none(), "{}", pattern.id);
        }
    }

    #[test]
    fn expressions_are_put_in_once() {
        assert_eq!(fill("if {1} then {2}", &["{2}", "b"]), "if {2} then b");
        assert_eq!(fill("{1} {3}", &["a"]), "a …");
    }
}
