//! Cells that workers of this machine measure.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::backend::{Backend, Order, Row, failed, without_result};
use crate::bench::campaign::{Cell, Status};
use crate::cli::session::{Session, machine_name};
use crate::run::measurement::{Measurement, measured};

/// Workers of this machine.
#[derive(Clone)]
pub(super) struct Local {
    exe: PathBuf,
    host: String,
    cpu_s: Option<u32>,
    n_places: u32,
    places: Arc<Semaphore>,
    cancel: CancellationToken,
}

impl Local {
    /// Returns a back end with so many workers at the same time.
    pub(super) fn new(session: &Session, n_places: u32, cpu_s: Option<u32>) -> Local {
        let (exe, cancel) = (session.exe.clone(), session.cancel.clone());
        Local { exe, host: machine_name(), cpu_s, n_places, places: Arc::new(Semaphore::new(n_places as usize)), cancel }
    }
}

impl Backend for Local {
    type Room = Option<OwnedSemaphorePermit>;

    async fn room(&self) -> Self::Room {
        // The semaphore is never closed.
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    async fn measure(&self, room: Self::Room, order: Order) -> Option<(Row, Self::Room)> {
        let wanted = (order.requirement.as_str(), self.cpu_s);
        let Measurement { usage, wall, progress, result, failure } =
            measured(&self.exe, &order.job, wanted, self.cancel.clone()).await?;
        let (status, reason) = match &result {
            Some(result) => (Status::of(result.verdict, result.reason.as_deref()), result.reason.clone()),
            None => (without_result(failure.as_deref()), failure),
        };
        let (host, beside) = (self.host.clone(), self.n_places - 1);
        let cell = Cell { status, usage, wall, reason, progress, host, beside, ..failed(order.place, "") };
        Some((Row { cell, result, refused: None }, room))
    }

    async fn end(&self) {}
}
