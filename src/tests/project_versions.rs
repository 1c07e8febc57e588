//! Versions of a project in the service with the real worker: answers are reused, certified again, and lead to their counterexamples.

use serde_json::{Value, json};

use super::service::Service;

const FIRST: &str = "PROGRAM Pump\nVAR_INPUT Go, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; Lamp : BOOL; END_VAR\n\
    Run := (Run OR Go) AND NOT Stop;\nLamp := Run;\nEND_PROGRAM\n";

/// Adds a version and waits for the end of its run; returns the run.
fn version(service: &Service, project: &str, name: &str, text: &str) -> String {
    let body = format!("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{text}\r\n--x--\r\n");
    let answer =
        service.answer("POST", &format!("/api/v1/projects/{project}/versions"), "multipart/form-data; boundary=x", &body);
    let location = answer.lines().find_map(|line| line.strip_prefix("location: /api/v1/jobs/"));
    let run = location.unwrap_or_else(|| panic!("{answer}")).trim().to_owned();
    for _ in 0..600 {
        if service.state(&run) == "succeeded" {
            return run;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("the run does not end");
}

#[test]
fn answers_of_the_version_before_are_certified_again() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path());
    let stated = json!([{ "id": "stops", "if": "Stop", "then": "NOT Run" }, { "id": "idle", "never": "Run" }]);
    let body = json!({ "name": "Pump", "specification": { "requirements": stated } });
    let (status, answer) = service.send("POST", "/api/v1/projects", Some(&body));
    assert_eq!(status, 201, "{answer}");
    let project = serde_json::from_str::<Value>(&answer).unwrap()["id"].as_str().unwrap().to_owned();
    let page = || service.send("GET", &format!("/projects/{project}"), None).1;
    let run = version(&service, &project, "first.st", FIRST);
    assert!(!page().contains("were reused"), "{}", page());
    assert!(page().contains(&format!("href=\"/runs/{run}/requirements/2\"><strong>idle</strong>")), "{}", page());
    // Another name of the file, other code beside the requirement: the answers are shown again from their evidence.
    let run = version(&service, &project, "second.st", &FIRST.replace("Lamp := Run;", "Lamp := NOT Run;"));
    assert!(page().contains("2 of 2 answers were reused"), "{}", page());
    let (_, report) = service.send("GET", &format!("/api/v1/jobs/{run}/report.json"), None);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["results"][0]["verdict"], "holds");
    assert_eq!(report["results"][0]["reused"], true);
    assert!(!report["results"][0]["proof"]["obligations"].as_array().unwrap().is_empty(), "certified for this program");
    // A program that breaks the requirement gets no old proof.
    version(&service, &project, "third.st", &FIRST.replace(" AND NOT Stop", ""));
    assert!(page().contains("<strong>stops</strong>"), "{}", page());
}
