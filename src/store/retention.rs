//! Deletion of runs and programs: on request, and after a time.
//!
//! **Invariant:** what a project holds stays, and so do runs that have not ended, and programs that a run or another owner needs.

use rusqlite::{Connection, OptionalExtension, params};

use super::jobs::JobState;
use super::{Store, StoreError};

/// Result of a request to delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// It is deleted.
    Done,
    /// There is no such thing.
    Missing,
    /// It belongs to another owner.
    NotYours,
    /// It has not ended.
    Busy,
    /// A project holds it.
    InProject,
    /// A run needs it.
    Needed,
}

/// Numbers of things that retention deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deleted {
    /// Runs.
    pub jobs: usize,
    /// Programs.
    pub programs: usize,
}

/// Most things that are deleted in one transaction: other requests wait meanwhile.
const BATCH: u32 = 100;

/// Condition of a job that retention may delete.
const OLD_JOB: &str = "ended_ms < ?1 AND state NOT IN ('queued', 'running') \
    AND NOT EXISTS (SELECT 1 FROM version_jobs WHERE version_jobs.job = jobs.id)";
/// Condition of a program that nothing needs.
const FREE_PROGRAM: &str = "NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.program = programs.id) \
    AND NOT EXISTS (SELECT 1 FROM versions WHERE versions.program = programs.id)";

impl Store {
    /// Returns the newest time before this one, of a run or of the audit log.
    pub async fn newest_ms(&self, before_ms: i64) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT max(newest) FROM (SELECT max(created_ms) AS newest FROM jobs WHERE created_ms < ?1 \
            UNION ALL SELECT max(at_ms) FROM audit WHERE at_ms < ?1)";
        self.read(move |c| Ok(c.query_row(sql, [before_ms], |r| r.get(0))?)).await
    }

    /// Deletes a run that has ended, with its events and results. With an `owner`, only a run of that owner.
    pub async fn delete_job(&self, id: &str, owner: Option<String>) -> Result<Deletion, StoreError> {
        let id = id.to_owned();
        self.call(move |c| {
            let tx = c.transaction()?;
            let sql = "SELECT owner, state, EXISTS (SELECT 1 FROM version_jobs WHERE job = jobs.id) FROM jobs WHERE id = ?1";
            let read = |r: &rusqlite::Row<'_>| Ok((r.get::<_, String>(0)?, r.get::<_, String>(1)?, r.get::<_, bool>(2)?));
            let Some((of, state, in_project)) = tx.query_row(sql, [&id], read).optional()? else { return Ok(Deletion::Missing) };
            if owner.is_some_and(|owner| owner != of) {
                return Ok(Deletion::NotYours);
            }
            if in_project {
                return Ok(Deletion::InProject);
            }
            if !JobState::from_name(&state).is_some_and(JobState::is_final) {
                return Ok(Deletion::Busy);
            }
            tx.execute("DELETE FROM jobs WHERE id = ?1", [&id])?;
            tx.commit()?;
            Ok(Deletion::Done)
        })
        .await
    }

    /// Deletes a program that nothing needs. With an `owner`, only the upload of that owner: other owners keep the program.
    pub async fn delete_program(&self, id: &str, owner: Option<String>) -> Result<Deletion, StoreError> {
        let id = id.to_owned();
        self.call(move |c| {
            let tx = c.transaction()?;
            let is_there: bool = tx.query_row("SELECT EXISTS (SELECT 1 FROM programs WHERE id = ?1)", [&id], |r| r.get(0))?;
            if !is_there {
                return Ok(Deletion::Missing);
            }
            if let Some(owner) = &owner {
                let own = tx.execute("DELETE FROM uploads WHERE program = ?1 AND owner = ?2", params![id, owner])?;
                if own == 0 {
                    return Ok(Deletion::NotYours);
                }
            }
            if tx.query_row("SELECT EXISTS (SELECT 1 FROM versions WHERE program = ?1)", [&id], |r| r.get(0))? {
                return Ok(Deletion::InProject);
            }
            if tx.query_row("SELECT EXISTS (SELECT 1 FROM jobs WHERE program = ?1)", [&id], |r| r.get(0))? {
                return Ok(Deletion::Needed);
            }
            let others = "SELECT EXISTS (SELECT 1 FROM uploads WHERE program = ?1)";
            if owner.is_none() || !tx.query_row(others, [&id], |r| r.get::<_, bool>(0))? {
                tx.execute("DELETE FROM programs WHERE id = ?1", [&id])?;
            }
            tx.commit()?;
            Ok(Deletion::Done)
        })
        .await
    }

    /// Deletes runs that ended before a time, and programs that were uploaded before it and that nothing needs.
    pub async fn delete_older(&self, before_ms: i64) -> Result<Deleted, StoreError> {
        let mut deleted = Deleted::default();
        loop {
            let (jobs, programs) = self.call(move |c| delete_batch(c, before_ms)).await?;
            deleted.jobs += jobs;
            deleted.programs += programs;
            if jobs + programs == 0 {
                return Ok(deleted);
            }
        }
    }
}

