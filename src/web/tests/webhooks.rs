//! Webhooks against a real receiver: signed, tried again, never redirected, and only to hosts that are allowed.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::post;
use serde_json::{Value, json};

use super::access::with_users_on;
use super::accounts::Client;
use super::site::Site;
use crate::report::example::{BOOSTER, booster};
use crate::store::access::users::Role;
use crate::store::audit::AuditFilter;
use crate::web::access::Access;
use crate::web::tls::Certificate;
use crate::web::webhooks::WebhookHosts;
use crate::web::webhooks::delivery::{run, signature};

/// A receiver with what it got.
#[derive(Clone, Default)]
struct Receiver {
    got: Arc<Mutex<Vec<(HeaderMap, String)>>>,
    /// Answers to give, the last one again and again.
    answers: Arc<Mutex<Vec<u16>>>,
}

impl Receiver {
    async fn start(answers: &[u16]) -> (Receiver, String) {
        let receiver = Receiver { answers: Arc::new(Mutex::new(answers.to_vec())), ..Receiver::default() };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let app = axum::Router::new().route("/hook", post(take)).route("/other", post(take)).with_state(receiver.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        (receiver, address)
    }

    /// Starts a receiver with TLS; returns also the file of its certificate.
    async fn start_tls(folder: &std::path::Path) -> (Receiver, String, std::path::PathBuf) {
        let receiver = Receiver { answers: Arc::new(Mutex::new(vec![204])), ..Receiver::default() };
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = format!("localhost:{}", listener.local_addr().unwrap().port());
        let settings = crate::web::tls::settings(&Certificate::SelfSigned, folder, &[]).await.unwrap();
        let app = axum::Router::new().route("/hook", post(take)).with_state(receiver.clone());
        let server = axum_server::from_tcp_rustls(listener, settings).unwrap();
        tokio::spawn(server.serve(app.into_make_service()));
        (receiver, address, folder.join("tls-certificate.pem"))
    }

    fn got(&self) -> Vec<(HeaderMap, String)> {
        self.got.lock().unwrap().clone()
    }

    async fn wait_for(&self, n: usize) {
        for _ in 0..600 {
            if n <= self.got().len() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{} of {n} deliveries came", self.got().len());
    }
}

async fn take(State(receiver): State<Receiver>, headers: HeaderMap, body: Bytes) -> Response {
    receiver.got.lock().unwrap().push((headers, String::from_utf8(body.to_vec()).unwrap()));
    let mut answers = receiver.answers.lock().unwrap();
    let answer = if 1 < answers.len() { answers.remove(0) } else { answers[0] };
    match answer {
        307 => Redirect::temporary("/other").into_response(),
        status => StatusCode::from_u16(status).unwrap().into_response(),
    }
}

/// Makes a service that may reach this receiver.
async fn service(address: &str) -> (Site, Vec<(Role, String)>) {
    service_trusting(address, None).await
}

/// Makes a service that may reach this receiver, and trusts the certificates of a file.
async fn service_trusting(address: &str, ca: Option<std::path::PathBuf>) -> (Site, Vec<(Role, String)>) {
    let hosts = WebhookHosts::new(&[address.to_owned()], ca).unwrap();
    let site = Site::with(&booster(), |config| (config.access, config.webhooks) = (Access::Accounts, hosts));
    let sessions = with_users_on(&site).await;
    site.work();
    tokio::spawn(run(site.state.clone()));
    (site, sessions)
}

async fn run_of(client: &Client<'_>) -> String {
    let files = json!({ "files": [{ "name": "secret-name.st", "text": BOOSTER }] });
    let program = client.json(Method::POST, "/api/v1/programs", files).await.json()["id"].clone();
    let run = client.json(Method::POST, "/api/v1/jobs", json!({ "program": program })).await;
    run.is(202).json()["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_run_that_ended_is_told_once_and_signed() {
    let (receiver, address) = Receiver::start(&[204]).await;
    let (site, sessions) = service(&address).await;
    let client = |role: Role| Client::session(&site, &sessions.iter().find(|(r, _)| *r == role).unwrap().1);
    let admin = client(Role::Admin);
    let url = format!("http://{address}/hook");
    client(Role::Engineer).json(Method::POST, "/api/v1/webhooks", json!({ "url": url })).await.is(403);
    let made = admin.json(Method::POST, "/api/v1/webhooks", json!({ "url": url })).await;
    assert_eq!(made.is(201).header("cache-control"), "no-store");
    let secret = made.json()["secret"].as_str().unwrap().to_owned();
    let listed = admin.get("/api/v1/webhooks").await;
    assert!(listed.is(200).text.contains(&url) && !listed.text.contains(&secret), "{}", listed.text);
    let job = run_of(&client(Role::Engineer)).await;
    receiver.wait_for(1).await;
    let (headers, body) = receiver.got().remove(0);
    let told: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        (told["event"].as_str(), told["run"].as_str(), told["state"].as_str()),
        (Some("run_ended"), Some(job.as_str()), Some("succeeded"))
    );
    let counted = admin.get(&format!("/api/v1/jobs/{job}")).await.json()["requirements"].clone();
    assert_eq!(told["requirements"], counted);
    for private in ["secret-name", "PumpA", "Booster", "engineer"] {
        assert!(!body.contains(private), "{body}");
    }
    let sent = headers["x-scanproof-signature"].to_str().unwrap();
    let (seconds, tag) = sent.strip_prefix("t=").unwrap().split_once(",v1=").unwrap();
    assert_eq!(tag, signature(&secret, seconds.parse().unwrap(), &body));
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(receiver.got().len(), 1, "what was confirmed is not sent again");
    let deliveries = admin.get(made.header("location")).await.is(200).json();
    assert_eq!(deliveries["deliveries"][0]["result"], "confirmed with status 204");
    admin.get("/webhooks").await.is(200).has(&[&url, "confirmed with status 204", &job]);
    admin.form("/webhooks/1/remove", "").await.is(303);
    assert_eq!(admin.get("/api/v1/webhooks").await.json()["webhooks"], json!([]));
    let rows = site.state.store.audit(AuditFilter::default(), 100).await.unwrap();
    let acts: Vec<&str> = rows.iter().map(|row| row.act.action.as_str()).filter(|act| act.starts_with("webhook")).collect();
    assert_eq!(acts, ["webhook removed", "webhook added", "webhook added"]);
    assert!(!rows.iter().any(|row| row.act.object.contains(&secret)));
}

#[tokio::test]
async fn a_webhook_is_told_over_tls_if_its_certificate_is_trusted() {
    let (own, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (receiver, address, known) = Receiver::start_tls(own.path()).await;
    crate::web::tls::settings(&Certificate::SelfSigned, other.path(), &[]).await.unwrap();
    for (ca, is_told) in [(other.path().join("tls-certificate.pem"), false), (known, true)] {
        let (site, sessions) = service_trusting(&address, Some(ca)).await;
        let admin = Client::session(&site, &sessions.iter().find(|(r, _)| *r == Role::Admin).unwrap().1);
        let url = format!("https://{address}/hook");
        admin.json(Method::POST, "/api/v1/webhooks", json!({ "url": url })).await.is(201);
        run_of(&admin).await;
        let mut result = String::new();
        for _ in 0..400 {
            let listed = admin.get("/api/v1/webhooks/1/deliveries").await.json();
            result = listed["deliveries"][0]["result"].as_str().unwrap_or_default().to_owned();
            if !result.is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(receiver.got().len(), usize::from(is_told), "{result}");
        assert!(result.contains(if is_told { "confirmed with status 204" } else { "TLS" }), "{result}");
        site.state.shutdown.cancel();
    }
}

#[tokio::test]
async fn a_refusal_is_tried_again_and_a_redirect_is_not_followed() {
    let (receiver, address) = Receiver::start(&[307, 500, 200]).await;
    let (site, sessions) = service(&address).await;
    let admin = Client::session(&site, &sessions.iter().find(|(r, _)| *r == Role::Admin).unwrap().1);
    admin.form("/webhooks", &format!("url=http%3A%2F%2F{address}%2Fhook")).await.is(200).has(&["whsec_"]);
    run_of(&admin).await;
    receiver.wait_for(1).await;
    for n in 2..=3 {
        // The next try is due at once: the test does not wait for hours.
        tokio::time::sleep(Duration::from_millis(300)).await;
        let due = "UPDATE deliveries SET next_ms = 0 WHERE next_ms IS NOT NULL";
        assert_eq!(site.state.store.call(move |c| Ok(c.execute(due, [])?)).await.unwrap(), 1, "{n}");
        site.state.announce();
        receiver.wait_for(n).await;
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let deliveries = admin.get("/api/v1/webhooks/1/deliveries").await.json();
    assert_eq!(
        (&deliveries["deliveries"][0]["attempts"], &deliveries["deliveries"][0]["result"]),
        (&json!(3), &json!("confirmed with status 200"))
    );
    let bodies: Vec<String> = receiver.got().into_iter().map(|(_, body)| body).collect();
    assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]), "each try tells the same: {bodies:?}");
}

#[tokio::test]
async fn a_host_that_is_not_allowed_is_never_reached() {
    let (receiver, address) = Receiver::start(&[200]).await;
    let (site, sessions) = service("mes.plant.local").await;
    let admin = Client::session(&site, &sessions.iter().find(|(r, _)| *r == Role::Admin).unwrap().1);
    let url = format!("http://{address}/hook");
    for url in [url.as_str(), "http://localhost/", "file:///etc/passwd", "http://mes.plant.local@evil/", ""] {
        admin.json(Method::POST, "/api/v1/webhooks", json!({ "url": url })).await.is(422);
    }
    admin
        .form("/webhooks", "url=http%3A%2F%2Fevil%2F")
        .await
        .is(422)
        .has(&["not a host that webhooks may reach", "mes.plant.local"]);
    // A webhook that is in the database although its host is not allowed any more.
    site.state.store.add_webhook(url, "s".into(), "admin".into()).await.unwrap();
    run_of(&admin).await;
    for _ in 0..200 {
        let result = admin.get("/api/v1/webhooks/1/deliveries").await.json()["deliveries"][0]["result"].clone();
        if result.as_str().is_some_and(|result| result.contains("not a host that webhooks may reach")) {
            assert!(receiver.got().is_empty());
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the delivery was not tried");
}
