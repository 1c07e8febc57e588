//! The bench hears the broker and agents: it makes what the broker has lost, and gives reports to their cells.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio_stream::StreamExt as _;

use super::{AGAIN, Shared, lock};
use crate::fleet::broker::{Broker, CELLS, SIGNS, read_cell_subject};
use crate::fleet::cell::CellReport;
use crate::fleet::message::SignOfLife;
use crate::fleet::settings::BrokerSettings;

/// Time between two looks at the broker.
const LOOK: Duration = Duration::from_secs(2);

/// Connects, and hears agents until the campaign is over.
pub(super) async fn hear(campaign: Weak<Shared>, settings: BrokerSettings) {
    let broker = loop {
        match Broker::connect(&settings, "scanproof bench").await {
            Ok(broker) => break broker,
            Err(error) => {
                let Some(shared) = campaign.upgrade() else { return };
                *lock(&shared.broker) = Err(format!("the broker cannot be used: {error}"));
            }
        }
        tokio::time::sleep(LOOK).await;
    };
    tokio::join!(watch(&campaign, &broker), hear_signs(&campaign, &broker), hear_reports(&campaign, &broker));
}

/// Looks at the broker now and then, and makes what it has lost.
async fn watch(campaign: &Weak<Shared>, broker: &Broker) {
    while let Some(shared) = campaign.upgrade() {
        let prepared = broker.prepared(&shared.own).await;
        let state = prepared.map(|()| broker.clone()).map_err(|error| broker.absence_with_file().unwrap_or(error));
        let (was_ready, is_ready) = (lock(&shared.broker).is_ok(), state.is_ok());
        if was_ready != is_ready {
            // It may have lost its disk.
            shared.objects.clear();
        }
        *lock(&shared.broker) = state;
        shared.changed.notify_waiters();
        drop(shared);
        tokio::time::sleep(if is_ready { LOOK } else { AGAIN }).await;
    }
}

async fn hear_signs(campaign: &Weak<Shared>, broker: &Broker) {
    loop {
        if let Ok(mut signs) = broker.client.subscribe(SIGNS).await {
            while let Some(message) = signs.next().await {
                let Some(shared) = campaign.upgrade() else { return };
                let sign = broker.heard::<SignOfLife>(&message);
                if let Some(sign) = sign.filter(|sign| message.subject.as_str() == format!("scanproof.agent.{}", sign.agent)) {
                    lock(&shared.registry).hear(sign);
                    shared.changed.notify_waiters();
                }
            }
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn hear_reports(campaign: &Weak<Shared>, broker: &Broker) {
    while let Some(shared) = campaign.upgrade() {
        let (is_ready, name) = (lock(&shared.broker).is_ok(), shared.campaign.clone());
        drop(shared);
        if is_ready && let Err(error) = reports(campaign, broker, &name).await {
            tracing::warn!("{CELLS}: {error}");
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Gives reports to their cells until an error.
async fn reports(campaign: &Weak<Shared>, broker: &Broker, name: &str) -> Result<(), String> {
    let consumer = broker.cell_consumer(name).await?;
    let stream = consumer.stream().heartbeat(Duration::from_secs(2)).expires(Duration::from_secs(10));
    let mut messages = stream.messages().await.map_err(|error| error.to_string())?;
    while let Some(message) = messages.next().await {
        let (message, acker) = message.map_err(|error| error.to_string())?.split();
        let subject = message.subject.to_string();
        // What was not made with the token for this cell is dropped, and what comes late or twice.
        let report: Option<CellReport> = broker.unpack(&subject, &message.payload).await?;
        let Some(shared): Option<Arc<Shared>> = campaign.upgrade() else { return Ok(()) };
        let cell = read_cell_subject(&subject).and_then(|cell| lock(&shared.waiting).get(&cell).cloned());
        if let (Some(cell), Some(report)) = (cell, report) {
            let _ = cell.send(report);
        }
        let _ = acker.ack().await;
    }
    Err("the consumer has ended".to_owned())
}
