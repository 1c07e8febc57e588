//! After the answers: which small changes of the program the requirements that hold would notice. Whether they notice
//! anything is tried in any case, a search for each change where it was asked for.
//!
//! Nothing waits for it: every answer has left by then, and a worker that is lost over it costs none.

use std::time::{Duration, Instant};

use super::event::Event;
use super::protocol::Line;
use super::understand::Program;
use crate::report::place::place;
use crate::report::sensitivity::{ChangeFate, ChangeSummary, Sensitivity};
use answer::decide::Search;
use answer::decide::sensitivity::{self, Effort, Fate};
use kernel::context::{Progress, default_solvers};
use kernel::property::claim::Claim;
use kernel::property::requirements::ResolvedRequirement;
use kernel::smt::Interrupt;

/// Longest time for the changes of one requirement where they were asked for.
const EACH: Duration = Duration::from_secs(20);
/// Longest time for all requirements where they were not asked for.
const UNASKED: Duration = Duration::from_secs(2);
const UNASKED_EACH: Duration = Duration::from_millis(500);

/// Tries changes for the requirements with these numbers, and tells the result of each.
///
/// If they were not `asked` for: only for stated requirements, and only until one change is noticed.
pub(super) fn tried(
    program: &Program,
    hold: &[usize],
    asked: bool,
    (started, deadline): (Instant, Instant),
    say: &dyn Fn(&Line) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let hold =
        hold.iter().filter_map(|i| program.stated.requirements.get(*i)).filter(|requirement| asked || is_stated(requirement));
    let hold: Vec<&ResolvedRequirement> = hold.collect();
    let deadline = if asked { deadline } else { deadline.min(Instant::now() + UNASKED) };
    let (effort, each) = if asked { (Effort::ALL, EACH) } else { (Effort::ANY, UNASKED_EACH) };
    for (nth, requirement) in hold.iter().enumerate() {
        let share = deadline.saturating_duration_since(Instant::now()) / (hold.len() - nth) as u32;
        if asked {
            let text = format!("{}: trying changes of the program", requirement.id);
            let progress = Progress { engine: "changes", safe_cycles: None, text };
            say(&Line::Event { event: Event::progress(&requirement.id, started, progress) })?;
        }
        if let Some(found) = of(program, requirement, effort, share.min(each)) {
            say(&Line::Sensitivity { requirement: requirement.id.clone(), sensitivity: Box::new(found) })?;
        }
    }
    Ok(())
}

/// Returns whether its conditions are the user's, not those of an automatic check.
fn is_stated(requirement: &ResolvedRequirement) -> bool {
    matches!(requirement.claim, Claim::Assert(_)) || !requirement.claim.conditions().is_empty()
}

/// Returns the changes of one requirement.
fn of(program: &Program, requirement: &ResolvedRequirement, effort: Effort, time: Duration) -> Option<Sensitivity> {
    if requirement.claim.is_possibility() {
        return None;
    }
    let begun = Instant::now();
    let (assumptions, solvers) = (program.assumptions(), default_solvers());
    let interrupt = Interrupt { deadline: Some(begun + time), ..Interrupt::default() };
    let request = program.request(requirement, &assumptions, Search::new(&interrupt, &solvers));
    let found = sensitivity::sensitivity(&request, effort)?;
    let summary = |(change, fate): &(sensitivity::Change, Fate)| {
        let (fate, cycles) = match fate {
            Fate::Noticed { cycles } => (ChangeFate::Noticed, Some(*cycles)),
            Fate::Unaffected => (ChangeFate::Unaffected, None),
            Fate::Undecided => (ChangeFate::Open, None),
        };
        ChangeSummary { place: place(&program.loaded.sources, change.span), what: change.what.clone(), fate, cycles }
    };
    let changes = found.tried.iter().map(summary).collect();
    let searched = effort.all;
    Some(Sensitivity::new(searched, found.possible, changes, begun.elapsed().as_millis() as u64))
}
