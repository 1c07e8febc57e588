//! Access to the real router: the policy of every route, first start, log-in, sessions and tokens.

use axum::body::Body;
use axum::http::{Method, Request, header};

use super::site::{Answer, Site};
use crate::report::example::booster;
use crate::store::access::tokens::{NewToken, Scope};
use crate::store::access::users::Role;
use crate::store::now_ms;
use crate::web::access::policy::{Permission, ROWS, allows, needed};
use crate::web::access::{Access, first_start, password};

pub(super) const PASSWORD: &str = "a long sentence";

fn accounts() -> Site {
    Site::with(&booster(), |config| config.access = Access::Accounts)
}

/// Makes a site with a user of each role, and returns a session of each.
pub(super) async fn with_users() -> (Site, Vec<(Role, String)>) {
    let site = accounts();
    let sessions = with_users_on(&site).await;
    (site, sessions)
}

/// Adds a user of each role, and returns a session of each.
pub(super) async fn with_users_on(site: &Site) -> Vec<(Role, String)> {
    let hash = password::hash(PASSWORD).unwrap();
    let mut sessions = Vec::new();
    for role in Role::ALL {
        assert!(site.state.store.add_user(role.word().into(), hash.clone(), role, now_ms()).await.unwrap());
        let (user, _) = site.state.store.user_with_password(role.word()).await.unwrap().unwrap();
        let id = format!("session-{}", role.word());
        site.state.store.add_session(&id, user.id, now_ms()).await.unwrap();
        sessions.push((role, id));
    }
    sessions
}

async fn send(site: &Site, method: &Method, path: &str, header: Option<(header::HeaderName, String)>) -> Answer {
    let mut request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, "application/json");
    if let Some((name, value)) = header {
        request = request.header(name, value);
    }
    site.send(request.body(Body::from("{}")).unwrap()).await
}

pub(super) fn cookie(id: &str) -> Option<(header::HeaderName, String)> {
    Some((header::COOKIE, format!("scanproof={id}")))
}

/// Returns an address that a route takes.
pub(super) fn example(route: &str) -> String {
    let filled = route.replace("{*path}", "none").replace("{id}", "none").replace("{number}", "1").replace("{finding}", "1");
    filled.replace("{slug}", "internal").replace("{file}", "style.css").replace("{requirement}", "1").replace("{kind}", "cfa")
}

/// Returns whether the guard refused a request.
fn is_refused(answer: &Answer) -> bool {
    let to_log_in = answer.status == 303 && answer.header("location").starts_with("/login?next=");
    [401, 403].contains(&answer.status.as_u16()) || to_log_in
}

#[test]
fn every_documented_route_has_a_row() {
    let document = serde_json::to_value(crate::web::api::openapi(Access::Accounts)).unwrap();
    let mut n = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let Ok(method) = Method::from_bytes(method.to_ascii_uppercase().as_bytes()) else { continue };
            assert!(needed(&method, path).is_some(), "{method} {path} has no row");
            n += 1;
        }
    }
    assert!(20 < n, "{n}");
    assert_eq!(needed(&Method::PUT, "/api/v1/jobs/{id}"), None);
    assert_eq!(needed(&Method::POST, "/api/v1/jobs/{id}/anything"), None);
    assert_eq!(needed(&Method::GET, "/new"), None);
}

