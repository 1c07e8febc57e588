//! Requirements: what users state, and the monitors that check it.
//!
//! [`spec`] the requirement file, [`shared_variable`] its rows about the environment and [`environment`] what they say of
//! a program, [`pattern`] and [`check`] the tables from which forms, API enumerations, `--help` and docs
//! are made, [`requirements`] names resolved, [`past`] conditions that look back and [`formula`] what they mean,
//! [`claim`] what must hold as plain data, [`lines`] where the file says it,
//! [`instrument`] the monitor, `look_back` its memory, [`mentions`] which variables a condition speaks of,
//! [`assertion`] assertions of the program text, [`arbitrary`] inputs of simulated runs, [`cone`] the gaps that an answer
//! depends on.

pub mod arbitrary;
pub mod assertion;
pub mod check;
pub mod claim;
pub mod cone;
pub mod cycle_time;
pub mod environment;
pub mod fact;
pub mod formula;
pub mod instrument;
pub mod lines;
mod look_back;
pub mod mentions;
mod monitor;
pub mod past;
pub mod pattern;
pub mod rejected;
pub mod requirements;
pub mod shared_variable;
pub mod spec;
#[cfg(test)]
mod tests;
mod yaml;
