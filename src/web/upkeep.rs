//! Upkeep: what the service does by itself from time to time.

use std::time::Duration;

use super::state::AppState;
use crate::store::audit::chain::{Act, ActResult};
use crate::store::{StoreError, now_ms};

/// Time between two rounds.
const ROUND: Duration = Duration::from_secs(3600);
/// A day.
const DAY_MS: i64 = 24 * 3600 * 1000;

/// Deletes what is older than the settings allow, now and every hour.
pub(super) async fn run(state: AppState) {
    while !state.shutdown.is_cancelled() {
        if let Err(error) = round(&state, now_ms()).await {
            tracing::error!("old data cannot be deleted: {error}");
        }
        tokio::select! {
            () = tokio::time::sleep(ROUND) => {}
            () = state.shutdown.cancelled() => {}
        }
    }
}

/// Deletes runs, programs and rows of the audit log that are too old.
pub(super) async fn round(state: &AppState, now_ms: i64) -> Result<(), StoreError> {
    state.store.forget_deliveries(now_ms).await?;
    let before = |days: u32| now_ms - i64::from(days) * DAY_MS;
    if let Some(days) = state.config.run_days {
        let deleted = state.store.delete_older(before(days)).await?;
        if 0 < deleted.jobs + deleted.programs {
            let object = format!("{} runs and {} programs, older than {days} days", deleted.jobs, deleted.programs);
            record(state, "old data deleted", object).await?;
        }
    }
    if let Some(days) = state.config.audit_days {
        let removed = state.store.shorten_audit(before(days), now_ms).await?;
        if 0 < removed {
            tracing::info!("{removed} rows of the audit log were older than {days} days and are removed");
        }
    }
    Ok(())
}

/// Adds an act of the service itself to the audit log.
pub(super) async fn record(state: &AppState, action: &str, object: String) -> Result<(), StoreError> {
    tracing::info!("{action}: {object}");
    let (who, address) = (String::new(), String::new());
    let act = Act { who, via: "service".into(), address, action: action.into(), object, result: ActResult::Done };
    state.store.record(act, now_ms()).await?;
    Ok(())
}
