//! Requests of programs: done once, waited for, not sent again, and refused where the sender takes no answer of that type.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use super::access::with_users;
use super::accounts::Client;
use super::site::{Answer, Site, request};
use crate::store::access::users::Role;

async fn post(site: &Site, path: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
    let mut request = Request::post(path).header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    site.send(request.body(Body::from(body.to_string())).unwrap()).await
}

async fn n_jobs(site: &Site) -> usize {
    site.get("/api/v1/jobs").await.json()["jobs"].as_array().unwrap().len()
}

#[tokio::test]
async fn a_request_with_a_key_is_done_once() {
    let site = Site::new();
    let program = site.program().await;
    let run = json!({ "program": program });
    let key = [("idempotency-key", "k1")];
    let first = post(&site, "/api/v1/jobs", &key, &run).await;
    let again = post(&site, "/api/v1/jobs", &key, &run).await;
    assert_eq!((first.is(202).header("idempotent-replayed"), again.is(202).header("idempotent-replayed")), ("", "true"));
    assert_eq!((&first.text, first.header("location")), (&again.text, again.header("location")));
    assert_eq!(again.header("content-type"), "application/json");
    assert_eq!(n_jobs(&site).await, 1);
    let other = json!({ "program": program, "limits": { "wall_s": 5, "memory_mb": 512 } });
    post(&site, "/api/v1/jobs", &key, &other).await.is(422).has(&["Another request had this Idempotency-Key"]);
    post(&site, "/api/v1/jobs", &[("idempotency-key", "k2")], &other).await.is(202);
    assert_eq!(n_jobs(&site).await, 2);
    post(&site, "/api/v1/jobs", &[("idempotency-key", "")], &run).await.is(422);
    post(&site, "/api/v1/jobs", &[("idempotency-key", &"k".repeat(201))], &run).await.is(422);
    // An answer that refuses is not kept: the next try may succeed.
    let key = [("idempotency-key", "k3")];
    post(&site, "/api/v1/jobs", &key, &json!({ "program": "none" })).await.is(404);
    post(&site, "/api/v1/jobs", &key, &run).await.is(202);
}

#[tokio::test]
async fn the_same_request_twice_at_once_is_done_once() {
    let site = Site::new();
    let run = json!({ "program": site.program().await });
    let send = async || post(&site, "/api/v1/jobs", &[("idempotency-key", "k")], &run).await.status.as_u16();
    let (one, other) = tokio::join!(send(), send());
    assert!([(202, 409), (409, 202), (202, 202)].contains(&(one, other)), "{one} {other}");
    assert_eq!(n_jobs(&site).await, 1);
}

#[tokio::test]
async fn answers_with_secrets_are_never_stored() {
    let (site, sessions) = with_users().await;
    let (_, session) = sessions.iter().find(|(role, _)| *role == Role::Engineer).unwrap();
    let body = json!({ "label": "ci", "scope": "run", "days": 5 });
    let make = async || {
        let (name, value) = super::access::cookie(session).unwrap();
        let headers = [(name.as_str(), value.as_str()), ("idempotency-key", "k")];
        post(&site, "/api/v1/tokens", &headers, &body).await
    };
    let (one, other) = (make().await, make().await);
    assert_eq!((one.status, other.header("idempotent-replayed")), (other.status, ""));
    let kept: i64 =
        site.state.store.call(|c| Ok(c.query_row("SELECT count(*) FROM idempotency", [], |r| r.get(0))?)).await.unwrap();
    assert_eq!(kept, 0);
}

#[tokio::test]
async fn an_answer_waits_for_the_end_of_the_run() {
    let site = Site::new();
    site.work();
    let run = json!({ "program": site.program().await });
    let ended = post(&site, "/api/v1/jobs", &[("prefer", "wait=30")], &run).await;
    assert_eq!(ended.is(200).header("preference-applied"), "wait=30");
    assert_eq!(ended.json()["state"], "succeeded");
    let slow = json!({ "program": site.program().await, "specification": { "requirements": [{ "never": "Slow" }] } });
    let open = post(&site, "/api/v1/jobs", &[("prefer", "wait=0")], &slow).await;
    assert_eq!((open.is(202).header("retry-after"), open.header("preference-applied")), ("1", "wait=0"));
    let path = open.header("location").to_owned();
    let began = std::time::Instant::now();
    let still = site.send(request(Method::GET, &path, &[("prefer", "wait=1")])).await;
    assert!(still.is(200).json()["ended"].is_null() && 900 <= began.elapsed().as_millis());
    // The end of the service does not wait for those who wait.
    let waiting = site.send(request(Method::GET, &path, &[("prefer", "wait=60")]));
    let (answer, ()) = tokio::join!(waiting, async {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        site.state.shutdown.cancel();
    });
    answer.is(200);
}

