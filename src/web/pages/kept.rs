//! Counterexamples that are kept with a reason, and taken back.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};

use crate::report::comparison::is_broken;
use crate::report::outcome::Problem;
use crate::report::verdict_class::VerdictClass;
use crate::store::projects::findings::NewFinding;
use crate::web::error::WebError;
use crate::web::read::FormBody;
use crate::web::state::AppState;
use crate::web::{actor, job, project};

/// Longest reason.
const MAX_REASON_CHARS: usize = 1000;

fn mistake(message: &str) -> WebError {
    WebError::Specification(vec![Problem::new("/reason", message)])
}

/// Answers `POST /runs/{id}/requirements/{number}/kept`: keeps the counterexample with a reason.
pub(crate) async fn keep(
    State(state): State<AppState>,
    Path((id, number)): Path<(String, usize)>,
    FormBody(fields): FormBody,
) -> Result<Response, WebError> {
    let field = |name: &str| fields.iter().find(|(of, _)| of == name).map_or("", |(_, value)| value.trim());
    let stored = job::find(&state, &id).await?;
    let outcome = job::outcome(&state, &stored).await?;
    let missing = || WebError::NotFound("requirement of that number in this run".into());
    let result = number.checked_sub(1).and_then(|at| outcome.results.get(at)).ok_or_else(missing)?;
    let projects = state.store.projects_of(&id).await?;
    let found = projects.into_iter().find(|(project, _)| project == field("project"));
    let (project, _) = found.ok_or_else(|| WebError::NotFound("project with this run".into()))?;
    let reason: String = field("reason").chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_REASON_CHARS).collect();
    if reason.is_empty() {
        return Err(mistake("A counterexample is kept only with a reason."));
    }
    if !is_broken(VerdictClass::of(result)) {
        return Err(mistake("Only a broken requirement can be kept."));
    }
    let Some(cone) = result.cone.clone() else {
        return Err(mistake("This run does not know which code decides the requirement: check the version again first."));
    };
    let new = NewFinding {
        statement: project::digest(result),
        requirement: result.id.clone(),
        cone,
        job: id.clone(),
        reason,
        changed_by: actor::name(),
    };
    state.store.keep_finding(&project, new).await?;
    Ok(Redirect::to(&format!("/runs/{id}/requirements/{number}")).into_response())
}

/// Answers `POST /projects/{id}/findings/{finding}/end`: takes a finding back.
pub(crate) async fn end(State(state): State<AppState>, Path((id, finding)): Path<(String, i64)>) -> Result<Response, WebError> {
    if !state.store.end_finding(&id, finding).await? {
        return Err(WebError::NotFound("kept finding of this project that counts".into()));
    }
    Ok(Redirect::to(&format!("/projects/{id}#kept")).into_response())
}
