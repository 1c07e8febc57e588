//! Property-directed reachability (IC3) on the bits of the scan step.
//!
//! States that lead to a violation are blocked one by one, each with a clause that is inductive relative to what is known
//! of the states before; frames of clauses grow until one of them is an invariant. Predecessors are reduced by justification
//! ([`crate::smt::bitblast`]); facts of other engines restrict every frame. The invariant is lifted to the program's variables
//! ([`words`]) and certified like any other.
//!
//! Source: Bradley, "SAT-based model checking without unrolling", VMCAI 2011, doi:10.1007/978-3-642-18275-4_7; Eén, Mishchenko,
//! Brayton, "Efficient implementation of property directed reachability", FMCAD 2011.

mod frames;
mod generalise;
mod proof;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use super::concrete::{self, Run};
use super::exchange::{Cursor, Fact};
use super::{Ctx, Engine, EngineInfo, OptionInfo, Progress, Stop, Values};
use crate::cfa::pass::{System, monolithic};
use crate::cfa::{Cfa, LocId};
use crate::expr::{ExprPool, VarId};
use crate::smt::bitblast::{self, Bits, Circuit, Parts};
use crate::verdict::Verdict;
use frames::{Cube, Entered, Frames};
use generalise::{Activity, Effort, generalise};

/// How to build one.
pub const INFO: EngineInfo = EngineInfo {
    name: "pdr",
    title: "Property-directed reachability (IC3) on bits",
    source: "Bradley, SAT-based model checking without unrolling, VMCAI 2011; \
             Eén, Mishchenko, Brayton, Efficient implementation of property directed reachability, FMCAD 2011",
    options: &[OptionInfo {
        name: "ctg",
        values: Values::Number { low: 0, high: 100, words: &[] },
        default: "3",
        help: "States in the way of a generalisation that are blocked themselves, per literal; 0 for none.",
    }],
    build: |settings, _| {
        let blocked = settings.number("ctg").unwrap_or_default() as usize;
        Ok(Box::new(Pdr::new(Effort { blocked, depth: usize::from(0 < blocked) })))
    },
};

/// The engine. One value decides one CFA: when it was stopped by its deadline, the next `run` goes on where it was.
pub struct Pdr {
    effort: Effort,
    progress: Option<State>,
}

/// How far it is.
struct State {
    system: System,
    circuit: Circuit,
    frames: Frames,
    activity: Activity,
    obligations: Vec<Obligation>,
    /// Open ones: the level to block at, and which.
    open: BTreeSet<(usize, usize)>,
    /// Facts of others that restrict the frames, as they came.
    facts: Vec<Fact>,
    read: Cursor,
}

/// States from which a violation is reached by known inputs.
struct Obligation {
    cube: Cube,
    inputs: Bits,
    /// What the step leads into; none for the violation itself.
    then: Option<usize>,
}

impl Engine for Pdr {
    /// Cost:      not bounded by anything useful; each question is one step.
    /// Soundness: `Safe` is an inductive invariant, `Unsafe` a run; both are checked by others.
    fn run(&mut self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<Verdict, Stop> {
        let mut state = match self.progress.take() {
            Some(state) => state,
            None => State::new(cx, cfa)?,
        };
        let result = self.search(cx, cfa, &mut state);
        if let Err(Stop::Reason(_)) = result {
            self.progress = Some(state);
        }
        result
    }
}

impl State {
    fn new(cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<State, Stop> {
        let system = monolithic(&mut cx.pool, cfa);
        let circuit = circuit(&mut cx.pool, &system)?;
        Ok(State {
            frames: Frames::new(cx, &circuit),
            activity: Activity::new(&circuit),
            circuit,
            system,
            obligations: Vec::new(),
            open: BTreeSet::new(),
            facts: Vec::new(),
            read: Cursor::default(),
        })
    }
    fn oblige(&mut self, level: usize, obligation: Obligation) {
        self.open.insert((level, self.obligations.len()));
        self.obligations.push(obligation);
    }
    /// The run that begins with the last obligation.
    fn trace(&self, pool: &ExprPool, head: LocId) -> Verdict {
        let mut run = Run::default();
        let mut at = self.obligations.last();
        if let Some(first) = at {
            let value = |i: usize| first.cube.iter().any(|l| l.latch() == i && l.value());
            let bits = self.circuit.latches.iter().map(|latch| (latch.var, latch.bit));
            run.start = Circuit::words(pool, bits, value);
        }
        while let Some(obligation) = at {
            let bits = self.circuit.inputs.iter().map(|input| (input.var, input.bit));
            run.steps.push(Circuit::words(pool, bits, |i| obligation.inputs.get(i)));
            at = obligation.then.and_then(|then| self.obligations.get(then));
        }
        Verdict::Unsafe(concrete::trace(pool, &self.system, head, &run))
    }
    /// Reads what others have proved.
    fn listen(&mut self, cx: &mut Ctx<'_>) -> Result<(), Stop> {
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
            if let Some(gate) = self.circuit.fact(&cx.pool, e)? {
                self.frames.fact(&self.circuit, gate);
            }
        }
        self.facts.extend(news);
        Ok(())
    }
}

/// The bits of a system. Fails where it has floats.
pub(super) fn circuit(pool: &mut ExprPool, system: &System) -> Result<Circuit, Stop> {
    let roots: Vec<_> = system.next.iter().map(|(_, e)| *e).chain([system.guard, system.bad]).collect();
    if !bitblast::supports(pool, &roots) {
        return Err(super::unsupported("floats, integers and arrays, for an engine that works on bits"));
    }
    let inputs: Vec<VarId> = system.inputs.iter().map(|input| input.var).collect();
    let parts = Parts { next: &system.next, initial: &system.initial, inputs: &inputs, guard: system.guard, bad: system.bad };
    Ok(Circuit::new(pool, &parts)?)
}

impl Pdr {
    fn new(effort: Effort) -> Pdr {
        Pdr { effort, progress: None }
    }

