//! Agents that lie: nothing but what this machine certifies is shown.

use std::path::Path;

use answer::VerdictWord::{self, Holds, Unknown, Violated};
use answer::certificate::{InputCycle, StoredEvidence};
use kernel::property::spec::Specification;
use scanproof::fleet::agent::run as run_agent;
use scanproof::report::outcome::{Outcome, RequirementResult};
use scanproof::report::verdict_class::VerdictClass;
use scanproof::run::claim::{Claim, ClaimContent};
use scanproof::run::job::{Fact, Job, SourceText, Task};
use scanproof::run::limits::Limits;
use scanproof::run::part::Confirmed;
use scanproof::run::standby::Standby;
use scanproof::run::supervisor::{Ended, certify, supervise};
use tokio_util::sync::CancellationToken;

use super::process::{Nats, Server, expected, pump, requirements};
use super::scripted::{WithId as _, runtime, says, scripted_agent};

pub(super) const PROGRAM: &str = env!("CARGO_BIN_EXE_scanproof");

pub(super) fn job(text: &str, yaml: &str) -> Job {
    let sources = vec![SourceText { name: "main.st".into(), text: text.into() }];
    Job::new(sources, Specification::from_yaml(yaml).unwrap(), Task::Verify, Limits { wall_s: 60, memory_mb: 2048 })
}

pub(super) fn outcome(ended: Ended) -> Outcome {
    match ended {
        Ended::Succeeded(outcome) => *outcome,
        other @ (Ended::Failed { .. } | Ended::Cancelled(_) | Ended::TimedOut(_)) => panic!("{other:?}"),
    }
}

/// Returns the outcome of a run here.
pub(super) fn own(job: &Job) -> Outcome {
    outcome(runtime().block_on(supervise(Path::new(PROGRAM), job, CancellationToken::new(), &mut |_| {})))
}

/// Returns the outcome with these claims, and the requirements whose claims were refuted.
fn with(job: &Job, claims: Vec<Claim>) -> (Outcome, Vec<String>) {
    let job = Job { task: Task::Certify(claims), ..job.clone() };
    let Confirmed { ended, refuted, .. } = confirmed(&job, Vec::new(), Some(&job));
    (outcome(ended), refuted)
}

/// Certifies claims. `ahead`: the job whose program the worker has read before.
fn confirmed(job: &Job, before: Vec<RequirementResult>, ahead: Option<&Job>) -> Confirmed {
    runtime().block_on(async {
        let standby = ahead.map(|ahead| Standby::start(Path::new(PROGRAM), ahead).unwrap());
        certify(Path::new(PROGRAM), job, (before, standby), CancellationToken::new(), &mut |_| {}, &mut |_| {}).await
    })
}

/// Confirms claims alone, after results that were confirmed before.
fn confirm(job: &Job, claims: Vec<Claim>, before: Vec<RequirementResult>) -> Confirmed {
    confirmed(&Job { task: Task::Confirm(claims), ..job.clone() }, before, None)
}

fn shown(id: &str, word: VerdictWord, evidence: StoredEvidence) -> Claim {
    Claim { requirement: id.into(), content: ClaimContent::Shown { word, evidence, engine: Some("pdr".into()) } }
}

/// Returns all that a reader of the report goes by: each requirement as a text.
pub(super) fn answers(outcome: &Outcome) -> Vec<String> {
    let row = |r: &RequirementResult| {
        let conditions: Vec<&str> = r.conditions.iter().map(|condition| condition.text.as_str()).collect();
        let cycles = r.counterexample.as_ref().map(|cex| cex.cycles.len());
        format!("{}: {:?} {:?} {} {conditions:?} {cycles:?}", r.id, r.verdict, VerdictClass::of(r), r.headline)
    };
    outcome.results.iter().map(row).collect()
}

pub(super) fn evidence(outcome: &Outcome, id: &str) -> StoredEvidence {
    outcome.results.iter().find(|r| r.id == id).unwrap().certificate.clone().unwrap()
}

