//! Projects, as a browser without JavaScript walks through them, and as programs see them.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use super::pages::fields;
use super::site::{Site, request};
use crate::report::example::BOOSTER;

/// Returns a project of the example's run, by the button of its report.
async fn kept() -> (Site, String) {
    let (site, job) = Site::finished().await;
    site.get(&format!("/runs/{job}")).await.is(200).has(&[&format!("action=\"/runs/{job}/project\"")]);
    let address = site.form(&format!("/runs/{job}/project"), &[]).await.is(303).header("location").to_string();
    (site, address)
}

/// Uploads this text as a version and waits for the end of its run.
async fn upload(site: &Site, address: &str, text: &str) -> String {
    let parts = [("file", Some("booster.st"), text.as_bytes())];
    let run = site.multipart(&format!("{address}/versions"), &parts).await.is(303).header("location").to_string();
    assert_eq!(site.ended(run.rsplit('/').next().unwrap()).await, "succeeded");
    run
}

#[tokio::test]
async fn a_run_becomes_a_project_and_versions_are_compared() {
    let (site, address) = kept().await;
    let page = site.get(&address).await;
    page.is(200).has(&[
        "Version 1",
        "! 1 of 8 requirements ended in an internal error",
        "broken since version 1",
        "✖ 1 can be broken",
    ]);
    let changed = BOOSTER.replace("PumpA", "PumpB");
    assert_ne!(changed, BOOSTER);
    upload(&site, &address, &changed).await;
    let page = site.get(&address).await;
    page.is(200).has(&[
        "Version 2",
        "broken since version 1",
        "Compare version 2 with version 1",
        "What changed since version 1",
    ]);
    let comparison = site.get(&format!("{address}/comparison")).await;
    comparison.is(200).has(&[
        "Version 2 against version 1",
        "cannot be compared: a verdict is missing",
        "unchanged",
        "<ins>+ ",
        "PumpB",
        "<del>- ",
        "Changed: PROGRAM",
    ]);
    assert!(!comparison.text.contains("rest on different assumptions"), "{}", comparison.text);
    site.get(&format!("{address}/comparison?from=2&to=9")).await.is(404);
    site.get(&format!("{address}/comparison?from=x")).await.is(422);
    site.get(&format!("{address}/versions")).await.is(200).has(&["Versions of", "Report of version 1"]);
    site.get("/projects").await.is(200).has(&[&address, "version 2", "✖ 1 can be broken"]);
    site.get("/projects?search=nothing%25").await.is(200).has(&["No project has “nothing%”"]);
    // A run that has not ended has no verdicts to compare.
    site.get("/projects/none").await.is(404);
}

#[tokio::test]
async fn an_upload_that_cannot_run_adds_no_version() {
    let (site, address) = kept().await;
    let path = format!("{address}/versions");
    site.multipart(&path, &[("file", Some(""), b"")]).await.is(422).has(&["No version was added", "Choose at least one file"]);
    let environment = format!("{address}/statements/environment");
    let text = "assumptions:\n  - expr: Unfit\n";
    site.form(&environment, &[("revision", "1"), ("text", text)]).await.is(303);
    let parts = [("file", Some("booster.st"), BOOSTER.as_bytes())];
    site.multipart(&path, &parts).await.is(422).has(&["No version was added", "there is no variable `Nonsense`"]);
    site.form(&format!("{address}/runs"), &[]).await.is(422).has(&["there is no variable"]);
    let page = site.get(&path).await;
    assert!(page.is(200).text.contains("Report of version 1") && !page.text.contains("Report of version 2"));
    site.multipart("/projects/none/versions", &parts).await.is(404);
}

