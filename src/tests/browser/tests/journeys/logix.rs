//! An export of Studio 5000 as a zip archive, from the upload to a counterexample in its rungs.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::{add_row, choose, sample};
use crate::support::{Browser, Colours, Scripts, Service};

/// Packs an export of a controller as a user sends it.
fn pack(room: &Path) -> PathBuf {
    let zip = room.join("Station.zip");
    let mut writer = zip::ZipWriter::new(std::fs::File::create(&zip).unwrap());
    writer.start_file("Station/Station.L5X", zip::write::SimpleFileOptions::default()).unwrap();
    writer.write_all(&std::fs::read(sample("logix/station.L5X")).unwrap()).unwrap();
    writer.finish().unwrap();
    zip
}

/// Keeps pictures of a page, wide and as on a phone.
async fn pictures(browser: &Browser, name: &str) {
    browser.picture(name).await;
    browser.driver.set_window_rect(0, 0, 500, 900).await.unwrap();
    browser.picture(&format!("{name}-phone")).await;
    browser.driver.set_window_rect(0, 0, 1280, 1000).await.unwrap();
}

async fn from_upload_to_rungs(scripts: Scripts, colours: Colours) {
    let service = Service::start();
    let browser = Browser::open_in(scripts, colours).await;
    let colour = if colours == Colours::Dark { "-dark" } else { "" };
    let script = if scripts == Scripts::On { "" } else { "-without-javascript" };
    let name = |page: &str| format!("logix-{page}{script}{colour}");
    let room = tempfile::tempdir().unwrap();
    browser.driver.goto(&service.origin).await.unwrap();
    choose(&browser, "#file", &pack(room.path())).await;
    browser.click("button.primary", "See what was understood").await;
    browser.find("h2", "What was understood").await;
    browser.find("#main", "Studio 5000").await;
    pictures(&browser, &name("understood")).await;

    // Requirements are written in the names of tags, those of modules too.
    add_row(&browser, "pattern-forbidden").await;
    browser.enter("#r0-part0", "Motor1.Run AND Motor1.Fault AND Local:1:I.Data.0").await;
    browser.enter("#r0-text", "A motor with a fault does not run.").await;
    browser.click("button.primary", "Start").await;
    browser.find("h1", "can be broken").await;
    pictures(&browser, &name("report")).await;
    browser.click("a", "see why").await;

    browser.find("h1", "✖ Can be broken").await;
    browser.find(".banner", "confirmed").await;
    // The rungs are drawn with their numbers, comments and values.
    browser.find("#main", "Main, rung 1: The overload relay reports a fault of the running motor.").await;
    browser.find("svg text", "Motor1.Fault").await;
    pictures(&browser, &name("counterexample")).await;
    if scripts == Scripts::On {
        browser.assert_only_from(&service.origin).await;
    }
    service.assert_policy_kept();
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_is_verified_from_an_archive_with_javascript() {
    from_upload_to_rungs(Scripts::On, Colours::Light).await;
    from_upload_to_rungs(Scripts::On, Colours::Dark).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_is_verified_from_an_archive_without_javascript() {
    from_upload_to_rungs(Scripts::Off, Colours::Light).await;
}
