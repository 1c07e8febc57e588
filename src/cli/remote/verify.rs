//! `scanproof remote verify`: programs go to a service, and verdicts come back.
//!
//! **Invariant:** an exit code of 0 needs the outcome of a run that has finished, about files that were sent.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use axum::http::{HeaderMap, Method, header};
use clap::Args;
use serde_json::{Value, json};

use super::ServiceArgs;
use super::service::{Remote, Wanted, encoded, named};
use crate::cli::args::{AgentNeedsArgs, LimitArgs, StatementArgs};
use crate::cli::print::{Detail, complain};
use crate::cli::programs::{Program, collect};
use crate::cli::reports::Reports;
use crate::cli::session::Session;
use crate::cli::verify::{code, counts, summary, understood};
use crate::cli::{BAD_INPUT, Failure, INTERNAL};
use crate::report::outcome::Outcome;
use crate::report::verification::{ProgramReport, Verification};
use crate::store::programs::{Source, program_id};
use crate::web::upload::path_label;
use answer::certificate::sha256;
use kernel::property::spec::{Requirement, Specification};

/// Arguments of `remote verify`.
#[derive(Args)]
pub(super) struct RemoteVerifyArgs {
    /// Files of one program; or directories, as for `verify`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    service: ServiceArgs,
    #[command(flatten)]
    stated: StatementArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    agent: AgentNeedsArgs,
    /// Id of a project of the service: the program becomes its next version, with the requirements that the project keeps
    #[arg(long, value_name = "ID", conflicts_with_all = ["req", "label", "cores"])]
    in_project: Option<String>,
    /// Print one JSON document (see `scanproof schema`) and nothing else
    #[arg(long)]
    json: bool,
    /// Write reports to a folder, as FORMAT=DIR; may be repeated. They are made here, from the verdicts of the service, and not
    /// signed: `scanproof remote report` fetches signed ones
    #[arg(long, value_name = "FORMAT=DIR")]
    report: Vec<String>,
    /// Print with each proof the run that puts the requirement to the test
    #[arg(long, short)]
    verbose: bool,
    /// Do not say where the run can be watched
    #[arg(long, short)]
    quiet: bool,
}

/// Seconds for which an answer waits for the end of the run.
const WAIT: &str = "wait=30";

/// Result of a program.
struct Checked {
    report: ProgramReport,
    specification: Specification,
    /// The service could not do it.
    is_defect: bool,
}

/// Verifies everything that was named, one program after the other.
pub(super) fn run(args: &RemoteVerifyArgs) -> Result<u8, Failure> {
    let session = Session::start()?;
    let remote = Remote::new(&args.service, &session)?;
    let mut files = Reports::wanted(&args.report, &[])?;
    let programs = collect(&args.files, args.stated.req.as_deref(), args.stated.reading.project.as_deref());
    if args.in_project.is_some() && 1 < programs.len() {
        return Err(Failure::usage("a version of a project is one program: name its files, or one directory with one program"));
    }
    let (mut reports, mut is_defect) = (Vec::new(), false);
    for (name, read) in programs {
        let stated_in = read.as_ref().ok().and_then(|program| program.stated_in.clone());
        let checked = match read {
            Err(problem) => Checked::failed(name, problem.0, false),
            Ok(program) => checked(&remote, args, program)?,
        };
        is_defect |= checked.is_defect;
        files.iter_mut().for_each(|files| files.write(&session, &checked.report, &checked.specification, args.limits));
        if !args.json {
            let detail = if args.verbose { Detail::Full } else { Detail::Brief };
            crate::cli::print::program(&checked.report, stated_in.as_ref(), detail);
        }
        reports.push(checked.report);
        if session.cancel.is_cancelled() {
            break;
        }
    }
    files.into_iter().try_for_each(|reports| reports.finish(args.json))?;
    let exit_code = match (session.cancel.is_cancelled(), is_defect) {
        (true, _) => 130,
        (false, true) => INTERNAL,
        (false, false) => code(&reports),
    };
    if args.json {
        let (tally, tool) = (counts(&reports), env!("CARGO_PKG_VERSION").into());
        crate::cli::print::json(&Verification { format: 1, tool, programs: reports, tally, exit_code })?;
    } else {
        summary(&reports);
    }
    Ok(exit_code)
}

impl Checked {
    fn failed(name: String, why: String, is_defect: bool) -> Checked {
        let report = ProgramReport { name, failure: Some(why), ..ProgramReport::default() };
        Checked { report, specification: Specification::default(), is_defect }
    }
}

