//! Users, own sessions and own tokens, by pages and by API.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use super::access::{PASSWORD, cookie, with_users};
use super::site::{Answer, Site};
use crate::store::access::users::Role;

/// A browser or a program with its credential.
pub(super) struct Client<'a> {
    site: &'a Site,
    header: (&'static str, String),
}

impl<'a> Client<'a> {
    pub(super) fn session(site: &'a Site, id: &str) -> Client<'a> {
        let (_, value) = cookie(id).unwrap();
        Client { site, header: ("cookie", value) }
    }

    pub(super) fn token(site: &'a Site, token: &str) -> Client<'a> {
        Client { site, header: ("authorization", format!("Bearer {token}")) }
    }

    async fn send(&self, method: Method, path: &str, media_type: &str, body: String) -> Answer {
        let request = Request::builder().method(method).uri(path).header("content-type", media_type);
        self.site.send(request.header(self.header.0, &self.header.1).body(Body::from(body)).unwrap()).await
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, "text/plain", String::new()).await
    }

    pub(super) async fn json(&self, method: Method, path: &str, body: Value) -> Answer {
        self.send(method, path, "application/json", body.to_string()).await
    }

    pub(super) async fn form(&self, path: &str, body: &str) -> Answer {
        self.send(Method::POST, path, "application/x-www-form-urlencoded", body.into()).await
    }
}

/// Returns the text between two marks.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let rest = text.split_once(begin).unwrap_or_else(|| panic!("no `{begin}` in {text}")).1;
    rest.split_once(end).unwrap().0
}

fn id_of(answer: &Answer) -> String {
    answer.header("set-cookie").split(['=', ';']).nth(1).unwrap().to_owned()
}

#[tokio::test]
async fn an_administrator_adds_a_user_who_chooses_a_password() {
    let (site, sessions) = with_users().await;
    let admin = Client::session(&site, &sessions.iter().find(|(role, _)| *role == Role::Admin).unwrap().1);
    admin.form("/users", "name=cleo").await.is(422).has(&["Choose a role."]);
    admin.form("/users", "name=c+l&role=viewer").await.is(422).has(&["A name has 1 to 64 characters"]);
    admin.form("/users", "name=VIEWER&role=admin").await.is(409).has(&["The name VIEWER is taken."]);
    let added = admin.form("/users", "name=cleo&role=engineer").await;
    assert_eq!(added.is(200).header("cache-control"), "no-store");
    let code = between(&added.text, "<code id=\"code\">", "</code>").to_owned();
    admin.get("/users").await.is(200).has(&["cleo", "has a code, no password yet"]);
    site.form("/login", &[("name", "cleo"), ("password", "!")]).await.is(403);
    let fields = |code: &'static str, new: &'static str, again: &'static str| {
        [("name", "Cleo"), ("code", code), ("new-password", new), ("repeated", again)]
    };
    let code: &'static str = code.leak();
    // Unknown names and wrong codes look alike.
    let wrong = site.form("/code", &fields("wrong", PASSWORD, PASSWORD)).await;
    let unknown = site.form("/code", &[("name", "nobody"), ("code", code), ("new-password", PASSWORD)]).await;
    for answer in [&wrong, &unknown] {
        answer.is(403).has(&["The name and the code do not fit"]);
    }
    site.form("/code", &fields(code, "short", "short")).await.is(422).has(&["at least 12"]);
    site.form("/code", &fields(code, PASSWORD, "another sentence")).await.is(422).has(&["differ"]);
    let made = site.form("/code", &fields(code, PASSWORD, PASSWORD)).await;
    let session = id_of(made.is(303));
    site.form("/code", &fields(code, PASSWORD, PASSWORD)).await.is(403);
    Client::session(&site, &session).get("/").await.is(200).has(&["cleo"]);
    admin.get("/users").await.is(200).has(&["active"]);
    site.form("/login", &[("name", "cleo"), ("password", PASSWORD)]).await.is(303);
}

