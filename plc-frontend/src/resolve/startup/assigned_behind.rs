//! Initial values of an instance's declaration, `f : F := (v := 9)`: the instance has them behind its FB_init. The instance may be a
//! variable, or a field of a structure.
//!
//! Source: CODESYS online help, attribute `call_after_init`: `f.FB_Init(); f.v := 9; f.FB_AfterInit();`. During FB_init the variable has
//! the initial value that its block declares.

use crate::hir::{Field, Init, Leaf, LeafNames, PouId, Value, VarId};
use crate::interp::{Machine, initial};
use crate::resolve::names::tables::VarRef;
use crate::resolve::resolver::Resolver;

/// Variable of an instance that its declaration gives a value.
#[derive(Clone, Debug)]
pub(crate) struct Assigned {
    /// Canonical name.
    pub(super) name: String,
    /// Values of its scalars before the assignment.
    before: Vec<Value>,
}

/// Initial value that a declaration gives: that of a variable, or of a field of a structure.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DeclaredValue<'p> {
    /// None: all parts have the values of their types.
    Nothing,
    /// Values of variables of an instance.
    Parts(&'p [(VarId, Init)]),
    /// A form that is not modelled for instances with FB_init.
    Other,
}

impl<'p> DeclaredValue<'p> {
    /// Returns what the declaration of a field gives to it.
    pub(super) fn to_field(field: &'p Field) -> DeclaredValue<'p> {
        match &field.init {
            Init::Default => DeclaredValue::Nothing,
            Init::Instance(parts) => DeclaredValue::Parts(parts),
            Init::Scalar(_) | Init::Array(_) | Init::Struct(_) => DeclaredValue::Other,
        }
    }
}

impl Resolver<'_> {
    /// Returns what the declaration of a variable gives to it.
    pub(super) fn given_to(&self, var: VarRef) -> DeclaredValue<'_> {
        let is_written = self.decls.vars.get(&var).is_some_and(|site| site.init.is_some());
        match &self.project.var(var).init {
            Init::Instance(parts) => DeclaredValue::Parts(parts),
            Init::Default if !is_written => DeclaredValue::Nothing,
            Init::Default | Init::Scalar(_) | Init::Array(_) | Init::Struct(_) => DeclaredValue::Other,
        }
    }

    /// Returns what a declaration assigns to its instance; `None` if that is in a form that is not modelled.
    pub(super) fn assigned_behind(&self, given: DeclaredValue<'_>, block: PouId, instance: &str) -> Option<Vec<Assigned>> {
        let parts = match given {
            DeclaredValue::Nothing => return Some(Vec::new()),
            DeclaredValue::Parts(parts) => parts,
            DeclaredValue::Other => return None,
        };
        let assigned = parts.iter().map(|(id, _)| {
            let part = &self.project.pous[block].vars[*id];
            let mut before = Vec::new();
            initial(&self.project, part.ty, &part.init, &mut before);
            Assigned { name: format!("{instance}.{}", part.name), before }
        });
        Some(assigned.collect())
    }
}

/// Returns whether a leaf belongs to a variable.
pub(super) fn is_part(leaf: &str, variable: &str) -> bool {
    leaf.strip_prefix(variable).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Gives variables the values before their assignment; returns their slots with the assigned values.
pub(super) fn hold(
    machine: &mut Machine<'_>,
    (leaves, names): (&[Leaf], &LeafNames),
    assigned: &[Assigned],
) -> Vec<(usize, Value)> {
    let mut held = Vec::new();
    for Assigned { name, before } in assigned {
        for (slot, value) in names.parts(leaves, name).into_iter().zip(before) {
            held.push((slot, machine.replace(slot, *value)));
        }
    }
    held
}

/// Assigns the values that were held.
pub(super) fn give_back(machine: &mut Machine<'_>, held: Vec<(usize, Value)>) {
    for (slot, value) in held {
        machine.replace(slot, value);
    }
}
