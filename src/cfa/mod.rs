//! Control-flow automata: programs as locations and edges, with an explicit scan-cycle loop.
//!
//! Knows [`crate::expr`] and the HIR; knows no solver, no abstraction.

mod automaton;
mod block;

pub use automaton::{Cfa, Edge, EdgeId, Loc, LocId, LocKind, Op};
pub use block::{Block, BlockInput};
