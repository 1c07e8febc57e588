//! `fleet BINARY`: agents of a fleet against the embedded queue, on this machine with a real broker.
//!
//! It queues the same runs on a service with three workers, and on services with one, two and three agents of one slot, in turns. It
//! prints runs per second. It also does runs one after the other, and prints their median time. It judges nothing.

pub(crate) mod hard;
pub(crate) mod simulation;

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::service::{Service, get, id};

/// Runs of a measurement of throughput.
const RUNS: usize = 200;
/// Runs of a measurement of latency.
const SINGLE_RUNS: usize = 40;
/// Turns in which these runs are done, so that other work on the machine slows all alike.
const TURNS: usize = 4;
const TOKEN: &str = "a token for measurements of a fleet";

/// A process that ends with its owner.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A kind of run.
struct Kind {
    name: &'static str,
    /// Program and requirement of a number.
    text: fn(usize) -> (String, Value),
}

const KINDS: [Kind; 2] = [Kind { name: "short", text: short }, Kind { name: "longer", text: longer }];

fn short(n: usize) -> (String, Value) {
    let most = n + 5;
    let text = format!(
        "PROGRAM Pump\nVAR_INPUT Go, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; END_VAR\nVAR n : INT; END_VAR\n\
         Run := (Run OR Go) AND NOT Stop;\nIF Run AND n < {most} THEN n := n + 1; END_IF\nEND_PROGRAM\n"
    );
    // No proof: a worker of the service would try small changes of the program after one, and an agent leaves them out.
    (text, json!({ "requirements": [{ "never": format!("n = {}", n % 3 + 1) }, { "never": "Run" }], "checks": [] }))
}

/// The factors of a product: the search takes long, the check of the run does not.
fn longer(n: usize) -> (String, Value) {
    const PRIMES: [u64; 8] = [30011, 30013, 30029, 30047, 30059, 30071, 30089, 30091];
    let product = PRIMES[n % 8] * PRIMES[(n / 8 + 3) % 8];
    let text = format!(
        "PROGRAM Factors\nVAR_INPUT a, b : UDINT; END_VAR\nVAR_OUTPUT hit : BOOL; END_VAR\n\
         hit := a > 1 AND a < 40000 AND b > 1 AND b < 40000 AND a * b = UDINT#{product};\n(* {n} *)\nEND_PROGRAM\n"
    );
    (text, json!({ "requirements": [{ "never": "hit" }] }))
}

/// Starts a broker in a folder, and returns it with its address.
fn broker(folder: &Path) -> Result<(Process, String), String> {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = free.map_err(|error| error.to_string())?.port();
    let child = Command::new("nats-server")
        .args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"])
        .arg(folder)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("nats-server (.ci/nats installs it): {error}"))?;
    let process = Process(child);
    let end = Instant::now() + Duration::from_secs(10);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if end < Instant::now() {
            return Err("the broker does not answer".to_owned());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok((process, format!("nats://127.0.0.1:{port}")))
}

fn agent(binary: &str, folder: &Path, number: usize, url: &str) -> Result<Process, String> {
    let name = format!("agent{number}");
    let child = Command::new(binary)
        .args(["agent", "--slots", "1", "--fleet-token", TOKEN, "--broker", url, "--name", &name, "--cache"])
        .arg(folder.join(&name))
        .env("SCANPROOF_LOG", "error")
        .stdout(Stdio::null())
        .spawn();
    child.map(Process).map_err(|error| format!("{binary}: {error}"))
}

/// Uploads a program, and returns the request for its run.
fn request(service: &Service, kind: &Kind, n: usize) -> Result<Value, String> {
    let (text, specification) = (kind.text)(n);
    let program = id(&service.post("/api/v1/programs", &json!({ "files": [{ "name": "main.st", "text": text }] }))?)?;
    let limits = json!({ "wall_s": 60, "memory_mb": 1024 });
    Ok(json!({ "program": program, "specification": specification, "limits": limits }))
}

/// Service with agents, or alone.
struct Arrangement {
    words: &'static str,
    service: Service,
    /// Agents, and their broker.
    _others: Vec<Process>,
}