#[tokio::test]
async fn an_administrator_changes_users_but_never_the_last_of_the_kind() {
    let (site, sessions) = with_users().await;
    let session = |role: Role| sessions.iter().find(|(r, _)| *r == role).unwrap().1.as_str();
    let admin = Client::session(&site, session(Role::Admin));
    let number = |name: &'static str| async { site.state.store.user_with_password(name).await.unwrap().unwrap().0.id };
    let [this, engineer] = [number("admin").await, number("engineer").await];
    admin.form(&format!("/users/{this}"), "role=viewer").await.is(409).has(&["admin is the last administrator"]);
    admin.form(&format!("/users/{this}"), "access=off").await.is(409);
    admin.form(&format!("/users/{this}/code"), "").await.is(409).has(&["A code is for other users."]);
    admin.form(&format!("/users/{engineer}"), "role=root").await.is(422).has(&["Choose a role."]);
    admin.form(&format!("/users/{engineer}"), "role=viewer").await.is(303);
    let other = Client::session(&site, session(Role::Engineer));
    other.json(Method::POST, "/api/v1/jobs", json!({})).await.is(403);
    // The page about the refusal knows who sees it.
    other.get("/users").await.is(403).has(&["You are not allowed to do this.", "engineer</a> <button>Log out</button>"]);
    other.get("/projects/none").await.is(404).has(&["Log out"]);
    admin.form(&format!("/users/{engineer}"), "access=off").await.is(303);
    other.get("/api/v1/jobs").await.is(401);
    admin.get(&format!("/users/{engineer}")).await.is(200).has(&["Viewer, switched off"]);
    admin.form(&format!("/users/{engineer}/code"), "").await.is(409).has(&["switched off"]);
    admin.form(&format!("/users/{engineer}"), "access=on").await.is(303);
    admin.form(&format!("/users/{engineer}/code"), "").await.is(200).has(&["One-time code of engineer"]);
    site.form("/login", &[("name", "engineer"), ("password", PASSWORD)]).await.is(403);
    for path in ["/users/99", "/users/x", "/users/-1", "/users/9999999999999999999999"] {
        admin.get(path).await.is(404);
    }
}

#[tokio::test]
async fn users_end_sessions_and_tokens_of_their_own_alone() {
    let (site, sessions) = with_users().await;
    let log_in = async |name: &str| id_of(site.form("/login", &[("name", name), ("password", PASSWORD)]).await.is(303));
    let [first, second] = [log_in("viewer").await, log_in("viewer").await];
    let (mine, other) = (Client::session(&site, &first), Client::session(&site, &sessions[2].1));
    mine.get("/account").await.is(200).has(&["Account of viewer", "this session", "End all other sessions"]);
    let hash = crate::store::access::secret_hash(&second);
    other.form(&format!("/account/sessions/{hash}"), "").await.is(404);
    other.json(Method::DELETE, &format!("/api/v1/sessions/{hash}"), json!({})).await.is(404);
    Client::session(&site, &second).get("/").await.is(200);
    mine.form(&format!("/account/sessions/{hash}"), "").await.is(303);
    Client::session(&site, &second).get("/").await.is(303);
    let third = log_in("viewer").await;
    mine.form("/account/sessions/others", "").await.is(303);
    Client::session(&site, &third).get("/").await.is(303);
    assert_eq!(mine.get("/api/v1/sessions").await.is(200).json()["sessions"].as_array().unwrap().len(), 1);

    let made = mine.form("/account/tokens", "label=line+3&scope=read&days=30").await;
    let token = between(&made.is(200).text, "<code id=\"token\">", "</code>").to_owned();
    assert_eq!(made.header("cache-control"), "no-store");
    mine.get("/account").await.is(200).has(&["line 3", "never"]);
    assert!(!mine.get("/account").await.text.contains(&token));
    let program = Client::token(&site, &token);
    program.get("/api/v1/jobs").await.is(200);
    program.get("/api/v1/tokens").await.is(403);
    let id = token.split('_').nth(1).unwrap();
    other.form(&format!("/account/tokens/{id}"), "").await.is(404);
    other.json(Method::DELETE, &format!("/api/v1/tokens/{id}"), json!({})).await.is(404);
    program.get("/api/v1/jobs").await.is(200);
    mine.form(&format!("/account/tokens/{id}"), "").await.is(303);
    program.get("/api/v1/jobs").await.is(401);
    for body in
        ["label=&scope=read&days=1", "label=a&scope=root&days=1", "label=a&scope=run&days=0", "label=a&scope=run&days=367"]
    {
        mine.form("/account/tokens", body).await.is(422);
    }
}

