//! Agents of a fleet with their marks, for the page and the API.

use super::error::WebError;
use super::state::AppState;
use crate::fleet::dispatcher::Fleet;
use crate::fleet::registry::Agent;
use crate::store::agents::AgentMark;

/// An agent with its mark.
pub(super) struct AgentRow {
    /// As it says of itself.
    pub(super) agent: Agent,
    /// Claims that were refuted.
    pub(super) mark: Option<AgentMark>,
}

/// Returns the agents by name.
pub(super) async fn agents(state: &AppState, fleet: &Fleet) -> Result<Vec<AgentRow>, WebError> {
    let marks = state.store.agent_marks().await?;
    let mark = |name: &str| marks.iter().find(|mark| mark.agent == name).cloned();
    Ok(fleet.agents().into_iter().map(|agent| AgentRow { mark: mark(&agent.sign.agent), agent }).collect())
}
