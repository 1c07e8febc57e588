//! The proof of a requirement: what it means, how it was found, why it holds, and what it rests on.

use askama::Template;
use axum::response::Response;

use super::{duration, page};
use crate::report::outcome::{ProofSummary, RequirementResult, VerdictWord};
use crate::web::error::WebError;
use crate::web::result::Around;

#[derive(Template)]
#[template(path = "pages/proof.html")]
struct ProofPage<'a> {
    around: &'a Around,
    result: &'a RequirementResult,
    proof: &'a ProofSummary,
    /// The invariant's parts, each once, short ones first.
    invariant: Vec<&'a str>,
    took: String,
    checked_ms: u64,
    /// It proves that what was asked for is impossible.
    is_impossible: bool,
}

/// Parts of an invariant that are shown at once.
const SHOWN: usize = 8;

/// The page of a requirement that holds.
pub(crate) fn show(around: &Around, proof: &ProofSummary) -> Result<Response, WebError> {
    let checked_ms = proof.obligations.iter().map(|o| o.duration_ms).sum();
    let mut invariant: Vec<&str> = Vec::new();
    for part in &proof.invariant {
        if !invariant.contains(&part.as_str()) {
            invariant.push(part);
        }
    }
    invariant.sort_by_key(|part| part.chars().count());
    page(&ProofPage {
        around,
        result: around.result(),
        proof,
        invariant,
        took: duration(around.result().duration_ms),
        checked_ms,
        is_impossible: around.result().verdict == VerdictWord::Violated,
    })
}
