//! The suite: which programs, with which requirements, of which category, with which answer expected.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::expect::Expected;
use crate::bench::campaign::{Case, Status};
use crate::cli::folder::has_ending;
use crate::cli::programs::{Program, collect};
use crate::cli::session::Session;
use crate::report::outcome::Outcome;
use crate::run::job::{Job, Task};
use crate::run::limits::Limits;
use crate::run::supervisor::{Ended, supervise};
use answer::VerdictWord;
use answer::samples::expectations;

/// Endings of models in Theta's text format: they are told apart by where they come from, not by their variables.
const MODELS: &[&str] = &["cfa", "theta"];

/// A case with all that is needed to run it.
pub(super) struct Runnable {
    pub(super) case: Case,
    /// The job, or the reason why there is none.
    pub(super) job: Result<Arc<Job>, String>,
}

/// Returns the programs below the paths. `Err` rows could not be read. Files that are named alone are programs of their own.
pub(super) fn programs(paths: &[PathBuf]) -> Vec<(String, Result<Program, String>)> {
    let all = paths.iter().flat_map(|path| collect(std::slice::from_ref(path), None, None));
    all.map(|(name, read)| (name, read.map_err(|problem| problem.0))).collect()
}

/// Returns the cases of a program: one for each requirement, as a worker understands it.
pub(super) async fn cases(
    (name, read): (String, Result<Program, String>),
    limits: Limits,
    expected: Option<&Expected>,
    session: &Session,
) -> Vec<Runnable> {
    let safe = expected.and_then(|expected| expected.of(&name)).map(|(_, safe)| safe);
    let broken = |why: String| {
        let category = folder(&name);
        let case = Case { program: name.clone(), requirement: String::new(), category, expected: safe };
        vec![Runnable { case, job: Err(why) }]
    };
    let program = match read {
        Ok(program) => program,
        Err(why) => return broken(why),
    };
    let stated: BTreeMap<String, VerdictWord> =
        match program.sources.iter().find_map(|source| expectations(&source.text)).transpose() {
            Ok(stated) => stated.unwrap_or_default().into_iter().map(|(id, expected)| (id, expected.word)).collect(),
            Err(line) => return broken(line),
        };
    let is_stated = !stated.is_empty();
    let Program { sources, mut specification, .. } = program;
    // Only the way to the answer is measured.
    specification.mutants = false;
    let job = Job::new(sources, specification, Task::Understand, limits);
    let outcome = match understood(&job, session).await {
        Ok(outcome) => outcome,
        Err(why) => return broken(why),
    };
    if let Some(why) = trouble(&outcome) {
        return broken(why);
    }
    let category = if has_ending(Path::new(&name), MODELS) { folder(&name) } else { category(&outcome).to_owned() };
    let job = Arc::new(Job { task: Task::Verify, ..job });
    let case = |id: String| {
        let by_header =
            || if is_stated { Status::of(stated.get(&id).copied().unwrap_or(VerdictWord::Holds), None).answer() } else { None };
        let expected = safe.or_else(by_header);
        let case = Case { program: name.clone(), requirement: id, category: category.clone(), expected };
        Runnable { case, job: Ok(job.clone()) }
    };
    outcome.results.into_iter().map(|result| case(result.id)).collect()
}

async fn understood(job: &Job, session: &Session) -> Result<Outcome, String> {
    match supervise(&session.exe, job, session.cancel.clone(), &mut |_| {}).await {
        Ended::Succeeded(outcome) => Ok(*outcome),
        Ended::Failed { reason, .. } => Err(reason),
        Ended::TimedOut(_) => Err("it was not read within the time limit".to_owned()),
        Ended::Cancelled(_) => Err("stopped".to_owned()),
    }
}

/// Returns the reason why nothing can be decided about a program.
fn trouble(outcome: &Outcome) -> Option<String> {
    let finding = outcome.import.stops().next();
    let finding = finding.map(|f| format!("{}:{}: {}: {}", f.place.file, f.place.line, f.code, f.message));
    let problem = outcome.problems.first().map(|problem| problem.message.clone());
    let nothing = || outcome.results.is_empty().then(|| "nothing to check".to_owned());
    finding.or(problem).or_else(nothing)
}

/// Returns the category of a program by its types, which make it hard more than its industry does.
fn category(outcome: &Outcome) -> &'static str {
    let has = |types: &[&str]| outcome.import.variables.iter().any(|v| types.iter().any(|ty| v.ty.to_uppercase().contains(ty)));
    match () {
        () if has(&["REAL"]) => "plc-real",
        () if has(&["TIME"]) => "plc-timer",
        () if has(&["INT", "WORD", "BYTE", "DATE", "TOD"]) => "plc-integer",
        () => "plc-bool",
    }
}

/// Returns the folder that a file is in.
fn folder(name: &str) -> String {
    let parent = Path::new(name).parent().and_then(Path::file_name);
    parent.map_or_else(|| "models".to_owned(), |folder| folder.to_string_lossy().into_owned())
}