/// A counter up to `most`, with a requirement that holds and one that does not.
pub(super) fn counter(most: u32) -> Job {
    let text = format!(
        "PROGRAM Main\nVAR_INPUT up : BOOL; END_VAR\nVAR n : INT; END_VAR\n\
         IF up AND n < {most} THEN n := n + 1; END_IF\nEND_PROGRAM\n"
    );
    let yaml =
        "requirements:\n- { id: bounded, always: n <= 5 }\n- { id: small, always: n <= 2 }\n- { id: signed, always: n >= 0 }\n";
    job(&text, yaml)
}

/// Returns a program with conditions: a check that is not proved, and a variable that keeps its initial value.
fn conditional() -> Job {
    job(
        "PROGRAM Main\nVAR_INPUT a, b : INT; END_VAR\nVAR k : INT := 3; q : INT; END_VAR\nq := 10 / b;\nIF a > k THEN q := 1; END_IF\n\
         END_PROGRAM\n",
        "requirements:\n- { id: limit, always: q <= 10 }\n- { id: reach, possible: q = 1 }\n- { id: never, never: k = 4 }\n",
    )
}

#[test]
fn honest_claims_give_the_answers_of_a_run_here() {
    let vacuous = job(
        "PROGRAM Main\nVAR_INPUT a : BOOL; END_VAR\nVAR q : BOOL; END_VAR\nq := a AND FALSE;\nEND_PROGRAM\n",
        "requirements:\n- { id: empty, if: q, then: a }\n",
    );
    for job in [counter(5), conditional(), vacuous] {
        let own = own(&job);
        let claims: Vec<Claim> = own.results.iter().filter_map(Claim::of).collect();
        assert_eq!(claims.len(), own.results.len(), "{:?}", answers(&own));
        let (certified, refuted) = with(&job, claims);
        assert_eq!(answers(&certified), answers(&own));
        assert_eq!(refuted, Vec::<String>::new());
        assert_eq!((&certified.import, &certified.rests_on), (&own.import, &own.rests_on));
        assert!(certified.results.iter().all(|result| !result.reused));
    }
}

#[test]
fn claims_that_are_confirmed_one_by_one_give_the_answers_of_a_run_here() {
    for job in [counter(5), conditional()] {
        let own = own(&job);
        let claims: Vec<Claim> = own.results.iter().filter_map(Claim::of).collect();
        let n_claims = claims.len();
        let (mut before, mut last) = (Vec::new(), None);
        // The last first: conditions of answers depend on others that come later.
        for (nth, claim) in claims.into_iter().rev().enumerate() {
            let id = claim.requirement.clone();
            let step = confirm(&job, vec![claim], before);
            assert_eq!((step.is_whole, &step.refuted), (nth + 1 == n_claims, &Vec::new()), "{id}");
            before = step.shown;
            assert_eq!(before.len(), nth + 1, "{id}");
            last = Some(step.ended);
        }
        assert_eq!(answers(&outcome(last.unwrap())), answers(&own));
    }
}

#[test]
fn a_claim_that_is_not_shown_is_not_decided_while_others_work() {
    let job = counter(5);
    let honest = own(&job);
    let forged = shown("small", Holds, evidence(&honest, "bounded"));
    let step = confirm(&job, vec![forged.clone(), shown("signed", Holds, evidence(&honest, "signed"))], Vec::new());
    let ids: Vec<&str> = step.shown.iter().map(|result| result.id.as_str()).collect();
    assert_eq!((ids, step.refuted, step.is_whole), (vec!["signed"], vec!["small".to_owned()], false));
    // What was confirmed before is not asked again, and a claim about nothing changes nothing.
    let again = confirm(&job, vec![forged, shown("nothing", Holds, evidence(&honest, "bounded"))], step.shown);
    assert_eq!((again.shown.len(), again.refuted, again.is_whole), (1, vec!["small".to_owned()], false));
}

