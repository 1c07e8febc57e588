//! One cell of a bench: it is measured as the bench itself would, and its figures travel with the evidence.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tracing::{info, warn};

use super::{AGAIN, Agent, AtWork, work};
use crate::fleet::broker::cell_subject;
use crate::fleet::cell::{CellContent, CellOrder, CellReport, Figures};
use crate::fleet::message::JobMessage;
use crate::run::job::{Job, Task};
use crate::run::measurement::measured;

/// Longest time in which figures are brought to the broker. The bench has given the cell to another agent by then.
const DELIVERY: Duration = Duration::from_secs(600);

/// Measures a cell. Returns whether nothing of it is left to do.
pub(super) async fn measure(agent: &Agent, message: JobMessage, order: CellOrder, AtWork { cancel, beside, .. }: AtWork) -> bool {
    let (campaign, number) = (message.job.clone(), message.part);
    let say = async |content: CellContent, name: String| {
        let report = CellReport { agent: agent.settings.name.clone(), content };
        let subject = cell_subject(&campaign, number);
        let body = agent.broker.pack(&subject, &report).await?;
        agent.broker.publish(&subject, &format!("{campaign}.{number}.{name}"), body).await
    };
    let job = match work::read(agent, message).await {
        Ok(Some(job)) => Job { task: Task::Verify, ..job },
        Ok(None) => {
            // The bench sends the files, and the cell once more.
            return say(CellContent::Missing, format!("missing.{}", uuid::Uuid::now_v7())).await.is_ok();
        }
        Err(error) => {
            warn!("the files of cell {number} of {campaign} cannot be read: {error}");
            return false;
        }
    };
    if let Err(error) = say(CellContent::Started, format!("started.{}", uuid::Uuid::now_v7())).await {
        warn!("the begin of cell {number} of {campaign} was not told: {error}");
        return false;
    }
    let wanted = (order.requirement.as_str(), order.cpu_s);
    // Without an end it was stopped.
    let Some(measurement) = measured(&agent.settings.program, &job, wanted, cancel.clone()).await else { return true };
    let worked_ms = u64::try_from(measurement.wall.as_millis()).unwrap_or(u64::MAX);
    agent.n_ended.fetch_add(1, Ordering::Relaxed);
    agent.worked_ms.fetch_add(worked_ms, Ordering::Relaxed);
    info!("cell {number} of {campaign}: {worked_ms} ms");
    // The program is looked at after its last worker, too.
    let figures = Figures::of(measurement, agent.binary.fingerprint(), beside.load(Ordering::Relaxed));
    let content = CellContent::Ended(Box::new(figures));
    let ended = Instant::now();
    loop {
        match say(content.clone(), format!("ended.{}", agent.settings.name)).await {
            Ok(()) => return true,
            Err(error) => warn!("the figures of cell {number} of {campaign} are not at the broker yet: {error}"),
        }
        if DELIVERY < ended.elapsed() || cancel.is_cancelled() {
            return false;
        }
        tokio::time::sleep(AGAIN).await;
    }
}
