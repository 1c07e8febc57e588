//! One requirement of a run, and the page that shows it: counterexample, proof, or neither.

use axum::extract::{Path, State};
use axum::response::Response;
use serde::Deserialize;

use super::pages::{counterexample, proof, undecided};
use crate::report::address::encoded;
use crate::report::comparison::is_broken;
use crate::report::outcome::{Outcome, RequirementResult};
use crate::report::suggestion::{NoAssumption, assumption};
use crate::report::timeline::part;
use crate::report::verdict_class::VerdictClass;
use crate::store::jobs::StoredJob;
use crate::web::error::WebError;
use crate::web::job;
use crate::web::read::Parameters;
use crate::web::state::AppState;
use answer::VerdictWord;

/// Job, outcome and number of a requirement, for the pages about it.
pub(crate) struct RequirementContext {
    pub(crate) job: StoredJob,
    pub(crate) outcome: Outcome,
    /// From 1.
    pub(crate) number: usize,
    /// Ids and names of the projects that have the run.
    pub(crate) projects: Vec<(String, String)>,
}

impl RequirementContext {
    pub(crate) fn result(&self) -> &RequirementResult {
        &self.outcome.results[self.number - 1]
    }
    /// Returns the style class of the colour of the answer.
    pub(crate) fn css(&self) -> &'static str {
        VerdictClass::of(self.result()).colour().css()
    }
    /// Returns the lines of the program text that the requirement is about, with their numbers; the first ones of many.
    pub(crate) fn excerpt(&self) -> Vec<(u32, String)> {
        const LINES: usize = 6;
        let Some(place) = &self.result().place else { return Vec::new() };
        let text = place.source.and_then(|at| self.outcome.sources.get(at)).map(|source| source.text.as_str());
        let lines = text.unwrap_or_default().lines().zip(1u32..).skip(place.line.saturating_sub(1) as usize);
        let wanted = lines.take_while(|(_, number)| *number <= place.end_line).take(LINES);
        wanted.map(|(line, number)| (number, line.to_owned())).collect()
    }
    /// Returns an assumption that excludes the counterexample, with the form of the program that has it; else the reason for none.
    pub(crate) fn suggestion(&self) -> Result<(String, String), &'static str> {
        let (result, variables) = (self.result(), &self.outcome.import.variables);
        let run = result.counterexample.as_ref().filter(|_| result.verdict == VerdictWord::Violated);
        let expression = assumption(run.ok_or_else(|| NoAssumption::NoCause.words())?, variables).map_err(NoAssumption::words)?;
        let (program, specification) = (&self.job.program, &self.job.specification);
        let assumed = encoded(&expression, false);
        let address =
            format!("/programs/{program}?specification={specification}&run={}&assume={assumed}#assumptions", self.job.id);
        Ok((expression, address))
    }
    /// Returns whether the run has ended. If not, other results may still add conditions to this one or take some away.
    pub(crate) fn has_ended(&self) -> bool {
        self.job.state.is_final()
    }
    /// Returns whether the counterexample can be kept with a reason.
    pub(crate) fn can_be_kept(&self) -> bool {
        self.has_ended() && self.result().cone.is_some() && is_broken(VerdictClass::of(self.result()))
    }
    /// Returns the exploration as a part of a page.
    pub(crate) fn exploration(&self) -> Option<String> {
        let files = format!("/api/v1/jobs/{}/results/{}/graphs/", self.job.id, self.number);
        self.result().exploration.as_ref().map(|exploration| part(exploration, "explored", &files))
    }
}

/// Returns the words of a link to the page of a result.
pub(crate) fn link_words(result: &RequirementResult) -> &'static str {
    match (&result.counterexample, &result.proof, result.verdict) {
        (Some(_), _, VerdictWord::Holds) => "the run",
        (Some(_), _, _) => "see why",
        (None, Some(_), _) => "the proof",
        (None, None, _) => "what is known",
    }
}

/// Part of a counterexample to show.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ResultQuery {
    /// Number of the cycle; the last if absent.
    pub(crate) cycle: Option<u32>,
    /// 1: every variable; 2: values at calls of stubs, too.
    pub(crate) all: Option<u8>,
    /// 1: all of the code.
    pub(crate) code: Option<u8>,
    /// 1: every cycle as a row, for printing.
    pub(crate) print: Option<u8>,
    /// The instance whose networks are shown.
    pub(crate) instance: Option<String>,
}

/// Answers `GET /runs/{id}/requirements/{number}`
pub(crate) async fn get(
    State(state): State<AppState>,
    Path((id, number)): Path<(String, String)>,
    Parameters(query): Parameters<ResultQuery>,
) -> Result<Response, WebError> {
    let position = |results: &[RequirementResult]| {
        let at = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).filter(|at| *at < results.len());
        at.ok_or_else(|| WebError::NotFound("requirement of that number in this run".into()))
    };
    let (job, outcome, at) = job::result(&state, &id, position).await?;
    let projects = state.store.projects_of(&job.id).await?;
    let context = RequirementContext { job, outcome, number: at + 1, projects };
    match (&context.result().counterexample, &context.result().proof) {
        (Some(cex), _) => counterexample::show(&context, cex, query),
        (None, Some(proof)) => proof::show(&context, proof),
        (None, None) => undecided::show(&context),
    }
}
