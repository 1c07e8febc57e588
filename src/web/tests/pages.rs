//! The pages, as a browser without JavaScript walks through them.

use serde_json::json;

use super::site::Site;

const FORM: [(&str, &str); 4] = [("cycle", "100ms"), ("cycle-to", ""), ("check-division_by_zero", "on"), ("thorough", "quick")];

/// The form's fields besides the usual ones.
fn fields<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
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
        "<code>SIN</code>",
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
    check(3, &["? Not decided", "no violation in the first 23 cycles", "time limit of 10 min", "Overnight"]).await;
    check(4, &["◐ No violation", "no violation in the first 40 cycles", "not proved beyond"]).await;
    check(5, &["⚠ Holds, but only because", "says nothing about", "assumptions"]).await;
    check(6, &["– Not checked", "does not model", "POINTER"]).await;
    check(7, &["Stopped before it was decided", "Neither a violation nor a proof"]).await;
    check(8, &["Internal error", "a defect of the tool"]).await;
}

/// The colour, the words and the count of an answer follow from its class on every page.
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
async fn nothing_entered_is_lost() {
    let site = Site::new();
    let address = format!("/programs/{}/requirements", site.program().await);
    let entered = [
        ("r0-kind", "pattern-statechange-betweencycles"),
        ("r0-id", "R<1>"),
        ("r0-text", "words \"quoted\""),
        ("r0-part0", "StartCmd"),
        ("r0-part1", "a < b"),
        ("r0-part2", "PumpA & 'x'"),
        ("a0-expr", "NOT StopCmd"),
        ("a0-text", "pressed rarely"),
        ("cycle", "5ms"),
        ("cycle-to", "120ms"),
    ];
    let kept = [
        "R&#60;1&#62;",
        "words &#34;quoted&#34;",
        "a &#60; b",
        "PumpA &#38; &#39;x&#39;",
        "NOT StopCmd",
        "pressed rarely",
        "5ms",
        "120ms",
    ];
    for action in ["add:pattern-forbidden", "add:pattern-implication", "add:assumption", "drop:7", "nonsense"] {
        let fields: Vec<_> = entered
            .iter()
            .copied()
            .chain([("action", action), ("r1-kind", "pattern-forbidden"), ("r1-part0", "Unfit")])
            .collect();
        let answer = site.form(&address, &fields).await;
        answer.has(&kept).has(&["value=\"Unfit\""]);
        let fresh = answer.text.matches("autofocus").count();
        // A button without a meaning starts the run: the mistake has the focus then.
        assert_eq!(fresh, usize::from(!action.starts_with("drop")), "{action}");
    }
    let dropped: Vec<_> = entered.iter().copied().chain([("action", "drop:0")]).collect();
    assert!(!site.form(&address, &dropped).await.text.contains("StartCmd\" list"));

    let bad_cycle = [("cycle", "soon"), ("action", "start"), ("r0-kind", "pattern-forbidden"), ("r0-part0", "PumpA")];
    site.form(&address, &bad_cycle).await.is(422).has(&[
        "cycle time <code>soon</code>",
        "value=\"soon\"",
        "value=\"PumpA\"",
        "1 entry to mend",
    ]);
}

#[tokio::test]
async fn an_unknown_variable_is_told_beside_its_field() {
    let site = Site::new();
    site.work();
    let program = site.program().await;
    let address = format!("/programs/{program}/requirements");
    // The blank row before it states nothing and does not shift the message.
    let more = [
        ("action", "start"),
        ("r0-kind", "pattern-implication"),
        ("r0-part0", ""),
        ("r1-kind", "pattern-forbidden"),
        ("r1-part0", "Nonsense"),
    ];
    let run = site.form(&address, &fields(&more)).await.is(303).header("location").to_owned();
    let job = run.trim_start_matches("/runs/").to_owned();
    site.ended(&job).await;
    let report = site.get(&run).await;
    let again = report.text.split('"').find(|part| part.starts_with("/programs/")).unwrap().replace("&amp;", "&");
    site.get(&again).await.is(200).has(&[
        "id=\"r0-part0\" name=\"r0-part0\" value=\"Nonsense\"",
        "aria-invalid=\"true\" aria-describedby=\"r0-part0-error\" autofocus",
        "id=\"r0-part0-error\">✖ there is no variable <code>Nonsense</code>; <span class=\"help\">Did you mean <code>PumpA</code>?",
        "1 entry to mend. The run did not check these requirements.",
    ]);
    // With other requirements it is no longer about these.
    let other = again.split("&run=").next().unwrap().split("specification=").next().unwrap().to_owned() + &format!("run={job}");
    assert!(!site.get(&other).await.is(200).text.contains("to mend"));
    // Where the whole is refused, the form is shown at once.
    let unfit = [("action", "start"), ("a0-expr", "Unfit")];
    site.form(&address, &fields(&unfit)).await.is(422).has(&[
        "id=\"a0-expr-error\">✖ there is no variable <code>Nonsense</code>",
        "1 entry to mend. Nothing was started, nothing is lost.",
    ]);
    let yaml = [("mode", "yaml"), ("yaml", "assumptions:\n- expr: Unfit"), ("action", "start")];
    site.form(&address, &yaml).await.is(422).has(&["line 2: there is no variable", "Did you mean", "- expr: Unfit</textarea>"]);
}

