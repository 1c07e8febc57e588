//! The queue of jobs: its room, and whose turn it is.
//!
//! **Invariant:** owners share the workers evenly. An owner with many jobs waits behind an owner with one.

use rusqlite::{Connection, params};

use super::jobs::{JobState, NewJob, StoredJob, one, tell};
use super::{Store, StoreError, now_ms};

/// Limits of the queue.
#[derive(Clone, Copy, Debug)]
pub struct QueueLimits {
    /// Most jobs that wait.
    pub all: u32,
    /// Most jobs of one owner that wait.
    pub per_owner: u32,
}

/// Result of a job that was to be queued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Queued {
    /// It waits, under this id.
    Id(String),
    /// Too many jobs wait.
    Full,
    /// Too many jobs of its owner wait.
    ShareFull,
}

/// Jobs that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Number of jobs.
    pub jobs: u32,
    /// Number of their owners.
    pub owners: u32,
    /// Time of the oldest, milliseconds since 1970.
    pub oldest_ms: Option<i64>,
}

impl Store {
    /// Returns the state of the queue.
    pub async fn waiting(&self) -> Result<Waiting, StoreError> {
        self.read(|c| {
            let sql = "SELECT count(*), count(DISTINCT owner), min(created_ms) FROM jobs WHERE state = 'queued'";
            let read = |r: &rusqlite::Row<'_>| Ok(Waiting { jobs: r.get(0)?, owners: r.get(1)?, oldest_ms: r.get(2)? });
            Ok(c.query_row(sql, [], read)?)
        })
        .await
    }

    /// Queues a job if there is room.
    pub async fn add_job(&self, job: NewJob, limits: QueueLimits) -> Result<Queued, StoreError> {
        self.call(move |c| {
            let tx = c.transaction()?;
            let sql = "SELECT count(*), coalesce(sum(owner = ?1), 0) FROM jobs WHERE state = 'queued'";
            let (all, own): (u32, u32) = tx.query_row(sql, [&job.owner], |r| Ok((r.get(0)?, r.get(1)?)))?;
            if limits.per_owner <= own {
                return Ok(Queued::ShareFull);
            }
            if limits.all <= all {
                return Ok(Queued::Full);
            }
            let id = uuid::Uuid::now_v7().to_string();
            tx.execute(
                "INSERT INTO jobs (id, program, specification, strategy, wall_s, memory_mb, planned, state, created_ms, owner, for_project)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'queued', ?8, ?9, ?10)",
                params![
                    id,
                    job.program,
                    job.specification,
                    job.strategy,
                    job.wall_s,
                    job.memory_mb,
                    job.planned,
                    now_ms(),
                    job.owner,
                    job.project
                ],
            )?;
            tell(&tx, &id, JobState::Queued, None)?;
            tx.commit()?;
            Ok(Queued::Id(id))
        })
        .await
    }

    /// Takes a waiting job with a time limit of at most `most_wall_s` and a memory limit of at most `free_mb`, if there is one.
    pub async fn claim_job(&self, most_wall_s: u32, free_mb: u32) -> Result<Option<StoredJob>, StoreError> {
        self.claim_job_that(most_wall_s, move |job| if job.memory_mb <= free_mb { Fit::Now } else { Fit::Later }).await
    }

    /// Takes a waiting job with a time limit of at most `most_wall_s` that fits now, if there is one. Each job is taken once.
    ///
    /// A job that fits later lets others pass, until it has waited for [`PATIENCE_MS`].
    ///
    /// The owner with the fewest running jobs is next; among equals, the one whose last turn is longest ago; then the oldest job.
    pub async fn claim_job_that(
        &self,
        most_wall_s: u32,
        fit: impl Fn(&Candidate) -> Fit + Send + 'static,
    ) -> Result<Option<StoredJob>, StoreError> {
        self.call(move |c| {
            let tx = c.transaction()?;
            let Some(id) = next(&tx, most_wall_s, &fit)? else { return Ok(None) };
            tx.execute(
                "UPDATE jobs SET state = 'running', attempts = attempts + 1, started_ms = ?2,
                     turn = (SELECT coalesce(max(turn), 0) + 1 FROM jobs)
                 WHERE id = ?1",
                params![id, now_ms()],
            )?;
            tell(&tx, &id, JobState::Running, None)?;
            let claimed = one(&tx, &id)?;
            tx.commit()?;
            Ok(claimed)
        })
        .await
    }
}

