//! Faults: broker, server and agents that are absent, die, hang or have no disk. No run is lost, none is answered differently.

use std::path::Path;
use std::time::Duration;

use super::super::random::Random;
use super::process::{LONG, Nats, Process, Server, agent, expected, long, pump, requirements, wait_for};
use super::scripted::runtime;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

pub(super) fn pause(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}

pub(super) fn is_ready(server: &Server) -> bool {
    server.try_ask("GET", "/readyz", None).is_some_and(|(status, _)| status == 200)
}

/// Queues runs with these numbers.
pub(super) fn queue(server: &Server, numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers.map(|n| server.job(&pump(n), &requirements(n))).collect()
}

pub(super) fn check_all(server: &Server, jobs: &[String], seconds: u64) {
    for job in jobs {
        assert_eq!(server.ended(job, seconds), "succeeded", "{job}");
        assert_eq!(server.verdicts(job), expected(), "{job}");
    }
}

#[test]
fn a_broker_that_is_absent_dies_and_loses_its_disk_costs_no_run() {
    let dir = tempfile::tempdir().unwrap();
    let mut nats = Nats::start(dir.path());
    nats.kill();
    nats.lose_disk();
    // Absent at the start: the service says so, takes runs, and does short ones itself.
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let _one = agent(dir.path(), "one", &nats.url(), &[]);
    let (status, body) = server.ask("GET", "/readyz", None);
    assert!(status == 503 && body.contains("broker"), "{status}: {body}");
    let mut jobs = queue(&server, 0..3);
    pause(1000);
    assert_eq!(server.state(&jobs[0]), "queued");
    nats.restart();
    wait_for("a ready service", 20, || is_ready(&server).then_some(()));
    check_all(&server, &jobs, 40);
    // It dies with runs, and comes back with its disk; then without.
    for (round, loses) in [(1, false), (2, true)] {
        let long = server.job(LONG, &long());
        wait_for("the run at the agent", 30, || (server.state(&long) == "running").then_some(()));
        jobs = queue(&server, round * 10..round * 10 + 4);
        pause(300);
        nats.kill();
        wait_for("a service that is not ready", 20, || (!is_ready(&server)).then_some(()));
        if loses {
            nats.lose_disk();
        }
        nats.restart();
        wait_for("a ready service", 20, || is_ready(&server).then_some(()));
        server.ask("POST", &format!("/api/v1/jobs/{long}/cancel"), None);
        check_all(&server, &jobs, 60);
    }
}

#[test]
fn a_broker_without_room_delays_runs_and_loses_none() {
    let dir = tempfile::tempdir().unwrap();
    let mut nats = Nats::with(dir.path(), "max_file_store: 60KB");
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let _one = agent(dir.path(), "one", &nats.url(), &[]);
    wait_for("the agent", 20, || (server.get("/api/v1/agents")["agents"].as_array()?.len() == 1).then_some(()));
    let large = format!("{}(* {} *)\n", pump(1), "x".repeat(200 << 10));
    let jobs = [server.job(&large, &requirements(1))];
    // The broker answers, and takes no run: the service is not ready.
    let (_, body) = wait_for("a service that is not ready", 20, || {
        server.try_ask("GET", "/readyz", None).filter(|(status, _)| *status == 503)
    });
    assert!(body.contains("refuses run") && body.contains(&jobs[0]), "{body}");
    pause(2000);
    assert_eq!(server.state(&jobs[0]), "running");
    assert!(server.get("/api/v1/agents")["agents"][0]["jobs"].as_array().unwrap().is_empty());
    nats.kill();
    nats.give_room();
    nats.restart();
    check_all(&server, &jobs, 60);
    assert!(is_ready(&server));
    // A run that is stopped is refused no longer.
    nats.kill();
    let stopped = server.job(&pump(2), &requirements(2));
    wait_for("a service that is not ready", 20, || (!is_ready(&server)).then_some(()));
    server.ask("POST", &format!("/api/v1/jobs/{stopped}/cancel"), None);
    nats.restart();
    wait_for("a ready service", 20, || is_ready(&server).then_some(()));
}

#[test]
fn a_broker_whose_disk_fills_up_during_a_run_costs_no_answer() {
    let dir = tempfile::tempdir().unwrap();
    let mut nats = Nats::with(dir.path(), "max_file_store: 60KB");
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let _one = agent(dir.path(), "one", &nats.url(), &[]);
    // It ends after twelve seconds. Shorter runs stay at the service.
    let job = server.undivided_job(LONG, &long(), 12);
    wait_for("the run at the agent", 30, || {
        let events = server.get(&format!("/api/v1/jobs/{job}/events?after=0"));
        events.to_string().contains("agent one works on this run").then_some(())
    });
    // Runs of a build without agents.
    let filled = runtime().block_on(async {
        let context = async_nats::jetstream::new(async_nats::connect(nats.url()).await.unwrap());
        let mut sizes = [20 << 10, 1 << 10, 100].into_iter().flat_map(|size| (0..200).map(move |nth| (size, nth)));
        let full = |(size, nth): (usize, usize)| {
            let (context, subject) = (context.clone(), format!("scanproof.job.other.{size}.{nth}.0"));
            async move { context.publish(subject, vec![0; size].into()).await.unwrap().await.is_err() }
        };
        let mut n_refused = 0;
        while let Some(next) = sizes.next() {
            if full(next).await {
                n_refused += 1;
                // The next smaller size.
                sizes.by_ref().take(200 - 1 - next.1).for_each(drop);
            }
        }
        n_refused
    });
    assert_eq!(filled, 3);
    pause(15_000);
    assert_eq!(server.state(&job), "running");
    nats.kill();
    nats.give_room();
    nats.restart();
    assert_eq!(server.ended(&job, 60), "succeeded");
    assert_eq!(server.verdicts(&job), [("R1".to_owned(), "unknown".to_owned())]);
}

