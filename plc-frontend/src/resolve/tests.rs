//! Table tests of resolution: what a program's findings are, and what its HIR is.

mod bodies;
mod calls;
mod chains;
mod conditions;
mod declarations;
mod expressions;
mod gaps;
mod hostile;
mod literals;
mod objects;
pub(super) mod show;
mod spaces;
mod standard;
mod tasks;
mod whole;
