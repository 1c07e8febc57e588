//! Jobs: queued → running → succeeded | failed | cancelled | timed_out | interrupted.
//!
//! Every change of state is one short transaction that also appends the event which tells of it.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::events::append;
use super::projects::versions::{StoredVerdict, list};
use super::{Store, StoreError, now_ms, webhooks};

/// The states of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// Waits for its turn.
    Queued,
    /// A worker works on it.
    Running,
    /// The tool finished, whatever the verdicts.
    Succeeded,
    /// No outcome could be made.
    Failed,
    /// It was stopped on request.
    Cancelled,
    /// The wall-clock limit.
    TimedOut,
    /// The service ended twice while it ran.
    Interrupted,
}

impl JobState {
    /// All states.
    pub const ALL: [JobState; 7] = [
        JobState::Queued,
        JobState::Running,
        JobState::Succeeded,
        JobState::Failed,
        JobState::Cancelled,
        JobState::TimedOut,
        JobState::Interrupted,
    ];

    /// Returns the name that is stored and sent.
    pub fn name(self) -> &'static str {
        match self {
            JobState::Queued => "queued",
            JobState::Running => "running",
            JobState::Succeeded => "succeeded",
            JobState::Failed => "failed",
            JobState::Cancelled => "cancelled",
            JobState::TimedOut => "timed_out",
            JobState::Interrupted => "interrupted",
        }
    }

    /// Returns the state of that name.
    pub fn from_name(name: &str) -> Option<JobState> {
        JobState::ALL.into_iter().find(|s| s.name() == name)
    }

    /// Returns whether the job has ended.
    pub fn is_final(self) -> bool {
        !matches!(self, JobState::Queued | JobState::Running)
    }
}

/// A job to queue.
#[derive(Clone, Debug)]
pub struct NewJob {
    /// Owner: a user, or an address where there are no accounts. Owners share the queue evenly.
    pub owner: String,
    /// Id of the program.
    pub program: String,
    /// Id of the specification.
    pub specification: String,
    /// JSON.
    pub strategy: String,
    /// Wall-clock seconds.
    pub wall_s: u32,
    /// MiB.
    pub memory_mb: u32,
    /// JSON: ids and sentences of the requirements to decide.
    pub planned: String,
    /// Project that it is started for.
    pub project: Option<String>,
}

/// A job as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredJob {
    /// UUID v7.
    pub id: String,
    /// Id of the program.
    pub program: String,
    /// Label of the program.
    pub label: String,
    /// Id of the specification.
    pub specification: String,
    /// JSON.
    pub strategy: String,
    /// Wall-clock seconds.
    pub wall_s: u32,
    /// MiB.
    pub memory_mb: u32,
    /// JSON.
    pub planned: String,
    /// Its state.
    pub state: JobState,
    /// Its end was asked for.
    pub cancel: bool,
    /// Number of starts.
    pub attempts: u32,
    /// Reason of a failure.
    pub reason: Option<String>,
    /// Milliseconds since 1970.
    pub created_ms: i64,
    /// Milliseconds since 1970, of the last start.
    pub started_ms: Option<i64>,
    /// Milliseconds since 1970.
    pub ended_ms: Option<i64>,
    /// JSON: verdicts counted.
    pub tally: Option<String>,
    /// Id of the user who ordered it.
    pub owner: String,
}

impl StoredJob {
    /// Returns its last start, or its creation before that, in milliseconds since 1970.
    pub fn begun_ms(&self) -> i64 {
        self.started_ms.unwrap_or(self.created_ms)
    }

    /// Returns the milliseconds from its last start to its end.
    pub fn took_ms(&self) -> Option<u64> {
        Some((self.ended_ms? - self.started_ms?).max(0) as u64)
    }
}

/// End of a job.
#[derive(Clone, Debug)]
pub struct JobEnd {
    /// A final state.
    pub state: JobState,
    /// Reason, unless the state says it.
    pub reason: Option<String>,
    /// JSON, if there is one.
    pub outcome: Option<String>,
    /// JSON: verdicts counted.
    pub tally: Option<String>,
    /// Verdicts one by one.
    pub verdicts: Vec<StoredVerdict>,
    /// Events that are not stored yet.
    pub events: Vec<String>,
    /// Begin and end of the work itself, if it began: without waiting for the queue, the database or the last events.
    pub worked_ms: Option<(i64, i64)>,
}

