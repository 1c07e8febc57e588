//! States at all locations: the least ones that the operations keep, widened at heads of loops, then narrowed.
//!
//! Source: Cousot, Cousot, "Abstract interpretation", POPL 1977, doi:10.1145/512950.512973 (§9: widening and narrowing).

use std::collections::BTreeSet;

use kernel::cfa::{Cfa, EdgeId, LocId, LocKind, Op};
use kernel::context::{Ctx, Stop};
use kernel::expr::{Expr, ExprId, ExprPool, Value};
use plc_frontend::ids::IndexVec;

use super::constants::{Constants, constants, widen};
use super::post::post;
use super::range::Range;
use super::state::{State, Table};

/// Visits of the head of a loop before its bounds move on to stops.
const PLAIN_VISITS: u32 = 3;
/// Visits after which bounds that change move on to the constants of their variable, and are given up after one more.
const MOST_VISITS: u32 = 12;
/// Passes of narrowing.
const NARROWINGS: usize = 2;
/// Most stops; a program with more constants has the smallest ones.
const MOST_STOPS: usize = 400;

/// States at the locations of an automaton; `None` where no run arrives.
pub(super) type States = IndexVec<LocId, Option<State>>;

/// Computation of the states at all locations. It goes on after an interrupt.
pub(super) struct Fixpoint {
    states: States,
    order: Order,
    visits: IndexVec<LocId, u32>,
    constants: Constants,
    successors: IndexVec<LocId, Vec<EdgeId>>,
    predecessors: IndexVec<LocId, Vec<EdgeId>>,
    /// Locations whose successors are to be computed, by their places in the order.
    open: BTreeSet<(usize, LocId)>,
    /// Locations that were narrowed, in all passes together.
    n_narrowed: usize,
}

impl Fixpoint {
    /// Begins at the start of runs.
    pub(super) fn new(pool: &ExprPool, cfa: &Cfa, table: &mut Table) -> Fixpoint {
        let order = Order::of(cfa);
        let mut states: States = cfa.locs.ids().map(|_| None).collect();
        states[cfa.init] = Some(start(cfa, table));
        Fixpoint {
            states,
            visits: cfa.locs.ids().map(|_| 0).collect(),
            constants: constants(pool, cfa),
            successors: cfa.successors(),
            predecessors: cfa.predecessors(),
            open: BTreeSet::from([(order.position[cfa.init], cfa.init)]),
            order,
            n_narrowed: 0,
        }
    }

    /// Returns the states at all locations. `stops`: numbers to which growing bounds move on, ascending.
    ///
    /// Cost:      the edges of each loop about fifteen times, those of inner loops as often for each time of the outer one.
    /// Stops:     `cx.interrupt`; the next call goes on.
    /// Soundness: contains each concrete state with which a run comes to the location.
    pub(super) fn states(&mut self, cx: &Ctx<'_>, cfa: &Cfa, stops: &[i128], table: &mut Table) -> Result<&States, Stop> {
        let Fixpoint { states, order, visits, constants, successors, open, .. } = self;
        while !open.is_empty() {
            cx.tick()?;
            let Some((_, loc)) = open.pop_first() else { break };
            let Some(here) = states[loc].clone() else { continue };
            visits[loc] += 1;
            for edge in &successors[loc] {
                let edge = &cfa.edges[*edge];
                let Some(after) = post(&cx.pool, table, &here, &edge.op) else { continue };
                let changed = match &states[edge.target] {
                    None => Some(after),
                    Some(before) if order.is_back(edge.source, edge.target) => match visits[edge.target] {
                        ..PLAIN_VISITS => table.join(before, &after),
                        PLAIN_VISITS..MOST_VISITS => table.widen(before, &after, Some(stops)),
                        MOST_VISITS => widen(table, constants, before, &after),
                        _ => table.widen(before, &after, None),
                    },
                    Some(before) => table.join(before, &after),
                };
                if let Some(changed) = changed {
                    states[edge.target] = Some(changed);
                    open.insert((order.position[edge.target], edge.target));
                }
            }
        }
        self.narrow(cx, cfa, table)?;
        Ok(&self.states)
    }

