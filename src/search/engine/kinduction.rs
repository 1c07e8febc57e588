//! k-induction with auxiliary invariants that grow: after k good cycles through states of the invariants the next cycle is good
//! too.
//!
//! Invariants are added while k grows: guesses once the property is not inductive by itself, wider ones after some more failures,
//! and lemmas of the board. With the option `paths = simple` only paths without a repeated state count. That makes the method
//! complete for finite systems: a shortest violation repeats no state.
//!
//! Source: Sheeran, Singh, Stålmarck, "Checking safety properties using induction and a SAT-solver", FMCAD 2000,
//! doi:10.1007/3-540-40922-X_8 (Algorithm 3); continuously refined invariants: Beyer, Dangl, Wendler, "Boosting k-induction
//! with continuously-refined invariants", CAV 2015, doi:10.1007/978-3-319-21690-4_42.

pub(super) mod imports;
mod simple;

use std::collections::{BTreeMap, BTreeSet};

use super::claims::{ClaimProofs, Conjunction};
use super::forward::{Forward, ForwardChoice};
use super::houdini::{self, HoudiniOptions};
use super::parts::parts;
use super::trim::{Proved, trimmed};
use super::unroll::{Answer, Start, Unrolling};
use super::{Algorithm, EngineInfo, OptionInfo, Resumable, Values, words};
use kernel::cfa::pass::{Encoding, System, monolithic};
use kernel::cfa::{Cfa, LocId};
use kernel::context::exchange::Cursor;
use kernel::context::{Ctx, MakeSolver, Progress, Stop, count};
use kernel::expr::ExprId;
use kernel::verdict::{Argument, Paths, Proof, Reason, Support, Verdict};
pub(super) use simple::{Distinct, deciding};

/// Source of auxiliary invariants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Auxiliary {
    /// None.
    Off,
    /// Guessed from a simulation and proved together ([`super::houdini`]); from other engines too.
    Houdini,
    /// From a generator on a thread of its own ([`super::generator`]), and from other engines.
    Continuous,
}

/// Use of proofs claim by claim ([`super::claims`]), where the requirement is a conjunction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByClaim {
    /// Once the requirement is not inductive by itself.
    Also,
    /// Nothing else is tried.
    Only,
    /// Never.
    Off,
}

/// Result of a step case.
enum Held {
    /// It holds for these paths.
    Yes(Paths),
    No,
    /// It was left, or failed, and there are new facts.
    New,
}

/// k-induction.
pub struct KInduction {
    /// Largest k; `None` for no bound.
    bound: Option<u32>,
    auxiliary: Auxiliary,
    paths: Paths,
    forward: ForwardChoice,
    claims: ByClaim,
    solvers: MakeSolver,
}

/// The k at which guessing begins. A property that is inductive after one cycle needs no invariants, and guesses can cost as much
/// as a larger k.
const GUESS_AT: u32 = 2;

/// State between two calls of `run`.
pub struct State {
    system: System,
    base: Unrolling,
    step: Unrolling,
    /// Inductive together.
    facts: Vec<ExprId>,
    /// The same.
    known: BTreeSet<ExprId>,
    read: Cursor,
    distinct: Option<Distinct>,
    forward: Forward,
    /// Steps 1 to this are good.
    n_good: u32,
    guessed: Guessed,
    /// The next k at which invariants of the whole system are guessed.
    guess_at: u32,
    /// Small parts without guesses so far; `None` before the search for parts.
    parts: Option<Vec<System>>,
    /// Proof claim by claim; `None` without one, or once it has failed.
    by_claim: Option<ClaimProofs>,
    /// TRUE once there was a proof claim by claim, or none is possible.
    asked_claims: bool,
}

/// Progress of guessing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Guessed {
    Nothing,
    Some,
    Much,
}

const AUXILIARY: [(&str, Auxiliary); 3] =
    [("houdini", Auxiliary::Houdini), ("continuous", Auxiliary::Continuous), ("off", Auxiliary::Off)];
