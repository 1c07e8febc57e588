//! Each function assigns its result. Otherwise it gets a warning, not an error: the default of its type is a value, too.
//!
//! ```st
//! FUNCTION Double : INT   (* P4006 *)
//! VAR_INPUT x : INT; END_VAR
//! x := 2 * x;
//! END_FUNCTION
//! ```

use super::CheckedProgram;
use crate::hir::{PouId, PouKind, Root, Section, StmtKind, Type, Var, walk};
use crate::text::{Diagnostic, codes::NO_RESULT};

pub(super) fn check(program: &CheckedProgram<'_>, findings: &mut Vec<Diagnostic>) {
    // Many blocks have FB_init without a result, which nothing reads: one finding says it.
    let mut has_init = false;
    let is_stub = |id: &PouId| program.project.stubs.contains_key(id);
    let pous = program.project.pous.iter_enumerated().filter(|(id, pou)| !pou.origin.is_ours() && !is_stub(id));
    for (_, pou) in pous {
        let PouKind::Function(Some(result)) = pou.kind else { continue };
        if pou.vars[result].section != Section::Result {
            continue;
        }
        // This function has no body. Its copies for the arrays of its calls are checked instead.
        let is_open = |var: &Var| matches!(&program.project.types[var.ty].ty, Type::Opaque(what) if what == "ARRAY [*]");
        if pou.body.is_empty() && pou.vars.iter().any(is_open) {
            continue;
        }
        let mut written = false;
        walk::writes(&pou.body, |place| written |= place.root == Root::Var(result));
        // A statement that is not modelled may assign the result.
        walk::stmts(&pou.body, |stmt| written |= matches!(stmt.kind, StmtKind::Gap(_)));
        let is_init = pou.name.rsplit_once('.').is_some_and(|(_, member)| member.eq_ignore_ascii_case("FB_init"));
        if !(written || is_init && std::mem::replace(&mut has_init, true)) {
            let span = pou.vars.get(result).map_or(pou.span, |v| v.span);
            let message = format!("`{}` never assigns its result", pou.name);
            let finding = Diagnostic::error(NO_RESULT, span, message, "always returns its type's default value");
            findings.push(finding.warning().help(format!("assign it: `{} := …;`", pou.name)));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::resolve::testing::check;

    #[test]
    fn a_function_without_an_assigned_result_is_a_warning() {
        let main = "PROGRAM Main\nEND_PROGRAM\n";
        let check = |source: &str, expected: &str| check(&format!("{main}{source}"), expected);
        check("FUNCTION F : INT\nF := 1;\nEND_FUNCTION", "");
        check("FUNCTION F : INT\nIF TRUE THEN F := 1; END_IF;\nEND_FUNCTION", "");
        check("FUNCTION F : INT\nEND_FUNCTION", "P4006@3:10 warning");
        check("FUNCTION F\nEND_FUNCTION", "");
        let block = |name: &str| {
            format!(
                "FUNCTION_BLOCK {name}\nVAR n : INT; END_VAR\nMETHOD FB_init : BOOL\nVAR_INPUT bInitRetains, bInCopyCode : BOOL; END_VAR\n\
                n := 1;\nEND_METHOD\nEND_FUNCTION_BLOCK\n"
            )
        };
        check(&format!("{}{}", block("A"), block("B")), "P4006@5:8 warning");
        check("{attribute 'TcX'}\nFUNCTION F\nVAR_OUTPUT a : INT; END_VAR\nEND_FUNCTION", "");
    }

    #[test]
    fn functions_for_arrays_of_any_bounds_are_looked_at_as_they_are_called() {
        let with_body = |body: &str| {
            format!(
                "FUNCTION Sum : INT\nVAR_IN_OUT a : ARRAY [*] OF INT; END_VAR\n{body}\nEND_FUNCTION\n\
                 PROGRAM Main\nVAR a : ARRAY [0..1] OF INT; x : INT; END_VAR\nx := Sum(a);\nEND_PROGRAM"
            )
        };
        check(&with_body("Sum := 0;\nSum := Sum + a[0];"), "");
        check(&with_body("a[0] := 1;"), "P4006@1:10 warning");
        let uncalled = "FUNCTION Sum : INT\nVAR_IN_OUT a : ARRAY [*] OF INT; END_VAR\nSum := 0;\nEND_FUNCTION\n";
        check(&format!("{uncalled}PROGRAM Main\nEND_PROGRAM"), "");
    }
}
