//! The service under pressure, as a plant runs it: runs that take all they can, and uploads far beyond the limits.

use std::time::Duration;

use serde_json::{Value, json};

use super::service::{HARD, Service};

/// Thousands of cells, each of which may be the one that is written: more memory than 256 MB.
const LARGE: &str = "PROGRAM P\nVAR_INPUT a, i : INT; END_VAR\nVAR s : ARRAY[0..4000] OF DINT; END_VAR\n\
    s[i] := s[a] + 1;\nEND_PROGRAM\n";

/// Queues a run with limits; returns its id.
fn begin(service: &Service, text: &str, never: &str, limits: &Value) -> String {
    let files = json!({ "files": [{ "name": "main.st", "text": text }] });
    let (_, program) = service.send("POST", "/api/v1/programs", Some(&files));
    let program = serde_json::from_str::<Value>(&program).unwrap()["id"].clone();
    let stated = json!({ "requirements": [{ "id": "R", "never": never }], "checks": [] });
    let job = json!({ "program": program, "specification": stated, "limits": limits });
    let (status, body) = service.send("POST", "/api/v1/jobs", Some(&job));
    assert_eq!(status, 202, "{body}");
    serde_json::from_str::<Value>(&body).unwrap()["id"].as_str().unwrap().to_owned()
}

#[test]
fn runs_that_take_all_they_can_end_at_their_limits_and_the_service_stays_ready() {
    let data = tempfile::tempdir().unwrap();
    let service = Service::start(data.path());
    for (text, never, limits, reason) in [
        (LARGE, "s[7] = 100000000", json!({ "wall_s": 300, "memory_mb": 256 }), "memory limit of 256 MB"),
        (HARD, "hit", json!({ "wall_s": 3, "memory_mb": 2048 }), "time limit"),
    ] {
        let job = begin(&service, text, never, &limits);
        let mut looks = 0;
        while ["queued", "running"].contains(&service.state(&job).as_str()) {
            let (status, body) = service.send("GET", "/readyz", None);
            assert_eq!(status, 200, "{body}");
            looks += 1;
            std::thread::sleep(Duration::from_millis(100));
        }
        assert!(0 < looks, "{reason}: the run was over at once");
        let (_, body) = service.send("GET", &format!("/api/v1/jobs/{job}/results/R"), None);
        let result: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(result["verdict"], "unknown", "{body}");
        assert!(result["reason"].as_str().unwrap().contains(reason), "{reason}: {body}");
    }
}

/// Returns the peak of a process's resident memory, in MB.
fn peak_mb(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() >> 10
}

#[test]
fn uploads_beyond_the_limit_take_no_memory() {
    let data = tempfile::tempdir().unwrap();
    let service = Service::start(data.path());
    let form = |bytes: usize| {
        let text = "// a comment of a very large program\n".repeat(bytes / 37);
        format!("--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.st\"\r\n\r\n{text}\r\n--XX--\r\n")
    };
    let send = |body: &str| service.answer("POST", "/check", "multipart/form-data; boundary=XX", body);
    assert!(send(&form(512 << 10)).starts_with("HTTP/1.1 303"));
    let before = peak_mb(service.process.id());
    let large = form(60 << 20);
    for _ in 0..4 {
        let answer = send(&large);
        assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("At most 20 MB"), "{answer}");
    }
    let after = peak_mb(service.process.id());
    // One upload that is within the limit takes its 20 MB. What is beyond it is read and dropped.
    assert!(after < before + 50, "{before} MB before, {after} MB after");
    assert!(send(&form(5 << 20)).starts_with("HTTP/1.1 303"));
}