const CLAIMS: [(&str, ByClaim); 3] = [("also", ByClaim::Also), ("only", ByClaim::Only), ("off", ByClaim::Off)];
const FORWARD: [(&str, ForwardChoice); 2] = [("end", ForwardChoice::End), ("off", ForwardChoice::Off)];
const PATHS: [(&str, Paths); 2] = [("any", Paths::Any), ("simple", Paths::Simple)];

/// Row of the engines' table.
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
            values: Values::OneOf(&words(&AUXILIARY)),
            default: "houdini",
            help: "Invariants that help the induction: guessed from a simulation and proved together, and those of other \
                   engines; continuously refined on a thread of their own; or none.",
        },
        OptionInfo {
            name: "paths",
            values: Values::OneOf(&words(&PATHS)),
            default: "any",
            help: "Paths of the induction step: any, or those that repeat no state. With the latter, every finite program is \
                   decided in the end.",
        },
        OptionInfo {
            name: "forward",
            values: Values::OneOf(&words(&FORWARD)),
            default: "end",
            help: "The forward condition, asked for each k: no run has more than k steps.",
        },
        OptionInfo {
            name: "claims",
            values: Values::OneOf(&words(&CLAIMS)),
            default: "also",
            help: "Proofs claim by claim, where the requirement is a conjunction of small claims: once it is not inductive by \
                   itself, instead of everything else, or not at all.",
        },
    ],
    absent: &[],
    encoding: Encoding::Lbe,
    build: |settings, solvers| {
        let (auxiliary, paths) = (settings.choice("auxiliary", &AUXILIARY), settings.choice("paths", &PATHS));
        let (bound, forward) = (settings.number("k"), settings.choice("forward", &FORWARD));
        let claims = settings.choice("claims", &CLAIMS);
        Ok(Box::new(Resumable::new(KInduction { bound, auxiliary, paths, forward, claims, solvers: solvers.clone() })))
    },
};

impl KInduction {
    /// Checks the step case. It is left as soon as there are new facts, and asked again at the same k.
    fn holds_after(&self, cx: &mut Ctx<'_>, state: &mut State, k: u32) -> Result<Held, Stop> {
        let (board, read, uses) = (cx.board.clone(), state.read, self.auxiliary != Auxiliary::Off);
        let has_news = || uses && board.has_news(read);
        match state.step.check_while(cx, &[(state.system.bad, k)], || !has_news())? {
            Some(Answer::No) => return Ok(Held::Yes(Paths::Any)),
            Some(Answer::Yes) if !has_news() => {}
            Some(Answer::Yes) | None => return Ok(Held::New),
        }
        let Some(distinct) = state.distinct.as_ref().filter(|_| 0 < k) else { return Ok(Held::No) };
        let asked: Vec<_> = distinct.assumptions().chain([(state.system.bad, k)]).collect();
        Ok(if state.step.check(cx, &asked)? == Answer::No { Held::Yes(Paths::Simple) } else { Held::No })
    }

    /// Adds new invariants: those of others, and wider guesses where k has grown in vain.
    fn refine(&self, cx: &mut Ctx<'_>, state: &mut State, k: u32) -> Result<(), Stop> {
        /// The k from which wider guesses are worth their time.
        const WIDEN_AT: u32 = 4;
        match self.auxiliary {
            Auxiliary::Off => return Ok(()),
            Auxiliary::Continuous => {
                let new = imports::news(cx, &state.system, &mut state.read);
                return learn(cx, state, new, k);
            }
            Auxiliary::Houdini => {}
        }
        if k == GUESS_AT && state.parts.is_none() {
            let parts = parts(cx, &state.system)?;
            // The parts' invariants may be enough.
            state.guess_at += u32::from(!parts.is_empty());
            state.parts = Some(parts);
        }
        // A run that is stopped between two parts goes on with the next one.
        while let Some(part) = state.parts.as_mut().and_then(Vec::pop) {
            match houdini::invariants(cx, &part, &self.solvers, HoudiniOptions::part()) {
                Ok(facts) => learn(cx, state, facts, k)?,
                Err(stop) => {
                    state.parts.get_or_insert_default().push(part);
                    return Err(stop);
                }
            }
        }
        let no_larger_k = state.system.pc.is_some() || self.bound.is_some_and(|bound| bound <= k);
        let wanted = match k {
            WIDEN_AT.. => Guessed::Much,
            _ if state.guess_at <= k || no_larger_k => Guessed::Some,
            _ => Guessed::Nothing,
        };
        let mut new = Vec::new();
        if state.guessed < wanted {
            new = match wanted {
                Guessed::Nothing => Vec::new(),
                Guessed::Some => houdini::invariants(cx, &state.system, &self.solvers, HoudiniOptions::default())?,
                Guessed::Much => houdini::invariants(cx, &state.system, &self.solvers, HoudiniOptions::wide())?,
            };
            state.guessed = wanted;
        }
        new.extend(imports::news(cx, &state.system, &mut state.read));
        learn(cx, state, new, k)
    }

