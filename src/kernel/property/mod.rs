//! Requirements: what users state, and the monitors that check it.
//!
//! [`spec`] the requirement file, [`shared_variable`] its rows about the environment and [`environment`] what they say of
//! a program, [`pattern`] and [`check`] the tables from which forms, API enumerations, `--help` and docs
//! are made, [`requirements`] names resolved, [`past`] conditions that look back and [`formula`] what they mean,
//! [`claim`] what must hold as plain data, [`lines`] where the file says it,
//! [`instrument`] the monitor, `look_back` its memory, [`mentions`] which variables a condition speaks of,
//! `automatic` what is checked without being stated, `idle` what never does anything and `tried` what simulated runs say of
//! it, [`arbitrary`] their inputs, `unwatched` what the check of doubly written outputs does not see (`jumps`, `named`: what it
//! need not fear), [`cone`] what of the ledger's gaps it depends on.

pub mod arbitrary;
pub mod automatic;
pub mod check;
pub mod claim;
pub mod cone;
mod double_write;
pub mod environment;
pub mod fact;
pub mod formula;
pub mod idle;
pub mod instrument;
mod jumps;
pub mod lines;
mod look_back;
pub mod mentions;
mod named;
pub mod past;
pub mod pattern;
pub mod rejected;
pub mod requirements;
pub mod shared_variable;
pub mod spec;
mod tried;
pub mod unwatched;
mod yaml;
