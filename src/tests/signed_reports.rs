//! Signed reports of a running service, checked by the command line.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;

use super::cli::{scanproof, text};
use super::service::Service;

/// Returns the body of an answer, as bytes.
fn download(service: &Service, path: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(&service.address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", service.address).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    assert!(head.starts_with("HTTP/1.1 200 "), "{path}: {}", String::from_utf8_lossy(&answer));
    assert!(!head.to_lowercase().contains("chunked"), "{head}");
    answer.split_off(end + 4)
}

const PUMP: &str = "PROGRAM Pump\nVAR_INPUT Go, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; END_VAR\n\
    Run := (Run OR Go) AND NOT Stop;\nEND_PROGRAM\n";

#[test]
fn reports_are_signed_and_the_archive_has_everything() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let service = Service::start(&folder.join("data"));
    let stated =
        json!({ "requirements": [{ "id": "idle", "never": "Run" }, { "id": "stops", "if": "Stop", "then": "NOT Run" }] });
    let job = service.job(PUMP, &stated);
    for _ in 0..600 {
        if service.state(&job) == "succeeded" {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let key = download(&service, "/api/v1/signing-key");
    std::fs::write(folder.join("key.json"), &key).unwrap();
    let check = |file: &str, more: &[&str]| {
        let output = scanproof(folder, &[&["verify-report", file], more].concat());
        (output.status.code(), text(&output))
    };
    for file in ["report.html", "report.zip"] {
        let report = download(&service, &format!("/api/v1/jobs/{job}/{file}"));
        std::fs::write(folder.join(file), &report).unwrap();
        assert_eq!(check(file, &["--key", "key.json"]).0, Some(0), "{file}");
        let (code, said) = check(file, &[]);
        assert!(code == Some(30) && said.contains("was not checked"), "{said}");
        std::fs::write(folder.join("other.key"), "00".repeat(32)).unwrap();
        let (code, said) = check(file, &["--key", "other.key"]);
        assert!(code == Some(40) && said.contains("another key"), "{said}");
        for at in [0, report.len() / 2, report.len() - 1] {
            let mut changed = report.clone();
            changed[at] ^= 1;
            std::fs::write(folder.join("changed"), changed).unwrap();
            assert_eq!(check("changed", &["--key", "key.json"]).0, Some(40), "{file} byte {at}");
        }
    }
    let json = download(&service, &format!("/api/v1/jobs/{job}/report.json"));
    std::fs::write(folder.join("report.json"), json).unwrap();
    assert_eq!(check("report.json", &["--key", "key.json"]).0, Some(3));
    let mut archive = zip::ZipArchive::new(std::fs::File::open(folder.join("report.zip")).unwrap()).unwrap();
    for (name, part) in [
        ("01-idle/certificate.json", "certificate-format"),
        ("01-idle/st-test.st", "PROGRAM Test_idle"),
        ("01-idle/tcunit.TcPOU", "TcUnit.FB_TestSuite"),
        ("01-idle/witness.c", "main"),
        ("01-idle/trace.csv", "cycle,time_ms"),
        ("02-stops/certificate.smt2", "; requirement: stops"),
        ("report.html", "can be broken"),
        ("sources/main.st", "PROGRAM Pump"),
    ] {
        let mut content = String::new();
        let mut file = archive.by_name(name).unwrap_or_else(|e| panic!("{name}: {e}"));
        file.read_to_string(&mut content).unwrap();
        assert!(content.contains(part), "{name}: {content}");
    }
    let mut contents = String::new();
    archive.by_name("contents.txt").unwrap().read_to_string(&mut contents).unwrap();
    assert!(!contents.contains("Not written"), "{contents}");
}
