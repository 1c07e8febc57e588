//! Jumps back in a body: they make statements run several times.

use std::collections::BTreeSet;

use plc_frontend::hir::{LabelId, Stmt, StmtKind};

/// Returns whether some GOTO leads to a label in front of it.
///
/// Soundness: labels stand in a list of statements around the jump, so the order of reading is the order of execution.
pub(super) fn lead_back(stmts: &[Stmt]) -> bool {
    let mut passed: BTreeSet<LabelId> = BTreeSet::new();
    // In the order of reading: the last one is the next.
    let mut todo: Vec<&Stmt> = stmts.iter().rev().collect();
    while let Some(stmt) = todo.pop() {
        #[expect(clippy::wildcard_enum_match_arm, reason = "other statements neither jump nor are jumped to")]
        match &stmt.kind {
            StmtKind::Label(label) => drop(passed.insert(*label)),
            StmtKind::Goto(label) if passed.contains(label) => return true,
            _ => stmt.bodies().into_iter().rev().for_each(|body| todo.extend(body.iter().rev())),
        }
    }
    false
}
