//! Passes over the syntax trees before any name has a meaning: one application, libraries, standard blocks, unmodelled declarations.
//!
//! Reads and writes the units; the results are marks in the ledger and findings.

pub(crate) mod application_names;
pub(crate) mod applications;
pub(crate) mod configured_addresses;
pub(crate) mod declaration_order;
pub(crate) mod declared_names;
pub(crate) mod device_applications;
pub(crate) mod enable_variables;
pub(crate) mod idle_tasks;
pub(crate) mod initial_calls;
pub(crate) mod libraries;
pub(crate) mod pin_names;
pub(crate) mod repeated_declarations;
pub(crate) mod standard_blocks;
pub(crate) mod unmodelled;
pub(crate) mod uses;
