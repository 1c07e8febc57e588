//! Processes of a fleet, as tests hold them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub(super) const TOKEN: &str = "a token for the tests of the fleet";

/// Returns a port that is free now.
pub(super) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Waits until something is true; panics after a time.
pub(super) fn wait_for<T>(what: &str, seconds: u64, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "{what}: not within {seconds} s");
        std::thread::sleep(Duration::from_millis(30));
    }
}

/// A process that is killed when it is dropped.
pub(super) struct Process(pub(super) Child);

impl Process {
    pub(super) fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// Sends it a signal by name.
    pub(super) fn signal(&self, name: &str) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A broker with its own folder and port.
pub(super) struct Nats {
    pub(super) process: Option<Process>,
    pub(super) port: u16,
    pub(super) folder: PathBuf,
    /// Text of its configuration beside address and store.
    more: String,
}

impl Nats {
    pub(super) fn start(folder: &Path) -> Nats {
        Nats::with(folder, "")
    }

    pub(super) fn with(folder: &Path, more: &str) -> Nats {
        let mut nats = Nats { process: None, port: free_port(), folder: folder.join("nats"), more: more.to_owned() };
        nats.restart();
        nats
    }

    /// Starts it on the same port and folder.
    pub(super) fn restart(&mut self) {
        self.process = None;
        std::fs::create_dir_all(&self.folder).unwrap();
        let file = self.folder.join("nats.conf");
        let store = self.folder.join("store");
        let limit = if self.more.contains("max_file_store") { "" } else { "max_file_store: 1GB" };
        let text = format!(
            "listen: \"127.0.0.1:{}\"\n{}\njetstream {{\n  store_dir: \"{}\"\n  {limit}\n  {}\n}}\n",
            self.port,
            self.more.lines().filter(|line| !line.contains("max_file_store")).collect::<Vec<_>>().join("\n"),
            store.display(),
            self.more.lines().find(|line| line.contains("max_file_store")).unwrap_or_default(),
        );
        std::fs::write(&file, text).unwrap();
        let log = std::fs::File::create(self.folder.join("log")).unwrap();
        let child = Command::new("nats-server").arg("-c").arg(&file).stderr(log).spawn();
        self.process = Some(Process(child.expect("nats-server is installed by .ci/nats")));
        wait_for("the broker", 10, || TcpStream::connect(("127.0.0.1", self.port)).ok());
    }

    pub(super) fn kill(&mut self) {
        self.process = None;
    }

    /// Deletes its disk; it is not running.
    pub(super) fn lose_disk(&self) {
        assert!(self.process.is_none());
        let _ = std::fs::remove_dir_all(self.folder.join("store"));
    }

    /// Lifts the limit of its store, from the next start on.
    pub(super) fn give_room(&mut self) {
        self.more = self.more.replace("60KB", "1GB");
    }

    pub(super) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

/// Server of a fleet.
pub(super) struct Server {
    pub(super) process: Process,
    address: String,
}

impl Server {
    pub(super) fn start(data: &Path, broker: &str, more: &[String]) -> Server {
        let has_patience = more.iter().any(|arg| arg.starts_with("--broker-patience-s="));
        let mut child = Command::new(env!("CARGO_BIN_EXE_scanproof"))
            .args(["serve", "--listen", "127.0.0.1:0", "--workers", "2", "--broker", broker])
            .args((!has_patience).then_some("--broker-patience-s=2"))
            .args(more)
            .arg("--data")
            .arg(data)
            .env("SCANPROOF_FLEET_TOKEN", TOKEN)
            .env("SCANPROOF_METRICS_TOKEN", TOKEN)
            .env("SCANPROOF_LOG", std::env::var("FLEET_LOG").unwrap_or("error".into()))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Scanproof serves http://").unwrap_or_else(|| panic!("{line}")).to_owned();
        Server { process: Process(child), address }
    }

    /// Returns status and body; `None` if it was gone.
    pub(super) fn try_ask(&self, method: &str, path: &str, body: Option<&Value>) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        let body = body.map(Value::to_string).unwrap_or_default();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Authorization: Bearer {TOKEN}\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
    }

    pub(super) fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, String) {
        self.try_ask(method, path, body).unwrap_or_else(|| panic!("{path}: no answer"))
    }

