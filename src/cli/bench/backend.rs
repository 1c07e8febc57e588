//! Back ends of a bench: where cells are measured. One starts workers here, the other asks the agents of a fleet.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use crate::bench::campaign::{Cell, Status};
use crate::report::outcome::RequirementResult;
use crate::run::job::Job;
use crate::run::process::Usage;
use answer::VerdictWord;

/// Place where cells are measured.
pub(super) trait Backend: Clone + Send + Sync + 'static {
    /// Room for one cell; given back when it is dropped.
    type Room: Send + 'static;

    /// Waits for room.
    fn room(&self) -> impl Future<Output = Self::Room> + Send;

    /// Measures a cell; `None` if it was stopped. Returns with the room that checks of the answer take.
    fn measure(&self, room: Self::Room, order: Order) -> impl Future<Output = Option<(Row, Self::Room)>> + Send;

    /// Ends the campaign.
    fn end(&self) -> impl Future<Output = ()> + Send;
}

/// Case, configuration and repetition.
pub(super) type Place = (usize, usize, u32);

/// Cell that is to be measured.
#[derive(Clone)]
pub(super) struct Order {
    /// Number of the cell in its campaign.
    pub(super) number: u32,
    pub(super) place: Place,
    /// The program with the strategy of the configuration.
    pub(super) job: Arc<Job>,
    /// Id of the requirement.
    pub(super) requirement: String,
}

/// Measured cell.
pub(super) struct Row {
    pub(super) cell: Cell,
    /// Answer that was certified.
    pub(super) result: Option<RequirementResult>,
    /// Reason why the answer of an agent does not count.
    pub(super) refused: Option<String>,
}

/// Returns a cell without figures: with an error, for this reason.
pub(super) fn failed((case, config, repetition): Place, reason: &str) -> Cell {
    Cell {
        case,
        config,
        repetition,
        status: Status::Error,
        usage: Usage::default(),
        wall: Duration::ZERO,
        reason: Some(reason.to_owned()),
        progress: None,
        host: String::new(),
        beside: 0,
    }
}

/// Returns the status of a run that ended without a result, for this reason.
pub(super) fn without_result(reason: Option<&str>) -> Status {
    match Status::of(VerdictWord::Unknown, reason) {
        Status::Unknown | Status::True | Status::False | Status::Error => Status::Error,
        limit @ (Status::Timeout | Status::OutOfMemory) => limit,
    }
}