fn delete_batch(c: &mut Connection, before_ms: i64) -> Result<(usize, usize), StoreError> {
    let tx = c.transaction()?;
    let old = format!("DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE {OLD_JOB} LIMIT {BATCH})");
    let jobs = tx.execute(&old, [before_ms])?;
    let free = format!(
        "DELETE FROM programs WHERE id IN (SELECT id FROM programs WHERE created_ms < ?1 AND {FREE_PROGRAM} \
         AND NOT EXISTS (SELECT 1 FROM uploads WHERE uploads.program = programs.id AND ?1 <= seen_ms) LIMIT {BATCH})"
    );
    let programs = if jobs == 0 { tx.execute(&free, [before_ms])? } else { 0 };
    tx.commit()?;
    Ok((jobs, programs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::jobs::{JobEnd, NewJob};
    use crate::store::now_ms;
    use crate::store::programs::Source;
    use crate::store::projects::NewProject;
    use crate::store::projects::versions::NewVersion;
    use crate::store::queue::testing::add;
    use crate::store::shares::{Upload, UploadQuota};

    struct Data {
        _dir: tempfile::TempDir,
        store: Store,
    }

    impl Data {
        fn new() -> Data {
            let dir = tempfile::tempdir().unwrap();
            let store = Store::open(dir.path()).unwrap();
            Data { _dir: dir, store }
        }

        async fn program(&self, owner: &str, text: &str) -> String {
            let sources = vec![Source { name: "a.st".into(), text: text.into(), note: None }];
            let quota = UploadQuota { day_bytes: 1000, kept_bytes: 1000 };
            match self.store.upload((owner.into(), quota), "a".into(), sources, now_ms()).await.unwrap() {
                Upload::Kept(program, _) => program.id,
                refused @ (Upload::TooMuchToday(_) | Upload::TooMuchKept(_)) => panic!("{refused:?}"),
            }
        }

        async fn job(&self, owner: &str, program: &str) -> String {
            let specification = self.store.add_specification("{}".into()).await.unwrap();
            let (strategy, planned) = ("{}".to_owned(), "[]".to_owned());
            let (owner, program) = (owner.to_owned(), program.to_owned());
            add(&self.store, NewJob { owner, program, specification, strategy, wall_s: 1, memory_mb: 1, planned, project: None })
                .await
        }

        async fn end(&self, job: &str) {
            while self.store.job(job).await.unwrap().unwrap().state == JobState::Queued {
                self.store.claim_job(u32::MAX, u32::MAX).await.unwrap().unwrap();
            }
            let (reason, tally, outcome) = (None, None, Some("{}".to_owned()));
            let end = JobEnd {
                state: JobState::Succeeded,
                reason,
                outcome,
                tally,
                verdicts: Vec::new(),
                events: Vec::new(),
                worked_ms: None,
            };
            assert!(self.store.finish_job(job, end).await.unwrap());
        }

        async fn delete_job(&self, id: &str, owner: Option<&str>) -> Deletion {
            self.store.delete_job(id, owner.map(str::to_owned)).await.unwrap()
        }

        async fn delete_program(&self, id: &str, owner: Option<&str>) -> Deletion {
            self.store.delete_program(id, owner.map(str::to_owned)).await.unwrap()
        }

        async fn keep_in_project(&self, program: &str, job: &str) {
            let version = NewVersion { program: program.into(), label: "a".into(), job: Some((job.into(), false)) };
            let (name, requirements) = ("Press".to_owned(), "requirements: []\n".to_owned());
            let (note, environment, changed_by) = (String::new(), String::new(), String::new());
            let new = NewProject { name, note, requirements, environment, version: Some(version), changed_by };
            self.store.add_project(new).await.unwrap();
        }
    }

    #[tokio::test]
    async fn owners_delete_what_is_theirs_and_ended() {
        let d = Data::new();
        let program = d.program("anna", "x").await;
        let job = d.job("anna", &program).await;
        assert_eq!(d.delete_job("none", None).await, Deletion::Missing);
        assert_eq!(d.delete_job(&job, Some("bert")).await, Deletion::NotYours);
        assert_eq!(d.delete_job(&job, Some("anna")).await, Deletion::Busy);
        assert_eq!(d.delete_program(&program, Some("anna")).await, Deletion::Needed);
        d.end(&job).await;
        assert_eq!(d.delete_job(&job, Some("anna")).await, Deletion::Done);
        assert_eq!(d.store.outcome(&job).await.unwrap(), None);
        assert!(d.store.events(&job, 0, 9).await.unwrap().is_empty());
        // Bert has uploaded the same program: it stays for him.
        assert_eq!(d.program("bert", "x").await, program);
        assert_eq!(d.delete_program(&program, Some("cleo")).await, Deletion::NotYours);
        assert_eq!(d.delete_program(&program, Some("anna")).await, Deletion::Done);
        assert!(d.store.program(&program).await.unwrap().is_some());
        assert_eq!(d.delete_program(&program, Some("bert")).await, Deletion::Done);
        assert!(d.store.program(&program).await.unwrap().is_none());
        assert_eq!(d.delete_program(&program, None).await, Deletion::Missing);
    }

    #[tokio::test]
    async fn what_a_project_holds_stays() {
        let d = Data::new();
        let program = d.program("anna", "x").await;
        let job = d.job("anna", &program).await;
        d.end(&job).await;
        d.keep_in_project(&program, &job).await;
        assert_eq!(d.delete_job(&job, None).await, Deletion::InProject);
        assert_eq!(d.delete_program(&program, None).await, Deletion::InProject);
        assert_eq!(d.store.delete_older(i64::MAX).await.unwrap(), Deleted::default());
    }

    #[tokio::test]
    async fn retention_deletes_old_runs_and_programs_that_nothing_needs() {
        let d = Data::new();
        let [kept, used, free] = [d.program("anna", "a").await, d.program("anna", "b").await, d.program("anna", "c").await];
        for _ in 0..BATCH + 20 {
            let job = d.job("anna", &free).await;
            d.end(&job).await;
        }
        let [in_project, waiting] = [d.job("anna", &kept).await, d.job("anna", &used).await];
        d.end(&in_project).await;
        d.keep_in_project(&kept, &in_project).await;
        assert_eq!(d.store.delete_older(now_ms() - 60_000).await.unwrap(), Deleted::default());
        let deleted = d.store.delete_older(now_ms() + 1).await.unwrap();
        assert_eq!(deleted, Deleted { jobs: BATCH as usize + 20, programs: 1 });
        for id in [&in_project, &waiting] {
            assert!(d.store.job(id).await.unwrap().is_some());
        }
        assert!(d.store.program(&free).await.unwrap().is_none() && d.store.program(&used).await.unwrap().is_some());
    }
}
