//! Types and initial values of variables, and constants, each resolved when first needed.
//!
//! Reads declarations; writes the rows of variables.

pub(crate) mod constants;
pub(crate) mod declared;
pub(crate) mod first_output;
pub(crate) mod folding;
pub(crate) mod initial_values;
pub(crate) mod progress;
pub(crate) mod unknown_start;
