//! The transfer relation: steps and calls of blocks are both reduced, looked up or computed, and expanded.
//!
//! A step of the outermost block concerns few variables, too. Treated like a block it needs no more of the state than these, and
//! equal steps of different calls have one image.
//!
//! Source: papers/block-abstraction-memoization, Algorithms 3, 4 and 5.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::cache::{Cache, Call, Entry, EntryId, Hop, Node, PrecId, Through};
use super::form::{Action, BlockId, Exit, Numbered, Steps, Target};
use super::names::{EdgeContext, Groups, Names};
use super::parts::Part;
use super::program::{BlockInfo, Program};
use super::waitlist::Waitlist;
use crate::domain::{Reduce, SharedPrecision, Step, StepId};
use crate::engine::BlockCounts;
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprPool, FastMap, VarId};

/// Key of a context: block, edge, precision of the block, variables beside those of the edge.
type ContextKey = (BlockId, u32, PrecId, Vec<VarId>);

/// The state of an exploration that refinements keep.
pub(super) struct Explorer<D: Reduce> {
    pub(super) program: Rc<Program>,
    /// Steps of the program's forms, and those that set initial values.
    pub(super) steps: Steps,
    pub(super) numbered: Numbered,
    pub(super) domain: D,
    pub(super) cache: Cache<D::State, D::Prec>,
    /// FALSE: the whole state goes into every block (`reduce=identity`).
    pub(super) reduces: bool,
    groups: FastMap<(BlockId, PrecId), Rc<Groups<D::Prec>>>,
    contexts: FastMap<ContextKey, Rc<EdgeContext>>,
    pub(super) parts: FastMap<(StepId, PrecId), Rc<[Part]>>,
}

/// Successors over one edge, each with its node in the block that the edge calls.
struct Successors<S> {
    states: Vec<(S, Option<Through>)>,
    call: Option<Call<S>>,
}

