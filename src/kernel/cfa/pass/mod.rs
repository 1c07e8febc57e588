//! Reductions: smaller automata with the same answer, and the lifting of proofs.
//!
//! A trace needs no lifting: `VarId`s persist, and inputs that a reduction removed may have any value. A proof over a
//! reduced CFA becomes one over the unreduced by [`Lift`]. One pass per file; [`PIPELINE`] is their order.

mod carried;
mod cone;
mod constant_values;
mod constants;
mod cut_points;
mod dead;
mod graph;
mod joins;
mod lbe;
mod monolithic;
mod postdom;
mod skip;

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::source::Span;

use super::automaton::{Cfa, LocId, LocKind, Op};
use super::compose::exclusive::exclusive;
use crate::expr::{ExprId, ExprPool, VarId};
pub use cut_points::cut_points;
pub use monolithic::{System, monolithic};

/// A reduction.
pub struct Pass {
    /// Its name in logs and options.
    pub name: &'static str,
    /// Its effect, on one line.
    pub title: &'static str,
    run: fn(&mut ExprPool, &Cfa, &mut Lift) -> Cfa,
}

/// All reductions in their order. Single-block encoding leaves out the last one.
pub const PIPELINE: &[Pass] = &[
    // First, while the initial values of all variables are known: it decides branches for later passes to remove.
    Pass { name: "constants", title: "variables that keep one value become constants", run: constants::run },
    // Before the cone: edges that lead nowhere are no reason to keep a variable.
    Pass { name: "dead", title: "edges that no run to the error location takes go", run: dead::run },
    Pass { name: "cone", title: "variables that cannot influence the error location go", run: cone::run },
    Pass { name: "skip", title: "steps that do nothing are merged", run: skip::run },
    // Last: it needs every location between cut points to be worth its composition.
    Pass { name: "lbe", title: "each loop-free piece becomes one block (large-block encoding)", run: lbe::run },
];

/// Reductions that only leave out operations.
const PLAIN: [&str; 3] = ["dead", "cone", "skip"];

/// Part of the program that one edge covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    /// One operation per edge, of which only those that cannot matter are left out. Proofs may state what holds at any location.
    Plain,
    /// Single-block encoding: one operation per edge.
    Sbe,
    /// Large-block encoding: one block between two cut points.
    Lbe,
    /// One operation per edge, and a location before and after each call: blocks that are composed during the search may end there.
    SbeWithCalls,
    /// Large blocks that also end before and after each call.
    LbeWithCalls,
}

/// A reduced automaton.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The pool of the unreduced one, grown.
    pub pool: ExprPool,
    /// The automaton.
    pub cfa: Cfa,
    /// Lifting of proofs to the unreduced automaton.
    pub lift: Lift,
}

/// Facts that a proof over a reduced CFA needs over the unreduced one. Locations are those of the unreduced CFA.
#[derive(Clone, Debug, Default)]
pub struct Lift {
    /// Facts that hold at a cut point in every run; those of all cut points together are inductive.
    pub facts: BTreeMap<LocId, Vec<ExprId>>,
    /// Cut points that no run reaches.
    pub unreachable: BTreeSet<LocId>,
    /// The cut points of the unreduced CFA: its head, its loop heads, and the places of summaries.
    pub cuts: BTreeSet<LocId>,
    /// The operations are those of the unreduced CFA, so that proofs need no further facts at other locations.
    pub is_plain: bool,
}

