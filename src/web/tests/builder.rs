//! The sentence builder: a sentence becomes a requirement, is read before anything runs, and is never left out.

use super::pages::fields;
use super::site::Site;

const SENTENCE: [(&str, &str); 4] =
    [("b-kind", "pattern-implication"), ("b0-left", "RunLatch"), ("b1-left", "PumpA"), ("b1-test", "false")];

async fn form() -> (Site, String) {
    let site = Site::new();
    site.work();
    let address = format!("/programs/{}", site.program().await);
    (site, address)
}

#[tokio::test]
async fn a_built_sentence_becomes_a_row_and_empties_the_builder() {
    let (site, address) = form().await;
    let page =
        site.form(&format!("{address}/requirements"), &fields(&[&SENTENCE[..], &[("action", "add-built")]].concat())).await;
    page.is(200).has(&[
        "name=\"r0-kind\" value=\"pattern-implication\"",
        "id=\"r0-part0\" name=\"r0-part0\" value=\"RunLatch\"",
        "id=\"r0-part1\" name=\"r0-part1\" value=\"NOT PumpA\"",
        "id=\"b0-left\" name=\"b0-left\" value=\"\"",
        "<option value=\"pattern-implication\" selected>",
    ]);
    // The Enter key in the builder adds; it starts no run without the sentence.
    let entered = site.form(&format!("{address}/requirements"), &fields(&[&SENTENCE[..], &[("action", "enter")]].concat())).await;
    entered.is(200).has(&["name=\"r0-part1\" value=\"NOT PumpA\""]);
    let lacking = [("b0-left", "Starts"), ("b0-test", "lt"), ("action", "add-built")];
    let page = site.form(&format!("{address}/requirements"), &fields(&lacking)).await;
    page.is(200).has(&["id=\"b0-error\">✖ enter a value to compare with", "value=\"Starts\"", "1 mistake to mend"]);
    assert!(!page.text.contains("r0-kind"), "{}", page.text);
}

#[tokio::test]
async fn no_run_and_no_project_leaves_out_a_sentence_that_waits() {
    let (site, address) = form().await;
    for action in ["start", "keep", "yaml", "nonsense"] {
        let row = [("r0-kind", "pattern-forbidden"), ("r0-part0", "PumpA"), ("action", action)];
        let page = site.form(&format!("{address}/requirements"), &fields(&[&SENTENCE[..], &row].concat())).await;
        page.is(422).has(&[
            "The sentence below is no requirement yet: add it, or empty it.",
            "value=\"RunLatch\"",
            "value=\"PumpA\"",
        ]);
    }
    assert_eq!(site.get("/api/v1/jobs").await.json()["jobs"].as_array().map(Vec::len), Some(0));
}

#[tokio::test]
async fn the_blanks_follow_the_chosen_sentence() {
    let (site, address) = form().await;
    let chosen = [("b-kind", "pattern-timed-trigger"), ("b0-left", "PumpA")];
    let page = site.form(&format!("{address}/requirements"), &fields(&[&chosen[..], &[("action", "choose")]].concat())).await;
    page.is(200).has(&["Blank 3 of 3", "id=\"b1-time\"", "value=\"PumpA\"", "data-kind=\"pattern-timed-trigger\""]);
    assert_eq!(page.text.matches("autofocus").count(), 1);
    let part = site.form(&format!("{address}/preview"), &chosen).await;
    part.is(200).has(&["Blank 3 of 3", "data-kind=\"pattern-timed-trigger\"", "blank 2: enter a time"]);
    assert!(!part.text.contains("<h1") && !part.text.contains("b1-error"), "{}", part.text);
}

#[tokio::test]
async fn every_sentence_is_read_or_has_its_mistake() {
    let (site, address) = form().await;
    let row = [("r0-kind", "pattern-forbidden"), ("r0-part0", "PumpA AND NOT ValveFB")];
    let part = site.form(&format!("{address}/preview"), &row).await;
    part.is(200).has(&["Nothing is checked yet.", "Read as:"]);
    assert!(!part.text.contains('✔') && !part.text.contains("not added yet"), "{}", part.text);
    site.form(&format!("{address}/preview"), &[]).await.is(200).has(&["No sentence yet."]);
    let nonsense = [("r0-kind", "pattern-forbidden"), ("r0-part0", "Nonsense")];
    site.form(&format!("{address}/preview"), &nonsense)
        .await
        .has(&["✖ 1 mistake.", "there is no variable <code>Nonsense</code>"]);
    let unfit = [("r0-kind", "pattern-forbidden"), ("r0-part0", "PumpA"), ("a0-expr", "Unfit")];
    let part = site.form(&format!("{address}/preview"), &unfit).await;
    part.has(&["✖ 1 mistake.", "there is no variable <code>Nonsense</code>"]);
    assert!(!part.text.contains("Read as:"), "{}", part.text);
    let cycle = [("r0-kind", "pattern-forbidden"), ("r0-part0", "PumpA"), ("cycle", "soon")];
    site.form(&format!("{address}/preview"), &cycle).await.has(&["The form has a mistake"]);
    let yaml = [("mode", "yaml"), ("yaml", "requirements: [{never: PumpA}]"), ("action", "preview")];
    site.form(&format!("{address}/requirements"), &yaml).await.is(200).has(&["Read as:", "id=\"yaml\""]);
    site.form("/programs/none/preview", &[]).await.is(404);
}
