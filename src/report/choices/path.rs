//! Paths of places as text, as far as they are the same in every run.

use plc_frontend::hir::{Elem, Expr, ExprKind, Place, PouId, Root, Target, Type, TypeId, Value};

use super::Choices;

impl<'p> Choices<'p> {
    /// Returns the targets of the first reference on the way to a place; `true` if nothing follows it.
    pub(super) fn referred(&self, pou: PouId, place: &Place) -> Option<(&'p [Target], bool)> {
        let at = place.path.iter().position(|elem| matches!(elem, Elem::Deref(_)))?;
        let ty = match (at, place.root) {
            (0, Root::Var(var)) => self.project.pous[pou].vars[var].ty,
            (0, Root::Global(id)) => self.project.globals[id].ty,
            (0, Root::This(_) | Root::Instance(_)) => return None,
            // The last step before it gives its type.
            (_, _) => self.type_of(place.path.get(at - 1)?, pou, place, at - 1)?,
        };
        let targets = self.project.references.get(&ty)?;
        Some((targets, at + 1 == place.path.len()))
    }

    /// Returns the type of the part that a step of a path leads to, where the step alone says it.
    fn type_of(&self, step: &Elem, pou: PouId, place: &Place, at: usize) -> Option<TypeId> {
        let (Elem::Member(var), true) = (step, at == 0) else { return None };
        let owner = match place.root {
            Root::Var(of) => self.project.pous[pou].vars[of].ty,
            Root::Global(of) => self.project.globals[of].ty,
            Root::This(ty) => ty,
            Root::Instance(id) => return Some(self.project.pous[self.project.instances[id].pou].vars[*var].ty),
        };
        let Type::FunctionBlock(block) = self.project.types[owner].ty else { return None };
        Some(self.project.pous[block].vars[*var].ty)
    }

    /// Returns the path as text, up to the first part that differs from run to run; `false` if it stops there.
    pub(super) fn path(&self, pou: PouId, place: &Place) -> (String, bool) {
        let mut text = String::new();
        let (mut ty, mut of) = match place.root {
            Root::Var(var) => (Some(self.project.pous[pou].vars[var].ty), None),
            Root::Global(id) => (Some(self.project.globals[id].ty), None),
            Root::This(ty) => (Some(ty), None),
            Root::Instance(id) => (None, Some(self.project.instances[id].pou)),
        };
        for elem in &place.path {
            let inside = ty.map(|ty| &self.project.types[ty].ty);
            match (elem, inside) {
                (Elem::Bits { .. }, _) => {}
                (Elem::Field(field), Some(Type::Struct { fields })) => {
                    let field = &fields[*field as usize];
                    (text, ty) = (format!("{text}.{}", field.name), Some(field.ty));
                }
                (Elem::Member(var), inside) => {
                    let owner = match inside {
                        Some(Type::FunctionBlock(block)) => Some(*block),
                        Some(_) | None => of.take(),
                    };
                    let Some(owner) = owner else { return (text, false) };
                    let var = &self.project.pous[owner].vars[*var];
                    (text, ty) = (format!("{text}.{}", var.name), Some(var.ty));
                }
                (Elem::Index(indices), Some(Type::Array { elem, .. })) => {
                    let literal =
                        |e: &Expr| if let ExprKind::Literal(Value::Int(i)) = e.kind { Some(i.to_string()) } else { None };
                    let Some(indices) = indices.iter().map(literal).collect::<Option<Vec<String>>>() else {
                        return (text, false);
                    };
                    (text, ty) = (format!("{text}[{}]", indices.join(", ")), Some(*elem));
                }
                (Elem::Deref(_) | Elem::Field(_) | Elem::Index(_), _) => return (text, false),
            }
        }
        (text, true)
    }
}
