//! Claims: requirements as plain data. The monitors of the model and the replay both start from them, each on its own.

use plc_frontend::hir::{AssertId, Expr};
use plc_frontend::source::Span;

use super::check::Event;
use super::formula::Formula;
use crate::cfa::Marks;

/// A claim about all runs, by its conditions over globals and instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// `then` at the end of every cycle at whose end `when` is true.
    Implication {
        /// Condition.
        when: Expr,
        /// Consequence.
        then: Expr,
    },
    /// True at the end of every cycle.
    Invariant(Expr),
    /// False at the end of every cycle.
    Forbidden(Expr),
    /// `then` at the end of every cycle at whose beginning `at_start` is true; inputs are new by then.
    DuringCycle {
        /// Condition at the beginning.
        at_start: Expr,
        /// Consequence at the end.
        then: Expr,
    },
    /// `then` at the end of every cycle at whose end `when` is true, if the cycle before ended with `after`.
    BetweenCycles {
        /// Condition at the end of the cycle before.
        after: Expr,
        /// Condition at the end of the cycle.
        when: Expr,
        /// Consequence.
        then: Expr,
    },
    /// `then` at the end of every cycle at whose end `when` is true; both may be about the past. All their conditions are
    /// evaluated at the end of every cycle, for the memories. A condition that cannot be evaluated is a violation.
    Temporal {
        /// Condition; `None`: always.
        when: Option<Formula>,
        /// Consequence.
        then: Formula,
    },
    /// Some run comes to the end of a cycle at which this is true. One run proves it.
    Reachable(Formula),
    /// From every state some run comes to the end of a cycle at which this is true. Not checked: it is no property of single
    /// runs.
    Repeatable(Formula),
    /// None of these `//#ASSERT`s fails. (One name may stand at several places.)
    Assert(Vec<AssertId>),
    /// None of these `//#ASSERT`s is ever reached; for tests of vacuity.
    Unreached(Vec<AssertId>),
    /// Some run executes one of these statements. As with [`Claim::Reachable`], a run shows it.
    Executed(Vec<Span>),
    /// The event of an automatic check never happens.
    Never(Event),
}

impl Claim {
    /// Returns the conditions, in the order of the pattern's text.
    pub fn conditions(&self) -> Vec<&Expr> {
        match self {
            Claim::Implication { when, then } => vec![when, then],
            Claim::Invariant(e) | Claim::Forbidden(e) => vec![e],
            Claim::DuringCycle { at_start, then } => vec![at_start, then],
            Claim::BetweenCycles { after, when, then } => vec![after, when, then],
            Claim::Temporal { when, then } => when.iter().flat_map(Formula::conditions).chain(then.conditions()).collect(),
            Claim::Reachable(goal) | Claim::Repeatable(goal) => goal.conditions(),
            Claim::Assert(_) | Claim::Unreached(_) | Claim::Executed(_) | Claim::Never(_) => Vec::new(),
        }
    }
    /// Returns the conditions about the beginning of a cycle.
    pub fn beginnings(&self) -> Vec<&Expr> {
        match self {
            Claim::DuringCycle { at_start, .. } => vec![at_start],
            Claim::Temporal { when, then } => when.iter().chain([then]).flat_map(Formula::beginnings).collect(),
            Claim::Reachable(goal) | Claim::Repeatable(goal) => goal.beginnings(),
            Claim::Implication { .. }
            | Claim::Invariant(_)
            | Claim::Forbidden(_)
            | Claim::BetweenCycles { .. }
            | Claim::Assert(_)
            | Claim::Unreached(_)
            | Claim::Executed(_)
            | Claim::Never(_) => Vec::new(),
        }
    }
    /// Returns the sites that a model must have for it.
    pub fn marks(&self) -> Marks {
        match self {
            Claim::Never(event) => event.marks(),
            Claim::Executed(_) => Marks::Statements,
            Claim::Implication { .. }
            | Claim::Invariant(_)
            | Claim::Forbidden(_)
            | Claim::DuringCycle { .. }
            | Claim::BetweenCycles { .. }
            | Claim::Temporal { .. }
            | Claim::Reachable(_)
            | Claim::Repeatable(_)
            | Claim::Assert(_)
            | Claim::Unreached(_) => Marks::None,
        }
    }
    /// Returns whether a run shows that it is met, and a proof that it is not.
    pub fn is_possibility(&self) -> bool {
        matches!(self, Claim::Reachable(_) | Claim::Repeatable(_) | Claim::Executed(_))
    }
}
