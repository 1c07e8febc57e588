//! Calls and unmodelled statements of each body.

use std::collections::BTreeSet;

use crate::hir::{CallArgs, PouId, Project, Stmt, StmtKind, Visit};
use crate::ids::Id;
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

/// Returns the POUs and all that they call.
pub(crate) fn reached(bodies: &[Body], pous: impl Iterator<Item = PouId>) -> BTreeSet<PouId> {
    let mut reached: BTreeSet<PouId> = BTreeSet::new();
    let mut todo: Vec<PouId> = pous.collect();
    while let Some(pou) = todo.pop() {
        if reached.insert(pou) {
            todo.extend(&bodies[pou.index()].calls);
        }
    }
    reached
}

/// Returns those of some POUs that call others with statements that are not modelled, over any number of calls.
pub(super) fn callers_of_gaps(bodies: &[Body], pous: &BTreeSet<PouId>) -> BTreeSet<PouId> {
    let has_gap = |pou: &PouId| !bodies[pou.index()].gaps.is_empty();
    let mut callers: BTreeSet<PouId> = BTreeSet::new();
    loop {
        let before = callers.len();
        for pou in pous {
            if bodies[pou.index()].calls.iter().any(|callee| has_gap(callee) || callers.contains(callee)) {
                callers.insert(*pou);
            }
        }
        if callers.len() == before {
            return callers;
        }
    }
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
