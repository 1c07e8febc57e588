//! Statements and bodies.
//!
//! Reads the bodies of all POUs; writes their statements and the ledger.

pub(crate) mod case;
pub(crate) mod control_flow;
pub(crate) mod hidden_variables;
pub(crate) mod labels;
pub(crate) mod stmt;
