//! Runs over a broker, from the request to the report.

use serde_json::json;

use super::process::{LONG, Nats, Server, agent, expected, long, pump, requirements, wait_for};

#[test]
fn runs_are_done_by_agents_and_answered_as_the_server_itself_would() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let first = server.job(&pump(0), &requirements(0));
    // Without an agent it waits.
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert_eq!(server.state(&first), "queued");
    let mut one = agent(dir.path(), "one", &nats.url(), &[]);
    assert_eq!(server.ended(&first, 30), "succeeded");
    assert_eq!(server.verdicts(&first), expected());
    let outcome = server.get(&format!("/api/v1/jobs/{first}/report.json"));
    for result in outcome["results"].as_array().unwrap() {
        assert_ne!(result["reused"], true);
        assert!(result["engine"].is_string() && result["certificate"].is_object(), "{result}");
    }
    assert_eq!(server.metric("fleet_refuted_claims_total"), 0.0);
    // The same text travels once; a run that is stopped ends at the agent, too.
    let long = server.job(LONG, &long());
    wait_for("the agent at work", 20, || {
        let agents = server.get("/api/v1/agents");
        (agents["agents"][0]["jobs"][0]["job"].as_str() == Some(&long)).then_some(())
    });
    assert_eq!(server.ask("POST", &format!("/api/v1/jobs/{long}/cancel"), None).0, 202);
    assert_eq!(server.ended(&long, 10), "cancelled");
    wait_for("the agent without work", 10, || {
        server.get("/api/v1/agents")["agents"][0]["jobs"].as_array().unwrap().is_empty().then_some(())
    });
    // An agent that drains ends its run and then itself.
    one.signal("TERM");
    let status = wait_for("the end of the agent", 10, || one.0.try_wait().unwrap());
    assert!(status.success());
}

#[test]
fn agents_with_little_memory_leave_runs_to_others() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let _small = agent(dir.path(), "small", &nats.url(), &["--slot-memory-mb".into(), "512".into()]);
    wait_for("the agent", 10, || (server.get("/api/v1/agents")["agents"].as_array()?.len() == 1).then_some(()));
    let job = server.job(&pump(0), &requirements(0));
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!(server.state(&job), "queued");
    let _large = agent(dir.path(), "large", &nats.url(), &[]);
    assert_eq!(server.ended(&job, 30), "succeeded");
}

#[test]
fn a_run_that_asks_for_a_label_or_cores_waits_for_such_an_agent_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let _plain = agent(dir.path(), "plain", &nats.url(), &["--label".into(), "paint-shop".into()]);
    wait_for("the agent", 10, || (server.get("/api/v1/agents")["agents"].as_array()?.len() == 1).then_some(()));
    let needs = json!({ "label": "press-shop" });
    // Also a short run, which a worker of the service would do.
    let labelled: Vec<String> = [9, 60].map(|wall_s| server.job_at(&pump(0), &requirements(0), wall_s, &needs)).into();
    let large = server.job_at(&pump(0), &requirements(0), 60, &json!({ "cores": 100_000 }));
    // Others pass them, also those of other needs.
    let others = [json!({}), json!({ "label": "paint-shop", "cores": 1 })];
    for needs in others {
        let other = server.job_at(&pump(1), &requirements(1), 60, &needs);
        assert_eq!(server.ended(&other, 30), "succeeded");
    }
    for (job, words) in labelled.iter().map(|job| (job, "label press-shop")).chain([(&large, "100000 cores")]) {
        let view = server.get(&format!("/api/v1/jobs/{job}"));
        assert_eq!(view["state"], "queued");
        assert!(view["waits_for"].as_str().unwrap().contains(words), "{view}");
        let (_, page) = server.ask("GET", &format!("/runs/{job}"), None);
        assert!(page.contains("It begins once an agent takes it") && page.contains(words), "{page}");
    }
    assert_eq!(server.ask("GET", "/readyz", None).0, 200);
    let _press =
        agent(dir.path(), "press", &nats.url(), &["--label".into(), "fast".into(), "--label".into(), "press-shop".into()]);
    for job in &labelled {
        assert_eq!(server.ended(job, 30), "succeeded");
        assert_eq!(server.verdicts(job), expected());
        let events = server.get(&format!("/api/v1/jobs/{job}/events?after=0")).to_string();
        assert!(events.contains("agent press works on this run") && !events.contains("agent plain"), "{events}");
    }
    let agents = server.get("/api/v1/agents");
    assert_eq!(agents["agents"][1]["labels"], json!(["fast", "press-shop"]), "{agents}");
    assert!(server.ask("GET", "/agents", None).1.contains("fast, press-shop"));
    assert_eq!(server.state(&large), "queued");
}

#[test]
fn a_run_says_that_its_agent_was_lost_or_that_the_broker_is_away() {
    let dir = tempfile::tempdir().unwrap();
    let mut nats = Nats::start(dir.path());
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let label = || ["--label".to_owned(), "press-shop".to_owned()];
    let _plain = agent(dir.path(), "plain", &nats.url(), &[]);
    let mut press = agent(dir.path(), "press", &nats.url(), &label());
    let needs = json!({ "label": "press-shop" });
    let job = server.job_at(LONG, &long(), 600, &needs);
    let waits_for = || server.get(&format!("/api/v1/jobs/{job}"))["waits_for"].as_str().map(str::to_owned);
    let page_says = |words: &str| server.ask("GET", &format!("/runs/{job}"), None).1.contains(words);
    let is_at_work = || {
        let events = server.get(&format!("/api/v1/jobs/{job}/events?after=0")).to_string();
        events.contains("agent press works on this run").then_some(())
    };
    wait_for("the run at the agent", 30, is_at_work);
    assert_eq!(waits_for(), None);
    press.kill();
    let why = wait_for("a run without its agent", 20, waits_for);
    assert!(why.contains("label press-shop") || why.contains("does not answer"), "{why}");
    wait_for("the missing label", 20, || waits_for().filter(|why| why.contains("no agent that takes runs has label press-shop")));
    assert!(page_says("no agent that takes runs has label press-shop"));
    let _again = agent(dir.path(), "again", &nats.url(), &label());
    wait_for("the run at another agent", 30, || waits_for().is_none().then_some(()));
    // The loss of the broker is told at once, to the run and to those who ask the service.
    nats.kill();
    let why = wait_for("a run without the broker", 2, waits_for);
    assert!(why.contains("no broker answers at nats://"), "{why}");
    let (status, body) = server.ask("GET", "/readyz", None);
    assert!(status == 503 && body.contains("no broker answers"), "{status}: {body}");
    assert!(page_says("no broker answers"));
    let queued = server.job(&pump(1), &requirements(1));
    let view = server.get(&format!("/api/v1/jobs/{queued}"));
    assert!(view["waits_for"].as_str().unwrap().contains("no broker answers"), "{view}");
    nats.restart();
    assert_eq!(server.ended(&queued, 40), "succeeded");
    wait_for("the run without a wait", 20, || waits_for().is_none().then_some(()));
}
