//! Attacks on access: each must end where the policy says.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::json;

use super::access::{PASSWORD, cookie, with_users};
use super::accounts::Client;
use super::site::Site;
use crate::store::access::users::Role;

fn client<'a>(site: &'a Site, sessions: &[(Role, String)], role: Role) -> Client<'a> {
    Client::session(site, &sessions.iter().find(|(r, _)| *r == role).unwrap().1)
}

#[tokio::test]
async fn a_session_that_an_attacker_planted_is_not_the_one_of_the_user() {
    let (site, _) = with_users().await;
    let (_, planted) = cookie("planted").unwrap();
    let request = Request::post("/login").header("cookie", &planted).header("content-type", "application/x-www-form-urlencoded");
    let body = format!("name=viewer&password={}", PASSWORD.replace(' ', "+"));
    let answer = site.send(request.body(Body::from(body)).unwrap()).await;
    assert!(!answer.is(303).header("set-cookie").contains("planted"));
    Client::session(&site, "planted").get("/").await.is(303);
    // Two cookies of the name: neither counts, since one of them was planted.
    let own = answer.header("set-cookie").split(';').next().unwrap();
    let both = Request::get("/").header("cookie", format!("{planted}; {own}")).body(Body::empty()).unwrap();
    site.send(both).await.is(303);
}

#[tokio::test]
async fn no_spelling_of_an_address_leads_past_the_policy() {
    let (site, sessions) = with_users().await;
    let viewer = client(&site, &sessions, Role::Viewer);
    let number = site.state.store.user_with_password("viewer").await.unwrap().unwrap().0.id;
    let paths = [
        "/users",
        "/users/",
        "//users",
        "/USERS",
        "/users%2f",
        "/%75sers",
        "/./users",
        "/projects/../users",
        "/users;x=1",
        "/users%00",
        "/api/v1/users",
        "/api/v1//users",
        "/api/v1/projects/%2e%2e/users",
        "/api//v1/users",
        "/audit",
        "/audit%2ejsonl",
        "/audit.jsonl",
    ];
    for path in paths {
        for method in [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS] {
            let answer = viewer.json(method.clone(), path, json!({ "name": "eve", "role": "admin" })).await;
            assert!([400, 403, 404, 405].contains(&answer.status.as_u16()), "{method} {path}: {}", answer.status);
            let names = ["engineer</a>", "\"engineer\"", "log-in done"];
            assert!(!names.iter().any(|name| answer.text.contains(name)), "{method} {path}: {}", answer.text);
        }
    }
    // Headers that some services take for another method, address or user.
    let tricks = [
        ("x-http-method-override", "PATCH"),
        ("x-original-url", "/users"),
        ("x-rewrite-url", "/users"),
        ("x-forwarded-user", "admin"),
        ("remote-user", "admin"),
        ("forwarded", "for=127.0.0.1"),
    ];
    let (_, value) = cookie(&sessions.iter().find(|(role, _)| *role == Role::Viewer).unwrap().1).unwrap();
    for (name, trick) in tricks {
        let request = Request::post(format!("/api/v1/users/{number}")).header("cookie", &value).header(name, trick);
        let request = request.header("content-type", "application/json").body(Body::from("{\"role\":\"admin\"}")).unwrap();
        let status = site.send(request).await.status;
        assert!(status == 403 || status == 405, "{name}: {status}");
    }
    assert_eq!(site.state.store.user(number).await.unwrap().unwrap().role, Role::Viewer);
    assert_eq!(site.state.store.users().await.unwrap().len(), 4);
}

#[tokio::test]
async fn a_token_counts_in_its_header_alone() {
    let (site, sessions) = with_users().await;
    let admin = client(&site, &sessions, Role::Admin);
    let made = admin.json(Method::POST, "/api/v1/tokens", json!({ "label": "a", "scope": "read", "days": 1 })).await.json();
    let token = made["token"].as_str().unwrap();
    site.get(&format!("/api/v1/jobs?token={token}&access_token={token}")).await.is(401);
    Client::session(&site, token).get("/api/v1/jobs").await.is(401);
    let [upper, cut, long] = [token.to_uppercase(), token[..token.len() - 1].to_owned(), format!("{token}0")];
    for wrong in [&upper, &cut, &long, &token.replace("sp_", "sp__"), "sp__", "sp_%_%"] {
        Client::token(&site, wrong).get("/api/v1/jobs").await.is(401);
    }
    Client::token(&site, token).get("/api/v1/jobs").await.is(200);
}

#[tokio::test]
async fn unknown_names_take_as_long_as_wrong_passwords() {
    let (site, _) = with_users().await;
    crate::web::access::password::prepare();
    let mut times = Vec::new();
    for name in ["viewer", "nobody", "engineer", "stranger"] {
        let began = std::time::Instant::now();
        site.form("/login", &[("name", name), ("password", "another sentence")]).await.is(403);
        times.push(began.elapsed().as_secs_f64());
    }
    // Without a hash an answer would take a hundredth of the time; the machine may be busy.
    let [known, unknown] = [[times[0], times[2]], [times[1], times[3]]].map(|pair: [f64; 2]| pair[0].min(pair[1]));
    assert!(known / 8.0 < unknown && unknown / 8.0 < known, "{times:?}");
}

#[tokio::test]
async fn strange_fields_of_users_and_tokens_are_refused_or_shown_as_text() {
    let (site, sessions) = with_users().await;
    let admin = client(&site, &sessions, Role::Admin);
    for name in ["", " ", "../etc", "a\nb", "<script>", "ann\u{e9}", "a\0", &"x".repeat(65), "admin ", "\u{202e}nimda"] {
        let status = admin.json(Method::POST, "/api/v1/users", json!({ "name": name, "role": "viewer" })).await.status.as_u16();
        assert!(status == 422 || (name == "admin " && status == 409), "{name:?}: {status}");
    }
    for label in ["", "  ", "a\nb", &"x".repeat(101)] {
        admin.json(Method::POST, "/api/v1/tokens", json!({ "label": label, "scope": "read", "days": 1 })).await.is(422);
    }
    let label = "<img src=x onerror=alert(1)>";
    admin.json(Method::POST, "/api/v1/tokens", json!({ "label": label, "scope": "read", "days": 1 })).await.is(201);
    let page = admin.get("/account").await;
    assert!(!page.text.contains(label) && page.text.contains("onerror=alert(1)"));
    for days in [json!(0), json!(367), json!(-1), json!(1e9), json!("1"), json!(null)] {
        let status =
            admin.json(Method::POST, "/api/v1/tokens", json!({ "label": "a", "scope": "read", "days": days })).await.status;
        assert!(status == 422 || status == 400, "{days}: {status}");
    }
    admin
        .json(Method::POST, "/api/v1/users", json!({ "name": "x", "role": "viewer", "password": "sneaky", "id": 1 }))
        .await
        .is(400);
}
