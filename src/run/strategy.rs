//! How a run decides: checked before anything starts.

use super::job::Strategy;

/// Checks a choice before anything runs. The error is one sentence that names the engine or the option.
pub fn validate(strategy: &Strategy) -> Result<(), String> {
    crate::decide::validate(strategy.engine.as_deref(), &strategy.options)
}
