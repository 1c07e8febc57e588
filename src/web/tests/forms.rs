//! The requirement form: it keeps entries, shows mistakes beside their fields, and reaches every variable.

use super::pages::fields;
use super::site::Site;
use crate::report::environment::{SharedKind, SharedRow};
use crate::report::example::booster;
use crate::report::outcome::{Outcome, VariableRole, VariableSummary};

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
    for action in ["add-blank", "add:assumption", "drop:7", "nonsense"] {
        let fields: Vec<_> = entered
            .iter()
            .copied()
            .chain([("action", action), ("r1-kind", "pattern-forbidden"), ("r1-part0", "Unfit")])
            .collect();
        let answer = site.form(&address, &fields).await;
        answer.has(&kept).has(&["value=\"Unfit\""]);
        let fresh = answer.text.matches("autofocus").count();
        // An unknown button starts the run. The mistake then has the focus.
        assert_eq!(fresh, usize::from(!action.starts_with("drop")), "{action}");
    }
    let dropped: Vec<_> = entered.iter().copied().chain([("action", "drop:0")]).collect();
    assert!(!site.form(&address, &dropped).await.text.contains("StartCmd\" list"));

    let bad_cycle = [("cycle", "soon"), ("action", "start"), ("r0-kind", "pattern-forbidden"), ("r0-part0", "PumpA")];
    site.form(&address, &bad_cycle).await.is(422).has(&[
        "cycle time <code>soon</code>",
        "value=\"soon\"",
        "value=\"PumpA\"",
        "1 mistake to mend",
    ]);
}

