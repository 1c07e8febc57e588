//! The portfolio: engines side by side; the first answer that is certified wins.
//!
//! An answer that cannot be certified does not end the run: it is recorded, and the others go on.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use super::pace::Pace;
use super::spent::Spent;
use super::{Engine, Iteration, Pictures};
use kernel::cfa::pass::Reduced;
use kernel::cfa::picture::picture;
use kernel::context::exchange::Board;
use kernel::context::{Ctx, Progress, Stop};
use kernel::draw::Picture;
use kernel::smt::{Interrupt, SolverError};
use kernel::thread_time::thread_time;
use kernel::verdict::lift_proof;
use kernel::verdict::{Reason, Verdict};

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
    /// TRUE if its members only publish lemmas: the run ends with the other groups.
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
/// as soon as no other runs.
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
    let cancel = Arc::new(AtomicBool::new(false));
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
            if cancel.load(Ordering::Relaxed) {
                groups.clear();
            }
            while let Some(EngineGroup { slice, members, helps, .. }) =
                groups.pop_if(|group| n_running == 0 || group.after <= begin.elapsed())
            {
                let own = Interrupt { deadline: interrupt.deadline, cancel: cancel.clone() };
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
                cancel.store(true, Ordering::Relaxed);
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
                            cancel.store(true, Ordering::Relaxed);
                        }
                        Err(Reason::Cancelled) => {}
                        Err(why @ Reason::OverApproximation(_)) => {
                            reason = Some(why);
                            cancel.store(true, Ordering::Relaxed);
                        }
                        Err(_) if helped => {}
                        Err(why) => {
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
        Ended { result, failures, explored, spent }
    })
}

/// Returns the reason of a raised interrupt.
pub fn interrupted(interrupt: &Interrupt) -> Reason {
    if interrupt.cancel.load(Ordering::Relaxed) { Reason::Cancelled } else { Reason::Time }
}

/// Interval between two looks at an interrupt from outside.
const LOOK: Duration = Duration::from_millis(20);

/// Member of a group that has its turns.
enum MemberState<'a> {
    /// Its turn has not come yet.
    Waiting(MakeMember<'a>),
    Taken(Member),
    /// It has an answer, whose certification takes longer than a turn.
    Answered(Member, Verdict),
}

/// Length of a turn of certification in slices. An answer is worth more than the next step of a search.
const CERTIFYING: u32 = 4;

fn run_group<T>(
    whole: &Interrupt,
    events: &(dyn Fn(Progress) + Sync),
    board: &Arc<Board>,
    slice: Duration,
    members: Vec<MakeMember<'_>>,
    judge: Judge<'_, T>,
) -> Ended<T> {
    let mut notes = Notes::default();
    let mut waiting: VecDeque<MemberState<'_>> = members.into_iter().map(MemberState::Waiting).collect();
    let result = take_turns(whole, events, board, slice, &mut waiting, judge, &mut notes);
    for member in waiting {
        match member {
            MemberState::Waiting(_) => {}
            MemberState::Taken(mut member) | MemberState::Answered(mut member, _) => {
                notes.explored.extend(tell(&mut member, false, Duration::ZERO))
            }
        }
    }
    let Notes { failures, explored, spent } = notes;
    Ended { result, failures, explored, spent }
}

/// Returns the exploration of a member.
fn tell(member: &mut Member, answered: bool, certification: Duration) -> Option<Explored> {
    let iterations = member.engine.explored(&member.model.pool);
    if iterations.is_empty() {
        return None;
    }
    let automaton = picture(&member.model.pool, &member.model.cfa, member.pictures.most_nodes());
    Some(Explored { engine: member.name, answered, iterations, automaton, certification })
}

