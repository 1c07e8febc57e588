//! Agents of a fleet.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::fleet::message::Work;
use crate::web::agents::{AgentRow, agents};
use crate::web::error::WebError;
use crate::web::state::AppState;

/// The agents of this service.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Agents {
    /// Reason why the broker takes no runs; absent if it does, or if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
    /// Runs at the broker and its agents.
    at_agents: usize,
    /// Each by its name. What an agent says of itself is not checked.
    agents: Vec<AgentView>,
}

/// An agent.
#[derive(Debug, Serialize, ToSchema)]
struct AgentView {
    /// Its name.
    name: String,
    /// `ready`, `draining`, `other_build` or `away`.
    state: &'static str,
    /// Version of the tool.
    version: String,
    /// Solvers with their versions.
    solvers: String,
    /// Runs that it does at the same time.
    slots: u32,
    /// Processor cores.
    cores: u32,
    /// Memory of one run, in MiB.
    memory_mb: u32,
    /// Labels that runs may ask for, as `strategy.agent.label`.
    labels: Vec<String>,
    /// Milliseconds since its last sign of life, by the clock of the service.
    silent_ms: u64,
    /// Runs at work.
    jobs: Vec<AgentJob>,
    /// Runs that it has ended since it began.
    ended: u64,
    /// Mean time of their work in milliseconds; absent before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_ms: Option<u64>,
    /// Claims that their evidence did not show. No such claim was shown.
    refuted_claims: u32,
    /// The last run with such a claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    refuted_in: Option<String>,
}

/// Run at an agent.
#[derive(Debug, Serialize, ToSchema)]
struct AgentJob {
    /// Id of the run; `bench-` and an id for a cell of a bench.
    job: String,
    /// Number of its start.
    attempt: u32,
    /// Part of it: 0 is the whole run, others help with it.
    part: u32,
}

fn view(row: AgentRow) -> AgentView {
    let (agent, mark) = (row.agent, row.mark);
    let job = |work: &Work| AgentJob { job: work.job.clone(), attempt: work.attempt, part: work.part };
    let jobs = agent.sign.jobs.iter().map(job).collect();
    AgentView {
        name: agent.sign.agent.clone(),
        state: agent.state.word(),
        version: agent.sign.build.version.clone(),
        solvers: agent.sign.build.solvers.clone(),
        slots: agent.sign.slots,
        cores: agent.sign.cores,
        memory_mb: agent.sign.memory_mb,
        labels: agent.sign.labels.clone(),
        silent_ms: u64::try_from(agent.silent.as_millis()).unwrap_or(u64::MAX),
        jobs,
        ended: agent.sign.n_ended,
        mean_ms: agent.sign.worked_ms.checked_div(agent.sign.n_ended),
        refuted_claims: mark.as_ref().map_or(0, |mark| mark.refuted),
        refuted_in: mark.map(|mark| mark.job),
    }
}

/// The agents that do runs of this service. Without a broker there are none.
#[utoipa::path(get, path = "/api/v1/agents", tag = "operation", responses((status = 200, description = "All of them", body = Agents)))]
pub(crate) async fn list(State(state): State<AppState>) -> Result<Json<Agents>, WebError> {
    let Some(fleet) = &state.fleet else { return Ok(Json(Agents { trouble: None, at_agents: 0, agents: Vec::new() })) };
    let rows = agents(&state, fleet).await?;
    Ok(Json(Agents { trouble: fleet.refusal(), at_agents: fleet.n_out(), agents: rows.into_iter().map(view).collect() }))
}
