//! A machine over its versions: a run is kept, a change breaks a requirement, the next one mends it.

use std::io::Write;

use super::{choose, sample};
use crate::support::{Browser, Scripts, Service};

/// Uploads the next version and waits for its report.
async fn upload(browser: &Browser, project: &str, file: &std::path::Path, headline: &str) {
    browser.driver.goto(project).await.unwrap();
    choose(browser, "#file", file).await;
    browser.click("button.primary", "Upload and check").await;
    browser.find(".banner h1", headline).await;
    browser.driver.goto(project).await.unwrap();
    browser.find(".banner h2", headline).await;
}

/// Looks at the counterexample of the broken requirement: an assumption is offered, and it is kept with a reason and taken back.
async fn decide(browser: &Browser, service: &Service, project: &str, scripts: Scripts) {
    let name = |page: &str| format!("{page}{}", if scripts == Scripts::On { "" } else { "-without-javascript" });
    browser.click("li a", "R1").await;
    browser.find("h1", "Can be broken").await;
    let counterexample = browser.url().await;
    browser.find("#cycles + ul a", "test program (ST)").await;
    browser.find("#cycles + ul a", "TcUnit test").await;
    browser.click("a", "This cannot happen in my plant").await;
    browser.find("[role=status]", "suggested by a counterexample").await;
    assert_eq!(
        browser.one("#a0-expr").await.prop("value").await.unwrap().unwrap(),
        "NOT (StartCmd AND NOT StopCmd AND NOT ValveFB)"
    );
    browser.picture(&name("form-suggested")).await;
    if scripts == Scripts::On {
        browser.assert_accessible().await;
    }
    browser.driver.goto(&counterexample).await.unwrap();
    browser.enter("#reason-1", "The valve is locked open in this plant").await;
    browser.picture(&name("counterexample-decision")).await;
    browser.click("button", "Keep with this reason").await;
    browser.find("h1", "kept on").await;
    browser.find("h1", "Can be broken").await;
    browser.picture(&name("counterexample-kept")).await;
    if scripts == Scripts::On {
        browser.assert_accessible().await;
    }
    browser.driver.goto(project).await.unwrap();
    browser.find(".banner h2", "can be broken").await;
    browser.find("li", "counts: broken, kept").await;
    browser.picture(&name("machine-kept")).await;
    if scripts == Scripts::On {
        browser.assert_accessible().await;
    }
    browser.click("button", "Take back").await;
    browser.find("li", "taken back").await;
    service.assert_policy_kept();
}

async fn from_version_to_version(scripts: Scripts) {
    let service = Service::start();
    let browser = Browser::open(scripts).await;
    let name = |page: &str| format!("{page}{}", if scripts == Scripts::On { "" } else { "-without-javascript" });
    let room = tempfile::tempdir().unwrap();
    // Each version is one file of the same name, as an engineering tool exports it.
    let version = |n: usize, sample_name: &str| {
        let folder = room.path().join(n.to_string());
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join("booster.st");
        let text = std::fs::read(sample(sample_name)).unwrap();
        std::fs::File::create(&file).unwrap().write_all(&text).unwrap();
        file
    };
    browser.driver.goto(&service.origin).await.unwrap();
    choose(&browser, "#file", &version(1, "pump/booster_fixed.st")).await;
    choose(&browser, "#requirements", &sample("pump/booster_fixed.yaml")).await;
    browser.click("button.primary", "See what was understood").await;
    browser.click("button.primary", "Start").await;
    browser.find("h1", "proved").await;
    browser.click("button", "Keep as a project").await;
    browser.find(".banner h2", "proved").await;
    browser.picture(&name("machine")).await;
    let project = browser.url().await;

    upload(&browser, &project, &version(2, "pump/booster.st"), "can be broken").await;
    browser.find("li", "R1: shown in this version, not in the one before").await;
    browser.picture(&name("machine-broken")).await;
    decide(&browser, &service, &project, scripts).await;
    browser.click("a", "What changed since version 1").await;
    browser.find("h1", "Version 2 against version 1").await;
    browser.find("td strong", "broken now").await;
    browser.find("#main", "Changed: PROGRAM Booster").await;
    browser.one("pre.diff ins").await;
    browser.one("pre.diff del").await;
    browser.picture(&name("comparison")).await;
    if scripts == Scripts::On {
        browser.assert_accessible().await;
    }

    upload(&browser, &project, &version(3, "pump/booster_fixed.st"), "proved").await;
    browser.click("a", "What changed since version 2").await;
    browser.find("td", "mended").await;
    browser.driver.goto(format!("{project}/comparison?from=1&to=3")).await.unwrap();
    browser.find("td", "unchanged").await;
    browser.find("#main", "Both versions have the same text.").await;
    for page in ["", "/versions", "/statements/requirements", "/statements/environment", "/settings"] {
        browser.driver.goto(format!("{project}{page}")).await.unwrap();
        browser.one("h1").await;
        browser.picture(&name(&format!("machine-page{}", page.replace('/', "-")))).await;
        if scripts == Scripts::On {
            browser.assert_accessible().await;
        }
    }
    browser.driver.goto(format!("{}/projects", service.origin)).await.unwrap();
    browser.find("tbody tr", "version 3").await;
    browser.picture(&name("machines")).await;
    if scripts == Scripts::On {
        browser.assert_accessible().await;
        browser.assert_only_from(&service.origin).await;
    }
    service.assert_policy_kept();
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_of_a_machine_with_javascript() {
    from_version_to_version(Scripts::On).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_of_a_machine_without_javascript() {
    from_version_to_version(Scripts::Off).await;
}
