//! `scanproof remote` against a real service: verdicts and exit codes are those of `verify`.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

use serde_json::{Value, json};

use super::cli::{scanproof, text};
use super::service::Service;

const PUMP: &str = "PROGRAM Pump\nVAR_INPUT Go, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; END_VAR\n\
    Run := (Run OR Go) AND NOT Stop;\nEND_PROGRAM\n";

fn write(folder: &Path, name: &str, content: &str) {
    std::fs::write(folder.join(name), content).unwrap();
}

fn json_of(output: &std::process::Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(output)))
}

#[test]
fn a_service_verifies_with_the_exit_codes_of_verify() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let service = Service::start(&folder.join("data"));
    let server = format!("http://{}", service.address);
    write(folder, "pump.st", PUMP);
    write(folder, "bad.st", "PROGRAM p\nx := ;\nEND_PROGRAM\n");
    write(folder, "holds.yaml", "requirements:\n  - { id: stops, if: Stop, then: NOT Run }\nchecks: []\n");
    write(folder, "broken.yaml", "requirements:\n  - { id: idle, never: Run }\nchecks: []\n");
    write(folder, "strange.yaml", "requirements:\n  - { id: x, never: Nonsense }\nchecks: []\n");
    let verify = |file: &str, stated: &str, more: &[&str]| {
        scanproof(folder, &[&["remote", "verify", file, "--server", &server, "--req", stated], more].concat())
    };
    for (file, stated, code) in
        [("pump.st", "holds.yaml", 0), ("pump.st", "broken.yaml", 40), ("bad.st", "holds.yaml", 3), ("none.st", "holds.yaml", 3)]
    {
        let output = verify(file, stated, &["--quiet"]);
        assert_eq!(output.status.code(), Some(code), "{file} {stated}: {}", text(&output));
        let local = scanproof(folder, &["verify", file, "--req", stated, "--quiet"]);
        assert_eq!(local.status.code(), Some(code), "{file} {stated}: {}", text(&local));
    }
    let strange = verify("pump.st", "strange.yaml", &["--quiet"]);
    assert!(strange.status.code() == Some(3) && text(&strange).contains("Nonsense"), "{}", text(&strange));
    let output = verify("pump.st", "broken.yaml", &["--json", "--report", "junit=reports", "--report", "sarif=reports"]);
    let result = json_of(&output);
    assert_eq!(
        (&result["exit_code"], &result["programs"][0]["outcome"]["results"][0]["verdict"]),
        (&json!(40), &json!("violated"))
    );
    let reports: Vec<_> = std::fs::read_dir(folder.join("reports")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(reports.len(), 2, "{reports:?}");
    two_files_of_one_name(folder, &server);
    lists_and_reports(folder, &server);
    versions(folder, &service, &server);
}

/// Names have their folders, as `verify` says them, in answers and in reports.
fn two_files_of_one_name(folder: &Path, server: &str) {
    for (part, block) in [("a", "Lamp"), ("b", "Horn")] {
        std::fs::create_dir_all(folder.join("plant").join(part)).unwrap();
        let text = format!("FUNCTION_BLOCK {block}\nVAR_OUTPUT On : BOOL; END_VAR\nOn := TRUE;\nEND_FUNCTION_BLOCK\n");
        write(folder, &format!("plant/{part}/block.st"), &text);
    }
    write(
        folder,
        "plant/main.st",
        "PROGRAM Main\nVAR_OUTPUT Run : BOOL; END_VAR\nVAR l : Lamp; h : Horn; END_VAR\nl(); h();\n\
        Run := l.On AND h.On;\nEND_PROGRAM\n",
    );
    let stated = ["--req", "broken.yaml", "--json"];
    let names = ["plant/a/block.st", "plant/b/block.st", "plant/main.st"];
    let local = json_of(&scanproof(folder, &[&["verify"], &names[..], &stated].concat()));
    let report = ["--server", server, "--report", "sarif=plant-reports"];
    let remote = json_of(&scanproof(folder, &[&["remote", "verify"], &names[..], &stated, &report].concat()));
    let sources = |document: &Value| document["programs"][0]["outcome"]["sources"].clone();
    for document in [&local, &remote] {
        let sources = sources(document);
        let said: Vec<&str> = sources.as_array().unwrap().iter().filter_map(|source| source["name"].as_str()).collect();
        assert_eq!(said, names, "{document:#}");
    }
    let sarif = std::fs::read_dir(folder.join("plant-reports")).unwrap().next().unwrap().unwrap().path();
    let sarif = std::fs::read_to_string(sarif).unwrap();
    assert!(names.iter().all(|name| sarif.contains(name)), "{sarif}");
}

fn lists_and_reports(folder: &Path, server: &str) {
    let jobs = scanproof(folder, &["remote", "jobs", "--server", server, "--json"]);
    let id = json_of(&jobs)["jobs"][0]["id"].as_str().unwrap().to_owned();
    let listed = scanproof(folder, &["remote", "jobs", "--server", server]);
    assert!(text(&listed).contains(&id) && text(&listed).contains("can be broken"), "{}", text(&listed));
    let report = scanproof(folder, &["remote", "report", &id, "--server", server, "--format", "html", "--out", "signed.html"]);
    assert_eq!(report.status.code(), Some(0), "{}", text(&report));
    assert_eq!(scanproof(folder, &["verify-report", "signed.html"]).status.code(), Some(30), "signed, and no key was given");
    for (args, code) in [(["none", "--format", "html"], 3), ([&id, "--format", "pdf"], 2)] {
        let output = scanproof(folder, &[&["remote", "report", "--server", server][..], &args].concat());
        assert_eq!(output.status.code(), Some(code), "{}", text(&output));
    }
}

