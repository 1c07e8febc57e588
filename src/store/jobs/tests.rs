//! Table tests; see the module above.

use super::*;
use crate::store::programs::Source;
use crate::store::queue::{QueueLimits, Queued};

const ROOM: QueueLimits = QueueLimits { all: 3, per_owner: 3 };

struct Data {
    dir: tempfile::TempDir,
    store: Store,
}

async fn data() -> Data {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path()).unwrap();
    Data { dir, store }
}

async fn queue(store: &Store) -> String {
    let sources = vec![Source { name: "a.st".into(), text: "PROGRAM a END_PROGRAM".into(), note: None }];
    let (program, _) = store.add_program("A".into(), sources).await.unwrap();
    let specification = store.add_specification("{}".into()).await.unwrap();
    let (strategy, planned) = ("{}".to_owned(), "[]".to_owned());
    let job = NewJob {
        owner: "a".into(),
        program: program.id,
        specification,
        strategy,
        wall_s: 60,
        memory_mb: 512,
        planned,
        project: None,
    };
    match store.add_job(job, ROOM).await.unwrap() {
        Queued::Id(id) => id,
        refused @ (Queued::Full | Queued::ShareFull) => panic!("{refused:?}"),
    }
}

fn end(state: JobState) -> JobEnd {
    JobEnd {
        state,
        reason: None,
        outcome: Some("{\"format\":1}".into()),
        tally: None,
        verdicts: Vec::new(),
        events: vec!["{\"event\":\"log\"}".into()],
        worked_ms: None,
    }
}

async fn state(store: &Store, id: &str) -> JobState {
    store.job(id).await.unwrap().unwrap().state
}

async fn told(store: &Store, id: &str) -> Vec<String> {
    store.events(id, 0, 100).await.unwrap().into_iter().map(|e| format!("{} {}", e.sequence, e.data)).collect()
}

#[tokio::test]
async fn jobs_run_oldest_first_and_tell_of_every_state() {
    let d = data().await;
    let (first, second) = (queue(&d.store).await, queue(&d.store).await);
    assert_eq!(d.store.claim_job(u32::MAX, u32::MAX).await.unwrap().unwrap().id, first);
    assert_eq!(d.store.claim_job(u32::MAX, u32::MAX).await.unwrap().unwrap().id, second);
    assert_eq!(d.store.claim_job(u32::MAX, u32::MAX).await.unwrap(), None);
    assert!(d.store.finish_job(&first, end(JobState::Succeeded)).await.unwrap());
    // A second end changes nothing.
    assert!(!d.store.finish_job(&first, end(JobState::Failed)).await.unwrap());
    let job = d.store.job(&first).await.unwrap().unwrap();
    assert_eq!((job.state, job.attempts, job.label.as_str()), (JobState::Succeeded, 1, "A"));
    assert!(job.created_ms <= job.started_ms.unwrap() && job.started_ms <= job.ended_ms);
    assert_eq!(d.store.outcome(&first).await.unwrap().as_deref(), Some("{\"format\":1}"));
    assert_eq!(
        told(&d.store, &first).await,
        [
            "1 {\"event\":\"state\",\"state\":\"queued\"}",
            "2 {\"event\":\"state\",\"state\":\"running\"}",
            "3 {\"event\":\"log\"}",
            "4 {\"event\":\"state\",\"state\":\"succeeded\"}",
        ]
    );
}

#[tokio::test]
async fn a_full_queue_takes_no_more() {
    let d = data().await;
    let mut last = String::new();
    for _ in 0..3 {
        last = queue(&d.store).await;
    }
    let job = d.store.job(&last).await.unwrap().unwrap();
    let more = NewJob {
        owner: "b".into(),
        program: job.program,
        specification: job.specification,
        strategy: job.strategy,
        wall_s: 1,
        memory_mb: 1,
        planned: "[]".into(),
        project: None,
    };
    assert_eq!(d.store.add_job(more, ROOM).await.unwrap(), Queued::Full);
    assert_eq!(d.store.queued().await.unwrap(), 3);
}

#[tokio::test]
async fn cancel_says_what_it_did() {
    let d = data().await;
    let (first, second) = (queue(&d.store).await, queue(&d.store).await);
    d.store.claim_job(u32::MAX, u32::MAX).await.unwrap();
    assert_eq!(d.store.cancel_job(&first, None).await.unwrap(), Cancel::Asked);
    assert_eq!(state(&d.store, &first).await, JobState::Running);
    assert_eq!(d.store.cancel_job(&second, None).await.unwrap(), Cancel::Done);
    assert_eq!(state(&d.store, &second).await, JobState::Cancelled);
    assert_eq!(d.store.cancel_job(&second, None).await.unwrap(), Cancel::TooLate(JobState::Cancelled));
    assert_eq!(d.store.cancel_job("none", None).await.unwrap(), Cancel::Unknown);
    assert_eq!(d.store.cancel_job(&second, Some("another".into())).await.unwrap(), Cancel::NotYours);
    assert_eq!(d.store.claim_job(u32::MAX, u32::MAX).await.unwrap(), None);
}

