//! The default strategy: bug hunting and proof attempts side by side; the first answer that is certified wins.
//!
//! An answer that cannot be certified does not end the run: it is recorded, and the others go on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use super::exchange::Board;
use super::{Ctx, Engine, Iteration, Pictures, Progress, Stop};
use crate::cfa::pass::Reduced;
use crate::cfa::picture::picture;
use crate::draw::Picture;
use crate::smt::{Interrupt, SolverError};
use crate::verdict::lift::lift_proof;
use crate::verdict::{Reason, Verdict};

/// Stack of a thread that works on expressions: they nest deeply, and solvers recurse over them. Virtual memory only.
pub const STACK_BYTES: usize = 512 << 20;

/// [`STACK_BYTES`], or less where the process may not have that much address space several times.
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
    /// Its automaton, and how its proofs are lifted.
    pub model: Reduced,
    /// Which graphs it keeps for people.
    pub pictures: Pictures,
}

/// Makes the members of a lane, on the lane's own thread.
pub type MakeLane<'a> = Box<dyn FnOnce() -> Result<Vec<Member>, String> + Send + 'a>;

/// Decides what becomes of an answer of the engine of this name. Proofs are lifted already.
pub type Judge<'a, T> = &'a (dyn Fn(&'static str, Verdict) -> Judged<T> + Sync);

/// What became of an answer.
#[derive(Debug)]
pub enum Judged<T> {
    /// Certified.
    Accepted(T),
    /// Not certified; the run goes on with the other engines.
    Refused,
    /// Not certified, and no other engine can do better: the model itself does not decide it.
    Hopeless(Reason),
}

/// How a portfolio ended.
#[derive(Debug)]
pub struct Ended<T> {
    /// The first answer that was certified, or why there is none.
    pub result: Result<T, Reason>,
    /// Engines that failed, with what they said.
    pub failures: Vec<(&'static str, SolverError)>,
    /// What engines with a graph of abstract states have to tell.
    pub explored: Vec<Explored>,
}

/// What one engine explored, for people.
#[derive(Clone, Debug)]
pub struct Explored {
    /// The engine.
    pub engine: &'static str,
    /// Whether its answer is the answer.
    pub answered: bool,
    /// What happened, in order; never empty.
    pub iterations: Vec<Iteration>,
    /// The automaton that it worked on.
    pub automaton: Picture,
    /// Time spent on certifying its answers.
    pub certification: Duration,
}

/// Runs each lane on its own thread; the members of a lane take turns in growing slices of time.
///
/// They share `board`. Every answer goes to `judge`. Lanes that are no longer needed are cancelled and awaited.
///
/// Cost:      at most one thread per lane, each with [`STACK_BYTES`] of address space.
/// Stops:     `interrupt`.
/// Soundness: only what `judge` accepted is a result.
pub fn side_by_side<T: Send>(
    interrupt: &Interrupt,
    events: &(dyn Fn(Progress) + Sync),
    board: &Arc<Board>,
    lanes: Vec<MakeLane<'_>>,
    judge: Judge<'_, T>,
) -> Ended<T> {
    let cancel = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let mut n_running = 0;
        let mut no_room = false;
        let (mut failures, mut explored) = (Vec::new(), Vec::new());
        for (i, make) in lanes.into_iter().enumerate() {
            let own = Interrupt { deadline: interrupt.deadline, cancel: cancel.clone() };
            let sender = sender.clone();
            let lane = move || {
                let end = run_lane(&own, events, board, make, judge);
                // Nobody listens once the run is decided.
                let _ = sender.send(end);
            };
            match std::thread::Builder::new().name(format!("lane-{i}")).stack_size(stack_bytes()).spawn_scoped(scope, lane) {
                Ok(_) => n_running += 1,
                // There is no room for its stack.
                Err(_) => no_room = true,
            }
        }
        drop(sender);
        let mut reason = no_room.then_some(Reason::Memory);
        let mut winner = None;
        while 0 < n_running {
            match receiver.recv_timeout(Duration::from_millis(20)) {
                Ok(end) => {
                    n_running -= 1;
                    failures.extend(end.failures);
                    explored.extend(end.explored);
                    match end.result {
                        Ok(answer) => {
                            winner.get_or_insert(answer);
                            cancel.store(true, Ordering::Relaxed);
                        }
                        Err(Reason::Cancelled) => {}
                        Err(why @ Reason::OverApproximation(_)) => {
                            reason = Some(why);
                            cancel.store(true, Ordering::Relaxed);
                        }
                        Err(
                            why @ (Reason::Time
                            | Reason::Memory
                            | Reason::Bound
                            | Reason::NoProgress
                            | Reason::SolverUnknown
                            | Reason::Unsupported(_)),
                        ) => {
                            reason.get_or_insert(why);
                        }
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) if interrupt.is_raised() => cancel.store(true, Ordering::Relaxed),
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
        Ended { result, failures, explored }
    })
}

/// Why a raised interrupt was raised.
pub fn interrupted(interrupt: &Interrupt) -> Reason {
    if interrupt.cancel.load(Ordering::Relaxed) { Reason::Cancelled } else { Reason::Time }
}

/// The first slice; each round doubles it.
const FIRST_SLICE: Duration = Duration::from_millis(300);

fn run_lane<T>(
    whole: &Interrupt,
    events: &(dyn Fn(Progress) + Sync),
    board: &Arc<Board>,
    make: MakeLane<'_>,
    judge: Judge<'_, T>,
) -> Ended<T> {
    let (mut failures, mut explored) = (Vec::new(), Vec::new());
    let mut members = match make() {
        Ok(members) => members,
        Err(why) => return Ended { result: Err(Reason::Unsupported(why)), failures, explored },
    };
    let result = take_turns(whole, events, board, &mut members, judge, (&mut failures, &mut explored));
    explored.extend(members.iter_mut().filter_map(|member| tell(member, false, Duration::ZERO)));
    Ended { result, failures, explored }
}

/// What a member has to tell.
fn tell(member: &mut Member, answered: bool, certification: Duration) -> Option<Explored> {
    let iterations = member.engine.explored(&member.model.pool);
    if iterations.is_empty() {
        return None;
    }
    let automaton = picture(&member.model.pool, &member.model.cfa, member.pictures.most_nodes());
    Some(Explored { engine: member.name, answered, iterations, automaton, certification })
}

/// Where failures and what was explored are noted.
type Notes<'n> = (&'n mut Vec<(&'static str, SolverError)>, &'n mut Vec<Explored>);

/// The members' turns until there is an answer, or nobody is left.
fn take_turns<T>(
    whole: &Interrupt,
    events: &(dyn Fn(Progress) + Sync),
    board: &Arc<Board>,
    members: &mut Vec<Member>,
    judge: Judge<'_, T>,
    (failures, explored): Notes<'_>,
) -> Result<T, Reason> {
    let mut last = Reason::NoProgress;
    let mut slice = FIRST_SLICE;
    while !members.is_empty() {
        let alone = members.len() == 1;
        let mut i = 0;
        while i < members.len() {
            if whole.is_raised() {
                return Err(interrupted(whole));
            }
            let end = Instant::now().checked_add(slice);
            let until = if alone { whole.deadline } else { end.map(|end| whole.deadline.map_or(end, |whole| whole.min(end))) };
            let slot = Interrupt { deadline: until, cancel: whole.cancel.clone() };
            let done = match turn(&mut members[i], slot, events, board) {
                Ok(verdict @ (Verdict::Safe(_) | Verdict::Unsafe(_))) => {
                    let begin = Instant::now();
                    let judged = judge(members[i].name, verdict);
                    let certification = begin.elapsed();
                    explored.extend(tell(&mut members[i], matches!(judged, Judged::Accepted(_)), certification));
                    match judged {
                        Judged::Accepted(answer) => return Ok(answer),
                        Judged::Refused => Some(Reason::NoProgress),
                        Judged::Hopeless(why) => return Err(why),
                    }
                }
                Ok(Verdict::Unknown(why)) => Some(why),
                // Its slice is over; the next one is longer.
                Err(Stop::Reason(Reason::Cancelled | Reason::Time)) => None,
                Err(Stop::Reason(why)) => Some(why),
                Err(Stop::Solver(e)) => {
                    failures.push((members[i].name, e));
                    Some(Reason::SolverUnknown)
                }
            };
            match done {
                Some(why) => {
                    last = why;
                    explored.extend(tell(&mut members[i], false, Duration::ZERO));
                    drop(members.remove(i));
                }
                None => i += 1,
            }
        }
        slice = slice.saturating_mul(2);
    }
    Err(last)
}

/// One slice of a member. Its pool goes on from slice to slice, since what an engine keeps speaks of it.
fn turn(member: &mut Member, slot: Interrupt, events: &(dyn Fn(Progress) + Sync), board: &Arc<Board>) -> Result<Verdict, Stop> {
    let mut cx = Ctx { pool: std::mem::take(&mut member.model.pool), interrupt: slot, events, board: board.clone() };
    let answer = member.engine.run(&mut cx, &member.model.cfa);
    member.model.pool = cx.pool;
    Ok(match answer? {
        Verdict::Safe(proof) => Verdict::Safe(lift_proof(&member.model.lift, proof)),
        other @ (Verdict::Unsafe(_) | Verdict::Unknown(_)) => other,
    })
}
