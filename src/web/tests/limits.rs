//! Shares of users: the queue and the uploads of one do not take those of others.

use axum::http::Method;
use serde_json::json;

use super::access::with_users;
use super::accounts::Client;
use super::site::Site;
use crate::report::example::booster;
use crate::store::access::users::Role;
use crate::store::shares::UploadQuota;

fn program(text: &str) -> serde_json::Value {
    json!({ "files": [{ "name": "a.st", "text": text }] })
}

#[tokio::test]
async fn a_user_who_fills_the_own_share_leaves_room_for_others() {
    let (site, sessions) = with_users().await;
    let client = |role: Role| Client::session(&site, &sessions.iter().find(|(r, _)| *r == role).unwrap().1);
    let (engineer, admin) = (client(Role::Engineer), client(Role::Admin));
    let uploaded = engineer.json(Method::POST, "/api/v1/programs", program(&booster().sources[0].text)).await.json();
    let job = json!({ "program": uploaded["id"], "limits": { "wall_s": 43200, "memory_mb": 512 } });
    for _ in 0..site.state.config.max_queued_per_owner {
        engineer.json(Method::POST, "/api/v1/jobs", job.clone()).await.is(202);
    }
    let refused = engineer.json(Method::POST, "/api/v1/jobs", job.clone()).await;
    assert_eq!(refused.is(429).header("retry-after"), "60");
    refused.has(&["/problems/quota", "of your runs wait already"]);
    let other = admin.json(Method::POST, "/api/v1/jobs", job).await.is(202).json()["id"].clone();
    // The other one is second: the long runs before it take turns with it.
    let first = site.state.store.claim_job(u32::MAX, u32::MAX).await.unwrap().unwrap();
    assert_ne!(json!(first.id), other);
    assert_eq!(json!(site.state.store.claim_job(u32::MAX, u32::MAX).await.unwrap().unwrap().id), other);
}

#[tokio::test]
async fn uploads_have_a_share_of_the_day_and_of_the_disk() {
    let quota = UploadQuota { day_bytes: 3 << 20, kept_bytes: 100 << 20 };
    let site = Site::with(&booster(), |config| config.upload_quota = quota);
    let send = async |letter: &str, bytes: usize| site.json("/api/v1/programs", program(&letter.repeat(bytes))).await;
    send("a", 2 << 20).await.is(201);
    send("a", 2 << 20).await.is(200);
    let refused = send("b", 2 << 20).await;
    assert!(86_000 < refused.is(429).header("retry-after").parse::<u32>().unwrap(), "{}", refused.header("retry-after"));
    refused.has(&["/problems/quota", "You may upload 3 MB within 24 hours. The next upload of this size fits in 24 h."]);
    site.multipart("/check", &[("file", Some("b.st"), "b".repeat(2 << 20).as_bytes())])
        .await
        .is(429)
        .has(&["Your share is used up"]);
    send("c", 1 << 20).await.is(201);
    let site = Site::with(&booster(), |config| config.upload_quota = UploadQuota { day_bytes: 100 << 20, kept_bytes: 3 << 20 });
    site.json("/api/v1/programs", program(&"a".repeat(2 << 20))).await.is(201);
    let refused = site.json("/api/v1/programs", program(&"b".repeat(2 << 20))).await;
    refused.is(413).has(&["/problems/storage-quota", "Your programs take 2 MB of the 3 MB"]);
}

