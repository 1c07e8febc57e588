//! Initial values of an instance's declaration, `f : F := (v := 9)`: the instance has them behind its FB_init.
//!
//! Source: CODESYS online help, attribute `call_after_init`: `f.FB_Init(); f.v := 9; f.FB_AfterInit();`. During FB_init the variable has
//! the initial value that its block declares.

use crate::hir::{Init, Leaf, PouId, Type, Value};
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

impl Resolver<'_> {
    /// Returns what a declaration assigns to its instance; `None` if that is in a form that is not modelled.
    pub(super) fn assigned_behind(&self, var: VarRef, block: PouId, instance: &str) -> Option<Vec<Assigned>> {
        if self.decls.vars.get(&var).is_none_or(|site| site.init.is_none()) {
            return Some(Vec::new());
        }
        let (project, declared) = (&self.project, self.project.var(var));
        let (Init::Instance(parts), Type::FunctionBlock(_)) = (&declared.init, &project.types[declared.ty].ty) else {
            return None;
        };
        let assigned = parts.iter().map(|(id, _)| {
            let part = &project.pous[block].vars[*id];
            let mut before = Vec::new();
            initial(project, part.ty, &part.init, &mut before);
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
pub(super) fn hold(machine: &mut Machine<'_>, leaves: &[Leaf], assigned: &[Assigned]) -> Vec<(usize, Value)> {
    let mut held = Vec::new();
    let mut state = machine.state().to_vec();
    for Assigned { name, before } in assigned {
        let slots = leaves.iter().enumerate().filter(|(_, leaf)| is_part(&leaf.name, name)).map(|(slot, _)| slot);
        for (slot, value) in slots.zip(before) {
            held.push((slot, std::mem::replace(&mut state[slot], *value)));
        }
    }
    if !held.is_empty() {
        machine.resume(&state);
    }
    held
}

/// Assigns the values that were held.
pub(super) fn give_back(machine: &mut Machine<'_>, held: Vec<(usize, Value)>) {
    if held.is_empty() {
        return;
    }
    let mut state = machine.state().to_vec();
    for (slot, value) in held {
        state[slot] = value;
    }
    machine.resume(&state);
}
