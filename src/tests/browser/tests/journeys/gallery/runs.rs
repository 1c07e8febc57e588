//! Pages of programs, runs and requirements.

use serde_json::{Value, json};

use super::super::HARD;
use super::{look, look_here};
use crate::support::{Browser, Scripts, Service, a_moment};

/// Program for answers of many kinds: violations, proofs, and one that takes too long. A block of it is declared in no file.
const PLANT: &str = "PROGRAM Plant\nVAR_INPUT Start, Stop, DoorOfTheConveyorSectionIsClosed : BOOL; a, b : LINT; Wait : TIME; END_VAR\n\
    VAR_OUTPUT Motor, Lamp, hit, late : BOOL; END_VAR\nVAR Off : BOOL; Scale : FB_VendorScale; Delay : TON; n : INT; END_VAR\n\
    Motor := (Motor OR Start) AND NOT Stop AND DoorOfTheConveyorSectionIsClosed;\n\
    Scale(In := n, Enable := Motor);\nn := Scale.Out;\nLamp := n > 100;\nDelay(IN := Start, PT := Wait);\nlate := Delay.Q;\n\
    hit := a > 1 AND b > 1 AND a < 2000000000 AND b < 2000000000 AND a * b = LINT#999999866000004473;\nEND_PROGRAM\n";

fn stated() -> Value {
    json!({ "requirements": [
        { "id": "R1", "never": "Motor AND NOT Lamp", "text": "The motor never runs while the lamp is off." },
        { "id": "R2", "if": "Stop", "then": "NOT Motor", "text": "Stop stops the motor in the same cycle." },
        { "id": "R3", "if": "Off", "then": "Motor" },
        { "id": "R4", "never": "Motr" },
        { "id": "R5", "never": "hit", "text": "The product is never that of two large primes." },
        { "id": "R6", "if": "late", "then": "Start" },
        { "id": "R7", "possible": "Lamp" },
    ] })
}

/// Stores a program; returns its id.
fn program(service: &Service, name: &str, text: &str) -> String {
    let (_, body) = service.post("/api/v1/programs", &json!({ "files": [{ "name": name, "text": text }] }));
    serde_json::from_str::<Value>(&body).unwrap()["id"].as_str().unwrap().to_owned()
}

/// Queues a run; returns its id.
fn begin(service: &Service, program: &str, stated: &Value, wall_s: u32, strategy: &Value) -> String {
    let limits = json!({ "wall_s": wall_s, "memory_mb": 2048 });
    let job = json!({ "program": program, "specification": stated, "limits": limits, "strategy": strategy });
    let (status, body) = service.post("/api/v1/jobs", &job);
    assert_eq!(status, 202, "{body}");
    serde_json::from_str::<Value>(&body).unwrap()["id"].as_str().unwrap().to_owned()
}

