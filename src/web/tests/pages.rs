//! The pages, as a browser without JavaScript walks through them.

use serde_json::json;

use super::site::Site;

const FORM: [(&str, &str); 4] = [("cycle", "100ms"), ("cycle-to", ""), ("check-division_by_zero", "on"), ("thorough", "quick")];

/// Returns the form's fields besides the usual ones.
pub(super) fn fields<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    FORM.iter().chain(more).copied().collect()
}

#[tokio::test]
async fn from_an_upload_to_a_counterexample_by_forms_and_links() {
    let site = Site::new();
    site.work();
    site.get("/").await.is(200).has(&["What must never happen?", "No run yet.", "name=\"file\" multiple", "pump/booster"]);
    let program = crate::report::example::BOOSTER.as_bytes();
    let files = [
        ("file", Some("booster.st"), program),
        ("requirements", Some(""), b"" as &[u8]),
        ("paste", None, b""),
        ("label", None, b"Hall 3"),
    ];
    let kept = site.multipart("/check", &files).await;
    let address = kept.is(303).header("location").to_string();
    site.get(&address).await.is(200).has(&[
        "<h1>Hall 3</h1>",
        "1 POU with 8 statements.",
        "⚠ 1 construct not modelled exactly",
        "<td data-label=\"Construct\">SIN</td>",
        "its result may be any value from -1 to 1",
        "<code>ValveFB</code> <span class=\"type\">BOOL</span>",
        "`Starts` is never read",
        "<option value=\"PumpA\">BOOL</option>",
        "No integer is ever divided by zero.",
        "1 assertion in the program text",
    ]);
    let posted = fields(&[
        ("action", "start"),
        ("r0-kind", "pattern-forbidden"),
        ("r0-part0", "PumpA AND NOT ValveFB"),
        ("r0-text", ""),
        ("r0-id", ""),
    ]);
    let started = site.form(&format!("{address}/requirements"), &posted).await;
    let run = started.is(303).header("location").to_string();
    assert_eq!(site.ended(run.rsplit('/').next().unwrap()).await, "succeeded");
    let report = site.get(&run).await;
    report.is(200).has(&[
        "! 1 of 8 requirements ended in an internal error",
        "Nothing to check in this program: subrange.",
        "✖ Can be broken",
        "✔ Holds in every cycle, given 1 assumption — proved",
        "? Not decided: time limit of 10 min",
        "◐ No violation in the first 40 cycles — not proved beyond",
        "⚠ Holds, but only because Interlock can never be TRUE",
        "– Not checked: <code>POINTER</code> on line 12 is not supported",
        "Stopped before it was decided",
        "Internal error: id 7f3a",
        "Cycle time exactly 100 ms.",
        "Export: JSON",
        "all 8",
    ]);
    let only = site.get(&format!("{run}?only=violated")).await;
    only.is(200).has(&["✖ Can be broken"]);
    assert!(!only.text.contains("R2"), "{}", only.text);
    site.get(&format!("{run}?only=nothing")).await.is(422);
    site.get("/").await.is(200).has(&["Hall 3", "✖ 1 can be broken", "✔ 1 proved"]);
    // The requirements come back to be changed.
    let again = report.text.split("href=\"/programs/").nth(1).unwrap().split('"').next().unwrap();
    site.get(&format!("/programs/{again}")).await.is(200).has(&["value=\"PumpA AND NOT ValveFB\""]);
}

