//! Readiness, told truthfully.

use super::site::Site;
use crate::report::example::booster;

#[tokio::test]
async fn the_service_is_ready_only_if_it_can_work() {
    let site = Site::new();
    let ready = site.get("/readyz").await.is(200).json();
    assert!(0 < ready["free_bytes"].as_u64().unwrap(), "{ready}");
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
