//! Log-in by OpenID Connect against a log-in service that signs real tokens.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderMap, Method};
use serde_json::json;

use super::access::{PASSWORD, with_users_on};
use super::accounts::Client;
use super::site::{Answer, Site, request};
use crate::report::example::booster;
use crate::store::access::users::Role;
use crate::store::audit::AuditFilter;
use crate::web::access::{Access, first_start};
use crate::web::client::{AnswerLimits, Target, send};
use crate::web::oidc::{Oidc, OidcSettings, OidcSettingsInput};
use crate::web::tls::Certificate;
use log_in_service::{Provider, SECRET};

fn input(issuer: &str) -> OidcSettingsInput {
    OidcSettingsInput {
        issuer: issuer.into(),
        client_id: "scanproof".into(),
        client_secret: Some(SECRET.into()),
        address: "http://localhost:8080".into(),
        title: "Plant log-in".into(),
        name_claim: "preferred_username".into(),
        roles_claim: "realm.roles".into(),
        roles: vec!["plc-admins=admin".into(), "plc-engineers=engineer".into()],
        scopes: vec!["profile".into()],
        ca: None,
        is_only_way: false,
    }
}

fn site_of(input: OidcSettingsInput) -> Site {
    let oidc = Arc::new(Oidc::new(OidcSettings::new(input).unwrap()).unwrap());
    Site::with(&booster(), |config| (config.access, config.oidc) = (Access::Accounts, Some(oidc)))
}

/// Makes a service with users of its own, and a log-in service beside it.
async fn with_provider() -> (Site, Provider) {
    let (provider, issuer) = Provider::start().await;
    let site = site_of(input(&issuer));
    with_users_on(&site).await;
    (site, provider)
}

/// Starts a log-in service with TLS, whose certificate is in the folder; returns its address.
async fn start_tls(folder: &Path) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let issuer = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let settings = crate::web::tls::settings(&Certificate::SelfSigned, folder, &[]).await.unwrap();
    let server = axum_server::from_tcp_rustls(listener, settings).unwrap();
    tokio::spawn(server.serve(Provider::new(issuer.clone()).router().into_make_service()));
    issuer
}

/// Returns the value of a cookie that an answer sets.
fn set_cookie(answer: &Answer, name: &str) -> Option<String> {
    let values = answer.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap());
    let found = values.filter_map(|value| value.split(';').next()?.split_once('='));
    found.filter(|(key, value)| *key == name && !value.is_empty()).map(|(_, value)| value.to_owned()).next_back()
}

/// A browser on its way back from the log-in service.
struct Return {
    cookie: String,
    path: String,
}

/// Goes to the log-in service, and comes back with a code.
async fn go(site: &Site, next: &str, ca: Option<PathBuf>) -> Return {
    let begun = site.get(&format!("/login/oidc?next={next}")).await;
    let address = begun.is(303).header("location").to_owned();
    let target = Target::parse(&address).unwrap();
    let limits = AnswerLimits { time: Duration::from_secs(5), bytes: 1 << 16 };
    let tls = ca.map(|file| crate::web::client::trusting(&file).unwrap());
    let addresses = target.addresses().await.unwrap();
    let sent = (Method::GET, HeaderMap::new(), Bytes::new());
    let answer = send(&target, &addresses, tls.as_ref(), sent, limits).await.unwrap();
    let back = answer.headers.get("location").unwrap_or_else(|| panic!("{answer:?}")).to_str().unwrap();
    let path = back.strip_prefix("http://localhost:8080").unwrap().to_owned();
    Return { cookie: set_cookie(&begun, "scanproof-log-in").unwrap(), path }
}

async fn come_back(site: &Site, back: &Return) -> Answer {
    let cookie = format!("scanproof-log-in={}", back.cookie);
    site.send(request(Method::GET, &back.path, &[("cookie", &cookie)])).await
}

async fn log_in(site: &Site) -> Answer {
    come_back(site, &go(site, "/", None).await).await
}

fn session(site: &Site, answer: &Answer) -> String {
    let id = set_cookie(answer.is(303), "scanproof").unwrap();
    assert!(site.state.config.oidc.is_some());
    id
}

async fn acts(site: &Site) -> Vec<String> {
    let rows = site.state.store.audit(AuditFilter::default(), 100).await.unwrap();
    rows.iter().map(|row| format!("{} | {} | {} | {:?}", row.act.action, row.act.who, row.act.object, row.act.result)).collect()
}

