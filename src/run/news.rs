//! News of a run: parts of its outcome that are there before it ends.

use crate::report::outcome::{Outcome, RequirementResult};

/// Part of an outcome that is there before its run ends.
#[derive(Clone, Copy, Debug)]
pub enum News<'n> {
    /// The sources are understood: the outcome without results, and every requirement before its answer.
    Understood(&'n Outcome, &'n [RequirementResult]),
    /// A requirement has its result. Conditions that depend on other results are not in it.
    Result(&'n RequirementResult),
    /// A requirement has no answer: its worker died over it.
    Lost(&'n RequirementResult),
}

/// Listener to news.
pub type OnNews<'l> = &'l mut (dyn FnMut(News<'_>) + Send);
