//! Runs: one verification is one child process of this binary.
//!
//! - [`job`]: the input of a run; [`event`]: its messages; [`protocol`]: the lines between parent and child.
//! - [`claim`]: answers of another machine, which are certified here; [`part`]: a run that several machines do.
//! - [`agent_needs`]: which agents of a fleet may do a run.
//! - [`standby`]: a worker that has read a program and waits for claims; [`idle`]: workers that have ended a run and wait.
//! - [`supervisor`]: the parent of a verification; [`measurement`]: one requirement, with its figures.
//! - [`model`]: the parent of a worker that writes one file.
//! - [`process`]: a child as its parent holds it; [`limits`]: the child's resources;
//!   [`sandbox`]: its rights; `syscalls`: the calls that it does without.
//!
//! A deep term can abort a process, and only a process has a memory limit. So time-out, out-of-memory and cancel are ordinary
//! ends of a run. A requirement that kills its worker costs only its own answer.

pub mod agent_needs;
mod behind_gap;
#[cfg(test)]
mod carried_tests;
mod certificate;
mod changes;
pub mod claim;
mod death;
mod decide;
mod difficulty;
pub mod engine_choice;
pub mod event;
pub mod idle;
pub mod job;
mod knowledge;
pub mod limits;
pub mod measurement;
pub mod model;
pub mod news;
pub mod part;
mod plc_test;
pub mod process;
pub mod protocol;
pub mod recheck;
mod rounds;
pub mod sandbox;
pub mod standby;
mod subject;
pub mod supervisor;
mod syscalls;
mod theta;
mod understand;
pub mod worker;
