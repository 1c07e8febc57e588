//! The service as a plant runs it: the real binary, real workers, bad programs, kills and restarts.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// A running service.
pub(super) struct Service {
    pub(super) process: Child,
    pub(super) address: String,
}

impl Service {
    pub(super) fn start(data: &Path) -> Service {
        let mut process = Command::new(env!("CARGO_BIN_EXE_scanproof"))
            .args(["serve", "--listen", "127.0.0.1:0", "--workers", "1", "--data"])
            .arg(data)
            .env("SCANPROOF_LOG", "warn")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Scanproof serves http://").unwrap().to_string();
        Service { process, address }
    }

    /// Status and body.
    pub(super) fn send(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, String) {
        let answer = self.answer(method, path, "application/json", &body.map(Value::to_string).unwrap_or_default());
        let status = answer.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or_else(|| panic!("{answer}"));
        (status, answer.split_once("\r\n\r\n").map(|(_, body)| body.to_string()).unwrap_or_default())
    }

    /// Returns the whole answer to a form.
    fn post_form(&self, path: &str, fields: &str) -> String {
        self.answer("POST", path, "application/x-www-form-urlencoded", fields)
    }

    pub(super) fn answer(&self, method: &str, path: &str, kind: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        // A server that refuses early may close before all is sent.
        let _ = stream.write_all(body.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> Value {
        let (status, body) = self.send("GET", path, None);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    fn program(&self, name: &str, text: &str) -> String {
        let (status, body) = self.send("POST", "/api/v1/programs", Some(&json!({ "files": [{ "name": name, "text": text }] })));
        assert!(status == 201 || status == 200, "{body}");
        serde_json::from_str::<Value>(&body).unwrap()["id"].as_str().unwrap().to_string()
    }

    pub(super) fn job(&self, text: &str, specification: &Value) -> String {
        let program = self.program("main.st", text);
        let (status, body) =
            self.send("POST", "/api/v1/jobs", Some(&json!({ "program": program, "specification": specification })));
        assert_eq!(status, 202, "{body}");
        serde_json::from_str::<Value>(&body).unwrap()["id"].as_str().unwrap().to_string()
    }

    pub(super) fn state(&self, job: &str) -> String {
        self.get(&format!("/api/v1/jobs/{job}"))["state"].as_str().unwrap().to_string()
    }

    fn wait_until(&self, job: &str, reached: impl Fn(&str) -> bool) -> String {
        loop {
            let state = self.state(job);
            if reached(&state) {
                return state;
            }
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    pub(super) fn ended(&self, job: &str) -> String {
        self.wait_until(job, |state| state != "queued" && state != "running")
    }

    /// Process ids of its workers.
    fn workers(&self) -> Vec<u32> {
        let parent = self.process.id().to_string();
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let ids = processes.filter_map(|p| p.file_name().to_string_lossy().parse::<u32>().ok());
        ids.filter(|id| {
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            let after_name = stat.rsplit_once(')').map(|(_, rest)| rest.to_string()).unwrap_or_default();
            after_name.split_whitespace().nth(1) == Some(parent.as_str())
        })
        .collect()
    }

    /// Returns a running job's worker, once it is there.
    fn worker(&self, job: &str) -> u32 {
        self.wait_until(job, |state| state == "running");
        loop {
            if let Some(id) = self.workers().first() {
                return *id;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(super) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn signal(name: &str, process: u32) {
    assert!(Command::new("kill").args([name, &process.to_string()]).status().unwrap().success());
}

pub(super) const LATCH: &str = "PROGRAM Latch\nVAR_INPUT Go, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; END_VAR\n\
    Run := (Run OR Go) AND NOT Stop;\nEND_PROGRAM\n";

/// Two factors of a product of two large primes: not decided soon.
pub(super) const HARD: &str = "PROGRAM Hard\nVAR_INPUT a, b : LINT; END_VAR\nVAR_OUTPUT hit : BOOL; END_VAR\n\
    hit := a > 1 AND b > 1 AND a < 2000000000 AND b < 2000000000 AND a * b = LINT#999999866000004473;\nEND_PROGRAM\n";

#[test]
fn a_changed_program_of_the_same_name_reuses_what_is_still_true() {
    let data = tempfile::tempdir().unwrap();
    let service = Service::start(data.path());
    let specification = json!({ "requirements": [{ "if": "Stop", "then": "NOT Run" }, { "never": "Run" }] });
    let ask = |text: &str, strategy: Value| {
        let program = service.program("main.st", text);
        let order = json!({ "program": program, "specification": specification, "strategy": strategy });
        let (status, body) = service.send("POST", "/api/v1/jobs", Some(&order));
        assert_eq!(status, 202, "{body}");
        let job = serde_json::from_str::<Value>(&body).unwrap()["id"].as_str().unwrap().to_string();
        assert_eq!(service.ended(&job), "succeeded");
        let results = service.get(&format!("/api/v1/jobs/{job}/report.json"));
        let row = |n: usize| {
            let result = &results["results"][n];
            (result["verdict"].as_str().unwrap().to_string(), result["reused"] == json!(true))
        };
        (row(0), row(1))
    };
    let expected = |a: (&str, bool), b: (&str, bool)| ((a.0.to_string(), a.1), (b.0.to_string(), b.1));
    let commented = LATCH.replace("Run := ", "(* latch *) Run := ");
    let careless = LATCH.replace("AND NOT Stop", "AND (Go OR NOT Stop)");
    assert_eq!(ask(LATCH, json!({})), expected(("holds", false), ("violated", false)));
    assert_eq!(ask(&commented, json!({})), expected(("holds", true), ("violated", true)));
    assert_eq!(ask(&commented, json!({ "anew": true })), expected(("holds", false), ("violated", false)));
    assert_eq!(ask(&commented, json!({ "engine": "pdr" })).0, ("holds".to_string(), false));
    assert_eq!(ask(&careless, json!({})), expected(("violated", false), ("violated", true)));
}

#[test]
fn a_run_ends_with_an_outcome_of_the_published_form() {
    let data = tempfile::tempdir().unwrap();
    let service = Service::start(data.path());
    let specification = json!({
        "assumptions": [{ "expr": "NOT (Go AND Stop)" }],
        "requirements": [{ "id": "R1", "never": "Run AND Stop" }, { "id": "R2", "always": "NOT Run" }],
    });
    let job = service.job(LATCH, &specification);
    assert_eq!(service.ended(&job), "succeeded");
    let results = service.get(&format!("/api/v1/jobs/{job}/results"));
    let verdict = |n: usize| results["results"][n]["verdict"].as_str().unwrap();
    assert_eq!((verdict(0), verdict(1)), ("holds", "violated"), "{results:#}");
    let report = service.get(&format!("/api/v1/jobs/{job}/report.json"));
    let validator = jsonschema::draft202012::new(&scanproof::report::schema::outcome()).unwrap();
    let errors: Vec<String> = validator.iter_errors(&report).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:?}");
    // The pages of all of it.
    for page in ["", "/requirements/1", "/requirements/2", "/requirements/2?cycle=1&all=1"] {
        let (status, body) = service.send("GET", &format!("/runs/{job}{page}"), None);
        assert_eq!(status, 200, "{body}");
    }
}

#[test]
fn bad_programs_get_clear_errors_and_the_service_goes_on() {
    let data = tempfile::tempdir().unwrap();
    let service = Service::start(data.path());
    let recursive = "FUNCTION f : INT\nVAR_INPUT n : INT; END_VAR\nf := f(n - 1);\nEND_FUNCTION\nPROGRAM p\nVAR x : INT; END_VAR\nx := f(3);\nEND_PROGRAM";
    let twice = "PROGRAM p\nEND_PROGRAM\nFUNCTION_BLOCK p\nEND_FUNCTION_BLOCK\n";
    let noise: String = (0..20_000u32).map(|i| char::from_u32((i * 7919) % 0xD7FF).unwrap_or('x')).collect();
    let cases: [(&str, String); 10] = [
        ("parentheses", format!("PROGRAM p\nVAR x : INT; END_VAR\nx := {}1;\nEND_PROGRAM", "(".repeat(10 << 20))),
        ("begin", "IF a THEN ".repeat(200_000)),
        ("comment", "(*".repeat(500_000)),
        ("recursive", recursive.into()),
        ("unknown type", "PROGRAM p\nVAR x : Nothing; END_VAR\nx := 1;\nEND_PROGRAM".into()),
        ("two of one name", twice.into()),
        ("noise", noise),
        ("zeros", "\0".repeat(1000)),
        ("words", "this is no program at all".into()),
        ("half", "PROGRAM p VAR x : INT := ".into()),
    ];
    for (name, text) in cases {
        let length = text.len();
        let program = service.program(&format!("{name}.st"), &text);
        let (status, body) = service.send("GET", &format!("/api/v1/programs/{program}/import"), None);
        let view: Value = serde_json::from_str(&body).unwrap();
        match status {
            200 => {
                let in_part = ["recursive", "unknown type"].contains(&name);
                assert_eq!(view["verifiable"], in_part, "{name}: {view}");
                let first = &view["import"]["diagnostics"][0];
                assert!(
                    first["code"].as_str().unwrap().starts_with('P') && !first["message"].as_str().unwrap().is_empty(),
                    "{name}: {first}"
                );
            }
            // A busy machine may need longer for megabytes than reading may take: that is said, too.
            422 => assert!(1 << 20 < length && view["type"] == "/problems/program-not-readable", "{name}: {body}"),
            other => panic!("{name}: {other} {body}"),
        }
        let (status, body) = service.send("POST", "/api/v1/jobs", Some(&json!({ "program": program })));
        assert_eq!(status, 422, "{name}: {body}");
        let (status, page) = service.send("GET", &format!("/programs/{program}"), None);
        assert!(
            status == 200
                && ["in the program", "of the project", "declared in no file", "Reading the program"]
                    .iter()
                    .any(|words| page.contains(words)),
            "{name}: {status}"
        );
    }
    // An empty file is no error, but nothing can be checked.
    let empty = service.program("empty.st", "");
    let (status, body) = service.send("POST", "/api/v1/jobs", Some(&json!({ "program": empty })));
    assert_eq!(status, 422, "{body}");
    let unknown =
        json!({ "program": service.program("latch.st", LATCH), "specification": { "assumptions": [{ "expr": "Rum" }] } });
    let (status, body) = service.send("POST", "/api/v1/jobs", Some(&unknown));
    assert!(status == 422 && body.contains("/assumptions/0/expr") && body.contains("Run"), "{body}");
    let large = json!({ "files": [{ "name": "a.st", "text": " ".repeat(30 << 20) }] });
    assert_eq!(service.send("POST", "/api/v1/programs", Some(&large)).0, 413);
    assert_eq!(service.get("/readyz")["status"], "pass");
}

#[test]
fn a_requirement_that_is_stated_wrongly_costs_the_others_nothing() {
    let data = tempfile::tempdir().unwrap();
    let service = Service::start(data.path());
    let specification = json!({ "requirements": [{ "id": "Typo", "never": "Rum" }, { "id": "Right", "never": "Run AND Stop" }] });
    let order = json!({ "program": service.program("latch.st", LATCH), "specification": specification });
    let (status, body) = service.send("POST", "/api/v1/jobs", Some(&order));
    assert_eq!(status, 202, "{body}");
    let job: Value = serde_json::from_str(&body).unwrap();
    // Said at once, with its place, and again in the result.
    assert_eq!(job["not_checked"][0]["pointer"], "/requirements/0/never", "{body}");
    let job = job["id"].as_str().unwrap().to_owned();
    assert_eq!(service.ended(&job), "succeeded");
    let results = service.get(&format!("/api/v1/jobs/{job}/results"));
    let verdict = |n: usize| results["results"][n]["verdict"].as_str().unwrap();
    assert_eq!((verdict(0), verdict(1)), ("not_checked", "holds"), "{results:#}");
    let typo = service.get(&format!("/api/v1/jobs/{job}/results/Typo"));
    assert_eq!(typo["problems"][0]["pointer"], "/requirements/0/never", "{typo:#}");
    assert!(typo["problems"][0]["help"].as_str().unwrap().contains("Run"), "{typo:#}");
    // What belongs to the others can be fetched all the same.
    for address in ["Right/certificate", "Right/model?format=smv"] {
        let (status, body) = service.send("GET", &format!("/api/v1/jobs/{job}/results/{address}"), None);
        assert_eq!(status, 200, "{address}: {body}");
    }
    // The form: one row is wrong, the run begins; shown again, the form has the message beside the row.
    let program = order["program"].as_str().unwrap();
    let fields = "action=start&r0-kind=pattern-forbidden&r0-part0=Rum&r1-kind=pattern-forbidden&r1-part0=Run+AND+Stop";
    let begun = service.post_form(&format!("/programs/{program}/requirements"), fields);
    assert!(begun.starts_with("HTTP/1.1 303"), "{begun}");
    let page = begun.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
    let job = page.rsplit('/').next().unwrap();
    assert_eq!(service.ended(job), "succeeded");
    let (_, report) = service.send("GET", page, None);
    let again = report.split("href=\"").find_map(|part| part.starts_with("/programs/").then(|| part.split('"').next())).flatten();
    let again = again.unwrap().replace("&amp;", "&").replace("&#38;", "&");
    let (status, form) = service.send("GET", &again, None);
    assert_eq!(status, 200, "{again}");
    assert!(form.contains("id=\"r0-part0-error\">✖ ") && !form.contains("r1-part0-error"), "{form}");
    // Where nothing is left to check, nothing begins.
    let alone = json!({ "requirements": [{ "never": "Rum" }], "checks": [] });
    let (status, body) = service.send("POST", "/api/v1/jobs", Some(&json!({ "program": program, "specification": alone })));
    assert!(status == 422 && body.contains("/requirements/0/never"), "{body}");
}

#[test]
fn a_worker_that_is_killed_leaves_an_honest_verdict() {
    let data = tempfile::tempdir().unwrap();
    let service = Service::start(data.path());
    let job = service
        .job(HARD, &json!({ "requirements": [{ "id": "R0", "never": "hit AND NOT hit" }, { "id": "R1", "never": "hit" }] }));
    let worker = service.worker(&job);
    // The first requirement is decided, the second is at work.
    while service.get(&format!("/api/v1/jobs/{job}/events?after=2"))["events"]
        .as_array()
        .unwrap()
        .iter()
        .all(|e| e["event"] != "verdict")
    {
        std::thread::sleep(Duration::from_millis(20));
    }
    // Time enough for a look at what makes it hard.
    std::thread::sleep(Duration::from_secs(3));
    signal("-9", worker);
    assert_eq!(service.ended(&job), "succeeded");
    assert_eq!(service.get(&format!("/api/v1/jobs/{job}/results/R0"))["verdict"], "holds");
    let result = service.get(&format!("/api/v1/jobs/{job}/results/R1"));
    assert_eq!(result["verdict"], "unknown", "{result}");
    assert!(result["reason"].as_str().unwrap().contains("killed"), "{result}");
    // What it has told by then is kept: advice from this program, what engines said, and the time that it took.
    let advice = &result["advice"][0];
    assert_eq!(advice["text"], "the product or quotient of two variables on line 4", "{result}");
    assert_eq!((&advice["place"]["line"], &result["encodings"][0]["place"]["line"]), (&json!(4), &json!(4)), "{result}");
    assert!(!result["progress"].as_array().unwrap().is_empty() && 2_000 < result["duration_ms"].as_u64().unwrap(), "{result}");
    let next = service.job(LATCH, &json!({ "requirements": [{ "never": "Run AND Stop" }] }));
    assert_eq!(service.ended(&next), "succeeded");
}

#[test]
fn a_service_that_is_killed_goes_on_where_it_was() {
    let data = tempfile::tempdir().unwrap();
    let service = Service::start(data.path());
    let done = service.job(LATCH, &json!({ "requirements": [{ "never": "Run AND Stop" }] }));
    assert_eq!(service.ended(&done), "succeeded");
    let report = service.get(&format!("/api/v1/jobs/{done}/report.json"));
    let hard = service.job(HARD, &json!({ "requirements": [{ "never": "hit" }] }));
    let waiting = service.job(LATCH, &json!({ "requirements": [{ "always": "NOT Run" }] }));
    let worker = service.worker(&hard);
    service.kill();
    // Its worker goes with it.
    while Path::new(&format!("/proc/{worker}")).exists() {
        std::thread::sleep(Duration::from_millis(10));
    }

    let service = Service::start(data.path());
    assert_eq!(service.get(&format!("/api/v1/jobs/{done}/report.json")), report);
    service.wait_until(&hard, |state| state == "running");
    assert_eq!(service.get(&format!("/api/v1/jobs/{hard}"))["attempts"], 2);
    service.kill();

    let service = Service::start(data.path());
    assert_eq!(service.state(&hard), "interrupted");
    assert_eq!(service.ended(&waiting), "succeeded");
    let (status, page) = service.send("GET", &format!("/runs/{hard}"), None);
    assert!(status == 200 && page.contains("The run was interrupted"), "{page}");
}

#[test]
fn a_service_that_is_asked_to_end_does_not_wait_for_streams_and_runs() {
    let data = tempfile::tempdir().unwrap();
    let mut service = Service::start(data.path());
    let hard = service.job(HARD, &json!({ "requirements": [{ "never": "hit" }] }));
    let worker = service.worker(&hard);
    let mut stream = TcpStream::connect(&service.address).unwrap();
    let request = format!("GET /api/v1/jobs/{hard}/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut first = [0; 64];
    stream.read_exact(&mut first).unwrap();
    signal("-TERM", service.process.id());
    assert!(service.process.wait().unwrap().success());
    while Path::new(&format!("/proc/{worker}")).exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    // The run is not lost.
    let service = Service::start(data.path());
    service.wait_until(&hard, |state| state == "running");
    assert_eq!(service.send("POST", &format!("/api/v1/jobs/{hard}/cancel"), Some(&json!({}))).0, 202);
    assert_eq!(service.ended(&hard), "cancelled");
}

#[test]
fn a_data_directory_has_one_service() {
    let data = tempfile::tempdir().unwrap();
    let _service = Service::start(data.path());
    let second = Command::new(env!("CARGO_BIN_EXE_scanproof"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data.path())
        .output()
        .unwrap();
    assert!(!second.status.success());
    assert!(String::from_utf8_lossy(&second.stderr).contains("in use"), "{}", String::from_utf8_lossy(&second.stderr));
}
