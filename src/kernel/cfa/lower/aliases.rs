//! Writers of the variables of a function block instance besides its own body.

use std::collections::BTreeSet;

use plc_frontend::hir::{Elem, Place, PouId, Project, Root, Type, TypeId, VarId};

use super::walk::{Seen, visit};

/// Facts about all statements of a project.
#[derive(Default)]
pub(crate) struct Aliases {
    /// TRUE if some statement copies a whole function block instance, or writes through a reference.
    pub(crate) copies_instances: bool,
    /// Variables of function blocks that some statement may write through a path from outside.
    pub(crate) outside_writes: BTreeSet<(PouId, VarId)>,
}

impl Aliases {
    /// Cost: one visit of each statement.
    pub(crate) fn new(project: &Project) -> Aliases {
        let holds_instance: Vec<bool> = project.types.ids().map(|ty| holds_instance(project, ty)).collect();
        let holds = |ty: TypeId| holds_instance[plc_frontend::ids::Id::index(ty)];
        let mut aliases = Aliases::default();
        for (id, pou) in project.pous.iter_enumerated() {
            visit(&pou.body, &mut |seen| match seen {
                Seen::Call(_) | Seen::Jump(_) => {}
                Seen::Assigned { place, value: _ } => {
                    aliases.copies_instances |= holds(place.ty);
                    aliases.outside(project, id, place);
                }
                Seen::Referenced(place) => aliases.outside(project, id, place),
                Seen::Input(callee, var, value) => {
                    aliases.copies_instances |= holds(value.ty);
                    aliases.outside_writes.insert((callee, var));
                }
            });
        }
        aliases
    }
    fn outside(&mut self, project: &Project, pou: PouId, place: &Place) {
        let mut path = place.path.as_slice();
        let mut ty = match place.root {
            Root::Var(var) => project.pous[pou].vars[var].ty,
            Root::Global(global) => project.globals[global].ty,
            Root::This(ty) => ty,
            Root::Instance(instance) => {
                let Some((Elem::Member(var), rest)) = path.split_first() else { return };
                path = rest;
                let pou = project.instances[instance].pou;
                self.outside_writes.insert((pou, *var));
                project.pous[pou].vars[*var].ty
            }
        };
        for elem in path {
            ty = match (elem, &project.types[ty].ty) {
                (Elem::Field(k), Type::Struct { fields }) => fields[*k as usize].ty,
                (Elem::Index(_), Type::Array { elem, .. }) => *elem,
                (Elem::Member(var), Type::FunctionBlock(pou)) => {
                    self.outside_writes.insert((*pou, *var));
                    project.pous[*pou].vars[*var].ty
                }
                (Elem::Deref(_), _) => {
                    // Any instance may be behind it.
                    self.copies_instances = true;
                    return;
                }
                (Elem::Field(_) | Elem::Index(_) | Elem::Member(_) | Elem::Bits { .. }, _) => return,
            };
        }
    }
}

/// Returns whether values of this type contain an instance of a function block.
fn holds_instance(project: &Project, ty: TypeId) -> bool {
    match &project.types[ty].ty {
        Type::FunctionBlock(_) => true,
        Type::Array { elem, .. } => holds_instance(project, *elem),
        Type::Struct { fields } => fields.iter().any(|f| holds_instance(project, f.ty)),
        Type::Bool
        | Type::Int(_)
        | Type::Bits(_)
        | Type::Real(_)
        | Type::Time
        | Type::LTime
        | Type::Date(_)
        | Type::Char(_)
        | Type::Enum { .. }
        | Type::Subrange { .. }
        | Type::Opaque(_) => false,
    }
}