#[tokio::test]
async fn a_new_password_needs_the_old_one_and_ends_other_sessions() {
    let (site, _) = with_users().await;
    let log_in = async || id_of(site.form("/login", &[("name", "viewer"), ("password", PASSWORD)]).await.is(303));
    let [first, second] = [log_in().await, log_in().await];
    let mine = Client::session(&site, &first);
    let body = |old: &str, new: &str, again: &str| format!("password={old}&new-password={new}&repeated={again}");
    let change = async |body: String| mine.form("/account/password", &body).await;
    change(body("wrong", "a+new+sentence", "a+new+sentence")).await.is(403).has(&["The current password is wrong."]);
    change(body("a+long+sentence", "short", "short")).await.is(422);
    change(body("a+long+sentence", "a+new+sentence", "a+new+sentense")).await.is(422).has(&["differ"]);
    let changed = change(body("a+long+sentence", "a+new+sentence", "a+new+sentence")).await;
    let third = id_of(changed.is(303));
    assert!(third != first && third != second);
    for id in [&first, &second] {
        Client::session(&site, id).get("/").await.is(303);
    }
    Client::session(&site, &third).get("/").await.is(200);
    let mine = Client::session(&site, &third);
    for _ in 0..4 {
        mine.form("/account/password", &body("wrong", "a+new+sentence", "a+new+sentence")).await;
    }
    mine.form("/account/password", &body("wrong", "x", "x")).await.is(403);
    mine.form("/account/password", &body("a+new+sentence", "x", "x")).await.is(429);
}

#[tokio::test]
async fn the_api_manages_users_and_tokens() {
    let (site, sessions) = with_users().await;
    let admin = Client::session(&site, &sessions.iter().find(|(role, _)| *role == Role::Admin).unwrap().1);
    let made = admin.json(Method::POST, "/api/v1/users", json!({ "name": "cleo", "role": "auditor" })).await;
    assert_eq!(made.is(201).header("cache-control"), "no-store");
    let user = made.json();
    assert_eq!((user["code"].as_str().unwrap().len(), &user["user"]["role"]), (25, &json!("auditor")));
    let address = made.header("location").to_owned();
    admin.json(Method::POST, "/api/v1/users", json!({ "name": "cleo", "role": "viewer" })).await.is(409);
    admin.json(Method::POST, "/api/v1/users", json!({ "name": "a b", "role": "viewer" })).await.is(422);
    admin.json(Method::POST, "/api/v1/users", json!({ "name": "d", "role": "root" })).await.is(400);
    let patched = admin.json(Method::PATCH, &address, json!({ "role": "engineer", "disabled": true })).await.is(200).json();
    assert_eq!((&patched["role"], &patched["disabled"]), (&json!("engineer"), &json!(true)));
    admin.json(Method::POST, &format!("{address}/code"), json!({})).await.is(409);
    admin.json(Method::PATCH, &address, json!({ "disabled": false })).await.is(200);
    assert_eq!(admin.json(Method::POST, &format!("{address}/code"), json!({})).await.is(200).header("cache-control"), "no-store");
    assert_eq!(admin.get("/api/v1/users").await.is(200).json()["users"].as_array().unwrap().len(), 5);
    // A token of the scope admin manages users, but makes no tokens.
    let token = admin.json(Method::POST, "/api/v1/tokens", json!({ "label": "a", "scope": "admin", "days": 1 })).await;
    let program = Client::token(&site, token.is(201).json()["token"].as_str().unwrap());
    program.get("/api/v1/users").await.is(200);
    program.json(Method::POST, "/api/v1/tokens", json!({ "label": "b", "scope": "admin", "days": 1 })).await.is(403);
    let id = program.get("/api/v1/tokens").await.is(200).json()["tokens"][0]["id"].as_str().unwrap().to_owned();
    program.json(Method::DELETE, &format!("/api/v1/tokens/{id}"), json!({})).await.is(204);
    program.get("/api/v1/users").await.is(401);
}

#[tokio::test]
async fn a_page_of_another_site_changes_no_user() {
    let (site, sessions) = with_users().await;
    let (_, admin) = cookie(&sessions.iter().find(|(role, _)| *role == Role::Admin).unwrap().1).unwrap();
    let paths =
        ["/users", "/users/1", "/users/1/code", "/account/password", "/account/sessions/others", "/account/tokens", "/logout"];
    for path in paths.into_iter().chain(["/login", "/code", "/setup", "/account/tokens/x"]) {
        let request = Request::post(path).header("cookie", &admin).header("sec-fetch-site", "cross-site");
        let request = request.header("content-type", "application/x-www-form-urlencoded").header("origin", "http://evil.example");
        site.send(request.body(Body::from("name=eve&role=admin")).unwrap()).await.is(403).has(&["another site"]);
    }
    assert_eq!(site.state.store.users().await.unwrap().len(), 4);
}

#[tokio::test]
async fn without_accounts_there_are_no_users() {
    let site = Site::new();
    for path in ["/users", "/account"] {
        site.get(path).await.is(403).has(&["The service has no accounts"]);
    }
    site.json("/api/v1/users", json!({ "name": "eve", "role": "admin" })).await.is(403);
    site.get("/api/v1/tokens").await.is(403);
}
