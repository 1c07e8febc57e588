//! Exploration by an engine with a graph of abstract states: iterations with their times, graph, automaton.
//! Published data; [`super::timeline`] draws it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use kernel::draw::Picture;

/// Exploration on the way to an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Exploration {
    /// The engine.
    pub engine: String,
    /// Its iterations, in order.
    pub iterations: Vec<ExplorationStep>,
    /// Milliseconds for certifying the answer.
    pub certify_ms: f64,
    /// The automaton that was explored: its locations are those of the graphs.
    pub automaton: Option<Picture>,
    /// Blocks that were explored once for each state that they were entered with; the whole program first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<ExploredBlock>,
    /// Parts that are left out, as noun phrases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// One iteration of abstraction and refinement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExplorationStep {
    /// From 1.
    pub number: u32,
    /// Abstract states in the graph.
    pub nodes: usize,
    /// Predicates and variables that are tracked.
    pub tracked: usize,
    /// Abstract counterexamples that were found.
    pub counterexamples: usize,
    /// Steps of the longest of them.
    pub length: Option<u32>,
    /// Milliseconds for exploring.
    pub abstract_ms: f64,
    /// Milliseconds for finding out whether counterexamples are real.
    pub concretise_ms: f64,
    /// Milliseconds for learning from those that are not.
    pub refine_ms: f64,
    /// The graph; of the last iteration, or of each one if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<Picture>,
}

/// A block: equal calls, equal loops, or the whole program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExploredBlock {
    /// Name of the procedure, or "loop in" and that name.
    pub name: String,
    /// Calls or loops that are equal up to the names of their variables.
    pub places: usize,
    /// Times that it was entered.
    pub entered: u64,
    /// Of them, those whose result was known.
    pub known: u64,
    /// Images of its own steps that were asked for.
    pub images_asked: u64,
    /// Of them, those that had to be computed.
    pub images_computed: u64,
}

/// Bytes of text that the graphs of a result may have together, roughly.
const MOST_BYTES: usize = 8 << 20;
/// Blocks that are told one by one.
const MOST_BLOCKS: usize = 400;
/// Iterations that are told one by one; of more the first and the last ones are.
const MOST_ITERATIONS: usize = 400;

impl Exploration {
    /// Cuts the exploration to the limits and lists the parts that are left out.
    #[must_use]
    pub fn within_limits(mut self) -> Exploration {
        let n = self.iterations.len();
        if MOST_ITERATIONS < n {
            let half = MOST_ITERATIONS / 2;
            self.iterations.drain(half..n - half);
            self.left_out.push(format!("{} iterations between the first {half} and the last {half}", n - 2 * half));
        }
        if MOST_BLOCKS < self.blocks.len() {
            self.left_out.push(format!("the numbers of {} inner blocks", self.blocks.len() - MOST_BLOCKS));
            self.blocks.truncate(MOST_BLOCKS);
        }
        // The last graphs tell most.
        let (mut bytes, mut n_dropped) = (0, 0);
        for step in self.iterations.iter_mut().rev() {
            bytes += step.graph.as_ref().map_or(0, size_bytes);
            if MOST_BYTES < bytes && step.graph.take().is_some() {
                n_dropped += 1;
            }
        }
        if 0 < n_dropped {
            self.left_out.push(format!("the graphs of {n_dropped} iterations: together they were too large"));
        }
        self
    }
    /// Returns the last graph there is, with the number of its iteration.
    pub fn last_graph(&self) -> Option<(u32, &Picture)> {
        self.iterations.iter().rev().find_map(|step| step.graph.as_ref().map(|graph| (step.number, graph)))
    }
    /// Returns the milliseconds of all iterations and of the certification.
    pub fn total_ms(&self) -> f64 {
        self.iterations.iter().map(ExplorationStep::total_ms).sum::<f64>() + self.certify_ms
    }
}

impl ExplorationStep {
    /// Returns milliseconds of all phases.
    pub fn total_ms(&self) -> f64 {
        self.abstract_ms + self.concretise_ms + self.refine_ms
    }
}

fn size_bytes(picture: &Picture) -> usize {
    let nodes = picture.nodes.iter().map(|node| node.text.len() + 60).sum::<usize>();
    nodes + picture.edges.iter().map(|edge| edge.text.len() + 60).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::draw::{Node, NodeKind};

    fn step(number: u32, n_bytes: usize) -> ExplorationStep {
        let node = Node { id: 0, name: "n0".into(), text: "x".repeat(n_bytes), kind: NodeKind::Plain };
        let graph = Picture { nodes: vec![node], ..Picture::default() };
        ExplorationStep { number, graph: Some(graph), ..ExplorationStep::default() }
    }

    #[test]
    fn what_is_too_much_is_left_out_and_that_is_said() {
        let all = |n: u32, size| Exploration { iterations: (1..=n).map(|i| step(i, size)).collect(), ..Exploration::default() };
        assert_eq!(all(3, 10).within_limits(), all(3, 10));
        let cut = all(1_000, 10).within_limits();
        assert_eq!(cut.iterations.len(), MOST_ITERATIONS);
        assert_eq!(cut.iterations.last().map(|step| step.number), Some(1_000));
        assert_eq!(cut.left_out, ["600 iterations between the first 200 and the last 200"]);
        let blocks = |n| Exploration { blocks: vec![ExploredBlock::default(); n], ..Exploration::default() };
        assert_eq!(blocks(MOST_BLOCKS).within_limits(), blocks(MOST_BLOCKS));
        let cut = blocks(MOST_BLOCKS + 7).within_limits();
        assert_eq!((cut.blocks.len(), cut.left_out), (MOST_BLOCKS, vec!["the numbers of 7 inner blocks".to_owned()]));
        let cut = all(20, 1 << 20).within_limits();
        assert_eq!(cut.iterations.iter().filter(|step| step.graph.is_some()).count(), 7);
        assert_eq!(cut.last_graph().map(|(number, _)| number), Some(20));
        assert_eq!(cut.left_out, ["the graphs of 13 iterations: together they were too large"]);
    }
}
