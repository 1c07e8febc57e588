//! The SAT solver behind a small trait, so that it can be exchanged; and batsat behind it.

use std::cell::Cell;
use std::time::Instant;

use batsat::{Callbacks, SolverInterface, SolverOpts, lbool};

use crate::smt::{Interrupt, Unknown};

/// A literal of the SAT solver: `2 * variable`, plus 1 if negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SatLit(pub(super) u32);

impl std::ops::Not for SatLit {
    type Output = SatLit;
    fn not(self) -> SatLit {
        SatLit(self.0 ^ 1)
    }
}

/// The answer of the SAT solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Sat,
    Unsat,
    Stopped(Unknown),
}

/// Interface to a SAT solver.
pub(super) trait SatSolver {
    /// Returns a new variable as its unnegated literal; `decide` if the search may choose its value. Otherwise clauses must fix
    /// its value once all others have theirs.
    fn new_var(&mut self, decide: bool) -> SatLit;
    /// Returns the number of variables.
    fn n_vars(&self) -> usize;
    /// Adds a permanent clause.
    fn add(&mut self, clause: &[SatLit]);
    /// Decides under assumptions, until `until` at the latest.
    fn solve(&mut self, assumptions: &[SatLit], until: Option<Instant>) -> Answer;
    /// Decides under assumptions, with so many decisions beside them at most, until `until` at the latest.
    fn solve_soon(&mut self, assumptions: &[SatLit], decisions: u32, until: Option<Instant>) -> Answer;
    /// Returns, after `Sat`, whether the literal is true in the model; `false` for variables that are younger than the model.
    fn model(&self, l: SatLit) -> bool;
    /// Returns, after `Unsat`, assumptions that suffice.
    fn core(&self) -> Vec<SatLit>;
}

/// batsat with a watch over time and interrupt.
pub(super) struct Batsat {
    solver: batsat::Solver<Watch>,
    clause: Vec<batsat::Lit>,
    assumed: Vec<SatLit>,
}

/// Checks whether to stop, so rarely that it costs nothing.
struct Watch {
    interrupt: Interrupt,
    until: Cell<Option<Instant>>,
    calls: Cell<u32>,
    /// Decisions until the search ends.
    left: Cell<Option<u32>>,
    stopped: Cell<Option<Unknown>>,
}

impl Watch {
    fn look(&self) {
        if self.interrupt.is_raised() {
            self.stopped.set(Some(Unknown::Interrupted));
        } else if self.until.get().is_some_and(|until| until <= Instant::now()) {
            self.stopped.set(Some(Unknown::Limit));
        }
    }
}

impl Callbacks for Watch {
    fn stop(&self) -> bool {
        // Called at each decision.
        let calls = self.calls.get().wrapping_add(1);
        self.calls.set(calls);
        if let Some(left) = self.left.get() {
            self.left.set(left.checked_sub(1));
            if left == 0 {
                self.stopped.set(Some(Unknown::Limit));
            }
        }
        if calls.is_multiple_of(32) && self.stopped.get().is_none() {
            self.look();
        }
        self.stopped.get().is_some()
    }
}

impl Batsat {
    pub(super) fn new(interrupt: &Interrupt) -> Batsat {
        let (interrupt, left) = (interrupt.clone(), Cell::new(None));
        let watch = Watch { interrupt, until: Cell::new(None), calls: Cell::new(0), left, stopped: Cell::new(None) };
        // With few clauses the default limit on learnt clauses is so low that they are forgotten at once.
        let options = SolverOpts { min_learnts_lim: 5000, ..SolverOpts::default() };
        Batsat { solver: batsat::Solver::new(options, watch), clause: Vec::new(), assumed: Vec::new() }
    }
    fn solve_within(&mut self, assumptions: &[SatLit], until: Option<Instant>, decisions: Option<u32>) -> Answer {
        let watch = self.solver.cb_mut();
        watch.until.set(until);
        watch.left.set(decisions);
        watch.stopped.set(None);
        watch.look();
        if let Some(unknown) = watch.stopped.get() {
            return Answer::Stopped(unknown);
        }
        self.assumed = assumptions.to_vec();
        let assumptions: Vec<batsat::Lit> = assumptions.iter().map(|&l| Batsat::lit(l)).collect();
        let answer = self.solver.solve_limited(&assumptions);
        if answer == lbool::TRUE {
            Answer::Sat
        } else if answer == lbool::FALSE {
            Answer::Unsat
        } else {
            Answer::Stopped(self.solver.cb().stopped.get().unwrap_or(Unknown::Incomplete))
        }
    }
    fn lit(l: SatLit) -> batsat::Lit {
        batsat::Lit::new(batsat::Var::unsafe_from_idx(l.0 >> 1), l.0 & 1 == 0)
    }
}

impl SatSolver for Batsat {
    fn new_var(&mut self, decide: bool) -> SatLit {
        SatLit(self.solver.new_var(lbool::UNDEF, decide).idx() << 1)
    }
    fn n_vars(&self) -> usize {
        self.solver.num_vars() as usize
    }
    fn add(&mut self, clause: &[SatLit]) {
        self.clause.clear();
        self.clause.extend(clause.iter().map(|&l| Batsat::lit(l)));
        // The result tells whether the clauses are still consistent; the next solve reports it too.
        self.solver.add_clause_reuse(&mut self.clause);
    }
    fn solve(&mut self, assumptions: &[SatLit], until: Option<Instant>) -> Answer {
        self.solve_within(assumptions, until, None)
    }
    fn solve_soon(&mut self, assumptions: &[SatLit], decisions: u32, until: Option<Instant>) -> Answer {
        // The solver counts assumptions as decisions.
        let assumed = u32::try_from(assumptions.len()).unwrap_or(u32::MAX);
        self.solve_within(assumptions, until, Some(decisions.saturating_add(assumed)))
    }
    fn model(&self, l: SatLit) -> bool {
        self.solver.value_lit(Batsat::lit(l)) == lbool::TRUE
    }
    fn core(&self) -> Vec<SatLit> {
        self.assumed.iter().copied().filter(|&l| self.solver.unsat_core_contains_var(Batsat::lit(l).var())).collect()
    }
}