/// Result of a request to cancel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancel {
    /// It had not begun; it is cancelled.
    Done,
    /// It runs; its worker must be stopped.
    Asked,
    /// It had ended before.
    TooLate(JobState),
    /// There is no such job.
    Unknown,
    /// It belongs to another owner.
    NotYours,
}

/// Filter of a list of jobs.
#[derive(Clone, Debug, Default)]
pub struct JobFilter {
    /// Only in this state.
    pub state: Option<JobState>,
    /// Only of this program.
    pub program: Option<String>,
    /// Only older than this job.
    pub before: Option<String>,
}

/// Jobs that ran when the service ended, after its restart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Queued once more.
    pub requeued: usize,
    /// Ended, since it was their second time.
    pub interrupted: usize,
}

const COLUMNS: &str = "jobs.id, program, label, specification, strategy, wall_s, memory_mb, planned, state, cancel, attempts,
    reason, jobs.created_ms, started_ms, ended_ms, tally, jobs.owner";

impl Store {
    /// Returns a job by its id.
    pub async fn job(&self, id: &str) -> Result<Option<StoredJob>, StoreError> {
        let id = id.to_string();
        self.read(move |c| one(c, &id)).await
    }

    /// Returns jobs, newest first.
    pub async fn jobs(&self, filter: JobFilter, limit: u32) -> Result<Vec<StoredJob>, StoreError> {
        self.read(move |c| {
            let mut query = c.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM jobs JOIN programs ON programs.id = program
                 WHERE (?1 IS NULL OR state = ?1) AND (?2 IS NULL OR program = ?2) AND (?3 IS NULL OR jobs.id < ?3)
                 ORDER BY jobs.id DESC LIMIT ?4"
            ))?;
            let state = filter.state.map(JobState::name);
            let rows = query.query_map(params![state, filter.program, filter.before, limit], job)?;
            rows.map(|row| row?).collect()
        })
        .await
    }

    /// Returns the number of jobs that wait.
    pub async fn queued(&self) -> Result<u32, StoreError> {
        self.read(|c| Ok(c.query_row("SELECT count(*) FROM jobs WHERE state = 'queued'", [], |r| r.get(0))?)).await
    }

    /// Ends a running job: its last events, its outcome and its state at once. False if it was not running.
    pub async fn finish_job(&self, id: &str, end: JobEnd) -> Result<bool, StoreError> {
        let id = id.to_string();
        self.call(move |c| {
            let tx = c.transaction()?;
            let (started_ms, ended_ms) = end.worked_ms.unzip();
            let changed = tx.execute(
                "UPDATE jobs SET state = ?2, reason = ?3, tally = ?4, started_ms = coalesce(?5, started_ms), ended_ms = ?6
                 WHERE id = ?1 AND state = 'running'",
                params![id, end.state.name(), end.reason, end.tally, started_ms, ended_ms.unwrap_or_else(now_ms)],
            )?;
            if changed == 0 {
                return Ok(false);
            }
            for event in &end.events {
                append(&tx, &id, event)?;
            }
            if let Some(outcome) = &end.outcome {
                tx.execute("INSERT OR REPLACE INTO outcomes (job, json) VALUES (?1, ?2)", params![id, outcome])?;
            }
            list(&tx, &id, &end.verdicts)?;
            tell(&tx, &id, end.state, end.reason.as_deref())?;
            tx.commit()?;
            Ok(true)
        })
        .await
    }

    /// Asks for a job's end. With an `owner`, only of a job of that owner.
    pub async fn cancel_job(&self, id: &str, owner: Option<String>) -> Result<Cancel, StoreError> {
        let id = id.to_string();
        self.call(move |c| {
            let tx = c.transaction()?;
            let Some(job) = one(&tx, &id)? else { return Ok(Cancel::Unknown) };
            let of: String = tx.query_row("SELECT owner FROM jobs WHERE id = ?1", [&id], |r| r.get(0))?;
            if owner.is_some_and(|owner| owner != of) {
                return Ok(Cancel::NotYours);
            }
            if job.state.is_final() {
                return Ok(Cancel::TooLate(job.state));
            }
            let answer = if job.state == JobState::Queued {
                let cancelled = "UPDATE jobs SET state = 'cancelled', cancel = 1, ended_ms = ?2 WHERE id = ?1";
                tx.execute(cancelled, params![id, now_ms()])?;
                tell(&tx, &id, JobState::Cancelled, None)?;
                Cancel::Done
            } else {
                tx.execute("UPDATE jobs SET cancel = 1 WHERE id = ?1", [&id])?;
                Cancel::Asked
            };
            tx.commit()?;
            Ok(answer)
        })
        .await
    }

    /// Recovers after a restart: jobs that ran are queued once more, or end at their second time or if they were to be cancelled.
    ///
    /// Jobs with a time limit above `at_agents_s` are at agents of a fleet, which go on: the next start has the same number.
    pub async fn recover_jobs(&self, at_agents_s: Option<u32>) -> Result<Recovered, StoreError> {
        self.call(move |c| {
            let tx = c.transaction()?;
            let running: Vec<(String, bool, u32, u32)> = {
                let sql = "SELECT id, cancel, attempts, wall_s FROM jobs WHERE state = 'running' ORDER BY id";
                let mut query = tx.prepare(sql)?;
                let rows = query.query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)))?;
                rows.collect::<Result<_, _>>()?
            };
            let mut recovered = Recovered::default();
            for (id, cancel, attempts, wall_s) in running {
                let is_at_agents = at_agents_s.is_some_and(|least| least < wall_s);
                if is_at_agents {
                    tx.execute("UPDATE jobs SET attempts = max(attempts - 1, 0) WHERE id = ?1", [&id])?;
                }
                let (state, reason) = match (cancel, attempts) {
                    (true, _) => (JobState::Cancelled, None),
                    (false, _) if is_at_agents => (JobState::Queued, None),
                    (false, 0 | 1) => (JobState::Queued, None),
                    (false, _) => (JobState::Interrupted, Some("the service ended twice while this run was at work")),
                };
                let ended = state.is_final().then(now_ms);
                tx.execute(
                    "UPDATE jobs SET state = ?2, reason = ?3, ended_ms = ?4 WHERE id = ?1",
                    params![id, state.name(), reason, ended],
                )?;
                tell(&tx, &id, state, reason)?;
                recovered.requeued += usize::from(state == JobState::Queued);
                recovered.interrupted += usize::from(state == JobState::Interrupted);
            }
            tx.commit()?;
            Ok(recovered)
        })
        .await
    }
}

