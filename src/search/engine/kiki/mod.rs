//! kIkI: k-induction, bounded model checking and abstract interpretation as one algorithm over one solver.
//!
//! For k = 1, 2, 3 …: find a k-inductive invariant of the template's form ([`infer`]). If it excludes a violation after k cycles,
//! the program is safe. Else search for a violating run from the start; if there is none, k grows. The three other modes leave a
//! part out. kIkI gives every answer that they give (Theorem 2.1; shown in the tests):
//!
//! | mode | template | the first check | |
//! |---|---|---|---|
//! | `kiki` | as chosen | asked | |
//! | `kinduction` | ⊤ only | asked | k-induction |
//! | `ibmc` | ⊤ only | taken as satisfiable | incremental bounded model checking: no proofs |
//! | `ai` | as chosen | satisfiable means unknown | abstract interpretation: k stays 1 |
//!
//! A step is one scan cycle. If a loop inside the cycle is a cut point too, a step leads from one cut point to the next. Then each
//! cut point has rows of its own.
//!
//! Source: Brain, Joshi, Kroening, Schrammel, "Safety verification and refutation by k-invariants and k-induction",
//! SAS 2015, doi:10.1007/978-3-662-48288-9_9.

mod frames;
mod height;
mod infer;
mod matrix;
mod options;
mod row;
mod search;
mod strategy;
mod template;
#[cfg(test)]
mod tests;

pub use matrix::Matrix;
pub use options::{INFO, KikiOptions, Mode, Solving};
pub use template::{Domain, Guards};

use frames::Frames;
use infer::Inference;
use row::Stage;

use super::kinduction::imports;
use super::simulate::{SimulateOptions, simulate};
use super::trim::{Proved, trimmed};
use super::unroll::{Answer, Start, Unrolling};
use super::{Algorithm, Resumable, houdini};
use kernel::cfa::Cfa;
use kernel::cfa::pass::{System, monolithic};
use kernel::context::exchange::Cursor;
use kernel::context::{Ctx, MakeSolver, Progress, Stop, count};
use kernel::expr::ExprId;
use kernel::smt::Frame;
use kernel::verdict::{Argument, Paths, Proof, Reason, Support, Verdict};

/// kIkI.
pub struct Kiki {
    options: KikiOptions,
    solvers: MakeSolver,
}

/// State between two calls of `run`.
pub struct State {
    system: System,
    frames: Frames,
    inference: Inference,
    /// The present or last inference.
    begun: Option<(Frame, Stage)>,
    /// Last k with a completed inference.
    inferred: Frame,
    /// Next stage for this k.
    next: Option<Stage>,
    /// Facts that are k-inductive together, for the last k with an inferred invariant.
    facts: Vec<ExprId>,
    /// Last frame without a violation in runs from the start; `None` before the first check.
    searched: Option<Frame>,
    /// TRUE once the template allows the initial states.
    rooted: bool,
    /// Position on the board.
    read: Cursor,
}

impl Kiki {
    /// Returns an engine that has not run.
    pub fn new(options: KikiOptions, solvers: MakeSolver) -> Resumable<Kiki> {
        Resumable::new(Kiki { options, solvers })
    }

    /// Adds the lemmas of other engines.
    fn read(&self, cx: &mut Ctx<'_>, state: &mut State) -> Result<(), Stop> {
        for fact in imports::news(cx, &state.system, &mut state.read) {
            if !state.facts.contains(&fact) {
                state.frames.learn(&cx.pool, fact)?;
                state.facts.push(fact);
            }
        }
        Ok(())
    }

    /// Infers a k-inductive invariant of the next stage, and adds it to all frames. Returns `false` after the last stage.
    fn infer(&self, cx: &mut Ctx<'_>, state: &mut State, k: Frame) -> Result<bool, Stop> {
        let Some(stage) = state.next else { return Ok(false) };
        let after = match stage {
            Stage::Plain => Some(Stage::Whole),
            Stage::Whole => None,
        };
        if state.inference.is_done(stage) {
            state.next = after;
            return Ok(after.is_some());
        }
        if state.begun != Some((k, stage)) {
            state.inference.begin(stage);
            state.begun = Some((k, stage));
        }
        state.inference.run(cx, &state.system, &mut state.frames)?;
        (state.inferred, state.next) = (k, after);
        if self.options.inference == Solving::Strategy {
            let text = format!("k = {k}{}", state.inference.effort());
            (cx.events)(Progress { engine: INFO.name, safe_cycles: None, text });
        }
        for fact in state.inference.facts(&mut cx.pool) {
            if !state.facts.contains(&fact) {
                state.frames.learn(&cx.pool, fact)?;
                state.facts.push(fact);
            }
        }
        if k == 1 {
            // Others need facts that are inductive.
            let all = houdini::conjunction(&mut cx.pool, &state.facts);
            let per_cut = state.system.per_cut(&mut cx.pool, all);
            let facts = per_cut.into_iter().map(|(loc, e)| (loc, cx.pool.conjuncts(e))).collect();
            cx.board.publish(&cx.pool, INFO.name, &facts);
        }
        Ok(true)
    }

