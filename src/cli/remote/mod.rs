//! `scanproof remote`: the client of a service. It verifies there, and ends with the exit codes of `verify`.

#[cfg(test)]
mod documented;
mod service;
mod verify;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::Value;

use super::Failure;
use super::print::{json, out};
use super::session::Session;
use super::text::columns;
use crate::report::format::{Content, REPORTS};
use service::{Remote, encoded};
use verify::RemoteVerifyArgs;

/// Arguments of `remote`.
#[derive(Args)]
pub struct RemoteArgs {
    #[command(subcommand)]
    command: RemoteCommand,
}

#[derive(Subcommand)]
enum RemoteCommand {
    /// Verify programs on a service; output and exit codes are those of `verify`
    Verify(Box<RemoteVerifyArgs>),
    /// List the projects of a service
    Projects(RemoteListArgs),
    /// List the newest runs of a service
    Jobs(RemoteListArgs),
    /// Fetch the report of a run, as the service wrote it: HTML and zip are signed
    Report(RemoteReportArgs),
}

/// Address of a service, and the way to it.
#[derive(Args, Clone)]
pub(super) struct ServiceArgs {
    /// Address of the service, as https://plc-check.plant.local
    #[arg(long, value_name = "URL", env = "SCANPROOF_SERVER")]
    pub(super) server: String,
    /// File with a token; a token for runs has the scope `run`. A service without accounts needs none
    #[arg(long, value_name = "FILE", env = "SCANPROOF_TOKEN_FILE")]
    pub(super) token_file: Option<PathBuf>,
    /// Certificates that the service is trusted by, a PEM file; default: those of the system
    #[arg(long, value_name = "FILE", env = "SCANPROOF_CA")]
    pub(super) ca: Option<PathBuf>,
}

/// Arguments of lists.
#[derive(Args)]
struct RemoteListArgs {
    #[command(flatten)]
    service: ServiceArgs,
    /// Most rows
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=200))]
    limit: u32,
    /// Print the answer of the service as JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `remote report`.
#[derive(Args)]
struct RemoteReportArgs {
    /// Id of the run
    #[arg(value_name = "RUN")]
    run: String,
    #[command(flatten)]
    service: ServiceArgs,
    #[arg(long, value_name = "FORMAT", default_value = "html", help = formats_help())]
    format: String,
    /// File to write; default: the name that the service gives, in this folder
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Returns the formats of a whole run, with their endings.
fn formats() -> impl Iterator<Item = (&'static str, &'static str)> {
    REPORTS.iter().filter_map(|format| match format.content {
        Content::Run { ending, .. } | Content::Everything { ending } => Some((format.name, ending)),
        Content::Cycles { .. } | Content::Answer { .. } => None,
    })
}

fn formats_help() -> String {
    format!("Format: {}", formats().map(|(name, _)| name).collect::<Vec<_>>().join(", "))
}

/// Does one of the commands.
pub(super) fn run(args: &RemoteArgs) -> Result<u8, Failure> {
    match &args.command {
        RemoteCommand::Verify(args) => verify::run(args),
        RemoteCommand::Projects(args) => projects(args),
        RemoteCommand::Jobs(args) => jobs(args),
        RemoteCommand::Report(args) => report(args),
    }
}

fn projects(args: &RemoteListArgs) -> Result<u8, Failure> {
    let project = |project: &Value| {
        let last = &project["last_version"];
        let version = last["number"].as_i64().map_or("no version".to_owned(), |number| format!("version {number}"));
        vec![word(&project["id"]), word(&project["name"]), version, verdicts(&last["requirements"], &last["state"])]
    };
    list(args, "projects", project)
}

fn jobs(args: &RemoteListArgs) -> Result<u8, Failure> {
    let job = |job: &Value| {
        vec![word(&job["id"]), word(&job["created"]), word(&job["label"]), verdicts(&job["requirements"], &job["state"])]
    };
    list(args, "jobs", job)
}

/// Prints a list of the service: a line for each row.
fn list(args: &RemoteListArgs, name: &str, row: impl Fn(&Value) -> Vec<String>) -> Result<u8, Failure> {
    let session = Session::start()?;
    let remote = Remote::new(&args.service, &session)?;
    let answer = remote.get(&format!("/api/v1/{name}?limit={}", args.limit))?;
    if args.json {
        json(&answer)?;
        return Ok(0);
    }
    let rows: Vec<Vec<String>> = answer[name].as_array().into_iter().flatten().map(row).collect();
    columns(&rows).iter().for_each(|line| out(line));
    if answer["next"].is_string() {
        out("There are more: raise --limit.");
    }
    Ok(0)
}

/// Returns the counted verdicts of a run in words, with its state unless it has finished.
fn verdicts(tally: &Value, state: &Value) -> String {
    let tally: Option<crate::report::tally::Tally> = serde_json::from_value(tally.clone()).ok();
    let classes: Vec<String> = tally.iter().flat_map(|t| t.present()).map(|(class, n)| class.counted(n)).collect();
    match (state.as_str(), classes.is_empty()) {
        (Some("succeeded"), false) => classes.join(" · "),
        (Some(state), false) => format!("{state}: {}", classes.join(" · ")),
        (Some(state), true) => state.to_owned(),
        (None, _) => classes.join(" · "),
    }
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Writes the report of a run to a file.
fn report(args: &RemoteReportArgs) -> Result<u8, Failure> {
    let known = formats().find(|(name, _)| *name == args.format);
    let Some((_, ending)) = known else {
        return Err(Failure::usage(format!("there is no format `{}` of a run; {}", args.format, formats_help())));
    };
    let session = Session::start()?;
    let remote = Remote::new(&args.service, &session)?;
    let bytes = remote.file(&format!("/api/v1/jobs/{}/report.{ending}", encoded(&args.run)))?;
    let is_plain = args.run.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let path = match &args.out {
        Some(path) => path.clone(),
        None if is_plain => PathBuf::from(format!("scanproof-{}.{ending}", args.run)),
        None => return Err(Failure::usage(format!("`{}` is no id of a run", args.run))),
    };
    std::fs::write(&path, bytes).map_err(|error| Failure::internal(format!("{}: {error}", path.display())))?;
    out(&format!("Written: {}", path.display()));
    Ok(0)
}
