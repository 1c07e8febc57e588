//! Checked answers: no other answer leaves.

use plc_frontend::source::Span;

use super::constant_places::with_and_without;
use super::known::KnownAnswers;
use super::proof::{Obligation, Rejected, check_needed, check_proof};
use super::solver::Asked;
use crate::replay::{Case, CycleInputs, Replayed};
use kernel::cfa::Cfa;
use kernel::expr::ExprPool;
use kernel::smt::Interrupt;
use kernel::theta;
use kernel::theta::replay::{NoRun, Run};
use kernel::verdict::{Proof, Trace};

/// Evidence that was checked independently of its engine. **Invariant:** made by this module's checks only.
#[derive(Clone, Debug)]
pub struct Certified(Evidence);

/// Checked evidence.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// No run reaches the error location.
    Holds {
        /// The proof that was shown.
        proof: Proof,
        /// Obligations that a fresh solver has shown on the unreduced model.
        obligations: Vec<Obligation>,
    },
    /// The interpreter shows the violation, in the last of these cycles.
    Violated {
        /// Inputs of the run.
        cycles: Vec<CycleInputs>,
        /// The assertion or fault, if the requirement has a place in the code.
        place: Option<Span>,
    },
    /// Run to the error location of a published model, executed on the model as it is written.
    Reached(Run),
}

impl Certified {
    /// Checks a proof with a fresh solver on the unreduced CFA. Parts of invariants that it does not need are left out.
    pub fn proof(pool: &ExprPool, cfa: &Cfa, proof: Proof, interrupt: &Interrupt) -> Result<Certified, Rejected> {
        Certified::with(pool, cfa, proof, Asked::Cvc5, interrupt)
    }
    /// Checks a proof in turns, as [`Certified::proof`] does. What the solver answered in earlier turns is not asked again.
    pub fn in_turns(
        pool: &ExprPool,
        cfa: &Cfa,
        proof: Proof,
        known: &KnownAnswers,
        interrupt: &Interrupt,
    ) -> Result<Certified, Rejected> {
        Certified::with(pool, cfa, proof, Asked::Known(known), interrupt)
    }
    fn with(pool: &ExprPool, cfa: &Cfa, proof: Proof, asked: Asked<'_>, interrupt: &Interrupt) -> Result<Certified, Rejected> {
        let check = |proof: &Proof| check_needed(pool, cfa, proof.clone(), asked, interrupt);
        let (proof, obligations) = with_and_without(cfa, &proof, check)?;
        Ok(Certified(Evidence::Holds { proof, obligations }))
    }
    /// Checks all parts of a proof, as [`Certified::proof`] does.
    pub fn whole_proof(pool: &ExprPool, cfa: &Cfa, proof: Proof, interrupt: &Interrupt) -> Result<Certified, Rejected> {
        let check = |proof: &Proof| Ok((proof.clone(), check_proof(pool, cfa, proof, interrupt)?));
        let (proof, obligations) = with_and_without(cfa, &proof, check)?;
        Ok(Certified(Evidence::Holds { proof, obligations }))
    }
    /// Replays a violation on the interpreter. Cycles after it are dropped.
    pub fn violation(case: &Case<'_>, mut cycles: Vec<CycleInputs>) -> Result<Certified, Replayed> {
        match case.replay(&cycles) {
            Replayed::Violated { cycle, place } => {
                cycles.truncate(cycle + 1);
                Ok(Certified(Evidence::Violated { cycles, place }))
            }
            other @ (Replayed::Held | Replayed::Ended { .. } | Replayed::Excluded { .. } | Replayed::Unfit(_)) => Err(other),
        }
    }
    /// Follows a violation in a published model.
    pub fn reached(model: &theta::Model, trace: &Trace) -> Result<Certified, NoRun> {
        theta::replay::follow(model, &trace.cycles).map(|run| Certified(Evidence::Reached(run)))
    }
    /// Returns the evidence.
    pub fn evidence(&self) -> &Evidence {
        &self.0
    }
}
