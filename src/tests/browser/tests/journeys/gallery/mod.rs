//! Every page in every state: in light and dark, on a phone and on paper. Pictures are kept for people to look at.

mod projects;
mod roles;
mod runs;

use crate::support::{Browser, Colours};

/// Looks at a page in light and dark, on a phone and on paper.
pub(super) async fn look(browser: &Browser, address: &str, name: &str) {
    browser.driver.goto(address).await.unwrap();
    look_here(browser, name).await;
}

/// The same for the page that is shown now.
pub(super) async fn look_here(browser: &Browser, name: &str) {
    browser.one("h1").await;
    browser.whole_picture(&format!("gallery-{name}")).await;
    browser.assert_accessible().await;
    browser.media(Colours::Dark, "").await;
    browser.whole_picture(&format!("gallery-{name}-dark")).await;
    browser.assert_accessible().await;
    browser.media(Colours::Light, "").await;
    browser.phone(true).await;
    browser.assert_fits().await;
    browser.whole_picture(&format!("gallery-{name}-phone")).await;
    browser.phone(false).await;
    browser.media(Colours::Light, "print").await;
    browser.whole_picture(&format!("gallery-{name}-print")).await;
    browser.media(Colours::Light, "").await;
}
