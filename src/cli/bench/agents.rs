//! Cells that the agents of a fleet measure. What they answer is certified here.
//!
//! **Invariant:** an answer counts if this machine has certified its evidence. Figures are those that the agent says.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::backend::{Backend, Order, Row, failed, without_result};
use crate::bench::campaign::{Cell, Status};
use crate::cli::print::complain;
use crate::cli::session::Session;
use crate::fleet::cell::Figures;
use crate::fleet::cells::{CellEnd, CellPlace, Cells};
use crate::report::outcome::RequirementResult;
use crate::run::claim::{Claim, ClaimContent};
use crate::run::job::{Job, Task, is_about_a_model};
use crate::run::limits::Limits;
use crate::run::recheck::recheck;
use crate::run::supervisor::{Ended, certify};
use answer::VerdictWord;
use answer::certificate::StoredEvidence;

/// Measured cells that wait here for each certification at the same time.
const RETURNED_EACH: usize = 8;
/// Time between two looks for a reason why no cell begins.
const LOOK: Duration = Duration::from_secs(5);
/// Seconds of a certification beyond twice the time limit: this machine may be slower than an agent.
const MARGIN_S: u32 = 30;

/// Agents of a fleet.
#[derive(Clone)]
pub(super) struct Agents {
    cells: Cells,
    exe: PathBuf,
    cpu_s: Option<u32>,
    /// Certifications at the same time.
    certifying: Arc<Semaphore>,
    returned: Arc<Semaphore>,
    cancel: CancellationToken,
}

/// Room that a cell takes: at first at the agents, then here.
#[derive(Default)]
pub(super) struct Room {
    place: Option<CellPlace>,
    _turn: Option<OwnedSemaphorePermit>,
    _returned: Option<OwnedSemaphorePermit>,
}

impl Agents {
    /// Returns the back end of a campaign, with so many certifications at the same time.
    pub(super) fn new(session: &Session, cells: Cells, n_certifications: u32, cpu_s: Option<u32>) -> Agents {
        let n = n_certifications as usize;
        let (exe, cancel) = (session.exe.clone(), session.cancel.clone());
        let agents = Agents {
            cells,
            exe,
            cpu_s,
            certifying: Arc::new(Semaphore::new(n)),
            returned: Arc::new(Semaphore::new(n * RETURNED_EACH)),
            cancel,
        };
        tokio::spawn(agents.clone().complain_while_nothing_begins());
        agents
    }

    async fn complain_while_nothing_begins(self) {
        let mut told = None;
        while self.cancel.run_until_cancelled(tokio::time::sleep(LOOK)).await.is_some() {
            let hindrance = self.cells.hindrance();
            if let Some(why) = hindrance.as_ref().filter(|why| told.as_ref() != Some(*why)) {
                complain(&format!("cells wait: {why}"));
            }
            told = hindrance;
        }
    }

    /// Returns the cell of an agent's figures, with its answer as far as this machine certifies it.
    async fn row(&self, order: &Order, agent: String, figures: Figures) -> Option<Row> {
        let Figures { usage, wall, progress, word, reason, claim, beside, .. } = figures;
        let said = word.map_or_else(|| without_result(reason.as_deref()), |word| Status::of(word, reason.as_deref()));
        let cell = Cell { status: said, usage, wall, reason, progress, host: agent.clone(), beside, ..failed(order.place, "") };
        if said.answer().is_none() {
            return Some(Row { cell, result: None, refused: None });
        }
        let Some(claim) = claim.filter(|claim| claim.requirement == order.requirement) else {
            let reason = format!("agent {agent} says {said} without evidence");
            return Some(Row {
                cell: Cell { status: Status::Unknown, reason: Some(reason), ..cell },
                result: None,
                refused: None,
            });
        };
        let shown = self.shown(&order.job, claim.readable(&agent)).await;
        if self.cancel.is_cancelled() {
            return None;
        }
        let status = shown.as_ref().map(|result| Status::of(result.verdict, None));
        if status == Some(said) {
            return Some(Row { cell, result: shown, refused: None });
        }
        let reason = format!("agent {agent} says {said}, and its evidence does not show it");
        Some(Row {
            cell: Cell { status: Status::Error, reason: Some(reason.clone()), ..cell },
            result: None,
            refused: Some(reason),
        })
    }

    /// Returns the result that the evidence of a claim shows; `None` if it shows none.
    async fn shown(&self, job: &Job, claim: Claim) -> Option<RequirementResult> {
        let Limits { wall_s, memory_mb } = job.limits;
        let limits = Limits { wall_s: wall_s.saturating_mul(2).saturating_add(MARGIN_S), memory_mb: memory_mb.saturating_mul(2) };
        let (id, job) = (claim.requirement.clone(), Job { limits, ..job.clone() });
        if is_about_a_model(&job) {
            return self.shown_of_a_model(&job, claim).await;
        }
        let job = Job { task: Task::Confirm(vec![claim]), ..job };
        let confirmed = certify(&self.exe, &job, (Vec::new(), None), self.cancel.clone(), &mut |_| {}, &mut |_| {}).await;
        if !confirmed.shown.iter().any(|result| result.id == id) {
            return None;
        }
        // In the outcome it has its conditions.
        match confirmed.ended {
            Ended::Succeeded(outcome) | Ended::TimedOut(Some(outcome)) => {
                outcome.results.into_iter().find(|result| result.id == id)
            }
            Ended::Failed { .. } | Ended::Cancelled(_) | Ended::TimedOut(None) => None,
        }
    }

    /// Returns the result about a published model, whose evidence is checked as a certificate.
    async fn shown_of_a_model(&self, job: &Job, Claim { requirement, content }: Claim) -> Option<RequirementResult> {
        let ClaimContent::Shown { evidence, engine, .. } = content else { return None };
        // Its one question is a place that is not to be reached.
        let verdict = match evidence {
            StoredEvidence::Proof(_) => VerdictWord::Holds,
            StoredEvidence::ModelRun(_) => VerdictWord::Violated,
            StoredEvidence::Run(_) => return None,
        };
        let result =
            RequirementResult { id: requirement, verdict, engine, certificate: Some(evidence), ..RequirementResult::default() };
        let rechecked = recheck(&self.exe, job, std::slice::from_ref(&result), None, &self.cancel).await;
        (rechecked.n_accepted == 1).then_some(result)
    }
}

impl Backend for Agents {
    type Room = Room;

    async fn room(&self) -> Room {
        // No further cell goes to the agents while too many wait here.
        drop(self.returned.acquire().await);
        Room { place: Some(self.cells.place().await), ..Room::default() }
    }

    async fn measure(&self, room: Room, order: Order) -> Option<(Row, Room)> {
        let wanted = (order.requirement.as_str(), self.cpu_s);
        let end = self.cancel.run_until_cancelled(self.cells.measure(order.number, &order.job, wanted)).await?;
        // The agent is free for the next cell.
        drop(room.place);
        let (agent, figures) = match end {
            CellEnd::Measured(agent, figures) => (agent, *figures),
            CellEnd::Lost(why) => {
                return Some((Row { cell: failed(order.place, &why), result: None, refused: None }, Room::default()));
            }
        };
        // Neither semaphore is ever closed.
        let _returned = Arc::clone(&self.returned).acquire_owned().await.ok();
        let _turn = Arc::clone(&self.certifying).acquire_owned().await.ok();
        let row = self.row(&order, agent, figures).await?;
        Some((row, Room { place: None, _turn, _returned }))
    }

    async fn end(&self) {
        self.cells.end().await;
    }
}
