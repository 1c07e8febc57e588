//! Runs: events, cancel, restarts and workers that die.

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::site::Site;

/// Returns the events of a finished job as a stream sends them: `id name`.
async fn replay(site: &Site, job: &str, last: Option<&str>) -> Vec<String> {
    let mut request = Request::get(format!("/api/v1/jobs/{job}/events")).header("accept", "text/event-stream");
    if let Some(last) = last {
        request = request.header("last-event-id", last);
    }
    let answer = site.send(request.body(Body::empty()).unwrap()).await;
    answer.is(200);
    assert_eq!(answer.header("content-type"), "text/event-stream");
    assert_eq!(answer.header("x-accel-buffering"), "no");
    let field = |block: &str, name: &str| {
        block.lines().find_map(|l| l.strip_prefix(name).map(|v| v.trim().to_string())).unwrap_or_default()
    };
    answer
        .text
        .split("\n\n")
        .filter(|b| b.contains("event:"))
        .map(|b| format!("{} {}", field(b, "id:"), field(b, "event:")))
        .collect()
}

#[tokio::test]
async fn a_stream_replays_from_any_event_and_ends() {
    let (site, job) = Site::finished().await;
    let all = replay(&site, &job, None).await;
    assert_eq!(all[..2], ["1 state", "2 state"]);
    assert_eq!(all[all.len() - 1], " end");
    assert_eq!(all.iter().filter(|e| e.ends_with(" verdict")).count(), 8);
    assert_eq!(all.iter().filter(|e| e.ends_with(" state")).count(), 3);
    assert_eq!(replay(&site, &job, Some("3")).await, all[3..]);
    assert_eq!(replay(&site, &job, Some("99999")).await, [" end"]);
    assert_eq!(replay(&site, &job, Some("garbage")).await, all);

    let list = site.get(&format!("/api/v1/jobs/{job}/events?after=2")).await.is(200).json();
    assert_eq!(list["end"], true);
    let events = list["events"].as_array().unwrap();
    assert_eq!((events.len() + 3, &events[0]["id"]), (all.len(), &json!(3)));
    assert_eq!(events.last().unwrap()["state"], "succeeded");
    site.get("/api/v1/jobs/none/events").await.is(404);
}

#[tokio::test]
async fn a_stream_follows_a_run_and_ends_with_the_service() {
    let site = Site::new();
    site.work();
    let job = site.job(json!({ "requirements": [{ "never": "Slow" }] })).await;
    let request = Request::get(format!("/api/v1/jobs/{job}/events")).body(Body::empty()).unwrap();
    let mut body = site.router.clone().oneshot(request).await.unwrap().into_body();
    let mut seen = String::new();
    while !seen.contains("event: verdict") {
        let frame = body.frame().await.expect("the stream is open").unwrap();
        seen.push_str(&String::from_utf8_lossy(frame.data_ref().unwrap()));
    }
    site.state.shutdown.cancel();
    while let Some(frame) = body.frame().await {
        assert!(!String::from_utf8_lossy(frame.unwrap().data_ref().unwrap()).contains("event: end"));
    }
}

