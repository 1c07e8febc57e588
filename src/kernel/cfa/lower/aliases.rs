//! Writers of a function block instance's variables besides its own body.

use std::collections::BTreeSet;

use plc_frontend::hir::{Access, Elem, Parts, Place, PouId, Project, Root, Stmt, StmtKind, Type, TypeId, VarId, Visit};

/// Facts about all statements of a project.
#[derive(Default)]
pub(crate) struct Aliases {
    /// TRUE if some statement copies a whole function block instance, or writes through a reference.
    pub(crate) copies_instances: bool,
    /// Variables of function blocks that some statement may write from outside of the block.
    pub(crate) outside_writes: BTreeSet<(PouId, VarId)>,
}

impl Aliases {
    /// Collects the facts. Cost: one visit of each statement.
    pub(crate) fn new(project: &Project) -> Aliases {
        let holds_instance: Vec<bool> = project.types.ids().map(|ty| holds_instance(project, ty)).collect();
        let holds = |ty: TypeId| holds_instance[plc_frontend::ids::Id::index(ty)];
        let mut aliases = Aliases::default();
        for (pou, row) in project.pous.iter_enumerated() {
            Writes { project, pou, holds: &holds, aliases: &mut aliases }.body(&row.body);
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
                    // It may refer to any instance.
                    self.copies_instances = true;
                    return;
                }
                (Elem::Field(_) | Elem::Index(_) | Elem::Member(_) | Elem::Bits { .. }, _) => return,
            };
        }
    }
}

/// Collects the writes of one body.
struct Writes<'a> {
    project: &'a Project,
    pou: PouId,
    /// Returns whether values of the type contain an instance.
    holds: &'a dyn Fn(TypeId) -> bool,
    aliases: &'a mut Aliases,
}

impl<'h> Visit<'h> for Writes<'_> {
    fn stmt(&mut self, stmt: &'h Stmt) {
        if let StmtKind::CallInstance { pou, args, .. } = &stmt.kind {
            for (var, value) in &args.inputs {
                self.aliases.copies_instances |= (self.holds)(value.ty);
                self.aliases.outside_writes.insert((*pou, *var));
            }
        }
        self.stmt_parts(stmt);
    }
    fn place(&mut self, place: &'h Place, access: Access) {
        self.aliases.copies_instances |= access == Access::Write && (self.holds)(place.ty);
        if access != Access::Read {
            self.aliases.outside(self.project, self.pou, place);
        }
        self.place_parts(place);
    }
}

/// Returns whether values of this type contain an instance of a function block.
fn holds_instance(project: &Project, ty: TypeId) -> bool {
    match project.types[ty].ty.parts() {
        Parts::Variables(_) => true,
        Parts::Elements(_, elem) => holds_instance(project, elem),
        Parts::Fields(fields) => fields.iter().any(|f| holds_instance(project, f.ty)),
        Parts::Scalar => false,
    }
}
