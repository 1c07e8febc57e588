//! Memory of variables: addresses, layouts, variables that share bytes, variables that no declaration initialises.
//!
//! Reads variables and bodies; writes views, hidden cells and inputs of the project.

pub(crate) mod addresses;
pub(crate) mod first_reads;
pub(crate) mod large_arrays;
pub(crate) mod layout;
pub(crate) mod overlaps;
pub(crate) mod overlays;
pub(crate) mod shared;
pub(crate) mod uninitialised;
