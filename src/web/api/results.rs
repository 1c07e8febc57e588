//! Results of a run.

use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get as get_route;
use axum::{Json, Router};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{ContentBuilder, OpenApi, Ref, RefOr, Required, ResponseBuilder};

use crate::report::format::{Content, FileName, Part, REPORTS, ReportFormat, WantedReport, archive, format, parts};
use crate::report::outcome::{Condition, Outcome, RequirementResult};
use crate::report::signature::{SignedForm, public, sign};
use crate::report::tally::Tally;
use crate::report::verdict_class::VerdictClass;
use crate::run::job::Task;
use crate::web::error::{ProblemDetails, WebError};
use crate::web::file_name::file_name;
use crate::web::imports::{self, written};
use crate::web::job::{self, rfc3339};
use crate::web::state::AppState;
use answer::VerdictWord;

/// All verdicts of a run.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ResultList {
    /// Counted.
    tally: Tally,
    /// One per requirement.
    results: Vec<ResultSummary>,
}

/// A verdict without its evidence.
#[derive(Debug, Serialize, ToSchema)]
struct ResultSummary {
    /// Id of the requirement.
    id: String,
    /// Text.
    text: String,
    /// The answer.
    verdict: VerdictWord,
    /// The class that it is counted in.
    class: VerdictClass,
    /// The answer as a sentence.
    headline: String,
    /// Conditions of the answer that are not proved.
    conditions: Vec<Condition>,
    /// Reason for an answer without evidence; remarks about the answer.
    reason: Option<String>,
    /// Number of cycles from the start without a violation.
    safe_cycles: Option<u32>,
    /// Bound of the induction, for proofs that have one.
    k: Option<u32>,
    /// Milliseconds.
    duration_ms: u64,
    /// Its evidence.
    link: String,
}

