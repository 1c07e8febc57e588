//! Kept counterexamples by the API: they change no verdict, and stay in the list when they are taken back.

use axum::http::Method;
use serde_json::json;

use super::site::{Site, request};
use crate::report::comparison::is_broken;
use crate::report::example::booster;
use crate::report::verdict_class::VerdictClass;

#[tokio::test]
async fn programs_keep_counterexamples_and_take_them_back() {
    let mut outcome = booster();
    let at = outcome.results.iter().position(|r| is_broken(VerdictClass::of(r))).unwrap();
    outcome.results[at].cone = Some("cone".into());
    let (broken, met) = (outcome.results[at].id.clone(), outcome.results[(at + 1) % outcome.results.len()].id.clone());
    let site = Site::with(&outcome, |_| {});
    site.work();
    let made = site.json("/api/v1/projects", json!({ "name": "Pump", "program": site.program().await })).await;
    let project = made.is(201).header("location").to_owned();
    let path = format!("{project}/findings");
    assert_eq!(site.get(&path).await.is(200).json()["findings"], json!([]));
    let page = project.replace("/api/v1", "");
    let run = site.form(&format!("{page}/runs"), &[]).await.is(303).header("location").to_owned();
    let job = run.rsplit('/').next().unwrap();
    assert_eq!(site.ended(job).await, "succeeded");
    let keep = async |requirement: &str, reason: &str| {
        site.json(&path, json!({ "job": job, "requirement": requirement, "reason": reason })).await
    };
    keep(&broken, " ").await.is(422).has(&["only with a reason"]);
    keep(&met, "never").await.is(422).has(&["Only a broken requirement"]);
    keep("none", "never").await.is(404);
    let kept = keep(&broken, "The valve cannot close here.").await;
    let place = kept.is(201).header("location").to_owned();
    assert_eq!((kept.json()["state"].as_str(), kept.json()["ended"].is_null()), (Some("counts"), true));
    assert_eq!(site.get(&place).await.is(200).json(), kept.json());
    // The verdict stays broken, and says that it is kept.
    let result = site.get(&format!("/api/v1/jobs/{job}/results/{broken}")).await.json();
    assert_eq!(
        (result["verdict"].as_str(), result["kept"]["reason"].as_str()),
        (Some("violated"), Some("The valve cannot close here."))
    );
    site.send(request(Method::DELETE, &place, &[])).await.is(204);
    site.send(request(Method::DELETE, &place, &[])).await.is(404);
    let listed = site.get(&path).await.json();
    assert_eq!((listed["findings"][0]["state"].as_str(), listed["findings"][0]["ended"].is_string()), (Some("taken_back"), true));
    // A run of no project cannot be kept in one.
    let other = site.job(json!({})).await;
    assert_eq!(site.ended(&other).await, "succeeded");
    site.json(&path, json!({ "job": other, "requirement": broken, "reason": "x" })).await.is(404);
    for path in ["/api/v1/projects/none/findings", "/api/v1/projects/none/findings/1"] {
        site.get(path).await.is(404);
    }
}
