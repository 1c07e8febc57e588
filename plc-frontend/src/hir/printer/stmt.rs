//! Statements.

use super::Printer;
use crate::hir::{CaseArm, Expr, Stmt, StmtKind, TypeId};

impl Printer<'_> {
    pub(super) fn block(&mut self, stmts: &[Stmt]) {
        self.indent += 1;
        for stmt in stmts {
            self.stmt(stmt);
        }
        self.indent -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.line();
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                self.place(target);
                self.put(" := ");
                self.expr(value, Some(target.ty));
                self.put(";\n");
            }
            StmtKind::If { branches, otherwise } => self.branches(branches, otherwise),
            StmtKind::Case { selector, arms, otherwise } => self.case(selector, arms, otherwise),
            StmtKind::For { control, from, to, by, body } => {
                self.put("FOR ");
                self.place(control);
                self.put(" := ");
                self.expr(from, Some(control.ty));
                self.put(" TO ");
                self.expr(to, Some(control.ty));
                if let Some(by) = by {
                    self.put(" BY ");
                    self.expr(by, Some(control.ty));
                }
                self.put(" DO\n");
                self.block(body);
                self.put_line("END_FOR;");
            }
            StmtKind::While { condition, body } => {
                self.put("WHILE ");
                self.expr(condition, None);
                self.put(" DO\n");
                self.block(body);
                self.put_line("END_WHILE;");
            }
            StmtKind::Repeat { body, until } => {
                self.put("REPEAT\n");
                self.block(body);
                self.line();
                self.put("UNTIL ");
                self.expr(until, None);
                self.put("\n");
                self.put_line("END_REPEAT;");
            }
            StmtKind::Exit => self.put("EXIT;\n"),
            StmtKind::Continue => self.put("CONTINUE;\n"),
            StmtKind::Return => self.put("RETURN;\n"),
            StmtKind::Label(label) => self.put_args(format_args!("{label}:\n")),
            StmtKind::Goto(label) => self.put_args(format_args!("GOTO {label};\n")),
            StmtKind::CallInstance { instance, pou, args } => {
                self.place(instance);
                self.call_args(*pou, args);
                self.put(";\n");
            }
            StmtKind::Eval(expr) => {
                self.expr(expr, None);
                self.put(";\n");
            }
            StmtKind::Assert { id, name, condition } => {
                self.put("//#ASSERT ");
                self.expr(condition, None);
                if *name != format!("assert-{}", id.0 + 1) {
                    self.put_args(format_args!(" : {name}"));
                }
                self.put("\n");
            }
            StmtKind::Gap(gap) => self.put_args(format_args!("; (* {gap}: not modelled *)\n")),
        }
    }

    fn branches(&mut self, branches: &[(Expr, Vec<Stmt>)], otherwise: &[Stmt]) {
        for (i, (condition, body)) in branches.iter().enumerate() {
            if i > 0 {
                self.line();
            }
            self.put(if i == 0 { "IF " } else { "ELSIF " });
            self.expr(condition, None);
            self.put(" THEN\n");
            self.block(body);
        }
        self.otherwise(otherwise);
        self.put_line("END_IF;");
    }

    fn otherwise(&mut self, otherwise: &[Stmt]) {
        if !otherwise.is_empty() {
            self.put_line("ELSE");
            self.block(otherwise);
        }
    }

    fn case(&mut self, selector: &Expr, arms: &[CaseArm], otherwise: &[Stmt]) {
        self.put("CASE ");
        self.expr(selector, None);
        self.put(" OF\n");
        self.indent += 1;
        for arm in arms {
            self.line();
            self.list(&arm.labels, ", ", |p, (low, high)| p.label(selector.ty, *low, *high));
            self.put(":\n");
            self.block(&arm.body);
        }
        self.indent -= 1;
        self.otherwise(otherwise);
        self.put_line("END_CASE;");
    }

    fn label(&mut self, ty: TypeId, low: i128, high: i128) {
        let text = |value| super::value_to_st(self.project, ty, crate::hir::Value::Int(value));
        let text = if low == high { text(low) } else { format!("{}..{}", text(low), text(high)) };
        self.put(&text);
    }
}