/// Verifies one program. A program that the service refuses is a row of the result; the others go on.
fn checked(remote: &Remote<'_>, args: &RemoteVerifyArgs, mut program: Program) -> Result<Checked, Failure> {
    args.stated.apply(&mut program.specification);
    let started = match &args.in_project {
        Some(project) => version(remote, project, &program),
        None => job(remote, args, &program),
    };
    let mut run = match started {
        Ok(run) => run,
        Err(failure) if failure.code == BAD_INPUT => return Ok(Checked::failed(program.name, failure.message, false)),
        Err(failure) => return Err(failure),
    };
    let id = run["id"].as_str().ok_or_else(|| Failure::internal("the answer of the service names no run"))?.to_owned();
    if !args.quiet && !args.json {
        complain(&format!("{}: {}", program.name, remote.page(&format!("/runs/{id}"))));
    }
    let mut told = Value::Null;
    while is_open(&run) {
        if run["waits_for"] != told && !args.quiet && !args.json {
            told = run["waits_for"].clone();
            let why = told.as_str().map_or("the run goes on".to_owned(), |why| format!("the run waits: {why}"));
            complain(&format!("{}: {why}", program.name));
        }
        run = match waited(remote, &id) {
            Ok(run) => run,
            Err(failure) if failure.code == 130 => {
                let path = format!("/api/v1/jobs/{}/cancel", encoded(&id));
                remote.last_word(&Wanted { method: Method::POST, path, ..Wanted::default() });
                return Ok(Checked::failed(program.name, "stopped".to_owned(), false));
            }
            Err(failure) => return Err(failure),
        };
    }
    ended(remote, program, &run, args.in_project.is_some())
}

/// Keeps a program and queues a run of it.
fn job(remote: &Remote<'_>, args: &RemoteVerifyArgs, program: &Program) -> Result<Value, Failure> {
    let files: Vec<Value> = program.sources.iter().map(|s| json!({ "name": s.name, "text": s.text })).collect();
    let kept = remote.value(&post("/api/v1/programs", &json!({ "label": program.name, "files": files }))?)?;
    let limits = json!({ "wall_s": args.limits.time_limit, "memory_mb": args.limits.memory_limit });
    let mut new = json!({ "program": kept["id"], "specification": program.specification, "limits": limits });
    // A service of an earlier release knows no needs.
    let needs = args.agent.needs();
    let strategy = if needs.is_empty() { json!({}) } else { json!({ "agent": needs }) };
    new["strategy"] = strategy;
    // The answer comes at once: a command that is stopped knows which run to stop.
    remote.value(&post("/api/v1/jobs", &new)?)
}

/// Adds a version to a project, and returns its run.
fn version(remote: &Remote<'_>, project: &str, program: &Program) -> Result<Value, Failure> {
    let boundary = format!("scanproof-{}", uuid::Uuid::now_v7());
    let mut body = String::new();
    for source in &program.sources {
        let name = in_form(&source.name);
        body.push_str(&format!("--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n"));
        body.push_str(&source.text);
        body.push_str("\r\n");
    }
    body.push_str(&format!("--{boundary}--\r\n"));
    let path = format!("/api/v1/projects/{}/versions", encoded(project));
    let mut wanted = Wanted { method: Method::POST, path, body: body.into(), headers: keyed()? };
    let kind = format!("multipart/form-data; boundary={boundary}").parse().map_err(Failure::internal)?;
    wanted.headers.insert(header::CONTENT_TYPE, kind);
    let added = remote.value(&wanted)?;
    Ok(json!({ "id": added["job"], "state": "queued" }))
}

/// Returns the name of a file as a form can have it.
fn in_form(name: &str) -> String {
    name.chars().map(|c| if c == '"' || c.is_control() { '_' } else { c }).collect()
}

/// Returns a request that sends JSON and is done once, however often it is sent.
fn post(path: &str, body: &Value) -> Result<Wanted, Failure> {
    let mut headers = keyed()?;
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    Ok(Wanted { method: Method::POST, path: path.to_owned(), headers, body: body.to_string().into() })
}

fn keyed() -> Result<HeaderMap, Failure> {
    Ok([named("idempotency-key", &uuid::Uuid::now_v7().to_string())?].into_iter().collect())
}

/// Returns a run, once it has ended or half a minute later.
fn waited(remote: &Remote<'_>, id: &str) -> Result<Value, Failure> {
    let headers: HeaderMap = [named("prefer", WAIT)?].into_iter().collect();
    let answer = remote.answer(&Wanted { path: format!("/api/v1/jobs/{}", encoded(id)), headers, ..Wanted::default() })?;
    let run: Value = serde_json::from_slice(&answer.body).map_err(Failure::internal)?;
    // A service that does not wait says when to ask again.
    if is_open(&run) && !answer.headers.contains_key("preference-applied") {
        let pause = super::service::seconds(&answer).unwrap_or(Duration::from_secs(1));
        remote.session.block_on(async {
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = remote.session.cancel.cancelled() => {}
            }
        });
    }
    Ok(run)
}

fn is_open(run: &Value) -> bool {
    matches!(run["state"].as_str(), Some("queued" | "running"))
}

