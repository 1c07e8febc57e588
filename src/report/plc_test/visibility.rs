//! Visibility of variables to a test: inner variables of a block are not seen from outside, and its outputs are not written there.

use plc_frontend::hir::{Leaf, LeafElem, PouId, PouKind, Project, Root, Section, Type, TypeId};

/// Use of a variable by a test.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    Write,
}

/// Returns whether a test can use a leaf of the program.
pub(super) fn is_visible(project: &Project, leaf: &Leaf, of: Use) -> bool {
    let mut at = match leaf.root {
        Root::Instance(id) => Inside::Pou(project.instances[id].pou),
        Root::Global(id) => Inside::of(project, project.globals[id].ty),
        Root::Var(_) | Root::This(_) => return false,
    };
    for step in &leaf.path {
        at = match (step, at) {
            (LeafElem::Member(var), Inside::Pou(pou)) => {
                let (row, var) = (&project.pous[pou], &project.pous[pou].vars[*var]);
                // Programs show their variables to all others.
                let is_seen =
                    row.kind == PouKind::Program || matches!(var.section, Section::Input | Section::Output | Section::InOut);
                let is_written = of == Use::Read || var.section != Section::Output;
                if !is_seen || !is_written {
                    return false;
                }
                Inside::of(project, var.ty)
            }
            (LeafElem::Field(field), Inside::Value(ty)) => {
                let Type::Struct { fields } = &project.types[ty].ty else { return false };
                fields.get(*field as usize).map_or(Inside::Value(ty), |field| Inside::of(project, field.ty))
            }
            (LeafElem::Index(_), Inside::Value(ty)) => {
                let Type::Array { elem, .. } = &project.types[ty].ty else { return false };
                Inside::of(project, *elem)
            }
            (LeafElem::Member(_), Inside::Value(_)) | (LeafElem::Field(_) | LeafElem::Index(_), Inside::Pou(_)) => return false,
        };
    }
    true
}

/// Part of a variable on the way to a leaf.
#[derive(Clone, Copy)]
enum Inside {
    Pou(PouId),
    Value(TypeId),
}

impl Inside {
    fn of(project: &Project, ty: TypeId) -> Inside {
        if let Type::FunctionBlock(pou) = project.types[ty].ty { Inside::Pou(pou) } else { Inside::Value(ty) }
    }
}
