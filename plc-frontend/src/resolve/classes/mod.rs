//! Blocks that extend others and implement interfaces: members, properties, calls through references.
//!
//! Reads the declarations of blocks; writes one POU for each member of each block.

pub(crate) mod dispatcher_table;
pub(crate) mod dispatchers;
pub(crate) mod entry_members;
pub(crate) mod inheritance;
pub(crate) mod interfaces;
pub(crate) mod member_table;
pub(crate) mod members;
pub(crate) mod overloads;
pub(crate) mod properties;
