//! Graphs of a result: the automaton that was explored, and the abstract states.

use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::results::one;
use crate::report::exploration::Exploration;
use crate::web::error::{ProblemDetails, WebError};
use crate::web::state::AppState;
use kernel::draw::{Embedding, Picture};

/// A graph of a result: `cfa` the automaton that was explored, `arg` the last graph of abstract states, `arg-3` that of the third
/// iteration if it was kept (`graphs: every` in the strategy); each as `.svg`, `.dot` or `.json`.
#[utoipa::path(
    get, path = "/api/v1/jobs/{id}/results/{requirement}/graphs/{name}", tag = "results",
    params(("id" = String, Path), ("requirement" = String, Path), ("name" = String, Path)),
    responses(
        (status = 200, description = "The graph", content((Picture = "application/json"), (String = "image/svg+xml"), (String = "text/vnd.graphviz"))),
        (status = 404, description = "No engine with such a graph, or it is too large to be drawn", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 409, body = ProblemDetails, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Path((id, requirement, name)): Path<(String, String, String)>,
) -> Result<Response, WebError> {
    let missing = || WebError::NotFound(format!("graph {name} of this result"));
    let result = one(&state, &id, &requirement).await?;
    let exploration = result.exploration.ok_or_else(missing)?;
    let (stem, ending) = name.rsplit_once('.').ok_or_else(missing)?;
    let picture = find(&exploration, stem).ok_or_else(missing)?;
    let (kind, text) = match ending {
        "svg" => {
            let too_large = || WebError::NotFound(format!("drawing of {stem}: it has too many nodes; take {stem}.dot"));
            ("image/svg+xml", picture.to_svg(Embedding::Alone).ok_or_else(too_large)?)
        }
        "dot" => ("text/vnd.graphviz; charset=utf-8", picture.to_dot()),
        "json" => ("application/json", picture.to_json().to_string()),
        _ => return Err(missing()),
    };
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], text).into_response())
}

fn find<'e>(exploration: &'e Exploration, stem: &str) -> Option<&'e Picture> {
    match stem {
        "cfa" => exploration.automaton.as_ref(),
        "arg" => exploration.last_graph().map(|(_, graph)| graph),
        _ => {
            let number: u32 = stem.strip_prefix("arg-")?.parse().ok()?;
            exploration.iterations.iter().find(|step| step.number == number)?.graph.as_ref()
        }
    }
}
