//! Names: the tables of all declarations, namespaces, qualified names and suggestions.
//!
//! Reads the units once for the namespaces; everything else reads the tables.

mod aliases;
mod declared;
pub(crate) mod guesses;
mod lookup;
pub(crate) mod namespaces;
mod parts;
pub(crate) mod qualified;
pub(crate) mod spaces;
pub(crate) mod tables;