#[tokio::test]
async fn every_route_keeps_the_policy_for_every_role_and_scope() {
    let (site, sessions) = with_users().await;
    let mut tokens = Vec::new();
    for role in Role::ALL {
        let (user, _) = site.state.store.user_with_password(role.word()).await.unwrap().unwrap();
        for scope in Scope::ALL {
            let id = format!("{}{}", role.word(), scope.word());
            let expires_ms = now_ms() + 1_000_000;
            let token = NewToken { id: id.clone(), secret: "s".into(), user: user.id, label: String::new(), scope, expires_ms };
            site.state.store.add_token(token, now_ms()).await.unwrap();
            tokens.push((role, scope, format!("Bearer sp_{id}_s")));
        }
    }
    let document = serde_json::to_value(crate::web::api::openapi(Access::Accounts)).unwrap();
    let documented = document["paths"].as_object().unwrap().keys().filter(|path| path.starts_with("/api/v1/jobs/{id}/"));
    let mut rows: Vec<(Method, String, Permission)> =
        documented.filter_map(|path| Some((Method::GET, path.clone(), needed(&Method::GET, path)?))).collect();
    rows.extend(ROWS.iter().map(|(method, path, permission)| (method.clone(), (*path).to_owned(), *permission)));
    // The log-out ends the session of the test; log-in and set-up have tests of their own.
    rows.retain(|(_, path, _)| !["/logout", "/login", "/setup"].contains(&path.as_str()));
    for (method, route, permission) in rows {
        let path = example(&route);
        let anonymous = send(&site, &method, &path, None).await;
        assert_eq!(is_refused(&anonymous), permission != Permission::Open, "{method} {route}: {}", anonymous.status);
        let forged = send(&site, &method, &path, cookie("forged")).await;
        assert_eq!(is_refused(&forged), permission != Permission::Open, "{method} {route}: {}", forged.status);
        for (role, id) in &sessions {
            let answer = send(&site, &method, &path, cookie(id)).await;
            assert_eq!(is_refused(&answer), !allows(*role, None, permission), "{role:?} {method} {route}: {}", answer.status);
        }
        for (role, scope, value) in &tokens {
            let answer = send(&site, &method, &path, Some((header::AUTHORIZATION, value.clone()))).await;
            let expected = !allows(*role, Some(*scope), permission);
            assert_eq!(is_refused(&answer), expected, "{role:?} {scope:?} {method} {route}: {}", answer.status);
        }
    }
}

#[test]
fn the_policy_is_as_documented() {
    use Permission::{Account, Audit, Change, Manage, Own, Read, Run};
    let managed = |role, token| [Account, Manage].map(|permission| allows(role, token, permission));
    for role in Role::ALL {
        assert_eq!(managed(role, None), [true, role == Role::Admin]);
        let audits = matches!(role, Role::Admin | Role::Auditor);
        let scopes = [None, Some(Scope::Admin), Some(Scope::Run), Some(Scope::Read)];
        assert_eq!(scopes.map(|scope| allows(role, scope, Audit)), [audits, audits, false, false]);
        assert_eq!(managed(role, Some(Scope::Admin)), [true, role == Role::Admin]);
        assert_eq!(managed(role, Some(Scope::Run)), [false, false]);
        assert_eq!(managed(role, Some(Scope::Read)), [false, false]);
    }
    let rights = |role, token| [Read, Run, Own].map(|permission| allows(role, token, permission));
    assert_eq!(rights(Role::Viewer, None), [true, false, true]);
    assert_eq!(rights(Role::Auditor, None), [true, false, true]);
    assert_eq!(rights(Role::Engineer, None), [true, true, true]);
    assert_eq!(rights(Role::Admin, None), [true, true, true]);
    assert_eq!(rights(Role::Engineer, Some(Scope::Read)), [true, false, false]);
    assert_eq!(rights(Role::Engineer, Some(Scope::Run)), [true, true, false]);
    assert_eq!(rights(Role::Viewer, Some(Scope::Admin)), [true, false, false]);
    for role in Role::ALL {
        let changes = matches!(role, Role::Engineer | Role::Admin);
        let scopes = [None, Some(Scope::Admin), Some(Scope::Run), Some(Scope::Read)];
        assert_eq!(scopes.map(|scope| allows(role, scope, Change)), [changes, changes, false, false]);
    }
    let deletes = |(method, path, _): &&(Method, &str, Permission)| {
        let is_of_a_user = ["/tokens/", "/sessions/", "/webhooks/"].iter().any(|part| path.contains(part));
        (*method == Method::DELETE && !is_of_a_user && !path.contains("/findings/")) || path.ends_with("/delete")
    };
    let rows: Vec<_> = ROWS.iter().filter(deletes).collect();
    assert!(8 <= rows.len() && rows.iter().all(|(_, _, permission)| *permission == Change), "{rows:?}");
}