#[tokio::test]
async fn an_unknown_variable_is_told_beside_its_field() {
    let site = Site::new();
    site.work();
    let program = site.program().await;
    let address = format!("/programs/{program}/requirements");
    // The blank row above states no requirement. It does not shift the message.
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
        "1 mistake to mend. The run did not check these requirements.",
    ]);
    // A form with other requirements does not show the message.
    let other = again.split("&run=").next().unwrap().split("specification=").next().unwrap().to_owned() + &format!("run={job}");
    assert!(!site.get(&other).await.is(200).text.contains("to mend"));
    // If the whole form is refused, it is shown at once.
    let unfit = [("action", "start"), ("a0-expr", "Unfit")];
    site.form(&address, &fields(&unfit)).await.is(422).has(&[
        "id=\"a0-expr-error\">✖ there is no variable <code>Nonsense</code>",
        "1 mistake to mend. Nothing was started, nothing is lost.",
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
async fn an_engine_is_chosen_in_the_form_and_refused_as_everywhere() {
    let (site, job) = Site::finished().await;
    let job = site.get(&format!("/api/v1/jobs/{job}")).await.json();
    let page = format!("/programs/{}/requirements", job["program"].as_str().unwrap());
    let check = async |fields: &[(&str, &str)], words: &str| {
        let all: Vec<(&str, &str)> = fields.iter().copied().chain([("action", "start")]).collect();
        let answer = site.form(&page, &all).await;
        answer.is(422).has(&[words, "aria-invalid", "<details class=\"experts\" open>"]);
        answer.has(&["as Impact: blk l, merge within blocks, forced covering on"]);
    };
    check(&[("engine", "magic")], "there is no engine `magic`").await;
    check(&[("engine", "k-induction"), ("option.k-induction.k", "-1")], "option `k` cannot be `-1`").await;
    check(&[("engine", "cegar"), ("option.cegar.blk", "3")], "option `blk` has a meaning only with the encoding ABE").await;
    check(&[("engine", "bmc"), ("option.cegar.domain", "EXPL")], "option `domain` of the engine `cegar` is set").await;
    let page = site.get(&format!("/runs/{}/requirements/2", job["id"].as_str().unwrap())).await;
    page.is(200).has(&["class=\"bars\"", "/model?format=btor2", "class=\"graph\""]);
}

/// Returns the form of a run: the link behind its report.
async fn again(site: &Site, run: &str) -> String {
    assert_eq!(site.ended(run.rsplit('/').next().unwrap()).await, "succeeded");
    let report = site.get(run).await;
    let link = report.text.split('"').find(|part| part.starts_with("/programs/")).unwrap().replace("&amp;", "&");
    site.get(&link).await.is(200).text.clone()
}

#[tokio::test]
async fn a_dialect_is_chosen_and_kept() {
    let site = Site::new();
    site.work();
    let address = format!("/programs/{}/requirements", site.program().await);
    let form = site.get(address.trim_end_matches("/requirements")).await;
    for row in plc_frontend::dialect::DIALECTS {
        form.has(&[&format!("<option value=\"{}\">{}</option>", row.name, row.title)]);
    }
    let chosen = [("r0-kind", "pattern-forbidden"), ("r0-part0", "PumpA"), ("dialect", "siemens-tia")];
    let added = site.form(&address, &fields(&[&chosen[..], &[("action", "add:assumption")]].concat())).await;
    added.is(200).has(&["<option value=\"siemens-tia\" selected>"]);
    let yaml = site.form(&address, &fields(&[&chosen[..], &[("action", "yaml")]].concat())).await;
    yaml.has(&["dialect: siemens-tia"]);
    let run = site.form(&address, &fields(&[&chosen[..], &[("action", "start")]].concat())).await;
    let form = again(&site, run.is(303).header("location")).await;
    assert!(form.contains("<option value=\"siemens-tia\" selected>") && form.contains("id=\"r0-part0\""), "{form}");
    let strange = site.form(&address, &[("dialect", "basic"), ("action", "start")]).await;
    strange.is(422).has(&["id=\"dialect-error\">✖ there is no dialect <code>basic</code>", "1 mistake to mend"]);
}

/// Returns the example with `n` inputs, V1 and so on.
fn many(n: usize) -> Outcome {
    let mut outcome = booster();
    let row = |n: usize| SharedRow {
        variable: format!("V{n}"),
        ty: "INT".into(),
        kind: SharedKind::Input,
        any_start: false,
        range: None,
        initial: None,
        why: "VAR_INPUT of the entry".into(),
        stated: false,
        place: outcome.results[0].counterexample.as_ref().unwrap().cycles[0].steps[0].place.clone(),
    };
    outcome.environment = (1..=n).map(row).collect();
    outcome
}

#[tokio::test]
async fn every_variable_of_a_large_program_can_be_reached() {
    let site = Site::with(&many(700), |_| {});
    site.work();
    let program = format!("/programs/{}", site.program().await);
    let address = format!("{program}/requirements");
    let shows = |text: &str, n: usize| text.contains(&format!("<code>V{n}</code>"));
    let page = site.get(&program).await;
    page.has(&["401 more variables are not shown", "name=\"variables\""]);
    assert!(shows(&page.text, 1) && shows(&page.text, 299) && !shows(&page.text, 300));
    // By a link.
    let page = site.get(&format!("{program}?variables=v65")).await;
    assert!(shows(&page.text, 65) && shows(&page.text, 650) && !shows(&page.text, 1));
    page.has(&["689 more variables are not shown", "name=\"variables\" value=\"v65\""]);
    // By a button, and by the Enter key; what was changed before stays.
    let changed = [("e0-path", "V1"), ("e0-kind", "frozen"), ("e0-implied", "input"), ("e0-range", ""), ("variables", "V700")];
    for action in ["filter", "enter"] {
        let page = site.form(&address, &[&changed[..], &[("action", action)]].concat()).await;
        page.is(200).has(&["<option value=\"frozen\" selected>"]);
        assert!(shows(&page.text, 1) && shows(&page.text, 700) && !shows(&page.text, 2), "{action}");
    }
    // With an unchanged filter, the Enter key starts the run. The changed row becomes a stated row.
    let entered = [("variables-applied", "V700"), ("r0-kind", "pattern-forbidden"), ("r0-part0", "PumpA"), ("action", "enter")];
    let run = site.form(&address, &[&changed[..], &entered[..]].concat()).await;
    let form = again(&site, run.is(303).header("location")).await;
    assert!(shows(&form, 1) && form.contains("<option value=\"frozen\" selected>"), "{form}");
    // A small program needs no filter.
    let site = Site::with(&many(299), |_| {});
    let page = site.get(&format!("/programs/{}", site.program().await)).await;
    assert!(shows(&page.text, 299) && !page.text.contains("name=\"variables\""));
}

#[tokio::test]
async fn a_stated_default_is_kept_through_the_form() {
    let mut outcome = many(1);
    outcome.environment[0].kind = SharedKind::Frozen;
    let site = Site::with(&outcome, |_| {});
    let program = ("file", Some("a.st"), b"PROGRAM a END_PROGRAM" as &[u8]);
    let sent = site.multipart("/check", &[program, ("requirements", Some("a.yaml"), b"frozen: [V1]\ninputs: [V2]\n")]).await;
    let page = site.get(sent.is(303).header("location")).await;
    page.has(&["<option value=\"\">default: keeps its initial value (a condition of answers)</option>"]);
    page.has(&["<option value=\"frozen\" selected>frozen: nothing writes it</option>"]);
    let address = page.text.split('"').find(|part| part.ends_with("/requirements")).unwrap().to_owned();
    let rows = [
        ("e0-path", "V2"),
        ("e0-kind", "input"),
        ("e0-implied", "input"),
        ("e1-path", "V1"),
        ("e1-kind", "frozen"),
        ("e1-implied", "frozen"),
    ];
    let yaml = site.form(&address, &[&rows[..], &[("action", "yaml")]].concat()).await;
    yaml.is(200).has(&["inputs:\n  - V2\nfrozen:\n  - V1\n"]);
    // A default gets no row in the requirement file.
    let default = [("e0-path", "V1"), ("e0-kind", ""), ("e0-implied", "frozen"), ("action", "yaml")];
    assert!(!site.form(&address, &default).await.is(200).text.contains("V1"));
}

#[tokio::test]
async fn grounds_are_left_out_where_the_form_has_a_mistake() {
    let site = Site::new();
    let program = format!("/programs/{}", site.program().await);
    let grounds = "Basis of every result";
    site.get(&program).await.has(&[grounds]);
    let address = format!("{program}/requirements");
    let fine = [("r0-kind", "pattern-forbidden"), ("r0-part0", "PumpA"), ("start-kind", "warm"), ("action", "add:assumption")];
    site.form(&address, &fields(&fine)).await.is(200).has(&[grounds]);
    let mistake = [("a0-expr", "Unfit"), ("action", "add:assumption")];
    assert!(!site.form(&address, &fields(&mistake)).await.is(200).text.contains(grounds));
}

#[tokio::test]
async fn what_the_form_has_no_rows_for_stays_a_requirement_file() {
    let site = Site::new();
    let file = |n: usize| {
        let rows: Vec<String> = (0..n).map(|i| format!("V{i}")).collect();
        format!("memory: [{}]\n", rows.join(", "))
    };
    let program = ("file", Some("a.st"), b"PROGRAM a END_PROGRAM" as &[u8]);
    for (n, is_file) in [(300, false), (301, true)] {
        let sent = site.multipart("/check", &[program, ("requirements", Some("a.yaml"), file(n).as_bytes())]).await;
        let page = site.get(sent.is(303).header("location")).await;
        assert_eq!(page.text.contains("<textarea id=\"yaml\""), is_file, "{n}");
    }
}

#[tokio::test]
async fn a_suggestion_counts_only_once_it_is_added() {
    let mut outcome = booster();
    let (ty, role) = ("BOOL".to_owned(), VariableRole::Output);
    let output = |name: &str| VariableSummary { name: name.to_owned(), ty: ty.clone(), role, values: Vec::new() };
    outcome.import.variables.extend([output("ValveOpen"), output("ValveClose")]);
    let site = Site::with(&outcome, |_| {});
    let address = format!("/programs/{}", site.program().await);
    let button = "value=\"suggest:pattern-forbidden:ValveOpen AND ValveClose\"";
    let page = site.get(&address).await;
    page.is(200).has(&[button, "1 suggestion; none counts until you add it"]);
    assert!(!page.text.contains("r0-kind"), "{}", page.text);
    let action = [("action", "suggest:pattern-forbidden:ValveOpen AND ValveClose")];
    let added = site.form(&format!("{address}/requirements"), &fields(&action)).await;
    added.is(200).has(&["name=\"r0-kind\" value=\"pattern-forbidden\"", "value=\"ValveOpen AND ValveClose\" list"]);
    assert!(!added.text.contains(button), "{}", added.text);
}
