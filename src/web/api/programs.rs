//! Programs: upload, look, and their imports.

use axum::Json;
use axum::extract::{FromRequest, Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::report::outcome::Import;
use crate::store::programs::{Program, Source};
use crate::web::error::{ProblemDetails, WebError};
use crate::web::imports;
use crate::web::job::rfc3339;
use crate::web::read::{FormParts, JsonBody, media_type};
use crate::web::state::AppState;
use crate::web::upload::{self, Upload, program_label};

/// A program to keep.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub(crate) struct NewProgram {
    /// Label; the first file's name if absent.
    label: Option<String>,
    /// Its source files.
    #[schema(min_items = 1, max_items = 2000)]
    files: Vec<NewFile>,
}

/// A source file.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct NewFile {
    /// Its relative path. It is a label, never opened; `..`, a root and backslashes are taken out.
    #[schema(min_length = 1)]
    name: String,
    /// Its text.
    text: String,
}

/// Files as multipart/form-data.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only its schema is used: it documents the form that a browser or curl sends")]
pub(crate) struct UploadForm {
    /// Any number of source files.
    #[schema(value_type = Vec<String>, format = Binary, required = false)]
    file: Vec<Vec<u8>>,
    /// A program text instead of files, or beside them.
    paste: Option<String>,
    /// Label.
    label: Option<String>,
}

/// A program.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProgramView {
    /// SHA-256 over its names and texts.
    id: String,
    /// Label.
    label: String,
    /// When it was first uploaded, RFC 3339.
    created: String,
    /// Of all texts together.
    size_bytes: i64,
    /// Its files.
    files: Vec<FileView>,
    /// Links.
    links: ProgramLinks,
}

/// A file of a program.
#[derive(Debug, Serialize, ToSchema)]
struct FileView {
    /// Its name.
    name: String,
    /// Its text.
    text: String,
    /// Encoding of its bytes, where that had to be guessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Links of a program.
#[derive(Debug, Serialize, ToSchema)]
struct ProgramLinks {
    /// Import.
    import: String,
    /// Its page.
    page: String,
}

/// Import of a program.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ImportView {
    /// Id of the program.
    program: String,
    /// POUs, variables, gaps, findings.
    import: Import,
    /// A run is possible: no finding is an error.
    verifiable: bool,
}

fn view(program: Program, sources: Vec<Source>) -> ProgramView {
    ProgramView {
        links: ProgramLinks {
            import: format!("/api/v1/programs/{}/import", program.id),
            page: format!("/programs/{}", program.id),
        },
        id: program.id,
        label: program.label,
        created: rfc3339(program.created_ms),
        size_bytes: program.size_bytes,
        files: sources.into_iter().map(|s| FileView { name: s.name, text: s.text, note: s.note }).collect(),
    }
}

/// Keeps a program, as JSON or as multipart/form-data (`file`, `paste`, `label`).
#[utoipa::path(
    post, path = "/api/v1/programs", tag = "programs",
    request_body(content((NewProgram = "application/json"), (UploadForm = "multipart/form-data"))),
    responses(
        (status = 201, description = "Kept; Location is its address", body = ProgramView),
        (status = 200, description = "This very program was known already; it takes the label, if one is given", body = ProgramView),
        (status = 400, description = "Cannot be read", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 413, description = "More than 20 MB", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 415, description = "Neither JSON nor a form", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "No file, or a file without a name", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 503, description = "Too many uploads at once", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn create(State(state): State<AppState>, request: Request) -> Result<Response, WebError> {
    let (label, sources) = if media_type(&request).as_deref() == Some("multipart/form-data") {
        let FormParts(form) = FormParts::from_request(request, &state).await?;
        let upload = Upload::read(form).await?;
        (upload.label, upload.sources)
    } else {
        let JsonBody(new): JsonBody<NewProgram> = JsonBody::from_request(request, &state).await?;
        let sources = new
            .files
            .into_iter()
            .map(|f| Source { name: upload::path_label(&f.name), text: f.text, note: None })
            .collect::<Vec<_>>();
        upload::check(&sources)?;
        (new.label.map(|l| upload::given_label(&l)).filter(|l| !l.is_empty()), sources)
    };
    let label = program_label(label, &sources);
    let (program, new) = crate::web::quota::keep(&state, label, sources.clone()).await?;
    let status = if new { StatusCode::CREATED } else { StatusCode::OK };
    let location = HeaderValue::from_str(&format!("/api/v1/programs/{}", program.id));
    let location = location.map_err(|e| WebError::Internal(e.to_string()))?;
    Ok((status, [(header::LOCATION, location)], Json(view(program, sources))).into_response())
}

/// A program with its files. It never changes.
#[utoipa::path(
    get, path = "/api/v1/programs/{id}", tag = "programs", params(("id" = String, Path)),
    responses(
        (status = 200, body = ProgramView),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(State(state): State<AppState>, Path(id): Path<String>) -> Result<Json<ProgramView>, WebError> {
    let program = find(&state, &id).await?;
    let sources = state.store.sources(&id).await?;
    Ok(Json(view(program, sources)))
}

/// Import of a program: POUs, variables, constructs that are not modelled exactly, findings.
#[utoipa::path(
    get, path = "/api/v1/programs/{id}/import", tag = "programs", params(("id" = String, Path)),
    responses(
        (status = 200, body = ImportView),
        (status = 404, body = ProblemDetails, content_type = "application/problem+json"),
        (status = 422, description = "The program could not be read within the limits", body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn import(State(state): State<AppState>, Path(id): Path<String>) -> Result<Json<ImportView>, WebError> {
    let program = find(&state, &id).await?;
    let outcome = imports::program(&state, &program).await?;
    let verifiable = outcome.import.is_understood();
    Ok(Json(ImportView { program: program.id, import: outcome.import, verifiable }))
}

/// Returns the program of that id.
pub(crate) async fn find(state: &AppState, id: &str) -> Result<Program, WebError> {
    state.store.program(id).await?.ok_or_else(|| WebError::NotFound(format!("program {id}")))
}