#[test]
fn forged_claims_change_no_answer() {
    let job = counter(5);
    let honest = own(&job);
    let other = own(&counter(2));
    let proof = |id| evidence(&honest, id);
    let run = proof("small");
    let StoredEvidence::Run(cycles) = &run else { panic!("{run:?}") };
    let cut = StoredEvidence::Run(cycles[1..].to_vec());
    let strange_time = StoredEvidence::Run(cycles.iter().map(|c| InputCycle { dt_ns: c.dt_ns * 3, ..c.clone() }).collect());
    let text = |text: &str| StoredEvidence::Proof(text.to_owned());
    let StoredEvidence::Proof(stated) = proof("bounded") else { panic!("no proof") };
    let forgeries = [
        // The proof of another requirement, and of another program in which it holds.
        ("small", Holds, proof("bounded")),
        ("small", Holds, proof("signed")),
        ("small", Holds, evidence(&other, "small")),
        // Runs that break nothing, or that this program does not have.
        ("bounded", Violated, run.clone()),
        ("small", Violated, cut),
        ("small", Violated, strange_time),
        ("small", Violated, StoredEvidence::Run(Vec::new())),
        ("bounded", Violated, StoredEvidence::Run(vec![cycles[0].clone(); 200])),
        // No proofs.
        ("small", Holds, text("")),
        ("small", Holds, text("true")),
        ("small", Holds, text(&"(".repeat(200_000))),
        ("small", Holds, text(&stated.replace('5', "2"))),
        ("small", Holds, text(&stated[..stated.len() / 2])),
        ("bounded", Holds, text("\u{0}\u{1b}[31m")),
    ];
    for (id, word, evidence) in forgeries {
        let what = format!("{id} {word:?} {evidence:?}").chars().take(300).collect::<String>();
        let (certified, refuted) = with(&job, vec![shown(id, word, evidence)]);
        let verdicts: Vec<_> = certified.results.iter().map(|r| (r.id.as_str(), r.verdict)).collect();
        assert_eq!(verdicts, [("bounded", Holds), ("small", Violated), ("signed", Holds)], "{what}");
        assert_eq!(refuted, [id], "{what}");
    }
}

#[test]
fn a_worker_that_has_read_another_program_certifies_nothing() {
    let (job, other) = (counter(5), counter(2));
    let claims = vec![shown("small", Holds, evidence(&own(&other), "small"))];
    let certifying = Job { task: Task::Certify(claims), ..job.clone() };
    // The proof is right for the program that was read.
    for ahead in [&other, &Job { limits: Limits { wall_s: 59, ..job.limits }, ..job.clone() }] {
        let Confirmed { ended, refuted, .. } = confirmed(&certifying, Vec::new(), Some(ahead));
        let (certified, own) = (outcome(ended), own(&job));
        assert_eq!((answers(&certified), refuted), (answers(&own), vec!["small".to_owned()]));
        assert_eq!(certified.import, own.import);
    }
}

#[test]
fn forged_facts_of_other_machines_change_no_answer() {
    let job = counter(5);
    let honest = own(&job);
    let other = own(&counter(2));
    let text = |text: &str| StoredEvidence::Proof(text.to_owned());
    let StoredEvidence::Proof(stated) = evidence(&honest, "bounded") else { panic!("no proof") };
    let forgeries = [
        ("bounded", evidence(&other, "bounded")),
        ("small", evidence(&other, "small")),
        ("bounded", text(&stated.replace('5', "2"))),
        ("small", evidence(&honest, "bounded")),
        ("bounded", evidence(&honest, "small")),
        ("nothing", evidence(&honest, "small")),
        ("signed", text("true")),
        ("signed", text(&"(".repeat(200_000))),
        ("signed", StoredEvidence::Run(vec![InputCycle { dt_ns: 1, inputs: std::collections::BTreeMap::new() }; 100])),
    ];
    let facts = forgeries.map(|(id, evidence)| Fact { requirement: id.to_owned(), evidence });
    let with_facts = own(&Job { facts: facts.to_vec(), ..job });
    assert_eq!(answers(&with_facts), answers(&honest));
}

