//! Marks of agents: claims that their evidence did not show.

use rusqlite::params;

use super::{Store, StoreError, now_ms};

/// Mark of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentMark {
    /// Name of the agent.
    pub agent: String,
    /// Claims that their evidence did not show.
    pub refuted: u32,
    /// The last run with one.
    pub job: String,
    /// Time of the last one, milliseconds since 1970.
    pub at_ms: i64,
}

/// Most agents with a mark: names come from outside.
const MOST: u32 = 10_000;

impl Store {
    /// Adds refuted claims of a run to the mark of an agent.
    pub async fn mark_agent(&self, agent: &str, refuted: usize, job: &str) -> Result<(), StoreError> {
        let (agent, job, refuted) = (agent.to_owned(), job.to_owned(), u32::try_from(refuted).unwrap_or(u32::MAX));
        self.call(move |c| {
            c.execute(
                "INSERT INTO agents (name, refuted, job, at_ms) SELECT ?1, ?2, ?3, ?4
                 WHERE (SELECT count(*) FROM agents) < ?5 OR EXISTS (SELECT 1 FROM agents WHERE name = ?1)
                 ON CONFLICT (name) DO UPDATE SET refuted = refuted + ?2, job = ?3, at_ms = ?4",
                params![agent, refuted, job, now_ms(), MOST],
            )?;
            Ok(())
        })
        .await
    }

    /// Returns the marks by the names of agents.
    pub async fn agent_marks(&self) -> Result<Vec<AgentMark>, StoreError> {
        self.read(|c| {
            let mut query = c.prepare_cached("SELECT name, refuted, job, at_ms FROM agents ORDER BY name")?;
            let row =
                |r: &rusqlite::Row<'_>| Ok(AgentMark { agent: r.get(0)?, refuted: r.get(1)?, job: r.get(2)?, at_ms: r.get(3)? });
            let rows = query.query_map([], row)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn refuted_claims_add_up() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        for (agent, n, job) in [("b", 2, "1"), ("a", 1, "2"), ("b", 3, "3")] {
            store.mark_agent(agent, n, job).await.unwrap();
        }
        let marks = store.agent_marks().await.unwrap();
        let rows: Vec<(&str, u32, &str)> = marks.iter().map(|m| (m.agent.as_str(), m.refuted, m.job.as_str())).collect();
        assert_eq!(rows, [("a", 1, "2"), ("b", 5, "3")]);
    }
}
