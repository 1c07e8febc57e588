//! Whole projects as zip archives: what can be verified comes first, then what stands in the way, with a step that mends it.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::{add_row, choose, sample};
use crate::support::{Browser, Scripts, Service};
use thirtyfour::prelude::*;

/// A project, the name that no file declares, the project to choose if the upload does not say it, and words of the report's title.
const PROJECTS: &[(&str, &str, Option<&str>, &str)] = &[
    ("twincat-solution", "FB_VendorDrive", None, "can be broken"),
    ("codesys-export", "LoadCell", None, "can be broken"),
    ("ax-workspace", "AlarmSender", None, "can be broken"),
    ("beremiz", "MQTT_SEND", None, "can be broken"),
    ("tia-portal", "FB_VendorScale", None, "can be broken"),
    ("automation-studio", "VendorRecorder", Some("Tank"), "met only under conditions"),
];

/// Adds all files below a folder, with their names inside of it.
fn files(folder: &Path, below: &str, found: &mut Vec<(String, PathBuf)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            files(&entry.path(), &format!("{name}/"), found);
        } else {
            found.push((name, entry.path()));
        }
    }
}

/// Packs a project, with or without its requirements.
fn pack(name: &str, with_requirements: bool, room: &Path) -> PathBuf {
    let mut found = Vec::new();
    files(&sample(&format!("projects/{name}")), "", &mut found);
    found.retain(|(name, _)| with_requirements || name != "requirements.yaml");
    found.sort();
    let zip = room.join(format!("{name}.zip"));
    let mut writer = zip::ZipWriter::new(std::fs::File::create(&zip).unwrap());
    for (name, path) in found {
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(&std::fs::read(path).unwrap()).unwrap();
    }
    writer.finish().unwrap();
    zip
}

/// Checks the order of the page, and that each row of the second table has a step.
async fn assert_obstacles_behind_results(browser: &Browser, missing: &str) {
    let text = browser.text().await;
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("no `{words}`:\n{text}"));
    let order = [at("What can be verified"), at("What stands in the way"), at("What must hold")];
    assert!(order.is_sorted(), "{order:?}\n{text}");
    let rows = browser.driver.find_all(By::Css("[aria-label^='What stands in the way'] tbody tr")).await.unwrap();
    assert!(!rows.is_empty(), "{text}");
    for row in rows {
        let cells = row.find_all(By::Css("td")).await.unwrap();
        let step = cells.last().unwrap().text().await.unwrap();
        assert!(!step.is_empty(), "{}", row.text().await.unwrap());
    }
    browser.find("[aria-label^='What stands in the way']", missing).await;
}

/// Screens of a page before something is unfolded.
const MOST_SCREENS: i64 = 12;

/// Checks that a page does not scroll sideways on a phone, and is not too long on a desk.
async fn assert_fits_everywhere(browser: &Browser) {
    browser.phone(true).await;
    browser.assert_fits().await;
    browser.phone(false).await;
    let script = "return Math.floor(document.documentElement.scrollHeight / innerHeight)";
    let screens: i64 = browser.driver.execute(script, Vec::new()).await.unwrap().convert().unwrap();
    assert!(screens < MOST_SCREENS, "{} has {screens} screens", browser.url().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_projects_are_verified_from_an_archive() {
    let service = Service::start();
    let browser = Browser::open(Scripts::On).await;
    let room = tempfile::tempdir().unwrap();
    for (name, missing, project, title) in PROJECTS {
        browser.driver.goto(&service.origin).await.unwrap();
        choose(&browser, "#file", &pack(name, project.is_none(), room.path())).await;
        browser.click("button.primary", "See what was understood").await;
        browser.find("h2", "What was understood").await;
        match project {
            None => {
                assert_obstacles_behind_results(&browser, missing).await;
                browser.picture(&format!("project-{name}")).await;
            }
            Some(project) => {
                browser.find("#main", "holds several projects").await;
                browser.picture(&format!("project-{name}")).await;
                browser.click("#project option", project).await;
                add_row(&browser, "pattern-forbidden").await;
                browser.enter("#r0-part0", "gLevel >= 900 AND gInlet.Open").await;
            }
        }
        browser.assert_accessible().await;
        assert_fits_everywhere(&browser).await;
        browser.click("button.primary", "Start").await;
        browser.find("h1", title).await;
        browser.find("#main", missing).await;
        browser.picture(&format!("project-{name}-report")).await;
        browser.assert_accessible().await;
        assert_fits_everywhere(&browser).await;
        if *title == "can be broken" {
            browser.click("a", "see why").await;
            browser.find("h2", "Your code, as online").await;
            browser.picture(&format!("project-{name}-counterexample")).await;
            browser.assert_accessible().await;
            assert_fits_everywhere(&browser).await;
            if *name == "twincat-solution" {
                // The editors of the POUs, not the XML of their files.
                browser.find("h3", "MAIN").await;
                let text = browser.text().await;
                assert!(!text.contains("CDATA") && !text.contains("<POU"), "{text}");
            }
        }
    }
    service.assert_policy_kept();
    browser.close().await;
}
