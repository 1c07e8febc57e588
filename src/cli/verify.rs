//! `scanproof verify`: programs in, verdicts out.

use std::collections::BTreeMap;

use super::print::{Detail, json, out};
use super::programs::collect;
use super::reports::{Reports, explain};
use super::reuse::Reuse;
use super::session::{Progress, Session};
use super::text::count;
use super::{BAD_INPUT, Failure, INTERNAL, UNDECIDED};
use crate::cli::args::{LimitArgs, StatementArgs};
use crate::report::format::names;
use crate::report::outcome::Outcome;
use crate::report::surprises::surprises;
use crate::report::tally::Tally;
use crate::report::verdict_class::{VerdictClass, exit_code};
use crate::report::verification::{ProgramReport, Verification};
use crate::run::job::{Graphs, Job, Strategy, Task};
use crate::run::limits::Limits;
use crate::run::supervisor::{Ended, supervise};
use answer::samples::{expectations, seconds};
use clap::Args;
use kernel::property::spec::{Requirement, Specification};
use std::path::PathBuf;

/// Arguments of `verify`.
#[derive(Args)]
pub struct VerifyArgs {
    /// Files of one program; or directories, in which every file is a program of its own, with the requirement
    /// file of the same name (`pump.st`, `pump.yaml`) beside it
    #[arg(required_unless_present = "engine", value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) stated: StatementArgs,
    /// Require that this is never TRUE at the end of a cycle, for instance "PumpA AND NOT ValveFB"; may be repeated. It comes
    /// behind the requirements of the file
    #[arg(long, value_name = "EXPRESSION")]
    pub(super) never: Vec<String>,
    /// Require that this is TRUE at the end of every cycle; may be repeated
    #[arg(long, value_name = "EXPRESSION")]
    pub(super) always: Vec<String>,
    /// Id of a requirement, assertion or check to decide; may be repeated; default: all of them
    #[arg(long, value_name = "ID")]
    pub(super) requirement: Vec<String>,
    /// Leave out the assertions in the program text. Also `assertions: false` in the requirement file
    #[arg(long)]
    pub(super) no_assertions: bool,
    /// Print one JSON document (see `scanproof schema`) and nothing else
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) limits: LimitArgs,
    /// Engine to use; default: a strategy that needs no choice. `scanproof verify --engine help` lists them
    #[arg(long, value_name = "NAME")]
    pub(super) engine: Option<String>,
    /// Option of the engine, as name=value; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub(super) options: Vec<String>,
    /// Write a page there (index.html) with the timeline, the automaton and the graph of each iteration, for engines that
    /// have such graphs (cegar, impact, bam)
    #[arg(long, value_name = "DIR")]
    pub(super) explain: Option<PathBuf>,
    #[arg(long, value_name = "FORMAT=DIR", help = reports_help())]
    pub(super) report: Vec<String>,
    /// After the answers, search for each requirement that holds which small changes of the program it would notice (whether
    /// it notices any is tried anyway). Also `mutants: true` in the requirement file
    #[arg(long)]
    pub(super) mutants: bool,
    /// Print with each proof the run that puts the requirement to the test
    #[arg(long, short)]
    pub(super) verbose: bool,
    /// Output of an earlier `verify --json`, or report.json of the service: its proofs and runs are tried on the program as
    /// it is now before anything is searched for. Each is certified anew; a FILE that is not there yet is no error
    #[arg(long, value_name = "FILE", conflicts_with = "engine")]
    pub(super) reuse: Option<PathBuf>,
    /// Short for --report certificate=DIR: the certificate of each answer, proofs as SMT-LIB (.smt2), violations as the inputs of
    /// each cycle (.json); `scanproof check-certificate` checks them
    #[arg(long, value_name = "DIR")]
    pub(super) certificates: Option<PathBuf>,
    /// Short for --report witness=DIR: the requirement as a C file, and a witness of its answer (YAML, as validators of SV-COMP
    /// read it)
    #[arg(long, value_name = "DIR")]
    pub(super) witnesses: Option<PathBuf>,
    /// Do not show progress
    #[arg(long, short)]
    pub(super) quiet: bool,
}

fn reports_help() -> String {
    format!("Write reports to a folder, as FORMAT=DIR; may be repeated. Formats: {}", names())
}

