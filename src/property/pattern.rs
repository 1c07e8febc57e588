//! The requirement patterns: one row each. Forms, the API's enumeration, help and docs are made from this table.
//!
//! Ids and English are those of the published pattern catalogue that PLC verifiers share; the logic is in
//! `meaning`, precisely.

use plc_frontend::hir::Expr;

use super::claim::Claim;

/// One pattern.
#[derive(Debug)]
pub struct Pattern {
    /// `pattern-implication` …
    pub id: &'static str,
    /// Short name for a form.
    pub title: &'static str,
    /// English with `{1}`, `{2}`, `{3}` for the expressions.
    pub template: &'static str,
    /// What is checked, precisely, with the same places.
    pub meaning: &'static str,
    /// The keys of the requirement file that write it, in the order of the expressions.
    pub keys: &'static [&'static str],
    build: fn(Vec<Expr>) -> Option<Claim>,
}

impl Pattern {
    /// The claim of as many conditions as there are keys; `None` for another number.
    pub fn claim(&self, conditions: Vec<Expr>) -> Option<Claim> {
        (self.build)(conditions)
    }
    /// The template with the user's expressions.
    pub fn sentence(&self, expressions: &[&str]) -> String {
        fill(self.template, expressions)
    }
    /// The precise meaning with the user's expressions.
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

/// All patterns, in the order of forms.
pub const PATTERNS: &[Pattern] = &[
    Pattern {
        id: "pattern-forbidden",
        title: "Never",
        template: "{1} is impossible at the end of the PLC cycle.",
        meaning: "At the end of every cycle: NOT ({1}).",
        keys: &["never"],
        build: |conditions| match <[Expr; 1]>::try_from(conditions) {
            Ok([e]) => Some(Claim::Forbidden(e)),
            Err(_) => None,
        },
    },
    Pattern {
        id: "pattern-invariant",
        title: "Always",
        template: "{1} is always true at the end of the PLC cycle.",
        meaning: "At the end of every cycle: {1}.",
        keys: &["always"],
        build: |conditions| match <[Expr; 1]>::try_from(conditions) {
            Ok([e]) => Some(Claim::Invariant(e)),
            Err(_) => None,
        },
    },
    Pattern {
        id: "pattern-implication",
        title: "If … then, in the same cycle",
        template: "If {1} is true at the end of the PLC cycle, then {2} should always be true at the end of the same cycle.",
        meaning: "At the end of every cycle: if {1}, then {2}.",
        keys: &["if", "then"],
        build: |conditions| match <[Expr; 2]>::try_from(conditions) {
            Ok([when, then]) => Some(Claim::Implication { when, then }),
            Err(_) => None,
        },
    },
    Pattern {
        id: "pattern-statechange-duringcycle",
        title: "If at the start … then at the end of the cycle",
        template: "If {1} is true at the beginning of the PLC cycle, then {2} is always true at the end of the same cycle.",
        meaning: "If {1} at the beginning of a cycle, when the inputs are new and no statement has run, then {2} at its end.",
        keys: &["at_start", "then"],
        build: |conditions| match <[Expr; 2]>::try_from(conditions) {
            Ok([at_start, then]) => Some(Claim::DuringCycle { at_start, then }),
            Err(_) => None,
        },
    },
    Pattern {
        id: "pattern-statechange-betweencycles",
        title: "After … if … then, from one cycle to the next",
        template: "If {1} is true at the end of cycle N and {2} is true at the end of cycle N+1, then {3} is always true at the end of cycle N+1.",
        meaning: "If {1} at the end of a cycle and {2} at the end of the next, then {3} at the end of the next. The first cycle has none before it.",
        keys: &["after", "if", "then"],
        build: |conditions| match <[Expr; 3]>::try_from(conditions) {
            Ok([after, when, then]) => Some(Claim::BetweenCycles { after, when, then }),
            Err(_) => None,
        },
    },
];

/// The pattern of an id, with or without `pattern-`.
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
