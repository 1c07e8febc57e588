//! Uploads within the share of their owner.

use super::access;
use super::error::WebError;
use super::state::AppState;
use crate::store::now_ms;
use crate::store::programs::{Label, Program, Source};
use crate::store::shares::Upload;

/// Keeps an uploaded program if it fits the share of its owner. The flag says whether it is new.
pub(super) async fn keep(state: &AppState, label: Label, sources: Vec<Source>) -> Result<(Program, bool), WebError> {
    let quota = state.config.upload_quota;
    let size = |bytes: i64| usize::try_from(bytes).unwrap_or_default();
    match state.store.upload((access::owner(), quota), label, sources, now_ms()).await? {
        Upload::Kept(program, is_new) => Ok((program, is_new)),
        Upload::TooMuchToday(seconds) => Err(WebError::UploadQuota(size(quota.day_bytes), seconds)),
        Upload::TooMuchKept(kept) => Err(WebError::KeptQuota(size(kept), size(quota.kept_bytes))),
    }
}
