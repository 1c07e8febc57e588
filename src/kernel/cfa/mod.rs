//! Control-flow automata: programs as locations and edges, with an explicit scan-cycle loop.
//!
//! In reading order: [`network`] one procedure per POU, made by `lower` from the HIR; `inline` and [`model`] the instance-level
//! CFA with its scan cycle; `recursion` calls that stay calls; [`share`] variables that share memory; `stopwatch` the clocks of
//! timers; [`compose`] operations as blocks; [`pass`] reductions and encodings; [`simulate`] runs on concrete values; [`picture`]
//! pictures. Knows [`crate::expr`] and the HIR; knows no solver, no abstraction.

mod at_call;
mod automaton;
mod block;
mod call_region;
pub mod compose;
#[cfg(test)]
mod functions;
pub(crate) mod inline;
pub mod lower;
pub mod model;
pub mod network;
pub mod pass;
pub mod picture;
#[cfg(test)]
mod reading_tests;
mod recursion;
pub mod share;
pub mod simulate;
mod site;
mod stopwatch;
pub mod too_large;

pub use at_call::{AtCall, AtCallVars};
pub use automaton::{Cfa, Edge, EdgeId, Loc, LocId, LocKind, Op};
pub use block::{Block, BlockInput};
pub use call_region::CallRegion;
pub use model::{Marks, Model, ModelError, ModelOptions, RecursiveCalls, build};
pub use recursion::{Recursion, RecursiveCall, RecursiveProcedure};
pub use site::{Site, SiteKind};
