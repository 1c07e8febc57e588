//! Stored evidence: the content of a certificate, as a result keeps it, tried again on later versions of the program.
//!
//! A changed program gives the same names to unchanged parts. **Invariant:** stored evidence is never believed.
//! [`StoredEvidence::check`] certifies it for the present program like the evidence of an engine.

use std::collections::BTreeMap;

use plc_frontend::hir::Leaf;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::express::proof;
use super::model_run::ModelRun;
use super::violation::InputCycle;
use super::write::stated;
use crate::certify::{Certified, Evidence};
use crate::replay::{Case, CycleInputs};
use kernel::cfa::Cfa;
use kernel::expr::ExprPool;
use kernel::smt::Interrupt;
use kernel::verdict::Proof;

/// Content of a certificate: a result keeps it, and a file is written of it on request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoredEvidence {
    /// The kind of proof and its invariants, in SMT-LIB.
    Proof(String),
    /// Inputs of each cycle; the violation is in the last one.
    Run(Vec<InputCycle>),
    /// Values that the text of a published model leaves open, edge by edge.
    ModelRun(ModelRun),
}

/// The present question: the unreduced automaton, and the case that replays a violation.
pub struct Question<'a> {
    /// The automaton's pool.
    pub pool: &'a ExprPool,
    /// The unreduced automaton.
    pub cfa: &'a Cfa,
    /// The program with the claim.
    pub case: &'a Case<'a>,
    /// Least and greatest time between cycles, in nanoseconds.
    pub dt_ns: (i64, i64),
}

/// Cycles of the longest stored run that is tried.
const MOST_CYCLES: usize = 100_000;

impl StoredEvidence {
    /// Returns the evidence of a certified answer about the program of `cfa`; `None` for a proof that names other variables.
    pub fn of(certified: &Certified, pool: &ExprPool, cfa: &Cfa) -> Option<StoredEvidence> {
        match certified.evidence() {
            Evidence::Holds { proof, .. } => stated(pool, cfa, proof).ok().map(StoredEvidence::Proof),
            Evidence::Violated { cycles, .. } => Some(StoredEvidence::Run(cycles.iter().map(InputCycle::of).collect())),
            Evidence::Reached(_) => None,
        }
    }

    /// Certifies the evidence for the present question; `None` if that fails.
    ///
    /// Cost:      reading is linear; then one certification, or one interpreted run.
    /// Soundness: that of the evidence of an engine; no part of the evidence is taken for granted.
    pub fn check(&self, question: &Question<'_>, interrupt: &Interrupt) -> Option<Certified> {
        match self.read(question)? {
            Guess::Proof(proof) => Certified::whole_proof(question.pool, question.cfa, proof, interrupt).ok(),
            Guess::Run(cycles) => Certified::violation(question.case, cycles).ok(),
        }
    }

    /// Reads the evidence as that of the present question, without a check; `None` if it does not fit.
    pub(crate) fn read(&self, question: &Question<'_>) -> Option<Guess> {
        match self {
            StoredEvidence::Proof(stated) => proof(question.pool, question.cfa, stated).ok().map(Guess::Proof),
            StoredEvidence::Run(cycles) if cycles.len() <= MOST_CYCLES => {
                inputs(cycles, question.case, question.dt_ns).map(Guess::Run)
            }
            StoredEvidence::Run(_) | StoredEvidence::ModelRun(_) => None,
        }
    }
}

/// Evidence that was read and not checked.
pub(crate) enum Guess {
    /// A proof.
    Proof(Proof),
    /// Inputs of a violation.
    Run(Vec<CycleInputs>),
}

/// Returns the inputs of a run; `None` for a time between cycles that the model does not have, or a value that does not fit.
fn inputs(cycles: &[InputCycle], case: &Case<'_>, dt_ns: (i64, i64)) -> Option<Vec<CycleInputs>> {
    let leaves: BTreeMap<String, Leaf> = case.project.leaves().into_iter().map(|leaf| (leaf.name.clone(), leaf)).collect();
    cycles.iter().map(|cycle| cycle.read(&leaves).ok().filter(|_| cycle.fits(dt_ns))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_keeps_to_the_cycle_times_of_the_present_model() {
        let cycle = |dt_ns| InputCycle { dt_ns, inputs: BTreeMap::new() };
        let ms = |ms: i64| ms * 1_000_000;
        assert!(cycle(ms(100)).fits((ms(100), ms(100))));
        assert!(cycle(ms(100)).fits((ms(10), ms(200))));
        for dt_ns in [99_000_000, 101_000_000, 100_500_000, -100_000_000, i64::MAX, i64::MIN, 0] {
            assert!(!cycle(dt_ns).fits((ms(100), ms(100))), "{dt_ns}");
        }
    }
}
