//! Declarations of all files get ids; nothing is resolved yet, so their order cannot matter.
//!
//! Reads the units; writes the tables of declarations and names, and empty rows of the project.

pub(crate) mod collect;
pub(crate) mod declarations;
pub(crate) mod edges;
pub(crate) mod placed_elsewhere;
pub(crate) mod unmodelled_names;