#[tokio::test]
async fn statements_are_changed_with_a_history() {
    let (site, address) = kept().await;
    let path = format!("{address}/statements/requirements");
    site.get(&path).await.is(200).has(&["Requirements as YAML", "name=\"revision\" value=\"1\"", "Change 1"]);
    let text = "requirements:\n  - { id: R9, never: 'PumpA AND NOT ValveFB' }\n";
    site.form(&path, &[("revision", "1"), ("text", text)]).await.is(303);
    site.get(&path).await.is(200).has(&["Change 2", "R9", "<ins>+ "]);
    // Nothing is overwritten, nothing is dropped, nothing is lost.
    site.form(&path, &[("revision", "1"), ("text", "requirements: []")]).await.is(422).has(&["changed meanwhile"]);
    site.form(&path, &[("revision", "2"), ("text", "cycle: 10ms\nrequirements: []")])
        .await
        .is(422)
        .has(&["belong to the environment", "cycle: 10ms"]);
    site.form(&path, &[("revision", "2"), ("text", "requirements: 5")]).await.is(422).has(&["a list belongs here"]);
    let environment = format!("{address}/statements/environment");
    site.form(&environment, &[("revision", "1"), ("text", text)]).await.is(422).has(&["belong to the requirements"]);
    site.form(&environment, &[("revision", "1"), ("text", "cycle: 10ms\n")]).await.is(303);
    site.get(&format!("{address}/statements/nothing")).await.is(404);
    // The next run has both.
    let run = site.form(&format!("{address}/runs"), &[]).await.is(303).header("location").to_string();
    let id = run.rsplit('/').next().unwrap();
    assert_eq!(site.ended(id).await, "succeeded");
    let stored = site.state.store.job(id).await.unwrap().unwrap();
    let specification = site.state.store.specification(&stored.specification).await.unwrap().unwrap();
    assert!(specification.contains("R9") && specification.contains("10"), "{specification}");
    site.get(&address).await.is(200).has(&[&run]);
}

#[tokio::test]
async fn a_program_becomes_a_project_before_its_first_run() {
    let site = Site::new();
    let program = site.program().await;
    let posted = fields(&[("action", "keep")]);
    let kept = site.form(&format!("/programs/{program}/requirements"), &posted).await;
    let address = kept.is(303).header("location").to_string();
    site.get(&address).await.is(200).has(&["Version 1 was not checked yet", "Check it now"]);
    site.get(&format!("{address}/comparison?from=1&to=1")).await.is(200).has(&["Version 1 was not checked.", "the same text"]);
    site.get(&format!("{address}/statements/environment")).await.is(200).has(&["100"]);
}

#[tokio::test]
async fn a_deletion_asks_for_the_name() {
    let (site, address) = kept().await;
    let settings = format!("{address}/settings");
    site.form(&settings, &[("name", " "), ("note", "")]).await.is(422).has(&["needs a name"]);
    site.form(&settings, &[("name", "<b>Pump</b>"), ("note", "Hall 3")]).await.is(303);
    site.get(&address).await.is(200).has(&["&#60;b&#62;Pump", "Hall 3"]);
    site.get(&settings).await.is(200).has(&["Type the name of the project"]);
    site.form(&format!("{address}/delete"), &[("confirm", "Pump")]).await.is(422).has(&["Nothing was deleted"]);
    site.get(&address).await.is(200);
    site.form(&format!("{address}/delete"), &[("confirm", "<b>Pump</b>")]).await.is(303);
    site.get(&address).await.is(404);
    site.get("/").await.is(200).has(&["✖ 1 can be broken"]);
}

fn with_body(method: Method, path: &str, if_match: Option<&str>, body: &Value) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    if let Some(tag) = if_match {
        request = request.header("if-match", tag);
    }
    request.body(Body::from(body.to_string())).unwrap()
}