#[tokio::test]
async fn a_user_of_the_log_in_service_gets_in_with_the_role_of_a_claim() {
    let (site, provider) = with_provider().await;
    site.get("/login").await.is(200).has(&["Log in with Plant log-in", "/login/oidc?next=%2F", "With a password"]);
    let back = go(&site, "/projects", None).await;
    let done = come_back(&site, &back).await;
    assert_eq!((done.is(303).header("location"), done.header("cache-control")), ("/projects", "no-store"));
    let id = session(&site, &done);
    let user = Client::session(&site, &id);
    user.get("/account").await.is(200).has(&["Account of anna", "Your role: Engineer"]);
    assert!(!user.get("/account").await.text.contains("Current password"));
    user.json(Method::GET, "/api/v1/users", json!({})).await.is(403);
    let rows = acts(&site).await.join("\n");
    for row in
        ["log-in | anna | user anna, by OpenID Connect | Done", "user added |  | user anna, engineer, by OpenID Connect | Done"]
    {
        assert!(rows.contains(row), "{row} is not in\n{rows}");
    }
    // The next log-in is of the same user, with the role of that day.
    provider.claims(|claims| {
        (claims["preferred_username"], claims["realm"]["roles"]) = (json!("other"), json!(["x", "plc-admins"]));
    });
    let again = session(&site, &log_in(&site).await);
    let admin = Client::session(&site, &again);
    let users = admin.json(Method::GET, "/api/v1/users", json!({})).await.is(200).json();
    let anna = users["users"].as_array().unwrap().iter().find(|user| user["name"] == "anna").unwrap().clone();
    assert_eq!((&anna["role"], &anna["single_sign_on"]), (&json!("admin"), &json!(true)));
    assert_eq!(users["users"].as_array().unwrap().len(), 5);
    // There is no way around the log-in service.
    site.form("/login", &[("name", "anna"), ("password", "!")]).await.is(403);
    let page = format!("/users/{}", anna["id"]);
    assert!(!admin.get(&page).await.is(200).has(&["single sign-on"]).text.contains("Make a new code"));
    let other = with_session_of(&site, "admin").await;
    Client::session(&site, &other).form(&format!("{page}/code"), "").await.is(409).has(&["without a password"]);
}

async fn with_session_of(site: &Site, name: &str) -> String {
    let (user, _) = site.state.store.user_with_password(name).await.unwrap().unwrap();
    site.state.store.add_session("another", user.id, crate::store::now_ms()).await.unwrap();
    "another".into()
}

#[tokio::test]
async fn tokens_that_do_not_count_let_no_one_in() {
    type Case = (&'static str, fn(&Provider), &'static str);
    let cases: [Case; 11] = [
        ("signature", |p| p.forge(), "Signature verification failed"),
        ("no signature", |p| p.algorithm("none"), "does not count"),
        ("shared secret", |p| p.algorithm("HS256"), "does not count"),
        ("nonce", |p| p.claims(|c| c["nonce"] = json!("other")), "Invalid nonce"),
        ("no nonce", |p| p.claims(|c| drop(c.as_object_mut().unwrap().remove("nonce"))), "Invalid nonce"),
        ("audience", |p| p.claims(|c| c["aud"] = json!("other")), "Invalid audiences"),
        ("more audiences", |p| p.claims(|c| c["aud"] = json!(["scanproof", "other"])), "Invalid audiences"),
        ("issuer", |p| p.claims(|c| c["iss"] = json!("http://127.0.0.1:1")), "Invalid issuer"),
        ("expired", |p| p.claims(|c| c["exp"] = json!(c["iat"].as_i64().unwrap() - 60)), "Expired"),
        ("other client", |p| p.claims(|c| c["azp"] = json!("other")), "for another client"),
        ("name", |p| p.claims(|c| c["preferred_username"] = json!("a b")), "no name that fits"),
    ];
    for (case, change, words) in cases {
        let (site, provider) = with_provider().await;
        change(&provider);
        let answer = log_in(&site).await;
        assert!(answer.status == 403 && answer.text.contains(words), "{case}: {} {}", answer.status, answer.text);
        assert!(set_cookie(&answer, "scanproof").is_none(), "{case}");
        assert_eq!(site.state.store.users().await.unwrap().len(), 4, "{case}");
        let rows = acts(&site).await;
        assert!(rows[0].starts_with("log-in |") && rows[0].ends_with("Refused"), "{case}: {rows:?}");
    }
}

#[tokio::test]
async fn a_state_counts_once_and_in_its_own_browser() {
    let (site, _) = with_provider().await;
    let (mine, attacker) = (go(&site, "/", None).await, go(&site, "/", None).await);
    let words = &["not begun in this browser"];
    // The code of an attacker must not become the session of the victim.
    let planted = Return { cookie: mine.cookie.clone(), path: attacker.path.clone() };
    come_back(&site, &planted).await.is(400).has(words);
    site.get(&attacker.path).await.is(400).has(words);
    site.get("/login/oidc/callback").await.is(400).has(words);
    come_back(&site, &mine).await.is(303);
    come_back(&site, &mine).await.is(400).has(words);
    // Strangers leave no rows: they cannot fill the log.
    assert_eq!(acts(&site).await.iter().filter(|row| row.starts_with("log-in")).count(), 1);
    // A code that was used, with a fresh state.
    let fresh = go(&site, "/", None).await;
    let (code, state) = (mine.path.split_once("&state").unwrap().0, fresh.path.split_once("&state=").unwrap().1);
    let reused = Return { cookie: fresh.cookie, path: format!("{code}&state={state}") };
    come_back(&site, &reused).await.is(403).has(&["invalid_grant"]);
}

