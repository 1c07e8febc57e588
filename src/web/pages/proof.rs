//! The proof of a requirement: what it means, how it was found, why it holds, and what it rests on.

use askama::Template;
use axum::response::Response;

use super::{duration, page};
use crate::report::outcome::{ProofSummary, RequirementResult};
use crate::web::error::WebError;
use crate::web::result::Around;

#[derive(Template)]
#[template(path = "pages/proof.html")]
struct ProofPage<'a> {
    around: &'a Around,
    result: &'a RequirementResult,
    proof: &'a ProofSummary,
    took: String,
    checked_ms: u64,
}

/// The page of a requirement that holds.
pub(crate) fn show(around: &Around, proof: &ProofSummary) -> Result<Response, WebError> {
    let checked_ms = proof.obligations.iter().map(|o| o.duration_ms).sum();
    page(&ProofPage { around, result: around.result(), proof, took: duration(around.result().duration_ms), checked_ms })
}
