//! Requests to a service: token, retries with growing waits, and answers as values.
//!
//! A request is sent again if no answer came, or if the service says that it is busy. A request that makes something carries an
//! `Idempotency-Key`, so that the service does it once.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use serde_json::Value;

use super::ServiceArgs;
use crate::cli::print::complain;
use crate::cli::session::Session;
use crate::cli::{BAD_INPUT, Failure, INTERNAL, USAGE};
use crate::web::client::{Answer, AnswerLimits, Target, UNTRUSTED, send, trusting};

/// Part of the error of a server that answers a TLS handshake with something else.
const NO_TLS: &str = "InvalidContentType";
/// Part of the error of a server that answers HTTP with something else, as one with TLS does.
const NO_HTTP: &str = "invalid HTTP version";
/// Tries of one request.
const TRIES: u32 = 8;
/// First wait between two tries; each is twice as long as the one before.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// Longest wait between two tries.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// Limits of an answer: reports of long runs are large, and a waiting answer takes half a minute.
const LIMITS: AnswerLimits = AnswerLimits { time: Duration::from_secs(120), bytes: 512 << 20 };
/// Certificates of the system, the first file that is there.
const SYSTEM_CERTIFICATES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// A service, as a command sees it.
pub(super) struct Remote<'s> {
    target: Target,
    tls: Option<Arc<rustls::ClientConfig>>,
    token: Option<HeaderValue>,
    pub(super) session: &'s Session,
}

