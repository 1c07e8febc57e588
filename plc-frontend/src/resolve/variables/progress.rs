//! Progress of types and initial values of variables.

use crate::resolve::names::tables::{Slot, Typed, VarRef};
use crate::resolve::types::type_values::CalledValue;
use crate::text::Span;
use std::collections::BTreeMap;

/// Progress of the variables' types and initial values.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    pub(crate) types: BTreeMap<VarRef, Slot<Typed>>,
    pub(crate) inits: BTreeMap<VarRef, Slot<()>>,
    /// Non-CONSTANT variable whose initial value is being resolved; `None` while a type is.
    pub(crate) initialising: Option<VarRef>,
    /// The initial value that is being resolved stands in a type.
    pub(crate) is_value_in_type: bool,
    /// Variables whose initial values call functions.
    pub(crate) called: BTreeMap<VarRef, CalledValue>,
    /// Place of the last initial value that is no constant although it calls nothing.
    pub(crate) plain_failure: Option<Span>,
    /// Variables whose initial values refer to a variable of a POU: its place is known once the programs are.
    pub(crate) late: Vec<VarRef>,
}
