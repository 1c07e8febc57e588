//! Continuously refined invariants: a generator that runs beside k-induction and raises its precision for as long as it runs.
//!
//! Each level of precision gives invariants that are inductive together with those of the levels before; they go to the board.
//! First come guesses about small parts, then guesses about the whole. Templates follow: intervals, zones, all rows with guards by
//! modes. Then come guesses from longer and longer simulations. k-induction takes new facts at the k where it is.
//!
//! Sources: Beyer, Dangl, Wendler, "Boosting k-induction with continuously-refined invariants", CAV 2015,
//! doi:10.1007/978-3-319-21690-4_42 (§3, Algorithm 1: the generator refines its precision concurrently); the same authors,
//! JAR 2018 (papers/unifying-smt-verification, §4.2, Algorithm 3, lines 15–23).

use std::collections::BTreeSet;

use super::houdini::{self, HoudiniOptions};
use super::kiki::{Domain, Guards, of_template};
use super::kinduction::imports;
use super::parts::parts;
use super::{Algorithm, Engine, Resumable};
use kernel::cfa::Cfa;
use kernel::cfa::pass::{System, monolithic};
use kernel::context::exchange::Cursor;
use kernel::context::{Ctx, MakeSolver, Progress, Stop, count};
use kernel::expr::{ExprId, Sort};
use kernel::verdict::{Reason, Verdict};

/// Name of the engine in results.
pub const NAME: &str = "invariants";

/// Returns a generator that has not run.
pub fn generator(solvers: MakeSolver) -> Box<dyn Engine> {
    Box::new(Resumable::new(Generator { solvers }))
}

struct Generator {
    solvers: MakeSolver,
}

/// Precision of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Precision {
    /// Guesses about small parts of the system.
    Parts,
    /// Guesses about the whole.
    Guesses,
    /// A template.
    Rows(Domain, Guards),
    /// Guesses from simulations of this times the usual length.
    Longer(usize),
}

/// First levels; those after them double the length of simulations.
const LEVELS: [Precision; 5] = [
    Precision::Parts,
    Precision::Guesses,
    Precision::Rows(Domain::Intervals, Guards::Places),
    Precision::Rows(Domain::Zones, Guards::Places),
    Precision::Rows(Domain::All, Guards::Modes),
];

/// Number of doublings after which the precision is the last one.
const DOUBLINGS: usize = 6;

/// Returns the precision of a level; `None` after the last one.
fn precision(level: usize) -> Option<Precision> {
    match level.checked_sub(LEVELS.len()) {
        None => Some(LEVELS[level]),
        Some(n) => (n < DOUBLINGS).then(|| Precision::Longer(2 << n)),
    }
}

/// State between two calls of `run`.
struct State {
    system: System,
    level: usize,
    /// Inductive together.
    facts: Vec<ExprId>,
    known: BTreeSet<ExprId>,
    read: Cursor,
}

impl Generator {
    /// Returns invariants of a precision that are inductive together with the known ones.
    fn infer(&self, cx: &mut Ctx<'_>, state: &State, precision: Precision) -> Result<Vec<ExprId>, Stop> {
        let (system, solvers) = (&state.system, &self.solvers);
        match precision {
            Precision::Parts => {
                let mut facts = Vec::new();
                for part in parts(cx, system)? {
                    facts.extend(houdini::invariants(cx, &part, solvers, HoudiniOptions::part())?);
                }
                Ok(facts)
            }
            // Differences of floats take the solver minutes; the levels after this one do not need them.
            Precision::Rows(Domain::Zones, _) if has_floats(cx, system) => Ok(Vec::new()),
            Precision::Guesses => houdini::invariants(cx, system, solvers, HoudiniOptions::default()),
            Precision::Rows(domain, guards) => of_template(cx, system, solvers, (domain, guards), &state.facts),
            Precision::Longer(times) => houdini::invariants(cx, system, solvers, HoudiniOptions::longer(times)),
        }
    }

    /// Adds new facts and publishes them.
    fn publish(cx: &mut Ctx<'_>, state: &mut State, mut new: Vec<ExprId>) {
        new.retain(|fact| state.known.insert(*fact));
        let all = houdini::conjunction(&mut cx.pool, &new);
        let per_cut = state.system.per_cut(&mut cx.pool, all);
        let facts = per_cut.into_iter().map(|(place, e)| (place, cx.pool.conjuncts(e))).collect();
        cx.board.publish(&cx.pool, NAME, &facts);
        state.facts.extend(new);
    }
}

fn has_floats(cx: &Ctx<'_>, system: &System) -> bool {
    system.vars.iter().any(|var| matches!(cx.pool.var_decl(*var).sort, Sort::Float(_)))
}

impl Algorithm for Generator {
    type State = State;

    fn begin(&self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<State, Stop> {
        let system = monolithic(&mut cx.pool, cfa);
        Ok(State { system, level: 0, facts: Vec::new(), known: BTreeSet::new(), read: Cursor::default() })
    }
    /// Raises the precision level by level. A level that was stopped begins again.
    ///
    /// Cost:      that of each level; the later ones double.
    /// Soundness: it gives no answer. Facts on the board are inductive together.
    fn search(&mut self, cx: &mut Ctx<'_>, _: &Cfa, state: &mut State) -> Result<Verdict, Stop> {
        while let Some(precision) = precision(state.level) {
            // Those of others make the own ones stronger.
            let others = imports::news(cx, &state.system, &mut state.read);
            let others: Vec<ExprId> = others.into_iter().filter(|fact| state.known.insert(*fact)).collect();
            state.facts.extend(others);
            let new = self.infer(cx, state, precision)?;
            Self::publish(cx, state, new);
            state.level += 1;
            let text = format!("precision {}, {}", state.level, count(state.facts.len(), "invariant"));
            (cx.events)(Progress { engine: NAME, safe_cycles: None, text });
        }
        Ok(Verdict::Unknown(Reason::NoProgress))
    }
}
