//! Backups of a running service, and its answer to a health check.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::service::{LATCH, Service};

#[test]
fn a_backup_of_a_running_service_gives_the_same_reports() {
    let folder = tempfile::tempdir().unwrap();
    let (data, other, file) = (folder.path().join("data"), folder.path().join("other"), folder.path().join("copy.db"));
    let service = Service::start(&data);
    let done = service.job(LATCH, &json!({ "requirements": [{ "never": "Run AND Stop" }, { "never": "Run" }] }));
    assert_eq!(service.ended(&done), "succeeded");
    let reports = |service: &Service| {
        ["json", "html", "sarif", "junit.xml"]
            .map(|ending| service.send("GET", &format!("/api/v1/jobs/{done}/report.{ending}"), None))
    };
    let before = reports(&service);
    assert!(before.iter().all(|(status, _)| *status == 200));
    let run = |args: &[&str], data: &Path| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_scanproof")).args(args).arg(&file).arg("--data").arg(data).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    let (code, said) = run(&["backup"], &data);
    assert!(code == Some(0) && said.contains("1 run, 1 run with results"), "{said}");
    let (code, said) = run(&["backup"], &data);
    assert!(code == Some(3) && said.contains("exists already"), "{said}");
    let (code, said) = run(&["restore", "--verify"], &other);
    assert!(code == Some(0) && said.contains("can be restored") && !other.exists(), "{said}");
    let (code, said) = run(&["restore"], &other);
    assert!(code == Some(0), "{said}");
    service.kill();
    let service = Service::start(&other);
    assert_eq!(reports(&service), before);
    let (code, said) = run(&["restore"], &other);
    assert!(code == Some(3) && said.contains("exists already"), "{said}");
    let check = |address: &str| {
        Command::new(env!("CARGO_BIN_EXE_scanproof")).args(["healthcheck", "--listen", address]).output().unwrap()
    };
    assert_eq!(check(&service.address).status.code(), Some(0));
    let address = service.address.clone();
    service.kill();
    assert_eq!(check(&address).status.code(), Some(1));
}
