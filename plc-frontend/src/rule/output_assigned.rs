//! An output of an instance is written by its block only.
//!
//! ```st
//! VAR Delay : TON; END_VAR
//! Delay.Q := TRUE;   (* P4010 *)
//! ```

use super::Checked;
use super::constant_assigned::root_var;
use super::walk::{self, Visit};
use crate::hir::{Elem, Place, PouId, Project, Section, Type, TypeId};
use crate::text::codes::OUTPUT_ASSIGNED;
use crate::text::diagnostic::Diagnostic;

pub(super) fn check(checked: &Checked<'_>, findings: &mut Vec<Diagnostic>) {
    for (id, pou) in checked.project.pous.iter_enumerated() {
        walk::stmts(&pou.body, &mut Writes { project: checked.project, pou: id, findings });
    }
}

struct Writes<'c> {
    project: &'c Project,
    pou: PouId,
    findings: &'c mut Vec<Diagnostic>,
}

impl Visit for Writes<'_> {
    fn write(&mut self, place: &Place) {
        let Some((root, path)) = root_var(self.project, self.pou, place) else { return };
        let mut ty = root.ty;
        for elem in path {
            let Some((inner, section, name)) = step(self.project, ty, elem) else { return };
            if section == Some(Section::Output) {
                let message = format!("`{name}` is an output: only its block writes it");
                let finding = Diagnostic::error(OUTPUT_ASSIGNED, place.span, message, "would be written here");
                self.findings.push(finding.help("copy the output to a variable of your own and change that"));
                return;
            }
            ty = inner;
        }
    }
}

/// The type behind one step, and the section of the member it leads to.
fn step<'p>(project: &'p Project, ty: TypeId, elem: &Elem) -> Option<(TypeId, Option<Section>, &'p str)> {
    match (elem, &project.types[ty].ty) {
        (Elem::Field(i), Type::Struct { fields }) => Some((fields.get(*i as usize)?.ty, None, "")),
        (Elem::Index(_), Type::Array { elem, .. }) => Some((*elem, None, "")),
        (Elem::Member(id), Type::FunctionBlock(pou)) => {
            let var = project.pous[*pou].vars.get(*id)?;
            Some((var.ty, Some(var.section), var.name.as_str()))
        }
        (Elem::Field(_) | Elem::Index(_) | Elem::Member(_) | Elem::Deref(_) | Elem::Bits { .. }, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::resolve::testing::check_body;

    #[test]
    fn outputs_are_written_by_their_block_only() {
        let vars = "VAR\n t : TON; many : ARRAY [1..3] OF TON; b : BOOL;\nEND_VAR\nVAR_OUTPUT\n own : BOOL;\nEND_VAR";
        let check = |body: &str, expected: &str| check_body(vars, body, expected);
        check("t.IN := b; b := t.Q; own := b;", "");
        check("t.Q := b;", "P4010@1:1");
        check("many[2].Q := b;", "P4010@1:1");
    }
}