/// Time after which no other job passes one that waits for memory.
const PATIENCE_MS: i64 = 10 * 60 * 1000;

/// Waiting job that may be taken.
#[derive(Debug)]
pub struct Candidate {
    /// Its memory limit, in MiB.
    pub memory_mb: u32,
    /// Its strategy, as JSON.
    pub strategy: String,
}

/// Room for a waiting job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// There is room.
    Now,
    /// There will be room: others must not pass for ever.
    Later,
    /// It is for others, or nothing has room for it: it stops no other job.
    Elsewhere,
}

/// Returns the job that is next, if one fits.
fn next(c: &Connection, most_wall_s: u32, fit: &dyn Fn(&Candidate) -> Fit) -> Result<Option<String>, StoreError> {
    let mut query = c.prepare_cached(
        "SELECT id, memory_mb, created_ms, strategy FROM jobs AS next WHERE state = 'queued' AND wall_s <= ?1
         ORDER BY
             (SELECT count(*) FROM jobs AS r WHERE r.owner = next.owner AND r.state = 'running'),
             (SELECT coalesce(max(turn), 0) FROM jobs AS t WHERE t.owner = next.owner),
             id",
    )?;
    let mut rows = query.query([most_wall_s])?;
    while let Some(row) = rows.next()? {
        let (id, created_ms): (String, i64) = (row.get(0)?, row.get(2)?);
        match fit(&Candidate { memory_mb: row.get(1)?, strategy: row.get(3)? }) {
            Fit::Now => return Ok(Some(id)),
            Fit::Later if created_ms + PATIENCE_MS <= now_ms() => return Ok(None),
            Fit::Later | Fit::Elsewhere => {}
        }
    }
    Ok(None)
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// Queues a job without limits, and returns its id.
    pub(crate) async fn add(store: &Store, job: NewJob) -> String {
        match store.add_job(job, QueueLimits { all: u32::MAX, per_owner: u32::MAX }).await.unwrap() {
            Queued::Id(id) => id,
            refused @ (Queued::Full | Queued::ShareFull) => panic!("{refused:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::programs::Source;

    /// Queues a job and returns its id.
    async fn add(store: &Store, owner: &str, wall_s: u32, limits: QueueLimits) -> Queued {
        let sources = vec![Source { name: "a.st".into(), text: "x".into(), note: None }];
        let (program, _) = store.add_program("a".into(), sources).await.unwrap();
        let specification = store.add_specification("{}".into()).await.unwrap();
        let (strategy, planned) = ("{}".to_owned(), "[]".to_owned());
        let (owner, program) = (owner.to_owned(), program.id);
        let job = NewJob { owner, program, specification, strategy, wall_s, memory_mb: 512, planned, project: None };
        store.add_job(job, limits).await.unwrap()
    }

    const ROOM: QueueLimits = QueueLimits { all: 100, per_owner: 60 };

    async fn finish(store: &Store, id: &str) {
        let end = crate::store::jobs::JobEnd {
            state: JobState::Succeeded,
            reason: None,
            outcome: None,
            tally: None,
            verdicts: Vec::new(),
            events: Vec::new(),
            worked_ms: None,
        };
        assert!(store.finish_job(id, end).await.unwrap());
    }

    /// Claims all jobs one after the other, with `workers` at work, and returns the names of their owners in order.
    async fn order(store: &Store, names: &[(String, &str)], workers: usize) -> String {
        let (mut order, mut running) = (String::new(), std::collections::VecDeque::new());
        while let Some(job) = store.claim_job(u32::MAX, u32::MAX).await.unwrap() {
            order.push_str(names.iter().find(|(id, _)| *id == job.id).unwrap().1);
            running.push_back(job.id);
            if running.len() == workers {
                finish(store, &running.pop_front().unwrap()).await;
            }
        }
        order
    }

    #[tokio::test]
    async fn a_user_with_60_jobs_does_not_block_others() {
        for workers in [1, 2, 3] {
            let dir = tempfile::tempdir().unwrap();
            let store = Store::open(dir.path()).unwrap();
            let mut names = Vec::new();
            // Anna queues 60 runs of 12 hours before all others.
            let queued = [("a", 60, 12 * 3600), ("b", 4, 60), ("c", 2, 60)];
            for (owner, n, wall_s) in queued {
                for _ in 0..n {
                    match add(&store, owner, wall_s, ROOM).await {
                        Queued::Id(id) => names.push((id, owner)),
                        refused @ (Queued::Full | Queued::ShareFull) => panic!("{refused:?}"),
                    }
                }
            }
            let order = order(&store, &names, workers).await;
            assert_eq!(order.len(), 66);
            let last_of = |owner: char| order.rfind(owner).unwrap();
            // With three owners, the second run of c begins at the latest as the sixth, the fourth of b as the twelfth.
            assert!(last_of('c') < 6 && last_of('b') < 12, "{workers}: {order}");
            assert!(order.ends_with(&"a".repeat(50)), "{order}");
        }
    }

    #[tokio::test]
    async fn the_quick_lane_takes_short_jobs_alone() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        for wall_s in [3600, 60] {
            add(&store, "a", wall_s, ROOM).await;
        }
        assert_eq!(store.claim_job(10, u32::MAX).await.unwrap(), None);
        let Queued::Id(short) = add(&store, "a", 10, ROOM).await else { panic!("refused") };
        assert_eq!(store.claim_job(10, u32::MAX).await.unwrap().map(|job| job.id), Some(short));
        assert_eq!(store.queued().await.unwrap(), 2);
    }

    #[tokio::test]
    async fn no_job_passes_one_that_has_waited_long_for_memory() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let Queued::Id(first) = add(&store, "a", 60, ROOM).await else { panic!("refused") };
        let Queued::Id(second) = add(&store, "a", 60, ROOM).await else { panic!("refused") };
        let grow = "UPDATE jobs SET memory_mb = 9000 WHERE id = ?1";
        let of_first = first.clone();
        store.call(move |c| Ok(c.execute(grow, [of_first])?)).await.unwrap();
        assert_eq!(store.claim_job(60, 4096).await.unwrap().map(|job| job.id), Some(second));
        let Queued::Id(third) = add(&store, "a", 60, ROOM).await else { panic!("refused") };
        let age = "UPDATE jobs SET created_ms = created_ms - ?2 WHERE id = ?1";
        let of_first = first.clone();
        store.call(move |c| Ok(c.execute(age, params![of_first, PATIENCE_MS])?)).await.unwrap();
        assert_eq!(store.claim_job(60, 4096).await.unwrap(), None);
        // One that is for others stops none.
        let of_others = |job: &Candidate| if 4096 < job.memory_mb { Fit::Elsewhere } else { Fit::Now };
        let Queued::Id(fourth) = add(&store, "a", 60, ROOM).await else { panic!("refused") };
        assert_eq!(store.claim_job_that(60, of_others).await.unwrap().map(|job| job.id), Some(third));
        assert_eq!(store.claim_job(60, 9000).await.unwrap().map(|job| job.id), Some(first));
        assert_eq!(store.claim_job(60, 4096).await.unwrap().map(|job| job.id), Some(fourth));
    }

    #[tokio::test]
    async fn the_queue_has_room_for_each_owner() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let limits = QueueLimits { all: 3, per_owner: 2 };
        for (owner, expected) in
            [("a", None), ("a", None), ("a", Some(Queued::ShareFull)), ("b", None), ("b", Some(Queued::Full))]
        {
            let answer = add(&store, owner, 60, limits).await;
            assert_eq!(Some(answer).filter(|answer| !matches!(answer, Queued::Id(_))), expected, "{owner}");
        }
        // A job that runs does not wait.
        store.claim_job(u32::MAX, u32::MAX).await.unwrap().unwrap();
        assert!(matches!(add(&store, "a", 60, limits).await, Queued::Id(_)));
    }
}
