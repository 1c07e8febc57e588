//! Runs: one verification is one child process of this binary.
//!
//! [`job`] what a run is given, [`event`] what it says while it works, [`protocol`] the lines between
//! parent and child, [`supervisor`] the parent, [`model`] that of those that write a model, [`process`] a child as it sees it,
//! [`limits`] what the child may use. A deep term
//! can abort a process and only a process has a memory limit; so time-out, out-of-memory and cancel are ordinary
//! ends of a run, and a requirement that kills its worker costs only its own answer.

mod behind_gap;
mod certificate;
mod changes;
mod decide;
mod difficulty;
pub mod event;
pub mod job;
mod knowledge;
pub mod limits;
pub mod model;
pub mod process;
pub mod protocol;
pub mod recheck;
mod rounds;
pub mod strategy;
mod subject;
pub mod supervisor;
mod theta;
mod understand;
pub mod worker;
