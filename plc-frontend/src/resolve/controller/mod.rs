//! Controller-dependent behaviour: gaps of the manuals, and pragmas. Each place that depends on it is in the ledger.
//!
//! Reads units and finished bodies; writes the ledger only.

pub(crate) mod behaviour;
pub(crate) mod loops;
pub(crate) mod notes;
pub(crate) mod pragmas;
pub(crate) mod widths;