/// All verdicts of a run that has ended.
#[utoipa::path(
    get, path = "/api/v1/jobs/{id}/results", tag = "results", params(("id" = String, Path)),
    responses(
        (status = 200, body = ResultList),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, description = "It has not ended, or without results", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn list(State(state): State<AppState>, Path(id): Path<String>) -> Result<Json<ResultList>, WebError> {
    let outcome = outcome(&state, &id).await?;
    let tally = Tally::of_outcome(&outcome);
    let summary = |(n, r): (usize, RequirementResult)| ResultSummary {
        class: VerdictClass::of(&r),
        k: r.proof.and_then(|p| p.k),
        // By number: ids are the user's words.
        link: format!("/api/v1/jobs/{id}/results/{}", n + 1),
        id: r.id,
        text: r.text,
        verdict: r.verdict,
        headline: r.headline,
        conditions: r.conditions,
        reason: r.reason,
        safe_cycles: r.safe_cycles,
        duration_ms: r.duration_ms,
    };
    Ok(Json(ResultList { tally, results: outcome.results.into_iter().enumerate().map(summary).collect() }))
}

/// One verdict with its counterexample or proof; by the requirement's id, or by its number from 1. It is there as soon as the
/// requirement is decided; until the run ends it has all conditions that it may end with, and its headline says "so far".
#[utoipa::path(
    get, path = "/api/v1/jobs/{id}/results/{requirement}", tag = "results",
    params(("id" = String, Path), ("requirement" = String, Path)),
    responses(
        (status = 200, body = RequirementResult),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Path((id, requirement)): Path<(String, String)>,
) -> Result<Json<RequirementResult>, WebError> {
    one(&state, &id, &requirement).await.map(Json)
}

/// Returns a result by the requirement's id, or by its number from 1.
pub(super) async fn one(state: &AppState, id: &str, requirement: &str) -> Result<RequirementResult, WebError> {
    let (_, mut outcome, at) = job::result(state, id, |results| position(results, requirement)).await?;
    Ok(outcome.results.swap_remove(at))
}

/// Returns the position of a requirement by its id, or by its number from 1.
pub(super) fn position(results: &[RequirementResult], requirement: &str) -> Result<usize, WebError> {
    let by_id = results.iter().position(|r| r.id == requirement);
    let at = by_id.or_else(|| requirement.parse::<usize>().ok()?.checked_sub(1));
    at.filter(|&n| n < results.len()).ok_or_else(|| WebError::NotFound(format!("requirement {requirement} in this run")))
}

/// The report of a run as JSON: its outcome.
#[utoipa::path(
    get, path = "/api/v1/jobs/{id}/report.json", tag = "results", params(("id" = String, Path)),
    responses(
        (status = 200, body = Outcome),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn report(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, WebError> {
    of_run(&state, &id, format("json").map_err(WebError::Internal)?).await
}

/// The certificate of an answer: a proof in SMT-LIB, or the inputs of each cycle of a violation as JSON.
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
pub(crate) async fn certificate(
    State(state): State<AppState>,
    Path((id, requirement)): Path<(String, String)>,
) -> Result<Response, WebError> {
    of_answer(&state, &id, &requirement, format("certificate").map_err(WebError::Internal)?).await
}

/// Returns the routes of the other formats.
///
/// `report.` stands before the ending of a format of a run, `trace.` before that of one of its cycles. Formats of an answer have their names.
pub(super) fn reports() -> Router<AppState> {
    REPORTS.iter().fold(Router::new(), |router, format| match format.content {
        Content::Run { ending, .. } if format.name != "json" => {
            let report = async move |State(state): State<AppState>, Path(id): Path<String>| of_run(&state, &id, format).await;
            router.route(&format!("/api/v1/jobs/{{id}}/report.{ending}"), get_route(report))
        }
        Content::Everything { ending } => {
            let all = async move |State(state): State<AppState>, Path(id): Path<String>| everything(&state, &id, format).await;
            router.route(&format!("/api/v1/jobs/{{id}}/report.{ending}"), get_route(all))
        }
        Content::Cycles { ending, .. } => {
            let trace = async move |State(state): State<AppState>, Path((id, requirement)): Path<(String, String)>| {
                of_cycles(&state, &id, &requirement, format).await
            };
            router.route(&format!("/api/v1/jobs/{{id}}/results/{{requirement}}/trace.{ending}"), get_route(trace))
        }
        Content::Answer { hint: Some(_), .. } if format.name != "certificate" => {
            let report = async move |State(state): State<AppState>, Path((id, requirement)): Path<(String, String)>| {
                of_answer(&state, &id, &requirement, format).await
            };
            router.route(&format!("/api/v1/jobs/{{id}}/results/{{requirement}}/{}", format.name), get_route(report))
        }
        Content::Run { .. } | Content::Answer { .. } => router,
    })
}

/// Adds these routes to the document of the API: they have no handler of their own that it could be made of.
pub(super) fn document(document: &mut OpenApi) {
    for format in REPORTS {
        let (path, summary) = match format.content {
            Content::Run { ending, .. } if format.name != "json" => {
                (format!("/api/v1/jobs/{{id}}/report.{ending}"), format!("The report of a run as {}.", format.title))
            }
            Content::Everything { ending } => {
                (format!("/api/v1/jobs/{{id}}/report.{ending}"), "All reports of a run in one file, signed.".to_owned())
            }
            Content::Cycles { ending, .. } => {
                let path = format!("/api/v1/jobs/{{id}}/results/{{requirement}}/trace.{ending}");
                (path, format!("The cycles of the run that an answer shows, as {}.", format.title))
            }
            Content::Answer { hint: Some(_), .. } if format.name != "certificate" => {
                let path = format!("/api/v1/jobs/{{id}}/results/{{requirement}}/{}", format.name);
                (path, format!("The run of an answer as {}.", format.title))
            }
            Content::Run { .. } | Content::Answer { .. } => continue,
        };
        let parameter = |name: &str| {
            let text = Schema::Object(ObjectBuilder::new().schema_type(Type::String).build());
            ParameterBuilder::new().name(name).parameter_in(ParameterIn::Path).required(Required::True).schema(Some(text))
        };
        let content = |kind: &str, schema: RefOr<Schema>| (kind.to_owned(), ContentBuilder::new().schema(Some(schema)).build());
        let answer = |words: &str, (kind, content): (String, utoipa::openapi::Content)| {
            ResponseBuilder::new().description(words).content(kind, content).build()
        };
        let of_json = format.media_type.contains("json");
        let kind_of = if of_json { Type::Object } else { Type::String };
        let file = RefOr::T(Schema::Object(ObjectBuilder::new().schema_type(kind_of).build()));
        let problem = || content("application/problem+json", Ref::from_schema_name("ProblemDetails").into());
        let kind = format.media_type.split(';').next().unwrap_or_default();
        let mut operation = OperationBuilder::new()
            .tag("results")
            .operation_id(Some(format!("report_{}", format.name)))
            .summary(Some(summary))
            .parameter(parameter("id"));
        if format.ending_of_run().is_none() {
            operation = operation.parameter(parameter("requirement"));
        }
        let operation = operation
            .response("200", answer("The file", content(kind, file)))
            .response("404", answer("There is none", problem()))
            .response("409", answer("It has not ended, or without results", problem()));
        document.paths.add_path_operation(path, vec![HttpMethod::Get], operation.build());
    }
}

async fn of_run(state: &AppState, id: &str, format: &ReportFormat) -> Result<Response, WebError> {
    let Content::Run { ending, render } = format.content else { return Err(WebError::NoRoute) };
    let stored = job::find(state, id).await?;
    let text = render(&job::outcome(state, &stored).await?).map_err(WebError::Internal)?;
    let name = file_name(state, &stored, None, &format!("report.{ending}")).await?;
    if format.name != "html" {
        return file(format, &name, text);
    }
    let seed = state.store.signing_seed().await?;
    file(format, &name, sign(&seed, text.into_bytes(), SignedForm::Html))
}

/// Returns the signed archive of all reports.
///
/// Cost: a worker for each [`Part::AT_ONCE`] reports about answers.
async fn everything(state: &AppState, id: &str, format: &ReportFormat) -> Result<Response, WebError> {
    let Content::Everything { ending } = format.content else { return Err(WebError::NoRoute) };
    let (stored, outcome) = (job::find(state, id).await?, outcome(state, id).await?);
    let mut parts = parts(&outcome, &rfc3339(stored.created_ms)).into_iter().peekable();
    let mut written = Vec::new();
    while parts.peek().is_some() {
        let some: Vec<Part> = parts.by_ref().take(Part::AT_ONCE).collect();
        let wanted = WantedReport::Several(some.iter().map(|part| part.wanted.clone()).collect());
        let refused = |why| WebError::NotFound(format!("reports of {id}: {why}"));
        let texts = imports::written(state, &stored, Task::Report(wanted), format.title, refused).await;
        // A part that is not there is listed in the archive.
        written.extend(Part::with_texts(some, texts.map_err(|e| e.to_string())));
    }
    let seed = state.store.signing_seed().await?;
    let packed = tokio::task::spawn_blocking(move || archive(&outcome, written).map(|file| sign(&seed, file, SignedForm::Zip)));
    let bytes = packed.await.map_err(|e| WebError::Internal(e.to_string()))?.map_err(WebError::Internal)?;
    file(format, &file_name(state, &stored, None, &format!("reports.{ending}")).await?, bytes)
}

/// Public key of the signatures under reports.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SigningKey {
    /// Kind of the signatures.
    algorithm: &'static str,
    /// The key in hexadecimal digits.
    key: String,
}

/// The public key that `scanproof verify-report --key` compares.
#[utoipa::path(get, path = "/api/v1/signing-key", tag = "results", responses((status = 200, body = SigningKey)))]
pub(crate) async fn signing_key(State(state): State<AppState>) -> Result<Json<SigningKey>, WebError> {
    Ok(Json(SigningKey { algorithm: "Ed25519", key: public(&state.store.signing_seed().await?) }))
}

async fn of_cycles(state: &AppState, id: &str, requirement: &str, format: &ReportFormat) -> Result<Response, WebError> {
    let Content::Cycles { ending, render, .. } = format.content else { return Err(WebError::NoRoute) };
    let (stored, outcome, at) = job::result(state, id, |results| position(results, requirement)).await?;
    let missing = || WebError::NotFound(format!("recorded run of requirement {requirement}"));
    let run = outcome.results[at].run().ok_or_else(missing)?;
    let name = file_name(state, &stored, Some(&outcome.results[at].id), &format!(".{ending}")).await?;
    file(format, &name, render(&outcome, run).map_err(WebError::Internal)?)
}

async fn of_answer(state: &AppState, id: &str, requirement: &str, format: &ReportFormat) -> Result<Response, WebError> {
    let Content::Answer { wanted, endings, has, .. } = format.content else { return Err(WebError::NoRoute) };
    let (stored, mut outcome, at) = job::result(state, id, |results| position(results, requirement)).await?;
    // A certificate names the conditions of its answer, which other answers may still change.
    if !stored.state.is_final() && !format.is_for_plc() {
        return Err(WebError::NotEnded(job::state_words(stored.state)));
    }
    let (title, result) = (format.title, outcome.results.swap_remove(at));
    let Some(evidence) = result.certificate.clone().filter(|evidence| has(&result, evidence)) else {
        return Err(WebError::NotFound(format!("{title} of {requirement} in this run")));
    };
    let ending = endings(&evidence).first().copied().unwrap_or_default();
    let name = file_name(state, &stored, Some(&result.id), &format!("{}.{ending}", format.name)).await?;
    let name = FileName { name, created: rfc3339(stored.created_ms) };
    let task = Task::Report(wanted(&result, evidence, name.clone()));
    let refused = |why| WebError::NotFound(format!("{title} of {requirement}: {why}"));
    file(format, &name.name, written(state, &stored, task, title, refused).await?)
}

fn file(format: &ReportFormat, name: &str, text: impl IntoResponse) -> Result<Response, WebError> {
    let kind = HeaderValue::from_static(format.media_type);
    super::attachment(name, ([(header::CONTENT_TYPE, kind)], text))
}

async fn outcome(state: &AppState, id: &str) -> Result<Outcome, WebError> {
    let found = job::find(state, id).await?;
    job::outcome(state, &found).await
}