    /// Proves claim by claim, from the k on at which guessing begins. Facts of a proof that fails are kept.
    fn prove_by_claim(&self, cx: &mut Ctx<'_>, state: &mut State, k: u32) -> Result<Option<Argument>, Stop> {
        let is_wanted = match self.claims {
            ByClaim::Only => true,
            ByClaim::Also => {
                self.auxiliary == Auxiliary::Houdini && (k == GUESS_AT || self.bound.is_some_and(|bound| bound <= k))
            }
            ByClaim::Off => false,
        };
        if !is_wanted {
            return Ok(None);
        }
        if !std::mem::replace(&mut state.asked_claims, true) {
            state.by_claim = ClaimProofs::new(cx, &state.system)?;
        }
        let Some(proofs) = &mut state.by_claim else { return Ok(None) };
        let Some(Conjunction { facts, k: depth }) = proofs.prove_each(cx, &self.solvers)? else {
            let facts = state.by_claim.take().map(ClaimProofs::into_facts).unwrap_or_default();
            learn(cx, state, facts, k)?;
            return Ok(None);
        };
        let invariant = houdini::conjunction(&mut cx.pool, &facts);
        let invariants = state.system.per_cut(&mut cx.pool, invariant);
        Ok(Some(with_k(depth, invariants, Paths::Any)))
    }

    /// Returns the argument of a step case that holds after `k` steps, with the facts that it needs.
    fn argument(&self, cx: &mut Ctx<'_>, state: &State, k: u32, paths: Paths) -> Result<Argument, Stop> {
        let is_better = 0 < k && !state.facts.is_empty() && self.suffices_alone(cx, state)?;
        let (k, paths) = if is_better { (0, Paths::Any) } else { (k, paths) };
        let facts = match paths {
            Paths::Any => trimmed(cx, &self.solvers, Proved { system: &state.system, facts: &state.facts, k, depth: 1 })?,
            // The search for a shorter certificate does not know simple paths.
            Paths::Simple => state.facts.clone(),
        };
        let invariant = houdini::conjunction(&mut cx.pool, &facts);
        let invariants = state.system.per_cut(&mut cx.pool, invariant);
        Ok(with_k(k, invariants, paths))
    }

    /// Returns whether the facts exclude a violation without a cycle before it: then the certificate is the most readable one.
    fn suffices_alone(&self, cx: &mut Ctx<'_>, state: &State) -> Result<bool, Stop> {
        let mut cycle = Unrolling::new(&self.solvers, cx, &state.system, Start::Anywhere)?;
        let invariant = houdini::conjunction(&mut cx.pool, &state.facts);
        cycle.assert(&cx.pool, invariant, 0)?;
        Ok(cycle.check(cx, &[(state.system.bad, 0)])? == Answer::No)
    }
}

impl Algorithm for KInduction {
    type State = State;

