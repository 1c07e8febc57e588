//! The audit log: every act of users leaves a row, and no secret is in it.

use axum::http::Method;
use serde_json::json;

use super::access::{PASSWORD, with_users};
use super::accounts::Client;
use super::site::Site;
use crate::store::access::users::Role;
use crate::store::audit::chain::{AuditRow, ChainCheck, Link};
use crate::store::audit::{AuditFilter, verify};

async fn rows(site: &Site) -> Vec<AuditRow> {
    let mut rows = site.state.store.audit(AuditFilter::default(), 1000).await.unwrap();
    rows.reverse();
    rows
}

/// Returns the last row as words.
async fn last(site: &Site) -> String {
    let row = rows(site).await.pop().unwrap();
    format!("{}: {} {} ({})", row.act.who, row.act.action, row.act.result.word(), row.act.object)
}

#[tokio::test]
async fn log_ins_and_their_failures_are_recorded() {
    let (site, _) = with_users().await;
    let log_in = async |name: &str, password: &str| site.form("/login", &[("name", name), ("password", password)]).await;
    site.form("/code", &[("name", "viewer"), ("code", "wrong"), ("new-password", PASSWORD)]).await.is(403);
    assert_eq!(last(&site).await, ": password chosen with a code refused (one-time code)");
    log_in("VIEWER", PASSWORD).await.is(303);
    assert_eq!(last(&site).await, "viewer: log-in done (user viewer)");
    log_in("viewer", "another sentence").await.is(403);
    assert_eq!(last(&site).await, ": log-in refused (user viewer)");
    // The password in the wrong field.
    log_in("my-secret-passphrase", "").await.is(403);
    assert_eq!(last(&site).await, ": log-in refused (unknown name)");
    for _ in 0..20 {
        log_in("viewer", "another sentence").await;
    }
    let n = rows(&site).await.len();
    assert!(n < 10, "requests that have to wait leave no row: {n}");
    // Nor do requests that count as no try.
    for _ in 0..20 {
        site.form("/setup", &[("code", "x")]).await.is(403);
        site.json("/login", json!({})).await.is(415);
        site.json("/code", json!({})).await.is(415);
    }
    assert_eq!(rows(&site).await.len(), n);
    let text: String = rows(&site).await.iter().map(|row| serde_json::to_string(row).unwrap()).collect();
    assert!(!text.contains("sentence") && !text.contains("passphrase"), "{text}");
}