    pub(super) fn get(&self, path: &str) -> Value {
        let (status, body) = self.ask("GET", path, None);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Queues a job and returns its id.
    pub(super) fn job(&self, text: &str, specification: &Value) -> String {
        self.try_job(text, specification).unwrap()
    }

    /// Queues a job; `None` if the server was gone before it confirmed.
    pub(super) fn try_job(&self, text: &str, specification: &Value) -> Option<String> {
        self.ask_for_job(text, json!({ "specification": specification }))
    }

    /// Queues a job that one engine does, so that it gets no helper, and that gives up after some seconds.
    pub(super) fn undivided_job(&self, text: &str, specification: &Value, seconds: u32) -> String {
        let limits = json!({ "wall_s": seconds, "memory_mb": 2048 });
        let job = json!({ "specification": specification, "limits": limits, "strategy": { "engine": "pdr" } });
        self.ask_for_job(text, job).unwrap()
    }

    /// Queues a job that gives up after some seconds.
    pub(super) fn limited_job(&self, text: &str, specification: &Value, seconds: u32) -> String {
        let limits = json!({ "wall_s": seconds, "memory_mb": 2048 });
        self.ask_for_job(text, json!({ "specification": specification, "limits": limits })).unwrap()
    }

    /// Queues a job that asks for an agent, and that gives up after some seconds.
    pub(super) fn job_at(&self, text: &str, specification: &Value, seconds: u32, agent: &Value) -> String {
        let limits = json!({ "wall_s": seconds, "memory_mb": 2048 });
        let job = json!({ "specification": specification, "limits": limits, "strategy": { "agent": agent } });
        self.ask_for_job(text, job).unwrap()
    }

    fn ask_for_job(&self, text: &str, mut job: Value) -> Option<String> {
        let files = json!({ "files": [{ "name": "main.st", "text": text }] });
        let (status, body) = self.try_ask("POST", "/api/v1/programs", Some(&files))?;
        assert!(status == 201 || status == 200, "{body}");
        let program: Value = serde_json::from_str(&body).unwrap();
        job["program"] = program["id"].clone();
        let (status, body) = self.try_ask("POST", "/api/v1/jobs", Some(&job))?;
        assert_eq!(status, 202, "{body}");
        Some(serde_json::from_str::<Value>(&body).unwrap()["id"].as_str().unwrap().to_owned())
    }

    pub(super) fn state(&self, job: &str) -> String {
        self.get(&format!("/api/v1/jobs/{job}"))["state"].as_str().unwrap().to_owned()
    }

    /// Waits for the end of a job, and returns its state.
    pub(super) fn ended(&self, job: &str, seconds: u64) -> String {
        wait_for(&format!("the end of {job}"), seconds, || {
            let state = self.state(job);
            (state != "queued" && state != "running").then_some(state)
        })
    }

    /// Returns the ids of requirements with their verdicts.
    pub(super) fn verdicts(&self, job: &str) -> Vec<(String, String)> {
        let outcome = self.get(&format!("/api/v1/jobs/{job}/report.json"));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let rows = outcome["results"].as_array().unwrap().iter();
        rows.map(|row| (text(&row["id"]), text(&row["verdict"]))).collect()
    }

    /// Returns the value of a metric.
    pub(super) fn metric(&self, name: &str) -> f64 {
        let (_, text) = self.ask("GET", "/metrics", None);
        let line = text.lines().find(|line| line.split([' ', '{']).next() == Some(&format!("scanproof_{name}")));
        line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or_else(|| panic!("{name}: {text}"))
    }
}

/// Starts an agent with one slot.
pub(super) fn agent(folder: &Path, name: &str, broker: &str, more: &[String]) -> Process {
    let child = Command::new(env!("CARGO_BIN_EXE_scanproof"))
        .args(["agent", "--slots", "1", "--broker-patience-s", "2", "--name", name, "--broker", broker])
        .args(more)
        .arg("--cache")
        .arg(folder.join(format!("cache-{name}")))
        .env("SCANPROOF_FLEET_TOKEN", TOKEN)
        .env("SCANPROOF_LOG", std::env::var("FLEET_LOG").unwrap_or("error".into()))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    Process(child)
}

/// Returns a program of its own for each number, with a proof and a violation.
pub(super) fn pump(n: usize) -> String {
    format!(
        "PROGRAM Pump\nVAR_INPUT Go, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; END_VAR\nVAR n : INT; END_VAR\n\
         Run := (Run OR Go) AND NOT Stop;\nIF Run AND n < {} THEN n := n + 1; END_IF\nEND_PROGRAM\n",
        n + 5
    )
}

/// A run that takes long: the factors of a product of two large primes.
pub(super) const LONG: &str = "PROGRAM P VAR_INPUT a, b : LINT; END_VAR VAR x : BOOL; END_VAR\n\
    x := a > 1 AND a < 2000000000 AND b > 1 AND b < 2000000000 AND a * b = 1000000016000000063; END_PROGRAM";

/// Its requirement.
pub(super) fn long() -> Value {
    json!({ "requirements": [{ "never": "x" }] })
}

/// Returns its requirements: the first holds, the second does not.
pub(super) fn requirements(n: usize) -> Value {
    json!({ "requirements": [
        { "id": "bounded", "always": format!("n <= {}", n + 5) },
        { "id": "idle", "never": "Run" },
    ] })
}

/// Their verdicts.
pub(super) fn expected() -> Vec<(String, String)> {
    [("bounded", "holds"), ("idle", "violated")].map(|(id, verdict)| (id.to_owned(), verdict.to_owned())).into()
}
