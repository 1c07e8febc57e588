//! `scanproof verify`: programs in, verdicts out.

use std::collections::BTreeMap;
use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use tokio_util::sync::CancellationToken;

use super::certificates::{Certificates, Kind};
use super::print::{Detail, complain, count, out};
use super::programs::{Program, collect};
use super::reuse::Reuse;
use super::{BAD_INPUT, INTERNAL, LimitArgs, UNDECIDED, USAGE, VerifyArgs};
use crate::report::class::{VerdictClass, exit_code};
use crate::report::outcome::Outcome;
use crate::report::surprises::surprises;
use crate::report::tally::Tally;
use crate::report::verification::{ProgramReport, Verification};
use crate::run::event::Event;
use crate::run::job::{Earlier, Graphs, Job, Limits, Strategy, Task};
use crate::run::supervisor::{Ended, supervise};
use answer::samples::expectations;
use kernel::property::spec::{CycleTime, CycleTimeText};

/// Verifies everything that was named, one program after the other.
pub(super) fn run(args: &VerifyArgs) -> u8 {
    if args.engine.as_deref() == Some("help") {
        out(&crate::run::strategy::engines());
        return 0;
    }
    if args.files.is_empty() {
        complain("error: no FILE is given");
        return USAGE;
    }
    let (strategy, cycle) = match (strategy(args), cycle(args.cycle.as_deref())) {
        (Ok(strategy), Ok(cycle)) => (strategy, cycle),
        (Err(e), _) | (_, Err(e)) => {
            complain(&format!("error: {e}"));
            return USAGE;
        }
    };
    let reuse = match Reuse::read(args.reuse.as_deref()) {
        Ok(reuse) => reuse,
        Err(e) => {
            complain(&format!("error: {e}"));
            return BAD_INPUT;
        }
    };
    let Some(runtime) = runtime() else { return INTERNAL };
    let cancel = CancellationToken::new();
    runtime.spawn(cancel_on_signal(cancel.clone()));
    let mut reports = Vec::new();
    let mut is_defect = false;
    let certificates = args.certificates.as_deref().map(|folder| Certificates::new(folder, Kind::Certificate));
    let witnesses = args.witnesses.as_deref().map(|folder| Certificates::new(folder, Kind::Witness));
    let mut files: Vec<Certificates<'_>> = certificates.into_iter().chain(witnesses).collect();
    let programs = collect(&args.files, args.req.as_deref());
    let progress = Progress::new(!args.quiet && !args.json, programs.len());
    for (name, read) in programs {
        let stated = read.as_ref().ok().and_then(|program| program.stated_in.clone());
        let report = match read {
            Err(problem) => ProgramReport { name, outcome: None, failure: Some(problem.0), surprises: None },
            Ok(mut program) => {
                if let Some(cycle) = cycle {
                    program.specification.cycle = Some(cycle);
                }
                program.specification.mutants |= args.mutants;
                if args.no_assertions {
                    program.specification.assertions = Some(false);
                }
                if args.entry.is_some() {
                    program.specification.entry.clone_from(&args.entry);
                }
                program.specification.dialect = args.dialect.or(program.specification.dialect);
                progress.program(&program.name);
                let earlier = reuse.evidence(&program.name);
                let specification = program.specification.clone();
                let verified = runtime.block_on(verify(program, (strategy.clone(), earlier), args.limits, &cancel, &progress));
                is_defect |= verified.is_defect;
                let report = verified.report;
                for files in &mut files {
                    runtime.block_on(files.write(&report, specification.clone(), args.limits, &cancel));
                }
                report
            }
        };
        if !args.json {
            let detail = if args.verbose { Detail::Full } else { Detail::Brief };
            progress.suspend(|| super::print::program(&report, stated.as_ref(), detail));
        }
        reports.push(report);
        if cancel.is_cancelled() {
            break;
        }
    }
    progress.finish();
    if let Some(folder) = &args.explain {
        match super::explain::write(folder, &reports) {
            Ok(()) if args.json => {}
            Ok(()) => out(&format!("How the engines went about it: {}", folder.join("index.html").display())),
            Err(e) => {
                complain(&format!("error: {e}"));
                return BAD_INPUT;
            }
        }
    }
    for files in files {
        match files.finish() {
            Ok(_) if args.json => {}
            Ok(text) => out(&text),
            Err(e) => complain(&format!("not written: {e}")),
        }
    }
    let exit_code = match (cancel.is_cancelled(), is_defect) {
        (true, _) => 130,
        (false, true) => INTERNAL,
        (false, false) => code(&reports),
    };
    if args.json {
        let (tally, tool) = (counts(&reports), env!("CARGO_PKG_VERSION").into());
        let verification = Verification { format: 1, tool, programs: reports, tally, exit_code };
        match serde_json::to_string_pretty(&verification) {
            Ok(text) => out(&text),
            Err(e) => {
                complain(&format!("internal error: {e}"));
                return INTERNAL;
            }
        }
    } else {
        summary(&reports);
    }
    exit_code
}

