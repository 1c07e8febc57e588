//! Examples of `docs/automation.md`: they are YAML, and their commands are those of this binary.

use std::collections::BTreeMap;

use clap::Parser;
use serde::Deserialize;

use crate::cli::Cli;

const AUTOMATION: &str = include_str!("../../../docs/automation.md");

#[derive(Deserialize)]
struct GitLabJob {
    image: String,
    variables: BTreeMap<String, String>,
    script: Vec<String>,
}

/// Returns the first block of YAML below a heading.
fn block(heading: &str) -> &'static str {
    let below = AUTOMATION.split_once(&format!("\n## {heading}\n")).unwrap().1;
    below.split_once("```yaml\n").unwrap().1.split_once("```").unwrap().0
}

/// Checks that the lines that call this binary are understood by it. Returns their number.
fn check(lines: &[&str]) -> usize {
    let calls: Vec<&str> = lines.iter().map(|line| line.trim()).filter(|line| line.starts_with("scanproof ")).collect();
    for call in &calls {
        // The variables of the job name the service.
        let words = call.split_whitespace().chain(["--server", "https://plc-check.plant.local"]);
        let parsed = Cli::try_parse_from(words);
        assert!(parsed.is_ok(), "{call}: {}", parsed.err().unwrap());
    }
    calls.len()
}

#[test]
fn the_job_of_gitlab_runs_in_an_image_with_a_shell() {
    let jobs: BTreeMap<String, GitLabJob> = serde_saphyr::from_str(block("GitLab")).unwrap();
    let job = &jobs["verify"];
    // The image of the service begins with nothing; that for jobs has a system below the command.
    let service = include_str!("../../../docker/Dockerfile");
    let for_jobs = include_str!("../../../docker/Dockerfile.ci");
    assert!(service.contains("\nFROM scratch\n") && job.image.contains("/scanproof-ci:"), "{}", job.image);
    for part in
        ["FROM scanproof AS service", "FROM debian:", "COPY --from=service /app /app", "PATH=/app/bin:", "-t scanproof-ci"]
    {
        assert!(for_jobs.contains(part), "{part}");
    }
    assert!(AUTOMATION.contains("docker build -f docker/Dockerfile.ci -t scanproof-ci docker"));
    let script: Vec<&str> = job.script.iter().map(String::as_str).collect();
    assert_eq!(check(&script), 1);
    for variable in job.variables.keys() {
        assert!(AUTOMATION.contains(&format!("| `{variable}` |")), "{variable}");
    }
}

#[test]
fn the_workflow_of_github_calls_this_binary() {
    let workflow: serde_json::Value = serde_saphyr::from_str(block("GitHub")).unwrap();
    let steps = workflow["jobs"]["verify"]["steps"].as_array().unwrap();
    let runs = steps.iter().filter_map(|step| step["run"].as_str());
    assert_eq!(runs.map(|run| check(&run.lines().collect::<Vec<_>>())).sum::<usize>(), 1);
}
