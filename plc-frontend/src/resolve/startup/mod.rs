//! Tasks and the entry; and before the first cycle FB_init and configured values.
//!
//! Reads configurations and finished bodies; writes instances, the task and the state at cold start.

pub(crate) mod call_after_init;
pub(crate) mod configured_values;
pub(crate) mod entry;
pub(crate) mod fb_init;
pub(crate) mod instances;
pub(crate) mod tasks;
pub(crate) mod uncertain;
