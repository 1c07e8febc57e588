//! Engines that go on after their deadline.

use super::{Engine, Iteration, Pictures};
use kernel::cfa::Cfa;
use kernel::context::{Ctx, Stop};
use kernel::expr::ExprPool;
use kernel::verdict::Verdict;

/// Algorithm of an engine, apart from the state of its run.
pub trait Algorithm {
    /// State of a run. It stays consistent at every operation that can stop.
    type State;

    /// Makes the state at the beginning of a run.
    fn begin(&self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<Self::State, Stop>;
    /// Decides whether `cfa.error` can be reached, from this state on.
    fn search(&mut self, cx: &mut Ctx<'_>, cfa: &Cfa, state: &mut Self::State) -> Result<Verdict, Stop>;
    /// Sets the graphs to keep, as [`Engine::keep`] does.
    fn keep(&mut self, _pictures: Pictures) {}
    /// Returns the iterations as [`Engine::explored`] does. `state` is that of a stopped run.
    fn explored(&mut self, _state: Option<&Self::State>, _pool: &ExprPool) -> Vec<Iteration> {
        Vec::new()
    }
}

/// Engine whose run goes on where its deadline stopped the last one. One value decides one CFA.
pub struct Resumable<A: Algorithm> {
    pub(super) algorithm: A,
    state: Option<A::State>,
}

impl<A: Algorithm> Resumable<A> {
    /// Returns an engine that has not run.
    pub(super) fn new(algorithm: A) -> Resumable<A> {
        Resumable { algorithm, state: None }
    }
    /// Returns whether a stopped run can go on.
    #[cfg(test)]
    pub(super) fn is_stopped(&self) -> bool {
        self.state.is_some()
    }
}

impl<A: Algorithm> Engine for Resumable<A> {
    fn run(&mut self, cx: &mut Ctx<'_>, cfa: &Cfa) -> Result<Verdict, Stop> {
        let mut state = match self.state.take() {
            Some(state) => state,
            None => self.algorithm.begin(cx, cfa)?,
        };
        let result = self.algorithm.search(cx, cfa, &mut state);
        // After an answer, or after a solver failed, the run cannot go on.
        if let Err(Stop::Reason(_)) = result {
            self.state = Some(state);
        }
        result
    }
    fn keep(&mut self, pictures: Pictures) {
        self.algorithm.keep(pictures);
    }
    fn explored(&mut self, pool: &ExprPool) -> Vec<Iteration> {
        self.algorithm.explored(self.state.as_ref(), pool)
    }
}
