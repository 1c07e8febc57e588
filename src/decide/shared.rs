//! What the requirements of one run do for each other: where one stays open, the runs that were found for others are tried on
//! it, and its next attempt begins with what proofs of others have shown.
//!
//! Only then: facts of others make no first attempt faster. On programs with 2 to 22 requirements over one state they cost
//! as much to check as they save, since certification and reduction are what takes the time.

use std::sync::Mutex;

use super::{Decision, Request};
use crate::cfa::model::Model;
use crate::engine::known::Known;
use crate::report::outcome::VerdictWord;
use crate::verdict::minimise::{Effort, minimise};
use crate::verdict::replay::{CycleInputs, Replayed};
use crate::verdict::{Certified, Evidence};

/// What was found in one run, under the same assumptions. Shared by all its requirements.
#[derive(Debug)]
pub struct Shared {
    /// What proofs have shown.
    pub(super) facts: Known,
    runs: Mutex<Vec<Run>>,
}

/// What the program is given, and who found it.
#[derive(Debug)]
struct Run {
    engine: Option<&'static str>,
    cycles: Vec<CycleInputs>,
}

/// Which attempt at a requirement it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// Nothing of others is in the way of a short and readable answer.
    First,
    /// The first one was in vain.
    Again,
}

/// So many are kept; long runs are replayed for a while.
const MOST_RUNS: usize = 16;
const MOST_CYCLES: usize = 20_000;

impl Shared {
    /// Nothing yet.
    pub fn new(model: &Model) -> Shared {
        let n_leaves = model.leaves.iter().map(|(_, var)| var.0 as usize + 1).max().unwrap_or_default();
        Shared { facts: Known::new(&model.pool, n_leaves), runs: Mutex::default() }
    }

    pub(super) fn learn(&self, engine: Option<&'static str>, certified: &Certified) {
        match certified.evidence() {
            Evidence::Holds { proof, .. } => self.facts.learn(proof),
            Evidence::Violated { cycles, .. } => {
                if let Ok(mut runs) = self.runs.lock()
                    && cycles.len() <= MOST_CYCLES
                    && runs.len() < MOST_RUNS
                {
                    runs.push(Run { engine, cycles: cycles.clone() });
                }
            }
        }
    }

    /// A violation by a run that was found for another requirement.
    ///
    /// Cost:      one interpreted run each; the first that breaks the claim is made shorter.
    /// Soundness: the run is certified for this claim.
    pub(super) fn violation(&self, request: &Request<'_>) -> Option<Decision> {
        let case = request.case(request.claim);
        let runs = self.runs.lock().ok()?;
        let breaks = |run: &&Run| matches!(case.replay(&run.cycles), Replayed::Violated { .. });
        let Run { engine, cycles } = runs.iter().find(breaks)?;
        let calm = minimise(&case, cycles, Effort::default()).unwrap_or_else(|| cycles.clone());
        let certified = Certified::violation(&case, calm).ok()?;
        let reason = Some("shown by a run that was found for another requirement; shorter ones may exist".to_owned());
        Some(Decision { engine: *engine, reason, ..Decision::certified(certified) })
    }
}

/// Whether the search ended without an answer.
pub(super) fn is_open(word: VerdictWord) -> bool {
    match word {
        VerdictWord::Unknown | VerdictWord::HoldsBounded | VerdictWord::NotChecked => true,
        VerdictWord::Holds | VerdictWord::Vacuous | VerdictWord::Violated | VerdictWord::Cancelled | VerdictWord::Error => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Instant;

    use super::*;
    use crate::cfa::model::{ModelOptions, build};
    use crate::decide::decide;
    use crate::engine::{Pictures, default_solvers};
    use crate::smt::Interrupt;
    use crate::verdict::replay::tests::Stated;

    const PROGRAM: &str = "PROGRAM P
        VAR_INPUT go : BOOL; END_VAR
        VAR_OUTPUT n, m : INT; END_VAR
        IF go AND n < 9 THEN n := n + 1; END_IF;
        m := 2 * n;
        END_PROGRAM";

    #[test]
    fn a_run_of_one_requirement_answers_another_that_stays_open() {
        let stated =
            Stated::new(PROGRAM, "requirements: [{ never: n = 5 }, { never: m = 8 }, { never: m = 14 }, { always: n >= 0 }]");
        let model = build(&stated.loaded.project, &ModelOptions::default()).unwrap();
        let shared = Shared::new(&model);
        let ask = |n: usize, time: std::time::Duration, attempt| {
            let interrupt = Interrupt { deadline: Some(Instant::now() + time), ..Interrupt::default() };
            let request = Request {
                loaded: &stated.loaded,
                model: &model,
                claim: &stated.claims[n],
                assumptions: &stated.assumptions,
                engine: None,
                options: &BTreeMap::new(),
                interrupt: &interrupt,
                events: &|_| {},
                solvers: &default_solvers(),
                pictures: Pictures::Last,
                earlier: None,
                shared: Some((&shared, attempt)),
            };
            decide(&request).unwrap()
        };
        let (none, plenty) = (std::time::Duration::ZERO, std::time::Duration::from_secs(60));
        assert_eq!(ask(1, none, Attempt::First).word, VerdictWord::Unknown);
        assert_eq!(ask(0, plenty, Attempt::First).word, VerdictWord::Violated);
        // Five steps up lead past m = 8, not to m = 14; and nothing of it is a proof.
        let found = ask(1, none, Attempt::First);
        assert_eq!((found.word, found.safe_cycles), (VerdictWord::Violated, Some(3)));
        assert!(found.reason.unwrap().contains("found for another requirement"));
        assert_eq!(ask(2, none, Attempt::First).word, VerdictWord::Unknown);
        assert_eq!(ask(3, none, Attempt::First).word, VerdictWord::Unknown);
        // With what others have shown the answers are the same.
        assert_eq!(ask(3, plenty, Attempt::First).word, VerdictWord::Holds);
        assert_eq!(ask(3, plenty, Attempt::Again).word, VerdictWord::Holds);
        assert_eq!(ask(2, plenty, Attempt::Again).word, VerdictWord::Violated);
    }
}
