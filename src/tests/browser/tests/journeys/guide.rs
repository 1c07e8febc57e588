//! Pictures of the user guide, and its pages in the service.
//!
//! `make guide-pictures` writes the pictures into `docs/guide/pictures`; without it they are only made and looked at by the tests.

use super::{HARD, add_row, choose, sample};
use crate::support::{Browser, Colours, Scripts, Service};

/// Largest file of a picture.
const MOST_BYTES: u64 = 60 << 10;
const PASSWORD: &str = "a long sentence";

/// Takes a picture of the guide from an element on: as high as a small file allows.
async fn take(browser: &Browser, css: &str, name: &str) {
    for height in [720, 640, 560, 480, 420] {
        browser.driver.set_window_rect(0, 0, 840, height).await.unwrap();
        browser.show(css).await;
        if browser.guide_picture(name).await <= MOST_BYTES {
            return;
        }
    }
    panic!("the picture {name} is too large");
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_of_an_engineer() {
    let service = Service::start();
    let browser = Browser::open(Scripts::On).await;
    browser.driver.goto(&service.origin).await.unwrap();
    take(&browser, "body", "home").await;
    choose(&browser, "#file", &sample("pump/booster.st")).await;
    browser.click("button.primary", "See what was understood").await;
    browser.click("#b-kind option[value='pattern-implication']", "").await;
    browser.one("#b1-left").await;
    browser.enter("#b0-left", "PumpA").await;
    browser.enter("#b1-left", "ValveFB").await;
    browser.find("#preview dd", "if PumpA, then ValveFB").await;
    take(&browser, "#builder", "builder").await;
    browser.click("button[value='add-built']", "").await;
    browser.one("#r0-part1").await;
    add_row(&browser, "pattern-implication").await;
    browser.enter("#r1-part0", "PumpA").await;
    browser.enter("#r1-part1", "RunLatch").await;
    browser.click("button.primary", "Start").await;
    browser.find("h1", "can be broken").await;
    take(&browser, "main", "report").await;
    let report = browser.url().await;
    browser.click("a", "see why").await;
    browser.find("#cycle", "cycle 2 of 2").await;
    take(&browser, "main h2", "counterexample").await;
    browser.driver.goto(&report).await.unwrap();
    browser.click("a", "the proof").await;
    browser.find("#main", "What this means").await;
    take(&browser, "main", "proof").await;
    browser.driver.goto(&report).await.unwrap();
    browser.click("button", "Keep as a project").await;
    browser.find("h2", "can be broken").await;
    let project = browser.url().await;
    let mended = std::fs::read_to_string(sample("pump/booster.st"))
        .unwrap()
        .replace("PumpA := RunLatch;", "PumpA := RunLatch AND ValveFB;");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("booster.st"), mended).unwrap();
    choose(&browser, "#file", &folder.path().join("booster.st")).await;
    browser.click("button.primary", "Upload and check").await;
    browser.find(".banner h1", "").await;
    browser.find("#main", "What this result rests on").await;
    browser.driver.goto(&project).await.unwrap();
    browser.find("a", "What changed since version 1").await;
    take(&browser, "main", "project").await;
    browser.click("a", "What changed since version 1").await;
    browser.find("h1", "Version 2").await;
    take(&browser, "main", "comparison").await;
    browser.driver.goto(&service.origin).await.unwrap();
    browser.enter("#paste", HARD).await;
    browser.click("button.primary", "See what was understood").await;
    add_row(&browser, "pattern-forbidden").await;
    browser.enter("#r0-part0", "hit").await;
    browser.click("button.primary", "Start").await;
    browser.find("#status", "Running for").await;
    browser.click("#cancel", "Cancel").await;
    browser.click("a", "what is known").await;
    browser.find("h1", "Stopped before it was decided").await;
    take(&browser, "main", "undecided").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_of_an_administrator() {
    let service = Service::start_with(&["--accounts", "--webhook-host", "mes.plant.local"]);
    let browser = Browser::open(Scripts::On).await;
    browser.driver.goto(&service.origin).await.unwrap();
    browser.find("h1", "First start").await;
    take(&browser, "body", "setup").await;
    browser.enter("[name=code]", &service.setup_code()).await;
    browser.enter("[name=name]", "anna").await;
    browser.enter("[name=password]", PASSWORD).await;
    browser.click("button", "Make the administrator").await;
    browser.click("nav a", "Users").await;
    browser.enter("#name", "bert").await;
    browser.click("label.check", "Engineer").await;
    browser.click("button.primary", "Add the user").await;
    browser.find("h2", "One-time code of bert").await;
    browser.click(".crumbs a", "Users").await;
    browser.find("td", "has a code, no password yet").await;
    take(&browser, "body", "users").await;
    browser.click("header a", "anna").await;
    browser.enter("#label", "build server of line 3").await;
    browser.click("button", "Make the token").await;
    browser.find("#token", "sp_").await;
    // The token of the picture is revoked.
    take(&browser, "body", "account").await;
    browser.click("button", "Revoke").await;
    browser.click("nav a", "Webhooks").await;
    browser.enter("#url", "https://evil.example/").await;
    browser.click("button.primary", "Add the webhook").await;
    browser.find(".error", "not a host that webhooks may reach").await;
    browser.assert_accessible().await;
    browser.enter("#url", "https://mes.plant.local/scanproof").await;
    browser.click("button.primary", "Add the webhook").await;
    browser.find("#secret", "whsec_").await;
    browser.assert_accessible().await;
    browser.driver.goto(format!("{}/webhooks", service.origin)).await.unwrap();
    take(&browser, "body", "webhooks").await;
    browser.click("nav a", "Audit log").await;
    browser.find("tbody td", "webhook added").await;
    take(&browser, "body", "audit").await;
    service.assert_policy_kept();
    browser.close().await;
}

async fn through_the_guide(scripts: Scripts, colours: Colours) {
    let service = Service::start_with(&["--accounts"]);
    let browser = Browser::open_in(scripts, colours).await;
    // Before anyone can log in.
    browser.driver.goto(format!("{}/help", service.origin)).await.unwrap();
    let titles = [
        "The first check",
        "Sentences about",
        "can be broken",
        "Proofs,",
        "Projects",
        "Checks on a build",
        "Reports on a build",
        "Installation",
        "Users and",
        "Operation",
    ];
    for (n, title) in titles.iter().enumerate() {
        browser.click("nav[aria-label=Guide] a", title).await;
        browser.find("article h1", title).await;
        if scripts == Scripts::On {
            browser.assert_accessible().await;
            browser.assert_only_from(&service.origin).await;
        }
        if n == 0 {
            browser.picture(&format!("help{}", if colours == Colours::Dark { "-dark" } else { "" })).await;
            browser.driver.set_window_rect(0, 0, 500, 900).await.unwrap();
            browser.assert_fits().await;
            browser.picture("help-phone").await;
            browser.driver.set_window_rect(0, 0, 1280, 1000).await.unwrap();
        }
    }
    service.assert_policy_kept();
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_guide_is_read_in_light_and_dark_and_without_javascript() {
    through_the_guide(Scripts::On, Colours::Light).await;
    through_the_guide(Scripts::On, Colours::Dark).await;
    through_the_guide(Scripts::Off, Colours::Light).await;
}
