//! Pages on paper: the run of a proof and that of a counterexample fit an A4 sheet, with every table in whole. The sheets say what
//! they are about.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::support::{Browser, Scripts, Service};

/// Nine cycles and long names: wider than a sheet, unless names and values break.
const LINE: &str = "PROGRAM Line\nVAR_INPUT Start, Stop, DoorOfTheConveyorSectionIsClosed, EmergencyButtonReleased : BOOL; Speed : INT; END_VAR\n\
    VAR_OUTPUT MotorOfTheConveyorSectionRuns, WarningLampOfTheConveyorSection : BOOL; END_VAR\n\
    VAR Delay : TON; Parts : DINT; END_VAR\n\
    Delay(IN := Start AND DoorOfTheConveyorSectionIsClosed AND NOT Stop, PT := T#1s200ms);\n\
    MotorOfTheConveyorSectionRuns := Delay.Q AND EmergencyButtonReleased AND Speed > 10;\n\
    WarningLampOfTheConveyorSection := Delay.Q AND NOT MotorOfTheConveyorSectionRuns;\n\
    IF MotorOfTheConveyorSectionRuns THEN Parts := Parts + 1; END_IF;\nEND_PROGRAM\n";
const STATED: &str = "requirements:\n\
    - { id: R1, if: MotorOfTheConveyorSectionRuns, then: DoorOfTheConveyorSectionIsClosed }\n\
    - { id: R2, never: WarningLampOfTheConveyorSection AND Parts > 1 }\n";
/// Width of an A4 sheet between margins of 15 mm, in pixels of CSS.
const SHEET: u32 = 680;

/// Returns the widest table or picture of a page on paper, its name, and the number of tables that can be seen.
const WIDEST: &str = "const all = [...document.querySelectorAll('main table, main svg')].filter(e => e.getClientRects().length);\
    const ends = all.map(e => [e.getBoundingClientRect().right, e.tagName]);\
    ends.sort((a, b) => b[0] - a[0]);\
    return [Math.ceil(ends[0][0]), ends[0][1], all.filter(e => e.tagName === 'TABLE').length];";

/// Prints the page on A4; returns the text of the sheets.
async fn printed(browser: &Browser) -> String {
    let size = json!({ "paperWidth": 8.27, "paperHeight": 11.69, "printBackground": true, "preferCSSPageSize": true });
    let answer = browser.driver.cdp().send_raw("Page.printToPDF", size).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.pdf");
    std::fs::write(&file, STANDARD.decode(answer["data"].as_str().unwrap()).unwrap()).unwrap();
    let output = std::process::Command::new("pdftotext").args(["-layout", file.to_str().unwrap(), "-"]).output();
    let output = output.unwrap_or_else(|e| panic!("pdftotext: {e}; `make browser` installs it"));
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the text without white space: long words break over lines on paper.
fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn sheets_name_the_verdict_the_program_and_every_cycle() {
    let service = Service::start();
    let browser = Browser::open(Scripts::Off).await;
    browser.driver.goto(&service.origin).await.unwrap();
    browser.enter("#paste", LINE).await;
    browser.click("button.primary", "See what was understood").await;
    browser.click("button", "Show as requirement file").await;
    browser.enter("#yaml", STATED).await;
    browser.click("button.primary", "Start").await;
    browser.find("h1", "can be broken").await;
    let report = browser.url().await;
    let job = report.rsplit('/').next().unwrap();
    let (_, outcome) = service.get(&format!("/api/v1/jobs/{job}/report.json"), "");
    let outcome: serde_json::Value = serde_json::from_str(&outcome).unwrap();
    let digest = outcome["sources"][0]["sha256"].as_str().unwrap();
    let headlines: Vec<&str> = (0..2).map(|n| outcome["results"][n]["headline"].as_str().unwrap()).collect();

    let text = printed(&browser).await;
    for wanted in ["1 of 2 requirements can be broken", digest, "R1", "R2"] {
        assert!(dense(&text).contains(&dense(wanted)), "{wanted}:\n{text}");
    }
    for number in [1, 2] {
        browser.driver.goto(format!("{report}/requirements/{number}")).await.unwrap();
        browser.one("h1").await;
        let text = printed(&browser).await;
        for wanted in [headlines[number - 1], digest] {
            assert!(dense(&text).contains(&dense(wanted)), "{wanted}:\n{text}");
        }
    }
    // The second one is broken: each of its cycles is a row.
    let text = printed(&browser).await;
    let n_cycles = outcome["results"][1]["counterexample"]["cycles"].as_array().unwrap().len();
    assert!(3 < n_cycles, "{n_cycles}");
    let rows = text.split("Every cycle").nth(1).unwrap_or_else(|| panic!("{text}"));
    for cycle in 1..=n_cycles {
        let is_row =
            |line: &str| line.split_whitespace().next() == Some(&cycle.to_string()) && 5 < line.split_whitespace().count();
        assert!(rows.lines().any(is_row), "no row of cycle {cycle}:\n{text}");
    }
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_of_proofs_and_counterexamples_fit_a_sheet() {
    let service = Service::start();
    let browser = Browser::open(Scripts::On).await;
    browser.driver.goto(&service.origin).await.unwrap();
    browser.enter("#paste", LINE).await;
    browser.click("button.primary", "See what was understood").await;
    browser.click("button", "Show as requirement file").await;
    browser.enter("#yaml", STATED).await;
    browser.click("button.primary", "Start").await;
    browser.find("h1", "can be broken").await;
    let report = browser.url().await;
    let tools = browser.driver.cdp();
    for (number, tables) in [(1, 3), (2, 2)] {
        browser.driver.goto(format!("{report}/requirements/{number}")).await.unwrap();
        browser.find("#main", if number == 1 { "Put to the test" } else { "Values per cycle" }).await;
        let size = json!({ "width": SHEET, "height": 1000, "deviceScaleFactor": 1, "mobile": false });
        tools.send_raw("Emulation.setDeviceMetricsOverride", size).await.unwrap();
        tools.send_raw("Emulation.setEmulatedMedia", json!({ "media": "print" })).await.unwrap();
        let found = browser.driver.execute(WIDEST, Vec::new()).await.unwrap();
        let (right, name, seen): (u32, String, usize) = found.convert().unwrap();
        browser.picture(&format!("print-{number}")).await;
        assert!(right <= SHEET, "requirement {number}: a {name} ends at {right} of {SHEET}");
        assert!(tables <= seen, "requirement {number}: {seen} tables on paper");
        tools.send_raw("Emulation.setEmulatedMedia", json!({ "media": "" })).await.unwrap();
    }
    browser.close().await;
}
