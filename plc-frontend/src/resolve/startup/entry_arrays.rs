//! Array parameters of the entry that take arrays of any length, with the shortest arrays that a caller may give.
//!
//! An entry has no caller in the model that gives these arrays. So each has the bounds that its declaration states for the
//! shortest argument. Where a declaration states none, the entry is a gap.

use crate::ast::{TypeSpec, TypeSpecKind};
use crate::hir::{Extent, PouId, Project, Type, TypeId, VarId};
use crate::resolve::findings::Findings;
use crate::resolve::names::tables::{Slot, VarRef};
use crate::resolve::resolver::Resolver;

impl Resolver<'_> {
    /// Gives the ARRAY [*] parameters of an entry the bounds of the smallest arrays that it takes.
    ///
    /// Soundness: longer arrays have other runs, so each parameter is a condition of every answer. Calls of the entry in other
    /// POUs have copies for their own arguments.
    pub(crate) fn bound_arrays(&mut self, pou: PouId) {
        let Some(open) = self.decls.copies.open.get(&pou) else { return };
        let smallest = |var: &VarId| {
            let spec = self.decls.vars.get(&VarRef::Local(pou, *var))?.ty;
            let TypeSpecKind::OpenArray(bounds, elem) = &spec.kind else { return None };
            let kind = TypeSpecKind::Array(bounds.smallest.clone()?, elem.clone());
            Some((*var, TypeSpec { kind, span: spec.span }))
        };
        let specs: Vec<Option<(VarId, TypeSpec)>> = open.keys().map(smallest).collect();
        let Some(specs) = specs.into_iter().collect::<Option<Vec<_>>>() else { return };
        for (var, spec) in specs {
            // An error of the type has been reported, and an array that is not kept has no bounds.
            let Ok(typed) = self.type_spec(Some(pou), &spec, None) else { return };
            if !self.project.note_length(&mut self.findings, pou, var, typed.ty) {
                return;
            }
            let variable = VarRef::Local(pou, var);
            let row = self.project.var_mut(variable);
            (row.ty, row.init) = (typed.ty, typed.init.clone());
            self.vars.types.insert(variable, Slot::Done(typed));
        }
        self.decls.copies.bounded.insert(pou);
    }
}

impl Project {
    /// Adds the condition of a parameter with the bounds of the smallest array; returns whether its type has bounds.
    fn note_length(&mut self, findings: &mut Findings, pou: PouId, var: VarId, ty: TypeId) -> bool {
        let row = &self.pous[pou].vars[var];
        let Type::Array { dims, .. } = &self.types[ty].ty else { return false };
        let lengths: Vec<i64> = dims.iter().map(|(low, high)| high - low + 1).collect();
        let elements = match lengths.as_slice() {
            [1] => "1 element".to_owned(),
            lengths => format!("{} elements", lengths.iter().map(i64::to_string).collect::<Vec<_>>().join(" times ")),
        };
        let construct = format!("the array {} has {elements}, as the parameter declares", row.name);
        findings.record_assumed(row.span, construct, "a call may give a longer array, and other answers are possible then");
        // The length is a constant of the body, so that no variable shows what depends on it.
        self.beside.insert(row.span, Extent::All);
        true
    }
}