/// Verifies everything that was named, one program after the other.
pub(super) fn run(args: &VerifyArgs) -> Result<u8, Failure> {
    if args.engine.as_deref() == Some("help") {
        out(&crate::run::engine_choice::engines());
        return Ok(0);
    }
    if args.files.is_empty() {
        return Err(Failure::usage("no FILE is given"));
    }
    let strategy = strategy(args).map_err(Failure::usage)?;
    let reuse = Reuse::read(args.reuse.as_deref()).map_err(Failure::bad_input)?;
    let session = Session::start()?;
    let mut reports = Vec::new();
    let mut is_defect = false;
    let others = [("certificate", &args.certificates), ("witness", &args.witnesses)];
    let mut files = Reports::wanted(&args.report, &others)?;
    let programs = collect(&args.files, args.stated.req.as_deref(), args.stated.reading.project.as_deref());
    let progress = Progress::new(!args.quiet && !args.json, programs.len());
    for (name, read) in programs {
        let stated = read.as_ref().ok().and_then(|program| program.stated_in.clone());
        let report = match read {
            Err(problem) => ProgramReport { name, failure: Some(problem.0), ..ProgramReport::default() },
            Ok(program) => {
                progress.program(&program.name);
                let earlier = reuse.evidence(&program.name);
                let specification = specification(args, program.specification);
                let job = Job::new(program.sources, specification.clone(), Task::Verify, args.limits.into());
                let job = Job { strategy: strategy.clone(), earlier, ..job };
                let verified = verify(&session, program.name, &job, &progress);
                is_defect |= verified.is_defect;
                files.iter_mut().for_each(|files| files.write(&session, &verified.report, &specification, args.limits));
                verified.report
            }
        };
        if !args.json {
            let detail = if args.verbose { Detail::Full } else { Detail::Brief };
            progress.suspend(|| super::print::program(&report, stated.as_ref(), detail));
        }
        reports.push(report);
        if session.cancel.is_cancelled() {
            break;
        }
    }
    progress.finish();
    write_files(args, &reports, files)?;
    let exit_code = match (session.cancel.is_cancelled(), is_defect) {
        (true, _) => 130,
        (false, true) => INTERNAL,
        (false, false) => code(&reports),
    };
    if args.json {
        let (tally, tool) = (counts(&reports), env!("CARGO_PKG_VERSION").into());
        json(&Verification { format: 1, tool, programs: reports, tally, exit_code })?;
    } else {
        summary(&reports);
    }
    Ok(exit_code)
}

/// Returns the specification with the statements of the command line.
fn specification(args: &VerifyArgs, mut specification: Specification) -> Specification {
    args.stated.apply(&mut specification);
    let never = args.never.iter().map(|never| Requirement { never: Some(never.clone()), ..Requirement::default() });
    let always = args.always.iter().map(|always| Requirement { always: Some(always.clone()), ..Requirement::default() });
    specification.requirements.extend(never.chain(always));
    specification.mutants |= args.mutants;
    if args.no_assertions {
        specification.assertions = Some(false);
    }
    specification
}

/// Writes the files of `--explain`, and says where the reports are.
fn write_files(args: &VerifyArgs, reports: &[ProgramReport], files: Vec<Reports>) -> Result<(), Failure> {
    if let Some(folder) = &args.explain {
        explain(folder, reports)?;
        if !args.json {
            out(&format!("Exploration by the engines: {}", folder.join("index.html").display()));
        }
    }
    files.into_iter().try_for_each(|reports| reports.finish(args.json))
}

/// Verifies one program in a worker of its own.
pub(super) fn verify(session: &Session, name: String, job: &Job, progress: &Progress) -> Verified {
    let expected = job.sources.iter().find_map(|s| expectations(&s.text));
    let limit = job.sources.iter().find_map(|source| seconds(&source.text)).filter(|_| expected.is_some());
    let limits = Limits { wall_s: job.limits.wall_s.min(limit.unwrap_or(u32::MAX)), ..job.limits };
    let job = &Job { limits, ..job.clone() };
    let mut on_event = |event| progress.event(&event);
    let (mut is_defect, mut is_at_limit) = (false, false);
    let (outcome, failure) = match session.block_on(supervise(&session.exe, job, session.cancel.clone(), &mut on_event)) {
        Ended::Succeeded(outcome) => (Some(*outcome), None),
        Ended::Failed { reason, at_limit } => {
            (is_defect, is_at_limit) = (!at_limit, at_limit);
            (None, Some(reason))
        }
        Ended::Cancelled(outcome) => (outcome.map(|o| *o), Some("stopped".to_string())),
        Ended::TimedOut(outcome) => {
            is_at_limit = true;
            // Answers say themselves that the time was over.
            let failure = outcome.is_none().then(|| format!("time limit of {} s", job.limits.wall_s));
            (outcome.map(|o| *o), failure)
        }
    };
    let surprises = match (expected, &outcome) {
        (Some(Ok(expected)), Some(outcome)) => Some(surprises(&expected, outcome)),
        (Some(Ok(_)), None) => Some(vec!["verdicts were expected, but there is no outcome".to_string()]),
        (Some(Err(line)), _) => Some(vec![line]),
        (None, _) => None,
    };
    let unread_at_limit = is_at_limit && outcome.is_none();
    Verified { report: ProgramReport { name, outcome, failure, unread_at_limit, surprises }, is_defect }
}