#[tokio::test]
async fn a_short_run_does_not_wait_for_a_long_one() {
    let site = Site::with(&booster(), |config| config.workers = 1);
    site.work();
    let program = site.program().await;
    let slow = json!({ "program": program, "specification": { "requirements": [{ "id": "Slow", "never": "PumpA" }] } });
    let slow = site.json("/api/v1/jobs", slow).await.is(202).json()["id"].as_str().unwrap().to_owned();
    while site.get(&format!("/api/v1/jobs/{slow}")).await.json()["state"] != "running" {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let job = |wall_s: u32| json!({ "program": program, "limits": { "wall_s": wall_s, "memory_mb": 512 } });
    let long = site.json("/api/v1/jobs", job(11)).await.is(202).json()["id"].as_str().unwrap().to_owned();
    let quick = site.json("/api/v1/jobs", job(10)).await.is(202).json()["id"].as_str().unwrap().to_owned();
    assert_eq!(site.ended(&quick).await, "succeeded");
    let state = async |id: &str| site.get(&format!("/api/v1/jobs/{id}")).await.json()["state"].as_str().unwrap().to_owned();
    assert_eq!((state(&slow).await.as_str(), state(&long).await.as_str()), ("running", "queued"));
    site.state.shutdown.cancel();
}

#[tokio::test]
async fn users_delete_runs_programs_and_projects_of_their_own() {
    let (site, sessions) = with_users().await;
    site.work();
    let hash = site.state.store.user_with_password("engineer").await.unwrap().unwrap().1;
    site.state.store.add_user("other".into(), hash, Role::Engineer, crate::store::now_ms()).await.unwrap();
    let number = site.state.store.user_with_password("other").await.unwrap().unwrap().0.id;
    site.state.store.add_session("session-other", number, crate::store::now_ms()).await.unwrap();
    let client = |role: Role| Client::session(&site, &sessions.iter().find(|(r, _)| *r == role).unwrap().1);
    let (mine, admin, viewer) = (client(Role::Engineer), client(Role::Admin), client(Role::Viewer));
    let other = Client::session(&site, "session-other");
    let uploaded = mine.json(Method::POST, "/api/v1/programs", program(&booster().sources[0].text)).await.json();
    let program_path = format!("/api/v1/programs/{}", uploaded["id"].as_str().unwrap());
    let mut jobs = Vec::new();
    for _ in 0..2 {
        let job = mine.json(Method::POST, "/api/v1/jobs", json!({ "program": uploaded["id"] })).await.is(202).json();
        let path = job["links"]["self"].as_str().unwrap().to_owned();
        while site.state.store.job(path.rsplit('/').next().unwrap()).await.unwrap().is_some_and(|job| !job.state.is_final()) {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        jobs.push(path);
    }
    let delete = async |client: &Client<'_>, path: &str| client.json(Method::DELETE, path, json!({})).await.status.as_u16();
    // Projects: the maker or an administrator, also after another user changed the name.
    for remover in [&mine, &admin] {
        let made = mine.json(Method::POST, "/api/v1/projects", json!({ "name": "Line" })).await.is(201).json();
        let id = made["id"].as_str().unwrap();
        let path = format!("/api/v1/projects/{id}");
        other.form(&format!("/projects/{id}/settings"), "name=Pump").await.is(303);
        for stranger in [&viewer, &other] {
            assert_eq!(delete(stranger, &path).await, 403);
            stranger.form(&format!("/projects/{id}/delete"), "confirm=Pump").await.is(403);
        }
        assert_eq!(delete(remover, &path).await, 204);
        assert_eq!(delete(remover, &path).await, 404);
    }
    assert_eq!(delete(&viewer, &jobs[0]).await, 403);
    assert_eq!(delete(&other, &jobs[0]).await, 403);
    assert_eq!(delete(&other, &program_path).await, 403);
    assert_eq!(delete(&mine, &program_path).await, 409);
    assert_eq!(delete(&mine, &jobs[0]).await, 204);
    mine.get(&jobs[0]).await.is(404);
    assert_eq!(delete(&mine, &jobs[0]).await, 404);
    assert_eq!(delete(&admin, &jobs[1]).await, 204);
    assert_eq!(delete(&mine, &program_path).await, 204);
    mine.get(&program_path).await.is(404);
    site.state.shutdown.cancel();
}

#[tokio::test]
async fn upkeep_deletes_what_is_too_old_and_says_so() {
    let change = |config: &mut crate::web::state::SiteConfig| (config.run_days, config.audit_days) = (Some(30), Some(365));
    let site = Site::with(&booster(), change);
    site.work();
    let job = site.job(json!({})).await;
    assert_eq!(site.ended(&job).await, "succeeded");
    let day = 24 * 3600 * 1000;
    let round = async |days: i64| crate::web::upkeep::round(&site.state, crate::store::now_ms() + days * day).await.unwrap();
    round(29).await;
    site.get(&format!("/runs/{job}")).await.is(200);
    round(31).await;
    site.get(&format!("/runs/{job}")).await.is(404);
    let log = site.state.store.audit(Default::default(), 9).await.unwrap();
    assert_eq!(log[0].act.object, "1 runs and 1 programs, older than 30 days");
    round(400).await;
    assert_eq!(site.state.store.audit(Default::default(), 9).await.unwrap().len(), 1);
    assert_eq!(crate::store::audit::verify(&site.dir.path().join("data"), None).unwrap().1, Ok(1));
    site.state.shutdown.cancel();
}

#[tokio::test]
async fn a_run_waits_for_memory_and_says_so() {
    let site = Site::with(&booster(), |config| (config.memory_budget_mb, config.workers) = (1024, 2));
    let program = site.program().await;
    let run = async |memory_mb: u32| {
        let asked = json!({ "program": program, "limits": { "wall_s": 600, "memory_mb": memory_mb } });
        site.json("/api/v1/jobs", asked).await.is(202).json()
    };
    let (first, second) = (run(9000).await, run(512).await);
    assert_eq!(first["limits"]["memory_mb"], 1024, "no run may ask for more than the budget");
    let (_, room) = site.state.memory.claim(&site.state.store, u32::MAX).await.unwrap().unwrap();
    let page = site.get(&format!("/runs/{}", second["id"].as_str().unwrap())).await;
    page.is(200).has(&["It begins once 512 MB of memory are free", "may take 1024 MB, and 1024 MB are taken"]);
    let ready = site.get("/readyz").await.json();
    assert_eq!((&ready["memory_taken_mb"], &ready["memory_budget_mb"]), (&json!(1024), &json!(1024)));
    site.work();
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let state = async || site.get(second["links"]["self"].as_str().unwrap()).await.json()["state"].clone();
    assert_eq!(state().await, "queued");
    drop(room);
    site.state.wake.send_modify(|n| *n += 1);
    assert_eq!(site.ended(second["id"].as_str().unwrap()).await, "succeeded");
    assert_eq!(site.state.memory.taken_mb(), 0);
}
