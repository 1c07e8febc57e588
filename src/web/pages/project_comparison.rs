//! Two versions of a project: verdicts, their basis, and texts that differ.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use serde::Deserialize;

use super::{filters, page};
use crate::report::comparison::text::Fate;
use crate::report::comparison::{Answer, Change};
use crate::store::projects::Project;
use crate::web::error::WebError;
use crate::web::project::{self, VersionComparison};
use crate::web::read::Parameters;
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "pages/project_comparison.html")]
struct ComparisonPage {
    project: Project,
    runs: (Option<String>, Option<String>),
    comparison: VersionComparison,
    /// Differences, counted.
    counts: Vec<(usize, &'static str)>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ComparisonQuery {
    from: Option<i64>,
    to: Option<i64>,
}

/// Answers `GET /projects/{id}/comparison`: of the last two versions, or of those that the address names.
pub(crate) async fn get(
    State(state): State<AppState>,
    Path(id): Path<String>,
    Parameters(query): Parameters<ComparisonQuery>,
) -> Result<Response, WebError> {
    let project = project::find(&state, &id).await?;
    let last = state.store.versions(&id, None, 1).await?.first().map_or(0, |version| version.number);
    let to = query.to.unwrap_or(last);
    let from = query.from.unwrap_or_else(|| to.saturating_sub(1));
    let comparison = project::comparison(&state, &id, (from, to)).await?;
    let run = async |number| project::version(&state, &id, number).await.map(|version| version.job.map(|job| job.id));
    let runs = (run(from).await?, run(to).await?);
    let mut counts: Vec<(usize, &'static str)> = Vec::new();
    for row in &comparison.verdicts.rows {
        match counts.last_mut().filter(|(_, words)| *words == row.change.words()) {
            Some((n, _)) => *n += 1,
            None => counts.push((1, row.change.words())),
        }
    }
    page(&ComparisonPage { project, runs, comparison, counts })
}

impl ComparisonPage {
    fn link(&self, run: &Option<String>, answer: &Answer) -> String {
        run.as_ref().map_or(String::new(), |run| format!("/runs/{run}/requirements/{}", answer.number))
    }
}
