//! `load BINARY`: fifty clients against a real service, while another user has long runs queued and large files open.
//!
//! It starts the binary on an empty data folder, and queues 60 runs of 12 hours for one address. It uploads eight XML files of
//! 12 MB. Fifty clients then read pages and the API for some seconds, and an ordinary upload comes every second. It prints the
//! times and judges nothing.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::service::{Service, get, id};

/// Clients that read at the same time.
const CLIENTS: usize = 50;
/// Long runs of another user.
const LONG_RUNS: usize = 60;
/// Large files that are read meanwhile.
const LARGE_FILES: usize = 8;
/// Size of such a file.
const LARGE_BYTES: usize = 12 << 20;
/// Wait of a client between two reads: a person reads what came.
const PAUSE: Duration = Duration::from_millis(500);

/// A program that no engine decides soon.
const HARD: &str = "PROGRAM p\nVAR_INPUT a, b : UDINT; END_VAR\nVAR_OUTPUT hit : BOOL; END_VAR\n\
    hit := a * b = UDINT#4294967291 AND a > 1 AND b > 1;\nEND_PROGRAM\n";
const ORDINARY: &str = "PROGRAM Pump\nVAR_INPUT Go, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; END_VAR\n\
    Run := (Run OR Go) AND NOT Stop;\nEND_PROGRAM\n";

/// Queues the long runs; returns the id of one of them and of its program.
fn queue_long_runs(service: &Service) -> Result<(String, String), String> {
    let program = id(&service.post("/api/v1/programs", &json!({ "files": [{ "name": "hard.st", "text": HARD }] }))?)?;
    let limits = json!({ "wall_s": 12 * 3600, "memory_mb": 512 });
    let stated = json!({ "requirements": [{ "id": "R1", "never": "hit" }], "checks": [] });
    let run = json!({ "program": program, "specification": stated, "limits": limits });
    let mut last = String::new();
    for _ in 0..LONG_RUNS {
        last = id(&service.post("/api/v1/jobs", &run)?)?;
    }
    Ok((last, program))
}

/// Returns a PLCopen file of that many bytes: one program, and a long comment.
fn large_file(number: usize) -> String {
    let comment = format!("(* {number} {} *)", "long ".repeat(LARGE_BYTES / 5));
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><project xmlns=\"http://www.plcopen.org/xml/tc6_0201\"><types><dataTypes/><pous>\
         <pou name=\"Large\" pouType=\"program\"><interface/><body><ST><xhtml xmlns=\"http://www.w3.org/1999/xhtml\">{comment};</xhtml>\
         </ST></body></pou></pous></types></project>"
    )
}

/// Times of one kind of request, in milliseconds.
#[derive(Default)]
struct Times {
    all: Vec<f64>,
    failures: usize,
}

/// Returns the time below which a share of the requests stays.
fn share(sorted: &[f64], share: f64) -> f64 {
    let at = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len().max(1));
    sorted.get(at - 1).copied().unwrap_or_default()
}

/// Returns the line of a table.
fn row(name: &str, times: &Times) -> String {
    let mut sorted = times.all.clone();
    sorted.sort_by(f64::total_cmp);
    let (p50, p99) = (share(&sorted, 0.5), share(&sorted, 0.99));
    let last = sorted.last().copied().unwrap_or_default();
    format!("| {name} | {} | {p50:.0} ms | {p99:.0} ms | {last:.0} ms | {} |", sorted.len(), times.failures)
}

/// Reads addresses one after the other until it is told to stop.
fn read_on(address: &str, paths: &[String], stop: &AtomicBool, times: &Mutex<Times>, offset: usize) {
    for path in paths.iter().cycle().skip(offset) {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let began = Instant::now();
        let answer = get(address, path);
        let took = began.elapsed().as_secs_f64() * 1000.0;
        if let Ok(mut times) = times.lock() {
            times.all.push(took);
            times.failures += usize::from(!answer.is_ok_and(|(status, _)| status == 200));
        }
        std::thread::sleep(PAUSE);
    }
}

/// Measures a service for some seconds, and prints the table.
pub(crate) fn measure(binary: &str, seconds: &str) -> Result<(), String> {
    let seconds: u64 = seconds.parse().map_err(|_| format!("{seconds}: write whole seconds"))?;
    let data = std::env::temp_dir().join(format!("scanproof-load-{}", std::process::id()));
    let result = measured(binary, &data, Duration::from_secs(seconds));
    let _ = std::fs::remove_dir_all(&data);
    result
}

fn measured(binary: &str, data: &Path, time: Duration) -> Result<(), String> {
    let service = Arc::new(Service::start(binary, data, &[])?);
    let address = service.address.clone();
    let (run, program) = queue_long_runs(&service)?;
    let paths: Vec<String> = ["/", "/projects", "/help", "/api/v1/jobs", &format!("/runs/{run}"), &format!("/api/v1/jobs/{run}")]
        .into_iter()
        .map(str::to_owned)
        .chain([format!("/programs/{program}")])
        .collect();
    let (stop, reads) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Times::default())));
    let mut clients = Vec::new();
    for client in 0..CLIENTS {
        let (address, paths, stop, reads) = (address.clone(), paths.clone(), Arc::clone(&stop), Arc::clone(&reads));
        clients.push(std::thread::spawn(move || read_on(&address, &paths, &stop, &reads, client)));
    }
    for number in 0..LARGE_FILES {
        let (service, stop) = (Arc::clone(&service), Arc::clone(&stop));
        clients.push(std::thread::spawn(move || open_large(&service, number, &stop)));
    }
    let (mut uploads, began) = (Times::default(), Instant::now());
    while began.elapsed() < time {
        let text = format!("{ORDINARY}(* {} *)\n", began.elapsed().as_nanos());
        let (sent, body) = (Instant::now(), json!({ "files": [{ "name": "pump.st", "text": text }] }));
        uploads.failures += usize::from(service.post("/api/v1/programs", &body).is_err());
        uploads.all.push(sent.elapsed().as_secs_f64() * 1000.0);
        std::thread::sleep(Duration::from_secs(1));
    }
    stop.store(true, Ordering::Relaxed);
    clients.into_iter().for_each(|client| drop(client.join()));
    println!("| requests | number | p50 | p99 | longest | failures |\n|---|---|---|---|---|---|");
    let reads = reads.lock().map_err(|error| error.to_string())?;
    println!("{}\n{}", row(&format!("reads of {CLIENTS} clients"), &reads), row("an ordinary upload", &uploads));
    Ok(())
}

/// Uploads a large file, and opens its page again and again.
fn open_large(service: &Service, number: usize, stop: &AtomicBool) {
    let body = json!({ "files": [{ "name": format!("large-{number}.xml"), "text": large_file(number) }] });
    // Four uploads at the same time are taken; the others try again.
    let kept = loop {
        match service.post("/api/v1/programs", &body) {
            Ok(kept) => break kept,
            Err(_) if stop.load(Ordering::Relaxed) => return,
            Err(_) => std::thread::sleep(Duration::from_secs(1)),
        }
    };
    while let (false, Some(id)) = (stop.load(Ordering::Relaxed), kept["id"].as_str()) {
        let _ = get(&service.address, &format!("/programs/{id}"));
        std::thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_sorted_times() {
        let sorted: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!((share(&sorted, 0.5), share(&sorted, 0.99), share(&[], 0.5)), (100.0, 198.0, 0.0));
        let times = Times { all: vec![3.0, 1.0, 2.0], failures: 1 };
        assert_eq!(row("reads", &times), "| reads | 3 | 2 ms | 3 ms | 3 ms | 1 |");
    }
}
