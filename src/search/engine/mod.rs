//! Engines: algorithms that decide whether the error location can be reached.
//!
//! Each engine is one file or folder; it gets a [`Ctx`] and a reduced CFA and returns a verdict with its evidence.

pub mod bam;
mod block_counts;
pub mod bmc;
mod candidates;
pub mod cegar;
mod claims;
mod concrete;
pub mod configurations;
pub mod encoding;
mod enumeration;
pub mod features;
mod forward;
pub mod generator;
mod houdini;
pub mod impact;
pub mod intervals;
pub mod kiki;
pub mod kinduction;
pub mod lemma_store;
mod pace;
mod parts;
pub mod pdr;
pub mod portfolio;
mod proportions;
pub mod random_runs;
mod registry;
mod resumable;
mod simulate;
pub mod spent;
#[cfg(test)]
mod tests;
mod trim;
mod unroll;

pub use block_counts::BlockCounts;
pub use cegar::Iteration;
pub use registry::{Absent, Build, EngineInfo, OptionInfo, Settings, Values, configure, words};
pub use resumable::Resumable;

use kernel::cfa::Cfa;
use kernel::context::{Ctx, Stop};
use kernel::expr::ExprPool;
use kernel::verdict::Verdict;
use resumable::Algorithm;

/// All engines.
pub const ENGINES: &[EngineInfo] = &[
    bmc::INFO,
    kinduction::INFO,
    kiki::INFO,
    cegar::INFO,
    bam::INFO,
    impact::INFO,
    pdr::INFO,
    intervals::INFO,
    random_runs::INFO,
];

/// Graphs of abstract states that an engine keeps for the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pictures {
    /// The last one, as far as it can be drawn.
    #[default]
    Last,
    /// One for each iteration.
    Every,
}

impl Pictures {
    /// Returns the number of nodes that are kept of each graph.
    pub fn most_nodes(self) -> usize {
        match self {
            Pictures::Last => kernel::draw::MOST_NODES,
            Pictures::Every => 5_000,
        }
    }
}

/// An engine, configured.
pub trait Engine {
    /// Decides whether `cfa.error` can be reached.
    fn run(&mut self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<Verdict, Stop>;
    /// Sets the graphs to keep for the report; before the first `run`.
    fn keep(&mut self, _pictures: Pictures) {}
    /// Returns the iterations so far, for the report; after the last `run`. Engines without a graph have none.
    fn explored(&mut self, _pool: &ExprPool) -> Vec<Iteration> {
        Vec::new()
    }
}