/// Runs the pipeline.
///
/// Soundness: the result reaches its error location iff `cfa` does, in the same cycles by the same inputs.
pub fn reduce(pool: &ExprPool, cfa: &Cfa, encoding: Encoding) -> Reduced {
    let cuts = cfa.locs.iter_enumerated().filter(|(id, loc)| *id == cfa.head || loc.kind == LocKind::LoopHead);
    let summarised = cfa.recursion.iter().flat_map(|calls| calls.places());
    let lift = Lift { cuts: cuts.map(|(_, loc)| loc.origin).chain(summarised).collect(), ..Lift::default() };
    let mut reduced = Reduced { pool: pool.clone(), cfa: cfa.clone(), lift };
    let (has_blocks, has_calls) = match encoding {
        Encoding::Plain | Encoding::Sbe => (false, false),
        Encoding::Lbe => (true, false),
        Encoding::SbeWithCalls => (false, true),
        Encoding::LbeWithCalls => (true, true),
    };
    // Locations of calls that are not marked are like others, which reductions may merge.
    let kind = if has_calls { LocKind::Cut } else { LocKind::Inner };
    reduced.cfa.locs.iter_mut().filter(|loc| loc.kind == LocKind::Call).for_each(|loc| loc.kind = kind);
    reduced.lift.is_plain = encoding == Encoding::Plain;
    let is_wanted = |pass: &&Pass| match encoding {
        Encoding::Plain => PLAIN.contains(&pass.name),
        Encoding::Sbe | Encoding::Lbe | Encoding::SbeWithCalls | Encoding::LbeWithCalls => pass.name != "lbe" || has_blocks,
    };
    for pass in PIPELINE.iter().filter(is_wanted) {
        reduced.cfa = (pass.run)(&mut reduced.pool, &reduced.cfa, &mut reduced.lift);
    }
    reduced
}

/// Returns the large blocks of a CFA, without other reductions, for users who trust as little as possible.
///
/// Soundness: the result reaches its error location iff `cfa` does, in the same cycles by the same inputs.
pub fn blocks(pool: &mut ExprPool, cfa: &Cfa) -> Cfa {
    lbe::run(pool, cfa, &mut Lift::default())
}

/// Returns whether the form of these conditions shows that at most one can hold at a time.
pub fn exclude_each_other(pool: &mut ExprPool, conditions: &[ExprId]) -> bool {
    exclusive(pool, conditions)
}

/// Cone of influence of the error location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Places in the text of the steps that can influence whether it is reached.
    pub spans: BTreeSet<Span>,
    /// Variables that can influence it.
    pub vars: BTreeSet<VarId>,
    /// Those among them whose value at the beginning of a cycle can influence it.
    pub carried: BTreeSet<VarId>,
}

/// Computes the cone of influence by slicing. Values that are known to be constant count too.
///
/// Cost:      two passes over the automaton, and one more for every 64 variables.
/// Soundness: a step or a variable outside of the result cannot decide whether the error location is reached.
pub fn dependencies(pool: &ExprPool, cfa: &Cfa) -> Dependencies {
    let (mut pool, mut lift) = (pool.clone(), Lift::default());
    let alive = dead::run(&mut pool, cfa, &mut lift);
    let sliced = cone::run(&mut pool, &alive, &mut lift);
    let steps = sliced.edges.iter().filter(|edge| edge.op != Op::Skip);
    let spans = steps.filter_map(|edge| edge.span).collect();
    Dependencies { spans, vars: super::model::mentioned(&pool, &sliced), carried: carried::carried(&pool, &sliced) }
}

/// Returns the locations of a CFA, by origin, that constant propagation cannot exclude from all runs.
pub fn may_reach(pool: &ExprPool, cfa: &Cfa) -> BTreeSet<LocId> {
    let seen = constants::run(&mut pool.clone(), cfa, &mut Lift::default());
    let entered = seen.edges.iter().map(|edge| seen.locs[edge.target].origin);
    entered.chain([cfa.locs[cfa.init].origin]).collect()
}

impl Lift {
    /// Returns an inductive invariant of the reduced CFA, given per location of the unreduced one, as one of the unreduced CFA.
    pub fn invariants(&self, pool: &mut ExprPool, given: &BTreeMap<LocId, ExprId>) -> BTreeMap<LocId, ExprId> {
        if self.is_plain {
            return given.clone();
        }
        let mut lifted = BTreeMap::new();
        for loc in &self.cuts {
            let own = match (self.unreachable.contains(loc), given.get(loc)) {
                (true, _) => pool.bool(false),
                (false, Some(own)) => *own,
                (false, None) => pool.bool(true),
            };
            let facts = self.facts.get(loc).into_iter().flatten().copied();
            let all = pool.and_all(facts.chain([own]));
            lifted.insert(*loc, all);
        }
        lifted
    }
}
