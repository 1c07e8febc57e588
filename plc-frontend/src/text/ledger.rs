//! The import ledger: the treatment of every source construct. Nothing is dropped silently.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::text::quoted::shown;
use crate::text::source::Span;

crate::id_type!(
    /// An entry of the ledger that is not fully modelled.
    GapId,
    "gap"
);

/// Last words of a condition about an instruction without a model. Its fault would end the run, so every answer depends on it, that of
/// a check too.
pub const NO_FAULT: &str = "and has no fault";

/// Words behind the name of a block with members, in the condition that the stub calls none of them.
pub const EXTENDS_STUB: &str = ", which extends it";

/// Words between a name and the block without a declaration that may declare it, in the gap of a use of the name.
pub const INHERITED: &str = ", which may be inherited from ";

/// Words behind the name of a stub, in the condition that it does not use the addresses of earlier calls.
pub const KEPT_ADDRESS: &str = "writes through no address that an earlier call gave to it";

/// Condition about the bit TT of timers of Logix: it concerns answers that depend on such a bit.
pub const TIMING_BIT: &str = "bit TT of a TOF whose rung is TRUE: it is FALSE";

/// Condition about a program whose files state no time between two cycles: it concerns answers that depend on time.
pub const UNSTATED_CYCLE: &str = "the time between two cycles is 100 ms";

/// Treatment of a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Treatment {
    /// Its exact meaning is in the model.
    Modelled,
    /// The model allows more values than the construct can have: proofs hold, violations need a replay.
    OverApproximated,
    /// Not in the model: requirements that depend on it are not checked.
    Unsupported,
    /// Not in the model and at no place of a body: it may change every run. Every proof names the assumption that it does
    /// not.
    Assumed,
    /// As `Assumed`, but the construct only removes runs: proofs hold in both cases, and only violations name it.
    AssumedByRuns,
}

/// Construct of the gap for an assertion with a mistake; its effect is the mistake.
pub const WRONG_ASSERTION: &str = "assertion with an error";

/// One construct that is not modelled exactly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// Its place.
    pub span: Span,
    /// Its name in the user's words: "SIN", "variable of type STRING".
    pub construct: String,
    /// Its treatment; never `Modelled`.
    pub treatment: Treatment,
    /// Its effect on verdicts, one sentence.
    pub effect: String,
}

/// A construct without a place in the model and without influence on any verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ignored {
    /// Its place.
    pub span: Span,
    /// Its name: "picture", "reference to the library Tc2_Standard".
    pub what: String,
    /// The reason why it has no influence, or a remedy, one sentence.
    pub why: String,
}

/// Treatments of all constructs.
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
    pub fn gap(&mut self, mut gap: Gap) -> GapId {
        for words in [&mut gap.construct, &mut gap.effect] {
            *words = shown(words).into_owned();
        }
        self.gaps.push(gap);
        GapId(self.gaps.len() as u32 - 1)
    }
}