impl<D: Reduce> Explorer<D> {
    pub(super) fn new(
        program: Program,
        steps: Steps,
        numbered: Numbered,
        domain: D,
        is_cached: bool,
        reduces: bool,
    ) -> Explorer<D> {
        Explorer {
            program: Rc::new(program),
            steps,
            numbered,
            domain,
            cache: Cache::new(is_cached),
            reduces,
            groups: FastMap::default(),
            contexts: FastMap::default(),
            parts: FastMap::default(),
        }
    }
    /// Explores the whole automaton with this precision, up to the first error.
    ///
    /// Stops:     cancelled, or a solver failed.
    /// Soundness: a graph without error covers all data states of runs that may still reach one.
    pub(super) fn run(&mut self, cx: &mut Ctx<'_>, prec: D::Prec) -> Result<EntryId, Stop> {
        let program = self.program.clone();
        let main = program.main.block;
        let info = &program.blocks[main];
        let (_, at_start) = Groups::new(&cx.pool, &prec)
            .around(&info.vars.iter().copied().collect(), &|var| info.is_live(&self.numbered, 0, var));
        let (prec, at_start) = (self.cache.prec_id(prec), self.cache.prec_id(at_start));
        let top = self.domain.top();
        let starts = self.image(cx, (main, program.initial), at_start, top)?;
        let entry = self.explore(cx, main, prec, starts.to_vec())?;
        Ok(self.cache.insert(entry, None))
    }
    /// Returns the graph of a block, a known one if there is one.
    ///
    /// Source: Algorithm 5.
    fn block(&mut self, cx: &mut Ctx<'_>, block: BlockId, prec: PrecId, state: D::State) -> Result<EntryId, Stop> {
        if let Some(known) = self.cache.block(block, prec, &state) {
            return Ok(known);
        }
        let entry = self.explore(cx, block, prec, vec![state.clone()])?;
        Ok(self.cache.insert(entry, Some((prec, state))))
    }
    fn explore(
        &mut self,
        cx: &mut Ctx<'_>,
        block: BlockId,
        prec: PrecId,
        starts: Vec<D::State>,
    ) -> Result<Entry<D::State>, Stop> {
        let program = self.program.clone();
        let info = &program.blocks[block];
        let mut entry = Entry { block, nodes: Vec::new(), exits: Vec::new(), error: None, calls: Vec::new() };
        let mut shelves: Vec<D::Shelf> = (0..info.form.n_locs).map(|_| D::Shelf::default()).collect();
        let mut waiting = Waitlist::new(0, |loc| {
            let targets = info.leaving[loc as usize].iter().map(|edge| info.form.edges[*edge as usize].target);
            targets.filter_map(|target| if let Target::Loc(loc) = target { Some(loc) } else { None }).collect()
        });
        for state in starts {
            self.arrive(&mut entry, &mut shelves, &mut waiting, Node { loc: 0, state, from: None });
        }
        while let Some(node) = waiting.next() {
            cx.tick()?;
            let loc = entry.nodes[node as usize].loc;
            if info.form.exit.loc() == Some(loc) {
                entry.exits.push(node);
                if info.form.exit != Exit::Entry {
                    continue;
                }
            }
            for &edge in &info.leaving[loc as usize] {
                let state = entry.nodes[node as usize].state.clone();
                let Successors { states, call } = self.follow(cx, block, prec, edge, &state)?;
                entry.calls.extend(call);
                for (state, through) in states {
                    let hop = Hop { node, edge, through };
                    let is_error = matches!(through, Some((_, None)));
                    match info.form.edges[edge as usize].target {
                        Target::Loc(loc) if !is_error => {
                            self.arrive(&mut entry, &mut shelves, &mut waiting, Node { loc, state, from: Some(hop) });
                        }
                        Target::Loc(_) | Target::Error => {
                            entry.error = Some(hop);
                            return Ok(entry);
                        }
                    }
                }
            }
        }
        Ok(entry)
    }
    /// Adds a node unless another one covers it.
    fn arrive(&self, entry: &mut Entry<D::State>, shelves: &mut [D::Shelf], waiting: &mut Waitlist, node: Node<D::State>) {
        let shelf = &mut shelves[node.loc as usize];
        let candidates = self.domain.candidates(shelf, &node.state);
        if candidates.into_iter().any(|by| self.domain.leq(&node.state, &entry.nodes[by as usize].state)) {
            return;
        }
        let id = entry.nodes.len() as u32;
        self.domain.shelve(shelf, &node.state, id);
        waiting.add(node.loc, id, |other| self.domain.leq(&entry.nodes[other as usize].state, &node.state));
        entry.nodes.push(node);
    }
    /// Returns the successors over an edge.
    ///
    /// Source: Algorithm 4.
    fn follow(
        &mut self,
        cx: &mut Ctx<'_>,
        block: BlockId,
        prec: PrecId,
        edge: u32,
        state: &D::State,
    ) -> Result<Successors<D::State>, Stop> {
        let program = self.program.clone();
        let info = &program.blocks[block];
        let (context, part, rest) = self.divide(cx, info, (block, edge, prec), state);
        let reduced = self.domain.renamed(&mut cx.pool, &part, &mut context.names.borrow_mut().into)?;
        match info.form.edges[edge as usize].action {
            Action::Step(step) => {
                let image = self.image(cx, (block, step), context.prec, reduced)?;
                let mut states = Vec::with_capacity(image.len());
                for after in image.iter() {
                    states.push((self.expand(cx, info, edge, &context, after, &rest)?, None));
                }
                Ok(Successors { states, call: None })
            }
            Action::Call(callee) => {
                let entry = self.block(cx, callee, context.prec, reduced)?;
                let mut states = Vec::new();
                if self.cache.entries[entry].error.is_some() {
                    states.push((state.clone(), Some((entry, None))));
                } else {
                    for i in 0..self.cache.entries[entry].exits.len() {
                        let exit = self.cache.entries[entry].exits[i];
                        let after = self.cache.entries[entry].nodes[exit as usize].state.clone();
                        let expanded = self.expand(cx, info, edge, &context, &after, &rest)?;
                        states.push((expanded, Some((entry, Some(exit)))));
                    }
                }
                Ok(Successors { states, call: Some(Call { edge, entry, rest, context }) })
            }
        }
    }
    pub(super) fn image(
        &mut self,
        cx: &mut Ctx<'_>,
        (block, id): (BlockId, StepId),
        prec: PrecId,
        state: D::State,
    ) -> Result<Rc<[D::State]>, Stop> {
        if let Some(known) = self.cache.step(block, id, prec, &state) {
            return Ok(known);
        }
        let by_parts = if self.reduces { self.image_by_parts(cx, (block, id), prec, &state)? } else { None };
        let image: Rc<[D::State]> = match by_parts {
            Some(image) => image.into(),
            None => {
                self.cache.count_image(block);
                let step = Step { id, block: &self.steps.all[id] };
                self.domain.post(cx, &state, step, &self.cache.precs[prec])?.into()
            }
        };
        self.cache.insert_step(id, prec, state, image.clone());
        Ok(image)
    }
    /// Returns what goes over the edge, in the names of the block around it, and the rest (reduce).
    fn divide(
        &mut self,
        cx: &mut Ctx<'_>,
        info: &BlockInfo,
        at: (BlockId, u32, PrecId),
        state: &D::State,
    ) -> (Rc<EdgeContext>, D::State, D::State) {
        let mut related: BTreeSet<VarId> = BTreeSet::new();
        loop {
            let context = self.context(&mut cx.pool, info, at, &related);
            let (part, rest) = self.domain.divide(&cx.pool, state, &context.inside);
            // A state may relate things that have no variable in common.
            let vars: BTreeSet<VarId> = vars_of(&cx.pool, &self.domain.tracked(&part));
            let more: Vec<VarId> = vars.difference(&context.inside).copied().collect();
            if more.is_empty() {
                return (context, part, rest);
            }
            related.extend(more);
        }
    }
    /// Returns the result of an edge in the names of the block around it (expand), without things that are dead there.
    fn expand(
        &mut self,
        cx: &mut Ctx<'_>,
        info: &BlockInfo,
        edge: u32,
        context: &EdgeContext,
        after: &D::State,
        rest: &D::State,
    ) -> Result<D::State, Stop> {
        let Target::Loc(target) = info.form.edges[edge as usize].target else { return Ok(rest.clone()) };
        let inner = self.domain.renamed(&mut cx.pool, after, &mut context.names.borrow_mut().back)?;
        let is_live = |var: VarId| info.is_live(&self.numbered, target, var);
        let inner = self.domain.keep(&cx.pool, &inner, &is_live);
        let dying = &info.dying[edge as usize];
        if dying.is_empty() {
            return Ok(self.domain.combine(&inner, rest));
        }
        let (part, rest) = self.domain.divide(&cx.pool, rest, dying);
        let part = self.domain.keep(&cx.pool, &part, &is_live);
        Ok(self.domain.combine(&self.domain.combine(&inner, &part), &rest))
    }
    /// Returns the reduction at an edge; `related` goes in besides the variables of the edge.
    fn context(
        &mut self,
        pool: &mut ExprPool,
        info: &BlockInfo,
        (block, edge, prec): (BlockId, u32, PrecId),
        related: &BTreeSet<VarId>,
    ) -> Rc<EdgeContext> {
        let key = (block, edge, prec, related.iter().copied().collect());
        if let Some(known) = self.contexts.get(&key) {
            return known.clone();
        }
        let precs = &self.cache.precs;
        let groups = self.groups.entry((block, prec)).or_insert_with(|| Rc::new(Groups::new(pool, &precs[prec]))).clone();
        let bound = info.bound(edge);
        let mut vars: BTreeSet<VarId> = bound.iter().copied().chain(related.iter().copied()).collect();
        if !self.reduces {
            vars.extend(groups.vars());
        }
        let numbered = &self.numbered;
        let target = info.form.edges[edge as usize].target;
        let is_kept = |var: VarId| match (info.form.edges[edge as usize].action, target) {
            (Action::Call(_), _) => true,
            (Action::Step(_), Target::Error) => false,
            (Action::Step(_), Target::Loc(target)) => info.is_live(numbered, target, var),
        };
        let (inside, outer) = groups.around(&vars, &is_kept);
        let own: BTreeSet<VarId> = bound.iter().copied().collect();
        let order: Vec<VarId> = bound.iter().copied().chain(inside.difference(&own).copied()).collect();
        let mut names = Names::new(pool, &mut self.numbered, &order);
        let prec = self.cache.prec_id(outer.renamed(pool, &mut names.into));
        let context = Rc::new(EdgeContext { inside, prec, names: names.into() });
        self.contexts.insert(key, context.clone());
        context
    }
    /// Returns the numbers of each block; the last is the outermost.
    pub(super) fn block_counts(&self) -> Vec<BlockCounts> {
        let counts = |(id, info): (BlockId, &BlockInfo)| {
            let counts = self.cache.by_block_counts.get(&id).cloned().unwrap_or_default();
            BlockCounts { name: info.name.clone(), regions: info.n_regions, ..counts }
        };
        self.program.blocks.iter_enumerated().map(counts).collect()
    }
    /// Forgets what belongs to the precisions of past iterations.
    pub(super) fn next_iteration(&mut self) {
        self.cache.next_iteration();
        self.groups.clear();
        self.contexts.clear();
        self.parts.clear();
    }
}

/// Returns the variables of everything that a precision tracks.
fn vars_of<P: SharedPrecision>(pool: &ExprPool, prec: &P) -> BTreeSet<VarId> {
    prec.items(pool).into_iter().flat_map(|(vars, _)| vars).collect()
}
