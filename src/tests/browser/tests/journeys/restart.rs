//! A service that is killed while someone watches a run: the page goes on, and says so when it gives up.

use super::{HARD, add_row};
use crate::support::{Browser, Scripts, Service, a_moment, free_port};

/// Waits until the run of this address is in a state for the nth time.
async fn wait_for(service: &Service, run: &str, state: &str, attempt: u64) {
    let job = run.rsplit('/').next().unwrap();
    loop {
        let (_, body) = service.get(&format!("/api/v1/jobs/{job}"), "");
        let found: serde_json::Value = serde_json::from_str(&body).unwrap();
        if found["state"] == state && attempt <= found["attempts"].as_u64().unwrap() {
            return;
        }
        a_moment().await;
    }
}

async fn killed_twice(scripts: Scripts) {
    let mut service = Service::start_at(free_port(), &[]);
    let browser = Browser::open(scripts).await;
    let name = |page: &str| format!("{page}{}", if scripts == Scripts::On { "" } else { "-without-javascript" });
    browser.driver.goto(&service.origin).await.unwrap();
    browser.enter("#paste", HARD).await;
    browser.click("button.primary", "See what was understood").await;
    add_row(&browser, "pattern-forbidden").await;
    browser.enter("#r0-part0", "hit").await;
    browser.click("button.primary", "Start").await;
    browser.find("#status", "Running for").await;
    let run = browser.url().await;
    wait_for(&service, &run, "running", 1).await;
    service.kill_and_start();
    wait_for(&service, &run, "running", 2).await;
    // Without scripts the browser may show that no one answers: the reader loads the page again.
    if scripts == Scripts::Off {
        browser.driver.goto(&run).await.unwrap();
    }
    browser.find("#status", "Running for").await;
    browser.picture(&name("run-after-restart")).await;
    service.kill_and_start();
    wait_for(&service, &run, "interrupted", 2).await;
    if scripts == Scripts::Off {
        browser.driver.goto(&run).await.unwrap();
    }
    // Untouched, the page says that the run was given up, and leads to another one.
    browser.find("h1", "Nothing was decided").await;
    browser.find("#main", "interrupted").await;
    browser.picture(&name("run-interrupted")).await;
    if scripts == Scripts::On {
        browser.assert_accessible().await;
    }
    browser.click("#main a", "run again").await;
    browser.one("#r0-part0").await;
    browser.click("button.primary", "Start").await;
    browser.find("#status", "Running for").await;
    browser.click("#cancel", "Cancel").await;
    browser.find("#main", "The run was stopped.").await;
    service.assert_policy_kept();
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_goes_on_after_a_kill_with_javascript() {
    killed_twice(Scripts::On).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_goes_on_after_a_kill_without_javascript() {
    killed_twice(Scripts::Off).await;
}
