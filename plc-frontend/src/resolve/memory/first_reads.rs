//! Variables of a body that may be read before they are written, found by one pass over its statements.

use crate::hir::walk::{Access, Visit};
use crate::hir::{CallArgs, Elem, Expr, ExprKind, LoopBounds, Place, Root, Stmt, StmtKind, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the candidates that may be read before they are written as a whole.
///
/// `returned` are read when the body ends; `with` are the variables written together with a variable.
pub(crate) fn read_before_written(body: &[Stmt], candidates: &Vars, returned: &Vars, with: BTreeMap<VarId, Vars>) -> Vars {
    let written = Some(BTreeSet::new());
    let mut search = Search { candidates, returned, with, written, found: BTreeSet::new(), jumps: false };
    search.body(body);
    search.end();
    if search.jumps { candidates.clone() } else { search.found }
}

type Vars = BTreeSet<VarId>;

/// Variables that are certainly written at a place; `None` where control never comes.
type Written = Option<Vars>;

struct Search<'a> {
    candidates: &'a BTreeSet<VarId>,
    returned: &'a BTreeSet<VarId>,
    with: BTreeMap<VarId, BTreeSet<VarId>>,
    /// Variables written so far.
    written: Written,
    found: BTreeSet<VarId>,
    /// There are labels: the order of statements is unknown.
    jumps: bool,
}

impl<'h> Visit<'h> for Search<'_> {
    fn stmt(&mut self, stmt: &'h Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, value } => {
                self.whole(value);
                self.place(target, Access::Write);
                self.write(target);
            }
            StmtKind::If { branches, otherwise } => {
                let mut ends = Vec::new();
                for (condition, body) in branches {
                    self.expr(condition);
                    ends.push(self.skippable(body));
                }
                ends.push(self.skippable(otherwise));
                self.written = written_on_all(ends);
            }
            StmtKind::Case { selector, arms, otherwise } => {
                self.expr(selector);
                let mut ends: Vec<Written> = arms.iter().map(|arm| self.skippable(&arm.body)).collect();
                ends.push(self.skippable(otherwise));
                self.written = written_on_all(ends);
            }
            StmtKind::For { control, bounds, body } => {
                let LoopBounds { from, to, by } = &**bounds;
                [from, to].into_iter().chain(by).for_each(|e| self.expr(e));
                self.place(control, Access::Write);
                self.write(control);
                self.skippable(body);
            }
            StmtKind::While { condition, body } => {
                self.expr(condition);
                self.skippable(body);
            }
            StmtKind::Repeat { body, until } => {
                // EXIT and CONTINUE may skip the rest of the body.
                if may_skip(body) {
                    self.skippable(body);
                } else {
                    self.body(body);
                }
                self.expr(until);
            }
            StmtKind::Return => {
                self.end();
                self.written = None;
            }
            // No run is followed beyond a gap.
            StmtKind::Exit | StmtKind::Continue | StmtKind::Gap(_) => self.written = None,
            StmtKind::Label(_) | StmtKind::Goto(_) => self.jumps = true,
            StmtKind::CallInstance { args, .. } => {
                self.stmt_parts(stmt);
                self.outputs(args);
            }
            StmtKind::Eval(e) => self.whole(e),
            StmtKind::Assert { condition, .. } => self.expr(condition),
            StmtKind::Assume(assumed) => self.expr(&assumed.condition),
        }
    }

    fn place(&mut self, place: &'h Place, access: Access) {
        self.place_parts(place);
        // Following a reference reads it.
        let is_read = access != Access::Write || place.path.iter().any(|elem| matches!(elem, Elem::Deref(_)));
        if let (true, Root::Var(var), Some(written)) = (is_read, place.root, &self.written)
            && !written.contains(&var)
            && self.candidates.contains(&var)
        {
            self.found.insert(var);
        }
    }
}

impl Search<'_> {
    /// Visits statements that may be skipped; returns the variables written at their end.
    fn skippable(&mut self, body: &[Stmt]) -> Written {
        let before = self.written.clone();
        self.body(body);
        std::mem::replace(&mut self.written, before)
    }

    /// Visits an expression that is a whole statement or value: a call in it writes its outputs.
    fn whole(&mut self, e: &Expr) {
        self.expr(e);
        if let ExprKind::Call(_, args) = &e.kind {
            self.outputs(args);
        }
    }

    fn outputs(&mut self, args: &CallArgs) {
        args.outputs.iter().for_each(|(_, place)| self.write(place));
    }

    fn write(&mut self, place: &Place) {
        if let (Root::Var(var), [], Some(written)) = (place.root, place.path.as_slice(), &mut self.written) {
            written.insert(var);
            written.extend(self.with.get(&var).into_iter().flatten());
        }
    }

    /// Ends the body: the caller reads the returned variables.
    fn end(&mut self) {
        if let Some(written) = &self.written {
            self.found.extend(self.returned.intersection(self.candidates).filter(|var| !written.contains(var)));
        }
    }
}

/// Returns the variables written on all ways.
fn written_on_all(ends: Vec<Written>) -> Written {
    ends.into_iter().flatten().reduce(|a, b| a.intersection(&b).copied().collect())
}

/// Returns whether EXIT or CONTINUE may skip the rest of these statements; inner loops keep their own.
#[expect(clippy::wildcard_enum_match_arm, reason = "other statements have no EXIT of this loop inside")]
fn may_skip(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Exit | StmtKind::Continue => true,
        StmtKind::If { .. } | StmtKind::Case { .. } => stmt.bodies().into_iter().any(may_skip),
        _ => false,
    })
}
