//! Pages on paper: the run of a proof and that of a counterexample fit an A4 sheet, with every table in whole.

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
