//! The abstract reachability graph: a tree of abstract states with covered-by edges, and the order of exploring it.
//!
//! Knows locations and steps; knows no domain's states (they are a type parameter) and no solver.

mod export;
mod graph;
mod node;
mod unfold;
mod waitlist;

pub use graph::{Graph, Successors};
pub use node::{Arg, Mark, Node, NodeId};
pub use unfold::Blk;
#[cfg(test)]
pub(crate) use unfold::tests::both_ways;
pub use waitlist::{Search, Waitlist};
