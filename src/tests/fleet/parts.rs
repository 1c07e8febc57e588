//! Runs that several agents do: helpers, their loss, and their lies.

use std::path::Path;
use std::time::Duration;

use answer::VerdictWord::Holds;
use scanproof::fleet::agent::run as run_agent;
use scanproof::report::outcome::RequirementResult;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::process::{LONG, Nats, Process, Server, agent, expected, long, pump, requirements, wait_for};
use super::scripted::{runtime, says, scripted_agent};
use super::trust::{job as plain_job, own};

/// A program with one requirement that takes some seconds.
const HARD: &str = include_str!("../../../samples/big/strokes_over.st");

/// Its requirement.
fn hard() -> Value {
    json!({ "requirements": [{ "id": "limit", "always": "Count <= 30000" }], "checks": [] })
}

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

/// Returns the verdicts about a requirement in the events of a run so far.
fn told_verdicts(server: &Server, job: &str, requirement: &str) -> Vec<String> {
    let events = server.get(&format!("/api/v1/jobs/{job}/events?after=0"));
    let rows = events["events"].as_array().unwrap().iter().map(|row| row.get("content").unwrap_or(row));
    let about = rows.filter(|row| row["event"] == "verdict" && row["requirement"] == requirement);
    about.map(|row| row["verdict"].as_str().unwrap().to_owned()).collect()
}

fn idle(server: &Server, job: &str) {
    wait_for("agents without work", 10, || at_part(server, job, |_| true).is_none().then_some(()));
}

fn report(server: &Server, job: &str) -> Value {
    server.get(&format!("/api/v1/jobs/{job}/report.json"))
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
        wait_for("an answer before the end", 15, || told_verdicts(&server, &job, requirement).pop());
    }
    assert_eq!(server.state(&job), "running");
    // A run that waits comes before help.
    let other = server.job(&pump(1), &requirements(1));
    assert_eq!(server.ended(&other, 10), "succeeded");
    assert_eq!(server.state(&job), "running");
    assert_eq!(server.ended(&job, 60), "succeeded");
    assert_eq!(server.verdicts(&job), verdicts());
    assert_eq!(server.metric("fleet_refuted_claims_total"), 0.0);
    idle(&server, &job);
}

/// A purge of one subject at the broker hid the messages of other runs until their service published them again.
#[test]
fn a_run_that_waits_begins_at_once_when_another_makes_room() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let server = Server::start(&dir.path().join("data"), &nats.url(), &["--broker-patience-s=60".to_owned()]);
    let _agents = ["one", "two"].map(|name| agent(dir.path(), name, &nats.url(), &[]));
    let cancel = |job: &str| assert_eq!(server.ask("POST", &format!("/api/v1/jobs/{job}/cancel"), None).0, 202);
    // A helper makes room.
    let helped = server.limited_job(LONG, &late(), 120);
    main_and_helper(&server, &helped);
    let other = server.job(&pump(1), &requirements(1));
    assert_eq!(server.ended(&other, 30), "succeeded");
    // A stopped run makes room.
    let alone = server.undivided_job(LONG, &long(), 120);
    wait_for("the second long run", 20, || at_part(&server, &alone, |part| part == 0));
    let waiting = server.job(&pump(2), &requirements(2));
    wait_for("a run at the broker", 20, || (server.state(&waiting) == "running").then_some(()));
    cancel(&alone);
    assert_eq!(server.ended(&waiting, 30), "succeeded");
    cancel(&helped);
}

#[test]
fn one_hard_requirement_is_searched_by_two_agents_and_answered_once() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let _agents = ["one", "two"].map(|name| agent(dir.path(), name, &nats.url(), &[]));
    let job = server.job(HARD, &hard());
    main_and_helper(&server, &job);
    assert_eq!(server.ended(&job, 180), "succeeded");
    // The other one ends at once.
    idle(&server, &job);
    assert_eq!(server.verdicts(&job), [("limit".to_owned(), "violated".to_owned())]);
    assert_eq!(told_verdicts(&server, &job, "limit"), ["violated"]);
    let first = report(&server, &job);
    assert!(first["results"][0]["certificate"].is_object(), "{first}");
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(report(&server, &job), first);
    assert_eq!(server.get("/api/v1/agents")["at_agents"], 0);
}

#[test]
fn an_agent_that_is_killed_in_the_middle_of_a_part_costs_no_answer() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let mut fleet: Vec<(String, Process)> = Vec::new();
    for kills_helper in [true, false] {
        while fleet.len() < 2 {
            let name = format!("agent-{kills_helper}-{}", fleet.len());
            fleet.push((name.clone(), agent(dir.path(), &name, &nats.url(), &[])));
        }
        let text = format!("{HARD}(* {kills_helper} *)");
        let job = server.job(&text, &hard());
        let (main, helper) = main_and_helper(&server, &job);
        let killed = if kills_helper { helper } else { main };
        fleet.retain(|(name, _)| *name != killed);
        assert_eq!(server.ended(&job, 180), "succeeded");
        assert_eq!(server.verdicts(&job), [("limit".to_owned(), "violated".to_owned())]);
    }
}

