//! An output of an instance is written by its block only.
//!
//! ```st
//! VAR Delay : TON; END_VAR
//! Delay.Q := TRUE;   (* P4010 *)
//! ```

use super::CheckedProgram;
use super::constant_assigned::root_var;
use crate::hir::{Elem, Expr, ExprKind, LeafElem, Parts, Place, PouId, Project, Section, Stmt, StmtKind, Type, part_type, walk};
use crate::text::{Diagnostic, Span, codes::OUTPUT_ASSIGNED};
use std::collections::BTreeSet;

pub(super) fn check(program: &CheckedProgram<'_>, findings: &mut Vec<Diagnostic>) {
    // A stub gives all variables that it gets any value.
    let is_stub = |id: &PouId| program.project.stubs.contains_key(id);
    for (id, pou) in program.project.pous.iter_enumerated().filter(|(id, _)| !is_stub(id)) {
        let initial = initial(program.project, &pou.body);
        walk::writes(&pou.body, |place| {
            // A method of a stub gives the instance any values.
            let ty = &program.project.types[place.ty].ty;
            let is_stub = if let Type::FunctionBlock(block) = ty { program.project.stubs.contains_key(block) } else { false };
            if is_stub || initial.contains(&place.span) || program.read_only_arguments.contains(&place.span) {
                return;
            }
            if let Some(name) = output_in(program.project, id, place) {
                let message = format!("`{name}` is an output: only its block writes it");
                let finding = Diagnostic::error(OUTPUT_ASSIGNED, place.span, message, "would be written here");
                findings.push(finding.help("copy the output to a variable of your own and change that"));
            }
        });
    }
}

/// Returns the places of assignments that begin a call with unknown values of a stub: no statement of the user.
fn initial(project: &Project, body: &[Stmt]) -> BTreeSet<Span> {
    let mut found = BTreeSet::new();
    if project.stubs.is_empty() {
        return found;
    }
    walk::stmts(body, |stmt| {
        if let StmtKind::Assign { target, value: Expr { kind: ExprKind::Arbitrary { gap, .. }, .. } } = &stmt.kind
            && project.stubs.values().any(|stub| stub.gap == *gap)
        {
            found.insert(target.span);
        }
    });
    found
}

/// Returns the output of an instance around a place in a body of `pou`.
pub(crate) fn output_in<'p>(project: &'p Project, pou: PouId, place: &Place) -> Option<&'p str> {
    let (root, path) = root_var(project, pou, place)?;
    let mut ty = root.ty;
    for elem in path {
        let step = match elem {
            Elem::Field(field) => LeafElem::Field(*field),
            Elem::Member(id) => LeafElem::Member(*id),
            Elem::Index(_) => LeafElem::Index(0),
            Elem::Deref(_) | Elem::Bits { .. } => return None,
        };
        if let (LeafElem::Member(id), Parts::Variables(block)) = (step, project.types[ty].ty.parts())
            && let Some(var) = project.pous[block].vars.get(id).filter(|var| var.section == Section::Output)
        {
            return Some(&var.name);
        }
        ty = part_type(project, ty, step)?;
    }
    None
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
