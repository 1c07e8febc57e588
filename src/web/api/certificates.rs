//! Certificates: what somebody needs who does not trust a verdict, written when it is asked for.

use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::results::one;
use crate::run::job::{Job, Limits, Strategy, Task, WantedCertificate};
use crate::run::model::{Written, model};
use crate::web::error::{ProblemDetails, WebError};
use crate::web::job::{find, read};
use crate::web::state::AppState;
use crate::web::understand::{obstacles, texts};

/// The certificate of an answer: a proof in SMT-LIB, or what the program is given in each cycle of a violation, as JSON.
/// `scanproof check-certificate` checks both against the program.
#[utoipa::path(
    get, path = "/api/v1/jobs/{id}/results/{requirement}/certificate", tag = "results",
    params(("id" = String, Path), ("requirement" = String, Path)),
    responses(
        (status = 200, description = "The file", body = String, content_type = "text/plain"),
        (status = 404, description = "No such result, or it has no certificate", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Path((id, requirement)): Path<(String, String)>,
) -> Result<Response, WebError> {
    let result = one(&state, &id, &requirement).await?;
    let Some(evidence) = result.certificate.clone() else {
        return Err(WebError::NotFound(format!("a certificate of {requirement} in this run")));
    };
    let stored = find(&state, &id).await?;
    let specification = state.store.specification(&stored.specification).await?;
    let specification = specification.ok_or_else(|| WebError::Internal("the job's specification is missing".into()))?;
    let ending = evidence.ending();
    let job = Job {
        sources: texts(state.store.sources(&stored.program).await?),
        specification: read(&specification)?,
        task: Task::Certificate(WantedCertificate::new(&result, evidence)),
        limits: Limits { ..state.config.understand_limits },
        strategy: Strategy::default(),
        earlier: Vec::new(),
    };
    let _permit = state.readers.acquire().await.map_err(|_| WebError::Draining)?;
    let text = match model(&state.config.program, &job, state.shutdown.child_token()).await {
        Written::Text(text) => text,
        Written::Refused(why) => return Err(WebError::NotFound(format!("a certificate of {requirement}: {why}"))),
        Written::NotUnderstood(outcome) => {
            obstacles(&outcome)?;
            return Err(WebError::Internal("the worker understood the program and wrote nothing".into()));
        }
        Written::Failed(why) => return Err(WebError::NotReadable(format!("Writing the certificate ended early: {why}."))),
        Written::Cancelled => return Err(WebError::Draining),
    };
    let name = HeaderValue::from_str(&format!("attachment; filename=\"certificate.{ending}\""));
    let name = name.map_err(|e| WebError::Internal(e.to_string()))?;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    Ok(([(header::CONTENT_DISPOSITION, name), (header::CONTENT_TYPE, kind)], text).into_response())
}
