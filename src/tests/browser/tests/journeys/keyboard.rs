//! From a pasted program to each cycle of its counterexample by keyboard alone; the focus can be seen at each step.

use thirtyfour::prelude::*;

use super::sample;
use crate::support::{Browser, Scripts, Service};

/// Presses Tab until an element has the focus.
async fn tab_to(browser: &Browser, css: &str) {
    const SEEN: &str = "const at = document.activeElement, style = getComputedStyle(at);\
        return [at.matches(arguments[0]), style.outlineStyle !== 'none' && 0 < parseFloat(style.outlineWidth), at.outerHTML.slice(0, 200)];";
    let mut passed = Vec::new();
    for _ in 0..150 {
        browser.press(Key::Tab + "").await;
        let found = browser.driver.execute(SEEN, vec![css.into()]).await.unwrap();
        let (is_there, is_seen, element): (bool, bool, String) = found.convert().unwrap();
        assert!(is_seen || element.starts_with("<body"), "the focus cannot be seen at {element}");
        if is_there {
            return;
        }
        passed.push(element);
    }
    panic!("no way to {css} on {}:\n{}", browser.url().await, passed.join("\n"));
}

async fn by_keys(scripts: Scripts) {
    let service = Service::start();
    let browser = Browser::open(scripts).await;
    browser.driver.goto(&service.origin).await.unwrap();
    // The first stop leads past the head of the page.
    tab_to(&browser, "a.skip").await;
    browser.press(Key::Enter + "").await;
    tab_to(&browser, "#paste").await;
    browser.press(std::fs::read_to_string(sample("pump/booster.st")).unwrap().as_str()).await;
    tab_to(&browser, "button.primary").await;
    browser.press(Key::Enter + "").await;
    browser.find("#main", "1 POU").await;
    tab_to(&browser, "#b-kind").await;
    for _ in 0..40 {
        if browser.one("#b-kind").await.value().await.unwrap().as_deref() == Some("pattern-forbidden") {
            break;
        }
        browser.press(Key::Down + "").await;
    }
    tab_to(&browser, "button[value='add-blank']").await;
    browser.press(Key::Enter + "").await;
    browser.one("#r0-part0").await;
    tab_to(&browser, "#r0-part0").await;
    browser.press("PumpA AND NOT ValveFB").await;
    tab_to(&browser, "button.primary").await;
    browser.press(Key::Enter + "").await;
    browser.find("h1", "can be broken").await;
    tab_to(&browser, "td a[href*='/requirements/1']").await;
    browser.press(Key::Enter + "").await;
    browser.find("#cycle", "cycle 2 of 2").await;
    tab_to(&browser, "a[rel=prev]").await;
    browser.press(Key::Enter + "").await;
    browser.find("#cycle", "cycle 1 of 2").await;
    tab_to(&browser, "a[rel=next]").await;
    browser.press(Key::Enter + "").await;
    browser.find("#cycle", "cycle 2 of 2").await;
    service.assert_policy_kept();
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_counterexample_is_reached_by_keyboard_with_javascript() {
    by_keys(Scripts::On).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_counterexample_is_reached_by_keyboard_without_javascript() {
    by_keys(Scripts::Off).await;
}
