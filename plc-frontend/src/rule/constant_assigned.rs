//! A CONSTANT is never written: not assigned, not an output's target, not passed as VAR_IN_OUT, not a control variable.
//!
//! ```st
//! VAR CONSTANT Limit : INT := 10; END_VAR
//! Limit := 11;   (* P4003 *)
//! ```

use super::CheckedProgram;
use crate::hir::{Elem, Place, Pou, PouId, Project, Root, Var, walk};
use crate::text::{Diagnostic, codes::CONSTANT_ASSIGNED};

pub(super) fn check(program: &CheckedProgram<'_>, findings: &mut Vec<Diagnostic>) {
    for (id, pou) in program.project.pous.iter_enumerated() {
        walk::writes(&pou.body, |place| {
            let Some((var, _)) = root_var(program.project, id, place).filter(|(var, _)| var.constant) else { return };
            let message = format!("`{}` is CONSTANT and cannot be written", var.name);
            let finding = Diagnostic::error(CONSTANT_ASSIGNED, place.span, message, "would be written here");
            findings.push(finding.label(var.span, "declared CONSTANT here"));
        });
    }
}

/// Returns the variable at the root of a place in a body of `pou`, and the path from there. In a member of a block, this is the
/// variable of the block.
pub(crate) fn root_var<'p, 'e>(project: &'p Project, pou: PouId, place: &'e Place) -> Option<(&'p Var, &'e [Elem])> {
    let path = place.path.as_slice();
    if path.iter().any(|elem| matches!(elem, Elem::Deref(_))) {
        return None;
    }
    match place.root {
        Root::Var(Pou::THIS)
            if let (Some(block), Some((Elem::Member(id), rest))) = (project.pous[pou].member_of, path.split_first()) =>
        {
            Some((project.pous[block].vars.get(*id)?, rest))
        }
        Root::Var(id) => Some((project.pous[pou].vars.get(id)?, path)),
        Root::Global(id) => Some((project.globals.get(id)?, path)),
        Root::Instance(id) => match path.split_first()? {
            (Elem::Member(var), rest) => Some((project.pous[project.instances[id].pou].vars.get(*var)?, rest)),
            (Elem::Field(_) | Elem::Index(_) | Elem::Deref(_) | Elem::Bits { .. }, _) => None,
        },
        Root::This(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::resolve::testing::check_body;

    #[test]
    fn constants_are_not_written() {
        let vars = "VAR CONSTANT\n c : INT := 1; a : ARRAY [1..2] OF INT;\nEND_VAR\nVAR\n x : INT; t : CTU;\nEND_VAR";
        let check = |body: &str, expected: &str| check_body(vars, body, expected);
        check("x := c;", "");
        check("c := 2;", "P4003@1:1");
        check("a[x] := 2;", "P4003@1:1");
        check("FOR c := 1 TO 3 DO x := 1; END_FOR;", "P4003@1:5");
        check("t(CV => c);", "P4003@1:9");
    }
}
