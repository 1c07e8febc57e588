//! Author of a change, as it is stored.

/// Returns the name of the author of a change; empty, since this service has no accounts.
pub(super) fn name() -> String {
    String::new()
}