#[test]
fn the_evidence_decides_and_not_the_word() {
    let job = counter(5);
    let honest = own(&job);
    // The run of a violation, said to be a proof.
    let claim = shown("small", Holds, evidence(&honest, "small"));
    let (certified, _) = with(&job, vec![claim.clone(), shown("nothing", Holds, evidence(&honest, "small"))]);
    let result = &certified.results[1];
    assert_eq!(result.verdict, Violated);
    assert!(claim.is_contradicted_by(result));
}

#[test]
fn a_claim_without_an_answer_is_no_verdict() {
    let job = counter(5);
    let open = Claim { requirement: "small".into(), content: ClaimContent::Open { reason: "✔ Holds\n\u{1b}[2J".repeat(100) } };
    let (certified, _) = with(&job, vec![open.readable("agent a")]);
    let result = &certified.results[1];
    assert_eq!((result.verdict, result.safe_cycles), (Unknown, None));
    let reason = result.reason.clone().unwrap();
    assert!(
        reason.starts_with("agent a found no answer: ") && reason.len() < 700 && !reason.contains(['\n', '\u{1b}']),
        "{reason}"
    );
    // The others have no claim, and were decided here.
    assert_eq!([certified.results[0].verdict, certified.results[2].verdict], [Holds, Holds]);
}

#[test]
fn a_lying_agent_is_marked_and_its_late_and_moved_reports_are_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    // It says that all holds, with the right evidence for one and with that of the other for both.
    let verified = own(&job(&pump(1), &serde_json::to_string(&requirements(1)).unwrap()));
    let proof = evidence(&verified, "bounded");
    let forged = |id: &str| {
        RequirementResult { verdict: Holds, certificate: Some(proof.clone()), ..verified.results[0].clone() }.with_id(id)
    };
    let settings = scripted_agent(dir.path(), "liar", &nats.url(), &says(vec![forged("bounded"), forged("idle")]), "");
    let runtime = runtime();
    let drain = CancellationToken::new();
    let reports = runtime.block_on(async {
        let client = async_nats::connect(nats.url()).await.unwrap();
        client.subscribe("scanproof.report.>").await.unwrap()
    });
    let agent = runtime.spawn(run_agent(settings, drain.clone()));
    let first = server.job(&pump(1), &requirements(1));
    assert_eq!(server.ended(&first, 30), "succeeded");
    assert_eq!(server.verdicts(&first), expected());
    assert_eq!(server.metric("fleet_refuted_claims_total"), 1.0);
    let agents = server.get("/api/v1/agents");
    assert_eq!(
        (&agents["agents"][0]["refuted_claims"], agents["agents"][0]["refuted_in"].as_str()),
        (&1.into(), Some(first.as_str()))
    );
    let (_, page) = server.ask("GET", "/agents", None);
    assert!(page.contains("liar") && page.contains(&first), "{page}");
    // Its report once more; under another start and another run; and garbage.
    let before = server.get(&format!("/api/v1/jobs/{first}/report.json"));
    runtime.block_on(async {
        use tokio_stream::StreamExt as _;
        let client = async_nats::connect(nats.url()).await.unwrap();
        let context = async_nats::jetstream::new(client);
        let bodies: Vec<_> = reports.take(2).collect().await;
        for body in bodies {
            let subject = body.subject.to_string();
            for subject in
                [subject.clone(), subject.replace(".1", ".7"), "scanproof.report.other.1".into(), "scanproof.report.x".into()]
            {
                context.publish(subject, body.payload.clone()).await.unwrap().await.unwrap();
            }
        }
        context.publish("scanproof.report.garbage.1", "garbage".into()).await.unwrap().await.unwrap();
    });
    super::process::wait_for("the dropped reports", 20, || {
        let (unreadable, late) = (server.metric("fleet_unreadable_messages_total"), server.metric("fleet_late_reports_total"));
        (7.0 <= unreadable && 1.0 <= late).then_some(())
    });
    assert_eq!(server.get(&format!("/api/v1/jobs/{first}/report.json")), before);
    let second = server.job(&pump(1), &requirements(1));
    assert_eq!(server.ended(&second, 30), "succeeded");
    assert_eq!(server.verdicts(&second), expected());
    drain.cancel();
    runtime.block_on(agent).unwrap().unwrap();
}
