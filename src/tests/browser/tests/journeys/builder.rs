//! Journeys through the sentence builder: from variables to a requirement, by the mouse and by the keyboard.

use super::{choose, sample};
use crate::support::{Browser, Colours, Scripts, Service};
use thirtyfour::prelude::*;

/// Shows the reading of all sentences: scripts do it a moment after the last change.
async fn preview(browser: &Browser, scripts: Scripts) {
    if scripts == Scripts::Off {
        browser.click("button[value='preview']", "").await;
    }
}

async fn from_variables_to_a_verdict(scripts: Scripts, colours: Colours) {
    let service = Service::start();
    let browser = Browser::open_in(scripts, colours).await;
    let mark = match (scripts, colours) {
        (Scripts::Off, _) => "-without-javascript",
        (Scripts::On, Colours::Dark) => "-dark",
        (Scripts::On, Colours::Light) => "",
    };
    browser.driver.goto(&service.origin).await.unwrap();
    choose(&browser, "#file", &sample("pump/booster.st")).await;
    browser.click("button.primary", "See what was understood").await;
    browser.find("h1", "booster.st").await;

    // Another sentence has other blanks.
    browser.click("#b-kind option[value='pattern-implication']", "").await;
    if scripts == Scripts::Off {
        browser.click("button[value='choose']", "").await;
    }
    browser.one("#b1-left").await;
    browser.enter("#b0-left", "PumpA").await;
    preview(&browser, scripts).await;
    browser.find("#preview .error", "blank 2: choose a variable").await;
    browser.enter("#b1-left", "ValveFBB").await;
    preview(&browser, scripts).await;
    browser.find("#preview .error", "ValveFBB").await;
    browser.enter("#b1-left", "ValveFB").await;
    preview(&browser, scripts).await;
    browser.find("#preview dd", "At the end of every cycle: if PumpA, then ValveFB.").await;
    assert!(browser.one("#preview-state").await.text().await.unwrap().contains("Nothing is checked yet"));
    if scripts == Scripts::On {
        browser.assert_accessible().await;
    }
    browser.driver.set_window_rect(0, 0, 1400, 1000).await.unwrap();
    browser.show("#builder").await;
    browser.picture(&format!("builder{mark}")).await;
    browser.assert_fits().await;
    browser.driver.set_window_rect(0, 0, 500, 900).await.unwrap();
    browser.assert_fits().await;
    browser.show("#builder").await;
    browser.picture(&format!("builder-phone{mark}")).await;
    if scripts == Scripts::On {
        browser.assert_accessible().await;
    }
    browser.driver.set_window_rect(0, 0, 1280, 1000).await.unwrap();

    // A sentence that is not added starts nothing.
    browser.click("button.primary", "Start").await;
    browser.find(".error", "The sentence below is no requirement yet").await;
    // The Enter key adds it.
    browser.one("#b1-left").await.send_keys(Key::Enter + "").await.unwrap();
    browser.one("#r0-part1").await;
    assert_eq!(browser.one("#r0-part1").await.value().await.unwrap().as_deref(), Some("ValveFB"));
    browser.click("button", "Show as requirement file").await;
    let yaml = browser.one("#yaml").await.value().await.unwrap().unwrap_or_default();
    assert!(yaml.contains("if: PumpA") && yaml.contains("then: ValveFB"), "{yaml}");
    preview(&browser, scripts).await;
    browser.click("button", "Show as form").await;
    browser.one("#r0-part1").await;
    browser.click("button.primary", "Start").await;
    browser.find("h1", "can be broken").await;
    service.assert_policy_kept();
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_variables_to_a_verdict_with_javascript() {
    from_variables_to_a_verdict(Scripts::On, Colours::Light).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_variables_to_a_verdict_in_dark() {
    from_variables_to_a_verdict(Scripts::On, Colours::Dark).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_variables_to_a_verdict_without_javascript() {
    from_variables_to_a_verdict(Scripts::Off, Colours::Light).await;
}