impl Arrangement {
    /// Starts the processes. `more`: arguments of the service.
    fn start(binary: &str, place: &Path, (words, n_agents): (&'static str, usize), more: &[&str]) -> Result<Arrangement, String> {
        std::fs::create_dir_all(place).map_err(|error| error.to_string())?;
        let mut others = Vec::new();
        let mut arguments = more.to_vec();
        let broker = if n_agents == 0 { None } else { Some(broker(&place.join("nats"))?) };
        let url = broker.as_ref().map(|(_, url)| url.as_str());
        arguments.extend(url.iter().flat_map(|url| ["--fleet-token", TOKEN, "--broker", url]));
        let service = Service::start(binary, &place.join("data"), &arguments)?;
        for (n, url) in (0..n_agents).zip(url.iter().cycle()) {
            others.push(agent(binary, place, n, url)?);
        }
        others.extend(broker.map(|(process, _)| process));
        Ok(Arrangement { words, service, _others: others })
    }
}

/// Returns the seconds that runs with these numbers take together.
fn together(service: &Service, kind: &Kind, numbers: std::ops::Range<usize>) -> Result<f64, String> {
    let requests: Vec<Value> = numbers.map(|n| request(service, kind, n)).collect::<Result<_, _>>()?;
    let begun = Instant::now();
    let mut ids = Vec::with_capacity(requests.len());
    for request in &requests {
        ids.push(id(&service.post("/api/v1/jobs", request)?)?);
    }
    for id in ids {
        loop {
            let (_, body) = get(&service.address, &format!("/api/v1/jobs/{id}"))?;
            let job: Value = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
            match job["state"].as_str() {
                Some("queued" | "running") => std::thread::sleep(Duration::from_millis(20)),
                Some("succeeded") => break,
                other => return Err(format!("{id}: {other:?} {}", job["reason"])),
            }
        }
    }
    Ok(begun.elapsed().as_secs_f64())
}

/// Returns the times of runs alone, in milliseconds, from the request to the end.
fn alone(service: &Service, kind: &Kind, numbers: std::ops::Range<usize>) -> Result<Vec<f64>, String> {
    let one = |n: usize| {
        let request = request(service, kind, n)?;
        let begun = Instant::now();
        service.post_and_wait("/api/v1/jobs", &request)?;
        Ok(begun.elapsed().as_secs_f64() * 1000.0)
    };
    numbers.map(one).collect()
}

/// Returns the number in the middle.
fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// Returns the processes that ran or waited to run in the last minute, as the kernel says it.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("unknown").to_owned()
}

/// Measures, and prints the tables.
pub(crate) fn measure(binary: &str) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("scanproof-fleet-{}", std::process::id()));
    let result = measured(binary, &folder);
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn measured(binary: &str, folder: &Path) -> Result<(), String> {
    println!("| runs | done by | runs/s | of the service | median of one alone | load |\n|---|---|---|---|---|---|");
    for kind in &KINDS {
        let mut all = Vec::new();
        for of in [("3 workers of the service", 0), ("1 agent", 1), ("2 agents", 2), ("3 agents", 3)] {
            let place = folder.join(format!("{}-{}", kind.name, of.1));
            let more = ["--workers", "3", "--queued-per-user", "500", "--memory-budget-mb", "16384"];
            let arrangement = Arrangement::start(binary, &place, of, &more)?;
            // Connections are there, and files are read from the disk once.
            together(&arrangement.service, kind, 0..5)?;
            all.push((arrangement, 0.0, Vec::new()));
        }
        let before = load();
        for turn in 0..TURNS {
            for (arrangement, seconds, times) in &mut all {
                let (first, n) = (turn * RUNS / TURNS, RUNS / TURNS);
                *seconds += together(&arrangement.service, kind, first..first + n)?;
                let (first, n) = (1000 + turn * SINGLE_RUNS / TURNS, SINGLE_RUNS / TURNS);
                times.extend(alone(&arrangement.service, kind, first..first + n)?);
            }
        }
        let (loads, of_service) = (format!("{before} to {}", load()), all.first().map_or(0.0, |(_, seconds, _)| *seconds));
        for (Arrangement { words, .. }, seconds, times) in all {
            let (rate, share) = (RUNS as f64 / seconds, of_service / seconds);
            println!("| {} | {words} | {rate:.2} | {share:.2} | {:.0} ms | {loads} |", kind.name, median(times));
        }
    }
    Ok(())
}
