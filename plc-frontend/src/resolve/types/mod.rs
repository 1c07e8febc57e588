//! Types: the elementary ones, types as written, families, implicit widening, the rules of dialects.
//!
//! Reads the declarations of types; writes rows of the type table.

pub(crate) mod dialect_rules;
pub(crate) mod elementary;
pub(crate) mod families;
pub(crate) mod named_values;
pub(crate) mod questions;
pub(crate) mod specs;
pub(crate) mod table;
pub(crate) mod type_values;