/// One program in a worker of its own.
pub(super) async fn verify(
    program: Program,
    (strategy, earlier): (Strategy, Vec<Earlier>),
    limits: LimitArgs,
    cancel: &CancellationToken,
    progress: &Progress,
) -> Verified {
    let expected = program.sources.iter().find_map(|s| expectations(&s.text));
    let job = Job {
        sources: program.sources,
        specification: program.specification,
        task: Task::Verify,
        limits: Limits { wall_s: limits.time_limit, memory_mb: limits.memory_limit },
        strategy,
        earlier,
    };
    let exe = match std::env::current_exe() {
        Ok(exe) => exe,
        Err(e) => {
            let failure = Some(format!("this binary cannot be found again: {e}"));
            let report = ProgramReport { name: program.name, outcome: None, failure, surprises: None };
            return Verified { report, is_defect: true };
        }
    };
    let mut is_defect = false;
    let (outcome, failure) = match supervise(&exe, &job, cancel.clone(), &mut |event| progress.event(&event)).await {
        Ended::Succeeded(outcome) => (Some(*outcome), None),
        Ended::Failed { reason, at_limit } => {
            is_defect = !at_limit;
            (None, Some(reason))
        }
        Ended::Cancelled(outcome) => (outcome.map(|o| *o), Some("stopped".to_string())),
        Ended::TimedOut(outcome) => (outcome.map(|o| *o), Some(format!("time limit of {} s", job.limits.wall_s))),
    };
    let surprises = match (expected, &outcome) {
        (Some(Ok(expected)), Some(outcome)) => Some(surprises(&expected, outcome)),
        (Some(Ok(_)), None) => Some(vec!["verdicts were expected, but there is no outcome".to_string()]),
        (Some(Err(line)), _) => Some(vec![line]),
        (None, _) => None,
    };
    Verified { report: ProgramReport { name: program.name, outcome, failure, surprises }, is_defect }
}

/// One program's report.
pub(super) struct Verified {
    pub(super) report: ProgramReport,
    /// A worker ended by a defect of the tool.
    pub(super) is_defect: bool,
}

/// Whether the sources and the specification could be understood.
pub(super) fn understood(outcome: &Outcome) -> bool {
    outcome.problems.is_empty() && outcome.import.diagnostics.iter().all(|f| f.severity != "error")
}

/// Returns the exit code of runs that the tool itself came through.
fn code(reports: &[ProgramReport]) -> u8 {
    let words = exit_code(reports.iter().filter_map(|r| r.outcome.as_ref()).flat_map(|o| o.results.iter().map(VerdictClass::of)));
    let bad_input = reports.iter().any(|r| r.outcome.as_ref().is_none_or(|o| !understood(o)));
    // Nothing was checked: that is no "everything holds".
    let empty = reports.iter().any(|r| r.outcome.as_ref().is_some_and(|o| understood(o) && o.results.is_empty()));
    match () {
        () if words == INTERNAL => INTERNAL,
        () if bad_input => BAD_INPUT,
        () if empty && words == 0 => UNDECIDED,
        () => words,
    }
}

/// Counts the answers of all programs.
fn counts(reports: &[ProgramReport]) -> Tally {
    let results = reports.iter().filter_map(|r| r.outcome.as_ref()).flat_map(|o| &o.results);
    Tally::count(0, results.map(VerdictClass::of))
}

fn summary(reports: &[ProgramReport]) {
    let unread = reports.iter().filter(|r| r.outcome.as_ref().is_none_or(|o| !understood(o))).count();
    let mut text = counted(&counts(reports));
    if 0 < unread {
        text.push_str(&format!(" · {unread} of {} programs could not be understood", reports.len()));
    }
    out(&text);
}

/// Returns `3 requirements: ✔ 2 proved · ✖ 1 can be broken`, the best first.
fn counted(tally: &Tally) -> String {
    let classes: Vec<String> = tally.present().rev().map(|(class, n)| class.counted(n)).collect();
    match classes.is_empty() {
        true => count(tally.total, "requirement"),
        false => format!("{}: {}", count(tally.total, "requirement"), classes.join(" · ")),
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
    crate::run::strategy::validate(&strategy)?;
    Ok(strategy)
}

pub(super) fn cycle(text: Option<&str>) -> Result<Option<CycleTime>, String> {
    text.map(|text| CycleTime::try_from(CycleTimeText::Exact(text.into()))).transpose()
}

/// A runtime for the supervisor; says why there is none.
pub(super) fn runtime() -> Option<tokio::runtime::Runtime> {
    match tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build() {
        Ok(runtime) => Some(runtime),
        Err(e) => {
            complain(&format!("internal error: {e}"));
            None
        }
    }
}

/// Ctrl-C and SIGTERM stop the runs, not the report.
pub(super) async fn cancel_on_signal(cancel: CancellationToken) {
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminate => {}
    }
    cancel.cancel();
}

/// A line that moves, on a terminal only.
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// For `n` programs.
    pub(super) fn new(wanted: bool, n: usize) -> Progress {
        if !wanted || !std::io::stderr().is_terminal() {
            return Progress { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::new(n as u64);
        if let Ok(style) = ProgressStyle::with_template("{spinner} [{pos}/{len}] {prefix} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(std::time::Duration::from_millis(120));
        Progress { bar }
    }
    /// The next program.
    pub(super) fn program(&self, name: &str) {
        self.bar.inc(1);
        self.bar.set_prefix(name.to_string());
        self.bar.set_message("reading");
    }
    fn event(&self, event: &Event) {
        match event {
            Event::Progress { requirement, engine, text, .. } => self.bar.set_message(format!("{requirement}: {engine}: {text}")),
            Event::Verdict { requirement, headline, .. } => self.bar.set_message(format!("{requirement}: {headline}")),
            Event::Log { text } => self.bar.set_message(text.clone()),
        }
    }
    /// Prints without tearing the line.
    pub(super) fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }
    /// Takes the line away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
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
