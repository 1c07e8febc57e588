//! The fixpoint algorithm: recursive procedures are explored with the results that are known of their calls, until no result is
//! new.
//!
//! A call whose entry state is covered by one on the stack of open blocks is not explored again. It has the results found so far,
//! at first none. So the explored runs are too few until nothing is new; then they are all.
//!
//! Source: papers/block-abstraction-memoization, Algorithms 9 to 12; soundness: §3.4.2.

use std::collections::BTreeMap;
use std::rc::Rc;

use plc_frontend::id_type;
use plc_frontend::ids::{Id, IndexVec};

use super::super::cache::Counts;
use super::super::form::Numbered;
use super::super::waitlist::Waitlist;
use super::alike::Alike;
use super::frame::Frames;
use super::images::Images;
use super::program::{Move, Program};
use crate::domain::{Precision, Reduce, SharedPrecision, StepId};
use crate::engine::BlockCounts;
use kernel::cfa::{Block, LocId};
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, ExprPool, FastMap};
use kernel::verdict::Reason;

id_type!(
    /// A graph of a part from one entry state.
    GraphId,
    "g"
);

/// Most blocks that are open at once: each needs a part of the stack of this thread.
const MOST_OPEN: usize = 400;

/// Abstract reachability graph of a part.
pub(in crate::engine::bam) struct PartGraph<S> {
    pub(in crate::engine::bam) part: usize,
    pub(in crate::engine::bam) nodes: Vec<Node<S>>,
    /// States at the return, each with the node at the exit.
    pub(in crate::engine::bam) exits: Vec<(S, u32)>,
    /// Way to an error, if there is one; then the graph is not complete.
    pub(in crate::engine::bam) error: Option<Hop>,
}

/// Abstract state at a location.
pub(in crate::engine::bam) struct Node<S> {
    pub(in crate::engine::bam) loc: LocId,
    pub(in crate::engine::bam) state: S,
    /// `None` at the entry.
    pub(in crate::engine::bam) from: Option<Hop>,
}

/// Edge of a graph.
#[derive(Clone, Copy)]
pub(in crate::engine::bam) struct Hop {
    pub(in crate::engine::bam) node: u32,
    pub(in crate::engine::bam) step: Move,
    /// Way through the callee, if the edge is a call.
    pub(in crate::engine::bam) through: Option<Through>,
}

/// Graph of a callee, and the position among its exits; `None` for its error.
#[derive(Clone, Copy)]
pub(in crate::engine::bam) struct Through {
    pub(in crate::engine::bam) graph: GraphId,
    pub(in crate::engine::bam) exit: Option<usize>,
}

/// Part and entry state of a block.
type Key<S> = (usize, S);

/// States at returns, each with a way there.
type Returns<S> = Vec<(S, Through)>;

/// States after a step, each with its way through a callee.
type After<S> = Vec<(S, Option<Through>)>;

/// Results of a call.
enum Results<S> {
    Error(GraphId),
    Exits(Returns<S>),
}

/// State of an exploration that refinements keep.
pub(in crate::engine::bam) struct Explorer<D: Reduce> {
    pub(in crate::engine::bam) domain: D,
    pub(in crate::engine::bam) program: Rc<Program>,
    /// Blocks of the edges, then the initial step, then steps into and out of procedures and summaries.
    pub(in crate::engine::bam) blocks: IndexVec<StepId, Block>,
    pub(in crate::engine::bam) initial: StepId,
    /// Precision of each part.
    pub(in crate::engine::bam) precs: Vec<D::Prec>,
    /// Alike variables of each part, and what was learnt about the first of them; empty without sharing.
    alike: Vec<Alike>,
    learnt: Vec<D::Prec>,
    /// Its share about the interface of the part alone.
    pub(super) interfaces: Vec<D::Prec>,
    pub(super) frames: Frames<D::Prec>,
    enters: Vec<StepId>,
    leaves: Vec<Option<StepId>>,
    summaries: FastMap<(usize, ExprId), StepId>,
    pub(super) images: Images<D::State, D::Prec>,
    pub(in crate::engine::bam) graphs: IndexVec<GraphId, PartGraph<D::State>>,
    /// All results so far of each block.
    results: FastMap<Key<D::State>, Returns<D::State>>,
    /// Blocks that were explored in this round, in order.
    pub(in crate::engine::bam) done: Vec<(Key<D::State>, GraphId)>,
    open: Vec<Key<D::State>>,
    is_stable: bool,
    /// Rounds of the fixpoint so far.
    pub(in crate::engine::bam) rounds: usize,
    pub(in crate::engine::bam) counts: Counts,
    /// Numbers of each part, without its name.
    pub(super) of_parts: Vec<BlockCounts>,
}

