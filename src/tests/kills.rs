//! A service with accounts, projects and retention that is killed at random moments, and its workers: nothing that was confirmed
//! is lost, and no verdict is wrong.
//!
//! `KILLS=200 cargo test --test integration kills` is the long form; `SEED` repeats a run.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::cli::text;
use super::random::Random;

const PUMP: &str = "PROGRAM Pump\nVAR_INPUT Go, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; END_VAR\n\
    Run := (Run OR Go) AND NOT Stop;\nEND_PROGRAM\n";

/// Everything that the service has confirmed.
#[derive(Default)]
struct Confirmed {
    project: String,
    /// Last text of the requirements, with its tag.
    statement: (String, String),
    versions: i64,
    users: usize,
    /// Runs, with their reports once they were seen.
    runs: BTreeMap<String, Option<String>>,
}

struct Server {
    process: Child,
    address: String,
    token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    fn start(data: &Path, token: &str) -> Server {
        let mut process = Command::new(env!("CARGO_BIN_EXE_scanproof"))
            .args(["serve", "--listen", "127.0.0.1:0", "--workers", "2", "--accounts", "--run-days", "30", "--data"])
            .arg(data)
            .env("SCANPROOF_LOG", "error")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Scanproof serves http://").unwrap_or_else(|| panic!("{line}")).to_owned();
        Server { process, address, token: token.to_owned() }
    }

    /// Returns status, entity tag and body; `None` if the service was gone.
    fn ask(&self, method: &str, path: &str, (kind, tag): (&str, &str), body: &str) -> Option<(u16, String, String)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {}\r\nContent-Type: {kind}\r\n\
             If-Match: {tag}\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        );
        stream.write_all(head.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap_or_default().to_owned();
        Some((head.split(' ').nth(1)?.parse().ok()?, tag, body.to_owned()))
    }

    fn get(&self, path: &str) -> Value {
        let (status, _, body) = self.ask("GET", path, ("text/plain", "*"), "").unwrap();
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    fn send(&self, method: &str, path: &str, tag: &str, body: &Value) -> Option<(u16, String, String)> {
        self.ask(method, path, ("application/json", tag), &body.to_string())
    }

    /// Process ids of its workers.
    fn workers(&self) -> Vec<u32> {
        let parent = self.process.id().to_string();
        let ids = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|p| p.file_name().to_string_lossy().parse().ok());
        let is_child = |id: &u32| {
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            let after_name = stat.rsplit_once(')').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
            after_name.split_whitespace().nth(1) == Some(parent.as_str())
        };
        ids.filter(is_child).collect()
    }
}

/// Does one of the acts of users, and takes note of what was confirmed.
fn act(server: &Server, confirmed: &mut Confirmed, random: &mut Random, n: usize) {
    let project = format!("/api/v1/projects/{}", confirmed.project);
    match random.below(4) {
        0 | 1 => {
            let program = format!("{PUMP}(* {n} *)\n");
            let body =
                format!("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"p.st\"\r\n\r\n{program}\r\n--x--\r\n");
            let kind = ("multipart/form-data; boundary=x", "*");
            if let Some((202, _, answer)) = server.ask("POST", &format!("{project}/versions"), kind, &body) {
                let added: Value = serde_json::from_str(&answer).unwrap();
                confirmed.versions = confirmed.versions.max(added["number"].as_i64().unwrap());
                confirmed.runs.insert(added["job"].as_str().unwrap().to_owned(), None);
            }
        }
        2 => {
            let text =
                format!("requirements:\n- {{ id: stops, if: Stop, then: NOT Run }}\n- {{ id: idle, never: Run }}\n# {n}\n");
            let path = format!("{project}/requirements");
            let tag = server.ask("GET", &path, ("text/plain", "*"), "").map(|(_, tag, _)| tag).unwrap_or_default();
            if let Some((200, tag, _)) = server.send("PUT", &path, &tag, &json!({ "text": text })) {
                confirmed.statement = (text, tag);
            }
        }
        _ => {
            let new = json!({ "name": format!("user{n}"), "role": "viewer" });
            confirmed.users += usize::from(server.send("POST", "/api/v1/users", "*", &new).is_some_and(|(s, _, _)| s == 201));
        }
    }
}