    fn begin(&self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<State, Stop> {
        let system = monolithic(&mut cx.pool, cfa);
        let base = Unrolling::new(&self.solvers, cx, &system, Start::Initial)?;
        let step = Unrolling::new(&self.solvers, cx, &system, Start::Anywhere)?;
        let distinct = match self.paths {
            Paths::Any => None,
            Paths::Simple => Some(Distinct::new(&mut cx.pool, &system)),
        };
        let forward = Forward::new(&mut cx.pool, &system, self.forward);
        Ok(State {
            system,
            base,
            step,
            facts: Vec::new(),
            known: BTreeSet::new(),
            read: Cursor::default(),
            distinct,
            forward,
            n_good: 0,
            guessed: Guessed::Nothing,
            guess_at: GUESS_AT,
            parts: None,
            by_claim: None,
            asked_claims: false,
        })
    }
    /// Searches k by k.
    ///
    /// Cost:      two checks per k, three with simple paths; some more for invariants.
    /// Soundness: `Safe` carries its k and the invariants, which are inductive on their own.
    fn search(&mut self, cx: &mut Ctx<'_>, cfa: &Cfa, state: &mut State) -> Result<Verdict, Stop> {
        loop {
            // Step: `k` good cycles from anywhere, then a bad one. For k = 0 the invariant alone excludes it.
            let k = state.step.last();
            if self.claims == ByClaim::Only {
                let argument = self.prove_by_claim(cx, state, k)?;
                let proof = argument.map(|argument| Proof { pool: cx.pool.clone(), argument });
                return Ok(proof.map_or(Verdict::Unknown(Reason::NoProgress), Verdict::Safe));
            }
            // Base: steps 1 to k are good; step 1 also for k = 0, and the one from a start of its own.
            while state.n_good < k.max(1) + state.system.n_start_steps() {
                let cycle = state.base.last();
                if let Answer::Yes = state.base.check(cx, &[(state.system.bad, cycle)])? {
                    let head = cfa.locs[cfa.head].origin;
                    return Ok(Verdict::Unsafe(state.base.trace(&mut cx.pool, &state.system, head, cycle)?));
                }
                state.n_good += 1;
                state.base.step(&cx.pool, &state.system)?;
                let text = format!("k = {k}, {}", count(state.facts.len(), "auxiliary invariant"));
                (cx.events)(Progress { engine: INFO.name, safe_cycles: state.system.pc.is_none().then_some(state.n_good), text });
            }
            if let Some(argument) = self.prove_by_claim(cx, state, k)? {
                return Ok(Verdict::Safe(Proof { pool: cx.pool.clone(), argument }));
            }
            self.refine(cx, state, k)?;
            match self.holds_after(cx, state, k)? {
                Held::Yes(paths) => {
                    let argument = self.argument(cx, state, k, paths)?;
                    return Ok(Verdict::Safe(Proof { pool: cx.pool.clone(), argument }));
                }
                Held::New => continue,
                Held::No => {}
            }
            // An inductive invariant is the better proof.
            if let Some(argument) = state.forward.exhausted(cx, &state.system, &mut state.base)? {
                return Ok(Verdict::Safe(Proof { pool: cx.pool.clone(), argument }));
            }
            if self.bound.is_some_and(|bound| bound <= k) {
                return Ok(Verdict::Unknown(Reason::Bound));
            }
            state.step.step(&cx.pool, &state.system)?;
            let invariant = houdini::conjunction(&mut cx.pool, &state.facts);
            state.step.assert(&cx.pool, invariant, k + 1)?;
            if let Some(distinct) = &mut state.distinct {
                distinct.extend(&mut cx.pool, &mut state.step)?;
            }
        }
    }
}

/// Returns the argument that invariants which are inductive on their own exclude a violation after `k` cycles.
pub(super) fn with_k(k: u32, invariants: BTreeMap<LocId, ExprId>, paths: Paths) -> Argument {
    match k {
        // The property follows within one cycle: the simplest certificate.
        0 => Argument::Inductive(invariants),
        1.. => Argument::KInductive { k, invariants, support: Support::Alone, paths },
    }
}

/// Adds facts that are inductive together with the known ones, in all frames up to k.
fn learn(cx: &mut Ctx<'_>, state: &mut State, mut new: Vec<ExprId>, k: u32) -> Result<(), Stop> {
    new.retain(|fact| state.known.insert(*fact));
    if new.is_empty() {
        return Ok(());
    }
    let all = houdini::conjunction(&mut cx.pool, &new);
    for frame in 0..=k {
        state.step.assert(&cx.pool, all, frame)?;
    }
    state.facts.extend(new);
    Ok(())
}
