//! EXIT and CONTINUE stand in a loop.
//!
//! ```st
//! IF Done THEN
//!     EXIT;   (* P4005: there is no loop to leave *)
//! END_IF;
//! ```

use super::CheckedProgram;
use crate::hir::{Stmt, StmtKind, Visit};
use crate::text::{Diagnostic, Span, codes::OUTSIDE_LOOP};

pub(super) fn check(program: &CheckedProgram<'_>, findings: &mut Vec<Diagnostic>) {
    for pou in program.project.pous.iter() {
        Loops { depth: 0, findings }.body(&pou.body);
    }
}

struct Loops<'c> {
    depth: usize,
    findings: &'c mut Vec<Diagnostic>,
}

impl<'h> Visit<'h> for Loops<'_> {
    fn stmt(&mut self, stmt: &'h Stmt) {
        let loops = usize::from(matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. }));
        self.depth += loops;
        self.stmt_parts(stmt);
        self.depth -= loops;
        if self.depth == 0 && stmt.kind == StmtKind::Exit {
            self.report("EXIT", "use RETURN to leave the whole POU", stmt.span);
        }
        if self.depth == 0 && stmt.kind == StmtKind::Continue {
            self.report("CONTINUE", "use IF to skip statements", stmt.span);
        }
    }
}

impl Loops<'_> {
    fn report(&mut self, word: &str, help: &str, span: Span) {
        let message = format!("{word} stands outside of any loop");
        self.findings.push(Diagnostic::error(OUTSIDE_LOOP, span, message, "no loop around it").help(help));
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
