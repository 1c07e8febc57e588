//! Versions of a project, their runs, and the verdicts of these runs.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, params};

use crate::store::jobs::JobState;
use crate::store::{Store, StoreError, now_ms};

/// A version to add.
#[derive(Clone, Debug)]
pub struct NewVersion {
    /// Id of the program.
    pub program: String,
    /// Its label.
    pub label: String,
    /// A run of the program, and whether it was started for this version.
    pub job: Option<(String, bool)>,
}

/// A version with its newest run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// From 1, without gaps.
    pub number: i64,
    /// Id of the program.
    pub program: String,
    /// Its label.
    pub label: String,
    /// Milliseconds since 1970.
    pub created_ms: i64,
    /// Author; empty without accounts.
    pub changed_by: String,
    /// The newest run.
    pub job: Option<VersionJob>,
}

/// The newest run of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionJob {
    /// Id of the job.
    pub id: String,
    /// Its state.
    pub state: JobState,
    /// JSON: verdicts counted, once it has ended.
    pub tally: Option<String>,
}

/// Verdict of one requirement in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredVerdict {
    /// Id of the requirement.
    pub requirement: String,
    /// Hash of what it states.
    pub statement: String,
    /// Name of its class.
    pub class: String,
    /// Position in the report, from 1; `None` for verdicts that an earlier Scanproof listed.
    pub number: Option<u32>,
    /// The answer was reused, certified again.
    pub reused: bool,
    /// Digest of the code that can decide the requirement; `None` if it is not known.
    pub cone: Option<String>,
}

/// Columns of a version `v` and its newest run `j`.
pub(super) const COLUMNS: &str = "v.number, v.program, v.label, v.created_ms, v.changed_by, j.id, j.state, j.tally";
/// Join of a version `v` with its newest run `j`.
pub(super) const NEWEST_JOB: &str =
    "LEFT JOIN jobs j ON j.id = (SELECT max(job) FROM version_jobs x WHERE x.project = v.project AND x.number = v.number)";

impl Store {
    /// Adds a version to a project and returns its number; `None` if there is no such project.
    pub async fn add_version(&self, project: &str, new: NewVersion, changed_by: String) -> Result<Option<i64>, StoreError> {
        let project = project.to_string();
        self.call(move |c| {
            let tx = c.transaction()?;
            if super::find(&tx, &project)?.is_none() {
                return Ok(None);
            }
            let number = append(&tx, &project, &new, &changed_by)?;
            tx.commit()?;
            Ok(Some(number))
        })
        .await
    }

    /// Adds a run that was started for a version.
    pub async fn add_version_job(&self, project: &str, number: i64, job: &str) -> Result<(), StoreError> {
        let key = (project.to_string(), job.to_string());
        self.call(move |c| Ok(add_job(c, (&key.0, number), &key.1, true)?)).await
    }

    /// Returns the name of the project that has a run, with the number of the version; the first of several.
    pub async fn version_of(&self, job: &str) -> Result<Option<(String, i64)>, StoreError> {
        let job = job.to_string();
        self.read(move |c| {
            let mut query = c.prepare_cached(
                "SELECT p.name, v.number FROM projects p JOIN version_jobs v ON v.project = p.id WHERE v.job = ?1 ORDER BY p.id, v.number",
            )?;
            let mut rows = query.query([job])?;
            Ok(match rows.next()? {
                Some(row) => Some((row.get(0)?, row.get(1)?)),
                None => None,
            })
        })
        .await
    }

