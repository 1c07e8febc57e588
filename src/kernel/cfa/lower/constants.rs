//! Variables declared CONSTANT, read as their values.

use std::collections::BTreeSet;

use plc_frontend::hir::{Init, Place, PouId, PouKind, Project, Root, Type, TypeId, Value, Var, VarId};

/// Values of constants besides their declarations.
pub(crate) struct Constants {
    /// Variables of function blocks with another initial value in the declaration of some instance.
    overridden: BTreeSet<(PouId, VarId)>,
}

impl Constants {
    /// Collects the overridden constants. Cost: one visit of each initial value.
    pub(crate) fn new(project: &Project) -> Constants {
        let mut overridden = BTreeSet::new();
        let fields =
            project.types.iter().filter_map(|def| if let Type::Struct { fields } = &def.ty { Some(fields) } else { None });
        let fields = fields.flatten().map(|f| (f.ty, &f.init));
        let vars = project.globals.iter().chain(project.pous.iter().flat_map(|p| p.vars.iter())).map(|v| (v.ty, &v.init));
        for (ty, init) in fields.chain(vars) {
            collect(project, ty, init, &mut overridden);
        }
        Constants { overridden }
    }

    /// Returns the value of a constant that is read as a whole, in a body of `own`.
    pub(crate) fn read(&self, project: &Project, own: Option<PouId>, place: &Place) -> Option<Value> {
        if !place.path.is_empty() {
            return None;
        }
        match place.root {
            Root::Global(global) => value(project, &project.globals[global]),
            Root::Var(var) => {
                let pou = own?;
                let fixed = match project.pous[pou].kind {
                    PouKind::Program | PouKind::Function(_) => true,
                    PouKind::FunctionBlock => !self.overridden.contains(&(pou, var)),
                };
                if fixed { value(project, &project.pous[pou].vars[var]) } else { None }
            }
            Root::Instance(_) | Root::This(_) => None,
        }
    }
}

fn value(project: &Project, var: &Var) -> Option<Value> {
    match (&var.init, var.constant) {
        (Init::Scalar(value), true) => Some(*value),
        (Init::Default, true) => project.default_value(var.ty),
        (Init::Scalar(_) | Init::Default | Init::Array(_) | Init::Struct(_) | Init::Instance(_), _) => None,
    }
}

fn collect(project: &Project, ty: TypeId, init: &Init, out: &mut BTreeSet<(PouId, VarId)>) {
    match (init, &project.types[ty].ty) {
        (Init::Array(items), Type::Array { elem, .. }) => items.iter().for_each(|item| collect(project, *elem, item, out)),
        (Init::Struct(items), Type::Struct { fields }) => {
            items.iter().zip(fields).for_each(|(item, field)| collect(project, field.ty, item, out));
        }
        (Init::Instance(given), Type::FunctionBlock(pou)) => {
            for (var, item) in given {
                out.insert((*pou, *var));
                collect(project, project.pous[*pou].vars[*var].ty, item, out);
            }
        }
        (Init::Default | Init::Scalar(_) | Init::Array(_) | Init::Struct(_) | Init::Instance(_), _) => {}
    }
}
