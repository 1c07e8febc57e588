//! Statements.

use super::{Writer, inside};
use crate::ast::{CaseArm, Expr, Ident, RefAssign, Stmt, StmtKind};
use crate::text::source::Span;

impl Writer<'_> {
    pub(super) fn stmts(&mut self, stmts: &[Stmt]) {
        self.indent += 1;
        let is_work = |stmt: &&Stmt| !matches!(stmt.kind, StmtKind::Empty);
        for stmt in stmts.iter().filter(is_work) {
            self.stmt(stmt);
        }
        self.indent -= 1;
    }

    /// Writes statements inside of a statement; if all are empty, one of them.
    fn inner(&mut self, stmts: &[Stmt]) {
        if let Some(first) = stmts.iter().find(|_| stmts.iter().all(|s| matches!(s.kind, StmtKind::Empty))) {
            self.indent += 1;
            self.stmt(first);
            self.indent -= 1;
        }
        self.stmts(stmts);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.before(stmt.span.start);
        if let StmtKind::Label(label, _) = &stmt.kind {
            return self.line(&format!("{}:", label.text));
        }
        self.start();
        match &stmt.kind {
            StmtKind::Assign(target, value) => self.assignment(target, ":=", value),
            StmtKind::RefAssign(how, target, value) => {
                let sign = match how {
                    RefAssign::Set => "S=",
                    RefAssign::Reset => "R=",
                    RefAssign::Reference => "REF=",
                    RefAssign::Attempt => "?=",
                };
                self.assignment(target, sign, value);
            }
            StmtKind::Let(name, value) | StmtKind::Keep(name, value) => self.hidden(name, value),
            StmtKind::If(branches, otherwise) => self.branches(branches, otherwise, stmt.span),
            StmtKind::Case(selector, arms, otherwise) => self.case(selector, arms, otherwise, stmt.span),
            StmtKind::For { control, from, to, by, body } => {
                self.put("FOR ");
                self.name(control);
                self.put(" := ");
                self.expr(from);
                self.put(" TO ");
                self.expr(to);
                if let Some(by) = by {
                    self.put(" BY ");
                    self.expr(by);
                }
                self.put(" DO\n");
                self.nested(body, inside(stmt.span));
                self.line("END_FOR;");
            }
            StmtKind::While(condition, body) => {
                self.put("WHILE ");
                self.expr(condition);
                self.put(" DO\n");
                self.nested(body, inside(stmt.span));
                self.line("END_WHILE;");
            }
            StmtKind::Repeat(body, until) => {
                self.put("REPEAT\n");
                self.nested(body, until.span.start);
                self.start();
                self.put("UNTIL ");
                self.expr(until);
                self.put("\n");
                self.line("END_REPEAT;");
            }
            StmtKind::Exit => self.put("EXIT;\n"),
            StmtKind::Continue => self.put("CONTINUE;\n"),
            StmtKind::Return => self.put("RETURN;\n"),
            StmtKind::Call(name, args) => {
                self.name(name);
                self.args(args);
                self.put(";\n");
            }
            StmtKind::Value(value) => {
                self.expr(value);
                self.put(";\n");
            }
            StmtKind::Assert(condition, name) => {
                self.put("//#ASSERT ");
                self.expr(condition);
                if let Some(name) = name {
                    self.put(&format!(" : {}", name.text));
                }
                self.put("\n");
            }
            StmtKind::Label(..) => {}
            StmtKind::Goto(label, _) => self.put(&format!("GOTO {};\n", label.text)),
            StmtKind::Empty => self.put(";\n"),
            StmtKind::Unsupported(what) => self.verbatim(what, stmt.span),
            StmtKind::Error => self.cannot("a statement that could not be read", stmt.span),
        }
    }

    /// Writes the text of a form that is read and not modelled.
    fn verbatim(&mut self, what: &str, span: Span) {
        let written = self.sources.text(span).trim();
        if written.is_empty() || (self.is_xml && !written.starts_with("__")) {
            return self.cannot(what, span);
        }
        self.put(written);
        self.put(if written.ends_with(';') { "\n" } else { ";\n" });
        // The comments inside of it are written.
        while self.trivia.front().is_some_and(|t| t.start < span.end) {
            self.trivia.pop_front();
        }
    }

    fn assignment(&mut self, target: &Expr, sign: &str, value: &Expr) {
        self.expr(target);
        self.put(&format!(" {sign} "));
        self.expr(value);
        self.put(";\n");
    }

    fn hidden(&mut self, name: &Ident, value: &Expr) {
        self.put(&format!("{} := ", name.text));
        self.expr(value);
        self.put(";\n");
    }

    /// Writes a body, and the comments behind its last statement.
    fn nested(&mut self, body: &[Stmt], end: u32) {
        self.inner(body);
        self.indent += 1;
        self.before(end);
        self.indent -= 1;
    }

    fn branches(&mut self, branches: &[(Expr, Vec<Stmt>)], otherwise: &[Stmt], span: Span) {
        for (i, (condition, body)) in branches.iter().enumerate() {
            if i > 0 {
                self.start();
            }
            self.put(if i == 0 { "IF " } else { "ELSIF " });
            self.expr(condition);
            self.put(" THEN\n");
            let next = branches.get(i + 1).map(|(condition, _)| condition.span.start);
            // Where ELSE stands is not known: comments before it go behind it.
            let end = next.or(otherwise.first().map(|_| 0)).unwrap_or(inside(span));
            self.nested(body, end);
        }
        self.otherwise(otherwise, span);
        self.line("END_IF;");
    }

    fn otherwise(&mut self, otherwise: &[Stmt], span: Span) {
        if !otherwise.is_empty() {
            self.line("ELSE");
            self.nested(otherwise, inside(span));
        }
    }

    fn case(&mut self, selector: &Expr, arms: &[CaseArm], otherwise: &[Stmt], span: Span) {
        self.put("CASE ");
        self.expr(selector);
        self.put(" OF\n");
        self.indent += 1;
        for arm in arms {
            self.before(arm.span.start);
            self.start();
            self.list(&arm.labels, |w, label| {
                w.expr(&label.low);
                if let Some(high) = &label.high {
                    w.put("..");
                    w.expr(high);
                }
            });
            self.put(":\n");
            self.inner(&arm.body);
        }
        self.indent -= 1;
        if otherwise.is_empty() {
            self.indent += 1;
            self.before(inside(span));
            self.indent -= 1;
        }
        self.otherwise(otherwise, span);
        self.line("END_CASE;");
    }
}