/// One program's report.
pub(super) struct Verified {
    pub(super) report: ProgramReport,
    /// A worker ended by a defect of the tool.
    pub(super) is_defect: bool,
}

/// Returns whether the sources and the specification could be understood.
pub(super) fn understood(outcome: &Outcome) -> bool {
    outcome.problems.is_empty() && outcome.import.is_understood()
}

/// Returns whether a program cannot be verified as it is, whatever the limits are.
fn is_bad_input(report: &ProgramReport) -> bool {
    report.outcome.as_ref().map_or(!report.unread_at_limit, |outcome| !understood(outcome))
}

/// Returns the exit code of runs that the tool itself came through.
pub(super) fn code(reports: &[ProgramReport]) -> u8 {
    let words = exit_code(reports.iter().filter_map(|r| r.outcome.as_ref()).flat_map(|o| o.results.iter().map(VerdictClass::of)));
    let bad_input = reports.iter().any(is_bad_input);
    // Nothing was checked: that is no "everything holds".
    let is_empty = |r: &ProgramReport| r.outcome.as_ref().is_some_and(|o| understood(o) && o.results.is_empty());
    let empty = reports.iter().any(|r| r.unread_at_limit || is_empty(r));
    match () {
        () if words == INTERNAL => INTERNAL,
        () if bad_input => BAD_INPUT,
        () if empty && words == 0 => UNDECIDED,
        () => words,
    }
}

/// Counts the answers of all programs.
pub(super) fn counts(reports: &[ProgramReport]) -> Tally {
    let results = reports.iter().filter_map(|r| r.outcome.as_ref()).flat_map(|o| &o.results);
    Tally::count(0, results.map(VerdictClass::of))
}

/// Prints the counted answers of all programs.
pub(super) fn summary(reports: &[ProgramReport]) {
    let mut text = counted(&counts(reports));
    let n = |which: fn(&ProgramReport) -> bool| reports.iter().filter(|report| which(report)).count();
    let is_without = |report: &ProgramReport| report.outcome.is_none() && !report.unread_at_limit;
    let is_wrong = |report: &ProgramReport| report.outcome.as_ref().is_some_and(|outcome| !understood(outcome));
    // A requirement file with an error leaves its program out, too.
    for (n, what) in [
        (n(is_wrong), "could not be understood"),
        (n(is_without), "not verified, see the error"),
        (n(|report| report.unread_at_limit), "not read within the limits"),
    ] {
        if 0 < n {
            text.push_str(&format!(" · {n} of {} {what}", count(reports.len(), "program")));
        }
    }
    out(&text);
}

/// Returns `3 requirements: ✔ 2 proved · ✖ 1 can be broken`, the best first.
fn counted(tally: &Tally) -> String {
    let classes: Vec<String> = tally.present().rev().map(|(class, n)| class.counted(n)).collect();
    if classes.is_empty() {
        count(tally.total, "requirement")
    } else {
        format!("{}: {}", count(tally.total, "requirement"), classes.join(" · "))
    }
}

fn strategy(args: &VerifyArgs) -> Result<Strategy, String> {
    let mut options = BTreeMap::new();
    for option in &args.options {
        let Some((name, value)) = option.split_once('=') else {
            return Err(format!("--option {option}: write it as name=value"));
        };
        let (name, value) = (name.trim(), value.trim());
        if let Some(before) = options.insert(name.to_string(), value.to_string()) {
            return Err(format!("--option {name} is given twice, as `{before}` and as `{value}`: give it once"));
        }
    }
    let graphs = if args.explain.is_some() { Graphs::Every } else { Graphs::Last };
    let strategy =
        Strategy { engine: args.engine.clone(), options, graphs, only: args.requirement.clone(), ..Strategy::default() };
    crate::run::engine_choice::validate(&strategy)?;
    Ok(strategy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_is_counted_by_its_own_words() {
        use VerdictClass::{Conditional, Holds, Impossible, Possible, Unknown, Violated};
        let check = |classes: &[VerdictClass], expected: &str| {
            assert_eq!(counted(&Tally::count(0, classes.iter().copied())), expected);
        };
        check(&[], "0 requirements");
        check(&[Holds, Conditional, Violated, Holds], "4 requirements: ✔ 2 proved · ◩ 1 under conditions · ✖ 1 can be broken");
        check(&[Possible, Impossible, Unknown], "3 requirements: ✔ 1 possible · ? 1 not decided · ✖ 1 impossible");
    }
}
