//! Author of a change, as it is stored.

/// Returns the name of the author of a change; empty without accounts.
pub(super) fn name() -> String {
    super::access::user().map(|user| user.name).unwrap_or_default()
}