#[tokio::test]
async fn the_first_start_needs_the_code_and_works_once() {
    let site = accounts();
    first_start::prepare(&site.state).await.unwrap();
    let file = site.state.store.directory().join("setup-code");
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions()) & 0o777;
    assert_eq!(mode, 0o600);
    let code = std::fs::read_to_string(&file).unwrap();
    assert_eq!(site.get("/").await.is(303).header("location"), "/setup");
    assert_eq!(site.get("/login").await.is(303).header("location"), "/setup");
    site.get("/api/v1/jobs").await.is(503).has(&["/problems/not-set-up", "open /setup"]);
    site.get("/livez").await.is(200);
    site.get("/setup").await.is(200).has(&["Set-up code"]);
    let fields = |code: &'static str, password: &'static str| [("code", code), ("name", "anna"), ("password", password)];
    site.form("/setup", &fields("", PASSWORD)).await.is(403);
    site.form("/setup", &fields("wrong", PASSWORD)).await.is(403).has(&["The set-up code is wrong."]);
    let code: &'static str = code.trim().to_owned().leak();
    site.form("/setup", &fields(code, "short")).await.is(422).has(&["at least 12"]);
    let made = site.form("/setup", &fields(code, PASSWORD)).await;
    let cookie = made.is(303).header("set-cookie").to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax") && !cookie.contains("Secure"), "{cookie}");
    assert!(!file.exists());
    site.form("/setup", &fields(code, PASSWORD)).await.is(403);
    assert_eq!(site.get("/").await.is(303).header("location"), "/login?next=%2F");
}

#[tokio::test]
async fn a_log_in_begins_a_new_session_and_a_log_out_ends_it() {
    let (site, _) = with_users().await;
    let log_in = async |name: &str, password: &str| {
        site.form("/login", &[("name", name), ("password", password), ("next", "//evil.example")]).await
    };
    let unknown = log_in("nobody", PASSWORD).await;
    let wrong = log_in("viewer", "another sentence").await;
    for answer in [&unknown, &wrong] {
        answer.is(403).has(&["Name or password is wrong."]);
    }
    let [first, second] = [log_in("viewer", PASSWORD).await, log_in("VIEWER", PASSWORD).await];
    assert_eq!(first.is(303).header("location"), "/");
    let id = |answer: &Answer| answer.header("set-cookie").split(['=', ';']).nth(1).unwrap().to_owned();
    assert_ne!(id(&first), id(&second));
    assert_eq!(id(&first).len(), 64);
    send(&site, &Method::GET, "/", cookie(&id(&first)))
        .await
        .is(200)
        .has(&["<a href=\"/account\">viewer</a> <button>Log out</button>"]);
    send(&site, &Method::POST, "/logout", cookie(&id(&first))).await.is(303);
    assert!(is_refused(&send(&site, &Method::GET, "/", cookie(&id(&first))).await));
    send(&site, &Method::GET, "/", cookie(&id(&second))).await.is(200);
    // A bad token never falls back to a good cookie.
    let request = Request::get("/api/v1/jobs").header("cookie", format!("scanproof={}", id(&second)));
    let answer = site.send(request.header("authorization", "Bearer sp_a_b").body(Body::empty()).unwrap()).await;
    assert!(answer.is(401).header("www-authenticate").starts_with("Bearer"));
    // A user that is disabled cannot log in, and the words do not say so.
    let (viewer, _) = site.state.store.user_with_password("viewer").await.unwrap().unwrap();
    site.state.store.set_user(viewer.id, Role::Viewer, true).await.unwrap();
    assert!(is_refused(&send(&site, &Method::GET, "/", cookie(&id(&second))).await));
    log_in("viewer", PASSWORD).await.is(403).has(&["Name or password is wrong."]);
}

#[tokio::test]
async fn guessing_has_to_wait_even_with_the_right_password() {
    let (site, _) = with_users().await;
    let log_in = async |password: &str| site.form("/login", &[("name", "admin"), ("password", password)]).await;
    for _ in 0..6 {
        log_in("another sentence").await.is(403);
    }
    assert!(!log_in(PASSWORD).await.is(429).header("retry-after").is_empty());
}

#[tokio::test]
async fn behind_tls_the_cookie_is_secure_and_bound_to_the_host() {
    let site = Site::with(&booster(), |config| (config.access, config.tls) = (Access::Accounts, true));
    let hash = password::hash(PASSWORD).unwrap();
    site.state.store.add_first_admin("anna".into(), hash, now_ms()).await.unwrap();
    let answer = site.form("/login", &[("name", "anna"), ("password", PASSWORD)]).await;
    let set = answer.is(303).header("set-cookie").to_owned();
    assert!(set.starts_with("__Host-scanproof=") && set.contains("; Secure") && set.contains("Path=/;"), "{set}");
    let id = set.split(['=', ';']).nth(1).unwrap();
    // The name of plain HTTP, which a neighbour could set, is not read.
    assert!(is_refused(&send(&site, &Method::GET, "/", cookie(id)).await));
}
