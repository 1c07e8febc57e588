//! Leaves that a condition reads.

use std::collections::BTreeSet;

use plc_frontend::hir::{Elem, Expr, ExprKind, Kind, Leaf, LeafElem, Place, Project, Role, Root, Setting, Start, walk};

/// Returns the canonical names of the leaves below the places that the conditions read. A variable index stands for every
/// element.
pub fn leaves(conditions: &[&Expr], project: &Project) -> BTreeSet<String> {
    mentioned(conditions, project).into_iter().map(|leaf| leaf.name).collect()
}

/// Returns whether the condition has variables, but none that the environment gives.
pub(super) fn only_other_than_inputs(condition: &Expr, project: &Project) -> bool {
    let leaves = mentioned(&[condition], project);
    !leaves.is_empty() && !leaves.iter().any(|leaf| leaf.is_given(0))
}

/// Returns whether the condition has a variable that the environment does not give in each cycle.
pub(super) fn has_other_than_inputs(condition: &Expr, project: &Project) -> bool {
    mentioned(&[condition], project).iter().any(|leaf| !leaf.is_given(1))
}

/// Returns whether an assumption restricts the start of the run: it is about memory with an arbitrary start. The program writes
/// that memory, so in later cycles the assumption would end runs silently.
pub fn is_about_start(assumption: &Expr, project: &Project) -> bool {
    let is_any = |setting: &Setting| setting.start == Start::Any && setting.kind == Kind::Memory;
    if !project.environment.values().any(is_any) {
        return false;
    }
    mentioned(&[assumption], project).iter().any(|leaf| leaf.start == Start::Any && leaf.role != Role::Parameter)
}

fn mentioned(conditions: &[&Expr], project: &Project) -> Vec<Leaf> {
    let all = project.leaves();
    let mut names = BTreeSet::new();
    for condition in conditions {
        walk::exprs_of(condition, |e| {
            if let ExprKind::Read(place) = &e.kind {
                names.extend((0..all.len()).filter(|&i| below(&all[i], place)));
            }
        });
    }
    names.into_iter().map(|i| all[i].clone()).collect()
}

fn below(leaf: &Leaf, place: &Place) -> bool {
    let same_root = match (leaf.root, place.root) {
        (Root::Global(a), Root::Global(b)) => a == b,
        (Root::Instance(a), Root::Instance(b)) => a == b,
        (Root::Global(_) | Root::Instance(_) | Root::Var(_) | Root::This(_), _) => false,
    };
    let mut steps = leaf.path.iter();
    // Behind a reference only the reference itself is named.
    let path = place.path.split(|elem| matches!(elem, Elem::Deref(_))).next().unwrap_or_default();
    same_root
        && path.iter().all(|elem| match elem {
            Elem::Bits { .. } | Elem::Deref(_) => true,
            Elem::Field(field) => steps.next() == Some(&LeafElem::Field(*field)),
            Elem::Member(var) => steps.next() == Some(&LeafElem::Member(*var)),
            Elem::Index(indices) => match steps.next() {
                Some(LeafElem::Index(flat)) => constant_index(indices, *flat, leaf),
                Some(LeafElem::Field(_) | LeafElem::Member(_)) | None => false,
            },
        })
}

/// Returns whether indices may name this element; variable ones may name every element. The leaf's name has its indices in the
/// declared bounds.
fn constant_index(indices: &[Expr], _flat: u32, leaf: &Leaf) -> bool {
    let literal = |e: &Expr| if let ExprKind::Literal(value) = e.kind { value.as_int().map(|i| i.to_string()) } else { None };
    let values: Option<Vec<String>> = indices.iter().map(literal).collect();
    values.is_none_or(|values| leaf.name.contains(&format!("[{}]", values.join(", "))))
}
