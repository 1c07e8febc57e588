//! Explored blocks and images of steps, by their reduced states and precisions.
//!
//! Source: papers/block-abstraction-memoization, §2.4.4 and Algorithm 5: the key is (block, reduced state, reduced precision).
//! The precision is part of the key, so an entry never changes: a refinement asks under another key.

use std::rc::Rc;

use plc_frontend::id_type;
use plc_frontend::ids::IndexVec;

use super::form::BlockId;
use super::names::EdgeContext;
use crate::domain::StepId;
use crate::engine::BlockCounts;
use kernel::expr::FastMap;

id_type!(
    /// An explored block.
    EntryId,
    "e"
);
id_type!(
    /// A precision that some block was entered with.
    PrecId,
    "p"
);

/// Abstract reachability graph of a block from one entry state.
pub(super) struct Entry<S> {
    pub(super) block: BlockId,
    pub(super) nodes: Vec<Node<S>>,
    /// Nodes at the exit; those of a loop may have successors.
    pub(super) exits: Vec<u32>,
    /// Way to the error location, if exploration found one; then the graph is not complete.
    pub(super) error: Option<Hop>,
    /// Blocks that were entered from here.
    pub(super) calls: Vec<Call<S>>,
}

/// Abstract state at a location of a block.
pub(super) struct Node<S> {
    pub(super) loc: u32,
    pub(super) state: S,
    /// `None` at the entry.
    pub(super) from: Option<Hop>,
}

/// Graph of the block that an edge calls, and the node there; `None` for its error.
pub(super) type Through = (EntryId, Option<u32>);

/// Edge of the graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub(super) node: u32,
    pub(super) edge: u32,
    /// End of the path through the block, if the edge calls one.
    pub(super) through: Option<Through>,
}

/// A block that was entered.
pub(super) struct Call<S> {
    pub(super) edge: u32,
    pub(super) entry: EntryId,
    /// Part of the state that the reduction left out.
    pub(super) rest: S,
    pub(super) context: Rc<EdgeContext>,
}

/// Numbers for users who compare configurations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Blocks entered.
    pub asked: u64,
    /// Of them, those whose result was known.
    pub hits: u64,
    /// Blocks explored.
    pub explored: u64,
    /// Abstract states in them.
    pub states: u64,
    /// Steps whose image was asked for.
    pub steps: u64,
    /// Of them, those that a domain had to compute.
    pub images: u64,
    /// Pieces of paths that were to be refuted.
    pub pieces: u64,
    /// Of them, those that a solver had to check.
    pub refuted: u64,
}

/// The cache, with the graphs of the present iteration.
pub(super) struct Cache<S, P> {
    is_on: bool,
    pub(super) entries: IndexVec<EntryId, Entry<S>>,
    by_block: FastMap<(BlockId, PrecId, S), EntryId>,
    by_step: FastMap<(StepId, PrecId, S), Rc<[S]>>,
    pub(super) precs: IndexVec<PrecId, P>,
    prec_ids: FastMap<P, PrecId>,
    n_states: usize,
    pub(super) counts: Counts,
    /// Numbers of each block, without its name and places.
    pub(super) by_block_counts: FastMap<BlockId, BlockCounts>,
}

/// States that the cache keeps from one iteration to the next.
const MOST_STATES: usize = 200_000;

impl<S: Clone + Eq + std::hash::Hash, P: Clone + Eq + std::hash::Hash> Cache<S, P> {
    /// Returns an empty cache. One that is off forgets everything after each iteration and answers nothing.
    pub(super) fn new(is_on: bool) -> Cache<S, P> {
        Cache {
            is_on,
            entries: IndexVec::new(),
            by_block: FastMap::default(),
            by_step: FastMap::default(),
            precs: IndexVec::new(),
            prec_ids: FastMap::default(),
            n_states: 0,
            counts: Counts::default(),
            by_block_counts: FastMap::default(),
        }
    }
    /// Returns the id of a precision.
    pub(super) fn prec_id(&mut self, prec: P) -> PrecId {
        let precs = &mut self.precs;
        *self.prec_ids.entry(prec.clone()).or_insert_with(|| precs.push(prec))
    }
    /// Returns the graph of a block from this state with this precision, if it was explored.
    pub(super) fn block(&mut self, block: BlockId, prec: PrecId, state: &S) -> Option<EntryId> {
        self.counts.asked += 1;
        let known = if self.is_on { self.by_block.get(&(block, prec, state.clone())).copied() } else { None };
        self.counts.hits += u64::from(known.is_some());
        let counts = self.by_block_counts.entry(block).or_default();
        counts.asked += 1;
        counts.hits += u64::from(known.is_some());
        known
    }
    /// Adds a graph. `key` is that of a block that can be asked for again.
    pub(super) fn insert(&mut self, entry: Entry<S>, key: Option<(PrecId, S)>) -> EntryId {
        self.counts.explored += 1;
        self.counts.states += entry.nodes.len() as u64;
        self.n_states += entry.nodes.len();
        let block = entry.block;
        let id = self.entries.push(entry);
        if let Some((prec, state)) = key.filter(|_| self.is_on) {
            self.by_block.insert((block, prec, state), id);
        }
        id
    }
    /// Returns the image of a state under a step of a block with this precision, if it was computed.
    pub(super) fn step(&mut self, block: BlockId, step: StepId, prec: PrecId, state: &S) -> Option<Rc<[S]>> {
        self.counts.steps += 1;
        let known = if self.is_on { self.by_step.get(&(step, prec, state.clone())).cloned() } else { None };
        self.by_block_counts.entry(block).or_default().steps += 1;
        known
    }
    /// Counts an image that a domain has to compute for a step of a block.
    pub(super) fn count_image(&mut self, block: BlockId) {
        self.counts.images += 1;
        self.by_block_counts.entry(block).or_default().images += 1;
    }
    /// Adds an image.
    pub(super) fn insert_step(&mut self, step: StepId, prec: PrecId, state: S, image: Rc<[S]>) {
        if self.is_on {
            self.n_states += image.len();
            self.by_step.insert((step, prec, state), image);
        }
    }
    /// Ends an iteration: no graph is in use any more.
    pub(super) fn next_iteration(&mut self) {
        if !self.is_on || MOST_STATES < self.n_states {
            self.entries = IndexVec::new();
            self.by_block.clear();
            self.by_step.clear();
            self.n_states = 0;
        }
    }
}
