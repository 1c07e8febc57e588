//! Controller-dependent behaviour: behaviour that manuals leave open, and pragmas. The ledger has each place that depends on it.
//!
//! These modules read units and finished bodies, and write only the ledger.

pub(crate) mod behaviour;
pub(crate) mod loops;
mod needed_files;
pub(crate) mod notes;
mod other_systems;
pub(crate) mod outside_writers;
pub(crate) mod pragmas;
pub(crate) mod repeated_globals;
pub(crate) mod repeated_pous;
pub(crate) mod widths;
