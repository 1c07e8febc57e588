//! Interval analysis: bounds of all variables, and orders between them, at each location; proves what follows from them.
//!
//! Its cost is linear in the program, where engines that know bits count gates: sums, maxima and limits of hundreds of values. It
//! proves by the bounds of each location, so that certification asks one small question for each piece of a long cycle.
//!
//! `range` and `arithmetic`: intervals; `orders`: pairs of variables; `state`: both for all variables; `evaluate`, `assume`, `post`:
//! expressions, conditions, operations; `fixpoint`: all locations; `constants`: bounds of steps and modes; `peel`: rounds of loops apart;
//! `split`: values of a flag apart; `places`: where the proof states bounds.
//!
//! Source: Cousot, Cousot, "Abstract interpretation: a unified lattice model for static analysis of programs by construction or
//! approximation of fixpoints", POPL 1977, doi:10.1145/512950.512973.

mod arithmetic;
mod assume;
mod constants;
mod evaluate;
mod fixpoint;
mod orders;
mod peel;
mod places;
mod post;
mod range;
mod split;
mod state;

use std::collections::{BTreeMap, BTreeSet};

use self::fixpoint::{Fixpoint, Order, is_cut, stops};
use self::range::{Range, Reading, Words};
use self::state::{State, Table};
use super::{Algorithm, EngineInfo, Resumable};
use kernel::cfa::pass::Encoding;
use kernel::cfa::{Cfa, LocId};
use kernel::context::{Ctx, Progress, Stop, count};
use kernel::expr::{BvCmp, ExprId, ExprPool, Value, VarId};
use kernel::verdict::{Argument, Proof, Reason, Verdict};
use plc_frontend::ids::IndexVec;

/// Row of the engines' table.
pub const INFO: EngineInfo = EngineInfo {
    name: "intervals",
    title: "Interval analysis (bounds and orders of variables; finds no violations)",
    source: "Cousot, Cousot, Abstract interpretation, POPL 1977; Logozzo, Fähndrich, Pentagons, SAC 2008",
    options: &[],
    absent: &[],
    encoding: Encoding::Plain,
    build: |_, _| Ok(Box::new(Resumable::new(Intervals))),
};

/// The engine. It goes on after a deadline.
struct Intervals;

/// State of a run: analyses, one after the other, until one decides.
struct Analyses {
    /// The automaton with sharper guards.
    cfa: Cfa,
    current: Analysis,
    /// Analyses that come later, the next one last.
    later: Vec<Attempt>,
}

/// Kind of an analysis.
#[derive(Clone, Copy)]
enum Attempt {
    Plain,
    /// With copies of the rounds of loops.
    Rounds,
    /// With copies of the values of a flag.
    Flag(VarId),
}

/// Analysis of the automaton, or of one with the same runs.
struct Analysis {
    /// `None`: the automaton itself.
    other: Option<Cfa>,
    /// Copies of each location of the automaton, if `other` has any.
    copies: Option<IndexVec<LocId, Vec<LocId>>>,
    /// Numbers to which growing bounds move on, ascending.
    stops: Vec<i128>,
    table: Table,
    fixpoint: Fixpoint,
}

impl Analysis {
    /// Begins an analysis of this kind; `None` where there is nothing to copy.
    fn new(pool: &mut ExprPool, cfa: &Cfa, attempt: Attempt) -> Option<Analysis> {
        let (other, copies) = match attempt {
            Attempt::Plain => (None, None),
            Attempt::Rounds => (Some(peel::peeled(cfa)?), None),
            Attempt::Flag(flag) => {
                let split = split::split(pool, cfa, flag);
                (Some(split.cfa), Some(split.copies))
            }
        };
        let stops = match attempt {
            Attempt::Plain | Attempt::Rounds => stops(pool, cfa),
            Attempt::Flag(flag) => split::stops(pool, cfa, flag),
        };
        let mut table = Table::new(&cfa.vars);
        let fixpoint = Fixpoint::new(pool, other.as_ref().unwrap_or(cfa), &mut table);
        Some(Analysis { other, copies, stops, table, fixpoint })
    }
}

impl Algorithm for Intervals {
    type State = Analyses;

