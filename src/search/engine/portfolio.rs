//! The portfolio: engines side by side; the first answer that is certified wins.
//!
//! An answer that cannot be certified does not end the run: it is recorded, and the others go on.

use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use super::spent::Spent;
use super::{Engine, Iteration, Pictures};
use kernel::cfa::pass::Reduced;
use kernel::context::Progress;
use kernel::context::exchange::Board;
use kernel::draw::Picture;
use kernel::smt::{Interrupt, SolverError};
use kernel::verdict::{Reason, Verdict};
use pauses::GroupInterrupts;
use turns::run_group;

mod pauses;
mod turns;

/// Stack of a thread that works on expressions. They nest deeply, and solvers recurse over them. It is virtual memory only.
pub const STACK_BYTES: usize = 512 << 20;

/// Returns [`STACK_BYTES`], or less where the limit on address space does not allow several such stacks.
pub fn stack_bytes() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    let share = limit.and_then(|bytes| usize::try_from(bytes / 8).ok()).unwrap_or(STACK_BYTES);
    share.clamp(16 << 20, STACK_BYTES)
}

/// An engine with its name and the automaton it works on.
pub struct Member {
    /// The engine's name.
    pub name: &'static str,
    /// The engine.
    pub engine: Box<dyn Engine>,
    /// Its automaton, with the way to lift its proofs.
    pub model: Reduced,
    /// Graphs that it keeps for the report.
    pub pictures: Pictures,
}

/// Makes a member when its first turn comes, on the group's own thread.
pub type MakeMember<'a> = Box<dyn FnOnce() -> Result<Member, String> + Send + 'a>;

/// Members that take turns on one thread.
pub struct EngineGroup<'a> {
    /// Time after which it starts if there is no answer. Many questions are not worth a thread of their own.
    pub after: Duration,
    /// TRUE if the run ends with the other groups: its members publish lemmas, or have an answer early or not at all.
    pub helps: bool,
    /// First turn of each member in processor time, about; every round doubles it. An engine that needs longer turns is probably not the right one.
    pub slice: Duration,
    /// In the order of their turns.
    pub members: Vec<MakeMember<'a>>,
}

/// Function that certifies an answer of the engine of this name. Proofs are lifted already.
pub type Judge<'a, T> = &'a (dyn Fn(&'static str, Verdict, &Interrupt) -> Judged<T> + Sync);

/// Result of certifying an answer.
#[derive(Debug)]
pub enum Judged<T> {
    /// Certified.
    Accepted(T),
    /// Not certified; the run goes on with the other engines.
    Refused,
    /// The interrupt was raised before certification ended. It begins again in a longer turn.
    Stopped,
    /// Not certified, and no other engine can do better: the model does not decide the requirement.
    Hopeless(Reason),
}

/// End of a portfolio.
#[derive(Debug)]
pub struct Ended<T> {
    /// The first answer that was certified, or the reason for none.
    pub result: Result<T, Reason>,
    /// Engines that failed, with their messages.
    pub failures: Vec<(&'static str, SolverError)>,
    /// Exploration of the engines with a graph of abstract states.
    pub explored: Vec<Explored>,
    /// Time of the engines.
    pub spent: Spent,
}

/// Exploration of one engine, for the report.
#[derive(Clone, Debug)]
pub struct Explored {
    /// The engine.
    pub engine: &'static str,
    /// TRUE if its answer is the portfolio's.
    pub answered: bool,
    /// Iterations in order; never empty.
    pub iterations: Vec<Iteration>,
    /// The automaton that it worked on.
    pub automaton: Picture,
    /// Time spent on certifying its answers.
    pub certification: Duration,
}

/// Runs each group on its own thread; the members of a group take turns in growing slices of time. A group that waits starts
/// as soon as no other runs. While a proof is certified, all other groups pause.
///
/// They share `board`. Every answer goes to `judge`. Groups that are no longer needed are cancelled and awaited.
///
/// Cost:      at most one thread per group, each with [`STACK_BYTES`] of address space.
/// Stops:     `interrupt`.
/// Soundness: only what `judge` accepted is a result.
pub fn side_by_side<T: Send>(
    interrupt: &Interrupt,
    events: &(dyn Fn(Progress) + Sync),
    board: &Arc<Board>,
    mut groups: Vec<EngineGroup<'_>>,
    judge: Judge<'_, T>,
) -> Ended<T> {
    let interrupts = GroupInterrupts::default();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let (mut n_started, mut n_running) = (0, 0);
        // Groups that may still answer.
        let mut n_answering = groups.iter().filter(|group| !group.helps).count();
        let (mut failures, mut explored, mut spent) = (Vec::new(), Vec::new(), Spent::default());
        let (mut reason, mut winner) = (None, None);
        let begin = Instant::now();
        // The first to start comes last.
        groups.sort_by_key(|group| std::cmp::Reverse(group.after));
        loop {
            if interrupts.is_closed() {
                groups.clear();
            }
            while let Some(EngineGroup { slice, members, helps, .. }) =
                groups.pop_if(|group| n_running == 0 || group.after <= begin.elapsed())
            {
                let own = interrupts.further(interrupt);
                let sender = sender.clone();
                let group = move || {
                    let end = run_group(&own, events, board, slice, members, judge);
                    // The receiver is gone once the run is decided.
                    let _ = sender.send((end, helps));
                };
                let thread = std::thread::Builder::new().name(format!("group-{n_started}")).stack_size(stack_bytes());
                n_started += 1;
                match thread.spawn_scoped(scope, group) {
                    Ok(_) => n_running += 1,
                    // There is no room for its stack.
                    Err(_) if helps => {}
                    Err(_) => {
                        n_answering -= 1;
                        reason = Some(Reason::Memory);
                    }
                }
            }
            if n_running == 0 {
                break;
            }
            if n_answering == 0 {
                interrupts.close();
            }
            let next = groups.last().map(|group| group.after.saturating_sub(begin.elapsed()));
            match receiver.recv_timeout(next.unwrap_or(LOOK).min(LOOK)) {
                Ok((end, helped)) => {
                    n_running -= 1;
                    n_answering -= usize::from(!helped);
                    failures.extend(end.failures);
                    explored.extend(end.explored);
                    spent.add(&end.spent);
                    match end.result {
                        Ok(answer) => {
                            winner.get_or_insert(answer);
                            interrupts.close();
                        }
                        Err(Reason::Cancelled) => {}
                        Err(why @ Reason::OverApproximation(_)) => {
                            reason = Some(why);
                            interrupts.close();
                        }
                        Err(_) if helped => {}
                        Err(why) => {
                            reason.get_or_insert(why);
                        }
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) if interrupt.is_raised() => interrupts.close(),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        let result = match (winner, reason) {
            (Some(answer), _) => Ok(answer),
            (None, Some(why @ Reason::OverApproximation(_))) => Err(why),
            (None, _) if interrupt.is_raised() => Err(interrupted(interrupt)),
            (None, Some(why)) => Err(why),
            (None, None) => Err(Reason::NoProgress),
        };
        Ended { result, failures, explored, spent }
    })
}

/// Returns the reason of a raised interrupt.
pub fn interrupted(interrupt: &Interrupt) -> Reason {
    if interrupt.cancel.load(Ordering::Relaxed) { Reason::Cancelled } else { Reason::Time }
}

/// Interval between two looks at an interrupt from outside.
const LOOK: Duration = Duration::from_millis(20);
