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

use self::fixpoint::{Order, fixpoint, is_cut, stops};
use self::range::{Range, Reading, Words};
use self::state::{State, Table};
use super::{Engine, EngineInfo};
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
    build: |_, _| Ok(Box::new(Intervals)),
};

/// The engine. It begins anew after a deadline.
struct Intervals;

impl Engine for Intervals {
    /// Decides by bounds and orders alone; if that fails, with copies of the rounds of loops, then of values of flags.
    ///
    /// Cost:      see [`fixpoint`].
    /// Soundness: never `Unsafe`. The proof still has to be certified.
    fn run(&mut self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<Verdict, Stop> {
        let cfa = &split::sharpened(&mut cx.pool, cfa);
        let stops = stops(&cx.pool, cfa);
        let mut invariants = proof(cx, cfa, Analysed { cfa, copies: None, stops: &stops })?;
        if invariants.is_none()
            && let Some(peeled) = &peel::peeled(cfa)
        {
            invariants = proof(cx, peeled, Analysed { cfa: peeled, copies: None, stops: &stops })?;
        }
        for flag in split::flags(&cx.pool, cfa) {
            if invariants.is_some() {
                break;
            }
            let (stops, split) = (split::stops(&cx.pool, cfa, flag), split::split(&mut cx.pool, cfa, flag));
            invariants = proof(cx, cfa, Analysed { cfa: &split.cfa, copies: Some(&split.copies), stops: &stops })?;
        }
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

/// Subject of an analysis.
struct Analysed<'a> {
    /// The automaton, or one with the same runs.
    cfa: &'a Cfa,
    /// Its copies of each location of the automaton, if it has any.
    copies: Option<&'a IndexVec<LocId, Vec<LocId>>>,
    /// Numbers to which growing bounds move on, ascending.
    stops: &'a [i128],
}

/// Returns invariants by place, as in the unreduced automaton, which no run to the error location satisfies.
fn proof(cx: &mut Ctx<'_>, cfa: &Cfa, analysed: Analysed<'_>) -> Result<Option<BTreeMap<LocId, ExprId>>, Stop> {
    let mut table = Table::new(&cfa.vars);
    let states = fixpoint(cx, analysed.cfa, &Order::of(analysed.cfa), analysed.stops, &mut table)?;
    if states[cfa.error].is_some() {
        return Ok(None);
    }
    let mut invariants = BTreeMap::new();
    for (origin, mut copies) in stated(&cx.pool, cfa, &Order::of(cfa)) {
        if let Some(copies_of) = analysed.copies {
            copies = copies.into_iter().flat_map(|loc| copies_of[loc].iter().copied()).collect();
        }
        let reached: Vec<&State> = copies.into_iter().filter_map(|loc| states[loc].as_ref()).collect();
        let invariant = match reached.as_slice() {
            [] => Some(cx.pool.bool(false)),
            [state] => Some(told(&mut cx.pool, &table, state)),
            rounds => told_by_round(&mut cx.pool, &mut table, rounds),
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
