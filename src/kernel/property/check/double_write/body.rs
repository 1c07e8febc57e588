//! Calls, assignments and places of a POU's body, with the possible number of their executions in a cycle.

use plc_frontend::hir::{CallArgs, Elem, Expr, ExprKind, LoopBounds, Place, PouId, Project, Stmt, StmtKind};
use plc_frontend::ids::Id;

use super::jumps;

pub(super) struct Call<'p> {
    pub(super) callee: PouId,
    /// Instance of a function block.
    pub(super) instance: Option<&'p Place>,
    pub(super) args: &'p CallArgs,
    pub(super) looped: bool,
}

/// Calls, assignments and places of a POU. `looped` ones may be executed several times in one execution of the POU.
pub(super) struct Body<'p> {
    pub(super) pou: PouId,
    pub(super) assigned: Vec<(&'p Place, &'p Expr, &'p Stmt, bool)>,
    pub(super) calls: Vec<Call<'p>>,
    /// All places.
    pub(super) places: Vec<&'p Place>,
    jumps_back: bool,
}

impl<'p> Body<'p> {
    pub(super) fn new(pou: PouId, stmts: &'p [Stmt]) -> Body<'p> {
        let jumps_back = jumps::lead_back(stmts);
        let mut body = Body { pou, assigned: Vec::new(), calls: Vec::new(), places: Vec::new(), jumps_back };
        let mut todo: Vec<(&Stmt, bool)> = stmts.iter().map(|stmt| (stmt, false)).collect();
        while let Some((stmt, looped)) = todo.pop() {
            body.stmt(stmt, looped, &mut todo);
        }
        body
    }

    fn stmt(&mut self, stmt: &'p Stmt, looped: bool, todo: &mut Vec<(&'p Stmt, bool)>) {
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                self.assigned.push((target, value, stmt, looped));
                self.place(target, looped);
                self.expr(value, looped);
            }
            StmtKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.expr(condition, looped);
                    todo.extend(body.iter().map(|stmt| (stmt, looped)));
                }
                todo.extend(otherwise.iter().map(|stmt| (stmt, looped)));
            }
            StmtKind::Case { selector, arms, otherwise } => {
                self.expr(selector, looped);
                let bodies = arms.iter().flat_map(|arm| &arm.body).chain(otherwise);
                todo.extend(bodies.map(|stmt| (stmt, looped)));
            }
            StmtKind::For { control, bounds, body } => {
                let LoopBounds { from, to, by } = &**bounds;
                self.place(control, true);
                for bound in [from, to].into_iter().chain(by) {
                    self.expr(bound, looped);
                }
                todo.extend(body.iter().map(|stmt| (stmt, true)));
            }
            StmtKind::While { condition: test, body } | StmtKind::Repeat { body, until: test } => {
                self.expr(test, true);
                todo.extend(body.iter().map(|stmt| (stmt, true)));
            }
            StmtKind::CallInstance { instance, pou, args } => {
                self.place(instance, looped);
                self.call(*pou, Some(instance), args, looped);
            }
            StmtKind::Eval(expr) | StmtKind::Assert { condition: expr, .. } => self.expr(expr, looped),
            StmtKind::Goto(_)
            | StmtKind::Exit
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Label(_)
            | StmtKind::Assume(_)
            | StmtKind::Gap(_) => {}
        }
    }

    fn call(&mut self, callee: PouId, instance: Option<&'p Place>, args: &'p CallArgs, looped: bool) {
        self.calls.push(Call { callee, instance, args, looped });
        args.inputs.iter().for_each(|(_, value)| self.expr(value, looped));
        args.in_outs.iter().chain(&args.outputs).for_each(|(_, place)| self.place(place, looped));
    }

    fn place(&mut self, place: &'p Place, looped: bool) {
        self.places.push(place);
        for elem in &place.path {
            match elem {
                Elem::Index(indices) => indices.iter().for_each(|index| self.expr(index, looped)),
                Elem::Field(_) | Elem::Member(_) | Elem::Deref(_) | Elem::Bits { .. } => {}
            }
        }
    }

    fn expr(&mut self, expr: &'p Expr, looped: bool) {
        let mut todo = vec![expr];
        while let Some(expr) = todo.pop() {
            match &expr.kind {
                ExprKind::Literal(_) | ExprKind::Text(_) => {}
                ExprKind::Read(place) => self.place(place, looped),
                ExprKind::Unary(_, a) | ExprKind::Convert(_, a) => todo.push(a),
                ExprKind::Binary(_, a, b) => todo.extend([&**a, &**b]),
                ExprKind::Builtin(_, args) => todo.extend(args),
                ExprKind::Call(pou, args) => self.call(*pou, None, args, looped),
                ExprKind::Arbitrary { concrete, .. } => todo.extend(concrete.as_deref()),
            }
        }
    }

    /// Returns the executions for each execution of the POU: 1, or 2 for more than one.
    pub(super) fn rounds(&self, looped: bool) -> u8 {
        if looped || self.jumps_back { 2 } else { 1 }
    }
}

/// Returns the executions of each POU in a cycle; 2 for more than one.
///
/// Cost: linear in the calls, for each level of nesting.
pub(super) fn executions(project: &Project, bodies: &[Body<'_>]) -> Vec<u8> {
    let mut runs = vec![0u8; project.pous.len()];
    for run in &project.task.runs {
        let of = &mut runs[project.instances[*run].pou.index()];
        *of = of.saturating_add(1).min(2);
    }
    let mut times = runs.clone();
    loop {
        let mut next = runs.clone();
        for body in bodies {
            for Call { callee, looped, .. } in &body.calls {
                let more = times[body.pou.index()] * body.rounds(*looped);
                let of = &mut next[callee.index()];
                *of = of.saturating_add(more).min(2);
            }
        }
        if next == times {
            return times;
        }
        times = next;
    }
}
