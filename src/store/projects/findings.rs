//! Counterexamples that a user keeps with a reason: the requirement stays broken, and reports say why it is kept.
//!
//! **Invariant:** nothing is overwritten. A finding that is taken back keeps its row.

use rusqlite::{Connection, Row, params};

use crate::store::{Store, StoreError, now_ms};

/// Counterexample to keep.
#[derive(Clone, Debug)]
pub struct NewFinding {
    /// Hash of what the requirement states.
    pub statement: String,
    /// Id of the requirement.
    pub requirement: String,
    /// Digest of the code that can decide it.
    pub cone: String,
    /// The run.
    pub job: String,
    /// Reason of the user.
    pub reason: String,
    /// Author; empty without accounts.
    pub changed_by: String,
}

/// A kept counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFinding {
    /// Its number.
    pub id: i64,
    /// Id of the project.
    pub project: String,
    /// Hash of what the requirement states.
    pub statement: String,
    /// Id of the requirement.
    pub requirement: String,
    /// Digest of the code that can decide it.
    pub cone: String,
    /// The run.
    pub job: String,
    /// Reason of the user.
    pub reason: String,
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// Author; empty without accounts.
    pub changed_by: String,
    /// Milliseconds since 1970, once it was taken back.
    pub ended_ms: Option<i64>,
}

const COLUMNS: &str = "f.id, f.project, f.statement, f.requirement, f.cone, f.job, f.reason, f.at_ms, f.changed_by, f.ended_ms";

impl Store {
    /// Keeps a counterexample with a reason. A finding about the same statement and code ends: the newer reason counts.
    pub async fn keep_finding(&self, project: &str, new: NewFinding) -> Result<(), StoreError> {
        let project = project.to_string();
        self.call(move |c| {
            let tx = c.transaction()?;
            tx.execute(
                "UPDATE kept_findings SET ended_ms = ?4 WHERE project = ?1 AND statement = ?2 AND cone = ?3 AND ended_ms IS NULL",
                params![project, new.statement, new.cone, now_ms()],
            )?;
            tx.execute(
                "INSERT INTO kept_findings (project, statement, requirement, cone, job, reason, at_ms, changed_by)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![project, new.statement, new.requirement, new.cone, new.job, new.reason, now_ms(), new.changed_by],
            )?;
            tx.commit()?;
            Ok(())
        })
        .await
    }

    /// Takes a finding back. False if there is none, or it was taken back before.
    pub async fn end_finding(&self, project: &str, id: i64) -> Result<bool, StoreError> {
        let project = project.to_string();
        self.call(move |c| {
            let query = "UPDATE kept_findings SET ended_ms = ?3 WHERE project = ?1 AND id = ?2 AND ended_ms IS NULL";
            Ok(c.execute(query, params![project, id, now_ms()])? == 1)
        })
        .await
    }

    /// Returns the findings of a project, newest first.
    pub async fn findings(&self, project: &str) -> Result<Vec<KeptFinding>, StoreError> {
        let query = format!("SELECT {COLUMNS} FROM kept_findings f WHERE f.project = ?1 ORDER BY f.id DESC");
        let project = project.to_string();
        self.read(move |c| rows(c, &query, &project)).await
    }

    /// Returns the findings that count for a run: of its projects, and not taken back.
    pub async fn findings_for(&self, job: &str) -> Result<Vec<KeptFinding>, StoreError> {
        let query = format!(
            "SELECT DISTINCT {COLUMNS} FROM kept_findings f JOIN version_jobs v ON v.project = f.project
             WHERE v.job = ?1 AND f.ended_ms IS NULL ORDER BY f.id DESC"
        );
        let job = job.to_string();
        self.read(move |c| rows(c, &query, &job)).await
    }

    /// Returns ids and names of the projects that have this run.
    pub async fn projects_of(&self, job: &str) -> Result<Vec<(String, String)>, StoreError> {
        let job = job.to_string();
        self.read(move |c| {
            let mut query = c.prepare_cached(
                "SELECT DISTINCT p.id, p.name FROM projects p JOIN version_jobs v ON v.project = p.id WHERE v.job = ?1 ORDER BY p.id",
            )?;
            let rows = query.query_map([job], |r| Ok((r.get(0)?, r.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }
}

fn rows(c: &Connection, query: &str, key: &str) -> Result<Vec<KeptFinding>, StoreError> {
    let mut query = c.prepare_cached(query)?;
    let finding = |r: &Row<'_>| {
        Ok(KeptFinding {
            id: r.get(0)?,
            project: r.get(1)?,
            statement: r.get(2)?,
            requirement: r.get(3)?,
            cone: r.get(4)?,
            job: r.get(5)?,
            reason: r.get(6)?,
            at_ms: r.get(7)?,
            changed_by: r.get(8)?,
            ended_ms: r.get(9)?,
        })
    };
    let rows = query.query_map([key], finding)?;
    Ok(rows.collect::<Result<_, _>>()?)
}
