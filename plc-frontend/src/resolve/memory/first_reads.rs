//! Which variables of a body may be read before they are written: by one pass over its statements.

use crate::hir::{CallArgs, Elem, Expr, ExprKind, Place, Root, Stmt, StmtKind, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Those of `candidates` that may be read before they are written as a whole; `returned` is read when the body ends.
pub(crate) fn read_early(
    body: &[Stmt],
    candidates: &BTreeSet<VarId>,
    returned: &BTreeSet<VarId>,
    with: BTreeMap<VarId, BTreeSet<VarId>>,
) -> BTreeSet<VarId> {
    let mut walk = Walk { candidates, returned, with, early: BTreeSet::new(), jumps: false };
    let end = walk.block(body, Some(BTreeSet::new()));
    walk.leave(end.as_ref());
    if walk.jumps { candidates.clone() } else { walk.early }
}

/// What is certainly written at a place; `None` where control does not come.
type Written = Option<BTreeSet<VarId>>;

struct Walk<'a> {
    candidates: &'a BTreeSet<VarId>,
    returned: &'a BTreeSet<VarId>,
    /// What is written with a variable.
    with: BTreeMap<VarId, BTreeSet<VarId>>,
    early: BTreeSet<VarId>,
    /// There are labels: nothing is known of the order.
    jumps: bool,
}

impl Walk<'_> {
    fn block(&mut self, stmts: &[Stmt], before: Written) -> Written {
        stmts.iter().fold(before, |written, stmt| self.stmt(stmt, written))
    }

    fn stmt(&mut self, stmt: &Stmt, mut now: Written) -> Written {
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                self.top(value, &mut now);
                self.write(target, &mut now);
            }
            StmtKind::If { branches, otherwise } => {
                let mut ends = Vec::new();
                for (condition, body) in branches {
                    self.expr(condition, &now);
                    ends.push(self.block(body, now.clone()));
                }
                ends.push(self.block(otherwise, now));
                return meet(ends);
            }
            StmtKind::Case { selector, arms, otherwise } => {
                self.expr(selector, &now);
                let mut ends: Vec<Written> = arms.iter().map(|arm| self.block(&arm.body, now.clone())).collect();
                ends.push(self.block(otherwise, now));
                return meet(ends);
            }
            StmtKind::For { control, from, to, by, body } => {
                [Some(from), Some(to), by.as_ref()].into_iter().flatten().for_each(|e| self.expr(e, &now));
                self.write(control, &mut now);
                self.block(body, now.clone());
            }
            StmtKind::While { condition, body } => {
                self.expr(condition, &now);
                self.block(body, now.clone());
            }
            StmtKind::Repeat { body, until } => {
                // EXIT and CONTINUE may leave the body early.
                let end = self.block(body, now.clone());
                if leaves_early(body) {
                    self.expr(until, &now);
                } else {
                    self.expr(until, &end);
                    now = end;
                }
            }
            StmtKind::Exit | StmtKind::Continue => return None,
            StmtKind::Return => {
                self.leave(now.as_ref());
                return None;
            }
            // Nothing is followed beyond a gap.
            StmtKind::Gap(_) => return None,
            StmtKind::Label(_) | StmtKind::Goto(_) => self.jumps = true,
            StmtKind::CallInstance { instance, pou: _, args } => {
                self.place(instance, &now);
                self.args(args, &now);
                args.outputs.iter().for_each(|(_, place)| self.write(place, &mut now));
            }
            StmtKind::Eval(e) => self.top(e, &mut now),
            StmtKind::Assert { id: _, name: _, condition } => self.expr(condition, &now),
        }
        now
    }

    /// An expression that is evaluated whole: what a call in it writes is written.
    fn top(&mut self, e: &Expr, now: &mut Written) {
        self.expr(e, now);
        if let ExprKind::Call(_, args) = &e.kind {
            args.outputs.iter().for_each(|(_, place)| self.write(place, now));
        }
    }

    fn expr(&mut self, e: &Expr, now: &Written) {
        match &e.kind {
            ExprKind::Literal(_) | ExprKind::Text(_) => {}
            ExprKind::Read(place) => self.place(place, now),
            ExprKind::Unary(_, a) | ExprKind::Convert(_, a) => self.expr(a, now),
            ExprKind::Binary(_, a, b) => {
                self.expr(a, now);
                self.expr(b, now);
            }
            ExprKind::Builtin(_, args) => args.iter().for_each(|a| self.expr(a, now)),
            ExprKind::Call(_, args) => self.args(args, now),
            ExprKind::Arbitrary { gap: _, concrete } => concrete.iter().for_each(|e| self.expr(e, now)),
        }
    }

    fn args(&mut self, args: &CallArgs, now: &Written) {
        args.inputs.iter().for_each(|(_, e)| self.expr(e, now));
        args.in_outs.iter().for_each(|(_, place)| self.place(place, now));
        args.outputs.iter().for_each(|(_, place)| self.indices(place, now));
    }

    /// A place that is read, or given away.
    fn place(&mut self, place: &Place, now: &Written) {
        self.indices(place, now);
        if let (Root::Var(var), Some(written)) = (place.root, now)
            && !written.contains(&var)
            && self.candidates.contains(&var)
        {
            self.early.insert(var);
        }
    }

    fn indices(&mut self, place: &Place, now: &Written) {
        for elem in &place.path {
            match elem {
                Elem::Index(indices) => indices.iter().for_each(|e| self.expr(e, now)),
                Elem::Field(_) | Elem::Member(_) | Elem::Deref(_) | Elem::Bits { .. } => {}
            }
        }
    }

    fn write(&mut self, place: &Place, now: &mut Written) {
        self.indices(place, now);
        // Following a reference reads it.
        if place.path.iter().any(|elem| matches!(elem, Elem::Deref(_))) {
            self.place(place, now);
        }
        if let (Root::Var(var), [], Some(written)) = (place.root, place.path.as_slice(), now) {
            written.insert(var);
            written.extend(self.with.get(&var).into_iter().flatten());
        }
    }

    /// The body ends: the caller reads what is returned.
    fn leave(&mut self, now: Option<&BTreeSet<VarId>>) {
        if let Some(written) = now {
            self.early.extend(self.returned.intersection(self.candidates).filter(|var| !written.contains(var)));
        }
    }
}

/// What is written on all ways that come here.
fn meet(ends: Vec<Written>) -> Written {
    ends.into_iter().flatten().reduce(|a, b| a.intersection(&b).copied().collect())
}

/// Whether EXIT or CONTINUE stand in it.
fn leaves_early(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Exit | StmtKind::Continue => true,
        StmtKind::If { branches, otherwise } => branches.iter().any(|(_, body)| leaves_early(body)) || leaves_early(otherwise),
        StmtKind::Case { arms, otherwise, .. } => arms.iter().any(|arm| leaves_early(&arm.body)) || leaves_early(otherwise),
        // They leave the inner loop.
        StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. } => false,
        StmtKind::Assign { .. }
        | StmtKind::Return
        | StmtKind::Label(_)
        | StmtKind::Goto(_)
        | StmtKind::CallInstance { .. }
        | StmtKind::Eval(_)
        | StmtKind::Assert { .. }
        | StmtKind::Gap(_) => false,
    })
}
