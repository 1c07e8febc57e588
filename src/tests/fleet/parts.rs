//! Runs that several agents do: helpers, their loss, and their lies.

use serde_json::{Value, json};

use super::process::{LONG, Nats, Server, agent, wait_for};

/// Returns the agent that works on a part of a run.
fn at_part(server: &Server, job: &str, is_wanted: impl Fn(u64) -> bool) -> Option<String> {
    let agents = server.get("/api/v1/agents");
    let works = |row: &&Value| {
        let jobs = row["jobs"].as_array().unwrap();
        jobs.iter().any(|one| one["job"] == job && is_wanted(one["part"].as_u64().unwrap()))
    };
    agents["agents"].as_array()?.iter().find(works)?["name"].as_str().map(str::to_owned)
}

/// Waits for agents that work on part 0 of a run and on a further one, and returns their names.
fn main_and_helper(server: &Server, job: &str) -> (String, String) {
    wait_for("a run that two agents do", 30, || {
        Some((at_part(server, job, |part| part == 0)?, at_part(server, job, |part| part != 0)?))
    })
}

/// Returns the requirement with a verdict so far in the events of a run.
fn has_verdict(server: &Server, job: &str, requirement: &str) -> bool {
    let (_, events) = server.ask("GET", &format!("/api/v1/jobs/{job}/events?after=0"), None);
    events.lines().any(|line| line.contains("verdict") && line.contains(&format!("\"{requirement}\"")))
}

/// The first requirement takes until the end of the time, the others are easy. The order is that of part 0.
fn late() -> Value {
    json!({ "requirements": [
        { "id": "long", "never": "x" },
        { "id": "false", "always": "a <> 5" },
        { "id": "true", "always": "NOT x OR a > 1" },
    ], "checks": [] })
}

fn verdicts() -> Vec<(String, String)> {
    let all = [("long", "unknown"), ("false", "violated"), ("true", "holds")];
    all.map(|(id, verdict)| (id.to_owned(), verdict.to_owned())).into()
}

#[test]
fn requirements_behind_a_long_one_are_answered_by_a_helper() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let _agents = ["one", "two"].map(|name| agent(dir.path(), name, &nats.url(), &[]));
    let job = server.limited_job(LONG, &late(), 20);
    main_and_helper(&server, &job);
    for requirement in ["false", "true"] {
        wait_for("an answer before the end", 15, || has_verdict(&server, &job, requirement).then_some(()));
    }
    assert_eq!(server.state(&job), "running");
    // A run that waits comes before help.
    let other = server.job(&super::process::pump(1), &super::process::requirements(1));
    assert_eq!(server.ended(&other, 10), "succeeded");
    assert_eq!(server.state(&job), "running");
    assert_eq!(server.ended(&job, 60), "succeeded");
    assert_eq!(server.verdicts(&job), verdicts());
    assert_eq!(server.metric("fleet_refuted_claims_total"), 0.0);
    wait_for("agents without work", 10, || at_part(&server, &job, |_| true).is_none().then_some(()));
}
