//! PDR on the bits of the scan step. Predecessors are reduced by justification ([`kernel::smt::bitblast`]); the invariant is
//! lifted to the program's variables ([`ranges`]).

mod proof;
pub(super) mod ranges;
mod steps;

use std::collections::BTreeMap;

use super::generalise::Effort;
use super::search::{Blocked, Search};
use crate::engine::concrete::{self, Run};
use kernel::cfa::LocId;
use kernel::cfa::pass::System;
use kernel::context::exchange::{Cursor, Fact};
use kernel::context::{Ctx, Stop, count, unsupported};
use kernel::expr::{ExprId, ExprPool, VarId};
use kernel::smt::bitblast::{self, Circuit, Parts};
use kernel::verdict::{Trace, Verdict};
use steps::BitSteps;

/// State of the search over bits.
pub struct BitPdr {
    pub(super) system: System,
    search: Search<BitSteps>,
    /// Facts of other engines that restrict the frames, in order of arrival.
    facts: Vec<Fact>,
    read: Cursor,
}

/// Returns the bits of a system. Fails where it has floats.
pub(in crate::engine) fn circuit(pool: &mut ExprPool, system: &System) -> Result<Circuit, Stop> {
    if !supports(pool, system) {
        return Err(unsupported("floats, integers and arrays, for an engine that works on bits"));
    }
    let inputs: Vec<VarId> = system.inputs.iter().map(|input| input.var).collect();
    let parts = Parts { next: &system.next, initial: &system.initial, inputs: &inputs, guard: system.guard, bad: system.bad };
    Ok(Circuit::new(pool, &parts)?)
}

/// Returns whether the system consists of bits.
pub(super) fn supports(pool: &ExprPool, system: &System) -> bool {
    let roots: Vec<ExprId> = system.next.iter().map(|(_, e)| *e).chain([system.guard, system.bad]).collect();
    bitblast::supports(pool, &roots)
}

impl BitPdr {
    pub(super) fn new(cx: &mut Ctx<'_>, system: System, effort: Effort) -> Result<BitPdr, Stop> {
        let circuit = circuit(&mut cx.pool, &system)?;
        let steps = BitSteps::new(cx, circuit);
        let search = Search::new(cx, steps, effort)?;
        Ok(BitPdr { system, search, facts: Vec::new(), read: Cursor::default() })
    }
    /// Adds a frame. Returns the verdict, or `None` if it is not decided yet.
    pub(super) fn advance(&mut self, cx: &mut Ctx<'_>, head: LocId) -> Result<Option<Verdict>, Stop> {
        if self.search.strengthen(cx)? == Blocked::NotAll {
            return Ok(Some(Verdict::Unsafe(self.trace(&cx.pool, head))));
        }
        let frames = &self.search.frames;
        let top = frames.top();
        let n_cubes = frames.from(1).count();
        super::tell(
            cx,
            &self.system,
            top,
            format!("{}, {} of others", count(n_cubes, "clause"), count(self.facts.len(), "fact")),
        );
        // Seldom, as it costs as much as a frame.
        if (top + 1).is_power_of_two() && 0 < n_cubes {
            proof::publish(cx, self)?;
        }
        self.listen(cx)?;
        self.search.frames.push(cx)?;
        match self.search.propagate(cx)? {
            Some(level) => proof::verdict(cx, self, level).map(Some),
            None => Ok(None),
        }
    }
    /// Returns the run that begins with the last obligation.
    fn trace(&self, pool: &ExprPool, head: LocId) -> Trace {
        let circuit = &self.search.frames.steps.circuit;
        let mut run = Run::default();
        if let Some(first) = self.search.way().next() {
            let value = |i: usize| first.cube.iter().any(|l| l.latch() == i && l.value());
            let bits = circuit.latches.iter().map(|latch| (latch.var, latch.bit));
            run.start = Circuit::words(pool, bits, value);
        }
        for obligation in self.search.way() {
            let bits = circuit.inputs.iter().map(|input| (input.var, input.bit));
            run.steps.push(Circuit::words(pool, bits, |i| obligation.inputs.get(i)));
        }
        concrete::trace(pool, &self.system, head, &run)
    }
    /// Reads the lemmas of other engines.
    pub(super) fn listen(&mut self, cx: &mut Ctx<'_>) -> Result<(), Stop> {
        if !cx.board.clone().has_news(self.read) {
            return Ok(());
        }
        let news = cx.board.clone().news(&mut cx.pool, &mut self.read);
        for fact in &news {
            let e = match (self.system.pc, self.system.cuts.iter().find(|(loc, _)| *loc == fact.at)) {
                (None, Some(_)) => fact.e,
                (Some(pc), Some((_, place))) => {
                    let (pc, place) = (cx.pool.var(pc), cx.pool.constant(*place));
                    let here = cx.pool.eq(pc, place);
                    cx.pool.implies(here, fact.e)
                }
                (_, None) => continue,
            };
            let steps = &mut self.search.frames.steps;
            if let Some(gate) = steps.circuit.fact(&cx.pool, e)? {
                steps.fact(gate);
            }
        }
        self.facts.extend(news);
        Ok(())
    }
}

/// Returns facts by cut point.
fn by_cut(facts: &[Fact]) -> BTreeMap<LocId, Vec<ExprId>> {
    let mut map: BTreeMap<LocId, Vec<ExprId>> = BTreeMap::new();
    for fact in facts {
        map.entry(fact.at).or_default().push(fact.e);
    }
    map
}