#[tokio::test]
async fn answers_of_others_and_refusals_are_told() {
    let (site, _) = with_provider().await;
    for (change, words) in
        [("&iss=http%3A%2F%2Fevil.example", "another issuer"), ("&code=&error=access_denied%3Cb%3E", "`access_deniedb`")]
    {
        let back = go(&site, "/", None).await;
        let path = if change.contains("error") { back.path.replace("code=", "ignored=") + change } else { back.path + change };
        come_back(&site, &Return { cookie: back.cookie, path: path.replace("&code=&", "&") }).await.is(403).has(&[words]);
    }
}

#[tokio::test]
async fn without_a_role_no_one_gets_in_and_what_there_was_ends() {
    let (site, provider) = with_provider().await;
    let first = session(&site, &log_in(&site).await);
    Client::session(&site, &first).get("/").await.is(200);
    provider.claims(|claims| claims["realm"]["roles"] = json!(["admin", "engineer"]));
    log_in(&site).await.is(403).has(&["You have no role in this service."]);
    Client::session(&site, &first).get("/").await.is(303);
    // A person who is switched off here stays so, whatever the log-in service says.
    provider.claims(|_| {});
    let second = session(&site, &log_in(&site).await);
    let (anna, _) = site.state.store.user_with_password("anna").await.unwrap().unwrap();
    site.state.store.set_user(anna.id, Role::Engineer, true).await.unwrap();
    log_in(&site).await.is(403).has(&["anna is switched off here"]);
    Client::session(&site, &second).get("/").await.is(303);
    // A name of a user with a password is not taken over.
    provider.claims(|claims| (claims["sub"], claims["preferred_username"]) = (json!("subject-2"), json!("Admin")));
    log_in(&site).await.is(403).has(&["The name Admin belongs to a user with a password."]);
}

#[tokio::test]
async fn a_log_in_service_that_is_down_is_told_and_passwords_go_on() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let issuer = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let site = site_of(input(&issuer));
    with_users_on(&site).await;
    let answer = site.get("/login/oidc").await;
    answer.is(503).has(&["Plant log-in cannot be reached now.", "log in with a password", "Log in with Plant log-in"]);
    site.form("/login", &[("name", "viewer"), ("password", PASSWORD)]).await.is(303);
}

#[tokio::test]
async fn passwords_can_be_switched_off() {
    let (provider, issuer) = Provider::start().await;
    let site = site_of(OidcSettingsInput { is_only_way: true, ..input(&issuer) });
    first_start::prepare(&site.state).await.unwrap();
    assert!(!site.dir.path().join("data/setup-code").exists());
    assert_eq!(site.get("/").await.is(303).header("location"), "/login");
    // The first one has to be an administrator.
    log_in(&site).await.is(403).has(&["has to be an administrator"]);
    site.form("/setup", &[("code", "x")]).await.is(403);
    provider.claims(|claims| claims["realm"]["roles"] = json!("plc-admins"));
    let id = session(&site, &log_in(&site).await);
    let admin = Client::session(&site, &id);
    assert!(!admin.get("/users").await.is(200).has(&["Users come from Plant log-in"]).text.contains("Add a user"));
    admin.form("/users", "name=bert&role=viewer").await.is(409).has(&["passwords are switched off"]);
    let page = site.get("/login").await;
    assert!(!page.is(200).text.contains("password"), "{}", page.text);
    for path in ["/login", "/code"] {
        site.form(path, &[("name", "anna"), ("password", PASSWORD)]).await.is(403).has(&["Passwords are switched off"]);
    }
    admin.form("/account/password", "password=x").await.is(403);
}

#[tokio::test]
async fn a_log_in_service_behind_a_private_certificate_is_trusted_by_a_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let issuer = start_tls(folder.path()).await;
    let ca = folder.path().join("tls-certificate.pem");
    let site = site_of(OidcSettingsInput { ca: Some(ca.clone()), ..input(&issuer) });
    with_users_on(&site).await;
    let back = go(&site, "/", Some(ca)).await;
    come_back(&site, &back).await.is(303);
    let other_issuer = start_tls(tempfile::tempdir().unwrap().path()).await;
    let site = site_of(OidcSettingsInput { ca: Some(folder.path().join("tls-certificate.pem")), ..input(&other_issuer) });
    with_users_on(&site).await;
    site.get("/login/oidc").await.is(503).has(&["cannot be reached now"]);
}

#[tokio::test]
async fn a_new_key_of_the_log_in_service_is_looked_up() {
    let (site, provider) = with_provider().await;
    log_in(&site).await.is(303);
    provider.renew_key();
    log_in(&site).await.is(303);
}

#[tokio::test]
async fn without_a_log_in_service_there_is_no_way_to_it() {
    let site = Site::with(&booster(), |config| config.access = Access::Accounts);
    with_users_on(&site).await;
    for path in ["/login/oidc", "/login/oidc/callback?code=a&state=b"] {
        site.get(path).await.is(404);
    }
    assert!(!site.get("/login").await.text.contains("/login/oidc"));
}
