//! After the answers: which small changes of the program the requirements that hold would notice.
//!
//! Nothing waits for it: every answer has left by then, and a worker that is lost over it costs none.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use plc_frontend::hir::Expr;

use super::event::Event;
use super::protocol::Line;
use super::worker::Program;
use crate::decide::Request;
use crate::decide::sensitivity::{self, Effort, Fate};
use crate::engine::{Pictures, default_solvers};
use crate::property::requirements::Checked;
use crate::report::place::place;
use crate::report::sensitivity::{ChangeFate, ChangeSummary, Sensitivity};
use crate::smt::Interrupt;

/// How long the changes of one requirement may take.
const EACH: Duration = Duration::from_secs(20);

/// Tries changes for the requirements of these numbers, and says what came out of each.
pub(super) fn tried(
    program: &Program,
    hold: &[usize],
    started: Instant,
    deadline: Instant,
    say: &dyn Fn(&Line) -> std::io::Result<()>,
) -> std::io::Result<()> {
    for (nth, checked) in hold.iter().filter_map(|i| program.stated.checked.get(*i)).enumerate() {
        let share = deadline.saturating_duration_since(Instant::now()) / (hold.len() - nth) as u32;
        let text = format!("{}: trying changes of the program", checked.id);
        let elapsed_ms = started.elapsed().as_millis() as u64;
        let (requirement, engine) = (checked.id.clone(), "changes".to_owned());
        say(&Line::Event { event: Event::Progress { requirement, engine, safe_cycles: None, elapsed_ms, text } })?;
        if let Some(found) = of(program, checked, share.min(EACH)) {
            say(&Line::Sensitivity { requirement: checked.id.clone(), sensitivity: Box::new(found) })?;
        }
    }
    Ok(())
}

/// The changes of one requirement.
fn of(program: &Program, checked: &Checked, time: Duration) -> Option<Sensitivity> {
    if checked.claim.is_possibility() {
        return None;
    }
    let begun = Instant::now();
    let assumptions: Vec<Expr> = program.stated.assumed.iter().map(|a| a.condition.clone()).collect();
    let request = Request {
        loaded: &program.loaded,
        model: &program.model,
        claim: &checked.claim,
        assumptions: &assumptions,
        engine: None,
        options: &BTreeMap::new(),
        interrupt: &Interrupt { deadline: Some(begun + time), ..Interrupt::default() },
        events: &|_| {},
        solvers: &default_solvers(),
        pictures: Pictures::Last,
        earlier: None,
        shared: None,
    };
    let found = sensitivity::sensitivity(&request, Effort::default())?;
    let summary = |(change, fate): &(sensitivity::Change, Fate)| {
        let (fate, cycles) = match fate {
            Fate::Noticed { cycles } => (ChangeFate::Noticed, Some(*cycles)),
            Fate::Unaffected => (ChangeFate::Unaffected, None),
            Fate::Open => (ChangeFate::Open, None),
        };
        ChangeSummary { place: place(&program.loaded.sources, change.span), what: change.what.clone(), fate, cycles }
    };
    let changes = found.tried.iter().map(summary).collect();
    Some(Sensitivity::new(found.possible, changes, begun.elapsed().as_millis() as u64))
}
