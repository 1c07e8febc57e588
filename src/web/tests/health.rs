//! Readiness, told truthfully.

use axum::http::Method;

use super::site::{Site, request};
use crate::report::example::booster;

#[tokio::test]
async fn the_service_is_ready_only_if_it_can_work() {
    let site = Site::new();
    let ready = site.get("/readyz").await.is(200).json();
    assert!(0 < ready["free_bytes"].as_u64().unwrap() && 256 <= ready["memory_budget_mb"].as_u64().unwrap(), "{ready}");
    site.state.set_damage(Some("row 7 is missing from an index".into()));
    assert!(site.get("/readyz").await.is(503).json()["detail"].as_str().unwrap().contains("row 7 is missing"));
    site.state.set_damage(None);
    site.get("/readyz").await.is(200);
    site.state.end_queue();
    assert!(site.get("/readyz").await.is(503).json()["detail"].as_str().unwrap().contains("queue of runs has ended"));
    let full = Site::with(&booster(), |config| config.least_free_bytes = u64::MAX);
    let answer = full.get("/readyz").await;
    assert!(answer.is(503).json()["detail"].as_str().unwrap().contains("MB left"), "{}", answer.text);
    assert_eq!(answer.header("retry-after"), "5");
}

#[tokio::test]
async fn metrics_are_there_for_those_who_have_the_token() {
    let site = Site::new();
    site.get("/metrics").await.is(404);
    let site = Site::with(&booster(), |config| config.metrics_token = Some("a-token-for-metrics".into()));
    let ask = async |value: &str| site.send(request(Method::GET, "/metrics", &[("authorization", value)])).await;
    site.get("/metrics").await.is(401);
    for value in ["Bearer wrong", "Bearer ", "a-token-for-metrics", "Basic a-token-for-metrics"] {
        ask(value).await.is(401);
    }
    site.work();
    let job = site.job(serde_json::json!({})).await;
    assert_eq!(site.ended(&job).await, "succeeded");
    let page = ask("Bearer a-token-for-metrics").await;
    assert_eq!(page.is(200).header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    page.has(&["scanproof_jobs_ended_total{state=\"succeeded\"} 1\n", "scanproof_jobs_ended_total{state=\"failed\"} 0\n"]);
    page.has(&["scanproof_jobs_queued 0\n", "scanproof_job_duration_seconds_count 1\n", "scanproof_database_damaged 0\n"]);
    page.has(&["scanproof_http_requests_total{method=\"GET\",status=\"401\"} 5\n", "scanproof_verdicts_total{class="]);
    assert!(!page.text.contains("a-token-for-metrics"));
    // Each line is a comment or a name, labels and a number; each name is documented.
    let documented = include_str!("../../../docs/administration.md");
    for line in page.text.lines() {
        let name = line.trim_start_matches("# HELP ").trim_start_matches("# TYPE ").split(['{', ' ']).next().unwrap();
        let base = ["_bucket", "_sum", "_count"].iter().fold(name, |name, end| name.strip_suffix(end).unwrap_or(name));
        assert!(documented.contains(&format!("`{base}`")), "{base} is not in docs/administration.md");
        assert!(line.starts_with('#') || line.rsplit(' ').next().unwrap().parse::<f64>().is_ok(), "{line}");
    }
}

#[tokio::test]
async fn browsers_are_told_to_use_tls_alone_where_they_can() {
    let header = async |hsts: bool| {
        let site = Site::with(&booster(), |config| config.hsts = hsts);
        site.get("/livez").await.header("strict-transport-security").to_owned()
    };
    assert_eq!((header(false).await.as_str(), header(true).await.as_str()), ("", "max-age=63072000"));
}
