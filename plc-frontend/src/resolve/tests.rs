//! Table tests of resolution: the findings of a program, and its HIR.

mod bodies;
mod calls;
mod chains;
mod conditions;
mod declarations;
mod expressions;
mod gaps;
mod hostile;
mod instance_data;
mod literals;
mod objects;
pub(super) mod show;
mod spaces;
mod standard;
mod stubs;
mod tasks;
mod vendor_forms;
mod vendor_gaps;
mod whole;