#[tokio::test]
async fn a_counterexample_is_stepped_through_by_links() {
    let (site, job) = Site::finished().await;
    let page = format!("/runs/{job}/requirements/1");
    let last = site.get(&page).await;
    last.is(200).has(&[
        "✖ Can be broken",
        "Pump A must never run while the suction valve is closed.",
        "In 2 scan cycles (about 200 ms)",
        "<strong>confirmed</strong>",
        "cycle 2 of 2",
        "ValveOpen = <b>TRUE</b> <i>(from cycle 1)</i>",
        "PumpA := <b>TRUE</b>",
        "<svg class=\"timing\" role=\"img\"",
        "✖ broken here",
        &format!("<a rel=\"prev\" href=\"{page}?cycle=1#code\">"),
        "<span class=\"off\">next ▶</span>",
        "Show all 8",
    ]);
    assert_eq!(last.text.matches("not executed</span>").count(), 1, "line 20 was skipped");
    assert!(!last.text.contains("<code>Starts</code>"));
    site.get(&format!("{page}?cycle=1")).await.is(200).has(&["cycle 1 of 2", "(from the start)", "?cycle=2#code"]);
    site.get(&format!("{page}?cycle=1&all=1")).await.is(200).has(&[
        "<code>Starts</code>",
        "?cycle=2&#38;all=1#code",
        "Only what matters",
    ]);
    for wrong in ["?cycle=3", "?cycle=0"] {
        site.get(&format!("{page}{wrong}")).await.is(404);
    }
    for wrong in ["?cycle=-1", "?cycle=x", "?all=yes"] {
        site.get(&format!("{page}{wrong}")).await.is(422);
    }
    for wrong in ["0", "9", "x", "99999999999999999999"] {
        site.get(&format!("/runs/{job}/requirements/{wrong}")).await.is(404);
    }
}

#[tokio::test]
async fn every_verdict_has_its_page() {
    let (site, job) = Site::finished().await;
    let check = async |n: u32, parts: &[&str]| {
        let page = site.get(&format!("/runs/{job}/requirements/{n}")).await;
        page.is(200).has(parts).has(&["the requirement can be violated"]);
        assert!(!page.text.contains("{reached}") && !page.text.contains("{never}"), "{}", page.text);
    };
    check(
        2,
        &[
            "✔ Holds in every cycle",
            "k-induction with k = 2",
            "<code>NOT PumpA OR RunLatch</code>",
            "3 obligations",
            "36 ms",
            "Cycle time exactly",
        ],
    )
    .await;
    check(3, &["? Not decided", "no violation in the first 23 cycles", "time limit of 10 min", "choose “Overnight”"]).await;
    check(4, &["◐ No violation", "no violation in the first 40 cycles", "not proved beyond"]).await;
    check(5, &["⚠ Holds, but only because", "says nothing about", "assumptions"]).await;
    check(6, &["– Not checked", "does not model", "POINTER"]).await;
    check(7, &["Stopped before it was decided", "Neither a violation nor a proof"]).await;
    check(8, &["Internal error", "a defect of the tool"]).await;
}

/// Checks that colour, words and count of an answer follow from its class on every page.
#[tokio::test]
async fn only_unconditional_answers_are_green() {
    let mut outcome = crate::report::example::booster();
    let proof = outcome.results[1].proof.clone();
    let condition = crate::report::outcome::Condition {
        text: "several TASKs".into(),
        detail: Some("that one interrupts another is not verified".into()),
        place: Some(outcome.import.gaps[0].place.clone()),
    };
    outcome.results[1].conditions.push(condition);
    outcome.results[4].proof = proof;
    outcome.results.retain(|r| r.proof.is_some());
    crate::report::conditions::apply(&mut outcome);
    let site = Site::with(&outcome, |_| {});
    site.work();
    let job = site.job(json!({})).await;
    site.ended(&job).await;
    let listed = "several TASKs <span class=\"where\">(booster.st, line 17)</span>: that one interrupts another is not verified";
    let headline = "◩ Holds in every cycle, given 1 assumption, under 1 condition — proved";
    site.get(&format!("/runs/{job}/requirements/1")).await.is(200).has(&[
        "<div class=\"banner warn\">",
        &format!("<title>R2: {headline} – Scanproof</title>"),
        &format!("<h1>{headline}</h1>"),
        listed,
        "under the condition above",
    ]);
    let vacuous = site.get(&format!("/runs/{job}/requirements/2")).await;
    vacuous.is(200).has(&[
        "<div class=\"banner warn\">",
        "⚠ Holds, but only because Interlock can never be TRUE",
        "says nothing about",
    ]);
    assert!(!vacuous.text.contains("Whatever the inputs do"), "{}", vacuous.text);
    let report = site.get(&format!("/runs/{job}")).await;
    report.is(200).has(&["⚠ 1 of 2 requirements can never be put to the test", "◩ 1 under conditions", "⚠ 1 vacuous", listed]);
    let only = site.get(&format!("/runs/{job}?only=conditional")).await;
    only.is(200).has(&[headline]);
    assert!(!only.text.contains("If Interlock then stop."));
    site.get("/").await.is(200).has(&["<span class=\"verdict warn\">◩ 1 under conditions</span>"]);
    let tally = site.get(&format!("/api/v1/jobs/{job}/results")).await.json();
    assert_eq!((&tally["tally"]["holds"], &tally["tally"]["conditional"]), (&json!(0), &json!(1)));
    assert_eq!(tally["results"][0]["class"], "conditional");
}

