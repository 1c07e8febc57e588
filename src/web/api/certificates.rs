//! Certificates of answers, written on demand.

use axum::extract::{Path, State};
use axum::response::Response;

use super::attachment;
use super::results::one;
use crate::run::job::{Task, WantedCertificate};
use crate::web::error::{ProblemDetails, WebError};
use crate::web::job::find;
use crate::web::state::AppState;
use crate::web::understand::written;

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
    let name = format!("certificate.{}", evidence.ending());
    let task = Task::Certificate(WantedCertificate::new(&result, evidence));
    let refused = |why| WebError::NotFound(format!("a certificate of {requirement}: {why}"));
    attachment(&name, written(&state, &stored, task, "certificate", refused).await?)
}