/// Checks that everything that was confirmed is there.
fn check(server: &Server, confirmed: &mut Confirmed) {
    let project = format!("/api/v1/projects/{}", confirmed.project);
    let last = server.get(&project)["last_version"]["number"].as_i64().unwrap_or(0);
    assert!(confirmed.versions <= last, "{} versions were confirmed, and {last} are there", confirmed.versions);
    let (_, tag, text) = server.ask("GET", &format!("{project}/requirements"), ("text/plain", "*"), "").unwrap();
    let number = |tag: &str| tag.trim_matches(|c: char| !c.is_ascii_digit()).parse::<i64>().unwrap_or(0);
    assert!(number(&confirmed.statement.1) <= number(&tag), "{} was confirmed, and {tag} is there", confirmed.statement.1);
    if confirmed.statement.1 == tag {
        let text: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(text["text"].as_str(), Some(confirmed.statement.0.as_str()));
    }
    let users = server.get("/api/v1/users")["users"].as_array().unwrap().len();
    assert!(confirmed.users < users, "{} users were confirmed, and {users} are there", confirmed.users);
    for (run, report) in &mut confirmed.runs {
        let state = server.get(&format!("/api/v1/jobs/{run}"))["state"].as_str().unwrap().to_owned();
        if state != "succeeded" {
            assert!(
                report.is_none() && ["queued", "running", "interrupted", "failed"].contains(&state.as_str()),
                "{run}: {state}"
            );
            continue;
        }
        let (_, _, now) = server.ask("GET", &format!("/api/v1/jobs/{run}/report.json"), ("text/plain", "*"), "").unwrap();
        assert!(report.as_ref().is_none_or(|before| *before == now), "{run}: its report changed");
        for result in serde_json::from_str::<Value>(&now).unwrap()["results"].as_array().unwrap() {
            let verdict = result["verdict"].as_str().unwrap();
            let expected = if result["id"] == "idle" { "violated" } else { "holds" };
            assert!([expected, "unknown"].contains(&verdict), "{run}: {} {verdict}", result["id"]);
        }
        *report = Some(now);
    }
}

fn command(data: &Path, args: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_scanproof"))
        .args(args)
        .arg("--data")
        .arg(data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn kills_lose_nothing_that_was_confirmed_and_change_no_verdict() {
    let kills: usize = std::env::var("KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(6);
    let seed = std::env::var("SEED").ok().and_then(|n| n.parse().ok()).unwrap_or_else(|| u64::from(std::process::id()) + 1);
    println!("SEED={seed}");
    let (mut random, folder) = (Random(seed), tempfile::tempdir().unwrap());
    let data = folder.path().join("data");
    command(&data, &["admin", "create", "anna"], "a long sentence\n");
    let made = command(&data, &["admin", "token", "--scope", "admin", "anna"], "");
    let token = made.split_whitespace().find(|word| word.starts_with("sp_")).unwrap_or_else(|| panic!("{made}")).to_owned();
    let mut server = Server::start(&data, &token);
    let stated =
        json!({ "requirements": [{ "id": "stops", "if": "Stop", "then": "NOT Run" }, { "id": "idle", "never": "Run" }] });
    let (status, _, made) =
        server.send("POST", "/api/v1/projects", "*", &json!({ "name": "Pump", "specification": stated })).unwrap();
    assert_eq!(status, 201, "{made}");
    let project = serde_json::from_str::<Value>(&made).unwrap()["id"].as_str().unwrap().to_owned();
    let mut confirmed = Confirmed { project, ..Confirmed::default() };
    for kill in 0..kills {
        for n in 0..=random.below(3) as usize {
            act(&server, &mut confirmed, &mut random, kill * 10 + n);
        }
        std::thread::sleep(Duration::from_millis(random.below(400)));
        match (random.below(3), server.workers().first()) {
            (0, Some(worker)) => drop(Command::new("kill").args(["-9", &worker.to_string()]).status()),
            _ => {
                // Killed while it answers, too.
                std::thread::scope(|scope| {
                    let busy = scope.spawn(|| server.ask("GET", "/projects", ("text/plain", "*"), ""));
                    drop(Command::new("kill").args(["-9", &server.process.id().to_string()]).status());
                    drop(busy.join());
                });
                drop(server);
                server = Server::start(&data, &token);
            }
        }
        check(&server, &mut confirmed);
    }
    // What was at work ends by itself.
    let is_open = |run: &String| {
        let state = server.get(&format!("/api/v1/jobs/{run}"))["state"].as_str().unwrap().to_owned();
        state == "queued" || state == "running"
    };
    while confirmed.runs.keys().any(is_open) {
        std::thread::sleep(Duration::from_millis(100));
    }
    check(&server, &mut confirmed);
    drop(server);
    command(&data, &["audit", "verify"], "");
}
