//! Findings shared among the requirements of one run. If a requirement stays open, the runs of the others are tried on it. Its
//! next attempt begins with the lemmas of other proofs.
//!
//! First attempts get no lemmas, because these save no time. On programs with 2 to 22 requirements over one state, checking them
//! costs as much as they save: most time goes into certification and reduction.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::{Decision, Request};
use crate::VerdictWord;
use crate::certificate::{Guess, Question, StoredEvidence};
use crate::certify::{Certified, Evidence};
use crate::replay::{CycleInputs, Replayed};
use crate::replay::{Effort, minimise};
use kernel::cfa::model::Model;
use kernel::property::fact;
use kernel::property::instrument::{instrument, model_for};
use kernel::verdict::{Argument, Proof};
use search::engine::lemma_store::LemmaStore;

/// Findings of one run, under the same assumptions. Shared by all its requirements.
#[derive(Debug)]
pub struct Shared {
    /// Lemmas of proofs.
    pub(super) facts: LemmaStore,
    runs: Mutex<Vec<Run>>,
}

/// Inputs of a run, with the engine that found it.
#[derive(Debug)]
struct Run {
    engine: Option<&'static str>,
    cycles: Vec<CycleInputs>,
}

/// Number of the attempt at a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// Without lemmas of others, for a short and readable answer.
    First,
    /// After a first attempt without an answer.
    Again,
}

/// Maximum number of stored runs, and of their cycles. All of them are replayed for every requirement that stays open.
const MOST_RUNS: usize = 16;
const MOST_CYCLES: usize = 20_000;
/// Maximum time for trying runs, and again for shortening one, after the time of the requirement itself is over.
const PATIENCE: Duration = Duration::from_millis(100);

impl Shared {
    /// Returns an empty collection.
    pub fn new(model: &Model) -> Shared {
        let n_leaves = model.leaves.iter().map(|(_, var)| var.0 as usize + 1).max().unwrap_or_default();
        Shared { facts: LemmaStore::new(&model.pool, n_leaves), runs: Mutex::default() }
    }

    pub(super) fn learn(&self, engine: Option<&'static str>, certified: &Certified) {
        match certified.evidence() {
            Evidence::Holds { proof, .. } => self.facts.learn(proof),
            Evidence::Reached(_) => {}
            Evidence::Violated { cycles, .. } => self.learn_run(engine, cycles),
        }
    }

    fn learn_run(&self, engine: Option<&'static str>, cycles: &[CycleInputs]) {
        let Ok(mut runs) = self.runs.lock() else { return };
        let n_cycles = runs.iter().map(|run| run.cycles.len()).sum::<usize>() + cycles.len();
        let is_new = runs.iter().all(|run| run.cycles != *cycles);
        if is_new && n_cycles <= MOST_CYCLES && runs.len() < MOST_RUNS {
            runs.push(Run { engine, cycles: cycles.to_vec() });
        }
    }

    /// Adds evidence that another machine has found for an answer to this request.
    ///
    /// Soundness: nothing of it is taken for granted. Lemmas are checked before engines get them, and runs are certified.
    pub fn hear(&self, request: &Request<'_>, evidence: &StoredEvidence) {
        let project = &request.loaded.project;
        let Ok(model) = model_for(project, request.model, request.claim) else { return };
        let Ok(instrumented) = instrument(project, &model, request.claim, request.assumptions) else { return };
        let (cfa, case) = (instrumented.strict_cfa(), request.case(request.claim));
        let question = Question { pool: &instrumented.pool, cfa: &cfa, case: &case, dt_ns: request.dt_ns() };
        match evidence.read(&question) {
            Some(Guess::Proof(proof)) => self.facts.learn(&proof),
            Some(Guess::Run(cycles)) => self.learn_run(None, &cycles),
            None => {}
        }
    }

    /// Adds a requirement that holds as a lemma.
    pub(super) fn learn_claim(&self, request: &Request<'_>) {
        if let Some((pool, fact)) = fact::at_the_head(&request.loaded.project, request.model, request.claim) {
            let argument = Argument::Inductive(BTreeMap::from([(request.model.cfa.head, fact)]));
            self.facts.learn(&Proof { pool, argument });
        }
    }

    /// Returns whether another attempt would have lemmas.
    pub fn knows_facts(&self) -> bool {
        !self.facts.is_empty()
    }

    /// Returns a violation by a run that was found for another requirement.
    ///
    /// Cost:      one interpreted run each; the first that breaks the claim is made shorter.
    /// Stops:         when the time is over, no further run begins; the present one ends.
    /// Soundness: the run is certified for this claim, under its assumptions, with cycle times that its model has.
    pub(super) fn violation(&self, request: &Request<'_>) -> Option<Decision> {
        let case = request.case(request.claim);
        let now = Instant::now();
        let left = request.search.interrupt.deadline.map_or(PATIENCE, |end| end.saturating_duration_since(now).max(PATIENCE));
        let (least, greatest) = request.dt_ns();
        let runs = self.runs.lock().ok()?;
        let may_be = |run: &&Run| run.cycles.iter().all(|cycle| (least..=greatest).contains(&cycle.dt_ns));
        let in_time = runs.iter().filter(may_be).enumerate().take_while(|(nth, _)| *nth == 0 || now.elapsed() < left);
        let breaks = |run: &&Run| matches!(case.replay(&run.cycles), Replayed::Violated { .. });
        let Run { engine, cycles } = in_time.map(|(_, run)| run).find(breaks)?;
        let effort = Effort { time: left.min(Effort::default().time), ..Effort::default() };
        let calm = minimise(&case, cycles, effort).unwrap_or_else(|| cycles.clone());
        let certified = Certified::violation(&case, calm).ok()?;
        let reason = Some("shown by a run that was found for another requirement; shorter ones may exist".to_owned());
        Some(Decision { engine: *engine, reason, ..Decision::certified(certified) })
    }
}

/// Returns whether the search ended without an answer.
pub(super) fn is_open(word: VerdictWord) -> bool {
    match word {
        VerdictWord::Unknown | VerdictWord::HoldsBounded | VerdictWord::NotChecked => true,
        VerdictWord::Holds | VerdictWord::Vacuous | VerdictWord::Violated | VerdictWord::Cancelled | VerdictWord::Error => false,
    }
}

#[cfg(test)]
mod tests;