#[tokio::test]
async fn what_the_sender_has_already_is_not_sent_again() {
    let (site, job) = Site::finished().await;
    for path in ["/api/v1/jobs", &format!("/api/v1/jobs/{job}"), &format!("/api/v1/jobs/{job}/report.sarif")] {
        let answer = site.get(path).await;
        let tag = answer.is(200).header("etag").to_owned();
        assert!(tag.starts_with("W/\""), "{path}: {tag}");
        let known = site.send(request(Method::GET, path, &[("if-none-match", &tag)])).await;
        assert_eq!((known.is(304).text.as_str(), known.header("etag")), ("", tag.as_str()), "{path}");
        site.send(request(Method::GET, path, &[("if-none-match", "\"other\"")])).await.is(200);
    }
    let tag = site.get("/api/v1/jobs").await.header("etag").to_owned();
    site.job(json!({})).await;
    site.send(request(Method::GET, "/api/v1/jobs", &[("if-none-match", &tag)])).await.is(200);
    // Failures and pages have no tag.
    assert_eq!(site.get("/api/v1/jobs/none").await.is(404).header("etag"), "");
    assert_eq!(site.get("/").await.is(200).header("etag"), "");
}

#[tokio::test]
async fn an_answer_that_the_sender_does_not_take_is_refused() {
    let (site, job) = Site::finished().await;
    let ask = async |path: &str, accept: &str| site.send(request(Method::GET, path, &[("accept", accept)])).await;
    let path = format!("/api/v1/jobs/{job}");
    ask(&path, "text/csv").await.is(406).has(&["The answer is application/json", "/problems/not-acceptable"]);
    ask(&path, "text/html, */*;q=0.1").await.is(200);
    ask(&format!("{path}/report.junit.xml"), "application/json").await.is(406);
    ask(&format!("{path}/report.html"), "text/html").await.is(200);
    ask("/api/v1/jobs/none", "text/csv").await.is(404);
    site.get("/problems/not-acceptable").await.is(200);
}

#[tokio::test]
async fn users_stop_their_own_runs_and_administrators_all() {
    let (site, sessions) = with_users().await;
    let client = |role: Role| Client::session(&site, &sessions.iter().find(|(r, _)| *r == role).unwrap().1);
    let (admin, engineer) = (client(Role::Admin), client(Role::Engineer));
    let files = json!({ "files": [{ "name": "a.st", "text": crate::report::example::BOOSTER }] });
    let program = engineer.json(Method::POST, "/api/v1/programs", files).await.json()["id"].as_str().unwrap().to_owned();
    let run = async |client: &Client<'_>| {
        let job = client.json(Method::POST, "/api/v1/jobs", json!({ "program": program })).await;
        job.is(202).json()["id"].as_str().unwrap().to_owned()
    };
    let (of_admin, of_engineer, second) = (run(&admin).await, run(&engineer).await, run(&engineer).await);
    engineer.json(Method::POST, &format!("/api/v1/jobs/{of_admin}/cancel"), json!({})).await.is(403);
    engineer.form(&format!("/runs/{of_admin}/cancel"), "").await.is(403);
    assert_eq!(admin.get(&format!("/api/v1/jobs/{of_admin}")).await.json()["state"], "queued");
    engineer.json(Method::POST, &format!("/api/v1/jobs/{of_engineer}/cancel"), json!({})).await.is(202);
    admin.form(&format!("/runs/{second}/cancel"), "").await.is(303);
    // Deletion by the page: the run of another user stays, and the page says why.
    let page = admin.get(&format!("/runs/{second}/delete")).await;
    page.is(200).has(&["Delete the run a.st?", "cannot be undone", &format!("action=\"/runs/{second}/delete\"")]);
    engineer.form(&format!("/runs/{of_admin}/delete"), "").await.is(403).has(&["Nothing was deleted", "of another user"]);
    admin.form(&format!("/runs/{of_admin}/delete"), "").await.is(409).has(&["Nothing was deleted", "has not ended"]);
    engineer.form(&format!("/programs/{program}/delete"), "").await.is(409).has(&["A run needs it"]);
    engineer.form(&format!("/runs/{of_engineer}/delete"), "").await.is(303);
    admin.get(&format!("/runs/{of_engineer}")).await.is(404);
    engineer.get("/programs/none/delete").await.is(404);
}

#[tokio::test]
async fn a_look_at_sources_leaves_one_row_within_an_hour() {
    let (site, sessions) = with_users().await;
    let viewer = Client::session(&site, &sessions.iter().find(|(r, _)| *r == Role::Viewer).unwrap().1);
    let program = site.state.store.upload(
        ("engineer".into(), site.state.config.upload_quota),
        "a".into(),
        vec![crate::store::programs::Source { name: "a.st".into(), text: "PROGRAM a END_PROGRAM".into(), note: None }],
        crate::store::now_ms(),
    );
    let crate::store::shares::Upload::Kept(program, _) = program.await.unwrap() else { panic!("no share is left") };
    let looks = async || {
        let rows = site.state.store.audit(crate::store::audit::AuditFilter::default(), 100).await.unwrap();
        rows.iter().filter(|row| row.act.action == "sources shown" && row.act.who == "viewer").count()
    };
    for _ in 0..3 {
        viewer.get(&format!("/programs/{}", program.id)).await.is(200);
    }
    assert_eq!(looks().await, 1);
    viewer.get(&format!("/api/v1/programs/{}/import", program.id)).await.is(200);
    assert_eq!(looks().await, 2);
}
