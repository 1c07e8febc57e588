//! Turns of the members of one group.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::pauses::GroupInterrupt;
use super::{Ended, Explored, Judge, Judged, MakeMember, Member, interrupted};
use crate::engine::pace::Pace;
use crate::engine::spent::Spent;
use kernel::cfa::picture::picture;
use kernel::context::exchange::Board;
use kernel::context::{Ctx, Progress, Stop};
use kernel::smt::{Interrupt, SolverError};
use kernel::thread_time::thread_time;
use kernel::verdict::{Reason, Verdict, lift_proof};

/// Member of a group that has its turns.
enum MemberState<'a> {
    /// Its turn has not come yet.
    Waiting(MakeMember<'a>),
    Taken(Member),
    /// It has an answer, whose certification takes longer than a turn.
    Answered(Member, Verdict),
}

/// Shortest turn of certification: in slices, and in any case. An answer is worth more than the next step of a search.
///
/// A turn is at least as long as all that the group has done so far. So its turns grow, and at most half of the time is lost
/// where another engine has an answer that is certified sooner. Most proofs are certified in the first turn; after it each
/// other engine begins, and on large programs that alone takes seconds.
const CERTIFYING: u32 = 4;
const SHORTEST: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 4 });

/// Runs the members of a group until there is an answer, no member is left, or the run ends.
pub(super) fn run_group<T>(
    own: &GroupInterrupt<'_>,
    events: &(dyn Fn(Progress) + Sync),
    board: &Arc<Board>,
    slice: Duration,
    members: Vec<MakeMember<'_>>,
    judge: Judge<'_, T>,
) -> Ended<T> {
    let mut notes = Notes::default();
    let mut waiting: VecDeque<MemberState<'_>> = members.into_iter().map(MemberState::Waiting).collect();
    let result = take_turns(own, events, board, slice, &mut waiting, judge, &mut notes);
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
    own: &GroupInterrupt<'_>,
    events: &(dyn Fn(Progress) + Sync),
    board: &Arc<Board>,
    mut slice: Duration,
    members: &mut VecDeque<MemberState<'_>>,
    judge: Judge<'_, T>,
    notes: &mut Notes,
) -> Result<T, Reason> {
    let whole = &own.interrupt;
    let begin_of_group = thread_time();
    let mut last = Reason::NoProgress;
    let mut pace = Pace::default();
    while !members.is_empty() {
        let alone = members.len() == 1;
        for _ in 0..members.len() {
            own.wait();
            if own.is_over() {
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
                    let spent_so_far = thread_time().saturating_sub(begin_of_group);
                    let slot = slot(slice.saturating_mul(CERTIFYING).max(SHORTEST).max(spent_so_far), pace);
                    let (begin, begin_cpu) = (Instant::now(), thread_time());
                    let pause = matches!(verdict, Verdict::Safe(_)).then(|| own.pause_others());
                    let judged = judge(member.name, verdict.clone(), &slot);
                    drop(pause);
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
