//! Agents of a fleet: the table.

use askama::Template;
use axum::extract::State;
use axum::response::Response;

use super::{duration, page};
use crate::fleet::registry::AgentState;
use crate::web::agents::agents;
use crate::web::error::WebError;
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "pages/agents.html")]
struct AgentsPage {
    /// A broker is set.
    has_broker: bool,
    trouble: Option<String>,
    at_agents: usize,
    rows: Vec<Row>,
}

struct Row {
    name: String,
    state: &'static str,
    is_ready: bool,
    slots: u32,
    /// Id of each run, and whether the agent helps with it.
    jobs: Vec<(String, bool)>,
    /// Number of cells of benches at work.
    n_cells: usize,
    version: String,
    machine: String,
    labels: String,
    silent: String,
    speed: String,
    refuted: Option<(u32, String)>,
}

/// Returns the words of a state.
fn words(state: AgentState) -> &'static str {
    match state {
        AgentState::Ready => "ready",
        AgentState::Draining => "ends its runs and takes no others",
        AgentState::OtherBuild => "takes no runs: its version or its solvers differ from those of this service",
        AgentState::Away => "away",
    }
}

/// Answers `GET /agents`
pub(crate) async fn get(State(state): State<AppState>) -> Result<Response, WebError> {
    let Some(fleet) = &state.fleet else {
        return page(&AgentsPage { has_broker: false, trouble: None, at_agents: 0, rows: Vec::new() });
    };
    let row = |row: crate::web::agents::AgentRow| {
        let (agent, sign) = (&row.agent, &row.agent.sign);
        let speed = match sign.worked_ms.checked_div(sign.n_ended) {
            Some(mean) => format!("{} runs, {} each", sign.n_ended, duration(mean)),
            None => "no run yet".to_owned(),
        };
        Row {
            name: sign.agent.clone(),
            state: words(agent.state),
            is_ready: agent.state == AgentState::Ready,
            slots: sign.slots,
            jobs: sign.jobs.iter().filter(|work| !work.is_cell()).map(|work| (work.job.clone(), work.part != 0)).collect(),
            n_cells: sign.jobs.iter().filter(|work| work.is_cell()).count(),
            version: format!("{}, {}", sign.build.version, sign.build.solvers),
            machine: format!("{} cores, {} MB for a run", sign.cores, sign.memory_mb),
            labels: sign.labels.join(", "),
            silent: format!("{} ago", duration(u64::try_from(agent.silent.as_millis()).unwrap_or(u64::MAX))),
            speed,
            refuted: row.mark.map(|mark| (mark.refuted, mark.job)),
        }
    };
    let rows = agents(&state, fleet).await?.into_iter().map(row).collect();
    page(&AgentsPage { has_broker: true, trouble: fleet.refusal(), at_agents: fleet.n_out(), rows })
}
