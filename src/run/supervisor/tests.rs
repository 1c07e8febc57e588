//! Workers that are lost between two requirements: what was understood and answered stays.

use std::os::unix::fs::PermissionsExt as _;

use kernel::property::spec::Specification;

use super::*;
use crate::run::job::Task;
use crate::run::limits::Limits;
use crate::run::protocol::encode;

/// Returns the row of a requirement with this verdict.
fn row(id: &str, verdict: VerdictWord) -> RequirementResult {
    RequirementResult { verdict, ..RequirementResult::before_answer(id, "never: A", "A is never TRUE.", "never") }
}

/// Returns a program whose workers say these lines, one worker after the other. Each runs out of memory in the end, unless it is
/// done.
fn scripted(folder: &Path, workers: &[&[Line]]) -> std::path::PathBuf {
    for (nth, lines) in workers.iter().enumerate() {
        let text: Vec<String> = lines.iter().map(|line| encode(line).unwrap()).collect();
        std::fs::write(folder.join(nth.to_string()), text.join("\n") + "\n").unwrap();
    }
    let program = folder.join("worker");
    let script = "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nnth=$(cat starts 2>/dev/null || echo 0)\necho $((nth + 1)) > starts\n\
                  cat $nth\nif grep -q '\"done\"' $nth; then exit 0; fi\n\
                  echo 'memory allocation of more than 256 MB' >&2\nkill -ABRT $$\n";
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    program
}

/// Returns the verdicts and reasons of requirements `a` and `b` after such workers.
fn after(workers: &[&[Line]]) -> Vec<(VerdictWord, Option<String>)> {
    let folder = tempfile::tempdir().unwrap();
    let program = scripted(folder.path(), workers);
    let job = Job::new(Vec::new(), Specification::default(), Task::Verify, Limits { wall_s: 60, memory_mb: 256 });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match runtime.block_on(supervise(&program, &job, CancellationToken::new(), &mut |_| {})) {
        Ended::Succeeded(outcome) => outcome.results.into_iter().map(|result| (result.verdict, result.reason)).collect(),
        other @ (Ended::Failed { .. } | Ended::Cancelled(_) | Ended::TimedOut(_)) => panic!("{other:?}"),
    }
}

#[test]
fn a_worker_lost_between_two_requirements_costs_no_other_answer() {
    let understood = || Line::Understood {
        outcome: Box::default(),
        pending: vec![row("a", VerdictWord::Unknown), row("b", VerdictWord::Unknown)],
    };
    let started = |id: &str| Line::Started { requirement: id.into() };
    let postponed = |id| Line::Postponed { result: Box::new(row(id, VerdictWord::Unknown)) };
    let answer = |id| Line::Result { result: Box::new(row(id, VerdictWord::Violated)) };
    let (violated, lost) = ((VerdictWord::Violated, None), (VerdictWord::Unknown, Some("memory limit of 256 MB".to_owned())));
    for (workers, expected) in [
        // After an answer: another worker goes on.
        (
            vec![vec![understood(), started("a"), answer("a")], vec![understood(), started("b"), answer("b"), Line::Done]],
            [&violated, &violated],
        ),
        // After an attempt without an answer: the next worker leaves this requirement out.
        (
            vec![vec![understood(), started("a"), postponed("a")], vec![understood(), started("b"), answer("b"), Line::Done]],
            [&(VerdictWord::Unknown, None), &violated],
        ),
        // Before the first: no other worker would come farther.
        (vec![vec![understood()]], [&lost, &lost]),
        // While the next worker reads: the first answer stays.
        (vec![vec![understood(), started("a"), answer("a")], vec![understood()]], [&violated, &lost]),
    ] {
        let workers: Vec<&[Line]> = workers.iter().map(Vec::as_slice).collect();
        assert_eq!(after(&workers).iter().collect::<Vec<_>>(), expected, "{workers:?}");
    }
}

#[test]
fn a_standby_that_is_lost_costs_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let pending = vec![row("a", VerdictWord::Unknown)];
    let understood = || Line::Understood { outcome: Box::default(), pending: pending.clone() };
    let answer = Line::Result { result: Box::new(row("a", VerdictWord::Violated)) };
    let program = scripted(folder.path(), &[&[understood()], &[understood(), answer, Line::Done]]);
    let limits = Limits { wall_s: 60, memory_mb: 256 };
    let job = Job::new(Vec::new(), Specification::default(), Task::Certify(Vec::new()), limits);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let confirmed = runtime.block_on(async {
        let standby = Standby::start(&program, &job).unwrap();
        certify(&program, &job, (Vec::new(), Some(standby)), CancellationToken::new(), &mut |_| {}, &mut |_| {}).await
    });
    assert!(confirmed.is_whole, "{confirmed:?}");
    assert_eq!(confirmed.shown.iter().map(|result| result.verdict).collect::<Vec<_>>(), [VerdictWord::Violated]);
}

/// Runs a shell script as the worker, for a second; returns the verdicts and reasons.
fn of_script(script: &str) -> Vec<(VerdictWord, Option<String>)> {
    let folder = tempfile::tempdir().unwrap();
    let pending = vec![row("a", VerdictWord::Unknown)];
    let understood = encode(&Line::Understood { outcome: Box::default(), pending }).unwrap();
    let program = folder.path().join("worker");
    let (head, told) = ("#!/bin/sh\ncd \"$(dirname \"$0\")\"\ntrap '' TERM INT HUP\n", folder.path().join("told"));
    std::fs::write(&told, format!("{understood}\n")).unwrap();
    std::fs::write(&program, format!("{head}cat told\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    let job = Job::new(Vec::new(), Specification::default(), Task::Verify, Limits { wall_s: 1, memory_mb: 256 });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match runtime.block_on(supervise(&program, &job, CancellationToken::new(), &mut |_| {})) {
        Ended::TimedOut(Some(outcome)) => outcome.results.into_iter().map(|result| (result.verdict, result.reason)).collect(),
        other @ (Ended::Succeeded(_) | Ended::Failed { .. } | Ended::Cancelled(_) | Ended::TimedOut(None)) => panic!("{other:?}"),
    }
}

#[test]
fn a_worker_that_does_not_end_is_killed_at_the_limit() {
    let expected = [(VerdictWord::Unknown, Some("time limit of 1 s for the whole run".to_owned()))];
    // It ignores signals, or floods its output.
    for script in ["while :; do :; done", "exec yes '{\"line\":\"nothing\"}'"] {
        assert_eq!(of_script(script), expected, "{script}");
    }
}
