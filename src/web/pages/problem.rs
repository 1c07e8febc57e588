//! The page that explains a kind of problem: the `type` of problem documents.

use askama::Template;
use axum::extract::Path;
use axum::response::Response;

use super::page;
use crate::web::error::WebError;
use crate::web::problem::{ProblemKind, find};

#[derive(Template)]
#[template(path = "pages/problem.html")]
struct ProblemPage {
    kind: &'static ProblemKind,
}

/// Returns `GET /problems/{slug}`
pub(crate) async fn get(Path(slug): Path<String>) -> Result<Response, WebError> {
    let kind = find(&slug).ok_or_else(|| WebError::NotFound(format!("problem named {slug}")))?;
    page(&ProblemPage { kind })
}
