//! Stubs with instances of blocks that extend them.

use std::collections::BTreeSet;

use plc_frontend::Loaded;
use plc_frontend::hir::{Leaf, LeafElem, PouId, Project, Root, Type, TypeId, part_type};
use plc_frontend::source::Span;

/// Returns the places of stubs with instances of blocks that extend them. FB_init of the stub may call members of these.
///
/// Cost: the length of each leaf's path, if some block extends a stub.
pub(super) fn extended_stubs(loaded: &Loaded, leaves: &[Leaf]) -> BTreeSet<Span> {
    let project = &loaded.project;
    if project.stub_heirs.is_empty() {
        return BTreeSet::new();
    }
    let bases = leaves.iter().flat_map(|leaf| blocks_around(project, leaf)).filter_map(|block| project.stub_heirs.get(&block));
    bases.map(|heir| project.pous[heir.base].span).collect()
}

/// Returns the blocks around a leaf.
fn blocks_around(project: &Project, leaf: &Leaf) -> Vec<PouId> {
    let (mut found, mut ty): (Vec<PouId>, Option<TypeId>) = match leaf.root {
        Root::Global(global) => (Vec::new(), Some(project.globals[global].ty)),
        Root::Instance(instance) => (vec![project.instances[instance].pou], None),
        Root::Var(_) | Root::This(_) => return Vec::new(),
    };
    for step in &leaf.path {
        if let Some(Type::FunctionBlock(pou)) = ty.map(|ty| &project.types[ty].ty) {
            found.push(*pou);
        }
        ty = match (ty, step, found.first()) {
            (Some(ty), step, _) => part_type(project, ty, *step),
            // The first step in a program.
            (None, LeafElem::Member(var), Some(program)) => project.pous[*program].vars.get(*var).map(|var| var.ty),
            (None, _, _) => None,
        };
    }
    found
}