impl<D: Reduce> Explorer<D> {
    /// Returns an explorer that tracks nothing. `blocks` are those of the edges, and the initial step last.
    pub(in crate::engine::bam) fn new(domain: D, program: Program, mut blocks: IndexVec<StepId, Block>) -> Explorer<D> {
        let initial = StepId::new(blocks.len() - 1);
        let enters = program.calls.iter().map(|call| blocks.push(call.enter.clone())).collect();
        let leaves = program.parts.iter().map(|part| Some(blocks.push(part.exit.as_ref()?.1.clone()))).collect();
        let none: Vec<D::Prec> = program.parts.iter().map(|_| D::Prec::default()).collect();
        Explorer {
            domain,
            program: Rc::new(program),
            blocks,
            initial,
            interfaces: none.clone(),
            frames: Frames::none(none.len()),
            of_parts: vec![BlockCounts::default(); none.len()],
            precs: none,
            alike: Vec::new(),
            learnt: Vec::new(),
            enters,
            leaves,
            summaries: FastMap::default(),
            images: Images::new(),
            graphs: IndexVec::new(),
            results: FastMap::default(),
            done: Vec::new(),
            open: Vec::new(),
            is_stable: true,
            rounds: 0,
            counts: Counts::default(),
        }
    }
    /// Makes the parts track for all alike variables what is learnt about some.
    pub(super) fn share(&mut self, pool: &mut ExprPool) {
        let mut numbered = Numbered::default();
        for part in 0..self.precs.len() {
            self.alike.push(Alike::new(pool, &mut numbered, &self.program, part, (&self.blocks, self.initial)));
            self.learnt.push(D::Prec::default());
        }
    }
    /// Forgets what belongs to the precisions of past iterations.
    pub(in crate::engine::bam) fn next_iteration(&mut self, cx: &Ctx<'_>) {
        for (at, part) in self.program.parts.iter().enumerate() {
            let vars = part.interface();
            self.interfaces[at] = D::Prec::default();
            for (of_item, item) in self.precs[at].items(&cx.pool) {
                if of_item.is_subset(&vars) {
                    self.interfaces[at].join(&item);
                }
            }
        }
        self.frames = Frames::new(&cx.pool, &self.precs);
        self.images.next_iteration();
        self.graphs = IndexVec::new();
        self.results.clear();
        self.done.clear();
    }
    /// Explores until an error is found or no call has a new result. Returns the graph of the cycle.
    ///
    /// Stops:     cancelled, a solver failed, or too many open blocks.
    /// Soundness: without an error, the results of each block cover those of all runs through it that its entry state allows.
    /// Source:    Algorithm 10.
    pub(in crate::engine::bam) fn fixpoint(&mut self, cx: &mut Ctx<'_>) -> Result<GraphId, Stop> {
        loop {
            self.is_stable = true;
            self.rounds += 1;
            self.done.clear();
            self.open.clear();
            let top = self.domain.top();
            let starts = self.image(cx, (self.initial, 0, false), &top)?;
            let cycle = self.explore(cx, 0, starts)?;
            if self.graphs[cycle].error.is_some() || self.is_stable {
                return Ok(cycle);
            }
        }
    }
    /// Returns the results of a block.
    ///
    /// Source: Algorithms 11 and 12.
    fn block(&mut self, cx: &mut Ctx<'_>, part: usize, state: D::State) -> Result<Results<D::State>, Stop> {
        let covers = |(other, by): &&Key<D::State>| *other == part && self.domain.leq(&state, by);
        let key = match self.open.iter().find(covers) {
            Some(open) => {
                let open = open.clone();
                self.count_block(part, true);
                open
            }
            None => {
                let key = (part, state.clone());
                let is_known = self.done.iter().any(|(done, _)| *done == key);
                self.count_block(part, is_known);
                if !is_known {
                    if MOST_OPEN <= self.open.len() {
                        return Err(Stop::Reason(Reason::Bound));
                    }
                    self.open.push(key.clone());
                    let graph = self.explore(cx, part, vec![state])?;
                    self.open.pop();
                    if self.graphs[graph].error.is_some() {
                        return Ok(Results::Error(graph));
                    }
                    self.add_results(&key, graph);
                    self.done.push((key.clone(), graph));
                }
                key
            }
        };
        Ok(Results::Exits(self.results.get(&key).cloned().unwrap_or_default()))
    }
    fn add_results(&mut self, key: &Key<D::State>, graph: GraphId) {
        let known = self.results.entry(key.clone()).or_default();
        for (i, (state, _)) in self.graphs[graph].exits.iter().enumerate() {
            if !known.iter().any(|(other, _)| self.domain.leq(state, other)) {
                known.push((state.clone(), Through { graph, exit: Some(i) }));
                self.is_stable = false;
            }
        }
    }
    /// Returns the results of a block that was explored.
    pub(in crate::engine::bam) fn results(&self, key: &Key<D::State>) -> Vec<&D::State> {
        self.results.get(key).into_iter().flatten().map(|(state, _)| state).collect()
    }
    fn explore(&mut self, cx: &mut Ctx<'_>, part: usize, starts: Vec<D::State>) -> Result<GraphId, Stop> {
        let program = self.program.clone();
        let own = &program.parts[part];
        let mut graph = PartGraph { part, nodes: Vec::new(), exits: Vec::new(), error: None };
        let mut shelves: BTreeMap<LocId, D::Shelf> = BTreeMap::new();
        let entry = own.entry.map_or(0, |loc| loc.0);
        let mut waiting = Waitlist::new(entry, |loc| {
            let moves = own.moves.get(&LocId(loc)).into_iter().flatten();
            moves.map(|step| step.target.0).collect()
        });
        for state in starts {
            if let Some(loc) = own.entry {
                self.arrive(&mut graph, &mut shelves, &mut waiting, Node { loc, state, from: None });
            }
        }
        while let Some(node) = waiting.next() {
            cx.tick()?;
            let (loc, state) = (graph.nodes[node as usize].loc, graph.nodes[node as usize].state.clone());
            if let (Some((exit, _)), Some(leave)) = (&own.exit, self.leaves[part])
                && *exit == loc
            {
                let image = self.image(cx, (leave, part, true), &state)?;
                graph.exits.extend(image.into_iter().map(|state| (state, node)));
                continue;
            }
            for &step in own.moves.get(&loc).into_iter().flatten() {
                for (after, through) in self.follow(cx, part, step, &state)? {
                    let hop = Hop { node, step, through };
                    let is_error = !own.moves.contains_key(&step.target) || through.is_some_and(|through| through.exit.is_none());
                    if is_error {
                        graph.error = Some(hop);
                        return Ok(self.graphs.push(graph));
                    }
                    let node = Node { loc: step.target, state: after, from: Some(hop) };
                    self.arrive(&mut graph, &mut shelves, &mut waiting, node);
                }
            }
        }
        Ok(self.graphs.push(graph))
    }
    /// Returns the successors over an edge, each with its way through the callee.
    fn follow(&mut self, cx: &mut Ctx<'_>, part: usize, step: Move, state: &D::State) -> Result<After<D::State>, Stop> {
        let Some(call) = step.call else {
            let image = self.image(cx, (StepId::new(step.edge.index()), part, false), state)?;
            return Ok(image.into_iter().map(|state| (state, None)).collect());
        };
        let program = self.program.clone();
        let callee = program.calls[call].callee;
        let mut all = Vec::new();
        for entry in self.image(cx, (self.enters[call], callee, true), state)? {
            match self.block(cx, callee, entry)? {
                Results::Error(graph) => return Ok(vec![(state.clone(), Some(Through { graph, exit: None }))]),
                Results::Exits(exits) => {
                    for (exit, through) in exits {
                        let formula = self.domain.to_expr(&mut cx.pool, &[&exit]);
                        let id = match self.summaries.get(&(call, formula)) {
                            Some(id) => *id,
                            None => {
                                let block = program.summary(&mut cx.pool, call, formula);
                                let id = self.blocks.push(block);
                                self.summaries.insert((call, formula), id);
                                id
                            }
                        };
                        let image = self.image(cx, (id, part, false), state)?;
                        all.extend(image.into_iter().map(|state| (state, Some(through))));
                    }
                }
            }
        }
        Ok(all)
    }
    /// Adds a node unless another one covers it.
    fn arrive(
        &self,
        graph: &mut PartGraph<D::State>,
        shelves: &mut BTreeMap<LocId, D::Shelf>,
        waiting: &mut Waitlist,
        node: Node<D::State>,
    ) {
        let shelf = shelves.entry(node.loc).or_default();
        let candidates = self.domain.candidates(shelf, &node.state);
        if candidates.into_iter().any(|by| self.domain.leq(&node.state, &graph.nodes[by as usize].state)) {
            return;
        }
        let id = graph.nodes.len() as u32;
        self.domain.shelve(shelf, &node.state, id);
        waiting.add(node.loc.0, id, |other| self.domain.leq(&graph.nodes[other as usize].state, &node.state));
        graph.nodes.push(node);
    }
    /// Adds to what is tracked in a part, for all variables that are alike. Returns whether any of it was new.
    pub(in crate::engine::bam) fn track(&mut self, pool: &mut ExprPool, part: usize, prec: &D::Prec) -> bool {
        let Some(alike) = self.alike.get(part) else { return self.precs[part].join(prec) };
        let mut grew = false;
        for (vars, item) in prec.items(pool) {
            let Some(group) = alike.group(&vars) else {
                grew |= self.learnt[part].join(&item);
                self.precs[part].join(&item);
                continue;
            };
            if self.learnt[part].join(&alike.first(pool, group, &item)) {
                grew = true;
                for item in alike.all(pool, group, &item) {
                    self.precs[part].join(&item);
                }
            }
        }
        grew
    }
    /// Returns the number of different things tracked: what alike variables have in common counts once.
    pub(in crate::engine::bam) fn n_tracked(&self) -> usize {
        let tracked = if self.alike.is_empty() { &self.precs } else { &self.learnt };
        tracked.iter().map(Precision::size).sum()
    }
}
