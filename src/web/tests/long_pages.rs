//! Pages about a project of many files: what matters is there at once, and the rest is folded.

use serde_json::json;

use super::site::Site;
use crate::report::example::booster;
use crate::report::outcome::{Condition, Outcome, Source};

/// Rows of all kinds that fit on ten screens.
const MOST_ROWS: usize = 250;

/// Returns the parts of a page that a reader sees before something is unfolded.
fn unfolded(page: &str) -> String {
    let (mut shown, mut depth) = (String::new(), 0usize);
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        let end = tag.find('>').map_or(tag.len(), |end| end + 1);
        let (tag, after) = tag.split_at(end);
        if depth == 0 {
            shown.push_str(text);
            shown.push_str(tag);
        }
        if tag.starts_with("<details") {
            // One that is open shows its content; inside of a closed one nothing is seen.
            depth += usize::from(depth != 0 || !tag.contains(" open"));
        } else if tag == "</details>" {
            depth = depth.saturating_sub(1);
        }
        rest = after;
    }
    shown + rest
}

/// Returns an outcome with hundreds of everything.
fn large() -> Outcome {
    let mut outcome = booster();
    let many = 0..400;
    let sources = many.clone().map(|n| Source { name: format!("POUs/FB_{n}.st"), ..outcome.sources[0].clone() });
    outcome.sources = std::iter::once(outcome.sources[0].clone()).chain(sources).collect();
    let import = &mut outcome.import;
    import.pous = many.clone().map(|_| import.pous[0].clone()).collect();
    import.gaps = many.clone().map(|_| import.gaps[0].clone()).collect();
    import.diagnostics = many.clone().map(|_| import.diagnostics[0].clone()).collect();
    import.runs = many.clone().map(|n| format!("P{n}")).collect();
    outcome.rests_on = many.clone().map(|n| format!("Convention {n}.")).collect();
    let place = import.gaps[0].place.clone();
    let condition = |n| Condition { text: format!("condition {n}"), detail: None, place: Some(place.clone()) };
    let results = outcome.results.clone();
    outcome.results = (0..50usize)
        .flat_map(|n| results.iter().map(move |r| (n, r.clone())))
        .map(|(n, mut result)| {
            result.id = format!("{}-{n}", result.id);
            result.conditions = (0..60).map(condition).collect();
            result
        })
        .collect();
    outcome
}

#[tokio::test]
async fn pages_of_a_large_project_are_short_until_they_are_unfolded() {
    let site = Site::with(&large(), |_| {});
    site.work();
    let files: Vec<_> = (0..120).map(|n| json!({ "name": format!("FB_{n}.st"), "text": booster().sources[0].text })).collect();
    let program =
        site.json("/api/v1/programs", json!({ "files": files })).await.is(201).json()["id"].as_str().unwrap().to_owned();
    let job = site.json("/api/v1/jobs", json!({ "program": program })).await.is(202).json()["id"].as_str().unwrap().to_owned();
    let rows = |text: &str| {
        let shown = unfolded(text);
        ["<tr", "<li", "<p", "\n  ", "<dt"].iter().map(|part| shown.matches(part).count()).sum::<usize>()
    };
    let waiting = site.get(&format!("/runs/{job}")).await;
    assert!(rows(&waiting.text) < MOST_ROWS);
    assert_eq!(site.ended(&job).await, "succeeded");
    let run = format!("/runs/{job}");
    let mut pages = vec![format!("/programs/{program}"), run.clone()];
    pages.extend((1..=8).map(|n| format!("{run}/requirements/{n}")));
    for page in pages {
        let answer = site.get(&page).await;
        let n = rows(&answer.is(200).text);
        assert!(n < MOST_ROWS, "{page}: {n} rows\n{}", unfolded(&answer.text));
    }
    // Errors and broken requirements come first; nothing is lost.
    let report = site.get(&run).await;
    let at = |part: &str| report.text.find(part).unwrap_or_else(|| panic!("{part}"));
    assert!(at(">R1-49<") < at(">R2-0<") && at("360 more requirements") < at(">R3-49<"));
    // Of many files the wanted one alone has its text.
    let one = site.get(&format!("/programs/{program}?source=7")).await;
    one.is(200).has(&["<details id=\"source7\" open>", "?source=8#source8"]);
    assert_eq!(one.text.matches("ValveOpen</code>").count() + one.text.matches("StartEdge(CLK").count(), {
        let plain = site.get(&format!("/programs/{program}")).await;
        plain.text.matches("ValveOpen</code>").count() + plain.text.matches("StartEdge(CLK").count() + 1
    });
    site.state.shutdown.cancel();
}

#[test]
fn only_closed_details_are_folded() {
    let page = "a<details><summary>b</summary>c<details>d</details>e</details>f<details open>g<details>h</details></details>i";
    assert_eq!(unfolded(page), "a<details>f<details open>g<details></details>i");
}
