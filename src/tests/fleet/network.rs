//! Faults of the network and of clocks: an agent or the service that is cut off from the broker, and clocks that are wrong.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::super::clock::library;
use super::faults::{check_all, is_ready, pause, queue};
use super::process::{LONG, Nats, Process, Server, TOKEN, agent, long, wait_for};

/// Line to a broker that can be cut. Nothing arrives while it is, and neither side is told.
struct Line {
    url: String,
    is_cut: Arc<AtomicBool>,
}

impl Line {
    fn to(nats: &Nats) -> Line {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("nats://{}", listener.local_addr().unwrap());
        let (port, is_cut) = (nats.port, Arc::new(AtomicBool::new(false)));
        let line = Line { url, is_cut: Arc::clone(&is_cut) };
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(broker) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                for (from, to) in [(&client, &broker), (&broker, &client)] {
                    let (from, to, is_cut) = (from.try_clone().unwrap(), to.try_clone().unwrap(), Arc::clone(&is_cut));
                    std::thread::spawn(move || forward(from, to, &is_cut));
                }
            }
        });
        line
    }

    fn cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
    }

    fn mend(&self) {
        self.is_cut.store(false, Ordering::Relaxed);
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, is_cut: &AtomicBool) -> Option<()> {
    let mut bytes = [0; 16 << 10];
    loop {
        let n = io::Read::read(&mut from, &mut bytes).ok()?;
        while is_cut.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
        if n == 0 {
            return to.shutdown(std::net::Shutdown::Both).ok();
        }
        io::Write::write_all(&mut to, &bytes[..n]).ok()?;
    }
}

/// Waits until the service has heard that an agent begins a run.
fn begun(server: &Server, job: &str, agent: &str) {
    wait_for("the begin of the run", 20, || {
        let events = server.get(&format!("/api/v1/jobs/{job}/events?after=0"));
        events.to_string().contains(&format!("agent {agent} works on this run")).then_some(())
    });
}

#[test]
fn an_agent_that_is_cut_off_longer_than_the_patience_is_replaced_and_its_late_end_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let line = Line::to(&nats);
    let _far = agent(dir.path(), "far", &line.url, &[]);
    let job = server.undivided_job(LONG, &long(), 12);
    begun(&server, &job, "far");
    // It works on, and both do the same run at the same time.
    line.cut();
    let _near = agent(dir.path(), "near", &nats.url(), &[]);
    begun(&server, &job, "near");
    assert_eq!(server.ended(&job, 60), "succeeded");
    let first = server.get(&format!("/api/v1/jobs/{job}/report.json"));
    assert!(1.0 <= server.metric("fleet_redeliveries_total"));
    line.mend();
    pause(4000);
    assert_eq!(server.get(&format!("/api/v1/jobs/{job}/report.json")), first);
    assert_eq!(server.get("/api/v1/agents")["at_agents"], 0);
    check_all(&server, &queue(&server, 0..3), 60);
}

#[test]
fn a_service_that_is_cut_off_is_not_ready_and_finds_the_ends_of_its_runs() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let line = Line::to(&nats);
    let server = Server::start(&dir.path().join("data"), &line.url, &[]);
    let _one = agent(dir.path(), "one", &nats.url(), &[]);
    wait_for("a ready service", 20, || is_ready(&server).then_some(()));
    let job = server.undivided_job(LONG, &long(), 12);
    begun(&server, &job, "one");
    line.cut();
    wait_for("a service that is not ready", 20, || (!is_ready(&server)).then_some(()));
    // It takes runs all the same.
    let jobs = queue(&server, 0..3);
    // The run ends meanwhile.
    pause(10_000);
    line.mend();
    wait_for("a ready service", 40, || is_ready(&server).then_some(()));
    assert_eq!(server.ended(&job, 60), "succeeded");
    check_all(&server, &jobs, 60);
}

/// Starts an agent whose wall clock is wrong.
fn skewed_agent(folder: &std::path::Path, name: &str, broker: &str, offset: &str) -> Process {
    let child = Command::new(env!("CARGO_BIN_EXE_scanproof"))
        .args(["agent", "--slots", "1", "--broker-patience-s", "2", "--name", name, "--broker", broker, "--cache"])
        .arg(folder.join(format!("cache-{name}")))
        .env("SCANPROOF_FLEET_TOKEN", TOKEN)
        .env("SCANPROOF_LOG", "error")
        .env("LD_PRELOAD", library())
        .env("FAKETIME", offset)
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .stdout(Stdio::null())
        .spawn();
    Process(child.unwrap())
}

#[test]
fn agents_whose_clocks_are_wrong_by_days_keep_their_runs_and_answer_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let early = skewed_agent(dir.path(), "early", &nats.url(), "-400d");
    // It takes longer than the patience.
    let job = server.undivided_job(LONG, &long(), 12);
    begun(&server, &job, "early");
    let late = skewed_agent(dir.path(), "late", &nats.url(), "+400d");
    assert_eq!(server.ended(&job, 60), "succeeded");
    check_all(&server, &queue(&server, 0..8), 60);
    let agents = server.get("/api/v1/agents");
    assert_eq!(agents["agents"].as_array().unwrap().len(), 2, "{agents}");
    // None was taken from an agent that works.
    assert_eq!(server.metric("fleet_redeliveries_total"), 0.0);
    // One that hangs is replaced by the other, whichever clock they have.
    for [(hung, name), (free, other)] in [[(&early, "early"), (&late, "late")], [(&late, "late"), (&early, "early")]] {
        free.signal("STOP");
        let job = server.undivided_job(LONG, &long(), 12);
        begun(&server, &job, name);
        hung.signal("STOP");
        free.signal("CONT");
        begun(&server, &job, other);
        hung.signal("CONT");
        assert_eq!(server.ended(&job, 60), "succeeded");
    }
    check_all(&server, &queue(&server, 20..22), 60);
}

#[test]
fn an_agent_whose_broker_is_absent_ends_when_it_is_told_to() {
    let dir = tempfile::tempdir().unwrap();
    let mut waiting = agent(dir.path(), "waiting", "nats://127.0.0.1:1", &[]);
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert!(waiting.0.try_wait().unwrap().is_none());
    waiting.signal("TERM");
    assert_eq!(wait_for("the end of the agent", 10, || waiting.0.try_wait().unwrap()).code(), Some(0));
}
