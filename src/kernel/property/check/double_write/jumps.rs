//! Backward jumps in a body, which repeat statements.

use std::collections::BTreeSet;

use plc_frontend::hir::{LabelId, Stmt, StmtKind, walk};

/// Returns whether some GOTO leads backward.
///
/// Soundness: a label stands in an enclosing list of the jump, so the order of the text is the order of execution.
pub(super) fn lead_back(stmts: &[Stmt]) -> bool {
    let mut passed: BTreeSet<LabelId> = BTreeSet::new();
    let mut leads_back = false;
    walk::stmts(stmts, |stmt| {
        if let StmtKind::Label(label) = stmt.kind {
            passed.insert(label);
        } else if let StmtKind::Goto(label) = stmt.kind {
            leads_back |= passed.contains(&label);
        }
    });
    leads_back
}
