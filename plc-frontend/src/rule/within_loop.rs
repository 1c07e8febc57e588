//! EXIT and CONTINUE stand in a loop.
//!
//! ```st
//! IF Done THEN
//!     EXIT;   (* P4005: there is no loop to leave *)
//! END_IF;
//! ```

use super::Checked;
use super::walk::{self, Visit};
use crate::hir::{Stmt, StmtKind};
use crate::text::codes::OUTSIDE_LOOP;
use crate::text::diagnostic::Diagnostic;

pub(super) fn check(checked: &Checked<'_>, findings: &mut Vec<Diagnostic>) {
    for pou in checked.project.pous.iter() {
        walk::stmts(&pou.body, &mut Loops { depth: 0, findings });
    }
}

struct Loops<'c> {
    depth: usize,
    findings: &'c mut Vec<Diagnostic>,
}

fn is_loop(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. })
}

impl Visit for Loops<'_> {
    fn enter(&mut self, stmt: &Stmt) {
        self.depth += usize::from(is_loop(stmt));
        let (word, help) = match stmt.kind {
            StmtKind::Exit => ("EXIT", "use RETURN to leave the whole POU"),
            StmtKind::Continue => ("CONTINUE", "use IF to skip statements"),
            StmtKind::Assign { .. }
            | StmtKind::If { .. }
            | StmtKind::Case { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::Repeat { .. }
            | StmtKind::Return
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::CallInstance { .. }
            | StmtKind::Eval(_)
            | StmtKind::Assert { .. }
            | StmtKind::Gap(_) => return,
        };
        if self.depth == 0 {
            let message = format!("{word} stands outside of any loop");
            self.findings.push(Diagnostic::error(OUTSIDE_LOOP, stmt.span, message, "no loop around it").help(help));
        }
    }
    fn leave(&mut self, stmt: &Stmt) {
        self.depth -= usize::from(is_loop(stmt));
    }
}

#[cfg(test)]
mod tests {
    use crate::resolve::testing::check_body;

    #[test]
    fn exit_and_continue_need_a_loop() {
        let check = |body: &str, expected: &str| check_body("VAR\n b : BOOL; i : INT;\nEND_VAR", body, expected);
        check("WHILE b DO IF b THEN EXIT; END_IF; CONTINUE; END_WHILE;", "");
        check("REPEAT EXIT; UNTIL b END_REPEAT; FOR i := 1 TO 2 DO EXIT; END_FOR;", "");
        check("IF b THEN\nEXIT;\nEND_IF;", "P4005@2:1");
        check("WHILE b DO ; END_WHILE;\nCONTINUE;", "P4005@2:1");
    }
}