/// Returns the result of a run that has ended.
fn ended(remote: &Remote<'_>, program: Program, run: &Value, is_of_project: bool) -> Result<Checked, Failure> {
    let id = run["id"].as_str().unwrap_or_default();
    let state = run["state"].as_str().unwrap_or("in no known state");
    let reason = run["reason"].as_str().map(|reason| format!(": {reason}")).unwrap_or_default();
    let failure = match state {
        "succeeded" => None,
        "cancelled" => Some(format!("the run was stopped{reason}")),
        "timed_out" => Some(format!("the run reached its time limit{reason}")),
        state => return Ok(Checked::failed(program.name, format!("the run {state}{reason}"), true)),
    };
    // A run that was stopped before its program was understood has no outcome.
    let outcome = match remote.file(&format!("/api/v1/jobs/{}/report.json", encoded(id))) {
        Ok(bytes) => Some(read(&bytes)?),
        Err(_) if failure.is_some() => None,
        Err(failure) => return Err(failure),
    };
    check_program(&program, run, is_of_project)?;
    if let Some(outcome) = &outcome {
        check_files(&program, outcome)?;
        check_requirements(&program, outcome, is_of_project)?;
    }
    let is_defect = outcome.is_none();
    let report = ProgramReport { name: program.name, outcome, failure, ..ProgramReport::default() };
    Ok(Checked { report, specification: program.specification, is_defect })
}

fn read(bytes: &[u8]) -> Result<Outcome, Failure> {
    let failed =
        |error| Failure::internal(format!("the report of the service cannot be read: {error}. Are both of one version?"));
    serde_json::from_slice(bytes).map_err(failed)
}

/// Checks that a run is of all files that were sent: the id of a program is the hash of their names and texts.
///
/// Soundness: without it a service that left a file out would give the verdict of the others.
fn check_program(program: &Program, run: &Value, is_of_project: bool) -> Result<(), Failure> {
    let name = |name: &str| path_label(&if is_of_project { in_form(name) } else { name.to_owned() });
    let sent = program.sources.iter().map(|sent| Source { name: name(&sent.name), text: sent.text.clone(), note: None });
    let expected = program_id(&sent.collect::<Vec<_>>());
    if run["program"].as_str() == Some(expected.as_str()) {
        return Ok(());
    }
    Err(Failure::internal("the run of the service is not of all files that were sent, and of them alone"))
}

/// Checks that an outcome is about the files that were sent.
///
/// Soundness: verdicts about other files would end with the exit code of these.
fn check_files(program: &Program, outcome: &Outcome) -> Result<(), Failure> {
    let sent: BTreeSet<String> = program.sources.iter().map(|source| sha256(&source.text)).collect();
    let is_sent = |text: &str| sent.contains(&sha256(text));
    let is_about_them = outcome.sources.iter().all(|source| is_sent(&source.text) && source.sha256 == sha256(&source.text));
    if is_about_them && (!outcome.sources.is_empty() || !understood(outcome)) {
        return Ok(());
    }
    Err(Failure::internal("the report of the service is about other files than those that were sent"))
}

/// Checks that an outcome has an answer to each requirement that was sent. A project has requirements of its own.
///
/// Soundness: without it a run that left one out would end with 0.
fn check_requirements(program: &Program, outcome: &Outcome, is_of_project: bool) -> Result<(), Failure> {
    let stated = program.specification.requirements.iter().enumerate();
    let id = |(at, requirement): (usize, &Requirement)| requirement.id.clone().unwrap_or_else(|| format!("R{}", at + 1));
    let is_answered = |id: String| outcome.results.iter().any(|result| result.id == id);
    if is_of_project || !understood(outcome) || stated.map(id).all(is_answered) {
        return Ok(());
    }
    Err(Failure::internal("the report of the service leaves out requirements that were sent"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::job::SourceText;

    #[test]
    fn a_run_is_of_all_files_and_of_them_alone() {
        let text = |name: &str| format!("(* {} *)", name.rsplit('/').next().unwrap_or(name));
        let source = |name: &str| SourceText { name: name.into(), text: text(name) };
        let program = |names: &[&str]| Program {
            name: "p".into(),
            sources: names.iter().map(|name| source(name)).collect(),
            specification: Specification::default(),
            stated_in: None,
        };
        let stored = |names: &[&str], at: fn(&str) -> String| {
            let sources: Vec<Source> = names.iter().map(|name| Source { name: at(name), text: text(name), note: None }).collect();
            json!({ "program": program_id(&sources) })
        };
        let check = |sent: &[&str], run: &Value, is_of_project| check_program(&program(sent), run, is_of_project).is_ok();
        let whole = stored(&["plc/a.st", "b.st"], str::to_owned);
        assert!(check(&["plc/a.st", "b.st"], &whole, false) && check(&["../plc/a.st", "/b.st"], &whole, false));
        let last = stored(&["plc/a.st", "b.st"], |name| name.trim_start_matches("plc/").to_owned());
        assert!(check(&["plc/a.st", "b.st"], &whole, true) && !check(&["plc/a.st", "b.st"], &last, false));
        assert!(!check(&["plc/a.st", "b.st", "c.st"], &whole, false), "the service left one out");
        assert!(!check(&["plc/a.st"], &whole, false), "the service added one");
        assert!(!check(&["plc/a.st"], &json!({}), false));
        let quoted = stored(&["a\"b.st"], |_| "a_b.st".to_owned());
        assert!(check(&["a\"b.st"], &quoted, true) && !check(&["a\"b.st"], &quoted, false));
    }
}