    /// Returns versions, newest first, only those before number `before`.
    pub async fn versions(&self, project: &str, before: Option<i64>, limit: u32) -> Result<Vec<Version>, StoreError> {
        let project = project.to_string();
        self.read(move |c| {
            let mut query = c.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM versions v {NEWEST_JOB}
                 WHERE v.project = ?1 AND v.number < ?2 ORDER BY v.number DESC LIMIT ?3"
            ))?;
            let mut rows = query.query(params![project, before.unwrap_or(i64::MAX), limit])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(version(row, 0)?);
            }
            Ok(found)
        })
        .await
    }

    /// Returns a version by its number.
    pub async fn version(&self, project: &str, number: i64) -> Result<Option<Version>, StoreError> {
        let before = number.checked_add(1);
        let found = self.versions(project, before, 1).await?;
        Ok(found.into_iter().next().filter(|version| version.number == number))
    }

    /// Returns ended runs of a project whose verdicts are not listed.
    pub async fn unlisted(&self, project: &str) -> Result<Vec<String>, StoreError> {
        let project = project.to_string();
        self.read(move |c| {
            let mut query = c.prepare_cached(
                "SELECT job FROM version_jobs JOIN jobs ON jobs.id = job
                 WHERE project = ?1 AND listed = 0 AND state NOT IN ('queued', 'running') ORDER BY job",
            )?;
            let rows = query.query_map([project], |r| r.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Lists the verdicts of an ended run.
    pub async fn list_verdicts(&self, job: &str, verdicts: Vec<StoredVerdict>) -> Result<(), StoreError> {
        let job = job.to_string();
        self.call(move |c| {
            let tx = c.transaction()?;
            list(&tx, &job, &verdicts)?;
            tx.execute("UPDATE version_jobs SET listed = 1 WHERE job = ?1", [&job])?;
            tx.commit()?;
            Ok(())
        })
        .await
    }

    /// Returns the listed verdicts of a run.
    pub async fn verdicts(&self, job: &str) -> Result<Vec<StoredVerdict>, StoreError> {
        let job = job.to_string();
        self.read(move |c| {
            let columns = "requirement, statement, class, number, reused, cone";
            let mut query =
                c.prepare_cached(&format!("SELECT {columns} FROM verdicts WHERE job = ?1 ORDER BY number, requirement"))?;
            let verdict = |r: &Row<'_>| {
                let (requirement, statement, class) = (r.get(0)?, r.get(1)?, r.get(2)?);
                Ok(StoredVerdict { requirement, statement, class, number: r.get(3)?, reused: r.get(4)?, cone: r.get(5)? })
            };
            let rows = query.query_map([job], verdict)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Returns the first version since which requirements have had one of these classes without a break, up to version `number`.
    ///
    /// A version without this verdict about the same statement ends the search: nothing is known of it.
    pub async fn since(
        &self,
        project: &str,
        number: i64,
        verdicts: Vec<StoredVerdict>,
        classes: Vec<String>,
    ) -> Result<BTreeMap<String, i64>, StoreError> {
        let project = project.to_string();
        self.read(move |c| {
            let mut query = c.prepare_cached(
                "SELECT w.number, w.class FROM (
                     SELECT v.number AS number, (SELECT class FROM verdicts WHERE requirement = ?3 AND statement = ?4 AND job =
                         (SELECT max(job) FROM version_jobs x WHERE x.project = v.project AND x.number = v.number)) AS class
                     FROM versions v WHERE v.project = ?1 AND v.number <= ?2 ORDER BY v.number DESC) w",
            )?;
            let mut since = BTreeMap::new();
            for v in verdicts {
                let mut rows = query.query(params![project, number, v.requirement, v.statement])?;
                while let Some(row) = rows.next()? {
                    let class: Option<String> = row.get(1)?;
                    if class.is_none_or(|class| !classes.contains(&class)) {
                        break;
                    }
                    since.insert(v.requirement.clone(), row.get(0)?);
                }
            }
            Ok(since)
        })
        .await
    }
}

/// Lists verdicts of a run that has ended; once it belongs to a version, nothing is left to list.
pub(in crate::store) fn list(c: &Connection, job: &str, verdicts: &[StoredVerdict]) -> rusqlite::Result<()> {
    let mut insert = c.prepare_cached(
        "INSERT OR REPLACE INTO verdicts (job, requirement, statement, class, number, reused, cone)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for v in verdicts {
        insert.execute(params![job, v.requirement, v.statement, v.class, v.number, v.reused, v.cone])?;
    }
    if !verdicts.is_empty() {
        c.execute("UPDATE version_jobs SET listed = 1 WHERE job = ?1", [job])?;
    }
    Ok(())
}

/// Adds a version after the last one.
pub(super) fn append(c: &Connection, project: &str, new: &NewVersion, changed_by: &str) -> rusqlite::Result<i64> {
    let number: i64 =
        c.query_row("SELECT coalesce(max(number), 0) + 1 FROM versions WHERE project = ?1", [project], |r| r.get(0))?;
    c.execute(
        "INSERT INTO versions (project, number, program, label, created_ms, changed_by) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![project, number, new.program, new.label, now_ms(), changed_by],
    )?;
    if let Some((job, is_own)) = &new.job {
        add_job(c, (project, number), job, *is_own)?;
    }
    Ok(number)
}

fn add_job(c: &Connection, (project, number): (&str, i64), job: &str, is_own: bool) -> rusqlite::Result<()> {
    let query = "INSERT INTO version_jobs (project, number, job, own, listed)
                 VALUES (?1, ?2, ?3, ?4, EXISTS (SELECT 1 FROM verdicts WHERE job = ?3))";
    c.execute(query, params![project, number, job, is_own])?;
    Ok(())
}

/// Reads a row of [`COLUMNS`] that begin at column `at`.
pub(super) fn version(r: &Row<'_>, at: usize) -> Result<Version, StoreError> {
    let id: Option<String> = r.get(at + 5)?;
    let state: Option<String> = r.get(at + 6)?;
    let job = match (id, state) {
        (Some(id), Some(name)) => {
            let state = JobState::from_name(&name).ok_or_else(|| StoreError::Corrupt(format!("job state `{name}`")))?;
            Some(VersionJob { id, state, tally: r.get(at + 7)? })
        }
        (_, _) => None,
    };
    Ok(Version {
        number: r.get(at)?,
        program: r.get(at + 1)?,
        label: r.get(at + 2)?,
        created_ms: r.get(at + 3)?,
        changed_by: r.get(at + 4)?,
        job,
    })
}
