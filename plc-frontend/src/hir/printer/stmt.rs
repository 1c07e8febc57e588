//! Statements.

use super::{Printer, value_to_st};
use crate::hir::{CaseArm, Expr, LoopBounds, Stmt, StmtKind, TypeId, Value};

impl Printer<'_> {
    pub(super) fn block(&mut self, stmts: &[Stmt]) -> &mut Self {
        self.indent += 1;
        for stmt in stmts {
            self.line().stmt(stmt);
        }
        self.indent -= 1;
        self
    }

    fn stmt(&mut self, stmt: &Stmt) -> &mut Self {
        match &stmt.kind {
            StmtKind::Assign { target, value } => self.place(target).put(" := ").expr(value, Some(target.ty)).put(";\n"),
            StmtKind::If { branches, otherwise } => self.branches(branches, otherwise),
            StmtKind::Case { selector, arms, otherwise } => self.case(selector, arms, otherwise),
            StmtKind::For { control, bounds, body } => {
                let LoopBounds { from, to, by } = &**bounds;
                let want = Some(control.ty);
                self.put("FOR ").place(control).put(" := ").expr(from, want).put(" TO ").expr(to, want);
                if let Some(by) = by {
                    self.put(" BY ").expr(by, want);
                }
                self.put(" DO\n").block(body).put_line("END_FOR;")
            }
            StmtKind::While { condition, body } => {
                self.put("WHILE ").expr(condition, None).put(" DO\n").block(body).put_line("END_WHILE;")
            }
            StmtKind::Repeat { body, until } => {
                self.put("REPEAT\n").block(body).line().put("UNTIL ").expr(until, None).put("\n").put_line("END_REPEAT;")
            }
            StmtKind::Exit => self.put("EXIT;\n"),
            StmtKind::Continue => self.put("CONTINUE;\n"),
            StmtKind::Return => self.put("RETURN;\n"),
            StmtKind::Label(label) => self.put_args(format_args!("{label}:\n")),
            StmtKind::Goto(label) => self.put_args(format_args!("GOTO {label};\n")),
            StmtKind::CallInstance { instance, pou, args } => self.place(instance).call_args(*pou, args).put(";\n"),
            StmtKind::Eval(expr) => self.expr(expr, None).put(";\n"),
            StmtKind::Assert { id, name, condition } => {
                self.put("//#ASSERT ").expr(condition, None);
                if *name != format!("assert-{}", id.0 + 1) {
                    self.put_args(format_args!(" : {name}"));
                }
                self.put("\n")
            }
            StmtKind::Assume(assumed) => {
                self.put("; (* assumed: ").expr(&assumed.condition, None);
                if let Some((_, meant)) = &assumed.instance {
                    self.put(", behind a call of ").place(meant);
                }
                self.put(" *)\n")
            }
            StmtKind::Gap(gap) => self.put_args(format_args!("; (* {gap}: not modelled *)\n")),
        }
    }

    fn branches(&mut self, branches: &[(Expr, Vec<Stmt>)], otherwise: &[Stmt]) -> &mut Self {
        for (i, (condition, body)) in branches.iter().enumerate() {
            let word = if i == 0 { self.put("IF ") } else { self.line().put("ELSIF ") };
            word.expr(condition, None).put(" THEN\n").block(body);
        }
        self.otherwise(otherwise).put_line("END_IF;")
    }

    fn otherwise(&mut self, otherwise: &[Stmt]) -> &mut Self {
        if otherwise.is_empty() { self } else { self.put_line("ELSE").block(otherwise) }
    }

    fn case(&mut self, selector: &Expr, arms: &[CaseArm], otherwise: &[Stmt]) -> &mut Self {
        self.put("CASE ").expr(selector, None).put(" OF\n");
        self.indent += 1;
        for arm in arms {
            let labels = &arm.labels;
            self.line().list(labels, ", ", |p, (low, high)| p.label(selector.ty, *low, *high)).put(":\n").block(&arm.body);
        }
        self.indent -= 1;
        self.otherwise(otherwise).put_line("END_CASE;")
    }

    fn label(&mut self, ty: TypeId, low: i128, high: i128) -> &mut Self {
        let text = |value| value_to_st(self.project, ty, Value::Int(value));
        let text = if low == high { text(low) } else { format!("{}..{}", text(low), text(high)) };
        self.put(&text)
    }
}
