//! Outcomes: everything that is known after a run.

use rusqlite::OptionalExtension;

use super::{Store, StoreError};

impl Store {
    /// Returns a job's outcome as JSON, if it has one. It is written by [`Store::finish_job`], together with the job's end.
    pub async fn outcome(&self, job: &str) -> Result<Option<String>, StoreError> {
        let job = job.to_string();
        self.read(move |c| Ok(c.query_row("SELECT json FROM outcomes WHERE job = ?1", [job], |r| r.get(0)).optional()?)).await
    }

    /// Returns the outcome of the last run of the same project that finished before this one; `None` if it was started for none.
    pub async fn outcome_before_in_project(&self, job: &str) -> Result<Option<String>, StoreError> {
        let job = job.to_string();
        self.read(move |c| {
            let query = "SELECT json FROM outcomes WHERE job = (
                 SELECT other.id FROM jobs JOIN version_jobs v ON v.project = jobs.for_project JOIN jobs other ON other.id = v.job
                 WHERE jobs.id = ?1 AND other.state = 'succeeded' AND other.id < ?1 ORDER BY other.id DESC LIMIT 1)";
            Ok(c.query_row(query, [job], |r| r.get(0)).optional()?)
        })
        .await
    }

    /// Returns the outcome of the last job before this one that finished with a program of this label.
    pub async fn outcome_before(&self, job: &str, label: &str) -> Result<Option<String>, StoreError> {
        let key = (job.to_string(), label.to_string());
        self.read(move |c| {
            let query = "SELECT json FROM outcomes WHERE job = (
                 SELECT jobs.id FROM jobs JOIN programs ON programs.id = program
                 WHERE label = ?2 AND state = 'succeeded' AND jobs.id < ?1 ORDER BY jobs.id DESC LIMIT 1)";
            Ok(c.query_row(query, [key.0, key.1], |r| r.get(0)).optional()?)
        })
        .await
    }
}
