//! Exports as a reader gets them from the pages: each link is followed, each file is opened.

use std::io::{Cursor, Read};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{add_row, choose, sample};
use crate::support::{Browser, Scripts, Service};

/// A file behind a link: its address, what the service says about it, and its bytes.
struct File {
    address: String,
    disposition: String,
    bytes: Vec<u8>,
}

impl File {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap_or_else(|e| panic!("{}: {e}", self.address))
    }
}

/// Follows all links of a selector, with the cookies of the page.
async fn files(browser: &Browser, css: &str) -> Vec<File> {
    const FETCH: &str = "const done = arguments[arguments.length - 1];\
        const base64 = bytes => { let s = ''; for (const b of bytes) s += String.fromCharCode(b); return btoa(s); };\
        Promise.all([...document.querySelectorAll(arguments[0])].map(async a => { const r = await fetch(a.href);\
        return [a.getAttribute('href'), r.status, r.headers.get('content-disposition') ?? '', base64(new Uint8Array(await r.arrayBuffer()))]; }))\
        .then(done, e => done([[String(e), 0, '', '']]));";
    let found = browser.driver.execute_async(FETCH, vec![css.into()]).await.unwrap();
    let rows: Vec<(String, u16, String, String)> = found.convert().unwrap();
    let file = |(address, status, disposition, text): (String, u16, String, String)| {
        let bytes = STANDARD.decode(text).unwrap();
        assert_eq!(status, 200, "{address}: {}", String::from_utf8_lossy(&bytes));
        assert!(!bytes.is_empty(), "{address}");
        File { address, disposition, bytes }
    };
    rows.into_iter().map(file).collect()
}

/// Checks that the browser reads a text as XML; returns the name of its root.
async fn root_of_xml(browser: &Browser, text: &str) -> String {
    let script = "const d = new DOMParser().parseFromString(arguments[0], 'application/xml');\
        return d.querySelector('parsererror') ? 'broken' : d.documentElement.localName";
    browser.driver.execute(script, vec![text.into()]).await.unwrap().convert().unwrap()
}

fn check_zip(file: &File) -> Vec<String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(&file.bytes)).unwrap();
    let mut names = Vec::new();
    for n in 0..archive.len() {
        let mut entry = archive.by_index(n).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        assert!(!bytes.is_empty(), "{}", entry.name().unwrap());
        names.push(entry.name().unwrap().into_owned());
    }
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn every_export_of_the_pages_opens() {
    let service = Service::start();
    let browser = Browser::open(Scripts::On).await;
    browser.driver.goto(&service.origin).await.unwrap();
    choose(&browser, "#file", &sample("pump/booster.st")).await;
    browser.click("button.primary", "See what was understood").await;
    add_row(&browser, "pattern-forbidden").await;
    browser.enter("#r0-part0", "PumpA AND NOT ValveFB").await;
    browser.click("button.primary", "Start").await;
    browser.find("h1", "can be broken").await;
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    let mut endings = Vec::new();
    for file in files(&browser, "a[href*='/report.']").await {
        let ending = file.address.rsplit_once("/report.").unwrap().1.to_owned();
        assert!(file.disposition.starts_with("attachment"), "{}: {}", file.address, file.disposition);
        match ending.as_str() {
            "html" => std::fs::write(&page, &file.bytes).unwrap(),
            "json" => {
                let outcome: serde_json::Value = serde_json::from_str(file.text()).unwrap();
                assert_eq!(outcome["results"][0]["verdict"], "violated");
            }
            "sarif" => {
                let log: serde_json::Value = serde_json::from_str(file.text()).unwrap();
                assert_eq!(log["version"], "2.1.0");
                assert!(!log["runs"][0]["results"][0]["codeFlows"].as_array().unwrap().is_empty());
            }
            "junit.xml" => {
                assert_eq!(root_of_xml(&browser, file.text()).await, "testsuites");
                assert!(file.text().contains("<failure"), "{}", file.text());
            }
            "zip" => {
                let names = check_zip(&file);
                for wanted in [".sarif", ".html", ".csv", ".vcd", ".witness.yml", ".st"] {
                    assert!(names.iter().any(|name| name.ends_with(wanted)), "{wanted}: {names:?}");
                }
            }
            other => panic!("{other} has no check here"),
        }
        endings.push(ending);
    }
    endings.sort();
    assert_eq!(endings, ["html", "json", "junit.xml", "sarif", "zip"]);

    browser.click("a", "see why").await;
    browser.find("#cycle", "cycle 2 of 2").await;
    let mut names = Vec::new();
    for file in files(&browser, "main a[href*='/results/']").await {
        let name = file.address.rsplit_once('/').unwrap().1.to_owned();
        match name.as_str() {
            "trace.csv" => {
                let rows: Vec<usize> = file.text().lines().map(|line| line.split(',').count()).collect();
                assert!(rows.len() == 3 && rows.iter().all(|n| *n == rows[0]), "{}", file.text());
            }
            "trace.vcd" => {
                assert!(file.text().contains("$enddefinitions $end") && file.text().contains("\n#200000"), "{}", file.text())
            }
            "certificate" => {
                let certificate: serde_json::Value = serde_json::from_str(file.text()).unwrap();
                assert!(certificate.is_object(), "{certificate}");
            }
            "st-test" | "tcunit" => assert!(file.text().contains("PumpA"), "{}", file.text()),
            _ => {}
        }
        names.push(name);
    }
    for wanted in ["trace.csv", "trace.vcd", "st-test", "tcunit", "certificate", "model?format=c"] {
        assert!(names.iter().any(|name| name == wanted), "{wanted}: {names:?}");
    }
    // The page from the disk of a reader without a network.
    browser.driver.goto(format!("file://{}", page.display())).await.unwrap();
    browser.find("h1", "can be broken").await;
    let script = "return performance.getEntriesByType('resource').length";
    let loaded: u64 = browser.driver.execute(script, Vec::new()).await.unwrap().convert().unwrap();
    assert_eq!(loaded, 0, "the report loads something");
    browser.assert_accessible().await;
    browser.picture("report-from-disk").await;
    service.assert_policy_kept();
    browser.close().await;
}
