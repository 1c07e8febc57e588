//! A service for one test: its own directory, its own worker.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::BodyExt;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::report::example::booster;
use crate::report::outcome::{Outcome, Problem};
use crate::run::event::Event;
use crate::run::limits::Limits;
use crate::run::protocol::{Line, encode};
use crate::store::{Store, StoreError};
use crate::web::queue;
use crate::web::router::router;
use crate::web::state::{AppState, SiteConfig};
use answer::VerdictWord;

/// A service for one test.
pub(crate) struct Site {
    pub(crate) state: AppState,
    pub(crate) router: Router,
    pub(crate) dir: tempfile::TempDir,
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{e}: {}", self.text))
    }
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |v| v.to_str().unwrap())
    }
    #[track_caller]
    pub(crate) fn has(&self, parts: &[&str]) -> &Answer {
        for part in parts {
            assert!(self.text.contains(part), "`{part}` is not in\n{}", self.text);
        }
        self
    }
    #[track_caller]
    pub(crate) fn is(&self, status: u16) -> &Answer {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }
}

impl Site {
    /// Makes a site whose worker answers with the example of all verdicts.
    pub(crate) fn new() -> Site {
        Site::with(&booster(), |_| {})
    }

    /// Makes a site whose worker answers with this outcome.
    pub(crate) fn with(outcome: &Outcome, change: impl FnOnce(&mut SiteConfig)) -> Site {
        let dir = tempfile::tempdir().unwrap();
        let mut config = SiteConfig::new(worker(dir.path(), outcome));
        config.import_limits = Limits { wall_s: 20, memory_mb: 1024 };
        change(&mut config);
        Site::open(dir, config)
    }

    /// Opens a site on an existing directory. A service that has just ended releases it with its last task.
    pub(crate) fn open(dir: tempfile::TempDir, config: SiteConfig) -> Site {
        let store = loop {
            match Store::open(&dir.path().join("data")) {
                Err(StoreError::InUse { .. }) => std::thread::sleep(Duration::from_millis(10)),
                opened => break opened.unwrap(),
            }
        };
        let state = AppState::new(store, config, CancellationToken::new());
        Site { router: router(state.clone()), state, dir }
    }

    /// Begins to run jobs.
    pub(crate) fn work(&self) {
        tokio::spawn(queue::run(self.state.clone()));
    }