#[tokio::test]
async fn a_restart_queues_once_more_and_then_gives_up() {
    let Data { dir, store } = data().await;
    let (first, cancelled) = (queue(&store).await, queue(&store).await);
    store.claim_job(u32::MAX, u32::MAX).await.unwrap();
    store.claim_job(u32::MAX, u32::MAX).await.unwrap();
    store.cancel_job(&cancelled, None).await.unwrap();
    assert_eq!(store.recover_jobs(None).await.unwrap(), Recovered { requeued: 1, interrupted: 0 });
    assert_eq!(state(&store, &first).await, JobState::Queued);
    assert_eq!(state(&store, &cancelled).await, JobState::Cancelled);
    store.claim_job(u32::MAX, u32::MAX).await.unwrap();
    assert_eq!(store.recover_jobs(None).await.unwrap(), Recovered { requeued: 0, interrupted: 1 });
    let job = store.job(&first).await.unwrap().unwrap();
    assert_eq!((job.state, job.attempts), (JobState::Interrupted, 2));
    assert!(job.reason.unwrap().contains("twice"));
    // All of it is on the disk: another connection sees it.
    let other = rusqlite::Connection::open(dir.path().join("scanproof.db")).unwrap();
    let n: i64 = other.query_row("SELECT count(*) FROM events WHERE job = ?1", [&first], |r| r.get(0)).unwrap();
    assert_eq!(n, 5);
}

#[tokio::test]
async fn lists_are_filtered_and_paged() {
    let d = data().await;
    let ids = [queue(&d.store).await, queue(&d.store).await, queue(&d.store).await];
    d.store.claim_job(u32::MAX, u32::MAX).await.unwrap();
    let list = |filter: JobFilter, limit| {
        let store = d.store.clone();
        async move { store.jobs(filter, limit).await.unwrap().into_iter().map(|j| j.id).collect::<Vec<_>>() }
    };
    let newest: Vec<String> = ids.iter().rev().cloned().collect();
    assert_eq!(list(JobFilter::default(), 10).await, newest);
    assert_eq!(list(JobFilter::default(), 2).await, newest[..2]);
    assert_eq!(list(JobFilter { before: Some(ids[1].clone()), ..JobFilter::default() }, 10).await, ids[..1]);
    assert_eq!(list(JobFilter { state: Some(JobState::Running), ..JobFilter::default() }, 10).await, ids[..1]);
    assert!(list(JobFilter { program: Some("other".into()), ..JobFilter::default() }, 10).await.is_empty());
}

#[tokio::test]
async fn the_outcome_before_is_that_of_the_last_finished_job_of_the_label() {
    let d = data().await;
    let before = async |job: &str, label: &str| d.store.outcome_before(job, label).await.unwrap();
    let first = queue(&d.store).await;
    assert_eq!(before(&first, "A").await, None);
    d.store.claim_job(u32::MAX, u32::MAX).await.unwrap();
    let outcome = |n: u32| JobEnd { outcome: Some(n.to_string()), ..end(JobState::Succeeded) };
    d.store.finish_job(&first, outcome(1)).await.unwrap();
    let second = queue(&d.store).await;
    assert_eq!(before(&second, "A").await.as_deref(), Some("1"));
    assert_eq!(before(&second, "B").await, None);
    assert_eq!(before(&first, "A").await, None);
    d.store.claim_job(u32::MAX, u32::MAX).await.unwrap();
    d.store.finish_job(&second, outcome(2)).await.unwrap();
    let third = queue(&d.store).await;
    assert_eq!(before(&third, "A").await.as_deref(), Some("2"));
    // What was stopped has no say.
    d.store.claim_job(u32::MAX, u32::MAX).await.unwrap();
    d.store.finish_job(&third, JobEnd { outcome: Some("3".into()), ..end(JobState::Cancelled) }).await.unwrap();
    let fourth = queue(&d.store).await;
    assert_eq!(before(&fourth, "A").await.as_deref(), Some("2"));
}

/// The duration of a run is the time of its work: neither the queue nor the storing of its events counts.
#[tokio::test]
async fn a_job_took_as_long_as_its_work() {
    let d = data().await;
    let id = queue(&d.store).await;
    d.store.claim_job(u32::MAX, u32::MAX).await.unwrap();
    d.store.finish_job(&id, JobEnd { worked_ms: Some((5_000, 5_250)), ..end(JobState::Succeeded) }).await.unwrap();
    let job = d.store.job(&id).await.unwrap().unwrap();
    assert_eq!((job.started_ms, job.ended_ms), (Some(5_000), Some(5_250)));
}