#[test]
fn a_service_that_is_killed_between_parts_finds_their_answers() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let data = dir.path().join("data");
    let mut server = Server::start(&data, &nats.url(), &[]);
    let _agents = ["one", "two"].map(|name| agent(dir.path(), name, &nats.url(), &[]));
    let job = server.limited_job(LONG, &late(), 15);
    wait_for("an answer of a helper", 20, || told_verdicts(&server, &job, "false").pop());
    server.process.kill();
    server = Server::start(&data, &nats.url(), &[]);
    assert_eq!(server.ended(&job, 60), "succeeded");
    assert_eq!(server.verdicts(&job), verdicts());
    idle(&server, &job);
    wait_for("an empty fleet", 10, || (server.get("/api/v1/agents")["at_agents"] == 0).then_some(()));
}

/// Returns the honest result of each requirement of [`pump`].
fn honest(n: usize) -> Vec<RequirementResult> {
    own(&plain_job(&pump(n), &serde_json::to_string(&requirements(n)).unwrap())).results
}

/// Returns a shell command that waits for a file.
fn waits_for(file: &Path) -> String {
    format!("while ! [ -e {} ]; do /bin/sleep 0.01; done", file.display())
}

#[test]
fn a_helper_that_lies_changes_no_answer_and_stops_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let verified = honest(1);
    let go = dir.path().join("go");
    // The proof of one requirement for both.
    let proof = verified[0].certificate.clone();
    let forged = verified.iter().map(|one| RequirementResult { verdict: Holds, certificate: proof.clone(), ..one.clone() });
    let forged: Vec<RequirementResult> = forged.collect();
    let runtime = runtime();
    let drain = CancellationToken::new();
    let slow = scripted_agent(dir.path(), "slow", &nats.url(), &says(verified), &waits_for(&go));
    let slow = runtime.spawn(run_agent(slow, drain.clone()));
    let job = server.job(&pump(1), &requirements(1));
    wait_for("the run at the first", 20, || at_part(&server, &job, |part| part == 0));
    let liar = scripted_agent(dir.path(), "liar", &nats.url(), &says(forged), "");
    let liar = runtime.spawn(run_agent(liar, drain.clone()));
    wait_for("a refuted claim", 30, || (server.metric("fleet_refuted_claims_total") == 1.0).then_some(()));
    // What it said truly counts, the other is not shown, and the first works on.
    wait_for("the honest claim", 10, || told_verdicts(&server, &job, "bounded").pop());
    assert_eq!(told_verdicts(&server, &job, "idle"), Vec::<String>::new());
    assert_eq!(server.state(&job), "running");
    std::fs::write(&go, "").unwrap();
    assert_eq!(server.ended(&job, 30), "succeeded");
    assert_eq!(server.verdicts(&job), expected());
    let agents = server.get("/api/v1/agents");
    let refuted = |name: &str| {
        agents["agents"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap()["refuted_claims"].clone()
    };
    assert_eq!((refuted("liar"), refuted("slow")), (1.into(), 0.into()));
    drain.cancel();
    runtime.block_on(async { (liar.await.unwrap().unwrap(), slow.await.unwrap().unwrap()) });
}

#[test]
fn two_answers_at_once_are_one_answer() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let runtime = runtime();
    let drain = CancellationToken::new();
    for round in 1..4 {
        let go = dir.path().join(format!("go{round}"));
        let agents = ["one", "two"].map(|name| {
            let name = format!("{name}{round}");
            let settings = scripted_agent(dir.path(), &name, &nats.url(), &says(honest(round)), &waits_for(&go));
            runtime.spawn(run_agent(settings, drain.child_token()))
        });
        let job = server.job(&pump(round), &requirements(round));
        main_and_helper(&server, &job);
        std::fs::write(&go, "").unwrap();
        assert_eq!(server.ended(&job, 30), "succeeded");
        let first = report(&server, &job);
        assert_eq!(server.verdicts(&job), expected());
        for (requirement, verdict) in expected() {
            assert_eq!(told_verdicts(&server, &job, &requirement), [verdict], "{requirement}");
        }
        idle(&server, &job);
        assert_eq!(report(&server, &job), first);
        agents.iter().for_each(tokio::task::JoinHandle::abort);
    }
    assert_eq!(server.metric("fleet_refuted_claims_total"), 0.0);
    drain.cancel();
}
