//! Conditions about the past: the ends of earlier cycles.
//!
//! A formula is evaluated at the end of a cycle. Past operators are those of past-time temporal logic over the ends of cycles;
//! before the first cycle every formula is false. The model's monitors and the replay both start from this form, each on its own.

use plc_frontend::hir::Expr;

/// A condition at the end of a cycle, perhaps about the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// True at the end of the cycle.
    Now(Expr),
    /// True at the beginning of the cycle, when the inputs were new and no statement had run.
    Began(Expr),
    /// Negation.
    Not(Box<Formula>),
    /// Both.
    And(Box<Formula>, Box<Formula>),
    /// Either.
    Or(Box<Formula>, Box<Formula>),
    /// At the end of the cycle before; FALSE in the first cycle.
    Previous(Box<Formula>),
    /// At the end of this or an earlier cycle.
    Once(Box<Formula>),
    /// The second at the end of this or an earlier cycle, and the first at the end of every cycle since.
    Since(Box<Formula>, Box<Formula>),
    /// At the ends of all cycles for so many milliseconds, up to this one. The end of the cycle in which it became true counts as
    /// time 0, as in a TON that is called every cycle.
    Held(Box<Formula>, u32),
}

impl Formula {
    /// Returns the largest number of earlier cycles that it depends on.
    pub fn n_back(&self) -> usize {
        match self {
            Formula::Now(_) => 0,
            Formula::Began(_) => 1,
            Formula::Not(inner) => inner.n_back(),
            Formula::And(a, b) | Formula::Or(a, b) => a.n_back().max(b.n_back()),
            Formula::Previous(inner) => inner.n_back().saturating_add(1),
            Formula::Once(_) | Formula::Since(..) | Formula::Held(..) => usize::MAX,
        }
    }
    /// Returns the negation, without doubling it.
    pub fn negated(self) -> Formula {
        if let Formula::Not(inner) = self { *inner } else { Formula::Not(Box::new(self)) }
    }
    /// Returns the conjunction.
    pub fn and(self, other: Formula) -> Formula {
        Formula::And(Box::new(self), Box::new(other))
    }
    /// Returns the disjunction.
    pub fn or(self, other: Formula) -> Formula {
        Formula::Or(Box::new(self), Box::new(other))
    }
    /// Returns the formula about the end of the cycle before.
    pub fn previous(self) -> Formula {
        Formula::Previous(Box::new(self))
    }
    /// Returns the formula about the end of this or an earlier cycle.
    pub fn once(self) -> Formula {
        Formula::Once(Box::new(self))
    }
    /// Returns the plain condition of a formula about the end of this cycle alone.
    pub fn as_now(&self) -> Option<&Expr> {
        if let Formula::Now(expr) = self { Some(expr) } else { None }
    }
    /// Returns the conditions about the beginning of a cycle.
    pub fn beginnings(&self) -> Vec<&Expr> {
        match self {
            Formula::Now(_) => Vec::new(),
            Formula::Began(expr) => vec![expr],
            Formula::Not(a) | Formula::Previous(a) | Formula::Once(a) | Formula::Held(a, _) => a.beginnings(),
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Since(a, b) => [a.beginnings(), b.beginnings()].concat(),
        }
    }
    /// Returns the conditions in it, in reading order.
    pub fn conditions(&self) -> Vec<&Expr> {
        match self {
            Formula::Now(expr) | Formula::Began(expr) => vec![expr],
            Formula::Not(a) | Formula::Previous(a) | Formula::Once(a) | Formula::Held(a, _) => a.conditions(),
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Since(a, b) => {
                let mut all = a.conditions();
                all.extend(b.conditions());
                all
            }
        }
    }
}