#[tokio::test]
async fn programs_keep_projects_by_the_api() {
    let site = Site::new();
    site.work();
    let specification = json!({ "cycle": "50ms", "requirements": [{ "id": "R1", "never": "PumpA AND NOT ValveFB" }] });
    let made = site.json("/api/v1/projects", json!({ "name": "Pump", "specification": specification })).await;
    let path = made.is(201).header("location").to_string();
    assert_eq!((made.header("etag"), made.json()["last_version"].is_null()), ("\"1\"", true));
    site.json("/api/v1/projects", json!({ "name": " " })).await.is(422);
    site.json("/api/v1/projects", json!({ "name": "a", "program": "none" })).await.is(404);
    site.json("/api/v1/projects", json!({ "name": "Silo" })).await.is(201);
    let page = site.get("/api/v1/projects?limit=1").await;
    assert_eq!(page.is(200).json()["projects"][0]["name"], "Silo");
    let next = page.json()["next"].as_str().unwrap().to_string();
    assert_eq!(page.header("link"), format!("<{next}>; rel=\"next\""));
    let last = site.get(&next).await;
    assert_eq!((last.json()["projects"][0]["name"].as_str(), last.header("link")), (Some("Pump"), ""));
    let patch = json!({ "name": "Pump 2" });
    site.send(with_body(Method::PATCH, &path, None, &patch)).await.is(428);
    site.send(with_body(Method::PATCH, &path, Some("\"9\""), &patch)).await.is(412);
    assert_eq!(site.send(with_body(Method::PATCH, &path, Some("\"1\""), &patch)).await.is(200).header("etag"), "\"2\"");
    site.send(with_body(Method::PATCH, &path, Some("\"1\""), &patch)).await.is(412);
    for (part, text, wrong) in
        [("requirements", "requirements: []\n", "cycle: 10ms"), ("environment", "cycle: 10ms\n", "requirements: [{ never: A }]")]
    {
        let path = format!("{path}/{part}");
        assert_eq!(site.get(&path).await.is(200).header("etag"), "\"1\"");
        let body = json!({ "text": text });
        site.send(with_body(Method::PUT, &path, None, &body)).await.is(428);
        site.send(with_body(Method::PUT, &path, Some("\"1\""), &json!({ "text": wrong }))).await.is(422);
        let changed = site.send(with_body(Method::PUT, &path, Some("\"1\""), &body)).await;
        assert_eq!((changed.is(200).header("etag"), changed.json()["text"].as_str()), ("\"2\"", Some(text)));
        site.send(with_body(Method::PUT, &path, Some("\"1\""), &body)).await.is(412);
    }
    let versions = format!("{path}/versions");
    for n in 1..=2 {
        let text = format!("{BOOSTER}\n(* {n} *)\n");
        let added = site.multipart(&versions, &[("file", Some("booster.st"), text.as_bytes())]).await;
        assert_eq!(added.is(202).json()["number"], n);
        assert_eq!(site.ended(added.header("location").rsplit('/').next().unwrap()).await, "succeeded");
    }
    let listed = site.get(&format!("{versions}?limit=1")).await;
    assert_eq!((listed.json()["versions"][0]["number"].as_i64(), listed.header("link").is_empty()), (Some(2), false));
    let comparison = site.get(&format!("{path}/comparison?from=1&to=2")).await.is(200).json();
    assert!(comparison["no_verdicts"].is_null() && comparison["verdicts"]["basis"] == json!([]), "{comparison}");
    assert_eq!(comparison["verdicts"]["rows"].as_array().unwrap().len(), 8);
    assert_eq!(comparison["files"][0]["fate"], "changed");
    site.get(&format!("{path}/comparison?from=1&to=3")).await.is(404);
    site.get(&format!("{path}/comparison?from=1")).await.is(422);
    site.send(request(Method::DELETE, &path, &[])).await.is(204);
    site.send(request(Method::DELETE, &path, &[])).await.is(404);
    for gone in ["", "/versions", "/requirements", "/environment", "/comparison?from=1&to=2"] {
        assert_eq!(site.get(&format!("{path}{gone}")).await.is(404).header("content-type"), "application/problem+json");
    }
}