/// Notes of one group.
#[derive(Default)]
struct Notes {
    failures: Vec<(&'static str, SolverError)>,
    explored: Vec<Explored>,
    spent: Spent,
}

/// Runs the members in turns until there is an answer, or no member is left.
fn take_turns<T>(
    whole: &Interrupt,
    events: &(dyn Fn(Progress) + Sync),
    board: &Arc<Board>,
    mut slice: Duration,
    members: &mut VecDeque<MemberState<'_>>,
    judge: Judge<'_, T>,
    notes: &mut Notes,
) -> Result<T, Reason> {
    let mut last = Reason::NoProgress;
    let mut pace = Pace::default();
    while !members.is_empty() {
        let alone = members.len() == 1;
        for _ in 0..members.len() {
            if whole.is_raised() {
                return Err(interrupted(whole));
            }
            let Some(next) = members.pop_front() else { break };
            let (mut member, answer) = match taken(next, &mut notes.spent) {
                Ok(taken) => taken,
                Err(why) => {
                    last = Reason::Unsupported(why);
                    continue;
                }
            };
            let slot = |length: Duration, pace: Pace| if alone { whole.clone() } else { whole.within(pace.stretched(length)) };
            let turned = match answer {
                Some(answer) => Ok(answer),
                None => {
                    let (begin, begin_cpu) = (Instant::now(), thread_time());
                    let turned = turn(&mut member, slot(slice, pace), events, board);
                    notes.spent.search(member.name, begin.elapsed());
                    pace.add(begin.elapsed(), thread_time().saturating_sub(begin_cpu));
                    turned
                }
            };
            let done = match turned {
                Ok(verdict @ (Verdict::Safe(_) | Verdict::Unsafe(_))) => {
                    let slot = slot(slice.saturating_mul(CERTIFYING), pace);
                    let (begin, begin_cpu) = (Instant::now(), thread_time());
                    let judged = judge(member.name, verdict.clone(), &slot);
                    let certification = begin.elapsed();
                    notes.spent.certification(member.name, certification, thread_time().saturating_sub(begin_cpu));
                    if let Judged::Stopped = judged {
                        // Another engine may have an answer that is certified sooner.
                        members.push_back(MemberState::Answered(member, verdict));
                        continue;
                    }
                    notes.explored.extend(tell(&mut member, matches!(judged, Judged::Accepted(_)), certification));
                    match judged {
                        Judged::Accepted(answer) => return Ok(answer),
                        Judged::Refused | Judged::Stopped => Some(Reason::Uncertified),
                        Judged::Hopeless(why) => return Err(why),
                    }
                }
                Ok(Verdict::Unknown(why)) => Some(why),
                // Its slice is over; the next one is longer.
                Err(Stop::Reason(Reason::Cancelled | Reason::Time)) => None,
                Err(Stop::Reason(why)) => Some(why),
                Err(Stop::Solver(e)) => {
                    notes.failures.push((member.name, e));
                    Some(Reason::SolverUnknown)
                }
            };
            match done {
                Some(why) => {
                    last = why;
                    notes.explored.extend(tell(&mut member, false, Duration::ZERO));
                }
                None => members.push_back(MemberState::Taken(member)),
            }
        }
        slice = slice.saturating_mul(2);
    }
    Err(last)
}

/// Returns a member, made if its first turn has come, with its answer if it has one.
fn taken(state: MemberState<'_>, spent: &mut Spent) -> Result<(Member, Option<Verdict>), String> {
    match state {
        MemberState::Taken(member) => Ok((member, None)),
        MemberState::Answered(member, answer) => Ok((member, Some(answer))),
        MemberState::Waiting(make) => {
            let begin = Instant::now();
            let made = make();
            spent.simplification += begin.elapsed();
            Ok((made?, None))
        }
    }
}

/// Runs a member for one slice. Its pool lives from slice to slice, because an engine keeps expressions of it.
fn turn(member: &mut Member, slot: Interrupt, events: &(dyn Fn(Progress) + Sync), board: &Arc<Board>) -> Result<Verdict, Stop> {
    let mut cx = Ctx { pool: std::mem::take(&mut member.model.pool), interrupt: slot, events, board: board.clone() };
    let answer = member.engine.run(&mut cx, &member.model.cfa);
    member.model.pool = cx.pool;
    Ok(match answer? {
        Verdict::Safe(proof) => Verdict::Safe(lift_proof(&member.model.lift, proof)),
        other @ (Verdict::Unsafe(_) | Verdict::Unknown(_)) => other,
    })
}
