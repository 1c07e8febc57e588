//! `Prefer: wait=30`: an answer that comes once a run has ended, so that programs need not ask again and again.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};

use super::error::WebError;
use super::job;
use super::state::AppState;
use crate::store::jobs::StoredJob;

/// Longest wait.
const LONGEST_S: u64 = 60;

/// Returns the seconds that a request wants to wait.
fn wanted(headers: &HeaderMap) -> Option<u64> {
    let values = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    let mut words = values.flat_map(|value| value.split([',', ';'])).filter_map(|word| word.trim().strip_prefix("wait="));
    words.find_map(|seconds| seconds.trim_matches('"').parse().ok())
}

/// Returns the job once it has ended, or as it is after the time that the request wants to wait; with the header that says so.
pub(super) async fn end(
    state: &AppState,
    headers: &HeaderMap,
    mut stored: StoredJob,
) -> Result<(StoredJob, HeaderMap), WebError> {
    let mut answer = HeaderMap::new();
    let Some(seconds) = wanted(headers).map(|seconds| seconds.min(LONGEST_S)) else { return Ok((stored, answer)) };
    // Those who wait hold a place like those who follow a stream. Without one the answer comes at once.
    let Ok(_place) = state.streams.try_acquire(&super::access::owner()) else { return Ok((stored, answer)) };
    if let Ok(applied) = HeaderValue::from_str(&format!("wait={seconds}")) {
        answer.insert(HeaderName::from_static("preference-applied"), applied);
    }
    let mut news = state.news.subscribe();
    let last = tokio::time::Instant::now() + Duration::from_secs(seconds);
    while !stored.state.is_final() {
        tokio::select! {
            () = tokio::time::sleep_until(last) => break,
            () = state.shutdown.cancelled() => break,
            changed = news.changed() => if changed.is_err() { break },
        }
        stored = job::find(state, &stored.id).await?;
    }
    Ok((stored, answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_is_one_of_several_preferences() {
        let check = |value: &str, expected: Option<u64>| {
            let headers = HeaderMap::from_iter([(HeaderName::from_static("prefer"), HeaderValue::from_str(value).unwrap())]);
            assert_eq!(wanted(&headers), expected, "{value}");
        };
        check("wait=30", Some(30));
        check("respond-async, wait=5", Some(5));
        check("wait=soon", None);
        check("return=minimal", None);
    }
}
