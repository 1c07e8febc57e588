//! A log-in service for tests: discovery, keys, codes with PKCE, and tokens that it signs with a real key.
//!
//! It lets everyone in as the same person, at once or after a page with a button.

#![allow(clippy::unwrap_used, reason = "a part of tests")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Secret of the client `scanproof`.
pub const SECRET: &str = "secret-of-the-client";

type Fields = BTreeMap<String, String>;
type Change = Arc<dyn Fn(&mut Value) + Send + Sync>;

/// State of the log-in service.
struct Service {
    issuer: String,
    /// Key that is published.
    key: EcdsaKeyPair,
    /// Key that signs; another one than the published is a forgery.
    signer: Option<EcdsaKeyPair>,
    /// Algorithm in the head of tokens.
    algorithm: &'static str,
    /// Requests behind each code.
    codes: BTreeMap<String, Fields>,
    /// Changes the claims of the next tokens.
    change: Option<Change>,
    /// People see a page with a button first.
    asks: bool,
    number: u32,
}

/// A log-in service that runs.
#[derive(Clone)]
pub struct Provider(Arc<Mutex<Service>>);

fn key() -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap()
}

impl Provider {
    /// Makes a log-in service that is reached at this address.
    pub fn new(issuer: String) -> Provider {
        let (codes, change, asks) = (BTreeMap::new(), None, false);
        let (key, signer, algorithm) = (key(), None, "ES256");
        Provider(Arc::new(Mutex::new(Service { issuer, key, signer, algorithm, codes, change, asks, number: 0 })))
    }

    /// Returns its addresses.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/jwks", get(jwks))
            .route("/authorize", get(authorize).post(allow))
            .route("/token", post(token))
            .with_state(self.clone())
    }

    /// Starts a service on this machine; returns it with its address.
    pub async fn start() -> (Provider, String) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let provider = Provider::new(issuer.clone());
        let router = provider.router();
        tokio::spawn(async move { axum::serve(listener, router).await });
        (provider, issuer)
    }

    /// Shows people a page with a button before it lets them in.
    pub fn ask(&self) {
        self.0.lock().unwrap().asks = true;
    }

    /// Changes the claims of all tokens from now on.
    pub fn claims(&self, change: impl Fn(&mut Value) + Send + Sync + 'static) {
        self.0.lock().unwrap().change = Some(Arc::new(change));
    }

    /// Signs with a key that is not published.
    pub fn forge(&self) {
        self.0.lock().unwrap().signer = Some(key());
    }

    /// Names another algorithm in the head of tokens.
    pub fn algorithm(&self, name: &'static str) {
        self.0.lock().unwrap().algorithm = name;
    }

    /// Begins to sign with a new key, which is published.
    pub fn renew_key(&self) {
        let mut service = self.0.lock().unwrap();
        (service.key, service.number) = (key(), service.number + 1);
    }
}

async fn discovery(State(provider): State<Provider>) -> Json<Value> {
    let issuer = provider.0.lock().unwrap().issuer.clone();
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/jwks"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256", "HS256", "none"],
    }))
}

async fn jwks(State(provider): State<Provider>) -> Json<Value> {
    let service = provider.0.lock().unwrap();
    let point = service.key.public_key().as_ref();
    let part = |range: std::ops::Range<usize>| URL_SAFE_NO_PAD.encode(&point[range]);
    let kid = service.number.to_string();
    Json(json!({ "keys": [{ "kty": "EC", "crv": "P-256", "use": "sig", "kid": kid, "x": part(1..33), "y": part(33..65) }] }))
}

async fn authorize(State(provider): State<Provider>, Query(fields): Query<Fields>) -> Response {
    let asked = |name: &str| fields.get(name).cloned().unwrap_or_default();
    if asked("response_type") != "code" || asked("code_challenge_method") != "S256" || !asked("scope").contains("openid") {
        return StatusCode::BAD_REQUEST.into_response();
    }
    if provider.0.lock().unwrap().asks {
        // The form goes to the same address, with the same query.
        let page = "<!doctype html><html lang=en><title>Plant</title><h1>Log-in service of the plant</h1>\
            <form method=post><button>Go on as anna</button> <button name=deny value=yes>Do not go on</button></form>";
        return Html(page).into_response();
    }
    allow(State(provider), Query(fields), Form(Fields::new())).await
}

async fn allow(State(provider): State<Provider>, Query(fields): Query<Fields>, Form(answer): Form<Fields>) -> Response {
    let asked = |name: &str| fields.get(name).cloned().unwrap_or_default();
    if answer.contains_key("deny") {
        return Redirect::to(&format!("{}?error=access_denied&state={}", asked("redirect_uri"), asked("state"))).into_response();
    }
    let mut service = provider.0.lock().unwrap();
    let code = format!("code-{}", service.codes.len());
    let address = format!("{}?code={code}&state={}", asked("redirect_uri"), asked("state"));
    service.codes.insert(code, fields);
    Redirect::to(&address).into_response()
}

async fn token(State(provider): State<Provider>, headers: HeaderMap, Form(fields): Form<Fields>) -> Response {
    let refused = |error: &str| (StatusCode::BAD_REQUEST, Json(json!({ "error": error }))).into_response();
    let client = format!("Basic {}", STANDARD.encode(format!("scanproof:{SECRET}")));
    if headers.get("authorization").is_none_or(|value| value.to_str().unwrap() != client) {
        return refused("invalid_client");
    }
    let mut service = provider.0.lock().unwrap();
    // A code counts once.
    let Some(asked) = service.codes.insert(fields["code"].clone(), Fields::new()).filter(|asked| !asked.is_empty()) else {
        return refused("invalid_grant");
    };
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(fields["code_verifier"].as_bytes()));
    if challenge != asked["code_challenge"] || fields["redirect_uri"] != asked["redirect_uri"] {
        return refused("invalid_grant");
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let mut claims = json!({
        "iss": service.issuer, "sub": "subject-1", "aud": asked["client_id"], "nonce": asked["nonce"], "iat": now, "exp": now + 300,
        "preferred_username": "anna", "realm": { "roles": ["plc-engineers"] },
    });
    if let Some(change) = &service.change {
        change(&mut claims);
    }
    Json(json!({ "access_token": "a", "token_type": "Bearer", "id_token": signed(&service, &claims) })).into_response()
}

fn signed(service: &Service, claims: &Value) -> String {
    let head = json!({ "alg": service.algorithm, "typ": "JWT", "kid": service.number.to_string() });
    let text = [head, claims.clone()].map(|part| URL_SAFE_NO_PAD.encode(part.to_string())).join(".");
    let signature = match service.algorithm {
        "none" => Vec::new(),
        "HS256" => {
            let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, SECRET.as_bytes());
            ring::hmac::sign(&key, text.as_bytes()).as_ref().to_vec()
        }
        _ => {
            let key = service.signer.as_ref().unwrap_or(&service.key);
            key.sign(&SystemRandom::new(), text.as_bytes()).unwrap().as_ref().to_vec()
        }
    };
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
}
