//! Statements.

use super::{Writer, inside};
use crate::ast::{CaseArm, Expr, LoopBounds, RefAssign, Stmt, StmtKind};
use crate::lang::st::unsupported::NOT_MODELLED;
use crate::text::Span;

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

    fn stmt(&mut self, stmt: &Stmt) -> &mut Self {
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
                self.assignment(target, sign, value)
            }
            StmtKind::Let(name, value) | StmtKind::Keep(name, value) => self.put(&name.text).put(" := ").expr(value).put(";\n"),
            StmtKind::If(branches, otherwise) => self.branches(branches, otherwise, stmt.span),
            StmtKind::Case(selector, arms, otherwise) => self.case(selector, arms, otherwise, stmt.span),
            StmtKind::For { control, bounds, body } => {
                let LoopBounds { from, to, by } = &**bounds;
                self.put("FOR ").name(control).put(" := ").expr(from).put(" TO ").expr(to);
                if let Some(by) = by {
                    self.put(" BY ").expr(by);
                }
                self.put(" DO\n").nested(body, inside(stmt.span)).line("END_FOR;")
            }
            StmtKind::While(condition, body) => {
                self.put("WHILE ").expr(condition).put(" DO\n").nested(body, inside(stmt.span)).line("END_WHILE;")
            }
            StmtKind::Repeat(body, until) => {
                self.put("REPEAT\n").nested(body, until.span.start);
                self.start().put("UNTIL ").expr(until).put("\n").line("END_REPEAT;")
            }
            StmtKind::Exit => self.put("EXIT;\n"),
            StmtKind::Continue => self.put("CONTINUE;\n"),
            StmtKind::Return => self.put("RETURN;\n"),
            StmtKind::Call(name, args) => self.name(name).args(args).put(";\n"),
            StmtKind::Value(value) => self.expr(value).put(";\n"),
            StmtKind::Assert(condition, name) => {
                self.put("//#ASSERT ").expr(condition);
                if let Some(name) = name {
                    self.put(" : ").put(&name.text);
                }
                self.put("\n")
            }
            StmtKind::Label(..) => self,
            StmtKind::Goto(label, _) => self.put(&format!("GOTO {};\n", label.text)),
            StmtKind::Empty => self.put(";\n"),
            StmtKind::Unsupported(what) if self.is_logix => {
                let words = what.replace('$', "$$").replace('\'', "$'");
                self.put(&format!("{NOT_MODELLED}('{words}');\n"))
            }
            StmtKind::Unsupported(what) => self.verbatim(what, stmt.span),
            StmtKind::Error => self.cannot("a statement that could not be read", stmt.span),
        }
    }

    /// Writes the text of a form that is read and not modelled.
    fn verbatim(&mut self, what: &str, span: Span) -> &mut Self {
        let written = self.sources.text(span).trim();
        if written.is_empty() || (self.is_xml && !written.starts_with("__")) {
            return self.cannot(what, span);
        }
        self.put(written).put(if written.ends_with(';') { "\n" } else { ";\n" });
        // It contains its comments already.
        while self.trivia.front().is_some_and(|t| t.start < span.end) {
            self.trivia.pop_front();
        }
        self
    }

    fn assignment(&mut self, target: &Expr, sign: &str, value: &Expr) -> &mut Self {
        self.expr(target).put(&format!(" {sign} ")).expr(value).put(";\n")
    }

    /// Writes a body, and the comments behind its last statement.
    fn nested(&mut self, body: &[Stmt], end: u32) -> &mut Self {
        self.inner(body);
        self.comments_inside(end)
    }

    /// Writes the comments before a place inside of a construct.
    pub(super) fn comments_inside(&mut self, end: u32) -> &mut Self {
        self.indent += 1;
        self.before(end);
        self.indent -= 1;
        self
    }

    fn branches(&mut self, branches: &[(Expr, Vec<Stmt>)], otherwise: &[Stmt], span: Span) -> &mut Self {
        for (i, (condition, body)) in branches.iter().enumerate() {
            let word = if i == 0 { self.put("IF ") } else { self.start().put("ELSIF ") };
            word.expr(condition).put(" THEN\n");
            let next = branches.get(i + 1).map(|(condition, _)| condition.span.start);
            // The place of ELSE is not known: comments before it are written behind it.
            let end = next.or(otherwise.first().map(|_| 0)).unwrap_or(inside(span));
            self.nested(body, end);
        }
        self.otherwise(otherwise, span).line("END_IF;")
    }

    fn otherwise(&mut self, otherwise: &[Stmt], span: Span) -> &mut Self {
        if otherwise.is_empty() { self } else { self.line("ELSE").nested(otherwise, inside(span)) }
    }

    fn case(&mut self, selector: &Expr, arms: &[CaseArm], otherwise: &[Stmt], span: Span) -> &mut Self {
        self.put("CASE ").expr(selector).put(" OF\n");
        self.indent += 1;
        for arm in arms {
            self.before(arm.span.start).start();
            self.list(&arm.labels, |w, label| match &label.high {
                Some(high) => w.range(&label.low, high),
                None => w.expr(&label.low),
            });
            self.put(":\n").inner(&arm.body);
        }
        self.indent -= 1;
        if otherwise.is_empty() {
            self.comments_inside(inside(span));
        }
        self.otherwise(otherwise, span).line("END_CASE;")
    }
}
