//! Names with paths become places; references and their targets.
//!
//! Reads the tables of names; writes the targets that references can have.

pub(crate) mod attempted_assignment;
pub(crate) mod bit_pointers;
pub(crate) mod byte_pointers;
pub(crate) mod null;
pub(crate) mod path_elements;
pub(crate) mod paths;
pub(crate) mod reference_table;
pub(crate) mod references;
pub(crate) mod roots;
pub(crate) mod targets;
pub(crate) mod unknown_types;
