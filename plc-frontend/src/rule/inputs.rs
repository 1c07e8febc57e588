//! Whether something writes variables at `%I`: no rule, but a question that is asked of the same places.

use super::constant_assigned::root_var;
use super::walk::{self, Visit};
use crate::hir::{AddressArea, Elem, Place, PouId, Project, Root, Var};

/// Whether a statement, a VAR_IN_OUT or a reference may write an input with an address.
pub(crate) fn writes_inputs(project: &Project) -> bool {
    let targets = project.references.values().flatten();
    let mut by_reference = targets.filter_map(|target| root_of(project, &target.place));
    if by_reference.any(is_input) {
        return true;
    }
    project.pous.iter_enumerated().any(|(id, pou)| {
        let mut writes = Writes { project, pou: id, found: false };
        walk::stmts(&pou.body, &mut writes);
        writes.found
    })
}

struct Writes<'p> {
    project: &'p Project,
    pou: PouId,
    found: bool,
}

impl Visit for Writes<'_> {
    fn write(&mut self, place: &Place) {
        self.found |= root_var(self.project, self.pou, place).is_some_and(|(var, _)| is_input(var));
    }
}

fn is_input(var: &Var) -> bool {
    var.address.as_ref().is_some_and(|address| address.area == AddressArea::Input)
}

/// The variable that a target of references is, or is part of.
fn root_of<'p>(project: &'p Project, place: &Place) -> Option<&'p Var> {
    match (place.root, place.path.first()) {
        (Root::Global(id), _) => project.globals.get(id),
        (Root::Instance(id), Some(Elem::Member(var))) => project.pous[project.instances.get(id)?.pou].vars.get(*var),
        (Root::Instance(_) | Root::Var(_) | Root::This(_), _) => None,
    }
}