#[tokio::test]
async fn a_running_job_is_cancelled_with_what_is_known() {
    let site = Site::new();
    site.work();
    let job = site.job(json!({ "requirements": [{ "never": "Slow" }] })).await;
    let page = format!("/runs/{job}");
    while !site.get(&page).await.text.contains("1 of 8 decided") {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let running = site.get(&format!("/api/v1/jobs/{job}")).await.json();
    assert_eq!((&running["state"], &running["requirements"]["violated"]), (&json!("running"), &json!(1)));
    // What is decided has its page and its files already.
    site.get(&page).await.has(&[&format!("<a href=\"{page}/requirements/1\" aria-label=\"R1: see why\">see why</a>")]);
    site.get(&format!("{page}/requirements/1")).await.is(200).has(&["✖ Can be broken", "The run goes on.", "cycle 2 of 2"]);
    site.get(&format!("{page}/requirements/1?cycle=1")).await.is(200).has(&["cycle 1 of 2"]);
    site.get(&format!("/api/v1/jobs/{job}/results/1/trace.csv")).await.is(200).has(&["PumpA"]);
    assert_eq!(site.get(&format!("/api/v1/jobs/{job}/results/R1")).await.is(200).json()["verdict"], "violated");
    for open in [format!("{page}/requirements/2"), format!("/api/v1/jobs/{job}/results/2")] {
        site.get(&open).await.is(409).has(&["not decided yet"]);
    }
    for end in ["results/1/certificate", "results", "report.html", "report.json"] {
        site.get(&format!("/api/v1/jobs/{job}/{end}")).await.is(409);
    }
    site.get(&format!("{page}/requirements/99")).await.is(404);
    site.json(&format!("/api/v1/jobs/{job}/cancel"), json!({})).await.is(202);
    assert_eq!(site.ended(&job).await, "cancelled");
    let results = site.get(&format!("/api/v1/jobs/{job}/results")).await.is(200).json();
    assert_eq!(results["tally"]["violated"], 1);
    // What the worker had told of before it was stopped.
    assert_eq!((&results["results"][1]["verdict"], &results["results"][1]["safe_cycles"]), (&json!("cancelled"), &json!(3)));
    site.get(&format!("{page}/requirements/2")).await.is(200).has(&["There is no violation in the first 3 cycles"]);
    site.get(&page).await.is(200).has(&["The run was stopped.", "✖ 1 can be broken"]);
}

#[tokio::test]
async fn a_waiting_job_is_cancelled_at_once() {
    let site = Site::new();
    let job = site.job(json!({})).await;
    site.form(&format!("/runs/{job}/cancel"), &[]).await.is(303);
    site.get(&format!("/runs/{job}")).await.is(200).has(&["Nothing was decided", "The run was stopped."]);
    let problem = site.get(&format!("/api/v1/jobs/{job}/results")).await.is(409).json();
    assert_eq!(problem["type"], "/problems/no-outcome");
    // Twice does no harm to a page, and is told to a program.
    site.form(&format!("/runs/{job}/cancel"), &[]).await.is(303);
    site.json(&format!("/api/v1/jobs/{job}/cancel"), json!({})).await.is(409);
    site.json("/api/v1/jobs/none/cancel", json!({})).await.is(404);
}

#[tokio::test]
async fn a_worker_that_is_killed_costs_its_requirement_and_nothing_else() {
    let site = Site::new();
    site.work();
    let job = site.job(json!({ "requirements": [{ "never": "Deadly" }] })).await;
    let state = site.ended(&job).await;
    let report = site.get(&format!("/runs/{job}")).await;
    report.is(200);
    assert!(report.text.contains("killed"), "{state}: {}", report.text);
    let lost = site.get(&format!("/runs/{job}/requirements/2")).await;
    lost.is(200).has(&["killed", "There is no violation in the first 3 cycles"]);
    // The service goes on.
    let next = site.job(json!({})).await;
    assert_eq!(site.ended(&next).await, "succeeded");
}

#[tokio::test]
async fn a_worker_that_cannot_start_fails_the_job_and_says_so() {
    let site = Site::new();
    let job = site.job(json!({})).await;
    std::fs::remove_file(&site.state.config.program).unwrap();
    site.work();
    assert_eq!(site.ended(&job).await, "failed");
    site.get(&format!("/runs/{job}")).await.is(200).has(&["Nothing was decided", "could not be started"]);
    let answer = site.get(&format!("/api/v1/programs/{}/import", site.program().await)).await;
    assert_eq!(answer.is(422).json()["type"], "/problems/program-not-readable");
}

#[tokio::test]
async fn a_restart_in_the_middle_of_a_run_queues_it_again() {
    let site = Site::new();
    site.work();
    let job = site.job(json!({ "requirements": [{ "never": "Slow" }] })).await;
    while site.get(&format!("/api/v1/jobs/{job}")).await.json()["requirements"]["done"] == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    site.state.shutdown.cancel();
    let config = site.state.config.clone();
    let Site { state, router, dir } = site;
    drop((state, router));
    // The tasks of the old service end.
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let site = tokio::task::spawn_blocking(|| Site::open(dir, config)).await.unwrap();
    let recovered = site.state.store.recover_jobs(None).await.unwrap();
    assert_eq!((recovered.requeued, recovered.interrupted), (1, 0));
    let view: Value = site.get(&format!("/api/v1/jobs/{job}")).await.json();
    assert_eq!((&view["state"], &view["attempts"], &view["requirements"]["done"]), (&json!("queued"), &json!(1), &json!(0)));
    site.work();
    while site.get(&format!("/api/v1/jobs/{job}")).await.json()["state"] == "queued" {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    site.json(&format!("/api/v1/jobs/{job}/cancel"), json!({})).await.is(202);
    assert_eq!(site.ended(&job).await, "cancelled");
}