#[tokio::test]
async fn acts_of_users_are_recorded_whether_allowed_or_not() {
    let (site, sessions) = with_users().await;
    let client = |role: Role| Client::session(&site, &sessions.iter().find(|(r, _)| *r == role).unwrap().1);
    let (admin, engineer, viewer) = (client(Role::Admin), client(Role::Engineer), client(Role::Viewer));
    let uploaded = engineer.json(Method::POST, "/api/v1/programs", json!({ "files": [{ "name": "a.st", "text": "x" }] })).await;
    let program = uploaded.is(201).json()["id"].as_str().unwrap().to_owned();
    assert_eq!(last(&site).await, format!("engineer: program uploaded done (/api/v1/programs → /api/v1/programs/{program})"));
    viewer.get(&format!("/api/v1/programs/{program}")).await.is(200);
    assert_eq!(last(&site).await, format!("viewer: sources downloaded done (/api/v1/programs/{program})"));
    viewer.json(Method::POST, "/api/v1/jobs", json!({})).await.is(403);
    assert_eq!(last(&site).await, "viewer: run started refused (/api/v1/jobs)");
    engineer.json(Method::POST, "/api/v1/jobs/none/cancel", json!({})).await.is(404);
    assert_eq!(last(&site).await, "engineer: run cancelled failed (/api/v1/jobs/none/cancel)");
    admin.form("/users", "name=cleo&role=viewer").await.is(200);
    assert_eq!(last(&site).await, "admin: user added done (user cleo, viewer)");
    let cleo = site.state.store.user_with_password("cleo").await.unwrap().unwrap().0.id;
    admin.form(&format!("/users/{cleo}"), "role=auditor").await.is(303);
    assert_eq!(last(&site).await, "admin: user changed done (user cleo, auditor)");
    admin.form(&format!("/users/{cleo}"), "access=off").await.is(303);
    assert_eq!(last(&site).await, "admin: user changed done (user cleo, auditor, switched off)");
    engineer.json(Method::PATCH, &format!("/api/v1/users/{cleo}"), json!({ "role": "admin" })).await.is(403);
    assert_eq!(last(&site).await, format!("engineer: user changed refused (/api/v1/users/{cleo})"));
    let made = admin.json(Method::POST, "/api/v1/tokens", json!({ "label": "a", "scope": "admin", "days": 1 })).await.json();
    let token = made["token"].as_str().unwrap();
    assert!(last(&site).await.starts_with(&format!("admin: token made done (token {}, admin", made["id"].as_str().unwrap())));
    Client::token(&site, token).json(Method::PATCH, &format!("/api/v1/users/{cleo}"), json!({ "disabled": false })).await.is(200);
    let row = rows(&site).await.pop().unwrap();
    assert_eq!((row.act.who.as_str(), row.act.via), ("admin", format!("token {}", made["id"].as_str().unwrap())));
    // Strangers cannot fill the log.
    let n = rows(&site).await.len();
    site.json("/api/v1/jobs", json!({})).await.is(401);
    site.get("/projects").await.is(303);
    assert_eq!(rows(&site).await.len(), n);
    let text: String = rows(&site).await.iter().map(|row| serde_json::to_string(row).unwrap()).collect();
    assert!(!text.contains(token.rsplit('_').next().unwrap()), "{text}");
}

#[tokio::test]
async fn auditors_read_filter_and_export_the_log() {
    let (site, sessions) = with_users().await;
    let client = |role: Role| Client::session(&site, &sessions.iter().find(|(r, _)| *r == role).unwrap().1);
    let (admin, auditor) = (client(Role::Admin), client(Role::Auditor));
    for name in ["<b>", "cleo", "dora"] {
        admin.form("/users", &format!("name={name}&role=viewer")).await;
    }
    for role in [Role::Viewer, Role::Engineer] {
        client(role).get("/audit").await.is(403);
        client(role).get("/audit.jsonl").await.is(403);
    }
    auditor.get("/audit").await.is(200).has(&["user cleo, viewer", "user added", "failed", "Newest row:"]);
    let found = auditor.get("/audit?search=CLEO").await;
    found.is(200).has(&["user cleo, viewer"]);
    assert!(!found.text.contains("dora"));
    auditor.get("/audit?who=nobody").await.is(200).has(&["No row matches."]);
    auditor.get("/audit?who=%3Cscript%3E&before=x").await.is(422);
    assert!(!auditor.get("/audit?search=%3Cscript%3Ealert").await.text.contains("<script>alert"));
    let page = auditor.get("/api/v1/audit?limit=1&result=done").await;
    let listed = page.is(200).json();
    assert_eq!(listed["rows"][0]["object"], "user dora, viewer");
    assert!(page.header("link").contains("cursor=3&result=done"), "{}", page.header("link"));
    let exported = auditor.get("/audit.jsonl").await;
    assert_eq!(exported.is(200).header("content-type"), "application/jsonl");
    let mut check = ChainCheck::new(Link::default(), None);
    for line in exported.text.lines() {
        check.next(&serde_json::from_str(line).unwrap()).unwrap();
    }
    // Three users, two refusals, and this export itself.
    assert_eq!(check.end(), Ok(6));
    assert_eq!(last(&site).await, "auditor: audit log exported done (/audit.jsonl)");
    assert_eq!(verify(&site.dir.path().join("data"), None).unwrap().1, Ok(6));
}