    /// Returns a proof, if the known facts exclude a violation after k cycles from any state.
    fn first_check(&self, cx: &mut Ctx<'_>, state: &mut State, k: Frame) -> Result<Option<Argument>, Stop> {
        if self.options.mode == Mode::Ibmc {
            return Ok(None);
        }
        let system = &state.system;
        let depth = state.inferred.max(1);
        // With k = 1 the invariant is inductive, and mostly excludes a violation without a cycle before it.
        if k == 1 {
            let mut alone = Unrolling::new(&self.solvers, cx, system, Start::Anywhere)?;
            for fact in &state.facts {
                alone.assert(&cx.pool, *fact, 0)?;
            }
            if let Answer::No = alone.check(cx, &[(system.bad, 0)])? {
                let proved = Proved { system, facts: &state.facts, k: 0, depth };
                let facts = trimmed(cx, &self.solvers, proved)?;
                let invariant = houdini::conjunction(&mut cx.pool, &facts);
                return Ok(Some(Argument::Inductive(system.per_cut(&mut cx.pool, invariant))));
            }
        }
        if let Answer::Yes = state.frames.check(cx, &[(system.bad, k)])? {
            return Ok(None);
        }
        let facts = trimmed(cx, &self.solvers, Proved { system, facts: &state.facts, k, depth })?;
        let invariant = houdini::conjunction(&mut cx.pool, &facts);
        let support = if depth == 1 { Support::Alone } else { Support::Steps };
        let invariants = system.per_cut(&mut cx.pool, invariant);
        Ok(Some(Argument::KInductive { k, invariants, support, paths: Paths::Any }))
    }
}

/// Returns invariants within a template, inductive together with the `known` ones.
pub(super) fn of_template(
    cx: &mut Ctx<'_>,
    system: &System,
    solvers: &MakeSolver,
    (domain, guards): (Domain, Guards),
    known: &[ExprId],
) -> Result<Vec<ExprId>, Stop> {
    let states = simulate(cx, system, SimulateOptions::default())?;
    let rows = template::template(&mut cx.pool, system, &states, (domain, guards), &Matrix::default())?;
    let mut inference = Inference::new(&mut cx.pool, system, rows, &states);
    let mut frames = Frames::new(cx, system, solvers, inference.parameters())?;
    inference.root(cx, system, &mut frames)?;
    frames.step(&mut cx.pool, system)?;
    for fact in known {
        frames.learn(&cx.pool, *fact)?;
    }
    let mut facts = Vec::new();
    for stage in [Stage::Plain, Stage::Whole] {
        inference.begin(stage);
        inference.run(cx, system, &mut frames)?;
        for fact in inference.facts(&mut cx.pool) {
            frames.learn(&cx.pool, fact)?;
            facts.push(fact);
        }
    }
    Ok(facts)
}

impl Algorithm for Kiki {
    type State = State;

    fn begin(&self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<State, Stop> {
        let system = monolithic(&mut cx.pool, cfa);
        let (mut rows, mut states) = (Vec::new(), Vec::new());
        if matches!(self.options.mode, Mode::Kiki | Mode::Ai) {
            states = simulate(cx, &system, SimulateOptions::default())?;
            let KikiOptions { domain, guards, template, .. } = &self.options;
            rows = template::template(&mut cx.pool, &system, &states, (*domain, *guards), template)?;
        }
        let mut inference = Inference::new(&mut cx.pool, &system, rows, &states);
        inference.strategies = (self.options.inference == Solving::Strategy).then(strategy::Strategies::default);
        let frames = Frames::new(cx, &system, &self.solvers, inference.parameters())?;
        Ok(State {
            system,
            frames,
            inference,
            begun: None,
            inferred: 0,
            next: None,
            facts: Vec::new(),
            searched: None,
            rooted: false,
            read: Cursor::default(),
        })
    }
    /// Searches k by k.
    ///
    /// Cost:      per k the rounds of the inference, each of which raises a row, and two checks.
    /// Soundness: `Safe` carries k and an invariant that is k-inductive; `Unsafe` is a model of a run from the start.
    fn search(&mut self, cx: &mut Ctx<'_>, cfa: &Cfa, state: &mut State) -> Result<Verdict, Stop> {
        loop {
            let k = state.frames.last();
            let refutes = k == 0 || self.options.mode != Mode::Ai;
            // The two checks are independent of each other; the cheaper one goes first.
            if refutes && state.searched.is_none_or(|searched| searched < k) {
                let asked = [state.frames.start(), (state.system.bad, k)];
                if let Answer::Yes = state.frames.check(cx, &asked)? {
                    let head = cfa.locs[cfa.head].origin;
                    return Ok(Verdict::Unsafe(state.frames.trace(&mut cx.pool, &state.system, head)?));
                }
                state.searched = Some(k);
                let text = format!("k = {k}, {}{}", count(state.facts.len(), "fact"), state.inference.effort());
                let safe_cycles = state.system.pc.is_none().then_some(k + 1);
                (cx.events)(Progress { engine: INFO.name, safe_cycles, text });
            }
            match k {
                0 => {
                    if !state.rooted {
                        state.inference.root(cx, &state.system, &mut state.frames)?;
                        state.rooted = true;
                    }
                }
                1.. => {
                    self.read(cx, state)?;
                    // First with the known facts, then with more and more rows.
                    loop {
                        if let Some(argument) = self.first_check(cx, state, k)? {
                            return Ok(Verdict::Safe(Proof { pool: cx.pool.clone(), argument }));
                        }
                        if !self.infer(cx, state, k)? {
                            break;
                        }
                    }
                    if self.options.mode == Mode::Ai {
                        return Ok(Verdict::Unknown(Reason::NoProgress));
                    }
                }
            }
            if self.options.bound.is_some_and(|bound| bound <= k) {
                return Ok(Verdict::Unknown(Reason::Bound));
            }
            state.frames.step(&mut cx.pool, &state.system)?;
            state.next = Some(Stage::Plain);
        }
    }
}
