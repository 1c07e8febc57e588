//! Calls and unmodelled statements of each body.

use std::collections::BTreeSet;

use crate::hir::{CallArgs, PouId, Project, Stmt, StmtKind, Visit};
use crate::text::{GapId, Span};

/// Calls and unmodelled statements of one body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub(crate) calls: BTreeSet<PouId>,
    pub(crate) gaps: Vec<(GapId, Span)>,
}

/// Returns the bodies of all POUs, in the order of their ids.
///
/// Cost: linear in the statements.
pub(crate) fn bodies(project: &Project) -> Vec<Body> {
    let body = |stmts| {
        let mut body = Body::default();
        body.body(stmts);
        body
    };
    project.pous.iter().map(|pou| body(&pou.body)).collect()
}

impl<'h> Visit<'h> for Body {
    fn stmt(&mut self, stmt: &'h Stmt) {
        if let StmtKind::Gap(gap) = &stmt.kind {
            self.gaps.push((*gap, stmt.span));
        }
        self.stmt_parts(stmt);
    }

    fn call(&mut self, callee: PouId, args: &'h CallArgs) {
        self.calls.insert(callee);
        self.call_parts(args);
    }
}
