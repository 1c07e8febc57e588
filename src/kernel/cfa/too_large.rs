//! The part of a program that makes its model too large.

use std::collections::BTreeMap;
use std::fmt;

use plc_frontend::source::Span;

use super::call_region::CallRegion;
use super::network::{NetOp, Network};

/// Measure of the size of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Edges of the automaton.
    Steps,
    /// Nodes of expressions.
    Expressions,
}

/// Reason why a model is too large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// Measure that it exceeds.
    pub measure: Measure,
    /// Largest allowed number.
    pub limit: usize,
    /// The POU with the most steps among those that were written out: its name and the number of its calls.
    pub largest: Option<(String, usize)>,
    /// Statement at which the limit was passed, or a call of the largest POU.
    pub span: Option<Span>,
}

impl TooLarge {
    /// Returns the reason at a statement.
    pub(super) fn at(measure: Measure, limit: usize, span: Option<Span>) -> TooLarge {
        TooLarge { measure, limit, largest: None, span }
    }

    /// Returns the reason for calls that are written out, of which `calls` are made so far.
    pub(super) fn by_calls(measure: Measure, limit: usize, network: &Network, calls: &[CallRegion]) -> TooLarge {
        let mut n_calls: BTreeMap<&str, usize> = BTreeMap::new();
        for call in calls {
            *n_calls.entry(&call.name).or_default() += 1;
        }
        let of = |name: &str| n_calls.get(name).copied().unwrap_or(0);
        let largest = network.procedures.iter().max_by_key(|p| of(&p.name).saturating_mul(p.graph.edges.len()));
        let Some(largest) = largest.filter(|p| of(&p.name) != 0) else { return TooLarge::at(measure, limit, None) };
        let mut edges = network.procedures.iter().flat_map(|p| &p.graph.edges);
        let span = edges.find_map(|edge| {
            let NetOp::Call { proc, span, .. } = &edge.op else { return None };
            (network.procedures[*proc].name == largest.name).then_some(*span)
        });
        TooLarge { measure, limit, largest: Some((largest.name.clone(), of(&largest.name))), span }
    }
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = self.limit;
        match self.measure {
            Measure::Steps => write!(f, "with every loop and call written out it has more than {limit} steps")?,
            Measure::Expressions => write!(f, "with every array access written out it needs more than {limit} expressions")?,
        }
        match &self.largest {
            Some((name, 1)) => write!(f, "; most of them belong to `{name}`"),
            Some((name, calls)) => write!(f, "; most of them belong to `{name}`, of which {calls} calls are written out so far"),
            None => Ok(()),
        }
    }
}
