//! Names: the tables of all declarations, namespaces, qualified names and suggestions.
//!
//! Reads the units once for the namespaces; everything else reads the tables.

pub(crate) mod guesses;
pub(crate) mod namespaces;
pub(crate) mod qualified;
pub(crate) mod tables;