#[tokio::test]
async fn fields_and_yaml_are_two_views_of_one_specification() {
    let site = Site::new();
    let address = format!("/programs/{}/requirements", site.program().await);
    let more = [
        ("r0-kind", "pattern-implication"),
        ("r0-part0", "StartCmd"),
        ("r0-part1", "PumpA"),
        ("r0-id", "R1"),
        ("action", "yaml"),
    ];
    let yaml = site.form(&address, &fields(&more)).await;
    yaml.is(200).has(&["- id: R1\n    if: StartCmd\n    then: PumpA\n", "checks: [&#34;division_by_zero&#34;]"]);
    let text = "requirements:\n  - id: R1\n    if: StartCmd\n    then: PumpA\nchecks: []\ncycle: {min: 1ms, max: 2s}";
    let back = site.form(&address, &[("mode", "yaml"), ("yaml", text), ("action", "fields")]).await;
    back.is(200).has(&["value=\"StartCmd\"", "value=\"PumpA\"", "value=\"1ms\"", "value=\"2000ms\""]);
    assert!(!back.text.contains(" checked>"), "no check is switched on");
    let by_pattern = "requirements:\n- pattern: pattern-forbidden\n  params: [PumpA]";
    site.form(&address, &[("mode", "yaml"), ("yaml", by_pattern), ("action", "fields")]).await.has(&["value=\"PumpA\""]);
    let strange = "requirements:\n- never: a\n  always: b";
    let stays = site.form(&address, &[("mode", "yaml"), ("yaml", strange), ("action", "fields")]).await;
    stays.has(&["they stay a requirement file", "<textarea id=\"yaml\""]);
    let wrong = site.form(&address, &[("mode", "yaml"), ("yaml", "requirements: ["), ("action", "start")]).await;
    wrong.is(422).has(&["requirements: [</textarea>", "line 1"]);
}

#[tokio::test]
async fn a_requirement_file_can_come_with_the_upload() {
    let site = Site::new();
    let program = ("file", Some("a.st"), b"PROGRAM a END_PROGRAM" as &[u8]);
    let good = site.multipart("/check", &[program, ("requirements", Some("a.yaml"), b"requirements:\n- never: x > 3")]).await;
    let address = good.is(303).header("location").to_string();
    site.get(&address).await.is(200).has(&["value=\"x &#62; 3\""]);
    let bad = site.multipart("/check", &[program, ("requirements", Some("a.yaml"), b"requirements:\n- nver: x")]).await;
    bad.is(422).has(&["- nver: x</textarea>", "nver", "<h1>a.st</h1>"]);
    site.get("/programs/none").await.is(404);
    site.get(&format!("{}?specification=none", address.split('?').next().unwrap())).await.is(404);
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
    proof.is(200).has(&["12 more parts", "Put to the test", "in cycle 2</summary>", "Would anybody notice?"]);
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

#[tokio::test]
async fn an_engine_is_chosen_in_the_form_and_refused_as_everywhere() {
    let (site, job) = Site::finished().await;
    let job = site.get(&format!("/api/v1/jobs/{job}")).await.json();
    let page = format!("/programs/{}/requirements", job["program"].as_str().unwrap());
    let check = async |fields: &[(&str, &str)], words: &str| {
        let all: Vec<(&str, &str)> = fields.iter().copied().chain([("action", "start")]).collect();
        let answer = site.form(&page, &all).await;
        answer.is(422).has(&[words, "aria-invalid", "<details class=\"experts\" open>"]);
    };
    check(&[("engine", "magic")], "there is no engine `magic`").await;
    check(&[("engine", "k-induction"), ("option.k-induction.k", "-1")], "option `k` cannot be `-1`").await;
    check(&[("engine", "cegar"), ("option.cegar.blk", "3")], "option `blk` has a meaning only with the encoding ABE").await;
    check(&[("engine", "bmc"), ("option.cegar.domain", "EXPL")], "option `domain` of the engine `cegar` is set").await;
    let page = site.get(&format!("/runs/{}/requirements/2", job["id"].as_str().unwrap())).await;
    page.is(200).has(&["class=\"bars\"", "/model?format=btor2", "class=\"graph\""]);
}