    /// Sends a request.
    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        Answer { status: parts.status, headers: parts.headers, text: String::from_utf8_lossy(&bytes).into_owned() }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path).body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn post(&self, path: &str, media_type: &str, body: impl Into<Body>) -> Answer {
        self.send(Request::post(path).header(header::CONTENT_TYPE, media_type).body(body.into()).unwrap()).await
    }

    pub(crate) async fn json(&self, path: &str, body: Value) -> Answer {
        self.post(path, "application/json", body.to_string()).await
    }

    pub(crate) async fn form(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let body: Vec<String> = fields.iter().map(|(name, value)| format!("{}={}", percent(name), percent(value))).collect();
        self.post(path, "application/x-www-form-urlencoded", body.join("&")).await
    }

    /// Returns a multipart form: name, file name, content.
    pub(crate) async fn multipart(&self, path: &str, parts: &[(&str, Option<&str>, &[u8])]) -> Answer {
        let (media_type, body) = multipart(parts);
        self.post(path, &media_type, body).await
    }

    /// Uploads the example and returns its id.
    pub(crate) async fn program(&self) -> String {
        let text = &booster().sources[0].text;
        let answer =
            self.json("/api/v1/programs", serde_json::json!({ "files": [{ "name": "booster.st", "text": text }] })).await;
        answer.json()["id"].as_str().unwrap().to_string()
    }

    /// Queues a run of the example and returns its id.
    pub(crate) async fn job(&self, specification: Value) -> String {
        let program = self.program().await;
        let answer = self.json("/api/v1/jobs", serde_json::json!({ "program": program, "specification": specification })).await;
        answer.is(202);
        answer.json()["id"].as_str().unwrap().to_string()
    }

    /// Waits for the end of a job and returns its state.
    pub(crate) async fn ended(&self, job: &str) -> String {
        loop {
            let state = self.get(&format!("/api/v1/jobs/{job}")).await.json()["state"].as_str().unwrap().to_string();
            if state != "queued" && state != "running" {
                return state;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Returns a run that has ended with the example of all verdicts.
    pub(crate) async fn finished() -> (Site, String) {
        let site = Site::new();
        site.work();
        let job = site.job(serde_json::json!({})).await;
        assert_eq!(site.ended(&job).await, "succeeded");
        (site, job)
    }
}

/// Encodes everything but letters and digits.
fn percent(text: &str) -> String {
    text.bytes().map(|b| if b.is_ascii_alphanumeric() { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// Returns a multipart body with its media type.
pub(crate) fn multipart(parts: &[(&str, Option<&str>, &[u8])]) -> (String, Vec<u8>) {
    let mut body = Vec::new();
    for (name, file, content) in parts {
        let file = file.map(|f| format!("; filename=\"{f}\"")).unwrap_or_default();
        body.extend_from_slice(format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--XX--\r\n");
    ("multipart/form-data; boundary=XX".into(), body)
}

/// Returns a program that speaks the worker's protocol: it understands every program as `outcome`, and decides it so.
///
/// In the assignment, `Nonsense` is an unknown variable in the first requirement, `Unfit` one in an assumption. `Slow` makes
/// it take a minute, `Deadly` makes it end by SIGKILL.
pub(crate) fn worker(dir: &Path, outcome: &Outcome) -> PathBuf {
    let mut understood = Outcome { results: Vec::new(), ..outcome.clone() };
    let mut pending = outcome.results.clone();
    for row in &mut pending {
        (row.verdict, row.counterexample, row.proof) = (VerdictWord::Unknown, None, None);
    }
    let head =
        |outcome: &Outcome| encode(&Line::Understood { outcome: Box::new(outcome.clone()), pending: pending.clone() }).unwrap();
    let mut verify = vec![head(&understood)];
    for result in &outcome.results {
        let progress = Event::Progress {
            requirement: result.id.clone(),
            engine: "bmc".into(),
            safe_cycles: Some(3),
            elapsed_ms: 5,
            text: "no violation in the first 3 cycles".into(),
        };
        verify.push(encode(&Line::Started { requirement: result.id.clone() }).unwrap());
        verify.push(encode(&Line::Event { event: progress }).unwrap());
        verify.push(encode(&Line::Result { result: Box::new(result.clone()) }).unwrap());
    }
    let done = encode(&Line::Done).unwrap();
    verify.push(done.clone());
    write(&dir.join("understand"), &format!("{}\n{done}\n", head(&understood)));
    write(&dir.join("verify"), &(verify.join("\n") + "\n"));
    // The first requirement is decided, the second is begun: three cycles are looked at.
    write(&dir.join("begin"), &(verify[..verify.len().min(6)].join("\n") + "\n"));
    let rest: Vec<String> = [&verify[..1], &verify[verify.len().min(7)..]].concat();
    write(&dir.join("rest"), &(rest.join("\n") + "\n"));
    let problem = |pointer: &str| Problem {
        pointer: pointer.into(),
        message: "there is no variable `Nonsense`".into(),
        help: Some("Did you mean `PumpA`?".into()),
        rendered: "Nonsense".into(),
        column: Some(1),
    };
    if let Some(first) = pending.first_mut() {
        (first.verdict, first.problems) = (VerdictWord::NotChecked, vec![problem("/requirements/0/never")]);
        let answer = encode(&Line::Result { result: Box::new(first.clone()) }).unwrap();
        let understood = encode(&Line::Understood { outcome: Box::new(understood.clone()), pending }).unwrap();
        write(&dir.join("rejects"), &format!("{understood}\n{answer}\n{done}\n"));
    }
    understood.problems = vec![problem("/assumptions/0/expr")];
    let understood = encode(&Line::Understood { outcome: Box::new(understood), pending: Vec::new() }).unwrap();
    write(&dir.join("problems"), &format!("{understood}\n{done}\n"));
    let script = format!(
        "#!/bin/sh\nread -r line\ncd '{}'\ncase \"$line\" in\n\
         *Unfit*) cat problems ;;\n*Nonsense*) cat rejects ;;\n*'\"task\":\"understand\"'*) cat understand ;;\n\
         *Slow*) cat begin; exec sleep 60 ;;\n*Deadly*'\"skip\":[]'*) cat begin; kill -9 $$ ;;\n*Deadly*) cat rest ;;\n*) cat verify ;;\nesac\n",
        dir.display()
    );
    let program = dir.join("worker");
    // Written by another process: while this one forks elsewhere, a file it has open for writing cannot be executed.
    let mut shell = Command::new("/bin/sh")
        .args(["-c", "cat > \"$0\" && chmod +x \"$0\""])
        .arg(&program)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    assert!(shell.wait().unwrap().success());
    program
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

/// Returns a request with these headers and no body.
pub(crate) fn request(method: Method, path: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::empty()).unwrap()
}