/// Request of a command.
#[derive(Clone, Default)]
pub(super) struct Wanted {
    pub(super) method: Method,
    /// Path and query.
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl<'s> Remote<'s> {
    /// Returns the service of the arguments; asks nothing yet.
    pub(super) fn new(args: &ServiceArgs, session: &'s Session) -> Result<Remote<'s>, Failure> {
        let target = Target::parse(&args.server).map_err(|error| Failure::usage(format!("--server: {error}")))?;
        let system = SYSTEM_CERTIFICATES.iter().map(Path::new).find(|path| path.is_file());
        let tls = match (target.is_tls, args.ca.as_deref().or(system)) {
            (true, Some(file)) => Some(trusting(file).map_err(|error| Failure::usage(format!("--ca: {error}")))?),
            (true, None) => return Err(Failure::usage("the system has no list of certificates: give one with --ca")),
            (false, _) => None,
        };
        let token = args.token_file.as_deref().map(token).transpose()?;
        Ok(Remote { target, tls, token, session })
    }

    /// Returns the address of a page of the service.
    pub(super) fn page(&self, path: &str) -> String {
        let scheme = if self.target.is_tls { "https" } else { "http" };
        format!("{scheme}://{}:{}{path}", self.target.host, self.target.port)
    }

    /// Returns the JSON of an address.
    pub(super) fn get(&self, path: &str) -> Result<Value, Failure> {
        self.value(&Wanted { path: path.to_owned(), ..Wanted::default() })
    }

    /// Returns the bytes of an address.
    pub(super) fn file(&self, path: &str) -> Result<Bytes, Failure> {
        self.answer(&Wanted { path: path.to_owned(), ..Wanted::default() }).map(|answer| answer.body)
    }

    /// Returns the JSON that answers a request.
    pub(super) fn value(&self, wanted: &Wanted) -> Result<Value, Failure> {
        let answer = self.answer(wanted)?;
        serde_json::from_slice(&answer.body).map_err(|error| Failure::internal(format!("the answer cannot be read: {error}")))
    }

    /// Sends a request until it is answered. An answer that refuses is a failure with its reason.
    pub(super) fn answer(&self, wanted: &Wanted) -> Result<Answer, Failure> {
        self.session.block_on(async {
            tokio::select! {
                answer = self.tried(wanted) => answer,
                () = self.session.cancel.cancelled() => Err(Failure::new(130, "stopped")),
            }
        })
    }

    /// Sends a request even though the command was stopped: the end of the run is asked for.
    pub(super) fn last_word(&self, wanted: &Wanted) {
        if let Err(error) = self.session.block_on(self.once(wanted)) {
            complain(&format!("the run goes on, because its end could not be asked for: {error}"));
        }
    }

    async fn tried(&self, wanted: &Wanted) -> Result<Answer, Failure> {
        let mut wait = FIRST_WAIT;
        for last in (0..TRIES).map(|n| n + 1 == TRIES) {
            let (why, asked) = match self.once(wanted).await {
                Ok(answer) if answer.status < 400 => return Ok(answer),
                Ok(answer) if answer.status == 401 && self.token.is_some() => {
                    return Err(Failure::usage(
                        "the service does not take the token: it has expired, was revoked, or is of another service",
                    ));
                }
                Ok(answer) if !is_passing(&answer) => return Err(refused(&answer)),
                Ok(answer) if last => return Err(refused(&answer)),
                Ok(answer) => (detail(&answer), seconds(&answer)),
                Err(error) if error.starts_with(UNTRUSTED) => {
                    let message = format!("{}: {error}; --ca FILE names the certificates that it is trusted by", self.page(""));
                    return Err(Failure::usage(message));
                }
                Err(error) if error.contains(NO_TLS) => {
                    return Err(Failure::usage(format!(
                        "{}: no TLS is spoken there: does its address begin with http://?",
                        self.page("")
                    )));
                }
                Err(error) if !self.target.is_tls && error.contains(NO_HTTP) => {
                    return Err(Failure::usage(format!(
                        "{}: the answer is no HTTP: does its address begin with https://?",
                        self.page("")
                    )));
                }
                Err(error) if last => return Err(Failure::outside(format!("{}: {error}", self.page("")))),
                Err(error) => (error, None),
            };
            let pause = asked.unwrap_or(wait).min(LONGEST_WAIT);
            complain(&format!("{}: {why}; next try in {} s", self.page(""), pause.as_secs().max(1)));
            tokio::time::sleep(pause).await;
            wait = wait.saturating_mul(2);
        }
        Err(Failure::internal("no try is left"))
    }

    async fn once(&self, wanted: &Wanted) -> Result<Answer, String> {
        let base = self.target.path.trim_end_matches('/');
        let target = Target { path: format!("{base}{}", wanted.path), ..self.target.clone() };
        let addresses: Vec<SocketAddr> = target.addresses().await.map_err(|error| error.to_string())?;
        let mut headers = wanted.headers.clone();
        if let Some(token) = &self.token {
            headers.insert(header::AUTHORIZATION, token.clone());
        }
        send(&target, &addresses, self.tls.as_ref(), (wanted.method.clone(), headers, wanted.body.clone()), LIMITS).await
    }
}

/// Returns a header by its name in lower case.
pub(super) fn named(name: &'static str, value: &str) -> Result<(HeaderName, HeaderValue), Failure> {
    let value = HeaderValue::from_str(value).map_err(Failure::internal)?;
    Ok((HeaderName::from_static(name), value))
}

/// Returns text as a part of a path.
pub(super) fn encoded(text: &str) -> String {
    crate::report::address::encoded(text, false)
}

/// Returns the header with the token of a file.
fn token(file: &Path) -> Result<HeaderValue, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::usage(format!("--token-file: {}: {error}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| failed(&error))?;
    let token = text.trim();
    if !token.starts_with("sp_") || token.contains(char::is_whitespace) {
        return Err(failed(&"there is no token in it: a token begins with sp_ and stands alone"));
    }
    let mut value = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|error| failed(&error))?;
    value.set_sensitive(true);
    Ok(value)
}

/// Returns whether a later try may have another answer.
fn is_passing(answer: &Answer) -> bool {
    match answer.status {
        408 | 429 | 502 | 503 | 504 => true,
        // The same request is at work still.
        409 => problem(answer)["type"].as_str() == Some("/problems/key-in-use"),
        _ => false,
    }
}

/// Returns the problem document of an answer; null if it has none.
fn problem(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_default()
}

/// Returns the time after which the service wants to be asked again.
pub(super) fn seconds(answer: &Answer) -> Option<Duration> {
    let seconds = answer.headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Returns the reason of an answer: the detail of its problem document.
fn detail(answer: &Answer) -> String {
    problem(answer)["detail"].as_str().map_or_else(|| format!("status {}", answer.status), str::to_owned)
}

/// Returns the failure for an answer that refuses.
fn refused(answer: &Answer) -> Failure {
    let code = match answer.status {
        400 | 404 | 413 | 422 => BAD_INPUT,
        401 | 403 | 421 => USAGE,
        _ => INTERNAL,
    };
    let problem = problem(answer);
    let item = |item: &Value| {
        let file = item["file"].as_str().map(|file| format!("{file}, line {}: ", item["line"])).unwrap_or_default();
        let pointer = item["pointer"].as_str().map(|pointer| format!("{pointer}: ")).unwrap_or_default();
        format!("\n  {file}{pointer}{}", item["detail"].as_str().unwrap_or_default())
    };
    let items: String = problem["errors"].as_array().into_iter().flatten().map(item).collect();
    Failure::new(code, format!("{}{items}", detail(answer)))
}
