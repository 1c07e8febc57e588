//! `schemathesis BINARY EXAMPLES`: the API of a real service against its OpenAPI document, with all checks of Schemathesis.
//!
//! Two services are asked, one without accounts and one with a log-in by token. Both hold a program, a project with a version, and
//! a run that has ended. Their ids are among the tried values. `.ci/schemathesis.toml` has the settings.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::service::{Service, id};

const TOOL: &str = ".tools/schemathesis/bin/st";
const SETTINGS: &str = include_str!("../../.ci/schemathesis.toml");
const BROKEN: &str = "PROGRAM Pump\nVAR_INPUT Go, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; END_VAR\n\
    Run := Run OR Go;\nEND_PROGRAM\n";
/// The same examples in each run, so that a failure can be repeated.
const SEED: &str = "20261126";

/// Asks both services; returns the failures.
pub(crate) fn check(binary: &str, examples: &str) -> Result<(), String> {
    let is_installed = Command::new(".ci/schemathesis").status().map_err(|error| format!(".ci/schemathesis: {error}"))?;
    if !is_installed.success() {
        return Err("Schemathesis cannot be installed".into());
    }
    let room = std::env::temp_dir().join(format!("scanproof-schemathesis-{}", std::process::id()));
    let results = [without_accounts(binary, &room, examples), with_accounts(binary, &room, examples)];
    let _ = std::fs::remove_dir_all(&room);
    let failures: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

fn without_accounts(binary: &str, room: &Path, examples: &str) -> Result<(), String> {
    let service = Service::start(binary, &room.join("open"), &[])?;
    ask(&service, room, examples)
}

fn with_accounts(binary: &str, room: &Path, examples: &str) -> Result<(), String> {
    let data = room.join("accounts");
    for name in ["first", "second", "third", "fourth", "fifth", "sixth", "tester"] {
        admin(binary, &data, &["create", name])?;
    }
    let said = admin(binary, &data, &["token", "tester", "--scope", "admin"])?;
    let token = said.split_whitespace().find(|word| word.starts_with("sp_")).ok_or(format!("no token in `{said}`"))?;
    let mut service = Service::start(binary, &data, &["--accounts", "--webhook-host", "127.0.0.1:9"])?;
    service.token = token.to_owned();
    ask(&service, room, examples)
}

/// Runs `admin`; returns what it said.
fn admin(binary: &str, data: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(binary);
    command.arg("admin").args(arguments).arg("--data").arg(data).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.spawn().map_err(|error| error.to_string())?;
    let mut input = process.stdin.take().ok_or("no standard input")?;
    input.write_all(b"a long sentence\n").map_err(|error| error.to_string())?;
    drop(input);
    let output = process.wait_with_output().map_err(|error| error.to_string())?;
    if output.status.success() { Ok(String::from_utf8_lossy(&output.stdout).into_owned()) } else { Err("admin failed".into()) }
}

/// Values that fit parameters of addresses: name of the parameter, addresses, and values.
type Values = Vec<(&'static str, &'static str, String)>;

/// Stores what the requests can be about; returns its ids.
fn fill(service: &Service) -> Result<Values, String> {
    let files = json!({ "files": [{ "name": "pump.st", "text": BROKEN }] });
    let program = id(&service.post("/api/v1/programs", &files)?)?;
    let stated = json!({ "requirements": [{ "id": "R1", "never": "Run AND Stop" }], "checks": [] });
    let strategy = json!({ "engine": "cegar", "graphs": "last" });
    let limits = json!({ "wall_s": 20, "memory_mb": 1024 });
    let run = json!({ "program": program, "specification": stated, "limits": limits, "strategy": strategy });
    let job = id(&service.post_and_wait("/api/v1/jobs", &run)?)?;
    let project = id(&service.post("/api/v1/projects", &json!({ "name": "Pump", "specification": stated }))?)?;
    let version = service.upload(&format!("/api/v1/projects/{project}/versions"), "pump.st", BROKEN)?;
    let of_project = version["job"].as_str().ok_or(format!("no run in {version}"))?;
    service.get_ended(&format!("/api/v1/jobs/{of_project}"))?;
    let kept = json!({ "job": of_project, "requirement": "R1", "reason": "The valve is open." });
    let finding = service.post(&format!("/api/v1/projects/{project}/findings"), &kept)?["id"].to_string();
    let text = |value: &str| format!("\"{value}\"");
    Ok(vec![
        ("path.id", " /api/v1/programs/.id", text(&program)),
        ("path.id", " /api/v1/jobs/.id", text(&job)),
        ("path.requirement", " /api/v1/jobs/.id", text("R1")),
        ("path.name", " /api/v1/jobs/.id", text("cfa.svg")),
        ("path.id", " /api/v1/projects/.id", text(&project)),
        ("path.finding", " /api/v1/projects/.id", finding),
    ])
}

/// Returns the settings, with those values among the tried ones. Deletions take them from links alone.
fn settings(service: &Service) -> Result<String, String> {
    let mut settings = SETTINGS.to_owned();
    let mut values = fill(service)?;
    if !service.token.is_empty() {
        // Users are changed: never the one whose token this is.
        values.push(("path.id", " /api/v1/users/.id", "1".into()));
    }
    for (n, (parameter, addresses, value)) in values.into_iter().enumerate() {
        let probability = if addresses.contains("users") { 1.0 } else { 0.8 };
        let _ = write!(
            settings,
            "\n[dictionaries.value{n}]\nvalues = [{value}]\n\n[[operations]]\ninclude-name-regex = \"^(GET|POST|PUT|PATCH){addresses}\"\n\
             [operations.parameters]\n\"{parameter}\" = {{ dictionary = \"value{n}\", probability = {probability:?} }}\n"
        );
    }
    if !service.token.is_empty() {
        let _ = write!(settings, "\n[auth.openapi.token]\nbearer = \"{}\"\n", service.token);
    }
    Ok(settings)
}

fn ask(service: &Service, room: &Path, examples: &str) -> Result<(), String> {
    let file = room.join("schemathesis.toml");
    std::fs::write(&file, settings(service)?).map_err(|error| error.to_string())?;
    let tool = std::env::current_dir().map_err(|error| error.to_string())?.join(TOOL);
    let status = Command::new(tool)
        .arg("--config-file")
        .arg(&file)
        .args(["run", "--checks", "all", "--seed", SEED, "--max-examples", examples, "--workers", "2"])
        .arg(format!("http://{}/openapi.json", service.address))
        .current_dir(room)
        .status()
        .map_err(|error| error.to_string())?;
    let kind = if service.token.is_empty() { "without accounts" } else { "with accounts" };
    if status.success() { Ok(()) } else { Err(format!("the API does not keep its document: {kind}")) }
}