    /// Computes each state anew from those before it, in several passes.
    fn narrow(&mut self, cx: &Ctx<'_>, cfa: &Cfa, table: &mut Table) -> Result<(), Stop> {
        let n_locs = self.order.forward.len();
        while self.n_narrowed < NARROWINGS * n_locs {
            cx.tick()?;
            let loc = self.order.forward[self.n_narrowed % n_locs];
            self.n_narrowed += 1;
            if loc == cfa.init {
                continue;
            }
            let mut joined: Option<State> = None;
            for edge in &self.predecessors[loc] {
                let edge = &cfa.edges[*edge];
                let Some(before) = &self.states[edge.source] else { continue };
                let Some(after) = post(&cx.pool, table, before, &edge.op) else { continue };
                joined = Some(match joined {
                    None => after,
                    Some(joined) => table.join(&joined, &after).unwrap_or(joined),
                });
            }
            self.states[loc] = joined;
        }
        Ok(())
    }
}

fn start(cfa: &Cfa, table: &mut Table) -> State {
    let mut state = table.any();
    for (var, value) in &cfa.initial {
        table.set(&mut state, *var, Range::of(*value));
    }
    state
}

/// Returns the constants of the program and their neighbours, ascending: bounds are likely to be among them.
pub(super) fn stops(pool: &ExprPool, cfa: &Cfa) -> Vec<i128> {
    let mut roots = Vec::new();
    for edge in cfa.edges.iter() {
        match &edge.op {
            Op::Skip | Op::Havoc(_) => {}
            Op::Assume(e) | Op::Assign(_, e) => roots.push(*e),
            Op::Block(block) => roots.extend(block.updates.iter().map(|(_, e)| *e).chain([block.guard])),
        }
    }
    stops_of(pool, &roots)
}

/// Returns the constants of expressions and their neighbours, ascending.
pub(super) fn stops_of(pool: &ExprPool, roots: &[ExprId]) -> Vec<i128> {
    let mut found = BTreeSet::new();
    pool.visit(roots, |e| {
        if let Expr::Const(value @ Value::BitVec { .. }) = pool.expr(e)
            && let Some(Range::Words(words)) = Range::of(value)
        {
            for n in [words.unsigned.0, words.signed.0] {
                found.extend([n - 1, n, n + 1]);
            }
        }
        true
    });
    let mut all: Vec<i128> = found.into_iter().collect();
    all.sort_by_key(|n| n.unsigned_abs());
    all.truncate(MOST_STOPS);
    all.sort_unstable();
    all
}

/// Order of locations in which sources come before targets, but for edges back to heads of loops.
pub(super) struct Order {
    /// Locations that the start of runs leads to, in this order.
    pub(super) forward: Vec<LocId>,
    /// Place of each location in `forward`; the others come last.
    pub(super) position: IndexVec<LocId, usize>,
}

impl Order {
    /// Returns the reverse post-order from the start of runs.
    pub(super) fn of(cfa: &Cfa) -> Order {
        let successors = cfa.successors();
        let mut seen: IndexVec<LocId, bool> = cfa.locs.ids().map(|_| false).collect();
        let mut forward = Vec::with_capacity(cfa.locs.len());
        let mut way: Vec<(LocId, std::slice::Iter<'_, EdgeId>)> = vec![(cfa.init, successors[cfa.init].iter())];
        seen[cfa.init] = true;
        while let Some((loc, rest)) = way.last_mut() {
            let loc = *loc;
            match rest.next() {
                Some(edge) => {
                    let target = cfa.edges[*edge].target;
                    if !std::mem::replace(&mut seen[target], true) {
                        way.push((target, successors[target].iter()));
                    }
                }
                None => {
                    way.pop();
                    forward.push(loc);
                }
            }
        }
        forward.reverse();
        let mut position: IndexVec<LocId, usize> = cfa.locs.ids().map(|_| usize::MAX).collect();
        forward.iter().enumerate().for_each(|(at, loc)| position[*loc] = at);
        Order { forward, position }
    }

    /// Returns whether an edge between these locations leads back.
    pub(super) fn is_back(&self, source: LocId, target: LocId) -> bool {
        self.position[target] <= self.position[source]
    }
}

/// Returns whether steps of a proof end at a location: the head, and heads of loops.
pub(super) fn is_cut(cfa: &Cfa, loc: LocId) -> bool {
    loc == cfa.head || cfa.locs[loc].kind == LocKind::LoopHead
}