#[tokio::test]
async fn an_upload_without_a_program_shows_the_form_again() {
    let site = Site::new();
    let empty = [("file", Some(""), b"" as &[u8]), ("paste", None, b"  \n"), ("label", None, b"")];
    site.multipart("/check", &empty).await.is(422).has(&["Choose at least one file", "name=\"paste\""]);
    let pasted = site.multipart("/check", &[("paste", None, b"PROGRAM p END_PROGRAM")]).await;
    pasted.is(303);
    site.get(pasted.header("location")).await.has(&["<h1>pasted.st</h1>"]);
}

#[tokio::test]
async fn a_sample_is_one_click() {
    let site = Site::new();
    let address = site.form("/samples/pump/booster", &[]).await.is(303).header("location").to_string();
    site.get(&address).await.is(200).has(&["value=\"PumpA AND NOT ValveFB\"", "Booster pump that reads a stale valve state"]);
    let encoded = site.form("/samples/pump%2Fbooster", &[]).await;
    assert_eq!(encoded.is(303).header("location"), address);
    for wrong in ["/samples/none", "/samples/../Cargo.toml", "/samples/%2e%2e/Cargo"] {
        site.form(wrong, &[]).await.is(404);
    }
}

#[tokio::test]
async fn a_run_refreshes_itself_without_javascript() {
    let site = Site::new();
    let job = site.job(json!({})).await;
    site.get(&format!("/runs/{job}")).await.is(200).has(&[
        "<noscript><meta http-equiv=\"refresh\"",
        "Waiting for its turn.",
        "… waiting",
        "Pump A must never run",
        &format!("action=\"/runs/{job}/cancel\""),
        &format!("data-events=\"/api/v1/jobs/{job}/events\""),
    ]);
    site.get("/runs/none").await.is(404);
}

#[tokio::test]
async fn a_program_that_cannot_be_verified_cannot_be_started() {
    let mut outcome = crate::report::example::booster();
    outcome.import.diagnostics[0].severity = "error".into();
    let site = Site::with(&outcome, |_| {});
    let program = site.program().await;
    site.get(&format!("/programs/{program}")).await.is(200).has(&["✖ 1 error in the program", "value=\"start\" disabled"]);
    let started = site.form(&format!("/programs/{program}/requirements"), &fields(&[("action", "start")])).await;
    started.is(422).has(&["The program has errors"]);
}

#[tokio::test]
async fn without_a_cause_every_variable_is_shown_and_long_invariants_fold() {
    let mut outcome = crate::report::example::booster();
    outcome.results[0].counterexample.as_mut().unwrap().relevant.clear();
    outcome.results[1].proof.as_mut().unwrap().invariant = (0..30).map(|n| format!("x <> {}", n % 20)).collect();
    let site = Site::with(&outcome, |_| {});
    site.work();
    let job = site.job(json!({})).await;
    site.ended(&job).await;
    site.get(&format!("/runs/{job}/requirements/1")).await.is(200).has(&["<code>Starts</code>", "All 8 variables."]);
    let proof = site.get(&format!("/runs/{job}/requirements/2")).await;
    proof.is(200).has(&["12 more parts", "Put to the test", "in cycle 2</summary>", "Sensitivity: would it notice mistakes?"]);
    proof.has(&["1 of 2 changes of the program would be noticed.", "1 change not noticed, of 2 that were tried"]);
    assert_eq!(proof.text.matches("<code>x &#60;&#62; ").count(), 20);
}

