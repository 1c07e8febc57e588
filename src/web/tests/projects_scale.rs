//! Pages of a project with many versions and requirements; `--nocapture` prints their times.

use std::time::Instant;

use super::site::Site;
use crate::report::example::booster;
use crate::report::outcome::{Counterexample, Outcome, RequirementResult};
use crate::report::tally::Tally;
use crate::store::jobs::{JobEnd, JobState, NewJob};
use crate::store::programs::Source;
use crate::store::projects::NewProject;
use crate::store::projects::versions::NewVersion;
use crate::store::queue::testing::add;
use crate::web::project::verdicts;
use answer::VerdictWord;

/// Returns the numbers of requirements and versions; with `LARGE_PROJECT` those of a plant.
fn size() -> (usize, usize) {
    if std::env::var_os("LARGE_PROJECT").is_some() { (500, 200) } else { (100, 120) }
}

/// Returns the outcome of a version. Those of the last two are as large as real ones: with proofs, and a run of 1,000 cycles.
fn outcome(n_requirements: usize, version: usize, n_versions: usize) -> Outcome {
    let mut outcome = booster();
    let like = std::mem::take(&mut outcome.results);
    let held: Vec<&RequirementResult> = like.iter().filter(|result| result.counterexample.is_none()).collect();
    let broken = like.iter().find(|result| result.counterexample.is_some()).unwrap();
    let is_large = n_versions < version + 2;
    let result = |n: usize| {
        let is_broken = n == 7 && 100 <= version;
        let like = if is_broken { broken } else { held[n % held.len()] };
        RequirementResult {
            id: format!("R{n}"),
            text: format!("Requirement {n} holds."),
            meaning: String::new(),
            pattern: "pattern-invariant".into(),
            verdict: if is_broken { VerdictWord::Violated } else { VerdictWord::Holds },
            counterexample: like.counterexample.clone().map(|run| lengthened(run, 1000)),
            ..if is_large { like.clone() } else { RequirementResult::default() }
        }
    };
    outcome.results = (0..n_requirements).map(result).collect();
    outcome
}

/// Returns a run with its first cycle repeated, `n` cycles long.
fn lengthened(mut run: Counterexample, n: usize) -> Counterexample {
    let (first, last) = (run.cycles[0].clone(), run.cycles[1].clone());
    run.cycles = vec![first; n - 1];
    run.cycles.push(last);
    for (number, cycle) in (1..).zip(&mut run.cycles) {
        cycle.number = number;
    }
    run
}

/// Makes a project whose requirement 7 is broken since version 100; returns its id and the run of its last version.
async fn large(site: &Site) -> (String, String) {
    let (store, (n_requirements, n_versions)) = (&site.state.store, size());
    let specification = store.add_specification("{}".into()).await.unwrap();
    let [requirements, environment] = ["requirements: []\n".to_owned(), String::new()];
    let [name, note, changed_by] = ["Plant".to_owned(), String::new(), String::new()];
    let new = NewProject { name, note, requirements, environment, version: None, changed_by };
    let project = store.add_project(new).await.unwrap();
    let mut last = String::new();
    for version in 1..=n_versions {
        let text = format!("PROGRAM P\n(* {version} *)\nEND_PROGRAM\n");
        let source = Source { name: "p.st".into(), text, note: None };
        let (program, _) = store.add_program("p.st".into(), vec![source]).await.unwrap();
        let [strategy, planned] = ["{}".to_owned(), "[]".to_owned()];
        let (specification, program) = (specification.clone(), program.id);
        let job = NewJob {
            owner: String::new(),
            program: program.clone(),
            specification,
            strategy,
            wall_s: 60,
            memory_mb: 512,
            planned,
            project: None,
        };
        let id = add(store, job).await;
        store.claim_job(u32::MAX, u32::MAX).await.unwrap().unwrap();
        let outcome = outcome(n_requirements, version, n_versions);
        let tally = Some(serde_json::to_string(&Tally::of_outcome(&outcome)).unwrap());
        let verdicts = verdicts(&outcome);
        let outcome = Some(serde_json::to_string(&outcome).unwrap());
        let end =
            JobEnd { state: JobState::Succeeded, reason: None, outcome, tally, verdicts, events: Vec::new(), worked_ms: None };
        assert!(store.finish_job(&id, end).await.unwrap());
        let version = NewVersion { program, label: "p.st".into(), job: Some((id.clone(), true)) };
        last = id;
        store.add_version(&project, version, String::new()).await.unwrap();
    }
    (project, last)
}

#[tokio::test]
async fn pages_of_a_large_project_say_since_when_it_is_broken() {
    let site = Site::new();
    let (project, run) = large(&site).await;
    // Each run was listed at its end: the first look at the page has no work to do.
    assert!(site.state.store.unlisted(&project).await.unwrap().is_empty());
    let of_project = ["", "", "/versions", "/comparison?from=99&to=100", "/statements/requirements"];
    let (from, to) = (size().1 - 1, size().1);
    let of_project = of_project.map(str::to_owned).into_iter().chain(vec![format!("/comparison?from={from}&to={to}"); 2]);
    let of_run = ["", "", "/requirements/8", "/requirements/8?cycle=500"].map(|path| format!("/runs/{run}{path}"));
    for path in of_project
        .map(|path| format!("/projects/{project}{path}"))
        .chain(of_run)
        .chain([format!("/api/v1/jobs/{run}/report.html")])
    {
        let begun = Instant::now();
        let page = site.get(&path).await;
        println!("{path}: {:?}, {} bytes", begun.elapsed(), page.is(200).text.len());
    }
    site.get(&format!("/projects/{project}")).await.has(&["<strong>R7</strong></a>: broken since version 100"]);
    site.get(&format!("/projects/{project}/comparison?from=99&to=100"))
        .await
        .has(&["1 broken now", &format!("{} unchanged", size().0 - 1)]);
    let begun = Instant::now();
    let list = site.get("/projects").await;
    println!("/projects: {:?}, {} bytes", begun.elapsed(), list.is(200).text.len());
    let api = site.get(&format!("/api/v1/projects/{project}/versions?limit=200")).await;
    assert_eq!(api.is(200).json()["versions"].as_array().map(Vec::len), Some(size().1));
}

#[tokio::test]
async fn pages_of_a_long_run_are_made_from_the_stored_outcome() {
    let mut outcome = booster();
    let run = outcome.results[0].counterexample.take().unwrap();
    outcome.results[0].counterexample = Some(lengthened(run, 1000));
    let site = Site::with(&outcome, |_| {});
    site.work();
    let job = site.job(serde_json::json!({})).await;
    assert_eq!(site.ended(&job).await, "succeeded");
    for path in ["", "/requirements/1", "/requirements/1?cycle=500", "/requirements/1?all=1"] {
        let begun = Instant::now();
        let page = site.get(&format!("/runs/{job}{path}")).await;
        println!("/runs/ID{path}: {:?}, {} bytes", begun.elapsed(), page.is(200).text.len());
    }
    site.get(&format!("/runs/{job}/requirements/1")).await.has(&["cycle 1000 of 1000"]);
}
