//! A clock that is stepped under a running service. libfaketime steps the wall clock of the real binary; its monotonic clock goes on.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::service::{HARD, LATCH, Service};

const HOURS: Duration = Duration::from_secs(6 * 3600);

/// Returns the library that changes the clock of a process.
pub(super) fn library() -> PathBuf {
    let folders = std::fs::read_dir("/usr/lib").unwrap().flatten().map(|folder| folder.path());
    let found = folders.map(|folder| folder.join("faketime/libfaketimeMT.so.1")).find(|file| file.is_file());
    found.expect("install Debian's package faketime; .ci/browser does")
}

/// A service whose clock is read from a file.
struct Stepped {
    service: Service,
    file: PathBuf,
}

impl Stepped {
    fn start(folder: &Path, offset: &str, arguments: &[&str]) -> Stepped {
        let file = folder.join("offset");
        std::fs::write(&file, format!("{offset}\n")).unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_scanproof"))
            .args(["serve", "--listen", "127.0.0.1:0", "--workers", "1", "--data"])
            .arg(folder.join("data"))
            .args(arguments)
            .env("SCANPROOF_LOG", "warn")
            .env("LD_PRELOAD", library())
            .env("FAKETIME_TIMESTAMP_FILE", &file)
            .env("FAKETIME_NO_CACHE", "1")
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Scanproof serves http://").unwrap().to_owned();
        Stepped { service: Service { process, address }, file }
    }

    fn step(&self, offset: &str) {
        // Renamed into place: a reader never sees half of it.
        let next = self.file.with_extension("next");
        std::fs::write(&next, format!("{offset}\n")).unwrap();
        std::fs::rename(next, &self.file).unwrap();
    }

    /// Returns how far the clock of the service is ahead, by its newest run.
    fn ahead(&self) -> Duration {
        let created = self.runs()[0]["created"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
        Duration::try_from(created.duration_since(jiff::Timestamp::now())).unwrap_or_default()
    }

    fn runs(&self) -> Vec<Value> {
        let (status, body) = self.service.send("GET", "/api/v1/jobs", None);
        assert_eq!(status, 200, "{body}");
        serde_json::from_str::<Value>(&body).unwrap()["jobs"].as_array().unwrap().clone()
    }

    /// Starts a run of a few seconds that is not decided soon.
    fn hard(&self, seconds: u64) -> String {
        let program = json!({ "files": [{ "name": "main.st", "text": HARD }] });
        let (_, body) = self.service.send("POST", "/api/v1/programs", Some(&program));
        let id = serde_json::from_str::<Value>(&body).unwrap()["id"].clone();
        let specification = json!({ "requirements": [{ "never": "hit" }] });
        let job = json!({ "program": id, "specification": specification, "limits": { "wall_s": seconds, "memory_mb": 2048 } });
        let (status, body) = self.service.send("POST", "/api/v1/jobs", Some(&job));
        assert_eq!(status, 202, "{body}");
        serde_json::from_str::<Value>(&body).unwrap()["id"].as_str().unwrap().to_owned()
    }
}

fn requirements() -> Value {
    json!({ "requirements": [{ "if": "Stop", "then": "NOT Run" }] })
}

#[test]
fn runs_keep_their_time_while_the_clock_is_stepped() {
    let folder = tempfile::tempdir().unwrap();
    let stepped = Stepped::start(folder.path(), "+0", &[]);
    for offset in ["+6h", "-6h"] {
        stepped.step("+0");
        let began = Instant::now();
        let job = stepped.hard(6);
        std::thread::sleep(Duration::from_secs(2));
        assert_eq!(stepped.service.state(&job), "running");
        stepped.step(offset);
        std::thread::sleep(Duration::from_secs(1));
        assert_eq!(stepped.service.state(&job), "running", "{offset}");
        let state = stepped.service.ended(&job);
        let took = began.elapsed();
        assert!(Duration::from_secs(5) < took && took < Duration::from_secs(60), "{offset}: {state} after {took:?}");
        // The step was real, and the next run begins and ends as always.
        let next = stepped.service.job(LATCH, &requirements());
        assert_eq!(stepped.service.ended(&next), "succeeded", "{offset}");
        if offset == "+6h" {
            assert!(HOURS - Duration::from_secs(60) < stepped.ahead(), "{:?}", stepped.ahead());
        }
        assert_eq!(stepped.service.send("GET", "/readyz", None).0, 200);
    }
    assert_eq!(stepped.runs().len(), 4);
}

#[test]
fn a_start_with_a_clock_of_another_year_deletes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let stepped = Stepped::start(folder.path(), "+0", &["--run-days", "30"]);
    let job = stepped.service.job(LATCH, &requirements());
    assert_eq!(stepped.service.ended(&job), "succeeded");
    stepped.service.kill();
    let stepped = Stepped::start(folder.path(), "+400d", &["--run-days", "30"]);
    // The first look for old data is at the start.
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(stepped.service.state(&job), "succeeded");
    let next = stepped.service.job(LATCH, &requirements());
    assert_eq!(stepped.service.ended(&next), "succeeded");
    assert!(HOURS < stepped.ahead(), "the step was real");
}
