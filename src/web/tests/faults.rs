//! Faults around the database: a disk that is full and has room again, and another process that holds the lock.
//!
//! The page limit of SQLite gives its error of a full disk, on every machine and without rights of an administrator.

use std::time::{Duration, Instant};

use serde_json::json;

use super::site::Site;

/// Keeps the database from growing beyond some pages, or lets it.
async fn limit_pages(site: &Site, pages: u32) {
    let limit = format!("PRAGMA max_page_count = {pages}");
    site.state.store.call(move |c| Ok(c.query_row(&limit, [], |_| Ok(()))?)).await.unwrap();
}

fn program(kilobytes: usize) -> serde_json::Value {
    json!({ "files": [{ "name": "a.st", "text": "(* long *)\n".repeat(kilobytes * 100) }] })
}

#[tokio::test]
async fn a_full_disk_is_told_and_an_answer_is_stored_once_there_is_room() {
    let site = Site::new();
    let (stored, new) = (site.job(json!({})).await, site.job(json!({})).await);
    // One page: SQLite takes the present size instead, so nothing can grow.
    limit_pages(&site, 1).await;
    let refused = site.json("/api/v1/programs", program(500)).await;
    assert_eq!(refused.is(503).header("retry-after"), "5");
    refused.has(&["/problems/not-ready"]);
    site.get(&format!("/runs/{stored}")).await.is(200);
    limit_pages(&site, u32::MAX - 1).await;
    site.json("/api/v1/programs", program(500)).await.is(201);
    // A run that ends on the full disk keeps its answer until it can be stored.
    let end = crate::store::jobs::JobEnd {
        state: crate::store::jobs::JobState::Succeeded,
        reason: Some("x".repeat(200_000)),
        outcome: None,
        tally: None,
        verdicts: Vec::new(),
        events: Vec::new(),
        worked_ms: None,
    };
    site.state.store.claim_job(u32::MAX, u32::MAX).await.unwrap().unwrap();
    limit_pages(&site, 1).await;
    let state = site.state.clone();
    let job = stored.clone();
    let storing = tokio::spawn(async move { crate::web::queue::store_end(&state, &job, end).await });
    tokio::time::sleep(Duration::from_millis(600)).await;
    let word = async |job: &str| site.get(&format!("/api/v1/jobs/{job}")).await.json()["state"].clone();
    assert!(!storing.is_finished() && word(&stored).await == "running");
    limit_pages(&site, u32::MAX - 1).await;
    storing.await.unwrap();
    assert_eq!((word(&stored).await, word(&new).await), (json!("succeeded"), json!("queued")));
    site.get("/readyz").await.is(200);
}

#[tokio::test]
async fn another_process_that_holds_the_lock_stops_no_reader() {
    let site = Site::new();
    let job = site.job(json!({})).await;
    let other = rusqlite::Connection::open(site.state.store.directory().join("scanproof.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let reads = async {
        let began = Instant::now();
        tokio::time::sleep(Duration::from_millis(300)).await;
        site.get(&format!("/runs/{job}")).await.is(200);
        site.get("/api/v1/jobs").await.is(200);
        assert!(began.elapsed() < Duration::from_secs(3), "a read waited for the lock: {:?}", began.elapsed());
    };
    let (ready, ()) = tokio::join!(site.get("/readyz"), reads);
    assert!(ready.is(503).json()["detail"].as_str().unwrap().contains("takes no writes"), "{}", ready.text);
    other.execute_batch("ROLLBACK").unwrap();
    site.get("/readyz").await.is(200);
    site.json("/api/v1/programs", program(1)).await.is(201);
}
