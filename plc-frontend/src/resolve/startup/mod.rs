//! Tasks and the entry; and before the first cycle FB_init, configured values and the start-up block.
//!
//! Reads configurations and finished bodies; writes instances, the task and the state at cold start.

pub(crate) mod addresses;
mod assigned_behind;
mod block_order;
pub(crate) mod call_after_init;
pub(crate) mod called_values;
pub(crate) mod configured_values;
pub(crate) mod entry;
pub(crate) mod entry_arrays;
pub(crate) mod fb_init;
mod heirs;
mod idle_programs;
pub(crate) mod initial_calls;
pub(crate) mod instances;
pub(crate) mod intervals;
mod other_starts;
pub(crate) mod start_up_block;
pub(crate) mod stated;
pub(crate) mod task_programs;
pub(crate) mod tasks;
pub(crate) mod uncertain;
