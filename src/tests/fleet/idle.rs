//! Workers that an agent keeps from run to run.

use std::path::Path;

use scanproof::report::outcome::Outcome;
use scanproof::run::idle::{IdleWorkers, OfOwner};
use scanproof::run::job::{Job, Task};
use scanproof::run::part::{Answered, Part};
use scanproof::run::supervisor::supervise_part;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::scripted::runtime;
use super::trust::{PROGRAM, answers, counter, outcome};

/// Does a run as an agent does it.
async fn done(job: &Job, idle: Option<OfOwner<'_>>) -> Outcome {
    let job = Job { task: Task::Decide, ..job.clone() };
    let known = watch::Sender::new(Answered::default());
    let part = Part { number: 0, answered: known.subscribe() };
    outcome(supervise_part(Path::new(PROGRAM), (&job, idle), part, CancellationToken::new(), &mut |_| {}).await)
}

#[test]
fn runs_of_one_user_share_a_worker_and_are_answered_as_by_new_ones() {
    runtime().block_on(async {
        let idle = IdleWorkers::new(4);
        let mut first = None;
        for most in [3, 7, 5] {
            let job = counter(most);
            let shared = done(&job, Some(idle.of("ann", false))).await;
            assert_eq!(answers(&shared), answers(&done(&job, None).await));
            let ids = idle.process_ids();
            assert_eq!(ids.len(), 1);
            assert_eq!(*first.get_or_insert(ids.clone()), ids);
        }
        idle.end_old();
        assert_eq!(idle.process_ids().len(), 1, "it has not waited for long");
    });
}

#[test]
fn a_worker_does_runs_of_one_user_with_one_limit_only() {
    runtime().block_on(async {
        let idle = IdleWorkers::new(4);
        let job = counter(3);
        let mut smaller = job.clone();
        smaller.limits.memory_mb = 1024;
        done(&job, Some(idle.of("ann", false))).await;
        done(&job, Some(idle.of("bob", false))).await;
        done(&job, Some(idle.of("ann", true))).await;
        done(&smaller, Some(idle.of("ann", false))).await;
        let ids = idle.process_ids();
        assert_eq!(ids.len(), 4);
        done(&job, Some(idle.of("cid", false))).await;
        assert_eq!(idle.process_ids()[..3], ids[1..], "the oldest makes room");
    });
}

#[test]
fn a_worker_that_ends_while_it_waits_costs_no_answer() {
    runtime().block_on(async {
        let idle = IdleWorkers::new(4);
        let job = counter(3);
        let before = done(&job, Some(idle.of("ann", false))).await;
        let ids = idle.process_ids();
        let id = rustix::process::Pid::from_raw(i32::try_from(ids[0]).unwrap()).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
        let after = done(&job, Some(idle.of("ann", false))).await;
        assert_eq!(answers(&before), answers(&after));
        assert_ne!(ids, idle.process_ids());
    });
}
