//! Every page, in light and in dark, under the accessibility checker.

use super::{HARD, add_row, choose, sample};
use crate::support::{Browser, Colours, Scripts, Service};

async fn every_page(colours: Colours) {
    let service = Service::start();
    let browser = Browser::open_in(Scripts::On, colours).await;
    browser.driver.goto(&service.origin).await.unwrap();
    let background = "return getComputedStyle(document.documentElement).backgroundColor";
    let background: String = browser.driver.execute(background, Vec::new()).await.unwrap().convert().unwrap();
    assert_eq!(background == "rgb(247, 248, 249)", colours == Colours::Light, "{background}");
    browser.assert_accessible().await;
    browser.click("button.primary", "See what was understood").await;
    browser.find(".error", "Choose at least one file").await;
    browser.assert_accessible().await;

    choose(&browser, "#file", &sample("pump/booster.st")).await;
    browser.click("button.primary", "See what was understood").await;
    browser.click("summary", "Source of").await;
    for (n, pattern) in ["pattern-forbidden", "pattern-implication", "pattern-statechange-betweencycles"].iter().enumerate() {
        add_row(&browser, pattern).await;
        browser.one(&format!("#r{n}-part0")).await;
    }
    browser.click("button[value='add:assumption']", "").await;
    browser.one("#a0-expr").await;
    browser.enter("#r0-part0", "Nonsense").await;
    browser.click("button.primary", "Start").await;
    browser.find(".error", "Nonsense").await;
    browser.assert_accessible().await;
    browser.click("button", "Show as requirement file").await;
    browser.one("#yaml").await;
    browser.assert_accessible().await;
    browser.enter("#yaml", "requirements: [").await;
    browser.click("button.primary", "Start").await;
    browser.one("#yaml-error").await;
    browser.assert_accessible().await;
    browser.enter("#yaml", "requirements: [{never: PumpA AND NOT ValveFB}, {if: PumpA, then: RunLatch}]").await;
    browser.click("button.primary", "Start").await;
    browser.find("h1", "can be broken").await;
    browser.assert_accessible().await;
    browser.click("a", "see why").await;
    browser.find("#cycle", "cycle 2 of 2").await;
    browser.assert_accessible().await;
    browser.picture(if colours == Colours::Light { "light" } else { "dark" }).await;
    browser.driver.back().await.unwrap();
    browser.click("a", "the proof").await;
    browser.find("#main", "What this means").await;
    browser.assert_accessible().await;

    // A program with errors, one with a missing name, one of which a part is left out, one that runs long, and what is known of it
    // when it is stopped.
    browser.driver.goto(&service.origin).await.unwrap();
    browser.enter("#paste", "PROGRAM p\nVAR x : INT; END_VAR\nx := ;\nEND_PROGRAM").await;
    browser.click("button.primary", "See what was understood").await;
    browser.find(".findings", "Error").await;
    browser.assert_accessible().await;
    browser.driver.goto(&service.origin).await.unwrap();
    browser.enter("#paste", "PROGRAM p\nVAR x : NOTHING; END_VAR\nx := 1;\nEND_PROGRAM").await;
    browser.click("button.primary", "See what was understood").await;
    browser.find("#main", "no file declares it").await;
    browser.assert_accessible().await;
    browser.driver.goto(&service.origin).await.unwrap();
    browser.enter("#paste", "PROGRAM p\nVAR x, y : INT; END_VAR\nx := TRUE;\ny := 1;\nEND_PROGRAM").await;
    browser.click("button.primary", "See what was understood").await;
    browser.find("#main", "What stands in the way").await;
    browser.assert_accessible().await;
    // More variables than the table shows at once, and another dialect.
    browser.driver.goto(&service.origin).await.unwrap();
    let variables: Vec<String> = (1..=400).map(|n| format!("v{n} : INT;")).collect();
    let large = format!("PROGRAM Large\nVAR_INPUT {} END_VAR\nVAR x : INT; END_VAR\nx := v1;\nEND_PROGRAM", variables.join(" "));
    browser.enter("#paste", &large).await;
    browser.click("button.primary", "See what was understood").await;
    browser.one("#e298-kind").await;
    browser.enter("#variables-filter", "v39").await;
    browser.click("#dialect option[value='siemens-tia']", "").await;
    browser.click("button", "Show these").await;
    browser.find("main", "389 more variables are not shown").await;
    browser.one("#dialect option[value='siemens-tia']:checked").await;
    browser.assert_accessible().await;
    browser.driver.goto(&service.origin).await.unwrap();
    browser.enter("#paste", HARD).await;
    browser.click("button.primary", "See what was understood").await;
    add_row(&browser, "pattern-forbidden").await;
    browser.enter("#r0-part0", "hit").await;
    browser.click("button.primary", "Start").await;
    browser.find("#status", "Running for").await;
    browser.assert_accessible().await;
    browser.click("#cancel", "Cancel").await;
    browser.click("a", "what is known").await;
    browser.find("h1", "Stopped before it was decided").await;
    browser.assert_accessible().await;

    for (path, words) in [("/", "Recent runs"), ("/nothing", "There is nothing here"), ("/problems/too-large", "20 MB")] {
        browser.driver.goto(format!("{}{path}", service.origin)).await.unwrap();
        browser.find("main", words).await;
        browser.assert_accessible().await;
    }
    service.assert_policy_kept();
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_is_accessible_in_light_colours() {
    every_page(Colours::Light).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_is_accessible_in_dark_colours() {
    every_page(Colours::Dark).await;
}
