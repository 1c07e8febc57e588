//! FOR loops that compilers treat differently: a last value or step that changes in the body, a single round, and a control
//! variable that is used outside of its loop.

use crate::dialect::{Dialect, Loops};
use crate::hir::aliases::{Touched, may_share};
use crate::hir::walk::{Access, Visit};
use crate::hir::{
    CallArgs, Conversion, Elem, Expr, ExprKind, LoopBounds, Place, PouId, Project, Root, Section, Stmt, StmtKind, Value, Var,
};
use crate::resolve::controller::behaviour::Behaviour;
use crate::text::source::Span;
use std::collections::BTreeSet;

/// Returns the controller-dependent behaviours of the loops of a POU.
pub(crate) fn behaviours(project: &Project, pou: PouId, dialect: &Dialect) -> Vec<(Behaviour, Span)> {
    let mut uses = Uses::new(project, pou);
    uses.body(&project.pous[pou].body);
    let is_used = |control: &Touched| uses.outside.iter().any(|used| may_share(project, pou, *used, *control));
    let used = uses.controls.iter().filter(|(control, is_open, _)| *is_open || is_used(control));
    let used = used.map(|(.., span)| (Behaviour::LoopVariable, *span));
    let bounds = uses.bounds.iter().filter(|_| dialect.loops == Loops::Once).map(|span| (Behaviour::LoopBound, *span));
    bounds.chain(used).collect()
}

/// Returns whether a FOR may have one round only.
pub(crate) fn may_be_single(from: &Expr, to: &Expr, by: Option<&Expr>) -> bool {
    let number = |e: &Expr| constant_of(e).and_then(|value| value.as_int());
    match (number(from), number(to), by.map_or(Some(1), number)) {
        (Some(from), Some(to), Some(by)) if 0 < by => from <= to && to < from + by,
        (Some(from), Some(to), Some(by)) => to <= from && from + by < to,
        (_, _, _) => true,
    }
}

/// Returns the value of a literal, widened or not.
pub(crate) fn constant_of(e: &Expr) -> Option<Value> {
    if let ExprKind::Literal(value) = &e.kind {
        Some(*value)
    } else if let ExprKind::Convert(Conversion::Widen, inner) = &e.kind {
        constant_of(inner)
    } else {
        None
    }
}

/// Returns whether a FOR in `pou` may change its last value or its step: its body, or its control variable in the next round.
pub(crate) fn changes(project: &Project, pou: PouId, control: &Place, to: &Expr, by: Option<&Expr>, body: &[Stmt]) -> bool {
    let mut uses = Uses::new(project, pou);
    uses.body(body);
    uses.written.insert(Touched::new(project, control));
    uses.may_change(to, by)
}

/// Places that a body uses.
struct Uses<'p> {
    project: &'p Project,
    /// The POU of the body.
    pou: PouId,
    /// Control variables of the enclosing loops.
    around: Vec<Root>,
    /// All control variables with their loops, and whether others than the POU may read them: outputs, results, global variables.
    controls: Vec<(Touched, bool, Span)>,
    /// Places used, except control variables of enclosing loops.
    outside: BTreeSet<Touched>,
    /// Places that the current loop writes.
    written: BTreeSet<Touched>,
    /// TRUE if the body of the current loop has a call, or writes through a reference.
    calls: bool,
    /// Loops whose last value or step may change.
    bounds: Vec<Span>,
}

impl<'h> Visit<'h> for Uses<'_> {
    fn stmt(&mut self, stmt: &'h Stmt) {
        let StmtKind::For { control, bounds, body } = &stmt.kind else { return self.stmt_parts(stmt) };
        let LoopBounds { from, to, by } = &**bounds;
        [Some(from), Some(to), by.as_ref()].into_iter().flatten().for_each(|e| self.expr(e));
        let counter = Touched::new(self.project, control);
        let section = |var| self.project.pous[self.pou].vars.get(var).map(|var: &Var| var.section);
        let is_own = matches!(control.root, Root::Var(var) if matches!(section(var), Some(Section::Local | Section::Temp)));
        self.controls.push((counter, !is_own, stmt.span));
        self.around.push(control.root);
        // Writes of other statements count for the enclosing loops only.
        let before = (std::mem::take(&mut self.written), std::mem::replace(&mut self.calls, false));
        self.body(body);
        self.written.insert(counter);
        if self.may_change(to, by.as_ref()) {
            self.bounds.push(stmt.span);
        }
        self.around.pop();
        self.written.extend(before.0);
        self.calls |= before.1;
    }

    fn place(&mut self, place: &'h Place, access: Access) {
        self.place_parts(place);
        let touched = Touched::new(self.project, place);
        if !self.around.contains(&place.root) {
            self.outside.insert(touched);
        }
        if access != Access::Read {
            self.written.insert(touched);
            self.calls |= place.path.iter().any(|elem| matches!(elem, Elem::Deref(_)));
        }
    }

    fn call(&mut self, _callee: PouId, args: &'h CallArgs) {
        self.calls = true;
        self.call_parts(args);
    }
}

impl<'p> Uses<'p> {
    fn new(project: &'p Project, pou: PouId) -> Uses<'p> {
        Uses {
            project,
            pou,
            around: Vec::new(),
            controls: Vec::new(),
            outside: BTreeSet::new(),
            written: BTreeSet::new(),
            calls: false,
            bounds: Vec::new(),
        }
    }

    /// Returns whether the statements seen may change a last value or a step.
    fn may_change(&self, to: &Expr, by: Option<&Expr>) -> bool {
        let mut read = Uses::new(self.project, self.pou);
        [Some(to), by].into_iter().flatten().for_each(|e| read.expr(e));
        let is_written = |read: &Touched| self.written.iter().any(|write| may_share(self.project, self.pou, *read, *write));
        read.calls || (self.calls && !read.outside.is_empty()) || read.outside.iter().any(is_written)
    }
}
