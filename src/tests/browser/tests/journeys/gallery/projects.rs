//! Pages of projects: without a version, with one, with two that differ, and what they keep.

use serde_json::json;

use super::super::{choose, sample};
use super::{look, look_here};
use crate::support::{Browser, Scripts, Service};

const STATED: &str = "requirements:\n- { id: R1, never: PumpA AND NOT ValveFB, text: The pump never runs against a closed valve. }\n\
    - { id: R2, if: StopCmd, then: NOT PumpA }\n";

/// Uploads a version of a project and waits for its report.
async fn version(browser: &Browser, text: &str) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("booster.st"), text).unwrap();
    choose(browser, "#file", &folder.path().join("booster.st")).await;
    browser.click("button.primary", "Upload and check").await;
    browser.find("#main", "What this result rests on").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_projects_are_whole_in_every_state() {
    let service = Service::start();
    let browser = Browser::open(Scripts::On).await;
    let (status, body) = service.post("/api/v1/projects", &json!({ "name": "Booster of hall 3" }));
    assert_eq!(status, 201, "{body}");
    let id = serde_json::from_str::<serde_json::Value>(&body).unwrap()["id"].as_str().unwrap().to_owned();
    let project = format!("{}/projects/{id}", service.origin);
    look(&browser, &project, "project-new").await;
    let part = format!("{project}/statements/requirements");
    browser.driver.goto(&part).await.unwrap();
    look_here(&browser, "project-statements-empty").await;
    browser.enter("textarea", STATED).await;
    browser.click("main button.primary", "Save").await;
    browser.find("h3", "Change 2").await;
    browser.driver.goto(&project).await.unwrap();
    let text = std::fs::read_to_string(sample("pump/booster.st")).unwrap();
    version(&browser, &text).await;
    look(&browser, &project, "project-one").await;
    version(&browser, &text.replace("PumpA := RunLatch;", "PumpA := RunLatch AND ValveFB;")).await;
    look(&browser, &project, "project-two").await;
    browser.click("a", "What changed since version 1").await;
    browser.find("h1", "Version 2").await;
    look_here(&browser, "project-comparison").await;
    look(&browser, &part, "project-statements").await;
    for page in ["versions", "settings", "statements/environment"] {
        look(&browser, &format!("{project}/{page}"), &format!("project-{}", page.replace('/', "-"))).await;
    }
    look(&browser, &format!("{}/projects", service.origin), "projects").await;
    look(&browser, &format!("{}/agents", service.origin), "agents-none").await;
    service.assert_policy_kept();
    browser.close().await;
}
