//! The environment: each variable that the program shares with the outside, and the kind of the sharing.
//!
//! Source: PLCverif's verification loop (A4P: `t_params`, `setBoC`); the defaults are in [`crate::environment`].

use super::leaves::{Leaf, Role};
use super::pou::PouId;

/// Kind of a variable in the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Any value at the start of every cycle.
    Input,
    /// Any value at the start of the run; nothing changes it afterwards.
    Parameter,
    /// The program's own: keeps the value written last.
    Memory,
    /// Keeps its initial value; nothing writes it.
    Frozen,
}

/// Value of a leaf before the first cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Start {
    /// The declared initial value.
    Initial,
    /// Any value of its type.
    Any,
}

/// Reason for the kind of a variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// VAR_IN_OUT of the entry: the caller's variable.
    EntryInOut,
    /// A global variable without an initial value that no statement writes.
    NeverWritten,
    /// A global variable that is written by a POU that does not run here.
    WrittenElsewhere(PouId),
    /// A variable that is written by a member, or by a body of an instance inside, which the caller of the entry may call; the block
    /// of the entry where the caller writes.
    CalledFromOutside(PouId),
    /// A part of the project that is left out because of an error names it.
    Mentioned,
    /// A POU that does not run here has a variable at an address that may overlap its own.
    SharesAddress,
    /// Retentive memory at a warm start.
    Retained,
    /// Variable of an instance of a stub, which may start with any value.
    Stub(PouId),
    /// Its value before the first cycle cannot be computed, by FB_init or its declaration: it may start with any value.
    NotComputed,
    /// A global variable that no file declares.
    Undeclared,
    /// The user's statement, as written.
    Stated(String),
}

/// Part of one leaf in the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its kind.
    pub kind: Kind,
    /// Its value before the first cycle.
    pub start: Start,
    /// The reason.
    pub reason: Reason,
}

impl Leaf {
    /// Applies a setting to role and start.
    pub(super) fn set(&mut self, setting: &Setting) {
        let declared = match self.role {
            Role::Output => Role::Output,
            Role::Input | Role::Parameter | Role::Memory => Role::Memory,
        };
        (self.role, self.start) = match setting.kind {
            Kind::Input => (Role::Input, Start::Initial),
            Kind::Parameter => (Role::Parameter, Start::Any),
            Kind::Memory => (declared, setting.start),
            Kind::Frozen => (declared, Start::Initial),
        };
    }

    /// Returns whether the environment chooses the leaf's value before the given cycle (0 is the first).
    pub fn is_given(&self, cycle: usize) -> bool {
        !self.constant && (self.role == Role::Input || (cycle == 0 && self.start == Start::Any))
    }
}
