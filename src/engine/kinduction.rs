//! k-induction with auxiliary invariants: k good cycles from anywhere the invariants allow, and the next is good too.
//!
//! Source: Sheeran, Singh, Stålmarck, "Checking safety properties using induction and a SAT-solver", FMCAD 2000,
//! doi:10.1007/3-540-40922-X_8 (Algorithm 3, without uniqueness of states).

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::houdini::{self, HoudiniOptions};
use super::unroll::{Answer, Start, Unrolling};
use super::{Ctx, Engine, EngineInfo, MakeSolver, OptionInfo, Progress, Stop, Values};
use crate::cfa::Cfa;
use crate::cfa::pass::{System, monolithic};
use crate::expr::ExprId;
use crate::smt::{Frame, Interrupt};
use crate::verdict::{Argument, Proof, Reason, Verdict};

/// Where auxiliary invariants come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Auxiliary {
    /// None.
    Off,
    /// Guessed from a simulation and proved together ([`super::houdini`]).
    Houdini,
}

/// The engine. One value decides one CFA: when it was stopped by its deadline, the next `run` goes on where it was.
pub struct KInduction {
    /// Largest k; `None` for no bound.
    bound: Option<u32>,
    auxiliary: Auxiliary,
    solvers: MakeSolver,
    progress: Option<State>,
}

/// How far it is.
struct State {
    system: System,
    base: Unrolling,
    step: Unrolling,
    /// Inductive together.
    facts: Vec<ExprId>,
    invariant: ExprId,
    /// Cycles 1 to this are good.
    n_good: u32,
}

/// How to build one.
pub const INFO: EngineInfo = EngineInfo {
    name: "k-induction",
    title: "k-induction with auxiliary invariants",
    source: "Sheeran, Singh, Stålmarck, Checking safety properties using induction and a SAT-solver, FMCAD 2000; \
             Flanagan, Leino, Houdini, FME 2001",
    options: &[
        OptionInfo {
            name: "k",
            values: Values::Number { low: 1, high: 1_000_000, words: &["none"] },
            default: "none",
            help: "Largest k to try.",
        },
        OptionInfo {
            name: "auxiliary",
            values: Values::OneOf(&["houdini", "off"]),
            default: "houdini",
            help: "Invariants that help the induction: guessed from a simulation and proved together, or none.",
        },
    ],
    build: |settings, solvers| {
        let auxiliary = if settings.word("auxiliary") == "off" { Auxiliary::Off } else { Auxiliary::Houdini };
        Ok(Box::new(KInduction::new(settings.number("k"), auxiliary, solvers.clone())))
    },
};

impl Engine for KInduction {
    /// Cost:      two checks per k; the invariants' once.
    /// Soundness: `Safe` carries its k and the invariants, which are inductive on their own.
    fn run(&mut self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<Verdict, Stop> {
        let mut state = match self.progress.take() {
            Some(state) => state,
            None => self.begin(cx, cfa)?,
        };
        let result = self.search(cx, cfa, &mut state);
        if let Err(Stop::Reason(_)) = result {
            self.progress = Some(state);
        }
        result
    }
}

impl KInduction {
    /// Ready to run.
    pub fn new(bound: Option<u32>, auxiliary: Auxiliary, solvers: MakeSolver) -> KInduction {
        KInduction { bound, auxiliary, solvers, progress: None }
    }

