//! Requirements: what users state, and the monitors that check it.
//!
//! [`spec`] is the requirement file, [`shared_variable`] its rows about the environment, [`lines`] the lines of its places.
//! [`pattern`] and [`check`] are the tables behind forms, API, `--help` and docs. [`requirements`] resolves names,
//! [`environment`] applies rows to a program, [`assumption`] what calls of stubs give, [`past`] reads past operators as a [`formula`]. [`assertion`] finds assertions in
//! the text. [`claim`] is a requirement as plain data; [`instrument`] adds its monitor, with the memory of `look_back`.
//! [`mentions`] lists variables of conditions, [`cone`] the gaps behind an answer, [`arbitrary`] inputs of simulated runs.

pub mod arbitrary;
pub mod assertion;
mod assumption;
#[cfg(test)]
mod carried_tests;
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
#[cfg(test)]
mod prescan_tests;
pub mod rejected;
pub mod requirements;
pub mod shared_variable;
pub mod spec;
pub mod task_rates;
#[cfg(test)]
mod tests;
mod written_form;
mod yaml;
