//! The abstract reachability graph: a tree of abstract states with covered-by edges, and the order of exploring it.
//!
//! Knows locations and steps; knows no domain's states (they are a type parameter) and no solver.

mod export;
mod graph;
mod node;
mod waitlist;

pub use graph::Graph;
pub use node::{Arg, Mark, Node, NodeId};
pub use waitlist::{Search, Waitlist};
