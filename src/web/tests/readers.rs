//! Pages for users who only read: none of them offers an act that the policy refuses.

use axum::http::Method;
use serde_json::json;

use super::access::with_users;
use super::accounts::Client;
use crate::report::example::booster;
use crate::store::access::users::Role;

#[tokio::test]
async fn readers_are_offered_nothing_that_they_may_not_do() {
    let (site, sessions) = with_users().await;
    site.work();
    let session = |role| &sessions.iter().find(|(r, _)| *r == role).unwrap().1;
    let engineer = Client::session(&site, session(Role::Engineer));
    let files = json!({ "files": [{ "name": "booster.st", "text": booster().sources[0].text }] });
    let program = engineer.json(Method::POST, "/api/v1/programs", files).await.json()["id"].as_str().unwrap().to_owned();
    let job = engineer.json(Method::POST, "/api/v1/jobs", json!({ "program": program })).await.json();
    let job = job["id"].as_str().unwrap().to_owned();
    while site.state.store.job(&job).await.unwrap().is_some_and(|job| !job.state.is_final()) {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let project = engineer.form(&format!("/runs/{job}/project"), "").await.is(303).header("location").to_owned();
    let mut pages =
        vec!["/".to_owned(), format!("/programs/{program}"), format!("/runs/{job}"), project.clone(), "/projects".to_owned()];
    pages.extend(["requirements", "environment"].map(|part| format!("{project}/statements/{part}")));
    pages.extend((1..=booster().results.len()).map(|n| format!("/runs/{job}/requirements/{n}")));
    for (role, is_reader) in [(Role::Viewer, true), (Role::Auditor, true), (Role::Engineer, false)] {
        let client = Client::session(&site, session(role));
        let mut n_offers = 0;
        for page in &pages {
            let answer = client.get(page).await;
            let text = &answer.is(200).text;
            // Everyone may log out.
            let forms = text.matches("method=\"post\"").count() - 1;
            let links = ["/delete\"", "/settings\"", "/#check\"", "specification="].iter().filter(|part| text.contains(**part));
            let offers = forms + links.count();
            assert!(!is_reader || offers == 0, "{} on {page}: {text}", role.word());
            n_offers += offers;
        }
        assert!(is_reader || pages.len() < n_offers, "an engineer is offered {n_offers} acts");
    }
    site.state.shutdown.cancel();
}
