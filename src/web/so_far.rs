//! Results of runs that go on: the page of a requirement opens as soon as it is decided.
//!
//! They live in memory alone: a run that is begun anew, as after a restart, has decided nothing.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::WebError;
use super::result::link_words;
use crate::report::conditions::so_far;
use crate::report::outcome::{Outcome, RequirementResult};
use crate::run::news::News;

/// Results of all runs that go on, by job.
#[derive(Debug, Default)]
pub(super) struct RunsSoFar(Mutex<BTreeMap<String, SoFar>>);

/// Results of one run.
#[derive(Debug)]
struct SoFar {
    /// Without results.
    outcome: Outcome,
    /// Every requirement before its answer.
    pending: Vec<RequirementResult>,
    /// Results in the order in which they came, without conditions of each other.
    results: Vec<RequirementResult>,
}

impl RunsSoFar {
    /// Returns a listener that keeps the news of a job.
    pub(super) fn listener(&self, job: &str) -> impl FnMut(News<'_>) + Send {
        let job = job.to_owned();
        move |news| {
            let mut runs = self.runs();
            match news {
                // Several workers of one run read the same program.
                News::Understood(outcome, pending) => {
                    runs.entry(job.clone()).or_insert_with(|| SoFar {
                        outcome: outcome.clone(),
                        pending: pending.to_vec(),
                        results: Vec::new(),
                    });
                }
                News::Result(result) | News::Lost(result) => {
                    if let Some(run) = runs.get_mut(&job) {
                        run.results.retain(|earlier| earlier.id != result.id);
                        run.results.push(result.clone());
                    }
                }
            }
        }
    }

    /// Forgets a job: its run begins, or its end is stored.
    pub(super) fn forget(&self, job: &str) {
        self.runs().remove(job);
    }

    /// Returns the requirements that are decided: id, number from 1, and the words of the link to the page.
    pub(super) fn pages(&self, job: &str) -> Vec<(String, usize, &'static str)> {
        let runs = self.runs();
        let Some(run) = runs.get(job) else { return Vec::new() };
        let number = |result: &RequirementResult| run.pending.iter().position(|pending| pending.id == result.id).map(|at| at + 1);
        run.results.iter().filter_map(|result| Some((result.id.clone(), number(result)?, link_words(result)))).collect()
    }

    /// Returns the result at a position, with its outcome; `None` if nothing is known of the run. Other results are not in the
    /// outcome.
    ///
    /// Soundness: checks without a result are conditions of the answer. So it never looks better than it ends.
    pub(super) fn result(
        &self,
        job: &str,
        position: impl Fn(&[RequirementResult]) -> Result<usize, WebError>,
    ) -> Option<Result<(Outcome, usize), WebError>> {
        let runs = self.runs();
        let run = runs.get(job)?;
        let at = match position(&run.pending) {
            Ok(at) => at,
            Err(error) => return Some(Err(error)),
        };
        let Some(result) = run.pending.get(at).and_then(|row| run.results.iter().find(|result| result.id == row.id)) else {
            return Some(Err(WebError::NotEnded("running, and this requirement is not decided yet")));
        };
        let mut outcome = run.outcome.clone();
        outcome.results = run.pending.clone();
        outcome.results[at] = so_far(&run.outcome, &run.results, result);
        Some(Ok((outcome, at)))
    }

    fn runs(&self) -> MutexGuard<'_, BTreeMap<String, SoFar>> {
        // The map is whole after every single operation.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
