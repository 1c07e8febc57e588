//! Journeys of an engineer: upload, program page, requirement, waiting, counterexample.
//! Every journey is walked with JavaScript and without.

mod accessible;
mod accounts;
mod builder;
mod exports;
mod forged;
mod gallery;
mod guide;
mod keyboard;
mod logix;
mod print;
mod projects;
mod restart;
mod single_sign_on;
mod versions;

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::support::{Browser, Scripts, Service, a_moment};
use thirtyfour::prelude::*;

pub(crate) fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples").join(name).canonicalize().unwrap()
}

pub(crate) async fn choose(browser: &Browser, field: &str, file: &Path) {
    browser.one(field).await.send_keys(file.to_str().unwrap()).await.unwrap();
}

/// Adds a requirement of a pattern with empty blanks.
pub(crate) async fn add_row(browser: &Browser, pattern: &str) {
    browser.click(&format!("#b-kind option[value='{pattern}']"), "").await;
    browser.click("button[value='add-blank']", "").await;
}

async fn from_upload_to_counterexample(scripts: Scripts) {
    let service = Service::start();
    let browser = Browser::open(scripts).await;
    let name = |page: &str| format!("{page}{}", if scripts == Scripts::On { "" } else { "-without-javascript" });
    browser.driver.goto(&service.origin).await.unwrap();
    browser.picture(&name("home")).await;
    choose(&browser, "#file", &sample("pump/booster.st")).await;
    browser.click("button.primary", "See what was understood").await;

    browser.find("h1", "booster.st").await;
    browser.find("#main", "1 POU").await;
    browser.find(".variables li", "ValveFB").await;
    // A row for a requirement; a slip of the pen is told beside its field and nothing is lost.
    add_row(&browser, "pattern-forbidden").await;
    browser.enter("#r0-part0", "PumpA AND NOT ValveFBB").await;
    browser.enter("#r0-text", "Pump A must never run while the suction valve is closed.").await;
    browser.click("button.primary", "Start").await;
    browser.find("#r0-part0-error", "ValveFBB").await;
    browser.picture(&name("mistake")).await;
    let field = browser.one("#r0-part0").await;
    assert_eq!(field.value().await.unwrap().as_deref(), Some("PumpA AND NOT ValveFBB"));
    browser.enter("#r0-part0", "PumpA AND NOT ValveFB").await;
    browser.picture(&name("requirements")).await;
    browser.click("button.primary", "Start").await;

    // The report comes by itself.
    browser.find("h1", "can be broken").await;
    browser.find("tbody th", "Pump A must never run").await;
    browser.find("#main", "What this result rests on").await;
    browser.picture(&name("report")).await;
    if scripts == Scripts::On {
        browser.assert_only_from(&service.origin).await;
    }
    browser.click("a", "see why").await;

    browser.find("h1", "✖ Can be broken").await;
    browser.find("#cycle", "cycle 2 of 2").await;
    browser.find(".value", "ValveOpen = TRUE (from cycle 1)").await;
    browser.find(".value", "PumpA := TRUE").await;
    browser.find(".banner", "confirmed").await;
    browser.one("svg.timing[role=img] title").await;
    browser.picture(&name("counterexample")).await;
    // By link, and by key where there are scripts.
    browser.click("a[rel=prev]", "previous").await;
    browser.find("#cycle", "cycle 1 of 2").await;
    assert!(browser.url().await.contains("cycle=1"));
    browser.find("h2", "as online in cycle 1").await;
    browser.driver.query(By::Css("body")).first().await.unwrap().send_keys(Key::Right + "").await.unwrap();
    match scripts {
        Scripts::On => drop(browser.find("#cycle", "cycle 2 of 2").await),
        Scripts::Off => {
            // No script runs: keys do nothing, links still do.
            a_moment().await;
            browser.find("#cycle", "cycle 1 of 2").await;
            browser.click("a[rel=next]", "next").await;
            browser.find("#cycle", "cycle 2 of 2").await;
        }
    }
    browser.click("a", "Show all").await;
    browser.find("#main", "Only what matters").await;
    if scripts == Scripts::On {
        browser.assert_only_from(&service.origin).await;
    }
    service.assert_policy_kept();
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_upload_to_counterexample_with_javascript() {
    from_upload_to_counterexample(Scripts::On).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_upload_to_counterexample_without_javascript() {
    from_upload_to_counterexample(Scripts::Off).await;
}

/// Two factors of a product of two large primes: not decided soon.
pub(crate) const HARD: &str = "PROGRAM Hard\nVAR_INPUT a, b : LINT; END_VAR\nVAR_OUTPUT hit : BOOL; END_VAR\n\
    hit := a > 1 AND b > 1 AND a < 2000000000 AND b < 2000000000 AND a * b = LINT#999999866000004473;\nEND_PROGRAM\n";

async fn watch_the_queue(scripts: Scripts) {
    let service = Service::start();
    let browser = Browser::open(scripts).await;
    browser.driver.goto(&service.origin).await.unwrap();
    browser.enter("#paste", HARD).await;
    browser.enter("#label", "Hard").await;
    browser.click("button.primary", "See what was understood").await;
    add_row(&browser, "pattern-forbidden").await;
    browser.enter("#r0-part0", "hit").await;
    browser.click("button.primary", "Start").await;
    browser.find("#status", "Running for").await;
    let hard = browser.driver.window().await.unwrap();

    // A second run waits behind the first, in a tab of its own.
    let waiting = browser.driver.new_tab().await.unwrap();
    browser.driver.switch_to_window(waiting.clone()).await.unwrap();
    browser.driver.goto(&service.origin).await.unwrap();
    browser.click("summary", "Show the samples").await;
    browser.click("button[data-sample='pump/booster_fixed']", "").await;
    browser.find("h1", "Booster").await;
    browser.click("button.primary", "Start").await;
    browser.find("#status", "Waiting for its turn").await;
    browser.picture(if scripts == Scripts::On { "waiting" } else { "waiting-without-javascript" }).await;

    browser.driver.switch_to_window(hard).await.unwrap();
    browser.click("#cancel", "Cancel").await;
    browser.find("h1", "not proved").await;
    browser.find("#main", "The run was stopped.").await;
    browser.click("a", "what is known").await;
    browser.find("#main", "Neither a violation nor a proof").await;

    // Untouched, the page of the second run becomes its report.
    browser.driver.switch_to_window(waiting).await.unwrap();
    browser.find("h1", "proved").await;
    browser.click("a", "the proof").await;
    browser.find("#main", "Checked again by a second solver").await;
    browser.picture(if scripts == Scripts::On { "proof" } else { "proof-without-javascript" }).await;
    service.assert_policy_kept();
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_run_shows_its_report_by_itself_with_javascript() {
    watch_the_queue(Scripts::On).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_run_shows_its_report_by_itself_without_javascript() {
    watch_the_queue(Scripts::Off).await;
}

/// Chooses an engine in the form. Its limits are said beside the choice; its graphs are on the page of the result.
async fn choose_an_engine(scripts: Scripts) {
    let service = Service::start();
    let browser = Browser::open(scripts).await;
    browser.driver.goto(&service.origin).await.unwrap();
    choose(&browser, "#file", &sample("pump/booster.st")).await;
    browser.click("button.primary", "See what was understood").await;
    add_row(&browser, "pattern-forbidden").await;
    browser.enter("#r0-part0", "PumpA AND NOT ValveFB").await;
    browser.click("summary", "For experts").await;
    browser.click("#engine option[value='k-induction']", "").await;
    browser.click("summary", "Options of k-induction").await;
    browser.enter("[name='option.k-induction.k']", "-1").await;
    browser.click("button.primary", "Start").await;
    browser.find("#engine-error", "option `k` cannot be `-1`").await;
    browser.picture(if scripts == Scripts::On { "engine" } else { "engine-without-javascript" }).await;
    if scripts == Scripts::On {
        browser.assert_accessible().await;
    }
    browser.enter("[name='option.k-induction.k']", "").await;
    browser.click("#engine option[value='cegar']", "").await;
    browser.click("button.primary", "Start").await;
    browser.find("h1", "can be broken").await;
    browser.click("a", "see why").await;
    browser.find("h2", "How the engine went about it").await;
    browser.one("svg.bars[role=img] title").await;
    browser.one("svg.graph[role=img] title").await;
    browser.find(".formats a", "Theta CFA").await;
    if scripts == Scripts::On {
        browser.click("summary", "The same as a table").await;
        browser.click("summary", "Automaton that was explored").await;
        browser.assert_accessible().await;
    }
    service.assert_policy_kept();
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_is_chosen_with_javascript() {
    choose_an_engine(Scripts::On).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_is_chosen_without_javascript() {
    choose_an_engine(Scripts::Off).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_is_too_large_is_answered_by_a_page() {
    let service = Service::start();
    let browser = Browser::open(Scripts::On).await;
    for megabytes in [25, 30, 70] {
        let mut file = tempfile::Builder::new().suffix(".st").tempfile().unwrap();
        for _ in 0..megabytes {
            file.write_all(&vec![b' '; 1 << 20]).unwrap();
        }
        browser.driver.goto(&service.origin).await.unwrap();
        choose(&browser, "#file", file.path()).await;
        browser.click("button.primary", "See what was understood").await;
        browser.find("h1", "The upload is too large").await;
    }
    service.assert_policy_kept();
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_want_to_be_markup_are_only_text() {
    let service = Service::start();
    let browser = Browser::open(Scripts::On).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("<img src=x onerror=alert(1)>.st");
    let text = "PROGRAM P\nVAR_INPUT a : BOOL; END_VAR\nVAR_OUTPUT b : BOOL; END_VAR\n(* <script>alert(1)</script> *)\nb := a;\n\
        //#ASSERT NOT b : tag\n// </code></td><script>alert(2)</script>\nEND_PROGRAM\n";
    std::fs::write(&file, text).unwrap();
    browser.driver.goto(&service.origin).await.unwrap();
    choose(&browser, "#file", &file).await;
    browser.click("button.primary", "See what was understood").await;
    browser.find("h1", "<img src=x onerror=alert(1)>.st").await;
    browser.click("button.primary", "Start").await;
    browser.find("h1", "can be broken").await;
    browser.click("a", "see why").await;
    browser.find("td", "<script>alert(2)</script>").await;
    // A dialog would make this fail.
    assert_eq!(browser.driver.find_all(By::Css("main script, main img")).await.unwrap().len(), 0);
    service.assert_policy_kept();
    browser.close().await;
}