#[test]
fn an_agent_that_hangs_longer_than_the_patience_is_replaced_and_its_late_end_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let hung = agent(dir.path(), "hung", &nats.url(), &[]);
    // It works until its time is over, so it is always stopped in the middle. Shorter runs stay at the service.
    let job = server.undivided_job(LONG, &long(), 12);
    // The service has heard its begin, so the other agent's is a second one.
    wait_for("the begin of the run", 20, || {
        let events = server.get(&format!("/api/v1/jobs/{job}/events?after=0"));
        events.to_string().contains("agent hung works on this run").then_some(())
    });
    hung.signal("STOP");
    let _other = agent(dir.path(), "other", &nats.url(), &[]);
    assert_eq!(server.ended(&job, 60), "succeeded");
    let first = server.get(&format!("/api/v1/jobs/{job}/report.json"));
    assert!(1.0 <= server.metric("fleet_redeliveries_total"));
    hung.signal("CONT");
    pause(3000);
    assert_eq!(server.get(&format!("/api/v1/jobs/{job}/report.json")), first);
    check_all(&server, &queue(&server, 0..2), 40);
}

#[test]
fn a_run_that_loses_agents_again_and_again_ends_as_interrupted() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let job = server.undivided_job(LONG, &long(), 600);
    for n in 0..3 {
        let name = format!("agent{n}");
        let _dies = agent(dir.path(), &name, &nats.url(), &[]);
        wait_for("the run at the agent", 30, || {
            let agents = server.get("/api/v1/agents");
            let row = agents["agents"].as_array()?.iter().find(|row| row["name"] == name.as_str())?.clone();
            assert!(n == 0 || server.state(&job) == "running");
            (!row["jobs"].as_array()?.is_empty()).then_some(())
        });
        // The begin of the run is at the server before its sign of life says so, or at once after it.
        pause(300);
    }
    let _last = agent(dir.path(), "last", &nats.url(), &[]);
    assert_eq!(server.ended(&job, 40), "interrupted");
    let reason = server.get(&format!("/api/v1/jobs/{job}"))["reason"].as_str().unwrap().to_owned();
    assert_eq!(reason, "3 agents were lost while they worked on this run");
    // The broker forgets it, and the fleet goes on.
    check_all(&server, &queue(&server, 0..1), 40);
}

/// Starts three agents.
fn agents(folder: &Path, url: &str) -> Vec<Process> {
    (0..3).map(|n| agent(folder, &format!("agent{n}"), url, &[])).collect()
}

#[test]
fn agents_and_servers_that_are_killed_at_random_moments_lose_no_run() {
    let kills = number("FLEET_KILLS", 5);
    let seed = number("SEED", 0x2545_f491_4f6c_dd1d);
    let mut random = Random(seed);
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let data = dir.path().join("data");
    let mut server = Server::start(&data, &nats.url(), &[]);
    let mut fleet = agents(dir.path(), &nats.url());
    let mut jobs = Vec::new();
    for n in 0..kills as usize {
        for k in 0..3 {
            let number = n * 3 + k;
            jobs.extend(server.try_job(&pump(number % 40), &requirements(number % 40)));
        }
        pause(random.below(1500));
        let which = random.below(3) as usize;
        fleet[which].kill();
        fleet[which] = agent(dir.path(), &format!("agent{which}"), &nats.url(), &[]);
        pause(random.below(1500));
        if n % 2 == 0 {
            server.process.kill();
        } else {
            server.process.signal("TERM");
            wait_for("the end of the service", 20, || server.process.0.try_wait().unwrap());
        }
        server = Server::start(&data, &nats.url(), &[]);
    }
    // A run that lost three agents by chance is interrupted; with one kill in three it hardly occurs.
    for job in &jobs {
        let state = server.ended(job, 120);
        let reason = server.get(&format!("/api/v1/jobs/{job}"))["reason"].clone();
        assert_eq!(state, "succeeded", "seed {seed}: {job}: {reason}");
        assert_eq!(server.verdicts(job), expected(), "seed {seed}: {job}");
    }
    // Nothing is left at the broker.
    wait_for("an empty fleet", 30, || (server.get("/api/v1/agents")["at_agents"] == 0).then_some(()));
}
