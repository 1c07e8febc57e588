//! Versions of a project in the service with the real worker: answers are reused, certified again, and lead to their counterexamples.

use serde_json::{Value, json};

use super::service::Service;

const FIRST: &str = "FUNCTION_BLOCK Light\nVAR_INPUT on : BOOL; END_VAR\nVAR_OUTPUT q : BOOL; END_VAR\nq := on;\nEND_FUNCTION_BLOCK\n\
    PROGRAM Pump\nVAR_INPUT Go, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; END_VAR\nVAR Lamp : Light; END_VAR\n\
    Run := (Run OR Go) AND NOT Stop;\nLamp(on := Run);\nEND_PROGRAM\n";

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
    let run = version(&service, &project, "second.st", &FIRST.replace("q := on;", "q := NOT on;"));
    assert!(page().contains("2 of 2 answers were reused"), "{}", page());
    let (_, report) = service.send("GET", &format!("/api/v1/jobs/{run}/report.json"), None);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["results"][0]["verdict"], "holds");
    assert_eq!(report["results"][0]["reused"], true);
    assert!(!report["results"][0]["proof"]["obligations"].as_array().unwrap().is_empty(), "certified for this program");
    keep_with_a_reason(&service, &project, &run);
    // A program that breaks the requirement gets no old proof, and changed code ends the finding.
    let run = version(&service, &project, "third.st", &FIRST.replace(" AND NOT Stop", ""));
    assert!(page().contains("<strong>stops</strong>") && page().contains("expired: the code"), "{}", page());
    let (_, report) = service.send("GET", &format!("/api/v1/jobs/{run}/report.json"), None);
    assert!(!report.contains("kept"), "{report}");
}

/// Keeps the broken requirement of a run with a reason, which counts for all runs with the same code, and looks at reports.
fn keep_with_a_reason(service: &Service, project: &str, run: &str) {
    let address = format!("/runs/{run}/requirements/2");
    let form = service.send("GET", &address, None).1;
    assert!(form.contains(&format!("action=\"{address}/kept\"")) && form.contains("NOT (Go AND NOT Stop)"), "{form}");
    let keep = |path: &str, reason: &str| {
        let fields = format!("project={project}&reason={reason}");
        service.answer("POST", path, "application/x-www-form-urlencoded", &fields)
    };
    assert!(keep(&format!("{address}/kept"), "+").starts_with("HTTP/1.1 422"), "no reason");
    // The first requirement holds: there is nothing to keep.
    assert!(keep(&format!("/runs/{run}/requirements/1/kept"), "So").starts_with("HTTP/1.1 422"));
    assert!(keep(&format!("{address}/kept"), "Wanted+at+night").starts_with("HTTP/1.1 303"));
    for (path, part) in [
        (format!("/api/v1/jobs/{run}/report.html"), "kept on"),
        (format!("/api/v1/jobs/{run}/report.sarif"), "Wanted at night"),
        (format!("/api/v1/jobs/{run}/report.junit.xml"), "Wanted at night"),
        (format!("/projects/{project}"), "kept: Wanted at night"),
        (format!("/runs/{run}"), "Wanted at night"),
        (address, "Wanted at night"),
    ] {
        let (status, page) = service.send("GET", &path, None);
        assert!(status == 200 && page.contains(part), "{path}: {page}");
    }
    let (_, report) = service.send("GET", &format!("/api/v1/jobs/{run}/results"), None);
    let report: Value = serde_json::from_str(&report).unwrap();
    // Kept, and broken all the same.
    assert_eq!(report["results"][1]["verdict"], "violated");
    assert_eq!(report["tally"]["total"], 2);
    let (_, report) = service.send("GET", &format!("/api/v1/jobs/{run}/report.json"), None);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["results"][1]["kept"]["reason"], "Wanted at night");
    assert!(report["results"][1]["headline"].as_str().unwrap().starts_with("✖ Can be broken — kept on "), "{report}");
}
