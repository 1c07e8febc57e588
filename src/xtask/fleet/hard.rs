//! `fleet-hard BINARY PROGRAM…`: one hard requirement of `samples/big`, by the service itself and by one and two agents on the same cores.
//!
//! The three take turns, so that other work on the machine slows all of them. It prints median times from the request to the end,
//! with engine and certificate of the answer, and the load of the machine. It judges nothing.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::{Arrangement, load, median};
use crate::service::{get, id};

/// Runs of a measurement.
const RUNS: usize = 7;

/// A hard requirement.
struct Hard {
    program: &'static str,
    requirement: fn() -> Value,
}

const ALL: [Hard; 2] = [
    Hard { program: "strokes", requirement: || json!({ "id": "service", "if": "Service", "then": "NOT Press" }) },
    Hard { program: "strokes_over", requirement: || json!({ "id": "limit", "always": "Count <= 30000" }) },
];

/// Runs of an arrangement.
struct Course {
    arrangement: Arrangement,
    seconds: Vec<f64>,
    answers: Vec<String>,
}

impl Course {
    /// Does the run, and notes its time, verdict, engine and certificate.
    fn run(&mut self, text: &str, requirement: &Value) -> Result<(), String> {
        let service = &self.arrangement.service;
        let program = id(&service.post("/api/v1/programs", &json!({ "files": [{ "name": "main.st", "text": text }] }))?)?;
        let specification = json!({ "requirements": [requirement], "checks": [] });
        let limits = json!({ "wall_s": 600, "memory_mb": 2048 });
        let job = json!({ "program": program, "specification": specification, "limits": limits, "strategy": { "anew": true } });
        let begun = Instant::now();
        let job = id(&service.post_and_wait("/api/v1/jobs", &job)?)?;
        service.get_ended(&format!("/api/v1/jobs/{job}"))?;
        self.seconds.push(begun.elapsed().as_secs_f64());
        let (_, body) = get(&service.address, &format!("/api/v1/jobs/{job}/report.json"))?;
        let report: Value = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
        let result = &report["results"][0];
        let certificate = result["certificate"].to_string();
        let digest = certificate
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        self.answers.push(format!("{}, {}, {digest:016x}", result["verdict"], result["engine"]));
        Ok(())
    }

    fn print(mut self, about: &str) {
        self.seconds.sort_by(f64::total_cmp);
        let median = median(self.seconds.clone());
        self.answers.sort_unstable();
        self.answers.dedup();
        let all: Vec<String> = self.seconds.iter().map(|seconds| format!("{seconds:.2}")).collect();
        println!("| {about} | {} | {median:.2} s | {} | {} |", self.arrangement.words, all.join(" "), self.answers.join("; "));
    }
}

/// Measures these programs, or all, and prints the table.
pub(crate) fn measure(binary: &str, programs: &[&str]) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("scanproof-hard-{}", std::process::id()));
    let result = measured(binary, &folder, programs);
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn measured(binary: &str, folder: &Path, programs: &[&str]) -> Result<(), String> {
    println!(
        "| requirement | done by | median of {RUNS} | all | answers: verdict, engine, digest of the certificate |\n|---|---|---|---|---|"
    );
    let mut all_loads = Vec::new();
    for hard in ALL.iter().filter(|hard| programs.is_empty() || programs.contains(&hard.program)) {
        let requirement = (hard.requirement)();
        let file = format!("samples/big/{}.st", hard.program);
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
        let mut all = Vec::new();
        for (words, n_agents) in [("the service", 0), ("1 agent", 1), ("2 agents", 2)] {
            let place = folder.join(format!("{}-{n_agents}", hard.program));
            let arrangement = Arrangement::start(binary, &place, (words, n_agents), &["--workers", "2"])?;
            all.push(Course { arrangement, seconds: Vec::new(), answers: Vec::new() });
        }
        for course in &mut all {
            // Agents are there, and files are read from the disk once.
            course.run(&text, &requirement)?;
            course.seconds.clear();
            course.answers.clear();
        }
        let mut loads = vec![load()];
        for _ in 0..RUNS {
            for course in &mut all {
                course.run(&text, &requirement)?;
            }
            loads.push(load());
        }
        all.into_iter().for_each(|course| course.print(&format!("{}: {}", hard.program, requirement["id"])));
        all_loads.push(format!("Load of the machine during the runs of `{}`: {}", hard.program, loads.join(" ")));
    }
    println!("\n{}", all_loads.join("\n"));
    Ok(())
}
