//! `fleet-hard BINARY`: one hard requirement of `samples/big`, by the service itself and by one and two agents on the same cores.
//!
//! It prints the median time from the request to the end, with engine and certificate of the answer. It judges nothing.

use std::time::Instant;

use serde_json::{Value, json};

use super::{TOKEN, agent, broker};
use crate::service::{Service, get, id};

/// Runs of a measurement.
const RUNS: usize = 5;

/// A hard requirement.
struct Hard {
    program: &'static str,
    requirement: fn() -> Value,
}

const ALL: [Hard; 2] = [
    Hard { program: "strokes", requirement: || json!({ "id": "service", "if": "Service", "then": "NOT Press" }) },
    Hard { program: "strokes_over", requirement: || json!({ "id": "limit", "always": "Count <= 30000" }) },
];

/// Returns seconds, verdict, engine and certificate of one run.
fn one(service: &Service, text: &str, requirement: &Value) -> Result<(f64, String), String> {
    let program = id(&service.post("/api/v1/programs", &json!({ "files": [{ "name": "main.st", "text": text }] }))?)?;
    let specification = json!({ "requirements": [requirement], "checks": [] });
    let limits = json!({ "wall_s": 600, "memory_mb": 2048 });
    let job = json!({ "program": program, "specification": specification, "limits": limits, "strategy": { "anew": true } });
    let begun = Instant::now();
    let job = id(&service.post_and_wait("/api/v1/jobs", &job)?)?;
    service.get_ended(&format!("/api/v1/jobs/{job}"))?;
    let seconds = begun.elapsed().as_secs_f64();
    let (_, body) = get(&service.address, &format!("/api/v1/jobs/{job}/report.json"))?;
    let report: Value = serde_json::from_slice(&body).map_err(|error| error.to_string())?;
    let result = &report["results"][0];
    let certificate = result["certificate"].to_string();
    let digest = certificate
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    Ok((seconds, format!("{}, {}, {digest:016x}", result["verdict"], result["engine"])))
}

/// Measures, and prints the table.
pub(crate) fn measure(binary: &str) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("scanproof-hard-{}", std::process::id()));
    let result = measured(binary, &folder);
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn measured(binary: &str, folder: &std::path::Path) -> Result<(), String> {
    println!(
        "| requirement | done by | median of {RUNS} | all | answers: verdict, engine, digest of the certificate |\n|---|---|---|---|---|"
    );
    for hard in &ALL {
        let requirement = (hard.requirement)();
        let file = format!("samples/big/{}.st", hard.program);
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
        for (words, n_agents) in [("the service", 0), ("1 agent", 1), ("2 agents", 2)] {
            let place = folder.join(format!("{}-{n_agents}", hard.program));
            std::fs::create_dir_all(&place).map_err(|error| error.to_string())?;
            let broker = if n_agents == 0 { None } else { Some(broker(&place.join("nats"))?) };
            let url = broker.as_ref().map(|(_, url)| url.as_str());
            let mut arguments = vec!["--workers", "2"];
            arguments.extend(url.into_iter().flat_map(|url| ["--fleet-token", TOKEN, "--broker", url]));
            let service = Service::start(binary, &place.join("data"), &arguments)?;
            let agents = url.map_or(Ok(Vec::new()), |url| {
                (0..n_agents).map(|n| agent(binary, &place, n, url)).collect::<Result<Vec<_>, String>>()
            })?;
            one(&service, &text, &requirement)?;
            let runs: Vec<(f64, String)> = (0..RUNS).map(|_| one(&service, &text, &requirement)).collect::<Result<_, _>>()?;
            let mut times: Vec<f64> = runs.iter().map(|(seconds, _)| *seconds).collect();
            times.sort_by(f64::total_cmp);
            let listed: Vec<String> = times.iter().map(|seconds| format!("{seconds:.2}")).collect();
            let mut answers: Vec<&str> = runs.iter().map(|(_, answer)| answer.as_str()).collect();
            answers.sort_unstable();
            answers.dedup();
            let median = times[times.len() / 2];
            println!(
                "| {}: {} | {words} | {median:.2} s | {} | {} |",
                hard.program,
                requirement["id"],
                listed.join(" "),
                answers.join("; ")
            );
            drop(agents);
        }
    }
    Ok(())
}
