//! Runs: one verification is one child process of this binary.
//!
//! [`job`] what a run is given, [`event`] what it says while it works. A deep term can abort a process and
//! only a process has a memory limit; so time-out, out-of-memory and cancel are ordinary ends of a run.

pub mod event;
pub mod job;
