//! Variables in the statements of a program.

use std::collections::BTreeSet;

use plc_frontend::hir::{Leaf, LeafElem, Place, PouId, Project, Root, VarId};

/// Roots of the places in the bodies.
#[derive(Debug, Default)]
pub(super) struct Named {
    roots: BTreeSet<(Option<PouId>, Root)>,
    /// TRUE if any variable may be used: through an instance as a whole, or a reference.
    anything: bool,
}

impl Named {
    pub(super) fn new(project: &Project) -> Named {
        Named { roots: BTreeSet::new(), anything: !project.references.is_empty() }
    }
    /// Adds a place in the body of a POU.
    pub(super) fn add(&mut self, pou: PouId, place: &Place) {
        match place.root {
            Root::Var(_) => drop(self.roots.insert((Some(pou), place.root))),
            Root::Global(_) => drop(self.roots.insert((None, place.root))),
            Root::This(_) | Root::Instance(_) => self.anything = true,
        }
    }
    /// Returns whether some statement may read or write this leaf.
    pub(super) fn may_be(&self, project: &Project, leaf: &Leaf) -> bool {
        let own = |pou: PouId, var: VarId| self.roots.contains(&(Some(pou), Root::Var(var)));
        let is_member = |elem: &&LeafElem| matches!(elem, LeafElem::Member(_));
        let is_named = match (leaf.root, leaf.path.as_slice()) {
            (Root::Global(_), path) => path.iter().any(|elem| is_member(&elem)) || self.roots.contains(&(None, leaf.root)),
            (Root::Instance(id), [LeafElem::Member(var), rest @ ..]) => {
                rest.iter().any(|elem| is_member(&elem)) || own(project.instances[id].pou, *var)
            }
            (Root::Instance(_) | Root::Var(_) | Root::This(_), _) => true,
        };
        self.anything || is_named
    }
}
