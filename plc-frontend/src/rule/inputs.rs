//! Writes of variables at `%I`; no rule, since some programs do so on purpose.

use super::constant_assigned::root_var;
use crate::hir::{AddressArea, Elem, Place, Project, Root, Var, walk};

/// Returns whether a statement, a VAR_IN_OUT or a reference may write an input with an address.
pub(crate) fn writes_inputs(project: &Project) -> bool {
    let targets = project.references.values().flatten();
    let mut by_reference = targets.filter_map(|target| root_of(project, &target.place));
    if by_reference.any(is_input) {
        return true;
    }
    project.pous.iter_enumerated().any(|(id, pou)| {
        let mut found = false;
        walk::writes(&pou.body, |place| found |= root_var(project, id, place).is_some_and(|(var, _)| is_input(var)));
        found
    })
}

fn is_input(var: &Var) -> bool {
    var.address.as_ref().is_some_and(|address| address.area == AddressArea::Input)
}

/// Returns the variable around a target of references.
fn root_of<'p>(project: &'p Project, place: &Place) -> Option<&'p Var> {
    match (place.root, place.path.first()) {
        (Root::Global(id), _) => project.globals.get(id),
        (Root::Instance(id), Some(Elem::Member(var))) => project.pous[project.instances.get(id)?.pou].vars.get(*var),
        (Root::Instance(_) | Root::Var(_) | Root::This(_), _) => None,
    }
}
