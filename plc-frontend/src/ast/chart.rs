//! Sequential function charts, drawn or written: steps, transitions and action blocks.

use super::expr::{Expr, Ident};
use super::stmt::Stmt;
use crate::text::Span;

/// A chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// In source order.
    pub steps: Vec<ChartStep>,
    /// In source order; among transitions that leave one step, the earlier one goes first unless priorities say otherwise.
    pub transitions: Vec<ChartTransition>,
    /// All of it.
    pub span: Span,
}

/// A step.
#[derive(Clone, Debug)]
pub struct ChartStep {
    /// Its name.
    pub name: Ident,
    /// INITIAL_STEP
    pub initial: bool,
    /// Its action blocks, in order.
    pub actions: Vec<ActionBlock>,
    /// All of it.
    pub span: Span,
}

/// A transition. Several sources end simultaneous sequences, several targets start them.
#[derive(Clone, Debug)]
pub struct ChartTransition {
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// PRIORITY: lower goes first; without one the order in the source counts.
    pub priority: Option<i128>,
    /// The steps that must all be active.
    pub from: Vec<Ident>,
    /// The steps that become active.
    pub to: Vec<Ident>,
    /// Statements before the condition, for conditions written as a network or a list of instructions.
    pub prelude: Vec<Stmt>,
    /// The condition.
    pub condition: Expr,
    /// All of it.
    pub span: Span,
}

/// The association of a step with an action.
#[derive(Clone, Debug)]
pub struct ActionBlock {
    /// Control of the action by the step.
    pub qualifier: Qualifier,
    /// No qualifier is written; N is meant.
    pub is_bare: bool,
    /// The time of L, D, SD, DS, SL.
    pub duration: Option<Expr>,
    /// The action.
    pub action: ActionBody,
    /// All of it.
    pub span: Span,
}

/// Action of an action block.
#[derive(Clone, Debug)]
pub enum ActionBody {
    /// An action of the POU, or a BOOL variable that is TRUE while the action is active.
    Named(Ident),
    /// Statements written in place.
    Inline(Vec<Stmt>),
}

/// Action qualifier of IEC 61131-3, table 59, or one of those that CODESYS gives to the actions of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Qualifier {
    /// N or none: while the step is active.
    NonStored,
    /// R: overriding reset.
    Reset,
    /// S: set, stays until reset.
    Set,
    /// L: for a limited time.
    Limited,
    /// D: after a delay.
    Delayed,
    /// P: once when the step becomes active.
    Pulse,
    /// P1: as P (rising).
    PulseRising,
    /// P0: once when the step becomes inactive.
    PulseFalling,
    /// SD: stored and time delayed.
    StoredDelayed,
    /// DS: delayed and stored.
    DelayedStored,
    /// SL: stored and time limited.
    StoredLimited,
    /// Not of the standard (CODESYS): once when the step becomes active, before other actions.
    Entry,
    /// Not of the standard (CODESYS): in each cycle in which the step is active, without a last time afterwards.
    Main,
    /// Not of the standard (CODESYS): once when the step becomes inactive, before other actions.
    Exit,
}

impl Qualifier {
    const WORDS: &[(&str, Qualifier)] = &[
        ("N", Qualifier::NonStored),
        ("R", Qualifier::Reset),
        ("S", Qualifier::Set),
        ("L", Qualifier::Limited),
        ("D", Qualifier::Delayed),
        ("P", Qualifier::Pulse),
        ("P0", Qualifier::PulseFalling),
        ("P1", Qualifier::PulseRising),
        ("SD", Qualifier::StoredDelayed),
        ("DS", Qualifier::DelayedStored),
        ("SL", Qualifier::StoredLimited),
        ("entry", Qualifier::Entry),
        ("main", Qualifier::Main),
        ("exit", Qualifier::Exit),
    ];

    /// Returns the qualifier of the standard with this word, in any case.
    pub fn of_word(word: &str) -> Option<Qualifier> {
        let rows = Qualifier::WORDS.iter().filter(|(_, qualifier)| qualifier.is_standard());
        rows.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, qualifier)| *qualifier)
    }
    /// Returns its word.
    pub fn word(self) -> &'static str {
        Qualifier::WORDS.iter().find(|(_, qualifier)| *qualifier == self).map_or("", |(word, _)| word)
    }
    /// Returns whether the standard has it.
    pub fn is_standard(self) -> bool {
        !matches!(self, Qualifier::Entry | Qualifier::Main | Qualifier::Exit)
    }
    /// Returns whether a time belongs to it.
    pub fn is_timed(self) -> bool {
        use Qualifier::{Delayed, DelayedStored, Limited, StoredDelayed, StoredLimited};
        matches!(self, Limited | Delayed | StoredDelayed | DelayedStored | StoredLimited)
    }
    /// Returns whether the step's change controls it, not the step's activity.
    pub fn is_edge(self) -> bool {
        use Qualifier::{Entry, Exit, Pulse, PulseFalling, PulseRising};
        matches!(self, Pulse | PulseRising | PulseFalling | Entry | Exit)
    }
}
