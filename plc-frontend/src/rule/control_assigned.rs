//! The control variable of a FOR loop is not written in the loop's body: the number of rounds would depend on the
//! controller.
//!
//! ```st
//! FOR i := 1 TO 10 DO
//!     i := i + 1;   (* P4004 *)
//! END_FOR;
//! ```

use super::CheckedProgram;
use crate::hir::{Access, Elem, ExprKind, LoopBounds, Place, Stmt, StmtKind, Visit};
use crate::text::{Diagnostic, codes::CONTROL_ASSIGNED};

pub(super) fn check(program: &CheckedProgram<'_>, findings: &mut Vec<Diagnostic>) {
    for pou in program.project.pous.iter() {
        Loops { controls: Vec::new(), findings }.body(&pou.body);
    }
}

struct Loops<'c> {
    /// Control variables of the loops around, outer ones first.
    controls: Vec<&'c Place>,
    findings: &'c mut Vec<Diagnostic>,
}

impl<'c> Visit<'c> for Loops<'c> {
    fn stmt(&mut self, stmt: &'c Stmt) {
        let StmtKind::For { control, bounds, body } = &stmt.kind else { return self.stmt_parts(stmt) };
        let LoopBounds { from, to, by } = &**bounds;
        [from, to].into_iter().chain(by).for_each(|e| self.expr(e));
        self.place(control, Access::Write);
        self.controls.push(control);
        self.body(body);
        self.controls.pop();
    }

    fn place(&mut self, place: &'c Place, access: Access) {
        self.place_parts(place);
        if matches!(access, Access::Write | Access::InOut)
            && let Some(outer) = self.controls.iter().find(|control| overlaps(control, place))
        {
            let message = "the control variable of a FOR loop is written in its body";
            let finding = Diagnostic::error(CONTROL_ASSIGNED, place.span, message, "would be written here");
            let help = "use EXIT to leave the loop early, or WHILE to count otherwise";
            self.findings.push(finding.label(outer.span, "controls this loop").help(help));
        }
    }
}

/// Returns whether writing `place` can write the control variable: they are equal as far as both paths extend.
fn overlaps(control: &Place, place: &Place) -> bool {
    // An instance that a method gets: the method need not write the variable.
    let is_instance = matches!(control.path.get(place.path.len()), Some(Elem::Member(_)));
    !is_instance && control.root == place.root && control.path.iter().zip(&place.path).all(|(a, b)| may_equal(a, b))
}

fn may_equal(a: &Elem, b: &Elem) -> bool {
    match (a, b) {
        (Elem::Field(a), Elem::Field(b)) => a == b,
        (Elem::Member(a), Elem::Member(b)) => a == b,
        (Elem::Index(a), Elem::Index(b)) => a.iter().zip(b).all(|(a, b)| match (&a.kind, &b.kind) {
            (ExprKind::Literal(a), ExprKind::Literal(b)) => a == b,
            // A variable index may differ: only a place that is certainly the same is an error.
            (_, _) => false,
        }),
        (Elem::Bits { .. }, _) | (_, Elem::Bits { .. }) => true,
        (Elem::Deref(a), Elem::Deref(b)) => a == b,
        (Elem::Field(_) | Elem::Member(_) | Elem::Index(_) | Elem::Deref(_), _) => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::resolve::testing::check_body;

    #[test]
    fn control_variables_are_not_written_in_the_body() {
        let vars = "VAR\n i, j : INT; a : ARRAY [1..3] OF INT;\nEND_VAR";
        let check = |body: &str, expected: &str| check_body(vars, body, expected);
        check("FOR i := 1 TO 3 DO j := i; END_FOR;", "");
        check("FOR i := 1 TO 3 DO\ni := 2;\nEND_FOR;", "P4004@2:1");
        check("FOR i := 1 TO 3 DO\nFOR i := 1 TO 2 DO ; END_FOR;\nEND_FOR;", "P4004@2:5");
        check("FOR i := 1 TO 3 DO\nFOR j := 1 TO 2 DO\nIF j = 1 THEN i := 1; END_IF;\nEND_FOR;\nEND_FOR;", "P4004@3:15");
        check("FOR i := 1 TO 3 DO j := 1; END_FOR; i := 4; FOR j := 1 TO 2 DO ; END_FOR;", "");
        check("FOR a[1] := 1 TO 3 DO\na[2] := 1;\na[1] := 1;\nEND_FOR;", "P4004@3:1");
    }
}
