//! Timeline of a run, iteration by iteration: for users who compare configurations.

use std::fmt;
use std::time::Duration;

use serde_json::json;

use crate::engine::{BlockCounts, Pictures};
use kernel::draw::Picture;

/// One round of abstraction and refinement.
#[derive(Clone, Debug, Default)]
pub struct Iteration {
    /// From 1.
    pub number: u32,
    /// Abstract states in the graph after exploration.
    pub n_nodes: usize,
    /// Variables and predicates tracked, over all locations.
    pub n_tracked: usize,
    /// Error nodes that were found.
    pub n_counterexamples: usize,
    /// Steps to the farthest of them.
    pub length: Option<u32>,
    /// Time spent exploring.
    pub abstraction: Duration,
    /// Time spent on checking whether counterexamples are real.
    pub concretisation: Duration,
    /// Time spent on refinement after those that are not.
    pub refinement: Duration,
    /// The graph after exploration: of the last iteration, or of each one (see [`Pictures`]).
    pub picture: Option<Picture>,
    /// Numbers of each block so far, inner blocks before outer ones; of the last iteration. Engines without blocks have none.
    pub blocks: Vec<BlockCounts>,
}

/// All iterations so far; the last one may still be going on.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    pub(super) iterations: Vec<Iteration>,
    /// Graphs that are kept; they need memory.
    pub(super) pictures: Pictures,
}

impl Timeline {
    /// Returns the iteration that is going on.
    pub(super) fn row(&mut self) -> &mut Iteration {
        if self.iterations.is_empty() {
            self.next();
        }
        let last = self.iterations.len() - 1;
        &mut self.iterations[last]
    }
    /// Begins another iteration.
    pub(super) fn next(&mut self) {
        let number = self.iterations.len() as u32 + 1;
        self.iterations.push(Iteration { number, ..Iteration::default() });
    }
}

impl Iteration {
    /// Returns the iteration as JSON, with the graph under `arg` if there is a picture.
    pub fn to_json(&self) -> serde_json::Value {
        json!({
            "iteration": self.number, "nodes": self.n_nodes, "tracked": self.n_tracked,
            "counterexamples": self.n_counterexamples, "length": self.length,
            "abstractionMs": self.abstraction.as_secs_f64() * 1000.0, "concretisationMs": self.concretisation.as_secs_f64() * 1000.0, "refinementMs": self.refinement.as_secs_f64() * 1000.0,
            "arg": self.picture.as_ref().map(Picture::to_json),
        })
    }
}

/// One line.
impl fmt::Display for Iteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "iteration {}: {} abstract states, {} tracked", self.number, self.n_nodes, self.n_tracked)?;
        write!(f, "; {} ms exploring", self.abstraction.as_millis())?;
        match self.length {
            Some(n) => write!(f, "; {} of up to {n} steps", counted(self.n_counterexamples)),
            None => Ok(()),
        }
    }
}

fn counted(n: usize) -> String {
    if n == 1 { "1 counterexample".to_owned() } else { format!("{n} counterexamples") }
}
