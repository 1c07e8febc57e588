//! Scanproof verifies PLC programs: a proof, a counterexample in the user's own code, or an
//! honest "not decided, because".
//!
//! This crate is the appliance around the crates `plc-frontend`, `kernel`, `search` and `answer`:
//!
//! - [`report`]: the outcome of a run, for people and machines; [`export`]: models for other tools.
//! - [`run`]: one verification as a child process; [`bench`]: measurements of many runs.
//! - [`fleet`]: runs on other machines, over a broker.
//! - [`store`]: the database; [`web`]: pages and API; [`cli`]: the commands.

pub mod bench;
pub mod cli;
pub mod export;
pub mod fleet;
pub mod report;
pub mod run;
pub mod store;
pub mod web;