    fn begin(&self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<State, Stop> {
        let system = monolithic(&mut cx.pool, cfa);
        let facts = match self.auxiliary {
            Auxiliary::Off => Vec::new(),
            Auxiliary::Houdini => houdini::invariants(cx, &system, &self.solvers, HoudiniOptions::default())?,
        };
        let invariant = houdini::conjunction(&mut cx.pool, &facts);
        let base = Unrolling::new(&self.solvers, cx, &system, Start::Initial)?;
        let mut step = Unrolling::new(&self.solvers, cx, &system, Start::Anywhere)?;
        step.assert(&cx.pool, invariant, 0)?;
        Ok(State { system, base, step, facts, invariant, n_good: 0 })
    }

    fn search(&self, cx: &mut Ctx<'_>, cfa: &Cfa, state: &mut State) -> Result<Verdict, Stop> {
        loop {
            // Step: `k` good cycles from anywhere, then a bad one. For k = 0 the invariant alone excludes it.
            let k = state.step.last();
            // Base: cycles 1 to k are good, and the first one in any case.
            while state.n_good < k.max(1) {
                let cycle = state.base.last();
                if let Answer::Yes = state.base.check(cx, &[(state.system.bad, cycle)])? {
                    return Ok(Verdict::Unsafe(state.base.trace(&mut cx.pool, &state.system, cfa.locs[cfa.head].origin)?));
                }
                state.n_good += 1;
                state.base.step(&cx.pool, &state.system)?;
                let text = format!("k = {k}, {} auxiliary invariants", state.facts.len());
                (cx.events)(Progress { engine: INFO.name, safe_cycles: state.system.pc.is_none().then_some(state.n_good), text });
            }
            if let Answer::No = state.step.check(cx, &[(state.system.bad, k)])? {
                let invariant = self.readable(cx, state, k)?;
                let argument = match k {
                    // The property follows within one cycle: the simplest certificate.
                    0 => Argument::Inductive(state.system.per_cut(&mut cx.pool, invariant)),
                    1.. => Argument::KInductive { k, invariant },
                };
                return Ok(Verdict::Safe(Proof { pool: cx.pool.clone(), argument }));
            }
            if state.system.pc.is_some() {
                // Steps are not cycles then, and a certificate counts cycles.
                return Err(super::unsupported("k-induction for k of 1 and more over a loop inside the cycle"));
            }
            if self.bound.is_some_and(|bound| bound <= k) {
                return Ok(Verdict::Unknown(Reason::Bound));
            }
            state.step.step(&cx.pool, &state.system)?;
            state.step.assert(&cx.pool, state.invariant, k + 1)?;
        }
    }
}

impl KInduction {
    /// The part of the facts that the step for `k` needs, if that is found soon; else all of them.
    fn readable(&self, cx: &mut Ctx<'_>, state: &State, k: u32) -> Result<ExprId, Stop> {
        /// Nobody waits longer for a shorter certificate.
        const PATIENCE: Duration = Duration::from_secs(3);
        let soon = Instant::now() + PATIENCE;
        let deadline = cx.interrupt.deadline.map_or(soon, |deadline| deadline.min(soon));
        let interrupt = Interrupt { deadline: Some(deadline), cancel: cx.interrupt.cancel.clone() };
        let mut short = Ctx { pool: cx.pool.clone(), interrupt, events: cx.events, board: cx.board.clone() };
        match self.needed(&mut short, &state.system, &state.facts, k) {
            Ok(needed) => Ok(houdini::conjunction(&mut cx.pool, &needed)),
            Err(Stop::Reason(_)) => Ok(houdini::conjunction(&mut cx.pool, &state.facts)),
            Err(stop @ Stop::Solver(_)) => Err(stop),
        }
    }

    /// A part of the facts from which none can be left out, inductive on its own and enough for the step.
    fn needed(&self, cx: &mut Ctx<'_>, system: &System, facts: &[ExprId], k: u32) -> Result<Vec<ExprId>, Stop> {
        let mut step = Unrolling::new(&self.solvers, cx, system, Start::Anywhere)?;
        for _ in 0..k {
            step.step(&cx.pool, system)?;
        }
        let assume = |facts: &[ExprId]| -> Vec<(ExprId, Frame)> {
            let all = (0..=k).flat_map(|frame| facts.iter().map(move |fact| (*fact, frame)));
            all.chain([(system.bad, k)]).collect()
        };
        let assumptions = assume(facts);
        match step.check(cx, &assumptions)? {
            Answer::No => {}
            // Cannot be: this was just shown with another solver. All of them are a right answer in any case.
            Answer::Yes => return Ok(facts.to_vec()),
        }
        let core = step.core().into_iter().filter_map(|i| assumptions.get(i));
        let core: BTreeSet<ExprId> = core.map(|(e, _)| *e).filter(|e| facts.contains(e)).collect();
        let mut kept: Vec<ExprId> = houdini::closure(cx, system, &self.solvers, facts, core)?.into_iter().collect();
        let mut i = 0;
        while i < kept.len() {
            let mut fewer = kept.clone();
            fewer.remove(i);
            let enough = step.check(cx, &assume(&fewer))? == Answer::No;
            if enough && houdini::is_inductive(cx, system, &self.solvers, &fewer)? {
                kept = fewer;
            } else {
                i += 1;
            }
        }
        Ok(kept)
    }
}
