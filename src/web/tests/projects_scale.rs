//! Pages of a project with many versions and requirements; `--nocapture` prints their times.

use std::time::Instant;

use super::site::Site;
use crate::report::example::booster;
use crate::report::outcome::RequirementResult;
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

/// Makes a project whose requirement 7 is broken since version 100.
async fn large(site: &Site) -> String {
    let (store, (n_requirements, n_versions)) = (&site.state.store, size());
    let specification = store.add_specification("{}".into()).await.unwrap();
    let [requirements, environment] = ["requirements: []\n".to_owned(), String::new()];
    let [name, note, changed_by] = ["Plant".to_owned(), String::new(), String::new()];
    let new = NewProject { name, note, requirements, environment, version: None, changed_by };
    let project = store.add_project(new).await.unwrap();
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
        let mut outcome = booster();
        outcome.results = (0..n_requirements)
            .map(|n| RequirementResult {
                id: format!("R{n}"),
                text: format!("Requirement {n} holds."),
                pattern: "pattern-invariant".into(),
                verdict: if n == 7 && 100 <= version { VerdictWord::Violated } else { VerdictWord::Holds },
                ..RequirementResult::default()
            })
            .collect();
        let tally = Some(serde_json::to_string(&Tally::of_outcome(&outcome)).unwrap());
        let verdicts = verdicts(&outcome);
        let outcome = Some(serde_json::to_string(&outcome).unwrap());
        let end =
            JobEnd { state: JobState::Succeeded, reason: None, outcome, tally, verdicts, events: Vec::new(), worked_ms: None };
        assert!(store.finish_job(&id, end).await.unwrap());
        let version = NewVersion { program, label: "p.st".into(), job: Some((id, true)) };
        store.add_version(&project, version, String::new()).await.unwrap();
    }
    project
}

#[tokio::test]
async fn pages_of_a_large_project_say_since_when_it_is_broken() {
    let site = Site::new();
    let project = large(&site).await;
    // Each run was listed at its end: the first look at the page has no work to do.
    assert!(site.state.store.unlisted(&project).await.unwrap().is_empty());
    for path in ["", "", "/versions", "/comparison?from=99&to=100", "/statements/requirements"] {
        let begun = Instant::now();
        let page = site.get(&format!("/projects/{project}{path}")).await;
        println!("/projects/ID{path}: {:?}, {} bytes", begun.elapsed(), page.is(200).text.len());
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
    let cex = outcome.results[0].counterexample.as_mut().unwrap();
    let (first, last) = (cex.cycles[0].clone(), cex.cycles[1].clone());
    cex.cycles = vec![first; 999];
    cex.cycles.push(last);
    for (number, cycle) in (1..).zip(&mut cex.cycles) {
        cycle.number = number;
    }
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
