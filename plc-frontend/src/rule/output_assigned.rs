//! An output of an instance is written by its block only.
//!
//! ```st
//! VAR Delay : TON; END_VAR
//! Delay.Q := TRUE;   (* P4010 *)
//! ```

use super::CheckedProgram;
use super::constant_assigned::root_var;
use crate::hir::{Elem, Place, PouId, Project, Section, Type, TypeId, walk};
use crate::text::codes::OUTPUT_ASSIGNED;
use crate::text::diagnostic::Diagnostic;

pub(super) fn check(program: &CheckedProgram<'_>, findings: &mut Vec<Diagnostic>) {
    for (id, pou) in program.project.pous.iter_enumerated() {
        walk::writes(&pou.body, |place| {
            if let Some(name) = output_in(program.project, id, place) {
                let message = format!("`{name}` is an output: only its block writes it");
                let finding = Diagnostic::error(OUTPUT_ASSIGNED, place.span, message, "would be written here");
                findings.push(finding.help("copy the output to a variable of your own and change that"));
            }
        });
    }
}

/// Returns the output of an instance that a place in a body of `pou` is, or is a part of.
fn output_in<'p>(project: &'p Project, pou: PouId, place: &Place) -> Option<&'p str> {
    let (root, path) = root_var(project, pou, place)?;
    let mut ty = root.ty;
    for elem in path {
        let (inner, section, name) = step(project, ty, elem)?;
        if section == Some(Section::Output) {
            return Some(name);
        }
        ty = inner;
    }
    None
}

/// Returns the type behind one step; for a member also its section and name.
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