/// Appends the event that tells of a new state. The end of a run is told to webhooks, too.
pub(super) fn tell(c: &Connection, id: &str, state: JobState, reason: Option<&str>) -> rusqlite::Result<()> {
    let mut event = serde_json::json!({ "event": "state", "state": state.name() });
    if let (Some(reason), Some(fields)) = (reason, event.as_object_mut()) {
        fields.insert("reason".into(), reason.into());
    }
    if state.is_final() {
        webhooks::announce(c, id)?;
    }
    append(c, id, &event.to_string())
}

pub(super) fn one(c: &Connection, id: &str) -> Result<Option<StoredJob>, StoreError> {
    c.prepare_cached(&format!("SELECT {COLUMNS} FROM jobs JOIN programs ON programs.id = program WHERE jobs.id = ?1"))?
        .query_row([id], job)
        .optional()?
        .transpose()
}

/// Returns a row of [`COLUMNS`]; the inner error is a state that this version does not know.
fn job(r: &Row<'_>) -> rusqlite::Result<Result<StoredJob, StoreError>> {
    let state: String = r.get(8)?;
    let Some(state) = JobState::from_name(&state) else {
        return Ok(Err(StoreError::Corrupt(format!("job state `{state}`"))));
    };
    Ok(Ok(StoredJob {
        id: r.get(0)?,
        program: r.get(1)?,
        label: r.get(2)?,
        specification: r.get(3)?,
        strategy: r.get(4)?,
        wall_s: r.get(5)?,
        memory_mb: r.get(6)?,
        planned: r.get(7)?,
        state,
        cancel: r.get(9)?,
        attempts: r.get(10)?,
        reason: r.get(11)?,
        created_ms: r.get(12)?,
        started_ms: r.get(13)?,
        ended_ms: r.get(14)?,
        tally: r.get(15)?,
        owner: r.get(16)?,
    }))
}

#[cfg(test)]
mod tests;