#[tokio::test]
async fn a_long_counterexample_is_shown_in_a_window() {
    let mut outcome = crate::report::example::booster();
    let cex = outcome.results[0].counterexample.as_mut().unwrap();
    let (first, last) = (cex.cycles[0].clone(), cex.cycles[1].clone());
    cex.cycles = vec![first; 300];
    cex.cycles.push(last);
    for (i, cycle) in cex.cycles.iter_mut().enumerate() {
        cycle.number = i as u32 + 1;
    }
    let site = Site::with(&outcome, |_| {});
    site.work();
    let job = site.job(json!({})).await;
    site.ended(&job).await;
    let page = format!("/runs/{job}/requirements/1");
    let end = site.get(&page).await;
    end.is(200).has(&["cycle 301 of 301", "cycles 1–285 are not in view", "✖ broken here"]);
    assert!(end.text.len() < 60_000, "{}", end.text.len());
    let middle = site.get(&format!("{page}?cycle=150")).await;
    middle.is(200).has(&["cycles 1–141 are not in view", "cycles 158–300 are not in view", "first</a>", "last</a>"]);
    // The cycle that breaks it is in view from everywhere.
    middle.has(&["✖ broken here", "?cycle=301"]);
}

#[tokio::test]
async fn equal_stretches_are_folded() {
    let mut outcome = crate::report::example::booster();
    let cex = outcome.results[0].counterexample.as_mut().unwrap();
    let (first, last) = (cex.cycles[0].clone(), cex.cycles[1].clone());
    let mut quiet = first.clone();
    quiet.values.iter_mut().for_each(|v| v.changed = false);
    cex.cycles = [vec![first], vec![quiet; 299], vec![last]].concat();
    for (i, cycle) in cex.cycles.iter_mut().enumerate() {
        cycle.number = i as u32 + 1;
    }
    let site = Site::with(&outcome, |_| {});
    site.work();
    let job = site.job(json!({})).await;
    site.ended(&job).await;
    let page = format!("/runs/{job}/requirements/1");
    site.get(&page).await.is(200).has(&["cycles 2–300: nothing changes", ">2–300</a>", "✖ broken here"]);
    site.get(&format!("{page}?cycle=150"))
        .await
        .is(200)
        .has(&["cycles 2–149: nothing changes", "cycles 151–300: nothing changes"]);
}

/// The file is in an archive, or is chosen together with the source.
#[tokio::test]
async fn a_requirement_file_beside_a_source_is_used() {
    let site = Site::new();
    let program = b"PROGRAM p VAR_INPUT Go : BOOL; END_VAR VAR q : BOOL; END_VAR q := Go; END_PROGRAM" as &[u8];
    let stated = b"requirements: [{ id: off, never: q AND Go }]" as &[u8];
    let zip = super::api::zip(&[("Plc/p.st", program), ("Plc/p.yaml", stated), ("Plc/requirements.yml", b"cycle: 7ms")]);
    for (files, name, shown) in [
        (
            &[("file", Some("p.zip"), zip.as_slice())] as &[(&str, Option<&str>, &[u8])],
            "Plc/requirements.yml. Not read: Plc/p.yaml.",
            "7ms",
        ),
        (&[("file", Some("p.st"), program), ("file", Some("p.yaml"), stated)], "p.yaml.", "q AND Go"),
    ] {
        let address = site.multipart("/check", files).await.is(303).header("location").to_string();
        site.get(&address).await.is(200).has(&[&format!("The requirements are those of {name}"), shown]);
    }
    // A file that is no requirement file comes back as text.
    let wrong = [("file", Some("p.st"), program), ("file", Some("p.yaml"), b"requirements: [" as &[u8])];
    site.multipart("/check", &wrong).await.is(422).has(&["The requirements are those of p.yaml.", "requirements: ["]);
    // Requirements that were sent as such come first.
    let both =
        [("file", Some("p.st"), program), ("file", Some("p.yaml"), stated), ("requirements", Some("r.yaml"), b"cycle: 9ms")];
    let address = site.multipart("/check", &both).await.is(303).header("location").to_string();
    site.get(&address).await.is(200).has(&["9ms"]);
}
