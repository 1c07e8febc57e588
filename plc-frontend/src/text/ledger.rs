//! The import ledger: what became of every source construct. Nothing is dropped silently.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::text::source::Span;

crate::id_type!(
    /// An entry of the ledger that is not fully modelled.
    GapId,
    "gap"
);

/// What became of a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Treatment {
    /// Its exact meaning is in the model.
    Modelled,
    /// The model allows every value it could have, and more: proofs hold, violations need a replay.
    OverApproximated,
    /// Not in the model: requirements that depend on it are not checked.
    Unsupported,
    /// Not in the model and at no place of a body: it may change every run, so every proof says that it takes for granted
    /// that it does not.
    Assumed,
    /// The same, but for runs only: what it changes takes runs away, so proofs hold with it or without it.
    AssumedByRuns,
}

/// Construct of the gap for an assertion with a mistake; its effect is the mistake.
pub const WRONG_ASSERTION: &str = "assertion with an error";

/// One construct that is not modelled exactly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// Where it is.
    pub span: Span,
    /// What it is, in the user's words: "SIN", "variable of type STRING".
    pub construct: String,
    /// What became of it; never `Modelled`.
    pub treatment: Treatment,
    /// What follows for verdicts, one sentence.
    pub effect: String,
}

/// Something that was looked at, has no place in the model and no influence on any verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ignored {
    /// Where it is.
    pub span: Span,
    /// What it is: "picture", "reference to the library Tc2_Standard".
    pub what: String,
    /// Why nothing follows from it, or what to do if something should, one sentence.
    pub why: String,
}

/// What became of everything that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ledger {
    /// Number of exactly modelled constructs by kind: "POU", "variable", "statement", "function block call", …
    pub modelled: BTreeMap<&'static str, usize>,
    /// Everything else, in source order; indexed by [`GapId`].
    pub gaps: Vec<Gap>,
    /// Files and parts of files that are no program, in source order.
    pub ignored: Vec<Ignored>,
}

impl Ledger {
    /// Counts one exactly modelled construct.
    pub fn count(&mut self, kind: &'static str) {
        *self.modelled.entry(kind).or_default() += 1;
    }
    /// Records a construct that is not modelled exactly.
    pub fn gap(&mut self, gap: Gap) -> GapId {
        self.gaps.push(gap);
        GapId(self.gaps.len() as u32 - 1)
    }
}