    fn search(&self, cx: &mut Ctx<'_>, cfa: &Cfa, state: &mut State) -> Result<Verdict, Stop> {
        let head = cfa.locs[cfa.head].origin;
        loop {
            let top = state.frames.top();
            if !self.block_all(cx, state)? {
                return Ok(state.trace(&cx.pool, head));
            }
            if let Some(way) = state.frames.bad(cx, &state.circuit, top)? {
                let at_start = top == 0 || state.circuit.meets_start(&way.from);
                state.oblige(top, Obligation { cube: way.from, inputs: way.inputs, then: None });
                if at_start {
                    return Ok(state.trace(&cx.pool, head));
                }
                continue;
            }
            // Nothing of this level leads to a violation: steps 1 to top + 1 have none.
            state.obligations.clear();
            let n_cubes = state.frames.from(1).count();
            let safe_cycles = state.system.pc.is_none().then_some(top as u32 + 1);
            cx.board.safe(safe_cycles.unwrap_or_default());
            let text = format!("{} frames, {n_cubes} clauses, {} facts of others", top + 1, state.facts.len());
            (cx.events)(Progress { engine: INFO.name, safe_cycles, text });
            // Seldom, as it costs as much as a frame.
            if (top + 1).is_power_of_two() && 0 < n_cubes {
                proof::publish(cx, state)?;
            }
            state.listen(cx)?;
            state.frames.push(&state.circuit);
            if let Some(level) = propagate(cx, state)? {
                return proof::verdict(cx, state, level);
            }
        }
    }

    /// Blocks what is open. `false`: the last obligation holds an initial state.
    fn block_all(&self, cx: &Ctx<'_>, state: &mut State) -> Result<bool, Stop> {
        let State { circuit, frames, activity, obligations, open, .. } = state;
        // An obligation leaves the queue when it is dealt with: a stopped question is asked again.
        while let Some(&(level, which)) = open.first() {
            let cube = &obligations[which].cube;
            let top = frames.top();
            if frames.is_blocked(level, cube) {
                open.remove(&(level, which));
                if level < top {
                    open.insert((level + 1, which));
                }
                continue;
            }
            match frames.enter(cx, circuit, level - 1, cube)? {
                Entered::From(way) => {
                    let at_start = level == 1 || circuit.meets_start(&way.from);
                    if !at_start {
                        open.insert((level - 1, obligations.len()));
                    }
                    obligations.push(Obligation { cube: way.from, inputs: way.inputs, then: Some(which) });
                    if at_start {
                        return Ok(false);
                    }
                }
                Entered::Never(core) => {
                    let mut general = generalise(cx, circuit, frames, activity, (level - 1, core), self.effort)?;
                    let mut at = level;
                    while at < top
                        && let Entered::Never(core) = frames.enter(cx, circuit, at, &general)?
                    {
                        general = core;
                        at += 1;
                    }
                    activity.bump(&general);
                    frames.block(circuit, at, general);
                    open.remove(&(level, which));
                    if at < top {
                        open.insert((at + 1, which));
                    }
                }
            }
        }
        Ok(true)
    }
}

/// Moves cubes up where they cannot be entered one step later either. The level below which nothing is left, if there is one.
fn propagate(cx: &Ctx<'_>, state: &mut State) -> Result<Option<usize>, Stop> {
    let State { circuit, frames, .. } = state;
    for level in 1..frames.top() {
        let mut cubes = frames.take(level);
        cubes.sort_by_key(Vec::len);
        let mut cubes = cubes.into_iter();
        while let Some(cube) = cubes.next() {
            if frames.is_blocked(level + 1, &cube) {
                continue;
            }
            match frames.enter(cx, circuit, level, &cube) {
                Ok(Entered::Never(core)) => frames.block(circuit, level + 1, core),
                Ok(Entered::From(_)) => frames.put(level, cube),
                Err(stop) => {
                    frames.put(level, cube);
                    cubes.for_each(|cube| frames.put(level, cube));
                    return Err(stop);
                }
            }
        }
        if frames.cubes(level).is_empty() {
            return Ok(Some(level));
        }
    }
    Ok(None)
}

/// Facts by cut point.
fn by_cut(facts: &[Fact]) -> BTreeMap<LocId, Vec<crate::expr::ExprId>> {
    let mut map: BTreeMap<LocId, Vec<crate::expr::ExprId>> = BTreeMap::new();
    for fact in facts {
        map.entry(fact.at).or_default().push(fact.e);
    }
    map
}
