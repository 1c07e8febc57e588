//! Calls of functions, blocks and standard functions: arguments, and copies for the types of arguments.
//!
//! Reads declarations; writes copies of POUs.

pub(crate) mod arguments;
pub(crate) mod array_bounds;
pub(crate) mod base_calls;
pub(crate) mod call;
pub(crate) mod copied_bodies;
pub(crate) mod copies;
pub(crate) mod copy_table;
pub(crate) mod enable;
pub(crate) mod implicit_checks;
mod named_kind;
pub(crate) mod scaling;
pub(crate) mod sizeof;
pub(crate) mod standard;
pub(crate) mod standard_table;
pub(crate) mod stub_arguments;
mod stub_ledger;
pub(crate) mod stub_writes;
pub(crate) mod stubs;
mod system_values;