/// Waits until a run leaves its states.
async fn wait_past(service: &Service, job: &str, states: &[&str]) {
    loop {
        let (_, body) = service.get(&format!("/api/v1/jobs/{job}"), "");
        let state: Value = serde_json::from_str(&body).unwrap();
        if !states.contains(&state["state"].as_str().unwrap()) {
            return;
        }
        a_moment().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_programs_and_runs_are_whole_in_every_state() {
    let service = Service::start();
    let browser = Browser::open(Scripts::On).await;
    let at = |path: &str| format!("{}{path}", service.origin);
    look(&browser, &at("/"), "home-empty").await;
    look(&browser, &at("/projects"), "projects-empty").await;
    let plant = program(&service, "plant.st", PLANT);
    look(&browser, &at(&format!("/programs/{plant}")), "program-stub").await;
    for (name, text) in [
        ("program-errors", "PROGRAM p\nVAR x : INT; END_VAR\nx := ;\nEND_PROGRAM"),
        ("program-part", "PROGRAM p\nVAR x, y : INT; END_VAR\nx := TRUE;\ny := 1;\nEND_PROGRAM"),
        ("program-empty", "(* nothing *)"),
        ("program-no-inputs", "PROGRAM p\nVAR x : INT; END_VAR\nx := x + 1;\nEND_PROGRAM"),
    ] {
        let id = program(&service, "p.st", text);
        look(&browser, &at(&format!("/programs/{id}")), name).await;
    }
    let all = begin(&service, &plant, &stated(), 40, &json!({}));
    browser.driver.goto(at(&format!("/runs/{all}"))).await.unwrap();
    browser.find("tbody tr", "Can be broken").await;
    look_here(&browser, "run-running").await;
    let hard = program(&service, "hard.st", HARD);
    let never = json!({ "requirements": [{ "id": "R1", "never": "hit" }], "checks": [] });
    // Runs of less than ten seconds have a worker of their own.
    let waiting = begin(&service, &hard, &never, 11, &json!({}));
    browser.driver.goto(at(&format!("/runs/{waiting}"))).await.unwrap();
    browser.find("#status", "Waiting for its turn").await;
    look_here(&browser, "run-waiting").await;
    wait_past(&service, &all, &["queued", "running"]).await;
    look(&browser, &at("/"), "home-one").await;
    look(&browser, &at(&format!("/runs/{all}")), "report-all").await;
    for n in 1..=8 {
        look(&browser, &at(&format!("/runs/{all}/requirements/{n}")), &format!("result-{n}")).await;
    }
    look(&browser, &at(&format!("/runs/{all}/delete")), "delete-run").await;
    wait_past(&service, &waiting, &["queued", "running"]).await;
    look(&browser, &at(&format!("/runs/{waiting}")), "report-undecided").await;
    look(&browser, &at(&format!("/runs/{waiting}/requirements/1")), "result-undecided").await;
    let bounded = begin(&service, &hard, &never, 6, &json!({ "engine": "bmc" }));
    wait_past(&service, &bounded, &["queued", "running"]).await;
    look(&browser, &at(&format!("/runs/{bounded}")), "report-bounded").await;
    look(&browser, &at(&format!("/runs/{bounded}/requirements/1")), "result-bounded").await;
    let stop = begin(&service, &hard, &never, 300, &json!({}));
    wait_past(&service, &stop, &["queued"]).await;
    service.post(&format!("/api/v1/jobs/{stop}/cancel"), &json!({}));
    wait_past(&service, &stop, &["running"]).await;
    look(&browser, &at(&format!("/runs/{stop}")), "report-cancelled").await;
    let latch = "PROGRAM Latch\nVAR_INPUT Go, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; END_VAR\nRun := (Run OR Go) AND NOT Stop;\nEND_PROGRAM\n";
    let latch = program(&service, "latch.st", latch);
    let held = begin(&service, &latch, &json!({ "requirements": [{ "id": "R1", "never": "Run AND Stop" }] }), 40, &json!({}));
    wait_past(&service, &held, &["queued", "running"]).await;
    look(&browser, &at(&format!("/runs/{held}")), "report-held").await;
    look(&browser, &at(&format!("/runs/{held}/requirements/1")), "result-held").await;
    let vacuous = begin(
        &service,
        &latch,
        &json!({ "requirements": [{ "id": "R1", "if": "Run AND Stop", "then": "Go" }], "checks": [] }),
        40,
        &json!({}),
    );
    wait_past(&service, &vacuous, &["queued", "running"]).await;
    look(&browser, &at(&format!("/runs/{vacuous}")), "report-vacuous").await;
    look(&browser, &at(&format!("/runs/{vacuous}/requirements/1")), "result-vacuous").await;
    for (path, name) in
        [("/nothing", "nothing"), ("/problems/too-large", "problem"), ("/runs/none", "run-unknown"), ("/help", "help")]
    {
        look(&browser, &at(path), name).await;
    }
    for n in 0..60 {
        let stated = json!({ "requirements": [{ "id": "R1", "never": format!("Run AND Stop AND {n} < 100") }], "checks": [] });
        begin(&service, &latch, &stated, 40, &json!({}));
    }
    look(&browser, &at("/"), "home-many").await;
    service.assert_policy_kept();
    browser.close().await;
}