    fn begin(&self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<Analyses, Stop> {
        let cfa = split::sharpened(&mut cx.pool, cfa);
        let flags = split::flags(&cx.pool, &cfa).into_iter().map(Attempt::Flag);
        let later = flags.rev().chain([Attempt::Rounds]).collect();
        let current = Analysis::new(&mut cx.pool, &cfa, Attempt::Plain).ok_or(Stop::Reason(Reason::NoProgress))?;
        Ok(Analyses { cfa, current, later })
    }

    /// Decides by bounds and orders alone; if that fails, with copies of the rounds of loops, then of values of flags.
    ///
    /// Cost:      see [`Fixpoint::states`].
    /// Soundness: never `Unsafe`. The proof still has to be certified.
    fn search(&mut self, cx: &mut Ctx<'_>, _: &Cfa, state: &mut Analyses) -> Result<Verdict, Stop> {
        let Analyses { cfa, current, later } = state;
        let invariants = loop {
            let invariants = proof(cx, cfa, current)?;
            let mut next = || std::iter::from_fn(|| later.pop()).find_map(|next| Analysis::new(&mut cx.pool, cfa, next));
            match if invariants.is_some() { None } else { next() } {
                Some(next) => *current = next,
                None => break invariants,
            }
        };
        let text = match &invariants {
            Some(invariants) => format!("bounds at {}", count(invariants.len(), "location")),
            None => "the bounds of variables do not decide it".to_owned(),
        };
        (cx.events)(Progress { engine: INFO.name, safe_cycles: None, text });
        Ok(match invariants {
            Some(invariants) => Verdict::Safe(Proof { pool: cx.pool.clone(), argument: Argument::Inductive(invariants) }),
            None => Verdict::Unknown(Reason::NoProgress),
        })
    }
}

/// Returns invariants by place, as in the unreduced automaton, which no run to the error location satisfies.
fn proof(cx: &mut Ctx<'_>, cfa: &Cfa, analysis: &mut Analysis) -> Result<Option<BTreeMap<LocId, ExprId>>, Stop> {
    let Analysis { other, copies: copies_of, stops, table, fixpoint } = analysis;
    let analysed = other.as_ref().unwrap_or(cfa);
    // With copies of flags, places are those of the automaton.
    let named = if copies_of.is_some() { cfa } else { analysed };
    let states = fixpoint.states(cx, analysed, stops, table)?;
    if states[analysed.error].is_some() {
        return Ok(None);
    }
    let mut invariants = BTreeMap::new();
    for (origin, mut copies) in stated(&cx.pool, named, &Order::of(named)) {
        if let Some(copies_of) = copies_of {
            copies = copies.into_iter().flat_map(|loc| copies_of[loc].iter().copied()).collect();
        }
        let reached: Vec<&State> = copies.into_iter().filter_map(|loc| states[loc].as_ref()).collect();
        let invariant = match reached.as_slice() {
            [] => Some(cx.pool.bool(false)),
            [state] => Some(told(&mut cx.pool, table, state)),
            rounds => told_by_round(&mut cx.pool, table, rounds),
        };
        let Some(invariant) = invariant else { return Ok(None) };
        invariants.insert(origin, invariant);
    }
    Ok(Some(invariants))
}

/// Returns the locations at which a proof states something: cut points, and places of the cycle; copies by their origin. From a
/// location without edges no run comes to the error location, so steps to it were left out, and nothing is said about it.
fn stated(pool: &ExprPool, cfa: &Cfa, order: &Order) -> BTreeMap<LocId, Vec<LocId>> {
    let (successors, mut n_copies) = (cfa.successors(), BTreeMap::<LocId, usize>::new());
    cfa.locs.iter().for_each(|loc| *n_copies.entry(loc.origin).or_default() += 1);
    let heads = cfa.edges.iter().filter(|edge| order.is_back(edge.source, edge.target)).map(|edge| edge.target);
    let cuts = cfa.locs.ids().filter(|loc| is_cut(cfa, *loc)).chain(heads).filter(|loc| !successors[*loc].is_empty());
    let places = places::places(pool, cfa, order).into_iter().filter(|loc| n_copies.get(&cfa.locs[*loc].origin) == Some(&1));
    let mut stated: BTreeMap<LocId, Vec<LocId>> = BTreeMap::new();
    for loc in cuts.chain(places) {
        let copies = stated.entry(cfa.locs[loc].origin).or_default();
        if !copies.contains(&loc) {
            copies.push(loc);
        }
    }
    stated
}

fn told(pool: &mut ExprPool, table: &Table, state: &State) -> ExprId {
    let mut facts = Vec::new();
    for (var, range) in table.known(state) {
        bounds(pool, var, range, &mut facts);
    }
    orders(pool, state, &mut facts);
    super::houdini::conjunction(pool, &facts)
}

/// Returns what is known in one of several rounds of a loop; `None` if no variable has another value in each of them.
fn told_by_round(pool: &mut ExprPool, table: &mut Table, rounds: &[&State]) -> Option<ExprId> {
    let (first, others) = rounds.split_first()?;
    let mut of_all = (*first).clone();
    for round in others {
        of_all = table.join(&of_all, round).unwrap_or(of_all);
    }
    let number = |var: VarId| -> Option<Vec<Value>> {
        let values: Vec<Value> = rounds.iter().filter_map(|round| table.get(round, var)?.value()).collect();
        let distinct: BTreeSet<Value> = values.iter().copied().collect();
        (distinct.len() == rounds.len()).then_some(values)
    };
    let (counter, values) = table.known(first).find_map(|(var, _)| Some((var, number(var)?)))?;
    let (mut facts, mut rounds_of) = (vec![told(pool, table, &of_all)], Vec::with_capacity(rounds.len()));
    for (round, value) in rounds.iter().zip(values) {
        let mut own = Vec::new();
        for (var, range) in table.known(round) {
            if var != counter && table.get(&of_all, var) != Some(range) {
                bounds(pool, var, range, &mut own);
            }
        }
        if of_all.orders != round.orders {
            orders(pool, round, &mut own);
        }
        let (counter, value) = (pool.var(counter), pool.constant(value));
        let here = pool.eq(counter, value);
        facts.extend(own.into_iter().map(|fact| pool.implies(here, fact)));
        rounds_of.push(here);
    }
    // A counter in steps of 2 has no odd values: about these the facts of the rounds say nothing.
    let elsewhere: Vec<ExprId> = rounds_of.iter().map(|here| pool.not(*here)).collect();
    let elsewhere = super::houdini::conjunction(pool, &elsewhere);
    facts.push(pool.not(elsewhere));
    Some(super::houdini::conjunction(pool, &facts))
}

fn orders(pool: &mut ExprPool, state: &State, facts: &mut Vec<ExprId>) {
    for (reading, low, high) in state.orders.iter() {
        let (low, high) = (pool.var(low), pool.var(high));
        facts.push(pool.bv_cmp(at_most(reading), low, high));
    }
}

fn at_most(reading: Reading) -> BvCmp {
    match reading {
        Reading::Unsigned => BvCmp::Ule,
        Reading::Signed => BvCmp::Sle,
    }
}

/// Adds the bounds of a variable that do not follow from each other.
fn bounds(pool: &mut ExprPool, var: VarId, range: Range, facts: &mut Vec<ExprId>) {
    let e = pool.var(var);
    if let Some(value) = range.value() {
        let value = pool.constant(value);
        facts.push(pool.eq(e, value));
        return;
    }
    let Range::Words(words) = range else { return };
    let mut left = Words::all(words.width);
    for reading in [Reading::Signed, Reading::Unsigned] {
        let ((low, high), (least, most)) = (words.of(reading), left.of(reading));
        let bound = |pool: &mut ExprPool, n: i128| pool.constant(Value::int(words.width, n));
        if least < low {
            let low = bound(pool, low);
            facts.push(pool.bv_cmp(at_most(reading), low, e));
        }
        if high < most {
            let high = bound(pool, high);
            facts.push(pool.bv_cmp(at_most(reading), e, high));
        }
        left = left.limited(reading, (low, high)).unwrap_or(left);
    }
}

#[cfg(test)]
mod tests;
