//! Abstract domains: states, transfer over blocks, coverage, and precisions from refutations.
//!
//! Knows expressions, blocks and solvers; knows no location, no reachability graph, no refinement.
//! **Invariant:** `post` never loses a concrete successor. Where a solver gives up, the result is coarser or the
//! run stops; it is never smaller.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::hash::Hash;

use plc_frontend::id_type;

use kernel::cfa::Block;
use kernel::context::{Ctx, Stop};
use kernel::expr::{ExprId, ExprPool, VarId};

mod bdd;
mod expl;
#[cfg(test)]
mod laws;
mod pair;
mod pred;
mod reduce;
mod refutation;
mod skeleton;
mod step_solver;
#[cfg(test)]
mod tests;

pub use expl::{Expl, ExplPrec, ExplState, MaxEnum};
pub use pair::{Pair, PairPrec};
pub use pred::{AbstractionFormula, Pred, PredKind, PredPrec, PredState, Predicates, Representation, Split, WithoutPredicates};
pub use reduce::{Reduce, SharedPrecision};
pub(crate) use refutation::atoms;
pub use refutation::{Refutation, RefutationToPrec};
pub(crate) use skeleton::{Skeleton, TooBig};
pub(crate) use step_solver::check;

id_type!(
    /// A block of the program under analysis: one per edge, and one that sets the initial values.
    StepId,
    "s"
);

impl StepId {
    /// An assumption that is no step of the program.
    pub const ASSUMPTION: StepId = StepId(u32::MAX);
}

/// A block to execute, with an id under which a domain keeps results about it.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Its number.
    pub id: StepId,
    /// Its block.
    pub block: &'a Block,
}

/// Precision of an analysis at one place.
pub trait Precision: Clone + Debug + Default + PartialEq {
    /// Adds everything that `other` tracks. Returns whether anything was new.
    fn join(&mut self, other: &Self) -> bool;
    /// Returns the part about `live`: other variables are written before they are read again.
    #[must_use]
    fn restrict(&self, pool: &ExprPool, live: &BTreeSet<VarId>) -> Self;
    /// Returns the number of things tracked.
    fn size(&self) -> usize;
    /// Returns the tracked predicates.
    fn predicates(&self) -> Vec<ExprId>;
    /// Returns one line per thing tracked.
    fn describe(&self, pool: &ExprPool) -> Vec<String>;
}

/// An abstract domain with its transfer relation (CPA without locations).
///
/// Source: Hajdu, Micskei, "Efficient Strategies for CEGAR-Based Model Checking", JAR 2020, Def. 2.
pub trait Domain {
    /// An element of the lattice; never bottom.
    type State: Clone + Eq + Hash + Debug;
    /// Its precision.
    type Prec: Precision;
    /// States of one location, arranged for [`Domain::candidates`].
    type Shelf: Default;

    /// Returns the state that stands for every data state.
    fn top(&self) -> Self::State;
    /// Returns the successors of `state`. There is none iff the domain can tell that the block is infeasible.
    ///
    /// Stops:     cancelled, or a solver failed.
    /// Soundness: γ(result) covers every concrete successor of γ(`state`). A solver that gives up makes it coarser.
    fn post(
        &mut self,
        cx: &mut Ctx<'_>,
        state: &Self::State,
        step: Step<'_>,
        prec: &Self::Prec,
    ) -> Result<Vec<Self::State>, Stop> {
        let under = cx.pool.bool(true);
        self.post_under(cx, state, step, prec, under)
    }
    /// Returns the successors as [`Domain::post`] does, but only of data states in γ(`state`) that satisfy `under`, a formula
    /// over the state and the inputs. A domain may ignore a part of `under`.
    fn post_under(
        &mut self,
        cx: &mut Ctx<'_>,
        state: &Self::State,
        step: Step<'_>,
        prec: &Self::Prec,
        under: ExprId,
    ) -> Result<Vec<Self::State>, Stop>;
    /// Returns whether γ(`a`) ⊆ γ(`b`) is evident; `false` is always allowed.
    fn leq(&self, a: &Self::State, b: &Self::State) -> bool;
    /// Returns whether γ(`a`) ⊆ γ(`b`) is evident or a solver shows it; `false` is always allowed.
    ///
    /// Stops: cancelled, or a solver failed.
    fn is_covered(&mut self, _: &mut Ctx<'_>, a: &Self::State, b: &Self::State) -> Result<bool, Stop> {
        Ok(self.leq(a, b))
    }
    /// Remembers `state` under `key`.
    fn shelve(&self, shelf: &mut Self::Shelf, state: &Self::State, key: u32);
    /// Returns the keys of all shelved states that may cover `state`, most promising first.
    fn candidates(&self, shelf: &Self::Shelf, state: &Self::State) -> Vec<u32>;
    /// Returns the formula of all data states in γ of at least one of `states`.
    fn to_expr(&self, pool: &mut ExprPool, states: &[&Self::State]) -> ExprId;
    /// Returns a short text for people.
    fn describe(&self, pool: &ExprPool, state: &Self::State) -> String;
}