fn versions(folder: &Path, service: &Service, server: &str) {
    let stated = json!({ "requirements": [{ "id": "idle", "never": "Run" }] });
    let (_, made) = service.send("POST", "/api/v1/projects", Some(&json!({ "name": "Pump hall", "specification": stated })));
    let project = serde_json::from_str::<Value>(&made).unwrap()["id"].as_str().unwrap().to_owned();
    let checked = scanproof(folder, &["remote", "verify", "pump.st", "--server", server, "--in-project", &project]);
    assert!(checked.status.code() == Some(40) && text(&checked).contains("idle"), "{}", text(&checked));
    let projects = scanproof(folder, &["remote", "projects", "--server", server]);
    let words = text(&projects);
    assert!(words.contains("Pump hall") && words.contains("version 1") && words.contains("can be broken"), "{words}");
}

#[test]
fn no_answer_and_wrong_arguments_are_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "pump.st", PUMP);
    write(folder, "token", "not a token\n");
    for (server, more, code) in
        [("plc-check", &[][..], 2), ("ftp://plc-check", &[], 2), ("http://127.0.0.1:9", &["--token-file", "token"], 2)]
    {
        let output = scanproof(folder, &[&["remote", "verify", "pump.st", "--server", server], more].concat());
        assert_eq!(output.status.code(), Some(code), "{}", text(&output));
    }
    // A service that answers something else.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 65_536]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
        }
    });
    let output = scanproof(folder, &["remote", "verify", "pump.st", "--server", &format!("http://{address}")]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    // One that speaks no TLS is not asked again.
    let output = scanproof(folder, &["remote", "verify", "pump.st", "--server", &format!("https://{address}")]);
    assert!(output.status.code() == Some(2) && text(&output).contains("begin with http://"), "{}", text(&output));
    assert!(!text(&output).contains("next try"), "{}", text(&output));
}

/// A service with accounts and TLS that ends with its owner.
struct Guarded(std::process::Child, String);

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Guarded {
    fn start(folder: &Path) -> Guarded {
        let mut process = std::process::Command::new(env!("CARGO_BIN_EXE_scanproof"))
            .args(["serve", "--listen", "127.0.0.1:0", "--accounts", "--tls-self-signed", "--data", "data"])
            .current_dir(folder)
            .env("SCANPROOF_LOG", "error")
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(process.stdout.take().unwrap()), &mut line).unwrap();
        let port = line.trim().rsplit(':').next().unwrap();
        Guarded(process, format!("https://localhost:{port}"))
    }
}

/// Makes a user with a token of that scope, and writes the token to a file of the scope's name.
fn token(folder: &Path, scope: &str) {
    let made = scanproof(folder, &["admin", "token", "anna", "--scope", scope, "--data", "data"]);
    let said = text(&made);
    let token = said.split_whitespace().find(|word| word.starts_with("sp_")).unwrap_or_else(|| panic!("{said}"));
    write(folder, scope, token);
}

#[test]
fn a_service_with_accounts_is_reached_by_token_and_tls() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut create = std::process::Command::new(env!("CARGO_BIN_EXE_scanproof"))
        .args(["admin", "create", "anna", "--data", "data"])
        .current_dir(folder)
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    create.stdin.take().unwrap().write_all(b"a long sentence\n").unwrap();
    assert!(create.wait().unwrap().success());
    token(folder, "run");
    token(folder, "read");
    write(folder, "forged", "sp_0000000000000000_0000000000000000");
    write(folder, "pump.st", PUMP);
    write(folder, "broken.yaml", "requirements:\n  - { id: idle, never: Run }\nchecks: []\n");
    let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    write(folder, "other.pem", &other.cert.pem());
    let service = Guarded::start(folder);
    let ca = "data/tls-certificate.pem";
    for (token, ca, code, words) in [
        ("run", ca, 40, "idle"),
        ("read", ca, 2, "not allowed"),
        ("forged", ca, 2, "does not take the token"),
        ("run", "other.pem", 2, "--ca FILE"),
        ("run", "pump.st", 2, "no certificate"),
    ] {
        let verify =
            ["remote", "verify", "pump.st", "--req", "broken.yaml", "--server", &service.1, "--token-file", token, "--ca", ca];
        let output = scanproof(folder, &verify);
        assert_eq!(output.status.code(), Some(code), "{token} {ca}: {}", text(&output));
        assert!(text(&output).contains(words), "{token} {ca}: {}", text(&output));
    }
    let plain = service.1.replace("https", "http");
    let output = scanproof(folder, &["remote", "jobs", "--server", &plain, "--token-file", "read"]);
    assert!(output.status.code() == Some(2) && text(&output).contains("begin with https://"), "{}", text(&output));
    let listed = scanproof(folder, &["remote", "jobs", "--server", &service.1, "--token-file", "read", "--ca", ca]);
    assert!(listed.status.code() == Some(0) && text(&listed).contains("pump.st"), "{}", text(&listed));
}
