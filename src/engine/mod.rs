//! Engines: what decides whether the error location can be reached.
//!
//! Each engine is one file or folder; it gets a [`Ctx`] and a reduced CFA and returns a verdict with its evidence.

pub mod bmc;
mod candidates;
pub mod cegar;
mod concrete;
pub mod encoding;
#[cfg(test)]
pub(crate) mod examples;
pub mod exchange;
#[cfg(test)]
pub(crate) mod faulty;
pub mod features;
mod houdini;
pub mod impact;
pub mod kiki;
pub mod kinduction;
pub mod known;
mod parts;
pub mod pdr;
pub mod portfolio;
mod proportions;
pub mod random_runs;
mod registry;
mod simulate;
pub mod spent;
#[cfg(test)]
mod tests;
mod trim;
mod unroll;

pub use cegar::Iteration;
pub use registry::{Build, EngineInfo, OptionInfo, Settings, Values, configure};

use std::sync::Arc;

use crate::cfa::{Cfa, Op};
use crate::expr::{ExprPool, Sort};
use crate::smt::{BitBlaster, Cvc5, Interrupt, Solver, SolverError, Unknown, bitblast};
use crate::verdict::{Reason, Verdict};

/// Makes solvers that stop with the interrupt; each thread makes its own.
pub type MakeSolver = Arc<dyn Fn(&ExprPool, &Interrupt) -> Result<Box<dyn Solver>, SolverError> + Send + Sync>;

/// Which solvers suit an automaton.
pub type ChooseSolvers = Arc<dyn Fn(&ExprPool, &Cfa) -> MakeSolver + Send + Sync>;

/// The bit-blaster, or cvc5 for automata with more than Bool and bit vectors.
pub fn default_solvers() -> ChooseSolvers {
    Arc::new(|pool, cfa| {
        let mut exprs = Vec::new();
        for edge in cfa.edges.iter() {
            match &edge.op {
                Op::Skip | Op::Havoc(_) => {}
                Op::Assume(e) | Op::Assign(_, e) => exprs.push(*e),
                Op::Block(block) => exprs.extend(block.updates.iter().map(|(_, e)| *e).chain([block.guard])),
            }
        }
        let sorts = cfa.vars.iter().map(|var| pool.var_decl(*var).sort);
        let only_bits = sorts.into_iter().all(Sort::is_bits);
        if only_bits && bitblast::supports(pool, &exprs) {
            Arc::new(|_, interrupt| Ok(Box::new(BitBlaster::new(interrupt)) as Box<dyn Solver>))
        } else {
            Arc::new(|_, interrupt| Ok(Box::new(Cvc5::new(interrupt)?) as Box<dyn Solver>))
        }
    })
}

/// All engines.
pub const ENGINES: &[EngineInfo] =
    &[bmc::INFO, kinduction::INFO, kiki::INFO, cegar::INFO, impact::INFO, pdr::INFO, random_runs::INFO];

/// What every long computation carries.
pub struct Ctx<'a> {
    /// The expressions; engines own their copy.
    pub pool: ExprPool,
    /// When to stop.
    pub interrupt: Interrupt,
    /// Where progress goes.
    pub events: &'a (dyn Fn(Progress) + Sync),
    /// What engines that run side by side know already.
    pub board: Arc<exchange::Board>,
}

/// A number with its noun: `1 frame`, `2 frames`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// A sign of life, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The engine's name.
    pub engine: &'static str,
    /// Steps (cycles) from the start in which no violation exists, if known.
    pub safe_cycles: Option<u32>,
    /// One line.
    pub text: String,
}

impl Progress {
    /// Progress on a question about some of the runs only: cycles without a violation are not known of all of them.
    #[must_use]
    pub fn about_some_runs(self) -> Progress {
        let text = format!("looking at some runs only: {}", self.text);
        Progress { safe_cycles: None, text, ..self }
    }
}

/// Why a computation ended without a verdict; never itself a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// An honest reason.
    Reason(Reason),
    /// A solver failed.
    Solver(SolverError),
}

impl From<SolverError> for Stop {
    fn from(e: SolverError) -> Stop {
        Stop::Solver(e)
    }
}

impl From<Unknown> for Stop {
    fn from(u: Unknown) -> Stop {
        Stop::Reason(match u {
            Unknown::Limit | Unknown::Incomplete => Reason::SolverUnknown,
            Unknown::Interrupted => Reason::Cancelled,
        })
    }
}

impl<'a> Ctx<'a> {
    /// For an engine that runs alone: its board is empty and stays so.
    pub fn new(pool: ExprPool, interrupt: Interrupt, events: &'a (dyn Fn(Progress) + Sync)) -> Ctx<'a> {
        Ctx { pool, interrupt, events, board: Arc::default() }
    }
    /// Heads every unbounded loop: `Err` once the run must stop.
    pub fn tick(&self) -> Result<(), Stop> {
        if self.interrupt.is_raised() { Err(Stop::Reason(Reason::Cancelled)) } else { Ok(()) }
    }
}

/// Which graphs of abstract states an engine keeps for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pictures {
    /// The last one, as far as it can be drawn.
    #[default]
    Last,
    /// One for each iteration.
    Every,
}

impl Pictures {
    /// Nodes that are kept of each.
    pub fn most_nodes(self) -> usize {
        match self {
            Pictures::Last => crate::draw::MOST_NODES,
            Pictures::Every => 5_000,
        }
    }
}

/// An engine, configured.
pub trait Engine {
    /// Decides whether `cfa.error` can be reached.
    fn run(&mut self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<Verdict, Stop>;
    /// Which graphs to keep for people; before the first `run`.
    fn keep(&mut self, _pictures: Pictures) {}
    /// What was explored so far, for people; after the last `run`. Engines without a graph have nothing to tell.
    fn explored(&mut self, _pool: &ExprPool) -> Vec<Iteration> {
        Vec::new()
    }
}

/// The model has something that an engine cannot handle.
fn unsupported(why: impl Into<String>) -> Stop {
    Stop::Reason(Reason::Unsupported(why.into()))
}
