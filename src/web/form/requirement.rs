//! Requirements of the form: one row each, of a pattern with its blanks.

use super::Field;
use kernel::property::pattern::{PATTERNS, Pattern, by_id};
use kernel::property::spec::Requirement;

/// A requirement as entered.
#[derive(Clone, Debug)]
pub(crate) struct RequirementRow {
    pub(crate) kind: &'static Pattern,
    pub(crate) id: Field,
    pub(crate) text: Field,
    /// One per key of the pattern.
    pub(crate) parts: Vec<Field>,
    /// Mistake in the row as a whole.
    pub(crate) error: Option<String>,
    /// Just added: it takes the focus.
    pub(crate) fresh: bool,
}

impl RequirementRow {
    /// Returns the pattern's sentence around the fields: a part before each, and one after the last.
    pub(crate) fn sentence(&self) -> Vec<&'static str> {
        sentence_of(self.kind)
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.is_blank() && self.id.is_blank() && self.parts.iter().all(Field::is_blank)
    }

    /// Returns the part that a pointer's last token names: a key, or `params/n` where the worker numbers them.
    pub(super) fn field(&self, rest: &[&str]) -> Option<usize> {
        match rest {
            ["params", n] => n.parse().ok().filter(|n| *n < self.parts.len()),
            [key] => self.kind.keys.iter().position(|k| k == key),
            _ => None,
        }
    }

    pub(crate) fn requirement(&self) -> Requirement {
        let mut r = Requirement { id: self.id.text(), text: self.text.text(), ..Requirement::default() };
        for (key, part) in self.kind.keys.iter().zip(&self.parts) {
            // A blank part is said to be blank by the worker, with its place.
            if let Some(slot) = r.key_mut(key) {
                *slot = Some(part.value.trim().to_string());
            }
        }
        r
    }
}

/// Returns the words around the blanks of a pattern: a part before each, and one after the last.
pub(super) fn sentence_of(kind: &'static Pattern) -> Vec<&'static str> {
    let mut rest = kind.template;
    let mut parts = Vec::new();
    for n in 1..=kind.keys.len() {
        let (before, after) = rest.split_once(&format!("{{{n}}}")).unwrap_or((rest, ""));
        parts.push(before.trim());
        rest = after;
    }
    parts.push(rest.trim());
    parts
}

/// Returns an empty row of a pattern.
pub(super) fn blank(kind: &'static Pattern) -> RequirementRow {
    let parts = vec![Field::default(); kind.keys.len()];
    RequirementRow { kind, id: Field::default(), text: Field::default(), parts, error: None, fresh: true }
}

/// Returns the row of a requirement, if the form has one of its kind.
pub(super) fn row(r: &Requirement) -> Option<RequirementRow> {
    let given = r.keys();
    let value = |key: &str| given.iter().find(|(k, _)| *k == key).and_then(|(_, v)| v.as_ref());
    let n_given = given.iter().filter(|(_, v)| v.is_some()).count();
    let kind = match &r.pattern {
        Some(pattern) => by_id(pattern).filter(|kind| n_given == 0 && r.params.len() == kind.keys.len())?,
        None => PATTERNS
            .iter()
            .find(|kind| r.params.is_empty() && n_given == kind.keys.len() && kind.keys.iter().all(|key| value(key).is_some()))?,
    };
    let parts = match &r.pattern {
        Some(_) => r.params.iter().map(Field::of).collect(),
        None => kind.keys.iter().filter_map(|key| value(key)).map(Field::of).collect(),
    };
    let (id, text) = (Field::of(r.id.clone().unwrap_or_default()), Field::of(r.text.clone().unwrap_or_default()));
    Some(RequirementRow { kind, id, text, parts, error: None, fresh: false })
}
