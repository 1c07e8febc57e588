//! Pages of users, as each role sees them, and those that a role may not see.

use super::look;
use crate::support::{Browser, Scripts, Service};

const PASSWORD: &str = "a long sentence";

async fn log_in(browser: &Browser, service: &Service, name: &str) {
    browser.driver.goto(format!("{}/login", service.origin)).await.unwrap();
    browser.enter("[name=name]", name).await;
    browser.enter("[name=password]", PASSWORD).await;
    browser.click("main button", "Log in").await;
    browser.find("header a", name).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_users_are_whole_for_every_role() {
    let users = [("anna", "admin"), ("bert", "engineer"), ("cleo", "viewer"), ("dora", "auditor")];
    let service = Service::start_with_users(&users, PASSWORD);
    let browser = Browser::open(Scripts::On).await;
    let at = |path: &str| format!("{}{path}", service.origin);
    look(&browser, &at("/login"), "login").await;
    // An engineer has a program and a run, which the others see.
    log_in(&browser, &service, "bert").await;
    browser.driver.goto(at("/")).await.unwrap();
    browser.enter("#paste", "PROGRAM Latch\nVAR_INPUT Go, Stop : BOOL; END_VAR\nVAR_OUTPUT Run : BOOL; END_VAR\nRun := (Run OR Go) AND NOT Stop;\nEND_PROGRAM\n").await;
    browser.click("button.primary", "See what was understood").await;
    browser.find("h2", "What was understood").await;
    let program = browser.url().await;
    super::super::add_row(&browser, "pattern-forbidden").await;
    browser.enter("#r0-part0", "Run AND Stop").await;
    browser.click("button.primary", "Start").await;
    browser.find("#main", "What this result rests on").await;
    let run = browser.url().await;
    browser.click("button", "Keep as a project").await;
    browser.find("h2", "proved").await;
    let project = browser.url().await;
    browser.click("header button", "Log out").await;
    for (name, role) in users {
        log_in(&browser, &service, name).await;
        for (address, page) in [
            (at("/"), "home"),
            (program.clone(), "program"),
            (run.clone(), "run"),
            (format!("{run}/requirements/1"), "requirement"),
            (project.clone(), "project"),
            (at("/projects"), "projects"),
            (at("/users"), "users"),
            (at("/webhooks"), "webhooks"),
            (at("/audit"), "audit"),
            (at("/account"), "account"),
        ] {
            look(&browser, &address, &format!("{role}-{page}")).await;
        }
        browser.click("header button", "Log out").await;
        browser.find("h1", "Log in").await;
    }
    service.assert_policy_kept();
    browser.close().await;
}
