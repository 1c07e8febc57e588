//! Outcomes: everything that is known after a run.

use rusqlite::OptionalExtension;

use super::{Store, StoreError};

impl Store {
    /// A job's outcome as JSON, if it has one. It is written by [`Store::finish_job`], together with the job's end.
    pub async fn outcome(&self, job: &str) -> Result<Option<String>, StoreError> {
        let job = job.to_string();
        self.call(move |c| Ok(c.query_row("SELECT json FROM outcomes WHERE job = ?1", [job], |r| r.get(0)).optional()?)).await
    }
}
