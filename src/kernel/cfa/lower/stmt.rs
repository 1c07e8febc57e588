//! Statements, one by one; loops are in [`super::loops`].

use plc_frontend::hir::{Assumed, CaseArm, Elem, Expr, ExprKind, IntType, Stmt, StmtKind};

use super::builder::Builder;
use super::effects::elem_has_call;
use crate::cfa::automaton::LocKind;
use crate::cfa::model::{Marks, ModelError};
use crate::cfa::network::NetOp;
use crate::cfa::site::SiteKind;
use crate::expr::{ExprId, Sort, Value};

impl Builder<'_, '_> {
    /// Lowers statements in order. Statements between a jump and the next label are unreachable and not lowered.
    pub(super) fn block(&mut self, stmts: &[Stmt]) -> Result<(), ModelError> {
        let labels = self.labels(stmts);
        self.jumps.push(labels);
        let lowered = self.list(stmts);
        self.jumps.pop();
        lowered
    }

    fn list(&mut self, stmts: &[Stmt]) -> Result<(), ModelError> {
        let mut reached = true;
        for (at, stmt) in stmts.iter().enumerate() {
            if let StmtKind::Label(label) = stmt.kind {
                self.label(label, reached);
                reached = true;
            }
            if !reached {
                continue;
            }
            self.check_size()?;
            self.span = Some(stmt.span);
            self.at(at);
            self.statement(stmt.span);
            self.stmt(stmt)?;
            reached = !matches!(
                stmt.kind,
                StmtKind::Exit | StmtKind::Continue | StmtKind::Return | StmtKind::Goto(_) | StmtKind::Gap(_)
            );
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), ModelError> {
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                let mut values = if self.is_scalar(value.ty) { vec![self.expr(value)?] } else { self.expr_all(value)? };
                // `s := CONCAT('-', s)` moves characters: each is read before the first is written. A copy of a whole variable
                // moves nothing, even if both names are the same variable.
                let moves = 1 < values.len() && !matches!(value.kind, ExprKind::Read(_));
                if moves || target.path.iter().any(|elem: &Elem| elem_has_call(elem)) {
                    values = values.into_iter().map(|v| self.hold(v)).collect();
                }
                let spot = self.held_place(target)?;
                let coil = if self.cx.options.marks == Marks::Coils { stmt.coil(self.cx.project) } else { None };
                if let (Some(_), Some(var), [value]) = (coil, spot.only(), values.as_slice()) {
                    self.site(SiteKind::Coil { var, value: *value }, target.span);
                }
                self.write(&spot, &values)
            }
            StmtKind::If { branches, otherwise } => self.branches(branches, otherwise),
            StmtKind::Case { selector, arms, otherwise } => self.case(selector, arms, otherwise),
            StmtKind::For { control, bounds, body } => {
                self.for_loop(super::loops::For { control, bounds, body, span: stmt.span })
            }
            StmtKind::While { condition, body } => self.while_loop(condition, body, stmt.span),
            StmtKind::Repeat { body, until } => self.repeat_loop(body, until, stmt.span),
            StmtKind::Exit => {
                let Some(exits) = self.loops.last().copied() else { unreachable!("EXIT stands in a loop") };
                self.goto(exits.exit);
                Ok(())
            }
            StmtKind::Continue => {
                let Some(exits) = self.loops.last().copied() else { unreachable!("CONTINUE stands in a loop") };
                self.goto(exits.next);
                Ok(())
            }
            StmtKind::Return => {
                self.goto(self.graph.exit);
                Ok(())
            }
            StmtKind::Label(_) => Ok(()),
            StmtKind::Goto(label) => {
                self.jump(*label, stmt.span);
                Ok(())
            }
            StmtKind::CallInstance { instance, pou, args } => self.call_instance(instance, *pou, args, stmt.span),
            StmtKind::Eval(expr) => self.expr_all(expr).map(|_| ()),
            StmtKind::Assert { id, condition, .. } => {
                let condition = self.asserted(condition)?;
                self.site(SiteKind::Assert { id: *id, condition }, stmt.span);
                Ok(())
            }
            StmtKind::Assume(assumed) => self.assumption(assumed),
            StmtKind::Gap(gap) => {
                self.gap(*gap);
                Ok(())
            }
        }
    }

    /// Adds what an assumption says about the values of a call.
    ///
    /// Stops: a condition that can fail is refused, because it would exclude runs silently.
    fn assumption(&mut self, assumed: &Assumed) -> Result<(), ModelError> {
        let span = assumed.condition.span;
        let of = match &assumed.instance {
            None => None,
            Some((own, meant)) => {
                let (own, meant) = (self.place(own)?.only(), self.place(meant)?.only());
                let both = own.zip(meant);
                Some(both.ok_or_else(|| ModelError::unsupported("an assumption about an instance that an index chooses", span))?)
            }
        };
        let n_sites = self.graph.sites.len();
        let condition = self.expr(&assumed.condition)?;
        if self.graph.sites[n_sites..].iter().any(|site| matches!(site.kind, SiteKind::Fault(_))) {
            return Err(ModelError::unsupported(
                "an assumption about a stub that may divide by zero or leave an array's bounds",
                span,
            ));
        }
        match of {
            None => self.assume(condition),
            Some((formal, meant)) => self.step(NetOp::AssumeOf { formal, meant, condition }),
        }
        Ok(())
    }

    /// Returns the condition of an assertion; FALSE where it cannot be evaluated.
    fn asserted(&mut self, condition: &Expr) -> Result<ExprId, ModelError> {
        let n_sites = self.graph.sites.len();
        let value = self.expr(condition)?;
        // The comment is no part of the program: only the effects of functions that it calls count.
        let mut faults = self.graph.sites.split_off(n_sites);
        faults.retain(|site| matches!(site.kind, SiteKind::Fault(_)));
        if faults.is_empty() {
            return Ok(value);
        }
        let held = self.temp("held", Sort::Bool);
        self.assign(held, value);
        let (here, no) = (self.here, self.pool.bool(false));
        for fault in faults {
            self.edge(fault.loc, here, NetOp::Assign(held, no));
        }
        Ok(self.pool.var(held))
    }

    fn branches(&mut self, branches: &[(Expr, Vec<Stmt>)], otherwise: &[Stmt]) -> Result<(), ModelError> {
        let end = self.loc(LocKind::Inner);
        for (condition, body) in branches {
            self.span = Some(condition.span);
            let condition = self.expr(condition)?;
            let (yes, no) = self.branch(condition);
            self.here = yes;
            self.block(body)?;
            self.join(end);
            self.here = no;
        }
        self.block(otherwise)?;
        self.join(end);
        Ok(())
    }

    fn case(&mut self, selector: &Expr, arms: &[CaseArm], otherwise: &[Stmt]) -> Result<(), ModelError> {
        self.span = Some(selector.span);
        let int = self.int_of(selector.ty);
        let selected = self.expr(selector)?;
        let end = self.loc(LocKind::Inner);
        for arm in arms {
            self.span = Some(arm.span);
            let taken = self.matches(selected, int, &arm.labels);
            let (yes, no) = self.branch(taken);
            self.here = yes;
            self.block(&arm.body)?;
            self.join(end);
            self.here = no;
        }
        self.block(otherwise)?;
        self.join(end);
        Ok(())
    }
    /// Returns whether a selector is in one of the ranges.
    fn matches(&mut self, selected: ExprId, int: IntType, labels: &[(i128, i128)]) -> ExprId {
        let mut any = self.pool.bool(false);
        for (low, high) in labels {
            let within = if low == high && int.min() <= *low && *low <= int.max() {
                let label = self.pool.constant(Value::int(u16::from(int.bits), *low));
                self.pool.eq(selected, label)
            } else if high < low {
                self.pool.bool(false)
            } else {
                let outside = self.outside(selected, int, *low, *high);
                self.pool.not(outside)
            };
            any = if self.pool.is_false(any) { within } else { self.pool.or(any, within) };
        }
        any
    }
}
